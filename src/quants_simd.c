/* build: -O2 */
/* The loops of quantised matrices with vector words; they compute the bits of kernels_scalar.c. A
 * lane is an output row. The file must not need static data: its WebAssembly module has none. */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>

#include "simd.h"

/* Number of quads (four rows) in a block; number of vectors that share the levels of a group. */
enum { QUADS = MATRIX_BLOCK / 4, BATCH = 32 };

/* Returns the largest magnitude of a group. Compares the bits of magnitudes: they have the order of
 * the numbers, and NaN is above all. */
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

/* Rounds to integers, ties to even: adding 1.5 * 2^23 puts the integer into the low bits. */
static inline i32x4 round_f32x4(f32x4 x) {
    i32x4 bits = i32x4_bits(f32x4_add(x, f32x4_splat(12582912.0f)));
    return i32x4_sub(bits, i32x4_splat(0x4b400000));
}

static void quantise_group(struct quants *group, const float *x) {
    float max = largest_magnitude(x);
    bool finite = max < INFINITY, zero = max < 0x1p-100f;
    f32x4 inverse = f32x4_splat(finite && !zero ? 127.0f / max : 0);
    i32x4 negative = i32x4_splat(0);
    for (size_t h = 0; h < 2; h++) {
        i32x4 sum = i32x4_splat(0);
        int32_t lanes[4];
        for (size_t i = 16 * h; i < 16 * h + 16; i += 8) {
            i32x4 a = round_f32x4(f32x4_mul(f32x4_load(x + i), inverse));
            i32x4 b = round_f32x4(f32x4_mul(f32x4_load(x + i + 4), inverse));
            if (!finite) a = b = i32x4_splat(0);
            i32x4 below =
                i32x4_add(i32x4_smaller(a, i32x4_splat(0)), i32x4_smaller(b, i32x4_splat(0)));
            sum = i32x4_add(sum, i32x4_add(a, b));
            negative = i32x4_sub(negative, below);
            inputs_store(group->values + i, a, b);
        }
        i32x4_store(lanes, sum);
        group->sums[h][0] = (int16_t)(lanes[0] + lanes[1]);
        group->sums[h][1] = (int16_t)(lanes[2] + lanes[3]);
    }
    group->scale = finite ? zero ? 0 : max / 127.0f : NAN;
    group->negative = i32x4_sum(negative);
}

void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n) {
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++)
        for (size_t t = 0; t < n; t++) quantise_group(quants++, x + t * cols + g * MATRIX_GROUP);
}

static inline ALWAYS size_t block_bytes_of(const struct format *f, size_t cols) {
    return cols / f->values * format_packed_bytes(f);
}

/* True if codes are multiplied unchanged, which needs unsigned codes of at most six bits. The sum
 * then begins at -offset times the sum of the inputs. */
static inline ALWAYS bool is_plain(const struct format *f) { return f->bits < 8 && !f->levels; }

/* True if the two halves of a group need separate sums: each half has its own factor, or a sum over
 * both may exceed 16 bits. A lane sums 16 products of at most 127 * largest. */
static inline ALWAYS bool is_halved(const struct format *f) {
    int top = (1 << f->bits) - 1 - f->offset, largest = top > f->offset ? top : f->offset;
    return f->factors == 2 || 16 * 127 * largest > INT16_MAX;
}

static inline ALWAYS bytes16 bytes16_piece(const struct format *f, const uint8_t *planes,
                                           struct piece piece) {
    size_t plane_bytes = 4 * (size_t)format_strip_rows(f->bits);
    bytes16 plane = bytes16_load(planes + plane_bytes * piece.plane);
    return bytes16_bits(plane, piece.bits, piece.from, piece.to);
}

/* Returns code i of a unit in four columns of four rows. Callers pass constant `f` and `i`. */
static inline ALWAYS bytes16 codes_load(const struct format *f, const uint8_t *planes, int i) {
    struct pieces pieces = format_pieces(f->bits, i);
    bytes16 codes = bytes16_piece(f, planes, pieces.of[0]);
    UNROLL
    for (int p = 1; p < pieces.n; p++)
        codes = bytes16_or(codes, bytes16_piece(f, planes, pieces.of[p]));
    return codes;
}

static inline ALWAYS factors4 factors_load(const struct format *f, const uint8_t *group, size_t h) {
    const uint8_t *p = group + h * MATRIX_BLOCK;
    return f->nibbles ? factors_of_low(p) : factors_of(p);
}

