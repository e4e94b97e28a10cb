// decode/norm+head/96x256/Q4_K/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_head_96x256_q8(float* data0_96, uint* data1_3456, float* data2_256, float* data3_256) {
  float buf0[1];
  __shared__ __align__(16) uint buf1[64];
  __shared__ __align__(16) float buf2[8];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data1_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  int alu1 = ((lidx0<<2)+(lidx1<<5));
  int alu2 = (alu1+128);
  float4 val1 = (*((float4*)((data2_256+alu2))));
  float4 val2 = (*((float4*)((data2_256+alu1))));
  float4 val3 = (*((float4*)((data3_256+alu2))));
  float4 val4 = (*((float4*)((data3_256+alu1))));
  int alu3 = (lidx0+(lidx1<<3));
  float alu4 = ((val2.x*val2.x)+(val2.y*val2.y)+(val2.z*val2.z)+(val2.w*val2.w)+(val1.x*val1.x)+(val1.y*val1.y)+(val1.z*val1.z)+(val1.w*val1.w));
  float alu5 = __shfl_xor_sync(0xffffffffu, alu4, 16);
  float alu6 = (alu4+alu5);
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 8);
  float alu8 = (alu6+alu7);
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 4);
  float alu10 = (alu8+alu9);
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 2);
  float alu12 = (alu10+alu11);
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 1);
  float alu14 = (1/sqrt((((alu12+alu13)*0.00390625f)+9.999999747378752e-06f)));
  float alu15 = (val1.x*alu14*val3.x);
  float alu16 = (val1.y*alu14*val3.y);
  float alu17 = (val1.z*alu14*val3.z);
  float alu18 = (val1.w*alu14*val3.w);
  float alu19 = ((alu15<0.0f)?-alu15:alu15);
  float alu20 = ((alu16<0.0f)?-alu16:alu16);
  float alu21 = ((alu17<0.0f)?-alu17:alu17);
  float alu22 = ((alu19<alu20)?alu20:alu19);
  float alu23 = ((alu18<0.0f)?-alu18:alu18);
  float alu24 = ((alu22<alu21)?alu21:alu22);
  float alu25 = ((alu24<alu23)?alu23:alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 4);
  float alu27 = ((alu25<alu26)?alu26:alu25);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 2);
  float alu29 = ((alu27<alu28)?alu28:alu27);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 1);
  float alu31 = ((alu29<alu30)?alu30:alu29);
  float alu32 = (alu31*0.007874015718698502f);
  float alu33 = ((0.0f<alu32)?((1/alu31)*127.0f):0.0f);
  float alu34 = (alu15*alu33);
  float alu35 = ((alu34<0.0f)?-0.5f:0.5f);
  float alu36 = (alu16*alu33);
  float alu37 = ((alu36<0.0f)?-0.5f:0.5f);
  float alu38 = (alu17*alu33);
  float alu39 = ((alu38<0.0f)?-0.5f:0.5f);
  float alu40 = (alu18*alu33);
  float alu41 = ((alu40<0.0f)?-0.5f:0.5f);
  float alu42 = (val2.x*alu14*val4.x);
  float alu43 = (val2.y*alu14*val4.y);
  float alu44 = (val2.z*alu14*val4.z);
  float alu45 = (val2.w*alu14*val4.w);
  float alu46 = ((alu42<0.0f)?-alu42:alu42);
  float alu47 = ((alu43<0.0f)?-alu43:alu43);
  float alu48 = ((alu44<0.0f)?-alu44:alu44);
  float alu49 = ((alu46<alu47)?alu47:alu46);
  float alu50 = ((alu45<0.0f)?-alu45:alu45);
  float alu51 = ((alu49<alu48)?alu48:alu49);
  float alu52 = ((alu51<alu50)?alu50:alu51);
  float alu53 = __shfl_xor_sync(0xffffffffu, alu52, 4);
  float alu54 = ((alu52<alu53)?alu53:alu52);
  float alu55 = __shfl_xor_sync(0xffffffffu, alu54, 2);
  float alu56 = ((alu54<alu55)?alu55:alu54);
  float alu57 = __shfl_xor_sync(0xffffffffu, alu56, 1);
  float alu58 = ((alu56<alu57)?alu57:alu56);
  float alu59 = (alu58*0.007874015718698502f);
  float alu60 = ((0.0f<alu59)?((1/alu58)*127.0f):0.0f);
  float alu61 = (alu42*alu60);
  float alu62 = ((alu61<0.0f)?-0.5f:0.5f);
  float alu63 = (alu43*alu60);
  float alu64 = ((alu63<0.0f)?-0.5f:0.5f);
  float alu65 = (alu44*alu60);
  float alu66 = ((alu65<0.0f)?-0.5f:0.5f);
  float alu67 = (alu45*alu60);
  float alu68 = ((alu67<0.0f)?-0.5f:0.5f);
  bool alu69 = (lidx0==0);
  *(buf1+alu3) = ((tg_bitcast<uint>((int)(((int)(trunc((alu61+alu62))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu63+alu64))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu65+alu66))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu67+alu68))))))&255u)<<24u));
  *(buf1+(alu3+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu34+alu35))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu36+alu37))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu38+alu39))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu40+alu41))))))&255u)<<24u));
  if (alu69) {
    *(buf2+lidx1) = alu59;
  }
  if (alu69) {
    *(buf2+(lidx1+4)) = alu32;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val5 = (*(data1_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu80 = (lidx0+(Lidx1<<4));
    uint val6 = (*(buf1+alu80));
    uint val7 = (*(buf1+(alu80+8)));
    float2 val8 = (*((float2*)((buf2+(Lidx1<<1)))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu81 = (val0.y>>cast2);
    uint alu82 = (val0.w>>cast2);
    bool alu83 = (Lidx1<2);
    uint alu84 = (alu83?(alu81&16191u):((alu82&3855u)|((alu81>>2u)&12336u)));
    uint alu85 = (val0.z>>cast2);
    uint alu86 = (alu83?(alu85&16191u):(((alu82>>4u)&3855u)|((alu85>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val6));
    int cast4 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu84&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast3, 0)))*val8.x)-(cast0*((float)((alu86&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val8.x))+((cast1*((float)((alu84>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast4, 0)))*val8.y)-(cast0*((float)((alu86>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val8.y)));
  }
  float val9 = (*(buf0+0));
  float alu89 = __shfl_xor_sync(0xffffffffu, val9, 4);
  float alu90 = (val9+alu89);
  float alu91 = __shfl_xor_sync(0xffffffffu, alu90, 2);
  float alu92 = (alu90+alu91);
  float alu93 = __shfl_xor_sync(0xffffffffu, alu92, 1);
  if (alu69) {
    *(data0_96+(lidx1+(gidx0<<2))) = (alu92+alu93);
  }
}
