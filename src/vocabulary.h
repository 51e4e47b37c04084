/* The tokens of a GGUF image, checked and spelled as in text. All kinds of tokenizer share this
 * part. Internal to the tokenizer: other code includes tokenizer.h. */
#ifndef LOGITSCOPE_VOCABULARY_H
#define LOGITSCOPE_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "pretokenizer.h"
#include "status.h"
#include "token_map.h"

/* Types of tokens, with the numbers of tokenizer.ggml.token_type. */
enum token_type {
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN,      /* special: replaces unknown text; never made from plain text */
    TOKEN_CONTROL,      /* special: marks the begin or end of a text or a message */
    TOKEN_USER_DEFINED, /* found in text first, never cut */
    TOKEN_UNUSED,       /* never made from text */
    TOKEN_BYTE          /* llama: one byte, spelled <0xNN> in the file */
};

enum vocabulary_kind { KIND_CHAR, KIND_WORD, KIND_GPT2, KIND_LLAMA };

/* Limits of a file: number of tokens, bytes of a token, bytes of a marked token. Encoding takes
 * longer with longer tokens, so a hostile file could block it without limits. */
enum { VOCABULARY_MAX = 1 << 24, TOKEN_BYTES_MAX = 1024, MARKED_MAX = 256 };
enum { VOCABULARY_ENDS_MAX = 40 };

/* Bits: a marked token strips white space before it (LEFT), after it (RIGHT). */
enum { STRIPS_LEFT = 1, STRIPS_RIGHT = 2 };

/* Bits of the added leading space: only at the start of a text, not after special tokens (ONCE);
 * not before a text that begins with a space (SPARING); in the gpt2 kind too (GPT2). */
enum { PREFIX_ONCE = 1, PREFIX_SPARING = 2, PREFIX_GPT2 = 4 };

/* A control, unknown or user-defined token. Encoding searches the text for these tokens first. */
struct marked_token {
    const char *text;
    uint32_t length, id;
    bool special; /* true for a control or unknown token */
};

struct vocabulary {
    enum vocabulary_kind kind;
    const struct pretokenizer *pretokenizer; /* gpt2: splits the text first; else NULL */
    bool pre_stated;                         /* true if the file names the pre-tokenizer */
    uint32_t size;
    char *bytes;          /* the texts of all tokens, one after another */
    uint32_t *start;      /* (size + 1,) token id is bytes[start[id] .. start[id + 1]) */
    uint8_t *type;        /* (size,) enum token_type */
    struct token_map map; /* finds normal and user-defined tokens; of equal texts the lowest id */
    uint32_t byte[256];   /* llama: the byte token of each byte, or TOKEN_NONE */
    struct marked_token *marked; /* (n_marked,) sorted by bytes, so that each byte of the text
                                    narrows the range of candidates */
    size_t n_marked;
    bool marks[256];                    /* true if a marked token begins with this byte */
    uint32_t bos, eos;                  /* TOKEN_NONE if absent */
    uint32_t ends[VOCABULARY_ENDS_MAX]; /* (n_ends,) tokens that end a text, ascending */
    size_t n_ends;
    bool add_bos, add_space_prefix;
    bool whole_first, nfc; /* gpt2: as in struct pretokenizer, or as the file says */
    uint32_t prefix;       /* PREFIX_ bits */
    uint8_t strips;        /* STRIPS_ bits of marked tokens; vocabulary_strips omits some tokens */
    uint8_t *stripping;    /* (size,) STRIPS_ bits by id, in place of `strips`; or NULL */
};

/* Reads and copies tokenizer.ggml.*. Fails as tokenizer_open does; after a failure the caller need
 * not close the vocabulary. */
enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *file,
                            uint32_t vocab_size, struct fault *fault);
void vocabulary_close(struct vocabulary *vocabulary);

/* Finds the array under `key` with elements of `type`. *out is NULL if the array is absent and not
 * `required`. The array must have `size` elements unless `size` is 0. */
enum status vocabulary_array(const struct gguf *file, const char *key, enum gguf_type type,
                             bool required, uint32_t size, const struct gguf_value **out,
                             struct fault *fault);

/* Decodes `length` bytes of text in GPT-2's printable alphabet into out (length,). *used gets the
 * number of decoded bytes. False if a character is outside the alphabet. */
bool vocabulary_spell_gpt2(char *out, size_t *used, const char *text, size_t length);

/* Copies text to out (length,) with a space for each U+2581; returns the written bytes. */
size_t vocabulary_spell_llama(char *out, const char *text, size_t length);

/* Returns the longest marked token at the beginning of text[0 .. length), or TOKEN_NONE. Finds
 * control and unknown tokens only if `special` is true. Reads at most MARKED_MAX bytes. */
uint32_t vocabulary_marked(const struct vocabulary *vocabulary, const char *text, size_t length,
                           bool special);

/* Returns the STRIPS_ bits of a token: lstrip and rstrip in the model's own tokenizer.json. If the
 * file has no tokenizer.logitscope.lstrip or rstrip, the model's name decides: Phi-3's tokens strip
 * white space after them, except <unk>, <s> and <|endoftext|>; Phi-4's tokens strip both sides. */
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

/* Fails with STATUS_UNKNOWN_TOKEN and the text; `kind` is "word", "character" or "byte". */
enum status vocabulary_lacks(struct fault *fault, const char *kind, const char *text,
                             size_t length);

#endif
