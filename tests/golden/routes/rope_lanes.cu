// decode/rope_store/256/h4k2d64-c64/m1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) rope_store_4x64_64(float* data0_256, half* data1_16384, float* data2_512, float* data3_4096, int* data4_1) {
  int buf0[1];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf0+0) = alu0;
  int val0 = (*(data4_1+0));
  int lidx0 = threadIdx.x; /* 32 */
  long cast0 = ((long)(lidx0));
  long alu2 = (((long)(val0))<<6l);
  long alu3 = (cast0+alu2);
  float val1 = (*(data3_4096+alu3));
  float val2 = (*(data3_4096+(alu3+32l)));
  int gidx0 = blockIdx.x; /* 8 */
  int alu4 = (lidx0+(gidx0<<6));
  float val3 = (*(data2_512+alu4));
  int alu5 = (alu4+32);
  float val4 = (*(data2_512+alu5));
  long alu6 = (cast0+((long)((gidx0<<12)))+alu2);
  float alu7 = ((val4*val1)+(val3*val2));
  float alu8 = ((val3*val1)-(val2*val4));
  bool alu9 = (gidx0<4);
  bool alu10 = (gidx0<6);
  bool alu11 = (3<gidx0);
  half alu12 = (alu10?((half)(alu7)):((half)(val4)));
  half alu13 = (alu10?((half)(alu8)):((half)(val3)));
  float alu14 = (alu10?alu7:val4);
  float alu15 = (alu10?alu8:val3);
  if (alu11) {
    *(data1_16384+((int)((alu6+-16384l)))) = alu13;
  }
  if (alu11) {
    *(data1_16384+((int)((alu6+-16352l)))) = alu12;
  }
  if (alu9) {
    *(data0_256+alu4) = alu15;
  }
  if (alu9) {
    *(data0_256+alu5) = alu14;
  }
}
