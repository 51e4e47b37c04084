/* Reads the values of an untrusted GGUF image one after another, with checks; part of gguf_open. */
#ifndef LOGITSCOPE_GGUF_READER_H
#define LOGITSCOPE_GGUF_READER_H

#include <stddef.h>
#include <stdint.h>

#include "gguf_value.h"
#include "status.h"

enum { GGUF_NAME_SHOWN = 64 };

/* The image has `size` bytes; the first `available` can be read. `subject` and `name` are the part
 * that a fault names, for instance "named_tensor" and "blk.0.attn_q.weight". */
struct gguf_reader {
    const uint8_t *image;
    uint64_t size, available, position;
    const char *subject; /* the key of a phrase */
    char name[GGUF_NAME_SHOWN + 1];
    struct fault *fault;
};

/* Both functions set `subject` and `name` for later faults. The name is the first GGUF_NAME_SHOWN
 * bytes of a string, or a number if the string is not read yet. */
void gguf_reader_name(struct gguf_reader *reader, const char *subject, struct gguf_string name);
void gguf_reader_number(struct gguf_reader *reader, const char *subject, uint64_t number);

/* Both functions return STATUS_BAD_FILE with the current subject. `field` is the key of a phrase,
 * or NULL if the sentence under `key` already names the field. */
enum status gguf_reader_bad(struct gguf_reader *reader, const char *key, const char *field);
enum status gguf_reader_bad_number(struct gguf_reader *reader, const char *key, const char *field,
                                   uint64_t got);

/* Each function reads a value and moves `position` past the value. Fails with STATUS_BAD_FILE if
 * the value ends beyond the image, has an unknown type or is nested too deep; STATUS_INCOMPLETE if
 * it ends beyond the available bytes. */
enum status gguf_reader_u32(struct gguf_reader *reader, const char *field, uint32_t *out);
enum status gguf_reader_u64(struct gguf_reader *reader, const char *field, uint64_t *out);
enum status gguf_reader_string(struct gguf_reader *reader, const char *field,
                               struct gguf_string *out);
enum status gguf_reader_value(struct gguf_reader *reader, struct gguf_value *value);

#endif
