// decode/norm+qkv/256x256+2x128x256/Q8_0/m1 ahead=0 groups=2 lanes=16 rows=1 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_q8(float* data0_512, uint* data1_17408, uint* data2_8704, uint* data3_8704, float* data4_256, float* data5_256) {
  float buf0[1];
  __shared__ __align__(16) uint buf1[64];
  __shared__ __align__(16) float buf2[8];
  int lidx0 = threadIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = (lidx0<<2);
  int alu1 = (alu0+(lidx1<<6));
  int alu2 = (alu1+128);
  float4 val0 = (*((float4*)((data4_256+alu2))));
  float4 val1 = (*((float4*)((data4_256+alu1))));
  float4 val2 = (*((float4*)((data5_256+alu2))));
  float4 val3 = (*((float4*)((data5_256+alu1))));
  int gidx0 = blockIdx.x; /* 256 */
  int alu3 = (lidx0+(lidx1<<4));
  int alu4 = ((lidx1<<1)+(lidx0>>3));
  float alu5 = ((val1.x*val1.x)+(val1.y*val1.y)+(val1.z*val1.z)+(val1.w*val1.w)+(val0.x*val0.x)+(val0.y*val0.y)+(val0.z*val0.z)+(val0.w*val0.w));
  float alu6 = __shfl_xor_sync(0xffffffffu, alu5, 16);
  float alu7 = (alu5+alu6);
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 8);
  float alu9 = (alu7+alu8);
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 4);
  float alu11 = (alu9+alu10);
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 2);
  float alu13 = (alu11+alu12);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 1);
  float alu15 = (1/sqrt((((alu13+alu14)*0.00390625f)+9.999999747378752e-06f)));
  float alu16 = (val0.x*alu15*val2.x);
  float alu17 = (val0.y*alu15*val2.y);
  float alu18 = (val0.z*alu15*val2.z);
  float alu19 = (val0.w*alu15*val2.w);
  float alu20 = ((alu16<0.0f)?-alu16:alu16);
  float alu21 = ((alu17<0.0f)?-alu17:alu17);
  float alu22 = ((alu18<0.0f)?-alu18:alu18);
  float alu23 = ((alu20<alu21)?alu21:alu20);
  float alu24 = ((alu19<0.0f)?-alu19:alu19);
  float alu25 = ((alu23<alu22)?alu22:alu23);
  float alu26 = ((alu25<alu24)?alu24:alu25);
  float alu27 = __shfl_xor_sync(0xffffffffu, alu26, 4);
  float alu28 = ((alu26<alu27)?alu27:alu26);
  float alu29 = __shfl_xor_sync(0xffffffffu, alu28, 2);
  float alu30 = ((alu28<alu29)?alu29:alu28);
  float alu31 = __shfl_xor_sync(0xffffffffu, alu30, 1);
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = (alu32*0.007874015718698502f);
  float alu34 = ((0.0f<alu33)?((1/alu32)*127.0f):0.0f);
  float alu35 = (alu16*alu34);
  float alu36 = ((alu35<0.0f)?-0.5f:0.5f);
  float alu37 = (alu17*alu34);
  float alu38 = ((alu37<0.0f)?-0.5f:0.5f);
  float alu39 = (alu18*alu34);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  float alu41 = (alu19*alu34);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  float alu43 = (val1.x*alu15*val3.x);
  float alu44 = (val1.y*alu15*val3.y);
  float alu45 = (val1.z*alu15*val3.z);
  float alu46 = (val1.w*alu15*val3.w);
  float alu47 = ((alu43<0.0f)?-alu43:alu43);
  float alu48 = ((alu44<0.0f)?-alu44:alu44);
  float alu49 = ((alu45<0.0f)?-alu45:alu45);
  float alu50 = ((alu47<alu48)?alu48:alu47);
  float alu51 = ((alu46<0.0f)?-alu46:alu46);
  float alu52 = ((alu50<alu49)?alu49:alu50);
  float alu53 = ((alu52<alu51)?alu51:alu52);
  float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 4);
  float alu55 = ((alu53<alu54)?alu54:alu53);
  float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 2);
  float alu57 = ((alu55<alu56)?alu56:alu55);
  float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 1);
  float alu59 = ((alu57<alu58)?alu58:alu57);
  float alu60 = (alu59*0.007874015718698502f);
  float alu61 = ((0.0f<alu60)?((1/alu59)*127.0f):0.0f);
  float alu62 = (alu43*alu61);
  float alu63 = ((alu62<0.0f)?-0.5f:0.5f);
  float alu64 = (alu44*alu61);
  float alu65 = ((alu64<0.0f)?-0.5f:0.5f);
  float alu66 = (alu45*alu61);
  float alu67 = ((alu66<0.0f)?-0.5f:0.5f);
  float alu68 = (alu46*alu61);
  float alu69 = ((alu68<0.0f)?-0.5f:0.5f);
  bool alu70 = ((lidx0&7)==0);
  *(buf1+alu3) = ((tg_bitcast<uint>((int)(((int)(trunc((alu62+alu63))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu64+alu65))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu66+alu67))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu68+alu69))))))&255u)<<24u));
  *(buf1+(alu3+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu35+alu36))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu37+alu38))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu39+alu40))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu41+alu42))))))&255u)<<24u));
  if (alu70) {
    *(buf2+(alu4+4)) = alu33;
  }
  if (alu70) {
    *(buf2+alu4) = alu60;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  int alu81 = (lidx0>>1);
  uint cast0 = ((uint)(((alu81&1)<<4)));
  int alu82 = (lidx1+(gidx0<<1));
  bool alu83 = (gidx0<128);
  int alu84 = (alu83?alu82:0);
  int alu85 = (alu84*68);
  int alu86 = ((gidx0&1)+((gidx0+1)&1));
  int alu87 = (lidx0>>2);
  int alu88 = (alu83?alu86:0);
  for (int Lidx1 = 0; Lidx1 < alu88; Lidx1++) {
    int alu89 = (Lidx1*68);
    uint val4 = (*(data1_17408+(alu85+alu89+alu87+64)));
    uint4 val5 = (*((uint4*)((data1_17408+(alu0+alu85+alu89)))));
    uint4 val6 = (*((uint4*)((buf1+(alu0+(Lidx1<<6))))));
    float val7 = (*(buf2+((Lidx1<<3)+alu81)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val4>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val5.w)), tg_bitcast<int>((uint)(val6.w)), __dp4a(tg_bitcast<int>((uint)(val5.z)), tg_bitcast<int>((uint)(val6.z)), __dp4a(tg_bitcast<int>((uint)(val5.y)), tg_bitcast<int>((uint)(val6.y)), __dp4a(tg_bitcast<int>((uint)(val5.x)), tg_bitcast<int>((uint)(val6.x)), 0))))))*val7));
  }
  bool alu92 = (gidx0<192);
  bool alu93 = ((127<gidx0)&alu92);
  int alu94 = (alu93?(alu82+-256):0);
  int alu95 = (alu94*68);
  int alu96 = (alu93?alu86:0);
  for (int Lidx2 = 0; Lidx2 < alu96; Lidx2++) {
    int alu97 = (Lidx2*68);
    uint val8 = (*(data2_8704+(alu95+alu97+alu87+64)));
    uint4 val9 = (*((uint4*)((data2_8704+(alu0+alu95+alu97)))));
    uint4 val10 = (*((uint4*)((buf1+(alu0+(Lidx2<<6))))));
    float val11 = (*(buf2+((Lidx2<<3)+alu81)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val8>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val9.w)), tg_bitcast<int>((uint)(val10.w)), __dp4a(tg_bitcast<int>((uint)(val9.z)), tg_bitcast<int>((uint)(val10.z)), __dp4a(tg_bitcast<int>((uint)(val9.y)), tg_bitcast<int>((uint)(val10.y)), __dp4a(tg_bitcast<int>((uint)(val9.x)), tg_bitcast<int>((uint)(val10.x)), 0))))))*val11));
  }
  int alu100 = (alu92?0:(alu82+-384));
  int alu101 = (alu100*68);
  int alu102 = (alu92?0:alu86);
  for (int Lidx3 = 0; Lidx3 < alu102; Lidx3++) {
    int alu103 = (Lidx3*68);
    uint val12 = (*(data3_8704+(alu101+alu103+alu87+64)));
    uint4 val13 = (*((uint4*)((data3_8704+(alu0+alu101+alu103)))));
    uint4 val14 = (*((uint4*)((buf1+(alu0+(Lidx3<<6))))));
    float val15 = (*(buf2+((Lidx3<<3)+alu81)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val12>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val13.w)), tg_bitcast<int>((uint)(val14.w)), __dp4a(tg_bitcast<int>((uint)(val13.z)), tg_bitcast<int>((uint)(val14.z)), __dp4a(tg_bitcast<int>((uint)(val13.y)), tg_bitcast<int>((uint)(val14.y)), __dp4a(tg_bitcast<int>((uint)(val13.x)), tg_bitcast<int>((uint)(val14.x)), 0))))))*val15));
  }
  float val16 = (*(buf0+0));
  float alu106 = __shfl_xor_sync(0xffffffffu, val16, 8);
  float alu107 = (val16+alu106);
  float alu108 = __shfl_xor_sync(0xffffffffu, alu107, 4);
  float alu109 = (alu107+alu108);
  float alu110 = __shfl_xor_sync(0xffffffffu, alu109, 2);
  float alu111 = (alu109+alu110);
  float alu112 = __shfl_xor_sync(0xffffffffu, alu111, 1);
  if (((lidx0==0)&(alu83|alu93|(191<gidx0)))) {
    *(data0_512+alu82) = (alu111+alu112);
  }
}
