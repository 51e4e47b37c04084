/* The checked walk along a GGUF image that is not trusted yet: part of gguf_open. */
#ifndef LOGITSCOPE_GGUF_READER_H
#define LOGITSCOPE_GGUF_READER_H

#include <stddef.h>
#include <stdint.h>

#include "gguf_value.h"
#include "status.h"

enum { GGUF_NAME_SHOWN = 64 };

/* `available` of the image's `size` bytes are there to be read. `subject` and `name` say what is
 * being read, for a fault: "named_tensor" and "blk.0.attn_q.weight". */
struct gguf_reader {
    const uint8_t *image;
    uint64_t size, available, position;
    const char *subject; /* the key of a phrase */
    char name[GGUF_NAME_SHOWN + 1];
    struct fault *fault;
};

/* What is being read: something with a name, of which GGUF_NAME_SHOWN bytes are shown; something
 * that has only a number yet. */
void gguf_reader_name(struct gguf_reader *r, const char *subject, struct gguf_string name);
void gguf_reader_number(struct gguf_reader *r, const char *subject, uint64_t number);

/* STATUS_BAD_FILE of what is being read. `field` is the key of a phrase, or NULL where the sentence
 * of `key` names it itself. */
enum status gguf_reader_bad(struct gguf_reader *r, const char *key, const char *field);
enum status gguf_reader_bad_number(struct gguf_reader *r, const char *key, const char *field,
                                   uint64_t got);

/* Each moves past what it reads. STATUS_BAD_FILE where that ends beyond the image, is of no type or
 * nested too deep; STATUS_INCOMPLETE where it ends beyond what is there. */
enum status gguf_reader_u32(struct gguf_reader *r, const char *field, uint32_t *out);
enum status gguf_reader_u64(struct gguf_reader *r, const char *field, uint64_t *out);
enum status gguf_reader_string(struct gguf_reader *r, const char *field, struct gguf_string *out);
enum status gguf_reader_value(struct gguf_reader *r, struct gguf_value *value);

#endif
