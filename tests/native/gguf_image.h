/* Builds small GGUF images with valid or broken tokenizer metadata in memory. */
#ifndef LOGITSCOPE_GGUF_IMAGE_H
#define LOGITSCOPE_GGUF_IMAGE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gguf.h"

struct image {
    uint8_t *bytes;
    size_t size, capacity;
    uint64_t n_keys;
};

static inline void image_bytes(struct image *image, const void *bytes, size_t length) {
    if (image->size + length > image->capacity) {
        image->capacity = 2 * (image->size + length);
        image->bytes = realloc(image->bytes, image->capacity);
        if (!image->bytes) abort();
    }
    if (length) memcpy(image->bytes + image->size, bytes, length);
    image->size += length;
}

static inline void image_u32(struct image *image, uint32_t n) {
    uint8_t bytes[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    image_bytes(image, bytes, 4);
}

static inline void image_u64(struct image *image, uint64_t n) {
    image_u32(image, (uint32_t)n);
    image_u32(image, (uint32_t)(n >> 32));
}

static inline void image_string(struct image *image, const char *text, size_t length) {
    image_u64(image, length);
    image_bytes(image, text, length);
}

static inline void image_begin(struct image *image) {
    *image = (struct image){0};
    image_bytes(image, "GGUF", 4);
    image_u32(image, 3);
    image_u64(image, 0);
    image_u64(image, 0); /* the number of keys, which image_end sets */
}

static inline void image_key(struct image *image, const char *key, enum gguf_type type) {
    image_string(image, key, strlen(key));
    image_u32(image, (uint32_t)type);
    image->n_keys++;
}

static inline void image_array(struct image *image, const char *key, enum gguf_type element,
                               uint64_t count) {
    image_key(image, key, GGUF_ARRAY);
    image_u32(image, (uint32_t)element);
    image_u64(image, count);
}

static inline void image_end(struct image *image) {
    static const uint8_t padding[32];
    for (int i = 0; i < 8; i++) image->bytes[16 + i] = (uint8_t)(image->n_keys >> 8 * i);
    image_bytes(image, padding, (32 - image->size % 32) % 32);
}

/* Tokenizer metadata. NULL or a negative number omits the key. In `tokens`, NULL is an empty
 * token. */
struct vocabulary_spec {
    const char *model, *pre, *name, *architecture;
    const char *const *tokens;
    size_t n_tokens;
    const float *scores;
    size_t n_scores;
    const int32_t *types;
    size_t n_types;
    const char *const *merges;
    size_t n_merges;
    int64_t bos, eos, unknown;
    int add_bos, add_space_prefix;
};

/* Returns a vocabulary of words; token `eos` ends a text. */
static inline struct vocabulary_spec spec_of_words(const char *const *words, size_t n,
                                                   int64_t eos) {
    return (struct vocabulary_spec){.model = "logitscope-word",
                                    .tokens = words,
                                    .n_tokens = n,
                                    .bos = -1,
                                    .eos = eos,
                                    .unknown = -1,
                                    .add_bos = -1,
                                    .add_space_prefix = -1};
}

static inline void image_strings(struct image *image, const char *key, const char *const *strings,
                                 size_t count) {
    image_array(image, key, GGUF_STRING, count);
    for (size_t i = 0; i < count; i++)
        image_string(image, strings[i], strings[i] ? strlen(strings[i]) : 0);
}

static inline void image_text(struct image *image, const char *key, const char *text) {
    if (!text) return;
    image_key(image, key, GGUF_STRING);
    image_string(image, text, strlen(text));
}

static inline void image_id(struct image *image, const char *key, int64_t id) {
    if (id < 0) return;
    image_key(image, key, GGUF_UINT32);
    image_u32(image, (uint32_t)id);
}

static inline void image_flag(struct image *image, const char *key, int flag) {
    uint8_t byte = (uint8_t)flag;
    if (flag < 0) return;
    image_key(image, key, GGUF_BOOL);
    image_bytes(image, &byte, 1);
}

/* Writes all keys, but does not call image_end, so that a test can add more keys. */
static inline void image_vocabulary(struct image *image, const struct vocabulary_spec *spec) {
    image_begin(image);
    image_text(image, "tokenizer.ggml.model", spec->model);
    image_text(image, "tokenizer.ggml.pre", spec->pre);
    image_text(image, "general.name", spec->name);
    image_text(image, "general.architecture", spec->architecture);
    if (spec->tokens) image_strings(image, "tokenizer.ggml.tokens", spec->tokens, spec->n_tokens);
    if (spec->scores) {
        image_array(image, "tokenizer.ggml.scores", GGUF_FLOAT32, spec->n_scores);
        for (size_t i = 0; i < spec->n_scores; i++) {
            uint32_t bits;
            memcpy(&bits, &spec->scores[i], sizeof bits);
            image_u32(image, bits);
        }
    }
    if (spec->types) {
        image_array(image, "tokenizer.ggml.token_type", GGUF_INT32, spec->n_types);
        for (size_t i = 0; i < spec->n_types; i++) image_u32(image, (uint32_t)spec->types[i]);
    }
    if (spec->merges) image_strings(image, "tokenizer.ggml.merges", spec->merges, spec->n_merges);
    image_id(image, "tokenizer.ggml.bos_token_id", spec->bos);
    image_id(image, "tokenizer.ggml.eos_token_id", spec->eos);
    image_id(image, "tokenizer.ggml.unknown_token_id", spec->unknown);
    image_flag(image, "tokenizer.ggml.add_bos_token", spec->add_bos);
    image_flag(image, "tokenizer.ggml.add_space_prefix", spec->add_space_prefix);
}

#endif
