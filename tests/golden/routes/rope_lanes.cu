// decode/rope_store/256/h4k2d64-c64/m1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) rope_store_4x64_64(float* data0_256, half* data1_16384, float* data2_512, float* data3_4096, int* data4_1) {
  int val0 = (*(data4_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = (lidx0+(gidx0<<6));
  float val1 = (*(data2_512+alu0));
  int alu1 = (alu0+32);
  float val2 = (*(data2_512+alu1));
  long cast0 = ((long)(lidx0));
  long alu2 = (((long)(val0))<<6l);
  long alu3 = (cast0+alu2);
  float val3 = (*(data3_4096+alu3));
  float val4 = (*(data3_4096+(alu3+32l)));
  long alu4 = (cast0+((long)((gidx0<<12)))+alu2);
  float alu5 = ((val2*val3)+(val1*val4));
  float alu6 = ((val1*val3)-(val4*val2));
  bool alu7 = (gidx0<4);
  bool alu8 = (gidx0<6);
  bool alu9 = (3<gidx0);
  half alu10 = (alu8?((half)(alu5)):((half)(val2)));
  half alu11 = (alu8?((half)(alu6)):((half)(val1)));
  float alu12 = (alu8?alu5:val2);
  float alu13 = (alu8?alu6:val1);
  if (alu9) {
    *(data1_16384+((int)((alu4+-16384l)))) = alu11;
  }
  if (alu9) {
    *(data1_16384+((int)((alu4+-16352l)))) = alu10;
  }
  if (alu7) {
    *(data0_256+alu0) = alu13;
  }
  if (alu7) {
    *(data0_256+alu1) = alu12;
  }
}
