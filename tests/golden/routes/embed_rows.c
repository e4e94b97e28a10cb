// decode/embed/96x256/Q4_K/m1 lanes=16

void embed_rows_embed(float* restrict data0_256, int* restrict data1_1, unsigned char* restrict data2_13824) {
  int val0 = (*(data1_1+0));
  int alu0 = (val0*144);
  unsigned char val1 = (*(data2_13824+(alu0+1)));
  unsigned char val2 = (*(data2_13824+(alu0+2)));
  unsigned char val3 = (*(data2_13824+(alu0+3)));
  unsigned char val4 = (*(data2_13824+(alu0+4)));
  unsigned char val5 = (*(data2_13824+(alu0+8)));
  unsigned char val6 = (*(data2_13824+alu0));
  float cast0 = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val2))|(((unsigned short)(val3))<<((unsigned short)(8u))))))));
  float cast1 = ((float)(__builtin_bit_cast(__fp16, (unsigned short)((((unsigned short)(val6))|(((unsigned short)(val1))<<((unsigned short)(8u))))))));
  for (int Lidx2 = 0; Lidx2 < 32; Lidx2++) {
    unsigned char val7 = (*(data2_13824+(alu0+Lidx2+16)));
    *(data0_256+Lidx2) = ((((float)((val7&((unsigned char)(15u)))))*cast1*((float)((val4&((unsigned char)(63u))))))-(cast0*((float)((val5&((unsigned char)(63u)))))));
  }
  unsigned char val8 = (*(data2_13824+(alu0+5)));
  unsigned char val9 = (*(data2_13824+(alu0+9)));
  for (int Lidx3 = 0; Lidx3 < 32; Lidx3++) {
    unsigned char val10 = (*(data2_13824+(alu0+Lidx3+16)));
    *(data0_256+(Lidx3+32)) = ((((float)((val10>>((unsigned char)(4u)))))*cast1*((float)((val8&((unsigned char)(63u))))))-(cast0*((float)((val9&((unsigned char)(63u)))))));
  }
  unsigned char val11 = (*(data2_13824+(alu0+6)));
  unsigned char val12 = (*(data2_13824+(alu0+10)));
  for (int Lidx4 = 0; Lidx4 < 32; Lidx4++) {
    unsigned char val13 = (*(data2_13824+(alu0+Lidx4+48)));
    *(data0_256+(Lidx4+64)) = ((((float)((val13&((unsigned char)(15u)))))*cast1*((float)((val11&((unsigned char)(63u))))))-(cast0*((float)((val12&((unsigned char)(63u)))))));
  }
  unsigned char val14 = (*(data2_13824+(alu0+7)));
  unsigned char val15 = (*(data2_13824+(alu0+11)));
  for (int Lidx5 = 0; Lidx5 < 32; Lidx5++) {
    unsigned char val16 = (*(data2_13824+(alu0+Lidx5+48)));
    *(data0_256+(Lidx5+96)) = ((((float)((val16>>((unsigned char)(4u)))))*cast1*((float)((val14&((unsigned char)(63u))))))-(cast0*((float)((val15&((unsigned char)(63u)))))));
  }
  unsigned char val17 = (*(data2_13824+(alu0+12)));
  for (int Lidx6 = 0; Lidx6 < 32; Lidx6++) {
    unsigned char val18 = (*(data2_13824+(alu0+Lidx6+80)));
    *(data0_256+(Lidx6+128)) = ((((float)((val18&((unsigned char)(15u)))))*cast1*((float)(((val17&((unsigned char)(15u)))|((val4>>((unsigned char)(6u)))<<((unsigned char)(4u)))))))-(cast0*((float)(((val17>>((unsigned char)(4u)))|((val5>>((unsigned char)(6u)))<<((unsigned char)(4u))))))));
  }
  unsigned char val19 = (*(data2_13824+(alu0+13)));
  for (int Lidx7 = 0; Lidx7 < 32; Lidx7++) {
    unsigned char val20 = (*(data2_13824+(alu0+Lidx7+80)));
    *(data0_256+(Lidx7+160)) = ((((float)((val20>>((unsigned char)(4u)))))*cast1*((float)(((val19&((unsigned char)(15u)))|((val8>>((unsigned char)(6u)))<<((unsigned char)(4u)))))))-(cast0*((float)(((val19>>((unsigned char)(4u)))|((val9>>((unsigned char)(6u)))<<((unsigned char)(4u))))))));
  }
  unsigned char val21 = (*(data2_13824+(alu0+14)));
  for (int Lidx8 = 0; Lidx8 < 32; Lidx8++) {
    unsigned char val22 = (*(data2_13824+(alu0+Lidx8+112)));
    *(data0_256+(Lidx8+192)) = ((((float)((val22&((unsigned char)(15u)))))*cast1*((float)(((val21&((unsigned char)(15u)))|((val11>>((unsigned char)(6u)))<<((unsigned char)(4u)))))))-(cast0*((float)(((val21>>((unsigned char)(4u)))|((val12>>((unsigned char)(6u)))<<((unsigned char)(4u))))))));
  }
  unsigned char val23 = (*(data2_13824+(alu0+15)));
  for (int Lidx9 = 0; Lidx9 < 32; Lidx9++) {
    unsigned char val24 = (*(data2_13824+(alu0+Lidx9+112)));
    *(data0_256+(Lidx9+224)) = ((((float)((val24>>((unsigned char)(4u)))))*cast1*((float)(((val23&((unsigned char)(15u)))|((val14>>((unsigned char)(6u)))<<((unsigned char)(4u)))))))-(cast0*((float)(((val23>>((unsigned char)(4u)))|((val15>>((unsigned char)(6u)))<<((unsigned char)(4u))))))));
  }
}

