// decode/attention/256/h4k2d64-c64/m1 split=1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
struct __align__(8) half4 { half x, y, z, w; }; __device__ half4 make_half4(half x, half y, half z, half w) { half4 r={x, y, z, w}; return r; }
extern "C" __global__ void __launch_bounds__(32) attention_4x64_64_1(float* data0_256, float* data1_4, float* data2_4, float* data3_256, half* data4_16384, int* data5_1) {
  float buf0[6];
  float buf1[2];
  float buf2[4];
  __shared__ __align__(16) float buf3[128];
  __shared__ __align__(16) float buf4[64];
  __shared__ __align__(16) float buf5[66];
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 2 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = (lidx0+(gidx0<<7));
  float val1 = (*(data3_256+alu0));
  int alu1 = (alu0+32);
  float val2 = (*(data3_256+alu1));
  int alu2 = (alu0+64);
  float val3 = (*(data3_256+alu2));
  int alu3 = (alu0+96);
  float val4 = (*(data3_256+alu3));
  int alu4 = (lidx0+32);
  *(buf3+lidx0) = val1;
  *(buf3+alu4) = val2;
  *(buf3+(lidx0+64)) = val3;
  *(buf3+(lidx0+96)) = val4;
  __syncthreads();
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  *(buf0+3) = 0.0f;
  *(buf0+4) = 0.0f;
  *(buf0+5) = 0.0f;
  int alu16 = (lidx0>>4);
  int alu17 = (alu16*33);
  int alu18 = (lidx0&15);
  int alu19 = (alu17+alu18);
  int alu20 = ((gidx0<<1)+alu16);
  long cast0 = ((long)(lidx0));
  long cast1 = ((long)((gidx0<<12)));
  int alu21 = ((alu16<<5)+alu18);
  long alu22 = ((val0<-1)?0l:(((long)(val0))+1l));
  long alu23 = ((64l<alu22)?64l:alu22);
  bool alu24 = (alu18==0);
  for (long Lidx1 = 0; Lidx1 < ((alu23+31l)>>5l); Lidx1++) {
    *(buf1+0) = 0.0f;
    *(buf1+1) = 0.0f;
    int cast2 = ((int)(Lidx1));
    int alu27 = (cast2<<5);
    bool alu28 = (cast2<2);
    long alu29 = (alu28?((long)((lidx0+alu27))):0l);
    for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
      int alu30 = (Lidx2<<2);
      half4 val5 = (*((half4*)((data4_16384+(cast1+(alu29<<6l)+((long)(alu30)))))));
      float4 val6 = (*((float4*)((buf3+(alu30+64)))));
      float4 val7 = (*((float4*)((buf3+alu30))));
      float cast3 = ((float)(val5.x));
      float cast4 = ((float)(val5.y));
      float cast5 = ((float)(val5.z));
      float cast6 = ((float)(val5.w));
      *(buf1+0) = ((*(buf1+0))+(cast3*val7.x)+(cast4*val7.y)+(cast5*val7.z)+(cast6*val7.w));
      *(buf1+1) = ((*(buf1+1))+(cast3*val6.x)+(cast4*val6.y)+(cast5*val6.z)+(cast6*val6.w));
    }
    long alu34 = (((long)((cast2*-32)))+alu23);
    bool alu35 = (cast0<alu34);
    float alu36 = (alu35?((*(buf1+0))*0.125f):-1.0000000150474662e+30f);
    float alu37 = (alu35?((*(buf1+1))*0.125f):-1.0000000150474662e+30f);
    *(buf4+lidx0) = alu36;
    *(buf4+alu4) = alu37;
    __syncthreads();
    float val8 = (*(buf4+(alu21+16)));
    float val9 = (*(buf4+alu21));
    float val10 = (*(buf0+0));
    float alu41 = ((val9<val8)?val8:val9);
    float alu42 = __shfl_xor_sync(0xffffffffu, alu41, 8);
    float alu43 = ((alu41<alu42)?alu42:alu41);
    float alu44 = __shfl_xor_sync(0xffffffffu, alu43, 4);
    float alu45 = ((alu43<alu44)?alu44:alu43);
    float alu46 = __shfl_xor_sync(0xffffffffu, alu45, 2);
    float alu47 = ((alu45<alu46)?alu46:alu45);
    float alu48 = __shfl_xor_sync(0xffffffffu, alu47, 1);
    float alu49 = ((alu47<alu48)?alu48:alu47);
    float alu50 = ((alu49<val10)?val10:alu49);
    float alu51 = exp2(((val10-alu50)*1.4426950216293335f));
    float alu52 = ((-5.000000075237331e+29f<val8)?exp2(((val8-alu50)*1.4426950216293335f)):0.0f);
    float alu53 = ((-5.000000075237331e+29f<val9)?exp2(((val9-alu50)*1.4426950216293335f)):0.0f);
    *(buf5+(alu19+16)) = alu52;
    if (alu24) {
      *(buf5+(alu17+32)) = alu51;
    }
    *(buf5+alu19) = alu53;
    __syncthreads();
    float val11 = (*(buf5+32));
    float val12 = (*(buf5+65));
    *(buf2+0) = ((*(buf0+2))*val11);
    *(buf2+1) = ((*(buf0+3))*val11);
    *(buf2+2) = ((*(buf0+4))*val12);
    *(buf2+3) = ((*(buf0+5))*val12);
    for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
      int alu64 = (Lidx3<<3);
      int alu65 = (alu27+alu64);
      long alu66 = (alu28?((long)(alu65)):0l);
      long alu67 = (cast0+cast1+(alu66<<6l));
      half val13 = (*(data4_16384+(alu67+8192l)));
      half val14 = (*(data4_16384+(alu67+8224l)));
      long alu68 = ((((cast2<<3)+(Lidx3<<1))<15)?((long)((alu65+4))):0l);
      long alu69 = (cast0+cast1+(alu68<<6l));
      half val15 = (*(data4_16384+(alu69+8192l)));
      half val16 = (*(data4_16384+(alu69+8224l)));
      int alu70 = ((cast2<<4)+(Lidx3<<2));
      long alu71 = ((alu70<29)?((long)((alu65+6))):0l);
      long alu72 = (cast0+cast1+(alu71<<6l));
      half val17 = (*(data4_16384+(alu72+8192l)));
      half val18 = (*(data4_16384+(alu72+8224l)));
      long alu73 = ((alu70<31)?((long)((alu65+2))):0l);
      long alu74 = (cast0+cast1+(alu73<<6l));
      half val19 = (*(data4_16384+(alu74+8192l)));
      half val20 = (*(data4_16384+(alu74+8224l)));
      long alu75 = ((alu65<57)?((long)((alu65+7))):0l);
      long alu76 = (cast0+cast1+(alu75<<6l));
      half val21 = (*(data4_16384+(alu76+8192l)));
      half val22 = (*(data4_16384+(alu76+8224l)));
      long alu77 = ((alu65<59)?((long)((alu65+5))):0l);
      long alu78 = (cast0+cast1+(alu77<<6l));
      half val23 = (*(data4_16384+(alu78+8192l)));
      half val24 = (*(data4_16384+(alu78+8224l)));
      long alu79 = ((alu65<61)?((long)((alu65+3))):0l);
      long alu80 = (cast0+cast1+(alu79<<6l));
      half val25 = (*(data4_16384+(alu80+8192l)));
      half val26 = (*(data4_16384+(alu80+8224l)));
      long alu81 = ((alu65<63)?((long)((alu65+1))):0l);
      long alu82 = (cast0+cast1+(alu81<<6l));
      half val27 = (*(data4_16384+(alu82+8192l)));
      half val28 = (*(data4_16384+(alu82+8224l)));
      float val29 = (*(buf5+(alu64+33)));
      float val30 = (*(buf5+(alu64+40)));
      int alu83 = (alu64+4);
      float4 val31 = (*((float4*)((buf5+alu83))));
      float2 val32 = (*((float2*)((buf5+(alu64+34)))));
      float4 val33 = (*((float4*)((buf5+(alu64+36)))));
      float4 val34 = (*((float4*)((buf5+alu64))));
      bool alu84 = (((long)(alu64))<alu34);
      float alu85 = (alu84?((float)(val13)):0.0f);
      float alu86 = (alu84?((float)(val14)):0.0f);
      bool alu87 = (((long)((alu64+1)))<alu34);
      float alu88 = (alu87?((float)(val27)):0.0f);
      float alu89 = (alu87?((float)(val28)):0.0f);
      bool alu90 = (((long)((alu64+2)))<alu34);
      float alu91 = (alu90?((float)(val19)):0.0f);
      float alu92 = (alu90?((float)(val20)):0.0f);
      bool alu93 = (((long)((alu64+3)))<alu34);
      float alu94 = (alu93?((float)(val25)):0.0f);
      float alu95 = (alu93?((float)(val26)):0.0f);
      bool alu96 = (((long)(alu83))<alu34);
      float alu97 = (alu96?((float)(val15)):0.0f);
      float alu98 = (alu96?((float)(val16)):0.0f);
      bool alu99 = (((long)((alu64+5)))<alu34);
      float alu100 = (alu99?((float)(val23)):0.0f);
      float alu101 = (alu99?((float)(val24)):0.0f);
      bool alu102 = (((long)((alu64+6)))<alu34);
      float alu103 = (alu102?((float)(val17)):0.0f);
      float alu104 = (alu102?((float)(val18)):0.0f);
      bool alu105 = (((long)((alu64+7)))<alu34);
      float alu106 = (alu105?((float)(val21)):0.0f);
      float alu107 = (alu105?((float)(val22)):0.0f);
      *(buf2+0) = ((*(buf2+0))+(val34.x*alu85)+(val34.y*alu88)+(val34.z*alu91)+(val34.w*alu94)+(val31.x*alu97)+(val31.y*alu100)+(val31.z*alu103)+(val31.w*alu106));
      *(buf2+1) = ((*(buf2+1))+(val34.x*alu86)+(val34.y*alu89)+(val34.z*alu92)+(val34.w*alu95)+(val31.x*alu98)+(val31.y*alu101)+(val31.z*alu104)+(val31.w*alu107));
      *(buf2+2) = ((*(buf2+2))+(val29*alu85)+(val32.x*alu88)+(val32.y*alu91)+(val33.x*alu94)+(val33.y*alu97)+(val33.z*alu100)+(val33.w*alu103)+(val30*alu106));
      *(buf2+3) = ((*(buf2+3))+(val29*alu86)+(val32.x*alu89)+(val32.y*alu92)+(val33.x*alu95)+(val33.y*alu98)+(val33.z*alu101)+(val33.w*alu104)+(val30*alu107));
    }
    float alu113 = (alu53+alu52);
    float alu114 = __shfl_xor_sync(0xffffffffu, alu113, 8);
    float alu115 = (alu113+alu114);
    float alu116 = __shfl_xor_sync(0xffffffffu, alu115, 4);
    float alu117 = (alu115+alu116);
    float alu118 = __shfl_xor_sync(0xffffffffu, alu117, 2);
    float alu119 = (alu117+alu118);
    float alu120 = __shfl_xor_sync(0xffffffffu, alu119, 1);
    *(buf0+0) = alu50;
    *(buf0+1) = (((*(buf0+1))*alu51)+alu119+alu120);
    *(buf0+2) = (*(buf2+0));
    *(buf0+3) = (*(buf2+1));
    *(buf0+4) = (*(buf2+2));
    *(buf0+5) = (*(buf2+3));
    __syncthreads();
  }
  *(data0_256+alu0) = (*(buf0+2));
  *(data0_256+alu1) = (*(buf0+3));
  *(data0_256+alu2) = (*(buf0+4));
  *(data0_256+alu3) = (*(buf0+5));
  if (alu24) {
    *(data1_4+alu20) = (*(buf0+0));
  }
  if (alu24) {
    *(data2_4+alu20) = (*(buf0+1));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_4x64_1_f32(float* data0_256, float* data1_8, float* data2_256, float* data3_4, float* data4_4, int* data5_1) {
  float buf0[3];
  __shared__ __align__(16) float buf1[32];
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  int alu3 = (gidx0<<5);
  int alu4 = ((val0>>6)+1);
  for (int Lidx1 = 0; Lidx1 < alu4; Lidx1++) {
    bool alu5 = (Lidx1<alu4);
    int alu6 = (alu5?Lidx1:0);
    float val1 = (*(data2_256+(((long)(lidx0))+((long)(alu3))+((long)((alu6<<6))))));
    int alu7 = ((gidx0>>1)+alu6);
    float val2 = (*(data3_4+alu7));
    float val3 = (*(data4_4+alu7));
    float val4 = (*(buf0+0));
    float alu8 = (alu5?val2:-1.0000000150474662e+30f);
    float alu9 = ((alu8<val4)?val4:alu8);
    float alu10 = exp2(((val4-alu9)*1.4426950216293335f));
    float alu11 = ((-5.000000075237331e+29f<alu8)?exp2(((alu8-alu9)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu9;
    *(buf0+1) = (((*(buf0+1))*alu10)+(alu11*val3));
    *(buf0+2) = (((*(buf0+2))*alu10)+(alu11*val1));
  }
  *(buf1+lidx0) = ((*(buf0+2))*(1/(*(buf0+1))));
  __syncthreads();
  bool alu18 = (lidx0<8);
  int alu19 = (alu18?lidx0:0);
  float4 val5 = (*((float4*)((buf1+(alu19<<2)))));
  float alu20 = (val5.x+val5.y+val5.z+val5.w);
  float alu21 = __shfl_xor_sync(0xffffffffu, alu20, 4);
  float alu22 = (alu20+alu21);
  float alu23 = __shfl_xor_sync(0xffffffffu, alu22, 2);
  float alu24 = (alu22+alu23);
  float alu25 = __shfl_xor_sync(0xffffffffu, alu24, 1);
  if ((alu18&(lidx0==0))) {
    *(data1_8+gidx0) = (alu24+alu25);
  }
  if (alu18) {
    *((float4*)((data0_256+(alu3+(lidx0<<2))))) = val5;
  }
}
