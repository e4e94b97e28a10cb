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
  int alu1 = (lidx1<<1);
  uint cast0 = ((uint)((((alu1+1)&3)<<3)));
  uint cast1 = ((uint)(((alu1&3)<<3)));
  int alu2 = ((lidx0<<2)+(lidx1<<6));
  int alu3 = ((gidx0&1)+((gidx0+1)&1));
  bool alu4 = (gidx0<256);
  int alu5 = (alu4?gidx0:0);
  int alu6 = (lidx1<<3);
  bool alu7 = (lidx1<2);
  int alu8 = (alu4?alu3:0);
  for (int Lidx1 = 0; Lidx1 < alu8; Lidx1++) {
    int alu9 = ((alu5*36)+(Lidx1*36));
    uint val0 = (*(data1_9216+(lidx0+alu9+alu6+4)));
    uint4 val1 = (*((uint4*)((data1_9216+alu9))));
    int alu10 = (alu2+(Lidx1<<8));
    float4 val2 = (*((float4*)((data4_256+(alu10+32)))));
    float4 val3 = (*((float4*)((data4_256+alu10))));
    float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x>>16u)))))));
    float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x&65535u)))))));
    uint alu11 = (val1.z>>cast0);
    uint alu12 = (val1.w>>cast0);
    uint alu13 = (val1.z>>cast1);
    uint alu14 = (val1.w>>cast1);
    uint alu15 = (val1.y>>cast0);
    uint alu16 = (val1.y>>cast1);
    uint alu17 = (val0>>4u);
    uint alu18 = (val0&252645135u);
    uint alu19 = (alu17&252645135u);
    float alu20 = (alu7?((float)((alu11&63u))):((float)((((alu12&255u)>>4u)|(((alu11&255u)>>6u)<<4u)))));
    float alu21 = (alu7?((float)((alu13&63u))):((float)((((alu14&255u)>>4u)|(((alu13&255u)>>6u)<<4u)))));
    float alu22 = (alu7?((float)((alu15&63u))):((float)(((alu12&15u)|(((alu15&255u)>>6u)<<4u)))));
    float alu23 = (alu7?((float)((alu16&63u))):((float)(((alu14&15u)|(((alu16&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast3*alu23*((((float)((val0&15u)))*val3.x)+(((float)(((alu18>>8u)&255u)))*val3.y)+(((float)(((alu18>>16u)&255u)))*val3.z)+(((float)(((alu18>>24u)&255u)))*val3.w)))-(cast2*alu21*(val3.x+val3.y+val3.z+val3.w)))+((cast3*alu22*((((float)((alu17&15u)))*val2.x)+(((float)(((alu19>>8u)&255u)))*val2.y)+(((float)(((alu19>>16u)&255u)))*val2.z)+(((float)(((alu19>>24u)&255u)))*val2.w)))-(cast2*alu20*(val2.x+val2.y+val2.z+val2.w))));
  }
  bool alu26 = (gidx0<384);
  bool alu27 = ((255<gidx0)&alu26);
  int alu28 = (alu27?(gidx0+-256):0);
  int alu29 = (alu27?alu3:0);
  for (int Lidx2 = 0; Lidx2 < alu29; Lidx2++) {
    int alu30 = ((alu28*36)+(Lidx2*36));
    uint val4 = (*(data2_4608+(lidx0+alu30+alu6+4)));
    uint4 val5 = (*((uint4*)((data2_4608+alu30))));
    int alu31 = (alu2+(Lidx2<<8));
    float4 val6 = (*((float4*)((data4_256+(alu31+32)))));
    float4 val7 = (*((float4*)((data4_256+alu31))));
    float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x>>16u)))))));
    float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x&65535u)))))));
    uint alu32 = (val5.z>>cast0);
    uint alu33 = (val5.w>>cast0);
    uint alu34 = (val5.z>>cast1);
    uint alu35 = (val5.w>>cast1);
    uint alu36 = (val5.y>>cast0);
    uint alu37 = (val5.y>>cast1);
    uint alu38 = (val4>>4u);
    uint alu39 = (val4&252645135u);
    uint alu40 = (alu38&252645135u);
    float alu41 = (alu7?((float)((alu32&63u))):((float)((((alu33&255u)>>4u)|(((alu32&255u)>>6u)<<4u)))));
    float alu42 = (alu7?((float)((alu34&63u))):((float)((((alu35&255u)>>4u)|(((alu34&255u)>>6u)<<4u)))));
    float alu43 = (alu7?((float)((alu36&63u))):((float)(((alu33&15u)|(((alu36&255u)>>6u)<<4u)))));
    float alu44 = (alu7?((float)((alu37&63u))):((float)(((alu35&15u)|(((alu37&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast5*alu44*((((float)((val4&15u)))*val7.x)+(((float)(((alu39>>8u)&255u)))*val7.y)+(((float)(((alu39>>16u)&255u)))*val7.z)+(((float)(((alu39>>24u)&255u)))*val7.w)))-(cast4*alu42*(val7.x+val7.y+val7.z+val7.w)))+((cast5*alu43*((((float)((alu38&15u)))*val6.x)+(((float)(((alu40>>8u)&255u)))*val6.y)+(((float)(((alu40>>16u)&255u)))*val6.z)+(((float)(((alu40>>24u)&255u)))*val6.w)))-(cast4*alu41*(val6.x+val6.y+val6.z+val6.w))));
  }
  int alu47 = (alu26?0:(gidx0+-384));
  int alu48 = (alu26?0:alu3);
  for (int Lidx3 = 0; Lidx3 < alu48; Lidx3++) {
    int alu49 = ((alu47*36)+(Lidx3*36));
    uint val8 = (*(data3_4608+(lidx0+alu49+alu6+4)));
    uint4 val9 = (*((uint4*)((data3_4608+alu49))));
    int alu50 = (alu2+(Lidx3<<8));
    float4 val10 = (*((float4*)((data4_256+(alu50+32)))));
    float4 val11 = (*((float4*)((data4_256+alu50))));
    float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
    float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
    uint alu51 = (val9.z>>cast0);
    uint alu52 = (val9.w>>cast0);
    uint alu53 = (val9.z>>cast1);
    uint alu54 = (val9.w>>cast1);
    uint alu55 = (val9.y>>cast0);
    uint alu56 = (val9.y>>cast1);
    uint alu57 = (val8>>4u);
    uint alu58 = (val8&252645135u);
    uint alu59 = (alu57&252645135u);
    float alu60 = (alu7?((float)((alu51&63u))):((float)((((alu52&255u)>>4u)|(((alu51&255u)>>6u)<<4u)))));
    float alu61 = (alu7?((float)((alu53&63u))):((float)((((alu54&255u)>>4u)|(((alu53&255u)>>6u)<<4u)))));
    float alu62 = (alu7?((float)((alu55&63u))):((float)(((alu52&15u)|(((alu55&255u)>>6u)<<4u)))));
    float alu63 = (alu7?((float)((alu56&63u))):((float)(((alu54&15u)|(((alu56&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast7*alu63*((((float)((val8&15u)))*val11.x)+(((float)(((alu58>>8u)&255u)))*val11.y)+(((float)(((alu58>>16u)&255u)))*val11.z)+(((float)(((alu58>>24u)&255u)))*val11.w)))-(cast6*alu61*(val11.x+val11.y+val11.z+val11.w)))+((cast7*alu62*((((float)((alu57&15u)))*val10.x)+(((float)(((alu59>>8u)&255u)))*val10.y)+(((float)(((alu59>>16u)&255u)))*val10.z)+(((float)(((alu59>>24u)&255u)))*val10.w)))-(cast6*alu60*(val10.x+val10.y+val10.z+val10.w))));
  }
  float val12 = (*(buf0+0));
  float alu66 = __shfl_xor_sync(0xffffffffu, val12, 4);
  float alu67 = (val12+alu66);
  float alu68 = __shfl_xor_sync(0xffffffffu, alu67, 2);
  float alu69 = (alu67+alu68);
  float alu70 = __shfl_xor_sync(0xffffffffu, alu69, 1);
  bool alu71 = (lidx0==0);
  if (alu71) {
    *(buf1+lidx1) = (alu69+alu70);
  }
  __syncthreads();
  float4 val13 = (*((float4*)((buf1+0))));
  if ((alu71&(lidx1==0)&(alu4|alu27|(383<gidx0)))) {
    *(data0_512+gidx0) = (val13.x+val13.y+val13.z+val13.w);
  }
}
