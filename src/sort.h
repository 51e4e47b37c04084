/* Sorting, and sorted tables to look things up in, in n log n steps whatever a file holds. */
#ifndef LOGITSCOPE_SORT_H
#define LOGITSCOPE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts n items of `size` bytes as qsort does; equal ones end in no particular order. The C
 * library's own is three times as long. */
void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* A table of n items in buckets: those of bucket b are items[first[b]] .. items[first[b + 1]],
 * sorted. A look into it takes a step or two for ordinary items, log n for any. */
struct buckets {
    void *items;     /* (n,) of `size` bytes */
    uint32_t *first; /* (mask + 2,) */
    size_t size, mask;
};

/* Makes the table of `items`, which must come from malloc and belong to it from then on. An item's
 * first four bytes are a hash, of which the low bits are its bucket; compare as for sort, equal for
 * items that one look finds. False when memory is out. */
bool buckets_open(struct buckets *buckets, void *items, size_t n, size_t size,
                  int (*compare)(const void *, const void *));
void buckets_close(struct buckets *buckets);

/* The first item of the order that is not before `wanted`, or NULL if its bucket has none. */
const void *buckets_find(const struct buckets *buckets, const void *wanted,
                         int (*compare)(const void *, const void *));

#endif
