// decode/o+norm/256x256/Q4_K/m1 ahead=0 groups=8 lanes=4 rows=4 split=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) o_norm_256x256_q8(float* data0_256, uint* data1_64, float* data2_8, float* data3_16, float* data4_8, uint* data5_9216, uint* data6_64, float* data7_8, float* data8_256) {
  float buf0[8];
  float buf1[4];
  int buf2[1];
  __shared__ __align__(16) float buf3[64];
  int gidx0 = blockIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = ((gidx0*1152)+(lidx1*144));
  uint4 val0 = (*((uint4*)((data5_9216+(alu0+36)))));
  uint4 val1 = (*((uint4*)((data5_9216+(alu0+72)))));
  uint4 val2 = (*((uint4*)((data5_9216+(alu0+108)))));
  uint4 val3 = (*((uint4*)((data5_9216+alu0))));
  int alu1 = (lidx1<<2);
  int alu2 = ((gidx0<<5)+alu1);
  float4 val4 = (*((float4*)((data8_256+alu2))));
  int alu3 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu3;
  float4 val5 = (*((float4*)((data0_256+alu2))));
  int lidx0 = threadIdx.x; /* 4 */
  *(buf0+0) = val5.x;
  *(buf0+1) = val5.y;
  *(buf0+2) = val5.z;
  *(buf0+3) = val5.w;
  *(buf0+4) = val4.x;
  *(buf0+5) = val4.y;
  *(buf0+6) = val4.z;
  *(buf0+7) = val4.w;
  *(buf1+0) = 0.0f;
  *(buf1+1) = 0.0f;
  *(buf1+2) = 0.0f;
  *(buf1+3) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x>>16u)))))));
  float cast2 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x>>16u)))))));
  float cast3 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x>>16u)))))));
  float cast4 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  float cast5 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val1.x&65535u)))))));
  float cast6 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val2.x&65535u)))))));
  float cast7 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val3.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 8; Lidx1++) {
    int alu17 = (lidx0+(Lidx1<<2)+alu0);
    uint val6 = (*(data5_9216+(alu17+4)));
    uint val7 = (*(data5_9216+(alu17+40)));
    uint val8 = (*(data5_9216+(alu17+76)));
    uint val9 = (*(data5_9216+(alu17+112)));
    int alu18 = (Lidx1>>1);
    int alu19 = (lidx0+((Lidx1&1)<<2)+(alu18<<4));
    uint val10 = (*(data6_64+alu19));
    uint val11 = (*(data6_64+(alu19+8)));
    float2 val12 = (*((float2*)((data7_8+(alu18<<1)))));
    uint cast8 = ((uint)(((alu18&1)<<4)));
    uint alu20 = (val0.y>>cast8);
    uint alu21 = (val0.w>>cast8);
    bool alu22 = (Lidx1<4);
    uint alu23 = (alu22?(alu20&16191u):((alu21&3855u)|((alu20>>2u)&12336u)));
    uint alu24 = (val0.z>>cast8);
    uint alu25 = (alu22?(alu24&16191u):(((alu21>>4u)&3855u)|((alu24>>2u)&12336u)));
    uint alu26 = (val1.y>>cast8);
    uint alu27 = (val1.w>>cast8);
    uint alu28 = (alu22?(alu26&16191u):((alu27&3855u)|((alu26>>2u)&12336u)));
    uint alu29 = (val1.z>>cast8);
    uint alu30 = (alu22?(alu29&16191u):(((alu27>>4u)&3855u)|((alu29>>2u)&12336u)));
    uint alu31 = (val2.y>>cast8);
    uint alu32 = (val2.w>>cast8);
    uint alu33 = (alu22?(alu31&16191u):((alu32&3855u)|((alu31>>2u)&12336u)));
    uint alu34 = (val2.z>>cast8);
    uint alu35 = (alu22?(alu34&16191u):(((alu32>>4u)&3855u)|((alu34>>2u)&12336u)));
    uint alu36 = (val3.y>>cast8);
    uint alu37 = (val3.w>>cast8);
    uint alu38 = (alu22?(alu36&16191u):((alu37&3855u)|((alu36>>2u)&12336u)));
    uint alu39 = (val3.z>>cast8);
    uint alu40 = (alu22?(alu39&16191u):(((alu37>>4u)&3855u)|((alu39>>2u)&12336u)));
    int cast9 = tg_bitcast<int>((uint)(val10));
    int cast10 = tg_bitcast<int>((uint)(val11));
    float alu41 = (((float)(__dp4a(16843009, cast9, 0)))*val12.x);
    float alu42 = (((float)(__dp4a(16843009, cast10, 0)))*val12.y);
    *(buf1+0) = ((*(buf1+0))+((cast7*((float)((alu38&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val6&252645135u))), cast9, 0)))*val12.x)-(cast3*((float)((alu40&255u)))*alu41))+((cast7*((float)((alu38>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val6>>4u)&252645135u))), cast10, 0)))*val12.y)-(cast3*((float)((alu40>>8u)))*alu42)));
    *(buf1+1) = ((*(buf1+1))+((cast4*((float)((alu23&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val7&252645135u))), cast9, 0)))*val12.x)-(cast0*((float)((alu25&255u)))*alu41))+((cast4*((float)((alu23>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val7>>4u)&252645135u))), cast10, 0)))*val12.y)-(cast0*((float)((alu25>>8u)))*alu42)));
    *(buf1+2) = ((*(buf1+2))+((cast5*((float)((alu28&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val8&252645135u))), cast9, 0)))*val12.x)-(cast1*((float)((alu30&255u)))*alu41))+((cast5*((float)((alu28>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val8>>4u)&252645135u))), cast10, 0)))*val12.y)-(cast1*((float)((alu30>>8u)))*alu42)));
    *(buf1+3) = ((*(buf1+3))+((cast6*((float)((alu33&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val9&252645135u))), cast9, 0)))*val12.x)-(cast2*((float)((alu35&255u)))*alu41))+((cast6*((float)((alu33>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val9>>4u)&252645135u))), cast10, 0)))*val12.y)-(cast2*((float)((alu35>>8u)))*alu42)));
  }
  float val13 = (*(buf1+0));
  float val14 = (*(buf1+1));
  float val15 = (*(buf1+2));
  float val16 = (*(buf1+3));
  float alu48 = __shfl_xor_sync(0xffffffffu, val13, 2);
  float alu49 = (val13+alu48);
  float alu50 = __shfl_xor_sync(0xffffffffu, alu49, 1);
  float alu51 = ((*(buf0+0))+alu49+alu50);
  float alu52 = __shfl_xor_sync(0xffffffffu, val14, 2);
  float alu53 = (val14+alu52);
  float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 1);
  float alu55 = ((*(buf0+1))+alu53+alu54);
  float alu56 = __shfl_xor_sync(0xffffffffu, val15, 2);
  float alu57 = (val15+alu56);
  float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 1);
  float alu59 = ((*(buf0+2))+alu57+alu58);
  float alu60 = __shfl_xor_sync(0xffffffffu, val16, 2);
  float alu61 = (val16+alu60);
  float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 1);
  float alu63 = ((*(buf0+3))+alu61+alu62);
  float4 cast11 = make_float4(alu51,alu55,alu59,alu63);
  bool alu64 = (lidx0==0);
  if (alu64) {
    *((float4*)((buf3+(alu1+32)))) = make_float4(((*(buf0+4))*alu51),((*(buf0+5))*alu55),((*(buf0+6))*alu59),((*(buf0+7))*alu63));
  }
  if (alu64) {
    *((float4*)((buf3+alu1))) = cast11;
  }
  __syncthreads();
  int alu72 = (lidx0+alu1);
  bool alu73 = (lidx1<2);
  int alu74 = (alu73?alu72:0);
  int alu75 = (alu74<<2);
  float4 val17 = (*((float4*)((buf3+(alu75+32)))));
  float4 val18 = (*((float4*)((buf3+alu75))));
  float alu76 = ((val17.x<0.0f)?-val17.x:val17.x);
  float alu77 = ((val17.y<0.0f)?-val17.y:val17.y);
  float alu78 = ((val17.z<0.0f)?-val17.z:val17.z);
  float alu79 = ((alu76<alu77)?alu77:alu76);
  float alu80 = ((val17.w<0.0f)?-val17.w:val17.w);
  float alu81 = ((alu79<alu78)?alu78:alu79);
  float alu82 = ((alu81<alu80)?alu80:alu81);
  float alu83 = __shfl_xor_sync(0xffffffffu, alu82, 4);
  float alu84 = ((alu82<alu83)?alu83:alu82);
  float alu85 = __shfl_xor_sync(0xffffffffu, alu84, 2);
  float alu86 = ((alu84<alu85)?alu85:alu84);
  float alu87 = __shfl_xor_sync(0xffffffffu, alu86, 1);
  float alu88 = ((alu86<alu87)?alu87:alu86);
  float alu89 = (alu88*0.007874015718698502f);
  float alu90 = ((0.0f<alu89)?((1/alu88)*127.0f):0.0f);
  float alu91 = (val17.x*alu90);
  float alu92 = ((alu91<0.0f)?-0.5f:0.5f);
  int cast12 = ((int)(trunc((alu91+alu92))));
  float alu93 = (val17.y*alu90);
  float alu94 = ((alu93<0.0f)?-0.5f:0.5f);
  int cast13 = ((int)(trunc((alu93+alu94))));
  float alu95 = (val17.z*alu90);
  float alu96 = ((alu95<0.0f)?-0.5f:0.5f);
  int cast14 = ((int)(trunc((alu95+alu96))));
  float alu97 = (val17.w*alu90);
  float alu98 = ((alu97<0.0f)?-0.5f:0.5f);
  int cast15 = ((int)(trunc((alu97+alu98))));
  int alu99 = (cast12+cast13+cast14+cast15);
  int alu100 = __shfl_xor_sync(0xffffffffu, alu99, 2);
  int alu101 = (alu99+alu100);
  int alu102 = __shfl_xor_sync(0xffffffffu, alu101, 1);
  float alu103 = ((val18.x*val18.x)+(val18.y*val18.y)+(val18.z*val18.z)+(val18.w*val18.w));
  float alu104 = __shfl_xor_sync(0xffffffffu, alu103, 4);
  float alu105 = (alu103+alu104);
  float alu106 = __shfl_xor_sync(0xffffffffu, alu105, 2);
  float alu107 = (alu105+alu106);
  float alu108 = __shfl_xor_sync(0xffffffffu, alu107, 1);
  bool alu109 = (alu73&(alu72==0));
  if (alu73) {
    *(data1_64+(alu72+(gidx0<<3))) = ((tg_bitcast<uint>((int)(cast12))&255u)|((tg_bitcast<uint>((int)(cast13))&255u)<<8u)|((tg_bitcast<uint>((int)(cast14))&255u)<<16u)|((tg_bitcast<uint>((int)(cast15))&255u)<<24u));
  }
  if (alu109) {
    *(data2_8+gidx0) = alu89;
  }
  if ((alu73&alu64)) {
    *(data3_16+(lidx1+(gidx0<<1))) = (alu88*((float)((alu101+alu102)))*0.007874015718698502f);
  }
  if (alu109) {
    *(data4_8+gidx0) = (alu107+alu108);
  }
  if (alu64) {
    *((float4*)((data0_256+alu2))) = cast11;
  }
}
