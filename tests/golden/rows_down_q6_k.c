
void gemv_rows_f32_f32_down(float* restrict data0_256, float* restrict data1_512, unsigned char* restrict data2_107520) {
  float buf0[16];
  float buf1[1];
  float buf2[1];
  float buf3[1];
  float buf4[1];
  float buf5[1];
  float buf6[1];
  float buf7[1];
  float buf8[1];
  float buf9[1];
  float buf10[1];
  float buf11[1];
  float buf12[1];
  float buf13[1];
  float buf14[1];
  float buf15[1];
  float buf16[1];
  float buf17[8];
  float buf18[4];
  float buf19[2];
  for (int Lidx1 = 0; Lidx1 < 256; Lidx1++) {
    for (int Lidx3 = 0; Lidx3 < 16; Lidx3++) {
      *(buf0+Lidx3) = 0.0f;
    }
    for (int Ridx4 = 0; Ridx4 < 2; Ridx4++) {
      int alu2 = ((Lidx1*420)+(Ridx4*210));
      unsigned char val0 = (*(data2_107520+(alu2+192)));
      unsigned char val1 = (*(data2_107520+(alu2+193)));
      unsigned char val2 = (*(data2_107520+(alu2+194)));
      unsigned char val3 = (*(data2_107520+(alu2+195)));
      unsigned char val4 = (*(data2_107520+(alu2+196)));
      unsigned char val5 = (*(data2_107520+(alu2+197)));
      unsigned char val6 = (*(data2_107520+(alu2+198)));
      unsigned char val7 = (*(data2_107520+(alu2+199)));
      unsigned char val8 = (*(data2_107520+(alu2+200)));
      unsigned char val9 = (*(data2_107520+(alu2+201)));
      unsigned char val10 = (*(data2_107520+(alu2+202)));
      unsigned char val11 = (*(data2_107520+(alu2+203)));
      unsigned char val12 = (*(data2_107520+(alu2+204)));
      unsigned char val13 = (*(data2_107520+(alu2+205)));
      unsigned char val14 = (*(data2_107520+(alu2+206)));
      unsigned char val15 = (*(data2_107520+(alu2+207)));
      unsigned char val16 = (*(data2_107520+(alu2+208)));
      unsigned char val17 = (*(data2_107520+(alu2+209)));
      float cast0 = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val16))|(((unsigned short)(val17))<<((unsigned short)(8u))))))));
      *(buf1+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val0)))));
      *(buf2+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val1)))));
      *(buf3+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val2)))));
      *(buf4+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val3)))));
      *(buf5+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val4)))));
      *(buf6+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val5)))));
      *(buf7+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val6)))));
      *(buf8+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val7)))));
      *(buf9+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val8)))));
      *(buf10+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val9)))));
      *(buf11+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val10)))));
      *(buf12+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val11)))));
      *(buf13+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val12)))));
      *(buf14+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val13)))));
      *(buf15+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val14)))));
      *(buf16+0) = (cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val15)))));
      for (int Lidx5 = 0; Lidx5 < 16; Lidx5++) {
        int alu19 = (alu2+Lidx5);
        unsigned char val18 = (*(data2_107520+(alu19+16)));
        unsigned char val19 = (*(data2_107520+(alu19+32)));
        unsigned char val20 = (*(data2_107520+(alu19+48)));
        unsigned char val21 = (*(data2_107520+(alu19+64)));
        unsigned char val22 = (*(data2_107520+(alu19+80)));
        unsigned char val23 = (*(data2_107520+(alu19+96)));
        unsigned char val24 = (*(data2_107520+(alu19+112)));
        unsigned char val25 = (*(data2_107520+(alu19+128)));
        unsigned char val26 = (*(data2_107520+(alu19+144)));
        unsigned char val27 = (*(data2_107520+(alu19+160)));
        unsigned char val28 = (*(data2_107520+(alu19+176)));
        unsigned char val29 = (*(data2_107520+alu19));
        int alu20 = ((Ridx4<<8)+Lidx5);
        float val30 = (*(data1_512+(alu20+16)));
        float val31 = (*(data1_512+(alu20+32)));
        float val32 = (*(data1_512+(alu20+48)));
        float val33 = (*(data1_512+(alu20+64)));
        float val34 = (*(data1_512+(alu20+80)));
        float val35 = (*(data1_512+(alu20+96)));
        float val36 = (*(data1_512+(alu20+112)));
        float val37 = (*(data1_512+(alu20+128)));
        float val38 = (*(data1_512+(alu20+144)));
        float val39 = (*(data1_512+(alu20+160)));
        float val40 = (*(data1_512+(alu20+176)));
        float val41 = (*(data1_512+(alu20+192)));
        float val42 = (*(data1_512+(alu20+208)));
        float val43 = (*(data1_512+(alu20+224)));
        float val44 = (*(data1_512+(alu20+240)));
        float val45 = (*(data1_512+alu20));
        *(buf0+Lidx5) = ((*(buf0+Lidx5))+((*(buf1+0))*((float)((((int)(((val29&((unsigned char)(15u)))|((val25&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val45)+((*(buf2+0))*((float)((((int)(((val18&((unsigned char)(15u)))|((val26&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val30)+((*(buf3+0))*((float)((((int)(((val19&((unsigned char)(15u)))|(((val25>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val31)+((*(buf4+0))*((float)((((int)(((val20&((unsigned char)(15u)))|(((val26>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val32)+((*(buf5+0))*((float)((((int)(((val29>>((unsigned char)(4u)))|(((val25>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val33)+((*(buf6+0))*((float)((((int)(((val18>>((unsigned char)(4u)))|(((val26>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val34)+((*(buf7+0))*((float)((((int)(((val19>>((unsigned char)(4u)))|(((val25>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val35)+((*(buf8+0))*((float)((((int)(((val20>>((unsigned char)(4u)))|(((val26>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val36)+((*(buf9+0))*((float)((((int)(((val21&((unsigned char)(15u)))|((val27&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val37)+((*(buf10+0))*((float)((((int)(((val22&((unsigned char)(15u)))|((val28&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val38)+((*(buf11+0))*((float)((((int)(((val23&((unsigned char)(15u)))|(((val27>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val39)+((*(buf12+0))*((float)((((int)(((val24&((unsigned char)(15u)))|(((val28>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val40)+((*(buf13+0))*((float)((((int)(((val21>>((unsigned char)(4u)))|(((val27>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val41)+((*(buf14+0))*((float)((((int)(((val22>>((unsigned char)(4u)))|(((val28>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val42)+((*(buf15+0))*((float)((((int)(((val23>>((unsigned char)(4u)))|(((val27>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val43)+((*(buf16+0))*((float)((((int)(((val24>>((unsigned char)(4u)))|(((val28>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val44));
      }
    }
    for (int Lidx23 = 0; Lidx23 < 8; Lidx23++) {
      *(buf17+Lidx23) = ((*(buf0+Lidx23))+(*(buf0+(Lidx23+8))));
    }
    for (int Lidx25 = 0; Lidx25 < 4; Lidx25++) {
      *(buf18+Lidx25) = ((*(buf17+Lidx25))+(*(buf17+(Lidx25+4))));
    }
    for (int Lidx27 = 0; Lidx27 < 2; Lidx27++) {
      *(buf19+Lidx27) = ((*(buf18+Lidx27))+(*(buf18+(Lidx27+2))));
    }
    float val46 = (*(data0_256+Lidx1));
    *(data0_256+Lidx1) = (val46+(*(buf19+0))+(*(buf19+1)));
  }
}
