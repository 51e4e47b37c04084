/* Reads typed values and weights out of an opened GGUF image: the part of gguf.h that rests on the
 * checks of gguf_open. */
#include <string.h>

#include "bytes.h"
#include "gguf.h"

enum { BLOCK_VALUES = 32 }; /* values in a block of a quantised type */

static enum status misfit(struct fault *fault, const char *key, const char *what) {
    return fault_set(fault, STATUS_BAD_FILE, "key_must_be", "name:s what:k", key, what);
}

/* Any integer type, widened; a negative one keeps its sign. */
static bool read_integer(const struct gguf_value *value, bool *negative, uint64_t *out) {
    int64_t n;
    *negative = false;
    switch (value->type) {
    case GGUF_UINT8:
        *out = value->data[0];
        return true;
    case GGUF_UINT16:
        *out = load_u16(value->data);
        return true;
    case GGUF_UINT32:
        *out = load_u32(value->data);
        return true;
    case GGUF_UINT64:
        *out = load_u64(value->data);
        return true;
    case GGUF_INT8:
        n = (int8_t)value->data[0];
        break;
    case GGUF_INT16:
        n = (int16_t)load_u16(value->data);
        break;
    case GGUF_INT32:
        n = (int32_t)load_u32(value->data);
        break;
    case GGUF_INT64:
        n = (int64_t)load_u64(value->data);
        break;
    default:
        return false;
    }
    *negative = n < 0;
    *out = (uint64_t)n;
    return true;
}

enum status gguf_u32(const struct gguf *file, const char *key, uint32_t fallback, uint32_t *out,
                     struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    uint64_t n;
    bool negative;
    if (!value) {
        *out = fallback;
        return STATUS_OK;
    }
    if (!read_integer(value, &negative, &n)) return misfit(fault, key, "an_integer");
    if (negative) return fault_set(fault, STATUS_BAD_FILE, "key_negative", "name:s", key);
    if (n > UINT32_MAX)
        return fault_set(fault, STATUS_BAD_FILE, "key_range", "name:s value:u", key, n);
    *out = (uint32_t)n;
    return STATUS_OK;
}

enum status gguf_f64(const struct gguf *file, const char *key, double fallback, double *out,
                     struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    double x = fallback;
    if (value && value->type == GGUF_FLOAT32)
        x = (double)load_f32(value->data);
    else if (value && value->type == GGUF_FLOAT64)
        x = load_f64(value->data);
    else if (value)
        return misfit(fault, key, "a_floating_point_number");
    if (value && !(x - x == 0)) return misfit(fault, key, "finite");
    *out = x;
    return STATUS_OK;
}

enum status gguf_bool(const struct gguf *file, const char *key, bool fallback, bool *out,
                      struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    if (value && value->type != GGUF_BOOL) return misfit(fault, key, "true_or_false");
    *out = value ? value->data[0] != 0 : fallback;
    return STATUS_OK;
}

enum status gguf_text(const struct gguf *file, const char *key, struct gguf_string *out,
                      struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = (struct gguf_string){NULL, 0};
    if (!value) return STATUS_OK;
    if (value->type != GGUF_STRING) return misfit(fault, key, "a_string");
    const uint8_t *cursor = value->data;
    *out = gguf_next_string(&cursor);
    return STATUS_OK;
}

struct gguf_string gguf_next_string(const uint8_t **cursor) {
    struct gguf_string s = {(const char *)*cursor + 8, (size_t)load_u64(*cursor)};
    *cursor += 8 + s.length;
    return s;
}

float gguf_array_f32(const struct gguf_value *value, uint64_t i) {
    return load_f32(value->data + i * 4);
}

int32_t gguf_array_i32(const struct gguf_value *value, uint64_t i) {
    return (int32_t)load_u32(value->data + i * 4);
}

uint32_t gguf_file_type(const struct gguf *file) {
    static const struct {
        enum gguf_tensor_type type;
        uint32_t file_type;
    } kinds[] = {{GGUF_F32, 0},  {GGUF_F16, 1},  {GGUF_Q4_0, 2},
                 {GGUF_Q4_1, 3}, {GGUF_Q8_0, 7}, {GGUF_BF16, 32}};
    uint32_t best = 0;
    uint64_t most = 0;
    if (gguf_find(file, "general.file_type") &&
        gguf_u32(file, "general.file_type", 0, &best, NULL) == STATUS_OK)
        return best;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint64_t bytes = 0;
        for (uint64_t i = 0; i < gguf_tensor_count(file); i++) {
            const struct gguf_tensor *tensor = gguf_tensor_at(file, i);
            if (tensor->type == kinds[k].type) bytes += tensor->bytes;
        }
        if (bytes > most) {
            most = bytes;
            best = kinds[k].file_type;
        }
    }
    return best;
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
        return count / BLOCK_VALUES * (2 + 16);
    case GGUF_Q4_1:
        return count / BLOCK_VALUES * (2 + 2 + 16);
    case GGUF_Q8_0:
        break;
    }
    return count / BLOCK_VALUES * (2 + 32);
}

static void widen_block(enum gguf_tensor_type type, const uint8_t *block, float *out) {
    float scale = load_f16(block);
    const uint8_t *quants = block + (type == GGUF_Q4_1 ? 4 : 2);
    for (int i = 0; i < BLOCK_VALUES; i++) {
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
        for (uint64_t i = 0; i < count; i += BLOCK_VALUES)
            widen_block(tensor->type, from + gguf_bytes(tensor->type, i), out + i);
    }
}
