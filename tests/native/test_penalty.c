/* Penalties, bans and DRY against naive twins, on histories full of repeats, and at their edges. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "sample.h"
#include "warp.h"

enum { N = 40, HISTORY = 6000 };
static float logits[N], twin[N];
static uint32_t scratch[N], history[HISTORY];

static void apply(enum setting warper, const struct settings *settings, size_t n,
                  size_t n_history) {
    struct warp_input input = {settings, n, history, n_history, NULL, 0, scratch};
    warp_table[warper].apply(logits, &input);
}

static void same_bits(size_t n, const char *what, int round) {
    CHECK_MESSAGE(!memcmp(logits, twin, n * sizeof *twin), "%s differs in round %d", what, round);
}

/* Few ids, so that stretches come again. */
static size_t draw_case(int round, size_t *n_history) {
    size_t n = 1 + sample_below(N - 1);
    uint32_t ids = (uint32_t)n < 4 ? (uint32_t)n : 1 + sample_below(4);
    *n_history = sample_below(round % 3 ? 12 : 90);
    for (size_t i = 0; i < *n_history; i++) history[i] = sample_below(ids);
    sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
    memcpy(twin, logits, n * sizeof *twin);
    return n;
}

static size_t window_start(double window, size_t n_history) {
    return window > 0 && window < (double)n_history ? n_history - (size_t)window : 0;
}

static void counts_are_subtracted(void) {
    for (int round = 0; round < 2000; round++) {
        struct settings settings;
        size_t n_history, n = draw_case(round, &n_history);
        settings_reset(&settings);
        double penalty = 4 * sample_uniform() - 2, window = sample_below(20);
        bool frequency = round % 2;
        enum setting warper = frequency ? SETTING_FREQUENCY_PENALTY : SETTING_PRESENCE_PENALTY;
        settings.value[warper] = penalty;
        settings.value[SETTING_REPETITION_WINDOW] = window;
        apply(warper, &settings, n, n_history);
        for (uint32_t id = 0; id < n; id++) {
            int count = 0;
            for (size_t i = window_start(window, n_history); i < n_history; i++)
                count += history[i] == id;
            if (count && twin[id] != -INFINITY)
                twin[id] = (float)((double)twin[id] - penalty * (frequency ? count : 1));
        }
        same_bits(n, warp_table[warper].name, round);
    }
}

static void ngrams_do_not_come_again(void) {
    for (int round = 0; round < 3000; round++) {
        struct settings settings;
        size_t n_history, n = draw_case(round, &n_history);
        settings_reset(&settings);
        size_t size = 1 + sample_below(5);
        double window = round % 4 ? 0 : sample_below(20);
        settings.value[SETTING_NO_REPEAT_NGRAM_SIZE] = (double)size;
        settings.value[SETTING_REPETITION_WINDOW] = window;
        apply(SETTING_NO_REPEAT_NGRAM_SIZE, &settings, n, n_history);
        for (size_t i = window_start(window, n_history); i + size <= n_history; i++) {
            size_t same = 0;
            while (same + 1 < size && history[i + same] == history[n_history + 1 - size + same])
                same++;
            if (same + 1 == size) twin[history[i + same]] = -INFINITY;
        }
        same_bits(n, "no_repeat_ngram_size", round);
    }
}

/* How many ids follow the last breaker. */
static size_t twin_limit(const struct settings *settings, const uint32_t *ids, size_t n) {
    for (size_t start = n; start-- > 0;) {
        size_t longest = 0;
        for (uint32_t b = 0; b < settings->n_breakers; b += settings->breakers[b] + 1) {
            size_t length = settings->breakers[b];
            if (start + length > n || length <= longest) continue;
            if (!memcmp(ids + start, settings->breakers + b + 1, length * sizeof *ids))
                longest = length;
        }
        if (longest) return n - start - longest;
    }
    return n;
}

static void twin_dry(const struct settings *settings, size_t n, const uint32_t *ids, size_t n_ids) {
    size_t limit = twin_limit(settings, ids, n_ids);
    double allowed = settings->value[SETTING_DRY_ALLOWED_LENGTH];
    for (uint32_t id = 0; id < n; id++) {
        size_t longest = 0;
        bool breaker = false;
        for (size_t at = 1; at < n_ids; at++) {
            size_t match = 0;
            while (ids[at] == id && match < at && match < limit &&
                   ids[at - 1 - match] == ids[n_ids - 1 - match])
                match++;
            if (match > longest) longest = match;
        }
        for (uint32_t b = 0; b < settings->n_breakers; b += settings->breakers[b] + 1)
            breaker |= settings->breakers[b] == 1 && settings->breakers[b + 1] == id;
        if (!longest || (double)longest < allowed || breaker || twin[id] == -INFINITY) continue;
        double power = 1;
        for (size_t i = (size_t)allowed; i < longest; i++)
            power *= settings->value[SETTING_DRY_BASE];
        double warped = (double)twin[id] - settings->value[SETTING_DRY_MULTIPLIER] * power;
        twin[id] = warped < -(double)FLT_MAX ? -FLT_MAX : (float)warped;
    }
}

