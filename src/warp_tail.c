/* build: -O2 */
/* Tail-free truncation: where the falling curve of the weights has spent its bends. What the tail
 * adds to their sum is less than twice the weight at which it begins, so that mostly the tokens
 * near the best decide; where that leaves a doubt, more of them are sorted, at last all. */
#include <string.h>

#include "draw.h"
#include "elementary.h"
#include "warp_part.h"

enum { DIGITS = 256, INSERTED = 16 };

/* How far below the best the tokens are that are tried to decide. */
static const float REACH[] = {5, 11, INFINITY};

/* A curve of n falling weights under way: the last two of them, the sum of the bends so far. */
struct curve {
    uint64_t last, before, sum;
    size_t n;
};

/* Adds a weight; returns whether it made a bend. */
static bool go_on(struct curve *curve, uint64_t weight) {
    uint64_t rise = curve->before + weight, fall = 2 * curve->last;
    bool bends = curve->n >= 2;
    if (bends) curve->sum += rise > fall ? rise - fall : fall - rise;
    curve->before = curve->last;
    curve->last = weight;
    curve->n++;
    return bends;
}

/* Sorts keys in place, by bytes from the highest on; few by insertion. McIlroy et al. 1993. */
static void sort_keys(uint32_t *keys, size_t n, int shift) {
    uint32_t next[DIGITS], end[DIGITS] = {0}, at = 0;
    if (n <= INSERTED || shift < 0) {
        for (size_t i = 1; i < n; i++) {
            uint32_t key = keys[i];
            size_t j = i;
            for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) end[keys[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t d = 0; d < DIGITS; d++) {
        next[d] = at;
        at += end[d];
        end[d] = at;
    }
    for (uint32_t d = 0; d < DIGITS; d++) {
        while (next[d] < end[d]) { /* hands each key on to its place until one belongs here */
            uint32_t key = keys[next[d]], digit = key >> shift & (DIGITS - 1);
            while (digit != d) {
                uint32_t other = keys[next[digit]];
                keys[next[digit]++] = key;
                key = other;
                digit = key >> shift & (DIGITS - 1);
            }
            keys[next[d]++] = key;
        }
    }
    for (uint32_t d = 0; d < DIGITS; d++) {
        uint32_t from = d ? end[d - 1] : 0;
        if (end[d] - from > 1) sort_keys(keys + from, end[d] - from, shift - 8);
    }
}

/* Bits of a float with its order turned round; and back. */
static uint32_t key_of(float logit) {
    uint32_t bits;
    memcpy(&bits, &logit, sizeof bits);
    return bits >> 31 ? bits : ~bits & 0x7fffffff;
}

static uint64_t weight_of(uint32_t key, float max) {
    uint32_t bits = key >> 31 ? key : ~key & 0x7fffffff;
    float logit;
    memcpy(&logit, &bits, sizeof logit);
    return (uint64_t)((double)elementary_exp(logit - max) * 0x1p44);
}

/* How many bends, added up, stay within the bound. */
static size_t count_bends(const uint32_t *keys, size_t n, float max, uint64_t bound) {
    struct curve curve = {0};
    size_t count = 0;
    for (size_t i = 0; i < n && curve.sum <= bound; i++)
        if (go_on(&curve, weight_of(keys[i], max))) count += curve.sum <= bound;
    return count;
}

/* The same where the bound is a share of the sum, from the best n, sorted; false if the others
 * could change it. */
static bool decide(const uint32_t *keys, size_t n, float max, bool complete, uint64_t bits,
                   size_t *count) {
    struct curve curve = {0};
    for (size_t i = 0; i < n; i++) go_on(&curve, weight_of(keys[i], max));
    *count = count_bends(keys, n, max, draw_scale(bits, curve.sum));
    if (complete || n < 3) return complete;
    size_t most = count_bends(keys, n, max, draw_scale(bits, curve.sum + 2 * curve.before));
    return most == *count && most + 2 < n;
}

void warp_tfs_z(float *logits, const struct warp_input *input) {
    double share = value_of(input, SETTING_TFS_Z) + 0x1p-20;
    size_t n = input->vocab_size, survivors = warp_survivors(logits, n), count = 0;
    uint32_t *keys = input->scratch;
    bool decided = false;
    if (value_of(input, SETTING_TFS_Z) == 1 || share >= 1 || survivors <= 2) return;
    float max = logits[warp_best(logits, n)];
    for (size_t r = 0; !decided; r++) {
        size_t near = 0;
        for (size_t i = 0; i < n; i++) {
            keys[near] = key_of(logits[i]);
            near += logits[i] >= max - REACH[r] && logits[i] != -INFINITY;
        }
        sort_keys(keys, near, 24);
        decided = decide(keys, near, max, near == survivors, (uint64_t)(share * 0x1p53), &count);
    }
    if (count + 2 >= survivors) return;
    if (convention_of(input) != CONVENTION_LLAMA_CPP) count++;
    warp_keep_best(logits, input, count ? (double)count : 1);
}
