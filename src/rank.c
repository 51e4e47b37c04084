/* Selection in rank order by radix: three passes over the bits of the logits, each over the bucket
 * that the one before it singled out, so that no list is sorted but the one that is handed back. */
#include "rank.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BUCKETS = 2048 };

/* Larger logits have larger keys. Adding 0 turns -0 into +0, which is a tie with it. */
static uint32_t key_of(float logit) {
    float positive_zero = logit + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* A selection under way: `target` is reached by counting tokens or by adding weights. */
struct selection {
    const float *logits;
    const uint64_t *weights;
    bool by_mass;
    uint64_t target;
    struct rank_place place;
};

static uint64_t reached(const struct selection *s) {
    return s->by_mass ? s->place.mass_before : s->place.before;
}

/* Among candidate ids (all ids below n where `ids` is NULL) walks the buckets of the key's bits
 * from the best down to the one that reaches the target, and leaves that bucket's ids, in ascending
 * order, in `out`. Returns their number. `out` may be `ids`. */
static size_t narrow(struct selection *s, const uint32_t *ids, size_t n, int shift, uint32_t mask,
                     uint32_t *out) {
    uint32_t counts[BUCKETS] = {0};
    uint64_t masses[BUCKETS] = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t id = ids ? ids[i] : (uint32_t)i;
        if (s->logits[id] == -INFINITY) continue;
        uint32_t bucket = key_of(s->logits[id]) >> shift & mask;
        counts[bucket]++;
        if (s->weights) masses[bucket] += s->weights[id];
    }
    uint32_t bucket = mask;
    while (bucket > 0 && reached(s) + (s->by_mass ? masses[bucket] : counts[bucket]) < s->target) {
        s->place.before += counts[bucket];
        s->place.mass_before += masses[bucket];
        bucket--;
    }
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t id = ids ? ids[i] : (uint32_t)i;
        if (s->logits[id] == -INFINITY) continue;
        if ((key_of(s->logits[id]) >> shift & mask) == bucket) out[found++] = id;
    }
    return found;
}

static struct rank_place select_place(const float *logits, const uint64_t *weights, size_t n,
                                      bool by_mass, uint64_t target, uint32_t *scratch) {
    struct selection s = {logits, weights, by_mass, target, {0, 0, 0}};
    size_t found = narrow(&s, NULL, n, 21, 2047, scratch);
    found = narrow(&s, scratch, found, 10, 2047, scratch);
    found = narrow(&s, scratch, found, 0, 1023, scratch);
    for (size_t i = 0; i < found; i++) {
        uint64_t weight = weights ? weights[scratch[i]] : 0;
        s.place.id = scratch[i];
        if (i + 1 == found || reached(&s) + (by_mass ? weight : 1) >= target) break;
        s.place.before++;
        s.place.mass_before += weight;
    }
    return s.place;
}

struct rank_place rank_by_count(const float *logits, const uint64_t *weights, size_t n, uint32_t k,
                                uint32_t *scratch) {
    return select_place(logits, weights, n, false, k, scratch);
}

struct rank_place rank_by_mass(const float *logits, const uint64_t *weights, size_t n,
                               uint64_t target, uint32_t *scratch) {
    return select_place(logits, weights, n, true, target, scratch);
}

bool rank_precedes(const float *logits, uint32_t a, uint32_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
}

uint32_t rank_of(const float *logits, size_t n, uint32_t id) {
    uint32_t rank = 1;
    for (size_t i = 0; i < n; i++) rank += rank_precedes(logits, (uint32_t)i, id);
    return rank;
}

/* Bottom-up merge sort of ids by logit; equal logits keep their order, which is that of the ids. */
static void sort_ids(const float *logits, uint32_t *ids, size_t count, uint32_t *scratch) {
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++) {
                bool take_right =
                    left == middle || (right < end && logits[ids[right]] > logits[ids[left]]);
                scratch[i] = ids[take_right ? right++ : left++];
            }
        }
        memcpy(ids, scratch, count * sizeof *ids);
    }
}

size_t rank_top(const float *logits, size_t n, size_t top, uint32_t *ids, uint32_t *scratch) {
    size_t survivors = 0, found = 0;
    for (size_t i = 0; i < n; i++) survivors += logits[i] != -INFINITY;
    if (top > survivors) top = survivors;
    if (top == 0) return 0;
    uint32_t last = rank_by_count(logits, NULL, n, (uint32_t)top, scratch).id;
    for (uint32_t i = 0; i < n; i++)
        if (i == last || rank_precedes(logits, i, last)) ids[found++] = i;
    sort_ids(logits, ids, found, scratch);
    return found;
}
