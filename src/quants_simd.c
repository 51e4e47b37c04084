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
    int32_t first_sum = 0, first_negative = 0;
    for (size_t i = 0; i < MATRIX_GROUP && finite; i += 8) {
        i32x4 a = round_f32x4(f32x4_mul(f32x4_load(x + i), inverse));
        i32x4 b = round_f32x4(f32x4_mul(f32x4_load(x + i + 4), inverse));
        i32x4 below = i32x4_add(i32x4_smaller(a, i32x4_splat(0)), i32x4_smaller(b, i32x4_splat(0)));
        sum = i32x4_add(sum, i32x4_add(a, b));
        negative = i32x4_sub(negative, below);
        inputs_store(group->values + i, a, b);
        if (i != 8) continue;
        first_sum = i32x4_sum(sum);
        first_negative = i32x4_sum(negative);
    }
    for (size_t i = 0; i < MATRIX_GROUP && !finite; i++) group->values[i] = 0;
    group->scale = finite ? zero ? 0 : max / 127.0f : NAN;
    group->sum = i32x4_sum(sum);
    group->negative = i32x4_sum(negative);
    group->first_sum = (int16_t)first_sum;
    group->first_negative = (int16_t)first_negative;
}

void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n) {
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++)
        for (size_t t = 0; t < n; t++) quantise_group(quants++, x + t * cols + g * MATRIX_GROUP);
}

/* Whether the loop over a group's columns is the same code for each of them; where it is not, it is
 * unrolled, and long enough with four rows. */
static inline ALWAYS bool is_rolled(const struct format *f) {
    return f->low_bits >= 4 && !f->high_bits;
}

/* Whether sums over a group may stay short, and whether those of its second half then have a place
 * of their own. */
static inline ALWAYS bool is_short(const struct format *f) {
    return f->low_bits < 8 && !f->levels;
}
static inline ALWAYS int second_half(const struct format *f) {
    return is_short(f) && (f->high_bits || f->factors == 2) ? DOTS_HALVES - 1 : 0;
}

/* Columns 4c .. 4c + 3 of four rows, and of a format of fewer than 8 bits 4c + 16 .. 4c + 19. `f`
 * is a constant wherever it is used, as `c` is where codes have more than one plane. */
static inline ALWAYS void codes_load(const struct format *f, const uint8_t *planes, int c,
                                     bytes16 *low, bytes16 *high) {
    int bits = f->low_bits;
    bytes16 x = bytes16_load(planes + (size_t)(c % bits) * 64);
    *low = bytes16_bits(x, bits, c / bits * bits, 0);
    *high = bytes16_bits(x, bits, (c + 4) / bits * bits, 0);
    if (f->high_bits) {
        int more = f->high_bits;
        x = bytes16_load(planes + (size_t)(bits + c % more) * 64);
        *low = bytes16_or(*low, bytes16_bits(x, more, c / more * more, bits));
        *high = bytes16_or(*high, bytes16_bits(x, more, (c + 4) / more * more, bits));
    }
    if (f->levels) *low = bytes16_level(*low), *high = bytes16_level(*high);
    if (f->factors == 2 && f->offset) {
        *low = bytes16_sub(*low, (int8_t)f->offset);
        *high = bytes16_sub(*high, (int8_t)f->offset);
    }
}

static inline ALWAYS i32x4 factor_load(const struct format *f, const uint8_t *p) {
    return f->nibbles ? i32x4_load_low(p) : i32x4_load_i8(p);
}

static inline ALWAYS i32x4 share_load(const struct format *f, const uint8_t *p) {
    return f->nibbles ? i32x4_load_high(p) : i32x4_load_i8(p + (size_t)f->factors * MATRIX_BLOCK);
}

/* Adds the products of four columns, or twice four, of n_quads times four rows with n_tokens
 * vectors. */
static inline ALWAYS void columns_dots(dots sums[QUADS][DOTS_TOKENS][DOTS_HALVES],
                                       const struct format *f, const uint8_t *planes, int c,
                                       factors4 factors[QUADS][2], size_t n_quads,
                                       const struct quants *x, size_t n_tokens) {
    int second = second_half(f);
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        bytes16 low, high;
        if (f->low_bits < 8) codes_load(f, planes + 16 * q, c, &low, &high);
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) {
            const int16_t *v = x[t].values + 4 * (size_t)c;
            dots *to = sums[q][t];
            if (f->low_bits == 8) {
                bytes4x4 w = bytes_load(planes + 64 * (size_t)c + 16 * q);
                to[0] = dots_add(to[0], w, inputs_load(v));
            } else if (f->factors == 2) {
                scaled4x4 w0 = bytes_scale(bytes_of(low), factors[q][0]);
                scaled4x4 w1 = bytes_scale(bytes_of(high), factors[q][1]);
                to[0] = dots_add_short(to[0], w0, inputs_load(v));
                to[second] = dots_add_short(to[second], w1, inputs_load(v + 16));
            } else if (is_short(f)) {
                to[0] = dots_add_short(to[0], bytes_of(low), inputs_load(v));
                to[second] = dots_add_short(to[second], bytes_of(high), inputs_load(v + 16));
            } else {
                to[0] = dots_add(to[0], bytes_of(low), inputs_load(v));
                to[0] = dots_add(to[0], bytes_of(high), inputs_load(v + 16));
            }
        }
    }
}

