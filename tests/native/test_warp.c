/* Tests limits of samplers, and settings that are refused. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "fault_line.h"
#include "kernels.h"
#include "sample.h"
#include "vector_file.h"
#include "warp.h"

enum { N = 400 };
static float logits[N], before[N];
static uint32_t scratch[2 * N], history[N];
static uint64_t weights[N];

/* Applies a sampler to `logits` in place. */
static void apply(enum setting sampler, struct settings *settings, size_t n, size_t n_history) {
    struct warp_input input = {settings, n, history, n_history, weights, 0, scratch, NULL};
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = logits[i] > max ? logits[i] : max;
    input.total = kernels_scalar.weigh(weights, logits, n, max);
    warp_table[sampler].apply(logits, &input);
}

static void same_bits(const float *a, const float *b, size_t n, const char *what, int round) {
    CHECK_MESSAGE(!memcmp(a, b, n * sizeof *a), "%s differs in round %d", what, round);
}

static size_t draw_case(int round) {
    size_t n = 1 + sample_below(round % 2 ? 9 : N);
    sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
    memcpy(before, logits, n * sizeof *logits);
    return n;
}

static void penalty_never_raises(void) {
    for (int round = 0; round < 1000; round++) {
        struct settings settings;
        settings_reset(&settings);
        size_t n = draw_case(round), n_history = sample_below(40);
        for (size_t i = 0; i < n_history; i++) history[i] = sample_below((uint32_t)n);
        settings.value[SETTING_REPETITION_PENALTY] = 1 + 2 * sample_uniform();
        apply(SETTING_REPETITION_PENALTY, &settings, n, n_history);
        for (uint32_t id = 0; id < n; id++) CHECK(logits[id] <= before[id]);
    }
}

static void temperature_divides_and_stays_finite(void) {
    static const double values[] = {0.5, 2, 0.7, 1e-3, 1e-30, 5e-324, 1e300, DBL_MAX};
    for (int round = 0; round < 400; round++) {
        struct settings settings;
        settings_reset(&settings);
        size_t n = draw_case(round);
        double temperature = values[round % 8];
        settings.value[SETTING_TEMPERATURE] = temperature;
        apply(SETTING_TEMPERATURE, &settings, n, 0);
        for (size_t i = 0; i < n; i++) {
            CHECK((logits[i] == -INFINITY) == (before[i] == -INFINITY));
            CHECK(!isnan(logits[i]) && logits[i] != INFINITY);
            if (temperature >= 1e-3 && before[i] != -INFINITY)
                CHECK(logits[i] == (float)((double)before[i] / temperature));
            for (size_t j = 0; j < i && j < 20; j++)
                CHECK(!(before[i] > before[j] && logits[i] < logits[j]));
        }
    }
}

static void temperature_zero_keeps_the_first_best(void) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_TEMPERATURE] = 0;
    memcpy(logits, (float[]){1, 3, -INFINITY, 3, 2}, 5 * sizeof *logits);
    apply(SETTING_TEMPERATURE, &settings, 5, 0);
    same_bits(logits, (float[]){-INFINITY, 3, -INFINITY, -INFINITY, -INFINITY}, 5, "greedy", 0);
}

static void the_mean_of_adaptive_p_decays(void) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_ADAPTIVE_DECAY] = 0.75;
    settings.value[SETTING_ADAPTIVE_MEAN] = 0.5;
    CHECK(adaptive_next(&settings, 0.25) == 0.4375);
}

static void bias_adds_and_bans(void) {
    static const struct warp_bias bias[] = {{0, 1.5}, {1, -INFINITY}, {2, DBL_MAX}, {3, 4}};
    struct settings settings;
    settings_reset(&settings);
    settings.bias = bias;
    settings.n_bias = 4;
    memcpy(logits, (float[]){1, 3, 0, -INFINITY, 2}, 5 * sizeof *logits);
    apply(SETTING_LOGIT_BIAS, &settings, 5, 0);
    same_bits(logits, (float[]){2.5f, -INFINITY, FLT_MAX, -INFINITY, 2}, 5, "bias", 0);
}

static void neutral_is_the_identity(void) {
    for (int round = 0; round < 300; round++) {
        struct settings settings;
        settings_reset(&settings);
        size_t n = draw_case(round);
        for (size_t i = 0; i < 5; i++) history[i] = sample_below((uint32_t)n);
        for (uint32_t sampler = 0; sampler < SAMPLER_COUNT; sampler++) {
            CHECK(!settings_active(&settings, sampler));
            apply(sampler, &settings, n, 5);
            same_bits(logits, before, n, warp_table[sampler].name, round);
        }
    }
}

static void exact_hits_of_top_p(void) {
    struct settings settings;
    settings_reset(&settings);
    for (int k = 1; k <= 8; k++) {
        for (int i = 0; i < 8; i++) logits[i] = 2.5f;
        settings.value[SETTING_TOP_P] = k / 8.0;
        apply(SETTING_TOP_P, &settings, 8, 0);
        for (int i = 0; i < 8; i++) CHECK((logits[i] != -INFINITY) == (i < k));
    }
    static const double p[] = {.60, .20, .10, .05, .03, .02};
    for (int i = 0; i < 6; i++) logits[i] = (float)log(p[i]);
    settings.value[SETTING_TOP_P] = 0.9;
    apply(SETTING_TOP_P, &settings, 6, 0);
    for (int i = 0; i < 6; i++) CHECK((logits[i] != -INFINITY) == (i < 3));
}

