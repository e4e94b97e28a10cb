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
  uint cast0 = ((uint)(((alu1&1)<<4)));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu2 = (val2.y>>cast0);
  uint alu3 = (val2.w>>cast0);
  bool alu4 = (lidx0<16);
  uint alu5 = (alu4?(alu2&16191u):((alu3&3855u)|((alu2>>2u)&12336u)));
  uint alu6 = (val2.z>>cast0);
  uint alu7 = (alu4?(alu6&16191u):(((alu3>>4u)&3855u)|((alu6>>2u)&12336u)));
  uint alu8 = (val1>>4u);
  uint alu9 = (alu8&252645135u);
  float alu10 = (cast1*((float)((alu7>>8u))));
  float alu11 = (cast2*((float)((alu5>>8u))));
  uint alu12 = (val1&252645135u);
  float alu13 = (cast1*((float)((alu7&255u))));
  float alu14 = (cast2*((float)((alu5&255u))));
  int alu15 = ((alu1<<6)+((lidx0&7)<<2));
  *((float4*)((data0_256+(alu15+32)))) = make_float4(((alu11*((float)((alu8&15u))))-alu10),((alu11*((float)(((alu9>>8u)&255u))))-alu10),((alu11*((float)(((alu9>>16u)&255u))))-alu10),((alu11*((float)(((alu9>>24u)&255u))))-alu10));
  *((float4*)((data0_256+alu15))) = make_float4(((alu14*((float)((val1&15u))))-alu13),((alu14*((float)(((alu12>>8u)&255u))))-alu13),((alu14*((float)(((alu12>>16u)&255u))))-alu13),((alu14*((float)(((alu12>>24u)&255u))))-alu13));
}
