/* build: -O2 */
/* Tail-free truncation: where the falling curve of the weights has spent its bends. What the tail
 * adds to their sum is less than twice the weight at which it begins, so that where one token
 * stands out the best few decide; a curve too flat for that is sorted as a whole. */
#include <string.h>

#include "draw.h"
#include "elementary.h"
#include "rank.h"
#include "warp_part.h"

enum { FEW = 128, DIGITS = 256, INSERTED = 16 };

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

/* How many bends, added up, stay within the share of the sum. */
static size_t count_bends(const uint64_t *weights, const uint32_t *ids, size_t n, uint64_t bound) {
    struct curve curve = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (go_on(&curve, weights[ids[i]])) count += curve.sum <= bound;
    return count;
}

/* The same from the n best; false if their tail could change it. */
static bool decide(const struct warp_input *input, const uint32_t *ids, size_t n, bool complete,
                   uint64_t bits, size_t *count) {
    struct curve curve = {0};
    for (size_t i = 0; i < n; i++) go_on(&curve, input->weights[ids[i]]);
    uint64_t tail = complete ? 0 : 2 * curve.before;
    *count = count_bends(input->weights, ids, n, draw_scale(bits, curve.sum));
    size_t most = count_bends(input->weights, ids, n, draw_scale(bits, curve.sum + tail));
    return complete || (most == *count && most + 2 < n);
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

/* Over all of them, sorted by logit in scratch. */
static size_t count_in_all(const float *logits, const struct warp_input *input, uint64_t bits) {
    struct curve curve = {0}, again = {0};
    size_t n = 0, count = 0;
    float max = logits[warp_best(logits, input->vocab_size)];
    for (size_t i = 0; i < input->vocab_size; i++) {
        input->scratch[n] = key_of(logits[i]);
        n += logits[i] != -INFINITY;
    }
    sort_keys(input->scratch, n, 24);
    for (size_t i = 0; i < n; i++) go_on(&curve, weight_of(input->scratch[i], max));
    uint64_t bound = draw_scale(bits, curve.sum);
    for (size_t i = 0; i < n && again.sum <= bound; i++)
        if (go_on(&again, weight_of(input->scratch[i], max))) count += again.sum <= bound;
    return count;
}

void warp_tfs_z(float *logits, const struct warp_input *input) {
    double share = value_of(input, SETTING_TFS_Z) + 0x1p-20;
    uint32_t ids[FEW];
    size_t n = input->vocab_size, survivors = warp_survivors(logits, n), count = 0;
    if (value_of(input, SETTING_TFS_Z) == 1 || share >= 1 || survivors <= 2) return;
    uint64_t bits = (uint64_t)(share * 0x1p53);
    size_t best = rank_top(logits, n, n < FEW ? n : FEW, ids, input->scratch);
    if (!decide(input, ids, best, best == survivors, bits, &count))
        count = count_in_all(logits, input, bits);
    if (count + 2 >= survivors) return;
    if (convention_of(input) != CONVENTION_LLAMA_CPP) count++;
    warp_keep_best(logits, input, count ? (double)count : 1);
}
