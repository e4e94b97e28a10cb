#include <metal_stdlib>
using namespace metal;
kernel void down_64x2048_q8(device float* data0_64, device uint* data1_18432, device uint* data2_512, device float* data3_64, device float* data4_128, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  float buf0[1];
  int gidx0 = gid.x; /* 32 */
  int lidx0 = lid.x; /* 32 */
  int lidx1 = lid.y; /* 2 */
  int alu0 = ((gidx0*576)+(lidx1*288)+((lidx0>>2)*36));
  int alu1 = (lidx0&3);
  int alu2 = (alu0+(alu1<<3));
  uint4 val0 = (*((device uint4*)((data1_18432+(alu2+4)))));
  uint4 val1 = (*((device uint4*)((data1_18432+(alu2+8)))));
  uint4 val2 = (*((device uint4*)((data1_18432+alu0))));
  int alu3 = (lidx0<<4);
  uint4 val3 = (*((device uint4*)((data2_512+(alu3+4)))));
  uint4 val4 = (*((device uint4*)((data2_512+(alu3+8)))));
  uint4 val5 = (*((device uint4*)((data2_512+(alu3+12)))));
  uint4 val6 = (*((device uint4*)((data2_512+alu3))));
  float val7 = (*(data0_64+(lidx1+(gidx0<<1))));
  *(buf0+0) = 0.0f;
  float2 val8 = (*((device float2*)((data3_64+(lidx0<<1)))));
  float4 val9 = (*((device float4*)((data4_128+(lidx0<<2)))));
  uint cast0 = ((uint)(((alu1&1)<<4)));
  float cast1 = ((float)(as_type<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast2 = ((float)(as_type<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  uint alu5 = (val0.x&252645135u);
  uint alu6 = (val0.y&252645135u);
  uint alu7 = (val0.z&252645135u);
  uint alu8 = (val0.w&252645135u);
  uint alu9 = (val1.x&252645135u);
  uint alu10 = (val1.y&252645135u);
  uint alu11 = (val1.z&252645135u);
  uint alu12 = (val1.w&252645135u);
  uint alu13 = ((val0.x>>4u)&252645135u);
  uint alu14 = ((val0.y>>4u)&252645135u);
  uint alu15 = ((val0.z>>4u)&252645135u);
  uint alu16 = ((val0.w>>4u)&252645135u);
  uint alu17 = ((val1.x>>4u)&252645135u);
  uint alu18 = ((val1.y>>4u)&252645135u);
  uint alu19 = ((val1.z>>4u)&252645135u);
  uint alu20 = ((val1.w>>4u)&252645135u);
  uint alu21 = (val2.y>>cast0);
  uint alu22 = (val2.w>>cast0);
  bool alu23 = (alu1<2);
  uint alu24 = (alu23?(alu21&16191u):((alu22&3855u)|((alu21>>2u)&12336u)));
  uint alu25 = (val2.z>>cast0);
  uint alu26 = (alu23?(alu25&16191u):(((alu22>>4u)&3855u)|((alu25>>2u)&12336u)));
  *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu24&255u)))*((float)((((as_type<int>((uint)((alu5<<24u)))>>24)*(as_type<int>((uint)((val6.x<<24u)))>>24))+((as_type<int>((uint)((alu5<<16u)))>>24)*(as_type<int>((uint)((val6.x<<16u)))>>24))+((as_type<int>((uint)((alu5<<8u)))>>24)*(as_type<int>((uint)((val6.x<<8u)))>>24))+((as_type<int>((uint)(alu5))>>24)*(as_type<int>((uint)(val6.x))>>24))+((as_type<int>((uint)((alu6<<24u)))>>24)*(as_type<int>((uint)((val6.y<<24u)))>>24))+((as_type<int>((uint)((alu6<<16u)))>>24)*(as_type<int>((uint)((val6.y<<16u)))>>24))+((as_type<int>((uint)((alu6<<8u)))>>24)*(as_type<int>((uint)((val6.y<<8u)))>>24))+((as_type<int>((uint)(alu6))>>24)*(as_type<int>((uint)(val6.y))>>24))+((as_type<int>((uint)((alu7<<24u)))>>24)*(as_type<int>((uint)((val6.z<<24u)))>>24))+((as_type<int>((uint)((alu7<<16u)))>>24)*(as_type<int>((uint)((val6.z<<16u)))>>24))+((as_type<int>((uint)((alu7<<8u)))>>24)*(as_type<int>((uint)((val6.z<<8u)))>>24))+((as_type<int>((uint)(alu7))>>24)*(as_type<int>((uint)(val6.z))>>24))+((as_type<int>((uint)((alu8<<24u)))>>24)*(as_type<int>((uint)((val6.w<<24u)))>>24))+((as_type<int>((uint)((alu8<<16u)))>>24)*(as_type<int>((uint)((val6.w<<16u)))>>24))+((as_type<int>((uint)((alu8<<8u)))>>24)*(as_type<int>((uint)((val6.w<<8u)))>>24))+((as_type<int>((uint)(alu8))>>24)*(as_type<int>((uint)(val6.w))>>24))+((as_type<int>((uint)((alu9<<24u)))>>24)*(as_type<int>((uint)((val3.x<<24u)))>>24))+((as_type<int>((uint)((alu9<<16u)))>>24)*(as_type<int>((uint)((val3.x<<16u)))>>24))+((as_type<int>((uint)((alu9<<8u)))>>24)*(as_type<int>((uint)((val3.x<<8u)))>>24))+((as_type<int>((uint)(alu9))>>24)*(as_type<int>((uint)(val3.x))>>24))+((as_type<int>((uint)((alu10<<24u)))>>24)*(as_type<int>((uint)((val3.y<<24u)))>>24))+((as_type<int>((uint)((alu10<<16u)))>>24)*(as_type<int>((uint)((val3.y<<16u)))>>24))+((as_type<int>((uint)((alu10<<8u)))>>24)*(as_type<int>((uint)((val3.y<<8u)))>>24))+((as_type<int>((uint)(alu10))>>24)*(as_type<int>((uint)(val3.y))>>24))+((as_type<int>((uint)((alu11<<24u)))>>24)*(as_type<int>((uint)((val3.z<<24u)))>>24))+((as_type<int>((uint)((alu11<<16u)))>>24)*(as_type<int>((uint)((val3.z<<16u)))>>24))+((as_type<int>((uint)((alu11<<8u)))>>24)*(as_type<int>((uint)((val3.z<<8u)))>>24))+((as_type<int>((uint)(alu11))>>24)*(as_type<int>((uint)(val3.z))>>24))+((as_type<int>((uint)((alu12<<24u)))>>24)*(as_type<int>((uint)((val3.w<<24u)))>>24))+((as_type<int>((uint)((alu12<<16u)))>>24)*(as_type<int>((uint)((val3.w<<16u)))>>24))+((as_type<int>((uint)((alu12<<8u)))>>24)*(as_type<int>((uint)((val3.w<<8u)))>>24))+((as_type<int>((uint)(alu12))>>24)*(as_type<int>((uint)(val3.w))>>24)))))*val8.x)-(cast1*((float)((alu26&255u)))*(val9.x+val9.y)))+((cast2*((float)((alu24>>8u)))*((float)((((as_type<int>((uint)((alu13<<24u)))>>24)*(as_type<int>((uint)((val4.x<<24u)))>>24))+((as_type<int>((uint)((alu13<<16u)))>>24)*(as_type<int>((uint)((val4.x<<16u)))>>24))+((as_type<int>((uint)((alu13<<8u)))>>24)*(as_type<int>((uint)((val4.x<<8u)))>>24))+((as_type<int>((uint)(alu13))>>24)*(as_type<int>((uint)(val4.x))>>24))+((as_type<int>((uint)((alu14<<24u)))>>24)*(as_type<int>((uint)((val4.y<<24u)))>>24))+((as_type<int>((uint)((alu14<<16u)))>>24)*(as_type<int>((uint)((val4.y<<16u)))>>24))+((as_type<int>((uint)((alu14<<8u)))>>24)*(as_type<int>((uint)((val4.y<<8u)))>>24))+((as_type<int>((uint)(alu14))>>24)*(as_type<int>((uint)(val4.y))>>24))+((as_type<int>((uint)((alu15<<24u)))>>24)*(as_type<int>((uint)((val4.z<<24u)))>>24))+((as_type<int>((uint)((alu15<<16u)))>>24)*(as_type<int>((uint)((val4.z<<16u)))>>24))+((as_type<int>((uint)((alu15<<8u)))>>24)*(as_type<int>((uint)((val4.z<<8u)))>>24))+((as_type<int>((uint)(alu15))>>24)*(as_type<int>((uint)(val4.z))>>24))+((as_type<int>((uint)((alu16<<24u)))>>24)*(as_type<int>((uint)((val4.w<<24u)))>>24))+((as_type<int>((uint)((alu16<<16u)))>>24)*(as_type<int>((uint)((val4.w<<16u)))>>24))+((as_type<int>((uint)((alu16<<8u)))>>24)*(as_type<int>((uint)((val4.w<<8u)))>>24))+((as_type<int>((uint)(alu16))>>24)*(as_type<int>((uint)(val4.w))>>24))+((as_type<int>((uint)((alu17<<24u)))>>24)*(as_type<int>((uint)((val5.x<<24u)))>>24))+((as_type<int>((uint)((alu17<<16u)))>>24)*(as_type<int>((uint)((val5.x<<16u)))>>24))+((as_type<int>((uint)((alu17<<8u)))>>24)*(as_type<int>((uint)((val5.x<<8u)))>>24))+((as_type<int>((uint)(alu17))>>24)*(as_type<int>((uint)(val5.x))>>24))+((as_type<int>((uint)((alu18<<24u)))>>24)*(as_type<int>((uint)((val5.y<<24u)))>>24))+((as_type<int>((uint)((alu18<<16u)))>>24)*(as_type<int>((uint)((val5.y<<16u)))>>24))+((as_type<int>((uint)((alu18<<8u)))>>24)*(as_type<int>((uint)((val5.y<<8u)))>>24))+((as_type<int>((uint)(alu18))>>24)*(as_type<int>((uint)(val5.y))>>24))+((as_type<int>((uint)((alu19<<24u)))>>24)*(as_type<int>((uint)((val5.z<<24u)))>>24))+((as_type<int>((uint)((alu19<<16u)))>>24)*(as_type<int>((uint)((val5.z<<16u)))>>24))+((as_type<int>((uint)((alu19<<8u)))>>24)*(as_type<int>((uint)((val5.z<<8u)))>>24))+((as_type<int>((uint)(alu19))>>24)*(as_type<int>((uint)(val5.z))>>24))+((as_type<int>((uint)((alu20<<24u)))>>24)*(as_type<int>((uint)((val5.w<<24u)))>>24))+((as_type<int>((uint)((alu20<<16u)))>>24)*(as_type<int>((uint)((val5.w<<16u)))>>24))+((as_type<int>((uint)((alu20<<8u)))>>24)*(as_type<int>((uint)((val5.w<<8u)))>>24))+((as_type<int>((uint)(alu20))>>24)*(as_type<int>((uint)(val5.w))>>24)))))*val8.y)-(cast1*((float)((alu26>>8u)))*(val9.z+val9.w))));
  float val10 = (*(buf0+0));
  float alu28 = simd_shuffle_xor(val10, (ushort)16);
  float alu29 = (val10+alu28);
  float alu30 = simd_shuffle_xor(alu29, (ushort)8);
  float alu31 = (alu29+alu30);
  float alu32 = simd_shuffle_xor(alu31, (ushort)4);
  float alu33 = (alu31+alu32);
  float alu34 = simd_shuffle_xor(alu33, (ushort)2);
  float alu35 = (alu33+alu34);
  float alu36 = simd_shuffle_xor(alu35, (ushort)1);
  if ((lidx0==0)) {
    *(data0_64+(lidx1+(gidx0<<1))) = (val7+alu35+alu36);
  }
}
