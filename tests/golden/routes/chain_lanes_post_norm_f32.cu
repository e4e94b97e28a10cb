// decode/post_norm+norm/256/m1 threads=64
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(64) post_norm_256_norm_f32(float* data0_256, float* data1_256, float* data2_8, float* data3_256, float* data4_256, float* data5_256) {
  int buf0[1];
  __shared__ __align__(16) float buf1[2];
  __shared__ __align__(16) float buf2[2];
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = ((lidx0<<2)+(lidx1<<7));
  float4 val0 = (*((float4*)((data4_256+alu0))));
  float4 val1 = (*((float4*)((data5_256+alu0))));
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf0+0) = alu1;
  float4 val2 = (*((float4*)((data3_256+alu0))));
  float alu3 = ((val2.x*val2.x)+(val2.y*val2.y)+(val2.z*val2.z)+(val2.w*val2.w));
  float alu4 = __shfl_xor_sync(0xffffffffu, alu3, 16);
  float alu5 = (alu3+alu4);
  float alu6 = __shfl_xor_sync(0xffffffffu, alu5, 8);
  float alu7 = (alu5+alu6);
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 4);
  float alu9 = (alu7+alu8);
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 2);
  float alu11 = (alu9+alu10);
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 1);
  bool alu13 = (lidx0==0);
  if (alu13) {
    *(buf1+lidx1) = (alu11+alu12);
  }
  __syncthreads();
  float2 val3 = (*((float2*)((buf1+0))));
  float4 val4 = (*((float4*)((data0_256+alu0))));
  float alu18 = (1/sqrt((((val3.x+val3.y)*0.00390625f)+9.999999747378752e-06f)));
  float alu19 = (val4.x+(val2.x*alu18*val0.x));
  float alu20 = (val4.y+(val2.y*alu18*val0.y));
  float alu21 = (val4.z+(val2.z*alu18*val0.z));
  float alu22 = (val4.w+(val2.w*alu18*val0.w));
  float alu23 = ((alu19*alu19)+(alu20*alu20)+(alu21*alu21)+(alu22*alu22));
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 16);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 8);
  float alu27 = (alu25+alu26);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 4);
  float alu29 = (alu27+alu28);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 2);
  float alu31 = (alu29+alu30);
  float alu32 = __shfl_xor_sync(0xffffffffu, alu31, 1);
  if (alu13) {
    *(buf2+lidx1) = (alu31+alu32);
  }
  __syncthreads();
  float2 val5 = (*((float2*)((buf2+0))));
  float alu37 = (1/sqrt((((val5.x+val5.y)*0.00390625f)+9.999999747378752e-06f)));
  float alu38 = (alu19*alu37*val1.x);
  float alu39 = (alu20*alu37*val1.y);
  float alu40 = (alu21*alu37*val1.z);
  float alu41 = (alu22*alu37*val1.w);
  float alu42 = (alu38+alu39+alu40+alu41);
  float alu43 = __shfl_xor_sync(0xffffffffu, alu42, 4);
  float alu44 = (alu42+alu43);
  float alu45 = __shfl_xor_sync(0xffffffffu, alu44, 2);
  float alu46 = (alu44+alu45);
  float alu47 = __shfl_xor_sync(0xffffffffu, alu46, 1);
  if (((lidx0&7)==0)) {
    *(data2_8+((lidx1<<2)+(lidx0>>3))) = (alu46+alu47);
  }
  *((float4*)((data0_256+alu0))) = make_float4(alu19,alu20,alu21,alu22);
  *((float4*)((data1_256+alu0))) = make_float4(alu38,alu39,alu40,alu41);
}