static void dry_punishes_repeats(void) {
    static const uint32_t breakers[] = {1, 2, 2, 0, 1, 3, 3, 1, 0};
    static const uint32_t lengths[] = {0, 0, 2, 5, 9};
    int penalised = 0;
    for (int round = 0; round < 4000; round++) {
        struct settings settings;
        size_t n_history, n = draw_case(round, &n_history);
        settings_reset(&settings);
        double last_n = round % 3 ? sample_below(30) : 0;
        settings.value[SETTING_DRY_MULTIPLIER] = 0.1 + sample_uniform();
        settings.value[SETTING_DRY_BASE] = 0.5 + 1.5 * sample_uniform();
        settings.value[SETTING_DRY_ALLOWED_LENGTH] = sample_below(5);
        settings.value[SETTING_DRY_PENALTY_LAST_N] = last_n;
        settings.breakers = breakers;
        settings.n_breakers = lengths[round % 5];
        apply(SETTING_DRY_MULTIPLIER, &settings, n, n_history);
        size_t start = window_start(last_n, n_history);
        float before[N];
        memcpy(before, twin, sizeof before);
        twin_dry(&settings, n, history + start, n_history - start);
        same_bits(n, "dry", round);
        penalised += memcmp(before, twin, n * sizeof *twin) != 0;
    }
    CHECK_MESSAGE(penalised > 1000, "only %d rounds penalised anything", penalised);
}

/* A text of one word: every id matches every other, up to the longest match that counts. */
static void dry_takes_the_longest_texts(void) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_DRY_MULTIPLIER] = 1;
    settings.value[SETTING_DRY_BASE] = 1;
    settings.value[SETTING_DRY_PENALTY_LAST_N] = 0;
    for (size_t i = 0; i < HISTORY; i++) history[i] = 1;
    for (size_t allowed = 4096; allowed <= 4097; allowed++) {
        settings.value[SETTING_DRY_ALLOWED_LENGTH] = (double)allowed;
        logits[0] = logits[1] = 3;
        apply(SETTING_DRY_MULTIPLIER, &settings, 2, HISTORY);
        CHECK(logits[0] == 3 && logits[1] == (allowed == 4096 ? 2 : 3));
    }
    settings.value[SETTING_DRY_BASE] = 2;
    settings.value[SETTING_DRY_ALLOWED_LENGTH] = 1;
    logits[1] = 3;
    apply(SETTING_DRY_MULTIPLIER, &settings, 2, HISTORY);
    CHECK(logits[1] == -FLT_MAX);
}

static void extremes_are_clamped(void) {
    struct settings settings;
    settings_reset(&settings);
    history[0] = history[1] = 0;
    settings.value[SETTING_FREQUENCY_PENALTY] = DBL_MAX;
    logits[0] = 1;
    apply(SETTING_FREQUENCY_PENALTY, &settings, 1, 2);
    CHECK(logits[0] == -FLT_MAX);
    settings.value[SETTING_PRESENCE_PENALTY] = -DBL_MAX;
    apply(SETTING_PRESENCE_PENALTY, &settings, 1, 2);
    CHECK(logits[0] == FLT_MAX);
}

static void breakers_are_checked(void) {
    static const uint32_t words[] = {1, 5, 2, 0};
    struct settings settings;
    struct fault fault;
    settings_reset(&settings);
    settings.breakers = words;
    settings.n_breakers = 2;
    CHECK(settings_check(&settings, 6, &fault) == STATUS_OK);
    CHECK(settings_check(&settings, 5, &fault) == STATUS_UNKNOWN_TOKEN);
    settings.n_breakers = 4; /* the second sequence is cut short */
    CHECK(settings_check(&settings, 6, &fault) == STATUS_INVALID_ARGUMENT);
    settings.breakers = words + 3;
    settings.n_breakers = 1; /* an empty one */
    CHECK(settings_check(&settings, 6, &fault) == STATUS_INVALID_ARGUMENT);
}

int main(void) {
    pcg32_seed(&sample_generator, 6, 1);
    TEST(counts_are_subtracted);
    TEST(ngrams_do_not_come_again);
    TEST(dry_punishes_repeats);
    TEST(dry_takes_the_longest_texts);
    TEST(extremes_are_clamped);
    TEST(breakers_are_checked);
    return check_report();
}
