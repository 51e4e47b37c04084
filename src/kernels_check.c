/* Compares the products of a table with those of kernels_scalar. Some hosts compute the relaxed dot
 * product wrongly (Node 20 doubles it), so the loops of a module are checked before use. */
#include <string.h>

#include "kernels.h"

enum { ROWS = MATRIX_BLOCK, COLS = 256, N = 5, BYTES_MAX = 9 * 1024 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Fills a matrix with random bits and makes every scale and minimum a finite number. Three rows
 * have extreme codes: all bits 1, all bits 0, and -128 for 8 bits. */
static void fill_matrix(uint8_t *data, size_t bytes, const struct format *f, uint32_t *state) {
    static const uint8_t ends[] = {0xff, 0, 0x80};
    size_t head = format_head_bytes(f), planes = format_planes_start(f), step = f->half ? 2 : 4;
    size_t strip = (size_t)format_strip_rows(f->bits);
    for (size_t i = 0; i < bytes; i++) {
        size_t at = i % format_packed_bytes(f), four = (at - planes) % format_planes_bytes(f) / 4;
        size_t row = four / (strip * f->bits) * strip + four % strip;
        data[i] = (uint8_t)next_random(state);
        if (at >= planes && row < sizeof ends) data[i] = ends[row];
        if (at >= head || i % step + 1 < step) continue;
        float scale = (float)next_random(state) * 0x1p-20f;
        if (f->half)
            data[i] &= 0x3f; /* below 2 */
        else
            memcpy(data + i + 1 - sizeof scale, &scale, sizeof scale);
    }
}

/* Returns element i of the test's vectors: a random number, or +-1, so that all quants of a group
 * are +-127. The last vector has groups of +127, of -127 and of random quants; kernels multiply it
 * separately. */
static float vector_element(size_t i, uint32_t *state) {
    static const float signs[N][4] = {{0}, {1, 1, 1, 1}, {-1, -1, -1, -1}, {0}, {1, -1, 0, 0}};
    float sign = signs[i / COLS][i / MATRIX_GROUP % 4];
    return sign != 0 ? sign : (float)next_random(state) - 32767;
}

static bool type_agrees(const struct kernels *kernels, enum gguf_tensor_type type) {
    _Alignas(64) uint8_t data[BYTES_MAX] = {0};
    float x[N * COLS], expected[N * ROWS], got[N * ROWS];
    struct quants quants[N * COLS / MATRIX_GROUP];
    struct matrix w = {type, data, ROWS, COLS};
    uint32_t state = type;
    fill_matrix(data, (size_t)matrix_bytes(type, ROWS, COLS), format_of(type), &state);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = vector_element(i, &state);
    kernels_scalar.quantise(quants, x, COLS, N);
    kernels_scalar.matmul_quants(expected, &w, NULL, quants, N, 1);
    kernels->quantise(quants, x, COLS, N);
    kernels->matmul_quants(got, &w, NULL, quants, N, kernels->streams);
    return memcmp(expected, got, sizeof got) == 0;
}

bool kernels_quants_agree(const struct kernels *kernels) {
    for (uint32_t type = 0; type < FORMAT_COUNT; type++)
        if (format_of(type)->values > 1 && !type_agrees(kernels, type)) return false;
    return true;
}
