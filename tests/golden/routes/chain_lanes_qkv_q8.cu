// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 groups=2 lanes=16 rows=1 unroll=1 wide=0 words=1
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
    int alu90 = (alu86+(Lidx1<<2));
    float2 val8 = (*((float2*)((buf2+alu90))));
    uint cast2 = ((uint)((((alu90+1)&3)<<3)));
    uint cast3 = ((uint)(((alu90&3)<<3)));
    uint alu91 = (val0.z>>cast2);
    uint alu92 = (val0.w>>cast2);
    uint alu93 = (val0.z>>cast3);
    uint alu94 = (val0.w>>cast3);
    uint alu95 = (val0.y>>cast2);
    uint alu96 = (val0.y>>cast3);
    int cast4 = tg_bitcast<int>((uint)(val6));
    int cast5 = tg_bitcast<int>((uint)(val7));
    bool alu97 = (alu90<3);
    float alu98 = (alu97?((float)((alu91&63u))):((float)((((alu92&255u)>>4u)|(((alu91&255u)>>6u)<<4u)))));
    bool alu99 = (Lidx1<1);
    float alu100 = (alu99?((float)((alu93&63u))):((float)((((alu94&255u)>>4u)|(((alu93&255u)>>6u)<<4u)))));
    float alu101 = (alu97?((float)((alu95&63u))):((float)(((alu92&15u)|(((alu95&255u)>>6u)<<4u)))));
    float alu102 = (alu99?((float)((alu96&63u))):((float)(((alu94&15u)|(((alu96&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast1*alu102*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast5, 0)))*val8.x)-(cast0*alu100*((float)(__dp4a(16843009, cast5, 0)))*val8.x))+((cast1*alu101*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast4, 0)))*val8.y)-(cast0*alu98*((float)(__dp4a(16843009, cast4, 0)))*val8.y)));
  }
  bool alu105 = (gidx0<192);
  bool alu106 = ((127<gidx0)&alu105);
  int alu107 = (alu106?(alu0+-256):0);
  int alu108 = (alu107*36);
  uint4 val9 = (*((uint4*)((data2_4608+alu108))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
  float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
  int alu109 = (alu106?2:0);
  for (int Lidx2 = 0; Lidx2 < alu109; Lidx2++) {
    uint val10 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu108+4)));
    int alu110 = (alu87+(Lidx2<<5)+alu74);
    uint val11 = (*(buf1+(alu110+8)));
    uint val12 = (*(buf1+alu110));
    int alu111 = (alu86+(Lidx2<<2));
    float2 val13 = (*((float2*)((buf2+alu111))));
    uint cast8 = ((uint)((((alu111+1)&3)<<3)));
    uint cast9 = ((uint)(((alu111&3)<<3)));
    uint alu112 = (val9.z>>cast8);
    uint alu113 = (val9.w>>cast8);
    uint alu114 = (val9.z>>cast9);
    uint alu115 = (val9.w>>cast9);
    uint alu116 = (val9.y>>cast8);
    uint alu117 = (val9.y>>cast9);
    int cast10 = tg_bitcast<int>((uint)(val11));
    int cast11 = tg_bitcast<int>((uint)(val12));
    bool alu118 = (alu111<3);
    float alu119 = (alu118?((float)((alu112&63u))):((float)((((alu113&255u)>>4u)|(((alu112&255u)>>6u)<<4u)))));
    bool alu120 = (Lidx2<1);
    float alu121 = (alu120?((float)((alu114&63u))):((float)((((alu115&255u)>>4u)|(((alu114&255u)>>6u)<<4u)))));
    float alu122 = (alu118?((float)((alu116&63u))):((float)(((alu113&15u)|(((alu116&255u)>>6u)<<4u)))));
    float alu123 = (alu120?((float)((alu117&63u))):((float)(((alu115&15u)|(((alu117&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast7*alu123*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast11, 0)))*val13.x)-(cast6*alu121*((float)(__dp4a(16843009, cast11, 0)))*val13.x))+((cast7*alu122*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast10, 0)))*val13.y)-(cast6*alu119*((float)(__dp4a(16843009, cast10, 0)))*val13.y)));
  }
  int alu126 = (alu105?0:(alu0+-384));
  int alu127 = (alu126*36);
  uint4 val14 = (*((uint4*)((data3_4608+alu127))));
  float cast12 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x>>16u)))))));
  float cast13 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x&65535u)))))));
  int alu128 = (alu105?0:2);
  for (int Lidx3 = 0; Lidx3 < alu128; Lidx3++) {
    uint val15 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu127+4)));
    int alu129 = (alu87+(Lidx3<<5)+alu74);
    uint val16 = (*(buf1+(alu129+8)));
    uint val17 = (*(buf1+alu129));
    int alu130 = (alu86+(Lidx3<<2));
    float2 val18 = (*((float2*)((buf2+alu130))));
    uint cast14 = ((uint)((((alu130+1)&3)<<3)));
    uint cast15 = ((uint)(((alu130&3)<<3)));
    uint alu131 = (val14.z>>cast14);
    uint alu132 = (val14.w>>cast14);
    uint alu133 = (val14.z>>cast15);
    uint alu134 = (val14.w>>cast15);
    uint alu135 = (val14.y>>cast14);
    uint alu136 = (val14.y>>cast15);
    int cast16 = tg_bitcast<int>((uint)(val16));
    int cast17 = tg_bitcast<int>((uint)(val17));
    bool alu137 = (alu130<3);
    float alu138 = (alu137?((float)((alu131&63u))):((float)((((alu132&255u)>>4u)|(((alu131&255u)>>6u)<<4u)))));
    bool alu139 = (Lidx3<1);
    float alu140 = (alu139?((float)((alu133&63u))):((float)((((alu134&255u)>>4u)|(((alu133&255u)>>6u)<<4u)))));
    float alu141 = (alu137?((float)((alu135&63u))):((float)(((alu132&15u)|(((alu135&255u)>>6u)<<4u)))));
    float alu142 = (alu139?((float)((alu136&63u))):((float)(((alu134&15u)|(((alu136&255u)>>6u)<<4u)))));
    *(buf0+0) = ((*(buf0+0))+((cast13*alu142*((float)(__dp4a(tg_bitcast<int>((uint)((val15&252645135u))), cast17, 0)))*val18.x)-(cast12*alu140*((float)(__dp4a(16843009, cast17, 0)))*val18.x))+((cast13*alu141*((float)(__dp4a(tg_bitcast<int>((uint)(((val15>>4u)&252645135u))), cast16, 0)))*val18.y)-(cast12*alu138*((float)(__dp4a(16843009, cast16, 0)))*val18.y)));
  }
  float val19 = (*(buf0+0));
  float alu145 = __shfl_xor_sync(0xffffffffu, val19, 8);
  float alu146 = (val19+alu145);
  float alu147 = __shfl_xor_sync(0xffffffffu, alu146, 4);
  float alu148 = (alu146+alu147);
  float alu149 = __shfl_xor_sync(0xffffffffu, alu148, 2);
  float alu150 = (alu148+alu149);
  float alu151 = __shfl_xor_sync(0xffffffffu, alu150, 1);
  if (((lidx0==0)&(alu1|alu106|(191<gidx0)))) {
    *(data0_512+alu0) = (alu150+alu151);
  }
}
