typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(128) sample_few_4096_logits(float* data0_16, int* data1_16, float* data2_4096, float* data3_1, uint* data4_1, int* data5_1) {
  float buf0[1];
  int buf1[1];
  int buf2[1];
  __shared__ __align__(16) float buf3[128];
  __shared__ __align__(16) int buf4[128];
  __shared__ __align__(16) float buf5[8];
  __shared__ __align__(16) int buf6[8];
  int alu0 = []{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); return 0; }();
  *(buf2+0) = alu0;
  int val0 = (*(data5_1+0));
  uint val1 = (*(data4_1+0));
  float val2 = (*(data3_1+0));
  int gidx0 = blockIdx.x; /* 16 */
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 4 */
  *(buf1+0) = 1073741824;
  *(buf0+0) = -1.0000000150474662e+30f;
  uint cast0 = ((uint)(val0));
  int alu4 = (lidx0+(lidx1<<5));
  uint alu5 = (val1^cast0^466688986u);
  for (int Lidx1 = 0; Lidx1 < 2; Lidx1++) {
    int alu6 = (alu4+(gidx0<<7)+(Lidx1<<11));
    float val3 = (*(data2_4096+alu6));
    float val4 = (*(buf0+0));
    uint alu7 = (((uint)(alu6))+val1+cast0);
    uint alu8 = (((cast0<<13u)|(cast0>>19u))^alu7);
    uint alu9 = (alu7+alu8);
    uint alu10 = (((alu8<<15u)|(alu8>>17u))^alu9);
    uint alu11 = (alu9+alu10);
    uint alu12 = (((alu10<<26u)|(alu10>>6u))^alu11);
    uint alu13 = (alu11+alu12);
    uint alu14 = (alu5+(((alu12<<6u)|(alu12>>26u))^alu13));
    uint alu15 = (alu14+alu13+cast0);
    uint alu16 = (alu14+1u);
    uint alu17 = (((alu16<<17u)|(alu16>>15u))^(alu15+1u));
    uint alu18 = (alu15+alu17);
    uint alu19 = (((alu17<<29u)|(alu17>>3u))^(alu18+1u));
    uint alu20 = (alu18+alu19);
    uint alu21 = (((alu19<<16u)|(alu19>>16u))^(alu20+1u));
    uint alu22 = (alu20+alu21);
    uint alu23 = (val1+(((alu21<<24u)|(alu21>>8u))^(alu22+1u)));
    uint alu24 = (alu23+2u);
    uint alu25 = (alu23+alu22+alu5);
    uint alu26 = (((alu24<<13u)|(alu24>>19u))^(alu25+3u));
    uint alu27 = (alu25+alu26);
    uint alu28 = (((alu26<<15u)|(alu26>>17u))^(alu27+3u));
    uint alu29 = (alu27+alu28);
    uint alu30 = (((alu28<<26u)|(alu28>>6u))^(alu29+3u));
    uint alu31 = (alu29+alu30);
    uint alu32 = (cast0+(((alu30<<6u)|(alu30>>26u))^(alu31+3u)));
    uint alu33 = (alu32+3u);
    uint alu34 = (((alu33<<17u)|(alu33>>15u))^(alu32+alu31+val1+6u));
    float alu35 = ((((float)(alu34))*2.3283064365386963e-10f)+1.1641532182693481e-10f);
    float alu36 = ((alu35<0.03125f)?(alu35*(1.0f+(alu35*(0.5f+(alu35*(0.3333333432674408f+(alu35*0.25f))))))):(log2(((((float)((alu34^4294967295u)))*2.3283064365386963e-10f)+1.1641532182693481e-10f))*-0.6931471824645996f));
    float alu37 = (val3+(log2(alu36)*val2*-0.6931471824645996f));
    bool alu38 = ((val4<alu37)|((val4==alu37)&(alu6<(*(buf1+0)))));
    if (alu38) {
      *(buf1+0) = alu6;
    }
    if (alu38) {
      *(buf0+0) = alu37;
    }
  }
  *(buf4+alu4) = (*(buf1+0));
  *(buf3+alu4) = (*(buf0+0));
  __syncthreads();
  int alu49 = (lidx0&7);
  int alu50 = (alu49<<4);
  int alu51 = (alu50+4);
  int4 val5 = (*((int4*)((buf4+alu51))));
  int alu52 = (alu50+8);
  int4 val6 = (*((int4*)((buf4+alu52))));
  int alu53 = (alu50+12);
  int4 val7 = (*((int4*)((buf4+alu53))));
  int4 val8 = (*((int4*)((buf4+alu50))));
  float4 val9 = (*((float4*)((buf3+alu51))));
  float4 val10 = (*((float4*)((buf3+alu52))));
  float4 val11 = (*((float4*)((buf3+alu53))));
  float4 val12 = (*((float4*)((buf3+alu50))));
  bool alu54 = ((val12.x<val12.y)|((val12.x==val12.y)&(val8.y<val8.x)));
  int alu55 = (alu54?val8.y:val8.x);
  float alu56 = (alu54?val12.y:val12.x);
  bool alu57 = ((alu56<val12.z)|((alu56==val12.z)&(val8.z<alu55)));
  int alu58 = (alu57?val8.z:alu55);
  float alu59 = (alu57?val12.z:alu56);
  bool alu60 = ((alu59<val12.w)|((alu59==val12.w)&(val8.w<alu58)));
  int alu61 = (alu60?val8.w:alu58);
  float alu62 = (alu60?val12.w:alu59);
  bool alu63 = ((alu62<val9.x)|((alu62==val9.x)&(val5.x<alu61)));
  int alu64 = (alu63?val5.x:alu61);
  float alu65 = (alu63?val9.x:alu62);
  bool alu66 = ((alu65<val9.y)|((alu65==val9.y)&(val5.y<alu64)));
  int alu67 = (alu66?val5.y:alu64);
  float alu68 = (alu66?val9.y:alu65);
  bool alu69 = ((alu68<val9.z)|((alu68==val9.z)&(val5.z<alu67)));
  int alu70 = (alu69?val5.z:alu67);
  float alu71 = (alu69?val9.z:alu68);
  bool alu72 = ((alu71<val9.w)|((alu71==val9.w)&(val5.w<alu70)));
  int alu73 = (alu72?val5.w:alu70);
  float alu74 = (alu72?val9.w:alu71);
  bool alu75 = ((alu74<val10.x)|((alu74==val10.x)&(val6.x<alu73)));
  int alu76 = (alu75?val6.x:alu73);
  float alu77 = (alu75?val10.x:alu74);
  bool alu78 = ((alu77<val10.y)|((alu77==val10.y)&(val6.y<alu76)));
  int alu79 = (alu78?val6.y:alu76);
  float alu80 = (alu78?val10.y:alu77);
  bool alu81 = ((alu80<val10.z)|((alu80==val10.z)&(val6.z<alu79)));
  int alu82 = (alu81?val6.z:alu79);
  float alu83 = (alu81?val10.z:alu80);
  bool alu84 = ((alu83<val10.w)|((alu83==val10.w)&(val6.w<alu82)));
  int alu85 = (alu84?val6.w:alu82);
  float alu86 = (alu84?val10.w:alu83);
  bool alu87 = ((alu86<val11.x)|((alu86==val11.x)&(val7.x<alu85)));
  int alu88 = (alu87?val7.x:alu85);
  float alu89 = (alu87?val11.x:alu86);
  bool alu90 = ((alu89<val11.y)|((alu89==val11.y)&(val7.y<alu88)));
  int alu91 = (alu90?val7.y:alu88);
  float alu92 = (alu90?val11.y:alu89);
  bool alu93 = ((alu92<val11.z)|((alu92==val11.z)&(val7.z<alu91)));
  int alu94 = (alu93?val7.z:alu91);
  float alu95 = (alu93?val11.z:alu92);
  bool alu96 = ((alu95<val11.w)|((alu95==val11.w)&(val7.w<alu94)));
  int alu97 = (alu96?val7.w:alu94);
  float alu98 = (alu96?val11.w:alu95);
  *(buf6+alu49) = alu97;
  *(buf5+alu49) = alu98;
  __syncthreads();
  int4 val13 = (*((int4*)((buf6+0))));
  int4 val14 = (*((int4*)((buf6+4))));
  float4 val15 = (*((float4*)((buf5+0))));
  float4 val16 = (*((float4*)((buf5+4))));
  bool alu102 = ((val15.x<val15.y)|((val15.x==val15.y)&(val13.y<val13.x)));
  int alu103 = (alu102?val13.y:val13.x);
  float alu104 = (alu102?val15.y:val15.x);
  bool alu105 = ((alu104<val15.z)|((alu104==val15.z)&(val13.z<alu103)));
  int alu106 = (alu105?val13.z:alu103);
  float alu107 = (alu105?val15.z:alu104);
  bool alu108 = ((alu107<val15.w)|((alu107==val15.w)&(val13.w<alu106)));
  int alu109 = (alu108?val13.w:alu106);
  float alu110 = (alu108?val15.w:alu107);
  bool alu111 = ((alu110<val16.x)|((alu110==val16.x)&(val14.x<alu109)));
  int alu112 = (alu111?val14.x:alu109);
  float alu113 = (alu111?val16.x:alu110);
  bool alu114 = ((alu113<val16.y)|((alu113==val16.y)&(val14.y<alu112)));
  int alu115 = (alu114?val14.y:alu112);
  float alu116 = (alu114?val16.y:alu113);
  bool alu117 = ((alu116<val16.z)|((alu116==val16.z)&(val14.z<alu115)));
  int alu118 = (alu117?val14.z:alu115);
  float alu119 = (alu117?val16.z:alu116);
  bool alu120 = (alu4==0);
  bool alu121 = ((alu119<val16.w)|((alu119==val16.w)&(val14.w<alu118)));
  int alu122 = (alu121?val14.w:alu118);
  float alu123 = (alu121?val16.w:alu119);
  if (alu120) {
    *(data1_16+gidx0) = alu122;
  }
  if (alu120) {
    *(data0_16+gidx0) = alu123;
  }
}
typedef unsigned int uint;
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
template <class T, class F> __device__ __forceinline__ T tg_bitcast(F v) { union U { F f; T t; }; U u; u.f = v; return u.t; }
extern "C" __global__ void __launch_bounds__(128) argmax_16_logits(int* data0_1, int* data1_41, int* data2_1, float* data3_16, int* data4_16) {
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
  int val1 = (*(data1_41+alu3));
  int lidx0 = threadIdx.x; /* 32 */
  int lidx1 = threadIdx.y; /* 4 */
  int alu4 = (lidx0+(lidx1<<5));
  bool alu5 = (alu4<16);
  int alu6 = (alu5?alu4:0);
  int val2 = (*(data4_16+alu6));
  *(buf0+0) = -1.0000000150474662e+30f;
  float val3 = (*(buf0+0));
  float val4 = (*(data3_16+alu6));
  float alu8 = (alu5?val4:-1.0000000150474662e+30f);
  int alu9 = (alu5?val2:1073741824);
  bool alu10 = ((val3<alu8)|((val3==alu8)&(alu9<(*(buf1+0)))));
  if (alu10) {
    *(buf1+0) = alu9;
  }
  if (alu10) {
    *(buf0+0) = alu8;
  }
  *(buf4+alu4) = (*(buf1+0));
  *(buf3+alu4) = (*(buf0+0));
  __syncthreads();
  int alu20 = (lidx0&7);
  int alu21 = (alu20<<4);
  int alu22 = (alu21+4);
  int4 val5 = (*((int4*)((buf4+alu22))));
  int alu23 = (alu21+8);
  int4 val6 = (*((int4*)((buf4+alu23))));
  int alu24 = (alu21+12);
  int4 val7 = (*((int4*)((buf4+alu24))));
  int4 val8 = (*((int4*)((buf4+alu21))));
  float4 val9 = (*((float4*)((buf3+alu22))));
  float4 val10 = (*((float4*)((buf3+alu23))));
  float4 val11 = (*((float4*)((buf3+alu24))));
  float4 val12 = (*((float4*)((buf3+alu21))));
  bool alu25 = ((val12.x<val12.y)|((val12.x==val12.y)&(val8.y<val8.x)));
  int alu26 = (alu25?val8.y:val8.x);
  float alu27 = (alu25?val12.y:val12.x);
  bool alu28 = ((alu27<val12.z)|((alu27==val12.z)&(val8.z<alu26)));
  int alu29 = (alu28?val8.z:alu26);
  float alu30 = (alu28?val12.z:alu27);
  bool alu31 = ((alu30<val12.w)|((alu30==val12.w)&(val8.w<alu29)));
  int alu32 = (alu31?val8.w:alu29);
  float alu33 = (alu31?val12.w:alu30);
  bool alu34 = ((alu33<val9.x)|((alu33==val9.x)&(val5.x<alu32)));
  int alu35 = (alu34?val5.x:alu32);
  float alu36 = (alu34?val9.x:alu33);
  bool alu37 = ((alu36<val9.y)|((alu36==val9.y)&(val5.y<alu35)));
  int alu38 = (alu37?val5.y:alu35);
  float alu39 = (alu37?val9.y:alu36);
  bool alu40 = ((alu39<val9.z)|((alu39==val9.z)&(val5.z<alu38)));
  int alu41 = (alu40?val5.z:alu38);
  float alu42 = (alu40?val9.z:alu39);
  bool alu43 = ((alu42<val9.w)|((alu42==val9.w)&(val5.w<alu41)));
  int alu44 = (alu43?val5.w:alu41);
  float alu45 = (alu43?val9.w:alu42);
  bool alu46 = ((alu45<val10.x)|((alu45==val10.x)&(val6.x<alu44)));
  int alu47 = (alu46?val6.x:alu44);
  float alu48 = (alu46?val10.x:alu45);
  bool alu49 = ((alu48<val10.y)|((alu48==val10.y)&(val6.y<alu47)));
  int alu50 = (alu49?val6.y:alu47);
  float alu51 = (alu49?val10.y:alu48);
  bool alu52 = ((alu51<val10.z)|((alu51==val10.z)&(val6.z<alu50)));
  int alu53 = (alu52?val6.z:alu50);
  float alu54 = (alu52?val10.z:alu51);
  bool alu55 = ((alu54<val10.w)|((alu54==val10.w)&(val6.w<alu53)));
  int alu56 = (alu55?val6.w:alu53);
  float alu57 = (alu55?val10.w:alu54);
  bool alu58 = ((alu57<val11.x)|((alu57==val11.x)&(val7.x<alu56)));
  int alu59 = (alu58?val7.x:alu56);
  float alu60 = (alu58?val11.x:alu57);
  bool alu61 = ((alu60<val11.y)|((alu60==val11.y)&(val7.y<alu59)));
  int alu62 = (alu61?val7.y:alu59);
  float alu63 = (alu61?val11.y:alu60);
  bool alu64 = ((alu63<val11.z)|((alu63==val11.z)&(val7.z<alu62)));
  int alu65 = (alu64?val7.z:alu62);
  float alu66 = (alu64?val11.z:alu63);
  bool alu67 = ((alu66<val11.w)|((alu66==val11.w)&(val7.w<alu65)));
  int alu68 = (alu67?val7.w:alu65);
  float alu69 = (alu67?val11.w:alu66);
  *(buf6+alu20) = alu68;
  *(buf5+alu20) = alu69;
  __syncthreads();
  int4 val13 = (*((int4*)((buf6+0))));
  int4 val14 = (*((int4*)((buf6+4))));
  float4 val15 = (*((float4*)((buf5+0))));
  float4 val16 = (*((float4*)((buf5+4))));
  bool alu73 = ((val15.x<val15.y)|((val15.x==val15.y)&(val13.y<val13.x)));
  int alu74 = (alu73?val13.y:val13.x);
  float alu75 = (alu73?val15.y:val15.x);
  bool alu76 = ((alu75<val15.z)|((alu75==val15.z)&(val13.z<alu74)));
  int alu77 = (alu76?val13.z:alu74);
  float alu78 = (alu76?val15.z:alu75);
  bool alu79 = ((alu78<val15.w)|((alu78==val15.w)&(val13.w<alu77)));
  int alu80 = (alu79?val13.w:alu77);
  float alu81 = (alu79?val15.w:alu78);
  bool alu82 = ((alu81<val16.x)|((alu81==val16.x)&(val14.x<alu80)));
  int alu83 = (alu82?val14.x:alu80);
  float alu84 = (alu82?val16.x:alu81);
  bool alu85 = ((alu84<val16.y)|((alu84==val16.y)&(val14.y<alu83)));
  int alu86 = (alu85?val14.y:alu83);
  float alu87 = (alu85?val16.y:alu84);
  bool alu88 = ((alu87<val16.z)|((alu87==val16.z)&(val14.z<alu86)));
  int alu89 = (alu88?val14.z:alu86);
  float alu90 = (alu88?val16.z:alu87);
  bool alu91 = (alu4==0);
  int alu92 = (((alu90<val16.w)|((alu90==val16.w)&(val14.w<alu89)))?val14.w:alu89);
  int alu93 = ((val1<0)?alu92:val1);
  if (alu91) {
    *(data0_1+0) = alu93;
  }
  if (alu91) {
    *(data1_41+alu3) = alu93;
  }
  if (alu91) {
    *(data2_1+0) = alu3;
  }
}
