/* build: -O2 */
/* Packs the rows of a tensor into blocks, and takes single rows and groups out of them again. */
#include "matrix.h"

#include <string.h>

#include "bytes.h"

enum { QUADS = MATRIX_GROUP / 4 }; /* a group's columns, four at a time */

enum matrix_type matrix_type_of(enum gguf_tensor_type type) {
    switch (type) {
    case GGUF_Q8_0:
        return MATRIX_Q8_0;
    case GGUF_Q4_0:
        return MATRIX_Q4_0;
    case GGUF_Q4_1:
        return MATRIX_Q4_1;
    default:
        return MATRIX_F32;
    }
}

/* What precedes the quants of a group, and the group as a whole, in bytes. */
static size_t head_bytes(enum matrix_type type) {
    return sizeof(float) * MATRIX_BLOCK * (type == MATRIX_Q4_1 ? 2 : 1);
}

static size_t group_bytes(enum matrix_type type) {
    size_t quants = (size_t)MATRIX_BLOCK * MATRIX_GROUP;
    return head_bytes(type) + (type == MATRIX_Q8_0 ? quants : quants / 2);
}

static uint64_t block_bytes(enum matrix_type type, uint64_t cols) {
    if (type == MATRIX_F32) return MATRIX_BLOCK * cols * sizeof(float);
    return cols / MATRIX_GROUP * group_bytes(type);
}

uint64_t matrix_bytes(enum matrix_type type, uint64_t rows, uint64_t cols) {
    return (rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK * block_bytes(type, cols);
}

/* n <= 16 rows, side by side. */
static void pack_f32(float *out, const float *rows, size_t n, size_t cols) {
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < MATRIX_BLOCK; r++)
            out[c * MATRIX_BLOCK + r] = r < n ? rows[r * cols + c] : 0;
}

/* One group of one row; `from` is the file's own block: scale, (minimum,) quants. */
static void pack_group(uint8_t *out, const uint8_t *from, enum matrix_type type, size_t r) {
    uint8_t *quants = out + head_bytes(type);
    size_t quads = type == MATRIX_Q8_0 ? QUADS : QUADS / 2;
    float scale = load_f16(from);
    memcpy(out + r * sizeof scale, &scale, sizeof scale);
    from += 2;
    if (type == MATRIX_Q4_1) {
        float minimum = load_f16(from);
        memcpy(out + (MATRIX_BLOCK + r) * sizeof minimum, &minimum, sizeof minimum);
        from += 2;
    }
    for (size_t i = 0; i < quads; i++) memcpy(quants + (i * MATRIX_BLOCK + r) * 4, from + 4 * i, 4);
}

/* The order of quants inside a row's group is the file's, so that only rows are interleaved. */
static void pack_quants(uint8_t *out, const uint8_t *rows, size_t n, size_t groups,
                        enum matrix_type type, size_t bytes) {
    memset(out, 0, groups * group_bytes(type));
    for (size_t g = 0; g < groups; g++, out += group_bytes(type))
        for (size_t r = 0; r < n; r++) pack_group(out, rows + (r * groups + g) * bytes, type, r);
}

void matrix_pack(const struct matrix *m, const struct gguf_tensor *tensor, uint64_t first_row,
                 float *scratch) {
    size_t cols = m->cols, groups = cols / MATRIX_GROUP;
    size_t bytes = (size_t)gguf_bytes(tensor->type, MATRIX_GROUP);
    uint8_t *out = m->data;
    for (size_t r = 0; r < m->rows; r += MATRIX_BLOCK, out += block_bytes(m->type, cols)) {
        size_t left = m->rows - r, n = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
        uint64_t first = (first_row + r) * cols;
        if (m->type == MATRIX_F32) {
            gguf_widen(tensor, first, n * cols, scratch);
            pack_f32((float *)(void *)out, scratch, n, cols);
        } else {
            memcpy(scratch, tensor->data + gguf_bytes(tensor->type, first), n * groups * bytes);
            pack_quants(out, (const uint8_t *)scratch, n, groups, m->type, bytes);
        }
    }
}

struct matrix_group matrix_group(const struct matrix *m, size_t r, size_t g) {
    struct matrix_group group = {.minimum = 0};
    const uint8_t *p =
        m->data + r / MATRIX_BLOCK * block_bytes(m->type, m->cols) + g * group_bytes(m->type);
    const uint8_t *quants = p + head_bytes(m->type) + r % MATRIX_BLOCK * 4;
    memcpy(&group.scale, p + r % MATRIX_BLOCK * sizeof(float), sizeof(float));
    if (m->type == MATRIX_Q4_1)
        memcpy(&group.minimum, p + (MATRIX_BLOCK + r % MATRIX_BLOCK) * sizeof(float),
               sizeof(float));
    for (size_t c = 0; c < MATRIX_GROUP; c++) {
        if (m->type == MATRIX_Q8_0) {
            group.quants[c] = (int8_t)quants[c / 4 * MATRIX_BLOCK * 4 + c % 4];
        } else {
            uint8_t pair = quants[c % 16 / 4 * MATRIX_BLOCK * 4 + c % 4];
            int quant = c < 16 ? pair & 15 : pair >> 4;
            group.quants[c] = (int8_t)(m->type == MATRIX_Q4_0 ? quant - 8 : quant);
        }
    }
    return group;
}

void matrix_row(const struct matrix *m, size_t r, float *out) {
    size_t cols = m->cols;
    if (m->type == MATRIX_F32) {
        const float *row = (const float *)(const void *)m->data +
                           r / MATRIX_BLOCK * MATRIX_BLOCK * cols + r % MATRIX_BLOCK;
        for (size_t c = 0; c < cols; c++) out[c] = row[c * MATRIX_BLOCK];
        return;
    }
    for (size_t g = 0; g < cols / MATRIX_GROUP; g++) {
        struct matrix_group group = matrix_group(m, r, g);
        for (size_t c = 0; c < MATRIX_GROUP; c++) {
            float product = group.scale * (float)group.quants[c];
            *out++ = m->type == MATRIX_Q4_1 ? product + group.minimum : product;
        }
    }
}
