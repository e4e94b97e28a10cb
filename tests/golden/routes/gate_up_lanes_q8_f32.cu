// decode/gate_up/2x512x256/Q4_K/m1 ahead=0 groups=8 lanes=4 rows=4 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) gate_up_1024x256_q8(float* data0_512, float* data1_16, uint* data2_18432, uint* data3_18432, uint* data4_64, float* data5_8) {
  float buf0[8];
  int buf1[1];
  __shared__ __align__(16) float buf2[32];
  int gidx0 = blockIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = ((gidx0*1152)+(lidx1*144));
  int alu1 = (alu0+36);
  uint4 val0 = (*((uint4*)((data2_18432+alu1))));
  int alu2 = (alu0+72);
  uint4 val1 = (*((uint4*)((data2_18432+alu2))));
  int alu3 = (alu0+108);
  uint4 val2 = (*((uint4*)((data2_18432+alu3))));
  uint4 val3 = (*((uint4*)((data2_18432+alu0))));
  uint4 val4 = (*((uint4*)((data3_18432+alu1))));
  uint4 val5 = (*((uint4*)((data3_18432+alu2))));
  uint4 val6 = (*((uint4*)((data3_18432+alu3))));
  uint4 val7 = (*((uint4*)((data3_18432+alu0))));
  int lidx0 = threadIdx.x; /* 4 */
  int alu4 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu4;
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
    int alu14 = (lidx0+(Lidx1<<2)+alu0);
    int alu15 = (alu14+4);
    uint val8 = (*(data2_18432+alu15));
    int alu16 = (alu14+40);
    uint val9 = (*(data2_18432+alu16));
    int alu17 = (alu14+76);
    uint val10 = (*(data2_18432+alu17));
    int alu18 = (alu14+112);
    uint val11 = (*(data2_18432+alu18));
    uint val12 = (*(data3_18432+alu15));
    uint val13 = (*(data3_18432+alu16));
    uint val14 = (*(data3_18432+alu17));
    uint val15 = (*(data3_18432+alu18));
    int alu19 = (Lidx1>>1);
    int alu20 = (lidx0+((Lidx1&1)<<2)+(alu19<<4));
    uint val16 = (*(data4_64+alu20));
    uint val17 = (*(data4_64+(alu20+8)));
    float2 val18 = (*((float2*)((data5_8+(alu19<<1)))));
    uint cast16 = ((uint)(((alu19&1)<<4)));
    uint alu21 = (val0.y>>cast16);
    uint alu22 = (val0.w>>cast16);
    bool alu23 = (Lidx1<4);
    uint alu24 = (alu23?(alu21&16191u):((alu22&3855u)|((alu21>>2u)&12336u)));
    uint alu25 = (val0.z>>cast16);
    uint alu26 = (alu23?(alu25&16191u):(((alu22>>4u)&3855u)|((alu25>>2u)&12336u)));
    uint alu27 = (val1.y>>cast16);
    uint alu28 = (val1.w>>cast16);
    uint alu29 = (alu23?(alu27&16191u):((alu28&3855u)|((alu27>>2u)&12336u)));
    uint alu30 = (val1.z>>cast16);
    uint alu31 = (alu23?(alu30&16191u):(((alu28>>4u)&3855u)|((alu30>>2u)&12336u)));
    uint alu32 = (val2.y>>cast16);
    uint alu33 = (val2.w>>cast16);
    uint alu34 = (alu23?(alu32&16191u):((alu33&3855u)|((alu32>>2u)&12336u)));
    uint alu35 = (val2.z>>cast16);
    uint alu36 = (alu23?(alu35&16191u):(((alu33>>4u)&3855u)|((alu35>>2u)&12336u)));
    uint alu37 = (val3.y>>cast16);
    uint alu38 = (val3.w>>cast16);
    uint alu39 = (alu23?(alu37&16191u):((alu38&3855u)|((alu37>>2u)&12336u)));
    uint alu40 = (val3.z>>cast16);
    uint alu41 = (alu23?(alu40&16191u):(((alu38>>4u)&3855u)|((alu40>>2u)&12336u)));
    uint alu42 = (val4.y>>cast16);
    uint alu43 = (val4.w>>cast16);
    uint alu44 = (alu23?(alu42&16191u):((alu43&3855u)|((alu42>>2u)&12336u)));
    uint alu45 = (val4.z>>cast16);
    uint alu46 = (alu23?(alu45&16191u):(((alu43>>4u)&3855u)|((alu45>>2u)&12336u)));
    uint alu47 = (val5.y>>cast16);
    uint alu48 = (val5.w>>cast16);
    uint alu49 = (alu23?(alu47&16191u):((alu48&3855u)|((alu47>>2u)&12336u)));
    uint alu50 = (val5.z>>cast16);
    uint alu51 = (alu23?(alu50&16191u):(((alu48>>4u)&3855u)|((alu50>>2u)&12336u)));
    uint alu52 = (val6.y>>cast16);
    uint alu53 = (val6.w>>cast16);
    uint alu54 = (alu23?(alu52&16191u):((alu53&3855u)|((alu52>>2u)&12336u)));
    uint alu55 = (val6.z>>cast16);
    uint alu56 = (alu23?(alu55&16191u):(((alu53>>4u)&3855u)|((alu55>>2u)&12336u)));
    uint alu57 = (val7.y>>cast16);
    uint alu58 = (val7.w>>cast16);
    uint alu59 = (alu23?(alu57&16191u):((alu58&3855u)|((alu57>>2u)&12336u)));
    uint alu60 = (val7.z>>cast16);
    uint alu61 = (alu23?(alu60&16191u):(((alu58>>4u)&3855u)|((alu60>>2u)&12336u)));
    int cast17 = tg_bitcast<int>((uint)(val16));
    int cast18 = tg_bitcast<int>((uint)(val17));
    float alu62 = (((float)(__dp4a(16843009, cast17, 0)))*val18.x);
    float alu63 = (((float)(__dp4a(16843009, cast18, 0)))*val18.y);
    *(buf0+0) = ((*(buf0+0))+((cast11*((float)((alu39&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val8&252645135u))), cast17, 0)))*val18.x)-(cast3*((float)((alu41&255u)))*alu62))+((cast11*((float)((alu39>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val8>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast3*((float)((alu41>>8u)))*alu63)));
    *(buf0+1) = ((*(buf0+1))+((cast8*((float)((alu24&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val9&252645135u))), cast17, 0)))*val18.x)-(cast0*((float)((alu26&255u)))*alu62))+((cast8*((float)((alu24>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val9>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast0*((float)((alu26>>8u)))*alu63)));
    *(buf0+2) = ((*(buf0+2))+((cast9*((float)((alu29&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast17, 0)))*val18.x)-(cast1*((float)((alu31&255u)))*alu62))+((cast9*((float)((alu29>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast1*((float)((alu31>>8u)))*alu63)));
    *(buf0+3) = ((*(buf0+3))+((cast10*((float)((alu34&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val11&252645135u))), cast17, 0)))*val18.x)-(cast2*((float)((alu36&255u)))*alu62))+((cast10*((float)((alu34>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val11>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast2*((float)((alu36>>8u)))*alu63)));
    *(buf0+4) = ((*(buf0+4))+((cast15*((float)((alu59&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val12&252645135u))), cast17, 0)))*val18.x)-(cast7*((float)((alu61&255u)))*alu62))+((cast15*((float)((alu59>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val12>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast7*((float)((alu61>>8u)))*alu63)));
    *(buf0+5) = ((*(buf0+5))+((cast12*((float)((alu44&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val13&252645135u))), cast17, 0)))*val18.x)-(cast4*((float)((alu46&255u)))*alu62))+((cast12*((float)((alu44>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val13>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast4*((float)((alu46>>8u)))*alu63)));
    *(buf0+6) = ((*(buf0+6))+((cast13*((float)((alu49&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val14&252645135u))), cast17, 0)))*val18.x)-(cast5*((float)((alu51&255u)))*alu62))+((cast13*((float)((alu49>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val14>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast5*((float)((alu51>>8u)))*alu63)));
    *(buf0+7) = ((*(buf0+7))+((cast14*((float)((alu54&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val15&252645135u))), cast17, 0)))*val18.x)-(cast6*((float)((alu56&255u)))*alu62))+((cast14*((float)((alu54>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val15>>4u)&252645135u))), cast18, 0)))*val18.y)-(cast6*((float)((alu56>>8u)))*alu63)));
  }
  float val19 = (*(buf0+0));
  float val20 = (*(buf0+1));
  float val21 = (*(buf0+2));
  float val22 = (*(buf0+3));
  float val23 = (*(buf0+4));
  float val24 = (*(buf0+5));
  float val25 = (*(buf0+6));
  float val26 = (*(buf0+7));
  float alu73 = __shfl_xor_sync(0xffffffffu, val19, 2);
  float alu74 = (val19+alu73);
  float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 1);
  float alu76 = __shfl_xor_sync(0xffffffffu, val20, 2);
  float alu77 = (val20+alu76);
  float alu78 = __shfl_xor_sync(0xffffffffu, alu77, 1);
  float alu79 = __shfl_xor_sync(0xffffffffu, val21, 2);
  float alu80 = (val21+alu79);
  float alu81 = __shfl_xor_sync(0xffffffffu, alu80, 1);
  float alu82 = __shfl_xor_sync(0xffffffffu, val22, 2);
  float alu83 = (val22+alu82);
  float alu84 = __shfl_xor_sync(0xffffffffu, alu83, 1);
  float alu85 = __shfl_xor_sync(0xffffffffu, val23, 2);
  float alu86 = (val23+alu85);
  float alu87 = __shfl_xor_sync(0xffffffffu, val24, 2);
  float alu88 = (val24+alu87);
  float alu89 = __shfl_xor_sync(0xffffffffu, val25, 2);
  float alu90 = (val25+alu89);
  float alu91 = __shfl_xor_sync(0xffffffffu, val26, 2);
  float alu92 = (val26+alu91);
  float alu93 = __shfl_xor_sync(0xffffffffu, alu86, 1);
  float alu94 = __shfl_xor_sync(0xffffffffu, alu88, 1);
  float alu95 = __shfl_xor_sync(0xffffffffu, alu90, 1);
  float alu96 = __shfl_xor_sync(0xffffffffu, alu92, 1);
  int alu97 = (lidx1<<2);
  if ((lidx0==0)) {
    *((float4*)((buf2+alu97))) = make_float4(((alu74+alu75)*(1/(exp2((((-val19-alu73)-alu75)*1.4426950216293335f))+1.0f))*(alu86+alu93)),((alu77+alu78)*(1/(exp2((((-val20-alu76)-alu78)*1.4426950216293335f))+1.0f))*(alu88+alu94)),((alu80+alu81)*(1/(exp2((((-val21-alu79)-alu81)*1.4426950216293335f))+1.0f))*(alu90+alu95)),((alu83+alu84)*(1/(exp2((((-val22-alu82)-alu84)*1.4426950216293335f))+1.0f))*(alu92+alu96)));
  }
  __syncthreads();
  int alu102 = (lidx0+alu97);
  bool alu103 = (lidx1<2);
  int alu104 = (alu103?alu102:0);
  float4 val27 = (*((float4*)((buf2+(alu104<<2)))));
  float alu105 = (val27.x+val27.y+val27.z+val27.w);
  float alu106 = __shfl_xor_sync(0xffffffffu, alu105, 4);
  float alu107 = (alu105+alu106);
  float alu108 = __shfl_xor_sync(0xffffffffu, alu107, 2);
  float alu109 = (alu107+alu108);
  float alu110 = __shfl_xor_sync(0xffffffffu, alu109, 1);
  if ((alu103&(alu102==0))) {
    *(data1_16+gidx0) = (alu109+alu110);
  }
  if (alu103) {
    *((float4*)((data0_512+((lidx0<<2)+(lidx1<<4)+(gidx0<<5))))) = val27;
  }
}
