// decode/gate_up/2x512x256/Q4_K/m1 lanes=8 rows=1 scale=0 share=0 split=1 unroll=1
typedef float float4 __attribute__((aligned(16),ext_vector_type(4)));
typedef float float2 __attribute__((aligned(8),ext_vector_type(2)));
void gate_up_rows_f32_q8_gate_up(unsigned int* restrict data0_128, float* restrict data1_16, float* restrict data2_32, float* restrict data3_256, float* restrict data4_8, unsigned char* restrict data5_73728, unsigned char* restrict data6_73728) {
  float buf0[512];
  float buf1[512];
  float buf2[512];
  float buf3[8];
  float buf4[1];
  float buf5[2];
  float buf6[1];
  float buf7[1];
  float buf8[1];
  float buf9[1];
  float buf10[1];
  float buf11[1];
  float buf12[1];
  float buf13[1];
  float buf14[4];
  float buf15[2];
  float buf16[8];
  float buf17[1];
  float buf18[2];
  float buf19[1];
  float buf20[1];
  float buf21[1];
  float buf22[1];
  float buf23[1];
  float buf24[1];
  float buf25[1];
  float buf26[1];
  float buf27[4];
  float buf28[2];
  int buf29[32];
  float buf30[16];
  float buf31[8];
  float buf32[4];
  float buf33[2];
  int buf34[16];
  int buf35[8];
  int buf36[4];
  int buf37[2];
  int buf38[16];
  int buf39[8];
  int buf40[4];
  int buf41[2];
  float4 val0 = (*((float4*)((data4_8+0))));
  float4 val1 = (*((float4*)((data4_8+4))));
  for (int Lidx4 = 0; Lidx4 < 512; Lidx4++) {
    for (int Lidx6 = 0; Lidx6 < 8; Lidx6++) {
      *(buf3+Lidx6) = 0.0f;
    }
    int alu2 = (Lidx4*144);
    for (int Lidx12 = 0; Lidx12 < 2; Lidx12++) {
      int alu3 = (alu2+(Lidx12<<1));
      unsigned char val2 = (*(data5_73728+(alu3+1)));
      unsigned char val3 = (*(data5_73728+alu3));
      *(buf5+Lidx12) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val3))|(((unsigned short)(val2))<<((unsigned short)(8u))))))));
    }
    unsigned char val4 = (*(data5_73728+(alu2+4)));
    unsigned char val5 = (*(data5_73728+(alu2+5)));
    unsigned char val6 = (*(data5_73728+(alu2+6)));
    unsigned char val7 = (*(data5_73728+(alu2+7)));
    unsigned char val8 = (*(data5_73728+(alu2+12)));
    unsigned char val9 = (*(data5_73728+(alu2+13)));
    unsigned char val10 = (*(data5_73728+(alu2+14)));
    unsigned char val11 = (*(data5_73728+(alu2+15)));
    float val12 = (*(buf5+0));
    *(buf6+0) = (val12*((float)((val4&((unsigned char)(63u))))));
    float val13 = (*(buf6+0));
    *(buf7+0) = (val12*((float)((val5&((unsigned char)(63u))))));
    float val14 = (*(buf7+0));
    *(buf8+0) = (val12*((float)((val6&((unsigned char)(63u))))));
    float val15 = (*(buf8+0));
    *(buf9+0) = (val12*((float)((val7&((unsigned char)(63u))))));
    float val16 = (*(buf9+0));
    *(buf10+0) = (val12*((float)(((val8&((unsigned char)(15u)))|((val4>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val17 = (*(buf10+0));
    *(buf11+0) = (val12*((float)(((val9&((unsigned char)(15u)))|((val5>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val18 = (*(buf11+0));
    *(buf12+0) = (val12*((float)(((val10&((unsigned char)(15u)))|((val6>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val19 = (*(buf12+0));
    *(buf13+0) = (val12*((float)(((val11&((unsigned char)(15u)))|((val7>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val20 = (*(buf13+0));
    for (int Lidx10 = 0; Lidx10 < 8; Lidx10++) {
      int alu14 = (alu2+Lidx10);
      unsigned char val21 = (*(data5_73728+(alu14+16)));
      unsigned char val22 = (*(data5_73728+(alu14+24)));
      unsigned char val23 = (*(data5_73728+(alu14+32)));
      unsigned char val24 = (*(data5_73728+(alu14+40)));
      unsigned char val25 = (*(data5_73728+(alu14+48)));
      unsigned char val26 = (*(data5_73728+(alu14+56)));
      unsigned char val27 = (*(data5_73728+(alu14+64)));
      unsigned char val28 = (*(data5_73728+(alu14+72)));
      unsigned char val29 = (*(data5_73728+(alu14+80)));
      unsigned char val30 = (*(data5_73728+(alu14+88)));
      unsigned char val31 = (*(data5_73728+(alu14+96)));
      unsigned char val32 = (*(data5_73728+(alu14+104)));
      unsigned char val33 = (*(data5_73728+(alu14+112)));
      unsigned char val34 = (*(data5_73728+(alu14+120)));
      unsigned char val35 = (*(data5_73728+(alu14+128)));
      unsigned char val36 = (*(data5_73728+(alu14+136)));
      float val37 = (*(data3_256+(Lidx10+8)));
      float val38 = (*(data3_256+(Lidx10+16)));
      float val39 = (*(data3_256+(Lidx10+24)));
      float val40 = (*(data3_256+(Lidx10+32)));
      float val41 = (*(data3_256+(Lidx10+40)));
      float val42 = (*(data3_256+(Lidx10+48)));
      float val43 = (*(data3_256+(Lidx10+56)));
      float val44 = (*(data3_256+(Lidx10+64)));
      float val45 = (*(data3_256+(Lidx10+72)));
      float val46 = (*(data3_256+(Lidx10+80)));
      float val47 = (*(data3_256+(Lidx10+88)));
      float val48 = (*(data3_256+(Lidx10+96)));
      float val49 = (*(data3_256+(Lidx10+104)));
      float val50 = (*(data3_256+(Lidx10+112)));
      float val51 = (*(data3_256+(Lidx10+120)));
      float val52 = (*(data3_256+(Lidx10+128)));
      float val53 = (*(data3_256+(Lidx10+136)));
      float val54 = (*(data3_256+(Lidx10+144)));
      float val55 = (*(data3_256+(Lidx10+152)));
      float val56 = (*(data3_256+(Lidx10+160)));
      float val57 = (*(data3_256+(Lidx10+168)));
      float val58 = (*(data3_256+(Lidx10+176)));
      float val59 = (*(data3_256+(Lidx10+184)));
      float val60 = (*(data3_256+(Lidx10+192)));
      float val61 = (*(data3_256+(Lidx10+200)));
      float val62 = (*(data3_256+(Lidx10+208)));
      float val63 = (*(data3_256+(Lidx10+216)));
      float val64 = (*(data3_256+(Lidx10+224)));
      float val65 = (*(data3_256+(Lidx10+232)));
      float val66 = (*(data3_256+(Lidx10+240)));
      float val67 = (*(data3_256+(Lidx10+248)));
      float val68 = (*(data3_256+Lidx10));
      *(buf3+Lidx10) = ((*(buf3+Lidx10))+(val13*((float)((val21&((unsigned char)(15u)))))*val68)+(val13*((float)((val22&((unsigned char)(15u)))))*val37)+(val13*((float)((val23&((unsigned char)(15u)))))*val38)+(val13*((float)((val24&((unsigned char)(15u)))))*val39)+(val14*((float)((val21>>((unsigned char)(4u)))))*val40)+(val14*((float)((val22>>((unsigned char)(4u)))))*val41)+(val14*((float)((val23>>((unsigned char)(4u)))))*val42)+(val14*((float)((val24>>((unsigned char)(4u)))))*val43)+(val15*((float)((val25&((unsigned char)(15u)))))*val44)+(val15*((float)((val26&((unsigned char)(15u)))))*val45)+(val15*((float)((val27&((unsigned char)(15u)))))*val46)+(val15*((float)((val28&((unsigned char)(15u)))))*val47)+(val16*((float)((val25>>((unsigned char)(4u)))))*val48)+(val16*((float)((val26>>((unsigned char)(4u)))))*val49)+(val16*((float)((val27>>((unsigned char)(4u)))))*val50)+(val16*((float)((val28>>((unsigned char)(4u)))))*val51)+(val17*((float)((val29&((unsigned char)(15u)))))*val52)+(val17*((float)((val30&((unsigned char)(15u)))))*val53)+(val17*((float)((val31&((unsigned char)(15u)))))*val54)+(val17*((float)((val32&((unsigned char)(15u)))))*val55)+(val18*((float)((val29>>((unsigned char)(4u)))))*val56)+(val18*((float)((val30>>((unsigned char)(4u)))))*val57)+(val18*((float)((val31>>((unsigned char)(4u)))))*val58)+(val18*((float)((val32>>((unsigned char)(4u)))))*val59)+(val19*((float)((val33&((unsigned char)(15u)))))*val60)+(val19*((float)((val34&((unsigned char)(15u)))))*val61)+(val19*((float)((val35&((unsigned char)(15u)))))*val62)+(val19*((float)((val36&((unsigned char)(15u)))))*val63)+(val20*((float)((val33>>((unsigned char)(4u)))))*val64)+(val20*((float)((val34>>((unsigned char)(4u)))))*val65)+(val20*((float)((val35>>((unsigned char)(4u)))))*val66)+(val20*((float)((val36>>((unsigned char)(4u)))))*val67));
    }
    unsigned char val69 = (*(data5_73728+(alu2+8)));
    unsigned char val70 = (*(data5_73728+(alu2+9)));
    unsigned char val71 = (*(data5_73728+(alu2+10)));
    unsigned char val72 = (*(data5_73728+(alu2+11)));
    *(buf4+0) = 0.0f;
    float val73 = (*(buf5+1));
    *(buf4+0) = ((*(buf4+0))+(((((((-(val73*((float)((val69&((unsigned char)(63u)))))*val0[0])-(val73*((float)((val70&((unsigned char)(63u)))))*val0[1]))-(val73*((float)((val71&((unsigned char)(63u)))))*val0[2]))-(val73*((float)((val72&((unsigned char)(63u)))))*val0[3]))-(val73*((float)(((val8>>((unsigned char)(4u)))|((val69>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[0]))-(val73*((float)(((val9>>((unsigned char)(4u)))|((val70>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[1]))-(val73*((float)(((val10>>((unsigned char)(4u)))|((val71>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[2]))-(val73*((float)(((val11>>((unsigned char)(4u)))|((val72>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[3])));
    for (int Lidx22 = 0; Lidx22 < 4; Lidx22++) {
      *(buf14+Lidx22) = ((*(buf3+Lidx22))+(*(buf3+(Lidx22+4))));
    }
    for (int Lidx24 = 0; Lidx24 < 2; Lidx24++) {
      *(buf15+Lidx24) = ((*(buf14+Lidx24))+(*(buf14+(Lidx24+2))));
    }
    *(buf0+Lidx4) = ((*(buf15+0))+(*(buf15+1))+(*(buf4+0)));
  }
  float4 val74 = (*((float4*)((data4_8+0))));
  float4 val75 = (*((float4*)((data4_8+4))));
  for (int Lidx25 = 0; Lidx25 < 512; Lidx25++) {
    for (int Lidx27 = 0; Lidx27 < 8; Lidx27++) {
      *(buf16+Lidx27) = 0.0f;
    }
    int alu27 = (Lidx25*144);
    for (int Lidx33 = 0; Lidx33 < 2; Lidx33++) {
      int alu28 = (alu27+(Lidx33<<1));
      unsigned char val76 = (*(data6_73728+(alu28+1)));
      unsigned char val77 = (*(data6_73728+alu28));
      *(buf18+Lidx33) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val77))|(((unsigned short)(val76))<<((unsigned short)(8u))))))));
    }
    unsigned char val78 = (*(data6_73728+(alu27+4)));
    unsigned char val79 = (*(data6_73728+(alu27+5)));
    unsigned char val80 = (*(data6_73728+(alu27+6)));
    unsigned char val81 = (*(data6_73728+(alu27+7)));
    unsigned char val82 = (*(data6_73728+(alu27+12)));
    unsigned char val83 = (*(data6_73728+(alu27+13)));
    unsigned char val84 = (*(data6_73728+(alu27+14)));
    unsigned char val85 = (*(data6_73728+(alu27+15)));
    float val86 = (*(buf18+0));
    *(buf19+0) = (val86*((float)((val78&((unsigned char)(63u))))));
    float val87 = (*(buf19+0));
    *(buf20+0) = (val86*((float)((val79&((unsigned char)(63u))))));
    float val88 = (*(buf20+0));
    *(buf21+0) = (val86*((float)((val80&((unsigned char)(63u))))));
    float val89 = (*(buf21+0));
    *(buf22+0) = (val86*((float)((val81&((unsigned char)(63u))))));
    float val90 = (*(buf22+0));
    *(buf23+0) = (val86*((float)(((val82&((unsigned char)(15u)))|((val78>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val91 = (*(buf23+0));
    *(buf24+0) = (val86*((float)(((val83&((unsigned char)(15u)))|((val79>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val92 = (*(buf24+0));
    *(buf25+0) = (val86*((float)(((val84&((unsigned char)(15u)))|((val80>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val93 = (*(buf25+0));
    *(buf26+0) = (val86*((float)(((val85&((unsigned char)(15u)))|((val81>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val94 = (*(buf26+0));
    for (int Lidx31 = 0; Lidx31 < 8; Lidx31++) {
      int alu39 = (alu27+Lidx31);
      unsigned char val95 = (*(data6_73728+(alu39+16)));
      unsigned char val96 = (*(data6_73728+(alu39+24)));
      unsigned char val97 = (*(data6_73728+(alu39+32)));
      unsigned char val98 = (*(data6_73728+(alu39+40)));
      unsigned char val99 = (*(data6_73728+(alu39+48)));
      unsigned char val100 = (*(data6_73728+(alu39+56)));
      unsigned char val101 = (*(data6_73728+(alu39+64)));
      unsigned char val102 = (*(data6_73728+(alu39+72)));
      unsigned char val103 = (*(data6_73728+(alu39+80)));
      unsigned char val104 = (*(data6_73728+(alu39+88)));
      unsigned char val105 = (*(data6_73728+(alu39+96)));
      unsigned char val106 = (*(data6_73728+(alu39+104)));
      unsigned char val107 = (*(data6_73728+(alu39+112)));
      unsigned char val108 = (*(data6_73728+(alu39+120)));
      unsigned char val109 = (*(data6_73728+(alu39+128)));
      unsigned char val110 = (*(data6_73728+(alu39+136)));
      float val111 = (*(data3_256+(Lidx31+8)));
      float val112 = (*(data3_256+(Lidx31+16)));
      float val113 = (*(data3_256+(Lidx31+24)));
      float val114 = (*(data3_256+(Lidx31+32)));
      float val115 = (*(data3_256+(Lidx31+40)));
      float val116 = (*(data3_256+(Lidx31+48)));
      float val117 = (*(data3_256+(Lidx31+56)));
      float val118 = (*(data3_256+(Lidx31+64)));
      float val119 = (*(data3_256+(Lidx31+72)));
      float val120 = (*(data3_256+(Lidx31+80)));
      float val121 = (*(data3_256+(Lidx31+88)));
      float val122 = (*(data3_256+(Lidx31+96)));
      float val123 = (*(data3_256+(Lidx31+104)));
      float val124 = (*(data3_256+(Lidx31+112)));
      float val125 = (*(data3_256+(Lidx31+120)));
      float val126 = (*(data3_256+(Lidx31+128)));
      float val127 = (*(data3_256+(Lidx31+136)));
      float val128 = (*(data3_256+(Lidx31+144)));
      float val129 = (*(data3_256+(Lidx31+152)));
      float val130 = (*(data3_256+(Lidx31+160)));
      float val131 = (*(data3_256+(Lidx31+168)));
      float val132 = (*(data3_256+(Lidx31+176)));
      float val133 = (*(data3_256+(Lidx31+184)));
      float val134 = (*(data3_256+(Lidx31+192)));
      float val135 = (*(data3_256+(Lidx31+200)));
      float val136 = (*(data3_256+(Lidx31+208)));
      float val137 = (*(data3_256+(Lidx31+216)));
      float val138 = (*(data3_256+(Lidx31+224)));
      float val139 = (*(data3_256+(Lidx31+232)));
      float val140 = (*(data3_256+(Lidx31+240)));
      float val141 = (*(data3_256+(Lidx31+248)));
      float val142 = (*(data3_256+Lidx31));
      *(buf16+Lidx31) = ((*(buf16+Lidx31))+(val87*((float)((val95&((unsigned char)(15u)))))*val142)+(val87*((float)((val96&((unsigned char)(15u)))))*val111)+(val87*((float)((val97&((unsigned char)(15u)))))*val112)+(val87*((float)((val98&((unsigned char)(15u)))))*val113)+(val88*((float)((val95>>((unsigned char)(4u)))))*val114)+(val88*((float)((val96>>((unsigned char)(4u)))))*val115)+(val88*((float)((val97>>((unsigned char)(4u)))))*val116)+(val88*((float)((val98>>((unsigned char)(4u)))))*val117)+(val89*((float)((val99&((unsigned char)(15u)))))*val118)+(val89*((float)((val100&((unsigned char)(15u)))))*val119)+(val89*((float)((val101&((unsigned char)(15u)))))*val120)+(val89*((float)((val102&((unsigned char)(15u)))))*val121)+(val90*((float)((val99>>((unsigned char)(4u)))))*val122)+(val90*((float)((val100>>((unsigned char)(4u)))))*val123)+(val90*((float)((val101>>((unsigned char)(4u)))))*val124)+(val90*((float)((val102>>((unsigned char)(4u)))))*val125)+(val91*((float)((val103&((unsigned char)(15u)))))*val126)+(val91*((float)((val104&((unsigned char)(15u)))))*val127)+(val91*((float)((val105&((unsigned char)(15u)))))*val128)+(val91*((float)((val106&((unsigned char)(15u)))))*val129)+(val92*((float)((val103>>((unsigned char)(4u)))))*val130)+(val92*((float)((val104>>((unsigned char)(4u)))))*val131)+(val92*((float)((val105>>((unsigned char)(4u)))))*val132)+(val92*((float)((val106>>((unsigned char)(4u)))))*val133)+(val93*((float)((val107&((unsigned char)(15u)))))*val134)+(val93*((float)((val108&((unsigned char)(15u)))))*val135)+(val93*((float)((val109&((unsigned char)(15u)))))*val136)+(val93*((float)((val110&((unsigned char)(15u)))))*val137)+(val94*((float)((val107>>((unsigned char)(4u)))))*val138)+(val94*((float)((val108>>((unsigned char)(4u)))))*val139)+(val94*((float)((val109>>((unsigned char)(4u)))))*val140)+(val94*((float)((val110>>((unsigned char)(4u)))))*val141));
    }
    unsigned char val143 = (*(data6_73728+(alu27+8)));
    unsigned char val144 = (*(data6_73728+(alu27+9)));
    unsigned char val145 = (*(data6_73728+(alu27+10)));
    unsigned char val146 = (*(data6_73728+(alu27+11)));
    *(buf17+0) = 0.0f;
    float val147 = (*(buf18+1));
    *(buf17+0) = ((*(buf17+0))+(((((((-(val147*((float)((val143&((unsigned char)(63u)))))*val74[0])-(val147*((float)((val144&((unsigned char)(63u)))))*val74[1]))-(val147*((float)((val145&((unsigned char)(63u)))))*val74[2]))-(val147*((float)((val146&((unsigned char)(63u)))))*val74[3]))-(val147*((float)(((val82>>((unsigned char)(4u)))|((val143>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[0]))-(val147*((float)(((val83>>((unsigned char)(4u)))|((val144>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[1]))-(val147*((float)(((val84>>((unsigned char)(4u)))|((val145>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[2]))-(val147*((float)(((val85>>((unsigned char)(4u)))|((val146>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[3])));
    for (int Lidx43 = 0; Lidx43 < 4; Lidx43++) {
      *(buf27+Lidx43) = ((*(buf16+Lidx43))+(*(buf16+(Lidx43+4))));
    }
    for (int Lidx45 = 0; Lidx45 < 2; Lidx45++) {
      *(buf28+Lidx45) = ((*(buf27+Lidx45))+(*(buf27+(Lidx45+2))));
    }
    *(buf1+Lidx25) = ((*(buf28+0))+(*(buf28+1))+(*(buf17+0)));
  }
  for (int Lidx46 = 0; Lidx46 < 512; Lidx46++) {
    float val148 = (*(buf0+Lidx46));
    float alu50 = (val148*-1.4426950216293335f);
    _Bool alu51 = (alu50!=alu50);
    float alu52 = ((alu50!=((float)(-__builtin_inff())))?alu50:0.0f);
    float alu53 = (alu51?0.0f:alu52);
    float alu54 = ((alu50!=((float)(__builtin_inff())))?alu53:0.0f);
    float alu55 = ((alu54<0.0f)?-0.5f:0.5f);
    int cast0 = ((int)((alu54+alu55)));
    int alu56 = (cast0>>1);
    float alu57 = (alu54-((float)(cast0)));
    float alu58 = (((alu50<128.0f)!=1)?((float)(__builtin_inff())):(((((((((((((0.00015359208919107914f*alu57)+0.0013392627006396651f)*alu57)+0.009618384763598442f)*alu57)+0.055503472685813904f)*alu57)+0.24022644758224487f)*alu57)+0.6931471824645996f)*alu57)+1.0f)*__builtin_bit_cast(float, (int)(((alu56+127)<<23)))*__builtin_bit_cast(float, (int)((((cast0-alu56)+127)<<23)))));
    float alu59 = ((alu50<-150.0f)?0.0f:alu58);
    float alu60 = (alu51?((float)(__builtin_nanf(""))):alu59);
    *(buf2+Lidx46) = ((val148/(alu60+1.0f))*(*(buf1+Lidx46)));
  }
  for (int Lidx47 = 0; Lidx47 < 16; Lidx47++) {
    int alu63 = (Lidx47<<5);
    for (int Lidx50 = 0; Lidx50 < 16; Lidx50++) {
      int alu64 = (alu63+Lidx50);
      float val149 = (*(buf2+(alu64+16)));
      float val150 = (*(buf2+alu64));
      float alu65 = ((val149<0.0f)?-val149:val149);
      float alu66 = ((val150<0.0f)?-val150:val150);
      float alu67 = ((alu66<alu65)?alu65:alu66);
      *(buf30+Lidx50) = alu67;
    }
    for (int Lidx52 = 0; Lidx52 < 8; Lidx52++) {
      float val151 = (*(buf30+(Lidx52+8)));
      float val152 = (*(buf30+Lidx52));
      float alu70 = ((val152<val151)?val151:val152);
      *(buf31+Lidx52) = alu70;
    }
    for (int Lidx54 = 0; Lidx54 < 4; Lidx54++) {
      float val153 = (*(buf31+(Lidx54+4)));
      float val154 = (*(buf31+Lidx54));
      float alu73 = ((val154<val153)?val153:val154);
      *(buf32+Lidx54) = alu73;
    }
    for (int Lidx56 = 0; Lidx56 < 2; Lidx56++) {
      float val155 = (*(buf32+(Lidx56+2)));
      float val156 = (*(buf32+Lidx56));
      float alu76 = ((val156<val155)?val155:val156);
      *(buf33+Lidx56) = alu76;
    }
    float val157 = (*(buf33+0));
    float val158 = (*(buf33+1));
    float alu79 = ((val157<val158)?val158:val157);
    float alu80 = (alu79*0.007874015718698502f);
    _Bool alu81 = (0.0f<alu80);
    float alu82 = (alu81?alu80:1.0f);
    float alu83 = (alu81?(1.0f/alu82):0.0f);
    for (int Lidx57 = 0; Lidx57 < 32; Lidx57++) {
      float alu84 = ((*(buf2+(alu63+Lidx57)))*alu83);
      float alu85 = ((alu84<0.0f)?-0.5f:0.5f);
      int cast1 = ((int)((alu84+alu85)));
      int alu86 = ((cast1<-127)?-127:cast1);
      int alu87 = (alu86^-1);
      int alu88 = ((alu87<-128)?-128:alu87);
      *(buf29+Lidx57) = (alu88^-1);
    }
    for (int Lidx58 = 0; Lidx58 < 8; Lidx58++) {
      int alu91 = (Lidx58<<2);
      *(data0_128+((Lidx47<<3)+Lidx58)) = __builtin_bit_cast(unsigned int, (int)((((*(buf29+alu91))&255)|(((*(buf29+(alu91+1)))&255)<<8)|(((*(buf29+(alu91+2)))&255)<<16)|(((*(buf29+(alu91+3)))&255)<<24))));
    }
    for (int Lidx60 = 0; Lidx60 < 16; Lidx60++) {
      *(buf34+Lidx60) = (*(buf29+Lidx60));
    }
    for (int Lidx68 = 0; Lidx68 < 16; Lidx68++) {
      *(buf38+Lidx68) = (*(buf29+(Lidx68+16)));
    }
    for (int Lidx62 = 0; Lidx62 < 8; Lidx62++) {
      *(buf35+Lidx62) = ((*(buf34+Lidx62))+(*(buf34+(Lidx62+8))));
    }
    for (int Lidx70 = 0; Lidx70 < 8; Lidx70++) {
      *(buf39+Lidx70) = ((*(buf38+Lidx70))+(*(buf38+(Lidx70+8))));
    }
    for (int Lidx64 = 0; Lidx64 < 4; Lidx64++) {
      *(buf36+Lidx64) = ((*(buf35+Lidx64))+(*(buf35+(Lidx64+4))));
    }
    for (int Lidx72 = 0; Lidx72 < 4; Lidx72++) {
      *(buf40+Lidx72) = ((*(buf39+Lidx72))+(*(buf39+(Lidx72+4))));
    }
    for (int Lidx66 = 0; Lidx66 < 2; Lidx66++) {
      *(buf37+Lidx66) = ((*(buf36+Lidx66))+(*(buf36+(Lidx66+2))));
    }
    for (int Lidx74 = 0; Lidx74 < 2; Lidx74++) {
      *(buf41+Lidx74) = ((*(buf40+Lidx74))+(*(buf40+(Lidx74+2))));
    }
    *(data1_16+Lidx47) = alu80;
    *((float2*)((data2_32+(Lidx47<<1)))) = (float2){(alu79*((float)(((*(buf37+0))+(*(buf37+1)))))*0.007874015718698502f),(alu79*((float)(((*(buf41+0))+(*(buf41+1)))))*0.007874015718698502f)};
  }
}

