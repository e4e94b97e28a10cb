// decode/head+argmax/96x256/Q8_0/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) head_96x256_q8_unscaled(float* data0_96, float* data1_24, int* data2_24, uint* data3_6528, uint* data4_64, float* data5_8, float* data6_8) {
  float buf0[1];
  float buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[32];
  __shared__ __align__(16) int buf4[32];
  __shared__ __align__(16) float buf5[2];
  __shared__ __align__(16) int buf6[2];
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu0;
  int alu2 = (lidx0+(lidx1<<3));
  bool alu3 = (lidx1<1);
  int alu4 = (alu3?alu2:0);
  float val0 = (*(data6_8+alu4));
  int gidx0 = blockIdx.x; /* 24 */
  float alu5 = (alu3?val0:0.0f);
  *(buf0+0) = alu5;
  *(buf1+0) = 0.0f;
  int alu8 = (lidx0>>1);
  int alu9 = (gidx0*272);
  int alu10 = (lidx0<<2);
  int alu11 = (lidx1*68);
  for (int Lidx1 = 0; Lidx1 < 2; Lidx1++) {
    uint val1 = (*(data3_6528+(alu9+alu11+(Lidx1<<1)+(lidx0>>2)+64)));
    int alu12 = (Lidx1<<5);
    uint4 val2 = (*((uint4*)((data3_6528+(alu9+alu10+alu11+alu12)))));
    uint4 val3 = (*((uint4*)((data4_64+(alu10+alu12)))));
    float val4 = (*(data5_8+((Lidx1<<2)+alu8)));
    *(buf1+0) = ((*(buf1+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val1>>((uint)(((alu8&1)<<4))))&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val2.w)), tg_bitcast<int>((uint)(val3.w)), __dp4a(tg_bitcast<int>((uint)(val2.z)), tg_bitcast<int>((uint)(val3.z)), __dp4a(tg_bitcast<int>((uint)(val2.y)), tg_bitcast<int>((uint)(val3.y)), __dp4a(tg_bitcast<int>((uint)(val2.x)), tg_bitcast<int>((uint)(val3.x)), 0))))))*val4));
  }
  float val5 = (*(buf0+0));
  float val6 = (*(buf1+0));
  float alu15 = __shfl_xor_sync(0xffffffffu, val5, 16);
  float alu16 = (val5+alu15);
  float alu17 = __shfl_xor_sync(0xffffffffu, alu16, 8);
  float alu18 = (alu16+alu17);
  float alu19 = __shfl_xor_sync(0xffffffffu, alu18, 4);
  float alu20 = (alu18+alu19);
  float alu21 = __shfl_xor_sync(0xffffffffu, alu20, 2);
  float alu22 = (alu20+alu21);
  float alu23 = __shfl_xor_sync(0xffffffffu, alu22, 1);
  int alu24 = (lidx1+(gidx0<<2));
  float alu25 = __shfl_xor_sync(0xffffffffu, val6, 4);
  float alu26 = (val6+alu25);
  float alu27 = __shfl_xor_sync(0xffffffffu, alu26, 2);
  float alu28 = (alu26+alu27);
  float alu29 = __shfl_xor_sync(0xffffffffu, alu28, 1);
  float alu30 = ((alu28+alu29)*(1/sqrt((((alu22+alu23)*0.00390625f)+9.999999747378752e-06f))));
  bool alu31 = (lidx0!=0);
  float alu32 = (alu31?-1.0000000150474662e+30f:alu30);
  int alu33 = (alu31?1073741824:alu24);
  bool alu34 = ((-1.0000000150474662e+30f<alu32)|((-1.0000000150474662e+30f==alu32)&(alu33<1073741824)));
  int alu35 = (alu34?alu33:1073741824);
  float alu36 = (alu34?alu32:-1.0000000150474662e+30f);
  *(buf4+alu2) = alu35;
  *(buf3+alu2) = alu36;
  __syncthreads();
  int alu40 = (lidx0&1);
  int alu41 = (alu40<<4);
  int alu42 = (alu41+4);
  int4 val7 = (*((int4*)((buf4+alu42))));
  int alu43 = (alu41+8);
  int4 val8 = (*((int4*)((buf4+alu43))));
  int alu44 = (alu41+12);
  int4 val9 = (*((int4*)((buf4+alu44))));
  int4 val10 = (*((int4*)((buf4+alu41))));
  float4 val11 = (*((float4*)((buf3+alu42))));
  float4 val12 = (*((float4*)((buf3+alu43))));
  float4 val13 = (*((float4*)((buf3+alu44))));
  float4 val14 = (*((float4*)((buf3+alu41))));
  bool alu45 = ((val14.x<val14.y)|((val14.x==val14.y)&(val10.y<val10.x)));
  int alu46 = (alu45?val10.y:val10.x);
  float alu47 = (alu45?val14.y:val14.x);
  bool alu48 = ((alu47<val14.z)|((alu47==val14.z)&(val10.z<alu46)));
  int alu49 = (alu48?val10.z:alu46);
  float alu50 = (alu48?val14.z:alu47);
  bool alu51 = ((alu50<val14.w)|((alu50==val14.w)&(val10.w<alu49)));
  int alu52 = (alu51?val10.w:alu49);
  float alu53 = (alu51?val14.w:alu50);
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
  bool alu78 = ((alu77<val13.x)|((alu77==val13.x)&(val9.x<alu76)));
  int alu79 = (alu78?val9.x:alu76);
  float alu80 = (alu78?val13.x:alu77);
  bool alu81 = ((alu80<val13.y)|((alu80==val13.y)&(val9.y<alu79)));
  int alu82 = (alu81?val9.y:alu79);
  float alu83 = (alu81?val13.y:alu80);
  bool alu84 = ((alu83<val13.z)|((alu83==val13.z)&(val9.z<alu82)));
  int alu85 = (alu84?val9.z:alu82);
  float alu86 = (alu84?val13.z:alu83);
  bool alu87 = ((alu86<val13.w)|((alu86==val13.w)&(val9.w<alu85)));
  int alu88 = (alu87?val9.w:alu85);
  float alu89 = (alu87?val13.w:alu86);
  *(buf6+alu40) = alu88;
  *(buf5+alu40) = alu89;
  __syncthreads();
  int2 val15 = (*((int2*)((buf6+0))));
  float2 val16 = (*((float2*)((buf5+0))));
  bool alu93 = (alu2==0);
  bool alu94 = ((val16.x<val16.y)|((val16.x==val16.y)&(val15.y<val15.x)));
  int alu95 = (alu94?val15.y:val15.x);
  float alu96 = (alu94?val16.y:val16.x);
  if (alu93) {
    *(data2_24+gidx0) = alu95;
  }
  if ((lidx0==0)) {
    *(data0_96+alu24) = alu30;
  }
  if (alu93) {
    *(data1_24+gidx0) = alu96;
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
