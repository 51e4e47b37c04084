/* Sizes and weights of tensors; relies on the checks of gguf_open. */
#include "gguf_tensor.h"

#include <stddef.h>

#include "bytes.h"

const char *gguf_type_name(uint32_t type) {
    static const char *const names[] = {
        "F32",     "F16",    "Q4_0",    "Q4_1",  "Q4_2",   "Q4_3",  "Q5_0",  "Q5_1",
        "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
        "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
        "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

bool gguf_type_is_quantised(uint32_t type) {
    return type == GGUF_Q8_0 || type == GGUF_Q4_0 || type == GGUF_Q4_1;
}

/* Blocks of 32 values: a float16 scale, for Q4_1 a float16 minimum, then 32 signed bytes, or 16
 * bytes whose low halves are the first 16 values and whose high halves the others. */
uint64_t gguf_bytes(enum gguf_tensor_type type, uint64_t count) {
    switch (type) {
    case GGUF_F32:
        return count * 4;
    case GGUF_F16:
    case GGUF_BF16:
        return count * 2;
    case GGUF_Q4_0:
        return count / GGUF_BLOCK * (2 + 16);
    case GGUF_Q4_1:
        return count / GGUF_BLOCK * (2 + 2 + 16);
    case GGUF_Q8_0:
        break;
    }
    return count / GGUF_BLOCK * (2 + 32);
}

static void widen_block(enum gguf_tensor_type type, const uint8_t *block, float *out) {
    float scale = load_f16(block);
    const uint8_t *quants = block + (type == GGUF_Q4_1 ? 4 : 2);
    for (int i = 0; i < GGUF_BLOCK; i++) {
        int quant = type == GGUF_Q8_0 ? (int8_t)quants[i]
                    : i < 16          ? quants[i] & 15
                                      : quants[i - 16] >> 4;
        if (type == GGUF_Q4_0) quant -= 8;
        out[i] = scale * (float)quant;
        if (type == GGUF_Q4_1) out[i] += load_f16(block + 2);
    }
}

void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out) {
    const uint8_t *from = tensor->data + gguf_bytes(tensor->type, first);
    switch (tensor->type) {
    case GGUF_F32:
        for (uint64_t i = 0; i < count; i++) out[i] = load_f32(from + i * 4);
        break;
    case GGUF_F16:
        for (uint64_t i = 0; i < count; i++) out[i] = load_f16(from + i * 2);
        break;
    case GGUF_BF16:
        for (uint64_t i = 0; i < count; i++) out[i] = load_bf16(from + i * 2);
        break;
    default:
        for (uint64_t i = 0; i < count; i += GGUF_BLOCK)
            widen_block(tensor->type, from + gguf_bytes(tensor->type, i), out + i);
    }
}
