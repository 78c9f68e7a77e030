// A product of matrices whose sizes are arguments, as a C program has it: mdh cc -O3 -march=native -c gemm.c
void gemm(int ni, int nj, int nk, double alpha, double C[restrict ni][nj], double A[restrict ni][nk],
          double B[restrict nk][nj]) {
  for (int i = 0; i < ni; i++)
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < nj; j++) C[i][j] += alpha * A[i][k] * B[k][j];
}
