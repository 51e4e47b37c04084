/* The merge loop: a binary heap of candidate pairs over a doubly linked list of symbols. */
#include "bpe.h"

#include <stdlib.h>

bool bpe_work_reserve(struct bpe_work *work, size_t n) {
    work->n_symbols = work->n_heap = 0;
    if (n <= work->capacity) return true;
    size_t capacity = work->capacity ? work->capacity : 64;
    while (capacity < n) capacity *= 2;
    bpe_work_close(work);
    work->symbols = malloc(capacity * sizeof *work->symbols);
    work->heap = malloc(2 * capacity * sizeof *work->heap);
    if (!work->symbols || !work->heap) {
        bpe_work_close(work);
        return false;
    }
    work->capacity = capacity;
    return true;
}

void bpe_work_close(struct bpe_work *work) {
    free(work->symbols);
    free(work->heap);
    *work = (struct bpe_work){0};
}

void bpe_work_push(struct bpe_work *work, uint32_t start, uint32_t length, uint32_t id) {
    uint32_t n = (uint32_t)work->n_symbols++;
    work->symbols[n] = (struct bpe_symbol){start, length, n - 1, BPE_END, id};
    if (n) work->symbols[n - 1].next = n; /* for n = 0, n - 1 is BPE_END */
}

static void heap_push(struct bpe_work *work, uint64_t key) {
    size_t i = work->n_heap++;
    for (; i && work->heap[(i - 1) / 2] > key; i = (i - 1) / 2)
        work->heap[i] = work->heap[(i - 1) / 2];
    work->heap[i] = key;
}

static uint64_t heap_pop(struct bpe_work *work) {
    uint64_t least = work->heap[0], key = work->heap[--work->n_heap];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < work->n_heap) {
        if (child + 1 < work->n_heap && work->heap[child + 1] < work->heap[child]) child++;
        if (work->heap[child] >= key) break;
        work->heap[i] = work->heap[child];
        i = child;
    }
    work->heap[i] = key;
    return least;
}

/* Finds rank and id of the pair that begins with symbol `left`; false if it may not be joined. */
static bool current_pair(const struct bpe_work *work, const struct bpe_rule *rule, uint32_t left,
                         uint32_t *rank, uint32_t *id) {
    const struct bpe_symbol *symbol = &work->symbols[left];
    if (symbol->length == 0 || symbol->next == BPE_END) return false;
    return rule->join(rule, symbol, &work->symbols[symbol->next], rank, id);
}

static void push_pair(struct bpe_work *work, const struct bpe_rule *rule, uint32_t left) {
    uint32_t rank, id;
    if (left != BPE_END && current_pair(work, rule, left, &rank, &id))
        heap_push(work, (uint64_t)rank << 32 | left);
}

/* The heap never exceeds its 2 * capacity entries: it starts with at most n - 1 pairs, and each of
 * at most n - 1 joins removes one entry and adds at most two. */
void bpe_merge(struct bpe_work *work, const struct bpe_rule *rule) {
    struct bpe_symbol *symbols = work->symbols;
    for (uint32_t i = 0; i < work->n_symbols; i++) push_pair(work, rule, i);
    while (work->n_heap) {
        uint64_t key = heap_pop(work);
        uint32_t left = (uint32_t)key, rank, id;
        /* A heap entry is stale unless the current pair has the entry's rank. */
        if (!current_pair(work, rule, left, &rank, &id) || rank != key >> 32) continue;
        struct bpe_symbol *symbol = &symbols[left], *right = &symbols[symbol->next];
        symbol->length += right->length;
        symbol->id = id;
        symbol->next = right->next;
        right->length = 0;
        if (symbol->next != BPE_END) symbols[symbol->next].previous = left;
        push_pair(work, rule, symbol->previous);
        push_pair(work, rule, left);
    }
}
