// decode/attention/256/h4k2d64-c64/m1 lanes=16 share=0
typedef float float2 __attribute__((aligned(8),ext_vector_type(2)));
void attention_rows_q8_attention(unsigned int* restrict data0_64, float* restrict data1_8, float* restrict data2_16, float* restrict data3_256, __fp16* restrict data4_16384, int* restrict data5_1) {
  float buf0[256];
  float buf1[64];
  float buf2[1];
  float buf3[16];
  float buf4[1];
  float buf5[8];
  float buf6[4];
  float buf7[2];
  float buf8[1];
  float buf9[16];
  int buf10[32];
  float buf11[16];
  float buf12[8];
  float buf13[4];
  float buf14[2];
  int buf15[16];
  int buf16[8];
  int buf17[4];
  int buf18[2];
  int buf19[16];
  int buf20[8];
  int buf21[4];
  int buf22[2];
  int val0 = (*(data5_1+0));
  int alu0 = (val0+1);
  for (int Lidx3 = 0; Lidx3 < 4; Lidx3++) {
    *(buf2+0) = -1.0000000150474662e+30f;
    long cast0 = ((long)(((Lidx3>>1)<<12)));
    int alu2 = (Lidx3<<6);
    for (int Ridx6 = 0; Ridx6 < alu0; Ridx6++) {
      for (int Lidx8 = 0; Lidx8 < 16; Lidx8++) {
        *(buf3+Lidx8) = 0.0f;
      }
      for (int Ridx9 = 0; Ridx9 < 4; Ridx9++) {
        for (int Lidx10 = 0; Lidx10 < 16; Lidx10++) {
          int alu5 = ((Ridx9<<4)+Lidx10);
          __fp16 val1 = (*(data4_16384+(cast0+(((long)(Ridx6))<<6l)+((long)(alu5)))));
          float val2 = (*(data3_256+(alu5+alu2)));
          *(buf3+Lidx10) = ((*(buf3+Lidx10))+(val2*((float)(val1))));
        }
      }
      for (int Lidx13 = 0; Lidx13 < 8; Lidx13++) {
        *(buf5+Lidx13) = ((*(buf3+Lidx13))+(*(buf3+(Lidx13+8))));
      }
      for (int Lidx15 = 0; Lidx15 < 4; Lidx15++) {
        *(buf6+Lidx15) = ((*(buf5+Lidx15))+(*(buf5+(Lidx15+4))));
      }
      for (int Lidx17 = 0; Lidx17 < 2; Lidx17++) {
        *(buf7+Lidx17) = ((*(buf6+Lidx17))+(*(buf6+(Lidx17+2))));
      }
      *(buf4+0) = (((*(buf7+0))+(*(buf7+1)))*0.125f);
      float val3 = (*(buf4+0));
      float val4 = (*(buf2+0));
      float alu16 = ((val4<val3)?val3:val4);
      *(buf1+Ridx6) = val3;
      *(buf2+0) = alu16;
    }
    for (int Lidx18 = 0; Lidx18 < alu0; Lidx18++) {
      float alu20 = (((*(buf1+Lidx18))-(*(buf2+0)))*1.4426950216293335f);
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
      *(buf1+Lidx18) = alu30;
    }
    *(buf8+0) = 0.0f;
    for (int Ridx20 = 0; Ridx20 < alu0; Ridx20++) {
      *(buf8+0) = ((*(buf8+0))+(*(buf1+Ridx20)));
    }
    for (int Lidx22 = 0; Lidx22 < 4; Lidx22++) {
      for (int Lidx24 = 0; Lidx24 < 16; Lidx24++) {
        *(buf9+Lidx24) = 0.0f;
      }
      int alu38 = (Lidx22<<4);
      for (int Ridx25 = 0; Ridx25 < alu0; Ridx25++) {
        for (int Lidx26 = 0; Lidx26 < 16; Lidx26++) {
          __fp16 val5 = (*(data4_16384+(cast0+(((long)(Ridx25))<<6l)+((long)((alu38+Lidx26)))+8192l)));
          *(buf9+Lidx26) = ((*(buf9+Lidx26))+((*(buf1+Ridx25))*((float)(val5))));
        }
      }
      for (int Lidx27 = 0; Lidx27 < 16; Lidx27++) {
        *(buf0+(alu2+alu38+Lidx27)) = ((*(buf9+Lidx27))/(*(buf8+0)));
      }
    }
  }
  for (int Lidx28 = 0; Lidx28 < 8; Lidx28++) {
    int alu46 = (Lidx28<<5);
    for (int Lidx31 = 0; Lidx31 < 16; Lidx31++) {
      int alu47 = (alu46+Lidx31);
      float val6 = (*(buf0+(alu47+16)));
      float val7 = (*(buf0+alu47));
      float alu48 = ((val6<0.0f)?-val6:val6);
      float alu49 = ((val7<0.0f)?-val7:val7);
      float alu50 = ((alu49<alu48)?alu48:alu49);
      *(buf11+Lidx31) = alu50;
    }
    for (int Lidx33 = 0; Lidx33 < 8; Lidx33++) {
      float val8 = (*(buf11+(Lidx33+8)));
      float val9 = (*(buf11+Lidx33));
      float alu53 = ((val9<val8)?val8:val9);
      *(buf12+Lidx33) = alu53;
    }
    for (int Lidx35 = 0; Lidx35 < 4; Lidx35++) {
      float val10 = (*(buf12+(Lidx35+4)));
      float val11 = (*(buf12+Lidx35));
      float alu56 = ((val11<val10)?val10:val11);
      *(buf13+Lidx35) = alu56;
    }
    for (int Lidx37 = 0; Lidx37 < 2; Lidx37++) {
      float val12 = (*(buf13+(Lidx37+2)));
      float val13 = (*(buf13+Lidx37));
      float alu59 = ((val13<val12)?val12:val13);
      *(buf14+Lidx37) = alu59;
    }
    float val14 = (*(buf14+0));
    float val15 = (*(buf14+1));
    float alu62 = ((val14<val15)?val15:val14);
    float alu63 = (alu62*0.007874015718698502f);
    _Bool alu64 = (0.0f<alu63);
    float alu65 = (alu64?alu63:1.0f);
    float alu66 = (alu64?(1.0f/alu65):0.0f);
    for (int Lidx38 = 0; Lidx38 < 32; Lidx38++) {
      float alu67 = ((*(buf0+(alu46+Lidx38)))*alu66);
      float alu68 = ((alu67<0.0f)?-0.5f:0.5f);
      int cast2 = ((int)((alu67+alu68)));
      int alu69 = ((cast2<-127)?-127:cast2);
      int alu70 = (alu69^-1);
      int alu71 = ((alu70<-128)?-128:alu70);
      *(buf10+Lidx38) = (alu71^-1);
    }
    for (int Lidx39 = 0; Lidx39 < 8; Lidx39++) {
      int alu74 = (Lidx39<<2);
      *(data0_64+((Lidx28<<3)+Lidx39)) = __builtin_bit_cast(unsigned int, (int)((((*(buf10+alu74))&255)|(((*(buf10+(alu74+1)))&255)<<8)|(((*(buf10+(alu74+2)))&255)<<16)|(((*(buf10+(alu74+3)))&255)<<24))));
    }
    for (int Lidx41 = 0; Lidx41 < 16; Lidx41++) {
      *(buf15+Lidx41) = (*(buf10+Lidx41));
    }
    for (int Lidx49 = 0; Lidx49 < 16; Lidx49++) {
      *(buf19+Lidx49) = (*(buf10+(Lidx49+16)));
    }
    for (int Lidx43 = 0; Lidx43 < 8; Lidx43++) {
      *(buf16+Lidx43) = ((*(buf15+Lidx43))+(*(buf15+(Lidx43+8))));
    }
    for (int Lidx51 = 0; Lidx51 < 8; Lidx51++) {
      *(buf20+Lidx51) = ((*(buf19+Lidx51))+(*(buf19+(Lidx51+8))));
    }
    for (int Lidx45 = 0; Lidx45 < 4; Lidx45++) {
      *(buf17+Lidx45) = ((*(buf16+Lidx45))+(*(buf16+(Lidx45+4))));
    }
    for (int Lidx53 = 0; Lidx53 < 4; Lidx53++) {
      *(buf21+Lidx53) = ((*(buf20+Lidx53))+(*(buf20+(Lidx53+4))));
    }
    for (int Lidx47 = 0; Lidx47 < 2; Lidx47++) {
      *(buf18+Lidx47) = ((*(buf17+Lidx47))+(*(buf17+(Lidx47+2))));
    }
    for (int Lidx55 = 0; Lidx55 < 2; Lidx55++) {
      *(buf22+Lidx55) = ((*(buf21+Lidx55))+(*(buf21+(Lidx55+2))));
    }
    *(data1_8+Lidx28) = alu63;
    *((float2*)((data2_16+(Lidx28<<1)))) = (float2){(alu62*((float)(((*(buf18+0))+(*(buf18+1)))))*0.007874015718698502f),(alu62*((float)(((*(buf22+0))+(*(buf22+1)))))*0.007874015718698502f)};
  }
}

