#include <metal_stdlib>
using namespace metal;
kernel void norm_1024_q8(device uint* data0_256, device float* data1_32, device float* data2_64, device float* data3_1024, device float* data4_1024, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  threadgroup __attribute__((aligned(16))) float buf0[8];
  int lidx0 = lid.x; /* 32 */
  int lidx1 = lid.y; /* 8 */
  int alu0 = ((lidx0<<2)+(lidx1<<7));
  float4 val0 = (*((device float4*)((data3_1024+alu0))));
  float4 val1 = (*((device float4*)((data4_1024+alu0))));
  float alu1 = ((val0.x*val0.x)+(val0.y*val0.y)+(val0.z*val0.z)+(val0.w*val0.w));
  float alu2 = simd_shuffle_xor(alu1, (ushort)16);
  float alu3 = (alu1+alu2);
  float alu4 = simd_shuffle_xor(alu3, (ushort)8);
  float alu5 = (alu3+alu4);
  float alu6 = simd_shuffle_xor(alu5, (ushort)4);
  float alu7 = (alu5+alu6);
  float alu8 = simd_shuffle_xor(alu7, (ushort)2);
  float alu9 = (alu7+alu8);
  float alu10 = simd_shuffle_xor(alu9, (ushort)1);
  if ((lidx0==0)) {
    *(buf0+lidx1) = (alu9+alu10);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float4 val2 = (*((threadgroup __attribute__((aligned(16))) float4*)((buf0+0))));
  float4 val3 = (*((threadgroup __attribute__((aligned(16))) float4*)((buf0+4))));
  float alu15 = (1/sqrt((((val2.x+val2.y+val2.z+val2.w+val3.x+val3.y+val3.z+val3.w)*0.0009765625f)+9.999999747378752e-06f)));
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
  float alu27 = simd_shuffle_xor(alu26, (ushort)4);
  float alu28 = ((alu26<alu27)?alu27:alu26);
  float alu29 = simd_shuffle_xor(alu28, (ushort)2);
  float alu30 = ((alu28<alu29)?alu29:alu28);
  float alu31 = simd_shuffle_xor(alu30, (ushort)1);
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = (alu32*0.007874015718698502f);
  float alu34 = ((0.0f<alu33)?((1/alu32)*127.0f):0.0f);
  float alu35 = (alu16*alu34);
  float alu36 = ((alu35<0.0f)?-0.5f:0.5f);
  int cast0 = ((int)(trunc((alu35+alu36))));
  float alu37 = (alu17*alu34);
  float alu38 = ((alu37<0.0f)?-0.5f:0.5f);
  int cast1 = ((int)(trunc((alu37+alu38))));
  float alu39 = (alu18*alu34);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  int cast2 = ((int)(trunc((alu39+alu40))));
  float alu41 = (alu19*alu34);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  int cast3 = ((int)(trunc((alu41+alu42))));
  int alu43 = (cast0+cast1+cast2+cast3);
  int alu44 = simd_shuffle_xor(alu43, (ushort)2);
  int alu45 = (alu43+alu44);
  int alu46 = simd_shuffle_xor(alu45, (ushort)1);
  *(data0_256+(lidx0+(lidx1<<5))) = ((as_type<uint>((int)(cast0))&255u)|((as_type<uint>((int)(cast1))&255u)<<8u)|((as_type<uint>((int)(cast2))&255u)<<16u)|((as_type<uint>((int)(cast3))&255u)<<24u));
  if (((lidx0&7)==0)) {
    *(data1_32+((lidx1<<2)+(lidx0>>3))) = alu33;
  }
  if (((lidx0&3)==0)) {
    *(data2_64+((lidx1<<3)+(lidx0>>2))) = (alu32*((float)((alu45+alu46)))*0.007874015718698502f);
  }
}
