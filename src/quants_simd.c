/* build: -O2 */
/* The loops of quantised matrices with vector words; they compute the bits of kernels_scalar.c. A
 * lane is an output row. The file must not need static data: its WebAssembly module has none. */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>

#include "simd.h"

/* Number of quads (four rows) in a block; number of vectors that share an unpacked group. */
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
    return f->levels ? bytes16_level(codes) : codes;
}

static inline ALWAYS size_t unit_bytes_of(const struct format *f) {
    return (size_t)FORMAT_PLANE * (size_t)format_unit_planes(f->bits);
}

/* Returns the bytes from a quad (four rows) to the next one in planes of codes. */
static inline ALWAYS size_t quad_bytes_of(const struct format *f) {
    return 16 * (format_strip_rows(f->bits) == 4 ? (size_t)f->bits : 1);
}

static inline ALWAYS factors4 factors_load(const struct format *f, const uint8_t *group, size_t h) {
    const uint8_t *p = group + h * MATRIX_BLOCK;
    return f->nibbles ? factors_of_low(p) : factors_of(p);
}

static inline ALWAYS factors4 shares_load(const struct format *f, const uint8_t *group, size_t h) {
    const uint8_t *p = group + h * MATRIX_BLOCK;
    return f->nibbles ? factors_of_high(p) : factors_of(p + (size_t)f->factors * MATRIX_BLOCK);
}

static inline ALWAYS f32x4 head_load(const struct format *f, const uint8_t *heads, size_t i) {
    if (f->half) return f32x4_load_f16(heads + 2 * i);
    return f32x4_load((const float *)(const void *)heads + i);
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
static inline ALWAYS void plain_dots(i32x4 totals[QUADS], const struct format *f,
                                     const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                     const struct quants *x) {
    int n_codes = format_unit_codes(f->bits), n_units = MATRIX_GROUP / 4 / n_codes;
    sums4 x_sums = is_halved(f) ? sums_load(x->sums[0]) : group_sums(x);
    dots sums[QUADS];
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        sums[q] = dots_start(x_sums, f->offset);
        totals[q] = i32x4_splat(0);
    }
    ROLLED
    for (int u = 0; u < n_units; u++) {
        UNROLL
        for (int i = 0; i < n_codes; i++) {
            int c = u * n_codes + i;
            UNROLL
            for (size_t q = 0; q < n_quads; q++) {
                bytes16 w = codes_load(f, planes + (size_t)u * unit_bytes_of(f) + 16 * q, i);
                sums[q] = dots_add(sums[q], w, dots_x_load(x->values + 4 * (size_t)c));
            }
            UNROLL
            for (size_t q = 0; q < n_quads && is_halved(f) && i % 4 == 3; q++) {
                i32x4 total = dots_times_factors(sums[q], f, group + 4 * q, (size_t)c / 4);
                totals[q] = i32x4_add(totals[q], total);
                sums[q] = dots_start(sums_load(x->sums[1]), f->offset);
            }
        }
    }
    UNROLL
    for (size_t q = 0; q < n_quads && !is_halved(f); q++)
        totals[q] = dots_times_factors(sums[q], f, group + 4 * q, 0);
}

/* Computes the sums of plain_dots for levels or signed bytes and formats of at most one factor. */
static inline ALWAYS void signed_dots(i32x4 totals[QUADS], const struct format *f,
                                      const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                      const struct quants *x) {
    int n_codes = format_unit_codes(f->bits);
    wide sums[QUADS];
    UNROLL
    for (size_t q = 0; q < n_quads; q++) sums[q] = wide_zero();
    ROLLED
    for (int u = 0; u < f->bits; u++) {
        UNROLL
        for (int i = 0; i < n_codes; i++) {
            wide_x of_x = wide_x_load(x->values + 4 * (size_t)(u * n_codes + i));
            UNROLL
            for (size_t q = 0; q < n_quads; q++)
                sums[q] = wide_add(
                    sums[q], codes_load(f, planes + FORMAT_PLANE * (size_t)u + 16 * q, i), of_x);
        }
    }
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        totals[q] = wide_total(sums[q], x->negative);
        if (f->factors) totals[q] = i32x4_mul(totals[q], i32x4_load_i8(group + 4 * q));
    }
}

/* Returns the term of the minimum: minimum * (x_scale * (float)(m0 * s0 + m1 * s1)). */
static inline ALWAYS f32x4 minimum_term(f32x4 minimum, i32x4 share, const struct quants *x) {
    return f32x4_mul(minimum, f32x4_mul(f32x4_splat(x->scale), f32x4_from_i32x4(share)));
}

