typedef long unsigned int size_t;
#define half _Float16
extern "C" __attribute__((device, const)) size_t __ockl_get_local_id(unsigned int);
extern "C" __attribute__((device, const)) size_t __ockl_get_group_id(unsigned int);
extern "C" __attribute__((device, const)) size_t __ockl_get_local_size(unsigned int);
typedef unsigned int unsigned_int4 __attribute__((ext_vector_type(4)));
static inline __attribute__((device)) unsigned_int4 make_unsigned_int4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return { x, y, z, w }; }
typedef float float2 __attribute__((ext_vector_type(2)));
static inline __attribute__((device)) float2 make_float2(float x, float y) { return { x, y }; }
typedef float float4 __attribute__((ext_vector_type(4)));
static inline __attribute__((device)) float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }
extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, 64))) down_64x2048_q8(float* data0_64, unsigned int* data1_18432, unsigned int* data2_512, float* data3_64, float* data4_128) {
  float buf0[1];
  int gidx0 = __ockl_get_group_id(0); /* 32 */
  int lidx0 = __ockl_get_local_id(0); /* 32 */
  int lidx1 = __ockl_get_local_id(1); /* 2 */
  int alu0 = ((gidx0*576)+(lidx1*288)+((lidx0>>2)*36));
  int alu1 = (lidx0&3);
  int alu2 = (alu0+(alu1<<3));
  unsigned_int4 val0 = (*((unsigned_int4*)((data1_18432+(alu2+4)))));
  unsigned_int4 val1 = (*((unsigned_int4*)((data1_18432+(alu2+8)))));
  unsigned_int4 val2 = (*((unsigned_int4*)((data1_18432+alu0))));
  int alu3 = (lidx0<<4);
  unsigned_int4 val3 = (*((unsigned_int4*)((data2_512+(alu3+4)))));
  unsigned_int4 val4 = (*((unsigned_int4*)((data2_512+(alu3+8)))));
  unsigned_int4 val5 = (*((unsigned_int4*)((data2_512+(alu3+12)))));
  unsigned_int4 val6 = (*((unsigned_int4*)((data2_512+alu3))));
  float val7 = (*(data0_64+(lidx1+(gidx0<<1))));
  *(buf0+0) = 0.0f;
  float2 val8 = (*((float2*)((data3_64+(lidx0<<1)))));
  float4 val9 = (*((float4*)((data4_128+(lidx0<<2)))));
  unsigned int cast0 = ((unsigned int)(((alu1&1)<<4)));
  float cast1 = ((float)(__builtin_bit_cast(half, (unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(__builtin_bit_cast(half, (unsigned short)(((unsigned short)((val2.x&65535u)))))));
  unsigned int alu5 = (val0.x&252645135u);
  unsigned int alu6 = (val0.y&252645135u);
  unsigned int alu7 = (val0.z&252645135u);
  unsigned int alu8 = (val0.w&252645135u);
  unsigned int alu9 = (val1.x&252645135u);
  unsigned int alu10 = (val1.y&252645135u);
  unsigned int alu11 = (val1.z&252645135u);
  unsigned int alu12 = (val1.w&252645135u);
  unsigned int alu13 = ((val0.x>>4u)&252645135u);
  unsigned int alu14 = ((val0.y>>4u)&252645135u);
  unsigned int alu15 = ((val0.z>>4u)&252645135u);
  unsigned int alu16 = ((val0.w>>4u)&252645135u);
  unsigned int alu17 = ((val1.x>>4u)&252645135u);
  unsigned int alu18 = ((val1.y>>4u)&252645135u);
  unsigned int alu19 = ((val1.z>>4u)&252645135u);
  unsigned int alu20 = ((val1.w>>4u)&252645135u);
  unsigned int alu21 = (val2.y>>cast0);
  unsigned int alu22 = (val2.w>>cast0);
  bool alu23 = (alu1<2);
  unsigned int alu24 = (alu23?(alu21&16191u):((alu22&3855u)|((alu21>>2u)&12336u)));
  unsigned int alu25 = (val2.z>>cast0);
  unsigned int alu26 = (alu23?(alu25&16191u):(((alu22>>4u)&3855u)|((alu25>>2u)&12336u)));
  *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu24&255u)))*((float)((((__builtin_bit_cast(int, (unsigned int)((alu5<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.x<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu5<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.x<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu5<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.x<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu5))>>24)*(__builtin_bit_cast(int, (unsigned int)(val6.x))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu6<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.y<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu6<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.y<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu6<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.y<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu6))>>24)*(__builtin_bit_cast(int, (unsigned int)(val6.y))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu7<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.z<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu7<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.z<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu7<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.z<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu7))>>24)*(__builtin_bit_cast(int, (unsigned int)(val6.z))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu8<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.w<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu8<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.w<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu8<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val6.w<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu8))>>24)*(__builtin_bit_cast(int, (unsigned int)(val6.w))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu9<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.x<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu9<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.x<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu9<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.x<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu9))>>24)*(__builtin_bit_cast(int, (unsigned int)(val3.x))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu10<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.y<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu10<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.y<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu10<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.y<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu10))>>24)*(__builtin_bit_cast(int, (unsigned int)(val3.y))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu11<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.z<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu11<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.z<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu11<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.z<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu11))>>24)*(__builtin_bit_cast(int, (unsigned int)(val3.z))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu12<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.w<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu12<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.w<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu12<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val3.w<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu12))>>24)*(__builtin_bit_cast(int, (unsigned int)(val3.w))>>24)))))*val8.x)-(cast1*((float)((alu26&255u)))*(val9.x+val9.y)))+((cast2*((float)((alu24>>8u)))*((float)((((__builtin_bit_cast(int, (unsigned int)((alu13<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.x<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu13<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.x<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu13<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.x<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu13))>>24)*(__builtin_bit_cast(int, (unsigned int)(val4.x))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu14<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.y<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu14<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.y<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu14<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.y<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu14))>>24)*(__builtin_bit_cast(int, (unsigned int)(val4.y))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu15<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.z<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu15<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.z<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu15<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.z<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu15))>>24)*(__builtin_bit_cast(int, (unsigned int)(val4.z))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu16<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.w<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu16<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.w<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu16<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val4.w<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu16))>>24)*(__builtin_bit_cast(int, (unsigned int)(val4.w))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu17<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.x<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu17<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.x<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu17<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.x<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu17))>>24)*(__builtin_bit_cast(int, (unsigned int)(val5.x))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu18<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.y<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu18<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.y<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu18<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.y<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu18))>>24)*(__builtin_bit_cast(int, (unsigned int)(val5.y))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu19<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.z<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu19<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.z<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu19<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.z<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu19))>>24)*(__builtin_bit_cast(int, (unsigned int)(val5.z))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu20<<24u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.w<<24u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu20<<16u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.w<<16u)))>>24))+((__builtin_bit_cast(int, (unsigned int)((alu20<<8u)))>>24)*(__builtin_bit_cast(int, (unsigned int)((val5.w<<8u)))>>24))+((__builtin_bit_cast(int, (unsigned int)(alu20))>>24)*(__builtin_bit_cast(int, (unsigned int)(val5.w))>>24)))))*val8.y)-(cast1*((float)((alu26>>8u)))*(val9.z+val9.w))));
  float val10 = (*(buf0+0));
  float alu28 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, val10), 16415));
  float alu29 = (val10+alu28);
  float alu30 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu29), 8223));
  float alu31 = (alu29+alu30);
  float alu32 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu31), 4127));
  float alu33 = (alu31+alu32);
  float alu34 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu33), 2079));
  float alu35 = (alu33+alu34);
  float alu36 = __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, alu35), 1055));
  if ((lidx0==0)) {
    *(data0_64+(lidx1+(gidx0<<1))) = (val7+alu35+alu36);
  }
}
