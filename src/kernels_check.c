/* A known product: some hosts compute the relaxed dot product wrongly (Node 20 gives twice its
 * value), so its loops are tried before they are trusted. Apart from the tables: it is no loop of
 * any of them, and holds for whichever comes next. */
#include <string.h>

#include "kernels.h"

enum { ROWS = MATRIX_BLOCK, COLS = 2 * MATRIX_GROUP, N = 5, GROUPS = COLS / MATRIX_GROUP };

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static bool agree(const struct kernels *kernels, enum matrix_type type, uint32_t state) {
    _Alignas(64) uint8_t data[GROUPS * (MATRIX_BLOCK * (4 + MATRIX_GROUP))];
    float x[N * COLS], expected[N * ROWS], got[N * ROWS];
    struct quants quants[N * GROUPS];
    struct matrix w = {type, data, ROWS, COLS};
    size_t group = (size_t)matrix_bytes(type, ROWS, COLS) / GROUPS;
    size_t head = MATRIX_BLOCK * sizeof(float) * (type == MATRIX_Q4_1 ? 2 : 1);
    for (size_t i = 0; i < group * GROUPS; i++) data[i] = (uint8_t)next(&state);
    for (size_t i = 0; i < group * GROUPS; i += i % group < head ? 4 : 16) {
        float scale = (float)next(&state) * 0x1p-20f;
        if (i % group < head)
            memcpy(data + i, &scale, sizeof scale);
        else
            data[i] = 0x80;
    }
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)next(&state) - 32767;
    kernels_scalar.quantise(quants, x, COLS, N);
    kernels_scalar.matmul_quants(expected, &w, NULL, quants, N);
    kernels->quantise(quants, x, COLS, N);
    kernels->matmul_quants(got, &w, NULL, quants, N);
    return memcmp(expected, got, sizeof got) == 0;
}

bool kernels_quants_agree(const struct kernels *kernels) {
    return agree(kernels, MATRIX_Q8_0, 1) && agree(kernels, MATRIX_Q4_0, 2) &&
           agree(kernels, MATRIX_Q4_1, 3);
}
