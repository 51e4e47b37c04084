/* Splits text into pieces before byte-level BPE. tokenizer.ggml.pre names a list of regular
 * expressions, applied one after another; here a function, a pass, replaces each expression. A pass
 * cuts a text into its matches and the text between them. The next pass cuts each of these pieces.
 * Time is linear in the text. unicode_table.c has the classes of characters.
 *
 * Names and expressions come from llama.cpp's src/llama-vocab.cpp. tekken and gpt-4o use the
 * models' own expressions, which llama.cpp only approximates outside ASCII. Tests compare with the
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
    bool whole_first; /* true if a piece that is itself a token skips the merges */
    bool add_bos;     /* default if tokenizer.ggml.add_bos_token is absent */
    bool nfc;         /* true if the model's own tokenizer.json first normalises text to form C */
};

/* Returns the pre-tokenizer of that name, or NULL. */
const struct pretokenizer *pretokenizer_find(const char *name, size_t length);

/* The state of a walk along a text. The next piece begins at `at`. */
struct pretokenizer_walk {
    const struct pretokenizer *pretokenizer;
    const char *text;
    size_t at;
    size_t ends[PRETOKENIZER_PASSES_MAX + 1]; /* ends[i]: end of the text that pass i now cuts */
};

struct pretokenizer_walk pretokenizer_begin(const struct pretokenizer *pretokenizer,
                                            const char *text, size_t length);

/* Returns the end of the piece that begins at `at` < length, and moves the walk there. */
size_t pretokenizer_next(struct pretokenizer_walk *walk);

#endif
