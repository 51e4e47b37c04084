/* Heapsort (Williams 1964, Floyd 1964). */
#include "sort.h"

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
    if (sorted >= n) return; /* files often hold their lists in order */
    while (end > 1) {
        if (root > 0)
            root--; /* still making the heap */
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
