/* Tests limits of penalties and DRY, and breakers that are refused. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "warp.h"

enum { N = 2, HISTORY = 6000 };
static float logits[N];
static uint32_t scratch[N], history[HISTORY];

static void apply(enum setting sampler, const struct settings *settings, size_t n,
                  size_t n_history) {
    struct warp_input input = {settings, n, history, n_history, NULL, 0, scratch, NULL};
    warp_table[sampler].apply(logits, &input);
}

/* If one id repeats, the match reaches its limit of 4,096 ids. */
static void dry_match_stops_at_its_limit(void) {
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
    settings.n_breaker_words = 2;
    CHECK(settings_check(&settings, 6, &fault) == STATUS_OK);
    CHECK(settings_check(&settings, 5, &fault) == STATUS_UNKNOWN_TOKEN);
    settings.n_breaker_words = 4; /* the second sequence is cut short */
    CHECK(settings_check(&settings, 6, &fault) == STATUS_INVALID_ARGUMENT);
    settings.breakers = words + 3;
    settings.n_breaker_words = 1; /* an empty sequence */
    CHECK(settings_check(&settings, 6, &fault) == STATUS_INVALID_ARGUMENT);
}

int main(void) {
    TEST(dry_match_stops_at_its_limit);
    TEST(extremes_are_clamped);
    TEST(breakers_are_checked);
    return check_report();
}
