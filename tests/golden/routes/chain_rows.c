// decode/norm+qkv/256x256+2x128x256/Q4_K/m1 lanes=16 rows=1 scale=0 share=0 split=1 unroll=1

void chain_rows_norm_qkv(float* restrict data0_512, float* restrict data1_256, float* restrict data2_256, unsigned char* restrict data3_36864, unsigned char* restrict data4_18432, unsigned char* restrict data5_18432) {
  float buf0[256];
  float buf1[8];
  float buf2[16];
  float buf3[8];
  float buf4[4];
  float buf5[2];
  float buf6[1];
  float buf7[16];
  float buf8[8];
  float buf9[4];
  float buf10[2];
  float buf11[16];
  float buf12[1];
  float buf13[2];
  float buf14[1];
  float buf15[1];
  float buf16[1];
  float buf17[1];
  float buf18[1];
  float buf19[1];
  float buf20[1];
  float buf21[1];
  float buf22[8];
  float buf23[4];
  float buf24[2];
  float buf25[16];
  float buf26[1];
  float buf27[2];
  float buf28[1];
  float buf29[1];
  float buf30[1];
  float buf31[1];
  float buf32[1];
  float buf33[1];
  float buf34[1];
  float buf35[1];
  float buf36[8];
  float buf37[4];
  float buf38[2];
  float buf39[16];
  float buf40[1];
  float buf41[2];
  float buf42[1];
  float buf43[1];
  float buf44[1];
  float buf45[1];
  float buf46[1];
  float buf47[1];
  float buf48[1];
  float buf49[1];
  float buf50[8];
  float buf51[4];
  float buf52[2];
  for (int Lidx4 = 0; Lidx4 < 16; Lidx4++) {
    *(buf2+Lidx4) = 0.0f;
  }
  for (int Ridx5 = 0; Ridx5 < 16; Ridx5++) {
    for (int Lidx6 = 0; Lidx6 < 16; Lidx6++) {
      float val0 = (*(data1_256+((Ridx5<<4)+Lidx6)));
      *(buf2+Lidx6) = ((*(buf2+Lidx6))+(val0*val0));
    }
  }
  for (int Lidx8 = 0; Lidx8 < 8; Lidx8++) {
    *(buf3+Lidx8) = ((*(buf2+Lidx8))+(*(buf2+(Lidx8+8))));
  }
  for (int Lidx10 = 0; Lidx10 < 4; Lidx10++) {
    *(buf4+Lidx10) = ((*(buf3+Lidx10))+(*(buf3+(Lidx10+4))));
  }
  for (int Lidx12 = 0; Lidx12 < 2; Lidx12++) {
    *(buf5+Lidx12) = ((*(buf4+Lidx12))+(*(buf4+(Lidx12+2))));
  }
  *(buf6+0) = (1.0f/__builtin_sqrtf(((((*(buf5+0))+(*(buf5+1)))*0.00390625f)+9.999999747378752e-06f)));
  for (int Lidx14 = 0; Lidx14 < 256; Lidx14++) {
    float val1 = (*(data1_256+Lidx14));
    float val2 = (*(data2_256+Lidx14));
    *(buf0+Lidx14) = (val1*(*(buf6+0))*val2);
  }
  for (int Lidx15 = 0; Lidx15 < 8; Lidx15++) {
    for (int Lidx16 = 0; Lidx16 < 16; Lidx16++) {
      int alu14 = ((Lidx15<<5)+Lidx16);
      *(buf7+Lidx16) = ((*(buf0+alu14))+(*(buf0+(alu14+16))));
    }
    for (int Lidx19 = 0; Lidx19 < 8; Lidx19++) {
      *(buf8+Lidx19) = ((*(buf7+Lidx19))+(*(buf7+(Lidx19+8))));
    }
    for (int Lidx21 = 0; Lidx21 < 4; Lidx21++) {
      *(buf9+Lidx21) = ((*(buf8+Lidx21))+(*(buf8+(Lidx21+4))));
    }
    for (int Lidx23 = 0; Lidx23 < 2; Lidx23++) {
      *(buf10+Lidx23) = ((*(buf9+Lidx23))+(*(buf9+(Lidx23+2))));
    }
    *(buf1+Lidx15) = ((*(buf10+0))+(*(buf10+1)));
  }
  for (int Lidx24 = 0; Lidx24 < 256; Lidx24++) {
    for (int Lidx26 = 0; Lidx26 < 16; Lidx26++) {
      *(buf11+Lidx26) = 0.0f;
    }
    int alu27 = (Lidx24*144);
    for (int Lidx32 = 0; Lidx32 < 2; Lidx32++) {
      int alu28 = (alu27+(Lidx32<<1));
      unsigned char val3 = (*(data3_36864+(alu28+1)));
      unsigned char val4 = (*(data3_36864+alu28));
      *(buf13+Lidx32) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val4))|(((unsigned short)(val3))<<((unsigned short)(8u))))))));
    }
    unsigned char val5 = (*(data3_36864+(alu27+4)));
    unsigned char val6 = (*(data3_36864+(alu27+5)));
    unsigned char val7 = (*(data3_36864+(alu27+6)));
    unsigned char val8 = (*(data3_36864+(alu27+7)));
    unsigned char val9 = (*(data3_36864+(alu27+12)));
    unsigned char val10 = (*(data3_36864+(alu27+13)));
    unsigned char val11 = (*(data3_36864+(alu27+14)));
    unsigned char val12 = (*(data3_36864+(alu27+15)));
    float val13 = (*(buf13+0));
    *(buf14+0) = (val13*((float)((val5&((unsigned char)(63u))))));
    float val14 = (*(buf14+0));
    *(buf15+0) = (val13*((float)((val6&((unsigned char)(63u))))));
    float val15 = (*(buf15+0));
    *(buf16+0) = (val13*((float)((val7&((unsigned char)(63u))))));
    float val16 = (*(buf16+0));
    *(buf17+0) = (val13*((float)((val8&((unsigned char)(63u))))));
    float val17 = (*(buf17+0));
    *(buf18+0) = (val13*((float)(((val9&((unsigned char)(15u)))|((val5>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val18 = (*(buf18+0));
    *(buf19+0) = (val13*((float)(((val10&((unsigned char)(15u)))|((val6>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val19 = (*(buf19+0));
    *(buf20+0) = (val13*((float)(((val11&((unsigned char)(15u)))|((val7>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val20 = (*(buf20+0));
    *(buf21+0) = (val13*((float)(((val12&((unsigned char)(15u)))|((val8>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val21 = (*(buf21+0));
    for (int Lidx30 = 0; Lidx30 < 16; Lidx30++) {
      int alu39 = (alu27+Lidx30);
      unsigned char val22 = (*(data3_36864+(alu39+16)));
      unsigned char val23 = (*(data3_36864+(alu39+32)));
      unsigned char val24 = (*(data3_36864+(alu39+48)));
      unsigned char val25 = (*(data3_36864+(alu39+64)));
      unsigned char val26 = (*(data3_36864+(alu39+80)));
      unsigned char val27 = (*(data3_36864+(alu39+96)));
      unsigned char val28 = (*(data3_36864+(alu39+112)));
      unsigned char val29 = (*(data3_36864+(alu39+128)));
      *(buf11+Lidx30) = ((*(buf11+Lidx30))+(val14*((float)((val22&((unsigned char)(15u)))))*(*(buf0+Lidx30)))+(val14*((float)((val23&((unsigned char)(15u)))))*(*(buf0+(Lidx30+16))))+(val15*((float)((val22>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+32))))+(val15*((float)((val23>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+48))))+(val16*((float)((val24&((unsigned char)(15u)))))*(*(buf0+(Lidx30+64))))+(val16*((float)((val25&((unsigned char)(15u)))))*(*(buf0+(Lidx30+80))))+(val17*((float)((val24>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+96))))+(val17*((float)((val25>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+112))))+(val18*((float)((val26&((unsigned char)(15u)))))*(*(buf0+(Lidx30+128))))+(val18*((float)((val27&((unsigned char)(15u)))))*(*(buf0+(Lidx30+144))))+(val19*((float)((val26>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+160))))+(val19*((float)((val27>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+176))))+(val20*((float)((val28&((unsigned char)(15u)))))*(*(buf0+(Lidx30+192))))+(val20*((float)((val29&((unsigned char)(15u)))))*(*(buf0+(Lidx30+208))))+(val21*((float)((val28>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+224))))+(val21*((float)((val29>>((unsigned char)(4u)))))*(*(buf0+(Lidx30+240)))));
    }
    unsigned char val30 = (*(data3_36864+(alu27+8)));
    unsigned char val31 = (*(data3_36864+(alu27+9)));
    unsigned char val32 = (*(data3_36864+(alu27+10)));
    unsigned char val33 = (*(data3_36864+(alu27+11)));
    *(buf12+0) = 0.0f;
    float val34 = (*(buf13+1));
    *(buf12+0) = ((*(buf12+0))+(((((((-(val34*((float)((val30&((unsigned char)(63u)))))*(*(buf1+0)))-(val34*((float)((val31&((unsigned char)(63u)))))*(*(buf1+1))))-(val34*((float)((val32&((unsigned char)(63u)))))*(*(buf1+2))))-(val34*((float)((val33&((unsigned char)(63u)))))*(*(buf1+3))))-(val34*((float)(((val9>>((unsigned char)(4u)))|((val30>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+4))))-(val34*((float)(((val10>>((unsigned char)(4u)))|((val31>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+5))))-(val34*((float)(((val11>>((unsigned char)(4u)))|((val32>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+6))))-(val34*((float)(((val12>>((unsigned char)(4u)))|((val33>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+7)))));
    for (int Lidx42 = 0; Lidx42 < 8; Lidx42++) {
      *(buf22+Lidx42) = ((*(buf11+Lidx42))+(*(buf11+(Lidx42+8))));
    }
    for (int Lidx44 = 0; Lidx44 < 4; Lidx44++) {
      *(buf23+Lidx44) = ((*(buf22+Lidx44))+(*(buf22+(Lidx44+4))));
    }
    for (int Lidx46 = 0; Lidx46 < 2; Lidx46++) {
      *(buf24+Lidx46) = ((*(buf23+Lidx46))+(*(buf23+(Lidx46+2))));
    }
    *(data0_512+Lidx24) = ((*(buf24+0))+(*(buf24+1))+(*(buf12+0)));
  }
  for (int Lidx47 = 0; Lidx47 < 128; Lidx47++) {
    for (int Lidx49 = 0; Lidx49 < 16; Lidx49++) {
      *(buf25+Lidx49) = 0.0f;
    }
    int alu54 = (Lidx47*144);
    for (int Lidx55 = 0; Lidx55 < 2; Lidx55++) {
      int alu55 = (alu54+(Lidx55<<1));
      unsigned char val35 = (*(data4_18432+(alu55+1)));
      unsigned char val36 = (*(data4_18432+alu55));
      *(buf27+Lidx55) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val36))|(((unsigned short)(val35))<<((unsigned short)(8u))))))));
    }
    unsigned char val37 = (*(data4_18432+(alu54+4)));
    unsigned char val38 = (*(data4_18432+(alu54+5)));
    unsigned char val39 = (*(data4_18432+(alu54+6)));
    unsigned char val40 = (*(data4_18432+(alu54+7)));
    unsigned char val41 = (*(data4_18432+(alu54+12)));
    unsigned char val42 = (*(data4_18432+(alu54+13)));
    unsigned char val43 = (*(data4_18432+(alu54+14)));
    unsigned char val44 = (*(data4_18432+(alu54+15)));
    float val45 = (*(buf27+0));
    *(buf28+0) = (val45*((float)((val37&((unsigned char)(63u))))));
    float val46 = (*(buf28+0));
    *(buf29+0) = (val45*((float)((val38&((unsigned char)(63u))))));
    float val47 = (*(buf29+0));
    *(buf30+0) = (val45*((float)((val39&((unsigned char)(63u))))));
    float val48 = (*(buf30+0));
    *(buf31+0) = (val45*((float)((val40&((unsigned char)(63u))))));
    float val49 = (*(buf31+0));
    *(buf32+0) = (val45*((float)(((val41&((unsigned char)(15u)))|((val37>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val50 = (*(buf32+0));
    *(buf33+0) = (val45*((float)(((val42&((unsigned char)(15u)))|((val38>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val51 = (*(buf33+0));
    *(buf34+0) = (val45*((float)(((val43&((unsigned char)(15u)))|((val39>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val52 = (*(buf34+0));
    *(buf35+0) = (val45*((float)(((val44&((unsigned char)(15u)))|((val40>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val53 = (*(buf35+0));
    for (int Lidx53 = 0; Lidx53 < 16; Lidx53++) {
      int alu66 = (alu54+Lidx53);
      unsigned char val54 = (*(data4_18432+(alu66+16)));
      unsigned char val55 = (*(data4_18432+(alu66+32)));
      unsigned char val56 = (*(data4_18432+(alu66+48)));
      unsigned char val57 = (*(data4_18432+(alu66+64)));
      unsigned char val58 = (*(data4_18432+(alu66+80)));
      unsigned char val59 = (*(data4_18432+(alu66+96)));
      unsigned char val60 = (*(data4_18432+(alu66+112)));
      unsigned char val61 = (*(data4_18432+(alu66+128)));
      *(buf25+Lidx53) = ((*(buf25+Lidx53))+(val46*((float)((val54&((unsigned char)(15u)))))*(*(buf0+Lidx53)))+(val46*((float)((val55&((unsigned char)(15u)))))*(*(buf0+(Lidx53+16))))+(val47*((float)((val54>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+32))))+(val47*((float)((val55>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+48))))+(val48*((float)((val56&((unsigned char)(15u)))))*(*(buf0+(Lidx53+64))))+(val48*((float)((val57&((unsigned char)(15u)))))*(*(buf0+(Lidx53+80))))+(val49*((float)((val56>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+96))))+(val49*((float)((val57>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+112))))+(val50*((float)((val58&((unsigned char)(15u)))))*(*(buf0+(Lidx53+128))))+(val50*((float)((val59&((unsigned char)(15u)))))*(*(buf0+(Lidx53+144))))+(val51*((float)((val58>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+160))))+(val51*((float)((val59>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+176))))+(val52*((float)((val60&((unsigned char)(15u)))))*(*(buf0+(Lidx53+192))))+(val52*((float)((val61&((unsigned char)(15u)))))*(*(buf0+(Lidx53+208))))+(val53*((float)((val60>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+224))))+(val53*((float)((val61>>((unsigned char)(4u)))))*(*(buf0+(Lidx53+240)))));
    }
    unsigned char val62 = (*(data4_18432+(alu54+8)));
    unsigned char val63 = (*(data4_18432+(alu54+9)));
    unsigned char val64 = (*(data4_18432+(alu54+10)));
    unsigned char val65 = (*(data4_18432+(alu54+11)));
    *(buf26+0) = 0.0f;
    float val66 = (*(buf27+1));
    *(buf26+0) = ((*(buf26+0))+(((((((-(val66*((float)((val62&((unsigned char)(63u)))))*(*(buf1+0)))-(val66*((float)((val63&((unsigned char)(63u)))))*(*(buf1+1))))-(val66*((float)((val64&((unsigned char)(63u)))))*(*(buf1+2))))-(val66*((float)((val65&((unsigned char)(63u)))))*(*(buf1+3))))-(val66*((float)(((val41>>((unsigned char)(4u)))|((val62>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+4))))-(val66*((float)(((val42>>((unsigned char)(4u)))|((val63>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+5))))-(val66*((float)(((val43>>((unsigned char)(4u)))|((val64>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+6))))-(val66*((float)(((val44>>((unsigned char)(4u)))|((val65>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+7)))));
    for (int Lidx65 = 0; Lidx65 < 8; Lidx65++) {
      *(buf36+Lidx65) = ((*(buf25+Lidx65))+(*(buf25+(Lidx65+8))));
    }
    for (int Lidx67 = 0; Lidx67 < 4; Lidx67++) {
      *(buf37+Lidx67) = ((*(buf36+Lidx67))+(*(buf36+(Lidx67+4))));
    }
    for (int Lidx69 = 0; Lidx69 < 2; Lidx69++) {
      *(buf38+Lidx69) = ((*(buf37+Lidx69))+(*(buf37+(Lidx69+2))));
    }
    *(data0_512+(Lidx47+256)) = ((*(buf38+0))+(*(buf38+1))+(*(buf26+0)));
  }
  for (int Lidx70 = 0; Lidx70 < 128; Lidx70++) {
    for (int Lidx72 = 0; Lidx72 < 16; Lidx72++) {
      *(buf39+Lidx72) = 0.0f;
    }
    int alu81 = (Lidx70*144);
    for (int Lidx78 = 0; Lidx78 < 2; Lidx78++) {
      int alu82 = (alu81+(Lidx78<<1));
      unsigned char val67 = (*(data5_18432+(alu82+1)));
      unsigned char val68 = (*(data5_18432+alu82));
      *(buf41+Lidx78) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val68))|(((unsigned short)(val67))<<((unsigned short)(8u))))))));
    }
    unsigned char val69 = (*(data5_18432+(alu81+4)));
    unsigned char val70 = (*(data5_18432+(alu81+5)));
    unsigned char val71 = (*(data5_18432+(alu81+6)));
    unsigned char val72 = (*(data5_18432+(alu81+7)));
    unsigned char val73 = (*(data5_18432+(alu81+12)));
    unsigned char val74 = (*(data5_18432+(alu81+13)));
    unsigned char val75 = (*(data5_18432+(alu81+14)));
    unsigned char val76 = (*(data5_18432+(alu81+15)));
    float val77 = (*(buf41+0));
    *(buf42+0) = (val77*((float)((val69&((unsigned char)(63u))))));
    float val78 = (*(buf42+0));
    *(buf43+0) = (val77*((float)((val70&((unsigned char)(63u))))));
    float val79 = (*(buf43+0));
    *(buf44+0) = (val77*((float)((val71&((unsigned char)(63u))))));
    float val80 = (*(buf44+0));
    *(buf45+0) = (val77*((float)((val72&((unsigned char)(63u))))));
    float val81 = (*(buf45+0));
    *(buf46+0) = (val77*((float)(((val73&((unsigned char)(15u)))|((val69>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val82 = (*(buf46+0));
    *(buf47+0) = (val77*((float)(((val74&((unsigned char)(15u)))|((val70>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val83 = (*(buf47+0));
    *(buf48+0) = (val77*((float)(((val75&((unsigned char)(15u)))|((val71>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val84 = (*(buf48+0));
    *(buf49+0) = (val77*((float)(((val76&((unsigned char)(15u)))|((val72>>((unsigned char)(6u)))<<((unsigned char)(4u)))))));
    float val85 = (*(buf49+0));
    for (int Lidx76 = 0; Lidx76 < 16; Lidx76++) {
      int alu93 = (alu81+Lidx76);
      unsigned char val86 = (*(data5_18432+(alu93+16)));
      unsigned char val87 = (*(data5_18432+(alu93+32)));
      unsigned char val88 = (*(data5_18432+(alu93+48)));
      unsigned char val89 = (*(data5_18432+(alu93+64)));
      unsigned char val90 = (*(data5_18432+(alu93+80)));
      unsigned char val91 = (*(data5_18432+(alu93+96)));
      unsigned char val92 = (*(data5_18432+(alu93+112)));
      unsigned char val93 = (*(data5_18432+(alu93+128)));
      *(buf39+Lidx76) = ((*(buf39+Lidx76))+(val78*((float)((val86&((unsigned char)(15u)))))*(*(buf0+Lidx76)))+(val78*((float)((val87&((unsigned char)(15u)))))*(*(buf0+(Lidx76+16))))+(val79*((float)((val86>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+32))))+(val79*((float)((val87>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+48))))+(val80*((float)((val88&((unsigned char)(15u)))))*(*(buf0+(Lidx76+64))))+(val80*((float)((val89&((unsigned char)(15u)))))*(*(buf0+(Lidx76+80))))+(val81*((float)((val88>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+96))))+(val81*((float)((val89>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+112))))+(val82*((float)((val90&((unsigned char)(15u)))))*(*(buf0+(Lidx76+128))))+(val82*((float)((val91&((unsigned char)(15u)))))*(*(buf0+(Lidx76+144))))+(val83*((float)((val90>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+160))))+(val83*((float)((val91>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+176))))+(val84*((float)((val92&((unsigned char)(15u)))))*(*(buf0+(Lidx76+192))))+(val84*((float)((val93&((unsigned char)(15u)))))*(*(buf0+(Lidx76+208))))+(val85*((float)((val92>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+224))))+(val85*((float)((val93>>((unsigned char)(4u)))))*(*(buf0+(Lidx76+240)))));
    }
    unsigned char val94 = (*(data5_18432+(alu81+8)));
    unsigned char val95 = (*(data5_18432+(alu81+9)));
    unsigned char val96 = (*(data5_18432+(alu81+10)));
    unsigned char val97 = (*(data5_18432+(alu81+11)));
    *(buf40+0) = 0.0f;
    float val98 = (*(buf41+1));
    *(buf40+0) = ((*(buf40+0))+(((((((-(val98*((float)((val94&((unsigned char)(63u)))))*(*(buf1+0)))-(val98*((float)((val95&((unsigned char)(63u)))))*(*(buf1+1))))-(val98*((float)((val96&((unsigned char)(63u)))))*(*(buf1+2))))-(val98*((float)((val97&((unsigned char)(63u)))))*(*(buf1+3))))-(val98*((float)(((val73>>((unsigned char)(4u)))|((val94>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+4))))-(val98*((float)(((val74>>((unsigned char)(4u)))|((val95>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+5))))-(val98*((float)(((val75>>((unsigned char)(4u)))|((val96>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+6))))-(val98*((float)(((val76>>((unsigned char)(4u)))|((val97>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(*(buf1+7)))));
    for (int Lidx88 = 0; Lidx88 < 8; Lidx88++) {
      *(buf50+Lidx88) = ((*(buf39+Lidx88))+(*(buf39+(Lidx88+8))));
    }
    for (int Lidx90 = 0; Lidx90 < 4; Lidx90++) {
      *(buf51+Lidx90) = ((*(buf50+Lidx90))+(*(buf50+(Lidx90+4))));
    }
    for (int Lidx92 = 0; Lidx92 < 2; Lidx92++) {
      *(buf52+Lidx92) = ((*(buf51+Lidx92))+(*(buf51+(Lidx92+2))));
    }
    *(data0_512+(Lidx70+384)) = ((*(buf52+0))+(*(buf52+1))+(*(buf40+0)));
  }
}

