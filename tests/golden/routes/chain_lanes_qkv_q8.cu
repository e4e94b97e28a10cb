// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 ahead=0 groups=2 lanes=16 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_qkv_512x256_q8(float* data0_512, uint* data1_9216, uint* data2_4608, uint* data3_4608, float* data4_256, float* data5_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) uint buf2[64];
  __shared__ __align__(16) float buf3[8];
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
  int alu8 = (lidx0+(lidx1<<4));
  int alu9 = (lidx0>>3);
  int alu10 = ((lidx1<<1)+alu9);
  float alu11 = ((val4.x*val4.x)+(val4.y*val4.y)+(val4.z*val4.z)+(val4.w*val4.w)+(val3.x*val3.x)+(val3.y*val3.y)+(val3.z*val3.z)+(val3.w*val3.w));
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 16);
  float alu13 = (alu11+alu12);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 8);
  float alu15 = (alu13+alu14);
  float alu16 = __shfl_xor_sync(0xffffffffu, alu15, 4);
  float alu17 = (alu15+alu16);
  float alu18 = __shfl_xor_sync(0xffffffffu, alu17, 2);
  float alu19 = (alu17+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 1);
  float alu21 = (1/sqrt((((alu19+alu20)*0.00390625f)+9.999999747378752e-06f)));
  float alu22 = (val3.x*alu21*val1.x);
  float alu23 = (val3.y*alu21*val1.y);
  float alu24 = (val3.z*alu21*val1.z);
  float alu25 = (val3.w*alu21*val1.w);
  float alu26 = ((alu22<0.0f)?-alu22:alu22);
  float alu27 = ((alu23<0.0f)?-alu23:alu23);
  float alu28 = ((alu24<0.0f)?-alu24:alu24);
  float alu29 = ((alu26<alu27)?alu27:alu26);
  float alu30 = ((alu25<0.0f)?-alu25:alu25);
  float alu31 = ((alu29<alu28)?alu28:alu29);
  float alu32 = ((alu31<alu30)?alu30:alu31);
  float alu33 = __shfl_xor_sync(0xffffffffu, alu32, 4);
  float alu34 = ((alu32<alu33)?alu33:alu32);
  float alu35 = __shfl_xor_sync(0xffffffffu, alu34, 2);
  float alu36 = ((alu34<alu35)?alu35:alu34);
  float alu37 = __shfl_xor_sync(0xffffffffu, alu36, 1);
  float alu38 = ((alu36<alu37)?alu37:alu36);
  float alu39 = (alu38*0.007874015718698502f);
  float alu40 = ((0.0f<alu39)?((1/alu38)*127.0f):0.0f);
  float alu41 = (alu22*alu40);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  float alu43 = (alu23*alu40);
  float alu44 = ((alu43<0.0f)?-0.5f:0.5f);
  float alu45 = (alu24*alu40);
  float alu46 = ((alu45<0.0f)?-0.5f:0.5f);
  float alu47 = (alu25*alu40);
  float alu48 = ((alu47<0.0f)?-0.5f:0.5f);
  float alu49 = (val4.x*alu21*val2.x);
  float alu50 = (val4.y*alu21*val2.y);
  float alu51 = (val4.z*alu21*val2.z);
  float alu52 = (val4.w*alu21*val2.w);
  float alu53 = ((alu49<0.0f)?-alu49:alu49);
  float alu54 = ((alu50<0.0f)?-alu50:alu50);
  float alu55 = ((alu51<0.0f)?-alu51:alu51);
  float alu56 = ((alu53<alu54)?alu54:alu53);
  float alu57 = ((alu52<0.0f)?-alu52:alu52);
  float alu58 = ((alu56<alu55)?alu55:alu56);
  float alu59 = ((alu58<alu57)?alu57:alu58);
  float alu60 = __shfl_xor_sync(0xffffffffu, alu59, 4);
  float alu61 = ((alu59<alu60)?alu60:alu59);
  float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 2);
  float alu63 = ((alu61<alu62)?alu62:alu61);
  float alu64 = __shfl_xor_sync(0xffffffffu, alu63, 1);
  float alu65 = ((alu63<alu64)?alu64:alu63);
  float alu66 = (alu65*0.007874015718698502f);
  float alu67 = ((0.0f<alu66)?((1/alu65)*127.0f):0.0f);
  float alu68 = (alu49*alu67);
  float alu69 = ((alu68<0.0f)?-0.5f:0.5f);
  float alu70 = (alu50*alu67);
  float alu71 = ((alu70<0.0f)?-0.5f:0.5f);
  float alu72 = (alu51*alu67);
  float alu73 = ((alu72<0.0f)?-0.5f:0.5f);
  float alu74 = (alu52*alu67);
  float alu75 = ((alu74<0.0f)?-0.5f:0.5f);
  int alu76 = (lidx0&7);
  bool alu77 = (alu76==0);
  *(buf2+alu8) = ((tg_bitcast<uint>((int)(((int)(trunc((alu68+alu69))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu70+alu71))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu72+alu73))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu74+alu75))))))&255u)<<24u));
  *(buf2+(alu8+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu41+alu42))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu43+alu44))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu45+alu46))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu47+alu48))))))&255u)<<24u));
  if (alu77) {
    *(buf3+(alu10+4)) = alu39;
  }
  if (alu77) {
    *(buf3+alu10) = alu66;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  int alu88 = (alu9<<1);
  int alu89 = (alu9<<4);
  int alu90 = (alu1?2:0);
  for (int Lidx1 = 0; Lidx1 < alu90; Lidx1++) {
    uint val5 = (*(data1_9216+(lidx0+(Lidx1<<4)+alu3+4)));
    int alu91 = (alu89+(Lidx1<<5)+alu76);
    uint val6 = (*(buf2+(alu91+8)));
    uint val7 = (*(buf2+alu91));
    float2 val8 = (*((float2*)((buf3+(alu88+(Lidx1<<2))))));
    uint cast2 = ((uint)(((((Lidx1<<1)+alu9)&1)<<4)));
    uint alu92 = (val0.y>>cast2);
    uint alu93 = (val0.w>>cast2);
    bool alu94 = (Lidx1<1);
    uint alu95 = (alu94?(alu92&16191u):((alu93&3855u)|((alu92>>2u)&12336u)));
    uint alu96 = (val0.z>>cast2);
    uint alu97 = (alu94?(alu96&16191u):(((alu93>>4u)&3855u)|((alu96>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val6));
    int cast4 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu95&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast4, 0)))*val8.x)-(cast0*((float)((alu97&255u)))*((float)(__dp4a(16843009, cast4, 0)))*val8.x))+((cast1*((float)((alu95>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast3, 0)))*val8.y)-(cast0*((float)((alu97>>8u)))*((float)(__dp4a(16843009, cast3, 0)))*val8.y)));
  }
  bool alu100 = (gidx0<192);
  bool alu101 = ((127<gidx0)&alu100);
  int alu102 = (alu101?(alu0+-256):0);
  int alu103 = (alu102*36);
  uint4 val9 = (*((uint4*)((data2_4608+alu103))));
  float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x>>16u)))))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val9.x&65535u)))))));
  int alu104 = (alu101?2:0);
  for (int Lidx2 = 0; Lidx2 < alu104; Lidx2++) {
    uint val10 = (*(data2_4608+(lidx0+(Lidx2<<4)+alu103+4)));
    int alu105 = (alu89+(Lidx2<<5)+alu76);
    uint val11 = (*(buf2+(alu105+8)));
    uint val12 = (*(buf2+alu105));
    float2 val13 = (*((float2*)((buf3+(alu88+(Lidx2<<2))))));
    uint cast7 = ((uint)(((((Lidx2<<1)+alu9)&1)<<4)));
    uint alu106 = (val9.y>>cast7);
    uint alu107 = (val9.w>>cast7);
    bool alu108 = (Lidx2<1);
    uint alu109 = (alu108?(alu106&16191u):((alu107&3855u)|((alu106>>2u)&12336u)));
    uint alu110 = (val9.z>>cast7);
    uint alu111 = (alu108?(alu110&16191u):(((alu107>>4u)&3855u)|((alu110>>2u)&12336u)));
    int cast8 = tg_bitcast<int>((uint)(val11));
    int cast9 = tg_bitcast<int>((uint)(val12));
    *(buf0+0) = ((*(buf0+0))+((cast6*((float)((alu109&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val10&252645135u))), cast9, 0)))*val13.x)-(cast5*((float)((alu111&255u)))*((float)(__dp4a(16843009, cast9, 0)))*val13.x))+((cast6*((float)((alu109>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val10>>4u)&252645135u))), cast8, 0)))*val13.y)-(cast5*((float)((alu111>>8u)))*((float)(__dp4a(16843009, cast8, 0)))*val13.y)));
  }
  int alu114 = (alu100?0:(alu0+-384));
  int alu115 = (alu114*36);
  uint4 val14 = (*((uint4*)((data3_4608+alu115))));
  float cast10 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x>>16u)))))));
  float cast11 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val14.x&65535u)))))));
  int alu116 = (alu100?0:2);
  for (int Lidx3 = 0; Lidx3 < alu116; Lidx3++) {
    uint val15 = (*(data3_4608+(lidx0+(Lidx3<<4)+alu115+4)));
    int alu117 = (alu89+(Lidx3<<5)+alu76);
    uint val16 = (*(buf2+(alu117+8)));
    uint val17 = (*(buf2+alu117));
    float2 val18 = (*((float2*)((buf3+(alu88+(Lidx3<<2))))));
    uint cast12 = ((uint)(((((Lidx3<<1)+alu9)&1)<<4)));
    uint alu118 = (val14.y>>cast12);
    uint alu119 = (val14.w>>cast12);
    bool alu120 = (Lidx3<1);
    uint alu121 = (alu120?(alu118&16191u):((alu119&3855u)|((alu118>>2u)&12336u)));
    uint alu122 = (val14.z>>cast12);
    uint alu123 = (alu120?(alu122&16191u):(((alu119>>4u)&3855u)|((alu122>>2u)&12336u)));
    int cast13 = tg_bitcast<int>((uint)(val16));
    int cast14 = tg_bitcast<int>((uint)(val17));
    *(buf0+0) = ((*(buf0+0))+((cast11*((float)((alu121&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val15&252645135u))), cast14, 0)))*val18.x)-(cast10*((float)((alu123&255u)))*((float)(__dp4a(16843009, cast14, 0)))*val18.x))+((cast11*((float)((alu121>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val15>>4u)&252645135u))), cast13, 0)))*val18.y)-(cast10*((float)((alu123>>8u)))*((float)(__dp4a(16843009, cast13, 0)))*val18.y)));
  }
  float val19 = (*(buf0+0));
  float alu126 = __shfl_xor_sync(0xffffffffu, val19, 8);
  float alu127 = (val19+alu126);
  float alu128 = __shfl_xor_sync(0xffffffffu, alu127, 4);
  float alu129 = (alu127+alu128);
  float alu130 = __shfl_xor_sync(0xffffffffu, alu129, 2);
  float alu131 = (alu129+alu130);
  float alu132 = __shfl_xor_sync(0xffffffffu, alu131, 1);
  if (((lidx0==0)&(alu1|alu101|(191<gidx0)))) {
    *(data0_512+alu0) = (alu131+alu132);
  }
}
