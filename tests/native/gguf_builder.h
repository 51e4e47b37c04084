/* Writes valid or broken GGUF images field by field, and finds the fields of valid images. */
#ifndef LOGITSCOPE_TEST_GGUF_BUILDER_H
#define LOGITSCOPE_TEST_GGUF_BUILDER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "gguf.h"

struct builder {
    unsigned char *bytes;
    size_t used, capacity;
};

static inline void put_bytes(struct builder *b, const void *data, size_t n) {
    if (b->used + n > b->capacity) {
        b->capacity = 2 * (b->used + n);
        b->bytes = realloc(b->bytes, b->capacity);
    }
    memcpy(b->bytes + b->used, data, n);
    b->used += n;
}

/* Numbers are copied as they are: GGUF and the machines that run these tests are little endian. */
static inline void put_u32(struct builder *b, uint32_t n) { put_bytes(b, &n, sizeof n); }
static inline void put_u64(struct builder *b, uint64_t n) { put_bytes(b, &n, sizeof n); }

static inline void put_text(struct builder *b, const char *s) {
    put_u64(b, strlen(s));
    put_bytes(b, s, strlen(s));
}

static inline void put_header(struct builder *b, uint32_t version, uint64_t n_tensors,
                              uint64_t n_keys) {
    b->used = 0;
    put_bytes(b, "GGUF", 4);
    put_u32(b, version);
    put_u64(b, n_tensors);
    put_u64(b, n_keys);
}

static inline void put_key(struct builder *b, const char *key, uint32_t type) {
    put_text(b, key);
    put_u32(b, type);
}

static inline void put_tensor(struct builder *b, const char *name, uint32_t n_dimensions,
                              const uint64_t *shape, uint32_t type, uint64_t offset) {
    put_text(b, name);
    put_u32(b, n_dimensions);
    for (uint32_t i = 0; i < n_dimensions; i++) put_u64(b, shape[i]);
    put_u32(b, type);
    put_u64(b, offset);
}

static inline void put_padding(struct builder *b, size_t alignment) {
    while (b->used % alignment) put_bytes(b, "", 1);
}

/* A number in the image: position and width in bytes. */
struct field {
    size_t position;
    size_t width;
};

/* The state of a walk through an image that collects fields. */
struct finder {
    const unsigned char *image;
    struct field *fields;
    size_t n, position;
};

/* Records a field, moves past it and returns its value. */
static inline uint64_t note(struct finder *f, size_t width) {
    const unsigned char *at = f->image + f->position;
    f->fields[f->n++] = (struct field){f->position, width};
    f->position += width;
    return width == 8 ? load_u64(at) : load_u32(at);
}

static inline void note_values(struct finder *f, uint64_t type, uint64_t count) {
    if (type == GGUF_BOOL) {
        f->position += (size_t)count;
        return;
    }
    for (uint64_t i = 0; i < count && (type == GGUF_STRING || !i); i++) {
        uint64_t n = note(f, type == GGUF_STRING ? 8 : 4);
        if (type == GGUF_STRING) f->position += (size_t)n;
    }
    if (type != GGUF_STRING) f->position += 4 * (size_t)(count - 1);
}

/* Finds the counts, lengths, types, dimensions, offsets and 32-bit values of a valid image, in
 * order. The metadata may have strings, 32-bit values, arrays of strings or 32-bit values, and
 * booleans, as the scripts in tests/vectors write them. Records only the first number of an array,
 * and no booleans. Returns the number of fields; *end is the end of the tensor table. */
static inline size_t find_fields(const unsigned char *image, struct field *fields, size_t *end) {
    struct finder f = {image, fields, 0, 4};
    note(&f, 4);
    uint64_t n_tensors = note(&f, 8), n_keys = note(&f, 8);
    for (uint64_t i = 0; i < n_keys; i++) {
        uint64_t length = note(&f, 8);
        f.position += (size_t)length;
        uint64_t type = note(&f, 4), count = 1;
        if (type == GGUF_ARRAY) {
            type = note(&f, 4);
            count = note(&f, 8);
        }
        note_values(&f, type, count);
    }
    for (uint64_t i = 0; i < n_tensors; i++) {
        uint64_t length = note(&f, 8);
        f.position += (size_t)length;
        uint64_t n_dimensions = note(&f, 4);
        for (uint64_t d = 0; d < n_dimensions; d++) note(&f, 8);
        note(&f, 4);
        note(&f, 8);
    }
    *end = f.position;
    return f.n;
}

#endif
