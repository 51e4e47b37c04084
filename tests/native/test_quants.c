/* Compares blocks of every quantised format with ggml. Weights must have equal bits; on average,
 * products must be as near to float64 as ggml's. Reads tests/vectors/quants.txt;
 * tests/vectors/README.md states its source. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"

enum { COLS = 256, BYTES_MAX = 9 * 1024 };

struct row {
    char name[16];
    enum gguf_tensor_type type;
    uint8_t blocks[BYTES_MAX];
    float weights[COLS], x[COLS];
    bool has_weights;
    double product, ggml;
};

static void exit_unless(bool read) {
    if (read) return;
    printf("tests/vectors/quants.txt is malformed or missing; tests run from the root\n");
    exit(1);
}

static void read_floats(FILE *file, float *out) {
    for (size_t i = 0; i < COLS; i++) exit_unless(fscanf(file, "%f", &out[i]) == 1);
}

/* Reads the lines of a row: `row NAME`, `blocks HEX`, `weights W...` (only for the first row of a
 * format), `x X...`, `product` with the float64 result and ggml's. */
static bool read_row(FILE *file, struct row *row) {
    char word[16];
    *row = (struct row){.type = GGUF_F32};
    if (fscanf(file, " row %15s blocks ", row->name) != 1) return false;
    for (uint32_t type = 0; type < FORMAT_COUNT; type++)
        if (format_of(type)->values > 1 && !strcmp(format_of(type)->name, row->name))
            row->type = type;
    exit_unless(row->type != GGUF_F32);
    for (size_t i = 0; i < gguf_bytes(row->type, COLS); i++) {
        unsigned byte;
        exit_unless(fscanf(file, "%2x", &byte) == 1);
        row->blocks[i] = (uint8_t)byte;
    }
    exit_unless(fscanf(file, "%15s", word) == 1);
    if (!strcmp(word, "weights")) {
        row->has_weights = true;
        read_floats(file, row->weights);
        exit_unless(fscanf(file, "%15s", word) == 1);
    }
    exit_unless(!strcmp(word, "x"));
    read_floats(file, row->x);
    exit_unless(fscanf(file, " product %lf %lf", &row->product, &row->ggml) == 2);
    return true;
}

static float multiply(const struct kernels *kernels, const struct row *row) {
    static _Alignas(64) uint8_t data[16 * 512];
    static float scratch[MATRIX_BLOCK * COLS];
    struct quants quants[COLS / MATRIX_GROUP];
    struct gguf_tensor tensor = {.shape = {COLS, 1, 1, 1}, .type = row->type, .data = row->blocks};
    struct matrix m = {row->type, data, 1, COLS};
    float out, values[COLS];
    matrix_pack(&m, &tensor, 0, scratch);
    matrix_row(&m, 0, values);
    for (size_t i = 0; i < COLS && row->has_weights; i++)
        CHECK_MESSAGE(values[i] == row->weights[i], "%s, weight %zu: %.9g, expected %.9g",
                      row->name, i, (double)values[i], (double)row->weights[i]);
    kernels->quantise(quants, row->x, COLS, 1);
    kernels->matmul_quants(&out, &m, NULL, quants, 1, 1);
    return out;
}

/* ggml may also round x in groups of 32. Then the two errors are similar in size; in a few rows our
 * error may be larger. If FORMAT_ERRORS names a larger file, prints the table of
 * tests/vectors/README.md. */
static void products_are_as_near_as_ggml(void) {
    struct {
        size_t rows, weights;
        double ours, ggml;
    } sums[FORMAT_COUNT] = {{0}};
    const char *path = getenv("FORMAT_ERRORS");
    double allowed = path ? 1.002 : 1.1;
    FILE *file = fopen(path ? path : "tests/vectors/quants.txt", "r");
    struct row row;
    exit_unless(file);
    while (read_row(file, &row)) {
        float simd = multiply(&kernels_simd, &row), scalar = multiply(&kernels_scalar, &row);
        CHECK(!memcmp(&simd, &scalar, sizeof simd));
        sums[row.type].rows++;
        sums[row.type].weights += row.has_weights;
        sums[row.type].ours += pow((double)scalar - row.product, 2);
        sums[row.type].ggml += pow(row.ggml - row.product, 2);
    }
    exit_unless(feof(file));
    fclose(file);
    for (uint32_t type = 0; type < FORMAT_COUNT; type++) {
        const struct format *f = format_of(type);
        if (f->values < 2) continue;
        double rows = (double)sums[type].rows;
        double ours = sqrt(sums[type].ours / rows), ggml = sqrt(sums[type].ggml / rows);
        if (path) printf("| %s | %.2e | %.2e |\n", f->name, ours, ggml);
        CHECK_MESSAGE(sums[type].weights && ours <= allowed * ggml, "%s: %g, ggml %g", f->name,
                      ours, ggml);
    }
}

int main(void) {
    TEST(products_are_as_near_as_ggml);
    return check_report();
}
