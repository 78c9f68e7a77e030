// The 30 kernels of PolyBench/C 4.2.1, written anew, in the forms of arrays of polybench_forms.c.
#include "polybench_forms.c"

#include <math.h>

// Linear algebra: products

// D = alpha A B C + beta D
void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, MATRIX(tmp, ni, nj), MATRIX(A, ni, nk),
                MATRIX(B, nk, nj), MATRIX(C, nj, nl), MATRIX(D, ni, nl)) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      AT2(tmp, i, j, nj) = 0.0;
      for (int k = 0; k < nk; k++)
        AT2(tmp, i, j, nj) += alpha * AT2(A, i, k, nk) * AT2(B, k, j, nj);
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      AT2(D, i, j, nl) *= beta;
      for (int k = 0; k < nj; k++)
        AT2(D, i, j, nl) += AT2(tmp, i, k, nj) * AT2(C, k, j, nl);
    }
}

// G = (A B) (C D)
void kernel_3mm(int ni, int nj, int nk, int nl, int nm, MATRIX(E, ni, nj), MATRIX(A, ni, nk), MATRIX(B, nk, nj),
                MATRIX(F, nj, nl), MATRIX(C, nj, nm), MATRIX(D, nm, nl), MATRIX(G, ni, nl)) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      AT2(E, i, j, nj) = 0.0;
      for (int k = 0; k < nk; k++)
        AT2(E, i, j, nj) += AT2(A, i, k, nk) * AT2(B, k, j, nj);
    }
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      AT2(F, i, j, nl) = 0.0;
      for (int k = 0; k < nm; k++)
        AT2(F, i, j, nl) += AT2(C, i, k, nm) * AT2(D, k, j, nl);
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      AT2(G, i, j, nl) = 0.0;
      for (int k = 0; k < nj; k++)
        AT2(G, i, j, nl) += AT2(E, i, k, nj) * AT2(F, k, j, nl);
    }
}

// y = A' (A x)
void kernel_atax(int m, int n, MATRIX(A, m, n), VECTOR(x, n), VECTOR(y, n), VECTOR(tmp, m)) {
  for (int i = 0; i < n; i++)
    AT1(y, i) = 0.0;
  for (int i = 0; i < m; i++) {
    AT1(tmp, i) = 0.0;
    for (int j = 0; j < n; j++)
      AT1(tmp, i) = AT1(tmp, i) + AT2(A, i, j, n) * AT1(x, j);
    for (int j = 0; j < n; j++)
      AT1(y, j) = AT1(y, j) + AT2(A, i, j, n) * AT1(tmp, i);
  }
}

// s = A' r, q = A p
void kernel_bicg(int m, int n, MATRIX(A, n, m), VECTOR(s, m), VECTOR(q, n), VECTOR(p, m), VECTOR(r, n)) {
  for (int i = 0; i < m; i++)
    AT1(s, i) = 0.0;
  for (int i = 0; i < n; i++) {
    AT1(q, i) = 0.0;
    for (int j = 0; j < m; j++) {
      AT1(s, j) = AT1(s, j) + AT1(r, i) * AT2(A, i, j, m);
      AT1(q, i) = AT1(q, i) + AT2(A, i, j, m) * AT1(p, j);
    }
  }
}

// A[r][q] = A[r][q] C4
void kernel_doitgen(int nr, int nq, int np, CUBE(A, nr, nq, np), MATRIX(C4, np, np), VECTOR(sum, np)) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        AT1(sum, p) = 0.0;
        for (int s = 0; s < np; s++)
          AT1(sum, p) += AT3(A, r, q, s, nq, np) * AT2(C4, s, p, np);
      }
      for (int p = 0; p < np; p++)
        AT3(A, r, q, p, nq, np) = AT1(sum, p);
    }
}

// C = alpha A B + beta C
void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, MATRIX(C, ni, nj), MATRIX(A, ni, nk),
                 MATRIX(B, nk, nj)) {
  for (int i = 0; i < ni; i++) {
    for (int j = 0; j < nj; j++)
      AT2(C, i, j, nj) *= beta;
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < nj; j++)
        AT2(C, i, j, nj) += alpha * AT2(A, i, k, nk) * AT2(B, k, j, nj);
  }
}

