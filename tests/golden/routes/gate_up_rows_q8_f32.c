// decode/gate_up/2x512x256/Q4_K/m1 lanes=8 rows=1 scale=1 share=0 split=1 unroll=1
typedef float float4 __attribute__((aligned(16),ext_vector_type(4)));
void gate_up_rows_q8_f32_gate_up(float* restrict data0_512, float* restrict data1_16, unsigned int* restrict data2_64, float* restrict data3_8, float* restrict data4_16, unsigned char* restrict data5_73728, unsigned char* restrict data6_73728) {
  signed char buf0[256];
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
  float buf29[16];
  float buf30[8];
  float buf31[4];
  float buf32[2];
  for (int Lidx2 = 0; Lidx2 < 64; Lidx2++) {
    unsigned int val0 = (*(data2_64+Lidx2));
    int alu0 = (Lidx2<<2);
    *(buf0+(alu0+1)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>8u)))));
    *(buf0+(alu0+2)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>16u)))));
    *(buf0+(alu0+3)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>24u)))));
    *(buf0+alu0) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)(val0))));
  }
  float4 val1 = (*((float4*)((data3_8+0))));
  float4 val2 = (*((float4*)((data3_8+4))));
  float4 val3 = (*((float4*)((data4_16+0))));
  float4 val4 = (*((float4*)((data4_16+4))));
  float4 val5 = (*((float4*)((data4_16+8))));
  float4 val6 = (*((float4*)((data4_16+12))));
  for (int Lidx5 = 0; Lidx5 < 512; Lidx5++) {
    for (int Lidx7 = 0; Lidx7 < 8; Lidx7++) {
      *(buf3+Lidx7) = 0.0f;
    }
    int alu8 = (Lidx5*144);
    for (int Lidx13 = 0; Lidx13 < 2; Lidx13++) {
      int alu9 = (alu8+(Lidx13<<1));
      unsigned char val7 = (*(data5_73728+(alu9+1)));
      unsigned char val8 = (*(data5_73728+alu9));
      *(buf5+Lidx13) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val8))|(((unsigned short)(val7))<<((unsigned short)(8u))))))));
    }
    unsigned char val9 = (*(data5_73728+(alu8+4)));
    unsigned char val10 = (*(data5_73728+(alu8+5)));
    unsigned char val11 = (*(data5_73728+(alu8+6)));
    unsigned char val12 = (*(data5_73728+(alu8+7)));
    unsigned char val13 = (*(data5_73728+(alu8+12)));
    unsigned char val14 = (*(data5_73728+(alu8+13)));
    unsigned char val15 = (*(data5_73728+(alu8+14)));
    unsigned char val16 = (*(data5_73728+(alu8+15)));
    float val17 = (*(buf5+0));
    *(buf6+0) = (val17*((float)((val9&((unsigned char)(63u)))))*val1[0]);
    *(buf7+0) = (val17*((float)((val10&((unsigned char)(63u)))))*val1[1]);
    *(buf8+0) = (val17*((float)((val11&((unsigned char)(63u)))))*val1[2]);
    *(buf9+0) = (val17*((float)((val12&((unsigned char)(63u)))))*val1[3]);
    *(buf10+0) = (val17*((float)(((val13&((unsigned char)(15u)))|((val9>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[0]);
    *(buf11+0) = (val17*((float)(((val14&((unsigned char)(15u)))|((val10>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[1]);
    *(buf12+0) = (val17*((float)(((val15&((unsigned char)(15u)))|((val11>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[2]);
    *(buf13+0) = (val17*((float)(((val16&((unsigned char)(15u)))|((val12>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[3]);
    for (int Lidx11 = 0; Lidx11 < 8; Lidx11++) {
      int alu20 = (alu8+Lidx11);
      unsigned char val18 = (*(data5_73728+(alu20+16)));
      unsigned char val19 = (*(data5_73728+(alu20+24)));
      unsigned char val20 = (*(data5_73728+(alu20+32)));
      unsigned char val21 = (*(data5_73728+(alu20+40)));
      unsigned char val22 = (*(data5_73728+(alu20+48)));
      unsigned char val23 = (*(data5_73728+(alu20+56)));
      unsigned char val24 = (*(data5_73728+(alu20+64)));
      unsigned char val25 = (*(data5_73728+(alu20+72)));
      unsigned char val26 = (*(data5_73728+(alu20+80)));
      unsigned char val27 = (*(data5_73728+(alu20+88)));
      unsigned char val28 = (*(data5_73728+(alu20+96)));
      unsigned char val29 = (*(data5_73728+(alu20+104)));
      unsigned char val30 = (*(data5_73728+(alu20+112)));
      unsigned char val31 = (*(data5_73728+(alu20+120)));
      unsigned char val32 = (*(data5_73728+(alu20+128)));
      unsigned char val33 = (*(data5_73728+(alu20+136)));
      *(buf3+Lidx11) = ((*(buf3+Lidx11))+(((float)(((((int)((val18&((unsigned char)(15u)))))*((int)((*(buf0+Lidx11)))))+(((int)((val19&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+8))))))+(((int)((val20&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+16))))))+(((int)((val21&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+24)))))))))*(*(buf6+0)))+(((float)(((((int)((val18>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+32))))))+(((int)((val19>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+40))))))+(((int)((val20>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+48))))))+(((int)((val21>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+56)))))))))*(*(buf7+0)))+(((float)(((((int)((val22&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+64))))))+(((int)((val23&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+72))))))+(((int)((val24&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+80))))))+(((int)((val25&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+88)))))))))*(*(buf8+0)))+(((float)(((((int)((val22>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+96))))))+(((int)((val23>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+104))))))+(((int)((val24>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+112))))))+(((int)((val25>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+120)))))))))*(*(buf9+0)))+(((float)(((((int)((val26&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+128))))))+(((int)((val27&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+136))))))+(((int)((val28&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+144))))))+(((int)((val29&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+152)))))))))*(*(buf10+0)))+(((float)(((((int)((val26>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+160))))))+(((int)((val27>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+168))))))+(((int)((val28>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+176))))))+(((int)((val29>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+184)))))))))*(*(buf11+0)))+(((float)(((((int)((val30&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+192))))))+(((int)((val31&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+200))))))+(((int)((val32&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+208))))))+(((int)((val33&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx11+216)))))))))*(*(buf12+0)))+(((float)(((((int)((val30>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+224))))))+(((int)((val31>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+232))))))+(((int)((val32>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+240))))))+(((int)((val33>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx11+248)))))))))*(*(buf13+0))));
    }
    unsigned char val34 = (*(data5_73728+(alu8+8)));
    unsigned char val35 = (*(data5_73728+(alu8+9)));
    unsigned char val36 = (*(data5_73728+(alu8+10)));
    unsigned char val37 = (*(data5_73728+(alu8+11)));
    *(buf4+0) = 0.0f;
    float val38 = (*(buf5+1));
    *(buf4+0) = ((*(buf4+0))+(((((((-(val38*((float)((val34&((unsigned char)(63u)))))*(val3[0]+val3[1]))-(val38*((float)((val35&((unsigned char)(63u)))))*(val3[2]+val3[3])))-(val38*((float)((val36&((unsigned char)(63u)))))*(val4[0]+val4[1])))-(val38*((float)((val37&((unsigned char)(63u)))))*(val4[2]+val4[3])))-(val38*((float)(((val13>>((unsigned char)(4u)))|((val34>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[0]+val5[1])))-(val38*((float)(((val14>>((unsigned char)(4u)))|((val35>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[2]+val5[3])))-(val38*((float)(((val15>>((unsigned char)(4u)))|((val36>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[0]+val6[1])))-(val38*((float)(((val16>>((unsigned char)(4u)))|((val37>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[2]+val6[3]))));
    for (int Lidx23 = 0; Lidx23 < 4; Lidx23++) {
      *(buf14+Lidx23) = ((*(buf3+Lidx23))+(*(buf3+(Lidx23+4))));
    }
    for (int Lidx25 = 0; Lidx25 < 2; Lidx25++) {
      *(buf15+Lidx25) = ((*(buf14+Lidx25))+(*(buf14+(Lidx25+2))));
    }
    *(buf1+Lidx5) = ((*(buf15+0))+(*(buf15+1))+(*(buf4+0)));
  }
  float4 val39 = (*((float4*)((data3_8+0))));
  float4 val40 = (*((float4*)((data3_8+4))));
  float4 val41 = (*((float4*)((data4_16+0))));
  float4 val42 = (*((float4*)((data4_16+4))));
  float4 val43 = (*((float4*)((data4_16+8))));
  float4 val44 = (*((float4*)((data4_16+12))));
  for (int Lidx26 = 0; Lidx26 < 512; Lidx26++) {
    for (int Lidx28 = 0; Lidx28 < 8; Lidx28++) {
      *(buf16+Lidx28) = 0.0f;
    }
    int alu33 = (Lidx26*144);
    for (int Lidx34 = 0; Lidx34 < 2; Lidx34++) {
      int alu34 = (alu33+(Lidx34<<1));
      unsigned char val45 = (*(data6_73728+(alu34+1)));
      unsigned char val46 = (*(data6_73728+alu34));
      *(buf18+Lidx34) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val46))|(((unsigned short)(val45))<<((unsigned short)(8u))))))));
    }
    unsigned char val47 = (*(data6_73728+(alu33+4)));
    unsigned char val48 = (*(data6_73728+(alu33+5)));
    unsigned char val49 = (*(data6_73728+(alu33+6)));
    unsigned char val50 = (*(data6_73728+(alu33+7)));
    unsigned char val51 = (*(data6_73728+(alu33+12)));
    unsigned char val52 = (*(data6_73728+(alu33+13)));
    unsigned char val53 = (*(data6_73728+(alu33+14)));
    unsigned char val54 = (*(data6_73728+(alu33+15)));
    float val55 = (*(buf18+0));
    *(buf19+0) = (val55*((float)((val47&((unsigned char)(63u)))))*val39[0]);
    *(buf20+0) = (val55*((float)((val48&((unsigned char)(63u)))))*val39[1]);
    *(buf21+0) = (val55*((float)((val49&((unsigned char)(63u)))))*val39[2]);
    *(buf22+0) = (val55*((float)((val50&((unsigned char)(63u)))))*val39[3]);
    *(buf23+0) = (val55*((float)(((val51&((unsigned char)(15u)))|((val47>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[0]);
    *(buf24+0) = (val55*((float)(((val52&((unsigned char)(15u)))|((val48>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[1]);
    *(buf25+0) = (val55*((float)(((val53&((unsigned char)(15u)))|((val49>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[2]);
    *(buf26+0) = (val55*((float)(((val54&((unsigned char)(15u)))|((val50>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val40[3]);
    for (int Lidx32 = 0; Lidx32 < 8; Lidx32++) {
      int alu45 = (alu33+Lidx32);
      unsigned char val56 = (*(data6_73728+(alu45+16)));
      unsigned char val57 = (*(data6_73728+(alu45+24)));
      unsigned char val58 = (*(data6_73728+(alu45+32)));
      unsigned char val59 = (*(data6_73728+(alu45+40)));
      unsigned char val60 = (*(data6_73728+(alu45+48)));
      unsigned char val61 = (*(data6_73728+(alu45+56)));
      unsigned char val62 = (*(data6_73728+(alu45+64)));
      unsigned char val63 = (*(data6_73728+(alu45+72)));
      unsigned char val64 = (*(data6_73728+(alu45+80)));
      unsigned char val65 = (*(data6_73728+(alu45+88)));
      unsigned char val66 = (*(data6_73728+(alu45+96)));
      unsigned char val67 = (*(data6_73728+(alu45+104)));
      unsigned char val68 = (*(data6_73728+(alu45+112)));
      unsigned char val69 = (*(data6_73728+(alu45+120)));
      unsigned char val70 = (*(data6_73728+(alu45+128)));
      unsigned char val71 = (*(data6_73728+(alu45+136)));
      *(buf16+Lidx32) = ((*(buf16+Lidx32))+(((float)(((((int)((val56&((unsigned char)(15u)))))*((int)((*(buf0+Lidx32)))))+(((int)((val57&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+8))))))+(((int)((val58&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+16))))))+(((int)((val59&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+24)))))))))*(*(buf19+0)))+(((float)(((((int)((val56>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+32))))))+(((int)((val57>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+40))))))+(((int)((val58>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+48))))))+(((int)((val59>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+56)))))))))*(*(buf20+0)))+(((float)(((((int)((val60&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+64))))))+(((int)((val61&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+72))))))+(((int)((val62&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+80))))))+(((int)((val63&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+88)))))))))*(*(buf21+0)))+(((float)(((((int)((val60>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+96))))))+(((int)((val61>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+104))))))+(((int)((val62>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+112))))))+(((int)((val63>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+120)))))))))*(*(buf22+0)))+(((float)(((((int)((val64&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+128))))))+(((int)((val65&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+136))))))+(((int)((val66&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+144))))))+(((int)((val67&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+152)))))))))*(*(buf23+0)))+(((float)(((((int)((val64>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+160))))))+(((int)((val65>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+168))))))+(((int)((val66>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+176))))))+(((int)((val67>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+184)))))))))*(*(buf24+0)))+(((float)(((((int)((val68&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+192))))))+(((int)((val69&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+200))))))+(((int)((val70&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+208))))))+(((int)((val71&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx32+216)))))))))*(*(buf25+0)))+(((float)(((((int)((val68>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+224))))))+(((int)((val69>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+232))))))+(((int)((val70>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+240))))))+(((int)((val71>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx32+248)))))))))*(*(buf26+0))));
    }
    unsigned char val72 = (*(data6_73728+(alu33+8)));
    unsigned char val73 = (*(data6_73728+(alu33+9)));
    unsigned char val74 = (*(data6_73728+(alu33+10)));
    unsigned char val75 = (*(data6_73728+(alu33+11)));
    *(buf17+0) = 0.0f;
    float val76 = (*(buf18+1));
    *(buf17+0) = ((*(buf17+0))+(((((((-(val76*((float)((val72&((unsigned char)(63u)))))*(val41[0]+val41[1]))-(val76*((float)((val73&((unsigned char)(63u)))))*(val41[2]+val41[3])))-(val76*((float)((val74&((unsigned char)(63u)))))*(val42[0]+val42[1])))-(val76*((float)((val75&((unsigned char)(63u)))))*(val42[2]+val42[3])))-(val76*((float)(((val51>>((unsigned char)(4u)))|((val72>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val43[0]+val43[1])))-(val76*((float)(((val52>>((unsigned char)(4u)))|((val73>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val43[2]+val43[3])))-(val76*((float)(((val53>>((unsigned char)(4u)))|((val74>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val44[0]+val44[1])))-(val76*((float)(((val54>>((unsigned char)(4u)))|((val75>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val44[2]+val44[3]))));
    for (int Lidx44 = 0; Lidx44 < 4; Lidx44++) {
      *(buf27+Lidx44) = ((*(buf16+Lidx44))+(*(buf16+(Lidx44+4))));
    }
    for (int Lidx46 = 0; Lidx46 < 2; Lidx46++) {
      *(buf28+Lidx46) = ((*(buf27+Lidx46))+(*(buf27+(Lidx46+2))));
    }
    *(buf2+Lidx26) = ((*(buf28+0))+(*(buf28+1))+(*(buf17+0)));
  }
  for (int Lidx47 = 0; Lidx47 < 512; Lidx47++) {
    float val77 = (*(buf1+Lidx47));
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
    *(data0_512+Lidx47) = ((val77/(alu66+1.0f))*(*(buf2+Lidx47)));
  }
  for (int Lidx48 = 0; Lidx48 < 16; Lidx48++) {
    for (int Lidx49 = 0; Lidx49 < 16; Lidx49++) {
      int alu69 = ((Lidx48<<5)+Lidx49);
      float val78 = (*(data0_512+(alu69+16)));
      float val79 = (*(data0_512+alu69));
      *(buf29+Lidx49) = (val79+val78);
    }
    for (int Lidx52 = 0; Lidx52 < 8; Lidx52++) {
      *(buf30+Lidx52) = ((*(buf29+Lidx52))+(*(buf29+(Lidx52+8))));
    }
    for (int Lidx54 = 0; Lidx54 < 4; Lidx54++) {
      *(buf31+Lidx54) = ((*(buf30+Lidx54))+(*(buf30+(Lidx54+4))));
    }
    for (int Lidx56 = 0; Lidx56 < 2; Lidx56++) {
      *(buf32+Lidx56) = ((*(buf31+Lidx56))+(*(buf31+(Lidx56+2))));
    }
    *(data1_16+Lidx48) = ((*(buf32+0))+(*(buf32+1)));
  }
}

