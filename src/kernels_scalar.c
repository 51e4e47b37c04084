/* The inner loops as plain loops: the specification of every sum's order, and the naive twin that
 * the vector table is held against, bit for bit. */
#include <math.h>
#include <stdint.h>

#include "elementary.h"
#include "kernels.h"

/* The largest magnitude times 127 / it rounds to 127 at most. Adding 1.5 * 2^23 rounds to an
 * integer, half to even. */
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
        group->sum += quant;
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

static float row_times_quants(const struct matrix *w, size_t r, const struct quants *x, size_t n) {
    float sum = 0;
    for (size_t g = 0; g < w->cols / MATRIX_GROUP; g++, x += n) {
        struct matrix_group weights = matrix_group(w, r, g);
        int32_t integer_sum = 0;
        for (size_t c = 0; c < MATRIX_GROUP; c++) integer_sum += weights.quants[c] * x->values[c];
        float term = (float)integer_sum * (weights.scale * x->scale);
        if (w->type == MATRIX_Q4_1) term += weights.minimum * (x->scale * (float)x->sum);
        sum += term;
    }
    return sum;
}

static void matmul(float *out, const struct matrix *w, const float *bias, const float *x,
                   size_t n) {
    for (size_t t = 0; t < n; t++, x += w->cols, out += w->rows)
        for (size_t r = 0; r < w->rows; r++)
            out[r] = row_times_vector(w, r, x) + (bias ? bias[r] : -0.0f); /* x + -0 is x */
}

static void matmul_quants(float *out, const struct matrix *w, const float *bias,
                          const struct quants *quants, size_t n) {
    for (size_t t = 0; t < n; t++, out += w->rows)
        for (size_t r = 0; r < w->rows; r++)
            out[r] = row_times_quants(w, r, quants + t, n) + (bias ? bias[r] : -0.0f);
}

static float combine(const float a[4]) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}

static void layer_norm(float *out, const float *x, const float *weight, const float *bias, size_t n,
                       float eps) {
    float sums[4] = {0}, squares[4] = {0};
    for (size_t i = 0; i < n; i++) sums[i % 4] += x[i];
    float mean = combine(sums) / (float)n;
    for (size_t i = 0; i < n; i++) squares[i % 4] += (x[i] - mean) * (x[i] - mean);
    float deviation = sqrtf(combine(squares) / (float)n + eps);
    for (size_t i = 0; i < n; i++) out[i] = (x[i] - mean) / deviation * weight[i] + bias[i];
}

static void rms_norm(float *out, const float *x, const float *weight, size_t n, float eps) {
    float squares[4] = {0};
    for (size_t i = 0; i < n; i++) squares[i % 4] += x[i] * x[i];
    float root = sqrtf(combine(squares) / (float)n + eps);
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

static void swiglu(float *gate, const float *up, size_t n) {
    for (size_t i = 0; i < n; i++) gate[i] = gate[i] / (1.0f + elementary_exp(-gate[i])) * up[i];
}

static void add(float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] += y[i];
}

static void rotate(float *x, const float *cosine, const float *sine, size_t n_pairs) {
    for (size_t i = 0; i < n_pairs; i++) {
        float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cosine[i] - b * sine[i];
        x[2 * i + 1] = a * sine[i] + b * cosine[i];
    }
}

static void attention(float *out, float *scores, const float *q, const float *keys,
                      const float *values, size_t n, size_t size, float scale) {
    float max = -INFINITY, sums[4] = {0};
    for (size_t t = 0; t < n; t++) {
        float products[4] = {0};
        for (size_t i = 0; i < size; i++) products[i % 4] += q[i] * keys[t * size + i];
        scores[t] = scale * combine(products);
        max = scores[t] > max ? scores[t] : max;
    }
    for (size_t t = 0; t < n; t++) {
        scores[t] = elementary_exp(scores[t] - max);
        sums[t % 4] += scores[t];
    }
    float sum = combine(sums);
    for (size_t t = 0; t < n; t++) scores[t] /= sum;
    for (size_t i = 0; i < size; i++) {
        out[i] = 0;
        for (size_t t = 0; t < n; t++) out[i] += scores[t] * values[t * size + i];
    }
}

/* A float32 times 2^44 is exact in float64, so the floor is of the true product. */
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
    .matmul_quants = matmul_quants,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
    .gelu = gelu,
    .swiglu = swiglu,
    .add = add,
    .rotate = rotate,
    .attention = attention,
    .weigh = weigh,
};
