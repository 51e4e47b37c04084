/* The table of inner loops. kernels_scalar.c is the specification: plain loops that fix the order
 * of every addition; kernels_simd.c repeats them in vector words, bit for bit equal.
 *
 * Orders of summation that every table keeps:
 *   - a matrix row times a vector: columns ascending into one float32 accumulator that starts at 0
 *   - a sum over a vector (norms, softmax, attention scores): four interleaved float32 accumulators
 *     a[j % 4], combined as (a0 + a1) + (a2 + a3)
 *   - attention's weighted sum of values: positions ascending into one accumulator an element */
#ifndef LOGITSCOPE_KERNELS_H
#define LOGITSCOPE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { MATRIX_BLOCK = 16 };

/* Weights (rows, cols), packed for one sequential stream: rows in blocks of MATRIX_BLOCK, inside a
 * block column by column, so that data[(r / 16) * 16 * cols + c * 16 + r % 16] is row r, column c.
 * The last block is padded with zero rows. `data` is 64-byte aligned and owned by the model. */
struct matrix {
    float *data;
    uint32_t rows, cols;
};

struct kernels {
    const char *name; /* "scalar" or "simd" */

    /* out (n, rows) = x (n, cols) * w^T + bias (rows,); bias may be NULL, n >= 1. The bias is added
     * after the row is summed. Every output equals the one that n = 1 gives. */
    void (*matmul)(float *out, const struct matrix *w, const float *bias, const float *x, size_t n);

    /* out (n,) = (x - mean) / sqrt(variance + eps) * weight + bias; population variance. */
    void (*layer_norm)(float *out, const float *x, const float *weight, const float *bias, size_t n,
                       float eps);
    /* out (n,) = x / sqrt(mean(x^2) + eps) * weight. */
    void (*rms_norm)(float *out, const float *x, const float *weight, size_t n, float eps);

    /* In place: x (n,) = exp(x - max) / sum. */
    void (*softmax)(float *x, size_t n);
    /* In place, tanh form: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). */
    void (*gelu)(float *x, size_t n);
    /* gate (n,) = gate / (1 + exp(-gate)) * up. */
    void (*swiglu)(float *gate, const float *up, size_t n);
    /* x (n,) += y. */
    void (*add)(float *x, const float *y, size_t n);
    /* In place on one head: pairs (x[2i], x[2i+1]) turned by the angle whose cosine and sine are
     * cosine[i], sine[i], i < n_pairs; x' = x c - y s, y' = x s + y c. */
    void (*rotate)(float *x, const float *cosine, const float *sine, size_t n_pairs);

    /* scores (n,) = scale * q . k_t for t < n, where k_t = keys + t * stride, size elements. */
    void (*attention_scores)(float *scores, const float *q, const float *keys, size_t n,
                             size_t size, size_t stride, float scale);
    /* out (size,) = sum over t < n of weights[t] * v_t, v_t = values + t * stride. */
    void (*attention_mix)(float *out, const float *weights, const float *values, size_t n,
                          size_t size, size_t stride);

    /* The sampler's pass. weights[i] = floor(exp(logits[i] - max) * 2^44), 0 where the logit is
     * -Infinity; returns their sum. max is the largest logit and finite. */
    uint64_t (*weigh)(uint64_t *weights, const float *logits, size_t n, float max);
};

extern const struct kernels kernels_scalar;
extern const struct kernels kernels_simd;

#endif
