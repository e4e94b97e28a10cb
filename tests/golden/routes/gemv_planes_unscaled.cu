// decode/qkv/256x256+2x128x256/Q8_0/m1 ahead=0 groups=2 lanes=4 rows=1 split=4 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_q8_unscaled(float* data0_512, uint* data1_17408, uint* data2_8704, uint* data3_8704, uint* data4_64, float* data5_8, float* data6_8) {
  float buf0[1];
  float buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[8];
  int lidx0 = threadIdx.x; /* 4 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu0;
  bool alu2 = (lidx1<2);
  int alu3 = (alu2?(lidx0+(lidx1<<2)):0);
  float val0 = (*(data6_8+alu3));
  int gidx0 = blockIdx.x; /* 256 */
  float alu4 = (alu2?val0:0.0f);
  *(buf0+0) = alu4;
  *(buf1+0) = 0.0f;
  int alu7 = (lidx0>>1);
  uint cast0 = ((uint)((alu7<<4)));
  int alu8 = (lidx1>>2);
  int alu9 = ((gidx0<<1)+alu8);
  int alu10 = (lidx1&3);
  int alu11 = ((lidx0<<2)+(alu10<<4));
  bool alu12 = (gidx0<128);
  int alu13 = (alu12?alu9:0);
  int alu14 = (alu13*68);
  int alu15 = ((gidx0&1)+((gidx0+1)&1));
  int alu16 = (alu10<<1);
  int alu17 = (alu12?alu15:0);
  for (int Lidx1 = 0; Lidx1 < alu17; Lidx1++) {
    int alu18 = (Lidx1*68);
    uint val1 = (*(data1_17408+(alu14+alu18+alu10+64)));
    uint4 val2 = (*((uint4*)((data1_17408+(alu11+alu14+alu18)))));
    uint4 val3 = (*((uint4*)((data4_64+(alu11+(Lidx1<<6))))));
    float val4 = (*(data5_8+(alu16+(Lidx1<<3)+alu7)));
    *(buf1+0) = ((*(buf1+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val1>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val2.w)), tg_bitcast<int>((uint)(val3.w)), __dp4a(tg_bitcast<int>((uint)(val2.z)), tg_bitcast<int>((uint)(val3.z)), __dp4a(tg_bitcast<int>((uint)(val2.y)), tg_bitcast<int>((uint)(val3.y)), __dp4a(tg_bitcast<int>((uint)(val2.x)), tg_bitcast<int>((uint)(val3.x)), 0))))))*val4));
  }
  bool alu21 = (gidx0<192);
  bool alu22 = ((127<gidx0)&alu21);
  int alu23 = (alu22?(alu9+-256):0);
  int alu24 = (alu23*68);
  int alu25 = (alu22?alu15:0);
  for (int Lidx2 = 0; Lidx2 < alu25; Lidx2++) {
    int alu26 = (Lidx2*68);
    uint val5 = (*(data2_8704+(alu24+alu26+alu10+64)));
    uint4 val6 = (*((uint4*)((data2_8704+(alu11+alu24+alu26)))));
    uint4 val7 = (*((uint4*)((data4_64+(alu11+(Lidx2<<6))))));
    float val8 = (*(data5_8+(alu16+(Lidx2<<3)+alu7)));
    *(buf1+0) = ((*(buf1+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val5>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val6.w)), tg_bitcast<int>((uint)(val7.w)), __dp4a(tg_bitcast<int>((uint)(val6.z)), tg_bitcast<int>((uint)(val7.z)), __dp4a(tg_bitcast<int>((uint)(val6.y)), tg_bitcast<int>((uint)(val7.y)), __dp4a(tg_bitcast<int>((uint)(val6.x)), tg_bitcast<int>((uint)(val7.x)), 0))))))*val8));
  }
  int alu29 = (alu21?0:(alu9+-384));
  int alu30 = (alu29*68);
  int alu31 = (alu21?0:alu15);
  for (int Lidx3 = 0; Lidx3 < alu31; Lidx3++) {
    int alu32 = (Lidx3*68);
    uint val9 = (*(data3_8704+(alu30+alu32+alu10+64)));
    uint4 val10 = (*((uint4*)((data3_8704+(alu11+alu30+alu32)))));
    uint4 val11 = (*((uint4*)((data4_64+(alu11+(Lidx3<<6))))));
    float val12 = (*(data5_8+(alu16+(Lidx3<<3)+alu7)));
    *(buf1+0) = ((*(buf1+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val9>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val10.w)), tg_bitcast<int>((uint)(val11.w)), __dp4a(tg_bitcast<int>((uint)(val10.z)), tg_bitcast<int>((uint)(val11.z)), __dp4a(tg_bitcast<int>((uint)(val10.y)), tg_bitcast<int>((uint)(val11.y)), __dp4a(tg_bitcast<int>((uint)(val10.x)), tg_bitcast<int>((uint)(val11.x)), 0))))))*val12));
  }
  float val13 = (*(buf0+0));
  float val14 = (*(buf1+0));
  float alu35 = __shfl_xor_sync(0xffffffffu, val14, 2);
  float alu36 = (val14+alu35);
  float alu37 = __shfl_xor_sync(0xffffffffu, alu36, 1);
  bool alu38 = (lidx0==0);
  if (alu38) {
    *(buf3+lidx1) = (alu36+alu37);
  }
  __syncthreads();
  float4 val15 = (*((float4*)((buf3+(alu8<<2)))));
  float alu43 = __shfl_xor_sync(0xffffffffu, val13, 16);
  float alu44 = (val13+alu43);
  float alu45 = __shfl_xor_sync(0xffffffffu, alu44, 8);
  float alu46 = (alu44+alu45);
  float alu47 = __shfl_xor_sync(0xffffffffu, alu46, 4);
  float alu48 = (alu46+alu47);
  float alu49 = __shfl_xor_sync(0xffffffffu, alu48, 2);
  float alu50 = (alu48+alu49);
  float alu51 = __shfl_xor_sync(0xffffffffu, alu50, 1);
  if ((alu38&(alu10==0)&(alu12|alu22|(191<gidx0)))) {
    *(data0_512+alu9) = ((val15.x+val15.y+val15.z+val15.w)*(1/sqrt((((alu50+alu51)*0.00390625f)+9.999999747378752e-06f))));
  }
}
