/* The merge loop that both kinds of BPE share: of all adjacent pairs that may be joined, always the
 * one of lowest rank, leftmost on a tie. A heap over a linked list: n log n for every input. */
#ifndef LOGITSCOPE_BPE_H
#define LOGITSCOPE_BPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define BPE_END UINT32_MAX

/* A stretch text[start .. start + length); length 0: swallowed by the one on its left. */
struct bpe_symbol {
    uint32_t start, length;
    uint32_t previous, next; /* indices, BPE_END at either end */
    uint32_t id;             /* TOKEN_NONE while no token is spelled so */
};

/* Scratch of one encode, grown as needed. */
struct bpe_work {
    struct bpe_symbol *symbols; /* (capacity,) */
    uint64_t *heap;             /* (2 * capacity,) rank << 32 | index of the left symbol */
    size_t capacity, n_symbols, n_heap;
};

/* Whether two neighbours may be joined: the rank of the join and the id that it makes. */
struct bpe_rule {
    const void *tables;
    const char *text;
    bool (*join)(const struct bpe_rule *rule, const struct bpe_symbol *left,
                 const struct bpe_symbol *right, uint32_t *rank, uint32_t *id);
};

/* Where ids go: at most `capacity` are written, all are counted. */
struct bpe_ids {
    uint32_t *ids;
    size_t capacity, count;
};

static inline void bpe_ids_put(struct bpe_ids *ids, uint32_t id) {
    if (ids->count < ids->capacity) ids->ids[ids->count] = id;
    ids->count++;
}

/* Empties the scratch and makes room for n symbols; false when memory is out. */
bool bpe_work_reserve(struct bpe_work *work, size_t n);
void bpe_work_close(struct bpe_work *work);

/* Appends a symbol at the end of the list. */
void bpe_work_push(struct bpe_work *work, uint32_t start, uint32_t length, uint32_t id);

/* Joins neighbours until none may be joined. What is left is the list from symbols[0] on. */
void bpe_merge(struct bpe_work *work, const struct bpe_rule *rule);

#endif