/* The integer sums over one group; with one factor for all of it, without that. */
static inline ALWAYS void group_dots(i32x4 totals[QUADS][DOTS_TOKENS], const struct format *f,
                                     const uint8_t *in_group, const uint8_t *planes, size_t n_quads,
                                     const struct quants *x, size_t n_tokens) {
    dots sums[QUADS][DOTS_TOKENS][DOTS_HALVES];
    factors4 factors[QUADS][2];
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++)
            sums[q][t][0] = sums[q][t][second_half(f)] = dots_zero();
        if (f->factors < 2) continue;
        factors[q][0] = factors_of(factor_load(f, in_group + 4 * q));
        factors[q][1] = factors_of(factor_load(f, in_group + MATRIX_BLOCK + 4 * q));
    }
    if (is_rolled(f)) {
        ROLLED
        for (int c = 0; c < f->low_bits; c++)
            columns_dots(sums, f, planes, c, factors, n_quads, x, n_tokens);
    } else {
        UNROLL
        for (int c = 0; c < 4; c++) columns_dots(sums, f, planes, c, factors, n_quads, x, n_tokens);
    }
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) {
            dots *of = sums[q][t];
            if (f->factors < 2) {
                dots second = second_half(f) ? of[second_half(f)] : dots_zero();
                dots sum = is_short(f) ? dots_widen(of[0], second) : of[0];
                totals[q][t] = dots_total(sum, x[t].negative);
                if (f->offset)
                    totals[q][t] = i32x4_sub(totals[q][t], i32x4_splat(f->offset * x[t].sum));
                continue;
            }
            int32_t first = x[t].first_negative, negative[] = {first, x[t].negative - first};
            totals[q][t] = dots_scaled(of, factors[q], negative);
        }
    }
}

/* minimum * (x_scale * (float)(m0 * s0 + m1 * s1)), the sums being exact in float32. */
static inline ALWAYS f32x4 minimum_term(const struct format *f, const uint8_t *group, f32x4 minimum,
                                        const struct quants *x) {
    if (!f->factors) return f32x4_mul(minimum, f32x4_splat(x->scale * (float)x->sum));
    f32x4 share = f32x4_from_i32x4(share_load(f, group));
    if (f->factors == 1) {
        share = f32x4_mul(share, f32x4_splat((float)x->sum));
    } else {
        f32x4 second = f32x4_from_i32x4(share_load(f, group + MATRIX_BLOCK));
        share = f32x4_add(f32x4_mul(share, f32x4_splat((float)x->first_sum)),
                          f32x4_mul(second, f32x4_splat((float)(x->sum - x->first_sum))));
    }
    return f32x4_mul(minimum, f32x4_mul(f32x4_splat(x->scale), share));
}

static inline ALWAYS f32x4 head_load(const struct format *f, const uint8_t *heads, size_t i) {
    if (f->half) return f32x4_load_f16(heads + 2 * i);
    return f32x4_load((const float *)(const void *)heads + i);
}

/* Adds one group's terms. The pointers are to what belongs to the first of the rows. */
static inline ALWAYS void add_group(f32x4 sums[QUADS][DOTS_TOKENS], const struct format *f,
                                    const uint8_t *heads, const uint8_t *factors,
                                    const uint8_t *planes, size_t n_quads, const struct quants *x,
                                    size_t n_tokens) {
    i32x4 totals[QUADS][DOTS_TOKENS];
    group_dots(totals, f, factors, planes, n_quads, x, n_tokens);
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        f32x4 scale = head_load(f, heads, 4 * q), minimum = scale, factor = scale;
        if (f->minimum) minimum = head_load(f, heads, MATRIX_BLOCK + 4 * q);
        if (f->factors == 1) factor = f32x4_from_i32x4(factor_load(f, factors + 4 * q));
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) {
            f32x4 product = f32x4_from_i32x4(totals[q][t]);
            if (f->factors == 1) product = f32x4_mul(product, factor);
            f32x4 term = f32x4_mul(product, f32x4_mul(scale, f32x4_splat(x[t].scale)));
            if (f->minimum)
                term = f32x4_add(term, minimum_term(f, factors + 4 * q, minimum, x + t));
            sums[q][t] = f32x4_add(sums[q][t], term);
        }
    }
}

/* n_quads times four rows of a block, from the quad `first` on, with n_tokens of n vectors, from x
 * on. */
