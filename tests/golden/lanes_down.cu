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
  uint cast0 = ((uint)(((alu1&1)<<4)));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu5 = (val2.y>>cast0);
  uint alu6 = (val2.w>>cast0);
  bool alu7 = (alu1<2);
  uint alu8 = (alu7?(alu5&16191u):((alu6&3855u)|((alu5>>2u)&12336u)));
  uint alu9 = (val2.z>>cast0);
  uint alu10 = (alu7?(alu9&16191u):(((alu6>>4u)&3855u)|((alu9>>2u)&12336u)));
  *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu8&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val1.w&252645135u))), tg_bitcast<int>((uint)(val3.w)), __dp4a(tg_bitcast<int>((uint)((val1.z&252645135u))), tg_bitcast<int>((uint)(val3.z)), __dp4a(tg_bitcast<int>((uint)((val1.y&252645135u))), tg_bitcast<int>((uint)(val3.y)), __dp4a(tg_bitcast<int>((uint)((val1.x&252645135u))), tg_bitcast<int>((uint)(val3.x)), __dp4a(tg_bitcast<int>((uint)((val0.w&252645135u))), tg_bitcast<int>((uint)(val6.w)), __dp4a(tg_bitcast<int>((uint)((val0.z&252645135u))), tg_bitcast<int>((uint)(val6.z)), __dp4a(tg_bitcast<int>((uint)((val0.y&252645135u))), tg_bitcast<int>((uint)(val6.y)), __dp4a(tg_bitcast<int>((uint)((val0.x&252645135u))), tg_bitcast<int>((uint)(val6.x)), 0))))))))))*val8.x)-(cast1*((float)((alu10&255u)))*(val9.x+val9.y)))+((cast2*((float)((alu8>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val1.w>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.w)), __dp4a(tg_bitcast<int>((uint)(((val1.z>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.z)), __dp4a(tg_bitcast<int>((uint)(((val1.y>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.y)), __dp4a(tg_bitcast<int>((uint)(((val1.x>>4u)&252645135u))), tg_bitcast<int>((uint)(val5.x)), __dp4a(tg_bitcast<int>((uint)(((val0.w>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.w)), __dp4a(tg_bitcast<int>((uint)(((val0.z>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.z)), __dp4a(tg_bitcast<int>((uint)(((val0.y>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.y)), __dp4a(tg_bitcast<int>((uint)(((val0.x>>4u)&252645135u))), tg_bitcast<int>((uint)(val4.x)), 0))))))))))*val8.y)-(cast1*((float)((alu10>>8u)))*(val9.z+val9.w))));
  float val10 = (*(buf0+0));
  float alu12 = __shfl_xor_sync(0xffffffffu, val10, 16);
  float alu13 = (val10+alu12);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 8);
  float alu15 = (alu13+alu14);
  float alu16 = __shfl_xor_sync(0xffffffffu, alu15, 4);
  float alu17 = (alu15+alu16);
  float alu18 = __shfl_xor_sync(0xffffffffu, alu17, 2);
  float alu19 = (alu17+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 1);
  if ((lidx0==0)) {
    *(data0_64+(lidx1+(gidx0<<1))) = (val7+alu19+alu20);
  }
}
