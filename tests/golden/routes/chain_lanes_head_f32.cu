// decode/head+argmax/96x256/Q4_K/m1 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) head_96x256_f32(float* data0_96, float* data1_24, int* data2_24, uint* data3_3456, float* data4_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[32];
  __shared__ __align__(16) int buf3[32];
  __shared__ __align__(16) float buf4[2];
  __shared__ __align__(16) int buf5[2];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data3_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  *(buf0+0) = 0.0f;
  int alu2 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu2;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val1 = (*(data3_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu4 = ((lidx0<<2)+(Lidx1<<6));
    float4 val2 = (*((float4*)((data4_256+(alu4+32)))));
    float4 val3 = (*((float4*)((data4_256+alu4))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu5 = (val0.y>>cast2);
    uint alu6 = (val0.w>>cast2);
    bool alu7 = (Lidx1<2);
    uint alu8 = (alu7?(alu5&16191u):((alu6&3855u)|((alu5>>2u)&12336u)));
    uint alu9 = (val0.z>>cast2);
    uint alu10 = (alu7?(alu9&16191u):(((alu6>>4u)&3855u)|((alu9>>2u)&12336u)));
    uint alu11 = (val1>>4u);
    uint alu12 = (val1&252645135u);
    uint alu13 = (alu11&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu8&255u)))*((((float)((val1&15u)))*val3.x)+(((float)(((alu12>>8u)&255u)))*val3.y)+(((float)(((alu12>>16u)&255u)))*val3.z)+(((float)(((alu12>>24u)&255u)))*val3.w)))-(cast0*((float)((alu10&255u)))*(val3.x+val3.y+val3.z+val3.w)))+((cast1*((float)((alu8>>8u)))*((((float)((alu11&15u)))*val2.x)+(((float)(((alu13>>8u)&255u)))*val2.y)+(((float)(((alu13>>16u)&255u)))*val2.z)+(((float)(((alu13>>24u)&255u)))*val2.w)))-(cast0*((float)((alu10>>8u)))*(val2.x+val2.y+val2.z+val2.w))));
  }
  float val4 = (*(buf0+0));
  int alu16 = (lidx0+(lidx1<<3));
  int alu17 = (lidx1+(gidx0<<2));
  float alu18 = __shfl_xor_sync(0xffffffffu, val4, 4);
  float alu19 = (val4+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 2);
  float alu21 = (alu19+alu20);
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 1);
  float alu23 = (alu21+alu22);
  bool alu24 = (lidx0!=0);
  float alu25 = (alu24?-1.0000000150474662e+30f:alu23);
  int alu26 = (alu24?1073741824:alu17);
  bool alu27 = ((-1.0000000150474662e+30f<alu25)|((-1.0000000150474662e+30f==alu25)&(alu26<1073741824)));
  int alu28 = (alu27?alu26:1073741824);
  float alu29 = (alu27?alu25:-1.0000000150474662e+30f);
  *(buf3+alu16) = alu28;
  *(buf2+alu16) = alu29;
  __syncthreads();
  int alu33 = (lidx0&1);
  int alu34 = (alu33<<4);
  int alu35 = (alu34+4);
  int4 val5 = (*((int4*)((buf3+alu35))));
  int alu36 = (alu34+8);
  int4 val6 = (*((int4*)((buf3+alu36))));
  int alu37 = (alu34+12);
  int4 val7 = (*((int4*)((buf3+alu37))));
  int4 val8 = (*((int4*)((buf3+alu34))));
  float4 val9 = (*((float4*)((buf2+alu35))));
  float4 val10 = (*((float4*)((buf2+alu36))));
  float4 val11 = (*((float4*)((buf2+alu37))));
  float4 val12 = (*((float4*)((buf2+alu34))));
  bool alu38 = ((val12.x<val12.y)|((val12.x==val12.y)&(val8.y<val8.x)));
  int alu39 = (alu38?val8.y:val8.x);
  float alu40 = (alu38?val12.y:val12.x);
  bool alu41 = ((alu40<val12.z)|((alu40==val12.z)&(val8.z<alu39)));
  int alu42 = (alu41?val8.z:alu39);
  float alu43 = (alu41?val12.z:alu40);
  bool alu44 = ((alu43<val12.w)|((alu43==val12.w)&(val8.w<alu42)));
  int alu45 = (alu44?val8.w:alu42);
  float alu46 = (alu44?val12.w:alu43);
  bool alu47 = ((alu46<val9.x)|((alu46==val9.x)&(val5.x<alu45)));
  int alu48 = (alu47?val5.x:alu45);
  float alu49 = (alu47?val9.x:alu46);
  bool alu50 = ((alu49<val9.y)|((alu49==val9.y)&(val5.y<alu48)));
  int alu51 = (alu50?val5.y:alu48);
  float alu52 = (alu50?val9.y:alu49);
  bool alu53 = ((alu52<val9.z)|((alu52==val9.z)&(val5.z<alu51)));
  int alu54 = (alu53?val5.z:alu51);
  float alu55 = (alu53?val9.z:alu52);
  bool alu56 = ((alu55<val9.w)|((alu55==val9.w)&(val5.w<alu54)));
  int alu57 = (alu56?val5.w:alu54);
  float alu58 = (alu56?val9.w:alu55);
  bool alu59 = ((alu58<val10.x)|((alu58==val10.x)&(val6.x<alu57)));
  int alu60 = (alu59?val6.x:alu57);
  float alu61 = (alu59?val10.x:alu58);
  bool alu62 = ((alu61<val10.y)|((alu61==val10.y)&(val6.y<alu60)));
  int alu63 = (alu62?val6.y:alu60);
  float alu64 = (alu62?val10.y:alu61);
  bool alu65 = ((alu64<val10.z)|((alu64==val10.z)&(val6.z<alu63)));
  int alu66 = (alu65?val6.z:alu63);
  float alu67 = (alu65?val10.z:alu64);
  bool alu68 = ((alu67<val10.w)|((alu67==val10.w)&(val6.w<alu66)));
  int alu69 = (alu68?val6.w:alu66);
  float alu70 = (alu68?val10.w:alu67);
  bool alu71 = ((alu70<val11.x)|((alu70==val11.x)&(val7.x<alu69)));
  int alu72 = (alu71?val7.x:alu69);
  float alu73 = (alu71?val11.x:alu70);
  bool alu74 = ((alu73<val11.y)|((alu73==val11.y)&(val7.y<alu72)));
  int alu75 = (alu74?val7.y:alu72);
  float alu76 = (alu74?val11.y:alu73);
  bool alu77 = ((alu76<val11.z)|((alu76==val11.z)&(val7.z<alu75)));
  int alu78 = (alu77?val7.z:alu75);
  float alu79 = (alu77?val11.z:alu76);
  bool alu80 = ((alu79<val11.w)|((alu79==val11.w)&(val7.w<alu78)));
  int alu81 = (alu80?val7.w:alu78);
  float alu82 = (alu80?val11.w:alu79);
  *(buf5+alu33) = alu81;
  *(buf4+alu33) = alu82;
  __syncthreads();
  int2 val13 = (*((int2*)((buf5+0))));
  float2 val14 = (*((float2*)((buf4+0))));
  bool alu86 = (alu16==0);
  bool alu87 = ((val14.x<val14.y)|((val14.x==val14.y)&(val13.y<val13.x)));
  int alu88 = (alu87?val13.y:val13.x);
  float alu89 = (alu87?val14.y:val14.x);
  if (alu86) {
    *(data2_24+gidx0) = alu88;
  }
  if ((lidx0==0)) {
    *(data0_96+alu17) = alu23;
  }
  if (alu86) {
    *(data1_24+gidx0) = alu89;
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(256) argmax_24_best(int* data0_1, int* data1_65, int* data2_1, float* data3_24, int* data4_24) {
  float buf0[1];
  int buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[256];
  __shared__ __align__(16) int buf4[256];
  __shared__ __align__(16) float buf5[16];
  __shared__ __align__(16) int buf6[16];
  *(buf1+0) = 1073741824;
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu1;
  int val0 = (*(data2_1+0));
  int alu3 = (val0+1);
  int val1 = (*(data1_65+alu3));
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu4 = (lidx0+(lidx1<<5));
  bool alu5 = (alu4<24);
  int alu6 = (alu5?alu4:0);
  int val2 = (*(data4_24+alu6));
  *(buf0+0) = -1.0000000150474662e+30f;
  float val3 = (*(buf0+0));
  float val4 = (*(data3_24+alu6));
  float alu8 = (alu5?val4:-1.0000000150474662e+30f);
  int alu9 = (alu5?val2:1073741824);
  bool alu10 = ((val3<alu8)|((val3==alu8)&(alu9<(*(buf1+0)))));
  if (alu10) {
    *(buf1+0) = alu9;
  }
  if (alu10) {
    *(buf0+0) = alu8;
  }
  *(buf4+alu4) = (*(buf1+0));
  *(buf3+alu4) = (*(buf0+0));
  __syncthreads();
  int alu20 = (lidx0&15);
  int alu21 = (alu20<<4);
  int alu22 = (alu21+4);
  int4 val5 = (*((int4*)((buf4+alu22))));
  int alu23 = (alu21+8);
  int4 val6 = (*((int4*)((buf4+alu23))));
  int alu24 = (alu21+12);
  int4 val7 = (*((int4*)((buf4+alu24))));
  int4 val8 = (*((int4*)((buf4+alu21))));
  float4 val9 = (*((float4*)((buf3+alu22))));
  float4 val10 = (*((float4*)((buf3+alu23))));
  float4 val11 = (*((float4*)((buf3+alu24))));
  float4 val12 = (*((float4*)((buf3+alu21))));
  bool alu25 = ((val12.x<val12.y)|((val12.x==val12.y)&(val8.y<val8.x)));
  int alu26 = (alu25?val8.y:val8.x);
  float alu27 = (alu25?val12.y:val12.x);
  bool alu28 = ((alu27<val12.z)|((alu27==val12.z)&(val8.z<alu26)));
  int alu29 = (alu28?val8.z:alu26);
  float alu30 = (alu28?val12.z:alu27);
  bool alu31 = ((alu30<val12.w)|((alu30==val12.w)&(val8.w<alu29)));
  int alu32 = (alu31?val8.w:alu29);
  float alu33 = (alu31?val12.w:alu30);
  bool alu34 = ((alu33<val9.x)|((alu33==val9.x)&(val5.x<alu32)));
  int alu35 = (alu34?val5.x:alu32);
  float alu36 = (alu34?val9.x:alu33);
  bool alu37 = ((alu36<val9.y)|((alu36==val9.y)&(val5.y<alu35)));
  int alu38 = (alu37?val5.y:alu35);
  float alu39 = (alu37?val9.y:alu36);
  bool alu40 = ((alu39<val9.z)|((alu39==val9.z)&(val5.z<alu38)));
  int alu41 = (alu40?val5.z:alu38);
  float alu42 = (alu40?val9.z:alu39);
  bool alu43 = ((alu42<val9.w)|((alu42==val9.w)&(val5.w<alu41)));
  int alu44 = (alu43?val5.w:alu41);
  float alu45 = (alu43?val9.w:alu42);
  bool alu46 = ((alu45<val10.x)|((alu45==val10.x)&(val6.x<alu44)));
  int alu47 = (alu46?val6.x:alu44);
  float alu48 = (alu46?val10.x:alu45);
  bool alu49 = ((alu48<val10.y)|((alu48==val10.y)&(val6.y<alu47)));
  int alu50 = (alu49?val6.y:alu47);
  float alu51 = (alu49?val10.y:alu48);
  bool alu52 = ((alu51<val10.z)|((alu51==val10.z)&(val6.z<alu50)));
  int alu53 = (alu52?val6.z:alu50);
  float alu54 = (alu52?val10.z:alu51);
  bool alu55 = ((alu54<val10.w)|((alu54==val10.w)&(val6.w<alu53)));
  int alu56 = (alu55?val6.w:alu53);
  float alu57 = (alu55?val10.w:alu54);
  bool alu58 = ((alu57<val11.x)|((alu57==val11.x)&(val7.x<alu56)));
  int alu59 = (alu58?val7.x:alu56);
  float alu60 = (alu58?val11.x:alu57);
  bool alu61 = ((alu60<val11.y)|((alu60==val11.y)&(val7.y<alu59)));
  int alu62 = (alu61?val7.y:alu59);
  float alu63 = (alu61?val11.y:alu60);
  bool alu64 = ((alu63<val11.z)|((alu63==val11.z)&(val7.z<alu62)));
  int alu65 = (alu64?val7.z:alu62);
  float alu66 = (alu64?val11.z:alu63);
  bool alu67 = ((alu66<val11.w)|((alu66==val11.w)&(val7.w<alu65)));
  int alu68 = (alu67?val7.w:alu65);
  float alu69 = (alu67?val11.w:alu66);
  *(buf6+alu20) = alu68;
  *(buf5+alu20) = alu69;
  __syncthreads();
  int4 val13 = (*((int4*)((buf6+0))));
  int4 val14 = (*((int4*)((buf6+4))));
  int4 val15 = (*((int4*)((buf6+8))));
  int4 val16 = (*((int4*)((buf6+12))));
  float4 val17 = (*((float4*)((buf5+0))));
  float4 val18 = (*((float4*)((buf5+4))));
  float4 val19 = (*((float4*)((buf5+8))));
  float4 val20 = (*((float4*)((buf5+12))));
  bool alu73 = ((val17.x<val17.y)|((val17.x==val17.y)&(val13.y<val13.x)));
  int alu74 = (alu73?val13.y:val13.x);
  float alu75 = (alu73?val17.y:val17.x);
  bool alu76 = ((alu75<val17.z)|((alu75==val17.z)&(val13.z<alu74)));
  int alu77 = (alu76?val13.z:alu74);
  float alu78 = (alu76?val17.z:alu75);
  bool alu79 = ((alu78<val17.w)|((alu78==val17.w)&(val13.w<alu77)));
  int alu80 = (alu79?val13.w:alu77);
  float alu81 = (alu79?val17.w:alu78);
  bool alu82 = ((alu81<val18.x)|((alu81==val18.x)&(val14.x<alu80)));
  int alu83 = (alu82?val14.x:alu80);
  float alu84 = (alu82?val18.x:alu81);
  bool alu85 = ((alu84<val18.y)|((alu84==val18.y)&(val14.y<alu83)));
  int alu86 = (alu85?val14.y:alu83);
  float alu87 = (alu85?val18.y:alu84);
  bool alu88 = ((alu87<val18.z)|((alu87==val18.z)&(val14.z<alu86)));
  int alu89 = (alu88?val14.z:alu86);
  float alu90 = (alu88?val18.z:alu87);
  bool alu91 = ((alu90<val18.w)|((alu90==val18.w)&(val14.w<alu89)));
  int alu92 = (alu91?val14.w:alu89);
  float alu93 = (alu91?val18.w:alu90);
  bool alu94 = ((alu93<val19.x)|((alu93==val19.x)&(val15.x<alu92)));
  int alu95 = (alu94?val15.x:alu92);
  float alu96 = (alu94?val19.x:alu93);
  bool alu97 = ((alu96<val19.y)|((alu96==val19.y)&(val15.y<alu95)));
  int alu98 = (alu97?val15.y:alu95);
  float alu99 = (alu97?val19.y:alu96);
  bool alu100 = ((alu99<val19.z)|((alu99==val19.z)&(val15.z<alu98)));
  int alu101 = (alu100?val15.z:alu98);
  float alu102 = (alu100?val19.z:alu99);
  bool alu103 = ((alu102<val19.w)|((alu102==val19.w)&(val15.w<alu101)));
  int alu104 = (alu103?val15.w:alu101);
  float alu105 = (alu103?val19.w:alu102);
  bool alu106 = ((alu105<val20.x)|((alu105==val20.x)&(val16.x<alu104)));
  int alu107 = (alu106?val16.x:alu104);
  float alu108 = (alu106?val20.x:alu105);
  bool alu109 = ((alu108<val20.y)|((alu108==val20.y)&(val16.y<alu107)));
  int alu110 = (alu109?val16.y:alu107);
  float alu111 = (alu109?val20.y:alu108);
  bool alu112 = ((alu111<val20.z)|((alu111==val20.z)&(val16.z<alu110)));
  int alu113 = (alu112?val16.z:alu110);
  float alu114 = (alu112?val20.z:alu111);
  bool alu115 = (alu4==0);
  int alu116 = (((alu114<val20.w)|((alu114==val20.w)&(val16.w<alu113)))?val16.w:alu113);
  int alu117 = ((val1<0)?alu116:val1);
  if (alu115) {
    *(data0_1+0) = alu117;
  }
  if (alu115) {
    *(data1_65+alu3) = alu117;
  }
  if (alu115) {
    *(data2_1+0) = alu3;
  }
}
