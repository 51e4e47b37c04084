/* Tests the watermarks: their hash, the share of green tokens, and their average effect. */
#include <math.h>
#include <string.h>

#include "chain.h"
#include "check.h"
#include "sample.h"
#include "watermark.h"

enum { N = 262144, CONTEXT = 4 };
static float logits[N];
static uint32_t bits[N], scratch[N];
static const uint32_t history[] = {5, 0, 262143, 17, 5, 9};
enum { HISTORY = sizeof history / sizeof *history };

/* The expected numbers come from the Python program in docs/samplers.md. */
static void hash_is_as_stated(void) {
    static const uint32_t green[] = {0xc8e1ff61, 0xceeb8b63, 0xb05294d6, 0x1b963897},
                          synthid[] = {0x506abc53, 0xb17ee6d2, 0x8a11b77c, 0x850cb91f};
    struct settings settings;
    struct watermark watermark;
    settings_reset(&settings);
    settings.value[SETTING_GREEN_BIAS] = 1;
    settings.value[SETTING_SYNTHID_DEPTH] = 30;
    CHECK(watermark_green(&watermark, &settings, history, HISTORY));
    for (uint32_t id = 0; id < 4; id++) CHECK(watermark_bits(&watermark, id) == green[id]);
    CHECK(watermark.last == 0x3fffffff); /* green_fraction is 1/4 */
    CHECK(watermark_synthid(&watermark, &settings, history, HISTORY));
    for (uint32_t id = 0; id < 4; id++) CHECK(watermark_bits(&watermark, id) == synthid[id]);
    CHECK(watermark_g(&watermark, 0) == (synthid[0] & 0x3fffffff));
}

/* Like hash_is_as_stated, with green_self. */
static void self_hash_is_as_stated(void) {
    static const uint32_t ids[] = {0, 1, 2, 9}, back[] = {1, 1, 0, 0},
                          one[] = {0xfa7c14c7, 0xa9c9d1af, 0x45a3f37b, 0xc1ec2e7f},
                          alone[] = {0x845ce427, 0xdccd7af8, 0x45a3f37b, 0xc1ec2e7f};
    struct settings settings;
    struct watermark watermark;
    settings_reset(&settings);
    settings.value[SETTING_GREEN_BIAS] = settings.value[SETTING_GREEN_SELF] = 1;
    CHECK(watermark_green(&watermark, &settings, history, HISTORY));
    for (int i = 0; i < 4; i++) {
        CHECK(watermark_bits(&watermark, ids[i]) == one[i]);
        CHECK(watermark_decider(&watermark, history + HISTORY - 1, 1, ids[i]) == back[i]);
    }
    watermark_all(bits, &watermark, NULL, 513);
    for (uint32_t id = 0; id < 513; id++) CHECK(bits[id] == watermark_bits(&watermark, id));
    settings.value[SETTING_GREEN_CONTEXT] = 0;
    CHECK(watermark_green(&watermark, &settings, NULL, 0));
    for (int i = 0; i < 4; i++) {
        CHECK(watermark_bits(&watermark, ids[i]) == alone[i]);
        CHECK(watermark_decider(&watermark, NULL, 0, ids[i]) == 0);
    }
}

static void all_at_once_is_one_by_one(void) {
    static const size_t sizes[] = {1, 2, 7, 64, 513};
    static const uint32_t ids[] = {3, 4, 5, 90001, 262143};
    struct watermark watermark = {.seed = 77};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        watermark_all(bits, &watermark, NULL, sizes[s]);
        for (uint32_t id = 0; id < sizes[s]; id++)
            CHECK(bits[id] == watermark_bits(&watermark, id));
    }
    watermark_all(bits, &watermark, ids, 5);
    for (uint32_t i = 0; i < 5; i++) CHECK(bits[i] == watermark_bits(&watermark, ids[i]));
}

/* The share of green tokens must be within five standard deviations of the fraction; each layer's
 * share of g = 1 of 1/2. */
