/* A tensor of a GGUF image, and its conversion to float32. */
#ifndef LOGITSCOPE_GGUF_TENSOR_H
#define LOGITSCOPE_GGUF_TENSOR_H

#include <stdint.h>

#include "gguf_value.h"

/* Types of tensors, with ggml's numbers; format.h describes them. */
enum gguf_tensor_type {
    GGUF_F32 = 0,
    GGUF_F16 = 1,
    GGUF_Q4_0 = 2,
    GGUF_Q4_1 = 3,
    GGUF_Q5_0 = 6,
    GGUF_Q5_1 = 7,
    GGUF_Q8_0 = 8,
    GGUF_Q2_K = 10,
    GGUF_Q3_K = 11,
    GGUF_Q4_K = 12,
    GGUF_Q5_K = 13,
    GGUF_Q6_K = 14,
    GGUF_IQ4_NL = 20,
    GGUF_IQ4_XS = 23,
    GGUF_BF16 = 30
};

/* A tensor. shape[0] is the number of columns, the fastest-varying dimension; shape[1] is the
 * number of rows; unused dimensions are 1. `data` points into the image at offset `offset`, is
 * `bytes` long and has the file's alignment. */
struct gguf_tensor {
    struct gguf_string name;
    uint32_t n_dimensions;
    uint64_t shape[4];
    enum gguf_tensor_type type;
    const uint8_t *data;
    uint64_t offset, bytes;
};

/* Returns the size of `count` values in bytes; `count` is a multiple of the type's block. */
uint64_t gguf_bytes(enum gguf_tensor_type type, uint64_t count);

/* Converts `count` values of the tensor, from element `first` on, to float32. `first` and `count`
 * are multiples of the type's block. F16 and BF16 are converted exactly, quantised types by the
 * formulas of format.h, rounded once. */
void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out);

#endif
