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
  int buf3[1];
  __shared__ __align__(16) float buf4[128];
  __shared__ __align__(16) float buf5[64];
  __shared__ __align__(16) float buf6[66];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf3+0) = alu0;
  int val0 = (*(data6_1+0));
  int lidx0 = threadIdx.x; /* 32 */
  long cast0 = ((long)(lidx0));
  long alu2 = (cast0+(((long)(val0))<<6l));
  float val1 = (*(data5_4096+alu2));
  float val2 = (*(data5_4096+(alu2+32l)));
  int gidx0 = blockIdx.x; /* 2 */
  int alu3 = (lidx0+(gidx0<<7));
  float val3 = (*(data4_512+alu3));
  int alu4 = (lidx0+(gidx0<<6));
  float val4 = (*(data4_512+(alu4+256)));
  float val5 = (*(data4_512+(alu4+288)));
  float val6 = (*(data4_512+(alu4+384)));
  float val7 = (*(data4_512+(alu4+416)));
  int alu5 = (alu3+32);
  float val8 = (*(data4_512+alu5));
  int alu6 = (alu3+64);
  float val9 = (*(data4_512+alu6));
  int alu7 = (alu3+96);
  float val10 = (*(data4_512+alu7));
  int alu8 = (lidx0+32);
  float alu9 = ((val8*val1)+(val3*val2));
  float alu10 = ((val10*val1)+(val9*val2));
  float alu11 = ((val3*val1)-(val2*val8));
  float alu12 = ((val9*val1)-(val2*val10));
  *(buf4+lidx0) = alu11;
  *(buf4+alu8) = alu9;
  *(buf4+(lidx0+64)) = alu12;
  *(buf4+(lidx0+96)) = alu10;
  __syncthreads();
  uint cast1 = tg_bitcast<uint>((float)(val6));
  uint alu18 = (cast1&2147483647u);
  float alu19 = (tg_bitcast<float>((uint)(alu18))*16777216.0f);
  float alu20 = trunc(alu19);
  uint cast2 = ((uint)(alu20));
  uint cast3 = tg_bitcast<uint>((float)(val7));
  uint alu21 = (cast3&2147483647u);
  float alu22 = (tg_bitcast<float>((uint)(alu21))*16777216.0f);
  float alu23 = trunc(alu22);
  uint cast4 = ((uint)(alu23));
  uint cast5 = tg_bitcast<uint>((float)(((val5*val1)+(val4*val2))));
  uint alu24 = (cast5&2147483647u);
  float alu25 = (tg_bitcast<float>((uint)(alu24))*16777216.0f);
  float alu26 = trunc(alu25);
  uint cast6 = ((uint)(alu26));
  uint cast7 = tg_bitcast<uint>((float)(((val4*val1)-(val2*val5))));
  uint alu27 = (cast7&2147483647u);
  float alu28 = (tg_bitcast<float>((uint)(alu27))*16777216.0f);
  float alu29 = trunc(alu28);
  uint cast8 = ((uint)(alu29));
  float alu30 = (alu19-alu20);
  uint alu31 = (((0.5f<alu30)|((alu30==0.5f)&((cast2&1u)!=0u)))?1u:0u);
  uint alu32 = (((alu18+((alu18>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu33 = ((31744u<alu32)?31744u:alu32);
  uint alu34 = ((alu18<947912704u)?(cast2+alu31):alu33);
  uint alu35 = (((cast1>>16u)&32768u)|alu34);
  float alu36 = (alu22-alu23);
  uint alu37 = (((0.5f<alu36)|((alu36==0.5f)&((cast4&1u)!=0u)))?1u:0u);
  uint alu38 = (((alu21+((alu21>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu39 = ((31744u<alu38)?31744u:alu38);
  uint alu40 = ((alu21<947912704u)?(cast4+alu37):alu39);
  uint alu41 = (((cast3>>16u)&32768u)|alu40);
  float alu42 = (alu25-alu26);
  uint alu43 = (((0.5f<alu42)|((alu42==0.5f)&((cast6&1u)!=0u)))?1u:0u);
  uint alu44 = (((alu24+((alu24>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu45 = ((31744u<alu44)?31744u:alu44);
  uint alu46 = ((alu24<947912704u)?(cast6+alu43):alu45);
  uint alu47 = (((cast5>>16u)&32768u)|alu46);
  float alu48 = (alu28-alu29);
  uint alu49 = (((0.5f<alu48)|((alu48==0.5f)&((cast8&1u)!=0u)))?1u:0u);
  uint alu50 = (((alu27+((alu27>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu51 = ((31744u<alu50)?31744u:alu50);
  uint alu52 = ((alu27<947912704u)?(cast8+alu49):alu51);
  uint alu53 = (((cast7>>16u)&32768u)|alu52);
  uint alu54 = (((alu35&31744u)!=0u)?(((alu35&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu35&1023u)))*5.960464477539063e-08f))));
  uint alu55 = (((alu41&31744u)!=0u)?(((alu41&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu41&1023u)))*5.960464477539063e-08f))));
  uint alu56 = (((alu47&31744u)!=0u)?(((alu47&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu47&1023u)))*5.960464477539063e-08f))));
  float cast9 = tg_bitcast<float>((uint)((alu56|((alu47&32768u)<<16u))));
  uint alu57 = (((alu53&31744u)!=0u)?(((alu53&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu53&1023u)))*5.960464477539063e-08f))));
  float cast10 = tg_bitcast<float>((uint)((alu57|((alu53&32768u)<<16u))));
  float alu58 = ((alu11*cast10)+(alu9*cast9));
  float alu59 = __shfl_xor_sync(0xffffffffu, alu58, 16);
  float alu60 = (alu58+alu59);
  float alu61 = __shfl_xor_sync(0xffffffffu, alu60, 8);
  float alu62 = (alu60+alu61);
  float alu63 = __shfl_xor_sync(0xffffffffu, alu62, 4);
  float alu64 = (alu62+alu63);
  float alu65 = __shfl_xor_sync(0xffffffffu, alu64, 2);
  float alu66 = (alu64+alu65);
  float alu67 = __shfl_xor_sync(0xffffffffu, alu66, 1);
  float alu68 = ((alu12*cast10)+(alu10*cast9));
  float alu69 = __shfl_xor_sync(0xffffffffu, alu68, 16);
  float alu70 = (alu68+alu69);
  float alu71 = __shfl_xor_sync(0xffffffffu, alu70, 8);
  float alu72 = (alu70+alu71);
  float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 4);
  float alu74 = (alu72+alu73);
  float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 2);
  float alu76 = (alu74+alu75);
  float alu77 = __shfl_xor_sync(0xffffffffu, alu76, 1);
  int alu78 = (lidx0>>4);
  bool alu79 = ((-1<val0)&(val0<64));
  float alu80 = ((alu78!=1)?((alu66+alu67)*0.125f):((alu76+alu77)*0.125f));
  float alu81 = (alu79?1.0f:0.0f);
  float alu82 = (alu79?tg_bitcast<float>((uint)((alu54|((alu35&32768u)<<16u)))):0.0f);
  float alu83 = (alu79?tg_bitcast<float>((uint)((alu55|((alu41&32768u)<<16u)))):0.0f);
  float alu84 = (alu79?alu80:-1.0000000150474662e+30f);
  *(buf0+0) = alu84;
  *(buf0+1) = alu81;
  *(buf0+2) = alu82;
  *(buf0+3) = alu83;
  *(buf0+4) = alu82;
  *(buf0+5) = alu83;
  int alu91 = (gidx0<<12);
  int alu92 = (lidx0+alu91+(val0<<6));
  int alu93 = (alu78*33);
  int alu94 = (lidx0&15);
  int alu95 = (alu93+alu94);
  int alu96 = ((gidx0<<1)+alu78);
  long cast11 = ((long)(alu91));
  int alu97 = ((val0<0)?0:val0);
  int alu98 = ((64<alu97)?64:alu97);
  int alu99 = ((alu78<<5)+alu94);
  bool alu100 = (alu94==0);
  if (alu79) {
    *(data3_16384+alu92) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu53))));
  }
  if (alu79) {
    *(data3_16384+(alu92+32)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu47))));
  }
  if (alu79) {
    *(data3_16384+(alu92+8192)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu35))));
  }
  if (alu79) {
    *(data3_16384+(alu92+8224)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu41))));
  }
  for (long Lidx1 = 0; Lidx1 < ((((long)(alu98))+31l)>>5l); Lidx1++) {
    *(buf1+0) = 0.0f;
    *(buf1+1) = 0.0f;
    int cast12 = ((int)(Lidx1));
    int alu115 = (cast12<<5);
    bool alu116 = (cast12<2);
    long alu117 = (alu116?((long)((lidx0+alu115))):0l);
    for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
      int alu118 = (Lidx2<<2);
      half4 val11 = (*((half4*)((data3_16384+(cast11+(alu117<<6l)+((long)(alu118)))))));
      float4 val12 = (*((float4*)((buf4+(alu118+64)))));
      float4 val13 = (*((float4*)((buf4+alu118))));
      float cast13 = ((float)(val11.x));
      float cast14 = ((float)(val11.y));
      float cast15 = ((float)(val11.z));
      float cast16 = ((float)(val11.w));
      *(buf1+0) = ((*(buf1+0))+(cast13*val13.x)+(cast14*val13.y)+(cast15*val13.z)+(cast16*val13.w));
      *(buf1+1) = ((*(buf1+1))+(cast13*val12.x)+(cast14*val12.y)+(cast15*val12.z)+(cast16*val12.w));
    }
    int alu122 = ((cast12*-32)+alu98);
    bool alu123 = (lidx0<alu122);
    float alu124 = (alu123?((*(buf1+0))*0.125f):-1.0000000150474662e+30f);
    float alu125 = (alu123?((*(buf1+1))*0.125f):-1.0000000150474662e+30f);
    *(buf5+lidx0) = alu124;
    *(buf5+alu8) = alu125;
    __syncthreads();
    float val14 = (*(buf5+(alu99+16)));
    float val15 = (*(buf5+alu99));
    float val16 = (*(buf0+0));
    float alu129 = ((val15<val14)?val14:val15);
    float alu130 = __shfl_xor_sync(0xffffffffu, alu129, 8);
    float alu131 = ((alu129<alu130)?alu130:alu129);
    float alu132 = __shfl_xor_sync(0xffffffffu, alu131, 4);
    float alu133 = ((alu131<alu132)?alu132:alu131);
    float alu134 = __shfl_xor_sync(0xffffffffu, alu133, 2);
    float alu135 = ((alu133<alu134)?alu134:alu133);
    float alu136 = __shfl_xor_sync(0xffffffffu, alu135, 1);
    float alu137 = ((alu135<alu136)?alu136:alu135);
    float alu138 = ((alu137<val16)?val16:alu137);
    float alu139 = exp2(((val16-alu138)*1.4426950216293335f));
    float alu140 = ((-5.000000075237331e+29f<val14)?exp2(((val14-alu138)*1.4426950216293335f)):0.0f);
    float alu141 = ((-5.000000075237331e+29f<val15)?exp2(((val15-alu138)*1.4426950216293335f)):0.0f);
    *(buf6+(alu95+16)) = alu140;
    if (alu100) {
      *(buf6+(alu93+32)) = alu139;
    }
    *(buf6+alu95) = alu141;
    __syncthreads();
    float val17 = (*(buf6+32));
    float val18 = (*(buf6+65));
    *(buf2+0) = ((*(buf0+2))*val17);
    *(buf2+1) = ((*(buf0+3))*val17);
    *(buf2+2) = ((*(buf0+4))*val18);
    *(buf2+3) = ((*(buf0+5))*val18);
    for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
      int alu152 = (Lidx3<<3);
      int alu153 = (alu115+alu152);
      long alu154 = (alu116?((long)(alu153)):0l);
      long alu155 = (cast0+cast11+(alu154<<6l));
      half val19 = (*(data3_16384+(alu155+8192l)));
      half val20 = (*(data3_16384+(alu155+8224l)));
      long alu156 = ((((cast12<<3)+(Lidx3<<1))<15)?((long)((alu153+4))):0l);
      long alu157 = (cast0+cast11+(alu156<<6l));
      half val21 = (*(data3_16384+(alu157+8192l)));
      half val22 = (*(data3_16384+(alu157+8224l)));
      int alu158 = ((cast12<<4)+(Lidx3<<2));
      long alu159 = ((alu158<29)?((long)((alu153+6))):0l);
      long alu160 = (cast0+cast11+(alu159<<6l));
      half val23 = (*(data3_16384+(alu160+8192l)));
      half val24 = (*(data3_16384+(alu160+8224l)));
      long alu161 = ((alu158<31)?((long)((alu153+2))):0l);
      long alu162 = (cast0+cast11+(alu161<<6l));
      half val25 = (*(data3_16384+(alu162+8192l)));
      half val26 = (*(data3_16384+(alu162+8224l)));
      long alu163 = ((alu153<57)?((long)((alu153+7))):0l);
      long alu164 = (cast0+cast11+(alu163<<6l));
      half val27 = (*(data3_16384+(alu164+8192l)));
      half val28 = (*(data3_16384+(alu164+8224l)));
      long alu165 = ((alu153<59)?((long)((alu153+5))):0l);
      long alu166 = (cast0+cast11+(alu165<<6l));
      half val29 = (*(data3_16384+(alu166+8192l)));
      half val30 = (*(data3_16384+(alu166+8224l)));
      long alu167 = ((alu153<61)?((long)((alu153+3))):0l);
      long alu168 = (cast0+cast11+(alu167<<6l));
      half val31 = (*(data3_16384+(alu168+8192l)));
      half val32 = (*(data3_16384+(alu168+8224l)));
      long alu169 = ((alu153<63)?((long)((alu153+1))):0l);
      long alu170 = (cast0+cast11+(alu169<<6l));
      half val33 = (*(data3_16384+(alu170+8192l)));
      half val34 = (*(data3_16384+(alu170+8224l)));
      float val35 = (*(buf6+(alu152+33)));
      float val36 = (*(buf6+(alu152+40)));
      int alu171 = (alu152+4);
      float4 val37 = (*((float4*)((buf6+alu171))));
      float2 val38 = (*((float2*)((buf6+(alu152+34)))));
      float4 val39 = (*((float4*)((buf6+(alu152+36)))));
      float4 val40 = (*((float4*)((buf6+alu152))));
      bool alu172 = (alu152<alu122);
      float alu173 = (alu172?((float)(val19)):0.0f);
      float alu174 = (alu172?((float)(val20)):0.0f);
      bool alu175 = ((alu152+1)<alu122);
      float alu176 = (alu175?((float)(val33)):0.0f);
      float alu177 = (alu175?((float)(val34)):0.0f);
      bool alu178 = ((alu152+2)<alu122);
      float alu179 = (alu178?((float)(val25)):0.0f);
      float alu180 = (alu178?((float)(val26)):0.0f);
      bool alu181 = ((alu152+3)<alu122);
      float alu182 = (alu181?((float)(val31)):0.0f);
      float alu183 = (alu181?((float)(val32)):0.0f);
      bool alu184 = (alu171<alu122);
      float alu185 = (alu184?((float)(val21)):0.0f);
      float alu186 = (alu184?((float)(val22)):0.0f);
      bool alu187 = ((alu152+5)<alu122);
      float alu188 = (alu187?((float)(val29)):0.0f);
      float alu189 = (alu187?((float)(val30)):0.0f);
      bool alu190 = ((alu152+6)<alu122);
      float alu191 = (alu190?((float)(val23)):0.0f);
      float alu192 = (alu190?((float)(val24)):0.0f);
      bool alu193 = ((alu152+7)<alu122);
      float alu194 = (alu193?((float)(val27)):0.0f);
      float alu195 = (alu193?((float)(val28)):0.0f);
      *(buf2+0) = ((*(buf2+0))+(val40.x*alu173)+(val40.y*alu176)+(val40.z*alu179)+(val40.w*alu182)+(val37.x*alu185)+(val37.y*alu188)+(val37.z*alu191)+(val37.w*alu194));
      *(buf2+1) = ((*(buf2+1))+(val40.x*alu174)+(val40.y*alu177)+(val40.z*alu180)+(val40.w*alu183)+(val37.x*alu186)+(val37.y*alu189)+(val37.z*alu192)+(val37.w*alu195));
      *(buf2+2) = ((*(buf2+2))+(val35*alu173)+(val38.x*alu176)+(val38.y*alu179)+(val39.x*alu182)+(val39.y*alu185)+(val39.z*alu188)+(val39.w*alu191)+(val36*alu194));
      *(buf2+3) = ((*(buf2+3))+(val35*alu174)+(val38.x*alu177)+(val38.y*alu180)+(val39.x*alu183)+(val39.y*alu186)+(val39.z*alu189)+(val39.w*alu192)+(val36*alu195));
    }
    float alu201 = (alu141+alu140);
    float alu202 = __shfl_xor_sync(0xffffffffu, alu201, 8);
    float alu203 = (alu201+alu202);
    float alu204 = __shfl_xor_sync(0xffffffffu, alu203, 4);
    float alu205 = (alu203+alu204);
    float alu206 = __shfl_xor_sync(0xffffffffu, alu205, 2);
    float alu207 = (alu205+alu206);
    float alu208 = __shfl_xor_sync(0xffffffffu, alu207, 1);
    *(buf0+0) = alu138;
    *(buf0+1) = (((*(buf0+1))*alu139)+alu207+alu208);
    *(buf0+2) = (*(buf2+0));
    *(buf0+3) = (*(buf2+1));
    *(buf0+4) = (*(buf2+2));
    *(buf0+5) = (*(buf2+3));
    __syncthreads();
  }
  *(data0_256+alu3) = (*(buf0+2));
  *(data0_256+alu5) = (*(buf0+3));
  *(data0_256+alu6) = (*(buf0+4));
  *(data0_256+alu7) = (*(buf0+5));
  if (alu100) {
    *(data1_4+alu96) = (*(buf0+0));
  }
  if (alu100) {
    *(data2_4+alu96) = (*(buf0+1));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_4x64_1_f32(float* data0_256, float* data1_8, float* data2_256, float* data3_4, float* data4_4, int* data5_1) {
  float buf0[3];
  int buf1[1];
  __shared__ __align__(16) float buf2[32];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu0;
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  int alu5 = (gidx0<<5);
  int alu6 = ((val0>>6)+1);
  for (int Lidx1 = 0; Lidx1 < alu6; Lidx1++) {
    bool alu7 = (Lidx1<alu6);
    int alu8 = (alu7?Lidx1:0);
    float val1 = (*(data2_256+(((long)(lidx0))+((long)(alu5))+((long)((alu8<<6))))));
    int alu9 = ((gidx0>>1)+alu8);
    float val2 = (*(data3_4+alu9));
    float val3 = (*(data4_4+alu9));
    float val4 = (*(buf0+0));
    float alu10 = (alu7?val2:-1.0000000150474662e+30f);
    float alu11 = ((alu10<val4)?val4:alu10);
    float alu12 = exp2(((val4-alu11)*1.4426950216293335f));
    float alu13 = ((-5.000000075237331e+29f<alu10)?exp2(((alu10-alu11)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu11;
    *(buf0+1) = (((*(buf0+1))*alu12)+(alu13*val3));
    *(buf0+2) = (((*(buf0+2))*alu12)+(alu13*val1));
  }
  *(buf2+lidx0) = ((*(buf0+2))*(1/(*(buf0+1))));
  __syncthreads();
  bool alu20 = (lidx0<8);
  int alu21 = (alu20?lidx0:0);
  float4 val5 = (*((float4*)((buf2+(alu21<<2)))));
  float alu22 = (val5.x+val5.y+val5.z+val5.w);
  float alu23 = __shfl_xor_sync(0xffffffffu, alu22, 4);
  float alu24 = (alu22+alu23);
  float alu25 = __shfl_xor_sync(0xffffffffu, alu24, 2);
  float alu26 = (alu24+alu25);
  float alu27 = __shfl_xor_sync(0xffffffffu, alu26, 1);
  if ((alu20&(lidx0==0))) {
    *(data1_8+gidx0) = (alu26+alu27);
  }
  if (alu20) {
    *((float4*)((data0_256+(alu5+(lidx0<<2))))) = val5;
  }
}
