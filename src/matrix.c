/* build: -O2 */
/* Packs the rows of a tensor into blocks, and unpacks single rows and groups. */
#include "matrix.h"

#include <string.h>

#include "bytes.h"
#include "loop.h"

enum { FOURS = MATRIX_GROUP / 4 }; /* number of vectors of four columns in a group */

enum gguf_tensor_type matrix_type_of(enum gguf_tensor_type type) {
    return format_of(type)->values > 1 ? type : GGUF_F32;
}

static uint64_t block_bytes(enum gguf_tensor_type type, uint64_t cols) {
    const struct format *f = format_of(type);
    if (type == GGUF_F32) return MATRIX_BLOCK * cols * sizeof(float);
    return cols / f->values * format_packed_bytes(f);
}

uint64_t matrix_bytes(enum gguf_tensor_type type, uint64_t rows, uint64_t cols) {
    return (rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK * block_bytes(type, cols);
}

/* Packs n <= 16 rows of float32 side by side, one per lane; missing rows become 0. */
static void pack_f32(float *out, const float *rows, size_t n, size_t cols) {
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < MATRIX_BLOCK; r++)
            out[c * MATRIX_BLOCK + r] = r < n ? rows[r * cols + c] : 0;
}

/* Places of a group's codes in packed bytes (format_pieces), each code for four columns. `plane` of
 * a piece counts from the group's first plane. */
struct layout {
    struct pieces codes[FOURS];
    size_t plane_bytes; /* bytes of a plane, for the rows of a strip */
};

static struct layout layout_of(const struct format *f) {
    struct layout layout = {.plane_bytes = 4 * (size_t)format_strip_rows(f->bits)};
    int codes = format_unit_codes(f->bits), planes = format_unit_planes(f->bits);
    for (int i = 0; i < (int)FOURS; i++) {
        struct pieces *pieces = &layout.codes[i];
        *pieces = format_pieces(f->bits, i % codes);
        for (int p = 0; p < pieces->n; p++) pieces->of[p].plane += (size_t)(i / codes * planes);
    }
    return layout;
}

/* Returns the offset of row r in the planes of a group. */
static size_t row_start(const struct format *f, size_t r) {
    size_t strip = (size_t)format_strip_rows(f->bits);
    return (r / strip * f->bits * strip + r % strip) * 4;
}

/* Returns a mask of the lowest piece->bits bits in each of four bytes. */
static uint32_t four_masks(const struct piece *piece) {
    return 0x01010101u * ((1u << piece->bits) - 1);
}

static void pack_codes(uint8_t *row, const struct layout *layout, const uint8_t *codes) {
    for (size_t i = 0; i < FOURS; i++) {
        const struct pieces *pieces = &layout->codes[i];
        uint32_t four = load_u32(codes + 4 * i);
        for (const struct piece *p = pieces->of; p < pieces->of + pieces->n; p++) {
            uint8_t *to = row + p->plane * layout->plane_bytes;
            uint32_t packed = load_u32(to) | (four >> p->to & four_masks(p)) << p->from;
            memcpy(to, &packed, 4);
        }
    }
}

/* Packs codes that never cross a byte boundary; faster than pack_codes. */
static inline ALWAYS void pack_whole(uint8_t *row, uint32_t bits, const uint8_t *codes) {
    uint8_t *end = row + (size_t)FORMAT_PLANE * bits;
    for (uint8_t *to = row; to < end; to += FORMAT_PLANE) {
        uint32_t packed = 0;
        for (uint32_t from = 0; from < 8; from += bits, codes += 4)
            packed |= load_u32(codes) << from;
        memcpy(to, &packed, 4);
    }
}

static void unpack_codes(uint8_t *codes, const struct layout *layout, const uint8_t *row) {
    for (size_t i = 0; i < FOURS; i++) {
        const struct pieces *pieces = &layout->codes[i];
        uint32_t four = 0;
        for (const struct piece *p = pieces->of; p < pieces->of + pieces->n; p++) {
            uint32_t packed = load_u32(row + p->plane * layout->plane_bytes);
            four |= (packed >> p->from & four_masks(p)) << p->to;
        }
        memcpy(codes + 4 * i, &four, 4);
    }
}

/* Packs a group of one row. `factor` and `row` point to the group's first factor and first code. */
static void pack_group(uint8_t *factor, uint8_t *row, const struct format *f,
                       const struct layout *layout, const struct weights *group) {
    for (size_t i = 0; i < f->factors; i++, factor += MATRIX_BLOCK) {
        *factor = (uint8_t)(group->factors[i] | (f->nibbles ? group->shares[i] << 4 : 0));
        if (f->minimum && !f->nibbles)
            factor[(size_t)f->factors * MATRIX_BLOCK] = (uint8_t)group->shares[i];
    }
    if (f->bits == 8)
        pack_whole(row, 8, group->codes); /* 8 is constant: no inner loop */
    else if (8 % f->bits == 0)
        pack_whole(row, f->bits, group->codes);
    else
        pack_codes(row, layout, group->codes);
}

