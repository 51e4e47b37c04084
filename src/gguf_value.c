/* Reads typed values; relies on the checks of gguf_open. */
#include "gguf_value.h"

#include "bytes.h"

static enum status refuse_value(struct fault *fault, const char *key, const char *wanted) {
    return fault_set(fault, STATUS_BAD_FILE, "key_must_be", "name:s what:k", key, wanted);
}

/* Reads an integer of any width. *negative becomes true for a negative number. False if the value
 * is not an integer. */
static bool read_integer(const struct gguf_value *value, bool *negative, uint64_t *out) {
    int64_t n;
    *negative = false;
    switch (value->type) {
    case GGUF_UINT8: *out = value->data[0]; return true;
    case GGUF_UINT16: *out = load_u16(value->data); return true;
    case GGUF_UINT32: *out = load_u32(value->data); return true;
    case GGUF_UINT64: *out = load_u64(value->data); return true;
    case GGUF_INT8: n = (int8_t)value->data[0]; break;
    case GGUF_INT16: n = (int16_t)load_u16(value->data); break;
    case GGUF_INT32: n = (int32_t)load_u32(value->data); break;
    case GGUF_INT64: n = (int64_t)load_u64(value->data); break;
    default: return false;
    }
    *negative = n < 0;
    *out = (uint64_t)n;
    return true;
}

enum status gguf_value_u32(const struct gguf_value *value, const char *key, uint32_t fallback,
                           uint32_t *out, struct fault *fault) {
    uint64_t n;
    bool negative;
    if (!value) {
        *out = fallback;
        return STATUS_OK;
    }
    if (!read_integer(value, &negative, &n)) return refuse_value(fault, key, "an_integer");
    if (negative) return fault_set(fault, STATUS_BAD_FILE, "key_negative", "name:s", key);
    if (n > UINT32_MAX)
        return fault_set(fault, STATUS_BAD_FILE, "key_range", "name:s value:u", key, n);
    *out = (uint32_t)n;
    return STATUS_OK;
}

enum status gguf_value_f64(const struct gguf_value *value, const char *key, double fallback,
                           double *out, struct fault *fault) {
    double x = fallback;
    if (value && value->type == GGUF_FLOAT32)
        x = (double)load_f32(value->data);
    else if (value && value->type == GGUF_FLOAT64)
        x = load_f64(value->data);
    else if (value)
        return refuse_value(fault, key, "a_floating_point_number");
    if (value && !(x - x == 0)) return refuse_value(fault, key, "finite");
    *out = x;
    return STATUS_OK;
}

enum status gguf_value_bool(const struct gguf_value *value, const char *key, bool fallback,
                            bool *out, struct fault *fault) {
    if (value && value->type != GGUF_BOOL) return refuse_value(fault, key, "true_or_false");
    *out = value ? value->data[0] != 0 : fallback;
    return STATUS_OK;
}

enum status gguf_value_text(const struct gguf_value *value, const char *key,
                            struct gguf_string *out, struct fault *fault) {
    *out = (struct gguf_string){NULL, 0};
    if (!value) return STATUS_OK;
    if (value->type != GGUF_STRING) return refuse_value(fault, key, "a_string");
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
