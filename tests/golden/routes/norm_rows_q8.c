// decode/norm/256/m1 lanes=8
typedef float float2 __attribute__((aligned(8),ext_vector_type(2)));
void norm_rows_q8_norm(unsigned int* restrict data0_64, float* restrict data1_8, float* restrict data2_16, float* restrict data3_256, float* restrict data4_256) {
  float buf0[256];
  float buf1[8];
  float buf2[4];
  float buf3[2];
  float buf4[1];
  int buf5[32];
  float buf6[16];
  float buf7[8];
  float buf8[4];
  float buf9[2];
  int buf10[16];
  int buf11[8];
  int buf12[4];
  int buf13[2];
  int buf14[16];
  int buf15[8];
  int buf16[4];
  int buf17[2];
  for (int Lidx3 = 0; Lidx3 < 8; Lidx3++) {
    *(buf1+Lidx3) = 0.0f;
  }
  for (int Ridx4 = 0; Ridx4 < 32; Ridx4++) {
    for (int Lidx5 = 0; Lidx5 < 8; Lidx5++) {
      float val0 = (*(data3_256+((Ridx4<<3)+Lidx5)));
      *(buf1+Lidx5) = ((*(buf1+Lidx5))+(val0*val0));
    }
  }
  for (int Lidx7 = 0; Lidx7 < 4; Lidx7++) {
    *(buf2+Lidx7) = ((*(buf1+Lidx7))+(*(buf1+(Lidx7+4))));
  }
  for (int Lidx9 = 0; Lidx9 < 2; Lidx9++) {
    *(buf3+Lidx9) = ((*(buf2+Lidx9))+(*(buf2+(Lidx9+2))));
  }
  *(buf4+0) = (1.0f/__builtin_sqrtf(((((*(buf3+0))+(*(buf3+1)))*0.00390625f)+9.999999747378752e-06f)));
  for (int Lidx11 = 0; Lidx11 < 256; Lidx11++) {
    float val1 = (*(data3_256+Lidx11));
    float val2 = (*(data4_256+Lidx11));
    *(buf0+Lidx11) = (val1*(*(buf4+0))*val2);
  }
  for (int Lidx12 = 0; Lidx12 < 8; Lidx12++) {
    int alu12 = (Lidx12<<5);
    for (int Lidx15 = 0; Lidx15 < 16; Lidx15++) {
      int alu13 = (alu12+Lidx15);
      float val3 = (*(buf0+(alu13+16)));
      float val4 = (*(buf0+alu13));
      float alu14 = ((val3<0.0f)?-val3:val3);
      float alu15 = ((val4<0.0f)?-val4:val4);
      float alu16 = ((alu15<alu14)?alu14:alu15);
      *(buf6+Lidx15) = alu16;
    }
    for (int Lidx17 = 0; Lidx17 < 8; Lidx17++) {
      float val5 = (*(buf6+(Lidx17+8)));
      float val6 = (*(buf6+Lidx17));
      float alu19 = ((val6<val5)?val5:val6);
      *(buf7+Lidx17) = alu19;
    }
    for (int Lidx19 = 0; Lidx19 < 4; Lidx19++) {
      float val7 = (*(buf7+(Lidx19+4)));
      float val8 = (*(buf7+Lidx19));
      float alu22 = ((val8<val7)?val7:val8);
      *(buf8+Lidx19) = alu22;
    }
    for (int Lidx21 = 0; Lidx21 < 2; Lidx21++) {
      float val9 = (*(buf8+(Lidx21+2)));
      float val10 = (*(buf8+Lidx21));
      float alu25 = ((val10<val9)?val9:val10);
      *(buf9+Lidx21) = alu25;
    }
    float val11 = (*(buf9+0));
    float val12 = (*(buf9+1));
    float alu28 = ((val11<val12)?val12:val11);
    float alu29 = (alu28*0.007874015718698502f);
    _Bool alu30 = (0.0f<alu29);
    float alu31 = (alu30?alu29:1.0f);
    float alu32 = (alu30?(1.0f/alu31):0.0f);
    for (int Lidx22 = 0; Lidx22 < 32; Lidx22++) {
      float alu33 = ((*(buf0+(alu12+Lidx22)))*alu32);
      float alu34 = ((alu33<0.0f)?-0.5f:0.5f);
      int cast0 = ((int)((alu33+alu34)));
      int alu35 = ((cast0<-127)?-127:cast0);
      int alu36 = (alu35^-1);
      int alu37 = ((alu36<-128)?-128:alu36);
      *(buf5+Lidx22) = (alu37^-1);
    }
    for (int Lidx23 = 0; Lidx23 < 8; Lidx23++) {
      int alu40 = (Lidx23<<2);
      *(data0_64+((Lidx12<<3)+Lidx23)) = __builtin_bit_cast(unsigned int, (int)((((*(buf5+alu40))&255)|(((*(buf5+(alu40+1)))&255)<<8)|(((*(buf5+(alu40+2)))&255)<<16)|(((*(buf5+(alu40+3)))&255)<<24))));
    }
    for (int Lidx25 = 0; Lidx25 < 16; Lidx25++) {
      *(buf10+Lidx25) = (*(buf5+Lidx25));
    }
    for (int Lidx33 = 0; Lidx33 < 16; Lidx33++) {
      *(buf14+Lidx33) = (*(buf5+(Lidx33+16)));
    }
    for (int Lidx27 = 0; Lidx27 < 8; Lidx27++) {
      *(buf11+Lidx27) = ((*(buf10+Lidx27))+(*(buf10+(Lidx27+8))));
    }
    for (int Lidx35 = 0; Lidx35 < 8; Lidx35++) {
      *(buf15+Lidx35) = ((*(buf14+Lidx35))+(*(buf14+(Lidx35+8))));
    }
    for (int Lidx29 = 0; Lidx29 < 4; Lidx29++) {
      *(buf12+Lidx29) = ((*(buf11+Lidx29))+(*(buf11+(Lidx29+4))));
    }
    for (int Lidx37 = 0; Lidx37 < 4; Lidx37++) {
      *(buf16+Lidx37) = ((*(buf15+Lidx37))+(*(buf15+(Lidx37+4))));
    }
    for (int Lidx31 = 0; Lidx31 < 2; Lidx31++) {
      *(buf13+Lidx31) = ((*(buf12+Lidx31))+(*(buf12+(Lidx31+2))));
    }
    for (int Lidx39 = 0; Lidx39 < 2; Lidx39++) {
      *(buf17+Lidx39) = ((*(buf16+Lidx39))+(*(buf16+(Lidx39+2))));
    }
    *(data1_8+Lidx12) = alu29;
    *((float2*)((data2_16+(Lidx12<<1)))) = (float2){(alu28*((float)(((*(buf13+0))+(*(buf13+1)))))*0.007874015718698502f),(alu28*((float)(((*(buf17+0))+(*(buf17+1)))))*0.007874015718698502f)};
  }
}

