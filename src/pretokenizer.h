/* Splits text before byte-level BPE, as tokenizer.ggml.pre names it. Each name means regular
 * expressions, applied one after another; here each expression is a short splitter, a pass. A pass
 * cuts a stretch of text into its matches and the text between them; the next pass cuts each piece
 * separately. Time is linear in the text. unicode_table.c has the classes of characters.
 *
 * Names and expressions are those of llama.cpp's src/llama-vocab.cpp; tekken and gpt-4o use the
 * models' own expression, which llama.cpp approximates beyond ASCII. Tests compare with the
 * expressions in tests/fixtures/pretokenizers.js. */
#ifndef LOGITSCOPE_PRETOKENIZER_H
#define LOGITSCOPE_PRETOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRETOKENIZER_PASSES_MAX = 6 };

struct pretokenizer_pass;

struct pretokenizer {
    const char *name;
    const struct pretokenizer_pass *passes; /* (n_passes,) */
    uint8_t n_passes;
    bool whole_first; /* a piece that is itself a token skips the merges */
    bool add_bos;     /* default if tokenizer.ggml.add_bos_token is absent */
    bool nfc;         /* the model's own tokenizer.json normalises text to form C first */
};

/* Returns the pre-tokenizer of that name, or NULL. */
const struct pretokenizer *pretokenizer_find(const char *name, size_t length);

/* A walk along a text: the next piece begins at `at`. */
struct pretokenizer_walk {
    const struct pretokenizer *pretokenizer;
    const char *text;
    size_t at;
    size_t ends[PRETOKENIZER_PASSES_MAX + 1]; /* of the current stretch of each pass */
};

struct pretokenizer_walk pretokenizer_begin(const struct pretokenizer *pretokenizer,
                                            const char *text, size_t length);

/* Returns the end of the piece that begins at `at` < length, and moves the walk there. */
size_t pretokenizer_next(struct pretokenizer_walk *walk);

#endif
