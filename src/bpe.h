/* Both kinds of BPE and the merge loop that they share. It always joins the adjacent pair with the
 * lowest rank; on a tie, the leftmost pair. n symbols take at most n log n steps. */
#ifndef LOGITSCOPE_BPE_H
#define LOGITSCOPE_BPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vocabulary.h"

#define BPE_END UINT32_MAX

/* A symbol is text[start .. start + length); length 0: it was joined to its left neighbour. */
struct bpe_symbol {
    uint32_t start, length;
    uint32_t previous, next; /* indices of the neighbours; BPE_END if there is none */
    uint32_t id;             /* id of the token with these bytes, or TOKEN_NONE */
};

/* Scratch memory of an encode call, grown as needed. */
struct bpe_work {
    struct bpe_symbol *symbols; /* (capacity,) */
    uint64_t *heap;             /* (2 * capacity,) rank << 32 | index of the left symbol */
    size_t capacity, n_symbols, n_heap;
};

/* A kind of BPE: `join` returns true if it joins two neighbours, and then sets the rank of the pair
 * and the id of the result. `tables` belong to the kind. */
struct bpe_rule {
    const void *tables;
    const char *text;
    bool (*join)(const struct bpe_rule *rule, const struct bpe_symbol *left,
                 const struct bpe_symbol *right, uint32_t *rank, uint32_t *id);
};

/* Collects ids: writes at most `capacity` ids, but counts all of them. */
struct bpe_ids {
    uint32_t *ids;
    size_t capacity, count;
};

static inline void bpe_ids_put(struct bpe_ids *ids, uint32_t id) {
    if (ids->count < ids->capacity) ids->ids[ids->count] = id;
    ids->count++;
}

/* Clears the scratch and makes room for n symbols; false if memory is short. */
bool bpe_work_reserve(struct bpe_work *work, size_t n);
void bpe_work_close(struct bpe_work *work);

/* Appends a symbol at the end of the list. */
void bpe_work_push(struct bpe_work *work, uint32_t start, uint32_t length, uint32_t id);

/* Joins neighbours until none may be joined. The result is the list that begins at symbols[0]. */
void bpe_merge(struct bpe_work *work, const struct bpe_rule *rule);

/* Byte-level BPE as in GPT-2. The file spells bytes in a printable alphabet. A pre-tokenizer splits
 * the text; then pairs are merged by rank. Radford et al. 2019; Sennrich et al. 2016. */
struct bpe_gpt2; /* the merges; opaque */

/* Reads tokenizer.ggml.merges. `vocabulary` must outlive the result. */
enum status bpe_gpt2_open(struct bpe_gpt2 **merges, const struct vocabulary *vocabulary,
                          const struct gguf *file, struct fault *fault);
void bpe_gpt2_close(struct bpe_gpt2 *merges);

enum status bpe_gpt2_encode(const struct bpe_gpt2 *merges, struct bpe_work *work, const char *text,
                            size_t length, struct bpe_ids *ids, struct fault *fault);

/* BPE as in SentencePiece for Llama: merges characters by score; a character that is not in the
 * vocabulary becomes byte tokens. Kudo and Richardson 2018. */
struct bpe_llama; /* the vocabulary and the rank of each token by score; opaque */

/* Reads tokenizer.ggml.scores; `vocabulary` must outlive the result. */
enum status bpe_llama_open(struct bpe_llama **scores, const struct vocabulary *vocabulary,
                           const struct gguf *file, struct fault *fault);
void bpe_llama_close(struct bpe_llama *scores);

/* Encodes the text as it is; the caller adds llama's leading space. */
enum status bpe_llama_encode(const struct bpe_llama *scores, struct bpe_work *work,
                             const char *text, size_t length, struct bpe_ids *ids,
                             struct fault *fault);

#endif