static inline ALWAYS i32x4 share_of(const struct format *f, const uint8_t *group,
                                    const struct quants *x) {
    if (!f->factors) return i32x4_splat(quants_sum(x));
    sums4 first = f->factors == 2 ? sums_load(x->sums[0]) : group_sums(x);
    i32x4 share = factors_times_sums(shares_load(f, group, 0), first);
    if (f->factors < 2) return share;
    factors4 second = shares_load(f, group, 1);
    return i32x4_add(share, factors_times_sums(second, sums_load(x->sums[1])));
}

/* Adds the terms of a group to sums (n_quads,). All pointers are to the first row. */
static inline ALWAYS void add_group(f32x4 *sums, const struct format *f, const uint8_t *heads,
                                    const uint8_t *group, const uint8_t *planes, size_t n_quads,
                                    const struct quants *x) {
    i32x4 totals[QUADS];
    if (is_plain(f))
        plain_dots(totals, f, group, planes, n_quads, x);
    else
        signed_dots(totals, f, group, planes, n_quads, x);
    UNROLL
    for (size_t q = 0; q < n_quads; q++) {
        f32x4 product = f32x4_from_i32x4(totals[q]), scale = head_load(f, heads, 4 * q);
        f32x4 term = f32x4_mul(product, f32x4_mul(scale, f32x4_splat(x->scale)));
        if (f->minimum) {
            f32x4 minimum = head_load(f, heads, MATRIX_BLOCK + 4 * q);
            term = f32x4_add(term, minimum_term(minimum, share_of(f, group + 4 * q, x), x));
        }
        sums[q] = f32x4_add(sums[q], term);
    }
}

/* Multiplies n_streams neighbouring blocks by a vector with groups `stride` apart, and adds the
 * products to sums (n_streams, QUADS). */
static inline ALWAYS void blocks_times_quants(f32x4 *sums, const struct format *f,
                                              const uint8_t *block, size_t n_streams, size_t cols,
                                              const struct quants *x, size_t stride) {
    size_t step = (size_t)format_strip_rows(f->bits) / 4;
    ROLLED
    for (size_t b = 0; b < cols / f->values; b++, block += format_packed_bytes(f)) {
        const uint8_t *factors = block + format_head_bytes(f);
        const uint8_t *planes = block + format_planes_start(f);
        ROLLED
        for (size_t g = 0; g < f->values / MATRIX_GROUP; g++, x += stride) {
            size_t stream = 0;
            ROLLED
            for (size_t s = 0; s < n_streams; s++, stream += block_bytes_of(f, cols)) {
                ROLLED
                for (size_t q = 0; q < QUADS; q += step)
                    add_group(sums + s * QUADS + q, f, block + stream + q * (f->half ? 8 : 16),
                              factors + stream + 4 * q, planes + stream + quad_bytes_of(f) * q,
                              step, x);
            }
            factors += format_factor_bytes(f);
            planes += format_planes_bytes(f);
        }
    }
}

/* These functions are not inlined, to keep the loops small: they run once for all columns. */
static OUTLINED void sums_clear(f32x4 *sums, size_t n) {
    for (size_t i = 0; i < n; i++) sums[i] = f32x4_splat(0);
}
static OUTLINED void sums_store(float *out, f32x4 sums[QUADS], const float *bias, size_t left) {
    block_store(out, sums, bias, left);
}
static OUTLINED void streams_store(float *out, f32x4 sums[DOTS_STREAMS * QUADS], size_t n_streams,
                                   const float *bias, size_t left) {
    for (size_t r = 0; r < n_streams * MATRIX_BLOCK; r += MATRIX_BLOCK, sums += QUADS)
        sums_store(out + r, sums, bias ? bias + r : NULL, left - r);
}

