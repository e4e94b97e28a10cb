// decode/head+argmax/96x256/Q4_K/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) head_96x256_q8(float* data0_96, float* data1_24, int* data2_24, uint* data3_3456, uint* data4_64, float* data5_8) {
  float buf0[1];
  __shared__ __align__(16) float buf1[32];
  __shared__ __align__(16) int buf2[32];
  __shared__ __align__(16) float buf3[2];
  __shared__ __align__(16) int buf4[2];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data3_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val1 = (*(data3_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu2 = (lidx0+(Lidx1<<4));
    uint val2 = (*(data4_64+alu2));
    uint val3 = (*(data4_64+(alu2+8)));
    float2 val4 = (*((float2*)((data5_8+(Lidx1<<1)))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu3 = (val0.y>>cast2);
    uint alu4 = (val0.w>>cast2);
    bool alu5 = (Lidx1<2);
    uint alu6 = (alu5?(alu3&16191u):((alu4&3855u)|((alu3>>2u)&12336u)));
    uint alu7 = (val0.z>>cast2);
    uint alu8 = (alu5?(alu7&16191u):(((alu4>>4u)&3855u)|((alu7>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val2));
    int cast4 = tg_bitcast<int>((uint)(val3));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu6&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val1&252645135u))), cast3, 0)))*val4.x)-(cast0*((float)((alu8&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val4.x))+((cast1*((float)((alu6>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val1>>4u)&252645135u))), cast4, 0)))*val4.y)-(cast0*((float)((alu8>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val4.y)));
  }
  float val5 = (*(buf0+0));
  int alu11 = (lidx0+(lidx1<<3));
  int alu12 = (lidx1+(gidx0<<2));
  float alu13 = __shfl_xor_sync(0xffffffffu, val5, 4);
  float alu14 = (val5+alu13);
  float alu15 = __shfl_xor_sync(0xffffffffu, alu14, 2);
  float alu16 = (alu14+alu15);
  float alu17 = __shfl_xor_sync(0xffffffffu, alu16, 1);
  float alu18 = (alu16+alu17);
  bool alu19 = (lidx0!=0);
  float alu20 = (alu19?-1.0000000150474662e+30f:alu18);
  int alu21 = (alu19?1073741824:alu12);
  bool alu22 = ((-1.0000000150474662e+30f<alu20)|((-1.0000000150474662e+30f==alu20)&(alu21<1073741824)));
  int alu23 = (alu22?alu21:1073741824);
  float alu24 = (alu22?alu20:-1.0000000150474662e+30f);
  *(buf2+alu11) = alu23;
  *(buf1+alu11) = alu24;
  __syncthreads();
  int alu28 = (lidx0&1);
  int alu29 = (alu28<<4);
  int alu30 = (alu29+4);
  int4 val6 = (*((int4*)((buf2+alu30))));
  int alu31 = (alu29+8);
  int4 val7 = (*((int4*)((buf2+alu31))));
  int alu32 = (alu29+12);
  int4 val8 = (*((int4*)((buf2+alu32))));
  int4 val9 = (*((int4*)((buf2+alu29))));
  float4 val10 = (*((float4*)((buf1+alu30))));
  float4 val11 = (*((float4*)((buf1+alu31))));
  float4 val12 = (*((float4*)((buf1+alu32))));
  float4 val13 = (*((float4*)((buf1+alu29))));
  bool alu33 = ((val13.x<val13.y)|((val13.x==val13.y)&(val9.y<val9.x)));
  int alu34 = (alu33?val9.y:val9.x);
  float alu35 = (alu33?val13.y:val13.x);
  bool alu36 = ((alu35<val13.z)|((alu35==val13.z)&(val9.z<alu34)));
  int alu37 = (alu36?val9.z:alu34);
  float alu38 = (alu36?val13.z:alu35);
  bool alu39 = ((alu38<val13.w)|((alu38==val13.w)&(val9.w<alu37)));
  int alu40 = (alu39?val9.w:alu37);
  float alu41 = (alu39?val13.w:alu38);
  bool alu42 = ((alu41<val10.x)|((alu41==val10.x)&(val6.x<alu40)));
  int alu43 = (alu42?val6.x:alu40);
  float alu44 = (alu42?val10.x:alu41);
  bool alu45 = ((alu44<val10.y)|((alu44==val10.y)&(val6.y<alu43)));
  int alu46 = (alu45?val6.y:alu43);
  float alu47 = (alu45?val10.y:alu44);
  bool alu48 = ((alu47<val10.z)|((alu47==val10.z)&(val6.z<alu46)));
  int alu49 = (alu48?val6.z:alu46);
  float alu50 = (alu48?val10.z:alu47);
  bool alu51 = ((alu50<val10.w)|((alu50==val10.w)&(val6.w<alu49)));
  int alu52 = (alu51?val6.w:alu49);
  float alu53 = (alu51?val10.w:alu50);
  bool alu54 = ((alu53<val11.x)|((alu53==val11.x)&(val7.x<alu52)));
  int alu55 = (alu54?val7.x:alu52);
  float alu56 = (alu54?val11.x:alu53);
  bool alu57 = ((alu56<val11.y)|((alu56==val11.y)&(val7.y<alu55)));
  int alu58 = (alu57?val7.y:alu55);
  float alu59 = (alu57?val11.y:alu56);
  bool alu60 = ((alu59<val11.z)|((alu59==val11.z)&(val7.z<alu58)));
  int alu61 = (alu60?val7.z:alu58);
  float alu62 = (alu60?val11.z:alu59);
  bool alu63 = ((alu62<val11.w)|((alu62==val11.w)&(val7.w<alu61)));
  int alu64 = (alu63?val7.w:alu61);
  float alu65 = (alu63?val11.w:alu62);
  bool alu66 = ((alu65<val12.x)|((alu65==val12.x)&(val8.x<alu64)));
  int alu67 = (alu66?val8.x:alu64);
  float alu68 = (alu66?val12.x:alu65);
  bool alu69 = ((alu68<val12.y)|((alu68==val12.y)&(val8.y<alu67)));
  int alu70 = (alu69?val8.y:alu67);
  float alu71 = (alu69?val12.y:alu68);
  bool alu72 = ((alu71<val12.z)|((alu71==val12.z)&(val8.z<alu70)));
  int alu73 = (alu72?val8.z:alu70);
  float alu74 = (alu72?val12.z:alu71);
  bool alu75 = ((alu74<val12.w)|((alu74==val12.w)&(val8.w<alu73)));
  int alu76 = (alu75?val8.w:alu73);
  float alu77 = (alu75?val12.w:alu74);
  *(buf4+alu28) = alu76;
  *(buf3+alu28) = alu77;
  __syncthreads();
  int2 val14 = (*((int2*)((buf4+0))));
  float2 val15 = (*((float2*)((buf3+0))));
  bool alu81 = (alu11==0);
  bool alu82 = ((val15.x<val15.y)|((val15.x==val15.y)&(val14.y<val14.x)));
  int alu83 = (alu82?val14.y:val14.x);
  float alu84 = (alu82?val15.y:val15.x);
  if (alu81) {
    *(data2_24+gidx0) = alu83;
  }
  if ((lidx0==0)) {
    *(data0_96+alu12) = alu18;
  }
  if (alu81) {
    *(data1_24+gidx0) = alu84;
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(256) argmax_24_best(int* data0_1, int* data1_65, int* data2_1, float* data3_24, int* data4_24) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[256];
  __shared__ __align__(16) int buf3[256];
  __shared__ __align__(16) float buf4[16];
  __shared__ __align__(16) int buf5[16];
  int val0 = (*(data2_1+0));
  int alu0 = (val0+1);
  int val1 = (*(data1_65+alu0));
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu1 = (lidx0+(lidx1<<5));
  bool alu2 = (alu1<24);
  int alu3 = (alu2?alu1:0);
  int val2 = (*(data4_24+alu3));
  *(buf1+0) = 1073741824;
  float val3 = (*(data3_24+alu3));
  *(buf0+0) = -1.0000000150474662e+30f;
  float val4 = (*(buf0+0));
  float alu6 = (alu2?val3:-1.0000000150474662e+30f);
  int alu7 = (alu2?val2:1073741824);
  bool alu8 = ((val4<alu6)|((val4==alu6)&(alu7<(*(buf1+0)))));
  if (alu8) {
    *(buf1+0) = alu7;
  }
  if (alu8) {
    *(buf0+0) = alu6;
  }
  *(buf3+alu1) = (*(buf1+0));
  *(buf2+alu1) = (*(buf0+0));
  __syncthreads();
  int alu18 = (lidx0&15);
  int alu19 = (alu18<<4);
  int alu20 = (alu19+4);
  int4 val5 = (*((int4*)((buf3+alu20))));
  int alu21 = (alu19+8);
  int4 val6 = (*((int4*)((buf3+alu21))));
  int alu22 = (alu19+12);
  int4 val7 = (*((int4*)((buf3+alu22))));
  int4 val8 = (*((int4*)((buf3+alu19))));
  float4 val9 = (*((float4*)((buf2+alu20))));
  float4 val10 = (*((float4*)((buf2+alu21))));
  float4 val11 = (*((float4*)((buf2+alu22))));
  float4 val12 = (*((float4*)((buf2+alu19))));
  bool alu23 = ((val12.x<val12.y)|((val12.x==val12.y)&(val8.y<val8.x)));
  int alu24 = (alu23?val8.y:val8.x);
  float alu25 = (alu23?val12.y:val12.x);
  bool alu26 = ((alu25<val12.z)|((alu25==val12.z)&(val8.z<alu24)));
  int alu27 = (alu26?val8.z:alu24);
  float alu28 = (alu26?val12.z:alu25);
  bool alu29 = ((alu28<val12.w)|((alu28==val12.w)&(val8.w<alu27)));
  int alu30 = (alu29?val8.w:alu27);
  float alu31 = (alu29?val12.w:alu28);
  bool alu32 = ((alu31<val9.x)|((alu31==val9.x)&(val5.x<alu30)));
  int alu33 = (alu32?val5.x:alu30);
  float alu34 = (alu32?val9.x:alu31);
  bool alu35 = ((alu34<val9.y)|((alu34==val9.y)&(val5.y<alu33)));
  int alu36 = (alu35?val5.y:alu33);
  float alu37 = (alu35?val9.y:alu34);
  bool alu38 = ((alu37<val9.z)|((alu37==val9.z)&(val5.z<alu36)));
  int alu39 = (alu38?val5.z:alu36);
  float alu40 = (alu38?val9.z:alu37);
  bool alu41 = ((alu40<val9.w)|((alu40==val9.w)&(val5.w<alu39)));
  int alu42 = (alu41?val5.w:alu39);
  float alu43 = (alu41?val9.w:alu40);
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
  *(buf5+alu18) = alu66;
  *(buf4+alu18) = alu67;
  __syncthreads();
  int4 val13 = (*((int4*)((buf5+0))));
  int4 val14 = (*((int4*)((buf5+4))));
  int4 val15 = (*((int4*)((buf5+8))));
  int4 val16 = (*((int4*)((buf5+12))));
  float4 val17 = (*((float4*)((buf4+0))));
  float4 val18 = (*((float4*)((buf4+4))));
  float4 val19 = (*((float4*)((buf4+8))));
  float4 val20 = (*((float4*)((buf4+12))));
  bool alu71 = ((val17.x<val17.y)|((val17.x==val17.y)&(val13.y<val13.x)));
  int alu72 = (alu71?val13.y:val13.x);
  float alu73 = (alu71?val17.y:val17.x);
  bool alu74 = ((alu73<val17.z)|((alu73==val17.z)&(val13.z<alu72)));
  int alu75 = (alu74?val13.z:alu72);
  float alu76 = (alu74?val17.z:alu73);
  bool alu77 = ((alu76<val17.w)|((alu76==val17.w)&(val13.w<alu75)));
  int alu78 = (alu77?val13.w:alu75);
  float alu79 = (alu77?val17.w:alu76);
  bool alu80 = ((alu79<val18.x)|((alu79==val18.x)&(val14.x<alu78)));
  int alu81 = (alu80?val14.x:alu78);
  float alu82 = (alu80?val18.x:alu79);
  bool alu83 = ((alu82<val18.y)|((alu82==val18.y)&(val14.y<alu81)));
  int alu84 = (alu83?val14.y:alu81);
  float alu85 = (alu83?val18.y:alu82);
  bool alu86 = ((alu85<val18.z)|((alu85==val18.z)&(val14.z<alu84)));
  int alu87 = (alu86?val14.z:alu84);
  float alu88 = (alu86?val18.z:alu85);
  bool alu89 = ((alu88<val18.w)|((alu88==val18.w)&(val14.w<alu87)));
  int alu90 = (alu89?val14.w:alu87);
  float alu91 = (alu89?val18.w:alu88);
  bool alu92 = ((alu91<val19.x)|((alu91==val19.x)&(val15.x<alu90)));
  int alu93 = (alu92?val15.x:alu90);
  float alu94 = (alu92?val19.x:alu91);
  bool alu95 = ((alu94<val19.y)|((alu94==val19.y)&(val15.y<alu93)));
  int alu96 = (alu95?val15.y:alu93);
  float alu97 = (alu95?val19.y:alu94);
  bool alu98 = ((alu97<val19.z)|((alu97==val19.z)&(val15.z<alu96)));
  int alu99 = (alu98?val15.z:alu96);
  float alu100 = (alu98?val19.z:alu97);
  bool alu101 = ((alu100<val19.w)|((alu100==val19.w)&(val15.w<alu99)));
  int alu102 = (alu101?val15.w:alu99);
  float alu103 = (alu101?val19.w:alu100);
  bool alu104 = ((alu103<val20.x)|((alu103==val20.x)&(val16.x<alu102)));
  int alu105 = (alu104?val16.x:alu102);
  float alu106 = (alu104?val20.x:alu103);
  bool alu107 = ((alu106<val20.y)|((alu106==val20.y)&(val16.y<alu105)));
  int alu108 = (alu107?val16.y:alu105);
  float alu109 = (alu107?val20.y:alu106);
  bool alu110 = ((alu109<val20.z)|((alu109==val20.z)&(val16.z<alu108)));
  int alu111 = (alu110?val16.z:alu108);
  float alu112 = (alu110?val20.z:alu109);
  bool alu113 = (alu1==0);
  int alu114 = (((alu112<val20.w)|((alu112==val20.w)&(val16.w<alu111)))?val16.w:alu111);
  int alu115 = ((val1<0)?alu114:val1);
  if (alu113) {
    *(data0_1+0) = alu115;
  }
  if (alu113) {
    *(data1_65+alu0) = alu115;
  }
  if (alu113) {
    *(data2_1+0) = alu0;
  }
}
