/* The two loops of quantised matrices in vector words, apart from the rest of kernels_simd.c:
 * compiled once more with relaxed SIMD they are a WebAssembly module of their own, which shares the
 * memory of the first. */
#ifndef LOGITSCOPE_QUANTS_SIMD_H
#define LOGITSCOPE_QUANTS_SIMD_H

#include "kernels.h"

/* The entries of struct kernels. */
void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n);
void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n);

#endif
