// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 ahead=0 groups=2 lanes=16 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_q8(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256, float* data5_256) {
  float buf0[1];
  __shared__ __align__(16) uint buf1[64];
  __shared__ __align__(16) float buf2[8];
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
  int alu6 = (lidx0+(lidx1<<4));
  int alu7 = (lidx0>>3);
  int alu8 = ((lidx1<<1)+alu7);
  float alu9 = ((val2.x*val2.x)+(val2.y*val2.y)+(val2.z*val2.z)+(val2.w*val2.w)+(val1.x*val1.x)+(val1.y*val1.y)+(val1.z*val1.z)+(val1.w*val1.w));
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 16);
  float alu11 = (alu9+alu10);
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 8);
  float alu13 = (alu11+alu12);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 4);
  float alu15 = (alu13+alu14);
  float alu16 = __shfl_xor_sync(0xffffffffu, alu15, 2);
  float alu17 = (alu15+alu16);
  float alu18 = __shfl_xor_sync(0xffffffffu, alu17, 1);
  float alu19 = (1/sqrt((((alu17+alu18)*0.00390625f)+9.999999747378752e-06f)));
  float alu20 = (val1.x*alu19*val3.x);
  float alu21 = (val1.y*alu19*val3.y);
  float alu22 = (val1.z*alu19*val3.z);
  float alu23 = (val1.w*alu19*val3.w);
  float alu24 = ((alu20<0.0f)?-alu20:alu20);
  float alu25 = ((alu21<0.0f)?-alu21:alu21);
  float alu26 = ((alu22<0.0f)?-alu22:alu22);
  float alu27 = ((alu24<alu25)?alu25:alu24);
  float alu28 = ((alu23<0.0f)?-alu23:alu23);
  float alu29 = ((alu27<alu26)?alu26:alu27);
  float alu30 = ((alu29<alu28)?alu28:alu29);
  float alu31 = __shfl_xor_sync(0xffffffffu, alu30, 4);
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = __shfl_xor_sync(0xffffffffu, alu32, 2);
  float alu34 = ((alu32<alu33)?alu33:alu32);
  float alu35 = __shfl_xor_sync(0xffffffffu, alu34, 1);
  float alu36 = ((alu34<alu35)?alu35:alu34);
  float alu37 = (alu36*0.007874015718698502f);
  float alu38 = ((0.0f<alu37)?((1/alu36)*127.0f):0.0f);
  float alu39 = (alu20*alu38);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  float alu41 = (alu21*alu38);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  float alu43 = (alu22*alu38);
  float alu44 = ((alu43<0.0f)?-0.5f:0.5f);
  float alu45 = (alu23*alu38);
  float alu46 = ((alu45<0.0f)?-0.5f:0.5f);
  float alu47 = (val2.x*alu19*val4.x);
  float alu48 = (val2.y*alu19*val4.y);
  float alu49 = (val2.z*alu19*val4.z);
  float alu50 = (val2.w*alu19*val4.w);
  float alu51 = ((alu47<0.0f)?-alu47:alu47);
  float alu52 = ((alu48<0.0f)?-alu48:alu48);
  float alu53 = ((alu49<0.0f)?-alu49:alu49);
  float alu54 = ((alu51<alu52)?alu52:alu51);
  float alu55 = ((alu50<0.0f)?-alu50:alu50);
  float alu56 = ((alu54<alu53)?alu53:alu54);
  float alu57 = ((alu56<alu55)?alu55:alu56);
  float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 4);
  float alu59 = ((alu57<alu58)?alu58:alu57);
  float alu60 = __shfl_xor_sync(0xffffffffu, alu59, 2);
  float alu61 = ((alu59<alu60)?alu60:alu59);
  float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 1);
  float alu63 = ((alu61<alu62)?alu62:alu61);
  float alu64 = (alu63*0.007874015718698502f);
  float alu65 = ((0.0f<alu64)?((1/alu63)*127.0f):0.0f);
  float alu66 = (alu47*alu65);
  float alu67 = ((alu66<0.0f)?-0.5f:0.5f);
  float alu68 = (alu48*alu65);
  float alu69 = ((alu68<0.0f)?-0.5f:0.5f);
  float alu70 = (alu49*alu65);
  float alu71 = ((alu70<0.0f)?-0.5f:0.5f);
  float alu72 = (alu50*alu65);
  float alu73 = ((alu72<0.0f)?-0.5f:0.5f);
  int alu74 = (lidx0&7);
  bool alu75 = (alu74==0);
  *(buf1+alu6) = ((tg_bitcast<uint>((int)(((int)(trunc((alu66+alu67))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu68+alu69))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu70+alu71))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu72+alu73))))))&255u)<<24u));
  *(buf1+(alu6+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu39+alu40))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu41+alu42))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu43+alu44))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu45+alu46))))))&255u)<<24u));
  if (alu75) {
    *(buf2+(alu8+4)) = alu37;
  }
  if (alu75) {
    *(buf2+alu8) = alu64;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  int alu86 = (alu7<<1);
  int alu87 = (alu7<<4);
  int alu88 = (alu1?2:0);
  for (int Lidx1 = 0; Lidx1 < alu88; Lidx1++) {
    uint val5 = (*(data1_9216+(lidx0+(Lidx1<<4)+alu3+4)));
    int alu89 = (alu87+(Lidx1<<5)+alu74);
    uint val6 = (*(buf1+(alu89+8)));
    uint val7 = (*(buf1+alu89));
    float2 val8 = (*((float2*)((buf2+(alu86+(Lidx1<<2))))));
    uint cast2 = ((uint)(((((Lidx1<<1)+alu7)&1)<<4)));
    uint alu90 = (val0.y>>cast2);
    uint alu91 = (val0.w>>cast2);
    bool alu92 = (Lidx1<1);
    uint alu93 = (alu92?(alu90&16191u):((alu91&3855u)|((alu90>>2u)&12336u)));
    uint alu94 = (val0.z>>cast2);
    uint alu95 = (alu92?(alu94&16191u):(((alu91>>4u)&3855u)|((alu94>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val6));
    int cast4 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu93&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast4, 0)))*val8.x)-(cast0*((float)((alu95&255u)))*((float)(__dp4a(16843009, cast4, 0)))*val8.x))+((cast1*((float)((alu93>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast3, 0)))*val8.y)-(cast0*((float)((alu95>>8u)))*((float)(__dp4a(16843009, cast3, 0)))*val8.y)));
  }
  bool alu98 = (gidx0<192);
  bool alu99 = ((127<gidx0)&alu98);
  int alu100 = (alu99?(alu0+-256):0);
  int alu101 = (alu100*36);
  uint4 val9 = (*((uint4*)((data2_4608+alu101))));
  float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
  int alu102 = (alu99?2:0);
  for (int Lidx2 = 0; Lidx2 < alu102; Lidx2++) {
    uint val10 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu101+4)));
    int alu103 = (alu87+(Lidx2<<5)+alu74);
    uint val11 = (*(buf1+(alu103+8)));
    uint val12 = (*(buf1+alu103));
    float2 val13 = (*((float2*)((buf2+(alu86+(Lidx2<<2))))));
    uint cast7 = ((uint)(((((Lidx2<<1)+alu7)&1)<<4)));
    uint alu104 = (val9.y>>cast7);
    uint alu105 = (val9.w>>cast7);
    bool alu106 = (Lidx2<1);
    uint alu107 = (alu106?(alu104&16191u):((alu105&3855u)|((alu104>>2u)&12336u)));
    uint alu108 = (val9.z>>cast7);
    uint alu109 = (alu106?(alu108&16191u):(((alu105>>4u)&3855u)|((alu108>>2u)&12336u)));
    int cast8 = tg_bitcast<int>((uint)(val11));
    int cast9 = tg_bitcast<int>((uint)(val12));
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu107&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast9, 0)))*val13.x)-(cast5*((float)((alu109&255u)))*((float)(__dp4a(16843009, cast9, 0)))*val13.x))+((cast6*((float)((alu107>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast8, 0)))*val13.y)-(cast5*((float)((alu109>>8u)))*((float)(__dp4a(16843009, cast8, 0)))*val13.y)));
  }
  int alu112 = (alu98?0:(alu0+-384));
  int alu113 = (alu112*36);
  uint4 val14 = (*((uint4*)((data3_4608+alu113))));
  float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x>>16u)))))));
  float cast11 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x&65535u)))))));
  int alu114 = (alu98?0:2);
  for (int Lidx3 = 0; Lidx3 < alu114; Lidx3++) {
    uint val15 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu113+4)));
    int alu115 = (alu87+(Lidx3<<5)+alu74);
    uint val16 = (*(buf1+(alu115+8)));
    uint val17 = (*(buf1+alu115));
    float2 val18 = (*((float2*)((buf2+(alu86+(Lidx3<<2))))));
    uint cast12 = ((uint)(((((Lidx3<<1)+alu7)&1)<<4)));
    uint alu116 = (val14.y>>cast12);
    uint alu117 = (val14.w>>cast12);
    bool alu118 = (Lidx3<1);
    uint alu119 = (alu118?(alu116&16191u):((alu117&3855u)|((alu116>>2u)&12336u)));
    uint alu120 = (val14.z>>cast12);
    uint alu121 = (alu118?(alu120&16191u):(((alu117>>4u)&3855u)|((alu120>>2u)&12336u)));
    int cast13 = tg_bitcast<int>((uint)(val16));
    int cast14 = tg_bitcast<int>((uint)(val17));
    *(buf0+0) = ((*(buf0+0))+((cast11*((float)((alu119&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val15&252645135u))), cast14, 0)))*val18.x)-(cast10*((float)((alu121&255u)))*((float)(__dp4a(16843009, cast14, 0)))*val18.x))+((cast11*((float)((alu119>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val15>>4u)&252645135u))), cast13, 0)))*val18.y)-(cast10*((float)((alu121>>8u)))*((float)(__dp4a(16843009, cast13, 0)))*val18.y)));
  }
  float val19 = (*(buf0+0));
  float alu124 = __shfl_xor_sync(0xffffffffu, val19, 8);
  float alu125 = (val19+alu124);
  float alu126 = __shfl_xor_sync(0xffffffffu, alu125, 4);
  float alu127 = (alu125+alu126);
  float alu128 = __shfl_xor_sync(0xffffffffu, alu127, 2);
  float alu129 = (alu127+alu128);
  float alu130 = __shfl_xor_sync(0xffffffffu, alu129, 1);
  if (((lidx0==0)&(alu1|alu99|(191<gidx0)))) {
    *(data0_512+alu0) = (alu129+alu130);
  }
}
