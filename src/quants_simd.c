/* build: -O2 */
/* Quantised matrices in vector words, bit for bit equal to kernels_scalar.c. A lane is an output
 * row; what has no state of its own here stays so: this file is a module by itself where relaxed
 * SIMD is. */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>

#include "simd.h"

enum { QUADS = 4 }; /* a block's rows, four at a time */

/* The largest magnitude by its bits, whose order is that of the numbers with NaN above all. */
static float largest_magnitude(const float *x) {
    i32x4 bits = i32x4_splat(0), mask = i32x4_splat(0x7fffffff);
    int32_t lanes[4], top = 0;
    float max[4];
    for (size_t i = 0; i < MATRIX_GROUP; i += 4)
        bits = i32x4_larger(bits, i32x4_and(i32x4_bits(f32x4_load(x + i)), mask));
    i32x4_store(lanes, bits);
    for (size_t i = 0; i < 4; i++) top = lanes[i] > top ? lanes[i] : top;
    f32x4_store(max, f32x4_bits(i32x4_splat(top)));
    return max[0];
}

/* 1.5 * 2^23 rounds to an integer, half to even, and leaves it in the low bits. */
static inline i32x4 round_f32x4(f32x4 x) {
    i32x4 bits = i32x4_bits(f32x4_add(x, f32x4_splat(12582912.0f)));
    return i32x4_sub(bits, i32x4_splat(0x4b400000));
}

static void quantise_group(struct quants *group, const float *x) {
    float max = largest_magnitude(x);
    bool finite = max < INFINITY, zero = max < 0x1p-100f;
    f32x4 inverse = f32x4_splat(finite && !zero ? 127.0f / max : 0);
    i32x4 sum = i32x4_splat(0), negative = sum;
    for (size_t i = 0; i < MATRIX_GROUP && finite; i += 8) {
        i32x4 a = round_f32x4(f32x4_mul(f32x4_load(x + i), inverse));
        i32x4 b = round_f32x4(f32x4_mul(f32x4_load(x + i + 4), inverse));
        i32x4 below = i32x4_add(i32x4_smaller(a, i32x4_splat(0)), i32x4_smaller(b, i32x4_splat(0)));
        sum = i32x4_add(sum, i32x4_add(a, b));
        negative = i32x4_sub(negative, below);
        inputs_store(group->values + i, a, b);
    }
    for (size_t i = 0; i < MATRIX_GROUP && !finite; i++) group->values[i] = 0;
    group->scale = finite ? zero ? 0 : max / 127.0f : NAN;
    group->sum = i32x4_sum(sum);
    group->negative = i32x4_sum(negative);
}

void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n) {
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++)
        for (size_t t = 0; t < n; t++) quantise_group(quants++, x + t * cols + g * MATRIX_GROUP);
}

/* What a loop over groups needs to know of a type; constants wherever they are used. */
struct form {
    enum matrix_type type;
    size_t head, bytes; /* of a group: before its quants; in all */
};

/* The integer sums of n_quads times four rows with n_tokens vectors, over one group. */
static inline ALWAYS void group_dots(dots sums[QUADS][DOTS_TOKENS], struct form form,
                                     const uint8_t *quants, size_t n_quads, const struct quants *x,
                                     size_t n_tokens) {
    bool bytes = form.type == MATRIX_Q8_0;
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) sums[q][t] = dots_zero();
    }
    ROLLED
    for (size_t c = 0; c < (bytes ? MATRIX_GROUP : MATRIX_GROUP / 2); c += 4, quants += 64) {
        UNROLL
        for (size_t q = 0; q < n_quads; q++) {
            bytes4x4 low, high;
            if (bytes)
                low = high = bytes_load(quants + 16 * q);
            else
                halves_load(quants + 16 * q, &low, &high);
            UNROLL
            for (size_t t = 0; t < n_tokens; t++) {
                const int16_t *v = x[t].values + c;
                sums[q][t] = dots_add(sums[q][t], low, inputs_load(v));
                if (!bytes) sums[q][t] = dots_add(sums[q][t], high, inputs_load(v + 16));
            }
        }
    }
}

