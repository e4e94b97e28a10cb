// decode/attention/256/h4k2d64-c64/m1 lanes=4 split=4 threads=64 unroll=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
struct __align__(8) half4 { half x, y, z, w; }; __device__ half4 make_half4(half x, half y, half z, half w) { half4 r={x, y, z, w}; return r; }
extern "C" __global__ void __launch_bounds__(64) stream_4x64_64_4(float* data0_1024, float* data1_16, float* data2_16, float* data3_256, half* data4_16384, int* data5_1) {
  float buf0[36];
  __shared__ __align__(16) float buf1[2048];
  __shared__ __align__(16) float buf2[64];
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = (gidx0>>2);
  int alu1 = (lidx0&3);
  int alu2 = (alu1<<2);
  int alu3 = ((alu0<<7)+alu2);
  float4 val1 = (*((float4*)((data3_256+(alu3+16)))));
  float4 val2 = (*((float4*)((data3_256+(alu3+32)))));
  float4 val3 = (*((float4*)((data3_256+(alu3+48)))));
  float4 val4 = (*((float4*)((data3_256+(alu3+64)))));
  float4 val5 = (*((float4*)((data3_256+(alu3+80)))));
  float4 val6 = (*((float4*)((data3_256+(alu3+96)))));
  float4 val7 = (*((float4*)((data3_256+(alu3+112)))));
  float4 val8 = (*((float4*)((data3_256+alu3))));
  int lidx1 = threadIdx.y; /* 2 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  *(buf0+3) = 0.0f;
  *(buf0+4) = 0.0f;
  *(buf0+5) = 0.0f;
  *(buf0+6) = 0.0f;
  *(buf0+7) = 0.0f;
  *(buf0+8) = 0.0f;
  *(buf0+9) = 0.0f;
  *(buf0+10) = 0.0f;
  *(buf0+11) = 0.0f;
  *(buf0+12) = 0.0f;
  *(buf0+13) = 0.0f;
  *(buf0+14) = 0.0f;
  *(buf0+15) = 0.0f;
  *(buf0+16) = 0.0f;
  *(buf0+17) = 0.0f;
  *(buf0+18) = -1.0000000150474662e+30f;
  *(buf0+19) = 0.0f;
  *(buf0+20) = 0.0f;
  *(buf0+21) = 0.0f;
  *(buf0+22) = 0.0f;
  *(buf0+23) = 0.0f;
  *(buf0+24) = 0.0f;
  *(buf0+25) = 0.0f;
  *(buf0+26) = 0.0f;
  *(buf0+27) = 0.0f;
  *(buf0+28) = 0.0f;
  *(buf0+29) = 0.0f;
  *(buf0+30) = 0.0f;
  *(buf0+31) = 0.0f;
  *(buf0+32) = 0.0f;
  *(buf0+33) = 0.0f;
  *(buf0+34) = 0.0f;
  *(buf0+35) = 0.0f;
  int alu40 = (lidx0>>2);
  int alu41 = (gidx0&3);
  for (int Lidx1 = 0; Lidx1 < ((val0>>6)+1); Lidx1++) {
    int alu42 = ((lidx1<<3)+alu40+(alu41<<4)+(Lidx1<<6));
    bool alu43 = (((long)(alu42))<(((long)(val0))+1l));
    int alu44 = (alu43?alu42:0);
    long alu45 = (((long)((alu0<<12)))+(((long)(alu44))<<6l)+((long)(alu2)));
    half4 val9 = (*((half4*)((data4_16384+alu45))));
    half4 val10 = (*((half4*)((data4_16384+(alu45+16l)))));
    half4 val11 = (*((half4*)((data4_16384+(alu45+32l)))));
    half4 val12 = (*((half4*)((data4_16384+(alu45+48l)))));
    half4 val13 = (*((half4*)((data4_16384+(alu45+8192l)))));
    half4 val14 = (*((half4*)((data4_16384+(alu45+8208l)))));
    half4 val15 = (*((half4*)((data4_16384+(alu45+8224l)))));
    half4 val16 = (*((half4*)((data4_16384+(alu45+8240l)))));
    float val17 = (*(buf0+0));
    float val18 = (*(buf0+18));
    float cast0 = ((float)(val9.x));
    float cast1 = ((float)(val9.y));
    float cast2 = ((float)(val9.z));
    float cast3 = ((float)(val9.w));
    float cast4 = ((float)(val10.x));
    float cast5 = ((float)(val10.y));
    float cast6 = ((float)(val10.z));
    float cast7 = ((float)(val10.w));
    float cast8 = ((float)(val11.x));
    float cast9 = ((float)(val11.y));
    float cast10 = ((float)(val11.z));
    float cast11 = ((float)(val11.w));
    float cast12 = ((float)(val12.x));
    float cast13 = ((float)(val12.y));
    float cast14 = ((float)(val12.z));
    float cast15 = ((float)(val12.w));
    float cast16 = ((float)(val13.x));
    float cast17 = ((float)(val13.y));
    float cast18 = ((float)(val13.z));
    float cast19 = ((float)(val13.w));
    float cast20 = ((float)(val14.x));
    float cast21 = ((float)(val14.y));
    float cast22 = ((float)(val14.z));
    float cast23 = ((float)(val14.w));
    float cast24 = ((float)(val15.x));
    float cast25 = ((float)(val15.y));
    float cast26 = ((float)(val15.z));
    float cast27 = ((float)(val15.w));
    float cast28 = ((float)(val16.x));
    float cast29 = ((float)(val16.y));
    float cast30 = ((float)(val16.z));
    float cast31 = ((float)(val16.w));
    float alu46 = ((cast0*val8.x)+(cast1*val8.y)+(cast2*val8.z)+(cast3*val8.w)+(cast4*val1.x)+(cast5*val1.y)+(cast6*val1.z)+(cast7*val1.w)+(cast8*val2.x)+(cast9*val2.y)+(cast10*val2.z)+(cast11*val2.w)+(cast12*val3.x)+(cast13*val3.y)+(cast14*val3.z)+(cast15*val3.w));
    float alu47 = __shfl_xor_sync(0xffffffffu, alu46, 2);
    float alu48 = (alu46+alu47);
    float alu49 = __shfl_xor_sync(0xffffffffu, alu48, 1);
    float alu50 = (alu43?((alu48+alu49)*0.125f):-1.0000000150474662e+30f);
    float alu51 = ((alu50<val17)?val17:alu50);
    float alu52 = exp2(((val17-alu51)*1.4426950216293335f));
    float alu53 = ((cast0*val4.x)+(cast1*val4.y)+(cast2*val4.z)+(cast3*val4.w)+(cast4*val5.x)+(cast5*val5.y)+(cast6*val5.z)+(cast7*val5.w)+(cast8*val6.x)+(cast9*val6.y)+(cast10*val6.z)+(cast11*val6.w)+(cast12*val7.x)+(cast13*val7.y)+(cast14*val7.z)+(cast15*val7.w));
    float alu54 = __shfl_xor_sync(0xffffffffu, alu53, 2);
    float alu55 = (alu53+alu54);
    float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 1);
    float alu57 = (alu43?((alu55+alu56)*0.125f):-1.0000000150474662e+30f);
    float alu58 = ((alu57<val18)?val18:alu57);
    float alu59 = exp2(((val18-alu58)*1.4426950216293335f));
    float alu60 = (alu43?exp2(((alu50-alu51)*1.4426950216293335f)):0.0f);
    float alu61 = (alu43?exp2(((alu57-alu58)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu51;
    *(buf0+1) = (((*(buf0+1))*alu52)+alu60);
    *(buf0+2) = (((*(buf0+2))*alu52)+(alu60*cast16));
    *(buf0+3) = (((*(buf0+3))*alu52)+(alu60*cast17));
    *(buf0+4) = (((*(buf0+4))*alu52)+(alu60*cast18));
    *(buf0+5) = (((*(buf0+5))*alu52)+(alu60*cast19));
    *(buf0+6) = (((*(buf0+6))*alu52)+(alu60*cast20));
    *(buf0+7) = (((*(buf0+7))*alu52)+(alu60*cast21));
    *(buf0+8) = (((*(buf0+8))*alu52)+(alu60*cast22));
    *(buf0+9) = (((*(buf0+9))*alu52)+(alu60*cast23));
    *(buf0+10) = (((*(buf0+10))*alu52)+(alu60*cast24));
    *(buf0+11) = (((*(buf0+11))*alu52)+(alu60*cast25));
    *(buf0+12) = (((*(buf0+12))*alu52)+(alu60*cast26));
    *(buf0+13) = (((*(buf0+13))*alu52)+(alu60*cast27));
    *(buf0+14) = (((*(buf0+14))*alu52)+(alu60*cast28));
    *(buf0+15) = (((*(buf0+15))*alu52)+(alu60*cast29));
    *(buf0+16) = (((*(buf0+16))*alu52)+(alu60*cast30));
    *(buf0+17) = (((*(buf0+17))*alu52)+(alu60*cast31));
    *(buf0+18) = alu58;
    *(buf0+19) = (((*(buf0+19))*alu59)+alu61);
    *(buf0+20) = (((*(buf0+20))*alu59)+(alu61*cast16));
    *(buf0+21) = (((*(buf0+21))*alu59)+(alu61*cast17));
    *(buf0+22) = (((*(buf0+22))*alu59)+(alu61*cast18));
    *(buf0+23) = (((*(buf0+23))*alu59)+(alu61*cast19));
    *(buf0+24) = (((*(buf0+24))*alu59)+(alu61*cast20));
    *(buf0+25) = (((*(buf0+25))*alu59)+(alu61*cast21));
    *(buf0+26) = (((*(buf0+26))*alu59)+(alu61*cast22));
    *(buf0+27) = (((*(buf0+27))*alu59)+(alu61*cast23));
    *(buf0+28) = (((*(buf0+28))*alu59)+(alu61*cast24));
    *(buf0+29) = (((*(buf0+29))*alu59)+(alu61*cast25));
    *(buf0+30) = (((*(buf0+30))*alu59)+(alu61*cast26));
    *(buf0+31) = (((*(buf0+31))*alu59)+(alu61*cast27));
    *(buf0+32) = (((*(buf0+32))*alu59)+(alu61*cast28));
    *(buf0+33) = (((*(buf0+33))*alu59)+(alu61*cast29));
    *(buf0+34) = (((*(buf0+34))*alu59)+(alu61*cast30));
    *(buf0+35) = (((*(buf0+35))*alu59)+(alu61*cast31));
  }
  int alu99 = ((lidx1<<10)+(alu40<<7)+alu2);
  int alu100 = (lidx1<<5);
  *((float4*)((buf1+(alu99+16)))) = make_float4((*(buf0+6)),(*(buf0+7)),(*(buf0+8)),(*(buf0+9)));
  *((float4*)((buf1+(alu99+32)))) = make_float4((*(buf0+10)),(*(buf0+11)),(*(buf0+12)),(*(buf0+13)));
  *((float4*)((buf1+(alu99+48)))) = make_float4((*(buf0+14)),(*(buf0+15)),(*(buf0+16)),(*(buf0+17)));
  *((float4*)((buf1+(alu99+64)))) = make_float4((*(buf0+20)),(*(buf0+21)),(*(buf0+22)),(*(buf0+23)));
  *((float4*)((buf1+(alu99+80)))) = make_float4((*(buf0+24)),(*(buf0+25)),(*(buf0+26)),(*(buf0+27)));
  *((float4*)((buf1+(alu99+96)))) = make_float4((*(buf0+28)),(*(buf0+29)),(*(buf0+30)),(*(buf0+31)));
  *((float4*)((buf1+(alu99+112)))) = make_float4((*(buf0+32)),(*(buf0+33)),(*(buf0+34)),(*(buf0+35)));
  *((float4*)((buf1+alu99))) = make_float4((*(buf0+2)),(*(buf0+3)),(*(buf0+4)),(*(buf0+5)));
  if ((alu1==0)) {
    *((float4*)((buf2+(alu100+(alu40<<2))))) = make_float4((*(buf0+0)),(*(buf0+1)),(*(buf0+18)),(*(buf0+19)));
  }
  __syncthreads();
  int alu113 = (lidx0+alu100);
  float val19 = (*(buf1+alu113));
  float val20 = (*(buf1+(alu113+64)));
  float val21 = (*(buf1+(alu113+128)));
  float val22 = (*(buf1+(alu113+192)));
  float val23 = (*(buf1+(alu113+256)));
  float val24 = (*(buf1+(alu113+320)));
  float val25 = (*(buf1+(alu113+384)));
  float val26 = (*(buf1+(alu113+448)));
  float val27 = (*(buf1+(alu113+512)));
  float val28 = (*(buf1+(alu113+576)));
  float val29 = (*(buf1+(alu113+640)));
  float val30 = (*(buf1+(alu113+704)));
  float val31 = (*(buf1+(alu113+768)));
  float val32 = (*(buf1+(alu113+832)));
  float val33 = (*(buf1+(alu113+896)));
  float val34 = (*(buf1+(alu113+960)));
  float val35 = (*(buf1+(alu113+1024)));
  float val36 = (*(buf1+(alu113+1088)));
  float val37 = (*(buf1+(alu113+1152)));
  float val38 = (*(buf1+(alu113+1216)));
  float val39 = (*(buf1+(alu113+1280)));
  float val40 = (*(buf1+(alu113+1344)));
  float val41 = (*(buf1+(alu113+1408)));
  float val42 = (*(buf1+(alu113+1472)));
  float val43 = (*(buf1+(alu113+1536)));
  float val44 = (*(buf1+(alu113+1600)));
  float val45 = (*(buf1+(alu113+1664)));
  float val46 = (*(buf1+(alu113+1728)));
  float val47 = (*(buf1+(alu113+1792)));
  float val48 = (*(buf1+(alu113+1856)));
  float val49 = (*(buf1+(alu113+1920)));
  float val50 = (*(buf1+(alu113+1984)));
  float4 val51 = (*((float4*)((buf2+0))));
  float4 val52 = (*((float4*)((buf2+4))));
  float4 val53 = (*((float4*)((buf2+8))));
  float4 val54 = (*((float4*)((buf2+12))));
  float4 val55 = (*((float4*)((buf2+16))));
  float4 val56 = (*((float4*)((buf2+20))));
  float4 val57 = (*((float4*)((buf2+24))));
  float4 val58 = (*((float4*)((buf2+28))));
  float4 val59 = (*((float4*)((buf2+32))));
  float4 val60 = (*((float4*)((buf2+36))));
  float4 val61 = (*((float4*)((buf2+40))));
  float4 val62 = (*((float4*)((buf2+44))));
  float4 val63 = (*((float4*)((buf2+48))));
  float4 val64 = (*((float4*)((buf2+52))));
  float4 val65 = (*((float4*)((buf2+56))));
  float4 val66 = (*((float4*)((buf2+60))));
  int alu114 = (alu113+(alu0<<9)+(alu41<<6));
  int alu115 = ((alu0<<3)+alu41);
  int alu116 = (alu115+4);
  float alu117 = ((val51.x<val52.x)?val52.x:val51.x);
  float alu118 = ((alu117<val53.x)?val53.x:alu117);
  float alu119 = ((alu118<val54.x)?val54.x:alu118);
  float alu120 = ((alu119<val55.x)?val55.x:alu119);
  float alu121 = ((alu120<val56.x)?val56.x:alu120);
  float alu122 = ((alu121<val57.x)?val57.x:alu121);
  float alu123 = ((alu122<val58.x)?val58.x:alu122);
  float alu124 = ((alu123<val59.x)?val59.x:alu123);
  float alu125 = ((alu124<val60.x)?val60.x:alu124);
  float alu126 = ((alu125<val61.x)?val61.x:alu125);
  float alu127 = ((alu126<val62.x)?val62.x:alu126);
  float alu128 = ((alu127<val63.x)?val63.x:alu127);
  float alu129 = ((alu128<val64.x)?val64.x:alu128);
  float alu130 = ((alu129<val65.x)?val65.x:alu129);
  float alu131 = ((alu130<val66.x)?val66.x:alu130);
  float alu132 = exp2(((val51.x-alu131)*1.4426950216293335f));
  float alu133 = ((val51.z<val52.z)?val52.z:val51.z);
  float alu134 = ((alu133<val53.z)?val53.z:alu133);
  float alu135 = ((alu134<val54.z)?val54.z:alu134);
  float alu136 = ((alu135<val55.z)?val55.z:alu135);
  float alu137 = ((alu136<val56.z)?val56.z:alu136);
  float alu138 = ((alu137<val57.z)?val57.z:alu137);
  float alu139 = ((alu138<val58.z)?val58.z:alu138);
  float alu140 = ((alu139<val59.z)?val59.z:alu139);
  float alu141 = ((alu140<val60.z)?val60.z:alu140);
  float alu142 = ((alu141<val61.z)?val61.z:alu141);
  float alu143 = ((alu142<val62.z)?val62.z:alu142);
  float alu144 = ((alu143<val63.z)?val63.z:alu143);
  float alu145 = ((alu144<val64.z)?val64.z:alu144);
  float alu146 = ((alu145<val65.z)?val65.z:alu145);
  float alu147 = ((alu146<val66.z)?val66.z:alu146);
  float alu148 = exp2(((val51.z-alu147)*1.4426950216293335f));
  float alu149 = exp2(((val52.x-alu131)*1.4426950216293335f));
  float alu150 = exp2(((val52.z-alu147)*1.4426950216293335f));
  float alu151 = exp2(((val53.x-alu131)*1.4426950216293335f));
  float alu152 = exp2(((val53.z-alu147)*1.4426950216293335f));
  float alu153 = exp2(((val54.x-alu131)*1.4426950216293335f));
  float alu154 = exp2(((val54.z-alu147)*1.4426950216293335f));
  float alu155 = exp2(((val55.x-alu131)*1.4426950216293335f));
  float alu156 = exp2(((val55.z-alu147)*1.4426950216293335f));
  float alu157 = exp2(((val56.x-alu131)*1.4426950216293335f));
  float alu158 = exp2(((val56.z-alu147)*1.4426950216293335f));
  float alu159 = exp2(((val57.x-alu131)*1.4426950216293335f));
  float alu160 = exp2(((val57.z-alu147)*1.4426950216293335f));
  float alu161 = exp2(((val58.x-alu131)*1.4426950216293335f));
  float alu162 = exp2(((val58.z-alu147)*1.4426950216293335f));
  float alu163 = exp2(((val59.x-alu131)*1.4426950216293335f));
  float alu164 = exp2(((val59.z-alu147)*1.4426950216293335f));
  float alu165 = exp2(((val60.x-alu131)*1.4426950216293335f));
  float alu166 = exp2(((val60.z-alu147)*1.4426950216293335f));
  float alu167 = exp2(((val61.x-alu131)*1.4426950216293335f));
  float alu168 = exp2(((val61.z-alu147)*1.4426950216293335f));
  float alu169 = exp2(((val62.x-alu131)*1.4426950216293335f));
  float alu170 = exp2(((val62.z-alu147)*1.4426950216293335f));
  float alu171 = exp2(((val63.x-alu131)*1.4426950216293335f));
  float alu172 = exp2(((val63.z-alu147)*1.4426950216293335f));
  float alu173 = exp2(((val64.x-alu131)*1.4426950216293335f));
  float alu174 = exp2(((val64.z-alu147)*1.4426950216293335f));
  float alu175 = exp2(((val65.x-alu131)*1.4426950216293335f));
  float alu176 = exp2(((val65.z-alu147)*1.4426950216293335f));
  float alu177 = exp2(((val66.x-alu131)*1.4426950216293335f));
  float alu178 = exp2(((val66.z-alu147)*1.4426950216293335f));
  bool alu179 = (alu113==0);
  *(data0_1024+alu114) = ((val19*alu132)+(val21*alu149)+(val23*alu151)+(val25*alu153)+(val27*alu155)+(val29*alu157)+(val31*alu159)+(val33*alu161)+(val35*alu163)+(val37*alu165)+(val39*alu167)+(val41*alu169)+(val43*alu171)+(val45*alu173)+(val47*alu175)+(val49*alu177));
  *(data0_1024+(alu114+256)) = ((val20*alu148)+(val22*alu150)+(val24*alu152)+(val26*alu154)+(val28*alu156)+(val30*alu158)+(val32*alu160)+(val34*alu162)+(val36*alu164)+(val38*alu166)+(val40*alu168)+(val42*alu170)+(val44*alu172)+(val46*alu174)+(val48*alu176)+(val50*alu178));
  if (alu179) {
    *(data1_16+alu116) = alu147;
  }
  if (alu179) {
    *(data1_16+alu115) = alu131;
  }
  if (alu179) {
    *(data2_16+alu116) = ((val51.w*alu148)+(val52.w*alu150)+(val53.w*alu152)+(val54.w*alu154)+(val55.w*alu156)+(val56.w*alu158)+(val57.w*alu160)+(val58.w*alu162)+(val59.w*alu164)+(val60.w*alu166)+(val61.w*alu168)+(val62.w*alu170)+(val63.w*alu172)+(val64.w*alu174)+(val65.w*alu176)+(val66.w*alu178));
  }
  if (alu179) {
    *(data2_16+alu115) = ((val51.y*alu132)+(val52.y*alu149)+(val53.y*alu151)+(val54.y*alu153)+(val55.y*alu155)+(val56.y*alu157)+(val57.y*alu159)+(val58.y*alu161)+(val59.y*alu163)+(val60.y*alu165)+(val61.y*alu167)+(val62.y*alu169)+(val63.y*alu171)+(val64.y*alu173)+(val65.y*alu175)+(val66.y*alu177));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_4x64_4_q8(uint* data0_64, float* data1_8, float* data2_16, float* data3_1024, float* data4_16, float* data5_16, int* data6_1) {
  float buf0[3];
  __shared__ __align__(16) float buf1[32];
  int val0 = (*(data6_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  *(buf0+0) = -1.0000000150474662e+30f;
  *(buf0+1) = 0.0f;
  *(buf0+2) = 0.0f;
  int alu3 = (gidx0>>1);
  int alu4 = ((val0<48)?((val0>>4)+1):4);
  int alu5 = ((0<alu4)?alu4:1);
  for (int Lidx1 = 0; Lidx1 < alu5; Lidx1++) {
    bool alu6 = (Lidx1<alu5);
    int alu7 = (alu6?Lidx1:0);
    float val1 = (*(data3_1024+(((long)((lidx0+((gidx0&1)<<5))))+((long)((alu3<<8)))+(((long)(alu7))<<6l))));
    int alu8 = ((alu3<<2)+alu7);
    float val2 = (*(data4_16+alu8));
    float val3 = (*(data5_16+alu8));
    float val4 = (*(buf0+0));
    float alu9 = (alu6?val2:-1.0000000150474662e+30f);
    float alu10 = ((alu9<val4)?val4:alu9);
    float alu11 = exp2(((val4-alu10)*1.4426950216293335f));
    float alu12 = ((-5.000000075237331e+29f<alu9)?exp2(((alu9-alu10)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu10;
    *(buf0+1) = (((*(buf0+1))*alu11)+(alu12*val3));
    *(buf0+2) = (((*(buf0+2))*alu11)+(alu12*val1));
  }
  *(buf1+lidx0) = ((*(buf0+2))*(1/(*(buf0+1))));
  __syncthreads();
  bool alu19 = (lidx0<8);
  int alu20 = (alu19?lidx0:0);
  float4 val5 = (*((float4*)((buf1+(alu20<<2)))));
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
