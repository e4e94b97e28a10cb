// decode/gate_up/2x512x256/Q4_K/m1 lanes=8 rows=1 scale=0 share=0 split=1 unroll=1
typedef float float4 __attribute__((aligned(16),ext_vector_type(4)));
void gate_up_rows_f32_f32_gate_up(float* restrict data0_512, float* restrict data1_16, float* restrict data2_256, float* restrict data3_8, unsigned char* restrict data4_73728, unsigned char* restrict data5_73728) {
  float buf0[512];
  float buf1[512];
  float buf2[8];
  float buf3[1];
  float buf4[2];
  float buf5[1];
  float buf6[1];
  float buf7[1];
  float buf8[1];
  float buf9[1];
  float buf10[1];
  float buf11[1];
  float buf12[1];
  float buf13[4];
  float buf14[2];
  float buf15[8];
  float buf16[1];
  float buf17[2];
  float buf18[1];
  float buf19[1];
  float buf20[1];
  float buf21[1];
  float buf22[1];
  float buf23[1];
  float buf24[1];
  float buf25[1];
  float buf26[4];
  float buf27[2];
  float buf28[16];
  float buf29[8];
  float buf30[4];
  float buf31[2];
  float4 val0 = (*((float4*)((data3_8+0))));
  float4 val1 = (*((float4*)((data3_8+4))));
  for (int Lidx3 = 0; Lidx3 < 512; Lidx3++) {
    for (int Lidx5 = 0; Lidx5 < 8; Lidx5++) {
      *(buf2+Lidx5) = 0.0f;
    }
    int alu2 = (Lidx3*144);
    for (int Lidx11 = 0; Lidx11 < 2; Lidx11++) {
      int alu3 = (alu2+(Lidx11<<1));
      unsigned char val2 = (*(data4_73728+(alu3+1)));
      unsigned char val3 = (*(data4_73728+alu3));
      *(buf4+Lidx11) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val3))|(((unsigned short)(val2))<<((unsigned short)(8u))))))));
    }
    unsigned char val4 = (*(data4_73728+(alu2+4)));
    unsigned char val5 = (*(data4_73728+(alu2+5)));
    unsigned char val6 = (*(data4_73728+(alu2+6)));
    unsigned char val7 = (*(data4_73728+(alu2+7)));
    unsigned char val8 = (*(data4_73728+(alu2+12)));
    unsigned char val9 = (*(data4_73728+(alu2+13)));
    unsigned char val10 = (*(data4_73728+(alu2+14)));
    unsigned char val11 = (*(data4_73728+(alu2+15)));
    float val12 = (*(buf4+0));
    *(buf5+0) = (val12*((float)((val4&((unsigned char)(63u))))));
    float val13 = (*(buf5+0));
    *(buf6+0) = (val12*((float)((val5&((unsigned char)(63u))))));
    float val14 = (*(buf6+0));
    *(buf7+0) = (val12*((float)((val6&((unsigned char)(63u))))));
    float val15 = (*(buf7+0));
    *(buf8+0) = (val12*((float)((val7&((unsigned char)(63u))))));
    float val16 = (*(buf8+0));
    *(buf9+0) = (val12*((float)(((val8&((unsigned char)(15u)))|((val4>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val17 = (*(buf9+0));
    *(buf10+0) = (val12*((float)(((val9&((unsigned char)(15u)))|((val5>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val18 = (*(buf10+0));
    *(buf11+0) = (val12*((float)(((val10&((unsigned char)(15u)))|((val6>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val19 = (*(buf11+0));
    *(buf12+0) = (val12*((float)(((val11&((unsigned char)(15u)))|((val7>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val20 = (*(buf12+0));
    for (int Lidx9 = 0; Lidx9 < 8; Lidx9++) {
      int alu14 = (alu2+Lidx9);
      unsigned char val21 = (*(data4_73728+(alu14+16)));
      unsigned char val22 = (*(data4_73728+(alu14+24)));
      unsigned char val23 = (*(data4_73728+(alu14+32)));
      unsigned char val24 = (*(data4_73728+(alu14+40)));
      unsigned char val25 = (*(data4_73728+(alu14+48)));
      unsigned char val26 = (*(data4_73728+(alu14+56)));
      unsigned char val27 = (*(data4_73728+(alu14+64)));
      unsigned char val28 = (*(data4_73728+(alu14+72)));
      unsigned char val29 = (*(data4_73728+(alu14+80)));
      unsigned char val30 = (*(data4_73728+(alu14+88)));
      unsigned char val31 = (*(data4_73728+(alu14+96)));
      unsigned char val32 = (*(data4_73728+(alu14+104)));
      unsigned char val33 = (*(data4_73728+(alu14+112)));
      unsigned char val34 = (*(data4_73728+(alu14+120)));
      unsigned char val35 = (*(data4_73728+(alu14+128)));
      unsigned char val36 = (*(data4_73728+(alu14+136)));
      float val37 = (*(data2_256+(Lidx9+8)));
      float val38 = (*(data2_256+(Lidx9+16)));
      float val39 = (*(data2_256+(Lidx9+24)));
      float val40 = (*(data2_256+(Lidx9+32)));
      float val41 = (*(data2_256+(Lidx9+40)));
      float val42 = (*(data2_256+(Lidx9+48)));
      float val43 = (*(data2_256+(Lidx9+56)));
      float val44 = (*(data2_256+(Lidx9+64)));
      float val45 = (*(data2_256+(Lidx9+72)));
      float val46 = (*(data2_256+(Lidx9+80)));
      float val47 = (*(data2_256+(Lidx9+88)));
      float val48 = (*(data2_256+(Lidx9+96)));
      float val49 = (*(data2_256+(Lidx9+104)));
      float val50 = (*(data2_256+(Lidx9+112)));
      float val51 = (*(data2_256+(Lidx9+120)));
      float val52 = (*(data2_256+(Lidx9+128)));
      float val53 = (*(data2_256+(Lidx9+136)));
      float val54 = (*(data2_256+(Lidx9+144)));
      float val55 = (*(data2_256+(Lidx9+152)));
      float val56 = (*(data2_256+(Lidx9+160)));
      float val57 = (*(data2_256+(Lidx9+168)));
      float val58 = (*(data2_256+(Lidx9+176)));
      float val59 = (*(data2_256+(Lidx9+184)));
      float val60 = (*(data2_256+(Lidx9+192)));
      float val61 = (*(data2_256+(Lidx9+200)));
      float val62 = (*(data2_256+(Lidx9+208)));
      float val63 = (*(data2_256+(Lidx9+216)));
      float val64 = (*(data2_256+(Lidx9+224)));
      float val65 = (*(data2_256+(Lidx9+232)));
      float val66 = (*(data2_256+(Lidx9+240)));
      float val67 = (*(data2_256+(Lidx9+248)));
      float val68 = (*(data2_256+Lidx9));
      *(buf2+Lidx9) = ((*(buf2+Lidx9))+(val13*((float)((val21&((unsigned char)(15u)))))*val68)+(val13*((float)((val22&((unsigned char)(15u)))))*val37)+(val13*((float)((val23&((unsigned char)(15u)))))*val38)+(val13*((float)((val24&((unsigned char)(15u)))))*val39)+(val14*((float)((val21>>((unsigned char)(4u)))))*val40)+(val14*((float)((val22>>((unsigned char)(4u)))))*val41)+(val14*((float)((val23>>((unsigned char)(4u)))))*val42)+(val14*((float)((val24>>((unsigned char)(4u)))))*val43)+(val15*((float)((val25&((unsigned char)(15u)))))*val44)+(val15*((float)((val26&((unsigned char)(15u)))))*val45)+(val15*((float)((val27&((unsigned char)(15u)))))*val46)+(val15*((float)((val28&((unsigned char)(15u)))))*val47)+(val16*((float)((val25>>((unsigned char)(4u)))))*val48)+(val16*((float)((val26>>((unsigned char)(4u)))))*val49)+(val16*((float)((val27>>((unsigned char)(4u)))))*val50)+(val16*((float)((val28>>((unsigned char)(4u)))))*val51)+(val17*((float)((val29&((unsigned char)(15u)))))*val52)+(val17*((float)((val30&((unsigned char)(15u)))))*val53)+(val17*((float)((val31&((unsigned char)(15u)))))*val54)+(val17*((float)((val32&((unsigned char)(15u)))))*val55)+(val18*((float)((val29>>((unsigned char)(4u)))))*val56)+(val18*((float)((val30>>((unsigned char)(4u)))))*val57)+(val18*((float)((val31>>((unsigned char)(4u)))))*val58)+(val18*((float)((val32>>((unsigned char)(4u)))))*val59)+(val19*((float)((val33&((unsigned char)(15u)))))*val60)+(val19*((float)((val34&((unsigned char)(15u)))))*val61)+(val19*((float)((val35&((unsigned char)(15u)))))*val62)+(val19*((float)((val36&((unsigned char)(15u)))))*val63)+(val20*((float)((val33>>((unsigned char)(4u)))))*val64)+(val20*((float)((val34>>((unsigned char)(4u)))))*val65)+(val20*((float)((val35>>((unsigned char)(4u)))))*val66)+(val20*((float)((val36>>((unsigned char)(4u)))))*val67));
    }
    unsigned char val69 = (*(data4_73728+(alu2+8)));
    unsigned char val70 = (*(data4_73728+(alu2+9)));
    unsigned char val71 = (*(data4_73728+(alu2+10)));
    unsigned char val72 = (*(data4_73728+(alu2+11)));
    *(buf3+0) = 0.0f;
    float val73 = (*(buf4+1));
    *(buf3+0) = ((*(buf3+0))+(((((((-(val73*((float)((val69&((unsigned char)(63u)))))*val0[0])-(val73*((float)((val70&((unsigned char)(63u)))))*val0[1]))-(val73*((float)((val71&((unsigned char)(63u)))))*val0[2]))-(val73*((float)((val72&((unsigned char)(63u)))))*val0[3]))-(val73*((float)(((val8>>((unsigned char)(4u)))|((val69>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[0]))-(val73*((float)(((val9>>((unsigned char)(4u)))|((val70>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[1]))-(val73*((float)(((val10>>((unsigned char)(4u)))|((val71>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[2]))-(val73*((float)(((val11>>((unsigned char)(4u)))|((val72>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val1[3])));
    for (int Lidx21 = 0; Lidx21 < 4; Lidx21++) {
      *(buf13+Lidx21) = ((*(buf2+Lidx21))+(*(buf2+(Lidx21+4))));
    }
    for (int Lidx23 = 0; Lidx23 < 2; Lidx23++) {
      *(buf14+Lidx23) = ((*(buf13+Lidx23))+(*(buf13+(Lidx23+2))));
    }
    *(buf0+Lidx3) = ((*(buf14+0))+(*(buf14+1))+(*(buf3+0)));
  }
  float4 val74 = (*((float4*)((data3_8+0))));
  float4 val75 = (*((float4*)((data3_8+4))));
  for (int Lidx24 = 0; Lidx24 < 512; Lidx24++) {
    for (int Lidx26 = 0; Lidx26 < 8; Lidx26++) {
      *(buf15+Lidx26) = 0.0f;
    }
    int alu27 = (Lidx24*144);
    for (int Lidx32 = 0; Lidx32 < 2; Lidx32++) {
      int alu28 = (alu27+(Lidx32<<1));
      unsigned char val76 = (*(data5_73728+(alu28+1)));
      unsigned char val77 = (*(data5_73728+alu28));
      *(buf17+Lidx32) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val77))|(((unsigned short)(val76))<<((unsigned short)(8u))))))));
    }
    unsigned char val78 = (*(data5_73728+(alu27+4)));
    unsigned char val79 = (*(data5_73728+(alu27+5)));
    unsigned char val80 = (*(data5_73728+(alu27+6)));
    unsigned char val81 = (*(data5_73728+(alu27+7)));
    unsigned char val82 = (*(data5_73728+(alu27+12)));
    unsigned char val83 = (*(data5_73728+(alu27+13)));
    unsigned char val84 = (*(data5_73728+(alu27+14)));
    unsigned char val85 = (*(data5_73728+(alu27+15)));
    float val86 = (*(buf17+0));
    *(buf18+0) = (val86*((float)((val78&((unsigned char)(63u))))));
    float val87 = (*(buf18+0));
    *(buf19+0) = (val86*((float)((val79&((unsigned char)(63u))))));
    float val88 = (*(buf19+0));
    *(buf20+0) = (val86*((float)((val80&((unsigned char)(63u))))));
    float val89 = (*(buf20+0));
    *(buf21+0) = (val86*((float)((val81&((unsigned char)(63u))))));
    float val90 = (*(buf21+0));
    *(buf22+0) = (val86*((float)(((val82&((unsigned char)(15u)))|((val78>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val91 = (*(buf22+0));
    *(buf23+0) = (val86*((float)(((val83&((unsigned char)(15u)))|((val79>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val92 = (*(buf23+0));
    *(buf24+0) = (val86*((float)(((val84&((unsigned char)(15u)))|((val80>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val93 = (*(buf24+0));
    *(buf25+0) = (val86*((float)(((val85&((unsigned char)(15u)))|((val81>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val94 = (*(buf25+0));
    for (int Lidx30 = 0; Lidx30 < 8; Lidx30++) {
      int alu39 = (alu27+Lidx30);
      unsigned char val95 = (*(data5_73728+(alu39+16)));
      unsigned char val96 = (*(data5_73728+(alu39+24)));
      unsigned char val97 = (*(data5_73728+(alu39+32)));
      unsigned char val98 = (*(data5_73728+(alu39+40)));
      unsigned char val99 = (*(data5_73728+(alu39+48)));
      unsigned char val100 = (*(data5_73728+(alu39+56)));
      unsigned char val101 = (*(data5_73728+(alu39+64)));
      unsigned char val102 = (*(data5_73728+(alu39+72)));
      unsigned char val103 = (*(data5_73728+(alu39+80)));
      unsigned char val104 = (*(data5_73728+(alu39+88)));
      unsigned char val105 = (*(data5_73728+(alu39+96)));
      unsigned char val106 = (*(data5_73728+(alu39+104)));
      unsigned char val107 = (*(data5_73728+(alu39+112)));
      unsigned char val108 = (*(data5_73728+(alu39+120)));
      unsigned char val109 = (*(data5_73728+(alu39+128)));
      unsigned char val110 = (*(data5_73728+(alu39+136)));
      float val111 = (*(data2_256+(Lidx30+8)));
      float val112 = (*(data2_256+(Lidx30+16)));
      float val113 = (*(data2_256+(Lidx30+24)));
      float val114 = (*(data2_256+(Lidx30+32)));
      float val115 = (*(data2_256+(Lidx30+40)));
      float val116 = (*(data2_256+(Lidx30+48)));
      float val117 = (*(data2_256+(Lidx30+56)));
      float val118 = (*(data2_256+(Lidx30+64)));
      float val119 = (*(data2_256+(Lidx30+72)));
      float val120 = (*(data2_256+(Lidx30+80)));
      float val121 = (*(data2_256+(Lidx30+88)));
      float val122 = (*(data2_256+(Lidx30+96)));
      float val123 = (*(data2_256+(Lidx30+104)));
      float val124 = (*(data2_256+(Lidx30+112)));
      float val125 = (*(data2_256+(Lidx30+120)));
      float val126 = (*(data2_256+(Lidx30+128)));
      float val127 = (*(data2_256+(Lidx30+136)));
      float val128 = (*(data2_256+(Lidx30+144)));
      float val129 = (*(data2_256+(Lidx30+152)));
      float val130 = (*(data2_256+(Lidx30+160)));
      float val131 = (*(data2_256+(Lidx30+168)));
      float val132 = (*(data2_256+(Lidx30+176)));
      float val133 = (*(data2_256+(Lidx30+184)));
      float val134 = (*(data2_256+(Lidx30+192)));
      float val135 = (*(data2_256+(Lidx30+200)));
      float val136 = (*(data2_256+(Lidx30+208)));
      float val137 = (*(data2_256+(Lidx30+216)));
      float val138 = (*(data2_256+(Lidx30+224)));
      float val139 = (*(data2_256+(Lidx30+232)));
      float val140 = (*(data2_256+(Lidx30+240)));
      float val141 = (*(data2_256+(Lidx30+248)));
      float val142 = (*(data2_256+Lidx30));
      *(buf15+Lidx30) = ((*(buf15+Lidx30))+(val87*((float)((val95&((unsigned char)(15u)))))*val142)+(val87*((float)((val96&((unsigned char)(15u)))))*val111)+(val87*((float)((val97&((unsigned char)(15u)))))*val112)+(val87*((float)((val98&((unsigned char)(15u)))))*val113)+(val88*((float)((val95>>((unsigned char)(4u)))))*val114)+(val88*((float)((val96>>((unsigned char)(4u)))))*val115)+(val88*((float)((val97>>((unsigned char)(4u)))))*val116)+(val88*((float)((val98>>((unsigned char)(4u)))))*val117)+(val89*((float)((val99&((unsigned char)(15u)))))*val118)+(val89*((float)((val100&((unsigned char)(15u)))))*val119)+(val89*((float)((val101&((unsigned char)(15u)))))*val120)+(val89*((float)((val102&((unsigned char)(15u)))))*val121)+(val90*((float)((val99>>((unsigned char)(4u)))))*val122)+(val90*((float)((val100>>((unsigned char)(4u)))))*val123)+(val90*((float)((val101>>((unsigned char)(4u)))))*val124)+(val90*((float)((val102>>((unsigned char)(4u)))))*val125)+(val91*((float)((val103&((unsigned char)(15u)))))*val126)+(val91*((float)((val104&((unsigned char)(15u)))))*val127)+(val91*((float)((val105&((unsigned char)(15u)))))*val128)+(val91*((float)((val106&((unsigned char)(15u)))))*val129)+(val92*((float)((val103>>((unsigned char)(4u)))))*val130)+(val92*((float)((val104>>((unsigned char)(4u)))))*val131)+(val92*((float)((val105>>((unsigned char)(4u)))))*val132)+(val92*((float)((val106>>((unsigned char)(4u)))))*val133)+(val93*((float)((val107&((unsigned char)(15u)))))*val134)+(val93*((float)((val108&((unsigned char)(15u)))))*val135)+(val93*((float)((val109&((unsigned char)(15u)))))*val136)+(val93*((float)((val110&((unsigned char)(15u)))))*val137)+(val94*((float)((val107>>((unsigned char)(4u)))))*val138)+(val94*((float)((val108>>((unsigned char)(4u)))))*val139)+(val94*((float)((val109>>((unsigned char)(4u)))))*val140)+(val94*((float)((val110>>((unsigned char)(4u)))))*val141));
    }
    unsigned char val143 = (*(data5_73728+(alu27+8)));
    unsigned char val144 = (*(data5_73728+(alu27+9)));
    unsigned char val145 = (*(data5_73728+(alu27+10)));
    unsigned char val146 = (*(data5_73728+(alu27+11)));
    *(buf16+0) = 0.0f;
    float val147 = (*(buf17+1));
    *(buf16+0) = ((*(buf16+0))+(((((((-(val147*((float)((val143&((unsigned char)(63u)))))*val74[0])-(val147*((float)((val144&((unsigned char)(63u)))))*val74[1]))-(val147*((float)((val145&((unsigned char)(63u)))))*val74[2]))-(val147*((float)((val146&((unsigned char)(63u)))))*val74[3]))-(val147*((float)(((val82>>((unsigned char)(4u)))|((val143>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[0]))-(val147*((float)(((val83>>((unsigned char)(4u)))|((val144>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[1]))-(val147*((float)(((val84>>((unsigned char)(4u)))|((val145>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[2]))-(val147*((float)(((val85>>((unsigned char)(4u)))|((val146>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val75[3])));
    for (int Lidx42 = 0; Lidx42 < 4; Lidx42++) {
      *(buf26+Lidx42) = ((*(buf15+Lidx42))+(*(buf15+(Lidx42+4))));
    }
    for (int Lidx44 = 0; Lidx44 < 2; Lidx44++) {
      *(buf27+Lidx44) = ((*(buf26+Lidx44))+(*(buf26+(Lidx44+2))));
    }
    *(buf1+Lidx24) = ((*(buf27+0))+(*(buf27+1))+(*(buf16+0)));
  }
  for (int Lidx45 = 0; Lidx45 < 512; Lidx45++) {
    float val148 = (*(buf0+Lidx45));
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
    *(data0_512+Lidx45) = ((val148/(alu60+1.0f))*(*(buf1+Lidx45)));
  }
  for (int Lidx46 = 0; Lidx46 < 16; Lidx46++) {
    for (int Lidx47 = 0; Lidx47 < 16; Lidx47++) {
      int alu63 = ((Lidx46<<5)+Lidx47);
      float val149 = (*(data0_512+(alu63+16)));
      float val150 = (*(data0_512+alu63));
      *(buf28+Lidx47) = (val150+val149);
    }
    for (int Lidx50 = 0; Lidx50 < 8; Lidx50++) {
      *(buf29+Lidx50) = ((*(buf28+Lidx50))+(*(buf28+(Lidx50+8))));
    }
    for (int Lidx52 = 0; Lidx52 < 4; Lidx52++) {
      *(buf30+Lidx52) = ((*(buf29+Lidx52))+(*(buf29+(Lidx52+4))));
    }
    for (int Lidx54 = 0; Lidx54 < 2; Lidx54++) {
      *(buf31+Lidx54) = ((*(buf30+Lidx54))+(*(buf30+(Lidx54+2))));
    }
    *(data1_16+Lidx46) = ((*(buf31+0))+(*(buf31+1)));
  }
}

