typedef long unsigned int size_t;
extern "C" __attribute__((device, const)) size_t __ockl_get_local_id(unsigned int);
extern "C" __attribute__((device, const)) size_t __ockl_get_group_id(unsigned int);
extern "C" __attribute__((device, const)) size_t __ockl_get_local_size(unsigned int);
extern "C" __attribute__((device, const)) float __ocml_sqrt_f32(float);
extern "C" __attribute__((device)) float __ocml_trunc_f32(float);
typedef float float4 __attribute__((ext_vector_type(4)));
static inline __attribute__((device)) float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }
extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, 256))) norm_1024_q8(unsigned int* data0_256, float* data1_32, float* data2_64, float* data3_1024, float* data4_1024) {
  __attribute__((shared, aligned(16)))float buf0[8];
  int lidx0 = __ockl_get_local_id(0); /* 32 */
  int lidx1 = __ockl_get_local_id(1); /* 8 */
  int alu0 = ((lidx0<<2)+(lidx1<<7));
  float4 val0 = (*((float4*)((data3_1024+alu0))));
  float4 val1 = (*((float4*)((data4_1024+alu0))));
  float alu1 = ((val0.x*val0.x)+(val0.y*val0.y)+(val0.z*val0.z)+(val0.w*val0.w));
  float alu2 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu1), 16415));
  float alu3 = (alu1+alu2);
  float alu4 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu3), 8223));
  float alu5 = (alu3+alu4);
  float alu6 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu5), 4127));
  float alu7 = (alu5+alu6);
  float alu8 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu7), 2079));
  float alu9 = (alu7+alu8);
  float alu10 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu9), 1055));
  if ((lidx0==0)) {
    *(buf0+lidx1) = (alu9+alu10);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");__builtin_amdgcn_s_barrier();__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  float4 val2 = (*((float4*)((buf0+0))));
  float4 val3 = (*((float4*)((buf0+4))));
  float alu15 = (1/__ocml_sqrt_f32((((val2.x+val2.y+val2.z+val2.w+val3.x+val3.y+val3.z+val3.w)*0.0009765625f)+9.999999747378752e-06f)));
  float alu16 = (val0.x*alu15*val1.x);
  float alu17 = (val0.y*alu15*val1.y);
  float alu18 = (val0.z*alu15*val1.z);
  float alu19 = (val0.w*alu15*val1.w);
  float alu20 = ((alu16<0.0f)?-alu16:alu16);
  float alu21 = ((alu17<0.0f)?-alu17:alu17);
  float alu22 = ((alu18<0.0f)?-alu18:alu18);
  float alu23 = ((alu20<alu21)?alu21:alu20);
  float alu24 = ((alu19<0.0f)?-alu19:alu19);
  float alu25 = ((alu23<alu22)?alu22:alu23);
  float alu26 = ((alu25<alu24)?alu24:alu25);
  float alu27 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu26), 4127));
  float alu28 = ((alu26<alu27)?alu27:alu26);
  float alu29 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu28), 2079));
  float alu30 = ((alu28<alu29)?alu29:alu28);
  float alu31 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu30), 1055));
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = (alu32*0.007874015718698502f);
  float alu34 = ((0.0f<alu33)?((1/alu32)*127.0f):0.0f);
  float alu35 = (alu16*alu34);
  float alu36 = ((alu35<0.0f)?-0.5f:0.5f);
  int cast0 = ((int)(__ocml_trunc_f32((alu35+alu36))));
  float alu37 = (alu17*alu34);
  float alu38 = ((alu37<0.0f)?-0.5f:0.5f);
  int cast1 = ((int)(__ocml_trunc_f32((alu37+alu38))));
  float alu39 = (alu18*alu34);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  int cast2 = ((int)(__ocml_trunc_f32((alu39+alu40))));
  float alu41 = (alu19*alu34);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  int cast3 = ((int)(__ocml_trunc_f32((alu41+alu42))));
  int alu43 = (cast0+cast1+cast2+cast3);
  int alu44 = __builtin_bit_cast(int, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu43), 2079));
  int alu45 = (alu43+alu44);
  int alu46 = __builtin_bit_cast(int, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu45), 1055));
  *(data0_256+(lidx0+(lidx1<<5))) = ((__builtin_bit_cast(unsigned int, (int)(cast0))&255u)|((__builtin_bit_cast(unsigned int, (int)(cast1))&255u)<<8u)|((__builtin_bit_cast(unsigned int, (int)(cast2))&255u)<<16u)|((__builtin_bit_cast(unsigned int, (int)(cast3))&255u)<<24u));
  if (((lidx0&7)==0)) {
    *(data1_32+((lidx1<<2)+(lidx0>>3))) = alu33;
  }
  if (((lidx0&3)==0)) {
    *(data2_64+((lidx1<<3)+(lidx0>>2))) = (alu32*((float)((alu45+alu46)))*0.007874015718698502f);
  }
}