static void shares_are_as_set(void) {
    static const double fractions[] = {0.1, 0.25, 0.5, 0.9};
    struct settings settings;
    struct watermark watermark;
    settings_reset(&settings);
    settings.value[SETTING_GREEN_BIAS] = 1;
    settings.value[SETTING_SYNTHID_DEPTH] = 30;
    for (int f = 0; f < 4; f++) {
        double q = settings.value[SETTING_GREEN_FRACTION] = fractions[f];
        double count = 0;
        CHECK(watermark_green(&watermark, &settings, history, HISTORY));
        for (uint32_t id = 0; id < N; id++) count += watermark_is_green(&watermark, id);
        CHECK_MESSAGE(fabs(count - q * N) < 5 * sqrt(N * q * (1 - q)), "%g of %g", count, q * N);
    }
    CHECK(watermark_synthid(&watermark, &settings, history, HISTORY));
    for (uint32_t layer = 0; layer < 30; layer++) {
        double count = 0;
        for (uint32_t id = 0; id < N; id++) count += watermark_g(&watermark, id) >> layer & 1;
        CHECK_MESSAGE(fabs(count - N / 2) < 5 * sqrt(N / 4.0), "layer %u: %g", layer, count);
    }
}

static void short_or_repeated_contexts_have_no_hash(void) {
    struct settings settings;
    struct watermark watermark;
    settings_reset(&settings);
    CHECK(!watermark_green(&watermark, &settings, history, HISTORY));
    CHECK(!watermark_synthid(&watermark, &settings, history, HISTORY));
    settings.value[SETTING_GREEN_BIAS] = settings.value[SETTING_SYNTHID_DEPTH] = 1;
    CHECK(!watermark_green(&watermark, &settings, NULL, 0));
    CHECK(!watermark_synthid(&watermark, &settings, history, CONTEXT - 1));
    CHECK(watermark_synthid(&watermark, &settings, history, CONTEXT));
    settings.value[SETTING_GREEN_CONTEXT] = 0;
    CHECK(watermark_green(&watermark, &settings, NULL, 0));
    settings.value[SETTING_SYNTHID_CONTEXT] = 1;
    CHECK(watermark_synthid(&watermark, &settings, history, 4));
    CHECK(!watermark_synthid(&watermark, &settings, history, 5));
}

/* Averaged over keys, SynthID must change no probability, within five standard deviations. */
static void tournament_is_fair_over_keys(void) {
    enum { TOKENS = 6 };
    const int keys = check_all() ? 20000 : 4000;
    static const float given[TOKENS] = {2, 1.5f, 1, 0, -1, -3};
    double sum[TOKENS] = {0}, squares[TOKENS] = {0}, raw[TOKENS], total = 0;
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_SYNTHID_DEPTH] = 30;
    for (int i = 0; i < TOKENS; i++) total += raw[i] = exp((double)given[i]);
    for (int key = 0; key < keys; key++) {
        uint64_t weights[TOKENS];
        struct warp_input input = {&settings, TOKENS, history, HISTORY, weights, 0, scratch, NULL};
        double now[TOKENS], mass = 0;
        settings.value[SETTING_WATERMARK_KEY] = key;
        memcpy(logits, given, sizeof given);
        input.total = kernels_scalar.weigh(weights, logits, TOKENS, 2);
        warp_synthid(logits, &input);
        for (int i = 0; i < TOKENS; i++) mass += now[i] = exp((double)logits[i]);
        CHECK_MESSAGE(fabs(mass / total - 1) < 1e-5, "the mass is %g", mass / total);
        for (int i = 0; i < TOKENS; i++) {
            sum[i] += now[i] / mass;
            squares[i] += now[i] / mass * now[i] / mass;
        }
    }
    for (int i = 0; i < TOKENS; i++) {
        double mean = sum[i] / keys, p = raw[i] / total;
        double sd = sqrt((squares[i] / keys - mean * mean) / keys);
        CHECK_MESSAGE(fabs(mean - p) < 5 * sd, "token %d: %g, not %g", i, mean, p);
    }
}

