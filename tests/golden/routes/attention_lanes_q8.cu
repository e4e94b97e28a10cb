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
  int buf3[1];
  __shared__ __align__(16) float buf4[128];
  __shared__ __align__(16) float buf5[64];
  __shared__ __align__(16) float buf6[66];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf3+0) = alu0;
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 2 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu2 = (lidx0+(gidx0<<7));
  float val1 = (*(data3_256+alu2));
  int alu3 = (alu2+32);
  float val2 = (*(data3_256+alu3));
  int alu4 = (alu2+64);
  float val3 = (*(data3_256+alu4));
  int alu5 = (alu2+96);
  float val4 = (*(data3_256+alu5));
  int alu6 = (lidx0+32);
  *(buf4+lidx0) = val1;
  *(buf4+alu6) = val2;
  *(buf4+(lidx0+64)) = val3;
  *(buf4+(lidx0+96)) = val4;
  __syncthreads();
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  *(buf0+3) = 0.0f;
  *(buf0+4) = 0.0f;
  *(buf0+5) = 0.0f;
  int alu18 = (lidx0>>4);
  int alu19 = (alu18*33);
  int alu20 = (lidx0&15);
  int alu21 = (alu19+alu20);
  int alu22 = ((gidx0<<1)+alu18);
  long cast0 = ((long)(lidx0));
  long cast1 = ((long)((gidx0<<12)));
  int alu23 = ((alu18<<5)+alu20);
  long alu24 = ((val0<-1)?0l:(((long)(val0))+1l));
  long alu25 = ((64l<alu24)?64l:alu24);
  bool alu26 = (alu20==0);
  for (long Lidx1 = 0; Lidx1 < ((alu25+31l)>>5l); Lidx1++) {
    *(buf1+0) = 0.0f;
    *(buf1+1) = 0.0f;
    int cast2 = ((int)(Lidx1));
    int alu29 = (cast2<<5);
    bool alu30 = (cast2<2);
    long alu31 = (alu30?((long)((lidx0+alu29))):0l);
    for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
      int alu32 = (Lidx2<<2);
      half4 val5 = (*((half4*)((data4_16384+(cast1+(alu31<<6l)+((long)(alu32)))))));
      float4 val6 = (*((float4*)((buf4+(alu32+64)))));
      float4 val7 = (*((float4*)((buf4+alu32))));
      float cast3 = ((float)(val5.x));
      float cast4 = ((float)(val5.y));
      float cast5 = ((float)(val5.z));
      float cast6 = ((float)(val5.w));
      *(buf1+0) = ((*(buf1+0))+(cast3*val7.x)+(cast4*val7.y)+(cast5*val7.z)+(cast6*val7.w));
      *(buf1+1) = ((*(buf1+1))+(cast3*val6.x)+(cast4*val6.y)+(cast5*val6.z)+(cast6*val6.w));
    }
    long alu36 = (((long)((cast2*-32)))+alu25);
    bool alu37 = (cast0<alu36);
    float alu38 = (alu37?((*(buf1+0))*0.125f):-1.0000000150474662e+30f);
    float alu39 = (alu37?((*(buf1+1))*0.125f):-1.0000000150474662e+30f);
    *(buf5+lidx0) = alu38;
    *(buf5+alu6) = alu39;
    __syncthreads();
    float val8 = (*(buf5+(alu23+16)));
    float val9 = (*(buf5+alu23));
    float val10 = (*(buf0+0));
    float alu43 = ((val9<val8)?val8:val9);
    float alu44 = __shfl_xor_sync(0xffffffffu, alu43, 8);
    float alu45 = ((alu43<alu44)?alu44:alu43);
    float alu46 = __shfl_xor_sync(0xffffffffu, alu45, 4);
    float alu47 = ((alu45<alu46)?alu46:alu45);
    float alu48 = __shfl_xor_sync(0xffffffffu, alu47, 2);
    float alu49 = ((alu47<alu48)?alu48:alu47);
    float alu50 = __shfl_xor_sync(0xffffffffu, alu49, 1);
    float alu51 = ((alu49<alu50)?alu50:alu49);
    float alu52 = ((alu51<val10)?val10:alu51);
    float alu53 = exp2(((val10-alu52)*1.4426950216293335f));
    float alu54 = ((-5.000000075237331e+29f<val8)?exp2(((val8-alu52)*1.4426950216293335f)):0.0f);
    float alu55 = ((-5.000000075237331e+29f<val9)?exp2(((val9-alu52)*1.4426950216293335f)):0.0f);
    *(buf6+(alu21+16)) = alu54;
    if (alu26) {
      *(buf6+(alu19+32)) = alu53;
    }
    *(buf6+alu21) = alu55;
    __syncthreads();
    float val11 = (*(buf6+32));
    float val12 = (*(buf6+65));
    *(buf2+0) = ((*(buf0+2))*val11);
    *(buf2+1) = ((*(buf0+3))*val11);
    *(buf2+2) = ((*(buf0+4))*val12);
    *(buf2+3) = ((*(buf0+5))*val12);
    for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
      int alu66 = (Lidx3<<3);
      int alu67 = (alu29+alu66);
      long alu68 = (alu30?((long)(alu67)):0l);
      long alu69 = (cast0+cast1+(alu68<<6l));
      half val13 = (*(data4_16384+(alu69+8192l)));
      half val14 = (*(data4_16384+(alu69+8224l)));
      long alu70 = ((((cast2<<3)+(Lidx3<<1))<15)?((long)((alu67+4))):0l);
      long alu71 = (cast0+cast1+(alu70<<6l));
      half val15 = (*(data4_16384+(alu71+8192l)));
      half val16 = (*(data4_16384+(alu71+8224l)));
      int alu72 = ((cast2<<4)+(Lidx3<<2));
      long alu73 = ((alu72<29)?((long)((alu67+6))):0l);
      long alu74 = (cast0+cast1+(alu73<<6l));
      half val17 = (*(data4_16384+(alu74+8192l)));
      half val18 = (*(data4_16384+(alu74+8224l)));
      long alu75 = ((alu72<31)?((long)((alu67+2))):0l);
      long alu76 = (cast0+cast1+(alu75<<6l));
      half val19 = (*(data4_16384+(alu76+8192l)));
      half val20 = (*(data4_16384+(alu76+8224l)));
      long alu77 = ((alu67<57)?((long)((alu67+7))):0l);
      long alu78 = (cast0+cast1+(alu77<<6l));
      half val21 = (*(data4_16384+(alu78+8192l)));
      half val22 = (*(data4_16384+(alu78+8224l)));
      long alu79 = ((alu67<59)?((long)((alu67+5))):0l);
      long alu80 = (cast0+cast1+(alu79<<6l));
      half val23 = (*(data4_16384+(alu80+8192l)));
      half val24 = (*(data4_16384+(alu80+8224l)));
      long alu81 = ((alu67<61)?((long)((alu67+3))):0l);
      long alu82 = (cast0+cast1+(alu81<<6l));
      half val25 = (*(data4_16384+(alu82+8192l)));
      half val26 = (*(data4_16384+(alu82+8224l)));
      long alu83 = ((alu67<63)?((long)((alu67+1))):0l);
      long alu84 = (cast0+cast1+(alu83<<6l));
      half val27 = (*(data4_16384+(alu84+8192l)));
      half val28 = (*(data4_16384+(alu84+8224l)));
      float val29 = (*(buf6+(alu66+33)));
      float val30 = (*(buf6+(alu66+40)));
      int alu85 = (alu66+4);
      float4 val31 = (*((float4*)((buf6+alu85))));
      float2 val32 = (*((float2*)((buf6+(alu66+34)))));
      float4 val33 = (*((float4*)((buf6+(alu66+36)))));
      float4 val34 = (*((float4*)((buf6+alu66))));
      bool alu86 = (((long)(alu66))<alu36);
      float alu87 = (alu86?((float)(val13)):0.0f);
      float alu88 = (alu86?((float)(val14)):0.0f);
      bool alu89 = (((long)((alu66+1)))<alu36);
      float alu90 = (alu89?((float)(val27)):0.0f);
      float alu91 = (alu89?((float)(val28)):0.0f);
      bool alu92 = (((long)((alu66+2)))<alu36);
      float alu93 = (alu92?((float)(val19)):0.0f);
      float alu94 = (alu92?((float)(val20)):0.0f);
      bool alu95 = (((long)((alu66+3)))<alu36);
      float alu96 = (alu95?((float)(val25)):0.0f);
      float alu97 = (alu95?((float)(val26)):0.0f);
      bool alu98 = (((long)(alu85))<alu36);
      float alu99 = (alu98?((float)(val15)):0.0f);
      float alu100 = (alu98?((float)(val16)):0.0f);
      bool alu101 = (((long)((alu66+5)))<alu36);
      float alu102 = (alu101?((float)(val23)):0.0f);
      float alu103 = (alu101?((float)(val24)):0.0f);
      bool alu104 = (((long)((alu66+6)))<alu36);
      float alu105 = (alu104?((float)(val17)):0.0f);
      float alu106 = (alu104?((float)(val18)):0.0f);
      bool alu107 = (((long)((alu66+7)))<alu36);
      float alu108 = (alu107?((float)(val21)):0.0f);
      float alu109 = (alu107?((float)(val22)):0.0f);
      *(buf2+0) = ((*(buf2+0))+(val34.x*alu87)+(val34.y*alu90)+(val34.z*alu93)+(val34.w*alu96)+(val31.x*alu99)+(val31.y*alu102)+(val31.z*alu105)+(val31.w*alu108));
      *(buf2+1) = ((*(buf2+1))+(val34.x*alu88)+(val34.y*alu91)+(val34.z*alu94)+(val34.w*alu97)+(val31.x*alu100)+(val31.y*alu103)+(val31.z*alu106)+(val31.w*alu109));
      *(buf2+2) = ((*(buf2+2))+(val29*alu87)+(val32.x*alu90)+(val32.y*alu93)+(val33.x*alu96)+(val33.y*alu99)+(val33.z*alu102)+(val33.w*alu105)+(val30*alu108));
      *(buf2+3) = ((*(buf2+3))+(val29*alu88)+(val32.x*alu91)+(val32.y*alu94)+(val33.x*alu97)+(val33.y*alu100)+(val33.z*alu103)+(val33.w*alu106)+(val30*alu109));
    }
    float alu115 = (alu55+alu54);
    float alu116 = __shfl_xor_sync(0xffffffffu, alu115, 8);
    float alu117 = (alu115+alu116);
    float alu118 = __shfl_xor_sync(0xffffffffu, alu117, 4);
    float alu119 = (alu117+alu118);
    float alu120 = __shfl_xor_sync(0xffffffffu, alu119, 2);
    float alu121 = (alu119+alu120);
    float alu122 = __shfl_xor_sync(0xffffffffu, alu121, 1);
    *(buf0+0) = alu52;
    *(buf0+1) = (((*(buf0+1))*alu53)+alu121+alu122);
    *(buf0+2) = (*(buf2+0));
    *(buf0+3) = (*(buf2+1));
    *(buf0+4) = (*(buf2+2));
    *(buf0+5) = (*(buf2+3));
    __syncthreads();
  }
  *(data0_256+alu2) = (*(buf0+2));
  *(data0_256+alu3) = (*(buf0+3));
  *(data0_256+alu4) = (*(buf0+4));
  *(data0_256+alu5) = (*(buf0+5));
  if (alu26) {
    *(data1_4+alu22) = (*(buf0+0));
  }
  if (alu26) {
    *(data2_4+alu22) = (*(buf0+1));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_4x64_1_q8(uint* data0_64, float* data1_8, float* data2_16, float* data3_256, float* data4_4, float* data5_4, int* data6_1) {
  float buf0[3];
  int buf1[1];
  __shared__ __align__(16) float buf2[32];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu0;
  int val0 = (*(data6_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  int alu5 = ((val0>>6)+1);
  for (int Lidx1 = 0; Lidx1 < alu5; Lidx1++) {
    bool alu6 = (Lidx1<alu5);
    int alu7 = (alu6?Lidx1:0);
    float val1 = (*(data3_256+(((long)(lidx0))+((long)((gidx0<<5)))+((long)((alu7<<6))))));
    int alu8 = ((gidx0>>1)+alu7);
    float val2 = (*(data4_4+alu8));
    float val3 = (*(data5_4+alu8));
    float val4 = (*(buf0+0));
    float alu9 = (alu6?val2:-1.0000000150474662e+30f);
    float alu10 = ((alu9<val4)?val4:alu9);
    float alu11 = exp2(((val4-alu10)*1.4426950216293335f));
    float alu12 = ((-5.000000075237331e+29f<alu9)?exp2(((alu9-alu10)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu10;
    *(buf0+1) = (((*(buf0+1))*alu11)+(alu12*val3));
    *(buf0+2) = (((*(buf0+2))*alu11)+(alu12*val1));
  }
  *(buf2+lidx0) = ((*(buf0+2))*(1/(*(buf0+1))));
  __syncthreads();
  bool alu19 = (lidx0<8);
  int alu20 = (alu19?lidx0:0);
  float4 val5 = (*((float4*)((buf2+(alu20<<2)))));
  float alu21 = ((val5.x<0.0f)?-val5.x:val5.x);
  float alu22 = ((val5.y<0.0f)?-val5.y:val5.y);
  float alu23 = ((val5.z<0.0f)?-val5.z:val5.z);
  float alu24 = ((alu21<alu22)?alu22:alu21);
  float alu25 = ((val5.w<0.0f)?-val5.w:val5.w);
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
  float alu36 = (val5.x*alu35);
  float alu37 = ((alu36<0.0f)?-0.5f:0.5f);
  int cast0 = ((int)(trunc((alu36+alu37))));
  float alu38 = (val5.y*alu35);
  float alu39 = ((alu38<0.0f)?-0.5f:0.5f);
  int cast1 = ((int)(trunc((alu38+alu39))));
  float alu40 = (val5.z*alu35);
  float alu41 = ((alu40<0.0f)?-0.5f:0.5f);
  int cast2 = ((int)(trunc((alu40+alu41))));
  float alu42 = (val5.w*alu35);
  float alu43 = ((alu42<0.0f)?-0.5f:0.5f);
  int cast3 = ((int)(trunc((alu42+alu43))));
  int alu44 = (cast0+cast1+cast2+cast3);
  int alu45 = __shfl_xor_sync(0xffffffffu, alu44, 2);
  int alu46 = (alu44+alu45);
  int alu47 = __shfl_xor_sync(0xffffffffu, alu46, 1);
  if (alu19) {
    *(data0_64+(lidx0+(gidx0<<3))) = ((tg_bitcast<uint>((int)(cast0))&255u)|((tg_bitcast<uint>((int)(cast1))&255u)<<8u)|((tg_bitcast<uint>((int)(cast2))&255u)<<16u)|((tg_bitcast<uint>((int)(cast3))&255u)<<24u));
  }
  if ((alu19&(lidx0==0))) {
    *(data1_8+gidx0) = alu34;
  }
  if ((alu19&((lidx0&3)==0))) {
    *(data2_16+((gidx0<<1)+(lidx0>>2))) = (alu33*((float)((alu46+alu47)))*0.007874015718698502f);
  }
}
