/* build: -O2 */
/* Packs the rows of a tensor into blocks, and takes single rows and groups out of them again. */
#include "matrix.h"

#include <string.h>

#include "bytes.h"
#include "loop.h"

enum { QUADS = MATRIX_GROUP / 4 }; /* a group's columns, four at a time */

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

/* n <= 16 rows, side by side. */
static void pack_f32(float *out, const float *rows, size_t n, size_t cols) {
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < MATRIX_BLOCK; r++)
            out[c * MATRIX_BLOCK + r] = r < n ? rows[r * cols + c] : 0;
}

/* Four codes at a time: all `bits` bits of each from bit `from` on, in the plane's bytes of row r.
 */
static inline void pack_bits(uint8_t *plane, const uint8_t *codes, size_t bits, size_t from,
                             size_t r) {
    uint32_t mask = 0x01010101u * ((1u << bits) - 1), four, packed;
    for (size_t i = 0; i < QUADS; i++) {
        uint8_t *to = plane + (i % bits * MATRIX_BLOCK + r) * 4;
        memcpy(&four, codes + 4 * i, 4);
        memcpy(&packed, to, 4);
        packed |= (four >> from & mask) << (i / bits * bits);
        memcpy(to, &packed, 4);
    }
}

/* The number of bits is a constant in each, so that nothing is divided by it. */
static void pack_plane(uint8_t *plane, const uint8_t *codes, size_t bits, size_t from, size_t r) {
    for (size_t i = 0; i < QUADS && bits == 8; i++)
        memcpy(plane + (i * MATRIX_BLOCK + r) * 4, codes + 4 * i, 4);
    if (bits == 4) pack_bits(plane, codes, 4, from, r);
    if (bits == 2) pack_bits(plane, codes, 2, from, r);
    if (bits == 1) pack_bits(plane, codes, 1, from, r);
}

static void unpack_plane(uint8_t *codes, const uint8_t *plane, size_t bits, size_t to, size_t r) {
    uint32_t mask = 0x01010101u * ((1u << bits) - 1), four, packed;
    VECTOR
    for (size_t i = 0; i < QUADS && bits; i++) {
        memcpy(&four, codes + 4 * i, 4);
        memcpy(&packed, plane + (i % bits * MATRIX_BLOCK + r) * 4, 4);
        four |= (packed >> (i / bits * bits) & mask) << to;
        memcpy(codes + 4 * i, &four, 4);
    }
}

static void pack_group(uint8_t *out, const struct format *f, const struct weights *group,
                       size_t r) {
    uint8_t *plane = out + format_factor_bytes(f);
    for (size_t i = 0; i < f->factors; i++) {
        uint8_t *factor = out + i * MATRIX_BLOCK + r;
        *factor = (uint8_t)(group->factors[i] | (f->nibbles ? group->shares[i] << 4 : 0));
        if (f->minimum && !f->nibbles)
            factor[(size_t)f->factors * MATRIX_BLOCK] = (uint8_t)group->shares[i];
    }
    pack_plane(plane, group->codes, f->low_bits, 0, r);
    pack_plane(plane + (size_t)64 * f->low_bits, group->codes, f->high_bits, f->low_bits, r);
}

/* A block of the file, of one row. Where heads stay float16 the block begins with them. */
static void pack_block(uint8_t *out, enum gguf_tensor_type type, const uint8_t *block, size_t r) {
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
    out += format_head_bytes(f);
    for (size_t g = 0; g < f->values / MATRIX_GROUP; g++)
        pack_group(out + g * format_group_bytes(f), f, &groups[g], r);
}

static void pack_quants(uint8_t *out, const uint8_t *rows, size_t n, size_t cols,
                        enum gguf_tensor_type type) {
    const struct format *f = format_of(type);
    size_t blocks = cols / f->values, bytes = format_packed_bytes(f);
    memset(out, 0, blocks * bytes);
    for (size_t b = 0; b < blocks; b++, out += bytes)
        for (size_t r = 0; r < n; r++) pack_block(out, type, rows + (r * blocks + b) * f->bytes, r);
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

static float head(const uint8_t *heads, bool half, size_t i) {
    float x;
    if (half) return load_f16(heads + 2 * i);
    memcpy(&x, heads + 4 * i, 4);
    return x;
}

struct weights matrix_group(const struct matrix *m, size_t r, size_t g) {
    const struct format *f = format_of(m->type);
    size_t groups = f->values / MATRIX_GROUP, row = r % MATRIX_BLOCK;
    const uint8_t *p = m->data + r / MATRIX_BLOCK * block_bytes(m->type, m->cols) +
                       g / groups * format_packed_bytes(f);
    struct weights w = {head(p, f->half, row), 0, {1, 1}, {1, 1}, {0}};
    if (f->minimum) w.minimum = head(p, f->half, MATRIX_BLOCK + row);
    p += format_head_bytes(f) + g % groups * format_group_bytes(f);
    for (size_t i = 0; f->factors && i < 2; i++) {
        const uint8_t *factor = p + i % f->factors * MATRIX_BLOCK + row;
        w.factors[i] = (int8_t)(f->nibbles ? *factor & 15 : *factor);
        if (f->minimum)
            w.shares[i] =
                (int8_t)(f->nibbles ? *factor >> 4 : factor[(size_t)f->factors * MATRIX_BLOCK]);
    }
    p += format_factor_bytes(f);
    unpack_plane(w.codes, p, f->low_bits, 0, row);
    unpack_plane(w.codes, p + (size_t)64 * f->low_bits, f->high_bits, f->low_bits, row);
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