/* For V equal tokens, the mean of g after one layer must be 1/2 + 1/4 (1 - 1/V), within five
 * standard deviations over the keys. The formula is transformers' expected_mean_g_value. */
static void one_layer_has_the_published_mean(void) {
    const int keys = check_all() ? 4000 : 800;
    static const size_t sizes[] = {1, 2, 10, 200};
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_SYNTHID_DEPTH] = 1;
    for (int s = 0; s < 4; s++) {
        size_t n = sizes[s];
        uint64_t weights[200];
        struct warp_input input = {&settings, n, history, HISTORY, weights, 0, scratch, NULL};
        double sum = 0, squares = 0, expected = 0.5 + 0.25 * (1 - 1 / (double)n);
        for (int key = 0; key < keys; key++) {
            struct watermark watermark;
            double mean = 0, mass = 0;
            settings.value[SETTING_WATERMARK_KEY] = key;
            for (size_t i = 0; i < n; i++) logits[i] = 1;
            input.total = kernels_scalar.weigh(weights, logits, n, 1);
            warp_synthid(logits, &input);
            CHECK(watermark_synthid(&watermark, &settings, history, HISTORY));
            for (uint32_t i = 0; i < n; i++) {
                double e = exp((double)logits[i]);
                mass += e;
                mean += watermark_g(&watermark, i) ? e : 0;
            }
            sum += mean / mass;
            squares += mean / mass * mean / mass;
        }
        double sd = sqrt((squares / keys - sum / keys * sum / keys) / keys);
        CHECK_MESSAGE(fabs(sum / keys - expected) < 5 * sd, "%zu tokens: %g, not %g", n, sum / keys,
                      expected);
    }
}

/* The trace must mark the green listed tokens and state the mass of all green tokens. */
static void trace_names_the_green(void) {
    static const size_t sizes[] = {1, 2, 7, 64, 512, 50257};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        struct settings settings;
        struct chain *chain;
        struct watermark watermark;
        uint64_t total;
        double raw = 0, now = 0, all = 0;
        settings_reset(&settings);
        settings.value[SETTING_GREEN_BIAS] = 2;
        settings.value[SETTING_TOP_K] = 40;
        sample_logits(logits, n, 0);
        uint32_t last = (uint32_t)n - 1;
        CHECK(chain_open(&chain, n, 20, &kernels_simd, NULL) == STATUS_OK);
        CHECK(chain_apply(chain, logits, &settings, &last, 1, 20, NULL) == STATUS_OK);
        const struct chain_trace *trace = chain_trace(chain);
        const uint64_t *weights = chain_weights(chain, &total);
        CHECK(trace->has_green && watermark_green(&watermark, &settings, &last, 1));
        for (uint32_t id = 0; id < n; id++) {
            double e = exp((double)logits[id]);
            all += e;
            raw += watermark_is_green(&watermark, id) ? e : 0;
            now += watermark_is_green(&watermark, id) ? (double)weights[id] / (double)total : 0;
        }
        CHECK(fabs(trace->green_p_raw - raw / all) < 1e-6);
        CHECK(fabs(trace->green_p - now) < 1e-9);
        for (uint32_t i = 0; i < trace->n_tokens; i++)
            CHECK(trace->tokens[i].green ==
                  1u + watermark_is_green(&watermark, trace->tokens[i].id));
        CHECK(chain_apply(chain, logits, &settings, NULL, 0, 20, NULL) == STATUS_OK);
        CHECK(!trace->has_green && trace->tokens[0].green == 0 && trace->green_p == 0);
        chain_close(chain);
    }
}

int main(void) {
    pcg32_seed(&sample_generator, 31, 1);
    TEST(hash_is_as_stated);
    TEST(self_hash_is_as_stated);
    TEST(all_at_once_is_one_by_one);
    TEST(shares_are_as_set);
    TEST(short_or_repeated_contexts_have_no_hash);
    TEST(tournament_is_fair_over_keys);
    TEST(one_layer_has_the_published_mean);
    TEST(trace_names_the_green);
    return check_report();
}
