/* A metadata value of a GGUF image, read in place. gguf_open has checked its bounds. */
#ifndef LOGITSCOPE_GGUF_VALUE_H
#define LOGITSCOPE_GGUF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Types of metadata values, with the numbers of the file format. */
enum gguf_type {
    GGUF_UINT8 = 0,
    GGUF_INT8,
    GGUF_UINT16,
    GGUF_INT16,
    GGUF_UINT32,
    GGUF_INT32,
    GGUF_FLOAT32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_UINT64,
    GGUF_INT64,
    GGUF_FLOAT64
};

/* A string inside the image, without a terminating 0 and not always UTF-8. */
struct gguf_string {
    const char *data;
    size_t length;
};

/* A metadata value. `data` points at the value's first byte inside the image. For GGUF_ARRAY,
 * `data` points at the first element; `element_type` and `count` describe the array. Arrays of
 * arrays are accepted, but cannot be read. */
struct gguf_value {
    enum gguf_type type;
    enum gguf_type element_type;
    uint64_t count;
    const uint8_t *data;
};

/* Each function reads a value of one type. A NULL value gives `fallback`. A value of the wrong type
 * or size (a float for an integer, a negative number, more than UINT32_MAX) is STATUS_BAD_FILE; the
 * fault names `key`. gguf_value_u32 takes integers of any width, gguf_value_f64 both kinds of
 * float. */
enum status gguf_value_u32(const struct gguf_value *value, const char *key, uint32_t fallback,
                           uint32_t *out, struct fault *fault);
enum status gguf_value_f64(const struct gguf_value *value, const char *key, double fallback,
                           double *out, struct fault *fault);
enum status gguf_value_bool(const struct gguf_value *value, const char *key, bool fallback,
                            bool *out, struct fault *fault);
/* Reads a string; `out->data` is NULL if `value` is NULL. */
enum status gguf_value_text(const struct gguf_value *value, const char *key,
                            struct gguf_string *out, struct fault *fault);

/* Returns the next string of an array and moves *cursor past it. Begin with *cursor = value->data;
 * call at most value->count times. */
struct gguf_string gguf_next_string(const uint8_t **cursor);
/* Both functions return element i of an unaligned array of float32, or of int32 or uint32. */
float gguf_array_f32(const struct gguf_value *value, uint64_t i);
int32_t gguf_array_i32(const struct gguf_value *value, uint64_t i);

#endif
