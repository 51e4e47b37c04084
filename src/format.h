/* The formats of weights, one table row for each: how a file stores a block, and how a packed
 * matrix stores a group.
 *
 * A quantised weight of any format is
 *     scale * (factor * quant) + minimum * share
 * with float32 `scale` and `minimum` and small integers `factor`, `quant` and `share`. Both
 * products are exact, so a weight is rounded once. A format without minima has no second term. In
 * some formats factor and share are always 1. Source of the blocks: ggml, src/ggml-common.h and the
 * dequantize_row functions of src/ggml-quants.c. */
#ifndef LOGITSCOPE_FORMAT_H
#define LOGITSCOPE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf_tensor.h"
#include "loop.h"

/* FORMAT_GROUP: columns in a group. FORMAT_GROUPS: the most groups in a file's block. */
enum { FORMAT_GROUP = 32, FORMAT_GROUPS = 8 };
/* Bytes of a plane: four columns of 16 rows, one byte each. */
enum { FORMAT_PLANE = 64 };

/* A group of 32 weights of one row. A factor or share that covers all 32 columns is written twice,
 * once for each half. */
struct weights {
    float scale, minimum;
    int8_t factors[2]; /* for columns 0 .. 15 and 16 .. 31 */
    int8_t shares[2];  /* shares of the minimum, for columns 0 .. 15 and 16 .. 31 */
    uint8_t codes[FORMAT_GROUP];
};

/* A row of format_table. If `values` is 0, the engine knows only the type's name. */
struct format {
    const char *name;
    uint32_t file_type;     /* llama.cpp's number for files mostly of this type */
    uint16_t values, bytes; /* weights and bytes of a block in a file */

    /* A code has `bits` bits: 2 to 6, or 8. Its quant is FORMAT_LEVELS[code] if `levels` is true,
     * the code itself, a signed byte, if `bits` is 8, and code - offset otherwise. */
    uint8_t bits, offset;
    bool levels;
    bool minimum;    /* true if the format has minima */
    bool half;       /* true if packed scale and minimum are float16, which saves a sixth */
    uint8_t factors; /* in a group, and as many shares: 0, 1, or 2 (one for 16 columns) */
    bool nibbles;    /* true if factor and share are the halves of one byte */
};

/* The quants of IQ4_NL and IQ4_XS, by code. */
#define FORMAT_LEVELS -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113

/* Indexed by ggml's number of the type. The table is constant and in the header, so that the
 * compiler can specialise inner loops for a row. */
static const struct format format_table[] = {
    [GGUF_F32] = {"F32", 0, .values = 1, .bytes = 4},
    [GGUF_F16] = {"F16", 1, .values = 1, .bytes = 2},
    [GGUF_Q4_0] = {"Q4_0", 2, 32, 18, .bits = 4, .offset = 8},
    [GGUF_Q4_1] = {"Q4_1", 3, 32, 20, .bits = 4, .minimum = true, .half = true},
    [4] = {.name = "Q4_2"},
    [5] = {.name = "Q4_3"},
    [GGUF_Q5_0] = {"Q5_0", 8, 32, 22, .bits = 5, .offset = 16},
    [GGUF_Q5_1] = {"Q5_1", 9, 32, 24, .bits = 5, .minimum = true, .half = true},
    [GGUF_Q8_0] = {"Q8_0", 7, 32, 34, .bits = 8},
    [9] = {.name = "Q8_1"},
    [GGUF_Q2_K] = {"Q2_K", 10, 256, 84, .bits = 2, .minimum = true, .factors = 2, .nibbles = true},
    [GGUF_Q3_K] = {"Q3_K", 12, 256, 110, .bits = 3, .offset = 4, .factors = 2},
    [GGUF_Q4_K] = {"Q4_K", 15, 256, 144, .bits = 4, .minimum = true, .factors = 1},
    [GGUF_Q5_K] = {"Q5_K", 17, 256, 176, .bits = 5, .minimum = true, .factors = 1},
    [GGUF_Q6_K] = {"Q6_K", 18, 256, 210, .bits = 6, .offset = 32, .factors = 2},
    [15] = {.name = "Q8_K"},
    [16] = {.name = "IQ2_XXS"},
    [17] = {.name = "IQ2_XS"},
    [18] = {.name = "IQ3_XXS"},
    [19] = {.name = "IQ1_S"},
    [GGUF_IQ4_NL] = {"IQ4_NL", 25, 32, 18, .bits = 4, .levels = true},
    [21] = {.name = "IQ3_S"},
    [22] = {.name = "IQ2_S"},
    [GGUF_IQ4_XS] = {"IQ4_XS", 30, 256, 136, .bits = 4, .levels = true, .factors = 1},
    [24] = {.name = "I8"},
    [25] = {.name = "I16"},
    [26] = {.name = "I32"},
    [27] = {.name = "I64"},
    [28] = {.name = "F64"},
    [29] = {.name = "IQ1_M"},
    [GGUF_BF16] = {"BF16", 32, .values = 1, .bytes = 2},
    [34] = {.name = "TQ1_0"},
    [35] = {.name = "TQ2_0"},
    [39] = {.name = "MXFP4"},
};

