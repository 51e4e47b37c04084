/* The truncations by probability, typicality and surprise against naive twins, and at their
 * edges. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "sample.h"
#include "warp.h"

enum { N = 400 };
static float logits[N], twin[N], before[N];
static uint32_t scratch[N], ids[N];
static uint64_t weights[N];
static double distance[N];

static void apply(enum setting warper, const struct settings *settings, size_t n) {
    struct warp_input input = {settings, n, NULL, 0, weights, 0, scratch};
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = logits[i] > max ? logits[i] : max;
    input.total = kernels_scalar.weigh(weights, logits, n, max);
    warp_table[warper].apply(logits, &input);
}

static void give(const float *values, size_t n) {
    memcpy(logits, values, n * sizeof *logits);
}

/* The survivors, as a mask of the first ids. */
static uint32_t mask(size_t n) {
    uint32_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (logits[i] != -INFINITY) kept |= 1u << i;
    return kept;
}

/* Probabilities and entropy in nats of `twin`, by libm. */
static double probability(uint32_t id, size_t n) {
    float max = -INFINITY;
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) max = twin[i] > max ? twin[i] : max;
    for (size_t i = 0; i < n; i++) total += twin_weight(twin[i], max);
    return (double)twin_weight(twin[id], max) / (double)total;
}

static double p[N];
static double weigh_twin(size_t n) {
    double nats = 0;
    for (uint32_t i = 0; i < n; i++) {
        p[i] = probability(i, n);
        if (p[i] > 0) nats -= p[i] * log(p[i]);
    }
    return nats;
}

/* Keeps what is at least as probable as the limit, and the `keep` best. */
static void twin_cut(size_t n, double limit, size_t keep) {
    size_t count = twin_sort(twin, n, ids);
    for (size_t place = keep; place < count; place++)
        if (p[ids[place]] < limit) twin[ids[place]] = -INFINITY;
}

