// decode/argmax/96/m1 split=16 threads=128
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(128) argmax_96_logits(int* data0_1, int* data1_65, int* data2_1, float* data3_96) {
  float buf0[1];
  int buf1[1];
  __shared__ __align__(16) float buf2[128];
  __shared__ __align__(16) int buf3[128];
  __shared__ __align__(16) float buf4[8];
  __shared__ __align__(16) int buf5[8];
  int val0 = (*(data2_1+0));
  int alu0 = (val0+1);
  int val1 = (*(data1_65+alu0));
  *(buf1+0) = 1073741824;
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu2 = (lidx0+(lidx1<<5));
  bool alu3 = (lidx1<3);
  int alu4 = (alu3?alu2:0);
  float val2 = (*(data3_96+alu4));
  *(buf0+0) = -1.0000000150474662e+30f;
  float val3 = (*(buf0+0));
  float alu6 = (alu3?val2:-1.0000000150474662e+30f);
  int alu7 = (alu3?alu2:1073741824);
  bool alu8 = ((val3<alu6)|((val3==alu6)&(alu7<(*(buf1+0)))));
  if (alu8) {
    *(buf1+0) = alu7;
  }
  if (alu8) {
    *(buf0+0) = alu6;
  }
  *(buf3+alu2) = (*(buf1+0));
  *(buf2+alu2) = (*(buf0+0));
  __syncthreads();
  int alu18 = (lidx0&7);
  int alu19 = (alu18<<4);
  int alu20 = (alu19+4);
  int4 val4 = (*((int4*)((buf3+alu20))));
  int alu21 = (alu19+8);
  int4 val5 = (*((int4*)((buf3+alu21))));
  int alu22 = (alu19+12);
  int4 val6 = (*((int4*)((buf3+alu22))));
  int4 val7 = (*((int4*)((buf3+alu19))));
  float4 val8 = (*((float4*)((buf2+alu20))));
  float4 val9 = (*((float4*)((buf2+alu21))));
  float4 val10 = (*((float4*)((buf2+alu22))));
  float4 val11 = (*((float4*)((buf2+alu19))));
  bool alu23 = ((val11.x<val11.y)|((val11.x==val11.y)&(val7.y<val7.x)));
  int alu24 = (alu23?val7.y:val7.x);
  float alu25 = (alu23?val11.y:val11.x);
  bool alu26 = ((alu25<val11.z)|((alu25==val11.z)&(val7.z<alu24)));
  int alu27 = (alu26?val7.z:alu24);
  float alu28 = (alu26?val11.z:alu25);
  bool alu29 = ((alu28<val11.w)|((alu28==val11.w)&(val7.w<alu27)));
  int alu30 = (alu29?val7.w:alu27);
  float alu31 = (alu29?val11.w:alu28);
  bool alu32 = ((alu31<val8.x)|((alu31==val8.x)&(val4.x<alu30)));
  int alu33 = (alu32?val4.x:alu30);
  float alu34 = (alu32?val8.x:alu31);
  bool alu35 = ((alu34<val8.y)|((alu34==val8.y)&(val4.y<alu33)));
  int alu36 = (alu35?val4.y:alu33);
  float alu37 = (alu35?val8.y:alu34);
  bool alu38 = ((alu37<val8.z)|((alu37==val8.z)&(val4.z<alu36)));
  int alu39 = (alu38?val4.z:alu36);
  float alu40 = (alu38?val8.z:alu37);
  bool alu41 = ((alu40<val8.w)|((alu40==val8.w)&(val4.w<alu39)));
  int alu42 = (alu41?val4.w:alu39);
  float alu43 = (alu41?val8.w:alu40);
  bool alu44 = ((alu43<val9.x)|((alu43==val9.x)&(val5.x<alu42)));
  int alu45 = (alu44?val5.x:alu42);
  float alu46 = (alu44?val9.x:alu43);
  bool alu47 = ((alu46<val9.y)|((alu46==val9.y)&(val5.y<alu45)));
  int alu48 = (alu47?val5.y:alu45);
  float alu49 = (alu47?val9.y:alu46);
  bool alu50 = ((alu49<val9.z)|((alu49==val9.z)&(val5.z<alu48)));
  int alu51 = (alu50?val5.z:alu48);
  float alu52 = (alu50?val9.z:alu49);
  bool alu53 = ((alu52<val9.w)|((alu52==val9.w)&(val5.w<alu51)));
  int alu54 = (alu53?val5.w:alu51);
  float alu55 = (alu53?val9.w:alu52);
  bool alu56 = ((alu55<val10.x)|((alu55==val10.x)&(val6.x<alu54)));
  int alu57 = (alu56?val6.x:alu54);
  float alu58 = (alu56?val10.x:alu55);
  bool alu59 = ((alu58<val10.y)|((alu58==val10.y)&(val6.y<alu57)));
  int alu60 = (alu59?val6.y:alu57);
  float alu61 = (alu59?val10.y:alu58);
  bool alu62 = ((alu61<val10.z)|((alu61==val10.z)&(val6.z<alu60)));
  int alu63 = (alu62?val6.z:alu60);
  float alu64 = (alu62?val10.z:alu61);
  bool alu65 = ((alu64<val10.w)|((alu64==val10.w)&(val6.w<alu63)));
  int alu66 = (alu65?val6.w:alu63);
  float alu67 = (alu65?val10.w:alu64);
  *(buf5+alu18) = alu66;
  *(buf4+alu18) = alu67;
  __syncthreads();
  int4 val12 = (*((int4*)((buf5+0))));
  int4 val13 = (*((int4*)((buf5+4))));
  float4 val14 = (*((float4*)((buf4+0))));
  float4 val15 = (*((float4*)((buf4+4))));
  bool alu71 = ((val14.x<val14.y)|((val14.x==val14.y)&(val12.y<val12.x)));
  int alu72 = (alu71?val12.y:val12.x);
  float alu73 = (alu71?val14.y:val14.x);
  bool alu74 = ((alu73<val14.z)|((alu73==val14.z)&(val12.z<alu72)));
  int alu75 = (alu74?val12.z:alu72);
  float alu76 = (alu74?val14.z:alu73);
  bool alu77 = ((alu76<val14.w)|((alu76==val14.w)&(val12.w<alu75)));
  int alu78 = (alu77?val12.w:alu75);
  float alu79 = (alu77?val14.w:alu76);
  bool alu80 = ((alu79<val15.x)|((alu79==val15.x)&(val13.x<alu78)));
  int alu81 = (alu80?val13.x:alu78);
  float alu82 = (alu80?val15.x:alu79);
  bool alu83 = ((alu82<val15.y)|((alu82==val15.y)&(val13.y<alu81)));
  int alu84 = (alu83?val13.y:alu81);
  float alu85 = (alu83?val15.y:alu82);
  bool alu86 = ((alu85<val15.z)|((alu85==val15.z)&(val13.z<alu84)));
  int alu87 = (alu86?val13.z:alu84);
  float alu88 = (alu86?val15.z:alu85);
  bool alu89 = (alu2==0);
  int alu90 = (((alu88<val15.w)|((alu88==val15.w)&(val13.w<alu87)))?val13.w:alu87);
  int alu91 = ((val1<0)?alu90:val1);
  if (alu89) {
    *(data0_1+0) = alu91;
  }
  if (alu89) {
    *(data1_65+alu0) = alu91;
  }
  if (alu89) {
    *(data2_1+0) = alu0;
  }
}