// A = A + u1 v1' + u2 v2', x = x + beta A' y + z, w = w + alpha A x
void kernel_gemver(int n, double alpha, double beta, MATRIX(A, n, n), VECTOR(u1, n), VECTOR(v1, n), VECTOR(u2, n),
                   VECTOR(v2, n), VECTOR(w, n), VECTOR(x, n), VECTOR(y, n), VECTOR(z, n)) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT2(A, i, j, n) = AT2(A, i, j, n) + AT1(u1, i) * AT1(v1, j) + AT1(u2, i) * AT1(v2, j);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT1(x, i) = AT1(x, i) + beta * AT2(A, j, i, n) * AT1(y, j);
  for (int i = 0; i < n; i++)
    AT1(x, i) = AT1(x, i) + AT1(z, i);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT1(w, i) = AT1(w, i) + alpha * AT2(A, i, j, n) * AT1(x, j);
}

// y = alpha A x + beta B x
void kernel_gesummv(int n, double alpha, double beta, MATRIX(A, n, n), MATRIX(B, n, n), VECTOR(tmp, n), VECTOR(x, n),
                    VECTOR(y, n)) {
  for (int i = 0; i < n; i++) {
    AT1(tmp, i) = 0.0;
    AT1(y, i) = 0.0;
    for (int j = 0; j < n; j++) {
      AT1(tmp, i) = AT2(A, i, j, n) * AT1(x, j) + AT1(tmp, i);
      AT1(y, i) = AT2(B, i, j, n) * AT1(x, j) + AT1(y, i);
    }
    AT1(y, i) = alpha * AT1(tmp, i) + beta * AT1(y, i);
  }
}

// x1 = x1 + A y_1, x2 = x2 + A' y_2
void kernel_mvt(int n, VECTOR(x1, n), VECTOR(x2, n), VECTOR(y_1, n), VECTOR(y_2, n), MATRIX(A, n, n)) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT1(x1, i) = AT1(x1, i) + AT2(A, i, j, n) * AT1(y_1, j);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT1(x2, i) = AT1(x2, i) + AT2(A, j, i, n) * AT1(y_2, j);
}

// C = alpha A B + beta C with a symmetric A, of which the lower triangle is read
void kernel_symm(int m, int n, double alpha, double beta, MATRIX(C, m, n), MATRIX(A, m, m), MATRIX(B, m, n)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double temp2 = 0.0;
      for (int k = 0; k < i; k++) {
        AT2(C, k, j, n) += alpha * AT2(B, i, j, n) * AT2(A, i, k, m);
        temp2 += AT2(B, k, j, n) * AT2(A, i, k, m);
      }
      AT2(C, i, j, n) = beta * AT2(C, i, j, n) + alpha * AT2(B, i, j, n) * AT2(A, i, i, m) + alpha * temp2;
    }
}

// C = alpha A B' + alpha B A' + beta C, the lower triangle
void kernel_syr2k(int n, int m, double alpha, double beta, MATRIX(C, n, n), MATRIX(A, n, m), MATRIX(B, n, m)) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      AT2(C, i, j, n) *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        AT2(C, i, j, n) += AT2(A, j, k, m) * alpha * AT2(B, i, k, m) + AT2(B, j, k, m) * alpha * AT2(A, i, k, m);
  }
}

// C = alpha A A' + beta C, the lower triangle
void kernel_syrk(int n, int m, double alpha, double beta, MATRIX(C, n, n), MATRIX(A, n, m)) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      AT2(C, i, j, n) *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        AT2(C, i, j, n) += alpha * AT2(A, i, k, m) * AT2(A, j, k, m);
  }
}

// B = alpha A' B with a unit lower triangular A
void kernel_trmm(int m, int n, double alpha, MATRIX(A, m, m), MATRIX(B, m, n)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        AT2(B, i, j, n) += AT2(A, k, i, m) * AT2(B, k, j, n);
      AT2(B, i, j, n) = alpha * AT2(B, i, j, n);
    }
}

// Linear algebra: solvers

// A = L L', in the lower triangle
void kernel_cholesky(int n, MATRIX(A, n, n)) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        AT2(A, i, j, n) -= AT2(A, i, k, n) * AT2(A, j, k, n);
      AT2(A, i, j, n) /= AT2(A, j, j, n);
    }
    for (int k = 0; k < i; k++)
      AT2(A, i, i, n) -= AT2(A, i, k, n) * AT2(A, i, k, n);
    AT2(A, i, i, n) = sqrt(AT2(A, i, i, n));
  }
}

