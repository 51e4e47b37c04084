/* Truncations by entropy: typical_p and top_h. Typical_p orders tokens by |-ln p - H|. This is the
 * distance from a token's logit to the center, the logit whose surprise is the entropy H. The
 * selection works as in rank.c, with the bits of distances (doubles) as integers. */
#include <string.h>

#include "elementary.h"
#include "measure.h"
#include "rank.h"
#include "warp_part.h"

enum { BUCKETS = 2048 };

/* The state of a selection: `missing` is the mass that is still missing to the target, `before` the
 * number of tokens already selected. */
struct search {
    const float *logits;
    const uint64_t *weights; /* NULL: each token counts 1 */
    double center;
    uint64_t missing;
    size_t before;
};

/* The last token that stays; `key` is its distance. */
struct found {
    uint64_t key;
    uint32_t id;
    size_t before; /* number of tokens before it */
};

/* Distances are not negative, so their bits have the order of the numbers. */
static uint64_t key_of(float logit, double center) {
    double distance = fabs((double)logit - center);
    uint64_t bits;
    memcpy(&bits, &distance, sizeof bits);
    return bits;
}

static uint64_t amount_of(const struct search *s, uint32_t id) {
    return s->weights ? s->weights[id] : 1;
}

/* Keeps only the candidates of the bucket that reaches the target; returns their number. */
static size_t narrow_candidates(struct search *s, uint32_t *ids, size_t n, int shift) {
    uint64_t amounts[BUCKETS] = {0};
    uint32_t chosen = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        amounts[key_of(s->logits[ids[i]], s->center) >> shift & (BUCKETS - 1)] +=
            amount_of(s, ids[i]);
    for (; chosen < BUCKETS - 1 && amounts[chosen] < s->missing; chosen++)
        s->missing -= amounts[chosen];
    for (size_t i = 0; i < n; i++) {
        uint32_t id = ids[i];
        uint32_t bucket = key_of(s->logits[id], s->center) >> shift & (BUCKETS - 1);
        s->before += bucket < chosen;
        ids[kept] = id;
        kept += bucket == chosen;
    }
    return kept;
}

static struct found select_token(struct search s, size_t n, uint32_t *scratch) {
    size_t found = 0, i = 0;
    for (size_t id = 0; id < n; id++) {
        scratch[found] = (uint32_t)id;
        found += s.logits[id] != -INFINITY;
    }
    for (int shift = 53; shift > -11 && found > 1; shift -= 11)
        found = narrow_candidates(&s, scratch, found, shift > 0 ? shift : 0);
    for (; i + 1 < found && amount_of(&s, scratch[i]) < s.missing; i++)
        s.missing -= amount_of(&s, scratch[i]);
    return (struct found){key_of(s.logits[scratch[i]], s.center), scratch[i], s.before + i};
}

/* Returns the logit whose surprise is the entropy H: ln Z + max - H, Z the sum of e^(l - max). */
static double find_center(const float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    float max = logits[warp_best(logits, n)];
    double bits = measure_entropy(logits, input->weights, n, input->total, max);
    return elementary_log((double)input->total * 0x1p-44) + (double)max - bits * LN_2;
}

void warp_typical_p(float *logits, const struct warp_input *input) {
    bool exactly = convention_of(input) == CONVENTION_LLAMA_CPP;
    double p = value_of(input, SETTING_TYPICAL_P), center = find_center(logits, input);
    double keep = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    size_t n = input->vocab_size;
    uint64_t target = p == 1 ? 0 : warp_mass_target(p, input->total, exactly);
    if (!target || keep >= (double)warp_survivors(logits, n)) return;
    struct search by_mass = {logits, input->weights, center, target, 0};
    struct found last = select_token(by_mass, n, input->scratch);
    if ((double)last.before + 1 < keep) {
        struct search by_count = {logits, NULL, center, (uint64_t)keep, 0};
        last = select_token(by_count, n, input->scratch);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_of(logits[i], center); /* the key of -Infinity is the largest */
        bool tied = key == last.key && (!exactly || i <= last.id);
        if (key >= last.key && !tied) logits[i] = -INFINITY;
    }
}

enum { ENTROPY_TOKENS = 100 };

/* Returns the number of terms of an entropy whose sum stays within the bound. */
static size_t count_within(const double *terms, size_t n, double bound) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if ((sum += terms[i]) > bound) return i;
    return n;
}

void warp_top_h(float *logits, const struct warp_input *input) {
    double h = value_of(input, SETTING_TOP_H), terms[ENTROPY_TOKENS], entropy = 0;
    uint32_t ids[ENTROPY_TOKENS];
    uint64_t total = 0;
    if (h == 0) return;
    size_t n = rank_top(logits, input->vocab_size, ENTROPY_TOKENS, ids, input->scratch);
    while (n > 1 && !input->weights[ids[n - 1]]) n--;
    for (size_t i = 0; i < n; i++) total += input->weights[ids[i]];
    for (size_t i = 0; i < n; i++) {
        double p = (double)input->weights[ids[i]] / (double)total;
        terms[i] = -p * elementary_log(p);
        entropy += terms[i];
    }
    size_t keep = count_within(terms, n, (h + 0x1p-20) * entropy);
    warp_keep_best(logits, input, keep ? (double)keep : 1);
}
