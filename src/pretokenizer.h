/* How text is split before byte-level BPE: what tokenizer.ggml.pre names. Each name stands for
 * regular expressions, one pass after another, and each is a short splitter here: a pass cuts a
 * stretch of text in pieces that it matches and what lies between, the next pass cuts each piece
 * alone. Time is linear in the text. Classes of characters are those of unicode_table.c.
 *
 * Names and expressions are those of llama.cpp's src/llama-vocab.cpp; of tekken and gpt-4o it is
 * the models' own expression, which llama.cpp approximates beyond ASCII. The expressions stand in
 * tests/fixtures/pretokenizers.js, against which this is tested. */
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
    bool whole_first; /* a piece that is a token is that token, whatever the merges make of it */
    bool add_bos;     /* where tokenizer.ggml.add_bos_token is absent */
    bool nfc;         /* the model's own tokenizer.json brings text into Unicode's form C first */
};

/* The one of that name, or NULL. */
const struct pretokenizer *pretokenizer_find(const char *name, size_t length);

/* A walk along a text: the next piece begins at `at`. */
struct pretokenizer_walk {
    const struct pretokenizer *pretokenizer;
    const char *text;
    size_t at;
    size_t ends[PRETOKENIZER_PASSES_MAX + 1]; /* of the stretch that each pass is in */
};

struct pretokenizer_walk pretokenizer_begin(const struct pretokenizer *pretokenizer,
                                            const char *text, size_t length);

/* Where the piece ends that begins at `at` < length; the walk goes on there. */
size_t pretokenizer_next(struct pretokenizer_walk *walk);

#endif
