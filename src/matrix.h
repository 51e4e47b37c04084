/* Weights in the order in which the inner loops read them: blocks of MATRIX_BLOCK rows, one row per
 * lane, so that a block is one sequential stream. Quantised weights stay quantised. */
#ifndef LOGITSCOPE_MATRIX_H
#define LOGITSCOPE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"

enum { MATRIX_BLOCK = 16, MATRIX_GROUP = FORMAT_GROUP };

/* Weights (rows, cols). The last block is padded with zero rows. `data` is 64-byte aligned and
 * owned by the model.
 *
 * GGUF_F32: a block is float32[cols][16], columns ascending; row r, column c is ((float *)data)[r /
 * 16 * 16 * cols + c * 16 + r % 16].
 *
 * Quantised types: a block is a sequence of the file's blocks, columns ascending. Each of the
 * file's blocks is stored as
 *     float32 scale[16]        one for each row
 *     float32 minimum[16]      if the format has minima; both float16 if the format says so
 * then for each group of 32 columns
 *     int8 factors[n][16]      n from the format
 *     int8 shares[n][16]       if it has minima; in nibbles they are the high halves of factors
 * and then for each group its
 *     planes of codes          as many as a code has bits
 * A plane is uint8[16][4]. Column c of row r is in bytes [r][c % 4]. format_pieces gives the bits
 * and planes of code c / 4 % n of unit c / 4 / n, n = format_unit_codes. The planes of
 * format_strip_rows rows are stored together, strip after strip: uint8[strips][planes][rows][4].
 * format.h explains codes. */
struct matrix {
    enum gguf_tensor_type type; /* GGUF_F32 or a quantised type */
    uint8_t *data;
    uint32_t rows, cols;
};

/* Returns the packed type of a tensor: F32 for F16 and BF16, otherwise the same type. */
enum gguf_tensor_type matrix_type_of(enum gguf_tensor_type type);

/* Returns the bytes of `data`, a multiple of 64. */
uint64_t matrix_bytes(enum gguf_tensor_type type, uint64_t rows, uint64_t cols);

/* Fills m->data with rows [first_row .. first_row + m->rows) of the tensor. m->data may overlap the
 * tensor's data if no block is written over unread rows; a packed row is never smaller than a row
 * in the file. `scratch` has room for MATRIX_BLOCK * cols floats. */
void matrix_pack(const struct matrix *m, const struct gguf_tensor *tensor, uint64_t first_row,
                 float *scratch);

/* Returns group g of row r of a quantised matrix. */
struct weights matrix_group(const struct matrix *m, size_t r, size_t g);

/* Writes row r as float32 to out (cols,): the file's weights, rounded at most once. */
void matrix_row(const struct matrix *m, size_t r, float *out);

#endif
