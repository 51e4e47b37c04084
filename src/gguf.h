/* Reads a GGUF image (version 2 or 3, little endian) in place: metadata and tensor table.
 *
 * The image is untrusted: every offset, count, length, product and type is checked before use. The
 * fault of a malformed file names the field. Source: the GGUF specification of ggml. */
#ifndef LOGITSCOPE_GGUF_H
#define LOGITSCOPE_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf_tensor.h"
#include "gguf_value.h"
#include "status.h"

struct gguf; /* opaque: two tables over the image */

/* Parses the image. On success the caller passes `*file` to gguf_close. It keeps pointers into
 * `image`, which must outlive it unchanged. Duplicate keys or tensor names are malformed. Types
 * that gguf_tensor_type does not list are refused by name. STATUS_BAD_FILE, STATUS_UNSUPPORTED
 * (version, tensor type), STATUS_OUT_OF_MEMORY. */
enum status gguf_open(struct gguf **file, const void *image, size_t size, struct fault *fault);

/* Parses the first `available` bytes of an image of `size` bytes, as gguf_open does. With
 * GGUF_SIZE_UNKNOWN the image ends at its last tensor's end. Everything but the tensors' data can
 * be read. STATUS_INCOMPLETE if the tensor table ends beyond `available`. */
#define GGUF_SIZE_UNKNOWN ((uint64_t)1 << 40)
enum status gguf_open_head(struct gguf **file, const void *head, size_t available, uint64_t size,
                           struct fault *fault);
void gguf_close(struct gguf *file);

/* Refuses one shard of a split file (split.no, split.count), which lacks tensors of the model:
 * STATUS_UNSUPPORTED. */
enum status gguf_check_whole(const struct gguf *file, struct fault *fault);

/* Bytes of the whole image. */
uint64_t gguf_size(const struct gguf *file);

/* Metadata by key, or NULL. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *key);

/* The value of a key, read by gguf_value_u32 and the other readers of gguf_value.h. */
enum status gguf_u32(const struct gguf *file, const char *key, uint32_t fallback, uint32_t *out,
                     struct fault *fault);
enum status gguf_f64(const struct gguf *file, const char *key, double fallback, double *out,
                     struct fault *fault);
enum status gguf_bool(const struct gguf *file, const char *key, bool fallback, bool *out,
                      struct fault *fault);
enum status gguf_text(const struct gguf *file, const char *key, struct gguf_string *out,
                      struct fault *fault);

uint64_t gguf_tensor_count(const struct gguf *file);
const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, uint64_t index);
/* Tensor by name, or NULL. */
const struct gguf_tensor *gguf_tensor_find(const struct gguf *file, const char *name);

/* general.file_type if the file states it; else format.h's number for the type with the largest
 * share of tensor bytes. */
uint32_t gguf_file_type(const struct gguf *file);

#endif