/* Multiplies one vector by `streams` blocks at a time; the last step may have fewer blocks. */
static inline ALWAYS void matvec_format(float *out, const struct format *f, const struct matrix *w,
                                        const float *bias, const struct quants *x, size_t streams) {
    size_t cols = w->cols, step = streams * MATRIX_BLOCK;
    const uint8_t *block = w->data;
    for (size_t r = 0; r < w->rows; r += step, block += streams * block_bytes_of(f, cols)) {
        f32x4 sums[DOTS_STREAMS * QUADS];
        size_t left = w->rows - r, blocks = (left + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
        size_t n_streams = blocks < streams ? blocks : streams;
        sums_clear(sums, n_streams * QUADS);
        blocks_times_quants(sums, f, block, n_streams, cols, x, 1);
        streams_store(out + r, sums, n_streams, bias ? bias + r : NULL, left);
    }
}

/* A group of a block, unpacked once for up to BATCH vectors: codes as bytes, levels looked up, and
 * the factors and shares of each half as vector words. */
struct panel {
    f32x4 scales[QUADS], minima[QUADS];
    factors4 factors[2][QUADS], shares[2][QUADS];
    const uint8_t *codes; /* planes of codes of 8 bits: `unpacked`, or in the block */
    int offset;
    uint8_t unpacked[MATRIX_GROUP / 4 * FORMAT_PLANE];
};

/* Arithmetic of a format. Formats with the same arithmetic share a loop: a format without factors
 * has the factor 1, and a single factor serves both halves. */
struct arithmetic {
    bool plain, halved, minimum, factors;
};

static inline ALWAYS void panel_heads(struct panel *panel, const struct format *f,
                                      const uint8_t *heads) {
    ROLLED
    for (size_t q = 0; q < QUADS; q++) {
        panel->scales[q] = head_load(f, heads, 4 * q);
        if (f->minimum) panel->minima[q] = head_load(f, heads, MATRIX_BLOCK + 4 * q);
    }
}

static inline ALWAYS void panel_group(struct panel *panel, const struct format *f,
                                      const uint8_t *group, const uint8_t *planes) {
    int n_codes = format_unit_codes(f->bits), n_units = MATRIX_GROUP / 4 / n_codes;
    ROLLED
    for (size_t q = 0; q < QUADS; q++, group += 4, planes += quad_bytes_of(f)) {
        uint8_t *codes = panel->unpacked + 16 * q;
        if (f->factors && !is_plain(f)) panel->factors[0][q] = i32x4_load_i8(group);
        UNROLL
        for (size_t h = 0; h < 2 && f->factors && is_plain(f); h++) {
            size_t half = f->factors == 2 ? h : 0;
            panel->factors[h][q] = factors_load(f, group, half);
            if (f->minimum) panel->shares[h][q] = shares_load(f, group, half);
        }
        ROLLED
        for (int u = 0; u < n_units; u++) {
            UNROLL
            for (int i = 0; i < n_codes; i++, codes += FORMAT_PLANE)
                bytes16_store(codes, codes_load(f, planes + (size_t)u * unit_bytes_of(f), i));
        }
    }
}

/* Computes the integer sums of plain_dots for a panel from quad `first` on. */
static inline ALWAYS void panel_dots(i32x4 totals[DOTS_QUADS][DOTS_TOKENS],
                                     const struct panel *panel, size_t first, struct arithmetic how,
                                     const struct quants *x) {
    dots sums[DOTS_QUADS][DOTS_TOKENS];
    UNROLL
    for (size_t i = 0; i < (size_t)DOTS_QUADS * DOTS_TOKENS; i++)
        totals[i / DOTS_TOKENS][i % DOTS_TOKENS] = i32x4_splat(0);
    ROLLED
    for (size_t h = 0; h < (how.halved ? 2 : 1); h++) {
        UNROLL
        for (size_t t = 0; t < DOTS_TOKENS; t++) {
            sums4 x_sums = how.halved ? sums_load(x[t].sums[h]) : group_sums(x + t);
            UNROLL
            for (size_t q = 0; q < DOTS_QUADS; q++)
                sums[q][t] = dots_start(x_sums, how.minimum ? 0 : panel->offset);
        }
        ROLLED
        for (size_t c = 4 * h; c < (how.halved ? 4 * h + 4 : MATRIX_GROUP / 4); c++) {
            UNROLL
            for (size_t q = 0; q < DOTS_QUADS; q++) {
                bytes16 w = bytes16_load(panel->codes + FORMAT_PLANE * c + 16 * (first + q));
                UNROLL
                for (size_t t = 0; t < DOTS_TOKENS; t++)
                    sums[q][t] = dots_add(sums[q][t], w, dots_x_load(x[t].values + 4 * c));
            }
        }
        UNROLL
        for (size_t i = 0; i < (size_t)DOTS_QUADS * DOTS_TOKENS; i++) {
            size_t q = i / DOTS_TOKENS, t = i % DOTS_TOKENS;
            i32x4 total = dots_scaled(sums[q][t], panel->factors[h][first + q]);
            totals[q][t] = i32x4_add(totals[q][t], total);
        }
    }
}

/* Computes the integer sums of signed_dots for a panel from quad `first` on. */
static inline ALWAYS void panel_wide(i32x4 totals[DOTS_QUADS][DOTS_TOKENS],
                                     const struct panel *panel, size_t first, struct arithmetic how,
                                     const struct quants *x) {
    wide sums[DOTS_QUADS][DOTS_TOKENS];
    UNROLL
    for (size_t i = 0; i < (size_t)DOTS_QUADS * DOTS_TOKENS; i++)
        sums[i / DOTS_TOKENS][i % DOTS_TOKENS] = wide_zero();
    ROLLED
    for (size_t c = 0; c < MATRIX_GROUP / 4; c++) {
        UNROLL
        for (size_t q = 0; q < DOTS_QUADS; q++) {
            bytes16 w = bytes16_load(panel->codes + FORMAT_PLANE * c + 16 * (first + q));
            UNROLL
            for (size_t t = 0; t < DOTS_TOKENS; t++)
                sums[q][t] = wide_add(sums[q][t], w, wide_x_load(x[t].values + 4 * c));
        }
    }
    UNROLL
    for (size_t i = 0; i < (size_t)DOTS_QUADS * DOTS_TOKENS; i++) {
        size_t q = i / DOTS_TOKENS, t = i % DOTS_TOKENS;
        totals[q][t] = wide_total(sums[q][t], x[t].negative);
        if (how.factors) totals[q][t] = i32x4_mul(totals[q][t], panel->factors[0][first + q]);
    }
}

/* Adds the terms of DOTS_QUADS quads of a panel, from `first` on, and DOTS_TOKENS vectors. */
static inline ALWAYS void add_tile(f32x4 *sums, const struct panel *panel, size_t first,
                                   struct arithmetic how, const struct quants *x) {
    i32x4 totals[DOTS_QUADS][DOTS_TOKENS];
    if (how.plain)
        panel_dots(totals, panel, first, how, x);
    else
        panel_wide(totals, panel, first, how, x);
    UNROLL
    for (size_t q = 0; q < DOTS_QUADS; q++, sums += DOTS_TOKENS) {
        f32x4 scale = panel->scales[first + q], minimum = panel->minima[first + q];
        factors4 share0 = panel->shares[0][first + q], share1 = panel->shares[1][first + q];
        UNROLL
        for (size_t t = 0; t < DOTS_TOKENS; t++) {
            f32x4 product = f32x4_from_i32x4(totals[q][t]);
            f32x4 term = f32x4_mul(product, f32x4_mul(scale, f32x4_splat(x[t].scale)));
            sums4 x_sums = how.halved ? sums_load(x[t].sums[0]) : group_sums(x + t);
            i32x4 share = factors_times_sums(share0, x_sums);
            if (how.halved)
                share = i32x4_add(share, factors_times_sums(share1, sums_load(x[t].sums[1])));
            if (how.minimum) term = f32x4_add(term, minimum_term(minimum, share, x + t));
            sums[t] = f32x4_add(sums[t], term);
        }
    }
}

/* Adds the terms of a panel and n vectors to sums (n / DOTS_TOKENS, QUADS, DOTS_TOKENS). */
static inline ALWAYS void add_panel(f32x4 *sums, const struct panel *panel, struct arithmetic how,
                                    const struct quants *x, size_t n) {
    ROLLED
    for (size_t t = 0; t < n; t += DOTS_TOKENS) {
        ROLLED
        for (size_t q = 0; q < QUADS; q += DOTS_QUADS)
            add_tile(sums + t * QUADS + q * DOTS_TOKENS, panel, q, how, x + t);
    }
}

#define PANEL(name, ...)                                                    \
    static OUTLINED void add_##name(f32x4 *sums, const struct panel *panel, \
                                    const struct quants *x, size_t n) {     \
        add_panel(sums, panel, (struct arithmetic){__VA_ARGS__}, x, n);     \
    }

