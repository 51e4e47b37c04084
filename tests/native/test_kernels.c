/* Compares the vector table with the scalar table, bit for bit, for every size up to 200 and for
 * extreme values. Compares the scalar table with the formulas in float64. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "elementary.h"
#include "kernels.h"
#include "sample.h"

enum { N = 200, COLS = 512, TOKENS = 9 }; /* COLS: columns of quantised matrices */

static const struct kernels *const scalar = &kernels_scalar, *const simd = &kernels_simd;

/* Returns a random number. Kind 0: smooth; kind 1: also zeros of both signs and subnormals; kind 2:
 * any magnitude. */
static float value(uint32_t kind) {
    double x = 2 * (sample_uniform() + sample_uniform() + sample_uniform() - 1.5);
    static const float awkward[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 1e-39f, -3e-39f, 1.17549435e-38f};
    if (kind == 1 && sample_below(3) == 0) return awkward[sample_below(7)];
    if (kind == 2) return (float)ldexp(x, (int)sample_below(120) - 60);
    return (float)x;
}

static void fill(float *x, size_t n, uint32_t kind) {
    for (size_t i = 0; i < n; i++) x[i] = value(kind);
}

/* True if all bits are equal. Two NaNs count as equal, because no code reads their payload. */
static bool same(const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

/* Returns the offset of a block's scale; the minimum follows the scale. */
static size_t head_of(enum gguf_tensor_type type) {
    return type == GGUF_Q2_K ? 80 : type == GGUF_Q3_K ? 108 : type == GGUF_Q6_K ? 208 : 0;
}

/* Makes a random matrix in the form of a file's tensor, for matrix_pack. */
static void fill_tensor(struct gguf_tensor *tensor, uint8_t *bytes, enum gguf_tensor_type type,
                        size_t rows, size_t cols, uint32_t kind) {
    const struct format *f = format_of(type);
    size_t head = head_of(type), n_heads = f->minimum ? 2 : 1;
    *tensor = (struct gguf_tensor){.shape = {cols, rows, 1, 1}, .type = type, .data = bytes};
    tensor->bytes = gguf_bytes(type, rows * cols);
    if (type == GGUF_F32) {
        fill((float *)(void *)bytes, rows * cols, kind);
        return;
    }
    for (size_t i = 0; i < tensor->bytes; i += f->bytes) {
        uint8_t *block = bytes + i, *heads = block + head;
        for (size_t j = 0; j < f->bytes; j++) block[j] = (uint8_t)sample_below(256);
        if (kind == 1) /* extreme codes and factors, -128 among them */
            memset(block + sample_below(f->bytes - 7u), sample_below(2) ? 0x80 : 0xff, 7);
        for (size_t j = 1; j < 2 * n_heads; j += 2) /* float16, magnitudes 2^-12 to 8 */
            heads[j] = (uint8_t)((heads[j] & 0x83) + 4 * (3 + sample_below(15)));
        if (kind == 1 && sample_below(5) == 0) memset(heads, 0, 2 * n_heads);
        if (kind == 2 && sample_below(5) == 0) heads[1] &= 0x83; /* subnormal */
    }
}

static struct matrix packed(const struct gguf_tensor *tensor) {
    size_t rows = (size_t)tensor->shape[1], cols = (size_t)tensor->shape[0];
    struct matrix m = {matrix_type_of(tensor->type), NULL, (uint32_t)rows, (uint32_t)cols};
    float *scratch = malloc(MATRIX_BLOCK * cols * sizeof *scratch);
    m.data = aligned_alloc(64, (size_t)matrix_bytes(m.type, rows, cols));
    matrix_pack(&m, tensor, 0, scratch);
    free(scratch);
    return m;
}

/* True if |out - w . x| of a row is within the error bound that kernels.h states. */
static bool within_bound(const struct matrix *m, const float *weights, size_t r, double bias,
                         const float *x, const struct quants *quants, size_t n, float out) {
    size_t groups = m->cols / MATRIX_GROUP;
    double sum = bias, bound = 0, magnitude = fabs(bias);
    for (size_t c = 0; c < m->cols; c++) {
        double term = (double)weights[r * m->cols + c] * (double)x[c];
        sum += term;
        magnitude += fabs(term);
        if (m->type != GGUF_F32)
            bound += 0.50003 * fabs((double)weights[r * m->cols + c]) *
                     (double)quants[c / MATRIX_GROUP * n].scale;
    }
    double steps = m->type == GGUF_F32 ? (double)m->cols + 1 : (double)groups + 4;
    bound += steps * 0x1p-24 * (magnitude + 2 * bound) + 1e-30;
    return fabs(sum - (double)out) <= bound;
}

static void multiply(const struct kernels *kernels, float *out, const struct matrix *m,
                     const float *bias, const float *x, const struct quants *quants, size_t n) {
    if (m->type == GGUF_F32)
        kernels->matmul(out, m, bias, x, n);
    else
        kernels->matmul_quants(out, m, bias, quants, n, 1 + sample_below(KERNELS_STREAMS_MAX));
}

/* Compares products of both tables. The arrays `a` and `b` end with the last row, so that
 * AddressSanitizer sees a write into the padding. */
static void check_matmul(enum gguf_tensor_type type, size_t rows, size_t cols, size_t n,
                         uint32_t kind) {
    static float w[N * COLS], bias[N], x[TOKENS * COLS];
    static uint8_t bytes[N * COLS * sizeof *w];
    static struct quants plain[TOKENS * COLS / MATRIX_GROUP], own[TOKENS * COLS / MATRIX_GROUP];
    static struct quants alone[COLS / MATRIX_GROUP];
    float *a = malloc(n * rows * sizeof *a), *b = malloc(n * rows * sizeof *b), one[N], row[COLS];
    struct gguf_tensor tensor;
    fill_tensor(&tensor, bytes, type, rows, cols, kind);
    fill(bias, rows, kind);
    fill(x, n * cols, kind);
    gguf_widen(&tensor, 0, rows * cols, w);
    struct matrix m = packed(&tensor);
    for (size_t r = 0; r < rows; r++) {
        matrix_row(&m, r, row);
        CHECK(same(row, w + r * cols, cols));
    }
    if (m.type != GGUF_F32) {
        scalar->quantise(plain, x, cols, n);
        simd->quantise(own, x, cols, n);
    }
    for (int biased = 0; biased < 2; biased++) {
        const float *added = biased ? bias : NULL;
        multiply(scalar, a, &m, added, x, plain, n);
        multiply(simd, b, &m, added, x, own, n);
        CHECK_MESSAGE(same(a, b, n * rows), "type %d, %zu x %zu, %zu rows of x", type, rows, cols,
                      n);
        for (size_t t = 0; t < n; t++) {
            simd->quantise(alone, x + t * cols, cols / MATRIX_GROUP * MATRIX_GROUP, 1);
            multiply(simd, one, &m, added, x + t * cols, alone, 1);
            CHECK(same(one, b + t * rows, rows));
        }
        for (size_t t = 0; t < n; t++) {
            size_t r = sample_below((uint32_t)rows);
            CHECK_MESSAGE(within_bound(&m, w, r, biased ? (double)bias[r] : 0, x + t * cols,
                                       plain + t, n, a[t * rows + r]),
                          "type %d, %zu x %zu", type, rows, cols);
        }
    }
    free(m.data);
    free(a);
    free(b);
}

/* Returns the next size: every size up to 32, then a sample with all remainders of a vector
 * word. */
static size_t next_size(size_t n, size_t step) {
    return n + (n < 32 ? step : check_all() ? step : 17);
}

static void matmul_agrees(void) {
    for (size_t size = 1; size <= N; size = next_size(size, 1))
        check_matmul(GGUF_F32, 1 + sample_below(70), size, 1 + size % 9, (uint32_t)size % 3);
    for (size_t rows = 1; rows <= N; rows = next_size(rows, 1))
        check_matmul(GGUF_F32, rows, 1 + sample_below(40), 1 + rows % 9, (uint32_t)rows % 3);
    for (uint32_t type = 0; type < FORMAT_COUNT; type++) {
        uint32_t values = format_of(type)->values;
        for (size_t rows = 1; rows <= N && values > 1; rows = next_size(rows, values > 32 ? 5 : 1))
            check_matmul(type, rows, values * (1 + sample_below(values > 32 ? 2 : 6)), 1 + rows % 9,
                         (uint32_t)rows % 3);
    }
}

/* Every format packs to at most 1.15 times its block in the file. */
static void packed_small(void) {
    for (uint32_t type = 0; type < FORMAT_COUNT; type++) {
        const struct format *f = format_of(type);
        if (f->values < 2) continue;
        CHECK_MESSAGE((double)format_packed_bytes(f) <= 1.15 * MATRIX_BLOCK * f->bytes, "%s",
                      f->name);
        CHECK(format_packed_bytes(f) % 64 == 0 &&
              format_packed_bytes(f) >= MATRIX_BLOCK * f->bytes);
    }
    CHECK(kernels_quants_agree(simd) && kernels_quants_agree(scalar));
}

/* Compares scales and sums of quants. check_matmul compares the quants themselves. */
static void check_quantise(const float *x) {
    struct quants plain, own;
    scalar->quantise(&plain, x, MATRIX_GROUP, 1);
    simd->quantise(&own, x, MATRIX_GROUP, 1);
    double max = 0;
    int sums[2][2] = {{0}}, negative = 0;
    for (size_t i = 0; i < MATRIX_GROUP; i++) max = fmax(max, fabs((double)x[i]));
    CHECK(same(&plain.scale, &own.scale, 1));
    CHECK(plain.negative == own.negative);
    CHECK(memcmp(plain.sums, own.sums, sizeof plain.sums) == 0);
    CHECK(plain.scale == (float)(max / 127));
    for (size_t i = 0; i < MATRIX_GROUP; i++) {
        int quant = plain.values[i];
        CHECK(quant >= -127 && quant <= 127);
        CHECK(fabs((double)x[i] - (double)plain.scale * quant) <= 0.50003 * max / 127);
        sums[i / 16][i % 4 / 2] += quant;
        negative += quant < 0 ? -quant : 0;
    }
    for (size_t h = 0; h < 4; h++) CHECK(sums[h / 2][h % 2] == plain.sums[h / 2][h % 2]);
    CHECK(negative == plain.negative);
}

static void quantise_agrees(void) {
    float x[MATRIX_GROUP];
    struct quants plain, own;
    for (uint32_t i = 0; i < 3000; i++) {
        fill(x, MATRIX_GROUP, 0);
        float size = (float)ldexp(1, (int)sample_below(120) - 60);
        for (size_t j = 0; j < MATRIX_GROUP; j++) x[j] *= i % 3 ? size : 1;
        if (i % 4 == 0) /* halves of a step: ties */
            for (size_t j = 0; j < MATRIX_GROUP; j++)
                x[j] = j ? 0.5f * (float)((int)sample_below(509) - 254) : 127;
        check_quantise(x);
    }
    for (size_t j = 0; j < MATRIX_GROUP; j++) x[j] = j ? (float)j - 16.5f : 127;
    scalar->quantise(&plain, x, MATRIX_GROUP, 1);
    CHECK(plain.scale == 1 && plain.values[1] == -16 && plain.values[2] == -14);
    CHECK(plain.values[17] == 0 && plain.values[18] == 2 && plain.values[31] == 14);

    static const float spoilt[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        fill(x, MATRIX_GROUP, 0);
        x[7 * i + 3] = spoilt[i];
        scalar->quantise(&plain, x, MATRIX_GROUP, 1);
        simd->quantise(&own, x, MATRIX_GROUP, 1);
        CHECK(isnan(plain.scale) && isnan(own.scale) && quants_sum(&plain) == 0 &&
              quants_sum(&own) == 0);
    }
    for (size_t i = 0; i < MATRIX_GROUP; i++) x[i] = i % 2 ? -7e-31f : 1e-44f;
    scalar->quantise(&plain, x, MATRIX_GROUP, 1);
    simd->quantise(&own, x, MATRIX_GROUP, 1);
    CHECK(plain.scale == 0 && own.scale == 0 && quants_sum(&plain) == 0 && own.negative == 0);
}

static void layer_norm_agrees(void) {
    float x[N], weight[N], bias[N], a[N], b[N];
    for (size_t n = 1; n <= N; n++) {
        fill(x, n, (uint32_t)n % 3);
        fill(weight, n, 0);
        fill(bias, n, 1);
        scalar->layer_norm(a, x, weight, bias, n, 1e-5f);
        simd->layer_norm(b, x, weight, bias, n, 1e-5f);
        CHECK_MESSAGE(same(a, b, n), "n = %zu", n);
        double mean = 0, variance = 0;
        for (size_t i = 0; i < n; i++) mean += (double)x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            variance += ((double)x[i] - mean) * ((double)x[i] - mean) / (double)n;
        for (size_t i = 0; i < n && n % 3 == 0; i++) {
            double y = ((double)x[i] - mean) / sqrt(variance + 1e-5);
            CHECK(fabs(y * (double)weight[i] + (double)bias[i] - (double)a[i]) < 1e-4);
        }
    }
}

static void rms_norm_agrees(void) {
    float x[N], weight[N], a[N], b[N];
    for (size_t n = 1; n <= N; n++) {
        fill(x, n, (uint32_t)n % 3);
        fill(weight, n, 0);
        scalar->rms_norm(a, x, weight, n, 1e-5f);
        simd->rms_norm(b, x, weight, n, 1e-5f);
        CHECK_MESSAGE(same(a, b, n), "n = %zu", n);
        double square = 0;
        for (size_t i = 0; i < n; i++) square += (double)x[i] * (double)x[i] / (double)n;
        for (size_t i = 0; i < n && n % 3 == 0; i++)
            CHECK(fabs((double)x[i] / sqrt(square + 1e-5) * (double)weight[i] - (double)a[i]) <
                  1e-4);
    }
}

static void activations_agree(void) {
    float x[N], up[N], a[N], b[N];
    for (size_t n = 1; n <= N; n++) {
        fill(x, n, (uint32_t)n % 3);
        fill(up, n, 0);
        if (n % 4 == 0) x[0] = n % 8 ? INFINITY : -INFINITY;
        if (n % 4 == 1) x[n - 1] = NAN;
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->gelu(a, n);
        simd->gelu(b, n);
        CHECK_MESSAGE(same(a, b, n), "gelu, n = %zu", n);
        for (size_t i = 0; i < n && n % 4 > 1 && n % 3 < 2; i++) {
            double v = (double)x[i], root = sqrt(2 / acos(-1));
            double y = 0.5 * v * (1 + tanh(root * (v + 0.044715 * v * v * v)));
            CHECK(fabs(y - (double)a[i]) < 1e-6);
        }
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->gelu_erf(a, n);
        simd->gelu_erf(b, n);
        CHECK_MESSAGE(same(a, b, n) && same(a + n, x + n, N - n), "gelu_erf, n = %zu", n);
        for (size_t i = 0; i < n && n % 4 > 1 && n % 3 < 2; i++)
            CHECK(fabs(0.5 * (double)x[i] * erfc(-(double)x[i] / sqrt(2)) - (double)a[i]) < 1e-6);
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->soft_cap(a, n, 2.5f);
        simd->soft_cap(b, n, 2.5f);
        CHECK_MESSAGE(same(a, b, n) && same(a + n, x + n, N - n), "soft_cap, n = %zu", n);
        for (size_t i = 0; i < n && n % 4 > 1; i++)
            CHECK(fabs(2.5 * tanh((double)x[i] / 2.5) - (double)a[i]) < 2e-6);
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->swiglu(a, up, n);
        simd->swiglu(b, up, n);
        CHECK_MESSAGE(same(a, b, n), "swiglu, n = %zu", n);
        for (size_t i = 0; i < n && n % 4 > 1 && n % 3 < 2; i++) {
            double v = (double)x[i];
            CHECK(fabs(v / (1 + exp(-v)) * (double)up[i] - (double)a[i]) < 2e-6);
        }
    }
}

/* Tries small steps over the range of gelu's branches and exp's limits. */
static void activations_agree_everywhere(void) {
    float a[4], b[4];
    for (double x = -100; x < 100; x += 0.0101) {
        for (int i = 0; i < 4; i++) a[i] = b[i] = (float)(x * (i + 1) / 4);
        scalar->gelu(a, 4);
        simd->gelu(b, 4);
        CHECK_MESSAGE(same(a, b, 4), "gelu near %g", x);
        for (int i = 0; i < 4; i++) a[i] = b[i] = (float)(x * (i + 1) / 4);
        scalar->gelu_erf(a, 4);
        simd->gelu_erf(b, 4);
        CHECK_MESSAGE(same(a, b, 4), "gelu_erf near %g", x);
        for (int i = 0; i < 4; i++) a[i] = b[i] = (float)(x * (i + 1) / 4);
        scalar->swiglu(a, a, 4);
        simd->swiglu(b, b, 4);
        CHECK_MESSAGE(same(a, b, 4), "swiglu near %g", x);
    }
}

static void add_and_rotate_agree(void) {
    float x[N], y[N], z[N], a[N], b[N];
    for (size_t n = 1; n <= N; n++) {
        fill(x, N, (uint32_t)n % 3);
        fill(y, N, (uint32_t)n % 3);
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->add(a, y, n);
        simd->add(b, y, n);
        CHECK(same(a, b, N) && a[n - 1] == x[n - 1] + y[n - 1]);
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->times(a, y, n);
        simd->times(b, y, n);
        CHECK(same(a, b, N) && a[n - 1] == x[n - 1] * y[n - 1]);
        for (size_t i = 0; i < N; i++) {
            y[i] = (float)cos((double)x[i]);
            z[i] = (float)sin((double)x[i]);
        }
        fill(x, N, (uint32_t)n % 3);
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        scalar->rotate(a, y, z, n / 2);
        simd->rotate(b, y, z, n / 2);
        CHECK_MESSAGE(same(a, b, N), "rotate, %zu pairs", n / 2);
        float halves[N], turned[N]; /* the same pairs in the order of rotate_halves */
        memcpy(halves, x, sizeof halves);
        for (size_t i = 0; i < n / 2; i++) {
            halves[i] = x[2 * i];
            halves[i + n / 2] = x[2 * i + 1];
        }
        memcpy(turned, halves, sizeof turned);
        scalar->rotate_halves(halves, y, z, n / 2);
        simd->rotate_halves(turned, y, z, n / 2);
        CHECK_MESSAGE(same(halves, turned, N), "rotate_halves, %zu pairs", n / 2);
        for (size_t i = 0; i < n / 2; i++)
            CHECK(same(halves + i, a + 2 * i, 1) && same(halves + i + n / 2, a + 2 * i + 1, 1));
        for (size_t i = 0; i + 1 < n; i += 2) {
            double c = (double)y[i / 2], s = (double)z[i / 2],
                   size = fabs((double)x[i]) + fabs((double)x[i + 1]);
            CHECK(fabs((double)x[i] * c - (double)x[i + 1] * s - (double)a[i]) <=
                  2e-7 * size + 1e-44);
            CHECK(fabs((double)x[i] * s + (double)x[i + 1] * c - (double)a[i + 1]) <=
                  2e-7 * size + 1e-44);
        }
    }
}

/* Compares attention's output with float64. The tolerance covers the effect of float32 scores on
 * exponentials. */
static void check_mixture(const float *out, const float *q, const float *keys, const float *values,
                          size_t n, size_t size, double cap) {
    double s[N], max = -INFINITY, sum = 0;
    for (size_t t = 0; t < n; t++) {
        s[t] = 0;
        for (size_t i = 0; i < size; i++) s[t] += (double)q[i] * (double)keys[t * size + i];
        s[t] *= (double)0.3f;
        if (cap > 0) s[t] = cap * tanh(s[t] / cap);
        max = fmax(max, s[t]);
    }
    for (size_t t = 0; t < n; t++) sum += exp(s[t] - max);
    for (size_t i = 0; i < size; i++) {
        double mixed = 0, magnitude = 0;
        for (size_t t = 0; t < n; t++) {
            mixed += exp(s[t] - max) / sum * (double)values[t * size + i];
            magnitude += exp(s[t] - max) / sum * fabs((double)values[t * size + i]);
        }
        CHECK(fabs(mixed - (double)out[i]) <= 3e-5 * magnitude + 1e-40);
    }
}

/* Compares attention of both tables. Each array ends with the last element that may be read. Kind 3
 * has a NaN among the keys. */
static void check_attention(size_t size, size_t n, uint32_t kind) {
    size_t length = n * size;
    float q[N], a[N], b[N], *keys = malloc(length * sizeof *keys);
    float *values = malloc(length * sizeof *values);
    float *scores = malloc((n + 3) / 4 * 4 * sizeof *scores);
    fill(q, size, kind);
    fill(keys, length, kind);
    fill(values, length, kind);
    if (kind == 3) keys[sample_below((uint32_t)length)] = NAN;
    for (int capped = 0; capped < 2; capped++) {
        float cap = capped ? 1.5f : 0;
        struct attention head = {q, keys, values, n, size, 0.3f, cap};
        scalar->attention(a, scores, &head);
        simd->attention(b, scores, &head);
        CHECK_MESSAGE(same(a, b, size), "attention, size %zu, n %zu, kind %u, cap %g", size, n,
                      kind, (double)cap);
        if (kind < 2) check_mixture(a, q, keys, values, n, size, (double)cap);
    }
    for (size_t i = 0; i < size && kind == 3; i++) CHECK(isnan(a[i]));
    free(keys);
    free(values);
    free(scores);
}

static void attention_agrees(void) {
    for (size_t size = 1; size <= N; size++)
        check_attention(size, 1 + sample_below(60), (uint32_t)size % 4);
    for (size_t n = 1; n <= N; n++) check_attention(1 + sample_below(20), n, (uint32_t)n % 4);
    for (size_t n = 1; n <= 9; n++)
        for (size_t size = 1; size <= 24; size++) check_attention(size, n, 0);
}

static void check_weigh(float *logits, size_t n) {
    uint64_t *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), total = 0;
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = logits[i] > max ? logits[i] : max;
    uint64_t sum_a = scalar->weigh(a, logits, n, max), sum_b = simd->weigh(b, logits, n, max);
    CHECK_MESSAGE(sum_a == sum_b && !memcmp(a, b, n * sizeof *a), "weigh, n = %zu", n);
    for (size_t i = 0; i < n; i++) {
        total += a[i];
        CHECK(logits[i] != max || a[i] == (uint64_t)1 << 44);
        CHECK(logits[i] != -INFINITY || a[i] == 0);
        double w = exp((double)logits[i] - (double)max) * 0x1p44;
        CHECK(fabs((double)a[i] - w) <= 2e-6 * w + 1);
    }
    CHECK(total == sum_a);
    free(a);
    free(b);
}

