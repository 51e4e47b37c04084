/* The tokens of a GGUF image, checked and spelled as they stand in text: the part that every kind
 * of tokenizer shares. Internal to the tokenizer; tokenizer.h is what others use. */
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
    TOKEN_UNKNOWN, /* special: stands for what the vocabulary lacks; never made from plain text */
    TOKEN_CONTROL, /* special: begin, end ... */
    TOKEN_USER_DEFINED, /* found in text before anything else, never cut */
    TOKEN_UNUSED,       /* never made from text */
    TOKEN_BYTE          /* llama: one byte, spelled <0xNN> in the file */
};

enum vocabulary_kind { KIND_CHAR, KIND_WORD, KIND_GPT2, KIND_LLAMA };

/* What a file may ask for: tokens, and the bytes of one and of a marked one. The time to encode a
 * text grows with the longest token, so that no file can make it endless. */
enum { VOCABULARY_MAX = 1 << 24, TOKEN_BYTES_MAX = 1024, MARKED_MAX = 256 };
enum { VOCABULARY_ENDS_MAX = 40 };

/* White space that a marked token takes along: before it, after it. */
enum { STRIPS_LEFT = 1, STRIPS_RIGHT = 2 };

/* A control, unknown or user-defined token: one that is looked for in text as it stands. */
struct marked_token {
    const char *text;
    uint32_t length, id;
    bool special; /* control or unknown */
};

struct vocabulary {
    enum vocabulary_kind kind;
    const struct pretokenizer *pretokenizer; /* gpt2: how text is split first; else NULL */
    bool pre_stated;                         /* whether the file says so */
    uint32_t size;
    char *bytes;          /* every token as it stands in text, one after another */
    uint32_t *start;      /* (size + 1,) token id is bytes[start[id] .. start[id + 1]) */
    uint8_t *type;        /* (size,) enum token_type */
    struct token_map map; /* normal and user-defined tokens; the lowest id of those spelled alike */
    uint32_t byte[256];   /* llama: the byte token of each byte, or TOKEN_NONE */
    struct marked_token *marked; /* (n_marked,) sorted by their bytes, so that a walk along
                                    the text narrows a range of them */
    size_t n_marked;
    bool marks[256];                    /* whether a marked token begins with this byte */
    uint32_t bos, eos;                  /* or TOKEN_NONE */
    uint32_t ends[VOCABULARY_ENDS_MAX]; /* (n_ends,) those that end a text, ascending */
    size_t n_ends;
    bool add_bos, add_space_prefix;
    uint8_t strips; /* of the marked tokens, but for those that vocabulary_strips excepts */
};

/* Reads tokenizer.ggml.*; everything is copied. Statuses as tokenizer_open. On failure nothing is
 * left to close. */
enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *file,
                            uint32_t vocab_size, struct fault *fault);
void vocabulary_close(struct vocabulary *vocabulary);

/* The array under `key` with elements of `type`, or NULL if absent and not `required`; one element
 * for each token unless `size` is 0. */
enum status vocabulary_array(const struct gguf *file, const char *key, enum gguf_type type,
                             bool required, uint32_t size, const struct gguf_value **out,
                             struct fault *fault);

/* Writes the bytes that `length` characters' worth of GPT-2's printable alphabet stand for to out
 * (length,), and their number to *used; false if a character is outside the alphabet. */
bool vocabulary_spell_gpt2(char *out, size_t *used, const char *text, size_t length);

/* Writes text with a space for each U+2581 to out (length,); returns its bytes. */
size_t vocabulary_spell_llama(char *out, const char *text, size_t length);

/* The longest marked token that begins text[0 .. length), or TOKEN_NONE; control and unknown ones
 * only if `special`. Looks at no more than MARKED_MAX bytes. */
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

/* STATUS_UNKNOWN_TOKEN: `the vocabulary has no WHAT "TEXT"`. */
enum status vocabulary_lacks(struct fault *fault, const char *what, const char *text,
                             size_t length);

#endif