static inline ALWAYS factors4 shares_load(const struct format *f, const uint8_t *group, size_t h) {
    const uint8_t *p = group + h * MATRIX_BLOCK;
    return f->nibbles ? factors_of_high(p) : factors_of(p + (size_t)f->factors * MATRIX_BLOCK);
}

static inline ALWAYS sums4 group_sums(const struct quants *x) {
    return sums_add(sums_load(x->sums[0]), sums_load(x->sums[1]));
}

static inline ALWAYS i32x4 dots_times_factors(dots sums, const struct format *f,
                                              const uint8_t *group, size_t half) {
    if (!f->factors) return dots_total(sums);
    return dots_scaled(sums, factors_load(f, group, f->factors == 2 ? half : 0));
}

/* Computes the integer sums over a group of plain codes (is_plain), times the factors. In a halved
 * format (is_halved) a unit has 4 or 8 codes, so a half ends after each fourth code. */
static inline ALWAYS void plain_dots(i32x4 totals[QUADS][DOTS_TOKENS], const struct format *f,
                                     const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                     const struct quants *x, size_t n_tokens) {
    int n_codes = format_unit_codes(f->bits), n_units = MATRIX_GROUP / 4 / n_codes;
    size_t unit_bytes = (size_t)FORMAT_PLANE * (size_t)format_unit_planes(f->bits);
    dots sums[QUADS][DOTS_TOKENS];
    UNROLL
    for (size_t t = 0; t < n_tokens; t++) {
        sums4 x_sums = is_halved(f) ? sums_load(x[t].sums[0]) : group_sums(x + t);
        dots start = dots_start(x_sums, f->offset);
        UNROLL
        for (size_t q = 0; q < n_quads; q++) {
            sums[q][t] = start;
            totals[q][t] = i32x4_splat(0);
        }
    }
    ROLLED
    for (int u = 0; u < n_units; u++) {
        UNROLL
        for (int i = 0; i < n_codes; i++) {
            int c = u * n_codes + i;
            UNROLL
            for (size_t q = 0; q < n_quads; q++) {
                bytes16 w = codes_load(f, planes + (size_t)u * unit_bytes + 16 * q, i);
                UNROLL
                for (size_t t = 0; t < n_tokens; t++)
                    sums[q][t] = dots_add(sums[q][t], w, dots_x_load(x[t].values + 4 * (size_t)c));
            }
            UNROLL
            for (size_t t = 0; t < n_tokens && is_halved(f) && i % 4 == 3; t++) {
                dots start = dots_start(sums_load(x[t].sums[1]), f->offset);
                UNROLL
                for (size_t q = 0; q < n_quads; q++) {
                    i32x4 total = dots_times_factors(sums[q][t], f, group + 4 * q, (size_t)c / 4);
                    totals[q][t] = i32x4_add(totals[q][t], total);
                    sums[q][t] = start;
                }
            }
        }
    }
    UNROLL
    for (size_t q = 0; q < n_quads && !is_halved(f); q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++)
            totals[q][t] = dots_times_factors(sums[q][t], f, group + 4 * q, 0);
    }
}

/* Computes the sums of plain_dots for levels or signed bytes and formats of at most one factor. */
static inline ALWAYS void signed_dots(i32x4 totals[QUADS][DOTS_TOKENS], const struct format *f,
                                      const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                      const struct quants *x, size_t n_tokens) {
    int n_codes = format_unit_codes(f->bits);
    wide sums[QUADS][DOTS_TOKENS];
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) sums[q][t] = wide_zero();
    }
    ROLLED
    for (int u = 0; u < f->bits; u++) {
        UNROLL
        for (int i = 0; i < n_codes; i++) {
            UNROLL
            for (size_t q = 0; q < n_quads; q++) {
                bytes16 w = codes_load(f, planes + FORMAT_PLANE * (size_t)u + 16 * q, i);
                if (f->levels) w = bytes16_level(w);
                UNROLL
                for (size_t t = 0; t < n_tokens; t++)
                    sums[q][t] = wide_add(sums[q][t], w,
                                          wide_x_load(x[t].values + 4 * (size_t)(u * n_codes + i)));
            }
        }
    }
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) {
            totals[q][t] = wide_total(sums[q][t], x[t].negative);
            if (f->factors) totals[q][t] = i32x4_mul(totals[q][t], i32x4_load_i8(group + 4 * q));
        }
    }
}

