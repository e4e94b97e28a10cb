// decode/embed/96x256/Q4_K/m1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) embed_256_q4_k(float* data0_256, uint* data1_3456, int* data2_1) {
  int buf0[1];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf0+0) = alu0;
  int val0 = (*(data2_1+0));
  int lidx0 = threadIdx.x; /* 32 */
  long alu2 = (((long)(val0))*36l);
  uint val1 = (*(data1_3456+(((long)(lidx0))+alu2+4l)));
  uint4 val2 = (*((uint4*)((data1_3456+alu2))));
  int alu3 = (lidx0>>3);
  uint cast0 = ((uint)(((alu3&1)<<4)));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu4 = (val2.y>>cast0);
  uint alu5 = (val2.w>>cast0);
  bool alu6 = (lidx0<16);
  uint alu7 = (alu6?(alu4&16191u):((alu5&3855u)|((alu4>>2u)&12336u)));
  uint alu8 = (val2.z>>cast0);
  uint alu9 = (alu6?(alu8&16191u):(((alu5>>4u)&3855u)|((alu8>>2u)&12336u)));
  uint alu10 = (val1>>4u);
  uint alu11 = (alu10&252645135u);
  float alu12 = (cast1*((float)((alu9>>8u))));
  float alu13 = (cast2*((float)((alu7>>8u))));
  uint alu14 = (val1&252645135u);
  float alu15 = (cast1*((float)((alu9&255u))));
  float alu16 = (cast2*((float)((alu7&255u))));
  int alu17 = ((alu3<<6)+((lidx0&7)<<2));
  *((float4*)((data0_256+(alu17+32)))) = make_float4(((alu13*((float)((alu10&15u))))-alu12),((alu13*((float)(((alu11>>8u)&255u))))-alu12),((alu13*((float)(((alu11>>16u)&255u))))-alu12),((alu13*((float)(((alu11>>24u)&255u))))-alu12));
  *((float4*)((data0_256+alu17))) = make_float4(((alu16*((float)((val1&15u))))-alu15),((alu16*((float)(((alu14>>8u)&255u))))-alu15),((alu16*((float)(((alu14>>16u)&255u))))-alu15),((alu16*((float)(((alu14>>24u)&255u))))-alu15));
}
