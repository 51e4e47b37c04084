/* Shared by the tokenizer tests: a tokenizer with its image, small random numbers, and the check
 * that decoding restores every encoded text. */
#ifndef LOGITSCOPE_TOKENIZER_SUBJECT_H
#define LOGITSCOPE_TOKENIZER_SUBJECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "draw.h"
#include "fault_line.h"
#include "gguf_image.h"
#include "tokenizer.h"

struct subject {
    struct image image;
    struct gguf *file;
    struct tokenizer *tokenizer;
    struct fault fault;
};

/* Opens `subject->image`. On failure the tokenizer is NULL and the fault is filled. */
static inline enum status subject_open(struct subject *subject) {
    subject->file = NULL;
    subject->tokenizer = NULL;
    subject->fault.key = NULL;
    enum status status =
        gguf_open(&subject->file, subject->image.bytes, subject->image.size, &subject->fault);
    if (status != STATUS_OK) return status;
    return tokenizer_open(&subject->tokenizer, subject->file, 0, &subject->fault);
}

static inline void subject_close(struct subject *subject) {
    tokenizer_close(subject->tokenizer);
    gguf_close(subject->file);
    free(subject->image.bytes);
}

static inline void subject_from_spec(struct subject *subject, const struct vocabulary_spec *spec) {
    image_vocabulary(&subject->image, spec);
    image_end(&subject->image);
    if (subject_open(subject) == STATUS_OK) return;
    printf("cannot open a test vocabulary: %s\n", fault_line(&subject->fault));
    exit(1);
}

static inline uint32_t random_below(struct pcg32 *generator, uint32_t n) {
    return (uint32_t)(((uint64_t)pcg32_next(generator) * n) >> 32);
}

/* Encodes `length` bytes; returns a new array of *count ids, or NULL on failure. */
static inline uint32_t *encode_with(struct subject *subject, enum tokenizer_bos bos,
                                    const char *text, size_t length, unsigned flags,
                                    size_t *count) {
    size_t capacity = (flags & TOKENIZER_AS_IT_IS ? 1 : 3) * length + 2;
    uint32_t *ids = malloc(capacity * sizeof *ids);
    enum status status =
        tokenizer_encode(subject->tokenizer, &(struct tokenizer_text){text, length, bos, flags},
                         ids, capacity, count, &subject->fault);
    CHECK(*count <= capacity);
    if (status == STATUS_OK && *count <= capacity) return ids;
    free(ids);
    return NULL;
}

static inline uint32_t *encode(struct subject *subject, const char *text, size_t length,
                               bool special, size_t *count) {
    return encode_with(subject, TOKENIZER_BOS_AUTO, text, length, special, count);
}

/* True if decode(encode(text)) == text with TOKENIZER_AS_IT_IS. */
static inline bool round_trip(struct subject *subject, const char *text, size_t length,
                              bool special) {
    size_t count, decoded = 0;
    unsigned flags = TOKENIZER_AS_IT_IS | (special ? TOKENIZER_SPECIAL : 0u);
    uint32_t *ids = encode_with(subject, TOKENIZER_BOS_NO, text, length, flags, &count);
    if (!ids) return false;
    char *back = malloc(length + 1);
    enum status status = tokenizer_decode(subject->tokenizer, ids, count, special, back, length + 1,
                                          &decoded, &subject->fault);
    bool same = status == STATUS_OK && decoded == length && memcmp(back, text, length) == 0;
    free(back);
    free(ids);
    return same;
}

#endif
