// decode/norm+head/96x256/Q4_K/m1 ahead=0 groups=4 lanes=8 rows=1 unroll=1 wide=0 words=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) norm_head_96x256_q8(float* data0_96, uint* data1_3456, float* data2_256, float* data3_256) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) uint buf2[64];
  __shared__ __align__(16) float buf3[8];
  int gidx0 = blockIdx.x; /* 24 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = ((gidx0*144)+(lidx1*36));
  uint4 val0 = (*((uint4*)((data1_3456+alu0))));
  int lidx0 = threadIdx.x; /* 8 */
  int alu1 = ((lidx0<<2)+(lidx1<<5));
  int alu2 = (alu1+128);
  float4 val1 = (*((float4*)((data3_256+alu2))));
  float4 val2 = (*((float4*)((data3_256+alu1))));
  int alu3 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu3;
  float4 val3 = (*((float4*)((data2_256+alu2))));
  float4 val4 = (*((float4*)((data2_256+alu1))));
  int alu5 = (lidx0+(lidx1<<3));
  float alu6 = ((val4.x*val4.x)+(val4.y*val4.y)+(val4.z*val4.z)+(val4.w*val4.w)+(val3.x*val3.x)+(val3.y*val3.y)+(val3.z*val3.z)+(val3.w*val3.w));
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
  float alu17 = (val3.x*alu16*val1.x);
  float alu18 = (val3.y*alu16*val1.y);
  float alu19 = (val3.z*alu16*val1.z);
  float alu20 = (val3.w*alu16*val1.w);
  float alu21 = ((alu17<0.0f)?-alu17:alu17);
  float alu22 = ((alu18<0.0f)?-alu18:alu18);
  float alu23 = ((alu19<0.0f)?-alu19:alu19);
  float alu24 = ((alu21<alu22)?alu22:alu21);
  float alu25 = ((alu20<0.0f)?-alu20:alu20);
  float alu26 = ((alu24<alu23)?alu23:alu24);
  float alu27 = ((alu26<alu25)?alu25:alu26);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 4);
  float alu29 = ((alu27<alu28)?alu28:alu27);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 2);
  float alu31 = ((alu29<alu30)?alu30:alu29);
  float alu32 = __shfl_xor_sync(0xffffffffu, alu31, 1);
  float alu33 = ((alu31<alu32)?alu32:alu31);
  float alu34 = (alu33*0.007874015718698502f);
  float alu35 = ((0.0f<alu34)?((1/alu33)*127.0f):0.0f);
  float alu36 = (alu17*alu35);
  float alu37 = ((alu36<0.0f)?-0.5f:0.5f);
  float alu38 = (alu18*alu35);
  float alu39 = ((alu38<0.0f)?-0.5f:0.5f);
  float alu40 = (alu19*alu35);
  float alu41 = ((alu40<0.0f)?-0.5f:0.5f);
  float alu42 = (alu20*alu35);
  float alu43 = ((alu42<0.0f)?-0.5f:0.5f);
  float alu44 = (val4.x*alu16*val2.x);
  float alu45 = (val4.y*alu16*val2.y);
  float alu46 = (val4.z*alu16*val2.z);
  float alu47 = (val4.w*alu16*val2.w);
  float alu48 = ((alu44<0.0f)?-alu44:alu44);
  float alu49 = ((alu45<0.0f)?-alu45:alu45);
  float alu50 = ((alu46<0.0f)?-alu46:alu46);
  float alu51 = ((alu48<alu49)?alu49:alu48);
  float alu52 = ((alu47<0.0f)?-alu47:alu47);
  float alu53 = ((alu51<alu50)?alu50:alu51);
  float alu54 = ((alu53<alu52)?alu52:alu53);
  float alu55 = __shfl_xor_sync(0xffffffffu, alu54, 4);
  float alu56 = ((alu54<alu55)?alu55:alu54);
  float alu57 = __shfl_xor_sync(0xffffffffu, alu56, 2);
  float alu58 = ((alu56<alu57)?alu57:alu56);
  float alu59 = __shfl_xor_sync(0xffffffffu, alu58, 1);
  float alu60 = ((alu58<alu59)?alu59:alu58);
  float alu61 = (alu60*0.007874015718698502f);
  float alu62 = ((0.0f<alu61)?((1/alu60)*127.0f):0.0f);
  float alu63 = (alu44*alu62);
  float alu64 = ((alu63<0.0f)?-0.5f:0.5f);
  float alu65 = (alu45*alu62);
  float alu66 = ((alu65<0.0f)?-0.5f:0.5f);
  float alu67 = (alu46*alu62);
  float alu68 = ((alu67<0.0f)?-0.5f:0.5f);
  float alu69 = (alu47*alu62);
  float alu70 = ((alu69<0.0f)?-0.5f:0.5f);
  bool alu71 = (lidx0==0);
  *(buf2+alu5) = ((tg_bitcast<uint>((int)(((int)(trunc((alu63+alu64))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu65+alu66))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu67+alu68))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu69+alu70))))))&255u)<<24u));
  *(buf2+(alu5+32)) = ((tg_bitcast<uint>((int)(((int)(trunc((alu36+alu37))))))&255u)|((tg_bitcast<uint>((int)(((int)(trunc((alu38+alu39))))))&255u)<<8u)|((tg_bitcast<uint>((int)(((int)(trunc((alu40+alu41))))))&255u)<<16u)|((tg_bitcast<uint>((int)(((int)(trunc((alu42+alu43))))))&255u)<<24u));
  if (alu71) {
    *(buf3+lidx1) = alu61;
  }
  if (alu71) {
    *(buf3+(lidx1+4)) = alu34;
  }
  __syncthreads();
  *(buf0+0) = 0.0f;
  float cast0 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x>>16u)))))));
  float cast1 = ((float)(tg_bitcast<half>((unsigned short)(((unsigned short)((val0.x&65535u)))))));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    uint val5 = (*(data1_3456+(lidx0+(Lidx1<<3)+alu0+4)));
    int alu82 = (lidx0+(Lidx1<<4));
    uint val6 = (*(buf2+alu82));
    uint val7 = (*(buf2+(alu82+8)));
    float2 val8 = (*((float2*)((buf3+(Lidx1<<1)))));
    uint cast2 = ((uint)(((Lidx1&1)<<4)));
    uint alu83 = (val0.y>>cast2);
    uint alu84 = (val0.w>>cast2);
    bool alu85 = (Lidx1<2);
    uint alu86 = (alu85?(alu83&16191u):((alu84&3855u)|((alu83>>2u)&12336u)));
    uint alu87 = (val0.z>>cast2);
    uint alu88 = (alu85?(alu87&16191u):(((alu84>>4u)&3855u)|((alu87>>2u)&12336u)));
    int cast3 = tg_bitcast<int>((uint)(val6));
    int cast4 = tg_bitcast<int>((uint)(val7));
    *(buf0+0) = ((*(buf0+0))+((cast1*((float)((alu86&255u)))*((float)(__dp4a(tg_bitcast<int>((uint)((val5&252645135u))), cast3, 0)))*val8.x)-(cast0*((float)((alu88&255u)))*((float)(__dp4a(16843009, cast3, 0)))*val8.x))+((cast1*((float)((alu86>>8u)))*((float)(__dp4a(tg_bitcast<int>((uint)(((val5>>4u)&252645135u))), cast4, 0)))*val8.y)-(cast0*((float)((alu88>>8u)))*((float)(__dp4a(16843009, cast4, 0)))*val8.y)));
  }
  float val9 = (*(buf0+0));
  float alu91 = __shfl_xor_sync(0xffffffffu, val9, 4);
  float alu92 = (val9+alu91);
  float alu93 = __shfl_xor_sync(0xffffffffu, alu92, 2);
  float alu94 = (alu92+alu93);
  float alu95 = __shfl_xor_sync(0xffffffffu, alu94, 1);
  if (alu71) {
    *(data0_96+(lidx1+(gidx0<<2))) = (alu94+alu95);
  }
}
