/* build: -O2 */
/* Tail-free truncation: cuts at a share of the sum of bends. A bend is the absolute second
 * difference of the descending weights. The tail adds less than twice its first weight to this sum,
 * so the best tokens mostly decide. If they do not, the next band of tokens is sorted, in the end
 * all. */
#include <string.h>

#include "draw.h"
#include "warp_part.h"

enum { DIGITS = 256, INSERTED = 48 };

/* Least weights of the bands of tokens, which are sorted in this order. */
static const uint64_t LEAST[] = {(uint64_t)1 << 32, 1 << 28, 1 << 25, 1};

/* A curve of n descending weights: the last weight, the one before it, and the sum of bends. */
struct curve {
    uint64_t last, before, sum;
    size_t n;
};

/* Adds a weight; returns true if this adds a bend. */
static bool add_weight(struct curve *curve, uint64_t weight) {
    uint64_t rise = curve->before + weight, fall = 2 * curve->last;
    bool bends = curve->n >= 2;
    if (bends) curve->sum += rise > fall ? rise - fall : fall - rise;
    curve->before = curve->last;
    curve->last = weight;
    curve->n++;
    return bends;
}

/* Sorts n keys by their bytes, lowest first; few keys by insertion. keys[n .. 2 n) is scratch. */
static void sort_keys(uint32_t *keys, size_t n) {
    uint32_t *from = keys, *to = keys + n;
    for (size_t i = 1; i < n && n <= INSERTED; i++) {
        uint32_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
    for (int shift = 0; shift < 32 && n > INSERTED; shift += 8) {
        uint32_t next[DIGITS] = {0}, at = 0;
        for (size_t i = 0; i < n; i++) next[from[i] >> shift & (DIGITS - 1)]++;
        if (next[*from >> shift & (DIGITS - 1)] == n) continue;
        for (size_t d = 0; d < DIGITS; d++) {
            uint32_t count = next[d];
            next[d] = at;
            at += count;
        }
        for (size_t i = 0; i < n; i++) to[next[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

/* Turns a weight into a sort key, and back. A weight is exactly a float32, whose bits are
 * complemented: a larger weight has a smaller key. */
static uint32_t key_of(uint64_t weight) {
    float exact = (float)(int64_t)weight;
    uint32_t bits;
    memcpy(&bits, &exact, sizeof bits);
    return ~bits;
}

static uint64_t weight_of(uint32_t key) {
    uint32_t bits = ~key;
    float exact;
    memcpy(&exact, &bits, sizeof exact);
    return (uint64_t)(int64_t)exact;
}

/* Writes the sorted keys of weights in [least, above); returns their number. */
static size_t sort_band(const uint64_t *weights, size_t n, uint64_t above, uint64_t least,
                        uint32_t *keys) {
    size_t near = 0;
    for (size_t i = 0; i < n; i++) {
        keys[near] = key_of(weights[i]);
        near += weights[i] - least < above - least;
    }
    sort_keys(keys, near);
    return near;
}

/* Returns the number of bends whose sum stays within the bound. */
static size_t count_bends(const uint32_t *keys, size_t n, uint64_t bound) {
    struct curve curve = {0};
    size_t count = 0;
    for (size_t i = 0; i < n && curve.sum <= bound; i++)
        if (add_weight(&curve, weight_of(keys[i]))) count += curve.sum <= bound;
    return count;
}

/* Counts the bends whose sum stays within a share of all bends, from the curve of the best tokens.
 * Returns false if the other tokens could change the count. */
static bool decide_count(const uint32_t *keys, const struct curve *curve, bool complete,
                         uint64_t bits, size_t *count) {
    *count = count_bends(keys, curve->n, draw_scale(bits, curve->sum));
    if (complete || curve->n < 3) return complete;
    uint64_t most = draw_scale(bits, curve->sum + 2 * curve->before);
    return count_bends(keys, curve->n, most) == *count && *count + 2 < curve->n;
}

/* Removes every token after the `keep` best. The first n keys are sorted. */
static void keep_sorted(float *logits, const struct warp_input *input, const uint32_t *keys,
                        size_t n, double keep) {
    size_t last = (size_t)keep - 1;
    uint64_t least = keep > (double)n ? 0 : weight_of(keys[last]);
    if (!least || (last + 1 < n && keys[last + 1] == keys[last])) { /* logits and ids must decide */
        warp_keep_best(logits, input, keep);
        return;
    }
    for (size_t i = 0; i < input->vocab_size; i++)
        if (input->weights[i] < least) logits[i] = -INFINITY;
}

void warp_tfs_z(float *logits, const struct warp_input *input) {
    double z = value_of(input, SETTING_TFS_Z), share = z + 0x1p-20;
    if (z == 1 || share >= 1) return;
    size_t n = input->vocab_size, survivors = n, count = 0, known = 0;
    uint32_t *keys = input->scratch;
    struct curve curve = {0};
    bool decided = false;
    for (size_t r = 0; !decided; r++) {
        bool last = LEAST[r] == 1;
        uint64_t above = r ? LEAST[r - 1] : UINT64_MAX;
        known += sort_band(input->weights, n, above, LEAST[r], keys + known);
        if (last) survivors = warp_survivors(logits, n);
        /* after two tokens of weight 0, further ones add no bend */
        for (int i = 0; i < 2 && last && known < survivors; i++) keys[known++] = key_of(0);
        while (curve.n < known) add_weight(&curve, weight_of(keys[curve.n]));
        decided = decide_count(keys, &curve, last, (uint64_t)(share * 0x1p53), &count);
    }
    if (count + 2 >= survivors) return;
    if (convention_of(input) != CONVENTION_LLAMA_CPP) count++;
    double keep = fmax((double)(count ? count : 1), value_of(input, SETTING_MIN_TOKENS_TO_KEEP));
    keep_sorted(logits, input, keys, known, keep);
}
