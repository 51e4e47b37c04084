/* Weights as the inner loops read them: rows in blocks of MATRIX_BLOCK, a lane of a vector word
 * being one row, all of a matrix one sequential stream. Quantised weights stay quantised. */
#ifndef LOGITSCOPE_MATRIX_H
#define LOGITSCOPE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "gguf.h"

enum { MATRIX_BLOCK = 16, MATRIX_GROUP = 32 };

enum matrix_type { MATRIX_F32, MATRIX_Q8_0, MATRIX_Q4_0, MATRIX_Q4_1 };

/* Weights (rows, cols). The last block is padded with zero rows. `data` is 64-byte aligned and
 * owned by the model.
 *
 * MATRIX_F32: a block is its columns ascending, float32[cols][16]; row r, column c is
 * ((float *)data)[r / 16 * 16 * cols + c * 16 + r % 16].
 *
 * The others: a block is its groups of 32 columns ascending, a group being
 *     float32 scale[16]       one a row
 *     float32 minimum[16]     MATRIX_Q4_1 only
 *     int8 quants[8][16][4]   MATRIX_Q8_0: quants[c / 4][r][c % 4] is that of row r, column c
 *     uint8 quants[4][16][4]  MATRIX_Q4_*: its low half is that of column c < 16, its high half
 *                             that of column c + 16
 * and a weight is
 *     scale * quant           MATRIX_Q8_0
 *     scale * (quant - 8)     MATRIX_Q4_0
 *     scale * quant + minimum MATRIX_Q4_1 */
struct matrix {
    enum matrix_type type;
    uint8_t *data;
    uint32_t rows, cols;
};

/* One row's share of a group; the 8 of MATRIX_Q4_0 is taken off already. */
struct matrix_group {
    float scale, minimum;
    int8_t quants[MATRIX_GROUP];
};

/* The form in which a tensor of that type is kept: F16 and BF16 are widened. */
enum matrix_type matrix_type_of(enum gguf_tensor_type type);

/* Bytes of `data`, a multiple of 64. */
uint64_t matrix_bytes(enum matrix_type type, uint64_t rows, uint64_t cols);

/* Fills m->data with rows first_row .. first_row + m->rows of the tensor. The tensor may lie in the
 * same memory where no block is written before the rows after it have been read: a row never
 * becomes smaller. `scratch` holds MATRIX_BLOCK * cols floats. */
void matrix_pack(const struct matrix *m, const struct gguf_tensor *tensor, uint64_t first_row,
                 float *scratch);

/* Group g of row r of a quantised matrix. */
struct matrix_group matrix_group(const struct matrix *m, size_t r, size_t g);

/* Row r as float32, out (cols,): the very numbers that the file means, rounded once at most. */
void matrix_row(const struct matrix *m, size_t r, float *out);

#endif
