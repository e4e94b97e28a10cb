
void sample_rows(int* restrict data0_1, int* restrict data1_1, int* restrict data2_4097, float* restrict data3_96, float* restrict data4_96, float* restrict data5_1, unsigned int* restrict data6_1) {
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
  int val0 = (*(data1_1+0));
  unsigned int val1 = (*(data6_1+0));
  float val2 = (*(data5_1+0));
  unsigned int cast0 = ((unsigned int)(val0));
  unsigned int alu0 = (val1^cast0^466688986u);
  for (int Lidx1 = 0; Lidx1 < 6; Lidx1++) {
    for (int Lidx2 = 0; Lidx2 < 16; Lidx2++) {
      int alu1 = ((Lidx1<<4)+Lidx2);
      float val3 = (*(data4_96+alu1));
      unsigned int alu2 = (((unsigned int)(alu1))+val1+cast0);
      unsigned int alu3 = (((cast0<<13u)|(cast0>>19u))^alu2);
      unsigned int alu4 = (alu2+alu3);
      unsigned int alu5 = (((alu3<<15u)|(alu3>>17u))^alu4);
      unsigned int alu6 = (alu4+alu5);
      unsigned int alu7 = (((alu5<<26u)|(alu5>>6u))^alu6);
      unsigned int alu8 = (alu6+alu7);
      unsigned int alu9 = (alu0+(((alu7<<6u)|(alu7>>26u))^alu8));
      unsigned int alu10 = (alu9+alu8+cast0);
      unsigned int alu11 = (alu9+1u);
      unsigned int alu12 = (((alu11<<17u)|(alu11>>15u))^(alu10+1u));
      unsigned int alu13 = (alu10+alu12);
      unsigned int alu14 = (((alu12<<29u)|(alu12>>3u))^(alu13+1u));
      unsigned int alu15 = (alu13+alu14);
      unsigned int alu16 = (((alu14<<16u)|(alu14>>16u))^(alu15+1u));
      unsigned int alu17 = (alu15+alu16);
      unsigned int alu18 = (val1+(((alu16<<24u)|(alu16>>8u))^(alu17+1u)));
      unsigned int alu19 = (alu18+2u);
      unsigned int alu20 = (alu18+alu17+alu0);
      unsigned int alu21 = (((alu19<<13u)|(alu19>>19u))^(alu20+3u));
      unsigned int alu22 = (alu20+alu21);
      unsigned int alu23 = (((alu21<<15u)|(alu21>>17u))^(alu22+3u));
      unsigned int alu24 = (alu22+alu23);
      unsigned int alu25 = (((alu23<<26u)|(alu23>>6u))^(alu24+3u));
      unsigned int alu26 = (alu24+alu25);
      unsigned int alu27 = (cast0+(((alu25<<6u)|(alu25>>26u))^(alu26+3u)));
      unsigned int alu28 = (alu27+3u);
      unsigned int alu29 = (((alu28<<17u)|(alu28>>15u))^(alu27+alu26+val1+6u));
      float alu30 = ((((float)((alu29^4294967295u)))*2.3283064365386963e-10f)+1.1641532182693481e-10f);
      _Bool alu31 = (alu30<9.999999747378752e-05f);
      float alu32 = (alu31?(alu30*1.8446744073709552e+19f):alu30);
      float cast1 = ((float)((((__builtin_bit_cast(int, (float)((alu32*1.3333333730697632f)))>>23)&255)+-127)));
      float cast2 = __builtin_bit_cast(float, (int)((__builtin_bit_cast(int, (float)(alu32))+(((int)(-cast1))<<23))));
      float alu33 = ((((float)(alu29))*2.3283064365386963e-10f)+1.1641532182693481e-10f);
      float alu34 = ((cast2+-1.0f)/(cast2+1.0f));
      float alu35 = (alu34*alu34);
      float alu36 = (alu31?(cast1+-64.0f):cast1);
      float alu37 = ((alu30!=((float)(__builtin_inff())))?((((((0.43745502829551697f*alu35)+0.5764790177345276f)*alu35)+0.961801290512085f)*alu34*alu35)+alu36+(alu34*2.885390043258667f)+(alu34*3.2734472910078694e-08f)):((float)(__builtin_inff())));
      float alu38 = ((alu30!=0.0f)?alu37:((float)(-__builtin_inff())));
      float alu39 = (((alu30!=alu30)|(alu30<-0.0f))?((float)(__builtin_nanf(""))):alu38);
      float alu40 = (((1.0f/alu30)!=((float)(-__builtin_inff())))?alu39:((float)(-__builtin_inff())));
      float alu41 = ((alu33<0.03125f)?(alu33*(1.0f+(alu33*(0.5f+(alu33*(0.3333333432674408f+(alu33*0.25f))))))):(alu40*-0.6931471824645996f));
      _Bool alu42 = (alu41<9.999999747378752e-05f);
      float alu43 = (alu42?(alu41*1.8446744073709552e+19f):alu41);
      float cast3 = ((float)((((__builtin_bit_cast(int, (float)((alu43*1.3333333730697632f)))>>23)&255)+-127)));
      float cast4 = __builtin_bit_cast(float, (int)((__builtin_bit_cast(int, (float)(alu43))+(((int)(-cast3))<<23))));
      float alu44 = ((cast4+-1.0f)/(cast4+1.0f));
      float alu45 = (alu44*alu44);
      float alu46 = (alu42?(cast3+-64.0f):cast3);
      float alu47 = ((alu41!=((float)(__builtin_inff())))?((((((0.43745502829551697f*alu45)+0.5764790177345276f)*alu45)+0.961801290512085f)*alu44*alu45)+alu46+(alu44*2.885390043258667f)+(alu44*3.2734472910078694e-08f)):((float)(__builtin_inff())));
      float alu48 = ((alu41!=0.0f)?alu47:((float)(-__builtin_inff())));
      float alu49 = (((alu41!=alu41)|(alu41<-0.0f))?((float)(__builtin_nanf(""))):alu48);
      float alu50 = (((1.0f/alu41)!=((float)(-__builtin_inff())))?alu49:((float)(-__builtin_inff())));
      *(data3_96+alu1) = (val3+(alu50*val2*-0.6931471824645996f));
    }
  }
  for (int Lidx4 = 0; Lidx4 < 16; Lidx4++) {
    *(buf0+Lidx4) = -3.0000000054977558e+38f;
  }
  for (int Ridx5 = 0; Ridx5 < 6; Ridx5++) {
    for (int Lidx6 = 0; Lidx6 < 16; Lidx6++) {
      float val4 = (*(data3_96+((Ridx5<<4)+Lidx6)));
      float val5 = (*(buf0+Lidx6));
      float alu56 = ((val5<val4)?val4:val5);
      *(buf0+Lidx6) = alu56;
    }
  }
  for (int Lidx8 = 0; Lidx8 < 8; Lidx8++) {
    float val6 = (*(buf0+(Lidx8+8)));
    float val7 = (*(buf0+Lidx8));
    float alu60 = ((val7<val6)?val6:val7);
    *(buf1+Lidx8) = alu60;
  }
  for (int Lidx10 = 0; Lidx10 < 4; Lidx10++) {
    float val8 = (*(buf1+(Lidx10+4)));
    float val9 = (*(buf1+Lidx10));
    float alu63 = ((val9<val8)?val8:val9);
    *(buf2+Lidx10) = alu63;
  }
  for (int Lidx12 = 0; Lidx12 < 2; Lidx12++) {
    float val10 = (*(buf2+(Lidx12+2)));
    float val11 = (*(buf2+Lidx12));
    float alu66 = ((val11<val10)?val10:val11);
    *(buf3+Lidx12) = alu66;
  }
  float val12 = (*(buf3+0));
  float val13 = (*(buf3+1));
  float alu69 = ((val12<val13)?val13:val12);
  *(buf4+0) = alu69;
  for (int Lidx15 = 0; Lidx15 < 16; Lidx15++) {
    *(buf5+Lidx15) = 95;
  }
  for (int Ridx16 = 0; Ridx16 < 6; Ridx16++) {
    for (int Lidx17 = 0; Lidx17 < 16; Lidx17++) {
      int alu73 = ((Ridx16<<4)+Lidx17);
      float val14 = (*(data3_96+alu73));
      int alu74 = ((*(buf5+Lidx17))^-1);
      int alu75 = ((val14<(*(buf4+0)))?95:alu73);
      int alu76 = (alu75^-1);
      int alu77 = ((alu74<alu76)?alu76:alu74);
      *(buf5+Lidx17) = (alu77^-1);
    }
  }
  for (int Lidx19 = 0; Lidx19 < 8; Lidx19++) {
    int alu81 = ((*(buf5+(Lidx19+8)))^-1);
    int alu82 = ((*(buf5+Lidx19))^-1);
    int alu83 = ((alu82<alu81)?alu81:alu82);
    *(buf6+Lidx19) = (alu83^-1);
  }
  for (int Lidx21 = 0; Lidx21 < 4; Lidx21++) {
    int alu86 = ((*(buf6+(Lidx21+4)))^-1);
    int alu87 = ((*(buf6+Lidx21))^-1);
    int alu88 = ((alu87<alu86)?alu86:alu87);
    *(buf7+Lidx21) = (alu88^-1);
  }
  for (int Lidx23 = 0; Lidx23 < 2; Lidx23++) {
    int alu91 = ((*(buf7+(Lidx23+2)))^-1);
    int alu92 = ((*(buf7+Lidx23))^-1);
    int alu93 = ((alu92<alu91)?alu91:alu92);
    *(buf8+Lidx23) = (alu93^-1);
  }
  int val15 = (*(data1_1+0));
  int alu96 = (val15+1);
  int val16 = (*(data2_4097+alu96));
  int alu97 = ((*(buf8+0))^-1);
  int alu98 = ((*(buf8+1))^-1);
  int alu99 = ((alu97<alu98)?alu98:alu97);
  int alu100 = ((val16<0)?(alu99^-1):val16);
  *(buf9+0) = alu96;
  *(buf9+1) = alu100;
  int val17 = (*(buf9+0));
  int val18 = (*(buf9+1));
  *(data0_1+0) = val18;
  *(data1_1+0) = val17;
  *(data2_4097+val17) = val18;
}
