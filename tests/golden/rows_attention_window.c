
void chain_rows_f32_f32_attention(float* restrict data0_256, float* restrict data1_8, float* restrict data2_256, __fp16* restrict data3_10240, int* restrict data4_1) {
  float buf0[16];
  float buf1[1];
  float buf2[16];
  float buf3[1];
  float buf4[8];
  float buf5[4];
  float buf6[2];
  float buf7[1];
  float buf8[16];
  float buf9[16];
  float buf10[8];
  float buf11[4];
  float buf12[2];
  int val0 = (*(data4_1+0));
  int alu0 = ((val0+1)^-1);
  int alu1 = ((alu0<-17)?-17:alu0);
  int alu2 = (alu1^-1);
  int alu3 = (val0-alu2);
  for (int Lidx2 = 0; Lidx2 < 4; Lidx2++) {
    *(buf1+0) = -1.0000000150474662e+30f;
    int alu5 = ((Lidx2>>1)*40);
    int alu6 = (Lidx2<<6);
    for (int Ridx5 = 0; Ridx5 < alu2; Ridx5++) {
      for (int Lidx7 = 0; Lidx7 < 16; Lidx7++) {
        *(buf2+Lidx7) = 0.0f;
      }
      for (int Ridx8 = 0; Ridx8 < 4; Ridx8++) {
        for (int Lidx9 = 0; Lidx9 < 16; Lidx9++) {
          int alu9 = ((Ridx8<<4)+Lidx9);
          __fp16 val1 = (*(data3_10240+(((alu3+Ridx5+alu5)<<6)+alu9+64)));
          float val2 = (*(data2_256+(alu9+alu6)));
          *(buf2+Lidx9) = ((*(buf2+Lidx9))+(val2*((float)(val1))));
        }
      }
      for (int Lidx12 = 0; Lidx12 < 8; Lidx12++) {
        *(buf4+Lidx12) = ((*(buf2+Lidx12))+(*(buf2+(Lidx12+8))));
      }
      for (int Lidx14 = 0; Lidx14 < 4; Lidx14++) {
        *(buf5+Lidx14) = ((*(buf4+Lidx14))+(*(buf4+(Lidx14+4))));
      }
      for (int Lidx16 = 0; Lidx16 < 2; Lidx16++) {
        *(buf6+Lidx16) = ((*(buf5+Lidx16))+(*(buf5+(Lidx16+2))));
      }
      *(buf3+0) = (((*(buf6+0))+(*(buf6+1)))*0.125f);
      float val3 = (*(buf3+0));
      float val4 = (*(buf1+0));
      float alu20 = ((val4<val3)?val3:val4);
      *(buf0+Ridx5) = val3;
      *(buf1+0) = alu20;
    }
    for (int Lidx17 = 0; Lidx17 < alu2; Lidx17++) {
      float alu24 = (((*(buf0+Lidx17))-(*(buf1+0)))*1.4426950216293335f);
      _Bool alu25 = (alu24!=alu24);
      float alu26 = ((alu24!=((float)(-__builtin_inff())))?alu24:0.0f);
      float alu27 = (alu25?0.0f:alu26);
      float alu28 = ((alu24!=((float)(__builtin_inff())))?alu27:0.0f);
      float alu29 = ((alu28<0.0f)?-0.5f:0.5f);
      int cast0 = ((int)((alu28+alu29)));
      int alu30 = (cast0>>1);
      float alu31 = (alu28-((float)(cast0)));
      float alu32 = (((alu24<128.0f)!=1)?((float)(__builtin_inff())):(((((((((((((0.00015359208919107914f*alu31)+0.0013392627006396651f)*alu31)+0.009618384763598442f)*alu31)+0.055503472685813904f)*alu31)+0.24022644758224487f)*alu31)+0.6931471824645996f)*alu31)+1.0f)*__builtin_bit_cast(float, (int)(((alu30+127)<<23)))*__builtin_bit_cast(float, (int)((((cast0-alu30)+127)<<23)))));
      float alu33 = ((alu24<-150.0f)?0.0f:alu32);
      float alu34 = (alu25?((float)(__builtin_nanf(""))):alu33);
      *(buf0+Lidx17) = alu34;
    }
    *(buf7+0) = 0.0f;
    for (int Ridx19 = 0; Ridx19 < alu2; Ridx19++) {
      *(buf7+0) = ((*(buf7+0))+(*(buf0+Ridx19)));
    }
    for (int Lidx21 = 0; Lidx21 < 4; Lidx21++) {
      for (int Lidx23 = 0; Lidx23 < 16; Lidx23++) {
        *(buf8+Lidx23) = 0.0f;
      }
      int alu42 = (Lidx21<<4);
      for (int Ridx24 = 0; Ridx24 < alu2; Ridx24++) {
        for (int Lidx25 = 0; Lidx25 < 16; Lidx25++) {
          __fp16 val5 = (*(data3_10240+(((alu3+Ridx24+alu5+81)<<6)+alu42+Lidx25)));
          *(buf8+Lidx25) = ((*(buf8+Lidx25))+((*(buf0+Ridx24))*((float)(val5))));
        }
      }
      for (int Lidx26 = 0; Lidx26 < 16; Lidx26++) {
        *(data0_256+(alu6+alu42+Lidx26)) = ((*(buf8+Lidx26))/(*(buf7+0)));
      }
    }
  }
  for (int Lidx27 = 0; Lidx27 < 8; Lidx27++) {
    for (int Lidx28 = 0; Lidx28 < 16; Lidx28++) {
      int alu50 = ((Lidx27<<5)+Lidx28);
      float val6 = (*(data0_256+(alu50+16)));
      float val7 = (*(data0_256+alu50));
      *(buf9+Lidx28) = (val7+val6);
    }
    for (int Lidx31 = 0; Lidx31 < 8; Lidx31++) {
      *(buf10+Lidx31) = ((*(buf9+Lidx31))+(*(buf9+(Lidx31+8))));
    }
    for (int Lidx33 = 0; Lidx33 < 4; Lidx33++) {
      *(buf11+Lidx33) = ((*(buf10+Lidx33))+(*(buf10+(Lidx33+4))));
    }
    for (int Lidx35 = 0; Lidx35 < 2; Lidx35++) {
      *(buf12+Lidx35) = ((*(buf11+Lidx35))+(*(buf11+(Lidx35+2))));
    }
    *(data1_8+Lidx27) = ((*(buf12+0))+(*(buf12+1)));
  }
}
