/* Selection in rank order by radix: three passes over the bits of the logits, each over the bucket
 * that the one before it singled out, so that no list is sorted but the one that is handed back. */
#include "rank.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BUCKETS = 2048, BLOCK = 64 };

/* Larger logits have larger keys. Adding 0 turns -0 into +0, which is a tie with it. */
static uint32_t key_of(float logit) {
    float positive_zero = logit + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
}

/* The least float whose key is `key`. */
static float least_with(uint32_t key) {
    uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* What a token adds towards the target: its weight, or 1 where tokens are counted. */
static uint64_t amount_of(const float *logits, const uint64_t *weights, size_t id) {
    if (weights) return weights[id];
    return logits[id] == -INFINITY ? 0 : 1;
}

/* A selection under way: `missing` is what the target still lacks, `before` the tokens passed. */
struct selection {
    const float *logits;
    const uint64_t *weights; /* NULL: count */
    uint64_t missing;
    uint32_t before;
};

/* Walks the buckets from the best down to the one that reaches the target. */
static uint32_t choose(struct selection *s, const uint64_t *amounts, uint32_t best) {
    uint32_t chosen = best;
    for (; chosen > 0 && amounts[chosen] < s->missing; chosen--) s->missing -= amounts[chosen];
    return chosen;
}

/* Puts the ids of the tokens with low <= logit < high into `out`, ascending, and counts those
 * above. A block that holds none is passed over by a loop without a branch, of which compilers make
 * vectors. */
static size_t collect(struct selection *s, size_t n, float low, float high, uint32_t *out) {
    size_t found = 0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = start + BLOCK < n ? start + BLOCK : n;
        uint32_t above = 0, inside = 0;
        for (size_t i = start; i < end; i++) {
            above += s->logits[i] >= high;
            inside += s->logits[i] >= low;
        }
        s->before += above;
        if (inside == above) continue;
        for (size_t i = start; i < end; i++) { /* no branch here either: hits are not foreseen */
            out[found] = (uint32_t)i;
            found += (s->logits[i] >= low) & (s->logits[i] < high);
        }
    }
    return found;
}

/* The first pass, over all tokens by the first 11 bits of their keys. Neighbours add to two
 * histograms in turn, so that one need not wait for the other's sum. */
static size_t narrow_all(struct selection *s, size_t n, uint32_t *out) {
    uint64_t even[BUCKETS] = {0}, odd[BUCKETS] = {0};
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        even[key_of(s->logits[i]) >> 21] += amount_of(s->logits, s->weights, i);
        odd[key_of(s->logits[i + 1]) >> 21] += amount_of(s->logits, s->weights, i + 1);
    }
    if (i < n) even[key_of(s->logits[i]) >> 21] += amount_of(s->logits, s->weights, i);
    for (uint32_t b = 0; b < BUCKETS; b++) even[b] += odd[b];
    uint32_t chosen = choose(s, even, BUCKETS - 1);
    float low = least_with(chosen << 21);
    float high = chosen == BUCKETS - 1 ? INFINITY : least_with((chosen + 1) << 21);
    return collect(s, n, low, high, out);
}

/* A later pass, over candidate ids by further bits; leaves those of the bucket that reaches the
 * target in place of them and returns their number. */
static size_t narrow(struct selection *s, uint32_t *ids, size_t n, int shift, uint32_t mask) {
    uint64_t amounts[BUCKETS] = {0};
    for (size_t i = 0; i < n; i++)
        amounts[key_of(s->logits[ids[i]]) >> shift & mask] +=
            amount_of(s->logits, s->weights, ids[i]);
    uint32_t chosen = choose(s, amounts, mask);
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bucket = key_of(s->logits[ids[i]]) >> shift & mask;
        s->before += bucket > chosen;
        if (bucket == chosen) ids[found++] = ids[i];
    }
    return found;
}

static struct rank_place select_place(struct selection s, size_t n, uint32_t *scratch) {
    size_t found = narrow_all(&s, n, scratch), i = 0;
    found = narrow(&s, scratch, found, 10, 2047);
    found = narrow(&s, scratch, found, 0, 1023);
    for (; i + 1 < found; i++) { /* a tie: by id */
        uint64_t amount = amount_of(s.logits, s.weights, scratch[i]);
        if (amount >= s.missing) break;
        s.missing -= amount;
    }
    return (struct rank_place){scratch[i], s.before + (uint32_t)i};
}

struct rank_place rank_by_count(const float *logits, size_t n, uint32_t k, uint32_t *scratch) {
    return select_place((struct selection){logits, NULL, k, 0}, n, scratch);
}

struct rank_place rank_by_mass(const float *logits, const uint64_t *weights, size_t n,
                               uint64_t target, uint32_t *scratch) {
    return select_place((struct selection){logits, weights, target, 0}, n, scratch);
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
    uint32_t last = rank_by_count(logits, n, (uint32_t)top, scratch).id;
    float limit = logits[last];
    for (uint32_t i = 0; i < n && found < top; i++)
        if (logits[i] >= limit && (i <= last || logits[i] > limit)) ids[found++] = i;
    sort_ids(logits, ids, found, scratch);
    return found;
}