static void refused_settings_change_nothing(void) {
    static const struct {
        enum setting setting;
        double value;
        const char *text;
    } cases[] = {
        {SETTING_TOP_P, 1.5, "must_be_between top_p 0 1 1.5"},
        {SETTING_TOP_P, -0.1, "must_be_between top_p 0 1 -0.10000000000000001"},
        {SETTING_TOP_P, NAN, "must_be_between top_p 0 1 nan"},
        {SETTING_TEMPERATURE, -1, "must_be_finite_at_least temperature 0 -1"},
        {SETTING_TEMPERATURE, INFINITY, "must_be_finite_at_least temperature 0 inf"},
        {SETTING_REPETITION_PENALTY, 0, "must_be_finite_above repetition_penalty 0 0"},
        {SETTING_TOP_K, 2.5, "must_be_whole_at_least top_k 0 2.5"},
        {SETTING_TOP_K, 0x1p53, "must_be_whole_between top_k 0 9007199254740991 9007199254740992"},
        {SETTING_TOP_K, -3, "must_be_whole_at_least top_k 0 -3"},
        {SETTING_MIN_TOKENS_TO_KEEP, 0, "must_be_whole_at_least min_tokens_to_keep 1 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings, copy;
        struct fault fault;
        settings_reset(&settings);
        copy = settings;
        CHECK(settings_set(&settings, cases[i].setting, cases[i].value, &fault) ==
              STATUS_OUT_OF_RANGE);
        CHECK_MESSAGE(!strcmp(fault_line(&fault), cases[i].text), "%s", fault_line(&fault));
        CHECK(!memcmp(&settings, &copy, sizeof copy));
    }
    struct settings settings;
    settings_reset(&settings);
    CHECK(settings_set(&settings, SETTING_LOGIT_BIAS, 1, NULL) == STATUS_INVALID_ARGUMENT);
    CHECK(settings_set(&settings, SETTING_TOP_P, 0.25, NULL) == STATUS_OK);
    CHECK(settings.value[SETTING_TOP_P] == 0.25);
}

static void orders_are_checked(void) {
    struct settings settings;
    struct fault fault;
    settings_reset(&settings);
    CHECK(settings_check(&settings, 4, &fault) == STATUS_OK);
    settings.order[0] = SETTING_TOP_K;
    CHECK(settings_check(&settings, 4, &fault) == STATUS_INVALID_ARGUMENT);
    CHECK(!strcmp(fault_line(&fault), "order_twice top_k"));
    settings.n_order = 1;
    CHECK(settings_check(&settings, 4, &fault) == STATUS_OK);
    settings.value[SETTING_TEMPERATURE] = 2;
    CHECK(settings_check(&settings, 4, &fault) == STATUS_INVALID_ARGUMENT);
    CHECK(!strcmp(fault_line(&fault), "order_leaves_out temperature"));
    struct warp_bias bias = {4, 0.5};
    settings_reset(&settings);
    settings.bias = &bias;
    settings.n_bias = 1;
    CHECK(settings_check(&settings, 4, &fault) == STATUS_UNKNOWN_TOKEN);
    bias = (struct warp_bias){3, NAN};
    CHECK(settings_check(&settings, 4, &fault) == STATUS_OUT_OF_RANGE);
}

/* Compares the table with tests/vectors/settings.txt: a change of a name or range changes addresses
 * and flags, so it must change that file too. */
static void the_table_is_the_contract(void) {
    static const char *const kinds[] = {"real", "integer", "map", "list", "choice"};
    static const char *const taken[] = {"no", "yes"};
    struct vector_file file;
    bool there = vector_file_read(&file, "tests/vectors/settings.txt");
    CHECK(there && file.n_lines == SETTING_COUNT);
    for (size_t i = 0; there && i < file.n_lines && i < SETTING_COUNT; i++) {
        const struct warp_row *row = &warp_table[i];
        char **words = file.lines[i].words;
        CHECK(file.lines[i].count == 11);
        if (file.lines[i].count != 11) break;
        const char *const names[] = {row->name, kinds[row->kind], row->group};
        for (size_t k = 0; k < 3; k++)
            CHECK_MESSAGE(!strcmp(words[k], names[k]), "%s, not %s", names[k], words[k]);
        const double numbers[] = {row->neutral, row->minimum, row->maximum,
                                  row->low,     row->high,    row->step};
        static const size_t places[] = {3, 4, 6, 8, 9, 10};
        for (size_t k = 0; k < 6; k++) {
            double number = NAN;
            CHECK(vector_number(words[places[k]], &number));
            CHECK_MESSAGE(number == numbers[k], "%s: %g, not %g", row->name, numbers[k], number);
        }
        CHECK_MESSAGE(!strcmp(words[5], taken[row->minimum_included]), "%s", row->name);
        CHECK_MESSAGE(!strcmp(words[7], taken[row->maximum_included]), "%s", row->name);
    }
    if (there) vector_file_free(&file);
}

int main(void) {
    pcg32_seed(&sample_generator, 2, 1);
    TEST(penalty_never_raises);
    TEST(temperature_divides_and_stays_finite);
    TEST(temperature_zero_keeps_the_first_best);
    TEST(the_mean_of_adaptive_p_decays);
    TEST(bias_adds_and_bans);
    TEST(neutral_is_the_identity);
    TEST(the_table_is_the_contract);
    TEST(exact_hits_of_top_p);
    TEST(refused_settings_change_nothing);
    TEST(orders_are_checked);
    return check_report();
}
