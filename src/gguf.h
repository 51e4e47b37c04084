/* Reads a GGUF image (version 2 or 3, little endian) in place: metadata and tensor table.
 *
 * The image is untrusted: every offset, count, length, product and type is checked before use, and
 * a malformed file is one sentence naming the field. Source: the GGUF specification of ggml. */
#ifndef LOGITSCOPE_GGUF_H
#define LOGITSCOPE_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Numbers as the file stores them. */
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

enum gguf_tensor_type {
    GGUF_F32 = 0,
    GGUF_F16 = 1,
    GGUF_Q4_0 = 2,
    GGUF_Q4_1 = 3,
    GGUF_Q8_0 = 8,
    GGUF_BF16 = 30
};

/* A string inside the image: not terminated, not necessarily UTF-8. */
struct gguf_string {
    const char *data;
    size_t length;
};

/* A metadata value. `data` points at the value's first byte inside the image; for GGUF_ARRAY it
 * points at the first element, `element_type` and `count` describe the array, and arrays of arrays
 * are accepted but cannot be read further. */
struct gguf_value {
    enum gguf_type type;
    enum gguf_type element_type;
    uint64_t count;
    const uint8_t *data;
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

struct gguf; /* opaque: two tables over the image */

/* Parses the image. On success `*file` must be given to gguf_close; it keeps pointers into `image`,
 * which must outlive it unchanged. Duplicate keys or tensor names are malformed. Tensors of types
 * other than those of gguf_tensor_type are refused by name.
 * STATUS_BAD_FILE, STATUS_UNSUPPORTED (version, tensor type), STATUS_OUT_OF_MEMORY. */
enum status gguf_open(struct gguf **file, const void *image, size_t size, struct fault *fault);

/* The same for the first `available` bytes of an image of `size`, or of GGUF_SIZE_UNKNOWN: it then
 * ends where its last tensor does. Everything but the tensors' data is there to be read.
 * STATUS_INCOMPLETE if the tensor table ends beyond `available`. */
#define GGUF_SIZE_UNKNOWN ((uint64_t)1 << 40)
enum status gguf_open_head(struct gguf **file, const void *head, size_t available, uint64_t size,
                           struct fault *fault);
void gguf_close(struct gguf *file);

/* Bytes of the whole image. */
uint64_t gguf_size(const struct gguf *file);

/* Metadata by key, or NULL. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *key);

/* Typed readers with a default for an absent key. A key that is present with a type or value that
 * does not fit (a float for an integer, a negative, over UINT32_MAX) is STATUS_BAD_FILE. Integers
 * of any width are accepted by gguf_u32, floats of either width by gguf_f64. */
enum status gguf_u32(const struct gguf *file, const char *key, uint32_t fallback, uint32_t *out,
                     struct fault *fault);
enum status gguf_f64(const struct gguf *file, const char *key, double fallback, double *out,
                     struct fault *fault);
enum status gguf_bool(const struct gguf *file, const char *key, bool fallback, bool *out,
                      struct fault *fault);
/* `out->data` is NULL when the key is absent. */
enum status gguf_text(const struct gguf *file, const char *key, struct gguf_string *out,
                      struct fault *fault);

/* Walks an array of strings: call with `cursor` = value->data, count times. The lengths were
 * checked by gguf_open. */
struct gguf_string gguf_next_string(const uint8_t **cursor);
/* Element i of an array of float32 / int32 / uint32, read without alignment. */
float gguf_array_f32(const struct gguf_value *value, uint64_t i);
int32_t gguf_array_i32(const struct gguf_value *value, uint64_t i);

uint64_t gguf_tensor_count(const struct gguf *file);
const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, uint64_t index);
/* Tensor by name, or NULL. */
const struct gguf_tensor *gguf_tensor_find(const struct gguf *file, const char *name);

/* general.file_type as the file states it, or that of the type with the largest share of tensor
 * bytes: 0 for F32, 1 for F16, 2 for Q4_0, 3 for Q4_1, 7 for Q8_0, 32 for BF16. */
uint32_t gguf_file_type(const struct gguf *file);

/* Bytes of `count` values, a multiple of 32 for the quantised types. */
uint64_t gguf_bytes(enum gguf_tensor_type type, uint64_t count);

/* Widens `count` values of the tensor, from element `first` on, to float32. `first` and `count` are
 * multiples of 32 for the quantised types. Exact: F16 and BF16 by bits, Q8_0 as scale * quant, Q4_0
 * as scale * (quant - 8), Q4_1 as scale * quant + minimum, rounded once. */
void gguf_widen(const struct gguf_tensor *tensor, uint64_t first, uint64_t count, float *out);

#endif