/* Returns the term of the minimum: minimum * (x_scale * (float)(m0 * s0 + m1 * s1)). */
static inline ALWAYS f32x4 minimum_term(const struct format *f, const uint8_t *group, f32x4 minimum,
                                        const struct quants *x) {
    if (!f->factors) return f32x4_mul(minimum, f32x4_splat(x->scale * (float)quants_sum(x)));
    sums4 first = f->factors == 2 ? sums_load(x->sums[0]) : group_sums(x);
    i32x4 share = factors_times_sums(shares_load(f, group, 0), first);
    if (f->factors == 2) {
        factors4 second = shares_load(f, group, 1);
        share = i32x4_add(share, factors_times_sums(second, sums_load(x->sums[1])));
    }
    return f32x4_mul(minimum, f32x4_mul(f32x4_splat(x->scale), f32x4_from_i32x4(share)));
}

static inline ALWAYS f32x4 head_load(const struct format *f, const uint8_t *heads, size_t i) {
    if (f->half) return f32x4_load_f16(heads + 2 * i);
    return f32x4_load((const float *)(const void *)heads + i);
}

/* Adds the terms of a group to sums (n_quads, n_tokens). All pointers are to the first row. */
static inline ALWAYS void add_group(f32x4 *sums, const struct format *f, const uint8_t *heads,
                                    const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                    const struct quants *x, size_t n_tokens) {
    i32x4 totals[QUADS][DOTS_TOKENS];
    if (is_plain(f))
        plain_dots(totals, f, group, planes, n_quads, x, n_tokens);
    else
        signed_dots(totals, f, group, planes, n_quads, x, n_tokens);
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        f32x4 scale = head_load(f, heads, 4 * q), minimum = scale;
        if (f->minimum) minimum = head_load(f, heads, MATRIX_BLOCK + 4 * q);
        UNROLL
        for (size_t t = 0; t < n_tokens; t++) {
            f32x4 product = f32x4_from_i32x4(totals[q][t]);
            f32x4 term = f32x4_mul(product, f32x4_mul(scale, f32x4_splat(x[t].scale)));
            if (f->minimum) term = f32x4_add(term, minimum_term(f, group + 4 * q, minimum, x + t));
            sums[q * n_tokens + t] = f32x4_add(sums[q * n_tokens + t], term);
        }
    }
}

/* Quads (four rows) of a block: `count` of them from `first` on, `step` at a time. */
struct quads {
    size_t first, count, step;
};

/* n vectors; the next n_tokens of them are multiplied together. */
struct vectors {
    const struct quants *x;
    size_t n, n_tokens;
};

/* Multiplies the quads of each of n_streams neighbouring blocks by the vectors, and adds the
 * products to sums (n_streams, count, n_tokens). */
static inline ALWAYS void quads_times_quants(f32x4 *sums, const struct format *f,
                                             const uint8_t *block, size_t n_streams, size_t cols,
                                             struct quads quads, struct vectors vectors) {
    const struct quants *x = vectors.x;
    size_t n_tokens = vectors.n_tokens;
    size_t n_groups = f->values / MATRIX_GROUP;
    size_t quad_bytes = 16 * (format_strip_rows(f->bits) == 4 ? (size_t)f->bits : 1);
    ROLLED
    for (size_t b = 0; b < cols / f->values; b++, block += format_packed_bytes(f)) {
        const uint8_t *heads = block + quads.first * (f->half ? 8 : 16);
        const uint8_t *factors = block + format_head_bytes(f) + 4 * quads.first;
        const uint8_t *planes = block + format_planes_start(f) + quad_bytes * quads.first;
        ROLLED
        for (size_t g = 0; g < n_groups; g++, x += vectors.n) {
            size_t stream = 0;
            ROLLED
            for (size_t s = 0; s < n_streams; s++, stream += block_bytes_of(f, cols)) {
                ROLLED
                for (size_t q = 0; q < quads.count; q += quads.step)
                    add_group(sums + (s * quads.count + q) * n_tokens, f,
                              heads + stream + q * (f->half ? 8 : 16), factors + stream + 4 * q,
                              planes + stream + quad_bytes * q, quads.step, x, n_tokens);
            }
            factors += format_factor_bytes(f);
            planes += format_planes_bytes(f);
        }
    }
}

