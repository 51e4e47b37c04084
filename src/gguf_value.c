/* Reads typed values and weights out of an opened GGUF image: the part of gguf.h that rests on the
 * checks of gguf_open. */
#include <string.h>

#include "bytes.h"
#include "gguf.h"

enum { Q8_0_VALUES = 32, Q8_0_BYTES = 34 };

static enum status misfit(struct fault *fault, const char *key, const char *what) {
    return fault_set(fault, STATUS_BAD_FILE, "key %s: the value must be %s", key, what);
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
    if (!read_integer(value, &negative, &n)) return misfit(fault, key, "an integer");
    if (negative) return misfit(fault, key, "an integer from 0 to 4294967295, got a negative one");
    if (n > UINT32_MAX)
        return fault_set(fault, STATUS_BAD_FILE,
                         "key %s: the value must be an integer from 0 to 4294967295, got %u", key,
                         n);
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
        return misfit(fault, key, "a floating-point number");
    if (value && !(x - x == 0)) return misfit(fault, key, "finite");
    *out = x;
    return STATUS_OK;
}

enum status gguf_bool(const struct gguf *file, const char *key, bool fallback, bool *out,
                      struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    if (value && value->type != GGUF_BOOL) return misfit(fault, key, "true or false");
    *out = value ? value->data[0] != 0 : fallback;
    return STATUS_OK;
}

enum status gguf_text(const struct gguf *file, const char *key, struct gguf_string *out,
                      struct fault *fault) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = (struct gguf_string){NULL, 0};
    if (!value) return STATUS_OK;
    if (value->type != GGUF_STRING) return misfit(fault, key, "a string");
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
    uint32_t stated;
    uint64_t f32 = 0, f16 = 0, q8_0 = 0;
    if (gguf_find(file, "general.file_type") &&
        gguf_u32(file, "general.file_type", 0, &stated, NULL) == STATUS_OK)
        return stated;
    for (uint64_t i = 0; i < gguf_tensor_count(file); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(file, i);
        *(tensor->type == GGUF_F32   ? &f32
          : tensor->type == GGUF_F16 ? &f16
                                     : &q8_0) += tensor->bytes;
    }
    return f32 >= f16 && f32 >= q8_0 ? 0 : f16 >= q8_0 ? 1 : 7;
}

/* Q8_0: blocks of one float16 scale and 32 signed bytes. */
static void widen_q8_0(const uint8_t *block, uint64_t count, float *out) {
    for (uint64_t b = 0; b < count / Q8_0_VALUES; b++, block += Q8_0_BYTES) {
        float scale = load_f16(block);
        for (int i = 0; i < Q8_0_VALUES; i++) *out++ = scale * (float)(int8_t)block[2 + i];
    }
}

void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out) {
    switch (tensor->type) {
    case GGUF_F32:
        for (uint64_t i = 0; i < count; i++) out[i] = load_f32(tensor->data + (first + i) * 4);
        break;
    case GGUF_F16:
        for (uint64_t i = 0; i < count; i++) out[i] = load_f16(tensor->data + (first + i) * 2);
        break;
    case GGUF_Q8_0:
        widen_q8_0(tensor->data + first / Q8_0_VALUES * Q8_0_BYTES, count, out);
        break;
    }
}