// The Toeplitz matrix of 1, r[0], r[1], .. times y is -r
void kernel_durbin(int n, VECTOR(r, n), VECTOR(y, n)) {
  LOCAL(z, n);
  double alpha, beta, sum;
  AT1(y, 0) = -AT1(r, 0);
  beta = 1.0;
  alpha = -AT1(r, 0);
  for (int k = 1; k < n; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++)
      sum += AT1(r, k - i - 1) * AT1(y, i);
    alpha = -(AT1(r, k) + sum) / beta;
    for (int i = 0; i < k; i++)
      AT1(z, i) = AT1(y, i) + alpha * AT1(y, k - i - 1);
    for (int i = 0; i < k; i++)
      AT1(y, i) = AT1(z, i);
    AT1(y, k) = alpha;
  }
}

// A = Q R with orthonormal columns of Q
void kernel_gramschmidt(int m, int n, MATRIX(A, m, n), MATRIX(R, n, n), MATRIX(Q, m, n)) {
  double nrm;
  for (int k = 0; k < n; k++) {
    nrm = 0.0;
    for (int i = 0; i < m; i++)
      nrm += AT2(A, i, k, n) * AT2(A, i, k, n);
    AT2(R, k, k, n) = sqrt(nrm);
    for (int i = 0; i < m; i++)
      AT2(Q, i, k, n) = AT2(A, i, k, n) / AT2(R, k, k, n);
    for (int j = k + 1; j < n; j++) {
      AT2(R, k, j, n) = 0.0;
      for (int i = 0; i < m; i++)
        AT2(R, k, j, n) += AT2(Q, i, k, n) * AT2(A, i, j, n);
      for (int i = 0; i < m; i++)
        AT2(A, i, j, n) = AT2(A, i, j, n) - AT2(Q, i, k, n) * AT2(R, k, j, n);
    }
  }
}

// A = L U, without pivoting, in place
void kernel_lu(int n, MATRIX(A, n, n)) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        AT2(A, i, j, n) -= AT2(A, i, k, n) * AT2(A, k, j, n);
      AT2(A, i, j, n) /= AT2(A, j, j, n);
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        AT2(A, i, j, n) -= AT2(A, i, k, n) * AT2(A, k, j, n);
  }
}

// A x = b: A = L U, then L y = b and U x = y
void kernel_ludcmp(int n, MATRIX(A, n, n), VECTOR(b, n), VECTOR(x, n), VECTOR(y, n)) {
  double w;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      w = AT2(A, i, j, n);
      for (int k = 0; k < j; k++)
        w -= AT2(A, i, k, n) * AT2(A, k, j, n);
      AT2(A, i, j, n) = w / AT2(A, j, j, n);
    }
    for (int j = i; j < n; j++) {
      w = AT2(A, i, j, n);
      for (int k = 0; k < i; k++)
        w -= AT2(A, i, k, n) * AT2(A, k, j, n);
      AT2(A, i, j, n) = w;
    }
  }
  for (int i = 0; i < n; i++) {
    w = AT1(b, i);
    for (int j = 0; j < i; j++)
      w -= AT2(A, i, j, n) * AT1(y, j);
    AT1(y, i) = w;
  }
  for (int i = n - 1; i >= 0; i--) {
    w = AT1(y, i);
    for (int j = i + 1; j < n; j++)
      w -= AT2(A, i, j, n) * AT1(x, j);
    AT1(x, i) = w / AT2(A, i, i, n);
  }
}

// L x = b with a lower triangular L
void kernel_trisolv(int n, MATRIX(L, n, n), VECTOR(x, n), VECTOR(b, n)) {
  for (int i = 0; i < n; i++) {
    AT1(x, i) = AT1(b, i);
    for (int j = 0; j < i; j++)
      AT1(x, i) -= AT2(L, i, j, n) * AT1(x, j);
    AT1(x, i) = AT1(x, i) / AT2(L, i, i, n);
  }
}

// Data mining

