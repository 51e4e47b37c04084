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

struct gguf; /* opaque; points into the image */

/* Parses the image. On success the caller passes `*file` to gguf_close. The file keeps pointers
 * into `image`, which must stay unchanged and valid until then. Duplicate keys or tensor names are
 * malformed. Types that gguf_tensor_type does not list are refused by name. Fails with
 * STATUS_BAD_FILE, STATUS_UNSUPPORTED (version, tensor type), STATUS_OUT_OF_MEMORY. */
enum status gguf_open(struct gguf **file, const void *image, size_t size, struct fault *fault);

/* Like gguf_open, but parses the first `available` bytes of an image of `size` bytes. If the size
 * is GGUF_SIZE_UNKNOWN, the image ends at its last tensor's end. Metadata and tensor table can be
 * read, the tensors' data cannot. Fails with STATUS_INCOMPLETE if the tensor table ends beyond
 * `available`. */
#define GGUF_SIZE_UNKNOWN ((uint64_t)1 << 40)
enum status gguf_open_head(struct gguf **file, const void *head, size_t available, uint64_t size,
                           struct fault *fault);
void gguf_close(struct gguf *file);

/* Refuses one shard of a split file (split.no, split.count), which lacks tensors of the model:
 * STATUS_UNSUPPORTED. */
enum status gguf_check_whole(const struct gguf *file, struct fault *fault);

/* Returns the size of the whole image in bytes. */
uint64_t gguf_size(const struct gguf *file);

/* Returns the metadata value of a key, or NULL. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *key);

/* Each function finds a key and reads its value with the same function of gguf_value.h. */
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
/* Returns the tensor of that name, or NULL. */
const struct gguf_tensor *gguf_tensor_find(const struct gguf *file, const char *name);

/* Returns general.file_type if the file has this key. Otherwise returns the file_type (format.h) of
 * the type with the most tensor bytes. */
uint32_t gguf_file_type(const struct gguf *file);

#endif
