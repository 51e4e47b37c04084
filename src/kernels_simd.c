/* build: -O2 */
/* The loops of kernels_scalar.c with vector words; they compute the same bits. A lane is an output
 * row, an element, or one of the four interleaved accumulators. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elementary.h"
#include "elementary_simd.h"
#include "kernels.h"
#include "simd.h"

enum { TOKENS = 4 }; /* rows of x that share one pass over a half block */

static inline f32x4 exp_f32x4(f32x4 x) {
    f32x4 y = exp_down_f32x4(x);
    return f32x4_select(f32x4_less(f32x4_splat(88.3f), x), f32x4_splat(INFINITY), y);
}

/* elementary_tanh of four floats: computes both branches, then selects. Too large to inline. */
static OUTLINED f32x4 tanh_f32x4(f32x4 x) {
    f32x4 one = f32x4_splat(1.0f);
    i32x4 negative = f32x4_less(x, f32x4_splat(0.0f));
    f32x4 a = f32x4_select(negative, f32x4_negate(x), x), z = f32x4_mul(x, x);
    f32x4 p = f32x4_splat(-5.70498872745e-3f);
    p = f32x4_add(f32x4_mul(p, z), f32x4_splat(2.06390887954e-2f));
    p = f32x4_add(f32x4_mul(p, z), f32x4_splat(-5.37397155531e-2f));
    p = f32x4_add(f32x4_mul(p, z), f32x4_splat(1.33314422036e-1f));
    p = f32x4_add(f32x4_mul(p, z), f32x4_splat(-3.33332819422e-1f));
    f32x4 small = f32x4_add(f32x4_mul(f32x4_mul(p, z), x), x);
    f32x4 doubled =
        f32x4_select(f32x4_less(f32x4_splat(20.0f), a), f32x4_splat(40.0f), f32x4_add(a, a));
    f32x4 e = exp_f32x4(doubled);
    f32x4 t = f32x4_sub(one, f32x4_div(f32x4_splat(2.0f), f32x4_add(e, one)));
    t = f32x4_select(negative, f32x4_negate(t), t);
    return f32x4_select(f32x4_less(a, f32x4_splat(0.625f)), small, t);
}

