// decode/o/256x256/Q8_0/m1 ahead=0 groups=2 lanes=4 rows=1 split=4 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) o_256x256_q8(float* data0_256, uint* data1_17408, uint* data2_64, float* data3_8) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[8];
  int gidx0 = blockIdx.x; /* 128 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = (gidx0*136);
  int alu1 = (lidx1>>2);
  int alu2 = (alu1*68);
  int alu3 = (lidx1&3);
  uint val0 = (*(data1_17408+(alu0+alu2+alu3+64)));
  int lidx0 = threadIdx.x; /* 4 */
  int alu4 = (lidx0<<2);
  int alu5 = (alu3<<4);
  uint4 val1 = (*((uint4*)((data1_17408+(alu0+alu4+alu2+alu5)))));
  int alu6 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu6;
  uint4 val2 = (*((uint4*)((data2_64+(alu4+alu5)))));
  *(buf0+0) = 0.0f;
  float val3 = (*(data0_256+((gidx0<<1)+alu1)));
  int alu9 = (lidx0>>1);
  float val4 = (*(data3_8+((alu3<<1)+alu9)));
  *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val0>>((uint)((alu9<<4))))&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val1.w)), tg_bitcast<int>((uint)(val2.w)), __dp4a(tg_bitcast<int>((uint)(val1.z)), tg_bitcast<int>((uint)(val2.z)), __dp4a(tg_bitcast<int>((uint)(val1.y)), tg_bitcast<int>((uint)(val2.y)), __dp4a(tg_bitcast<int>((uint)(val1.x)), tg_bitcast<int>((uint)(val2.x)), 0))))))*val4));
  float val5 = (*(buf0+0));
  float alu11 = __shfl_xor_sync(0xffffffffu, val5, 2);
  float alu12 = (val5+alu11);
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 1);
  bool alu14 = (lidx0==0);
  if (alu14) {
    *(buf2+lidx1) = (alu12+alu13);
  }
  __syncthreads();
  float4 val6 = (*((float4*)((buf2+(alu1<<2)))));
  if ((alu14&(alu3==0))) {
    *(data0_256+((gidx0<<1)+alu1)) = (val3+val6.x+val6.y+val6.z+val6.w);
  }
}
