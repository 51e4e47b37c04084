/* The inner loops as plain loops, which specify the order of every sum. Tests compare the vector
 * table with this table, bit for bit. */
#include <math.h>
#include <stdint.h>

#include "elementary.h"
#include "kernels.h"

/* Quantises 32 numbers. The largest magnitude times `inverse` rounds to at most 127. Adding 1.5 *
 * 2^23 rounds to an integer, ties to even. */
static void quantise_group(struct quants *group, const float *x) {
    const float magic = 12582912.0f;
    float max = 0;
    *group = (struct quants){.scale = 0};
    for (size_t i = 0; i < MATRIX_GROUP; i++) {
        float magnitude = fabsf(x[i]);
        if (!(magnitude < INFINITY)) {
            group->scale = NAN;
            return;
        }
        max = magnitude > max ? magnitude : max;
    }
    if (max < 0x1p-100f) return;
    float inverse = 127.0f / max;
    group->scale = max / 127.0f;
    for (size_t i = 0; i < MATRIX_GROUP; i++) {
        int32_t quant = (int32_t)((x[i] * inverse + magic) - magic);
        group->values[i] = (int16_t)quant;
        int16_t *sum = &group->sums[i / 16][i / 2 % 2];
        *sum = (int16_t)(*sum + quant);
        group->negative -= quant < 0 ? quant : 0;
    }
}

static void quantise(struct quants *quants, const float *x, size_t cols, size_t n) {
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++)
        for (size_t t = 0; t < n; t++) quantise_group(quants++, x + t * cols + g * MATRIX_GROUP);
}

static float row_times_vector(const struct matrix *w, size_t r, const float *x) {
    const float *row = (const float *)(const void *)w->data +
                       r / MATRIX_BLOCK * MATRIX_BLOCK * w->cols + r % MATRIX_BLOCK;
    float sum = 0;
    for (size_t c = 0; c < w->cols; c++) sum += row[c * MATRIX_BLOCK] * x[c];
    return sum;
}

static float group_times_quants(const struct weights *w, const int16_t *products,
                                const struct quants *x, bool minimum) {
    int32_t product = 0;
    int32_t share = w->shares[0] * (x->sums[0][0] + x->sums[0][1]) +
                    w->shares[1] * (x->sums[1][0] + x->sums[1][1]);
    for (size_t c = 0; c < MATRIX_GROUP; c++) product += products[c] * x->values[c];
    float term = (float)product * (w->scale * x->scale);
    return minimum ? term + w->minimum * (x->scale * (float)share) : term;
}

/* Writes row r's product with vector t to out[t * w->rows]. Decodes each group only once. */
static void row_times_quants(float *out, const struct matrix *w, size_t r, const struct quants *x,
                             size_t n) {
    const struct format *f = format_of(w->type);
    for (size_t t = 0; t < n; t++) out[t * w->rows] = 0;
    for (size_t g = 0; g < w->cols / MATRIX_GROUP; g++, x += n) {
        struct weights weights = matrix_group(w, r, g);
        int16_t products[MATRIX_GROUP];
        for (size_t c = 0; c < MATRIX_GROUP; c++)
            products[c] = (int16_t)(weights.factors[c / 16] * format_quant(f, weights.codes[c]));
        for (size_t t = 0; t < n; t++)
            out[t * w->rows] += group_times_quants(&weights, products, x + t, f->minimum);
    }
}

static void matmul(float *out, const struct matrix *w, const float *bias, const float *x,
                   size_t n) {
    for (size_t t = 0; t < n; t++, x += w->cols, out += w->rows)
        for (size_t r = 0; r < w->rows; r++)
            out[r] = row_times_vector(w, r, x) + (bias ? bias[r] : -0.0f); /* x + -0 is x */
}

static void matmul_quants(float *out, const struct matrix *w, const float *bias,
                          const struct quants *quants, size_t n, size_t streams) {
    (void)streams;
    for (size_t r = 0; r < w->rows; r++) {
        row_times_quants(out + r, w, r, quants, n);
        for (size_t t = 0; t < n; t++) out[t * w->rows + r] += bias ? bias[r] : -0.0f;
    }
}

static float sum_of_four(const float a[4]) { return (a[0] + a[1]) + (a[2] + a[3]); }

