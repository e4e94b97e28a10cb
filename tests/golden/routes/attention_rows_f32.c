// decode/attention/256/h4k2d64-c64/m1 lanes=16 share=0

void attention_rows_f32_attention(float* restrict data0_256, float* restrict data1_8, float* restrict data2_256, __fp16* restrict data3_16384, int* restrict data4_1) {
  float buf0[64];
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
  int alu0 = (val0+1);
  for (int Lidx2 = 0; Lidx2 < 4; Lidx2++) {
    *(buf1+0) = -1.0000000150474662e+30f;
    long cast0 = ((long)(((Lidx2>>1)<<12)));
    int alu2 = (Lidx2<<6);
    for (int Ridx5 = 0; Ridx5 < alu0; Ridx5++) {
      for (int Lidx7 = 0; Lidx7 < 16; Lidx7++) {
        *(buf2+Lidx7) = 0.0f;
      }
      for (int Ridx8 = 0; Ridx8 < 4; Ridx8++) {
        for (int Lidx9 = 0; Lidx9 < 16; Lidx9++) {
          int alu5 = ((Ridx8<<4)+Lidx9);
          __fp16 val1 = (*(data3_16384+(cast0+(((long)(Ridx5))<<6l)+((long)(alu5)))));
          float val2 = (*(data2_256+(alu5+alu2)));
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
      float alu16 = ((val4<val3)?val3:val4);
      *(buf0+Ridx5) = val3;
      *(buf1+0) = alu16;
    }
    for (int Lidx17 = 0; Lidx17 < alu0; Lidx17++) {
      float alu20 = (((*(buf0+Lidx17))-(*(buf1+0)))*1.4426950216293335f);
      _Bool alu21 = (alu20!=alu20);
      float alu22 = ((alu20!=((float)(-__builtin_inff())))?alu20:0.0f);
      float alu23 = (alu21?0.0f:alu22);
      float alu24 = ((alu20!=((float)(__builtin_inff())))?alu23:0.0f);
      float alu25 = ((alu24<0.0f)?-0.5f:0.5f);
      int cast1 = ((int)((alu24+alu25)));
      int alu26 = (cast1>>1);
      float alu27 = (alu24-((float)(cast1)));
      float alu28 = (((alu20<128.0f)!=1)?((float)(__builtin_inff())):(((((((((((((0.00015359208919107914f*alu27)+0.0013392627006396651f)*alu27)+0.009618384763598442f)*alu27)+0.055503472685813904f)*alu27)+0.24022644758224487f)*alu27)+0.6931471824645996f)*alu27)+1.0f)*__builtin_bit_cast(float, (int)(((alu26+127)<<23)))*__builtin_bit_cast(float, (int)((((cast1-alu26)+127)<<23)))));
      float alu29 = ((alu20<-150.0f)?0.0f:alu28);
      float alu30 = (alu21?((float)(__builtin_nanf(""))):alu29);
      *(buf0+Lidx17) = alu30;
    }
    *(buf7+0) = 0.0f;
    for (int Ridx19 = 0; Ridx19 < alu0; Ridx19++) {
      *(buf7+0) = ((*(buf7+0))+(*(buf0+Ridx19)));
    }
    for (int Lidx21 = 0; Lidx21 < 4; Lidx21++) {
      for (int Lidx23 = 0; Lidx23 < 16; Lidx23++) {
        *(buf8+Lidx23) = 0.0f;
      }
      int alu38 = (Lidx21<<4);
      for (int Ridx24 = 0; Ridx24 < alu0; Ridx24++) {
        for (int Lidx25 = 0; Lidx25 < 16; Lidx25++) {
          __fp16 val5 = (*(data3_16384+(cast0+(((long)(Ridx24))<<6l)+((long)((alu38+Lidx25)))+8192l)));
          *(buf8+Lidx25) = ((*(buf8+Lidx25))+((*(buf0+Ridx24))*((float)(val5))));
        }
      }
      for (int Lidx26 = 0; Lidx26 < 16; Lidx26++) {
        *(data0_256+(alu2+alu38+Lidx26)) = ((*(buf8+Lidx26))/(*(buf7+0)));
      }
    }
  }
  for (int Lidx27 = 0; Lidx27 < 8; Lidx27++) {
    for (int Lidx28 = 0; Lidx28 < 16; Lidx28++) {
      int alu46 = ((Lidx27<<5)+Lidx28);
      float val6 = (*(data0_256+(alu46+16)));
      float val7 = (*(data0_256+alu46));
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