static void block_times_one(f32x4 sums[4], const float *block, const float *x, size_t cols) {
    f32x4 a = f32x4_splat(0), b = a, c = a, d = a;
    for (size_t i = 0; i < cols; i++, block += MATRIX_BLOCK) {
        f32x4 v = f32x4_splat(x[i]);
        a = f32x4_add(a, f32x4_mul(f32x4_load(block), v));
        b = f32x4_add(b, f32x4_mul(f32x4_load(block + 4), v));
        c = f32x4_add(c, f32x4_mul(f32x4_load(block + 8), v));
        d = f32x4_add(d, f32x4_mul(f32x4_load(block + 12), v));
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

/* Multiplies two of a block's four words by TOKENS rows of x, with the eight sums in registers. */
static inline ALWAYS void half_times_many(f32x4 sums[TOKENS][4], size_t half, const float *block,
                                          const float *x, size_t cols) {
    f32x4 a[TOKENS], b[TOKENS];
    UNROLL
    for (size_t t = 0; t < TOKENS; t++) a[t] = b[t] = f32x4_splat(0);
    block += half * 8;
    ROLLED
    for (size_t i = 0; i < cols; i++, block += MATRIX_BLOCK) {
        f32x4 low = f32x4_load(block), high = f32x4_load(block + 4);
        UNROLL
        for (size_t t = 0; t < TOKENS; t++) {
            f32x4 v = f32x4_splat(x[t * cols + i]);
            a[t] = f32x4_add(a[t], f32x4_mul(low, v));
            b[t] = f32x4_add(b[t], f32x4_mul(high, v));
        }
    }
    UNROLL
    for (size_t t = 0; t < TOKENS; t++) {
        sums[t][2 * half] = a[t];
        sums[t][2 * half + 1] = b[t];
    }
}

static void matmul(float *out, const struct matrix *w, const float *bias, const float *x,
                   size_t n) {
    size_t rows = w->rows, cols = w->cols;
    for (size_t r = 0; r < rows; r += MATRIX_BLOCK) {
        const float *block = (const float *)(const void *)w->data + r * cols;
        const float *b = bias ? bias + r : NULL;
        size_t left = rows - r, t = 0;
        for (; t + TOKENS <= n; t += TOKENS) {
            f32x4 sums[TOKENS][4];
            half_times_many(sums, 0, block, x + t * cols, cols);
            half_times_many(sums, 1, block, x + t * cols, cols);
            for (size_t i = 0; i < TOKENS; i++)
                block_store(out + (t + i) * rows + r, sums[i], b, left);
        }
        for (; t < n; t++) {
            f32x4 sums[4];
            block_times_one(sums, block, x + t * cols, cols);
            block_store(out + t * rows + r, sums, b, left);
        }
    }
}

static void layer_norm(float *out, const float *x, const float *weight, const float *bias, size_t n,
                       float eps) {
    size_t whole = n / 4 * 4, part = n % 4;
    f32x4 sums = f32x4_splat(0), squares = sums;
    for (size_t i = 0; i < whole; i += 4) sums = f32x4_add(sums, f32x4_load(x + i));
    sums = f32x4_add(sums, f32x4_load_part(x + whole, part));
    float mean = f32x4_sum(sums) / (float)n, tail[4] = {0};
    f32x4 m = f32x4_splat(mean);
    for (size_t i = 0; i < whole; i += 4) {
        f32x4 d = f32x4_sub(f32x4_load(x + i), m);
        squares = f32x4_add(squares, f32x4_mul(d, d));
    }
    for (size_t i = 0; i < part; i++) tail[i] = x[whole + i] - mean;
    f32x4 d = f32x4_load(tail);
    squares = f32x4_add(squares, f32x4_mul(d, d));
    float deviation = sqrtf(f32x4_sum(squares) / (float)n + eps);
    f32x4 s = f32x4_splat(deviation);
    for (size_t i = 0; i < whole; i += 4) {
        f32x4 y = f32x4_div(f32x4_sub(f32x4_load(x + i), m), s);
        f32x4_store(out + i, f32x4_add(f32x4_mul(y, f32x4_load(weight + i)), f32x4_load(bias + i)));
    }
    for (size_t i = whole; i < n; i++) out[i] = (x[i] - mean) / deviation * weight[i] + bias[i];
}

static void rms_norm(float *out, const float *x, const float *weight, size_t n, float eps) {
    size_t whole = n / 4 * 4;
    f32x4 squares = f32x4_splat(0), tail = f32x4_load_part(x + whole, n % 4);
    for (size_t i = 0; i < whole; i += 4) {
        f32x4 v = f32x4_load(x + i);
        squares = f32x4_add(squares, f32x4_mul(v, v));
    }
    squares = f32x4_add(squares, f32x4_mul(tail, tail));
    float root = sqrtf(f32x4_sum(squares) / (float)n + eps);
    f32x4 s = f32x4_splat(root);
    for (size_t i = 0; i < whole; i += 4)
        f32x4_store(out + i, f32x4_mul(f32x4_div(f32x4_load(x + i), s), f32x4_load(weight + i)));
    for (size_t i = whole; i < n; i++) out[i] = x[i] / root * weight[i];
}

static inline f32x4 gelu_f32x4(f32x4 x) {
    f32x4 cube = f32x4_mul(f32x4_mul(x, x), x);
    f32x4 inner = f32x4_add(x, f32x4_mul(f32x4_splat(0.044715f), cube));
    f32x4 t = tanh_f32x4(f32x4_mul(f32x4_splat(0.797884560802865f), inner));
    return f32x4_mul(f32x4_mul(f32x4_splat(0.5f), x), f32x4_add(f32x4_splat(1.0f), t));
}

static void gelu(float *x, size_t n) {
    size_t whole = n / 4 * 4, part = n % 4;
    for (size_t i = 0; i < whole; i += 4) f32x4_store(x + i, gelu_f32x4(f32x4_load(x + i)));
    f32x4_store_part(x + whole, gelu_f32x4(f32x4_load_part(x + whole, part)), part);
}

/* Coefficients of elementary_tail, from the highest power. */
static const float tail_coefficients[] = {
    -2.91584861e-2f, 1.44033790e-1f, -2.55844802e-1f, 1.59326151e-1f, -2.32166648e-2f,
    1.05554260e-1f,  1.19820863e-1f, 1.39863566e-1f,  1.39621302e-1f,
};

static OUTLINED f32x4 gelu_erf_f32x4(f32x4 x) {
    f32x4 one = f32x4_splat(1.0f), p = f32x4_splat(0.0f);
    i32x4 negative = f32x4_less(x, p);
    f32x4 a = f32x4_select(negative, f32x4_negate(x), x);
    f32x4 t = f32x4_div(one, f32x4_add(one, f32x4_mul(f32x4_splat(0.35f), a)));
    for (size_t i = 0; i < sizeof tail_coefficients / sizeof *tail_coefficients; i++)
        p = f32x4_add(f32x4_mul(p, t), f32x4_splat(tail_coefficients[i]));
    f32x4 e = exp_down_f32x4(f32x4_mul(f32x4_splat(-0.5f), f32x4_mul(a, a)));
    f32x4 beyond = f32x4_mul(x, f32x4_mul(f32x4_mul(p, t), e));
    return f32x4_select(negative, beyond, f32x4_sub(x, beyond));
}

static void gelu_erf(float *x, size_t n) {
    size_t whole = n / 4 * 4, part = n % 4;
    for (size_t i = 0; i < whole; i += 4) f32x4_store(x + i, gelu_erf_f32x4(f32x4_load(x + i)));
    f32x4_store_part(x + whole, gelu_erf_f32x4(f32x4_load_part(x + whole, part)), part);
}

static inline f32x4 swiglu_f32x4(f32x4 gate, f32x4 up) {
    f32x4 denominator = f32x4_add(f32x4_splat(1.0f), exp_f32x4(f32x4_negate(gate)));
    return f32x4_mul(f32x4_div(gate, denominator), up);
}

static void swiglu(float *gate, const float *up, size_t n) {
    size_t whole = n / 4 * 4, part = n % 4;
    for (size_t i = 0; i < whole; i += 4)
        f32x4_store(gate + i, swiglu_f32x4(f32x4_load(gate + i), f32x4_load(up + i)));
    f32x4 g = f32x4_load_part(gate + whole, part), u = f32x4_load_part(up + whole, part);
    f32x4_store_part(gate + whole, swiglu_f32x4(g, u), part);
}

static void add(float *x, const float *y, size_t n) {
    size_t whole = n / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
        f32x4_store(x + i, f32x4_add(f32x4_load(x + i), f32x4_load(y + i)));
    for (size_t i = whole; i < n; i++) x[i] += y[i];
}

static void times(float *x, const float *y, size_t n) {
    size_t whole = n / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
        f32x4_store(x + i, f32x4_mul(f32x4_load(x + i), f32x4_load(y + i)));
    for (size_t i = whole; i < n; i++) x[i] *= y[i];
}

static OUTLINED void soft_cap(float *x, size_t n, float cap) {
    size_t whole = n / 4 * 4;
    f32x4 c = f32x4_splat(cap);
    for (size_t i = 0; i < whole; i += 4)
        f32x4_store(x + i, f32x4_mul(c, tanh_f32x4(f32x4_div(f32x4_load(x + i), c))));
    for (size_t i = whole; i < n; i++) x[i] = cap * elementary_tanh(x[i] / cap);
}

/* Rotates two pairs per word: (a c, b c) + (-b s, a s). Adding -b s is exactly subtracting b s. */
static void rotate(float *x, const float *cosine, const float *sine, size_t n_pairs) {
    const float signs[4] = {-1, 1, -1, 1};
    f32x4 sign = f32x4_load(signs);
    size_t i = 0;
    for (; i + 2 <= n_pairs; i += 2) {
        f32x4 v = f32x4_load(x + 2 * i);
        f32x4 c = f32x4_twice_low(f32x4_load_part(cosine + i, 2));
        f32x4 s = f32x4_twice_low(f32x4_load_part(sine + i, 2));
        f32x4 turned = f32x4_mul(f32x4_mul(f32x4_swap_pairs(v), s), sign);
        f32x4_store(x + 2 * i, f32x4_add(f32x4_mul(v, c), turned));
    }
    for (; i < n_pairs; i++) {
        float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cosine[i] - b * sine[i];
        x[2 * i + 1] = a * sine[i] + b * cosine[i];
    }
}

static void rotate_halves(float *x, const float *cosine, const float *sine, size_t n_pairs) {
    float *y = x + n_pairs;
    size_t i = 0;
    for (; i + 4 <= n_pairs; i += 4) {
        f32x4 a = f32x4_load(x + i), b = f32x4_load(y + i);
        f32x4 c = f32x4_load(cosine + i), s = f32x4_load(sine + i);
        f32x4_store(x + i, f32x4_sub(f32x4_mul(a, c), f32x4_mul(b, s)));
        f32x4_store(y + i, f32x4_add(f32x4_mul(a, s), f32x4_mul(b, c)));
    }
    for (; i < n_pairs; i++) {
        float a = x[i], b = y[i];
        x[i] = a * cosine[i] - b * sine[i];
        y[i] = a * sine[i] + b * cosine[i];
    }
}

/* Writes the scores (n,) of attention, then -Infinity up to a whole word; returns the largest
 * score. Computes four positions at a time and transposes their interleaved sums, so that each lane
 * is a position. Neither the order of the maximum nor the sign of a zero changes s - max. */
static float attention_scores(float *scores, const float *q, const float *keys, size_t n,
                              size_t size, float scale) {
    size_t whole = size / 4 * 4, part = size % 4, t = 0;
    f32x4 last = f32x4_load_part(q + whole, part), top = f32x4_splat(-INFINITY);
    for (; t + 4 <= n; t += 4, keys += 4 * size) {
        f32x4 sums[4] = {f32x4_splat(0), f32x4_splat(0), f32x4_splat(0), f32x4_splat(0)};
        ROLLED
        for (size_t i = 0; i < whole; i += 4) {
            f32x4 v = f32x4_load(q + i);
            UNROLL
            for (size_t j = 0; j < 4; j++)
                sums[j] = f32x4_add(sums[j], f32x4_mul(v, f32x4_load(keys + j * size + i)));
        }
        UNROLL
        for (size_t j = 0; j < 4 && part; j++)
            sums[j] =
                f32x4_add(sums[j], f32x4_mul(last, f32x4_load_part(keys + j * size + whole, part)));
        f32x4_transpose(sums);
        f32x4 all = f32x4_add(f32x4_add(sums[0], sums[1]), f32x4_add(sums[2], sums[3]));
        all = f32x4_mul(f32x4_splat(scale), all);
        top = f32x4_larger(all, top);
        f32x4_store(scores + t, all);
    }
    if (t < n) f32x4_store(scores + t, f32x4_splat(-INFINITY));
    for (; t < n; t++, keys += size) {
        f32x4 sums = f32x4_splat(0);
        for (size_t i = 0; i < whole; i += 4)
            sums = f32x4_add(sums, f32x4_mul(f32x4_load(q + i), f32x4_load(keys + i)));
        if (part) sums = f32x4_add(sums, f32x4_mul(last, f32x4_load_part(keys + whole, part)));
        scores[t] = scale * f32x4_sum(sums);
        top = f32x4_larger(f32x4_splat(scores[t]), top);
    }
    float lanes[4];
    f32x4_store(lanes, top);
    for (size_t i = 1; i < 4; i++) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
}

/* Replaces scores (n,) by exp(scores - max) / sum, whole words at a time. */
static void softmax(float *scores, size_t n, float max) {
    f32x4 m = f32x4_splat(max), sums = f32x4_splat(0);
    for (size_t t = 0; t < n; t += 4) {
        f32x4 e = exp_down_f32x4(f32x4_sub(f32x4_load(scores + t), m));
        f32x4_store(scores + t, e);
        sums = f32x4_add(sums, e);
    }
    f32x4 sum = f32x4_splat(f32x4_sum(sums));
    for (size_t t = 0; t < n; t += 4)
        f32x4_store(scores + t, f32x4_div(f32x4_load(scores + t), sum));
}

/* Writes `words` words of attention's output. Independent sums hide the latency of additions. */
static inline ALWAYS void mix_values(float *out, const float *weights, const float *values,
                                     size_t n, size_t size, size_t words) {
    f32x4 sums[4];
    UNROLL
    for (size_t w = 0; w < words; w++) sums[w] = f32x4_splat(0);
    ROLLED
    for (size_t t = 0; t < n; t++, values += size) {
        f32x4 weight = f32x4_splat(weights[t]);
        UNROLL
        for (size_t w = 0; w < words; w++)
            sums[w] = f32x4_add(sums[w], f32x4_mul(weight, f32x4_load(values + 4 * w)));
    }
    UNROLL
    for (size_t w = 0; w < words; w++) f32x4_store(out + 4 * w, sums[w]);
}

static void attention(float *out, float *scores, const struct attention *head) {
    const float *values = head->values;
    size_t n = head->n, size = head->size;
    float max = attention_scores(scores, head->q, head->keys, n, size, head->scale);
    if (head->cap > 0) {
        soft_cap(scores, n, head->cap);
        max = -INFINITY;
        for (size_t t = 0; t < n; t++) max = scores[t] > max ? scores[t] : max;
    }
    softmax(scores, n, max);
    size_t i = 0;
    for (; i + 16 <= size; i += 16) mix_values(out + i, scores, values + i, n, size, 4);
    for (; i + 8 <= size; i += 8) mix_values(out + i, scores, values + i, n, size, 2);
    for (; i + 4 <= size; i += 4) mix_values(out + i, scores, values + i, n, size, 1);
    for (; i < size; i++) {
        float sum = 0;
        for (size_t t = 0; t < n; t++) sum += scores[t] * values[t * size + i];
        out[i] = sum;
    }
}

/* Writes the weights of four logits, floor(exp(l - max) * 2^44): two to `low`, two to `high`. */
static inline void weigh_f32x4(f32x4 l, f32x4 max, u64x2 *low, u64x2 *high) {
    f32x4 e = exp_down_f32x4(f32x4_sub(l, max));
    f64x2 one = f64x2_splat(0x1p44);
    *low = u64x2_floor(f64x2_mul(f64x2_low(e), one));
    *high = u64x2_floor(f64x2_mul(f64x2_high(e), one));
}

static uint64_t weigh(uint64_t *weights, const float *logits, size_t n, float max) {
    size_t whole = n / 4 * 4, part = n % 4;
    f32x4 m = f32x4_splat(max);
    u64x2 low, high, sums = u64x2_splat(0);
    for (size_t i = 0; i < whole; i += 4) {
        weigh_f32x4(f32x4_load(logits + i), m, &low, &high);
        u64x2_store(weights + i, low);
        u64x2_store(weights + i + 2, high);
        sums = u64x2_add(sums, u64x2_add(low, high));
    }
    uint64_t total = u64x2_sum(sums), tail[4];
    weigh_f32x4(f32x4_load_part(logits + whole, part), m, &low, &high);
    u64x2_store(tail, low);
    u64x2_store(tail + 2, high);
    for (size_t i = 0; i < part; i++) total += weights[whole + i] = tail[i];
    return total;
}

const struct kernels kernels_simd = {
    .name = "simd",
    .matmul = matmul,
    .quantise = quantise_simd,
    .streams = 1,
    .matmul_quants = matmul_quants_simd,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
    .gelu = gelu,
    .gelu_erf = gelu_erf,
    .swiglu = swiglu,
    .add = add,
    .times = times,
    .soft_cap = soft_cap,
    .rotate = rotate,
    .rotate_halves = rotate_halves,
    .attention = attention,
    .weigh = weigh,
};
