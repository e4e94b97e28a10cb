// decode/post_norm+norm/256/m1 threads=64
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(64) post_norm_256_norm_f32(float* data0_256, float* data1_256, float* data2_8, float* data3_256, float* data4_256, float* data5_256) {
  __shared__ __align__(16) float buf0[2];
  __shared__ __align__(16) float buf1[2];
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = ((lidx0<<2)+(lidx1<<7));
  float4 val0 = (*((float4*)((data0_256+alu0))));
  float4 val1 = (*((float4*)((data3_256+alu0))));
  float4 val2 = (*((float4*)((data4_256+alu0))));
  float4 val3 = (*((float4*)((data5_256+alu0))));
  float alu1 = ((val1.x*val1.x)+(val1.y*val1.y)+(val1.z*val1.z)+(val1.w*val1.w));
  float alu2 = __shfl_xor_sync(0xffffffffu, alu1, 16);
  float alu3 = (alu1+alu2);
  float alu4 = __shfl_xor_sync(0xffffffffu, alu3, 8);
  float alu5 = (alu3+alu4);
  float alu6 = __shfl_xor_sync(0xffffffffu, alu5, 4);
  float alu7 = (alu5+alu6);
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 2);
  float alu9 = (alu7+alu8);
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 1);
  bool alu11 = (lidx0==0);
  if (alu11) {
    *(buf0+lidx1) = (alu9+alu10);
  }
  __syncthreads();
  float2 val4 = (*((float2*)((buf0+0))));
  float alu16 = (1/sqrt((((val4.x+val4.y)*0.00390625f)+9.999999747378752e-06f)));
  float alu17 = (val0.x+(val1.x*alu16*val2.x));
  float alu18 = (val0.y+(val1.y*alu16*val2.y));
  float alu19 = (val0.z+(val1.z*alu16*val2.z));
  float alu20 = (val0.w+(val1.w*alu16*val2.w));
  float alu21 = ((alu17*alu17)+(alu18*alu18)+(alu19*alu19)+(alu20*alu20));
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 16);
  float alu23 = (alu21+alu22);
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 8);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 4);
  float alu27 = (alu25+alu26);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 2);
  float alu29 = (alu27+alu28);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 1);
  if (alu11) {
    *(buf1+lidx1) = (alu29+alu30);
  }
  __syncthreads();
  float2 val5 = (*((float2*)((buf1+0))));
  float alu35 = (1/sqrt((((val5.x+val5.y)*0.00390625f)+9.999999747378752e-06f)));
  float alu36 = (alu17*alu35*val3.x);
  float alu37 = (alu18*alu35*val3.y);
  float alu38 = (alu19*alu35*val3.z);
  float alu39 = (alu20*alu35*val3.w);
  float alu40 = (alu36+alu37+alu38+alu39);
  float alu41 = __shfl_xor_sync(0xffffffffu, alu40, 4);
  float alu42 = (alu40+alu41);
  float alu43 = __shfl_xor_sync(0xffffffffu, alu42, 2);
  float alu44 = (alu42+alu43);
  float alu45 = __shfl_xor_sync(0xffffffffu, alu44, 1);
  if (((lidx0&7)==0)) {
    *(data2_8+((lidx1<<2)+(lidx0>>3))) = (alu44+alu45);
  }
  *((float4*)((data0_256+alu0))) = make_float4(alu17,alu18,alu19,alu20);
  *((float4*)((data1_256+alu0))) = make_float4(alu36,alu37,alu38,alu39);
}
