// decode/norm+head/96x256/Q4_K/m1 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_head_96x256_f32(float* data0_96, uint* data1_3456, float* data2_256, float* data3_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[256];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data1_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  int alu1 = (lidx0<<2);
  int alu2 = (alu1+(lidx1<<5));
  int alu3 = (alu2+128);
  float4 val1 = (*((float4*)((data3_256+alu3))));
  float4 val2 = (*((float4*)((data3_256+alu2))));
  int alu4 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu4;
  float4 val3 = (*((float4*)((data2_256+alu3))));
  float4 val4 = (*((float4*)((data2_256+alu2))));
  float alu6 = ((val4.x*val4.x)+(val4.y*val4.y)+(val4.z*val4.z)+(val4.w*val4.w)+(val3.x*val3.x)+(val3.y*val3.y)+(val3.z*val3.z)+(val3.w*val3.w));
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 16);
  float alu8 = (alu6+alu7);
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 8);
  float alu10 = (alu8+alu9);
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 4);
  float alu12 = (alu10+alu11);
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 2);
  float alu14 = (alu12+alu13);
  float alu15 = __shfl_xor_sync(0xffffffffu, alu14, 1);
  float alu16 = (1/sqrt((((alu14+alu15)*0.00390625f)+9.999999747378752e-06f)));
  *((float4*)((buf2+alu3))) = make_float4((val3.x*alu16*val1.x),(val3.y*alu16*val1.y),(val3.z*alu16*val1.z),(val3.w*alu16*val1.w));
  *((float4*)((buf2+alu2))) = make_float4((val4.x*alu16*val2.x),(val4.y*alu16*val2.y),(val4.z*alu16*val2.z),(val4.w*alu16*val2.w));
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val5 = (*(data1_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu21 = (alu1+(Lidx1<<6));
    float4 val6 = (*((float4*)((buf2+(alu21+32)))));
    float4 val7 = (*((float4*)((buf2+alu21))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu22 = (val0.y>>cast2);
    uint alu23 = (val0.w>>cast2);
    bool alu24 = (Lidx1<2);
    uint alu25 = (alu24?(alu22&16191u):((alu23&3855u)|((alu22>>2u)&12336u)));
    uint alu26 = (val0.z>>cast2);
    uint alu27 = (alu24?(alu26&16191u):(((alu23>>4u)&3855u)|((alu26>>2u)&12336u)));
    uint alu28 = (val5>>4u);
    uint alu29 = (val5&252645135u);
    uint alu30 = (alu28&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu25&255u)))*((((float)((val5&15u)))*val7.x)+(((float)(((alu29>>8u)&255u)))*val7.y)+(((float)(((alu29>>16u)&255u)))*val7.z)+(((float)(((alu29>>24u)&255u)))*val7.w)))-(cast0*((float)((alu27&255u)))*(val7.x+val7.y+val7.z+val7.w)))+((cast1*((float)((alu25>>8u)))*((((float)((alu28&15u)))*val6.x)+(((float)(((alu30>>8u)&255u)))*val6.y)+(((float)(((alu30>>16u)&255u)))*val6.z)+(((float)(((alu30>>24u)&255u)))*val6.w)))-(cast0*((float)((alu27>>8u)))*(val6.x+val6.y+val6.z+val6.w))));
  }
  float val8 = (*(buf0+0));
  float alu33 = __shfl_xor_sync(0xffffffffu, val8, 4);
  float alu34 = (val8+alu33);
  float alu35 = __shfl_xor_sync(0xffffffffu, alu34, 2);
  float alu36 = (alu34+alu35);
  float alu37 = __shfl_xor_sync(0xffffffffu, alu36, 1);
  if ((lidx0==0)) {
    *(data0_96+(lidx1+(gidx0<<2))) = (alu36+alu37);
  }
}
