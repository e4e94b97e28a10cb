// decode/qkv/256x256+2x128x256/Q4_K/m1 ahead=0 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_q8(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, uint* data4_64, float* data5_8) {
  float buf0[1];
  __shared__ __align__(16) float buf1[4];
  int gidx0 = blockIdx.x; /* 512 */
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  *(buf0+0) = 0.0f;
  uint cast0 = ((uint)(((lidx1&1)<<4)));
  int alu1 = (lidx0+(lidx1<<3));
  int alu2 = (lidx0+(lidx1<<4));
  int alu3 = ((gidx0&1)+((gidx0+1)&1));
  bool alu4 = (gidx0<256);
  int alu5 = (alu4?gidx0:0);
  int alu6 = (lidx1<<1);
  bool alu7 = (lidx1<2);
  int alu8 = (alu4?alu3:0);
  for (int Lidx1 = 0; Lidx1 < alu8; Lidx1++) {
    int alu9 = ((alu5*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(alu1+alu9+4)));
    int alu10 = (alu2+(Lidx1<<6));
    uint val1 = (*(data4_64+alu10));
    uint val2 = (*(data4_64+(alu10+8)));
    uint4 val3 = (*((uint4*)((data1_9216+alu9))));
    float2 val4 = (*((float2*)((data5_8+(alu6+(Lidx1<<3))))));
    float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x>>16u)))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x&65535u)))))));
    uint alu11 = (val3.y>>cast0);
    uint alu12 = (val3.w>>cast0);
    uint alu13 = (alu7?(alu11&16191u):((alu12&3855u)|((alu11>>2u)&12336u)));
    uint alu14 = (val3.z>>cast0);
    uint alu15 = (alu7?(alu14&16191u):(((alu12>>4u)&3855u)|((alu14>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val1));
    int cast4 = tg_bitcast<int>((uint)(val2));
    *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu13&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val0&252645135u))), cast3, 0)))*val4.x)-(cast1*((float)((alu15&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val4.x))+((cast2*((float)((alu13>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val0>>4u)&252645135u))), cast4, 0)))*val4.y)-(cast1*((float)((alu15>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val4.y)));
  }
  bool alu18 = (gidx0<384);
  bool alu19 = ((255<gidx0)&alu18);
  int alu20 = (alu19?(gidx0+-256):0);
  int alu21 = (alu19?alu3:0);
  for (int Lidx2 = 0; Lidx2 < alu21; Lidx2++) {
    int alu22 = ((alu20*36)+(Lidx2*36));
    uint val5 = (*(data2_4608+(alu1+alu22+4)));
    int alu23 = (alu2+(Lidx2<<6));
    uint val6 = (*(data4_64+alu23));
    uint val7 = (*(data4_64+(alu23+8)));
    uint4 val8 = (*((uint4*)((data2_4608+alu22))));
    float2 val9 = (*((float2*)((data5_8+(alu6+(Lidx2<<3))))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
    uint alu24 = (val8.y>>cast0);
    uint alu25 = (val8.w>>cast0);
    uint alu26 = (alu7?(alu24&16191u):((alu25&3855u)|((alu24>>2u)&12336u)));
    uint alu27 = (val8.z>>cast0);
    uint alu28 = (alu7?(alu27&16191u):(((alu25>>4u)&3855u)|((alu27>>2u)&12336u)));
    int cast7 = tg_bitcast<int>((uint)(val6));
    int cast8 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu26&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast7, 0)))*val9.x)-(cast5*((float)((alu28&255u)))*((float)(__dp4a(16843009, cast7, 0)))*val9.x))+((cast6*((float)((alu26>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast8, 0)))*val9.y)-(cast5*((float)((alu28>>8u)))*((float)(__dp4a(16843009, cast8, 0)))*val9.y)));
  }
  int alu31 = (alu18?0:(gidx0+-384));
  int alu32 = (alu18?0:alu3);
  for (int Lidx3 = 0; Lidx3 < alu32; Lidx3++) {
    int alu33 = ((alu31*36)+(Lidx3*36));
    uint val10 = (*(data3_4608+(alu1+alu33+4)));
    int alu34 = (alu2+(Lidx3<<6));
    uint val11 = (*(data4_64+alu34));
    uint val12 = (*(data4_64+(alu34+8)));
    uint4 val13 = (*((uint4*)((data3_4608+alu33))));
    float2 val14 = (*((float2*)((data5_8+(alu6+(Lidx3<<3))))));
    float cast9 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x>>16u)))))));
    float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x&65535u)))))));
    uint alu35 = (val13.y>>cast0);
    uint alu36 = (val13.w>>cast0);
    uint alu37 = (alu7?(alu35&16191u):((alu36&3855u)|((alu35>>2u)&12336u)));
    uint alu38 = (val13.z>>cast0);
    uint alu39 = (alu7?(alu38&16191u):(((alu36>>4u)&3855u)|((alu38>>2u)&12336u)));
    int cast11 = tg_bitcast<int>((uint)(val11));
    int cast12 = tg_bitcast<int>((uint)(val12));
    *(buf0+0) = ((*(buf0+0))+((cast10*((float)((alu37&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast11, 0)))*val14.x)-(cast9*((float)((alu39&255u)))*((float)(__dp4a(16843009, cast11, 0)))*val14.x))+((cast10*((float)((alu37>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast12, 0)))*val14.y)-(cast9*((float)((alu39>>8u)))*((float)(__dp4a(16843009, cast12, 0)))*val14.y)));
  }
  float val15 = (*(buf0+0));
  float alu42 = __shfl_xor_sync(0xffffffffu, val15, 4);
  float alu43 = (val15+alu42);
  float alu44 = __shfl_xor_sync(0xffffffffu, alu43, 2);
  float alu45 = (alu43+alu44);
  float alu46 = __shfl_xor_sync(0xffffffffu, alu45, 1);
  bool alu47 = (lidx0==0);
  if (alu47) {
    *(buf1+lidx1) = (alu45+alu46);
  }
  __syncthreads();
  float4 val16 = (*((float4*)((buf1+0))));
  if ((alu47&(lidx1==0)&(alu4|alu19|(383<gidx0)))) {
    *(data0_512+gidx0) = (val16.x+val16.y+val16.z+val16.w);
  }
}
