// decode/qkv/256x256+2x128x256/Q4_K/m1 lanes=4 rows=1 scale=1 share=0 split=1 unroll=1
typedef float float4 __attribute__((aligned(16),ext_vector_type(4)));
void gemv_rows_q8_qkv(float* restrict data0_512, unsigned int* restrict data1_64, float* restrict data2_8, float* restrict data3_16, unsigned char* restrict data4_36864, unsigned char* restrict data5_18432, unsigned char* restrict data6_18432) {
  signed char buf0[256];
  float buf1[4];
  float buf2[1];
  float buf3[2];
  float buf4[1];
  float buf5[1];
  float buf6[1];
  float buf7[1];
  float buf8[1];
  float buf9[1];
  float buf10[1];
  float buf11[1];
  float buf12[2];
  float buf13[4];
  float buf14[1];
  float buf15[2];
  float buf16[1];
  float buf17[1];
  float buf18[1];
  float buf19[1];
  float buf20[1];
  float buf21[1];
  float buf22[1];
  float buf23[1];
  float buf24[2];
  float buf25[4];
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
  float buf36[2];
  for (int Lidx2 = 0; Lidx2 < 64; Lidx2++) {
    unsigned int val0 = (*(data1_64+Lidx2));
    int alu0 = (Lidx2<<2);
    *(buf0+(alu0+1)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>8u)))));
    *(buf0+(alu0+2)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>16u)))));
    *(buf0+(alu0+3)) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)((val0>>24u)))));
    *(buf0+alu0) = __builtin_bit_cast(signed char, (unsigned char)(((unsigned char)(val0))));
  }
  float4 val1 = (*((float4*)((data2_8+0))));
  float4 val2 = (*((float4*)((data2_8+4))));
  float4 val3 = (*((float4*)((data3_16+0))));
  float4 val4 = (*((float4*)((data3_16+4))));
  float4 val5 = (*((float4*)((data3_16+8))));
  float4 val6 = (*((float4*)((data3_16+12))));
  for (int Lidx3 = 0; Lidx3 < 256; Lidx3++) {
    for (int Lidx5 = 0; Lidx5 < 4; Lidx5++) {
      *(buf1+Lidx5) = 0.0f;
    }
    int alu8 = (Lidx3*144);
    for (int Lidx11 = 0; Lidx11 < 2; Lidx11++) {
      int alu9 = (alu8+(Lidx11<<1));
      unsigned char val7 = (*(data4_36864+(alu9+1)));
      unsigned char val8 = (*(data4_36864+alu9));
      *(buf3+Lidx11) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val8))|(((unsigned short)(val7))<<((unsigned short)(8u))))))));
    }
    unsigned char val9 = (*(data4_36864+(alu8+4)));
    unsigned char val10 = (*(data4_36864+(alu8+5)));
    unsigned char val11 = (*(data4_36864+(alu8+6)));
    unsigned char val12 = (*(data4_36864+(alu8+7)));
    unsigned char val13 = (*(data4_36864+(alu8+12)));
    unsigned char val14 = (*(data4_36864+(alu8+13)));
    unsigned char val15 = (*(data4_36864+(alu8+14)));
    unsigned char val16 = (*(data4_36864+(alu8+15)));
    float val17 = (*(buf3+0));
    *(buf4+0) = (val17*((float)((val9&((unsigned char)(63u)))))*val1[0]);
    *(buf5+0) = (val17*((float)((val10&((unsigned char)(63u)))))*val1[1]);
    *(buf6+0) = (val17*((float)((val11&((unsigned char)(63u)))))*val1[2]);
    *(buf7+0) = (val17*((float)((val12&((unsigned char)(63u)))))*val1[3]);
    *(buf8+0) = (val17*((float)(((val13&((unsigned char)(15u)))|((val9>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[0]);
    *(buf9+0) = (val17*((float)(((val14&((unsigned char)(15u)))|((val10>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[1]);
    *(buf10+0) = (val17*((float)(((val15&((unsigned char)(15u)))|((val11>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[2]);
    *(buf11+0) = (val17*((float)(((val16&((unsigned char)(15u)))|((val12>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val2[3]);
    for (int Lidx9 = 0; Lidx9 < 4; Lidx9++) {
      int alu20 = (alu8+Lidx9);
      unsigned char val18 = (*(data4_36864+(alu20+16)));
      unsigned char val19 = (*(data4_36864+(alu20+20)));
      unsigned char val20 = (*(data4_36864+(alu20+24)));
      unsigned char val21 = (*(data4_36864+(alu20+28)));
      unsigned char val22 = (*(data4_36864+(alu20+32)));
      unsigned char val23 = (*(data4_36864+(alu20+36)));
      unsigned char val24 = (*(data4_36864+(alu20+40)));
      unsigned char val25 = (*(data4_36864+(alu20+44)));
      unsigned char val26 = (*(data4_36864+(alu20+48)));
      unsigned char val27 = (*(data4_36864+(alu20+52)));
      unsigned char val28 = (*(data4_36864+(alu20+56)));
      unsigned char val29 = (*(data4_36864+(alu20+60)));
      unsigned char val30 = (*(data4_36864+(alu20+64)));
      unsigned char val31 = (*(data4_36864+(alu20+68)));
      unsigned char val32 = (*(data4_36864+(alu20+72)));
      unsigned char val33 = (*(data4_36864+(alu20+76)));
      unsigned char val34 = (*(data4_36864+(alu20+80)));
      unsigned char val35 = (*(data4_36864+(alu20+84)));
      unsigned char val36 = (*(data4_36864+(alu20+88)));
      unsigned char val37 = (*(data4_36864+(alu20+92)));
      unsigned char val38 = (*(data4_36864+(alu20+96)));
      unsigned char val39 = (*(data4_36864+(alu20+100)));
      unsigned char val40 = (*(data4_36864+(alu20+104)));
      unsigned char val41 = (*(data4_36864+(alu20+108)));
      unsigned char val42 = (*(data4_36864+(alu20+112)));
      unsigned char val43 = (*(data4_36864+(alu20+116)));
      unsigned char val44 = (*(data4_36864+(alu20+120)));
      unsigned char val45 = (*(data4_36864+(alu20+124)));
      unsigned char val46 = (*(data4_36864+(alu20+128)));
      unsigned char val47 = (*(data4_36864+(alu20+132)));
      unsigned char val48 = (*(data4_36864+(alu20+136)));
      unsigned char val49 = (*(data4_36864+(alu20+140)));
      *(buf1+Lidx9) = ((*(buf1+Lidx9))+(((float)(((((int)((val18&((unsigned char)(15u)))))*((int)((*(buf0+Lidx9)))))+(((int)((val19&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+4))))))+(((int)((val20&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+8))))))+(((int)((val21&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+12))))))+(((int)((val22&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+16))))))+(((int)((val23&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+20))))))+(((int)((val24&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+24))))))+(((int)((val25&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+28)))))))))*(*(buf4+0)))+(((float)(((((int)((val18>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+32))))))+(((int)((val19>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+36))))))+(((int)((val20>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+40))))))+(((int)((val21>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+44))))))+(((int)((val22>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+48))))))+(((int)((val23>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+52))))))+(((int)((val24>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+56))))))+(((int)((val25>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+60)))))))))*(*(buf5+0)))+(((float)(((((int)((val26&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+64))))))+(((int)((val27&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+68))))))+(((int)((val28&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+72))))))+(((int)((val29&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+76))))))+(((int)((val30&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+80))))))+(((int)((val31&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+84))))))+(((int)((val32&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+88))))))+(((int)((val33&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+92)))))))))*(*(buf6+0)))+(((float)(((((int)((val26>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+96))))))+(((int)((val27>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+100))))))+(((int)((val28>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+104))))))+(((int)((val29>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+108))))))+(((int)((val30>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+112))))))+(((int)((val31>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+116))))))+(((int)((val32>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+120))))))+(((int)((val33>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+124)))))))))*(*(buf7+0)))+(((float)(((((int)((val34&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+128))))))+(((int)((val35&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+132))))))+(((int)((val36&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+136))))))+(((int)((val37&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+140))))))+(((int)((val38&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+144))))))+(((int)((val39&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+148))))))+(((int)((val40&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+152))))))+(((int)((val41&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+156)))))))))*(*(buf8+0)))+(((float)(((((int)((val34>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+160))))))+(((int)((val35>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+164))))))+(((int)((val36>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+168))))))+(((int)((val37>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+172))))))+(((int)((val38>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+176))))))+(((int)((val39>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+180))))))+(((int)((val40>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+184))))))+(((int)((val41>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+188)))))))))*(*(buf9+0)))+(((float)(((((int)((val42&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+192))))))+(((int)((val43&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+196))))))+(((int)((val44&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+200))))))+(((int)((val45&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+204))))))+(((int)((val46&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+208))))))+(((int)((val47&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+212))))))+(((int)((val48&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+216))))))+(((int)((val49&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx9+220)))))))))*(*(buf10+0)))+(((float)(((((int)((val42>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+224))))))+(((int)((val43>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+228))))))+(((int)((val44>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+232))))))+(((int)((val45>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+236))))))+(((int)((val46>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+240))))))+(((int)((val47>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+244))))))+(((int)((val48>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+248))))))+(((int)((val49>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx9+252)))))))))*(*(buf11+0))));
    }
    unsigned char val50 = (*(data4_36864+(alu8+8)));
    unsigned char val51 = (*(data4_36864+(alu8+9)));
    unsigned char val52 = (*(data4_36864+(alu8+10)));
    unsigned char val53 = (*(data4_36864+(alu8+11)));
    *(buf2+0) = 0.0f;
    float val54 = (*(buf3+1));
    *(buf2+0) = ((*(buf2+0))+(((((((-(val54*((float)((val50&((unsigned char)(63u)))))*(val3[0]+val3[1]))-(val54*((float)((val51&((unsigned char)(63u)))))*(val3[2]+val3[3])))-(val54*((float)((val52&((unsigned char)(63u)))))*(val4[0]+val4[1])))-(val54*((float)((val53&((unsigned char)(63u)))))*(val4[2]+val4[3])))-(val54*((float)(((val13>>((unsigned char)(4u)))|((val50>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[0]+val5[1])))-(val54*((float)(((val14>>((unsigned char)(4u)))|((val51>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val5[2]+val5[3])))-(val54*((float)(((val15>>((unsigned char)(4u)))|((val52>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[0]+val6[1])))-(val54*((float)(((val16>>((unsigned char)(4u)))|((val53>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val6[2]+val6[3]))));
    for (int Lidx21 = 0; Lidx21 < 2; Lidx21++) {
      *(buf12+Lidx21) = ((*(buf1+Lidx21))+(*(buf1+(Lidx21+2))));
    }
    *(data0_512+Lidx3) = ((*(buf12+0))+(*(buf12+1))+(*(buf2+0)));
  }
  float4 val55 = (*((float4*)((data2_8+0))));
  float4 val56 = (*((float4*)((data2_8+4))));
  float4 val57 = (*((float4*)((data3_16+0))));
  float4 val58 = (*((float4*)((data3_16+4))));
  float4 val59 = (*((float4*)((data3_16+8))));
  float4 val60 = (*((float4*)((data3_16+12))));
  for (int Lidx22 = 0; Lidx22 < 128; Lidx22++) {
    for (int Lidx24 = 0; Lidx24 < 4; Lidx24++) {
      *(buf13+Lidx24) = 0.0f;
    }
    int alu31 = (Lidx22*144);
    for (int Lidx30 = 0; Lidx30 < 2; Lidx30++) {
      int alu32 = (alu31+(Lidx30<<1));
      unsigned char val61 = (*(data5_18432+(alu32+1)));
      unsigned char val62 = (*(data5_18432+alu32));
      *(buf15+Lidx30) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val62))|(((unsigned short)(val61))<<((unsigned short)(8u))))))));
    }
    unsigned char val63 = (*(data5_18432+(alu31+4)));
    unsigned char val64 = (*(data5_18432+(alu31+5)));
    unsigned char val65 = (*(data5_18432+(alu31+6)));
    unsigned char val66 = (*(data5_18432+(alu31+7)));
    unsigned char val67 = (*(data5_18432+(alu31+12)));
    unsigned char val68 = (*(data5_18432+(alu31+13)));
    unsigned char val69 = (*(data5_18432+(alu31+14)));
    unsigned char val70 = (*(data5_18432+(alu31+15)));
    float val71 = (*(buf15+0));
    *(buf16+0) = (val71*((float)((val63&((unsigned char)(63u)))))*val55[0]);
    *(buf17+0) = (val71*((float)((val64&((unsigned char)(63u)))))*val55[1]);
    *(buf18+0) = (val71*((float)((val65&((unsigned char)(63u)))))*val55[2]);
    *(buf19+0) = (val71*((float)((val66&((unsigned char)(63u)))))*val55[3]);
    *(buf20+0) = (val71*((float)(((val67&((unsigned char)(15u)))|((val63>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val56[0]);
    *(buf21+0) = (val71*((float)(((val68&((unsigned char)(15u)))|((val64>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val56[1]);
    *(buf22+0) = (val71*((float)(((val69&((unsigned char)(15u)))|((val65>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val56[2]);
    *(buf23+0) = (val71*((float)(((val70&((unsigned char)(15u)))|((val66>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val56[3]);
    for (int Lidx28 = 0; Lidx28 < 4; Lidx28++) {
      int alu43 = (alu31+Lidx28);
      unsigned char val72 = (*(data5_18432+(alu43+16)));
      unsigned char val73 = (*(data5_18432+(alu43+20)));
      unsigned char val74 = (*(data5_18432+(alu43+24)));
      unsigned char val75 = (*(data5_18432+(alu43+28)));
      unsigned char val76 = (*(data5_18432+(alu43+32)));
      unsigned char val77 = (*(data5_18432+(alu43+36)));
      unsigned char val78 = (*(data5_18432+(alu43+40)));
      unsigned char val79 = (*(data5_18432+(alu43+44)));
      unsigned char val80 = (*(data5_18432+(alu43+48)));
      unsigned char val81 = (*(data5_18432+(alu43+52)));
      unsigned char val82 = (*(data5_18432+(alu43+56)));
      unsigned char val83 = (*(data5_18432+(alu43+60)));
      unsigned char val84 = (*(data5_18432+(alu43+64)));
      unsigned char val85 = (*(data5_18432+(alu43+68)));
      unsigned char val86 = (*(data5_18432+(alu43+72)));
      unsigned char val87 = (*(data5_18432+(alu43+76)));
      unsigned char val88 = (*(data5_18432+(alu43+80)));
      unsigned char val89 = (*(data5_18432+(alu43+84)));
      unsigned char val90 = (*(data5_18432+(alu43+88)));
      unsigned char val91 = (*(data5_18432+(alu43+92)));
      unsigned char val92 = (*(data5_18432+(alu43+96)));
      unsigned char val93 = (*(data5_18432+(alu43+100)));
      unsigned char val94 = (*(data5_18432+(alu43+104)));
      unsigned char val95 = (*(data5_18432+(alu43+108)));
      unsigned char val96 = (*(data5_18432+(alu43+112)));
      unsigned char val97 = (*(data5_18432+(alu43+116)));
      unsigned char val98 = (*(data5_18432+(alu43+120)));
      unsigned char val99 = (*(data5_18432+(alu43+124)));
      unsigned char val100 = (*(data5_18432+(alu43+128)));
      unsigned char val101 = (*(data5_18432+(alu43+132)));
      unsigned char val102 = (*(data5_18432+(alu43+136)));
      unsigned char val103 = (*(data5_18432+(alu43+140)));
      *(buf13+Lidx28) = ((*(buf13+Lidx28))+(((float)(((((int)((val72&((unsigned char)(15u)))))*((int)((*(buf0+Lidx28)))))+(((int)((val73&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+4))))))+(((int)((val74&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+8))))))+(((int)((val75&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+12))))))+(((int)((val76&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+16))))))+(((int)((val77&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+20))))))+(((int)((val78&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+24))))))+(((int)((val79&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+28)))))))))*(*(buf16+0)))+(((float)(((((int)((val72>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+32))))))+(((int)((val73>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+36))))))+(((int)((val74>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+40))))))+(((int)((val75>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+44))))))+(((int)((val76>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+48))))))+(((int)((val77>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+52))))))+(((int)((val78>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+56))))))+(((int)((val79>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+60)))))))))*(*(buf17+0)))+(((float)(((((int)((val80&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+64))))))+(((int)((val81&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+68))))))+(((int)((val82&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+72))))))+(((int)((val83&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+76))))))+(((int)((val84&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+80))))))+(((int)((val85&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+84))))))+(((int)((val86&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+88))))))+(((int)((val87&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+92)))))))))*(*(buf18+0)))+(((float)(((((int)((val80>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+96))))))+(((int)((val81>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+100))))))+(((int)((val82>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+104))))))+(((int)((val83>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+108))))))+(((int)((val84>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+112))))))+(((int)((val85>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+116))))))+(((int)((val86>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+120))))))+(((int)((val87>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+124)))))))))*(*(buf19+0)))+(((float)(((((int)((val88&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+128))))))+(((int)((val89&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+132))))))+(((int)((val90&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+136))))))+(((int)((val91&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+140))))))+(((int)((val92&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+144))))))+(((int)((val93&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+148))))))+(((int)((val94&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+152))))))+(((int)((val95&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+156)))))))))*(*(buf20+0)))+(((float)(((((int)((val88>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+160))))))+(((int)((val89>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+164))))))+(((int)((val90>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+168))))))+(((int)((val91>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+172))))))+(((int)((val92>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+176))))))+(((int)((val93>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+180))))))+(((int)((val94>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+184))))))+(((int)((val95>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+188)))))))))*(*(buf21+0)))+(((float)(((((int)((val96&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+192))))))+(((int)((val97&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+196))))))+(((int)((val98&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+200))))))+(((int)((val99&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+204))))))+(((int)((val100&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+208))))))+(((int)((val101&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+212))))))+(((int)((val102&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+216))))))+(((int)((val103&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx28+220)))))))))*(*(buf22+0)))+(((float)(((((int)((val96>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+224))))))+(((int)((val97>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+228))))))+(((int)((val98>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+232))))))+(((int)((val99>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+236))))))+(((int)((val100>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+240))))))+(((int)((val101>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+244))))))+(((int)((val102>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+248))))))+(((int)((val103>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx28+252)))))))))*(*(buf23+0))));
    }
    unsigned char val104 = (*(data5_18432+(alu31+8)));
    unsigned char val105 = (*(data5_18432+(alu31+9)));
    unsigned char val106 = (*(data5_18432+(alu31+10)));
    unsigned char val107 = (*(data5_18432+(alu31+11)));
    *(buf14+0) = 0.0f;
    float val108 = (*(buf15+1));
    *(buf14+0) = ((*(buf14+0))+(((((((-(val108*((float)((val104&((unsigned char)(63u)))))*(val57[0]+val57[1]))-(val108*((float)((val105&((unsigned char)(63u)))))*(val57[2]+val57[3])))-(val108*((float)((val106&((unsigned char)(63u)))))*(val58[0]+val58[1])))-(val108*((float)((val107&((unsigned char)(63u)))))*(val58[2]+val58[3])))-(val108*((float)(((val67>>((unsigned char)(4u)))|((val104>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val59[0]+val59[1])))-(val108*((float)(((val68>>((unsigned char)(4u)))|((val105>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val59[2]+val59[3])))-(val108*((float)(((val69>>((unsigned char)(4u)))|((val106>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val60[0]+val60[1])))-(val108*((float)(((val70>>((unsigned char)(4u)))|((val107>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val60[2]+val60[3]))));
    for (int Lidx40 = 0; Lidx40 < 2; Lidx40++) {
      *(buf24+Lidx40) = ((*(buf13+Lidx40))+(*(buf13+(Lidx40+2))));
    }
    *(data0_512+(Lidx22+256)) = ((*(buf24+0))+(*(buf24+1))+(*(buf14+0)));
  }
  float4 val109 = (*((float4*)((data2_8+0))));
  float4 val110 = (*((float4*)((data2_8+4))));
  float4 val111 = (*((float4*)((data3_16+0))));
  float4 val112 = (*((float4*)((data3_16+4))));
  float4 val113 = (*((float4*)((data3_16+8))));
  float4 val114 = (*((float4*)((data3_16+12))));
  for (int Lidx41 = 0; Lidx41 < 128; Lidx41++) {
    for (int Lidx43 = 0; Lidx43 < 4; Lidx43++) {
      *(buf25+Lidx43) = 0.0f;
    }
    int alu54 = (Lidx41*144);
    for (int Lidx49 = 0; Lidx49 < 2; Lidx49++) {
      int alu55 = (alu54+(Lidx49<<1));
      unsigned char val115 = (*(data6_18432+(alu55+1)));
      unsigned char val116 = (*(data6_18432+alu55));
      *(buf27+Lidx49) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val116))|(((unsigned short)(val115))<<((unsigned short)(8u))))))));
    }
    unsigned char val117 = (*(data6_18432+(alu54+4)));
    unsigned char val118 = (*(data6_18432+(alu54+5)));
    unsigned char val119 = (*(data6_18432+(alu54+6)));
    unsigned char val120 = (*(data6_18432+(alu54+7)));
    unsigned char val121 = (*(data6_18432+(alu54+12)));
    unsigned char val122 = (*(data6_18432+(alu54+13)));
    unsigned char val123 = (*(data6_18432+(alu54+14)));
    unsigned char val124 = (*(data6_18432+(alu54+15)));
    float val125 = (*(buf27+0));
    *(buf28+0) = (val125*((float)((val117&((unsigned char)(63u)))))*val109[0]);
    *(buf29+0) = (val125*((float)((val118&((unsigned char)(63u)))))*val109[1]);
    *(buf30+0) = (val125*((float)((val119&((unsigned char)(63u)))))*val109[2]);
    *(buf31+0) = (val125*((float)((val120&((unsigned char)(63u)))))*val109[3]);
    *(buf32+0) = (val125*((float)(((val121&((unsigned char)(15u)))|((val117>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val110[0]);
    *(buf33+0) = (val125*((float)(((val122&((unsigned char)(15u)))|((val118>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val110[1]);
    *(buf34+0) = (val125*((float)(((val123&((unsigned char)(15u)))|((val119>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val110[2]);
    *(buf35+0) = (val125*((float)(((val124&((unsigned char)(15u)))|((val120>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*val110[3]);
    for (int Lidx47 = 0; Lidx47 < 4; Lidx47++) {
      int alu66 = (alu54+Lidx47);
      unsigned char val126 = (*(data6_18432+(alu66+16)));
      unsigned char val127 = (*(data6_18432+(alu66+20)));
      unsigned char val128 = (*(data6_18432+(alu66+24)));
      unsigned char val129 = (*(data6_18432+(alu66+28)));
      unsigned char val130 = (*(data6_18432+(alu66+32)));
      unsigned char val131 = (*(data6_18432+(alu66+36)));
      unsigned char val132 = (*(data6_18432+(alu66+40)));
      unsigned char val133 = (*(data6_18432+(alu66+44)));
      unsigned char val134 = (*(data6_18432+(alu66+48)));
      unsigned char val135 = (*(data6_18432+(alu66+52)));
      unsigned char val136 = (*(data6_18432+(alu66+56)));
      unsigned char val137 = (*(data6_18432+(alu66+60)));
      unsigned char val138 = (*(data6_18432+(alu66+64)));
      unsigned char val139 = (*(data6_18432+(alu66+68)));
      unsigned char val140 = (*(data6_18432+(alu66+72)));
      unsigned char val141 = (*(data6_18432+(alu66+76)));
      unsigned char val142 = (*(data6_18432+(alu66+80)));
      unsigned char val143 = (*(data6_18432+(alu66+84)));
      unsigned char val144 = (*(data6_18432+(alu66+88)));
      unsigned char val145 = (*(data6_18432+(alu66+92)));
      unsigned char val146 = (*(data6_18432+(alu66+96)));
      unsigned char val147 = (*(data6_18432+(alu66+100)));
      unsigned char val148 = (*(data6_18432+(alu66+104)));
      unsigned char val149 = (*(data6_18432+(alu66+108)));
      unsigned char val150 = (*(data6_18432+(alu66+112)));
      unsigned char val151 = (*(data6_18432+(alu66+116)));
      unsigned char val152 = (*(data6_18432+(alu66+120)));
      unsigned char val153 = (*(data6_18432+(alu66+124)));
      unsigned char val154 = (*(data6_18432+(alu66+128)));
      unsigned char val155 = (*(data6_18432+(alu66+132)));
      unsigned char val156 = (*(data6_18432+(alu66+136)));
      unsigned char val157 = (*(data6_18432+(alu66+140)));
      *(buf25+Lidx47) = ((*(buf25+Lidx47))+(((float)(((((int)((val126&((unsigned char)(15u)))))*((int)((*(buf0+Lidx47)))))+(((int)((val127&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+4))))))+(((int)((val128&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+8))))))+(((int)((val129&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+12))))))+(((int)((val130&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+16))))))+(((int)((val131&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+20))))))+(((int)((val132&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+24))))))+(((int)((val133&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+28)))))))))*(*(buf28+0)))+(((float)(((((int)((val126>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+32))))))+(((int)((val127>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+36))))))+(((int)((val128>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+40))))))+(((int)((val129>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+44))))))+(((int)((val130>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+48))))))+(((int)((val131>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+52))))))+(((int)((val132>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+56))))))+(((int)((val133>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+60)))))))))*(*(buf29+0)))+(((float)(((((int)((val134&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+64))))))+(((int)((val135&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+68))))))+(((int)((val136&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+72))))))+(((int)((val137&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+76))))))+(((int)((val138&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+80))))))+(((int)((val139&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+84))))))+(((int)((val140&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+88))))))+(((int)((val141&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+92)))))))))*(*(buf30+0)))+(((float)(((((int)((val134>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+96))))))+(((int)((val135>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+100))))))+(((int)((val136>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+104))))))+(((int)((val137>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+108))))))+(((int)((val138>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+112))))))+(((int)((val139>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+116))))))+(((int)((val140>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+120))))))+(((int)((val141>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+124)))))))))*(*(buf31+0)))+(((float)(((((int)((val142&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+128))))))+(((int)((val143&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+132))))))+(((int)((val144&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+136))))))+(((int)((val145&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+140))))))+(((int)((val146&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+144))))))+(((int)((val147&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+148))))))+(((int)((val148&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+152))))))+(((int)((val149&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+156)))))))))*(*(buf32+0)))+(((float)(((((int)((val142>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+160))))))+(((int)((val143>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+164))))))+(((int)((val144>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+168))))))+(((int)((val145>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+172))))))+(((int)((val146>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+176))))))+(((int)((val147>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+180))))))+(((int)((val148>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+184))))))+(((int)((val149>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+188)))))))))*(*(buf33+0)))+(((float)(((((int)((val150&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+192))))))+(((int)((val151&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+196))))))+(((int)((val152&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+200))))))+(((int)((val153&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+204))))))+(((int)((val154&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+208))))))+(((int)((val155&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+212))))))+(((int)((val156&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+216))))))+(((int)((val157&((unsigned char)(15u)))))*((int)((*(buf0+(Lidx47+220)))))))))*(*(buf34+0)))+(((float)(((((int)((val150>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+224))))))+(((int)((val151>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+228))))))+(((int)((val152>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+232))))))+(((int)((val153>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+236))))))+(((int)((val154>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+240))))))+(((int)((val155>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+244))))))+(((int)((val156>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+248))))))+(((int)((val157>>((unsigned char)(4u)))))*((int)((*(buf0+(Lidx47+252)))))))))*(*(buf35+0))));
    }
    unsigned char val158 = (*(data6_18432+(alu54+8)));
    unsigned char val159 = (*(data6_18432+(alu54+9)));
    unsigned char val160 = (*(data6_18432+(alu54+10)));
    unsigned char val161 = (*(data6_18432+(alu54+11)));
    *(buf26+0) = 0.0f;
    float val162 = (*(buf27+1));
    *(buf26+0) = ((*(buf26+0))+(((((((-(val162*((float)((val158&((unsigned char)(63u)))))*(val111[0]+val111[1]))-(val162*((float)((val159&((unsigned char)(63u)))))*(val111[2]+val111[3])))-(val162*((float)((val160&((unsigned char)(63u)))))*(val112[0]+val112[1])))-(val162*((float)((val161&((unsigned char)(63u)))))*(val112[2]+val112[3])))-(val162*((float)(((val121>>((unsigned char)(4u)))|((val158>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val113[0]+val113[1])))-(val162*((float)(((val122>>((unsigned char)(4u)))|((val159>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val113[2]+val113[3])))-(val162*((float)(((val123>>((unsigned char)(4u)))|((val160>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val114[0]+val114[1])))-(val162*((float)(((val124>>((unsigned char)(4u)))|((val161>>((unsigned char)(6u)))<<((unsigned char)(4u))))))*(val114[2]+val114[3]))));
    for (int Lidx59 = 0; Lidx59 < 2; Lidx59++) {
      *(buf36+Lidx59) = ((*(buf25+Lidx59))+(*(buf25+(Lidx59+2))));
    }
    *(data0_512+(Lidx41+384)) = ((*(buf36+0))+(*(buf36+1))+(*(buf26+0)));
  }
}