static void weigh_agrees(void) {
    static float logits[50257];
    for (size_t n = 1; n <= N; n++) {
        sample_logits(logits, n, (uint32_t)n % SAMPLE_KINDS);
        check_weigh(logits, n);
        for (size_t i = 0; i < n; i++) logits[i] = -0.17f * (float)(i * i % 1009); /* down to 0 */
        check_weigh(logits, n);
    }
    for (uint32_t kind = 0; kind < SAMPLE_KINDS; kind++) {
        sample_logits(logits, 50257, kind);
        check_weigh(logits, 50257);
    }
    float extreme[] = {-3.4e38f, 3.4e38f, -INFINITY, -0.0f, 0.0f, 3.4e38f};
    check_weigh(extreme, 6);
    float zeros[] = {-0.0f, 0.0f, -0.0f, 0.0f, -0.0f};
    check_weigh(zeros, 5);
}

int main(void) {
    pcg32_seed(&sample_generator, 2, 54);
    TEST(quantise_agrees);
    TEST(matmul_agrees);
    TEST(packed_small);
    TEST(layer_norm_agrees);
    TEST(rms_norm_agrees);
    TEST(activations_agree);
    TEST(activations_agree_everywhere);
    TEST(add_and_rotate_agree);
    TEST(attention_agrees);
    TEST(weigh_agrees);
    return check_report();
}
