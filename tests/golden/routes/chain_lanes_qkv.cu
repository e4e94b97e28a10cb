// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 groups=2 lanes=16 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_f32(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256, float* data5_256) {
  float buf0[1];
  __shared__ __align__(16) float buf1[256];
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
  float4 val1 = (*((float4*)((data4_256+alu5))));
  float4 val2 = (*((float4*)((data4_256+alu4))));
  float4 val3 = (*((float4*)((data5_256+alu5))));
  float4 val4 = (*((float4*)((data5_256+alu4))));
  float alu6 = ((val2.x*val2.x)+(val2.y*val2.y)+(val2.z*val2.z)+(val2.w*val2.w)+(val1.x*val1.x)+(val1.y*val1.y)+(val1.z*val1.z)+(val1.w*val1.w));
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 16);
  float alu8 = (alu6+alu7);
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 8);
  float alu10 = (alu8+alu9);
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 4);
  float alu12 = (alu10+alu11);
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 2);
  float alu14 = (alu12+alu13);
  float alu15 = __shfl_xor_sync(0xffffffffu, alu14, 1);
  float alu16 = (1/sqrt((((alu14+alu15)*0.00390625f)+9.999999747378752e-06f)));
  *((float4*)((buf1+alu5))) = make_float4((val1.x*alu16*val3.x),(val1.y*alu16*val3.y),(val1.z*alu16*val3.z),(val1.w*alu16*val3.w));
  *((float4*)((buf1+alu4))) = make_float4((val2.x*alu16*val4.x),(val2.y*alu16*val4.y),(val2.z*alu16*val4.z),(val2.w*alu16*val4.w));
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  int alu21 = (lidx0>>3);
  int alu22 = (alu21<<6);
  int alu23 = ((lidx0&7)<<2);
  int alu24 = (alu1?2:0);
  for (int Lidx1 = 0; Lidx1 < alu24; Lidx1++) {
    uint val5 = (*(data1_9216+(lidx0+(Lidx1<<4)+alu3+4)));
    int alu25 = (alu22+(Lidx1<<7)+alu23);
    float4 val6 = (*((float4*)((buf1+(alu25+32)))));
    float4 val7 = (*((float4*)((buf1+alu25))));
    uint cast2 = ((uint)(((((Lidx1<<1)+alu21)&1)<<4)));
    uint alu26 = (val0.y>>cast2);
    uint alu27 = (val0.w>>cast2);
    bool alu28 = (Lidx1<1);
    uint alu29 = (alu28?(alu26&16191u):((alu27&3855u)|((alu26>>2u)&12336u)));
    uint alu30 = (val0.z>>cast2);
    uint alu31 = (alu28?(alu30&16191u):(((alu27>>4u)&3855u)|((alu30>>2u)&12336u)));
    uint alu32 = (val5>>4u);
    uint alu33 = (val5&252645135u);
    uint alu34 = (alu32&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu29&255u)))*((((float)((val5&15u)))*val7.x)+(((float)(((alu33>>8u)&255u)))*val7.y)+(((float)(((alu33>>16u)&255u)))*val7.z)+(((float)(((alu33>>24u)&255u)))*val7.w)))-(cast0*((float)((alu31&255u)))*(val7.x+val7.y+val7.z+val7.w)))+((cast1*((float)((alu29>>8u)))*((((float)((alu32&15u)))*val6.x)+(((float)(((alu34>>8u)&255u)))*val6.y)+(((float)(((alu34>>16u)&255u)))*val6.z)+(((float)(((alu34>>24u)&255u)))*val6.w)))-(cast0*((float)((alu31>>8u)))*(val6.x+val6.y+val6.z+val6.w))));
  }
  bool alu37 = (gidx0<192);
  bool alu38 = ((127<gidx0)&alu37);
  int alu39 = (alu38?(alu0+-256):0);
  int alu40 = (alu39*36);
  uint4 val8 = (*((uint4*)((data2_4608+alu40))));
  float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
  float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
  int alu41 = (alu38?2:0);
  for (int Lidx2 = 0; Lidx2 < alu41; Lidx2++) {
    uint val9 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu40+4)));
    int alu42 = (alu22+(Lidx2<<7)+alu23);
    float4 val10 = (*((float4*)((buf1+(alu42+32)))));
    float4 val11 = (*((float4*)((buf1+alu42))));
    uint cast5 = ((uint)(((((Lidx2<<1)+alu21)&1)<<4)));
    uint alu43 = (val8.y>>cast5);
    uint alu44 = (val8.w>>cast5);
    bool alu45 = (Lidx2<1);
    uint alu46 = (alu45?(alu43&16191u):((alu44&3855u)|((alu43>>2u)&12336u)));
    uint alu47 = (val8.z>>cast5);
    uint alu48 = (alu45?(alu47&16191u):(((alu44>>4u)&3855u)|((alu47>>2u)&12336u)));
    uint alu49 = (val9>>4u);
    uint alu50 = (val9&252645135u);
    uint alu51 = (alu49&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast4*((float)((alu46&255u)))*((((float)((val9&15u)))*val11.x)+(((float)(((alu50>>8u)&255u)))*val11.y)+(((float)(((alu50>>16u)&255u)))*val11.z)+(((float)(((alu50>>24u)&255u)))*val11.w)))-(cast3*((float)((alu48&255u)))*(val11.x+val11.y+val11.z+val11.w)))+((cast4*((float)((alu46>>8u)))*((((float)((alu49&15u)))*val10.x)+(((float)(((alu51>>8u)&255u)))*val10.y)+(((float)(((alu51>>16u)&255u)))*val10.z)+(((float)(((alu51>>24u)&255u)))*val10.w)))-(cast3*((float)((alu48>>8u)))*(val10.x+val10.y+val10.z+val10.w))));
  }
  int alu54 = (alu37?0:(alu0+-384));
  int alu55 = (alu54*36);
  uint4 val12 = (*((uint4*)((data3_4608+alu55))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x>>16u)))))));
  float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x&65535u)))))));
  int alu56 = (alu37?0:2);
  for (int Lidx3 = 0; Lidx3 < alu56; Lidx3++) {
    uint val13 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu55+4)));
    int alu57 = (alu22+(Lidx3<<7)+alu23);
    float4 val14 = (*((float4*)((buf1+(alu57+32)))));
    float4 val15 = (*((float4*)((buf1+alu57))));
    uint cast8 = ((uint)(((((Lidx3<<1)+alu21)&1)<<4)));
    uint alu58 = (val12.y>>cast8);
    uint alu59 = (val12.w>>cast8);
    bool alu60 = (Lidx3<1);
    uint alu61 = (alu60?(alu58&16191u):((alu59&3855u)|((alu58>>2u)&12336u)));
    uint alu62 = (val12.z>>cast8);
    uint alu63 = (alu60?(alu62&16191u):(((alu59>>4u)&3855u)|((alu62>>2u)&12336u)));
    uint alu64 = (val13>>4u);
    uint alu65 = (val13&252645135u);
    uint alu66 = (alu64&252645135u);
    *(buf0+0) = ((*(buf0+0))+((cast7*((float)((alu61&255u)))*((((float)((val13&15u)))*val15.x)+(((float)(((alu65>>8u)&255u)))*val15.y)+(((float)(((alu65>>16u)&255u)))*val15.z)+(((float)(((alu65>>24u)&255u)))*val15.w)))-(cast6*((float)((alu63&255u)))*(val15.x+val15.y+val15.z+val15.w)))+((cast7*((float)((alu61>>8u)))*((((float)((alu64&15u)))*val14.x)+(((float)(((alu66>>8u)&255u)))*val14.y)+(((float)(((alu66>>16u)&255u)))*val14.z)+(((float)(((alu66>>24u)&255u)))*val14.w)))-(cast6*((float)((alu63>>8u)))*(val14.x+val14.y+val14.z+val14.w))));
  }
  float val16 = (*(buf0+0));
  float alu69 = __shfl_xor_sync(0xffffffffu, val16, 8);
  float alu70 = (val16+alu69);
  float alu71 = __shfl_xor_sync(0xffffffffu, alu70, 4);
  float alu72 = (alu70+alu71);
  float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 2);
  float alu74 = (alu72+alu73);
  float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 1);
  if (((lidx0==0)&(alu1|alu38|(191<gidx0)))) {
    *(data0_512+alu0) = (alu74+alu75);
  }
}