static int compare_distance(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (distance[i] != distance[j]) return distance[i] < distance[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

static void twin_typical(size_t n, double mass, size_t keep, double nats, bool exactly) {
    size_t count = twin_sort(twin, n, ids), kept = 0;
    double z = 0, sum = 0;
    float max = twin[ids[0]];
    for (size_t i = 0; i < count; i++) z += exp((double)(twin[ids[i]] - max));
    for (size_t i = 0; i < count; i++)
        distance[ids[i]] = fabs(log(z) - ((double)twin[ids[i]] - (double)max) - nats);
    qsort(ids, count, sizeof *ids, compare_distance);
    while (kept < count &&
           (kept < keep || (exactly ? sum <= mass + 0x1p-20 : sum < mass - 0x1p-20)))
        sum += p[ids[kept++]];
    double last = distance[ids[kept ? kept - 1 : 0]];
    for (size_t i = kept; i < count; i++)
        if (exactly || distance[ids[i]] > last) twin[ids[i]] = -INFINITY;
}

static void twin_sigma(size_t n, double n_sigma, size_t keep) {
    size_t count = twin_sort(twin, n, ids);
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) mean += (double)twin[ids[i]] / (double)count;
    for (size_t i = 0; i < count; i++)
        variance += pow((double)twin[ids[i]] - mean, 2) / (double)count;
    double limit = (double)twin[ids[0]] - n_sigma * sqrt(variance);
    for (size_t i = keep; i < count; i++)
        if ((double)twin[ids[i]] < limit - 1e-9 * fabs(limit)) twin[ids[i]] = -INFINITY;
}

static void twin_xtc(size_t n, const struct settings *settings, size_t keep) {
    uint64_t key = splitmix64(splitmix64(settings->seed) + settings->step) + 0x100000000u;
    double coin = (double)(splitmix64(key) >> 11) * 0x1p-53;
    size_t count = twin_sort(twin, n, ids), likely = 0;
    if (coin >= settings->value[SETTING_XTC_PROBABILITY]) return;
    for (size_t i = 0; i < count; i++)
        likely += p[ids[i]] >= settings->value[SETTING_XTC_THRESHOLD];
    if (likely < 2 || count - (likely - 1) < keep) return;
    for (size_t i = 0; i + 1 < likely; i++) twin[ids[i]] = -INFINITY;
}

static void twin_mirostat(size_t n, double version, double mu, size_t keep) {
    size_t count = twin_sort(twin, n, ids);
    if (version == 2) {
        for (size_t i = keep; i < count; i++)
            if (-log2(p[ids[i]]) > mu) twin[ids[i]] = -INFINITY;
        return;
    }
    double products = 0, squares = 0;
    for (size_t i = 0; i + 1 < count && i < 99; i++) {
        double t = log((double)(i + 2) / (double)(i + 1));
        products += t * (double)(twin[ids[i]] - twin[ids[i + 1]]);
        squares += t * t;
    }
    double s = products / squares, e = s - 1;
    double k = pow(e * pow(2, mu) / (1 - pow((double)n, -e)), 1 / s);
    if (!(k < (double)n)) k = (double)n;
    if (k < (double)keep) k = (double)keep;
    for (size_t i = (size_t)k; i < count; i++) twin[ids[i]] = -INFINITY;
}

/* A random value of the warper; what its twin makes of `twin`. */
static void draw_value(enum setting warper, struct settings *settings, size_t n, size_t keep) {
    double nats = weigh_twin(n), u = sample_uniform(), best = 0, value = u;
    for (size_t i = 0; i < n; i++) best = p[i] > best ? p[i] : best;
    switch (warper) {
    case SETTING_MIN_P:
        value = sample_below(8) ? pow(10, -4 * u) : 1 + u;
        twin_cut(n, value * best, keep);
        break;
    case SETTING_TYPICAL_P:
        value = 0.01 + 0.98 * u;
        settings->value[SETTING_CONVENTION] = sample_below(2);
        twin_typical(n, value, keep, nats, settings->value[SETTING_CONVENTION] == 1);
        break;
    case SETTING_EPSILON_CUTOFF:
        value = pow(10, -5 * u) * 0.5;
        twin_cut(n, value, keep);
        break;
    case SETTING_ETA_CUTOFF:
        value = pow(10, -5 * u) * 0.9;
        twin_cut(n, fmin(value, sqrt(value) * exp(-nats)), keep);
        break;
    case SETTING_TOP_N_SIGMA:
        value = 0.01 + 3 * u;
        twin_sigma(n, value, keep);
        break;
    case SETTING_XTC_PROBABILITY:
        settings->seed = sample_below(1000);
        settings->step = sample_below(1000);
        settings->value[SETTING_XTC_THRESHOLD] = pow(10, -3 * sample_uniform());
        settings->value[warper] = u;
        twin_xtc(n, settings, keep);
        return;
    default:
        value = 1 + sample_below(2);
        settings->value[SETTING_MIROSTAT_MU] = 0.01 + 9 * u;
        twin_mirostat(n, value, settings->value[SETTING_MIROSTAT_MU], keep);
    }
    settings->value[warper] = value;
}

static void filters_equal_their_twins(void) {
    for (uint32_t warper = SETTING_MIN_P; warper < WARPER_COUNT; warper++) {
        int cut = 0;
        for (int round = 0; round < 500; round++) {
            struct settings settings;
            settings_reset(&settings);
            size_t n = 1 + sample_below(round % 2 ? 9 : 60), keep = 1;
            if (round % 5 == 0) keep += sample_below(6);
            sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
            if (warper == SETTING_MIROSTAT && round % SAMPLE_KINDS == 3) continue; /* all equal */
            memcpy(twin, logits, n * sizeof *twin);
            memcpy(before, logits, n * sizeof *twin);
            settings.value[SETTING_MIN_TOKENS_TO_KEEP] = (double)keep;
            draw_value(warper, &settings, n, keep);
            apply(warper, &settings, n);
            CHECK_MESSAGE(!memcmp(logits, twin, n * sizeof *twin), "%s differs in round %d",
                          warp_table[warper].name, round);
            cut += memcmp(before, logits, n * sizeof *twin) != 0;
        }
        CHECK_MESSAGE(cut > 100, "%s cut in %d rounds only", warp_table[warper].name, cut);
    }
}

/* Powers of two are exact: probabilities 1/8 and their bounds. */
static void exact_hits(void) {
    static const float equal[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    static const struct {
        enum setting setting;
        double value;
        uint32_t kept;
    } cases[] = {
        {SETTING_MIN_P, 1, 0xff},
        {SETTING_MIN_P, 0x1.0000000000001p0, 1},
        {SETTING_EPSILON_CUTOFF, 0.125, 0xff},
        {SETTING_EPSILON_CUTOFF, 0.12500000000000003, 1},
        {SETTING_TYPICAL_P, 0.25, 0xff},
        {SETTING_TOP_N_SIGMA, 1e-300, 0xff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[cases[i].setting] = cases[i].value;
        give(equal, 8);
        apply(cases[i].setting, &settings, 8);
        CHECK_MESSAGE(mask(8) == cases[i].kept, "case %zu keeps %x", i, mask(8));
    }
    static const double mu[] = {2.9999999, 3, 3.0000001};
    for (int i = 0; i < 3; i++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[SETTING_MIROSTAT] = 2;
        settings.value[SETTING_MIROSTAT_MU] = mu[i];
        give(equal, 8);
        apply(SETTING_MIROSTAT, &settings, 8);
        CHECK(mask(8) == (i ? 0xff : 1));
    }
}

/* llama.cpp keeps exactly k and, of the typical, no ties; llama2.c one more on an exact hit. */
static void conventions_differ(void) {
    static const float equal[8] = {0};
    static const struct {
        enum setting setting;
        double value;
        enum convention convention;
        uint32_t kept;
    } cases[] = {
        {SETTING_TOP_K, 3, CONVENTION_TRANSFORMERS, 0xff},
        {SETTING_TOP_K, 3, CONVENTION_LLAMA_CPP, 7},
        {SETTING_TOP_K, 3, CONVENTION_LLAMA2_C, 0xff},
        {SETTING_TOP_P, 0.5, CONVENTION_TRANSFORMERS, 0xf},
        {SETTING_TOP_P, 0.5, CONVENTION_LLAMA_CPP, 0xf},
        {SETTING_TOP_P, 0.5, CONVENTION_LLAMA2_C, 0x1f},
        {SETTING_TOP_P, 0.49, CONVENTION_LLAMA2_C, 0xf},
        {SETTING_TOP_P, 0, CONVENTION_TRANSFORMERS, 1},
        {SETTING_TOP_P, 0, CONVENTION_LLAMA2_C, 0xff},
        {SETTING_TOP_P, 0.9999999, CONVENTION_LLAMA2_C, 0xff},
        {SETTING_TYPICAL_P, 0.5, CONVENTION_TRANSFORMERS, 0xff},
        {SETTING_TYPICAL_P, 0.5, CONVENTION_LLAMA_CPP, 0x1f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[cases[i].setting] = cases[i].value;
        settings.value[SETTING_CONVENTION] = cases[i].convention;
        give(equal, 8);
        apply(cases[i].setting, &settings, 8);
        CHECK_MESSAGE(mask(8) == cases[i].kept, "case %zu keeps %x", i, mask(8));
    }
}

/* Equal, nearly equal and far apart logits leave the Zipf exponent without meaning. */
static void mirostat_takes_any_logits(void) {
    static const float cases[][4] = {
        {0, 0, 0, 0}, {FLT_MAX, -FLT_MAX, 0, 1}, {1, 0x1.000002p0f, 1, 1}, {5, 5, 5, -FLT_MAX}};
    static const double mus[] = {-1e300, -3, 1e-9, 1, 4, 50, 1e300};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t m = 0; m < sizeof mus / sizeof *mus; m++)
            for (int version = 1; version <= 2; version++) {
                struct settings settings;
                settings_reset(&settings);
                settings.value[SETTING_MIROSTAT] = version;
                settings.value[SETTING_MIROSTAT_MU] = mus[m];
                give(cases[c], 4);
                apply(SETTING_MIROSTAT, &settings, 4);
                CHECK(mask(4) != 0 && (mus[m] < 1e299 || version == 2 || mask(4) == 0xf));
            }
}

static void mu_follows_the_surprise(void) {
    struct settings settings;
    settings_reset(&settings);
    CHECK(fabs(mirostat_next(&settings, 0.5) - (10 - 0.1 * (1 - 5))) < 1e-12);
    settings.value[SETTING_MIROSTAT_MU] = 3;
    settings.value[SETTING_MIROSTAT_TAU] = 2;
    settings.value[SETTING_MIROSTAT_ETA] = 1;
    CHECK(fabs(mirostat_next(&settings, 0.25) - 3) < 1e-12);
    CHECK(fabs(mirostat_next(&settings, 0x1p-5) - DBL_MIN) < 1e-12);
    CHECK(mirostat_next(&settings, 0x1p-5) != 0);
    settings.value[SETTING_MIROSTAT_ETA] = DBL_MAX;
    CHECK(isfinite(mirostat_next(&settings, 1e-10)));
}

/* One share of the steps, whatever is drawn. */
static void xtc_tosses_its_own_coin(void) {
    int cut = 0;
    for (int step = 0; step < 4000; step++) {
        struct settings settings;
        settings_reset(&settings);
        settings.seed = 42;
        settings.step = (uint64_t)step;
        settings.value[SETTING_XTC_PROBABILITY] = 0.25;
        give((float[]){1, 1.5f, 0, -9}, 4);
        apply(SETTING_XTC_PROBABILITY, &settings, 4);
        CHECK(mask(4) == 0xf || mask(4) == 0xc);
        cut += mask(4) != 0xf;
    }
    CHECK_MESSAGE(abs(cut - 1000) < 110, "%d of 4000", cut); /* 4 standard deviations */
}

int main(void) {
    pcg32_seed(&sample_generator, 7, 1);
    TEST(filters_equal_their_twins);
    TEST(exact_hits);
    TEST(conventions_differ);
    TEST(mirostat_takes_any_logits);
    TEST(mu_follows_the_surprise);
    TEST(xtc_tosses_its_own_coin);
    return check_report();
}
