/* Finds the tokens of a vocabulary after which a text can still become a text of a grammar. */
#ifndef LOGITSCOPE_CONSTRAINT_H
#define LOGITSCOPE_CONSTRAINT_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "tokenizer.h"

/* The tokens and bytes that may follow. Owned by the constraint, valid until the next call. */
struct constraint_mask {
    const uint32_t *allowed; /* bit i % 32 of word i / 32 is 1 if token i is allowed */
    uint32_t count;          /* bits set in `allowed` */
    uint32_t complete;       /* 1 if the text may end here */
    uint32_t bytes[8];       /* bit i % 32 of word i / 32 is 1 if byte i is allowed */
    char rule[64];           /* name of the innermost unfinished rule; "" if there is none */
};

struct lexicon;    /* a vocabulary's tokens in the order of their bytes; opaque, immutable */
struct constraint; /* opaque */

/* Sorts the tokens of a tokenizer, which must outlive the lexicon. Fails with
 * STATUS_OUT_OF_MEMORY. */
enum status lexicon_open(struct lexicon **lexicon, const struct tokenizer *tokenizer,
                         struct fault *fault);
void lexicon_close(struct lexicon *lexicon);

/* Compiles the grammar; the lexicon must outlive the constraint. Fails as grammar_open does. */
enum status constraint_open(struct constraint **constraint, const struct lexicon *lexicon,
                            const char *text, size_t length, struct fault *fault);
void constraint_close(struct constraint *constraint);

/* Returns the mask after the n ids generated so far. A token is allowed if it has bytes and the
 * grammar can continue with them. In a vocabulary of at most 4,096 tokens, whole tokens must also
 * be able to complete the text: after the word "read", where only "reading" fits, nothing follows.
 * End tokens are allowed if the text is complete; after an end token a new text begins. Other
 * special tokens are never allowed. Returns NULL on failure: STATUS_NOTHING_LEFT if the grammar
 * does not accept the ids, STATUS_UNSUPPORTED if it needs too many states. The mask depends only on
 * grammar and ids. Allocates nothing. */
const struct constraint_mask *constraint_follow(struct constraint *constraint, const uint32_t *ids,
                                                size_t n, struct fault *fault);

#endif
