/* Tests limits of the truncations by probability, typicality and surprise. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "plain_samplers.h"
#include "warp.h"
#include "warp_part.h"

enum { N = 8 };
static float logits[N];
static uint32_t scratch[2 * N];
static uint64_t weights[N];

typedef void form(float *logits, const struct warp_input *input);

static void apply_form(form *warp, const struct settings *settings, size_t n) {
    struct warp_input input = {settings, n, NULL, 0, weights, 0, scratch, NULL};
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = logits[i] > max ? logits[i] : max;
    input.total = kernels_scalar.weigh(weights, logits, n, max);
    warp(logits, &input);
}

static void apply(enum setting sampler, const struct settings *settings, size_t n) {
    apply_form(warp_table[sampler].apply, settings, n);
}

static void give(const float *values, size_t n) { memcpy(logits, values, n * sizeof *logits); }

/* Returns a mask: bit i is 1 if token i survives. */
static uint32_t mask(size_t n) {
    uint32_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (logits[i] != -INFINITY) kept |= 1u << i;
    return kept;
}

/* Probabilities of 1/8 are exact, so bounds can be hit exactly. */
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
        {SETTING_TOP_A, 8, 0xff},
        {SETTING_TOP_A, 0x1.0000000000001p3, 1},
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

/* llama.cpp keeps exactly k tokens, and typical_p keeps no ties. On an exact hit, llama2.c keeps
 * one token more. */
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

/* With equal, nearly equal or distant logits, the Zipf exponent is meaningless. */
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

/* XTC must act in a quarter of the steps. */
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

/* These samplers are off only at 0: with 1 they remove tokens. */
static void one_cuts(void) {
    static const enum setting cutting[] = {SETTING_MIN_P, SETTING_TOP_A,  SETTING_TOP_H,
                                           SETTING_TOP_K, SETTING_P_LESS, SETTING_TOP_N_SIGMA};
    for (size_t i = 0; i < sizeof cutting / sizeof *cutting; i++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[cutting[i]] = 1;
        give((const float[]){9, 0, -0.5f, -1}, 4);
        apply(cutting[i], &settings, 4);
        if (cutting[i] == SETTING_TOP_H)
            CHECK_MESSAGE(mask(4) == 0xf, "at 1 the whole entropy is kept, not %x", mask(4));
        else
            CHECK_MESSAGE(mask(4) == 1, "%s keeps %x", warp_table[cutting[i]].name, mask(4));
    }
}

/* Eight equal tokens; the value misses half the mass or entropy by less than 2^-20, or by more. */
static void slack_is_two_to_the_minus_20(void) {
    static const struct {
        enum setting setting;
        enum convention convention;
        double sign;
        uint32_t within, beyond;
    } cases[] = {
        {SETTING_TOP_P, CONVENTION_TRANSFORMERS, 1, 0xf, 0x1f},
        {SETTING_TOP_P, CONVENTION_LLAMA2_C, -1, 0x1f, 0xf},
        {SETTING_TOP_H, CONVENTION_TRANSFORMERS, -1, 0xf, 0x7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int c = 0; c < 4; c++) {
            bool beyond = c & 1, plain = c & 2;
            enum setting setting = cases[i].setting;
            struct settings settings;
            settings_reset(&settings);
            settings.value[SETTING_CONVENTION] = cases[i].convention;
            settings.value[setting] = 0.5 + cases[i].sign * (beyond ? 1.25 : 0.75) * 0x1p-20;
            give((const float[]){2, 2, 2, 2, 2, 2, 2, 2}, 8);
            apply_form(plain ? plain_samplers[setting] : warp_table[setting].apply, &settings, 8);
            CHECK_MESSAGE(mask(8) == (beyond ? cases[i].beyond : cases[i].within),
                          "case %zu, form %d keeps %x", i, c, mask(8));
        }
}

/* Two equal tokens are the last sorted tokens. The token with the lower id is the third kept. */
static void tail_free_cuts_between_equals(void) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_TFS_Z] = 0.1;
    settings.value[SETTING_MIN_TOKENS_TO_KEEP] = 3;
    give((const float[]){0, -2, -5, -5, -12, -12, -12, -12}, 8);
    apply(SETTING_TFS_Z, &settings, 8);
    CHECK_MESSAGE(mask(8) == 7, "keeps %x", mask(8));
}

/* The total is 8 and p is 0.5: the prefix must reach 4 in one convention, and exceed 4 in the
 * other. */
static void mass_targets(void) {
    CHECK(warp_mass_target(0.5, 8, false) == 4);
    CHECK(warp_mass_target(0.5, 8, true) == 5);
    CHECK(warp_mass_target(1, 8, false) == 8);
    CHECK(warp_mass_target(1, 8, true) == 0);
    CHECK(warp_mass_target(0, 8, false) == 1);
}

int main(void) {
    TEST(exact_hits);
    TEST(one_cuts);
    TEST(mass_targets);
    TEST(slack_is_two_to_the_minus_20);
    TEST(tail_free_cuts_between_equals);
    TEST(conventions_differ);
    TEST(mirostat_takes_any_logits);
    TEST(mu_follows_the_surprise);
    TEST(xtc_tosses_its_own_coin);
    return check_report();
}
