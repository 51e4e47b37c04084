/* The tokens of a GGUF image, checked and spelled as in text: the part that all kinds of tokenizer
 * share. Internal to the tokenizer; its users include tokenizer.h. */
#ifndef LOGITSCOPE_VOCABULARY_H
#define LOGITSCOPE_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "pretokenizer.h"
#include "status.h"
#include "token_map.h"

/* tokenizer.ggml.token_type. */
enum token_type {
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN,      /* special: stands for unknown text; never made from plain text */
    TOKEN_CONTROL,      /* special: begin, end ... */
    TOKEN_USER_DEFINED, /* found in text before anything else, never cut */
    TOKEN_UNUSED,       /* never made from text */
    TOKEN_BYTE          /* llama: one byte, spelled <0xNN> in the file */
};

enum vocabulary_kind { KIND_CHAR, KIND_WORD, KIND_GPT2, KIND_LLAMA };

/* Limits for a file: tokens, bytes of one token, bytes of a marked one. Encoding takes longer with
 * longer tokens, so the limits keep a hostile file from blocking it. */
enum { VOCABULARY_MAX = 1 << 24, TOKEN_BYTES_MAX = 1024, MARKED_MAX = 256 };
enum { VOCABULARY_ENDS_MAX = 40 };

/* White space that a marked token strips: before it, after it. */
enum { STRIPS_LEFT = 1, STRIPS_RIGHT = 2 };

/* A control, unknown or user-defined token: text is searched for it before encoding. */
struct marked_token {
    const char *text;
    uint32_t length, id;
    bool special; /* control or unknown */
};

struct vocabulary {
    enum vocabulary_kind kind;
    const struct pretokenizer *pretokenizer; /* gpt2: how text is split first; else NULL */
    bool pre_stated;                         /* the file states it */
    uint32_t size;
    char *bytes;                 /* the texts of all tokens, one after another */
    uint32_t *start;             /* (size + 1,) token id is bytes[start[id] .. start[id + 1]) */
    uint8_t *type;               /* (size,) enum token_type */
    struct token_map map;        /* normal and user-defined tokens; the lowest id of equal texts */
    uint32_t byte[256];          /* llama: the byte token of each byte, or TOKEN_NONE */
    struct marked_token *marked; /* (n_marked,) sorted by their bytes, so that a walk along
                                    the text narrows a range of them */
    size_t n_marked;
    bool marks[256];                    /* true if a marked token begins with this byte */
    uint32_t bos, eos;                  /* or TOKEN_NONE */
    uint32_t ends[VOCABULARY_ENDS_MAX]; /* (n_ends,) tokens that end a text, ascending */
    size_t n_ends;
    bool add_bos, add_space_prefix;
    uint8_t strips; /* STRIPS_ of the marked tokens, with exceptions in vocabulary_strips */
};

/* Reads tokenizer.ggml.*; everything is copied. Statuses as tokenizer_open. On failure nothing is
 * left to close. */
enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *file,
                            uint32_t vocab_size, struct fault *fault);
void vocabulary_close(struct vocabulary *vocabulary);

/* Finds the array under `key` with elements of `type`; NULL if it is absent and not `required`. It
 * must have `size` elements unless `size` is 0. */
enum status vocabulary_array(const struct gguf *file, const char *key, enum gguf_type type,
                             bool required, uint32_t size, const struct gguf_value **out,
                             struct fault *fault);

/* Decodes `length` bytes of GPT-2's printable alphabet into out (length,), and writes the number of
 * resulting bytes to *used. False if a character is outside the alphabet. */
bool vocabulary_spell_gpt2(char *out, size_t *used, const char *text, size_t length);

/* Writes text with a space for each U+2581 to out (length,); returns its bytes. */
size_t vocabulary_spell_llama(char *out, const char *text, size_t length);

/* Returns the longest marked token at the beginning of text[0 .. length), or TOKEN_NONE; control
 * and unknown ones only if `special`. Reads at most MARKED_MAX bytes. */
uint32_t vocabulary_marked(const struct vocabulary *vocabulary, const char *text, size_t length,
                           bool special);

/* STRIPS_ of a token: lstrip and rstrip of the model's own tokenizer.json. GGUF has no key for
 * them. Phi-3's tokens strip white space after them, except <unk>, <s> and <|endoftext|>; Phi-4's
 * strip both sides. */
unsigned vocabulary_strips(const struct vocabulary *vocabulary, uint32_t id);

static inline size_t vocabulary_length(const struct vocabulary *vocabulary, uint32_t id) {
    return vocabulary->start[id + 1] - vocabulary->start[id];
}

static inline const char *vocabulary_text(const struct vocabulary *vocabulary, uint32_t id) {
    return vocabulary->bytes + vocabulary->start[id];
}

static inline bool vocabulary_special(const struct vocabulary *vocabulary, uint32_t id) {
    return vocabulary->type[id] == TOKEN_CONTROL || vocabulary->type[id] == TOKEN_UNKNOWN;
}

/* Fills STATUS_UNKNOWN_TOKEN; `kind` is the key "word", "character" or "byte". */
enum status vocabulary_lacks(struct fault *fault, const char *kind, const char *text,
                             size_t length);

#endif
