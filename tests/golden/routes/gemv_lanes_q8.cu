// decode/qkv/256x256+2x128x256/Q4_K/m1 ahead=0 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_q8(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, uint* data4_64, float* data5_8) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[4];
  int gidx0 = blockIdx.x; /* 512 */
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu0;
  *(buf0+0) = 0.0f;
  uint cast0 = ((uint)(((lidx1&1)<<4)));
  int alu3 = (lidx0+(lidx1<<3));
  int alu4 = (lidx0+(lidx1<<4));
  int alu5 = ((gidx0&1)+((gidx0+1)&1));
  bool alu6 = (gidx0<256);
  int alu7 = (alu6?gidx0:0);
  int alu8 = (lidx1<<1);
  bool alu9 = (lidx1<2);
  int alu10 = (alu6?alu5:0);
  for (int Lidx1 = 0; Lidx1 < alu10; Lidx1++) {
    int alu11 = ((alu7*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(alu3+alu11+4)));
    int alu12 = (alu4+(Lidx1<<6));
    uint val1 = (*(data4_64+alu12));
    uint val2 = (*(data4_64+(alu12+8)));
    uint4 val3 = (*((uint4*)((data1_9216+alu11))));
    float2 val4 = (*((float2*)((data5_8+(alu8+(Lidx1<<3))))));
    float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x>>16u)))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x&65535u)))))));
    uint alu13 = (val3.y>>cast0);
    uint alu14 = (val3.w>>cast0);
    uint alu15 = (alu9?(alu13&16191u):((alu14&3855u)|((alu13>>2u)&12336u)));
    uint alu16 = (val3.z>>cast0);
    uint alu17 = (alu9?(alu16&16191u):(((alu14>>4u)&3855u)|((alu16>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val1));
    int cast4 = tg_bitcast<int>((uint)(val2));
    *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu15&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val0&252645135u))), cast3, 0)))*val4.x)-(cast1*((float)((alu17&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val4.x))+((cast2*((float)((alu15>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val0>>4u)&252645135u))), cast4, 0)))*val4.y)-(cast1*((float)((alu17>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val4.y)));
  }
  bool alu20 = (gidx0<384);
  bool alu21 = ((255<gidx0)&alu20);
  int alu22 = (alu21?(gidx0+-256):0);
  int alu23 = (alu21?alu5:0);
  for (int Lidx2 = 0; Lidx2 < alu23; Lidx2++) {
    int alu24 = ((alu22*36)+(Lidx2*36));
    uint val5 = (*(data2_4608+(alu3+alu24+4)));
    int alu25 = (alu4+(Lidx2<<6));
    uint val6 = (*(data4_64+alu25));
    uint val7 = (*(data4_64+(alu25+8)));
    uint4 val8 = (*((uint4*)((data2_4608+alu24))));
    float2 val9 = (*((float2*)((data5_8+(alu8+(Lidx2<<3))))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
    uint alu26 = (val8.y>>cast0);
    uint alu27 = (val8.w>>cast0);
    uint alu28 = (alu9?(alu26&16191u):((alu27&3855u)|((alu26>>2u)&12336u)));
    uint alu29 = (val8.z>>cast0);
    uint alu30 = (alu9?(alu29&16191u):(((alu27>>4u)&3855u)|((alu29>>2u)&12336u)));
    int cast7 = tg_bitcast<int>((uint)(val6));
    int cast8 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu28&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast7, 0)))*val9.x)-(cast5*((float)((alu30&255u)))*((float)(__dp4a(16843009, cast7, 0)))*val9.x))+((cast6*((float)((alu28>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast8, 0)))*val9.y)-(cast5*((float)((alu30>>8u)))*((float)(__dp4a(16843009, cast8, 0)))*val9.y)));
  }
  int alu33 = (alu20?0:(gidx0+-384));
  int alu34 = (alu20?0:alu5);
  for (int Lidx3 = 0; Lidx3 < alu34; Lidx3++) {
    int alu35 = ((alu33*36)+(Lidx3*36));
    uint val10 = (*(data3_4608+(alu3+alu35+4)));
    int alu36 = (alu4+(Lidx3<<6));
    uint val11 = (*(data4_64+alu36));
    uint val12 = (*(data4_64+(alu36+8)));
    uint4 val13 = (*((uint4*)((data3_4608+alu35))));
    float2 val14 = (*((float2*)((data5_8+(alu8+(Lidx3<<3))))));
    float cast9 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x>>16u)))))));
    float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val13.x&65535u)))))));
    uint alu37 = (val13.y>>cast0);
    uint alu38 = (val13.w>>cast0);
    uint alu39 = (alu9?(alu37&16191u):((alu38&3855u)|((alu37>>2u)&12336u)));
    uint alu40 = (val13.z>>cast0);
    uint alu41 = (alu9?(alu40&16191u):(((alu38>>4u)&3855u)|((alu40>>2u)&12336u)));
    int cast11 = tg_bitcast<int>((uint)(val11));
    int cast12 = tg_bitcast<int>((uint)(val12));
    *(buf0+0) = ((*(buf0+0))+((cast10*((float)((alu39&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast11, 0)))*val14.x)-(cast9*((float)((alu41&255u)))*((float)(__dp4a(16843009, cast11, 0)))*val14.x))+((cast10*((float)((alu39>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast12, 0)))*val14.y)-(cast9*((float)((alu41>>8u)))*((float)(__dp4a(16843009, cast12, 0)))*val14.y)));
  }
  float val15 = (*(buf0+0));
  float alu44 = __shfl_xor_sync(0xffffffffu, val15, 4);
  float alu45 = (val15+alu44);
  float alu46 = __shfl_xor_sync(0xffffffffu, alu45, 2);
  float alu47 = (alu45+alu46);
  float alu48 = __shfl_xor_sync(0xffffffffu, alu47, 1);
  bool alu49 = (lidx0==0);
  if (alu49) {
    *(buf2+lidx1) = (alu47+alu48);
  }
  __syncthreads();
  float4 val16 = (*((float4*)((buf2+0))));
  if ((alu49&(lidx1==0)&(alu6|alu21|(383<gidx0)))) {
    *(data0_512+gidx0) = (val16.x+val16.y+val16.z+val16.w);
  }
}
