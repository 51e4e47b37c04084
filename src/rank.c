/* build: -O2 */
/* Selection in rank order. A first pass finds a floor, at most the logit of the wanted token. So
 * later passes, which sort logits into buckets, read only few tokens. Only the returned list is
 * sorted. */
#include "rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "elementary.h"
#include "loop.h"

enum { BUCKETS = 2048, BLOCK = 64 };
enum { FEW = 1024, FEW_BUCKETS = 128 }; /* more buckets take too long to clear for so few tokens */
enum { STEPS = 24 };

/* Returns a logit's sort key: a larger logit has a larger key. Adding 0 turns -0 into +0, because
 * the two zeros must tie. */
static uint32_t key_of(float logit) {
    float positive_zero = logit + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
}

/* Returns the least float with the key `key`. */
static float least_with(uint32_t key) {
    uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

OUTLINED uint32_t rank_survey(const float *logits, size_t n, float *max) {
    uint32_t survivors = 0, largest = 0;
    VECTOR
    for (size_t i = 0; i < n; i++) {
        uint32_t key = key_of(logits[i]);
        survivors += logits[i] != -INFINITY;
        largest = key > largest ? key : largest;
    }
    *max = least_with(largest);
    return survivors;
}

/* Smaller negative floats have larger bits: those between `least` and -Infinity are a range. */
bool rank_any_below(const float *logits, size_t n, float least) {
    const float infinite = -INFINITY;
    uint32_t first, end, nearest = UINT32_MAX;
    memcpy(&first, &least, sizeof first);
    memcpy(&end, &infinite, sizeof end);
    if (first == end) return false;
    first++;
    VECTOR4
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, logits + i, sizeof bits);
        nearest = bits - first < nearest ? bits - first : nearest;
    }
    return nearest < end - first;
}

/* True if any logit of a block reaches the floor. Has no branch, so that compilers vectorise it. */
static bool any_reaches(const float *logits, size_t n, float floor) {
    int32_t below = -1;
    VECTOR4
    for (size_t i = 0; i < n; i++) below &= -(logits[i] < floor);
    return !below;
}

OUTLINED size_t rank_reaching(const float *logits, size_t n, float floor, uint32_t *ids) {
    size_t found = 0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = start + BLOCK < n ? start + BLOCK : n;
        if (!any_reaches(logits + start, end - start, floor)) continue;
        for (size_t i = start; i < end; i++) { /* no branch: the processor cannot predict hits */
            ids[found] = (uint32_t)i;
            found += !(logits[i] < floor);
        }
    }
    return found;
}

static OUTLINED size_t count_reaching(const float *logits, size_t n, float floor) {
    uint32_t count = 0;
    VECTOR4
    for (size_t i = 0; i < n; i++) count += logits[i] >= floor;
    return count;
}

/* Set i contains every `sets`-th logit from i on, so that the maxima can be vectorised. The floor
 * is then found by bisection, below the largest logit. */
float rank_floor(const float *logits, size_t n, uint32_t k, uint32_t *scratch) {
    const float none = -INFINITY;
    size_t sets = 4 * ((size_t)k / 2 + 16), rows = n / sets;
    float *maxima = (float *)(void *)scratch, max;
    if (rows >= 2) {
        for (size_t i = 0; i < sets; i++) maxima[i] = none;
        for (size_t r = 0; r < rows; r++) {
            VECTOR4
            for (size_t i = 0; i < sets; i++) {
                float logit = logits[r * sets + i];
                maxima[i] = maxima[i] < logit ? logit : maxima[i];
            }
        }
        logits = maxima;
        n = sets;
    }
    if (rank_survey(logits, n, &max) < k) return -FLT_MAX;
    float floor = max, above = max;
    for (float step = 1; floor > -INFINITY && count_reaching(logits, n, floor) < k; step *= 2) {
        above = floor;
        floor = max - step;
    }
    for (int i = 0; i < STEPS; i++) {
        float middle = floor + (above - floor) / 2;
        if (!(middle > floor && middle < above)) break;
        size_t count = count_reaching(logits, n, middle);
        if (count < k)
            above = middle;
        else
            floor = middle;
        if (count == k) break;
    }
    return floor > -FLT_MAX ? floor : -FLT_MAX;
}

/* Returns a logit that the wanted token reaches. Tokens that each weigh less than (total - target)
 * / n weigh less than total - target together. The result is lowered a little against rounding in
 * weights, logarithm and logits. */
static float floor_by_mass(float max, size_t n, uint64_t total, uint64_t target) {
    double weight = (double)(total - target) / (double)n;
    if (weight < 1) return -FLT_MAX;
    double floor = (double)max + elementary_log(weight * 0x1p-44);
    floor -= 0x1p-10 + fabs(floor) * 0x1p-20;
    return floor > -(double)FLT_MAX ? (float)floor : -FLT_MAX;
}

