/* Checks properties that hold for any logits, for vocabularies of 1 to 262,144 tokens. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "check.h"
#include "sample.h"

static const size_t SIZES[] = {1, 2, 7, 64, 512, 50257, 262144};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES, LARGEST = 262144 };

static float *logits, *earlier;
static bool *kept_before;

/* Runs a check on random logits of every size and kind, with fewer rounds for large sizes. For the
 * two largest sizes, each check gets only the next kind, unless all cases are tried. */
static void for_all(void (*check)(struct chain *, size_t)) {
    static uint32_t turn;
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct chain *chain;
        size_t n = SIZES[s];
        CHECK(chain_open(&chain, n, 1, &kernels_scalar, NULL) == STATUS_OK);
        bool small = n <= 1000;
        uint32_t rounds = small ? 60 : check_all() ? SAMPLE_KINDS : 1;
        for (uint32_t round = 0; round < rounds; round++) {
            sample_logits(logits, n, (small ? round : turn++) % SAMPLE_KINDS);
            check(chain, n);
        }
        chain_close(chain);
    }
}

static const struct chain_trace *apply(struct chain *chain, const struct settings *settings) {
    CHECK(chain_apply(chain, logits, settings, NULL, 0, 1, NULL) == STATUS_OK);
    return chain_trace(chain);
}

static struct settings one(enum setting setting, double value) {
    struct settings settings;
    settings_reset(&settings);
    CHECK(settings_set(&settings, setting, value, NULL) == STATUS_OK);
    return settings;
}

static size_t best(size_t n) {
    size_t id = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[id]) id = i;
    return id;
}

static void mass_is_one(struct chain *chain, size_t n) {
    struct settings settings = one(SETTING_TEMPERATURE, 0.1 + 3 * sample_uniform());
    apply(chain, &settings);
    uint64_t total, sum = 0;
    double mass = 0;
    const uint64_t *weights = chain_weights(chain, &total);
    for (size_t i = 0; i < n; i++) {
        sum += weights[i];
        mass += (double)weights[i] / (double)total;
    }
    CHECK(sum == total && fabs(mass - 1) < 0x1p-20);
}

static void argmax_survives(struct chain *chain, size_t n) {
    struct settings k = one(SETTING_TOP_K, 1 + sample_below((uint32_t)n));
    struct settings p = one(SETTING_TOP_P, sample_uniform());
    apply(chain, &k);
    CHECK(chain_logits(chain)[best(n)] == logits[best(n)]);
    apply(chain, &p);
    CHECK(chain_logits(chain)[best(n)] == logits[best(n)]);
    for (uint32_t sampler = SETTING_TOP_H; sampler <= SETTING_MIROSTAT; sampler++) {
        if (sampler == SETTING_TYPICAL_P || sampler == SETTING_XTC_PROBABILITY) continue;
        bool whole = warp_table[sampler].kind == SETTING_INTEGER;
        struct settings settings = one(sampler, whole ? 1 + sample_below(2) : sample_uniform());
        apply(chain, &settings);
        CHECK(chain_logits(chain)[best(n)] == logits[best(n)]);
    }
}

/* After a sampler of the group "shape", removed tokens stay removed, the mass is 1, and the best
 * token is still the best. Only adaptive_p may change the best token. */
static void shapes_keep_their_promises(struct chain *chain, size_t n) {
    static const enum setting shapes[] = {SETTING_DYNATEMP_RANGE, SETTING_SMOOTHING_FACTOR,
                                          SETTING_ADAPTIVE_TARGET};
    for (size_t s = 0; s < 3; s++) {
        struct settings settings = one(shapes[s], 0.01 + 0.9 * sample_uniform());
        size_t came_back = 0, better = 0, best_id = best(n);
        uint64_t total, sum = 0;
        apply(chain, &settings);
        const float *after = chain_logits(chain);
        const uint64_t *weights = chain_weights(chain, &total);
        for (size_t i = 0; i < n; i++) {
            sum += weights[i];
            came_back += logits[i] == -INFINITY && after[i] != -INFINITY;
            better += after[i] > after[best_id];
        }
        CHECK(sum == total && came_back == 0);
        CHECK(better == 0 || shapes[s] == SETTING_ADAPTIVE_TARGET);
    }
}

/* With any settings, a truncation keeps at least min_tokens_to_keep tokens and changes no surviving
 * logit. */
static void floor_holds(struct chain *chain, size_t n) {
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) finite += logits[i] != -INFINITY;
    for (uint32_t sampler = SETTING_TOP_H; sampler <= SETTING_MIROSTAT; sampler++) {
        bool whole = warp_table[sampler].kind == SETTING_INTEGER;
        struct settings settings =
            one(sampler, whole ? 1 + sample_below(2) : 0.001 + 0.998 * sample_uniform());
        uint32_t keep = 1 + sample_below(10);
        settings.value[SETTING_MIN_TOKENS_TO_KEEP] = keep;
        settings.value[SETTING_CONVENTION] = sample_below(3);
        settings.step = sample_below(1000);
        uint32_t kept = apply(chain, &settings)->kept;
        size_t moved = 0;
        for (size_t i = 0; i < n; i++)
            moved += chain_logits(chain)[i] != -INFINITY && chain_logits(chain)[i] != logits[i];
        CHECK_MESSAGE(kept >= (keep < finite ? keep : finite) && moved == 0,
                      "%s keeps %u, moves %zu", warp_table[sampler].name, kept, moved);
    }
}

