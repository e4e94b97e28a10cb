// decode/norm/256/m1 lanes=8

void norm_rows_f32_norm(float* restrict data0_256, float* restrict data1_8, float* restrict data2_256, float* restrict data3_256) {
  float buf0[8];
  float buf1[4];
  float buf2[2];
  float buf3[1];
  float buf4[16];
  float buf5[8];
  float buf6[4];
  float buf7[2];
  for (int Lidx2 = 0; Lidx2 < 8; Lidx2++) {
    *(buf0+Lidx2) = 0.0f;
  }
  for (int Ridx3 = 0; Ridx3 < 32; Ridx3++) {
    for (int Lidx4 = 0; Lidx4 < 8; Lidx4++) {
      float val0 = (*(data2_256+((Ridx3<<3)+Lidx4)));
      *(buf0+Lidx4) = ((*(buf0+Lidx4))+(val0*val0));
    }
  }
  for (int Lidx6 = 0; Lidx6 < 4; Lidx6++) {
    *(buf1+Lidx6) = ((*(buf0+Lidx6))+(*(buf0+(Lidx6+4))));
  }
  for (int Lidx8 = 0; Lidx8 < 2; Lidx8++) {
    *(buf2+Lidx8) = ((*(buf1+Lidx8))+(*(buf1+(Lidx8+2))));
  }
  *(buf3+0) = (1.0f/__builtin_sqrtf(((((*(buf2+0))+(*(buf2+1)))*0.00390625f)+9.999999747378752e-06f)));
  for (int Lidx10 = 0; Lidx10 < 256; Lidx10++) {
    float val1 = (*(data2_256+Lidx10));
    float val2 = (*(data3_256+Lidx10));
    *(data0_256+Lidx10) = (val1*(*(buf3+0))*val2);
  }
  for (int Lidx11 = 0; Lidx11 < 8; Lidx11++) {
    for (int Lidx12 = 0; Lidx12 < 16; Lidx12++) {
      int alu12 = ((Lidx11<<5)+Lidx12);
      float val3 = (*(data0_256+(alu12+16)));
      float val4 = (*(data0_256+alu12));
      *(buf4+Lidx12) = (val4+val3);
    }
    for (int Lidx15 = 0; Lidx15 < 8; Lidx15++) {
      *(buf5+Lidx15) = ((*(buf4+Lidx15))+(*(buf4+(Lidx15+8))));
    }
    for (int Lidx17 = 0; Lidx17 < 4; Lidx17++) {
      *(buf6+Lidx17) = ((*(buf5+Lidx17))+(*(buf5+(Lidx17+4))));
    }
    for (int Lidx19 = 0; Lidx19 < 2; Lidx19++) {
      *(buf7+Lidx19) = ((*(buf6+Lidx19))+(*(buf6+(Lidx19+2))));
    }
    *(data1_8+Lidx11) = ((*(buf7+0))+(*(buf7+1)));
  }
}

