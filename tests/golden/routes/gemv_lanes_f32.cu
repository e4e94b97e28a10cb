// decode/qkv/256x256+2x128x256/Q4_K/m1 groups=1 lanes=8 rows=1 split=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) qkv_512x256_f32(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[4];
  int gidx0 = blockIdx.x; /* 512 */
  int lidx0 = threadIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 4 */
  *(buf0+0) = 0.0f;
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu1;
  uint cast0 = ((uint)(((lidx1&1)<<4)));
  int alu3 = (lidx0+(lidx1<<3));
  int alu4 = ((lidx0<<2)+(lidx1<<6));
  int alu5 = ((gidx0&1)+((gidx0+1)&1));
  bool alu6 = (gidx0<256);
  int alu7 = (alu6?gidx0:0);
  bool alu8 = (lidx1<2);
  int alu9 = (alu6?alu5:0);
  for (int Lidx1 = 0; Lidx1 < alu9; Lidx1++) {
    int alu10 = ((alu7*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(alu3+alu10+4)));
    uint4 val1 = (*((uint4*)((data1_9216+alu10))));
    int alu11 = (alu4+(Lidx1<<8));
    float4 val2 = (*((float4*)((data4_256+(alu11+32)))));
    float4 val3 = (*((float4*)((data4_256+alu11))));
    float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x>>16u)))))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x&65535u)))))));
    uint alu12 = (val1.y>>cast0);
    uint alu13 = (val1.w>>cast0);
    uint alu14 = (alu8?(alu12&16191u):((alu13&3855u)|((alu12>>2u)&12336u)));
    uint alu15 = (val1.z>>cast0);
    uint alu16 = (alu8?(alu15&16191u):(((alu13>>4u)&3855u)|((alu15>>2u)&12336u)));
    uint alu17 = (val0>>4u);
    uint alu18 = (val0&252645135u);
    uint alu19 = (alu17&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast2*((float)((alu14&255u)))*((((float)((val0&15u)))*val3.x)+(((float)(((alu18>>8u)&255u)))*val3.y)+(((float)(((alu18>>16u)&255u)))*val3.z)+(((float)(((alu18>>24u)&255u)))*val3.w)))-(cast1*((float)((alu16&255u)))*(val3.x+val3.y+val3.z+val3.w)))+((cast2*((float)((alu14>>8u)))*((((float)((alu17&15u)))*val2.x)+(((float)(((alu19>>8u)&255u)))*val2.y)+(((float)(((alu19>>16u)&255u)))*val2.z)+(((float)(((alu19>>24u)&255u)))*val2.w)))-(cast1*((float)((alu16>>8u)))*(val2.x+val2.y+val2.z+val2.w))));
  }
  bool alu22 = (gidx0<384);
  bool alu23 = ((255<gidx0)&alu22);
  int alu24 = (alu23?(gidx0+-256):0);
  int alu25 = (alu23?alu5:0);
  for (int Lidx2 = 0; Lidx2 < alu25; Lidx2++) {
    int alu26 = ((alu24*36)+(Lidx2*36));
    uint val4 = (*(data2_4608+(alu3+alu26+4)));
    uint4 val5 = (*((uint4*)((data2_4608+alu26))));
    int alu27 = (alu4+(Lidx2<<8));
    float4 val6 = (*((float4*)((data4_256+(alu27+32)))));
    float4 val7 = (*((float4*)((data4_256+alu27))));
    float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x>>16u)))))));
    float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x&65535u)))))));
    uint alu28 = (val5.y>>cast0);
    uint alu29 = (val5.w>>cast0);
    uint alu30 = (alu8?(alu28&16191u):((alu29&3855u)|((alu28>>2u)&12336u)));
    uint alu31 = (val5.z>>cast0);
    uint alu32 = (alu8?(alu31&16191u):(((alu29>>4u)&3855u)|((alu31>>2u)&12336u)));
    uint alu33 = (val4>>4u);
    uint alu34 = (val4&252645135u);
    uint alu35 = (alu33&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast4*((float)((alu30&255u)))*((((float)((val4&15u)))*val7.x)+(((float)(((alu34>>8u)&255u)))*val7.y)+(((float)(((alu34>>16u)&255u)))*val7.z)+(((float)(((alu34>>24u)&255u)))*val7.w)))-(cast3*((float)((alu32&255u)))*(val7.x+val7.y+val7.z+val7.w)))+((cast4*((float)((alu30>>8u)))*((((float)((alu33&15u)))*val6.x)+(((float)(((alu35>>8u)&255u)))*val6.y)+(((float)(((alu35>>16u)&255u)))*val6.z)+(((float)(((alu35>>24u)&255u)))*val6.w)))-(cast3*((float)((alu32>>8u)))*(val6.x+val6.y+val6.z+val6.w))));
  }
  int alu38 = (alu22?0:(gidx0+-384));
  int alu39 = (alu22?0:alu5);
  for (int Lidx3 = 0; Lidx3 < alu39; Lidx3++) {
    int alu40 = ((alu38*36)+(Lidx3*36));
    uint val8 = (*(data3_4608+(alu3+alu40+4)));
    uint4 val9 = (*((uint4*)((data3_4608+alu40))));
    int alu41 = (alu4+(Lidx3<<8));
    float4 val10 = (*((float4*)((data4_256+(alu41+32)))));
    float4 val11 = (*((float4*)((data4_256+alu41))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
    uint alu42 = (val9.y>>cast0);
    uint alu43 = (val9.w>>cast0);
    uint alu44 = (alu8?(alu42&16191u):((alu43&3855u)|((alu42>>2u)&12336u)));
    uint alu45 = (val9.z>>cast0);
    uint alu46 = (alu8?(alu45&16191u):(((alu43>>4u)&3855u)|((alu45>>2u)&12336u)));
    uint alu47 = (val8>>4u);
    uint alu48 = (val8&252645135u);
    uint alu49 = (alu47&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu44&255u)))*((((float)((val8&15u)))*val11.x)+(((float)(((alu48>>8u)&255u)))*val11.y)+(((float)(((alu48>>16u)&255u)))*val11.z)+(((float)(((alu48>>24u)&255u)))*val11.w)))-(cast5*((float)((alu46&255u)))*(val11.x+val11.y+val11.z+val11.w)))+((cast6*((float)((alu44>>8u)))*((((float)((alu47&15u)))*val10.x)+(((float)(((alu49>>8u)&255u)))*val10.y)+(((float)(((alu49>>16u)&255u)))*val10.z)+(((float)(((alu49>>24u)&255u)))*val10.w)))-(cast5*((float)((alu46>>8u)))*(val10.x+val10.y+val10.z+val10.w))));
  }
  float val12 = (*(buf0+0));
  float alu52 = __shfl_xor_sync(0xffffffffu, val12, 4);
  float alu53 = (val12+alu52);
  float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 2);
  float alu55 = (alu53+alu54);
  float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 1);
  bool alu57 = (lidx0==0);
  if (alu57) {
    *(buf2+lidx1) = (alu55+alu56);
  }
  __syncthreads();
  float4 val13 = (*((float4*)((buf2+0))));
  if ((alu57&(lidx1==0)&(alu6|alu23|(383<gidx0)))) {
    *(data0_512+gidx0) = (val13.x+val13.y+val13.z+val13.w);
  }
}
