// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 groups=2 lanes=16 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_f32(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256, float* data5_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[256];
  int gidx0 = blockIdx.x; /* 256 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = (lidx1+(gidx0<<1));
  bool alu1 = (gidx0<128);
  int alu2 = (alu1?alu0:0);
  int alu3 = (alu2*36);
  uint4 val0 = (*((uint4*)((data1_9216+alu3))));
  int lidx0 = threadIdx.x; /* 16 */
  int alu4 = ((lidx0<<2)+(lidx1<<6));
  int alu5 = (alu4+128);
  float4 val1 = (*((float4*)((data5_256+alu5))));
  float4 val2 = (*((float4*)((data5_256+alu4))));
  int alu6 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu6;
  float4 val3 = (*((float4*)((data4_256+alu5))));
  float4 val4 = (*((float4*)((data4_256+alu4))));
  float alu8 = ((val4.x*val4.x)+(val4.y*val4.y)+(val4.z*val4.z)+(val4.w*val4.w)+(val3.x*val3.x)+(val3.y*val3.y)+(val3.z*val3.z)+(val3.w*val3.w));
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 16);
  float alu10 = (alu8+alu9);
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 8);
  float alu12 = (alu10+alu11);
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 4);
  float alu14 = (alu12+alu13);
  float alu15 = __shfl_xor_sync(0xffffffffu, alu14, 2);
  float alu16 = (alu14+alu15);
  float alu17 = __shfl_xor_sync(0xffffffffu, alu16, 1);
  float alu18 = (1/sqrt((((alu16+alu17)*0.00390625f)+9.999999747378752e-06f)));
  *((float4*)((buf2+alu5))) = make_float4((val3.x*alu18*val1.x),(val3.y*alu18*val1.y),(val3.z*alu18*val1.z),(val3.w*alu18*val1.w));
  *((float4*)((buf2+alu4))) = make_float4((val4.x*alu18*val2.x),(val4.y*alu18*val2.y),(val4.z*alu18*val2.z),(val4.w*alu18*val2.w));
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  int alu23 = (lidx0>>3);
  int alu24 = (alu23<<6);
  int alu25 = ((lidx0&7)<<2);
  int alu26 = (alu1?2:0);
  for (int Lidx1 = 0; Lidx1 < alu26; Lidx1++) {
    uint val5 = (*(data1_9216+(lidx0+(Lidx1<<4)+alu3+4)));
    int alu27 = (alu24+(Lidx1<<7)+alu25);
    float4 val6 = (*((float4*)((buf2+(alu27+32)))));
    float4 val7 = (*((float4*)((buf2+alu27))));
    uint cast2 = ((uint)(((((Lidx1<<1)+alu23)&1)<<4)));
    uint alu28 = (val0.y>>cast2);
    uint alu29 = (val0.w>>cast2);
    bool alu30 = (Lidx1<1);
    uint alu31 = (alu30?(alu28&16191u):((alu29&3855u)|((alu28>>2u)&12336u)));
    uint alu32 = (val0.z>>cast2);
    uint alu33 = (alu30?(alu32&16191u):(((alu29>>4u)&3855u)|((alu32>>2u)&12336u)));
    uint alu34 = (val5>>4u);
    uint alu35 = (val5&252645135u);
    uint alu36 = (alu34&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu31&255u)))*((((float)((val5&15u)))*val7.x)+(((float)(((alu35>>8u)&255u)))*val7.y)+(((float)(((alu35>>16u)&255u)))*val7.z)+(((float)(((alu35>>24u)&255u)))*val7.w)))-(cast0*((float)((alu33&255u)))*(val7.x+val7.y+val7.z+val7.w)))+((cast1*((float)((alu31>>8u)))*((((float)((alu34&15u)))*val6.x)+(((float)(((alu36>>8u)&255u)))*val6.y)+(((float)(((alu36>>16u)&255u)))*val6.z)+(((float)(((alu36>>24u)&255u)))*val6.w)))-(cast0*((float)((alu33>>8u)))*(val6.x+val6.y+val6.z+val6.w))));
  }
  bool alu39 = (gidx0<192);
  bool alu40 = ((127<gidx0)&alu39);
  int alu41 = (alu40?(alu0+-256):0);
  int alu42 = (alu41*36);
  uint4 val8 = (*((uint4*)((data2_4608+alu42))));
  float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
  float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
  int alu43 = (alu40?2:0);
  for (int Lidx2 = 0; Lidx2 < alu43; Lidx2++) {
    uint val9 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu42+4)));
    int alu44 = (alu24+(Lidx2<<7)+alu25);
    float4 val10 = (*((float4*)((buf2+(alu44+32)))));
    float4 val11 = (*((float4*)((buf2+alu44))));
    uint cast5 = ((uint)(((((Lidx2<<1)+alu23)&1)<<4)));
    uint alu45 = (val8.y>>cast5);
    uint alu46 = (val8.w>>cast5);
    bool alu47 = (Lidx2<1);
    uint alu48 = (alu47?(alu45&16191u):((alu46&3855u)|((alu45>>2u)&12336u)));
    uint alu49 = (val8.z>>cast5);
    uint alu50 = (alu47?(alu49&16191u):(((alu46>>4u)&3855u)|((alu49>>2u)&12336u)));
    uint alu51 = (val9>>4u);
    uint alu52 = (val9&252645135u);
    uint alu53 = (alu51&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast4*((float)((alu48&255u)))*((((float)((val9&15u)))*val11.x)+(((float)(((alu52>>8u)&255u)))*val11.y)+(((float)(((alu52>>16u)&255u)))*val11.z)+(((float)(((alu52>>24u)&255u)))*val11.w)))-(cast3*((float)((alu50&255u)))*(val11.x+val11.y+val11.z+val11.w)))+((cast4*((float)((alu48>>8u)))*((((float)((alu51&15u)))*val10.x)+(((float)(((alu53>>8u)&255u)))*val10.y)+(((float)(((alu53>>16u)&255u)))*val10.z)+(((float)(((alu53>>24u)&255u)))*val10.w)))-(cast3*((float)((alu50>>8u)))*(val10.x+val10.y+val10.z+val10.w))));
  }
  int alu56 = (alu39?0:(alu0+-384));
  int alu57 = (alu56*36);
  uint4 val12 = (*((uint4*)((data3_4608+alu57))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x>>16u)))))));
  float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x&65535u)))))));
  int alu58 = (alu39?0:2);
  for (int Lidx3 = 0; Lidx3 < alu58; Lidx3++) {
    uint val13 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu57+4)));
    int alu59 = (alu24+(Lidx3<<7)+alu25);
    float4 val14 = (*((float4*)((buf2+(alu59+32)))));
    float4 val15 = (*((float4*)((buf2+alu59))));
    uint cast8 = ((uint)(((((Lidx3<<1)+alu23)&1)<<4)));
    uint alu60 = (val12.y>>cast8);
    uint alu61 = (val12.w>>cast8);
    bool alu62 = (Lidx3<1);
    uint alu63 = (alu62?(alu60&16191u):((alu61&3855u)|((alu60>>2u)&12336u)));
    uint alu64 = (val12.z>>cast8);
    uint alu65 = (alu62?(alu64&16191u):(((alu61>>4u)&3855u)|((alu64>>2u)&12336u)));
    uint alu66 = (val13>>4u);
    uint alu67 = (val13&252645135u);
    uint alu68 = (alu66&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast7*((float)((alu63&255u)))*((((float)((val13&15u)))*val15.x)+(((float)(((alu67>>8u)&255u)))*val15.y)+(((float)(((alu67>>16u)&255u)))*val15.z)+(((float)(((alu67>>24u)&255u)))*val15.w)))-(cast6*((float)((alu65&255u)))*(val15.x+val15.y+val15.z+val15.w)))+((cast7*((float)((alu63>>8u)))*((((float)((alu66&15u)))*val14.x)+(((float)(((alu68>>8u)&255u)))*val14.y)+(((float)(((alu68>>16u)&255u)))*val14.z)+(((float)(((alu68>>24u)&255u)))*val14.w)))-(cast6*((float)((alu65>>8u)))*(val14.x+val14.y+val14.z+val14.w))));
  }
  float val16 = (*(buf0+0));
  float alu71 = __shfl_xor_sync(0xffffffffu, val16, 8);
  float alu72 = (val16+alu71);
  float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 4);
  float alu74 = (alu72+alu73);
  float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 2);
  float alu76 = (alu74+alu75);
  float alu77 = __shfl_xor_sync(0xffffffffu, alu76, 1);
  if (((lidx0==0)&(alu1|alu40|(191<gidx0)))) {
    *(data0_512+alu0) = (alu76+alu77);
  }
}