enum { FORMAT_COUNT = sizeof format_table / sizeof *format_table };

/* Returns the row of a type below FORMAT_COUNT. */
const struct format *format_of(uint32_t type);

/* Decodes a block of the file into values / 32 groups; quantised types only. */
void format_decode(struct weights *groups, enum gguf_tensor_type type, const uint8_t *block);

int format_quant(const struct format *f, uint8_t code);

/* Writes the 32 weights of a group to out (32,). */
void format_values(float *out, const struct format *f, const struct weights *group);

/* In a packed matrix, the codes of four neighbouring columns are stored and shifted together.
 * Below, "a code" means the codes of these four columns, so a group has eight codes. A unit is the
 * smallest number of codes that fills whole bytes. One plane: 1 code of 8 bits, 2 codes of 4 bits
 * or 4 codes of 2 bits. Three planes: 4 codes of 6 bits or 8 codes of 3 bits. Five planes: 8 codes
 * of 5 bits. The number of planes in a group is the number of bits in a code. */
static inline ALWAYS int format_unit_codes(int bits) {
    return bits % 2 ? 8 : bits == 6 ? 4 : 8 / bits;
}
static inline ALWAYS int format_unit_planes(int bits) { return format_unit_codes(bits) * bits / 8; }

/* A piece of a code, `bits` bits long. It begins at bit `from` of a byte in plane `plane` of the
 * unit, and at bit `to` of the code. */
struct piece {
    size_t plane;
    int from, to, bits;
};
struct pieces {
    int n;
    struct piece of[3];
};

/* Returns the pieces of code i of a unit, i < format_unit_codes(bits). Each byte first stores the 8
 * / bits whole codes that fit. The remaining codes are split over the free top bits of the bytes,
 * so that reading them needs few masks. */
static inline ALWAYS struct pieces format_pieces(int bits, int i) {
    static const struct pieces of_3[] = {{2, {{0, 6, 0, 2}, {1, 6, 2, 1}}},
                                         {2, {{2, 6, 0, 2}, {1, 7, 2, 1}}}};
    static const struct pieces of_5[] = {{2, {{0, 5, 0, 3}, {3, 5, 3, 2}}},
                                         {2, {{1, 5, 0, 3}, {4, 5, 3, 2}}},
                                         {3, {{2, 5, 0, 3}, {3, 7, 3, 1}, {4, 7, 4, 1}}}};
    static const struct pieces of_6 = {3, {{0, 6, 0, 2}, {1, 6, 2, 2}, {2, 6, 4, 2}}};
    int whole = 8 / bits, left = i - whole * format_unit_planes(bits);
    if (left < 0) return (struct pieces){1, {{(size_t)(i / whole), i % whole * bits, 0, bits}}};
    return bits == 3 ? of_3[left] : bits == 5 ? of_5[left] : of_6;
}

/* Returns the number of rows whose planes of a group are stored together, so that each loop reads a
 * block from end to end. It is 4 if a unit is a whole group, because the loops then multiply four
 * rows at a time; else 16. */
static inline ALWAYS int format_strip_rows(int bits) {
    return format_unit_codes(bits) == 8 ? 4 : 16;
}

/* Bytes of a packed block of 16 rows: heads (scales and minima); factors and shares, group by
 * group; planes of codes, group by group. Each function returns the bytes of a part (of factors and
 * planes: for one group), the offset of the planes, or the bytes of the whole block. */
static inline size_t format_head_bytes(const struct format *f) {
    return (size_t)16 * (f->minimum ? 2 : 1) * (f->half ? 2 : 4);
}
static inline size_t format_factor_bytes(const struct format *f) {
    return (size_t)16 * f->factors * (f->minimum && !f->nibbles ? 2 : 1);
}
static inline size_t format_planes_bytes(const struct format *f) {
    return (size_t)FORMAT_PLANE * f->bits;
}
static inline size_t format_planes_start(const struct format *f) {
    return format_head_bytes(f) + f->values / FORMAT_GROUP * format_factor_bytes(f);
}
static inline size_t format_packed_bytes(const struct format *f) {
    return format_planes_start(f) + f->values / FORMAT_GROUP * format_planes_bytes(f);
}

#endif
