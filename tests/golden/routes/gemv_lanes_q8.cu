// decode/qkv/256x256+2x128x256/Q4_K/m1 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_q8(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, uint* data4_64, float* data5_8) {
  float buf0[1];
  __shared__ __align__(16) float buf1[4];
  int gidx0 = blockIdx.x; /* 512 */
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  *(buf0+0) = 0.0f;
  int alu1 = (lidx1<<1);
  uint cast0 = ((uint)((((alu1+1)&3)<<3)));
  uint cast1 = ((uint)(((alu1&3)<<3)));
  int alu2 = (lidx0+(lidx1<<4));
  int alu3 = ((gidx0&1)+((gidx0+1)&1));
  bool alu4 = (gidx0<256);
  int alu5 = (alu4?gidx0:0);
  int alu6 = (lidx1<<3);
  bool alu7 = (lidx1<2);
  int alu8 = (alu4?alu3:0);
  for (int Lidx1 = 0; Lidx1 < alu8; Lidx1++) {
    int alu9 = ((alu5*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(lidx0+alu9+alu6+4)));
    int alu10 = (alu2+(Lidx1<<6));
    uint val1 = (*(data4_64+alu10));
    uint val2 = (*(data4_64+(alu10+8)));
    uint4 val3 = (*((uint4*)((data1_9216+alu9))));
    float2 val4 = (*((float2*)((data5_8+(alu1+(Lidx1<<3))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x>>16u)))))));
    float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x&65535u)))))));
    uint alu11 = (val3.z>>cast0);
    uint alu12 = (val3.w>>cast0);
    uint alu13 = (val3.z>>cast1);
    uint alu14 = (val3.w>>cast1);
    uint alu15 = (val3.y>>cast0);
    uint alu16 = (val3.y>>cast1);
    int cast4 = tg_bitcast<int>((uint)(val1));
    int cast5 = tg_bitcast<int>((uint)(val2));
    float alu17 = (alu7?((float)((alu11&63u))):((float)((((alu12&255u)>>4u)|(((alu11&255u)>>6u)<<4u)))));
    float alu18 = (alu7?((float)((alu13&63u))):((float)((((alu14&255u)>>4u)|(((alu13&255u)>>6u)<<4u)))));
    float alu19 = (alu7?((float)((alu15&63u))):((float)(((alu12&15u)|(((alu15&255u)>>6u)<<4u)))));
    float alu20 = (alu7?((float)((alu16&63u))):((float)(((alu14&15u)|(((alu16&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast3*alu20*((float)(__dp4a(tg_bitcast<int>((uint)((val0&252645135u))), cast4, 0)))*val4.x)-(cast2*alu18*((float)(__dp4a(16843009, cast4, 0)))*val4.x))+((cast3*alu19*((float)(__dp4a(tg_bitcast<int>((uint)(((val0>>4u)&252645135u))), cast5, 0)))*val4.y)-(cast2*alu17*((float)(__dp4a(16843009, cast5, 0)))*val4.y)));
  }
  bool alu23 = (gidx0<384);
  bool alu24 = ((255<gidx0)&alu23);
  int alu25 = (alu24?(gidx0+-256):0);
  int alu26 = (alu24?alu3:0);
  for (int Lidx2 = 0; Lidx2 < alu26; Lidx2++) {
    int alu27 = ((alu25*36)+(Lidx2*36));
    uint val5 = (*(data2_4608+(lidx0+alu27+alu6+4)));
    int alu28 = (alu2+(Lidx2<<6));
    uint val6 = (*(data4_64+alu28));
    uint val7 = (*(data4_64+(alu28+8)));
    uint4 val8 = (*((uint4*)((data2_4608+alu27))));
    float2 val9 = (*((float2*)((data5_8+(alu1+(Lidx2<<3))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
    float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
    uint alu29 = (val8.z>>cast0);
    uint alu30 = (val8.w>>cast0);
    uint alu31 = (val8.z>>cast1);
    uint alu32 = (val8.w>>cast1);
    uint alu33 = (val8.y>>cast0);
    uint alu34 = (val8.y>>cast1);
    int cast8 = tg_bitcast<int>((uint)(val6));
    int cast9 = tg_bitcast<int>((uint)(val7));
    float alu35 = (alu7?((float)((alu29&63u))):((float)((((alu30&255u)>>4u)|(((alu29&255u)>>6u)<<4u)))));
    float alu36 = (alu7?((float)((alu31&63u))):((float)((((alu32&255u)>>4u)|(((alu31&255u)>>6u)<<4u)))));
    float alu37 = (alu7?((float)((alu33&63u))):((float)(((alu30&15u)|(((alu33&255u)>>6u)<<4u)))));
    float alu38 = (alu7?((float)((alu34&63u))):((float)(((alu32&15u)|(((alu34&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast7*alu38*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast8, 0)))*val9.x)-(cast6*alu36*((float)(__dp4a(16843009, cast8, 0)))*val9.x))+((cast7*alu37*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast9, 0)))*val9.y)-(cast6*alu35*((float)(__dp4a(16843009, cast9, 0)))*val9.y)));
  }
  int alu41 = (alu23?0:(gidx0+-384));
  int alu42 = (alu23?0:alu3);
  for (int Lidx3 = 0; Lidx3 < alu42; Lidx3++) {
    int alu43 = ((alu41*36)+(Lidx3*36));
    uint val10 = (*(data3_4608+(lidx0+alu43+alu6+4)));
    int alu44 = (alu2+(Lidx3<<6));
    uint val11 = (*(data4_64+alu44));
    uint val12 = (*(data4_64+(alu44+8)));
    uint4 val13 = (*((uint4*)((data3_4608+alu43))));
    float2 val14 = (*((float2*)((data5_8+(alu1+(Lidx3<<3))))));
    float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x>>16u)))))));
    float cast11 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x&65535u)))))));
    uint alu45 = (val13.z>>cast0);
    uint alu46 = (val13.w>>cast0);
    uint alu47 = (val13.z>>cast1);
    uint alu48 = (val13.w>>cast1);
    uint alu49 = (val13.y>>cast0);
    uint alu50 = (val13.y>>cast1);
    int cast12 = tg_bitcast<int>((uint)(val11));
    int cast13 = tg_bitcast<int>((uint)(val12));
    float alu51 = (alu7?((float)((alu45&63u))):((float)((((alu46&255u)>>4u)|(((alu45&255u)>>6u)<<4u)))));
    float alu52 = (alu7?((float)((alu47&63u))):((float)((((alu48&255u)>>4u)|(((alu47&255u)>>6u)<<4u)))));
    float alu53 = (alu7?((float)((alu49&63u))):((float)(((alu46&15u)|(((alu49&255u)>>6u)<<4u)))));
    float alu54 = (alu7?((float)((alu50&63u))):((float)(((alu48&15u)|(((alu50&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast11*alu54*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast12, 0)))*val14.x)-(cast10*alu52*((float)(__dp4a(16843009, cast12, 0)))*val14.x))+((cast11*alu53*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast13, 0)))*val14.y)-(cast10*alu51*((float)(__dp4a(16843009, cast13, 0)))*val14.y)));
  }
  float val15 = (*(buf0+0));
  float alu57 = __shfl_xor_sync(0xffffffffu, val15, 4);
  float alu58 = (val15+alu57);
  float alu59 = __shfl_xor_sync(0xffffffffu, alu58, 2);
  float alu60 = (alu58+alu59);
  float alu61 = __shfl_xor_sync(0xffffffffu, alu60, 1);
  bool alu62 = (lidx0==0);
  if (alu62) {
    *(buf1+lidx1) = (alu60+alu61);
  }
  __syncthreads();
  float4 val16 = (*((float4*)((buf1+0))));
  if ((alu62&(lidx1==0)&(alu4|alu24|(383<gidx0)))) {
    *(data0_512+gidx0) = (val16.x+val16.y+val16.z+val16.w);
  }
}
