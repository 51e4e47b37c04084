/* The table of inner loops. kernels_scalar.c is the specification: plain loops that define the
 * order of every addition. kernels_simd.c computes the same bits with vector words.
 *
 * Orders of summation that every table keeps:
 *   - a float32 matrix row times a vector: columns ascending into one float32 accumulator that
 *     starts at 0
 *   - a quantised matrix row times a vector: within a group of 32 columns exact integer sums, one
 *     over each half of 16: d0 and d1 of weight quants times x quants, s0 and s1 of x quants;
 *     groups ascending into one float32 accumulator that starts at 0:
 *
 *         term = (float)(f0 * d0 + f1 * d1) * (scale * x_scale)
 *         sum += term
 *         sum += term + minimum * (x_scale * (float)(m0 * s0 + m1 * s1))    with a minimum
 *
 *     f are the group's factors, m its shares (format.h). Both integers are below 2^24, so that
 *     float32 holds them, and their parts, exactly.
 *   - a sum over a vector (norms, attention's scores and exponentials): four interleaved float32
 *     accumulators a[j % 4], combined as (a0 + a1) + (a2 + a3)
 *   - attention's weighted sum of values: positions ascending into one accumulator an element
 *
 * Error of quantising the vector: x_scale * quant is within 0.50003 * x_scale of x (half a step,
 * plus the rounding of scale and quotient). So an output is within
 *     0.50003 * sum over groups of x_scale * (sum over the group's columns of |weight|)
 * of the product with x itself. Rounding in float32 adds at most (groups + 4) * 2^-24 of the sum of
 * the groups' magnitudes. */
#ifndef LOGITSCOPE_KERNELS_H
#define LOGITSCOPE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "matrix.h"

/* The most tokens of a vocabulary. With this limit the sum of the weights, each at most 2^44, fits
 * into 64 bits, and so do the sums in measure_entropy. */
enum { VOCAB_MAX = 1 << 19 };

/* Thirty-two elements of a vector: element = scale * quant, integers quant from -127 to 127; scale
 * is the largest magnitude over 127. The scale is NaN if an element is NaN or infinite. Scale and
 * quants are 0 if every magnitude is below 2^-100. */
struct quants {
    float scale;
    int32_t negative;   /* sum of the magnitudes of the negative quants */
    int16_t sums[2][2]; /* [half][0]: sum of columns 4c, 4c + 1; [half][1]: of 4c + 2, 4c + 3 */
    int16_t values[MATRIX_GROUP]; /* scalar: the quants; other tables use their own form */
};

static inline int32_t quants_sum(const struct quants *x) {
    return x->sums[0][0] + x->sums[0][1] + x->sums[1][0] + x->sums[1][1];
}

enum { KERNELS_STREAMS_MAX = 4 };

/* The input of attention for one head and n >= 1 positions. */
struct attention {
    const float *q;             /* (size,) */
    const float *keys, *values; /* (n, size) */
    size_t n, size;
    float scale, cap; /* cap 0: no soft cap */
};

struct threads;

struct kernels {
    const char *name; /* "scalar", "simd" or "relaxed" */
    /* Number of blocks of a quantised matrix that are multiplied by one vector together, 1 to
     * KERNELS_STREAMS_MAX; scalar loops ignore it. Some processors read several streams faster than
     * one, others slower, so a measurement sets this number. Results do not depend on it. */
    size_t streams;

    /* out (n, rows) = x (n, cols) * w^T + bias (rows,), w float32; bias may be NULL, n >= 1. The
     * bias is added to the finished sum of a row. n does not change the bits of a row. */
    void (*matmul)(float *out, const struct matrix *w, const float *bias, const float *x, size_t n);

    /* Writes quants (cols / 32, n) of x (n, cols); cols is a multiple of 32. */
    void (*quantise)(struct quants *quants, const float *x, size_t cols, size_t n);
    /* Like matmul, for a quantised w. `quants` is x, quantised by this table's `quantise`. */
    void (*matmul_quants)(float *out, const struct matrix *w, const float *bias,
                          const struct quants *quants, size_t n, size_t streams);

    /* out (n,) = (x - mean) / sqrt(variance + eps) * weight + bias; population variance. */
    void (*layer_norm)(float *out, const float *x, const float *weight, const float *bias, size_t n,
                       float eps);
    /* out (n,) = x / sqrt(mean(x^2) + eps) * weight. */
    void (*rms_norm)(float *out, const float *x, const float *weight, size_t n, float eps);

    /* GELU, tanh form: x (n,) = 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). */
    void (*gelu)(float *x, size_t n);
    /* GELU, exact form: x (n,) times the probability that a standard normal variable is below x, by
     * elementary_tail. Hendrycks and Gimpel 2016. */
    void (*gelu_erf)(float *x, size_t n);
    /* gate (n,) = gate / (1 + exp(-gate)) * up. */
    void (*swiglu)(float *gate, const float *up, size_t n);
    /* add: x (n,) += y. times: x (n,) *= y. */
    void (*add)(float *x, const float *y, size_t n);
    void (*times)(float *x, const float *y, size_t n);
    /* x (n,) = cap * tanh(x / cap). */
    void (*soft_cap)(float *x, size_t n, float cap);
    /* Rotates the pairs (x[2i], x[2i+1]) of one head in place, i < n_pairs. cosine[i] and sine[i]
     * give the angle: x' = x c - y s, y' = x s + y c. */
    void (*rotate)(float *x, const float *cosine, const float *sine, size_t n_pairs);
    /* Like `rotate`, for the pairs (x[i], x[i + n_pairs]). */
    void (*rotate_halves)(float *x, const float *cosine, const float *sine, size_t n_pairs);

    /* out (size,) = sum over t of p_t v_t, p = softmax over t of scale * (q . k_t). If `cap` is not
     * 0, soft_cap is applied to the scaled products. `scores` is scratch for n floats, n rounded up
     * to a multiple of four. Vaswani et al. 2017, section 3.2.1. */
    void (*attention)(float *out, float *scores, const struct attention *head);

    /* Computes weights (n,): floor(exp(logit - max) * 2^44), or 0 for a logit of -Infinity. Returns
     * their sum. `max` is the largest logit and must be finite. */
    uint64_t (*weigh)(uint64_t *weights, const float *logits, size_t n, float max);
#ifdef LOGITSCOPE_THREADS
    struct threads *threads; /* of threads.h; NULL: one thread */
#endif
};

/* True if the table gives the bits of kernels_scalar for small quantised matrices of every type
 * with extreme codes and quants. Loops of another module must pass this check before use. */
bool kernels_quants_agree(const struct kernels *kernels);

extern const struct kernels kernels_scalar;
extern const struct kernels kernels_simd;

/* The loops of kernels_simd over quantised matrices, in quants_simd.c. For WebAssembly,
 * quants_simd.c is compiled to two modules, without and with relaxed SIMD. */
void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n);
void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n, size_t streams);

#endif