static void layer_norm(float *out, const float *x, const float *weight, const float *bias, size_t n,
                       float eps) {
    float sums[4] = {0}, squares[4] = {0};
    for (size_t i = 0; i < n; i++) sums[i % 4] += x[i];
    float mean = sum_of_four(sums) / (float)n;
    for (size_t i = 0; i < n; i++) squares[i % 4] += (x[i] - mean) * (x[i] - mean);
    float deviation = sqrtf(sum_of_four(squares) / (float)n + eps);
    for (size_t i = 0; i < n; i++) out[i] = (x[i] - mean) / deviation * weight[i] + bias[i];
}

static void rms_norm(float *out, const float *x, const float *weight, size_t n, float eps) {
    float squares[4] = {0};
    for (size_t i = 0; i < n; i++) squares[i % 4] += x[i] * x[i];
    float root = sqrtf(sum_of_four(squares) / (float)n + eps);
    for (size_t i = 0; i < n; i++) out[i] = x[i] / root * weight[i];
}

static void gelu(float *x, size_t n) {
    const float root_2_over_pi = 0.797884560802865f;
    for (size_t i = 0; i < n; i++) {
        float cube = x[i] * x[i] * x[i];
        float t = elementary_tanh(root_2_over_pi * (x[i] + 0.044715f * cube));
        x[i] = 0.5f * x[i] * (1.0f + t);
    }
}

static void gelu_erf(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float beyond = x[i] * elementary_tail(fabsf(x[i]));
        x[i] = x[i] < 0 ? beyond : x[i] - beyond;
    }
}

static void swiglu(float *gate, const float *up, size_t n) {
    for (size_t i = 0; i < n; i++) gate[i] = gate[i] / (1.0f + elementary_exp(-gate[i])) * up[i];
}

static void add(float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] += y[i];
}

static void times(float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] *= y[i];
}

static void soft_cap(float *x, size_t n, float cap) {
    for (size_t i = 0; i < n; i++) x[i] = cap * elementary_tanh(x[i] / cap);
}

static void rotate(float *x, const float *cosine, const float *sine, size_t n_pairs) {
    for (size_t i = 0; i < n_pairs; i++) {
        float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cosine[i] - b * sine[i];
        x[2 * i + 1] = a * sine[i] + b * cosine[i];
    }
}

static void rotate_halves(float *x, const float *cosine, const float *sine, size_t n_pairs) {
    for (size_t i = 0; i < n_pairs; i++) {
        float a = x[i], b = x[i + n_pairs];
        x[i] = a * cosine[i] - b * sine[i];
        x[i + n_pairs] = a * sine[i] + b * cosine[i];
    }
}

static void attention(float *out, float *scores, const struct attention *head) {
    size_t n = head->n, size = head->size;
    float max = -INFINITY, sums[4] = {0};
    for (size_t t = 0; t < n; t++) {
        float products[4] = {0};
        for (size_t i = 0; i < size; i++) products[i % 4] += head->q[i] * head->keys[t * size + i];
        scores[t] = head->scale * sum_of_four(products);
    }
    if (head->cap > 0) soft_cap(scores, n, head->cap);
    for (size_t t = 0; t < n; t++) max = scores[t] > max ? scores[t] : max;
    for (size_t t = 0; t < n; t++) {
        scores[t] = elementary_exp(scores[t] - max);
        sums[t % 4] += scores[t];
    }
    float sum = sum_of_four(sums);
    for (size_t t = 0; t < n; t++) scores[t] /= sum;
    for (size_t i = 0; i < size; i++) {
        out[i] = 0;
        for (size_t t = 0; t < n; t++) out[i] += scores[t] * head->values[t * size + i];
    }
}

/* A float32 times 2^44 is exact in float64, so rounding down has no other error. */
static uint64_t weigh(uint64_t *weights, const float *logits, size_t n, float max) {
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        weights[i] = (uint64_t)((double)elementary_exp(logits[i] - max) * 0x1p44);
        total += weights[i];
    }
    return total;
}

const struct kernels kernels_scalar = {
    .name = "scalar",
    .matmul = matmul,
    .quantise = quantise,
    .streams = 1,
    .matmul_quants = matmul_quants,
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
