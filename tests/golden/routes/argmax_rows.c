// decode/argmax/96/m1 lanes=16

void argmax_rows_argmax(int* restrict data0_1, int* restrict data1_1, int* restrict data2_65, float* restrict data3_96) {
  float buf0[16];
  float buf1[8];
  float buf2[4];
  float buf3[2];
  float buf4[1];
  int buf5[16];
  int buf6[8];
  int buf7[4];
  int buf8[2];
  int buf9[3];
  for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
    *(buf0+Lidx2) = -3.0000000054977558e+38f;
  }
  for (int Ridx3 = 0; Ridx3 < 6; Ridx3++) {
    for (int Lidx4 = 0; Lidx4 < 16; Lidx4++) {
      float val0 = (*(data3_96+((Ridx3<<4)+Lidx4)));
      float val1 = (*(buf0+Lidx4));
      float alu2 = ((val1<val0)?val0:val1);
      *(buf0+Lidx4) = alu2;
    }
  }
  for (int Lidx6 = 0; Lidx6 < 8; Lidx6++) {
    float val2 = (*(buf0+(Lidx6+8)));
    float val3 = (*(buf0+Lidx6));
    float alu6 = ((val3<val2)?val2:val3);
    *(buf1+Lidx6) = alu6;
  }
  for (int Lidx8 = 0; Lidx8 < 4; Lidx8++) {
    float val4 = (*(buf1+(Lidx8+4)));
    float val5 = (*(buf1+Lidx8));
    float alu9 = ((val5<val4)?val4:val5);
    *(buf2+Lidx8) = alu9;
  }
  for (int Lidx10 = 0; Lidx10 < 2; Lidx10++) {
    float val6 = (*(buf2+(Lidx10+2)));
    float val7 = (*(buf2+Lidx10));
    float alu12 = ((val7<val6)?val6:val7);
    *(buf3+Lidx10) = alu12;
  }
  float val8 = (*(buf3+0));
  float val9 = (*(buf3+1));
  float alu15 = ((val8<val9)?val9:val8);
  *(buf4+0) = alu15;
  for (int Lidx13 = 0; Lidx13 < 16; Lidx13++) {
    *(buf5+Lidx13) = 95;
  }
  for (int Ridx14 = 0; Ridx14 < 6; Ridx14++) {
    for (int Lidx15 = 0; Lidx15 < 16; Lidx15++) {
      int alu19 = ((Ridx14<<4)+Lidx15);
      float val10 = (*(data3_96+alu19));
      int alu20 = ((*(buf5+Lidx15))^-1);
      int alu21 = ((val10<(*(buf4+0)))?95:alu19);
      int alu22 = (alu21^-1);
      int alu23 = ((alu20<alu22)?alu22:alu20);
      *(buf5+Lidx15) = (alu23^-1);
    }
  }
  for (int Lidx17 = 0; Lidx17 < 8; Lidx17++) {
    int alu27 = ((*(buf5+(Lidx17+8)))^-1);
    int alu28 = ((*(buf5+Lidx17))^-1);
    int alu29 = ((alu28<alu27)?alu27:alu28);
    *(buf6+Lidx17) = (alu29^-1);
  }
  for (int Lidx19 = 0; Lidx19 < 4; Lidx19++) {
    int alu32 = ((*(buf6+(Lidx19+4)))^-1);
    int alu33 = ((*(buf6+Lidx19))^-1);
    int alu34 = ((alu33<alu32)?alu32:alu33);
    *(buf7+Lidx19) = (alu34^-1);
  }
  for (int Lidx21 = 0; Lidx21 < 2; Lidx21++) {
    int alu37 = ((*(buf7+(Lidx21+2)))^-1);
    int alu38 = ((*(buf7+Lidx21))^-1);
    int alu39 = ((alu38<alu37)?alu37:alu38);
    *(buf8+Lidx21) = (alu39^-1);
  }
  int val11 = (*(data1_1+0));
  int alu42 = (val11+1);
  int val12 = (*(data2_65+alu42));
  int alu43 = ((*(buf8+0))^-1);
  int alu44 = ((*(buf8+1))^-1);
  int alu45 = ((alu43<alu44)?alu44:alu43);
  int alu46 = ((val12<0)?(alu45^-1):val12);
  *(buf9+0) = alu42;
  *(buf9+1) = alu46;
  int val13 = (*(buf9+0));
  int val14 = (*(buf9+1));
  *(data0_1+0) = val14;
  *(data1_1+0) = val13;
  *(data2_65+val13) = val14;
}

