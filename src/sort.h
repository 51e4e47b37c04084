/* Sorting in place, in n log n steps whatever a file holds. */
#ifndef LOGITSCOPE_SORT_H
#define LOGITSCOPE_SORT_H

#include <stddef.h>

/* Sorts n items of `size` bytes as qsort does; equal ones end in no particular order. The C
 * library's own is three times as long. */
void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
