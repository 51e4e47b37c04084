/* A draw from the short list gives the same bits as a draw from all tokens. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "check.h"
#include "fault_line.h"
#include "sample.h"
#include "sample_settings.h"
#include "shortlist.h"

enum { N = 6000 };
static float logits[N];
static uint32_t history[64], scratch[2 * N];
static struct shortlist list;
static int short_draws;

static void random_settings(struct settings *settings, struct warp_bias *bias, uint32_t n) {
    static const double temperatures[] = {0, 0.2, 0.8, 1.3, 3, 1e-3, 1e4, 1e30, 1e-39, 1e42};
    settings_reset(settings);
    if (sample_uniform() < 0.7)
        settings->value[SETTING_TEMPERATURE] = temperatures[sample_below(10)];
    if (sample_uniform() < 0.8) settings->value[SETTING_TOP_K] = 1 + sample_below(60);
    if (sample_uniform() < 0.5) settings->value[SETTING_TOP_P] = sample_uniform();
    if (sample_uniform() < 0.5)
        settings->value[SETTING_REPETITION_PENALTY] = 0.3 + 2 * sample_uniform();
    sample_filters(settings);
    settings->step = sample_below(1000);
    if (sample_uniform() < 0.3) settings->value[SETTING_REPETITION_WINDOW] = 1 + sample_below(20);
    if (sample_uniform() < 0.3) settings->value[SETTING_MIN_TOKENS_TO_KEEP] = 1 + sample_below(9);
    if (sample_uniform() < 0.4 && n > 4) {
        bias[0] = (struct warp_bias){1, sample_uniform() < 0.5 ? -(double)INFINITY : 9.5};
        bias[1] = (struct warp_bias){n - 2, sample_uniform() < 0.2 ? FLT_MAX : -1.5};
        settings->bias = bias;
        settings->n_bias = 2;
    }
    sample_order(settings, 0.4);
}

static void compare(struct chain *chain, const struct settings *settings, size_t n,
                    size_t n_history, uint64_t r, int round) {
    struct fault short_fault = {0}, long_fault = {0};
    struct chain_sample sample;
    struct chain_choice choice = {r, round % 2};
    enum status status =
        chain_sample(chain, logits, settings, history, n_history, choice, &sample, &short_fault);
    enum status expected = chain_apply(chain, logits, settings, history, n_history, 0, &long_fault);
    char line[FAULT_LINE_MAX];
    strcpy(line, fault_line(&short_fault));
    CHECK(status == expected && !strcmp(line, fault_line(&long_fault)));
    if (status || expected) return;
    struct chain_drawn drawn = chain_draw(chain, r);
    const struct chain_trace *trace = chain_trace(chain);
    CHECK_MESSAGE(sample.drawn.id == drawn.id && sample.drawn.rank == drawn.rank &&
                      sample.drawn.p == drawn.p &&
                      sample.drawn.p_raw == (round % 2 ? drawn.p_raw : 0) &&
                      sample.drawn.logprob == drawn.logprob,
                  "round %d: %u, not %u", round, sample.drawn.id, drawn.id);
    CHECK(sample.drawn.p_before == drawn.p_before);
    CHECK_MESSAGE(sample.kept == trace->kept && sample.entropy == trace->entropy,
                  "round %d: %u kept, %.17g bits, not %u, %.17g", round, sample.kept,
                  sample.entropy, trace->kept, trace->entropy);
    short_draws += shortlist_make(&list, logits, n, settings, history, n_history, scratch);
}

static void short_equals_long(void) {
    static const float extremes[] = {FLT_MAX, -FLT_MAX, 1e30f, -INFINITY, NAN};
    const int rounds = check_all() ? 6000 : 750;
    for (int round = 0; round < rounds; round++) {
        struct settings settings;
        struct warp_bias bias[2];
        struct chain *chain;
        size_t n = 1 + sample_below(round % 4 ? 200 : N), n_history = sample_below(60);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        for (int i = 0; i < 3 && round % 5 == 0; i++)
            logits[sample_below((uint32_t)n)] = extremes[sample_below(round % 10 ? 4 : 5)];
        random_settings(&settings, bias, (uint32_t)n);
        for (size_t i = 0; i < n_history; i++) history[i] = sample_below((uint32_t)n);
        CHECK(chain_open(&chain, n, 1, &kernels_scalar, NULL) == STATUS_OK);
        compare(chain, &settings, n, n_history, draw_random(21, (uint64_t)round), round);
        chain_close(chain);
    }
    CHECK_MESSAGE(3 * short_draws > rounds, "only %d draws took the short way", short_draws);
}

/* Sets top_k 1 and temperature 3, and finds two neighbouring logits that become equal by rounding.
 * The larger one is the largest logit, so rank_floor returns it exactly. */