// Correlations of the columns of data
void kernel_correlation(int m, int n, double float_n, MATRIX(data, n, m), MATRIX(corr, m, m), VECTOR(mean, m),
                        VECTOR(stddev, m)) {
  double eps = 0.1;
  for (int j = 0; j < m; j++) {
    AT1(mean, j) = 0.0;
    for (int i = 0; i < n; i++)
      AT1(mean, j) += AT2(data, i, j, m);
    AT1(mean, j) /= float_n;
  }
  for (int j = 0; j < m; j++) {
    AT1(stddev, j) = 0.0;
    for (int i = 0; i < n; i++)
      AT1(stddev, j) += (AT2(data, i, j, m) - AT1(mean, j)) * (AT2(data, i, j, m) - AT1(mean, j));
    AT1(stddev, j) /= float_n;
    AT1(stddev, j) = sqrt(AT1(stddev, j));
    AT1(stddev, j) = AT1(stddev, j) <= eps ? 1.0 : AT1(stddev, j);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      AT2(data, i, j, m) -= AT1(mean, j);
      AT2(data, i, j, m) /= sqrt(float_n) * AT1(stddev, j);
    }
  for (int i = 0; i < m - 1; i++) {
    AT2(corr, i, i, m) = 1.0;
    for (int j = i + 1; j < m; j++) {
      AT2(corr, i, j, m) = 0.0;
      for (int k = 0; k < n; k++)
        AT2(corr, i, j, m) += AT2(data, k, i, m) * AT2(data, k, j, m);
      AT2(corr, j, i, m) = AT2(corr, i, j, m);
    }
  }
  AT2(corr, m - 1, m - 1, m) = 1.0;
}

// Covariances of the columns of data
void kernel_covariance(int m, int n, double float_n, MATRIX(data, n, m), MATRIX(cov, m, m), VECTOR(mean, m)) {
  for (int j = 0; j < m; j++) {
    AT1(mean, j) = 0.0;
    for (int i = 0; i < n; i++)
      AT1(mean, j) += AT2(data, i, j, m);
    AT1(mean, j) /= float_n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      AT2(data, i, j, m) -= AT1(mean, j);
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      AT2(cov, i, j, m) = 0.0;
      for (int k = 0; k < n; k++)
        AT2(cov, i, j, m) += AT2(data, k, i, m) * AT2(data, k, j, m);
      AT2(cov, i, j, m) /= float_n - 1.0;
      AT2(cov, j, i, m) = AT2(cov, i, j, m);
    }
}

// Medley