/* n_quads times four rows of a block, from `block` on, with n_tokens of n vectors, from x on. */
static inline ALWAYS void quads_times_quants(f32x4 sums[QUADS][DOTS_TOKENS], struct form form,
                                             const uint8_t *block, size_t n_quads, size_t groups,
                                             const struct quants *x, size_t n, size_t n_tokens) {
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) sums[q][t] = f32x4_splat(0);
    }
    ROLLED
    for (size_t g = 0; g < groups; g++, x += n, block += form.bytes) {
        dots products[QUADS][DOTS_TOKENS];
        group_dots(products, form, block + form.head, n_quads, x, n_tokens);
        UNROLL
        for (size_t q = 0; q < n_quads; q++) {
            const float *scale = (const float *)(const void *)block + 4 * q;
            UNROLL
            for (size_t t = 0; t < n_tokens; t++) {
                const struct quants *v = x + t;
                i32x4 product = dots_total(products[q][t], v->negative);
                if (form.type == MATRIX_Q4_0) product = i32x4_sub(product, i32x4_splat(8 * v->sum));
                f32x4 term = f32x4_mul(f32x4_from_i32x4(product),
                                       f32x4_mul(f32x4_load(scale), f32x4_splat(v->scale)));
                if (form.type == MATRIX_Q4_1)
                    term = f32x4_add(term, f32x4_mul(f32x4_load(scale + MATRIX_BLOCK),
                                                     f32x4_splat(v->scale * (float)v->sum)));
                sums[q][t] = f32x4_add(sums[q][t], term);
            }
        }
    }
}

/* A block times one vector, or DOTS_TOKENS of them. A quad's scales and quants begin 16 bytes on.
 */
static inline ALWAYS void block_times_quants(float *out, struct form form, const uint8_t *block,
                                             size_t rows, const float *bias, size_t left,
                                             size_t groups, const struct quants *x, size_t n,
                                             size_t n_quads, size_t n_tokens) {
    f32x4 sums[QUADS][DOTS_TOKENS], all[DOTS_TOKENS][QUADS];
    for (size_t q = 0; q < QUADS; q += n_quads) {
        quads_times_quants(sums, form, block + 16 * q, n_quads, groups, x, n, n_tokens);
        UNROLL
        for (size_t i = 0; i < n_quads; i++) {
            UNROLL
            for (size_t t = 0; t < n_tokens; t++) all[t][q + i] = sums[i][t];
        }
    }
    for (size_t t = 0; t < n_tokens; t++) block_store(out + t * rows, all[t], bias, left);
}

static inline ALWAYS void matmul_form(float *out, struct form form, const struct matrix *w,
                                      const float *bias, const struct quants *x, size_t n) {
    size_t rows = w->rows, groups = w->cols / MATRIX_GROUP;
    const uint8_t *block = w->data;
    for (size_t r = 0; r < rows; r += MATRIX_BLOCK, block += groups * form.bytes) {
        const float *b = bias ? bias + r : NULL;
        size_t t = 0;
        for (; t + DOTS_TOKENS <= n; t += DOTS_TOKENS)
            block_times_quants(out + t * rows + r, form, block, rows, b, rows - r, groups, x + t, n,
                               DOTS_QUADS, DOTS_TOKENS);
        for (; t < n; t++)
            block_times_quants(out + t * rows + r, form, block, rows, b, rows - r, groups, x + t, n,
                               QUADS, 1);
    }
}

void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n) {
    const struct form q8_0 = {MATRIX_Q8_0, 64, 64 + 512}, q4_0 = {MATRIX_Q4_0, 64, 64 + 256},
                      q4_1 = {MATRIX_Q4_1, 128, 128 + 256};
    if (w->type == MATRIX_Q8_0)
        matmul_form(out, q8_0, w, bias, quants, n);
    else if (w->type == MATRIX_Q4_0)
        matmul_form(out, q4_0, w, bias, quants, n);
    else
        matmul_form(out, q4_1, w, bias, quants, n);
}
