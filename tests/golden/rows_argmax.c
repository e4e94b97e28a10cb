
void argmax_rows_f32_f32_argmax(int* restrict data0_1, int* restrict data1_1, int* restrict data2_41, float* restrict data3_96) {
  float buf0[32];
  float buf1[16];
  float buf2[8];
  float buf3[4];
  float buf4[2];
  float buf5[1];
  int buf6[32];
  int buf7[16];
  int buf8[8];
  int buf9[4];
  int buf10[2];
  int buf11[3];
  for (int Lidx2 = 0; Lidx2 < 32; Lidx2++) {
    *(buf0+Lidx2) = -3.0000000054977558e+38f;
  }
  for (int Ridx3 = 0; Ridx3 < 3; Ridx3++) {
    for (int Lidx4 = 0; Lidx4 < 32; Lidx4++) {
      float val0 = (*(data3_96+((Ridx3<<5)+Lidx4)));
      float val1 = (*(buf0+Lidx4));
      float alu2 = ((val1<val0)?val0:val1);
      *(buf0+Lidx4) = alu2;
    }
  }
  for (int Lidx6 = 0; Lidx6 < 16; Lidx6++) {
    float val2 = (*(buf0+(Lidx6+16)));
    float val3 = (*(buf0+Lidx6));
    float alu6 = ((val3<val2)?val2:val3);
    *(buf1+Lidx6) = alu6;
  }
  for (int Lidx8 = 0; Lidx8 < 8; Lidx8++) {
    float val4 = (*(buf1+(Lidx8+8)));
    float val5 = (*(buf1+Lidx8));
    float alu9 = ((val5<val4)?val4:val5);
    *(buf2+Lidx8) = alu9;
  }
  for (int Lidx10 = 0; Lidx10 < 4; Lidx10++) {
    float val6 = (*(buf2+(Lidx10+4)));
    float val7 = (*(buf2+Lidx10));
    float alu12 = ((val7<val6)?val6:val7);
    *(buf3+Lidx10) = alu12;
  }
  for (int Lidx12 = 0; Lidx12 < 2; Lidx12++) {
    float val8 = (*(buf3+(Lidx12+2)));
    float val9 = (*(buf3+Lidx12));
    float alu15 = ((val9<val8)?val8:val9);
    *(buf4+Lidx12) = alu15;
  }
  float val10 = (*(buf4+0));
  float val11 = (*(buf4+1));
  float alu18 = ((val10<val11)?val11:val10);
  *(buf5+0) = alu18;
  for (int Lidx15 = 0; Lidx15 < 32; Lidx15++) {
    *(buf6+Lidx15) = 95;
  }
  for (int Ridx16 = 0; Ridx16 < 3; Ridx16++) {
    for (int Lidx17 = 0; Lidx17 < 32; Lidx17++) {
      int alu22 = ((Ridx16<<5)+Lidx17);
      float val12 = (*(data3_96+alu22));
      int alu23 = ((*(buf6+Lidx17))^-1);
      int alu24 = ((val12<(*(buf5+0)))?95:alu22);
      int alu25 = (alu24^-1);
      int alu26 = ((alu23<alu25)?alu25:alu23);
      *(buf6+Lidx17) = (alu26^-1);
    }
  }
  for (int Lidx19 = 0; Lidx19 < 16; Lidx19++) {
    int alu30 = ((*(buf6+(Lidx19+16)))^-1);
    int alu31 = ((*(buf6+Lidx19))^-1);
    int alu32 = ((alu31<alu30)?alu30:alu31);
    *(buf7+Lidx19) = (alu32^-1);
  }
  for (int Lidx21 = 0; Lidx21 < 8; Lidx21++) {
    int alu35 = ((*(buf7+(Lidx21+8)))^-1);
    int alu36 = ((*(buf7+Lidx21))^-1);
    int alu37 = ((alu36<alu35)?alu35:alu36);
    *(buf8+Lidx21) = (alu37^-1);
  }
  for (int Lidx23 = 0; Lidx23 < 4; Lidx23++) {
    int alu40 = ((*(buf8+(Lidx23+4)))^-1);
    int alu41 = ((*(buf8+Lidx23))^-1);
    int alu42 = ((alu41<alu40)?alu40:alu41);
    *(buf9+Lidx23) = (alu42^-1);
  }
  for (int Lidx25 = 0; Lidx25 < 2; Lidx25++) {
    int alu45 = ((*(buf9+(Lidx25+2)))^-1);
    int alu46 = ((*(buf9+Lidx25))^-1);
    int alu47 = ((alu46<alu45)?alu45:alu46);
    *(buf10+Lidx25) = (alu47^-1);
  }
  int val13 = (*(data1_1+0));
  int alu50 = (val13+1);
  int val14 = (*(data2_41+alu50));
  int alu51 = ((*(buf10+0))^-1);
  int alu52 = ((*(buf10+1))^-1);
  int alu53 = ((alu51<alu52)?alu52:alu51);
  int alu54 = ((val14<0)?(alu53^-1):val14);
  *(buf11+0) = alu50;
  *(buf11+1) = alu54;
  int val15 = (*(buf11+0));
  int val16 = (*(buf11+1));
  *(data0_1+0) = val16;
  *(data1_1+0) = val15;
  *(data2_41+val15) = val16;
}