static void tie_by_rounding(struct settings *settings, float *best, float *below) {
    settings_reset(settings);
    settings->value[SETTING_TEMPERATURE] = 3;
    settings->value[SETTING_TOP_K] = 1;
    *best = 1;
    do {
        *best += 0x1p-13f;
        *below = nextafterf(*best, 0);
    } while ((float)((double)*best / 3) != (float)((double)*below / 3));
}

static void ties_by_rounding_are_listed(void) {
    struct settings settings;
    float best, below;
    tie_by_rounding(&settings, &best, &below);
    memcpy(logits, (float[]){0, below, best, below}, 4 * sizeof *logits);
    CHECK(shortlist_make(&list, logits, 4, &settings, NULL, 0, scratch));
    CHECK(list.n == 3 && list.ids[0] == 1 && list.ids[1] == 2 && list.ids[2] == 3);
    for (size_t i = 0; i < 1000; i++) logits[i] = -5; /* enough tokens for rank_floor */
    logits[300] = below;
    logits[700] = best;
    CHECK(shortlist_make(&list, logits, 1000, &settings, NULL, 0, scratch));
    CHECK(list.n == 2 && list.ids[0] == 300 && list.ids[1] == 700);
}

static void a_full_list_takes_the_long_way(void) {
    static uint32_t many[N];
    struct settings settings;
    struct warp_bias bias[2] = {{0, 1}, {1, 1}};
    settings_reset(&settings);
    settings.value[SETTING_TOP_K] = 5;
    settings.bias = bias;
    settings.n_bias = 2;
    for (size_t i = 0; i < SHORTLIST_MAX + 2; i++) logits[i] = i < 2 ? -5 : 1;
    CHECK(shortlist_make(&list, logits, SHORTLIST_MAX, &settings, NULL, 0, scratch));
    CHECK(list.n == SHORTLIST_MAX);
    CHECK(!shortlist_make(&list, logits, SHORTLIST_MAX + 2, &settings, NULL, 0, scratch));
    settings.value[SETTING_REPETITION_PENALTY] = 1.5;
    settings.value[SETTING_REPETITION_WINDOW] = 0;
    for (uint32_t i = 0; i < N; i++) many[i] = i;
    sample_logits(logits, N, 0);
    CHECK(!shortlist_make(&list, logits, N, &settings, many, N, scratch));
}

static bool is_listed(double temperature, size_t n, size_t at, float logit) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_TEMPERATURE] = temperature;
    settings.value[SETTING_TOP_K] = 5;
    sample_logits(logits, n, 0);
    logits[at] = logit;
    return shortlist_make(&list, logits, n, &settings, NULL, 0, scratch);
}

/* If a divided logit overflows, temperature shifts all logits, which rounds the best logit
 * differently. Even a low logit can overflow; then the whole vocabulary must be used. */
static void an_overflow_takes_the_long_way(void) {
    float least = (float)((double)-FLT_MAX * 0.25 / 1e8), below = nextafterf(least, -INFINITY);
    for (size_t n = 200; n <= N; n += 580) {
        size_t at = sample_below((uint32_t)n);
        CHECK(is_listed(0.25, n, at, least) && is_listed(0.25, n, at, -INFINITY));
        CHECK(!is_listed(0.25, n, at, below) && !is_listed(0.25, n, at, -FLT_MAX));
        CHECK(!is_listed(0.25, n, at, NAN) && !is_listed(0.25, n, at, INFINITY));
        CHECK(is_listed(1, n, at, -FLT_MAX) && !is_listed(1, n, at, FLT_MAX));
    }
}

int main(void) {
    pcg32_seed(&sample_generator, 5, 1);
    TEST(short_equals_long);
    TEST(ties_by_rounding_are_listed);
    TEST(a_full_list_takes_the_long_way);
    TEST(an_overflow_takes_the_long_way);
    return check_report();
}
