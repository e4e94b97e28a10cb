typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(64) down_64x2048_q8(float* data0_64, uint* data1_18432, uint* data2_512, float* data3_64, float* data4_128) {
  float buf0[1];
  int gidx0 = blockIdx.x; /* 32 */
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = ((gidx0*576)+(lidx1*288)+((lidx0>>2)*36));
  int alu1 = (lidx0&3);
  int alu2 = (alu0+(alu1<<3));
  uint4 val0 = (*((uint4*)((data1_18432+(alu2+4)))));
  uint4 val1 = (*((uint4*)((data1_18432+(alu2+8)))));
  uint4 val2 = (*((uint4*)((data1_18432+alu0))));
  int alu3 = (lidx0<<4);
  uint4 val3 = (*((uint4*)((data2_512+(alu3+4)))));
  uint4 val4 = (*((uint4*)((data2_512+(alu3+8)))));
  uint4 val5 = (*((uint4*)((data2_512+(alu3+12)))));
  uint4 val6 = (*((uint4*)((data2_512+alu3))));
  float val7 = (*(data0_64+(lidx1+(gidx0<<1))));
  *(buf0+0) = 0.0f;
  float2 val8 = (*((float2*)((data3_64+(lidx0<<1)))));
  float4 val9 = (*((float4*)((data4_128+(lidx0<<2)))));
  int alu5 = (alu1<<1);
  uint cast0 = ((uint)((((alu5+1)&3)<<3)));
  uint cast1 = ((uint)(((alu5&3)<<3)));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu6 = (val2.z>>cast0);
  uint alu7 = (val2.w>>cast0);
  uint alu8 = (val2.z>>cast1);
  uint alu9 = (val2.w>>cast1);
  uint alu10 = (val2.y>>cast0);
  uint alu11 = (val2.y>>cast1);
  bool alu12 = (alu1<2);
  float alu13 = (alu12?((float)((alu6&63u))):((float)((((alu7&255u)>>4u)|(((alu6&255u)>>6u)<<4u)))));
  float alu14 = (alu12?((float)((alu8&63u))):((float)((((alu9&255u)>>4u)|(((alu8&255u)>>6u)<<4u)))));
  float alu15 = (alu12?((float)((alu10&63u))):((float)(((alu7&15u)|(((alu10&255u)>>6u)<<4u)))));
  float alu16 = (alu12?((float)((alu11&63u))):((float)(((alu9&15u)|(((alu11&255u)>>6u)<<4u)))));
  *(buf0+0) = ((*(buf0+0))+((cast3*alu16*((float)(__dp4a(tg_bitcast<int>((uint)((val1.w&252645135u))), tg_bitcast<int>((uint)(val3.w)), __dp4a(tg_bitcast<int>((uint)((val1.z&252645135u))), tg_bitcast<int>((uint)(val3.z)), __dp4a(tg_bitcast<int>((uint)((val1.y&252645135u))), tg_bitcast<int>((uint)(val3.y)), __dp4a(tg_bitcast<int>((uint)((val1.x&252645135u))), tg_bitcast<int>((uint)(val3.x)), __dp4a(tg_bitcast<int>((uint)((val0.w&252645135u))), tg_bitcast<int>((uint)(val6.w)), __dp4a(tg_bitcast<int>((uint)((val0.z&252645135u))), tg_bitcast<int>((uint)(val6.z)), __dp4a(tg_bitcast<int>((uint)((val0.y&252645135u))), tg_bitcast<int>((uint)(val6.y)), __dp4a(tg_bitcast<int>((uint)((val0.x&252645135u))), tg_bitcast<int>((uint)(val6.x)), 0))))))))))*val8.x)-(cast2*alu14*(val9.x+val9.y)))+((cast3*alu15*((float)(__dp4a(tg_bitcast<int>((uint)(((val1.w>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.w)), __dp4a(tg_bitcast<int>((uint)(((val1.z>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.z)), __dp4a(tg_bitcast<int>((uint)(((val1.y>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.y)), __dp4a(tg_bitcast<int>((uint)(((val1.x>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.x)), __dp4a(tg_bitcast<int>((uint)(((val0.w>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.w)), __dp4a(tg_bitcast<int>((uint)(((val0.z>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.z)), __dp4a(tg_bitcast<int>((uint)(((val0.y>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.y)), __dp4a(tg_bitcast<int>((uint)(((val0.x>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.x)), 0))))))))))*val8.y)-(cast2*alu13*(val9.z+val9.w))));
  float val10 = (*(buf0+0));
  float alu18 = __shfl_xor_sync(0xffffffffu, val10, 16);
  float alu19 = (val10+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 8);
  float alu21 = (alu19+alu20);
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 4);
  float alu23 = (alu21+alu22);
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 2);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 1);
  if ((lidx0==0)) {
    *(data0_64+(lidx1+(gidx0<<1))) = (val7+alu25+alu26);
  }
}
