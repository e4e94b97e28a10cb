// decode/gate_up/2x512x256/Q4_K/m1 ahead=0 groups=8 lanes=4 rows=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) gate_up_1024x256_q8(uint* data0_128, float* data1_16, float* data2_32, uint* data3_18432, uint* data4_18432, uint* data5_64, float* data6_8) {
  float buf0[8];
  __shared__ __align__(16) float buf1[32];
  int gidx0 = blockIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = ((gidx0*1152)+(lidx1*144));
  int alu1 = (alu0+36);
  uint4 val0 = (*((uint4*)((data3_18432+alu1))));
  int alu2 = (alu0+72);
  uint4 val1 = (*((uint4*)((data3_18432+alu2))));
  int alu3 = (alu0+108);
  uint4 val2 = (*((uint4*)((data3_18432+alu3))));
  uint4 val3 = (*((uint4*)((data3_18432+alu0))));
  uint4 val4 = (*((uint4*)((data4_18432+alu1))));
  uint4 val5 = (*((uint4*)((data4_18432+alu2))));
  uint4 val6 = (*((uint4*)((data4_18432+alu3))));
  uint4 val7 = (*((uint4*)((data4_18432+alu0))));
  int lidx0 = threadIdx.x; /* 4 */
  *(buf0+0) = 0.0f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  *(buf0+3) = 0.0f;
  *(buf0+4) = 0.0f;
  *(buf0+5) = 0.0f;
  *(buf0+6) = 0.0f;
  *(buf0+7) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x>>16u)))))));
  float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val4.x>>16u)))))));
  float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x>>16u)))))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val6.x>>16u)))))));
  float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val7.x>>16u)))))));
  float cast8 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  float cast9 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x&65535u)))))));
  float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  float cast11 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x&65535u)))))));
  float cast12 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val4.x&65535u)))))));
  float cast13 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val5.x&65535u)))))));
  float cast14 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val6.x&65535u)))))));
  float cast15 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val7.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 8; Lidx1++) {
    int alu12 = (lidx0+(Lidx1<<2)+alu0);
    int alu13 = (alu12+4);
    uint val8 = (*(data3_18432+alu13));
    int alu14 = (alu12+40);
    uint val9 = (*(data3_18432+alu14));
    int alu15 = (alu12+76);
    uint val10 = (*(data3_18432+alu15));
    int alu16 = (alu12+112);
    uint val11 = (*(data3_18432+alu16));
    uint val12 = (*(data4_18432+alu13));
    uint val13 = (*(data4_18432+alu14));
    uint val14 = (*(data4_18432+alu15));
    uint val15 = (*(data4_18432+alu16));
    int alu17 = (Lidx1>>1);
    int alu18 = (lidx0+((Lidx1&1)<<2)+(alu17<<4));
    uint val16 = (*(data5_64+alu18));
    uint val17 = (*(data5_64+(alu18+8)));
    float2 val18 = (*((float2*)((data6_8+(alu17<<1)))));
    uint cast16 = ((uint)(((alu17&1)<<4)));
    uint alu19 = (val0.y>>cast16);
    uint alu20 = (val0.w>>cast16);
    bool alu21 = (Lidx1<4);
    uint alu22 = (alu21?(alu19&16191u):((alu20&3855u)|((alu19>>2u)&12336u)));
    uint alu23 = (val0.z>>cast16);
    uint alu24 = (alu21?(alu23&16191u):(((alu20>>4u)&3855u)|((alu23>>2u)&12336u)));
    uint alu25 = (val1.y>>cast16);
    uint alu26 = (val1.w>>cast16);
    uint alu27 = (alu21?(alu25&16191u):((alu26&3855u)|((alu25>>2u)&12336u)));
    uint alu28 = (val1.z>>cast16);
    uint alu29 = (alu21?(alu28&16191u):(((alu26>>4u)&3855u)|((alu28>>2u)&12336u)));
    uint alu30 = (val2.y>>cast16);
    uint alu31 = (val2.w>>cast16);
    uint alu32 = (alu21?(alu30&16191u):((alu31&3855u)|((alu30>>2u)&12336u)));
    uint alu33 = (val2.z>>cast16);
    uint alu34 = (alu21?(alu33&16191u):(((alu31>>4u)&3855u)|((alu33>>2u)&12336u)));
    uint alu35 = (val3.y>>cast16);
    uint alu36 = (val3.w>>cast16);
    uint alu37 = (alu21?(alu35&16191u):((alu36&3855u)|((alu35>>2u)&12336u)));
    uint alu38 = (val3.z>>cast16);
    uint alu39 = (alu21?(alu38&16191u):(((alu36>>4u)&3855u)|((alu38>>2u)&12336u)));
    uint alu40 = (val4.y>>cast16);
    uint alu41 = (val4.w>>cast16);
    uint alu42 = (alu21?(alu40&16191u):((alu41&3855u)|((alu40>>2u)&12336u)));
    uint alu43 = (val4.z>>cast16);
    uint alu44 = (alu21?(alu43&16191u):(((alu41>>4u)&3855u)|((alu43>>2u)&12336u)));
    uint alu45 = (val5.y>>cast16);
    uint alu46 = (val5.w>>cast16);
    uint alu47 = (alu21?(alu45&16191u):((alu46&3855u)|((alu45>>2u)&12336u)));
    uint alu48 = (val5.z>>cast16);
    uint alu49 = (alu21?(alu48&16191u):(((alu46>>4u)&3855u)|((alu48>>2u)&12336u)));
    uint alu50 = (val6.y>>cast16);
    uint alu51 = (val6.w>>cast16);
    uint alu52 = (alu21?(alu50&16191u):((alu51&3855u)|((alu50>>2u)&12336u)));
    uint alu53 = (val6.z>>cast16);
    uint alu54 = (alu21?(alu53&16191u):(((alu51>>4u)&3855u)|((alu53>>2u)&12336u)));
    uint alu55 = (val7.y>>cast16);
    uint alu56 = (val7.w>>cast16);
    uint alu57 = (alu21?(alu55&16191u):((alu56&3855u)|((alu55>>2u)&12336u)));
    uint alu58 = (val7.z>>cast16);
    uint alu59 = (alu21?(alu58&16191u):(((alu56>>4u)&3855u)|((alu58>>2u)&12336u)));
    int cast17 = tg_bitcast<int>((uint)(val16));
    int cast18 = tg_bitcast<int>((uint)(val17));
    float alu60 = (((float)(__dp4a(16843009, cast17, 0)))*val18.x);
    float alu61 = (((float)(__dp4a(16843009, cast18, 0)))*val18.y);
    *(buf0+0) = ((*(buf0+0))+((cast11*((float)((alu37&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val8&252645135u))), cast17, 0)))*val18.x)-(cast3*((float)((alu39&255u)))*alu60))+((cast11*((float)((alu37>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val8>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast3*((float)((alu39>>8u)))*alu61)));
    *(buf0+1) = ((*(buf0+1))+((cast8*((float)((alu22&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val9&252645135u))), cast17, 0)))*val18.x)-(cast0*((float)((alu24&255u)))*alu60))+((cast8*((float)((alu22>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val9>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast0*((float)((alu24>>8u)))*alu61)));
    *(buf0+2) = ((*(buf0+2))+((cast9*((float)((alu27&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast17, 0)))*val18.x)-(cast1*((float)((alu29&255u)))*alu60))+((cast9*((float)((alu27>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast1*((float)((alu29>>8u)))*alu61)));
    *(buf0+3) = ((*(buf0+3))+((cast10*((float)((alu32&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val11&252645135u))), cast17, 0)))*val18.x)-(cast2*((float)((alu34&255u)))*alu60))+((cast10*((float)((alu32>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val11>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast2*((float)((alu34>>8u)))*alu61)));
    *(buf0+4) = ((*(buf0+4))+((cast15*((float)((alu57&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val12&252645135u))), cast17, 0)))*val18.x)-(cast7*((float)((alu59&255u)))*alu60))+((cast15*((float)((alu57>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val12>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast7*((float)((alu59>>8u)))*alu61)));
    *(buf0+5) = ((*(buf0+5))+((cast12*((float)((alu42&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val13&252645135u))), cast17, 0)))*val18.x)-(cast4*((float)((alu44&255u)))*alu60))+((cast12*((float)((alu42>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val13>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast4*((float)((alu44>>8u)))*alu61)));
    *(buf0+6) = ((*(buf0+6))+((cast13*((float)((alu47&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val14&252645135u))), cast17, 0)))*val18.x)-(cast5*((float)((alu49&255u)))*alu60))+((cast13*((float)((alu47>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val14>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast5*((float)((alu49>>8u)))*alu61)));
    *(buf0+7) = ((*(buf0+7))+((cast14*((float)((alu52&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val15&252645135u))), cast17, 0)))*val18.x)-(cast6*((float)((alu54&255u)))*alu60))+((cast14*((float)((alu52>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val15>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast6*((float)((alu54>>8u)))*alu61)));
  }
  float val19 = (*(buf0+0));
  float val20 = (*(buf0+1));
  float val21 = (*(buf0+2));
  float val22 = (*(buf0+3));
  float val23 = (*(buf0+4));
  float val24 = (*(buf0+5));
  float val25 = (*(buf0+6));
  float val26 = (*(buf0+7));
  float alu71 = __shfl_xor_sync(0xffffffffu, val19, 2);
  float alu72 = (val19+alu71);
  float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 1);
  float alu74 = __shfl_xor_sync(0xffffffffu, val20, 2);
  float alu75 = (val20+alu74);
  float alu76 = __shfl_xor_sync(0xffffffffu, alu75, 1);
  float alu77 = __shfl_xor_sync(0xffffffffu, val21, 2);
  float alu78 = (val21+alu77);
  float alu79 = __shfl_xor_sync(0xffffffffu, alu78, 1);
  float alu80 = __shfl_xor_sync(0xffffffffu, val22, 2);
  float alu81 = (val22+alu80);
  float alu82 = __shfl_xor_sync(0xffffffffu, alu81, 1);
  float alu83 = __shfl_xor_sync(0xffffffffu, val23, 2);
  float alu84 = (val23+alu83);
  float alu85 = __shfl_xor_sync(0xffffffffu, val24, 2);
  float alu86 = (val24+alu85);
  float alu87 = __shfl_xor_sync(0xffffffffu, val25, 2);
  float alu88 = (val25+alu87);
  float alu89 = __shfl_xor_sync(0xffffffffu, val26, 2);
  float alu90 = (val26+alu89);
  float alu91 = __shfl_xor_sync(0xffffffffu, alu84, 1);
  float alu92 = __shfl_xor_sync(0xffffffffu, alu86, 1);
  float alu93 = __shfl_xor_sync(0xffffffffu, alu88, 1);
  float alu94 = __shfl_xor_sync(0xffffffffu, alu90, 1);
  int alu95 = (lidx1<<2);
  bool alu96 = (lidx0==0);
  if (alu96) {
    *((float4*)((buf1+alu95))) = make_float4(((alu72+alu73)*(1/(exp2((((-val19-alu71)-alu73)*1.4426950216293335f))+1.0f))*(alu84+alu91)),((alu75+alu76)*(1/(exp2((((-val20-alu74)-alu76)*1.4426950216293335f))+1.0f))*(alu86+alu92)),((alu78+alu79)*(1/(exp2((((-val21-alu77)-alu79)*1.4426950216293335f))+1.0f))*(alu88+alu93)),((alu81+alu82)*(1/(exp2((((-val22-alu80)-alu82)*1.4426950216293335f))+1.0f))*(alu90+alu94)));
  }
  __syncthreads();
  int alu101 = (lidx0+alu95);
  bool alu102 = (lidx1<2);
  int alu103 = (alu102?alu101:0);
  float4 val27 = (*((float4*)((buf1+(alu103<<2)))));
  float alu104 = ((val27.x<0.0f)?-val27.x:val27.x);
  float alu105 = ((val27.y<0.0f)?-val27.y:val27.y);
  float alu106 = ((val27.z<0.0f)?-val27.z:val27.z);
  float alu107 = ((alu104<alu105)?alu105:alu104);
  float alu108 = ((val27.w<0.0f)?-val27.w:val27.w);
  float alu109 = ((alu107<alu106)?alu106:alu107);
  float alu110 = ((alu109<alu108)?alu108:alu109);
  float alu111 = __shfl_xor_sync(0xffffffffu, alu110, 4);
  float alu112 = ((alu110<alu111)?alu111:alu110);
  float alu113 = __shfl_xor_sync(0xffffffffu, alu112, 2);
  float alu114 = ((alu112<alu113)?alu113:alu112);
  float alu115 = __shfl_xor_sync(0xffffffffu, alu114, 1);
  float alu116 = ((alu114<alu115)?alu115:alu114);
  float alu117 = (alu116*0.007874015718698502f);
  float alu118 = ((0.0f<alu117)?((1/alu116)*127.0f):0.0f);
  float alu119 = (val27.x*alu118);
  float alu120 = ((alu119<0.0f)?-0.5f:0.5f);
  int cast19 = ((int)(trunc((alu119+alu120))));
  float alu121 = (val27.y*alu118);
  float alu122 = ((alu121<0.0f)?-0.5f:0.5f);
  int cast20 = ((int)(trunc((alu121+alu122))));
  float alu123 = (val27.z*alu118);
  float alu124 = ((alu123<0.0f)?-0.5f:0.5f);
  int cast21 = ((int)(trunc((alu123+alu124))));
  float alu125 = (val27.w*alu118);
  float alu126 = ((alu125<0.0f)?-0.5f:0.5f);
  int cast22 = ((int)(trunc((alu125+alu126))));
  int alu127 = (cast19+cast20+cast21+cast22);
  int alu128 = __shfl_xor_sync(0xffffffffu, alu127, 2);
  int alu129 = (alu127+alu128);
  int alu130 = __shfl_xor_sync(0xffffffffu, alu129, 1);
  if (alu102) {
    *(data0_128+(alu101+(gidx0<<3))) = ((tg_bitcast<uint>((int)(cast19))&255u)|((tg_bitcast<uint>((int)(cast20))&255u)<<8u)|((tg_bitcast<uint>((int)(cast21))&255u)<<16u)|((tg_bitcast<uint>((int)(cast22))&255u)<<24u));
  }
  if ((alu102&(alu101==0))) {
    *(data1_16+gidx0) = alu117;
  }
  if ((alu102&alu96)) {
    *(data2_32+(lidx1+(gidx0<<1))) = (alu116*((float)((alu129+alu130)))*0.007874015718698502f);
  }
}
