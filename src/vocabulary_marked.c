/* The tokens that are found in text as they stand, before it is cut any further: sorted by their
 * bytes, so that a walk along the text narrows a range of them. */
#include <string.h>

#include "sort.h"
#include "vocabulary.h"

static int compare_text(const struct marked_token *a, const struct marked_token *b) {
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int compare_marked(const void *left, const void *right) {
    const struct marked_token *a = left, *b = right;
    int order = compare_text(a, b);
    if (order == 0) order = (int)a->special - (int)b->special;
    return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

void vocabulary_sort_marked(struct vocabulary *vocabulary) {
    struct marked_token *marked = vocabulary->marked;
    size_t kept = 0;
    sort(marked, vocabulary->n_marked, sizeof *marked, compare_marked);
    for (size_t i = 0; i < vocabulary->n_marked; i++)
        if (!kept || compare_text(&marked[kept - 1], &marked[i]) != 0 ||
            marked[kept - 1].special != marked[i].special)
            marked[kept++] = marked[i];
    vocabulary->n_marked = kept;
}

/* The first of marked[low .. high), all longer than `depth`, whose byte there is at least `byte`.
 */
static size_t lower_bound(const struct marked_token *marked, size_t low, size_t high, size_t depth,
                          unsigned byte) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)marked[middle].text[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t vocabulary_marked(const struct vocabulary *vocabulary, const char *text, size_t length,
                           bool special) {
    const struct marked_token *marked = vocabulary->marked;
    size_t low = 0, high = vocabulary->n_marked; /* those that agree with the text so far */
    uint32_t found = TOKEN_NONE;
    if (!length || !vocabulary->marks[(unsigned char)text[0]]) return TOKEN_NONE;
    for (size_t depth = 0; low < high; depth++) {
        /* Those that end here sort first: a user-defined one, a special one, or both. */
        for (; low < high && marked[low].length == depth; low++)
            if (special || !marked[low].special) found = marked[low].id;
        if (depth == length) break;
        unsigned byte = (unsigned char)text[depth];
        low = lower_bound(marked, low, high, depth, byte);
        high = lower_bound(marked, low, high, depth, byte + 1);
    }
    return found;
}
