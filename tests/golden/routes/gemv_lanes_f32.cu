// decode/qkv/256x256+2x128x256/Q4_K/m1 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_f32(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256) {
  float buf0[1];
  __shared__ __align__(16) float buf1[4];
  int gidx0 = blockIdx.x; /* 512 */
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  *(buf0+0) = 0.0f;
  uint cast0 = ((uint)(((lidx1&1)<<4)));
  int alu1 = (lidx0+(lidx1<<3));
  int alu2 = ((lidx0<<2)+(lidx1<<6));
  int alu3 = ((gidx0&1)+((gidx0+1)&1));
  bool alu4 = (gidx0<256);
  int alu5 = (alu4?gidx0:0);
  bool alu6 = (lidx1<2);
  int alu7 = (alu4?alu3:0);
  for (int Lidx1 = 0; Lidx1 < alu7; Lidx1++) {
    int alu8 = ((alu5*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(alu1+alu8+4)));
    uint4 val1 = (*((uint4*)((data1_9216+alu8))));
    int alu9 = (alu2+(Lidx1<<8));
    float4 val2 = (*((float4*)((data4_256+(alu9+32)))));
    float4 val3 = (*((float4*)((data4_256+alu9))));
    float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x>>16u)))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x&65535u)))))));
    uint alu10 = (val1.y>>cast0);
    uint alu11 = (val1.w>>cast0);
    uint alu12 = (alu6?(alu10&16191u):((alu11&3855u)|((alu10>>2u)&12336u)));
    uint alu13 = (val1.z>>cast0);
    uint alu14 = (alu6?(alu13&16191u):(((alu11>>4u)&3855u)|((alu13>>2u)&12336u)));
    uint alu15 = (val0>>4u);
    uint alu16 = (val0&252645135u);
    uint alu17 = (alu15&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu12&255u)))*((((float)((val0&15u)))*val3.x)+(((float)(((alu16>>8u)&255u)))*val3.y)+(((float)(((alu16>>16u)&255u)))*val3.z)+(((float)(((alu16>>24u)&255u)))*val3.w)))-(cast1*((float)((alu14&255u)))*(val3.x+val3.y+val3.z+val3.w)))+((cast2*((float)((alu12>>8u)))*((((float)((alu15&15u)))*val2.x)+(((float)(((alu17>>8u)&255u)))*val2.y)+(((float)(((alu17>>16u)&255u)))*val2.z)+(((float)(((alu17>>24u)&255u)))*val2.w)))-(cast1*((float)((alu14>>8u)))*(val2.x+val2.y+val2.z+val2.w))));
  }
  bool alu20 = (gidx0<384);
  bool alu21 = ((255<gidx0)&alu20);
  int alu22 = (alu21?(gidx0+-256):0);
  int alu23 = (alu21?alu3:0);
  for (int Lidx2 = 0; Lidx2 < alu23; Lidx2++) {
    int alu24 = ((alu22*36)+(Lidx2*36));
    uint val4 = (*(data2_4608+(alu1+alu24+4)));
    uint4 val5 = (*((uint4*)((data2_4608+alu24))));
    int alu25 = (alu2+(Lidx2<<8));
    float4 val6 = (*((float4*)((data4_256+(alu25+32)))));
    float4 val7 = (*((float4*)((data4_256+alu25))));
    float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x>>16u)))))));
    float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x&65535u)))))));
    uint alu26 = (val5.y>>cast0);
    uint alu27 = (val5.w>>cast0);
    uint alu28 = (alu6?(alu26&16191u):((alu27&3855u)|((alu26>>2u)&12336u)));
    uint alu29 = (val5.z>>cast0);
    uint alu30 = (alu6?(alu29&16191u):(((alu27>>4u)&3855u)|((alu29>>2u)&12336u)));
    uint alu31 = (val4>>4u);
    uint alu32 = (val4&252645135u);
    uint alu33 = (alu31&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast4*((float)((alu28&255u)))*((((float)((val4&15u)))*val7.x)+(((float)(((alu32>>8u)&255u)))*val7.y)+(((float)(((alu32>>16u)&255u)))*val7.z)+(((float)(((alu32>>24u)&255u)))*val7.w)))-(cast3*((float)((alu30&255u)))*(val7.x+val7.y+val7.z+val7.w)))+((cast4*((float)((alu28>>8u)))*((((float)((alu31&15u)))*val6.x)+(((float)(((alu33>>8u)&255u)))*val6.y)+(((float)(((alu33>>16u)&255u)))*val6.z)+(((float)(((alu33>>24u)&255u)))*val6.w)))-(cast3*((float)((alu30>>8u)))*(val6.x+val6.y+val6.z+val6.w))));
  }
  int alu36 = (alu20?0:(gidx0+-384));
  int alu37 = (alu20?0:alu3);
  for (int Lidx3 = 0; Lidx3 < alu37; Lidx3++) {
    int alu38 = ((alu36*36)+(Lidx3*36));
    uint val8 = (*(data3_4608+(alu1+alu38+4)));
    uint4 val9 = (*((uint4*)((data3_4608+alu38))));
    int alu39 = (alu2+(Lidx3<<8));
    float4 val10 = (*((float4*)((data4_256+(alu39+32)))));
    float4 val11 = (*((float4*)((data4_256+alu39))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
    uint alu40 = (val9.y>>cast0);
    uint alu41 = (val9.w>>cast0);
    uint alu42 = (alu6?(alu40&16191u):((alu41&3855u)|((alu40>>2u)&12336u)));
    uint alu43 = (val9.z>>cast0);
    uint alu44 = (alu6?(alu43&16191u):(((alu41>>4u)&3855u)|((alu43>>2u)&12336u)));
    uint alu45 = (val8>>4u);
    uint alu46 = (val8&252645135u);
    uint alu47 = (alu45&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu42&255u)))*((((float)((val8&15u)))*val11.x)+(((float)(((alu46>>8u)&255u)))*val11.y)+(((float)(((alu46>>16u)&255u)))*val11.z)+(((float)(((alu46>>24u)&255u)))*val11.w)))-(cast5*((float)((alu44&255u)))*(val11.x+val11.y+val11.z+val11.w)))+((cast6*((float)((alu42>>8u)))*((((float)((alu45&15u)))*val10.x)+(((float)(((alu47>>8u)&255u)))*val10.y)+(((float)(((alu47>>16u)&255u)))*val10.z)+(((float)(((alu47>>24u)&255u)))*val10.w)))-(cast5*((float)((alu44>>8u)))*(val10.x+val10.y+val10.z+val10.w))));
  }
  float val12 = (*(buf0+0));
  float alu50 = __shfl_xor_sync(0xffffffffu, val12, 4);
  float alu51 = (val12+alu50);
  float alu52 = __shfl_xor_sync(0xffffffffu, alu51, 2);
  float alu53 = (alu51+alu52);
  float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 1);
  bool alu55 = (lidx0==0);
  if (alu55) {
    *(buf1+lidx1) = (alu53+alu54);
  }
  __syncthreads();
  float4 val13 = (*((float4*)((buf1+0))));
  if ((alu55&(lidx1==0)&(alu4|alu21|(383<gidx0)))) {
    *(data0_512+gidx0) = (val13.x+val13.y+val13.z+val13.w);
  }
}