/* These functions are not inlined, to keep the loops small: they run once for all columns. */
static OUTLINED void sums_clear(f32x4 sums[DOTS_STREAMS * QUADS]) {
    for (size_t i = 0; i < (size_t)DOTS_STREAMS * QUADS; i++) sums[i] = f32x4_splat(0);
}
static OUTLINED void sums_store(float *out, f32x4 sums[QUADS], const float *bias, size_t left) {
    block_store(out, sums, bias, left);
}
static OUTLINED void streams_store(float *out, f32x4 sums[DOTS_STREAMS * QUADS], size_t n_streams,
                                   const float *bias, size_t left) {
    for (size_t r = 0; r < n_streams * MATRIX_BLOCK; r += MATRIX_BLOCK, sums += QUADS)
        sums_store(out + r, sums, bias ? bias + r : NULL, left - r);
}

/* Next rows of the result for one vector, written to `out`; `left` rows remain. */
struct target {
    float *out;
    const float *bias;
    size_t rows, left;
};

/* Multiplies a block by vectors, in passes of quads.count quads, quads.step at a time. The sums
 * stay in registers, because no code takes their address. */
static inline ALWAYS void block_times_quants(struct target to, const struct format *f,
                                             const uint8_t *block, size_t cols, struct quads quads,
                                             struct vectors vectors) {
    size_t n_tokens = vectors.n_tokens, n_sums = quads.count * n_tokens;
    f32x4 all[DOTS_TOKENS][QUADS];
    ROLLED
    for (; quads.first < QUADS; quads.first += quads.count) {
        f32x4 sums[QUADS * DOTS_TOKENS];
        UNROLL
        for (size_t i = 0; i < n_sums; i++) sums[i] = f32x4_splat(0);
        quads_times_quants(sums, f, block, 1, cols, quads, vectors);
        UNROLL
        for (size_t i = 0; i < n_sums; i++) all[i % n_tokens][quads.first + i / n_tokens] = sums[i];
    }
    ROLLED
    for (size_t t = 0; t < n_tokens; t++)
        sums_store(to.out + t * to.rows, all[t], to.bias, to.left);
}

/* Multiplies a block of levels by n <= BATCH vectors with groups `stride` apart. The levels of a
 * group are looked up once and then multiplied as codes of eight bits. */
static OUTLINED void levels_times_quants(struct target to, size_t values, uint8_t n_factors,
                                         const uint8_t *block, size_t cols, const struct quants *x,
                                         size_t stride, size_t n) {
    const struct format f = {.bits = 4, .factors = n_factors}, bytes = {.bits = 8, .factors = 1};
    f32x4 sums[BATCH * QUADS];
    uint8_t codes[MATRIX_GROUP / 4 * FORMAT_PLANE], ones[MATRIX_BLOCK];
    const uint8_t *factors = ones, *planes = block;
    for (size_t i = 0; i < MATRIX_BLOCK; i++) ones[i] = 1;
    for (size_t i = 0; i < BATCH * QUADS; i++) sums[i] = f32x4_splat(0);
    for (size_t c = 0; c < cols; c += MATRIX_GROUP, x += stride) {
        if (c % values == 0) {
            block = planes;
            if (n_factors) factors = block + format_head_bytes(&f);
            planes =
                block + format_head_bytes(&f) + values / MATRIX_GROUP * format_factor_bytes(&f);
        }
        for (size_t i = 0; i < sizeof codes; i += i % FORMAT_PLANE < 48 ? 16 : 16 + FORMAT_PLANE) {
            bytes16_store(codes + i, bytes16_level(codes_load(&f, planes, 0)));
            bytes16_store(codes + i + FORMAT_PLANE, bytes16_level(codes_load(&f, planes, 1)));
            planes += 16;
        }
        for (size_t t = 0; t < n; t += DOTS_TOKENS)
            for (size_t q = 0; q < QUADS; q += DOTS_QUADS)
                add_group(sums + t * QUADS + q * DOTS_TOKENS, &bytes, block + 16 * q,
                          factors + 4 * q, codes + 16 * q, DOTS_QUADS, x + t, DOTS_TOKENS);
        factors += format_factor_bytes(&f);
    }
    for (size_t t = 0; t < n; t++) {
        f32x4 own[QUADS];
        size_t in_tile = t % DOTS_TOKENS, tile = (t - in_tile) * QUADS;
        for (size_t q = 0; q < QUADS; q++) own[q] = sums[tile + q * DOTS_TOKENS + in_tile];
        sums_store(to.out + t * to.rows, own, to.bias, to.left);
    }
}

