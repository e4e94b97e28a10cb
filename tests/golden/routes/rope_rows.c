// decode/rope_store/256/h4k2d64-c64/m1 lanes=8

void rope_rows_rope_store(float* restrict data0_256, __fp16* restrict data1_16384, float* restrict data2_512, int* restrict data3_1, float* restrict data4_4096) {
  int val0 = (*(data3_1+0));
  for (int Lidx1 = 0; Lidx1 < 4; Lidx1++) {
    for (int Lidx2 = 0; Lidx2 < 32; Lidx2++) {
      int alu0 = ((Lidx1<<6)+Lidx2);
      int alu1 = (alu0+32);
      float val1 = (*(data2_512+alu1));
      float val2 = (*(data2_512+alu0));
      int alu2 = ((val0<<6)+Lidx2);
      float val3 = (*(data4_4096+(alu2+32)));
      float val4 = (*(data4_4096+alu2));
      *(data0_256+alu1) = ((val1*val4)+(val2*val3));
      *(data0_256+alu0) = ((val2*val4)-(val1*val3));
    }
  }
  int val5 = (*(data3_1+0));
  for (int Lidx3 = 0; Lidx3 < 2; Lidx3++) {
    int alu7 = (Lidx3<<6);
    int alu8 = ((alu7+val5)<<6);
    for (int Lidx4 = 0; Lidx4 < 32; Lidx4++) {
      int alu9 = (alu7+Lidx4);
      float val6 = (*(data2_512+(alu9+256)));
      float val7 = (*(data2_512+(alu9+288)));
      int alu10 = ((val5<<6)+Lidx4);
      float val8 = (*(data4_4096+(alu10+32)));
      float val9 = (*(data4_4096+alu10));
      *(data1_16384+(Lidx4+alu8+32)) = ((__fp16)(((val7*val9)+(val6*val8))));
      *(data1_16384+(alu8+Lidx4)) = ((__fp16)(((val6*val9)-(val7*val8))));
    }
  }
  int val10 = (*(data3_1+0));
  for (int Lidx5 = 0; Lidx5 < 2; Lidx5++) {
    int alu15 = (Lidx5<<6);
    for (int Lidx6 = 0; Lidx6 < 64; Lidx6++) {
      float val11 = (*(data2_512+(alu15+Lidx6+384)));
      *(data1_16384+(((alu15+val10+128)<<6)+Lidx6)) = ((__fp16)(val11));
    }
  }
}

