/* Heapsort (Williams 1964, Floyd 1964), and hash buckets whose items are sorted. */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *base = items;
    size_t sorted = 1, root = n / 2, end = n;
    while (sorted < n && compare(base + (sorted - 1) * size, base + sorted * size) <= 0) sorted++;
    if (sorted >= n) return; /* the items are already sorted, as lists in files often are */
    while (end > 1) {
        if (root > 0)
            root--; /* the heap is still being built */
        else
            swap(base, base + --end * size, size);
        for (size_t at = root, child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && compare(base + child * size, base + (child + 1) * size) < 0)
                child++;
            if (compare(base + at * size, base + child * size) >= 0) break;
            swap(base + at * size, base + child * size, size);
        }
    }
}

static uint32_t hash_of(const char *item) {
    uint32_t hash;
    memcpy(&hash, item, sizeof hash);
    return hash;
}

/* Copies items into the table, ordered by bucket (counting sort). */
static void distribute_items(struct buckets *to, const char *items, size_t n) {
    uint32_t *first = to->first, sum = 0;
    for (size_t i = 0; i < n; i++) first[hash_of(items + i * to->size) & to->mask]++;
    for (size_t b = 0; b <= to->mask; b++) {
        uint32_t count = first[b];
        first[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        const char *item = items + i * to->size;
        memcpy((char *)to->items + first[hash_of(item) & to->mask]++ * to->size, item, to->size);
    }
    for (size_t b = to->mask + 1; b > 0; b--) first[b] = first[b - 1]; /* ends to beginnings */
    first[0] = 0;
}

bool buckets_open(struct buckets *buckets, void *items, size_t n, size_t size,
                  int (*compare)(const void *, const void *)) {
    size_t count = 16;
    while (count < n) count *= 2;
    *buckets = (struct buckets){malloc(n * size + 1), calloc(count + 1, sizeof(uint32_t)), size,
                                count - 1};
    bool complete = buckets->items && buckets->first;
    if (complete) {
        distribute_items(buckets, items, n);
        for (size_t b = 0; b < count; b++) {
            uint32_t from = buckets->first[b];
            sort((char *)buckets->items + from * size, buckets->first[b + 1] - from, size, compare);
        }
    } else {
        buckets_close(buckets);
    }
    free(items);
    return complete;
}

void buckets_close(struct buckets *buckets) {
    free(buckets->items);
    free(buckets->first);
    buckets->items = buckets->first = NULL;
}

const void *buckets_find(const struct buckets *buckets, const void *wanted,
                         int (*compare)(const void *, const void *)) {
    size_t bucket = hash_of(wanted) & buckets->mask;
    size_t low = buckets->first[bucket], high = buckets->first[bucket + 1], end = high;
    const char *items = buckets->items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(items + middle * buckets->size, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end ? items + low * buckets->size : NULL;
}
