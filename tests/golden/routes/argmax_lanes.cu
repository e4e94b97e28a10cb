// decode/argmax/96/m1 split=16 threads=128
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(128) argmax_96_logits(int* data0_1, int* data1_65, int* data2_1, float* data3_96) {
  float buf0[1];
  int buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[128];
  __shared__ __align__(16) int buf4[128];
  __shared__ __align__(16) float buf5[8];
  __shared__ __align__(16) int buf6[8];
  *(buf1+0) = 1073741824;
  int alu1 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu1;
  int val0 = (*(data2_1+0));
  int alu3 = (val0+1);
  int val1 = (*(data1_65+alu3));
  *(buf0+0) = -1.0000000150474662e+30f;
  float val2 = (*(buf0+0));
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu5 = (lidx0+(lidx1<<5));
  bool alu6 = (lidx1<3);
  int alu7 = (alu6?alu5:0);
  float val3 = (*(data3_96+alu7));
  float alu8 = (alu6?val3:-1.0000000150474662e+30f);
  int alu9 = (alu6?alu5:1073741824);
  bool alu10 = ((val2<alu8)|((val2==alu8)&(alu9<(*(buf1+0)))));
  if (alu10) {
    *(buf1+0) = alu9;
  }
  if (alu10) {
    *(buf0+0) = alu8;
  }
  *(buf4+alu5) = (*(buf1+0));
  *(buf3+alu5) = (*(buf0+0));
  __syncthreads();
  int alu20 = (lidx0&7);
  int alu21 = (alu20<<4);
  int alu22 = (alu21+4);
  int4 val4 = (*((int4*)((buf4+alu22))));
  int alu23 = (alu21+8);
  int4 val5 = (*((int4*)((buf4+alu23))));
  int alu24 = (alu21+12);
  int4 val6 = (*((int4*)((buf4+alu24))));
  int4 val7 = (*((int4*)((buf4+alu21))));
  float4 val8 = (*((float4*)((buf3+alu22))));
  float4 val9 = (*((float4*)((buf3+alu23))));
  float4 val10 = (*((float4*)((buf3+alu24))));
  float4 val11 = (*((float4*)((buf3+alu21))));
  bool alu25 = ((val11.x<val11.y)|((val11.x==val11.y)&(val7.y<val7.x)));
  int alu26 = (alu25?val7.y:val7.x);
  float alu27 = (alu25?val11.y:val11.x);
  bool alu28 = ((alu27<val11.z)|((alu27==val11.z)&(val7.z<alu26)));
  int alu29 = (alu28?val7.z:alu26);
  float alu30 = (alu28?val11.z:alu27);
  bool alu31 = ((alu30<val11.w)|((alu30==val11.w)&(val7.w<alu29)));
  int alu32 = (alu31?val7.w:alu29);
  float alu33 = (alu31?val11.w:alu30);
  bool alu34 = ((alu33<val8.x)|((alu33==val8.x)&(val4.x<alu32)));
  int alu35 = (alu34?val4.x:alu32);
  float alu36 = (alu34?val8.x:alu33);
  bool alu37 = ((alu36<val8.y)|((alu36==val8.y)&(val4.y<alu35)));
  int alu38 = (alu37?val4.y:alu35);
  float alu39 = (alu37?val8.y:alu36);
  bool alu40 = ((alu39<val8.z)|((alu39==val8.z)&(val4.z<alu38)));
  int alu41 = (alu40?val4.z:alu38);
  float alu42 = (alu40?val8.z:alu39);
  bool alu43 = ((alu42<val8.w)|((alu42==val8.w)&(val4.w<alu41)));
  int alu44 = (alu43?val4.w:alu41);
  float alu45 = (alu43?val8.w:alu42);
  bool alu46 = ((alu45<val9.x)|((alu45==val9.x)&(val5.x<alu44)));
  int alu47 = (alu46?val5.x:alu44);
  float alu48 = (alu46?val9.x:alu45);
  bool alu49 = ((alu48<val9.y)|((alu48==val9.y)&(val5.y<alu47)));
  int alu50 = (alu49?val5.y:alu47);
  float alu51 = (alu49?val9.y:alu48);
  bool alu52 = ((alu51<val9.z)|((alu51==val9.z)&(val5.z<alu50)));
  int alu53 = (alu52?val5.z:alu50);
  float alu54 = (alu52?val9.z:alu51);
  bool alu55 = ((alu54<val9.w)|((alu54==val9.w)&(val5.w<alu53)));
  int alu56 = (alu55?val5.w:alu53);
  float alu57 = (alu55?val9.w:alu54);
  bool alu58 = ((alu57<val10.x)|((alu57==val10.x)&(val6.x<alu56)));
  int alu59 = (alu58?val6.x:alu56);
  float alu60 = (alu58?val10.x:alu57);
  bool alu61 = ((alu60<val10.y)|((alu60==val10.y)&(val6.y<alu59)));
  int alu62 = (alu61?val6.y:alu59);
  float alu63 = (alu61?val10.y:alu60);
  bool alu64 = ((alu63<val10.z)|((alu63==val10.z)&(val6.z<alu62)));
  int alu65 = (alu64?val6.z:alu62);
  float alu66 = (alu64?val10.z:alu63);
  bool alu67 = ((alu66<val10.w)|((alu66==val10.w)&(val6.w<alu65)));
  int alu68 = (alu67?val6.w:alu65);
  float alu69 = (alu67?val10.w:alu66);
  *(buf6+alu20) = alu68;
  *(buf5+alu20) = alu69;
  __syncthreads();
  int4 val12 = (*((int4*)((buf6+0))));
  int4 val13 = (*((int4*)((buf6+4))));
  float4 val14 = (*((float4*)((buf5+0))));
  float4 val15 = (*((float4*)((buf5+4))));
  bool alu73 = ((val14.x<val14.y)|((val14.x==val14.y)&(val12.y<val12.x)));
  int alu74 = (alu73?val12.y:val12.x);
  float alu75 = (alu73?val14.y:val14.x);
  bool alu76 = ((alu75<val14.z)|((alu75==val14.z)&(val12.z<alu74)));
  int alu77 = (alu76?val12.z:alu74);
  float alu78 = (alu76?val14.z:alu75);
  bool alu79 = ((alu78<val14.w)|((alu78==val14.w)&(val12.w<alu77)));
  int alu80 = (alu79?val12.w:alu77);
  float alu81 = (alu79?val14.w:alu78);
  bool alu82 = ((alu81<val15.x)|((alu81==val15.x)&(val13.x<alu80)));
  int alu83 = (alu82?val13.x:alu80);
  float alu84 = (alu82?val15.x:alu81);
  bool alu85 = ((alu84<val15.y)|((alu84==val15.y)&(val13.y<alu83)));
  int alu86 = (alu85?val13.y:alu83);
  float alu87 = (alu85?val15.y:alu84);
  bool alu88 = ((alu87<val15.z)|((alu87==val15.z)&(val13.z<alu86)));
  int alu89 = (alu88?val13.z:alu86);
  float alu90 = (alu88?val15.z:alu87);
  bool alu91 = (alu5==0);
  int alu92 = (((alu90<val15.w)|((alu90==val15.w)&(val13.w<alu89)))?val13.w:alu89);
  int alu93 = ((val1<0)?alu92:val1);
  if (alu91) {
    *(data0_1+0) = alu93;
  }
  if (alu91) {
    *(data1_65+alu3) = alu93;
  }
  if (alu91) {
    *(data2_1+0) = alu3;
  }
}
