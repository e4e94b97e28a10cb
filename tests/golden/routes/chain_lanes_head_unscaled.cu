// decode/head+argmax/96x256/Q4_K/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) head_96x256_q8_unscaled(float* data0_96, float* data1_24, int* data2_24, uint* data3_3456, uint* data4_64, float* data5_8, float* data6_8) {
  float buf0[1];
  float buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[32];
  __shared__ __align__(16) int buf4[32];
  __shared__ __align__(16) float buf5[2];
  __shared__ __align__(16) int buf6[2];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data3_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu1;
  int alu3 = (lidx0+(lidx1<<3));
  bool alu4 = (lidx1<1);
  int alu5 = (alu4?alu3:0);
  float val1 = (*(data6_8+alu5));
  float alu6 = (alu4?val1:0.0f);
  *(buf0+0) = alu6;
  *(buf1+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val2 = (*(data3_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu9 = (lidx0+(Lidx1<<4));
    uint val3 = (*(data4_64+alu9));
    uint val4 = (*(data4_64+(alu9+8)));
    float2 val5 = (*((float2*)((data5_8+(Lidx1<<1)))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu10 = (val0.y>>cast2);
    uint alu11 = (val0.w>>cast2);
    bool alu12 = (Lidx1<2);
    uint alu13 = (alu12?(alu10&16191u):((alu11&3855u)|((alu10>>2u)&12336u)));
    uint alu14 = (val0.z>>cast2);
    uint alu15 = (alu12?(alu14&16191u):(((alu11>>4u)&3855u)|((alu14>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val3));
    int cast4 = tg_bitcast<int>((uint)(val4));
    *(buf1+0) = ((*(buf1+0))+((cast1*((float)((alu13&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val2&252645135u))), cast3, 0)))*val5.x)-(cast0*((float)((alu15&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val5.x))+((cast1*((float)((alu13>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val2>>4u)&252645135u))), cast4, 0)))*val5.y)-(cast0*((float)((alu15>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val5.y)));
  }
  float val6 = (*(buf0+0));
  float val7 = (*(buf1+0));
  float alu18 = __shfl_xor_sync(0xffffffffu, val6, 16);
  float alu19 = (val6+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 8);
  float alu21 = (alu19+alu20);
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 4);
  float alu23 = (alu21+alu22);
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 2);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 1);
  int alu27 = (lidx1+(gidx0<<2));
  float alu28 = __shfl_xor_sync(0xffffffffu, val7, 4);
  float alu29 = (val7+alu28);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 2);
  float alu31 = (alu29+alu30);
  float alu32 = __shfl_xor_sync(0xffffffffu, alu31, 1);
  float alu33 = ((alu31+alu32)*(1/sqrt((((alu25+alu26)*0.00390625f)+9.999999747378752e-06f))));
  bool alu34 = (lidx0!=0);
  float alu35 = (alu34?-1.0000000150474662e+30f:alu33);
  int alu36 = (alu34?1073741824:alu27);
  bool alu37 = ((-1.0000000150474662e+30f<alu35)|((-1.0000000150474662e+30f==alu35)&(alu36<1073741824)));
  int alu38 = (alu37?alu36:1073741824);
  float alu39 = (alu37?alu35:-1.0000000150474662e+30f);
  *(buf4+alu3) = alu38;
  *(buf3+alu3) = alu39;
  __syncthreads();
  int alu43 = (lidx0&1);
  int alu44 = (alu43<<4);
  int alu45 = (alu44+4);
  int4 val8 = (*((int4*)((buf4+alu45))));
  int alu46 = (alu44+8);
  int4 val9 = (*((int4*)((buf4+alu46))));
  int alu47 = (alu44+12);
  int4 val10 = (*((int4*)((buf4+alu47))));
  int4 val11 = (*((int4*)((buf4+alu44))));
  float4 val12 = (*((float4*)((buf3+alu45))));
  float4 val13 = (*((float4*)((buf3+alu46))));
  float4 val14 = (*((float4*)((buf3+alu47))));
  float4 val15 = (*((float4*)((buf3+alu44))));
  bool alu48 = ((val15.x<val15.y)|((val15.x==val15.y)&(val11.y<val11.x)));
  int alu49 = (alu48?val11.y:val11.x);
  float alu50 = (alu48?val15.y:val15.x);
  bool alu51 = ((alu50<val15.z)|((alu50==val15.z)&(val11.z<alu49)));
  int alu52 = (alu51?val11.z:alu49);
  float alu53 = (alu51?val15.z:alu50);
  bool alu54 = ((alu53<val15.w)|((alu53==val15.w)&(val11.w<alu52)));
  int alu55 = (alu54?val11.w:alu52);
  float alu56 = (alu54?val15.w:alu53);
  bool alu57 = ((alu56<val12.x)|((alu56==val12.x)&(val8.x<alu55)));
  int alu58 = (alu57?val8.x:alu55);
  float alu59 = (alu57?val12.x:alu56);
  bool alu60 = ((alu59<val12.y)|((alu59==val12.y)&(val8.y<alu58)));
  int alu61 = (alu60?val8.y:alu58);
  float alu62 = (alu60?val12.y:alu59);
  bool alu63 = ((alu62<val12.z)|((alu62==val12.z)&(val8.z<alu61)));
  int alu64 = (alu63?val8.z:alu61);
  float alu65 = (alu63?val12.z:alu62);
  bool alu66 = ((alu65<val12.w)|((alu65==val12.w)&(val8.w<alu64)));
  int alu67 = (alu66?val8.w:alu64);
  float alu68 = (alu66?val12.w:alu65);
  bool alu69 = ((alu68<val13.x)|((alu68==val13.x)&(val9.x<alu67)));
  int alu70 = (alu69?val9.x:alu67);
  float alu71 = (alu69?val13.x:alu68);
  bool alu72 = ((alu71<val13.y)|((alu71==val13.y)&(val9.y<alu70)));
  int alu73 = (alu72?val9.y:alu70);
  float alu74 = (alu72?val13.y:alu71);
  bool alu75 = ((alu74<val13.z)|((alu74==val13.z)&(val9.z<alu73)));
  int alu76 = (alu75?val9.z:alu73);
  float alu77 = (alu75?val13.z:alu74);
  bool alu78 = ((alu77<val13.w)|((alu77==val13.w)&(val9.w<alu76)));
  int alu79 = (alu78?val9.w:alu76);
  float alu80 = (alu78?val13.w:alu77);
  bool alu81 = ((alu80<val14.x)|((alu80==val14.x)&(val10.x<alu79)));
  int alu82 = (alu81?val10.x:alu79);
  float alu83 = (alu81?val14.x:alu80);
  bool alu84 = ((alu83<val14.y)|((alu83==val14.y)&(val10.y<alu82)));
  int alu85 = (alu84?val10.y:alu82);
  float alu86 = (alu84?val14.y:alu83);
  bool alu87 = ((alu86<val14.z)|((alu86==val14.z)&(val10.z<alu85)));
  int alu88 = (alu87?val10.z:alu85);
  float alu89 = (alu87?val14.z:alu86);
  bool alu90 = ((alu89<val14.w)|((alu89==val14.w)&(val10.w<alu88)));
  int alu91 = (alu90?val10.w:alu88);
  float alu92 = (alu90?val14.w:alu89);
  *(buf6+alu43) = alu91;
  *(buf5+alu43) = alu92;
  __syncthreads();
  int2 val16 = (*((int2*)((buf6+0))));
  float2 val17 = (*((float2*)((buf5+0))));
  bool alu96 = (alu3==0);
  bool alu97 = ((val17.x<val17.y)|((val17.x==val17.y)&(val16.y<val16.x)));
  int alu98 = (alu97?val16.y:val16.x);
  float alu99 = (alu97?val17.y:val17.x);
  if (alu96) {
    *(data2_24+gidx0) = alu98;
  }
  if ((lidx0==0)) {
    *(data0_96+alu27) = alu33;
  }
  if (alu96) {
    *(data1_24+gidx0) = alu99;
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