static inline ALWAYS void matmul_format(float *out, const struct format *f, const struct matrix *w,
                                        const float *bias, const struct quants *x, size_t n) {
    size_t rows = w->rows, cols = w->cols, strip = (size_t)format_strip_rows(f->bits) / 4;
    size_t n_quads = strip < DOTS_QUADS ? strip : DOTS_QUADS;
    const uint8_t *block = w->data;
    for (size_t r = 0; r < rows; r += MATRIX_BLOCK, block += block_bytes_of(f, cols)) {
        struct target to = {out + r, bias ? bias + r : NULL, rows, rows - r};
        size_t t = 0;
        for (size_t step; f->levels && t + DOTS_TOKENS <= n; t += step, to.out += step * rows) {
            step = n - t < BATCH ? (n - t) / DOTS_TOKENS * DOTS_TOKENS : BATCH;
            levels_times_quants(to, f->values, f->factors, block, cols, x + t, n, step);
        }
        for (; !f->levels && t + DOTS_TOKENS <= n; t += DOTS_TOKENS, to.out += DOTS_TOKENS * rows)
            block_times_quants(to, f, block, cols, (struct quads){0, n_quads, n_quads},
                               (struct vectors){x + t, n, DOTS_TOKENS});
        for (; t < n; t++, to.out += rows)
            block_times_quants(to, f, block, cols, (struct quads){0, QUADS, strip},
                               (struct vectors){x + t, n, 1});
    }
}

/* Multiplies one vector by `streams` blocks at a time; the last step may have fewer blocks. */
static inline ALWAYS void matvec_format(float *out, const struct format *f, const struct matrix *w,
                                        const float *bias, const struct quants *x, size_t streams) {
    size_t cols = w->cols, step = streams * MATRIX_BLOCK;
    size_t strip = (size_t)format_strip_rows(f->bits) / 4;
    const uint8_t *block = w->data;
    for (size_t r = 0; r < w->rows; r += step, block += streams * block_bytes_of(f, cols)) {
        f32x4 sums[DOTS_STREAMS * QUADS];
        size_t left = w->rows - r, blocks = (left + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
        size_t n_streams = blocks < streams ? blocks : streams;
        sums_clear(sums);
        quads_times_quants(sums, f, block, n_streams, cols, (struct quads){0, QUADS, strip},
                           (struct vectors){x, 1, 1});
        streams_store(out + r, sums, n_streams, bias ? bias + r : NULL, left);
    }
}

/* Two functions for each format, so that the format's table row is a constant. They are not
 * inlined, because a compiler allocates registers better in a small function. */
#define MATMUL(type)                                                                          \
    static OUTLINED void matmul_##type(float *out, const struct matrix *w, const float *bias, \
                                       const struct quants *x, size_t n) {                    \
        matmul_format(out, &format_table[GGUF_##type], w, bias, x, n);                        \
    }                                                                                         \
    static OUTLINED void matvec_##type(float *out, const struct matrix *w, const float *bias, \
                                       const struct quants *x, size_t streams) {              \
        matvec_format(out, &format_table[GGUF_##type], w, bias, x, streams);                  \
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

/* Levels are slower than memory, so that several streams do not help them. */
#define CASE(type)                                                                                 \
    case GGUF_##type:                                                                              \
        if (n == 1 && streams > 1 && streams <= DOTS_STREAMS && !format_table[GGUF_##type].levels) \
            return matvec_##type(out, w, bias, quants, streams);                                   \
        return matmul_##type(out, w, bias, quants, n)

void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n, size_t streams) {
    switch (w->type) {
        CASE(Q4_0);
        CASE(Q4_1);
        CASE(Q5_0);
        CASE(Q5_1);
        CASE(Q8_0);
        CASE(Q2_K);
        CASE(Q3_K);
        CASE(Q4_K);
        CASE(Q5_K);
        CASE(Q6_K);
        CASE(IQ4_NL);
        CASE(IQ4_XS);
    default: /* other types are float32 in memory */ return;
    }
}
