// decode/gate_up/2x512x256/Q4_K/m1 lanes=8 rows=1 scale=1 share=0 split=1 unroll=1
typedef float float4 __attribute__((aligned(16),ext_vector_type(4)));
typedef float float2 __attribute__((aligned(8),ext_vector_type(2)));
void gate_up_rows_q8_q8_gate_up(unsigned int* restrict data0_128, float* restrict data1_16, float* restrict data2_32, unsigned int* restrict data3_64, float* restrict data4_8, float* restrict data5_16, unsigned char* restrict data6_73728, unsigned char* restrict data7_73728) {
  signed char buf0[256];
  float buf1[512];
  float buf2[512];
  float buf3[512];
  float buf4[8];
  float buf5[1];
  float buf6[2];
  float buf7[1];
  float buf8[1];
  float buf9[1];
  float buf10[1];
  float buf11[1];
  float buf12[1];
  float buf13[1];
  float buf14[1];
  float buf15[4];
  float buf16[2];
  float buf17[8];
  float buf18[1];
  float buf19[2];
  float buf20[1];
  float buf21[1];
  float buf22[1];
  float buf23[1];
  float buf24[1];
  float buf25[1];
  float buf26[1];
  float buf27[1];
  float buf28[4];
  float buf29[2];
  int buf30[32];
  float buf31[16];
  float buf32[8];
  float buf33[4];
  float buf34[2];
  int buf35[16];
  int buf36[8];
  int buf37[4];
  int buf38[2];
  int buf39[16];
  int buf40[8];
  int buf41[4];
  int buf42[2];
  for (int Lidx2 = 0; Lidx2 < 64; Lidx2++) {
    unsigned int val0 = (*(data3_64+Lidx2));
    int alu0 = (Lidx2<<2);
    *(buf0+(alu0+1)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>8u)))));
    *(buf0+(alu0+2)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>16u)))));
    *(buf0+(alu0+3)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>24u)))));
    *(buf0+alu0) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)(val0))));
  }
  float4 val1 = (*((float4*)((data4_8+0))));
  float4 val2 = (*((float4*)((data4_8+4))));
  float4 val3 = (*((float4*)((data5_16+0))));
  float4 val4 = (*((float4*)((data5_16+4))));
  float4 val5 = (*((float4*)((data5_16+8))));
  float4 val6 = (*((float4*)((data5_16+12))));
  for (int Lidx6 = 0; Lidx6 < 512; Lidx6++) {
    for (int Lidx8 = 0; Lidx8 < 8; Lidx8++) {
      *(buf4+Lidx8) = 0.0f;
    }
    int alu8 = (Lidx6*144);
    for (int Lidx14 = 0; Lidx14 < 2; Lidx14++) {
      int alu9 = (alu8+(Lidx14<<1));
      unsigned char val7 = (*(data6_73728+(alu9+1)));
      unsigned char val8 = (*(data6_73728+alu9));
      *(buf6+Lidx14) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val8))|(((unsigned short)(val7))<<((unsigned short)(8u))))))));
    }
    unsigned char val9 = (*(data6_73728+(alu8+4)));
    unsigned char val10 = (*(data6_73728+(alu8+5)));
    unsigned char val11 = (*(data6_73728+(alu8+6)));
    unsigned char val12 = (*(data6_73728+(alu8+7)));
    unsigned char val13 = (*(data6_73728+(alu8+12)));
    unsigned char val14 = (*(data6_73728+(alu8+13)));
    unsigned char val15 = (*(data6_73728+(alu8+14)));
    unsigned char val16 = (*(data6_73728+(alu8+15)));
    float val17 = (*(buf6+0));
    *(buf7+0) = (val17*((float)((val9&((unsigned char)(63u)))))*val1[0]);
    *(buf8+0) = (val17*((float)((val10&((unsigned char)(63u)))))*val1[1]);
    *(buf9+0) = (val17*((float)((val11&((unsigned char)(63u)))))*val1[2]);
    *(buf10+0) = (val17*((float)((val12&((unsigned char)(63u)))))*val1[3]);
    *(buf11+0) = (val17*((float)(((val13&((unsigned char)(15u)))|((val9>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[0]);
    *(buf12+0) = (val17*((float)(((val14&((unsigned char)(15u)))|((val10>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[1]);
    *(buf13+0) = (val17*((float)(((val15&((unsigned char)(15u)))|((val11>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[2]);
    *(buf14+0) = (val17*((float)(((val16&((unsigned char)(15u)))|((val12>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[3]);
    for (int Lidx12 = 0; Lidx12 < 8; Lidx12++) {
      int alu20 = (alu8+Lidx12);
      unsigned char val18 = (*(data6_73728+(alu20+16)));
      unsigned char val19 = (*(data6_73728+(alu20+24)));
      unsigned char val20 = (*(data6_73728+(alu20+32)));
      unsigned char val21 = (*(data6_73728+(alu20+40)));
      unsigned char val22 = (*(data6_73728+(alu20+48)));
      unsigned char val23 = (*(data6_73728+(alu20+56)));
      unsigned char val24 = (*(data6_73728+(alu20+64)));
      unsigned char val25 = (*(data6_73728+(alu20+72)));
      unsigned char val26 = (*(data6_73728+(alu20+80)));
      unsigned char val27 = (*(data6_73728+(alu20+88)));
      unsigned char val28 = (*(data6_73728+(alu20+96)));
      unsigned char val29 = (*(data6_73728+(alu20+104)));
      unsigned char val30 = (*(data6_73728+(alu20+112)));
      unsigned char val31 = (*(data6_73728+(alu20+120)));
      unsigned char val32 = (*(data6_73728+(alu20+128)));
      unsigned char val33 = (*(data6_73728+(alu20+136)));
      *(buf4+Lidx12) = ((*(buf4+Lidx12))+(((float)(((((int)((val18&((unsigned char)(15u)))))*((int)((*(buf0+Lidx12)))))+(((int)((val19&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+8))))))+(((int)((val20&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+16))))))+(((int)((val21&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+24)))))))))*(*(buf7+0)))+(((float)(((((int)((val18>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+32))))))+(((int)((val19>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+40))))))+(((int)((val20>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+48))))))+(((int)((val21>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+56)))))))))*(*(buf8+0)))+(((float)(((((int)((val22&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+64))))))+(((int)((val23&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+72))))))+(((int)((val24&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+80))))))+(((int)((val25&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+88)))))))))*(*(buf9+0)))+(((float)(((((int)((val22>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+96))))))+(((int)((val23>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+104))))))+(((int)((val24>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+112))))))+(((int)((val25>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+120)))))))))*(*(buf10+0)))+(((float)(((((int)((val26&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+128))))))+(((int)((val27&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+136))))))+(((int)((val28&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+144))))))+(((int)((val29&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+152)))))))))*(*(buf11+0)))+(((float)(((((int)((val26>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+160))))))+(((int)((val27>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+168))))))+(((int)((val28>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+176))))))+(((int)((val29>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+184)))))))))*(*(buf12+0)))+(((float)(((((int)((val30&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+192))))))+(((int)((val31&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+200))))))+(((int)((val32&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+208))))))+(((int)((val33&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx12+216)))))))))*(*(buf13+0)))+(((float)(((((int)((val30>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+224))))))+(((int)((val31>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+232))))))+(((int)((val32>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+240))))))+(((int)((val33>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx12+248)))))))))*(*(buf14+0))));
    }
    unsigned char val34 = (*(data6_73728+(alu8+8)));
    unsigned char val35 = (*(data6_73728+(alu8+9)));
    unsigned char val36 = (*(data6_73728+(alu8+10)));
    unsigned char val37 = (*(data6_73728+(alu8+11)));
    *(buf5+0) = 0.0f;
    float val38 = (*(buf6+1));
    *(buf5+0) = ((*(buf5+0))+(((((((-(val38*((float)((val34&((unsigned char)(63u)))))*(val3[0]+val3[1]))-(val38*((float)((val35&((unsigned char)(63u)))))*(val3[2]+val3[3])))-(val38*((float)((val36&((unsigned char)(63u)))))*(val4[0]+val4[1])))-(val38*((float)((val37&((unsigned char)(63u)))))*(val4[2]+val4[3])))-(val38*((float)(((val13>>((unsigned char)(4u)))|((val34>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[0]+val5[1])))-(val38*((float)(((val14>>((unsigned char)(4u)))|((val35>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[2]+val5[3])))-(val38*((float)(((val15>>((unsigned char)(4u)))|((val36>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[0]+val6[1])))-(val38*((float)(((val16>>((unsigned char)(4u)))|((val37>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[2]+val6[3]))));
    for (int Lidx24 = 0; Lidx24 < 4; Lidx24++) {
      *(buf15+Lidx24) = ((*(buf4+Lidx24))+(*(buf4+(Lidx24+4))));
    }
    for (int Lidx26 = 0; Lidx26 < 2; Lidx26++) {
      *(buf16+Lidx26) = ((*(buf15+Lidx26))+(*(buf15+(Lidx26+2))));
    }
    *(buf1+Lidx6) = ((*(buf16+0))+(*(buf16+1))+(*(buf5+0)));
  }
  float4 val39 = (*((float4*)((data4_8+0))));
  float4 val40 = (*((float4*)((data4_8+4))));
  float4 val41 = (*((float4*)((data5_16+0))));
  float4 val42 = (*((float4*)((data5_16+4))));
  float4 val43 = (*((float4*)((data5_16+8))));
  float4 val44 = (*((float4*)((data5_16+12))));
  for (int Lidx27 = 0; Lidx27 < 512; Lidx27++) {
    for (int Lidx29 = 0; Lidx29 < 8; Lidx29++) {
      *(buf17+Lidx29) = 0.0f;
    }
    int alu33 = (Lidx27*144);
    for (int Lidx35 = 0; Lidx35 < 2; Lidx35++) {
      int alu34 = (alu33+(Lidx35<<1));
      unsigned char val45 = (*(data7_73728+(alu34+1)));
      unsigned char val46 = (*(data7_73728+alu34));
      *(buf19+Lidx35) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val46))|(((unsigned short)(val45))<<((unsigned short)(8u))))))));
    }
    unsigned char val47 = (*(data7_73728+(alu33+4)));
    unsigned char val48 = (*(data7_73728+(alu33+5)));
    unsigned char val49 = (*(data7_73728+(alu33+6)));
    unsigned char val50 = (*(data7_73728+(alu33+7)));
    unsigned char val51 = (*(data7_73728+(alu33+12)));
    unsigned char val52 = (*(data7_73728+(alu33+13)));
    unsigned char val53 = (*(data7_73728+(alu33+14)));
    unsigned char val54 = (*(data7_73728+(alu33+15)));
    float val55 = (*(buf19+0));
    *(buf20+0) = (val55*((float)((val47&((unsigned char)(63u)))))*val39[0]);
    *(buf21+0) = (val55*((float)((val48&((unsigned char)(63u)))))*val39[1]);
    *(buf22+0) = (val55*((float)((val49&((unsigned char)(63u)))))*val39[2]);
    *(buf23+0) = (val55*((float)((val50&((unsigned char)(63u)))))*val39[3]);
    *(buf24+0) = (val55*((float)(((val51&((unsigned char)(15u)))|((val47>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[0]);
    *(buf25+0) = (val55*((float)(((val52&((unsigned char)(15u)))|((val48>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[1]);
    *(buf26+0) = (val55*((float)(((val53&((unsigned char)(15u)))|((val49>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[2]);
    *(buf27+0) = (val55*((float)(((val54&((unsigned char)(15u)))|((val50>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[3]);
    for (int Lidx33 = 0; Lidx33 < 8; Lidx33++) {
      int alu45 = (alu33+Lidx33);
      unsigned char val56 = (*(data7_73728+(alu45+16)));
      unsigned char val57 = (*(data7_73728+(alu45+24)));
      unsigned char val58 = (*(data7_73728+(alu45+32)));
      unsigned char val59 = (*(data7_73728+(alu45+40)));
      unsigned char val60 = (*(data7_73728+(alu45+48)));
      unsigned char val61 = (*(data7_73728+(alu45+56)));
      unsigned char val62 = (*(data7_73728+(alu45+64)));
      unsigned char val63 = (*(data7_73728+(alu45+72)));
      unsigned char val64 = (*(data7_73728+(alu45+80)));
      unsigned char val65 = (*(data7_73728+(alu45+88)));
      unsigned char val66 = (*(data7_73728+(alu45+96)));
      unsigned char val67 = (*(data7_73728+(alu45+104)));
      unsigned char val68 = (*(data7_73728+(alu45+112)));
      unsigned char val69 = (*(data7_73728+(alu45+120)));
      unsigned char val70 = (*(data7_73728+(alu45+128)));
      unsigned char val71 = (*(data7_73728+(alu45+136)));
      *(buf17+Lidx33) = ((*(buf17+Lidx33))+(((float)(((((int)((val56&((unsigned char)(15u)))))*((int)((*(buf0+Lidx33)))))+(((int)((val57&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+8))))))+(((int)((val58&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+16))))))+(((int)((val59&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+24)))))))))*(*(buf20+0)))+(((float)(((((int)((val56>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+32))))))+(((int)((val57>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+40))))))+(((int)((val58>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+48))))))+(((int)((val59>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+56)))))))))*(*(buf21+0)))+(((float)(((((int)((val60&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+64))))))+(((int)((val61&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+72))))))+(((int)((val62&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+80))))))+(((int)((val63&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+88)))))))))*(*(buf22+0)))+(((float)(((((int)((val60>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+96))))))+(((int)((val61>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+104))))))+(((int)((val62>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+112))))))+(((int)((val63>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+120)))))))))*(*(buf23+0)))+(((float)(((((int)((val64&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+128))))))+(((int)((val65&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+136))))))+(((int)((val66&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+144))))))+(((int)((val67&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+152)))))))))*(*(buf24+0)))+(((float)(((((int)((val64>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+160))))))+(((int)((val65>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+168))))))+(((int)((val66>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+176))))))+(((int)((val67>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+184)))))))))*(*(buf25+0)))+(((float)(((((int)((val68&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+192))))))+(((int)((val69&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+200))))))+(((int)((val70&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+208))))))+(((int)((val71&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx33+216)))))))))*(*(buf26+0)))+(((float)(((((int)((val68>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+224))))))+(((int)((val69>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+232))))))+(((int)((val70>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+240))))))+(((int)((val71>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx33+248)))))))))*(*(buf27+0))));
    }
    unsigned char val72 = (*(data7_73728+(alu33+8)));
    unsigned char val73 = (*(data7_73728+(alu33+9)));
    unsigned char val74 = (*(data7_73728+(alu33+10)));
    unsigned char val75 = (*(data7_73728+(alu33+11)));
    *(buf18+0) = 0.0f;
    float val76 = (*(buf19+1));
    *(buf18+0) = ((*(buf18+0))+(((((((-(val76*((float)((val72&((unsigned char)(63u)))))*(val41[0]+val41[1]))-(val76*((float)((val73&((unsigned char)(63u)))))*(val41[2]+val41[3])))-(val76*((float)((val74&((unsigned char)(63u)))))*(val42[0]+val42[1])))-(val76*((float)((val75&((unsigned char)(63u)))))*(val42[2]+val42[3])))-(val76*((float)(((val51>>((unsigned char)(4u)))|((val72>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val43[0]+val43[1])))-(val76*((float)(((val52>>((unsigned char)(4u)))|((val73>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val43[2]+val43[3])))-(val76*((float)(((val53>>((unsigned char)(4u)))|((val74>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val44[0]+val44[1])))-(val76*((float)(((val54>>((unsigned char)(4u)))|((val75>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val44[2]+val44[3]))));
    for (int Lidx45 = 0; Lidx45 < 4; Lidx45++) {
      *(buf28+Lidx45) = ((*(buf17+Lidx45))+(*(buf17+(Lidx45+4))));
    }
    for (int Lidx47 = 0; Lidx47 < 2; Lidx47++) {
      *(buf29+Lidx47) = ((*(buf28+Lidx47))+(*(buf28+(Lidx47+2))));
    }
    *(buf2+Lidx27) = ((*(buf29+0))+(*(buf29+1))+(*(buf18+0)));
  }
  for (int Lidx48 = 0; Lidx48 < 512; Lidx48++) {
    float val77 = (*(buf1+Lidx48));
    float alu56 = (val77*-1.4426950216293335f);
    _Bool alu57 = (alu56!=alu56);
    float alu58 = ((alu56!=((float)(-__builtin_inff())))?alu56:0.0f);
    float alu59 = (alu57?0.0f:alu58);
    float alu60 = ((alu56!=((float)(__builtin_inff())))?alu59:0.0f);
    float alu61 = ((alu60<0.0f)?-0.5f:0.5f);
    int cast0 = ((int)((alu60+alu61)));
    int alu62 = (cast0>>1);
    float alu63 = (alu60-((float)(cast0)));
    float alu64 = (((alu56<128.0f)!=1)?((float)(__builtin_inff())):(((((((((((((0.00015359208919107914f*alu63)+0.0013392627006396651f)*alu63)+0.009618384763598442f)*alu63)+0.055503472685813904f)*alu63)+0.24022644758224487f)*alu63)+0.6931471824645996f)*alu63)+1.0f)*__builtin_bit_cast(float, (int)(((alu62+127)<<23)))*__builtin_bit_cast(float, (int)((((cast0-alu62)+127)<<23)))));
    float alu65 = ((alu56<-150.0f)?0.0f:alu64);
    float alu66 = (alu57?((float)(__builtin_nanf(""))):alu65);
    *(buf3+Lidx48) = ((val77/(alu66+1.0f))*(*(buf2+Lidx48)));
  }
  for (int Lidx49 = 0; Lidx49 < 16; Lidx49++) {
    int alu69 = (Lidx49<<5);
    for (int Lidx52 = 0; Lidx52 < 16; Lidx52++) {
      int alu70 = (alu69+Lidx52);
      float val78 = (*(buf3+(alu70+16)));
      float val79 = (*(buf3+alu70));
      float alu71 = ((val78<0.0f)?-val78:val78);
      float alu72 = ((val79<0.0f)?-val79:val79);
      float alu73 = ((alu72<alu71)?alu71:alu72);
      *(buf31+Lidx52) = alu73;
    }
    for (int Lidx54 = 0; Lidx54 < 8; Lidx54++) {
      float val80 = (*(buf31+(Lidx54+8)));
      float val81 = (*(buf31+Lidx54));
      float alu76 = ((val81<val80)?val80:val81);
      *(buf32+Lidx54) = alu76;
    }
    for (int Lidx56 = 0; Lidx56 < 4; Lidx56++) {
      float val82 = (*(buf32+(Lidx56+4)));
      float val83 = (*(buf32+Lidx56));
      float alu79 = ((val83<val82)?val82:val83);
      *(buf33+Lidx56) = alu79;
    }
    for (int Lidx58 = 0; Lidx58 < 2; Lidx58++) {
      float val84 = (*(buf33+(Lidx58+2)));
      float val85 = (*(buf33+Lidx58));
      float alu82 = ((val85<val84)?val84:val85);
      *(buf34+Lidx58) = alu82;
    }
    float val86 = (*(buf34+0));
    float val87 = (*(buf34+1));
    float alu85 = ((val86<val87)?val87:val86);
    float alu86 = (alu85*0.007874015718698502f);
    _Bool alu87 = (0.0f<alu86);
    float alu88 = (alu87?alu86:1.0f);
    float alu89 = (alu87?(1.0f/alu88):0.0f);
    for (int Lidx59 = 0; Lidx59 < 32; Lidx59++) {
      float alu90 = ((*(buf3+(alu69+Lidx59)))*alu89);
      float alu91 = ((alu90<0.0f)?-0.5f:0.5f);
      int cast1 = ((int)((alu90+alu91)));
      int alu92 = ((cast1<-127)?-127:cast1);
      int alu93 = (alu92^-1);
      int alu94 = ((alu93<-128)?-128:alu93);
      *(buf30+Lidx59) = (alu94^-1);
    }
    for (int Lidx60 = 0; Lidx60 < 8; Lidx60++) {
      int alu97 = (Lidx60<<2);
      *(data0_128+((Lidx49<<3)+Lidx60)) = __builtin_bit_cast(unsigned int, (int)((((*(buf30+alu97))&255)|(((*(buf30+(alu97+1)))&255)<<8)|(((*(buf30+(alu97+2)))&255)<<16)|(((*(buf30+(alu97+3)))&255)<<24))));
    }
    for (int Lidx62 = 0; Lidx62 < 16; Lidx62++) {
      *(buf35+Lidx62) = (*(buf30+Lidx62));
    }
    for (int Lidx70 = 0; Lidx70 < 16; Lidx70++) {
      *(buf39+Lidx70) = (*(buf30+(Lidx70+16)));
    }
    for (int Lidx64 = 0; Lidx64 < 8; Lidx64++) {
      *(buf36+Lidx64) = ((*(buf35+Lidx64))+(*(buf35+(Lidx64+8))));
    }
    for (int Lidx72 = 0; Lidx72 < 8; Lidx72++) {
      *(buf40+Lidx72) = ((*(buf39+Lidx72))+(*(buf39+(Lidx72+8))));
    }
    for (int Lidx66 = 0; Lidx66 < 4; Lidx66++) {
      *(buf37+Lidx66) = ((*(buf36+Lidx66))+(*(buf36+(Lidx66+4))));
    }
    for (int Lidx74 = 0; Lidx74 < 4; Lidx74++) {
      *(buf41+Lidx74) = ((*(buf40+Lidx74))+(*(buf40+(Lidx74+4))));
    }
    for (int Lidx68 = 0; Lidx68 < 2; Lidx68++) {
      *(buf38+Lidx68) = ((*(buf37+Lidx68))+(*(buf37+(Lidx68+2))));
    }
    for (int Lidx76 = 0; Lidx76 < 2; Lidx76++) {
      *(buf42+Lidx76) = ((*(buf41+Lidx76))+(*(buf41+(Lidx76+2))));
    }
    *(data1_16+Lidx49) = alu86;
    *((float2*)((data2_32+(Lidx49<<1)))) = (float2){(alu85*((float)(((*(buf38+0))+(*(buf38+1)))))*0.007874015718698502f),(alu85*((float)(((*(buf42+0))+(*(buf42+1)))))*0.007874015718698502f)};
  }
}

