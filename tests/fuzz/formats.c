/* Fuzzes the weight formats: packs random blocks in every format. A packed row must have the same
 * numbers as the file, and the product in vector instructions must equal the plain product, bit for
 * bit. */
#include <math.h>

#include "fuzz.h"
#include "kernels.h"

enum { COLS = 512, ROWS = 20, VECTORS = 3 };

/* Returns true if each pair of numbers has the same bits, or both are NaN. */
static bool same(const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

static void multiply(float *out, const struct kernels *kernels, const struct matrix *m,
                     const float *x, const float *bias, size_t n) {
    static struct quants quants[VECTORS * COLS / MATRIX_GROUP];
    if (m->type == GGUF_F32) {
        kernels->matmul(out, m, bias, x, n);
        return;
    }
    kernels->quantise(quants, x, m->cols, n);
    kernels->matmul_quants(out, m, bias, quants, n, KERNELS_STREAMS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum gguf_tensor_type types[] = {
        GGUF_F32,  GGUF_F16,  GGUF_BF16, GGUF_Q4_0, GGUF_Q4_1, GGUF_Q5_0,   GGUF_Q5_1,  GGUF_Q8_0,
        GGUF_Q2_K, GGUF_Q3_K, GGUF_Q4_K, GGUF_Q5_K, GGUF_Q6_K, GGUF_IQ4_NL, GGUF_IQ4_XS};
    static _Alignas(64) uint8_t packed[4 * COLS * (ROWS + MATRIX_BLOCK) + 4096];
    static uint8_t blocks[4 * COLS * ROWS];
    static float scratch[MATRIX_BLOCK * COLS], row[COLS], wide[COLS], x[VECTORS * COLS];
    static float bias[ROWS], fast[VECTORS * ROWS], plain[VECTORS * ROWS];
    struct input input = {data, size};
    enum gguf_tensor_type type = types[take_below(&input, sizeof types / sizeof *types)];
    uint32_t values = format_of(type)->values, rows = 1 + take_below(&input, ROWS);
    uint32_t cols =
        values > 1 ? values * (1 + take_below(&input, COLS / values)) : 1 + take_below(&input, 70);
    size_t n = 1 + take_below(&input, VECTORS),
           bytes = (size_t)gguf_bytes(type, (uint64_t)rows * cols);
    bool has_bias = take_u8(&input) % 2;
    struct gguf_tensor tensor = {.shape = {cols, rows, 1, 1}, .type = type, .data = blocks};
    struct matrix m = {matrix_type_of(type), packed, rows, cols};
    CHECK(matrix_bytes(m.type, rows, cols) <= sizeof packed);
    for (size_t i = 0; i < n * cols; i++) x[i] = (float)((int8_t)take_u8(&input)) / 32;
    if (take_u8(&input) % 4 == 0) take_bytes(&input, x, 4 * sizeof *x);
    for (uint32_t i = 0; i < rows; i++) bias[i] = (float)i;
    /* Fills the rows with copies of the input, each with another number added to all its bytes. */
    for (size_t i = 0; i < bytes; i++)
        if (input.size)
            blocks[i] = (uint8_t)(input.data[i % input.size] + i / input.size);
        else
            blocks[i] = 0;
    matrix_pack(&m, &tensor, 0, scratch);
    for (uint32_t r = 0; r < rows; r++) {
        matrix_row(&m, r, row);
        gguf_widen(&tensor, (uint64_t)r * cols, cols, wide);
        CHECK_MESSAGE(same(row, wide, cols), "%s, row %u", format_of(type)->name, r);
    }
    multiply(fast, &kernels_simd, &m, x, has_bias ? bias : NULL, n);
    multiply(plain, &kernels_scalar, &m, x, has_bias ? bias : NULL, n);
    CHECK_MESSAGE(same(fast, plain, n * rows), "%s, %u rows of %u", format_of(type)->name, rows,
                  cols);
    return fuzz_end();
}
