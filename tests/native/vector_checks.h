/* The expectations that a golden vector can state, one function each; part of test_vectors.c. A
 * failing function writes the actual value to `got`. */
#ifndef LOGITSCOPE_VECTOR_CHECKS_H
#define LOGITSCOPE_VECTOR_CHECKS_H

#include "elementary.h"
#include "vector_subject.h"

static double probability(const struct subject *s, size_t id) {
    return (double)s->weights[id] / (double)s->total;
}

static bool near(struct subject *s, size_t id, double got, double expected, double tolerance) {
    bool same = isinf(expected) ? got == expected : fabs(got - expected) <= tolerance;
    if (!same) snprintf(s->got, sizeof s->got, "id %zu: %.9g, not %.9g", id, got, expected);
    return same;
}

static bool is_count(struct subject *s, uint64_t got, uint64_t expected) {
    if (got != expected)
        snprintf(s->got, sizeof s->got, "%llu, not %llu", (unsigned long long)got,
                 (unsigned long long)expected);
    return got == expected;
}

static bool expect_kept(struct subject *s, const struct expectation *e) {
    size_t next = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool wanted = next < e->count && integer(s, e->words[next]) == i;
        next += wanted;
        if (wanted == (s->warped[i] != -INFINITY)) continue;
        snprintf(s->got, sizeof s->got, "id %zu %s", i, wanted ? "is removed" : "survives");
        return false;
    }
    return next == e->count;
}

static bool expect_kept_includes(struct subject *s, const struct expectation *e) {
    for (size_t i = 0; i < e->count; i++) {
        uint64_t id = integer(s, e->words[i]);
        if (id >= s->n || s->warped[id] == -INFINITY) return false;
    }
    return true;
}

static bool expect_kept_range(struct subject *s, const struct expectation *e) {
    uint64_t low = integer(s, e->words[0]), high = integer(s, e->words[1]);
    if (high >= s->n) return false;
    for (uint64_t i = 0; i < s->n; i++)
        if ((i >= low && i <= high) != (s->warped[i] != -INFINITY)) {
            snprintf(s->got, sizeof s->got, "id %u", (unsigned)i);
            return false;
        }
    return true;
}

static bool expect_count(struct subject *s, const struct expectation *e) {
    return is_count(s, s->trace->kept, integer(s, e->words[0]));
}

static bool expect_count_at_least(struct subject *s, const struct expectation *e) {
    return s->trace->kept >= integer(s, e->words[0]);
}

static bool expect_nonzero(struct subject *s, const struct expectation *e) {
    uint64_t nonzero = 0;
    for (size_t i = 0; i < s->n; i++) nonzero += s->weights[i] != 0;
    return is_count(s, nonzero, integer(s, e->words[0]));
}

static bool expect_underflowed(struct subject *s, const struct expectation *e) {
    return is_count(s, s->trace->underflowed, integer(s, e->words[0]));
}

static bool expect_size(struct subject *s, const struct expectation *e) {
    return is_count(s, s->trace->vocab_size, integer(s, e->words[0]));
}

/* Compares bits, so 0 and -0 differ. */
static bool expect_identity(struct subject *s, const struct expectation *e) {
    return e->count == 0 && memcmp(s->warped, s->given, s->n * sizeof *s->warped) == 0;
}

static bool expect_survivors_unchanged(struct subject *s, const struct expectation *e) {
    for (size_t i = 0; i < s->n; i++)
        if (s->warped[i] != -INFINITY &&
            memcmp(&s->warped[i], &s->given[i], sizeof s->warped[i]) != 0)
            return near(s, i, (double)s->warped[i], (double)s->given[i], 0);
    return e->count == 0;
}

static bool expect_p(struct subject *s, const struct expectation *e) {
    if (e->count != s->n) return false;
    for (size_t i = 0; i < s->n; i++)
        if (!near(s, i, probability(s, i), number(s, e->words[i]), e->tolerance)) return false;
    return true;
}

/* Rounds expected values to float32, because logits are float32. */
static bool expect_logits(struct subject *s, const struct expectation *e) {
    if (e->count != s->n) return false;
    for (size_t i = 0; i < s->n; i++) {
        double expected = (double)(float)number(s, e->words[i]);
        if (!near(s, i, (double)s->warped[i], expected, e->tolerance)) return false;
    }
    return true;
}

