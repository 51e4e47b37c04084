/* The parts of the weights, and their product with a vector of ones. */
#include "probe.h"

#include "threads.h"

/* Returns part i of the weights (probe.h); a matrix of 0 rows after the last part. */
static struct matrix part_at(const struct model *m, uint32_t i) {
    uint32_t of_layers = 2 * m->shape.n_layer;
    if (i < of_layers) return i % 2 ? m->layers[i / 2].down : m->layers[i / 2].up;
    struct matrix part = m->output;
    uint64_t first = (uint64_t)(i - of_layers) * (m->shape.n_ff / MATRIX_BLOCK) * MATRIX_BLOCK;
    if (first + m->shape.n_ff > part.rows) return (struct matrix){.rows = 0};
    part.data += matrix_bytes(part.type, first, part.cols);
    part.rows = m->shape.n_ff;
    return part;
}

size_t probe_scratch(const struct model *model, uint32_t part) {
    struct matrix w = part_at(model, part);
    if (!w.rows || w.type == GGUF_F32) return 0;
    return w.cols / MATRIX_GROUP * sizeof(struct quants) +
           ((size_t)w.rows + w.cols) * sizeof(float);
}

uint32_t probe_multiply(const struct model *model, uint32_t part, const struct kernels *kernels,
                        void *scratch) {
    struct matrix w = part_at(model, part);
    struct quants *quants = scratch;
    float *x = (void *)(quants + w.cols / MATRIX_GROUP), *out = x + w.cols;
    for (size_t c = 0; c < w.cols; c++) x[c] = 1;
    kernels->quantise(quants, x, w.cols, 1);
    if (!threads_multiply(kernels, out, &w, NULL, x, quants, 1))
        kernels->matmul_quants(out, &w, NULL, quants, 1, kernels->streams);
    return (uint32_t)matrix_bytes(w.type, w.rows, w.cols);
}
