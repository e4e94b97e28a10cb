// decode/o+norm/256x256/Q8_0/m1 ahead=0 groups=8 lanes=4 rows=4 split=1 unroll=1 words=4
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) o_norm_256x256_q8(float* data0_256, uint* data1_64, float* data2_8, float* data3_16, float* data4_8, uint* data5_17408, uint* data6_64, float* data7_8, float* data8_256) {
  float buf0[8];
  float buf1[4];
  int buf2[1];
  __shared__ __align__(16) float buf3[64];
  int gidx0 = blockIdx.x; /* 8 */
  int lidx1 = threadIdx.y; /* 8 */
  int alu0 = (lidx1<<2);
  int alu1 = ((gidx0<<5)+alu0);
  float4 val0 = (*((float4*)((data8_256+alu1))));
  int alu2 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu2;
  float4 val1 = (*((float4*)((data0_256+alu1))));
  int lidx0 = threadIdx.x; /* 4 */
  *(buf0+0) = val1.x;
  *(buf0+1) = val1.y;
  *(buf0+2) = val1.z;
  *(buf0+3) = val1.w;
  *(buf0+4) = val0.x;
  *(buf0+5) = val0.y;
  *(buf0+6) = val0.z;
  *(buf0+7) = val0.w;
  *(buf1+0) = 0.0f;
  *(buf1+1) = 0.0f;
  *(buf1+2) = 0.0f;
  *(buf1+3) = 0.0f;
  int alu16 = (lidx0>>1);
  uint cast0 = ((uint)((alu16<<4)));
  int alu17 = (gidx0*2176);
  int alu18 = (lidx0<<2);
  int alu19 = (lidx1*272);
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    int alu20 = (alu17+alu19+Lidx1);
    uint val2 = (*(data5_17408+(alu20+64)));
    uint val3 = (*(data5_17408+(alu20+132)));
    uint val4 = (*(data5_17408+(alu20+200)));
    uint val5 = (*(data5_17408+(alu20+268)));
    int alu21 = (Lidx1<<4);
    int alu22 = (alu17+alu18+alu19+alu21);
    uint4 val6 = (*((uint4*)((data5_17408+(alu22+68)))));
    uint4 val7 = (*((uint4*)((data5_17408+(alu22+136)))));
    uint4 val8 = (*((uint4*)((data5_17408+(alu22+204)))));
    uint4 val9 = (*((uint4*)((data5_17408+alu22))));
    uint4 val10 = (*((uint4*)((data6_64+(alu18+alu21)))));
    float val11 = (*(data7_8+((Lidx1<<1)+alu16)));
    int cast1 = tg_bitcast<int>((uint)(val10.x));
    int cast2 = tg_bitcast<int>((uint)(val10.y));
    int cast3 = tg_bitcast<int>((uint)(val10.z));
    int cast4 = tg_bitcast<int>((uint)(val10.w));
    *(buf1+0) = ((*(buf1+0))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val2>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val9.w)), cast4, __dp4a(tg_bitcast<int>((uint)(val9.z)), cast3, __dp4a(tg_bitcast<int>((uint)(val9.y)), cast2, __dp4a(tg_bitcast<int>((uint)(val9.x)), cast1, 0))))))*val11));
    *(buf1+1) = ((*(buf1+1))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val3>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val6.w)), cast4, __dp4a(tg_bitcast<int>((uint)(val6.z)), cast3, __dp4a(tg_bitcast<int>((uint)(val6.y)), cast2, __dp4a(tg_bitcast<int>((uint)(val6.x)), cast1, 0))))))*val11));
    *(buf1+2) = ((*(buf1+2))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val4>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val7.w)), cast4, __dp4a(tg_bitcast<int>((uint)(val7.z)), cast3, __dp4a(tg_bitcast<int>((uint)(val7.y)), cast2, __dp4a(tg_bitcast<int>((uint)(val7.x)), cast1, 0))))))*val11));
    *(buf1+3) = ((*(buf1+3))+(((float)(tg_bitcast<half>((unsigned short)(((unsigned short)(((val5>>cast0)&65535u)))))))*((float)(__dp4a(tg_bitcast<int>((uint)(val8.w)), cast4, __dp4a(tg_bitcast<int>((uint)(val8.z)), cast3, __dp4a(tg_bitcast<int>((uint)(val8.y)), cast2, __dp4a(tg_bitcast<int>((uint)(val8.x)), cast1, 0))))))*val11));
  }
  float val12 = (*(buf1+0));
  float val13 = (*(buf1+1));
  float val14 = (*(buf1+2));
  float val15 = (*(buf1+3));
  float alu28 = __shfl_xor_sync(0xffffffffu, val12, 2);
  float alu29 = (val12+alu28);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 1);
  float alu31 = ((*(buf0+0))+alu29+alu30);
  float alu32 = __shfl_xor_sync(0xffffffffu, val13, 2);
  float alu33 = (val13+alu32);
  float alu34 = __shfl_xor_sync(0xffffffffu, alu33, 1);
  float alu35 = ((*(buf0+1))+alu33+alu34);
  float alu36 = __shfl_xor_sync(0xffffffffu, val14, 2);
  float alu37 = (val14+alu36);
  float alu38 = __shfl_xor_sync(0xffffffffu, alu37, 1);
  float alu39 = ((*(buf0+2))+alu37+alu38);
  float alu40 = __shfl_xor_sync(0xffffffffu, val15, 2);
  float alu41 = (val15+alu40);
  float alu42 = __shfl_xor_sync(0xffffffffu, alu41, 1);
  float alu43 = ((*(buf0+3))+alu41+alu42);
  float4 cast5 = make_float4(alu31,alu35,alu39,alu43);
  bool alu44 = (lidx0==0);
  if (alu44) {
    *((float4*)((buf3+(alu0+32)))) = make_float4(((*(buf0+4))*alu31),((*(buf0+5))*alu35),((*(buf0+6))*alu39),((*(buf0+7))*alu43));
  }
  if (alu44) {
    *((float4*)((buf3+alu0))) = cast5;
  }
  __syncthreads();
  int alu52 = (lidx0+alu0);
  bool alu53 = (lidx1<2);
  int alu54 = (alu53?alu52:0);
  int alu55 = (alu54<<2);
  float4 val16 = (*((float4*)((buf3+(alu55+32)))));
  float4 val17 = (*((float4*)((buf3+alu55))));
  float alu56 = ((val16.x<0.0f)?-val16.x:val16.x);
  float alu57 = ((val16.y<0.0f)?-val16.y:val16.y);
  float alu58 = ((val16.z<0.0f)?-val16.z:val16.z);
  float alu59 = ((alu56<alu57)?alu57:alu56);
  float alu60 = ((val16.w<0.0f)?-val16.w:val16.w);
  float alu61 = ((alu59<alu58)?alu58:alu59);
  float alu62 = ((alu61<alu60)?alu60:alu61);
  float alu63 = __shfl_xor_sync(0xffffffffu, alu62, 4);
  float alu64 = ((alu62<alu63)?alu63:alu62);
  float alu65 = __shfl_xor_sync(0xffffffffu, alu64, 2);
  float alu66 = ((alu64<alu65)?alu65:alu64);
  float alu67 = __shfl_xor_sync(0xffffffffu, alu66, 1);
  float alu68 = ((alu66<alu67)?alu67:alu66);
  float alu69 = (alu68*0.007874015718698502f);
  float alu70 = ((0.0f<alu69)?((1/alu68)*127.0f):0.0f);
  float alu71 = (val16.x*alu70);
  float alu72 = ((alu71<0.0f)?-0.5f:0.5f);
  int cast6 = ((int)(trunc((alu71+alu72))));
  float alu73 = (val16.y*alu70);
  float alu74 = ((alu73<0.0f)?-0.5f:0.5f);
  int cast7 = ((int)(trunc((alu73+alu74))));
  float alu75 = (val16.z*alu70);
  float alu76 = ((alu75<0.0f)?-0.5f:0.5f);
  int cast8 = ((int)(trunc((alu75+alu76))));
  float alu77 = (val16.w*alu70);
  float alu78 = ((alu77<0.0f)?-0.5f:0.5f);
  int cast9 = ((int)(trunc((alu77+alu78))));
  int alu79 = (cast6+cast7+cast8+cast9);
  int alu80 = __shfl_xor_sync(0xffffffffu, alu79, 2);
  int alu81 = (alu79+alu80);
  int alu82 = __shfl_xor_sync(0xffffffffu, alu81, 1);
  float alu83 = ((val17.x*val17.x)+(val17.y*val17.y)+(val17.z*val17.z)+(val17.w*val17.w));
  float alu84 = __shfl_xor_sync(0xffffffffu, alu83, 4);
  float alu85 = (alu83+alu84);
  float alu86 = __shfl_xor_sync(0xffffffffu, alu85, 2);
  float alu87 = (alu85+alu86);
  float alu88 = __shfl_xor_sync(0xffffffffu, alu87, 1);
  bool alu89 = (alu53&(alu52==0));
  if (alu53) {
    *(data1_64+(alu52+(gidx0<<3))) = ((tg_bitcast<uint>((int)(cast6))&255u)|((tg_bitcast<uint>((int)(cast7))&255u)<<8u)|((tg_bitcast<uint>((int)(cast8))&255u)<<16u)|((tg_bitcast<uint>((int)(cast9))&255u)<<24u));
  }
  if (alu89) {
    *(data2_8+gidx0) = alu69;
  }
  if ((alu53&alu44)) {
    *(data3_16+(lidx1+(gidx0<<1))) = (alu68*((float)((alu81+alu82)))*0.007874015718698502f);
  }
  if (alu89) {
    *(data4_8+gidx0) = (alu87+alu88);
  }
  if (alu44) {
    *((float4*)((data0_256+alu1))) = cast5;
  }
}
