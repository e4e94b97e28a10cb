// decode/attention/256/h4k2d64-c64/m1 lanes=4 lean=0 split=4 threads=64 unroll=1
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
#include <cuda_fp16.h>
struct __align__(8) half4 { half x, y, z, w; }; __device__ half4 make_half4(half x, half y, half z, half w) { half4 r={x, y, z, w}; return r; }
extern "C" __global__ void __launch_bounds__(64) stream_4x64_64_4(float* data0_1024, float* data1_16, float* data2_16, float* data3_256, half* data4_16384, int* data5_1) {
  float buf0[36];
  int buf1[1];
  __shared__ __align__(16) float buf2[2048];
  __shared__ __align__(16) float buf3[64];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf1+0) = alu0;
  int val0 = (*(data5_1+0));
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu2 = (gidx0>>2);
  int alu3 = (lidx0&3);
  int alu4 = (alu3<<2);
  int alu5 = ((alu2<<7)+alu4);
  float4 val1 = (*((float4*)((data3_256+(alu5+16)))));
  float4 val2 = (*((float4*)((data3_256+(alu5+32)))));
  float4 val3 = (*((float4*)((data3_256+(alu5+48)))));
  float4 val4 = (*((float4*)((data3_256+(alu5+64)))));
  float4 val5 = (*((float4*)((data3_256+(alu5+80)))));
  float4 val6 = (*((float4*)((data3_256+(alu5+96)))));
  float4 val7 = (*((float4*)((data3_256+(alu5+112)))));
  float4 val8 = (*((float4*)((data3_256+alu5))));
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
  int alu42 = (lidx0>>2);
  int alu43 = (gidx0&3);
  for (int Lidx1 = 0; Lidx1 < ((val0>>6)+1); Lidx1++) {
    int alu44 = ((lidx1<<3)+alu42+(alu43<<4)+(Lidx1<<6));
    bool alu45 = (((long)(alu44))<(((long)(val0))+1l));
    int alu46 = (alu45?alu44:0);
    long alu47 = (((long)((alu2<<12)))+(((long)(alu46))<<6l)+((long)(alu4)));
    half4 val9 = (*((half4*)((data4_16384+alu47))));
    half4 val10 = (*((half4*)((data4_16384+(alu47+16l)))));
    half4 val11 = (*((half4*)((data4_16384+(alu47+32l)))));
    half4 val12 = (*((half4*)((data4_16384+(alu47+48l)))));
    half4 val13 = (*((half4*)((data4_16384+(alu47+8192l)))));
    half4 val14 = (*((half4*)((data4_16384+(alu47+8208l)))));
    half4 val15 = (*((half4*)((data4_16384+(alu47+8224l)))));
    half4 val16 = (*((half4*)((data4_16384+(alu47+8240l)))));
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
    float alu48 = ((cast0*val8.x)+(cast1*val8.y)+(cast2*val8.z)+(cast3*val8.w)+(cast4*val1.x)+(cast5*val1.y)+(cast6*val1.z)+(cast7*val1.w)+(cast8*val2.x)+(cast9*val2.y)+(cast10*val2.z)+(cast11*val2.w)+(cast12*val3.x)+(cast13*val3.y)+(cast14*val3.z)+(cast15*val3.w));
    float alu49 = __shfl_xor_sync(0xffffffffu, alu48, 2);
    float alu50 = (alu48+alu49);
    float alu51 = __shfl_xor_sync(0xffffffffu, alu50, 1);
    float alu52 = (alu45?((alu50+alu51)*0.125f):-1.0000000150474662e+30f);
    float alu53 = ((alu52<val17)?val17:alu52);
    float alu54 = exp2(((val17-alu53)*1.4426950216293335f));
    float alu55 = ((cast0*val4.x)+(cast1*val4.y)+(cast2*val4.z)+(cast3*val4.w)+(cast4*val5.x)+(cast5*val5.y)+(cast6*val5.z)+(cast7*val5.w)+(cast8*val6.x)+(cast9*val6.y)+(cast10*val6.z)+(cast11*val6.w)+(cast12*val7.x)+(cast13*val7.y)+(cast14*val7.z)+(cast15*val7.w));
    float alu56 = __shfl_xor_sync(0xffffffffu, alu55, 2);
    float alu57 = (alu55+alu56);
    float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 1);
    float alu59 = (alu45?((alu57+alu58)*0.125f):-1.0000000150474662e+30f);
    float alu60 = ((alu59<val18)?val18:alu59);
    float alu61 = exp2(((val18-alu60)*1.4426950216293335f));
    float alu62 = (alu45?exp2(((alu52-alu53)*1.4426950216293335f)):0.0f);
    float alu63 = (alu45?exp2(((alu59-alu60)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu53;
    *(buf0+1) = (((*(buf0+1))*alu54)+alu62);
    *(buf0+2) = (((*(buf0+2))*alu54)+(alu62*cast16));
    *(buf0+3) = (((*(buf0+3))*alu54)+(alu62*cast17));
    *(buf0+4) = (((*(buf0+4))*alu54)+(alu62*cast18));
    *(buf0+5) = (((*(buf0+5))*alu54)+(alu62*cast19));
    *(buf0+6) = (((*(buf0+6))*alu54)+(alu62*cast20));
    *(buf0+7) = (((*(buf0+7))*alu54)+(alu62*cast21));
    *(buf0+8) = (((*(buf0+8))*alu54)+(alu62*cast22));
    *(buf0+9) = (((*(buf0+9))*alu54)+(alu62*cast23));
    *(buf0+10) = (((*(buf0+10))*alu54)+(alu62*cast24));
    *(buf0+11) = (((*(buf0+11))*alu54)+(alu62*cast25));
    *(buf0+12) = (((*(buf0+12))*alu54)+(alu62*cast26));
    *(buf0+13) = (((*(buf0+13))*alu54)+(alu62*cast27));
    *(buf0+14) = (((*(buf0+14))*alu54)+(alu62*cast28));
    *(buf0+15) = (((*(buf0+15))*alu54)+(alu62*cast29));
    *(buf0+16) = (((*(buf0+16))*alu54)+(alu62*cast30));
    *(buf0+17) = (((*(buf0+17))*alu54)+(alu62*cast31));
    *(buf0+18) = alu60;
    *(buf0+19) = (((*(buf0+19))*alu61)+alu63);
    *(buf0+20) = (((*(buf0+20))*alu61)+(alu63*cast16));
    *(buf0+21) = (((*(buf0+21))*alu61)+(alu63*cast17));
    *(buf0+22) = (((*(buf0+22))*alu61)+(alu63*cast18));
    *(buf0+23) = (((*(buf0+23))*alu61)+(alu63*cast19));
    *(buf0+24) = (((*(buf0+24))*alu61)+(alu63*cast20));
    *(buf0+25) = (((*(buf0+25))*alu61)+(alu63*cast21));
    *(buf0+26) = (((*(buf0+26))*alu61)+(alu63*cast22));
    *(buf0+27) = (((*(buf0+27))*alu61)+(alu63*cast23));
    *(buf0+28) = (((*(buf0+28))*alu61)+(alu63*cast24));
    *(buf0+29) = (((*(buf0+29))*alu61)+(alu63*cast25));
    *(buf0+30) = (((*(buf0+30))*alu61)+(alu63*cast26));
    *(buf0+31) = (((*(buf0+31))*alu61)+(alu63*cast27));
    *(buf0+32) = (((*(buf0+32))*alu61)+(alu63*cast28));
    *(buf0+33) = (((*(buf0+33))*alu61)+(alu63*cast29));
    *(buf0+34) = (((*(buf0+34))*alu61)+(alu63*cast30));
    *(buf0+35) = (((*(buf0+35))*alu61)+(alu63*cast31));
  }
  int alu101 = ((lidx1<<10)+(alu42<<7)+alu4);
  int alu102 = (lidx1<<5);
  *((float4*)((buf2+(alu101+16)))) = make_float4((*(buf0+6)),(*(buf0+7)),(*(buf0+8)),(*(buf0+9)));
  *((float4*)((buf2+(alu101+32)))) = make_float4((*(buf0+10)),(*(buf0+11)),(*(buf0+12)),(*(buf0+13)));
  *((float4*)((buf2+(alu101+48)))) = make_float4((*(buf0+14)),(*(buf0+15)),(*(buf0+16)),(*(buf0+17)));
  *((float4*)((buf2+(alu101+64)))) = make_float4((*(buf0+20)),(*(buf0+21)),(*(buf0+22)),(*(buf0+23)));
  *((float4*)((buf2+(alu101+80)))) = make_float4((*(buf0+24)),(*(buf0+25)),(*(buf0+26)),(*(buf0+27)));
  *((float4*)((buf2+(alu101+96)))) = make_float4((*(buf0+28)),(*(buf0+29)),(*(buf0+30)),(*(buf0+31)));
  *((float4*)((buf2+(alu101+112)))) = make_float4((*(buf0+32)),(*(buf0+33)),(*(buf0+34)),(*(buf0+35)));
  *((float4*)((buf2+alu101))) = make_float4((*(buf0+2)),(*(buf0+3)),(*(buf0+4)),(*(buf0+5)));
  if ((alu3==0)) {
    *((float4*)((buf3+(alu102+(alu42<<2))))) = make_float4((*(buf0+0)),(*(buf0+1)),(*(buf0+18)),(*(buf0+19)));
  }
  __syncthreads();
  int alu115 = (lidx0+alu102);
  float val19 = (*(buf2+alu115));
  float val20 = (*(buf2+(alu115+64)));
  float val21 = (*(buf2+(alu115+128)));
  float val22 = (*(buf2+(alu115+192)));
  float val23 = (*(buf2+(alu115+256)));
  float val24 = (*(buf2+(alu115+320)));
  float val25 = (*(buf2+(alu115+384)));
  float val26 = (*(buf2+(alu115+448)));
  float val27 = (*(buf2+(alu115+512)));
  float val28 = (*(buf2+(alu115+576)));
  float val29 = (*(buf2+(alu115+640)));
  float val30 = (*(buf2+(alu115+704)));
  float val31 = (*(buf2+(alu115+768)));
  float val32 = (*(buf2+(alu115+832)));
  float val33 = (*(buf2+(alu115+896)));
  float val34 = (*(buf2+(alu115+960)));
  float val35 = (*(buf2+(alu115+1024)));
  float val36 = (*(buf2+(alu115+1088)));
  float val37 = (*(buf2+(alu115+1152)));
  float val38 = (*(buf2+(alu115+1216)));
  float val39 = (*(buf2+(alu115+1280)));
  float val40 = (*(buf2+(alu115+1344)));
  float val41 = (*(buf2+(alu115+1408)));
  float val42 = (*(buf2+(alu115+1472)));
  float val43 = (*(buf2+(alu115+1536)));
  float val44 = (*(buf2+(alu115+1600)));
  float val45 = (*(buf2+(alu115+1664)));
  float val46 = (*(buf2+(alu115+1728)));
  float val47 = (*(buf2+(alu115+1792)));
  float val48 = (*(buf2+(alu115+1856)));
  float val49 = (*(buf2+(alu115+1920)));
  float val50 = (*(buf2+(alu115+1984)));
  float4 val51 = (*((float4*)((buf3+0))));
  float4 val52 = (*((float4*)((buf3+4))));
  float4 val53 = (*((float4*)((buf3+8))));
  float4 val54 = (*((float4*)((buf3+12))));
  float4 val55 = (*((float4*)((buf3+16))));
  float4 val56 = (*((float4*)((buf3+20))));
  float4 val57 = (*((float4*)((buf3+24))));
  float4 val58 = (*((float4*)((buf3+28))));
  float4 val59 = (*((float4*)((buf3+32))));
  float4 val60 = (*((float4*)((buf3+36))));
  float4 val61 = (*((float4*)((buf3+40))));
  float4 val62 = (*((float4*)((buf3+44))));
  float4 val63 = (*((float4*)((buf3+48))));
  float4 val64 = (*((float4*)((buf3+52))));
  float4 val65 = (*((float4*)((buf3+56))));
  float4 val66 = (*((float4*)((buf3+60))));
  int alu116 = (alu115+(alu2<<9)+(alu43<<6));
  int alu117 = ((alu2<<3)+alu43);
  int alu118 = (alu117+4);
  float alu119 = ((val51.x<val52.x)?val52.x:val51.x);
  float alu120 = ((alu119<val53.x)?val53.x:alu119);
  float alu121 = ((alu120<val54.x)?val54.x:alu120);
  float alu122 = ((alu121<val55.x)?val55.x:alu121);
  float alu123 = ((alu122<val56.x)?val56.x:alu122);
  float alu124 = ((alu123<val57.x)?val57.x:alu123);
  float alu125 = ((alu124<val58.x)?val58.x:alu124);
  float alu126 = ((alu125<val59.x)?val59.x:alu125);
  float alu127 = ((alu126<val60.x)?val60.x:alu126);
  float alu128 = ((alu127<val61.x)?val61.x:alu127);
  float alu129 = ((alu128<val62.x)?val62.x:alu128);
  float alu130 = ((alu129<val63.x)?val63.x:alu129);
  float alu131 = ((alu130<val64.x)?val64.x:alu130);
  float alu132 = ((alu131<val65.x)?val65.x:alu131);
  float alu133 = ((alu132<val66.x)?val66.x:alu132);
  float alu134 = exp2(((val51.x-alu133)*1.4426950216293335f));
  float alu135 = ((val51.z<val52.z)?val52.z:val51.z);
  float alu136 = ((alu135<val53.z)?val53.z:alu135);
  float alu137 = ((alu136<val54.z)?val54.z:alu136);
  float alu138 = ((alu137<val55.z)?val55.z:alu137);
  float alu139 = ((alu138<val56.z)?val56.z:alu138);
  float alu140 = ((alu139<val57.z)?val57.z:alu139);
  float alu141 = ((alu140<val58.z)?val58.z:alu140);
  float alu142 = ((alu141<val59.z)?val59.z:alu141);
  float alu143 = ((alu142<val60.z)?val60.z:alu142);
  float alu144 = ((alu143<val61.z)?val61.z:alu143);
  float alu145 = ((alu144<val62.z)?val62.z:alu144);
  float alu146 = ((alu145<val63.z)?val63.z:alu145);
  float alu147 = ((alu146<val64.z)?val64.z:alu146);
  float alu148 = ((alu147<val65.z)?val65.z:alu147);
  float alu149 = ((alu148<val66.z)?val66.z:alu148);
  float alu150 = exp2(((val51.z-alu149)*1.4426950216293335f));
  float alu151 = exp2(((val52.x-alu133)*1.4426950216293335f));
  float alu152 = exp2(((val52.z-alu149)*1.4426950216293335f));
  float alu153 = exp2(((val53.x-alu133)*1.4426950216293335f));
  float alu154 = exp2(((val53.z-alu149)*1.4426950216293335f));
  float alu155 = exp2(((val54.x-alu133)*1.4426950216293335f));
  float alu156 = exp2(((val54.z-alu149)*1.4426950216293335f));
  float alu157 = exp2(((val55.x-alu133)*1.4426950216293335f));
  float alu158 = exp2(((val55.z-alu149)*1.4426950216293335f));
  float alu159 = exp2(((val56.x-alu133)*1.4426950216293335f));
  float alu160 = exp2(((val56.z-alu149)*1.4426950216293335f));
  float alu161 = exp2(((val57.x-alu133)*1.4426950216293335f));
  float alu162 = exp2(((val57.z-alu149)*1.4426950216293335f));
  float alu163 = exp2(((val58.x-alu133)*1.4426950216293335f));
  float alu164 = exp2(((val58.z-alu149)*1.4426950216293335f));
  float alu165 = exp2(((val59.x-alu133)*1.4426950216293335f));
  float alu166 = exp2(((val59.z-alu149)*1.4426950216293335f));
  float alu167 = exp2(((val60.x-alu133)*1.4426950216293335f));
  float alu168 = exp2(((val60.z-alu149)*1.4426950216293335f));
  float alu169 = exp2(((val61.x-alu133)*1.4426950216293335f));
  float alu170 = exp2(((val61.z-alu149)*1.4426950216293335f));
  float alu171 = exp2(((val62.x-alu133)*1.4426950216293335f));
  float alu172 = exp2(((val62.z-alu149)*1.4426950216293335f));
  float alu173 = exp2(((val63.x-alu133)*1.4426950216293335f));
  float alu174 = exp2(((val63.z-alu149)*1.4426950216293335f));
  float alu175 = exp2(((val64.x-alu133)*1.4426950216293335f));
  float alu176 = exp2(((val64.z-alu149)*1.4426950216293335f));
  float alu177 = exp2(((val65.x-alu133)*1.4426950216293335f));
  float alu178 = exp2(((val65.z-alu149)*1.4426950216293335f));
  float alu179 = exp2(((val66.x-alu133)*1.4426950216293335f));
  float alu180 = exp2(((val66.z-alu149)*1.4426950216293335f));
  bool alu181 = (alu115==0);
  *(data0_1024+alu116) = ((val19*alu134)+(val21*alu151)+(val23*alu153)+(val25*alu155)+(val27*alu157)+(val29*alu159)+(val31*alu161)+(val33*alu163)+(val35*alu165)+(val37*alu167)+(val39*alu169)+(val41*alu171)+(val43*alu173)+(val45*alu175)+(val47*alu177)+(val49*alu179));
  *(data0_1024+(alu116+256)) = ((val20*alu150)+(val22*alu152)+(val24*alu154)+(val26*alu156)+(val28*alu158)+(val30*alu160)+(val32*alu162)+(val34*alu164)+(val36*alu166)+(val38*alu168)+(val40*alu170)+(val42*alu172)+(val44*alu174)+(val46*alu176)+(val48*alu178)+(val50*alu180));
  if (alu181) {
    *(data1_16+alu118) = alu149;
  }
  if (alu181) {
    *(data1_16+alu117) = alu133;
  }
  if (alu181) {
    *(data2_16+alu118) = ((val51.w*alu150)+(val52.w*alu152)+(val53.w*alu154)+(val54.w*alu156)+(val55.w*alu158)+(val56.w*alu160)+(val57.w*alu162)+(val58.w*alu164)+(val59.w*alu166)+(val60.w*alu168)+(val61.w*alu170)+(val62.w*alu172)+(val63.w*alu174)+(val64.w*alu176)+(val65.w*alu178)+(val66.w*alu180));
  }
  if (alu181) {
    *(data2_16+alu117) = ((val51.y*alu134)+(val52.y*alu151)+(val53.y*alu153)+(val54.y*alu155)+(val55.y*alu157)+(val56.y*alu159)+(val57.y*alu161)+(val58.y*alu163)+(val59.y*alu165)+(val60.y*alu167)+(val61.y*alu169)+(val62.y*alu171)+(val63.y*alu173)+(val64.y*alu175)+(val65.y*alu177)+(val66.y*alu179));
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(32) attention_merge_4x64_4_f32(float* data0_256, float* data1_8, float* data2_1024, float* data3_16, float* data4_16, int* data5_1) {
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
  int alu5 = (gidx0>>1);
  int alu6 = ((val0<48)?((val0>>4)+1):4);
  int alu7 = ((0<alu6)?alu6:1);
  for (int Lidx1 = 0; Lidx1 < alu7; Lidx1++) {
    bool alu8 = (Lidx1<alu7);
    int alu9 = (alu8?Lidx1:0);
    float val1 = (*(data2_1024+(((long)((lidx0+((gidx0&1)<<5))))+((long)((alu5<<8)))+(((long)(alu9))<<6l))));
    int alu10 = ((alu5<<2)+alu9);
    float val2 = (*(data3_16+alu10));
    float val3 = (*(data4_16+alu10));
    float val4 = (*(buf0+0));
    float alu11 = (alu8?val2:-1.0000000150474662e+30f);
    float alu12 = ((alu11<val4)?val4:alu11);
    float alu13 = exp2(((val4-alu12)*1.4426950216293335f));
    float alu14 = ((-5.000000075237331e+29f<alu11)?exp2(((alu11-alu12)*1.4426950216293335f)):0.0f);
    *(buf0+0) = alu12;
    *(buf0+1) = (((*(buf0+1))*alu13)+(alu14*val3));
    *(buf0+2) = (((*(buf0+2))*alu13)+(alu14*val1));
  }
  *(buf2+lidx0) = ((*(buf0+2))*(1/(*(buf0+1))));
  __syncthreads();
  bool alu21 = (lidx0<8);
  int alu22 = (alu21?lidx0:0);
  float4 val5 = (*((float4*)((buf2+(alu22<<2)))));
  float alu23 = (val5.x+val5.y+val5.z+val5.w);
  float alu24 = __shfl_xor_sync(0xffffffffu, alu23, 4);
  float alu25 = (alu23+alu24);
  float alu26 = __shfl_xor_sync(0xffffffffu, alu25, 2);
  float alu27 = (alu25+alu26);
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 1);
  if ((alu21&(lidx0==0))) {
    *(data1_8+gidx0) = (alu27+alu28);
  }
  if (alu21) {
    *((float4*)((data0_256+((gidx0<<5)+(lidx0<<2))))) = val5;
  }
}