static void entropy_rises_with_temperature(struct chain *chain, size_t n) {
    (void)n;
    static const double ladder[] = {0.01, 0.1, 0.3, 0.7, 1, 1.01, 2, 10, 1e3, 1e6};
    double last = 0;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        struct settings settings = one(SETTING_TEMPERATURE, ladder[i]);
        double entropy = apply(chain, &settings)->entropy;
        CHECK_MESSAGE(entropy >= last - 1e-6, "T = %g: %.9f after %.9f", ladder[i], entropy, last);
        last = entropy;
    }
}

static void temperature_limits(struct chain *chain, size_t n) {
    (void)n;
    struct settings cold = one(SETTING_TEMPERATURE, 1e-30), greedy = one(SETTING_TEMPERATURE, 0);
    struct settings hot = one(SETTING_TEMPERATURE, 1e30);
    apply(chain, &cold);
    uint32_t drawn = chain_draw(chain, 0).id;
    apply(chain, &greedy);
    CHECK(chain_draw(chain, 0).id == drawn &&
          chain_draw(chain, ((uint64_t)1 << 53) - 1).id == drawn);
    const struct chain_trace *trace = apply(chain, &hot);
    CHECK(fabs(trace->entropy - log2((double)trace->kept)) < 1e-6);
}

/* A filter with a tighter value must keep a subset of the tokens that it keeps with a looser
 * one. */
static void subset(struct chain *chain, size_t n, enum setting setting, double loose,
                   double tight) {
    struct settings settings = one(setting, loose);
    apply(chain, &settings);
    for (size_t i = 0; i < n; i++) kept_before[i] = chain_logits(chain)[i] != -INFINITY;
    settings = one(setting, tight);
    apply(chain, &settings);
    size_t outside = 0;
    for (size_t i = 0; i < n; i++)
        outside += chain_logits(chain)[i] != -INFINITY && !kept_before[i];
    CHECK_MESSAGE(outside == 0, "%s %g keeps %zu that %g removes", warp_table[setting].name, tight,
                  outside, loose);
}

static void smaller_keeps_a_subset(struct chain *chain, size_t n) {
    double a = sample_uniform(), b = sample_uniform();
    subset(chain, n, SETTING_TOP_P, a > b ? a : b, a > b ? b : a);
    uint32_t j = 1 + sample_below((uint32_t)n), k = 1 + sample_below((uint32_t)n);
    subset(chain, n, SETTING_TOP_K, j > k ? j : k, j > k ? k : j);
    subset(chain, n, SETTING_TOP_N_SIGMA, 0.01 + 3 * (a > b ? a : b), 0.01 + 3 * (a > b ? b : a));
    subset(chain, n, SETTING_TYPICAL_P, 1 - (a > b ? b : a), 1 - (a > b ? a : b));
    static const enum setting cuts[] = {SETTING_MIN_P, SETTING_EPSILON_CUTOFF, SETTING_ETA_CUTOFF,
                                        SETTING_TOP_A};
    for (size_t i = 0; i < 4; i++) subset(chain, n, cuts[i], a > b ? b : a, a > b ? a : b);
    subset(chain, n, SETTING_TOP_H, 0.01 + 0.9 * (a > b ? a : b), 0.01 + 0.9 * (a > b ? b : a));
    subset(chain, n, SETTING_TFS_Z, a > b ? a : b, a > b ? b : a);
    subset(chain, n, SETTING_P_LESS, 2, 1);
}

/* The results may differ by ties from rounding: after temperature, more tokens may tie with the
 * k-th. */
static void top_k_commutes_with_temperature(struct chain *chain, size_t n) {
    struct settings settings = one(SETTING_TOP_K, 1 + sample_below((uint32_t)n));
    settings.value[SETTING_TEMPERATURE] = 0.25 + 2 * sample_uniform();
    apply(chain, &settings);
    memcpy(earlier, chain_logits(chain), n * sizeof *earlier);
    settings.order[SETTING_TEMPERATURE] = SETTING_TOP_K;
    settings.order[SETTING_TOP_K] = SETTING_TEMPERATURE;
    apply(chain, &settings);
    float limit = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (earlier[i] != -INFINITY && earlier[i] < limit) limit = earlier[i];
    for (size_t i = 0; i < n; i++) {
        float late = chain_logits(chain)[i];
        CHECK(late == earlier[i] || (late == -INFINITY && earlier[i] == limit));
    }
}

static void mass(void) { for_all(mass_is_one); }
static void argmax(void) { for_all(argmax_survives); }
static void shapes(void) { for_all(shapes_keep_their_promises); }
static void least(void) { for_all(floor_holds); }
static void entropy(void) { for_all(entropy_rises_with_temperature); }
static void limits(void) { for_all(temperature_limits); }
static void subsets(void) { for_all(smaller_keeps_a_subset); }
static void commutes(void) { for_all(top_k_commutes_with_temperature); }

int main(void) {
    pcg32_seed(&sample_generator, 4, 1);
    logits = malloc(LARGEST * sizeof *logits);
    earlier = malloc(LARGEST * sizeof *earlier);
    kept_before = malloc(LARGEST * sizeof *kept_before);
    TEST(mass);
    TEST(argmax);
    TEST(shapes);
    TEST(least);
    TEST(entropy);
    TEST(limits);
    TEST(subsets);
    TEST(commutes);
    free(logits);
    free(earlier);
    free(kept_before);
    return check_report();
}
