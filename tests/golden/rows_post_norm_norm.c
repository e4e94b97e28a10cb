
void chain_rows_f32_f32_post_norm_norm(float* restrict data0_256, float* restrict data1_256, float* restrict data2_8, float* restrict data3_256, float* restrict data4_256, float* restrict data5_256) {
  float buf0[16];
  float buf1[8];
  float buf2[4];
  float buf3[2];
  float buf4[1];
  float buf5[16];
  float buf6[8];
  float buf7[4];
  float buf8[2];
  float buf9[1];
  float buf10[16];
  float buf11[8];
  float buf12[4];
  float buf13[2];
  for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
    *(buf0+Lidx2) = 0.0f;
  }
  for (int Ridx3 = 0; Ridx3 < 16; Ridx3++) {
    for (int Lidx4 = 0; Lidx4 < 16; Lidx4++) {
      float val0 = (*(data3_256+((Ridx3<<4)+Lidx4)));
      *(buf0+Lidx4) = ((*(buf0+Lidx4))+(val0*val0));
    }
  }
  for (int Lidx6 = 0; Lidx6 < 8; Lidx6++) {
    *(buf1+Lidx6) = ((*(buf0+Lidx6))+(*(buf0+(Lidx6+8))));
  }
  for (int Lidx8 = 0; Lidx8 < 4; Lidx8++) {
    *(buf2+Lidx8) = ((*(buf1+Lidx8))+(*(buf1+(Lidx8+4))));
  }
  for (int Lidx10 = 0; Lidx10 < 2; Lidx10++) {
    *(buf3+Lidx10) = ((*(buf2+Lidx10))+(*(buf2+(Lidx10+2))));
  }
  *(buf4+0) = (1.0f/__builtin_sqrtf(((((*(buf3+0))+(*(buf3+1)))*0.00390625f)+9.999999747378752e-06f)));
  for (int Lidx12 = 0; Lidx12 < 256; Lidx12++) {
    float val1 = (*(data0_256+Lidx12));
    float val2 = (*(data3_256+Lidx12));
    float val3 = (*(data4_256+Lidx12));
    *(data0_256+Lidx12) = (val1+(val2*(*(buf4+0))*val3));
  }
  for (int Lidx14 = 0; Lidx14 < 16; Lidx14++) {
    *(buf5+Lidx14) = 0.0f;
  }
  for (int Ridx15 = 0; Ridx15 < 16; Ridx15++) {
    for (int Lidx16 = 0; Lidx16 < 16; Lidx16++) {
      float val4 = (*(data0_256+((Ridx15<<4)+Lidx16)));
      *(buf5+Lidx16) = ((*(buf5+Lidx16))+(val4*val4));
    }
  }
  for (int Lidx18 = 0; Lidx18 < 8; Lidx18++) {
    *(buf6+Lidx18) = ((*(buf5+Lidx18))+(*(buf5+(Lidx18+8))));
  }
  for (int Lidx20 = 0; Lidx20 < 4; Lidx20++) {
    *(buf7+Lidx20) = ((*(buf6+Lidx20))+(*(buf6+(Lidx20+4))));
  }
  for (int Lidx22 = 0; Lidx22 < 2; Lidx22++) {
    *(buf8+Lidx22) = ((*(buf7+Lidx22))+(*(buf7+(Lidx22+2))));
  }
  *(buf9+0) = (1.0f/__builtin_sqrtf(((((*(buf8+0))+(*(buf8+1)))*0.00390625f)+9.999999747378752e-06f)));
  for (int Lidx24 = 0; Lidx24 < 256; Lidx24++) {
    float val5 = (*(data0_256+Lidx24));
    float val6 = (*(data5_256+Lidx24));
    *(data1_256+Lidx24) = (val5*(*(buf9+0))*val6);
  }
  for (int Lidx25 = 0; Lidx25 < 8; Lidx25++) {
    for (int Lidx26 = 0; Lidx26 < 16; Lidx26++) {
      int alu28 = ((Lidx25<<5)+Lidx26);
      float val7 = (*(data1_256+(alu28+16)));
      float val8 = (*(data1_256+alu28));
      *(buf10+Lidx26) = (val8+val7);
    }
    for (int Lidx29 = 0; Lidx29 < 8; Lidx29++) {
      *(buf11+Lidx29) = ((*(buf10+Lidx29))+(*(buf10+(Lidx29+8))));
    }
    for (int Lidx31 = 0; Lidx31 < 4; Lidx31++) {
      *(buf12+Lidx31) = ((*(buf11+Lidx31))+(*(buf11+(Lidx31+4))));
    }
    for (int Lidx33 = 0; Lidx33 < 2; Lidx33++) {
      *(buf13+Lidx33) = ((*(buf12+Lidx33))+(*(buf12+(Lidx33+2))));
    }
    *(data2_8+Lidx25) = ((*(buf13+0))+(*(buf13+1)));
  }
}
