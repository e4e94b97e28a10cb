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
  int alu22 = (alu21<<1);
  int alu23 = (alu21<<6);
  int alu24 = ((lidx0&7)<<2);
  int alu25 = (alu1?2:0);
  for (int Lidx1 = 0; Lidx1 < alu25; Lidx1++) {
    uint val5 = (*(data1_9216+(lidx0+(Lidx1<<4)+alu3+4)));
    int alu26 = (alu23+(Lidx1<<7)+alu24);
    float4 val6 = (*((float4*)((buf1+(alu26+32)))));
    float4 val7 = (*((float4*)((buf1+alu26))));
    int alu27 = (alu22+(Lidx1<<2));
    uint cast2 = ((uint)((((alu27+1)&3)<<3)));
    uint cast3 = ((uint)(((alu27&3)<<3)));
    uint alu28 = (val0.z>>cast2);
    uint alu29 = (val0.w>>cast2);
    uint alu30 = (val0.z>>cast3);
    uint alu31 = (val0.w>>cast3);
    uint alu32 = (val0.y>>cast2);
    uint alu33 = (val0.y>>cast3);
    uint alu34 = (val5>>4u);
    uint alu35 = (val5&252645135u);
    uint alu36 = (alu34&252645135u);
    bool alu37 = (alu27<3);
    float alu38 = (alu37?((float)((alu28&63u))):((float)((((alu29&255u)>>4u)|(((alu28&255u)>>6u)<<4u)))));
    bool alu39 = (Lidx1<1);
    float alu40 = (alu39?((float)((alu30&63u))):((float)((((alu31&255u)>>4u)|(((alu30&255u)>>6u)<<4u)))));
    float alu41 = (alu37?((float)((alu32&63u))):((float)(((alu29&15u)|(((alu32&255u)>>6u)<<4u)))));
    float alu42 = (alu39?((float)((alu33&63u))):((float)(((alu31&15u)|(((alu33&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast1*alu42*((((float)((val5&15u)))*val7.x)+(((float)(((alu35>>8u)&255u)))*val7.y)+(((float)(((alu35>>16u)&255u)))*val7.z)+(((float)(((alu35>>24u)&255u)))*val7.w)))-(cast0*alu40*(val7.x+val7.y+val7.z+val7.w)))+((cast1*alu41*((((float)((alu34&15u)))*val6.x)+(((float)(((alu36>>8u)&255u)))*val6.y)+(((float)(((alu36>>16u)&255u)))*val6.z)+(((float)(((alu36>>24u)&255u)))*val6.w)))-(cast0*alu38*(val6.x+val6.y+val6.z+val6.w))));
  }
  bool alu45 = (gidx0<192);
  bool alu46 = ((127<gidx0)&alu45);
  int alu47 = (alu46?(alu0+-256):0);
  int alu48 = (alu47*36);
  uint4 val8 = (*((uint4*)((data2_4608+alu48))));
  float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x>>16u)))))));
  float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val8.x&65535u)))))));
  int alu49 = (alu46?2:0);
  for (int Lidx2 = 0; Lidx2 < alu49; Lidx2++) {
    uint val9 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu48+4)));
    int alu50 = (alu23+(Lidx2<<7)+alu24);
    float4 val10 = (*((float4*)((buf1+(alu50+32)))));
    float4 val11 = (*((float4*)((buf1+alu50))));
    int alu51 = (alu22+(Lidx2<<2));
    uint cast6 = ((uint)((((alu51+1)&3)<<3)));
    uint cast7 = ((uint)(((alu51&3)<<3)));
    uint alu52 = (val8.z>>cast6);
    uint alu53 = (val8.w>>cast6);
    uint alu54 = (val8.z>>cast7);
    uint alu55 = (val8.w>>cast7);
    uint alu56 = (val8.y>>cast6);
    uint alu57 = (val8.y>>cast7);
    uint alu58 = (val9>>4u);
    uint alu59 = (val9&252645135u);
    uint alu60 = (alu58&252645135u);
    bool alu61 = (alu51<3);
    float alu62 = (alu61?((float)((alu52&63u))):((float)((((alu53&255u)>>4u)|(((alu52&255u)>>6u)<<4u)))));
    bool alu63 = (Lidx2<1);
    float alu64 = (alu63?((float)((alu54&63u))):((float)((((alu55&255u)>>4u)|(((alu54&255u)>>6u)<<4u)))));
    float alu65 = (alu61?((float)((alu56&63u))):((float)(((alu53&15u)|(((alu56&255u)>>6u)<<4u)))));
    float alu66 = (alu63?((float)((alu57&63u))):((float)(((alu55&15u)|(((alu57&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast5*alu66*((((float)((val9&15u)))*val11.x)+(((float)(((alu59>>8u)&255u)))*val11.y)+(((float)(((alu59>>16u)&255u)))*val11.z)+(((float)(((alu59>>24u)&255u)))*val11.w)))-(cast4*alu64*(val11.x+val11.y+val11.z+val11.w)))+((cast5*alu65*((((float)((alu58&15u)))*val10.x)+(((float)(((alu60>>8u)&255u)))*val10.y)+(((float)(((alu60>>16u)&255u)))*val10.z)+(((float)(((alu60>>24u)&255u)))*val10.w)))-(cast4*alu62*(val10.x+val10.y+val10.z+val10.w))));
  }
  int alu69 = (alu45?0:(alu0+-384));
  int alu70 = (alu69*36);
  uint4 val12 = (*((uint4*)((data3_4608+alu70))));
  float cast8 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x>>16u)))))));
  float cast9 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val12.x&65535u)))))));
  int alu71 = (alu45?0:2);
  for (int Lidx3 = 0; Lidx3 < alu71; Lidx3++) {
    uint val13 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu70+4)));
    int alu72 = (alu23+(Lidx3<<7)+alu24);
    float4 val14 = (*((float4*)((buf1+(alu72+32)))));
    float4 val15 = (*((float4*)((buf1+alu72))));
    int alu73 = (alu22+(Lidx3<<2));
    uint cast10 = ((uint)((((alu73+1)&3)<<3)));
    uint cast11 = ((uint)(((alu73&3)<<3)));
    uint alu74 = (val12.z>>cast10);
    uint alu75 = (val12.w>>cast10);
    uint alu76 = (val12.z>>cast11);
    uint alu77 = (val12.w>>cast11);
    uint alu78 = (val12.y>>cast10);
    uint alu79 = (val12.y>>cast11);
    uint alu80 = (val13>>4u);
    uint alu81 = (val13&252645135u);
    uint alu82 = (alu80&252645135u);
    bool alu83 = (alu73<3);
    float alu84 = (alu83?((float)((alu74&63u))):((float)((((alu75&255u)>>4u)|(((alu74&255u)>>6u)<<4u)))));
    bool alu85 = (Lidx3<1);
    float alu86 = (alu85?((float)((alu76&63u))):((float)((((alu77&255u)>>4u)|(((alu76&255u)>>6u)<<4u)))));
    float alu87 = (alu83?((float)((alu78&63u))):((float)(((alu75&15u)|(((alu78&255u)>>6u)<<4u)))));
    float alu88 = (alu85?((float)((alu79&63u))):((float)(((alu77&15u)|(((alu79&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast9*alu88*((((float)((val13&15u)))*val15.x)+(((float)(((alu81>>8u)&255u)))*val15.y)+(((float)(((alu81>>16u)&255u)))*val15.z)+(((float)(((alu81>>24u)&255u)))*val15.w)))-(cast8*alu86*(val15.x+val15.y+val15.z+val15.w)))+((cast9*alu87*((((float)((alu80&15u)))*val14.x)+(((float)(((alu82>>8u)&255u)))*val14.y)+(((float)(((alu82>>16u)&255u)))*val14.z)+(((float)(((alu82>>24u)&255u)))*val14.w)))-(cast8*alu84*(val14.x+val14.y+val14.z+val14.w))));
  }
  float val16 = (*(buf0+0));
  float alu91 = __shfl_xor_sync(0xffffffffu, val16, 8);
  float alu92 = (val16+alu91);
  float alu93 = __shfl_xor_sync(0xffffffffu, alu92, 4);
  float alu94 = (alu92+alu93);
  float alu95 = __shfl_xor_sync(0xffffffffu, alu94, 2);
  float alu96 = (alu94+alu95);
  float alu97 = __shfl_xor_sync(0xffffffffu, alu96, 1);
  if (((lidx0==0)&(alu1|alu46|(191<gidx0)))) {
    *(data0_512+alu0) = (alu96+alu97);
  }
}
