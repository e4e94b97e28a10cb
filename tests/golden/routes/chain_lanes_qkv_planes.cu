// decode/norm+qkv/256x256+2x128x256/Q8_0/m1 ahead=0 groups=2 lanes=16 rows=1 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_q8(float* data0_512, uint* data1_17408, uint* data2_8704, uint* data3_8704, float* data4_256, float* data5_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) uint buf2[64];
  __shared__ __align__(16) float buf3[8];
  int lidx0 = threadIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = (lidx0<<2);
  int alu1 = (alu0+(lidx1<<6));
  int alu2 = (alu1+128);
  float4 val0 = (*((float4*)((data5_256+alu2))));
  float4 val1 = (*((float4*)((data5_256+alu1))));
  int alu3 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu3;
  float4 val2 = (*((float4*)((data4_256+alu2))));
  float4 val3 = (*((float4*)((data4_256+alu1))));
  int gidx0 = blockIdx.x; /* 256 */
  int alu5 = (lidx0+(lidx1<<4));
  int alu6 = ((lidx1<<1)+(lidx0>>3));
  float alu7 = ((val3.x*val3.x)+(val3.y*val3.y)+(val3.z*val3.z)+(val3.w*val3.w)+(val2.x*val2.x)+(val2.y*val2.y)+(val2.z*val2.z)+(val2.w*val2.w));
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 16);
  float alu9 = (alu7+alu8);
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 8);
  float alu11 = (alu9+alu10);
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 4);
  float alu13 = (alu11+alu12);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 2);
  float alu15 = (alu13+alu14);
  float alu16 = __shfl_xor_sync(0xffffffffu, alu15, 1);
  float alu17 = (1/sqrt((((alu15+alu16)*0.00390625f)+9.999999747378752e-06f)));
  float alu18 = (val2.x*alu17*val0.x);
  float alu19 = (val2.y*alu17*val0.y);
  float alu20 = (val2.z*alu17*val0.z);
  float alu21 = (val2.w*alu17*val0.w);
  float alu22 = ((alu18<0.0f)?-alu18:alu18);
  float alu23 = ((alu19<0.0f)?-alu19:alu19);
  float alu24 = ((alu20<0.0f)?-alu20:alu20);
  float alu25 = ((alu22<alu23)?alu23:alu22);
  float alu26 = ((alu21<0.0f)?-alu21:alu21);
  float alu27 = ((alu25<alu24)?alu24:alu25);
  float alu28 = ((alu27<alu26)?alu26:alu27);
  float alu29 = __shfl_xor_sync(0xffffffffu, alu28, 4);
  float alu30 = ((alu28<alu29)?alu29:alu28);
  float alu31 = __shfl_xor_sync(0xffffffffu, alu30, 2);
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = __shfl_xor_sync(0xffffffffu, alu32, 1);
  float alu34 = ((alu32<alu33)?alu33:alu32);
  float alu35 = (alu34*0.007874015718698502f);
  float alu36 = ((0.0f<alu35)?((1/alu34)*127.0f):0.0f);
  float alu37 = (alu18*alu36);
  float alu38 = ((alu37<0.0f)?-0.5f:0.5f);
  float alu39 = (alu19*alu36);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  float alu41 = (alu20*alu36);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  float alu43 = (alu21*alu36);
  float alu44 = ((alu43<0.0f)?-0.5f:0.5f);
  float alu45 = (val3.x*alu17*val1.x);
  float alu46 = (val3.y*alu17*val1.y);
  float alu47 = (val3.z*alu17*val1.z);
  float alu48 = (val3.w*alu17*val1.w);
  float alu49 = ((alu45<0.0f)?-alu45:alu45);
  float alu50 = ((alu46<0.0f)?-alu46:alu46);
  float alu51 = ((alu47<0.0f)?-alu47:alu47);
  float alu52 = ((alu49<alu50)?alu50:alu49);
  float alu53 = ((alu48<0.0f)?-alu48:alu48);
  float alu54 = ((alu52<alu51)?alu51:alu52);
  float alu55 = ((alu54<alu53)?alu53:alu54);
  float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 4);
  float alu57 = ((alu55<alu56)?alu56:alu55);
  float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 2);
  float alu59 = ((alu57<alu58)?alu58:alu57);
  float alu60 = __shfl_xor_sync(0xffffffffu, alu59, 1);
  float alu61 = ((alu59<alu60)?alu60:alu59);
  float alu62 = (alu61*0.007874015718698502f);
  float alu63 = ((0.0f<alu62)?((1/alu61)*127.0f):0.0f);
  float alu64 = (alu45*alu63);
  float alu65 = ((alu64<0.0f)?-0.5f:0.5f);
  float alu66 = (alu46*alu63);
  float alu67 = ((alu66<0.0f)?-0.5f:0.5f);
  float alu68 = (alu47*alu63);
  float alu69 = ((alu68<0.0f)?-0.5f:0.5f);
  float alu70 = (alu48*alu63);
  float alu71 = ((alu70<0.0f)?-0.5f:0.5f);
  bool alu72 = ((lidx0&7)==0);
  *(buf2+alu5) = ((tg_bitcast<uint>((int)(((int)(trunc((alu64+alu65))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu66+alu67))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu68+alu69))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu70+alu71))))))&255u)<<24u));
  *(buf2+(alu5+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu37+alu38))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu39+alu40))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu41+alu42))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu43+alu44))))))&255u)<<24u));
  if (alu72) {
    *(buf3+(alu6+4)) = alu35;
  }
  if (alu72) {
    *(buf3+alu6) = alu62;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  int alu83 = (lidx0>>1);
  uint cast0 = ((uint)(((alu83&1)<<4)));
  int alu84 = (lidx1+(gidx0<<1));
  bool alu85 = (gidx0<128);
  int alu86 = (alu85?alu84:0);
  int alu87 = (alu86*68);
  int alu88 = ((gidx0&1)+((gidx0+1)&1));
  int alu89 = (lidx0>>2);
  int alu90 = (alu85?alu88:0);
  for (int Lidx1 = 0; Lidx1 < alu90; Lidx1++) {
    int alu91 = (Lidx1*68);
    uint val4 = (*(data1_17408+(alu87+alu91+alu89+64)));
    uint4 val5 = (*((uint4*)((data1_17408+(alu0+alu87+alu91)))));
    uint4 val6 = (*((uint4*)((buf2+(alu0+(Lidx1<<6))))));
    float val7 = (*(buf3+((Lidx1<<3)+alu83)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val4>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val5.w)), tg_bitcast<int>((uint)(val6.w)), __dp4a(tg_bitcast<int>((uint)(val5.z)), tg_bitcast<int>((uint)(val6.z)), __dp4a(tg_bitcast<int>((uint)(val5.y)), tg_bitcast<int>((uint)(val6.y)), __dp4a(tg_bitcast<int>((uint)(val5.x)), tg_bitcast<int>((uint)(val6.x)), 0))))))*val7));
  }
  bool alu94 = (gidx0<192);
  bool alu95 = ((127<gidx0)&alu94);
  int alu96 = (alu95?(alu84+-256):0);
  int alu97 = (alu96*68);
  int alu98 = (alu95?alu88:0);
  for (int Lidx2 = 0; Lidx2 < alu98; Lidx2++) {
    int alu99 = (Lidx2*68);
    uint val8 = (*(data2_8704+(alu97+alu99+alu89+64)));
    uint4 val9 = (*((uint4*)((data2_8704+(alu0+alu97+alu99)))));
    uint4 val10 = (*((uint4*)((buf2+(alu0+(Lidx2<<6))))));
    float val11 = (*(buf3+((Lidx2<<3)+alu83)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val8>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val9.w)), tg_bitcast<int>((uint)(val10.w)), __dp4a(tg_bitcast<int>((uint)(val9.z)), tg_bitcast<int>((uint)(val10.z)), __dp4a(tg_bitcast<int>((uint)(val9.y)), tg_bitcast<int>((uint)(val10.y)), __dp4a(tg_bitcast<int>((uint)(val9.x)), tg_bitcast<int>((uint)(val10.x)), 0))))))*val11));
  }
  int alu102 = (alu94?0:(alu84+-384));
  int alu103 = (alu102*68);
  int alu104 = (alu94?0:alu88);
  for (int Lidx3 = 0; Lidx3 < alu104; Lidx3++) {
    int alu105 = (Lidx3*68);
    uint val12 = (*(data3_8704+(alu103+alu105+alu89+64)));
    uint4 val13 = (*((uint4*)((data3_8704+(alu0+alu103+alu105)))));
    uint4 val14 = (*((uint4*)((buf2+(alu0+(Lidx3<<6))))));
    float val15 = (*(buf3+((Lidx3<<3)+alu83)));
    *(buf0+0) = ((*(buf0+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val12>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val13.w)), tg_bitcast<int>((uint)(val14.w)), __dp4a(tg_bitcast<int>((uint)(val13.z)), tg_bitcast<int>((uint)(val14.z)), __dp4a(tg_bitcast<int>((uint)(val13.y)), tg_bitcast<int>((uint)(val14.y)), __dp4a(tg_bitcast<int>((uint)(val13.x)), tg_bitcast<int>((uint)(val14.x)), 0))))))*val15));
  }
  float val16 = (*(buf0+0));
  float alu108 = __shfl_xor_sync(0xffffffffu, val16, 8);
  float alu109 = (val16+alu108);
  float alu110 = __shfl_xor_sync(0xffffffffu, alu109, 4);
  float alu111 = (alu109+alu110);
  float alu112 = __shfl_xor_sync(0xffffffffu, alu111, 2);
  float alu113 = (alu111+alu112);
  float alu114 = __shfl_xor_sync(0xffffffffu, alu113, 1);
  if (((lidx0==0)&(alu85|alu95|(191<gidx0)))) {
    *(data0_512+alu84) = (alu113+alu114);
  }
}
