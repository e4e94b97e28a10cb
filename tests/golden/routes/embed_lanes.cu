// decode/embed/96x256/Q4_K/m1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) embed_256_q4_k(float* data0_256, uint* data1_3456, int* data2_1) {
  int val0 = (*(data2_1+0));
  int lidx0 = threadIdx.x; /* 32 */
  long alu0 = (((long)(val0))*36l);
  uint val1 = (*(data1_3456+(((long)(lidx0))+alu0+4l)));
  uint4 val2 = (*((uint4*)((data1_3456+alu0))));
  int alu1 = (lidx0>>3);
  int alu2 = (alu1<<1);
  uint cast0 = ((uint)((((alu2+1)&3)<<3)));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu3 = (val2.z>>cast0);
  uint alu4 = (val2.w>>cast0);
  uint alu5 = (val2.y>>cast0);
  uint alu6 = (val1>>4u);
  uint alu7 = (alu6&252645135u);
  bool alu8 = (lidx0<16);
  float alu9 = (alu8?((float)((alu3&63u))):((float)((((alu4&255u)>>4u)|(((alu3&255u)>>6u)<<4u)))));
  float alu10 = (cast1*alu9);
  float alu11 = (alu8?((float)((alu5&63u))):((float)(((alu4&15u)|(((alu5&255u)>>6u)<<4u)))));
  float alu12 = (cast2*alu11);
  uint cast3 = ((uint)(((alu2&3)<<3)));
  uint alu13 = (val2.z>>cast3);
  uint alu14 = (val2.w>>cast3);
  uint alu15 = (val2.y>>cast3);
  uint alu16 = (val1&252645135u);
  float alu17 = (alu8?((float)((alu13&63u))):((float)((((alu14&255u)>>4u)|(((alu13&255u)>>6u)<<4u)))));
  float alu18 = (cast1*alu17);
  float alu19 = (alu8?((float)((alu15&63u))):((float)(((alu14&15u)|(((alu15&255u)>>6u)<<4u)))));
  float alu20 = (cast2*alu19);
  int alu21 = ((alu1<<6)+((lidx0&7)<<2));
  *((float4*)((data0_256+(alu21+32)))) = make_float4(((alu12*((float)((alu6&15u))))-alu10),((alu12*((float)(((alu7>>8u)&255u))))-alu10),((alu12*((float)(((alu7>>16u)&255u))))-alu10),((alu12*((float)(((alu7>>24u)&255u))))-alu10));
  *((float4*)((data0_256+alu21))) = make_float4(((alu20*((float)((val1&15u))))-alu18),((alu20*((float)(((alu16>>8u)&255u))))-alu18),((alu20*((float)(((alu16>>16u)&255u))))-alu18),((alu20*((float)(((alu16>>24u)&255u))))-alu18));
}
