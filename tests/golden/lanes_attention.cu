typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
struct __align__(8) half4 { half x, y, z, w; }; __device__ half4 make_half4(half x, half y, half z, half w) { half4 r={x, y, z, w}; return r; }
extern "C" __global__ void __launch_bounds__(128) rope_attention_8x128_128_4(float* data0_4096, float* data1_32, float* data2_32, half* data3_65536, float* data4_1536, float* data5_16384, int* data6_1, float* data7_128, float* data8_128) {
  float buf0[6];
  float buf1[4];
  float buf2[4];
  __shared__ __align__(16) float buf3[20];
  __shared__ __align__(16) float buf4[512];
  __shared__ __align__(16) float buf5[16];
  __shared__ __align__(16) float buf6[128];
  __shared__ __align__(16) float buf7[132];
  int val0 = (*(data6_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu0 = (lidx0+(lidx1<<5));
  int alu1 = (gidx0>>2);
  int alu2 = (alu1<<9);
  int alu3 = (alu0+alu2);
  float val1 = (*(data4_1536+alu3));
  int alu4 = (alu1<<7);
  int alu5 = (alu0+alu4);
  float val2 = (*(data4_1536+(alu5+1024)));
  float val3 = (*(data4_1536+(alu5+1280)));
  float val4 = (*(data4_1536+(alu3+128)));
  float val5 = (*(data4_1536+(alu3+256)));
  float val6 = (*(data4_1536+(alu3+384)));
  int alu6 = (alu0+-64);
  bool alu7 = (lidx1<2);
  int alu8 = (alu7?(alu0+64):alu6);
  float val7 = (*(data4_1536+(alu4+alu8+1024)));
  int alu9 = (alu2+alu8);
  float val8 = (*(data4_1536+(alu9+128)));
  float val9 = (*(data4_1536+(alu9+256)));
  float val10 = (*(data4_1536+(alu9+384)));
  float val11 = (*(data4_1536+alu9));
  long cast0 = ((long)(val0));
  int alu10 = (alu7?alu0:alu6);
  long alu11 = ((cast0<<7l)+((long)(alu10)));
  float val12 = (*(data5_16384+(alu11+64l)));
  float val13 = (*(data5_16384+alu11));
  float val14 = (*(data7_128+alu0));
  float val15 = (*(data7_128+alu8));
  float val16 = (*(data8_128+alu0));
  float val17 = (*(data8_128+alu8));
  int alu12 = (lidx1*5);
  float alu13 = (val1*val1);
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 16);
  float alu15 = (alu13+alu14);
  float alu16 = __shfl_xor_sync(0xffffffffu, alu15, 8);
  float alu17 = (alu15+alu16);
  float alu18 = __shfl_xor_sync(0xffffffffu, alu17, 4);
  float alu19 = (alu17+alu18);
  float alu20 = __shfl_xor_sync(0xffffffffu, alu19, 2);
  float alu21 = (alu19+alu20);
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 1);
  float alu23 = (val2*val2);
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 16);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 8);
  float alu27 = (alu25+alu26);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 4);
  float alu29 = (alu27+alu28);
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 2);
  float alu31 = (alu29+alu30);
  float alu32 = __shfl_xor_sync(0xffffffffu, alu31, 1);
  float alu33 = (val4*val4);
  float alu34 = __shfl_xor_sync(0xffffffffu, alu33, 16);
  float alu35 = (alu33+alu34);
  float alu36 = __shfl_xor_sync(0xffffffffu, alu35, 8);
  float alu37 = (alu35+alu36);
  float alu38 = __shfl_xor_sync(0xffffffffu, alu37, 4);
  float alu39 = (alu37+alu38);
  float alu40 = __shfl_xor_sync(0xffffffffu, alu39, 2);
  float alu41 = (alu39+alu40);
  float alu42 = __shfl_xor_sync(0xffffffffu, alu41, 1);
  float alu43 = (val5*val5);
  float alu44 = __shfl_xor_sync(0xffffffffu, alu43, 16);
  float alu45 = (alu43+alu44);
  float alu46 = __shfl_xor_sync(0xffffffffu, alu45, 8);
  float alu47 = (alu45+alu46);
  float alu48 = __shfl_xor_sync(0xffffffffu, alu47, 4);
  float alu49 = (alu47+alu48);
  float alu50 = __shfl_xor_sync(0xffffffffu, alu49, 2);
  float alu51 = (alu49+alu50);
  float alu52 = __shfl_xor_sync(0xffffffffu, alu51, 1);
  float alu53 = (val6*val6);
  float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 16);
  float alu55 = (alu53+alu54);
  float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 8);
  float alu57 = (alu55+alu56);
  float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 4);
  float alu59 = (alu57+alu58);
  float alu60 = __shfl_xor_sync(0xffffffffu, alu59, 2);
  float alu61 = (alu59+alu60);
  float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 1);
  bool alu63 = (lidx0==0);
  if (alu63) {
    *(buf3+(alu12+1)) = (alu41+alu42);
  }
  if (alu63) {
    *(buf3+(alu12+2)) = (alu51+alu52);
  }
  if (alu63) {
    *(buf3+(alu12+3)) = (alu61+alu62);
  }
  if (alu63) {
    *(buf3+(alu12+4)) = (alu31+alu32);
  }
  if (alu63) {
    *(buf3+alu12) = (alu21+alu22);
  }
  __syncthreads();
  float4 val18 = (*((float4*)((buf3+0))));
  float4 val19 = (*((float4*)((buf3+4))));
  float4 val20 = (*((float4*)((buf3+8))));
  float4 val21 = (*((float4*)((buf3+12))));
  float4 val22 = (*((float4*)((buf3+16))));
  float alu80 = (1/sqrt((((val19.x+val20.y+val21.z+val22.w)*0.0078125f)+9.999999747378752e-06f)));
  float alu81 = (alu7?-val12:val12);
  uint cast1 = tg_bitcast<uint>((float)(((val2*alu80*val16*val13)+(val7*alu80*val17*alu81))));
  uint alu82 = (cast1&2147483647u);
  float alu83 = (tg_bitcast<float>((uint)(alu82))*16777216.0f);
  float alu84 = trunc(alu83);
  uint cast2 = ((uint)(alu84));
  float alu85 = (alu83-alu84);
  uint alu86 = (((0.5f<alu85)|((alu85==0.5f)&((cast2&1u)!=0u)))?1u:0u);
  uint alu87 = (((alu82+((alu82>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu88 = ((31744u<alu87)?31744u:alu87);
  uint alu89 = ((alu82<947912704u)?(cast2+alu86):alu88);
  uint alu90 = (((cast1>>16u)&32768u)|alu89);
  uint alu91 = (((alu90&31744u)!=0u)?(((alu90&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu90&1023u)))*5.960464477539063e-08f))));
  float cast3 = tg_bitcast<float>((uint)((alu91|((alu90&32768u)<<16u))));
  float alu92 = (1/sqrt((((val18.x+val19.y+val20.z+val21.w)*0.0078125f)+9.999999747378752e-06f)));
  float alu93 = (1/sqrt((((val18.y+val19.z+val20.w+val22.x)*0.0078125f)+9.999999747378752e-06f)));
  float alu94 = (1/sqrt((((val18.z+val19.w+val21.x+val22.y)*0.0078125f)+9.999999747378752e-06f)));
  float alu95 = (1/sqrt((((val18.w+val20.x+val21.y+val22.z)*0.0078125f)+9.999999747378752e-06f)));
  float alu96 = ((val1*alu92*val14*val13)+(val11*alu92*val15*alu81));
  float alu97 = (alu96*cast3);
  float alu98 = __shfl_xor_sync(0xffffffffu, alu97, 16);
  float alu99 = (alu97+alu98);
  float alu100 = __shfl_xor_sync(0xffffffffu, alu99, 8);
  float alu101 = (alu99+alu100);
  float alu102 = __shfl_xor_sync(0xffffffffu, alu101, 4);
  float alu103 = (alu101+alu102);
  float alu104 = __shfl_xor_sync(0xffffffffu, alu103, 2);
  float alu105 = (alu103+alu104);
  float alu106 = __shfl_xor_sync(0xffffffffu, alu105, 1);
  float alu107 = ((val4*alu93*val14*val13)+(val8*alu93*val15*alu81));
  float alu108 = (alu107*cast3);
  float alu109 = __shfl_xor_sync(0xffffffffu, alu108, 16);
  float alu110 = (alu108+alu109);
  float alu111 = __shfl_xor_sync(0xffffffffu, alu110, 8);
  float alu112 = (alu110+alu111);
  float alu113 = __shfl_xor_sync(0xffffffffu, alu112, 4);
  float alu114 = (alu112+alu113);
  float alu115 = __shfl_xor_sync(0xffffffffu, alu114, 2);
  float alu116 = (alu114+alu115);
  float alu117 = __shfl_xor_sync(0xffffffffu, alu116, 1);
  float alu118 = ((val5*alu94*val14*val13)+(val9*alu94*val15*alu81));
  float alu119 = (alu118*cast3);
  float alu120 = __shfl_xor_sync(0xffffffffu, alu119, 16);
  float alu121 = (alu119+alu120);
  float alu122 = __shfl_xor_sync(0xffffffffu, alu121, 8);
  float alu123 = (alu121+alu122);
  float alu124 = __shfl_xor_sync(0xffffffffu, alu123, 4);
  float alu125 = (alu123+alu124);
  float alu126 = __shfl_xor_sync(0xffffffffu, alu125, 2);
  float alu127 = (alu125+alu126);
  float alu128 = __shfl_xor_sync(0xffffffffu, alu127, 1);
  float alu129 = ((val6*alu95*val14*val13)+(val10*alu95*val15*alu81));
  float alu130 = (alu129*cast3);
  float alu131 = __shfl_xor_sync(0xffffffffu, alu130, 16);
  float alu132 = (alu130+alu131);
  float alu133 = __shfl_xor_sync(0xffffffffu, alu132, 8);
  float alu134 = (alu132+alu133);
  float alu135 = __shfl_xor_sync(0xffffffffu, alu134, 4);
  float alu136 = (alu134+alu135);
  float alu137 = __shfl_xor_sync(0xffffffffu, alu136, 2);
  float alu138 = (alu136+alu137);
  float alu139 = __shfl_xor_sync(0xffffffffu, alu138, 1);
  int alu140 = (lidx1<<2);
  if (alu63) {
    *((float4*)((buf5+alu140))) = make_float4((alu105+alu106),(alu116+alu117),(alu127+alu128),(alu138+alu139));
  }
  __syncthreads();
  float4 val23 = (*((float4*)((buf5+0))));
  float4 val24 = (*((float4*)((buf5+4))));
  float4 val25 = (*((float4*)((buf5+8))));
  float4 val26 = (*((float4*)((buf5+12))));
  *(buf4+alu0) = alu96;
  *(buf4+(alu0+128)) = alu107;
  *(buf4+(alu0+256)) = alu118;
  *(buf4+(alu0+384)) = alu129;
  __syncthreads();
  uint cast4 = tg_bitcast<uint>((float)(val3));
  uint alu150 = (cast4&2147483647u);
  float alu151 = (tg_bitcast<float>((uint)(alu150))*16777216.0f);
  float alu152 = trunc(alu151);
  uint cast5 = ((uint)(alu152));
  float alu153 = (alu151-alu152);
  uint alu154 = (((0.5f<alu153)|((alu153==0.5f)&((cast5&1u)!=0u)))?1u:0u);
  uint alu155 = (((alu150+((alu150>>13u)&1u)+4095u)>>13u)+4294852608u);
  uint alu156 = ((31744u<alu155)?31744u:alu155);
  uint alu157 = ((alu150<947912704u)?(cast5+alu154):alu156);
  uint alu158 = (((cast4>>16u)&32768u)|alu157);
  uint alu159 = (((alu158&31744u)!=0u)?(((alu158&32767u)<<13u)+939524096u):tg_bitcast<uint>((float)((((float)((alu158&1023u)))*5.960464477539063e-08f))));
  int alu160 = (gidx0&3);
  int alu161 = (alu160<<5);
  bool alu162 = (((val0<alu161)!=1)&(val0<(alu161+32)));
  float alu163 = ((lidx1!=1)?((val23.x+val24.x+val25.x+val26.x)*0.0883883461356163f):((val23.y+val24.y+val25.y+val26.y)*0.0883883461356163f));
  float alu164 = ((lidx1!=2)?alu163:((val23.z+val24.z+val25.z+val26.z)*0.0883883461356163f));
  float alu165 = ((lidx1!=3)?alu164:((val23.w+val24.w+val25.w+val26.w)*0.0883883461356163f));
  float alu166 = (alu162?1.0f:0.0f);
  float alu167 = (alu162?tg_bitcast<float>((uint)((alu159|((alu158&32768u)<<16u)))):0.0f);
  float alu168 = (alu162?alu165:-1.0000000150474662e+30f);
  *(buf0+0) = alu168;
  *(buf0+1) = alu166;
  *(buf0+2) = alu167;
  *(buf0+3) = alu167;
  *(buf0+4) = alu167;
  *(buf0+5) = alu167;
  int alu175 = (alu1<<14);
  int alu176 = (alu0+(val0<<7)+alu175);
  int alu177 = ((lidx1<<3)+(lidx0>>2));
  int alu178 = (lidx1*33);
  int alu179 = (alu0+(alu1<<11)+(alu160<<7));
  int alu180 = (alu140+(alu1<<4)+alu160);
  long alu181 = (cast0+((long)((alu160*-32))));
  long alu182 = ((alu181<0l)?0l:alu181);
  long alu183 = ((32<((int)(alu182)))?32l:alu182);
  long cast6 = ((long)(alu0));
  long cast7 = ((long)(alu175));
  if (alu162) {
    *(data3_65536+alu176) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu90))));
  }
  if (alu162) {
    *(data3_65536+(alu176+32768)) = tg_bitcast<half>((unsigned short)(((unsigned short)(alu158))));
  }
  for (long Lidx1 = 0; Lidx1 < ((alu183+31l)>>5l); Lidx1++) {
    *(buf1+0) = 0.0f;
    *(buf1+1) = 0.0f;
    *(buf1+2) = 0.0f;
    *(buf1+3) = 0.0f;
    int cast8 = ((int)(Lidx1));
    long alu194 = (((long)(alu161))+((long)((cast8<<5))));
    bool alu195 = ((alu160+cast8)<4);
    long alu196 = (alu195?(((long)(alu177))+alu194):0l);
    for (int Lidx2 = 0; Lidx2 < 8; Lidx2++) {
      int alu197 = (((lidx0&3)<<2)+(Lidx2<<4));
      half4 val27 = (*((half4*)((data3_65536+(cast7+(alu196<<7l)+((long)(alu197)))))));
      float4 val28 = (*((float4*)((buf4+(alu197+128)))));
      float4 val29 = (*((float4*)((buf4+(alu197+256)))));
      float4 val30 = (*((float4*)((buf4+(alu197+384)))));
      float4 val31 = (*((float4*)((buf4+alu197))));
      float cast9 = ((float)(val27.x));
      float cast10 = ((float)(val27.y));
      float cast11 = ((float)(val27.z));
      float cast12 = ((float)(val27.w));
      *(buf1+0) = ((*(buf1+0))+(cast9*val31.x)+(cast10*val31.y)+(cast11*val31.z)+(cast12*val31.w));
      *(buf1+1) = ((*(buf1+1))+(cast9*val28.x)+(cast10*val28.y)+(cast11*val28.z)+(cast12*val28.w));
      *(buf1+2) = ((*(buf1+2))+(cast9*val29.x)+(cast10*val29.y)+(cast11*val29.z)+(cast12*val29.w));
      *(buf1+3) = ((*(buf1+3))+(cast9*val30.x)+(cast10*val30.y)+(cast11*val30.z)+(cast12*val30.w));
    }
    float val32 = (*(buf1+0));
    float val33 = (*(buf1+1));
    float val34 = (*(buf1+2));
    float val35 = (*(buf1+3));
    int alu203 = ((cast8*-32)+((int)(alu183)));
    float alu204 = __shfl_xor_sync(0xffffffffu, val32, 2);
    float alu205 = (val32+alu204);
    float alu206 = __shfl_xor_sync(0xffffffffu, val33, 2);
    float alu207 = (val33+alu206);
    float alu208 = __shfl_xor_sync(0xffffffffu, val34, 2);
    float alu209 = (val34+alu208);
    float alu210 = __shfl_xor_sync(0xffffffffu, val35, 2);
    float alu211 = (val35+alu210);
    float alu212 = __shfl_xor_sync(0xffffffffu, alu205, 1);
    float alu213 = __shfl_xor_sync(0xffffffffu, alu207, 1);
    float alu214 = __shfl_xor_sync(0xffffffffu, alu209, 1);
    float alu215 = __shfl_xor_sync(0xffffffffu, alu211, 1);
    bool alu216 = (alu177<alu203);
    float alu217 = (alu216?((alu205+alu212)*0.0883883461356163f):-1.0000000150474662e+30f);
    float alu218 = (alu216?((alu207+alu213)*0.0883883461356163f):-1.0000000150474662e+30f);
    float alu219 = (alu216?((alu209+alu214)*0.0883883461356163f):-1.0000000150474662e+30f);
    float alu220 = (alu216?((alu211+alu215)*0.0883883461356163f):-1.0000000150474662e+30f);
    *(buf6+(alu177+32)) = alu218;
    *(buf6+(alu177+64)) = alu219;
    *(buf6+(alu177+96)) = alu220;
    *(buf6+alu177) = alu217;
    __syncthreads();
    float val36 = (*(buf6+alu0));
    float val37 = (*(buf0+0));
    float alu226 = __shfl_xor_sync(0xffffffffu, val36, 16);
    float alu227 = ((val36<alu226)?alu226:val36);
    float alu228 = __shfl_xor_sync(0xffffffffu, alu227, 8);
    float alu229 = ((alu227<alu228)?alu228:alu227);
    float alu230 = __shfl_xor_sync(0xffffffffu, alu229, 4);
    float alu231 = ((alu229<alu230)?alu230:alu229);
    float alu232 = __shfl_xor_sync(0xffffffffu, alu231, 2);
    float alu233 = ((alu231<alu232)?alu232:alu231);
    float alu234 = __shfl_xor_sync(0xffffffffu, alu233, 1);
    float alu235 = ((alu233<alu234)?alu234:alu233);
    float alu236 = ((alu235<val37)?val37:alu235);
    float alu237 = exp2(((val37-alu236)*1.4426950216293335f));
    float alu238 = ((-5.000000075237331e+29f<val36)?exp2(((val36-alu236)*1.4426950216293335f)):0.0f);
    *(buf7+(lidx0+alu178)) = alu238;
    if (alu63) {
      *(buf7+(alu178+32)) = alu237;
    }
    __syncthreads();
    float val38 = (*(buf7+32));
    float val39 = (*(buf7+65));
    float val40 = (*(buf7+98));
    float val41 = (*(buf7+131));
    *(buf2+0) = ((*(buf0+2))*val38);
    *(buf2+1) = ((*(buf0+3))*val39);
    *(buf2+2) = ((*(buf0+4))*val40);
    *(buf2+3) = ((*(buf0+5))*val41);
    for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
      int alu248 = (Lidx3<<3);
      long alu249 = (alu194+((long)(alu248)));
      long alu250 = ((((alu160<<3)+(cast8<<3)+(Lidx3<<1))<31)?(alu249+4l):0l);
      half val42 = (*(data3_65536+(cast6+cast7+(alu250<<7l)+32768l)));
      int alu251 = ((alu160<<4)+(cast8<<4)+(Lidx3<<2));
      long alu252 = ((alu251<61)?(alu249+6l):0l);
      half val43 = (*(data3_65536+(cast6+cast7+(alu252<<7l)+32768l)));
      long alu253 = ((alu251<63)?(alu249+2l):0l);
      half val44 = (*(data3_65536+(cast6+cast7+(alu253<<7l)+32768l)));
      long alu254 = (alu195?alu249:0l);
      half val45 = (*(data3_65536+(cast6+cast7+(alu254<<7l)+32768l)));
      long alu255 = ((alu249<121l)?(alu249+7l):0l);
      half val46 = (*(data3_65536+(cast6+cast7+(alu255<<7l)+32768l)));
      long alu256 = ((alu249<123l)?(alu249+5l):0l);
      half val47 = (*(data3_65536+(cast6+cast7+(alu256<<7l)+32768l)));
      long alu257 = ((alu249<125l)?(alu249+3l):0l);
      half val48 = (*(data3_65536+(cast6+cast7+(alu257<<7l)+32768l)));
      long alu258 = ((alu249<127l)?(alu249+1l):0l);
      half val49 = (*(data3_65536+(cast6+cast7+(alu258<<7l)+32768l)));
      float val50 = (*(buf7+(alu248+33)));
      float val51 = (*(buf7+(alu248+40)));
      float val52 = (*(buf7+(alu248+99)));
      float val53 = (*(buf7+(alu248+106)));
      int alu259 = (alu248+4);
      float4 val54 = (*((float4*)((buf7+alu259))));
      float2 val55 = (*((float2*)((buf7+(alu248+34)))));
      float4 val56 = (*((float4*)((buf7+(alu248+36)))));
      float2 val57 = (*((float2*)((buf7+(alu248+66)))));
      float4 val58 = (*((float4*)((buf7+(alu248+68)))));
      float2 val59 = (*((float2*)((buf7+(alu248+72)))));
      float4 val60 = (*((float4*)((buf7+(alu248+100)))));
      float2 val61 = (*((float2*)((buf7+(alu248+104)))));
      float4 val62 = (*((float4*)((buf7+alu248))));
      float alu260 = ((alu248<alu203)?((float)(val45)):0.0f);
      float alu261 = (((alu248+1)<alu203)?((float)(val49)):0.0f);
      float alu262 = (((alu248+2)<alu203)?((float)(val44)):0.0f);
      float alu263 = (((alu248+3)<alu203)?((float)(val48)):0.0f);
      float alu264 = ((alu259<alu203)?((float)(val42)):0.0f);
      float alu265 = (((alu248+5)<alu203)?((float)(val47)):0.0f);
      float alu266 = (((alu248+6)<alu203)?((float)(val43)):0.0f);
      float alu267 = (((alu248+7)<alu203)?((float)(val46)):0.0f);
      *(buf2+0) = ((*(buf2+0))+(val62.x*alu260)+(val62.y*alu261)+(val62.z*alu262)+(val62.w*alu263)+(val54.x*alu264)+(val54.y*alu265)+(val54.z*alu266)+(val54.w*alu267));
      *(buf2+1) = ((*(buf2+1))+(val50*alu260)+(val55.x*alu261)+(val55.y*alu262)+(val56.x*alu263)+(val56.y*alu264)+(val56.z*alu265)+(val56.w*alu266)+(val51*alu267));
      *(buf2+2) = ((*(buf2+2))+(val57.x*alu260)+(val57.y*alu261)+(val58.x*alu262)+(val58.y*alu263)+(val58.z*alu264)+(val58.w*alu265)+(val59.x*alu266)+(val59.y*alu267));
      *(buf2+3) = ((*(buf2+3))+(val52*alu260)+(val60.x*alu261)+(val60.y*alu262)+(val60.z*alu263)+(val60.w*alu264)+(val61.x*alu265)+(val61.y*alu266)+(val53*alu267));
    }
    float alu273 = __shfl_xor_sync(0xffffffffu, alu238, 16);
    float alu274 = (alu238+alu273);
    float alu275 = __shfl_xor_sync(0xffffffffu, alu274, 8);
    float alu276 = (alu274+alu275);
    float alu277 = __shfl_xor_sync(0xffffffffu, alu276, 4);
    float alu278 = (alu276+alu277);
    float alu279 = __shfl_xor_sync(0xffffffffu, alu278, 2);
    float alu280 = (alu278+alu279);
    float alu281 = __shfl_xor_sync(0xffffffffu, alu280, 1);
    *(buf0+0) = alu236;
    *(buf0+1) = (((*(buf0+1))*alu237)+alu280+alu281);
    *(buf0+2) = (*(buf2+0));
    *(buf0+3) = (*(buf2+1));
    *(buf0+4) = (*(buf2+2));
    *(buf0+5) = (*(buf2+3));
    __syncthreads();
  }
  *(data0_4096+alu179) = (*(buf0+2));
  *(data0_4096+(alu179+512)) = (*(buf0+3));
  *(data0_4096+(alu179+1024)) = (*(buf0+4));
  *(data0_4096+(alu179+1536)) = (*(buf0+5));
  if (alu63) {
    *(data1_32+alu180) = (*(buf0+0));
  }
  if (alu63) {
    *(data2_32+alu180) = (*(buf0+1));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_8x128_4_q8(uint* data0_256, float* data1_32, float* data2_64, float* data3_4096, float* data4_32, float* data5_32, int* data6_1) {
  float buf0[3];
  __shared__ __align__(16) float buf1[32];
  int val0 = (*(data6_1+0));
  int gidx0 = blockIdx.x; /* 32 */
  int lidx0 = threadIdx.x; /* 32 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  int alu3 = (gidx0>>2);
  int alu4 = ((val0>>5)+1);
  for (int Lidx1 = 0; Lidx1 < alu4; Lidx1++) {
    bool alu5 = (Lidx1<alu4);
    int alu6 = (alu5?Lidx1:0);
    float val1 = (*(data3_4096+(((long)((lidx0+((gidx0&3)<<5))))+((long)((alu3<<9)))+(((long)(alu6))<<7l))));
    int alu7 = ((alu3<<2)+alu6);
    float val2 = (*(data4_32+alu7));
    float val3 = (*(data5_32+alu7));
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
  float alu20 = ((val5.x<0.0f)?-val5.x:val5.x);
  float alu21 = ((val5.y<0.0f)?-val5.y:val5.y);
  float alu22 = ((val5.z<0.0f)?-val5.z:val5.z);
  float alu23 = ((alu20<alu21)?alu21:alu20);
  float alu24 = ((val5.w<0.0f)?-val5.w:val5.w);
  float alu25 = ((alu23<alu22)?alu22:alu23);
  float alu26 = ((alu25<alu24)?alu24:alu25);
  float alu27 = __shfl_xor_sync(0xffffffffu, alu26, 4);
  float alu28 = ((alu26<alu27)?alu27:alu26);
  float alu29 = __shfl_xor_sync(0xffffffffu, alu28, 2);
  float alu30 = ((alu28<alu29)?alu29:alu28);
  float alu31 = __shfl_xor_sync(0xffffffffu, alu30, 1);
  float alu32 = ((alu30<alu31)?alu31:alu30);
  float alu33 = (alu32*0.007874015718698502f);
  float alu34 = ((0.0f<alu33)?((1/alu32)*127.0f):0.0f);
  float alu35 = (val5.x*alu34);
  float alu36 = ((alu35<0.0f)?-0.5f:0.5f);
  int cast0 = ((int)(trunc((alu35+alu36))));
  float alu37 = (val5.y*alu34);
  float alu38 = ((alu37<0.0f)?-0.5f:0.5f);
  int cast1 = ((int)(trunc((alu37+alu38))));
  float alu39 = (val5.z*alu34);
  float alu40 = ((alu39<0.0f)?-0.5f:0.5f);
  int cast2 = ((int)(trunc((alu39+alu40))));
  float alu41 = (val5.w*alu34);
  float alu42 = ((alu41<0.0f)?-0.5f:0.5f);
  int cast3 = ((int)(trunc((alu41+alu42))));
  int alu43 = (cast0+cast1+cast2+cast3);
  int alu44 = __shfl_xor_sync(0xffffffffu, alu43, 2);
  int alu45 = (alu43+alu44);
  int alu46 = __shfl_xor_sync(0xffffffffu, alu45, 1);
  if (alu18) {
    *(data0_256+(lidx0+(gidx0<<3))) = ((tg_bitcast<uint>((int)(cast0))&255u)|((tg_bitcast<uint>((int)(cast1))&255u)<<8u)|((tg_bitcast<uint>((int)(cast2))&255u)<<16u)|((tg_bitcast<uint>((int)(cast3))&255u)<<24u));
  }
  if ((alu18&(lidx0==0))) {
    *(data1_32+gidx0) = alu33;
  }
  if ((alu18&((lidx0&3)==0))) {
    *(data2_64+((gidx0<<1)+(lidx0>>2))) = (alu32*((float)((alu45+alu46)))*0.007874015718698502f);
  }
}