/* Packs one block of row r, as the file stores it. If f->half, the file's block begins with scale
 * and minimum as float16; both are copied unchanged. */
static void pack_block(uint8_t *out, enum gguf_tensor_type type, const struct layout *layout,
                       const uint8_t *block, size_t r) {
    const struct format *f = format_of(type);
    struct weights groups[FORMAT_GROUPS];
    format_decode(groups, type, block);
    if (f->half) {
        memcpy(out + 2 * r, block, 2);
        memcpy(out + 2 * (MATRIX_BLOCK + r), block + 2, 2);
    } else {
        memcpy(out + 4 * r, &groups->scale, 4);
        if (f->minimum) memcpy(out + 4 * (MATRIX_BLOCK + r), &groups->minimum, 4);
    }
    uint8_t *factor = out + format_head_bytes(f) + r;
    uint8_t *row = out + format_planes_start(f) + row_start(f, r);
    for (size_t g = 0; g < f->values / MATRIX_GROUP; g++)
        pack_group(factor + g * format_factor_bytes(f), row + g * format_planes_bytes(f), f, layout,
                   &groups[g]);
}

static void pack_quants(uint8_t *out, const uint8_t *rows, size_t n, size_t cols,
                        enum gguf_tensor_type type) {
    const struct format *f = format_of(type);
    size_t blocks = cols / f->values, bytes = format_packed_bytes(f);
    struct layout layout = layout_of(f);
    memset(out, 0, blocks * bytes);
    for (size_t b = 0; b < blocks; b++, out += bytes)
        for (size_t r = 0; r < n; r++)
            pack_block(out, type, &layout, rows + (r * blocks + b) * f->bytes, r);
}

void matrix_pack(const struct matrix *m, const struct gguf_tensor *tensor, uint64_t first_row,
                 float *scratch) {
    size_t cols = m->cols;
    uint8_t *out = m->data;
    for (size_t r = 0; r < m->rows; r += MATRIX_BLOCK, out += block_bytes(m->type, cols)) {
        size_t left = m->rows - r, n = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
        uint64_t first = (first_row + r) * cols;
        if (m->type == GGUF_F32) {
            gguf_widen(tensor, first, n * cols, scratch);
            pack_f32((float *)(void *)out, scratch, n, cols);
        } else {
            memcpy(scratch, tensor->data + gguf_bytes(tensor->type, first),
                   (size_t)gguf_bytes(tensor->type, n * cols));
            pack_quants(out, (const uint8_t *)scratch, n, cols, m->type);
        }
    }
}

static float scale_or_minimum(const uint8_t *heads, bool half, size_t i) {
    float x;
    if (half) return load_f16(heads + 2 * i);
    memcpy(&x, heads + 4 * i, 4);
    return x;
}

struct weights matrix_group(const struct matrix *m, size_t r, size_t g) {
    const struct format *f = format_of(m->type);
    size_t groups = f->values / MATRIX_GROUP;
    const uint8_t *p = m->data + r / MATRIX_BLOCK * block_bytes(m->type, m->cols) +
                       g / groups * format_packed_bytes(f);
    r %= MATRIX_BLOCK;
    struct weights w = {scale_or_minimum(p, f->half, r), 0, {1, 1}, {1, 1}, {0}};
    if (f->minimum) w.minimum = scale_or_minimum(p, f->half, MATRIX_BLOCK + r);
    const uint8_t *factors = p + format_head_bytes(f) + g % groups * format_factor_bytes(f);
    for (size_t i = 0; f->factors && i < 2; i++) {
        const uint8_t *factor = factors + i % f->factors * MATRIX_BLOCK + r;
        w.factors[i] = (int8_t)(f->nibbles ? *factor & 15 : *factor);
        if (f->minimum)
            w.shares[i] =
                (int8_t)(f->nibbles ? *factor >> 4 : factor[(size_t)f->factors * MATRIX_BLOCK]);
    }
    struct layout layout = layout_of(f);
    p += format_planes_start(f) + g % groups * format_planes_bytes(f);
    unpack_codes(w.codes, &layout, p + row_start(f, r));
    return w;
}

void matrix_row(const struct matrix *m, size_t r, float *out) {
    size_t cols = m->cols;
    if (m->type == GGUF_F32) {
        const float *row = (const float *)(const void *)m->data +
                           r / MATRIX_BLOCK * MATRIX_BLOCK * cols + r % MATRIX_BLOCK;
        for (size_t c = 0; c < cols; c++) out[c] = row[c * MATRIX_BLOCK];
        return;
    }
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++) {
        struct weights group = matrix_group(m, r, g);
        format_values(out + g * MATRIX_GROUP, format_of(m->type), &group);
    }
}
