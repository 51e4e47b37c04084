/* Sorting and sorted look-up tables. Every input takes at most n log n steps. */
#ifndef LOGITSCOPE_SORT_H
#define LOGITSCOPE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts n items of `size` bytes like qsort, without a fixed order of equal items. The C library's
 * qsort has three times as much code. */
void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* A hash table of n items: bucket b is items[first[b]] .. items[first[b + 1]], sorted. A look-up
 * takes one or two steps on average, and at most log n. */
struct buckets {
    void *items;     /* (n,) of `size` bytes */
    uint32_t *first; /* (mask + 2,) */
    size_t size, mask;
};

/* Builds a table that owns `items`, allocated with malloc. An item's first four bytes are its hash;
 * the low bits select the bucket. `compare` orders items as for sort; it must return 0 for items
 * that one look-up may find. False if memory is short. */
bool buckets_open(struct buckets *buckets, void *items, size_t n, size_t size,
                  int (*compare)(const void *, const void *));
void buckets_close(struct buckets *buckets);

/* Returns the first item of the bucket that does not sort before `wanted`, or NULL. */
const void *buckets_find(const struct buckets *buckets, const void *wanted,
                         int (*compare)(const void *, const void *));

#endif