static inline ALWAYS void quads_times_quants(f32x4 sums[QUADS][DOTS_TOKENS], const struct format *f,
                                             const uint8_t *block, size_t first, size_t n_quads,
                                             size_t cols, const struct quants *x, size_t n,
                                             size_t n_tokens) {
    size_t head = format_head_bytes(f), group = format_group_bytes(f);
    size_t n_groups = f->values / MATRIX_GROUP;
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) sums[q][t] = f32x4_splat(0);
    }
    ROLLED
    for (size_t b = 0; b < cols / f->values; b++, block += format_packed_bytes(f)) {
        const uint8_t *heads = block + first * (f->half ? 8 : 16), *groups = block + head;
        ROLLED
        for (size_t g = 0; g < n_groups; g++, x += n, groups += group)
            add_group(sums, f, heads, groups + 4 * first,
                      groups + format_factor_bytes(f) + 16 * first, n_quads, x, n_tokens);
    }
}

/* A block times one vector, or DOTS_TOKENS of them. */
static inline ALWAYS void block_times_quants(float *out, const struct format *f,
                                             const uint8_t *block, size_t rows, const float *bias,
                                             size_t left, size_t cols, const struct quants *x,
                                             size_t n, size_t n_quads, size_t n_tokens) {
    f32x4 sums[QUADS][DOTS_TOKENS], all[DOTS_TOKENS][QUADS];
    for (size_t q = 0; q < QUADS; q += n_quads) {
        quads_times_quants(sums, f, block, q, n_quads, cols, x, n, n_tokens);
        UNROLL
        for (size_t i = 0; i < n_quads; i++) {
            UNROLL
            for (size_t t = 0; t < n_tokens; t++) all[t][q + i] = sums[i][t];
        }
    }
    for (size_t t = 0; t < n_tokens; t++) block_store(out + t * rows, all[t], bias, left);
}

static inline ALWAYS void matmul_format(float *out, const struct format *f, const struct matrix *w,
                                        const float *bias, const struct quants *x, size_t n) {
    size_t rows = w->rows, cols = w->cols;
    bool rolled = is_rolled(f);
    const uint8_t *block = w->data;
    for (size_t r = 0; r < rows; r += MATRIX_BLOCK) {
        const float *b = bias ? bias + r : NULL;
        size_t t = 0;
        for (; t + DOTS_TOKENS <= n; t += DOTS_TOKENS)
            block_times_quants(out + t * rows + r, f, block, rows, b, rows - r, cols, x + t, n,
                               rolled ? DOTS_QUADS : 1, DOTS_TOKENS);
        for (; t < n; t++)
            block_times_quants(out + t * rows + r, f, block, rows, b, rows - r, cols, x + t, n,
                               rolled ? QUADS : 1, 1);
        block += cols / f->values * format_packed_bytes(f);
    }
}

/* One function a format: its row of the table is a constant in it. */
#define MATMUL(type)                                                                 \
    static void matmul_##type(float *out, const struct matrix *w, const float *bias, \
                              const struct quants *x, size_t n) {                    \
        matmul_format(out, &format_table[GGUF_##type], w, bias, x, n);               \
    }

MATMUL(Q4_0)
MATMUL(Q4_1)
MATMUL(Q5_0)
MATMUL(Q5_1)
MATMUL(Q8_0)
MATMUL(Q2_K)
MATMUL(Q3_K)
MATMUL(Q4_K)
MATMUL(Q5_K)
MATMUL(Q6_K)
MATMUL(IQ4_NL)
MATMUL(IQ4_XS)

void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n) {
    switch (w->type) {
    case GGUF_Q4_0:
        return matmul_Q4_0(out, w, bias, quants, n);
    case GGUF_Q4_1:
        return matmul_Q4_1(out, w, bias, quants, n);
    case GGUF_Q5_0:
        return matmul_Q5_0(out, w, bias, quants, n);
    case GGUF_Q5_1:
        return matmul_Q5_1(out, w, bias, quants, n);
    case GGUF_Q8_0:
        return matmul_Q8_0(out, w, bias, quants, n);
    case GGUF_Q2_K:
        return matmul_Q2_K(out, w, bias, quants, n);
    case GGUF_Q3_K:
        return matmul_Q3_K(out, w, bias, quants, n);
    case GGUF_Q4_K:
        return matmul_Q4_K(out, w, bias, quants, n);
    case GGUF_Q5_K:
        return matmul_Q5_K(out, w, bias, quants, n);
    case GGUF_Q6_K:
        return matmul_Q6_K(out, w, bias, quants, n);
    case GGUF_IQ4_NL:
        return matmul_IQ4_NL(out, w, bias, quants, n);
    case GGUF_IQ4_XS:
        return matmul_IQ4_XS(out, w, bias, quants, n);
    default: /* the others are kept as float32 */
        return;
    }
}