/* The state of a selection: `missing` is the amount that is still missing to the target, `before`
 * the number of tokens that are passed. */
struct selection {
    const float *logits;
    const uint64_t *weights; /* NULL: each token counts 1 */
    uint64_t missing;
    uint32_t before;
};

static uint64_t amount_of(const struct selection *s, uint32_t id) {
    return s->weights ? s->weights[id] : 1;
}

/* Sets *low and *high to the least and the largest logit of n ids. */
static void find_range(const float *logits, const uint32_t *ids, size_t n, float *low,
                       float *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        float logit = logits[ids[i]];
        *low = logit < *low ? logit : *low;
        *high = logit > *high ? logit : *high;
    }
}

/* Sorts candidates with logits from `low` to `high` into equal buckets. Adds the buckets up, from
 * the best one, until the sum reaches s->missing. Keeps the last bucket's tokens only; returns the
 * count. */
static size_t narrow_candidates(struct selection *s, uint32_t *ids, size_t n, float low,
                                float high) {
    uint64_t amounts[BUCKETS];
    uint32_t buckets = n > FEW ? BUCKETS : FEW_BUCKETS, chosen = buckets - 1;
    double base = (double)low, scale = (double)chosen / ((double)high - base);
    size_t found = 0;
    memset(amounts, 0, buckets * sizeof *amounts);
    for (size_t i = 0; i < n; i++)
        amounts[(uint32_t)(((double)s->logits[ids[i]] - base) * scale)] += amount_of(s, ids[i]);
    for (; chosen > 0 && amounts[chosen] < s->missing; chosen--) s->missing -= amounts[chosen];
    for (size_t i = 0; i < n; i++) {
        uint32_t id = ids[i], bucket = (uint32_t)(((double)s->logits[id] - base) * scale);
        s->before += bucket > chosen;
        ids[found] = id;
        found += bucket == chosen;
    }
    return found;
}

/* Returns the token that reaches the target. `ids` are n candidates with logits from `low` to
 * `high`, ascending. */
static struct rank_place select_place(struct selection s, uint32_t *ids, size_t n, float low,
                                      float high) {
    size_t i = 0;
    while (low < high) {
        n = narrow_candidates(&s, ids, n, low, high);
        find_range(s.logits, ids, n, &low, &high);
    }
    for (; i + 1 < n; i++) { /* the candidates are tied */
        uint64_t amount = amount_of(&s, ids[i]);
        if (amount >= s.missing) break;
        s.missing -= amount;
    }
    return (struct rank_place){ids[i], s.before + (uint32_t)i};
}

struct rank_place rank_by_count(const float *logits, size_t n, uint32_t k, uint32_t *scratch) {
    size_t found = rank_reaching(logits, n, rank_floor(logits, n, k, scratch), scratch);
    float low, high;
    find_range(logits, scratch, found, &low, &high);
    return select_place((struct selection){logits, NULL, k, 0}, scratch, found, low, high);
}

struct rank_place rank_by_mass(const float *logits, const uint64_t *weights, size_t n,
                               uint64_t total, uint64_t target, uint32_t *scratch) {
    float max;
    rank_survey(logits, n, &max);
    float floor = floor_by_mass(max, n, total, target);
    size_t found = rank_reaching(logits, n, floor, scratch);
    return select_place((struct selection){logits, weights, target, 0}, scratch, found, floor, max);
}

/* Bottom-up merge sort of ids by logit. Ids with equal logits stay in ascending order. */
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

uint32_t rank_of(const float *logits, size_t n, uint32_t id) {
    uint32_t rank = 1;
    float logit = logits[id];
    VECTOR
    for (size_t i = 0; i < id; i++) rank += logits[i] >= logit;
    VECTOR
    for (size_t i = id + (size_t)1; i < n; i++) rank += logits[i] > logit;
    return rank;
}

size_t rank_top(const float *logits, size_t n, size_t top, uint32_t *ids, uint32_t *scratch) {
    float max;
    size_t survivors = rank_survey(logits, n, &max), found = 0;
    if (top > survivors) top = survivors;
    if (top == 0) return 0;
    uint32_t last = rank_by_count(logits, n, (uint32_t)top, scratch).id;
    float limit = logits[last];
    size_t reaching = rank_reaching(logits, n, limit, scratch);
    for (size_t i = 0; i < reaching; i++)
        if (scratch[i] <= last || logits[scratch[i]] > limit) ids[found++] = scratch[i];
    sort_ids(logits, ids, found, scratch);
    return found;
}