PANEL(offset, .plain = true)
PANEL(minimum, .plain = true, .minimum = true)
PANEL(halves, .plain = true, .halved = true)
PANEL(halves_minimum, .plain = true, .halved = true, .minimum = true)
PANEL(signed, .factors = false)
PANEL(signed_factors, .factors = true)

static inline ALWAYS void panel_times_quants(f32x4 *sums, const struct panel *panel,
                                             const struct format *f, const struct quants *x,
                                             size_t n) {
    if (!is_plain(f))
        (f->factors ? add_signed_factors : add_signed)(sums, panel, x, n);
    else if (is_halved(f))
        (f->minimum ? add_halves_minimum : add_halves)(sums, panel, x, n);
    else
        (f->minimum ? add_minimum : add_offset)(sums, panel, x, n);
}

/* Multiplies a block by n <= BATCH vectors with groups `stride` apart; DOTS_TOKENS divides n. */
static inline ALWAYS void block_times_quants(f32x4 *sums, const struct format *f,
                                             const uint8_t *block, size_t cols,
                                             const struct quants *x, size_t stride, size_t n) {
    struct panel panel;
    panel.offset = f->offset;
    panel.codes = panel.unpacked;
    for (size_t q = 0; q < QUADS; q++) {
        panel.minima[q] = f32x4_splat(0);
        panel.factors[0][q] = panel.factors[1][q] = factors_one();
        panel.shares[0][q] = panel.shares[1][q] = factors_one();
    }
    ROLLED
    for (size_t b = 0; b < cols / f->values; b++, block += format_packed_bytes(f)) {
        const uint8_t *factors = block + format_head_bytes(f);
        const uint8_t *planes = block + format_planes_start(f);
        panel_heads(&panel, f, block);
        ROLLED
        for (size_t g = 0; g < f->values / MATRIX_GROUP; g++, x += stride) {
            if (f->bits < 8) panel_group(&panel, f, factors, planes);
            if (f->bits == 8) panel.codes = planes;
            panel_times_quants(sums, &panel, f, x, n);
            factors += format_factor_bytes(f);
            planes += format_planes_bytes(f);
        }
    }
}

