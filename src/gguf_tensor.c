/* Sizes and weights of tensors; relies on the checks of gguf_open. */
#include "gguf_tensor.h"

#include <stddef.h>

#include "bytes.h"
#include "format.h"

uint64_t gguf_bytes(enum gguf_tensor_type type, uint64_t count) {
    const struct format *f = format_of(type);
    return count / f->values * f->bytes;
}

static float widen(enum gguf_tensor_type type, const uint8_t *from) {
    return type == GGUF_F32 ? load_f32(from) : type == GGUF_F16 ? load_f16(from) : load_bf16(from);
}

void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out) {
    const struct format *f = format_of(tensor->type);
    const uint8_t *from = tensor->data + gguf_bytes(tensor->type, first);
    for (uint64_t i = 0; i < count; i += f->values, from += f->bytes) {
        struct weights groups[FORMAT_GROUPS];
        if (f->values == 1) {
            out[i] = widen(tensor->type, from);
            continue;
        }
        format_decode(groups, tensor->type, from);
        for (size_t g = 0; g < f->values / FORMAT_GROUP; g++)
            format_values(out + i + g * FORMAT_GROUP, f, &groups[g]);
    }
}
