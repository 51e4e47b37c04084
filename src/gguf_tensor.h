/* One tensor of a GGUF image: its type, its bytes, its weights as float32. */
#ifndef LOGITSCOPE_GGUF_TENSOR_H
#define LOGITSCOPE_GGUF_TENSOR_H

#include <stdint.h>

#include "gguf_value.h"

enum { GGUF_BLOCK = 32 }; /* values in a block of a quantised type */

enum gguf_tensor_type {
    GGUF_F32 = 0,
    GGUF_F16 = 1,
    GGUF_Q4_0 = 2,
    GGUF_Q4_1 = 3,
    GGUF_Q8_0 = 8,
    GGUF_BF16 = 30
};

/* A tensor. shape[0] is the fastest-varying dimension (columns), shape[1] the rows; unused
 * dimensions are 1. `data` lies inside the image, `offset` bytes from its beginning and `bytes`
 * long, aligned as the file says. */
struct gguf_tensor {
    struct gguf_string name;
    uint32_t n_dimensions;
    uint64_t shape[4];
    enum gguf_tensor_type type;
    const uint8_t *data;
    uint64_t offset, bytes;
};

/* "Q8_0" and the like; NULL for a type that does not exist. Also of types that are not read here.
 */
const char *gguf_type_name(uint32_t type);
/* Whether the values come in blocks that share a scale. */
bool gguf_type_is_quantised(uint32_t type);

/* Bytes of `count` values, a multiple of 32 for the quantised types. */
uint64_t gguf_bytes(enum gguf_tensor_type type, uint64_t count);

/* Widens `count` values of the tensor, from element `first` on, to float32. `first` and `count` are
 * multiples of 32 for the quantised types. Exact: F16 and BF16 by bits, Q8_0 as scale * quant, Q4_0
 * as scale * (quant - 8), Q4_1 as scale * quant + minimum, rounded once. */
void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out);

#endif
