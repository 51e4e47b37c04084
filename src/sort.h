/* Sorting, and sorted look-up tables, in n log n steps for any input. */
#ifndef LOGITSCOPE_SORT_H
#define LOGITSCOPE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts n items of `size` bytes like qsort; equal items end in no particular order. The C library's
 * qsort is three times as large. */
void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* A hash table of n items: bucket b is items[first[b]] .. items[first[b + 1]], sorted. A look-up
 * takes a step or two for ordinary items, log n for any. */
struct buckets {
    void *items;     /* (n,) of `size` bytes */
    uint32_t *first; /* (mask + 2,) */
    size_t size, mask;
};

/* Makes the table of `items`, which come from malloc and then belong to it. An item's first four
 * bytes are a hash, whose low bits are its bucket. `compare` is as for sort, and 0 for items that
 * one look-up may find. False when memory is out. */
bool buckets_open(struct buckets *buckets, void *items, size_t n, size_t size,
                  int (*compare)(const void *, const void *));
void buckets_close(struct buckets *buckets);

/* Returns the first item of the bucket that does not sort before `wanted`, or NULL. */
const void *buckets_find(const struct buckets *buckets, const void *wanted,
                         int (*compare)(const void *, const void *));

#endif
