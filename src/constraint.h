/* A grammar over one vocabulary: finds the tokens that can continue a text so that the grammar can
 * still accept it. */
#ifndef LOGITSCOPE_CONSTRAINT_H
#define LOGITSCOPE_CONSTRAINT_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "tokenizer.h"

/* The tokens and bytes that may come next. Owned by the constraint, valid until the next call. */
struct constraint_mask {
    const uint32_t *allowed; /* bit i % 32 of word i / 32: token i */
    uint32_t count;          /* bits set in `allowed` */
    uint32_t complete;       /* the text may end here */
    uint32_t bytes[8];       /* the same as allowed, for bytes */
    char rule[64];           /* the innermost rule under way, "" if there is none */
};

struct lexicon;    /* a vocabulary's tokens in the order of their bytes; opaque, immutable */
struct constraint; /* opaque */

/* The tokenizer must outlive it. STATUS_OUT_OF_MEMORY. */
enum status lexicon_open(struct lexicon **lexicon, const struct tokenizer *tokenizer,
                         struct fault *fault);
void lexicon_close(struct lexicon *lexicon);

/* Compiles the grammar; the lexicon must outlive it. grammar_open's failures. */
enum status constraint_open(struct constraint **constraint, const struct lexicon *lexicon,
                            const char *text, size_t length, struct fault *fault);
void constraint_close(struct constraint *constraint);

/* Returns the mask after the n ids generated so far. A token is allowed if it has bytes and these
 * can follow. End tokens are allowed if the text is complete, and another text begins after one;
 * other special tokens never are. NULL: STATUS_NOTHING_LEFT if the ids themselves do not fit,
 * STATUS_UNSUPPORTED if the grammar needs too many states. Depends only on grammar and ids;
 * allocates nothing. */
const struct constraint_mask *constraint_follow(struct constraint *constraint, const uint32_t *ids,
                                                size_t n, struct fault *fault);

#endif