// A recursive filter, in both directions of rows, then of columns
void kernel_deriche(int w, int h, double alpha, MATRIX(imgIn, w, h), MATRIX(imgOut, w, h), MATRIX(y1, w, h),
                    MATRIX(y2, w, h)) {
  double xm1, tm1, ym1, ym2, xp1, xp2, tp1, tp2, yp1, yp2;
  double k, a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, c1, c2;
  k = (1.0 - exp(-alpha)) * (1.0 - exp(-alpha)) / (1.0 + 2.0 * alpha * exp(-alpha) - exp(2.0 * alpha));
  a1 = a5 = k;
  a2 = a6 = k * exp(-alpha) * (alpha - 1.0);
  a3 = a7 = k * exp(-alpha) * (alpha + 1.0);
  a4 = a8 = -k * exp(-2.0 * alpha);
  b1 = pow(2.0, -alpha);
  b2 = -exp(-2.0 * alpha);
  c1 = c2 = 1.0;
  for (int i = 0; i < w; i++) {
    ym1 = 0.0;
    ym2 = 0.0;
    xm1 = 0.0;
    for (int j = 0; j < h; j++) {
      AT2(y1, i, j, h) = a1 * AT2(imgIn, i, j, h) + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = AT2(imgIn, i, j, h);
      ym2 = ym1;
      ym1 = AT2(y1, i, j, h);
    }
  }
  for (int i = 0; i < w; i++) {
    yp1 = 0.0;
    yp2 = 0.0;
    xp1 = 0.0;
    xp2 = 0.0;
    for (int j = h - 1; j >= 0; j--) {
      AT2(y2, i, j, h) = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = AT2(imgIn, i, j, h);
      yp2 = yp1;
      yp1 = AT2(y2, i, j, h);
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      AT2(imgOut, i, j, h) = c1 * (AT2(y1, i, j, h) + AT2(y2, i, j, h));
  for (int j = 0; j < h; j++) {
    tm1 = 0.0;
    ym1 = 0.0;
    ym2 = 0.0;
    for (int i = 0; i < w; i++) {
      AT2(y1, i, j, h) = a5 * AT2(imgOut, i, j, h) + a6 * tm1 + b1 * ym1 + b2 * ym2;
      tm1 = AT2(imgOut, i, j, h);
      ym2 = ym1;
      ym1 = AT2(y1, i, j, h);
    }
  }
  for (int j = 0; j < h; j++) {
    tp1 = 0.0;
    tp2 = 0.0;
    yp1 = 0.0;
    yp2 = 0.0;
    for (int i = w - 1; i >= 0; i--) {
      AT2(y2, i, j, h) = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
      tp2 = tp1;
      tp1 = AT2(imgOut, i, j, h);
      yp2 = yp1;
      yp1 = AT2(y2, i, j, h);
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      AT2(imgOut, i, j, h) = c2 * (AT2(y1, i, j, h) + AT2(y2, i, j, h));
}

// Shortest paths of all pairs
void kernel_floyd_warshall(int n, MATRIX_OF(int, path, n, n)) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        AT2(path, i, j, n) = AT2(path, i, j, n) < AT2(path, i, k, n) + AT2(path, k, j, n)
                                 ? AT2(path, i, j, n)
                                 : AT2(path, i, k, n) + AT2(path, k, j, n);
}

#define PAIR(a, b) ((a) + (b) == 3 ? 1 : 0)
#define LARGER(a, b) ((a) >= (b) ? (a) : (b))

// The largest number of pairs of bases 0 and 3 or 1 and 2
void kernel_nussinov(int n, VECTOR_OF(char, seq, n), MATRIX_OF(int, table, n, n)) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        AT2(table, i, j, n) = LARGER(AT2(table, i, j, n), AT2(table, i, j - 1, n));
      if (i + 1 < n)
        AT2(table, i, j, n) = LARGER(AT2(table, i, j, n), AT2(table, i + 1, j, n));
      if (j - 1 >= 0 && i + 1 < n) {
        if (i < j - 1)
          AT2(table, i, j, n) =
              LARGER(AT2(table, i, j, n), AT2(table, i + 1, j - 1, n) + PAIR(AT1(seq, i), AT1(seq, j)));
        else
          AT2(table, i, j, n) = LARGER(AT2(table, i, j, n), AT2(table, i + 1, j - 1, n));
      }
      for (int k = i + 1; k < j; k++)
        AT2(table, i, j, n) = LARGER(AT2(table, i, j, n), AT2(table, i, k, n) + AT2(table, k + 1, j, n));
    }
}

// Stencils

// Heat in two dimensions, implicit in columns, then in rows
void kernel_adi(int tsteps, int n, MATRIX(u, n, n), MATRIX(v, n, n), MATRIX(p, n, n), MATRIX(q, n, n)) {
  double DX, DY, DT, B1, B2, mul1, mul2, a, b, c, d, e, f;
  DX = 1.0 / (double)n;
  DY = 1.0 / (double)n;
  DT = 1.0 / (double)tsteps;
  B1 = 2.0;
  B2 = 1.0;
  mul1 = B1 * DT / (DX * DX);
  mul2 = B2 * DT / (DY * DY);
  a = -mul1 / 2.0;
  b = 1.0 + mul1;
  c = a;
  d = -mul2 / 2.0;
  e = 1.0 + mul2;
  f = d;
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++) {
      AT2(v, 0, i, n) = 1.0;
      AT2(p, i, 0, n) = 0.0;
      AT2(q, i, 0, n) = AT2(v, 0, i, n);
      for (int j = 1; j < n - 1; j++) {
        AT2(p, i, j, n) = -c / (a * AT2(p, i, j - 1, n) + b);
        AT2(q, i, j, n) = (-d * AT2(u, j, i - 1, n) + (1.0 + 2.0 * d) * AT2(u, j, i, n) - f * AT2(u, j, i + 1, n) -
                           a * AT2(q, i, j - 1, n)) /
                          (a * AT2(p, i, j - 1, n) + b);
      }
      AT2(v, n - 1, i, n) = 1.0;
      for (int j = n - 2; j >= 1; j--)
        AT2(v, j, i, n) = AT2(p, i, j, n) * AT2(v, j + 1, i, n) + AT2(q, i, j, n);
    }
    for (int i = 1; i < n - 1; i++) {
      AT2(u, i, 0, n) = 1.0;
      AT2(p, i, 0, n) = 0.0;
      AT2(q, i, 0, n) = AT2(u, i, 0, n);
      for (int j = 1; j < n - 1; j++) {
        AT2(p, i, j, n) = -f / (d * AT2(p, i, j - 1, n) + e);
        AT2(q, i, j, n) = (-a * AT2(v, i - 1, j, n) + (1.0 + 2.0 * a) * AT2(v, i, j, n) - c * AT2(v, i + 1, j, n) -
                           d * AT2(q, i, j - 1, n)) /
                          (d * AT2(p, i, j - 1, n) + e);
      }
      AT2(u, i, n - 1, n) = 1.0;
      for (int j = n - 2; j >= 1; j--)
        AT2(u, i, j, n) = AT2(p, i, j, n) * AT2(u, i, j + 1, n) + AT2(q, i, j, n);
    }
  }
}