static OUTLINED void batch_store(float *out, f32x4 *sums, const struct matrix *w, size_t r,
                                 const float *bias, size_t n) {
    for (size_t t = 0; t < n; t++) {
        f32x4 own[QUADS];
        size_t in_tile = t % DOTS_TOKENS, tile = (t - in_tile) * QUADS;
        for (size_t q = 0; q < QUADS; q++) own[q] = sums[tile + q * DOTS_TOKENS + in_tile];
        sums_store(out + t * w->rows + r, own, bias ? bias + r : NULL, w->rows - r);
    }
}

/* Multiplies vectors in batches. Two or three vectors are not worth the unpacking of codes of 4 or
 * 8 bits. They and the last vector are multiplied one by one, with sums in registers, because no
 * code takes their address. */
static inline ALWAYS void matmul_format(float *out, const struct format *f, const struct matrix *w,
                                        const float *bias, const struct quants *x, size_t n) {
    bool one_by_one = n < 4 && (f->bits == 4 || f->bits == 8);
    size_t rows = w->rows, cols = w->cols, whole = one_by_one ? 0 : n - n % DOTS_TOKENS;
    const uint8_t *block = w->data;
    for (size_t r = 0; r < rows; r += MATRIX_BLOCK, block += block_bytes_of(f, cols)) {
        for (size_t t = 0, step; t < whole; t += step) {
            f32x4 sums[BATCH * QUADS];
            step = whole - t < BATCH ? whole - t : BATCH;
            sums_clear(sums, step * QUADS);
            block_times_quants(sums, f, block, cols, x + t, n, step);
            batch_store(out + t * rows, sums, w, r, bias, step);
        }
        for (size_t t = whole; t < n; t++) {
            f32x4 sums[QUADS], own[QUADS];
            UNROLL
            for (size_t q = 0; q < QUADS; q++) sums[q] = f32x4_splat(0);
            blocks_times_quants(sums, f, block, 1, cols, x + t, n);
            UNROLL
            for (size_t q = 0; q < QUADS; q++) own[q] = sums[q];
            sums_store(out + t * rows + r, own, bias ? bias + r : NULL, rows - r);
        }
    }
}

/* Two functions for each format, so that the format's table row is a constant. They are not
 * inlined, because a compiler allocates registers better in a small function. */
#define MATMUL(type)                                                                          \
    static OUTLINED void matvec_##type(float *out, const struct matrix *w, const float *bias, \
                                       const struct quants *x, size_t streams) {              \
        matvec_format(out, &format_table[GGUF_##type], w, bias, x, streams);                  \
    }                                                                                         \
    static OUTLINED void matmul_##type(float *out, const struct matrix *w, const float *bias, \
                                       const struct quants *x, size_t n) {                    \
        matmul_format(out, &format_table[GGUF_##type], w, bias, x, n);                        \
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