static bool expect_logit(struct subject *s, const struct expectation *e) {
    uint64_t id = integer(s, e->words[0]);
    double expected = (double)(float)number(s, e->words[1]);
    return id < s->n && near(s, (size_t)id, (double)s->warped[id], expected, e->tolerance);
}

static bool expect_exp_logits(struct subject *s, const struct expectation *e) {
    if (e->count != s->n) return false;
    for (size_t i = 0; i < s->n; i++) {
        double got = s->warped[i] == -INFINITY ? 0 : elementary_exp64((double)s->warped[i]);
        if (!near(s, i, got, number(s, e->words[i]), e->tolerance)) return false;
    }
    return true;
}

/* Compares the running sum of p over the listed tokens, in rank order. */
static bool expect_cumulative(struct subject *s, const struct expectation *e) {
    double sum = 0;
    for (size_t i = 0; i < e->count && i < s->trace->n_tokens; i++) {
        sum += s->trace->tokens[i].p;
        if (!near(s, i, sum, number(s, e->words[i]), e->tolerance)) return false;
    }
    return e->count <= s->trace->n_tokens;
}

static bool expect_mass_one(struct subject *s, const struct expectation *e) {
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) sum += probability(s, i);
    return e->count == 0 && near(s, 0, sum, 1, 0x1p-20);
}

/* Largest and smallest probability before the chain (raw) and after it. */
struct extremes {
    double raw_high, raw_low, high, low;
};

static struct extremes find_extremes(const struct subject *s) {
    struct extremes x = {.raw_low = 2, .low = 2};
    for (size_t i = 0; i < s->trace->n_tokens; i++) {
        const struct chain_token *token = &s->trace->tokens[i];
        if (token->p > x.high) x.high = token->p;
        if (token->p < x.low) x.low = token->p;
        if (token->p_raw > x.raw_high) x.raw_high = token->p_raw;
        if (token->p_raw < x.raw_low) x.raw_low = token->p_raw;
    }
    return x;
}

static bool expect_sharper(struct subject *s, const struct expectation *e) {
    struct extremes x = find_extremes(s);
    return e->count == 0 && s->trace->n_tokens == s->n && x.high > x.raw_high &&
           x.low < x.raw_low && s->trace->entropy < s->trace->raw_entropy;
}

static bool expect_flatter(struct subject *s, const struct expectation *e) {
    struct extremes x = find_extremes(s);
    return e->count == 0 && s->trace->n_tokens == s->n && x.high < x.raw_high &&
           x.low > x.raw_low && s->trace->entropy > s->trace->raw_entropy;
}

static bool expect_same_argmax(struct subject *s, const struct expectation *e) {
    size_t best = 0, best_raw = 0;
    for (size_t i = 1; i < s->n; i++) {
        if (s->warped[i] > s->warped[best]) best = i;
        if (s->given[i] > s->given[best_raw]) best_raw = i;
    }
    return e->count == 0 && best == best_raw && s->trace->tokens[0].id == best;
}

static bool expect_less_likely(struct subject *s, const struct expectation *e) {
    uint64_t a = integer(s, e->words[0]), b = integer(s, e->words[1]);
    return a < s->n && b < s->n && s->weights[a] < s->weights[b];
}

/* Compares the number of survivors after each stage. */
static bool expect_stage_kept(struct subject *s, const struct expectation *e) {
    if (e->count != s->trace->n_stages) return is_count(s, s->trace->n_stages, e->count);
    for (size_t i = 0; i < e->count; i++)
        if (!is_count(s, s->trace->stages[i].kept, integer(s, e->words[i]))) return false;
    return true;
}

