// decode/rope_store+attention/256/h4k2d64-c64/m1 split=1 threads=32
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
struct __align__(8) half4 { half x, y, z, w; }; __device__ half4 make_half4(half x, half y, half z, half w) { half4 r={x, y, z, w}; return r; }
extern "C" __global__ void __launch_bounds__(32) rope_attention_4x64_64_1(float* data0_256, float* data1_4, float* data2_4, half* data3_16384, float* data4_512, float* data5_4096, int* data6_1) {
  float buf0[6];
  float buf1[2];
  float buf2[4];
  __shared__ __align__(16) float buf3[128];
  __shared__ __align__(16) float buf4[64];
  __shared__ __align__(16) float buf5[66];
  int val0 = (*(data6_1+0));
  int gidx0 = blockIdx.x; /* 2 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = (lidx0+(gidx0<<7));
  float val1 = (*(data4_512+alu0));
  int alu1 = (lidx0+(gidx0<<6));
  float val2 = (*(data4_512+(alu1+256)));
  float val3 = (*(data4_512+(alu1+288)));
  float val4 = (*(data4_512+(alu1+384)));
  float val5 = (*(data4_512+(alu1+416)));
  int alu2 = (alu0+32);
  float val6 = (*(data4_512+alu2));
  int alu3 = (alu0+64);
  float val7 = (*(data4_512+alu3));
  int alu4 = (alu0+96);
  float val8 = (*(data4_512+alu4));
  long cast0 = ((long)(lidx0));
  long alu5 = (cast0+(((long)(val0))<<6l));
  float val9 = (*(data5_4096+alu5));
  float val10 = (*(data5_4096+(alu5+32l)));
  int alu6 = (lidx0+32);
  float alu7 = ((val6*val9)+(val1*val10));
  float alu8 = ((val8*val9)+(val7*val10));
  float alu9 = ((val1*val9)-(val10*val6));
  float alu10 = ((val7*val9)-(val10*val8));
  *(buf3+lidx0) = alu9;
  *(buf3+alu6) = alu7;
  *(buf3+(lidx0+64)) = alu10;
  *(buf3+(lidx0+96)) = alu8;
  __syncthreads();
  uint cast1 = tg_bitcast<uint>((float)(val4));
  uint alu16 = (cast1&2147483647u);
  float alu17 = (tg_bitcast<float>((uint)(alu16))*16777216.0f);
  float alu18 = trunc(alu17);
  uint cast2 = ((uint)(alu18));
  uint cast3 = tg_bitcast<uint>((float)(val5));
  uint alu19 = (cast3&2147483647u);
  float alu20 = (tg_bitcast<float>((uint)(alu19))*16777216.0f);
  float alu21 = trunc(alu20);
  uint cast4 = ((uint)(alu21));
  uint cast5 = tg_bitcast<uint>((float)(((val3*val9)+(val2*val10))));
  uint alu22 = (cast5&2147483647u);
  float alu23 = (tg_bitcast<float>((uint)(alu22))*16777216.0f);
  float alu24 = trunc(alu23);
  uint cast6 = ((uint)(alu24));
  uint cast7 = tg_bitcast<uint>((float)(((val2*val9)-(val10*val3))));
  uint alu25 = (cast7&2147483647u);
  float alu26 = (tg_bitcast<float>((uint)(alu25))*16777216.0f);
  float alu27 = trunc(alu26);
  uint cast8 = ((uint)(alu27));
  float alu28 = (alu17-alu18);
  uint alu29 = (((0.5f<alu28)|((alu28==0.5f)&((cast2&1u)!=0u)))?1u:0u);
  uint alu30 = (((alu16+((alu16>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu31 = ((31744u<alu30)?31744u:alu30);
  uint alu32 = ((alu16<947912704u)?(cast2+alu29):alu31);
  uint alu33 = (((cast1>>16u)&32768u)|alu32);
  float alu34 = (alu20-alu21);
  uint alu35 = (((0.5f<alu34)|((alu34==0.5f)&((cast4&1u)!=0u)))?1u:0u);
  uint alu36 = (((alu19+((alu19>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu37 = ((31744u<alu36)?31744u:alu36);
  uint alu38 = ((alu19<947912704u)?(cast4+alu35):alu37);
  uint alu39 = (((cast3>>16u)&32768u)|alu38);
  float alu40 = (alu23-alu24);
  uint alu41 = (((0.5f<alu40)|((alu40==0.5f)&((cast6&1u)!=0u)))?1u:0u);
  uint alu42 = (((alu22+((alu22>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu43 = ((31744u<alu42)?31744u:alu42);
  uint alu44 = ((alu22<947912704u)?(cast6+alu41):alu43);
  uint alu45 = (((cast5>>16u)&32768u)|alu44);
  float alu46 = (alu26-alu27);
  uint alu47 = (((0.5f<alu46)|((alu46==0.5f)&((cast8&1u)!=0u)))?1u:0u);
  uint alu48 = (((alu25+((alu25>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu49 = ((31744u<alu48)?31744u:alu48);
  uint alu50 = ((alu25<947912704u)?(cast8+alu47):alu49);
  uint alu51 = (((cast7>>16u)&32768u)|alu50);
  uint alu52 = (((alu33&31744u)!=0u)?(((alu33&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu33&1023u)))*5.960464477539063e-08f))));
  uint alu53 = (((alu39&31744u)!=0u)?(((alu39&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu39&1023u)))*5.960464477539063e-08f))));
  uint alu54 = (((alu45&31744u)!=0u)?(((alu45&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu45&1023u)))*5.960464477539063e-08f))));
  float cast9 = tg_bitcast<float>((uint)((alu54|((alu45&32768u)<<16u))));
  uint alu55 = (((alu51&31744u)!=0u)?(((alu51&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu51&1023u)))*5.960464477539063e-08f))));
  float cast10 = tg_bitcast<float>((uint)((alu55|((alu51&32768u)<<16u))));
  float alu56 = ((alu9*cast10)+(alu7*cast9));
  float alu57 = __shfl_xor_sync(0xffffffffu, alu56, 16);
  float alu58 = (alu56+alu57);
  float alu59 = __shfl_xor_sync(0xffffffffu, alu58, 8);
  float alu60 = (alu58+alu59);
  float alu61 = __shfl_xor_sync(0xffffffffu, alu60, 4);
  float alu62 = (alu60+alu61);
  float alu63 = __shfl_xor_sync(0xffffffffu, alu62, 2);
  float alu64 = (alu62+alu63);
  float alu65 = __shfl_xor_sync(0xffffffffu, alu64, 1);
  float alu66 = ((alu10*cast10)+(alu8*cast9));
  float alu67 = __shfl_xor_sync(0xffffffffu, alu66, 16);
  float alu68 = (alu66+alu67);
  float alu69 = __shfl_xor_sync(0xffffffffu, alu68, 8);
  float alu70 = (alu68+alu69);
  float alu71 = __shfl_xor_sync(0xffffffffu, alu70, 4);
  float alu72 = (alu70+alu71);
  float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 2);
  float alu74 = (alu72+alu73);
  float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 1);
  int alu76 = (lidx0>>4);
  bool alu77 = ((-1<val0)&(val0<64));
  float alu78 = ((alu76!=1)?((alu64+alu65)*0.125f):((alu74+alu75)*0.125f));
  float alu79 = (alu77?1.0f:0.0f);
  float alu80 = (alu77?tg_bitcast<float>((uint)((alu52|((alu33&32768u)<<16u)))):0.0f);
  float alu81 = (alu77?tg_bitcast<float>((uint)((alu53|((alu39&32768u)<<16u)))):0.0f);
  float alu82 = (alu77?alu78:-1.0000000150474662e+30f);
  *(buf0+0) = alu82;
  *(buf0+1) = alu79;
  *(buf0+2) = alu80;
  *(buf0+3) = alu81;
  *(buf0+4) = alu80;
  *(buf0+5) = alu81;
  int alu89 = (gidx0<<12);
  int alu90 = (lidx0+alu89+(val0<<6));
  int alu91 = (alu76*33);
  int alu92 = (lidx0&15);
  int alu93 = (alu91+alu92);
  int alu94 = ((gidx0<<1)+alu76);
  long cast11 = ((long)(alu89));
  int alu95 = ((val0<0)?0:val0);
  int alu96 = ((64<alu95)?64:alu95);
  int alu97 = ((alu76<<5)+alu92);
  bool alu98 = (alu92==0);
  if (alu77) {
    *(data3_16384+alu90) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu51))));
  }
  if (alu77) {
    *(data3_16384+(alu90+32)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu45))));
  }
  if (alu77) {
    *(data3_16384+(alu90+8192)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu33))));
  }
  if (alu77) {
    *(data3_16384+(alu90+8224)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu39))));
  }
  for (long Lidx1 = 0; Lidx1 < ((((long)(alu96))+31l)>>5l); Lidx1++) {
    *(buf1+0) = 0.0f;
    *(buf1+1) = 0.0f;
    int cast12 = ((int)(Lidx1));
    int alu113 = (cast12<<5);
    bool alu114 = (cast12<2);
    long alu115 = (alu114?((long)((lidx0+alu113))):0l);
    for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
      int alu116 = (Lidx2<<2);
      half4 val11 = (*((half4*)((data3_16384+(cast11+(alu115<<6l)+((long)(alu116)))))));
      float4 val12 = (*((float4*)((buf3+(alu116+64)))));
      float4 val13 = (*((float4*)((buf3+alu116))));
      float cast13 = ((float)(val11.x));
      float cast14 = ((float)(val11.y));
      float cast15 = ((float)(val11.z));
      float cast16 = ((float)(val11.w));
      *(buf1+0) = ((*(buf1+0))+(cast13*val13.x)+(cast14*val13.y)+(cast15*val13.z)+(cast16*val13.w));
      *(buf1+1) = ((*(buf1+1))+(cast13*val12.x)+(cast14*val12.y)+(cast15*val12.z)+(cast16*val12.w));
    }
    int alu120 = ((cast12*-32)+alu96);
    bool alu121 = (lidx0<alu120);
    float alu122 = (alu121?((*(buf1+0))*0.125f):-1.0000000150474662e+30f);
    float alu123 = (alu121?((*(buf1+1))*0.125f):-1.0000000150474662e+30f);
    *(buf4+lidx0) = alu122;
    *(buf4+alu6) = alu123;
    __syncthreads();
    float val14 = (*(buf4+(alu97+16)));
    float val15 = (*(buf4+alu97));
    float val16 = (*(buf0+0));
    float alu127 = ((val15<val14)?val14:val15);
    float alu128 = __shfl_xor_sync(0xffffffffu, alu127, 8);
    float alu129 = ((alu127<alu128)?alu128:alu127);
    float alu130 = __shfl_xor_sync(0xffffffffu, alu129, 4);
    float alu131 = ((alu129<alu130)?alu130:alu129);
    float alu132 = __shfl_xor_sync(0xffffffffu, alu131, 2);
    float alu133 = ((alu131<alu132)?alu132:alu131);
    float alu134 = __shfl_xor_sync(0xffffffffu, alu133, 1);
    float alu135 = ((alu133<alu134)?alu134:alu133);
    float alu136 = ((alu135<val16)?val16:alu135);
    float alu137 = exp2(((val16-alu136)*1.4426950216293335f));
    float alu138 = ((-5.000000075237331e+29f<val14)?exp2(((val14-alu136)*1.4426950216293335f)):0.0f);
    float alu139 = ((-5.000000075237331e+29f<val15)?exp2(((val15-alu136)*1.4426950216293335f)):0.0f);
    *(buf5+(alu93+16)) = alu138;
    if (alu98) {
      *(buf5+(alu91+32)) = alu137;
    }
    *(buf5+alu93) = alu139;
    __syncthreads();
    float val17 = (*(buf5+32));
    float val18 = (*(buf5+65));
    *(buf2+0) = ((*(buf0+2))*val17);
    *(buf2+1) = ((*(buf0+3))*val17);
    *(buf2+2) = ((*(buf0+4))*val18);
    *(buf2+3) = ((*(buf0+5))*val18);
    for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
      int alu150 = (Lidx3<<3);
      int alu151 = (alu113+alu150);
      long alu152 = (alu114?((long)(alu151)):0l);
      long alu153 = (cast0+cast11+(alu152<<6l));
      half val19 = (*(data3_16384+(alu153+8192l)));
      half val20 = (*(data3_16384+(alu153+8224l)));
      long alu154 = ((((cast12<<3)+(Lidx3<<1))<15)?((long)((alu151+4))):0l);
      long alu155 = (cast0+cast11+(alu154<<6l));
      half val21 = (*(data3_16384+(alu155+8192l)));
      half val22 = (*(data3_16384+(alu155+8224l)));
      int alu156 = ((cast12<<4)+(Lidx3<<2));
      long alu157 = ((alu156<29)?((long)((alu151+6))):0l);
      long alu158 = (cast0+cast11+(alu157<<6l));
      half val23 = (*(data3_16384+(alu158+8192l)));
      half val24 = (*(data3_16384+(alu158+8224l)));
      long alu159 = ((alu156<31)?((long)((alu151+2))):0l);
      long alu160 = (cast0+cast11+(alu159<<6l));
      half val25 = (*(data3_16384+(alu160+8192l)));
      half val26 = (*(data3_16384+(alu160+8224l)));
      long alu161 = ((alu151<57)?((long)((alu151+7))):0l);
      long alu162 = (cast0+cast11+(alu161<<6l));
      half val27 = (*(data3_16384+(alu162+8192l)));
      half val28 = (*(data3_16384+(alu162+8224l)));
      long alu163 = ((alu151<59)?((long)((alu151+5))):0l);
      long alu164 = (cast0+cast11+(alu163<<6l));
      half val29 = (*(data3_16384+(alu164+8192l)));
      half val30 = (*(data3_16384+(alu164+8224l)));
      long alu165 = ((alu151<61)?((long)((alu151+3))):0l);
      long alu166 = (cast0+cast11+(alu165<<6l));
      half val31 = (*(data3_16384+(alu166+8192l)));
      half val32 = (*(data3_16384+(alu166+8224l)));
      long alu167 = ((alu151<63)?((long)((alu151+1))):0l);
      long alu168 = (cast0+cast11+(alu167<<6l));
      half val33 = (*(data3_16384+(alu168+8192l)));
      half val34 = (*(data3_16384+(alu168+8224l)));
      float val35 = (*(buf5+(alu150+33)));
      float val36 = (*(buf5+(alu150+40)));
      int alu169 = (alu150+4);
      float4 val37 = (*((float4*)((buf5+alu169))));
      float2 val38 = (*((float2*)((buf5+(alu150+34)))));
      float4 val39 = (*((float4*)((buf5+(alu150+36)))));
      float4 val40 = (*((float4*)((buf5+alu150))));
      bool alu170 = (alu150<alu120);
      float alu171 = (alu170?((float)(val19)):0.0f);
      float alu172 = (alu170?((float)(val20)):0.0f);
      bool alu173 = ((alu150+1)<alu120);
      float alu174 = (alu173?((float)(val33)):0.0f);
      float alu175 = (alu173?((float)(val34)):0.0f);
      bool alu176 = ((alu150+2)<alu120);
      float alu177 = (alu176?((float)(val25)):0.0f);
      float alu178 = (alu176?((float)(val26)):0.0f);
      bool alu179 = ((alu150+3)<alu120);
      float alu180 = (alu179?((float)(val31)):0.0f);
      float alu181 = (alu179?((float)(val32)):0.0f);
      bool alu182 = (alu169<alu120);
      float alu183 = (alu182?((float)(val21)):0.0f);
      float alu184 = (alu182?((float)(val22)):0.0f);
      bool alu185 = ((alu150+5)<alu120);
      float alu186 = (alu185?((float)(val29)):0.0f);
      float alu187 = (alu185?((float)(val30)):0.0f);
      bool alu188 = ((alu150+6)<alu120);
      float alu189 = (alu188?((float)(val23)):0.0f);
      float alu190 = (alu188?((float)(val24)):0.0f);
      bool alu191 = ((alu150+7)<alu120);
      float alu192 = (alu191?((float)(val27)):0.0f);
      float alu193 = (alu191?((float)(val28)):0.0f);
      *(buf2+0) = ((*(buf2+0))+(val40.x*alu171)+(val40.y*alu174)+(val40.z*alu177)+(val40.w*alu180)+(val37.x*alu183)+(val37.y*alu186)+(val37.z*alu189)+(val37.w*alu192));
      *(buf2+1) = ((*(buf2+1))+(val40.x*alu172)+(val40.y*alu175)+(val40.z*alu178)+(val40.w*alu181)+(val37.x*alu184)+(val37.y*alu187)+(val37.z*alu190)+(val37.w*alu193));
      *(buf2+2) = ((*(buf2+2))+(val35*alu171)+(val38.x*alu174)+(val38.y*alu177)+(val39.x*alu180)+(val39.y*alu183)+(val39.z*alu186)+(val39.w*alu189)+(val36*alu192));
      *(buf2+3) = ((*(buf2+3))+(val35*alu172)+(val38.x*alu175)+(val38.y*alu178)+(val39.x*alu181)+(val39.y*alu184)+(val39.z*alu187)+(val39.w*alu190)+(val36*alu193));
    }
    float alu199 = (alu139+alu138);
    float alu200 = __shfl_xor_sync(0xffffffffu, alu199, 8);
    float alu201 = (alu199+alu200);
    float alu202 = __shfl_xor_sync(0xffffffffu, alu201, 4);
    float alu203 = (alu201+alu202);
    float alu204 = __shfl_xor_sync(0xffffffffu, alu203, 2);
    float alu205 = (alu203+alu204);
    float alu206 = __shfl_xor_sync(0xffffffffu, alu205, 1);
    *(buf0+0) = alu136;
    *(buf0+1) = (((*(buf0+1))*alu137)+alu205+alu206);
    *(buf0+2) = (*(buf2+0));
    *(buf0+3) = (*(buf2+1));
    *(buf0+4) = (*(buf2+2));
    *(buf0+5) = (*(buf2+3));
    __syncthreads();
  }
  *(data0_256+alu0) = (*(buf0+2));
  *(data0_256+alu2) = (*(buf0+3));
  *(data0_256+alu3) = (*(buf0+4));
  *(data0_256+alu4) = (*(buf0+5));
  if (alu98) {
    *(data1_4+alu94) = (*(buf0+0));
  }
  if (alu98) {
    *(data2_4+alu94) = (*(buf0+1));
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
