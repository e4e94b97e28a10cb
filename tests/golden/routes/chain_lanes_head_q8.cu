// decode/head+argmax/96x256/Q4_K/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) head_96x256_q8(float* data0_96, float* data1_24, int* data2_24, uint* data3_3456, uint* data4_64, float* data5_8) {
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
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu1;
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val1 = (*(data3_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu4 = (lidx0+(Lidx1<<4));
    uint val2 = (*(data4_64+alu4));
    uint val3 = (*(data4_64+(alu4+8)));
    float2 val4 = (*((float2*)((data5_8+(Lidx1<<1)))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu5 = (val0.y>>cast2);
    uint alu6 = (val0.w>>cast2);
    bool alu7 = (Lidx1<2);
    uint alu8 = (alu7?(alu5&16191u):((alu6&3855u)|((alu5>>2u)&12336u)));
    uint alu9 = (val0.z>>cast2);
    uint alu10 = (alu7?(alu9&16191u):(((alu6>>4u)&3855u)|((alu9>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val2));
    int cast4 = tg_bitcast<int>((uint)(val3));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu8&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val1&252645135u))), cast3, 0)))*val4.x)-(cast0*((float)((alu10&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val4.x))+((cast1*((float)((alu8>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val1>>4u)&252645135u))), cast4, 0)))*val4.y)-(cast0*((float)((alu10>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val4.y)));
  }
  float val5 = (*(buf0+0));
  int alu13 = (lidx0+(lidx1<<3));
  int alu14 = (lidx1+(gidx0<<2));
  float alu15 = __shfl_xor_sync(0xffffffffu, val5, 4);
  float alu16 = (val5+alu15);
  float alu17 = __shfl_xor_sync(0xffffffffu, alu16, 2);
  float alu18 = (alu16+alu17);
  float alu19 = __shfl_xor_sync(0xffffffffu, alu18, 1);
  float alu20 = (alu18+alu19);
  bool alu21 = (lidx0!=0);
  float alu22 = (alu21?-1.0000000150474662e+30f:alu20);
  int alu23 = (alu21?1073741824:alu14);
  bool alu24 = ((-1.0000000150474662e+30f<alu22)|((-1.0000000150474662e+30f==alu22)&(alu23<1073741824)));
  int alu25 = (alu24?alu23:1073741824);
  float alu26 = (alu24?alu22:-1.0000000150474662e+30f);
  *(buf3+alu13) = alu25;
  *(buf2+alu13) = alu26;
  __syncthreads();
  int alu30 = (lidx0&1);
  int alu31 = (alu30<<4);
  int alu32 = (alu31+4);
  int4 val6 = (*((int4*)((buf3+alu32))));
  int alu33 = (alu31+8);
  int4 val7 = (*((int4*)((buf3+alu33))));
  int alu34 = (alu31+12);
  int4 val8 = (*((int4*)((buf3+alu34))));
  int4 val9 = (*((int4*)((buf3+alu31))));
  float4 val10 = (*((float4*)((buf2+alu32))));
  float4 val11 = (*((float4*)((buf2+alu33))));
  float4 val12 = (*((float4*)((buf2+alu34))));
  float4 val13 = (*((float4*)((buf2+alu31))));
  bool alu35 = ((val13.x<val13.y)|((val13.x==val13.y)&(val9.y<val9.x)));
  int alu36 = (alu35?val9.y:val9.x);
  float alu37 = (alu35?val13.y:val13.x);
  bool alu38 = ((alu37<val13.z)|((alu37==val13.z)&(val9.z<alu36)));
  int alu39 = (alu38?val9.z:alu36);
  float alu40 = (alu38?val13.z:alu37);
  bool alu41 = ((alu40<val13.w)|((alu40==val13.w)&(val9.w<alu39)));
  int alu42 = (alu41?val9.w:alu39);
  float alu43 = (alu41?val13.w:alu40);
  bool alu44 = ((alu43<val10.x)|((alu43==val10.x)&(val6.x<alu42)));
  int alu45 = (alu44?val6.x:alu42);
  float alu46 = (alu44?val10.x:alu43);
  bool alu47 = ((alu46<val10.y)|((alu46==val10.y)&(val6.y<alu45)));
  int alu48 = (alu47?val6.y:alu45);
  float alu49 = (alu47?val10.y:alu46);
  bool alu50 = ((alu49<val10.z)|((alu49==val10.z)&(val6.z<alu48)));
  int alu51 = (alu50?val6.z:alu48);
  float alu52 = (alu50?val10.z:alu49);
  bool alu53 = ((alu52<val10.w)|((alu52==val10.w)&(val6.w<alu51)));
  int alu54 = (alu53?val6.w:alu51);
  float alu55 = (alu53?val10.w:alu52);
  bool alu56 = ((alu55<val11.x)|((alu55==val11.x)&(val7.x<alu54)));
  int alu57 = (alu56?val7.x:alu54);
  float alu58 = (alu56?val11.x:alu55);
  bool alu59 = ((alu58<val11.y)|((alu58==val11.y)&(val7.y<alu57)));
  int alu60 = (alu59?val7.y:alu57);
  float alu61 = (alu59?val11.y:alu58);
  bool alu62 = ((alu61<val11.z)|((alu61==val11.z)&(val7.z<alu60)));
  int alu63 = (alu62?val7.z:alu60);
  float alu64 = (alu62?val11.z:alu61);
  bool alu65 = ((alu64<val11.w)|((alu64==val11.w)&(val7.w<alu63)));
  int alu66 = (alu65?val7.w:alu63);
  float alu67 = (alu65?val11.w:alu64);
  bool alu68 = ((alu67<val12.x)|((alu67==val12.x)&(val8.x<alu66)));
  int alu69 = (alu68?val8.x:alu66);
  float alu70 = (alu68?val12.x:alu67);
  bool alu71 = ((alu70<val12.y)|((alu70==val12.y)&(val8.y<alu69)));
  int alu72 = (alu71?val8.y:alu69);
  float alu73 = (alu71?val12.y:alu70);
  bool alu74 = ((alu73<val12.z)|((alu73==val12.z)&(val8.z<alu72)));
  int alu75 = (alu74?val8.z:alu72);
  float alu76 = (alu74?val12.z:alu73);
  bool alu77 = ((alu76<val12.w)|((alu76==val12.w)&(val8.w<alu75)));
  int alu78 = (alu77?val8.w:alu75);
  float alu79 = (alu77?val12.w:alu76);
  *(buf5+alu30) = alu78;
  *(buf4+alu30) = alu79;
  __syncthreads();
  int2 val14 = (*((int2*)((buf5+0))));
  float2 val15 = (*((float2*)((buf4+0))));
  bool alu83 = (alu13==0);
  bool alu84 = ((val15.x<val15.y)|((val15.x==val15.y)&(val14.y<val14.x)));
  int alu85 = (alu84?val14.y:val14.x);
  float alu86 = (alu84?val15.y:val15.x);
  if (alu83) {
    *(data2_24+gidx0) = alu85;
  }
  if ((lidx0==0)) {
    *(data0_96+alu14) = alu20;
  }
  if (alu83) {
    *(data1_24+gidx0) = alu86;
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