/* Checks that the chain gives the same bits as its stages applied one at a time. */
static bool expect_step_by_step(struct subject *s, const struct expectation *e) {
    struct chain *chain;
    float *state = malloc(s->n * sizeof *state);
    if (!state || chain_open(&chain, s->n, 0, s->kernels, NULL)) abort();
    memcpy(state, s->given, s->n * sizeof *state);
    bool same = e->count == 0;
    for (uint32_t i = 0; same && i < s->settings.n_order; i++) {
        struct settings one = s->settings;
        for (uint32_t sampler = 0; sampler < SAMPLER_COUNT; sampler++)
            if (sampler != one.order[i]) one.value[sampler] = warp_table[sampler].neutral;
        if (one.order[i] != SETTING_LOGIT_BIAS) one.n_bias = 0;
        same = chain_apply(chain, state, &one, s->history, s->n_history, 0, NULL) == STATUS_OK;
        memcpy(state, chain_logits(chain), s->n * sizeof *state);
    }
    same = same && memcmp(state, s->warped, s->n * sizeof *state) == 0;
    chain_close(chain);
    free(state);
    return same;
}

static bool expect_drawn(struct subject *s, const struct expectation *e) {
    return is_count(s, chain_draw(s->chain, s->random).id, integer(s, e->words[0]));
}

static bool expect_u(struct subject *s, const struct expectation *e) {
    return near(s, 0, (double)s->random * 0x1p-53, number(s, e->words[0]), 0);
}

static bool expect_u32(struct subject *s, const struct expectation *e) {
    for (size_t i = 0; i < e->count; i++)
        if (!is_count(s, pcg32_next(&s->pcg), integer(s, e->words[i]))) return false;
    return true;
}

static bool expect_u64(struct subject *s, const struct expectation *e) {
    const uint64_t increment = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < e->count; i++, s->splitmix += increment)
        if (!is_count(s, splitmix64(s->splitmix), integer(s, e->words[i]))) return false;
    return true;
}

/* Returns a random number below `bound`, as PCG's sample code does: rejects values below 2^32 mod
 * bound, then takes the remainder. */
static uint32_t bounded(struct pcg32 *pcg, uint32_t bound) {
    uint32_t threshold = (0u - bound) % bound, value;
    do value = pcg32_next(pcg);
    while (value < threshold);
    return value % bound;
}

static bool expect_coins(struct subject *s, const struct expectation *e) {
    for (const char *coin = e->words[0]; *coin; coin++)
        if (!is_count(s, bounded(&s->pcg, 2), *coin == 'H')) return false;
    return true;
}

static bool expect_rolls(struct subject *s, const struct expectation *e) {
    for (size_t i = 0; i < e->count; i++)
        if (!is_count(s, bounded(&s->pcg, 6) + 1, integer(s, e->words[i]))) return false;
    return true;
}

static const struct {
    const char *name;
    bool (*check)(struct subject *, const struct expectation *);
    size_t arguments; /* least number of arguments */
    bool generator;   /* true if it needs no logits */
} expectations[] = {
    {"kept", expect_kept, 1, false},
    {"kept_includes", expect_kept_includes, 1, false},
    {"kept_range", expect_kept_range, 2, false},
    {"count", expect_count, 1, false},
    {"count_at_least", expect_count_at_least, 1, false},
    {"nonzero", expect_nonzero, 1, false},
    {"underflowed", expect_underflowed, 1, false},
    {"size", expect_size, 1, false},
    {"identity", expect_identity, 0, false},
    {"survivors_unchanged", expect_survivors_unchanged, 0, false},
    {"p", expect_p, 1, false},
    {"logits", expect_logits, 1, false},
    {"logit", expect_logit, 2, false},
    {"exp_logits", expect_exp_logits, 1, false},
    {"cumulative", expect_cumulative, 1, false},
    {"mass_one", expect_mass_one, 0, false},
    {"sharper", expect_sharper, 0, false},
    {"flatter", expect_flatter, 0, false},
    {"same_argmax", expect_same_argmax, 0, false},
    {"less_likely", expect_less_likely, 2, false},
    {"stage_kept", expect_stage_kept, 1, false},
    {"step_by_step", expect_step_by_step, 0, false},
    {"drawn", expect_drawn, 1, false},
    {"u", expect_u, 1, true},
    {"u32", expect_u32, 1, true},
    {"u64", expect_u64, 1, true},
    {"coins", expect_coins, 1, true},
    {"rolls", expect_rolls, 1, true},
};

#endif
