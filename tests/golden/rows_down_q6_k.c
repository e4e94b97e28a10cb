
void gemv_rows_f32_f32_down(float* restrict data0_256, float* restrict data1_512, unsigned char* restrict data2_107520) {
  float buf0[16];
  float buf1[8];
  float buf2[4];
  float buf3[2];
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
      for (int Lidx5 = 0; Lidx5 < 16; Lidx5++) {
        int alu3 = (alu2+Lidx5);
        unsigned char val18 = (*(data2_107520+(alu3+16)));
        unsigned char val19 = (*(data2_107520+(alu3+32)));
        unsigned char val20 = (*(data2_107520+(alu3+48)));
        unsigned char val21 = (*(data2_107520+(alu3+64)));
        unsigned char val22 = (*(data2_107520+(alu3+80)));
        unsigned char val23 = (*(data2_107520+(alu3+96)));
        unsigned char val24 = (*(data2_107520+(alu3+112)));
        unsigned char val25 = (*(data2_107520+(alu3+128)));
        unsigned char val26 = (*(data2_107520+(alu3+144)));
        unsigned char val27 = (*(data2_107520+(alu3+160)));
        unsigned char val28 = (*(data2_107520+(alu3+176)));
        unsigned char val29 = (*(data2_107520+alu3));
        int alu4 = ((Ridx4<<8)+Lidx5);
        float val30 = (*(data1_512+(alu4+16)));
        float val31 = (*(data1_512+(alu4+32)));
        float val32 = (*(data1_512+(alu4+48)));
        float val33 = (*(data1_512+(alu4+64)));
        float val34 = (*(data1_512+(alu4+80)));
        float val35 = (*(data1_512+(alu4+96)));
        float val36 = (*(data1_512+(alu4+112)));
        float val37 = (*(data1_512+(alu4+128)));
        float val38 = (*(data1_512+(alu4+144)));
        float val39 = (*(data1_512+(alu4+160)));
        float val40 = (*(data1_512+(alu4+176)));
        float val41 = (*(data1_512+(alu4+192)));
        float val42 = (*(data1_512+(alu4+208)));
        float val43 = (*(data1_512+(alu4+224)));
        float val44 = (*(data1_512+(alu4+240)));
        float val45 = (*(data1_512+alu4));
        *(buf0+Lidx5) = ((*(buf0+Lidx5))+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val0))))*((float)((((int)(((val29&((unsigned char)(15u)))|((val25&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val45)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val1))))*((float)((((int)(((val18&((unsigned char)(15u)))|((val26&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val30)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val2))))*((float)((((int)(((val19&((unsigned char)(15u)))|(((val25>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val31)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val3))))*((float)((((int)(((val20&((unsigned char)(15u)))|(((val26>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val32)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val4))))*((float)((((int)(((val29>>((unsigned char)(4u)))|(((val25>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val33)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val5))))*((float)((((int)(((val18>>((unsigned char)(4u)))|(((val26>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val34)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val6))))*((float)((((int)(((val19>>((unsigned char)(4u)))|(((val25>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val35)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val7))))*((float)((((int)(((val20>>((unsigned char)(4u)))|(((val26>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val36)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val8))))*((float)((((int)(((val21&((unsigned char)(15u)))|((val27&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val37)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val9))))*((float)((((int)(((val22&((unsigned char)(15u)))|((val28&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val38)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val10))))*((float)((((int)(((val23&((unsigned char)(15u)))|(((val27>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val39)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val11))))*((float)((((int)(((val24&((unsigned char)(15u)))|(((val28>>((unsigned char)(2u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val40)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val12))))*((float)((((int)(((val21>>((unsigned char)(4u)))|(((val27>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val41)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val13))))*((float)((((int)(((val22>>((unsigned char)(4u)))|(((val28>>((unsigned char)(4u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val42)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val14))))*((float)((((int)(((val23>>((unsigned char)(4u)))|(((val27>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val43)+(cast0*((float)(__builtin_bit_cast(signed char, (unsigned char)(val15))))*((float)((((int)(((val24>>((unsigned char)(4u)))|(((val28>>((unsigned char)(6u)))&((unsigned char)(3u)))<<((unsigned char)(4u))))))+-32)))*val44));
      }
    }
    for (int Lidx7 = 0; Lidx7 < 8; Lidx7++) {
      *(buf1+Lidx7) = ((*(buf0+Lidx7))+(*(buf0+(Lidx7+8))));
    }
    for (int Lidx9 = 0; Lidx9 < 4; Lidx9++) {
      *(buf2+Lidx9) = ((*(buf1+Lidx9))+(*(buf1+(Lidx9+4))));
    }
    for (int Lidx11 = 0; Lidx11 < 2; Lidx11++) {
      *(buf3+Lidx11) = ((*(buf2+Lidx11))+(*(buf2+(Lidx11+2))));
    }
    float val46 = (*(data0_256+Lidx1));
    *(data0_256+Lidx1) = (val46+(*(buf3+0))+(*(buf3+1)));
  }
}
