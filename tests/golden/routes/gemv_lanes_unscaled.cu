// decode/qkv/256x256+2x128x256/Q4_K/m1 ahead=0 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_q8_unscaled(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, uint* data4_64, float* data5_8, float* data6_8) {
  float buf0[1];
  float buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[4];
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu0;
  int alu2 = (lidx0+(lidx1<<3));
  bool alu3 = (lidx1<1);
  int alu4 = (alu3?alu2:0);
  float val0 = (*(data6_8+alu4));
  int gidx0 = blockIdx.x; /* 512 */
  float alu5 = (alu3?val0:0.0f);
  *(buf0+0) = alu5;
  *(buf1+0) = 0.0f;
  uint cast0 = ((uint)(((lidx1&1)<<4)));
  int alu8 = (lidx0+(lidx1<<4));
  int alu9 = ((gidx0&1)+((gidx0+1)&1));
  bool alu10 = (gidx0<256);
  int alu11 = (alu10?gidx0:0);
  int alu12 = (lidx1<<1);
  bool alu13 = (lidx1<2);
  int alu14 = (alu10?alu9:0);
  for (int Lidx1 = 0; Lidx1 < alu14; Lidx1++) {
    int alu15 = ((alu11*36)+(Lidx1*36));
    uint val1 = (*(data1_9216+(alu2+alu15+4)));
    int alu16 = (alu8+(Lidx1<<6));
    uint val2 = (*(data4_64+alu16));
    uint val3 = (*(data4_64+(alu16+8)));
    uint4 val4 = (*((uint4*)((data1_9216+alu15))));
    float2 val5 = (*((float2*)((data5_8+(alu12+(Lidx1<<3))))));
    float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val4.x>>16u)))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val4.x&65535u)))))));
    uint alu17 = (val4.y>>cast0);
    uint alu18 = (val4.w>>cast0);
    uint alu19 = (alu13?(alu17&16191u):((alu18&3855u)|((alu17>>2u)&12336u)));
    uint alu20 = (val4.z>>cast0);
    uint alu21 = (alu13?(alu20&16191u):(((alu18>>4u)&3855u)|((alu20>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val2));
    int cast4 = tg_bitcast<int>((uint)(val3));
    *(buf1+0) = ((*(buf1+0))+((cast2*((float)((alu19&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val1&252645135u))), cast3, 0)))*val5.x)-(cast1*((float)((alu21&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val5.x))+((cast2*((float)((alu19>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val1>>4u)&252645135u))), cast4, 0)))*val5.y)-(cast1*((float)((alu21>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val5.y)));
  }
  bool alu24 = (gidx0<384);
  bool alu25 = ((255<gidx0)&alu24);
  int alu26 = (alu25?(gidx0+-256):0);
  int alu27 = (alu25?alu9:0);
  for (int Lidx2 = 0; Lidx2 < alu27; Lidx2++) {
    int alu28 = ((alu26*36)+(Lidx2*36));
    uint val6 = (*(data2_4608+(alu2+alu28+4)));
    int alu29 = (alu8+(Lidx2<<6));
    uint val7 = (*(data4_64+alu29));
    uint val8 = (*(data4_64+(alu29+8)));
    uint4 val9 = (*((uint4*)((data2_4608+alu28))));
    float2 val10 = (*((float2*)((data5_8+(alu12+(Lidx2<<3))))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
    uint alu30 = (val9.y>>cast0);
    uint alu31 = (val9.w>>cast0);
    uint alu32 = (alu13?(alu30&16191u):((alu31&3855u)|((alu30>>2u)&12336u)));
    uint alu33 = (val9.z>>cast0);
    uint alu34 = (alu13?(alu33&16191u):(((alu31>>4u)&3855u)|((alu33>>2u)&12336u)));
    int cast7 = tg_bitcast<int>((uint)(val7));
    int cast8 = tg_bitcast<int>((uint)(val8));
    *(buf1+0) = ((*(buf1+0))+((cast6*((float)((alu32&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val6&252645135u))), cast7, 0)))*val10.x)-(cast5*((float)((alu34&255u)))*((float)(__dp4a(16843009, cast7, 0)))*val10.x))+((cast6*((float)((alu32>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val6>>4u)&252645135u))), cast8, 0)))*val10.y)-(cast5*((float)((alu34>>8u)))*((float)(__dp4a(16843009, cast8, 0)))*val10.y)));
  }
  int alu37 = (alu24?0:(gidx0+-384));
  int alu38 = (alu24?0:alu9);
  for (int Lidx3 = 0; Lidx3 < alu38; Lidx3++) {
    int alu39 = ((alu37*36)+(Lidx3*36));
    uint val11 = (*(data3_4608+(alu2+alu39+4)));
    int alu40 = (alu8+(Lidx3<<6));
    uint val12 = (*(data4_64+alu40));
    uint val13 = (*(data4_64+(alu40+8)));
    uint4 val14 = (*((uint4*)((data3_4608+alu39))));
    float2 val15 = (*((float2*)((data5_8+(alu12+(Lidx3<<3))))));
    float cast9 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x>>16u)))))));
    float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x&65535u)))))));
    uint alu41 = (val14.y>>cast0);
    uint alu42 = (val14.w>>cast0);
    uint alu43 = (alu13?(alu41&16191u):((alu42&3855u)|((alu41>>2u)&12336u)));
    uint alu44 = (val14.z>>cast0);
    uint alu45 = (alu13?(alu44&16191u):(((alu42>>4u)&3855u)|((alu44>>2u)&12336u)));
    int cast11 = tg_bitcast<int>((uint)(val12));
    int cast12 = tg_bitcast<int>((uint)(val13));
    *(buf1+0) = ((*(buf1+0))+((cast10*((float)((alu43&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val11&252645135u))), cast11, 0)))*val15.x)-(cast9*((float)((alu45&255u)))*((float)(__dp4a(16843009, cast11, 0)))*val15.x))+((cast10*((float)((alu43>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val11>>4u)&252645135u))), cast12, 0)))*val15.y)-(cast9*((float)((alu45>>8u)))*((float)(__dp4a(16843009, cast12, 0)))*val15.y)));
  }
  float val16 = (*(buf0+0));
  float val17 = (*(buf1+0));
  float alu48 = __shfl_xor_sync(0xffffffffu, val17, 4);
  float alu49 = (val17+alu48);
  float alu50 = __shfl_xor_sync(0xffffffffu, alu49, 2);
  float alu51 = (alu49+alu50);
  float alu52 = __shfl_xor_sync(0xffffffffu, alu51, 1);
  bool alu53 = (lidx0==0);
  if (alu53) {
    *(buf3+lidx1) = (alu51+alu52);
  }
  __syncthreads();
  float4 val18 = (*((float4*)((buf3+0))));
  float alu58 = __shfl_xor_sync(0xffffffffu, val16, 16);
  float alu59 = (val16+alu58);
  float alu60 = __shfl_xor_sync(0xffffffffu, alu59, 8);
  float alu61 = (alu59+alu60);
  float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 4);
  float alu63 = (alu61+alu62);
  float alu64 = __shfl_xor_sync(0xffffffffu, alu63, 2);
  float alu65 = (alu63+alu64);
  float alu66 = __shfl_xor_sync(0xffffffffu, alu65, 1);
  if ((alu53&(lidx1==0)&(alu10|alu25|(383<gidx0)))) {
    *(data0_512+gidx0) = ((val18.x+val18.y+val18.z+val18.w)*(1/sqrt((((alu65+alu66)*0.00390625f)+9.999999747378752e-06f))));
  }
}