// An electric and a magnetic field
void kernel_fdtd_2d(int tmax, int nx, int ny, MATRIX(ex, nx, ny), MATRIX(ey, nx, ny), MATRIX(hz, nx, ny),
                    VECTOR(fict, tmax)) {
  for (int t = 0; t < tmax; t++) {
    for (int j = 0; j < ny; j++)
      AT2(ey, 0, j, ny) = AT1(fict, t);
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++)
        AT2(ey, i, j, ny) = AT2(ey, i, j, ny) - 0.5 * (AT2(hz, i, j, ny) - AT2(hz, i - 1, j, ny));
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++)
        AT2(ex, i, j, ny) = AT2(ex, i, j, ny) - 0.5 * (AT2(hz, i, j, ny) - AT2(hz, i, j - 1, ny));
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++)
        AT2(hz, i, j, ny) = AT2(hz, i, j, ny) - 0.7 * (AT2(ex, i, j + 1, ny) - AT2(ex, i, j, ny) +
                                                       AT2(ey, i + 1, j, ny) - AT2(ey, i, j, ny));
  }
}

// Heat in three dimensions
void kernel_heat_3d(int tsteps, int n, CUBE(A, n, n, n), CUBE(B, n, n, n)) {
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          AT3(B, i, j, k, n, n) =
              0.125 * (AT3(A, i + 1, j, k, n, n) - 2.0 * AT3(A, i, j, k, n, n) + AT3(A, i - 1, j, k, n, n)) +
              0.125 * (AT3(A, i, j + 1, k, n, n) - 2.0 * AT3(A, i, j, k, n, n) + AT3(A, i, j - 1, k, n, n)) +
              0.125 * (AT3(A, i, j, k + 1, n, n) - 2.0 * AT3(A, i, j, k, n, n) + AT3(A, i, j, k - 1, n, n)) +
              AT3(A, i, j, k, n, n);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          AT3(A, i, j, k, n, n) =
              0.125 * (AT3(B, i + 1, j, k, n, n) - 2.0 * AT3(B, i, j, k, n, n) + AT3(B, i - 1, j, k, n, n)) +
              0.125 * (AT3(B, i, j + 1, k, n, n) - 2.0 * AT3(B, i, j, k, n, n) + AT3(B, i, j - 1, k, n, n)) +
              0.125 * (AT3(B, i, j, k + 1, n, n) - 2.0 * AT3(B, i, j, k, n, n) + AT3(B, i, j, k - 1, n, n)) +
              AT3(B, i, j, k, n, n);
  }
}

// Means of three neighbours
void kernel_jacobi_1d(int tsteps, int n, VECTOR(A, n), VECTOR(B, n)) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      AT1(B, i) = 0.33333 * (AT1(A, i - 1) + AT1(A, i) + AT1(A, i + 1));
    for (int i = 1; i < n - 1; i++)
      AT1(A, i) = 0.33333 * (AT1(B, i - 1) + AT1(B, i) + AT1(B, i + 1));
  }
}

// Means of five neighbours
void kernel_jacobi_2d(int tsteps, int n, MATRIX(A, n, n), MATRIX(B, n, n)) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        AT2(B, i, j, n) = 0.2 * (AT2(A, i, j, n) + AT2(A, i, j - 1, n) + AT2(A, i, 1 + j, n) + AT2(A, 1 + i, j, n) +
                                 AT2(A, i - 1, j, n));
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        AT2(A, i, j, n) = 0.2 * (AT2(B, i, j, n) + AT2(B, i, j - 1, n) + AT2(B, i, 1 + j, n) + AT2(B, 1 + i, j, n) +
                                 AT2(B, i - 1, j, n));
  }
}

// Means of nine neighbours, in place
void kernel_seidel_2d(int tsteps, int n, MATRIX(A, n, n)) {
  for (int t = 0; t <= tsteps - 1; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        AT2(A, i, j, n) = (AT2(A, i - 1, j - 1, n) + AT2(A, i - 1, j, n) + AT2(A, i - 1, j + 1, n) +
                           AT2(A, i, j - 1, n) + AT2(A, i, j, n) + AT2(A, i, j + 1, n) +
                           AT2(A, i + 1, j - 1, n) + AT2(A, i + 1, j, n) + AT2(A, i + 1, j + 1, n)) /
                          9.0;
}
