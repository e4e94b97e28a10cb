typedef float float2 __attribute__((aligned(8),ext_vector_type(2)));
void gemv_rows_f32_f32_down(float* restrict data0_256, float* restrict data1_512, float* restrict data2_16, unsigned char* restrict data3_81920) {
  float buf0[16];
  float buf1[16];
  float buf2[2];
  float buf3[2];
  float buf4[16];
  float buf5[2];
  float buf6[16];
  float buf7[16];
  float buf8[8];
  float buf9[4];
  float buf10[2];
  for (int Lidx1 = 0; Lidx1 < 256; Lidx1++) {
    for (int Lidx4 = 0; Lidx4 < 16; Lidx4++) {
      *(buf0+Lidx4) = 0.0f;
    }
    for (int Lidx5 = 0; Lidx5 < 16; Lidx5++) {
      *(buf1+Lidx5) = 0.0f;
    }
    for (int Lidx7 = 0; Lidx7 < 2; Lidx7++) {
      *(buf2+Lidx7) = 0.0f;
    }
    for (int Ridx8 = 0; Ridx8 < 8; Ridx8++) {
      int alu6 = ((Lidx1*320)+(Ridx8*40));
      for (int Lidx11 = 0; Lidx11 < 2; Lidx11++) {
        int alu7 = (alu6+(Lidx11<<1));
        unsigned char val0 = (*(data3_81920+(alu7+1)));
        unsigned char val1 = (*(data3_81920+alu7));
        *(buf3+Lidx11) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val1))|(((unsigned short)(val0))<<((unsigned short)(8u))))))));
      }
      for (int Lidx15 = 0; Lidx15 < 2; Lidx15++) {
        int alu10 = (alu6+(Lidx15<<1));
        unsigned char val2 = (*(data3_81920+(alu10+20)));
        unsigned char val3 = (*(data3_81920+(alu10+21)));
        *(buf5+Lidx15) = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val2))|(((unsigned short)(val3))<<((unsigned short)(8u))))))));
      }
      int alu13 = (Ridx8<<6);
      for (int Lidx9 = 0; Lidx9 < 16; Lidx9++) {
        unsigned char val4 = (*(data3_81920+(alu6+Lidx9+4)));
        int alu14 = (alu13+Lidx9);
        float val5 = (*(data1_512+(alu14+16)));
        float val6 = (*(data1_512+alu14));
        *(buf4+Lidx9) = ((((float)((val4&((unsigned char)(15u)))))*val6)+(((float)((val4>>((unsigned char)(4u)))))*val5));
        *(buf0+Lidx9) = ((*(buf0+Lidx9))+((*(buf4+Lidx9))*(*(buf3+0))));
      }
      for (int Lidx13 = 0; Lidx13 < 16; Lidx13++) {
        unsigned char val7 = (*(data3_81920+(alu6+Lidx13+24)));
        int alu18 = (alu13+Lidx13);
        float val8 = (*(data1_512+(alu18+32)));
        float val9 = (*(data1_512+(alu18+48)));
        *(buf6+Lidx13) = ((((float)((val7&((unsigned char)(15u)))))*val8)+(((float)((val7>>((unsigned char)(4u)))))*val9));
        *(buf1+Lidx13) = ((*(buf1+Lidx13))+((*(buf6+Lidx13))*(*(buf5+0))));
      }
      float2 val10 = (*((float2*)((data2_16+(Ridx8<<1)))));
      *(buf2+0) = ((*(buf2+0))+((*(buf3+1))*val10[0]));
      *(buf2+1) = ((*(buf2+1))+((*(buf5+1))*val10[1]));
    }
    for (int Lidx18 = 0; Lidx18 < 16; Lidx18++) {
      *(buf7+Lidx18) = ((*(buf0+Lidx18))+(*(buf1+Lidx18)));
    }
    for (int Lidx20 = 0; Lidx20 < 8; Lidx20++) {
      *(buf8+Lidx20) = ((*(buf7+Lidx20))+(*(buf7+(Lidx20+8))));
    }
    for (int Lidx22 = 0; Lidx22 < 4; Lidx22++) {
      *(buf9+Lidx22) = ((*(buf8+Lidx22))+(*(buf8+(Lidx22+4))));
    }
    for (int Lidx24 = 0; Lidx24 < 2; Lidx24++) {
      *(buf10+Lidx24) = ((*(buf9+Lidx24))+(*(buf9+(Lidx24+2))));
    }
    float val11 = (*(data0_256+Lidx1));
    *(data0_256+Lidx1) = (val11+(*(buf10+0))+(*(buf10+1))+(*(buf2+0))+(*(buf2+1)));
  }
}
