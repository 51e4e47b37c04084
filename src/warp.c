/* The warpers and their table. Each is a pure function of the logits and a `warp_input`. */
#include "warp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "draw.h"
#include "rank.h"

static const double INTEGER_MAX = 9007199254740991.0; /* 2^53 - 1 */

const struct warp_row warp_table[SETTING_COUNT] = {
    [SETTING_LOGIT_BIAS] = {.name = "logit_bias",
                            .kind = SETTING_MAP,
                            .group = "penalty",
                            .neutral = 0,
                            .minimum = -DBL_MAX,
                            .maximum = DBL_MAX,
                            .minimum_included = true,
                            .low = -10,
                            .high = 10,
                            .step = 0.1,
                            .apply = warp_logit_bias},
    [SETTING_REPETITION_PENALTY] = {.name = "repetition_penalty",
                                    .kind = SETTING_REAL,
                                    .group = "penalty",
                                    .neutral = 1,
                                    .minimum = 0,
                                    .maximum = DBL_MAX,
                                    .minimum_included = false,
                                    .low = 0.5,
                                    .high = 2,
                                    .step = 0.01,
                                    .apply = warp_repetition_penalty},
    [SETTING_TEMPERATURE] = {.name = "temperature",
                             .kind = SETTING_REAL,
                             .group = "shape",
                             .neutral = 1,
                             .minimum = 0,
                             .maximum = DBL_MAX,
                             .minimum_included = true,
                             .low = 0,
                             .high = 3,
                             .step = 0.01,
                             .apply = warp_temperature},
    [SETTING_TOP_K] = {.name = "top_k",
                       .kind = SETTING_INTEGER,
                       .group = "truncation",
                       .neutral = 0,
                       .minimum = 0,
                       .maximum = 9007199254740991.0,
                       .minimum_included = true,
                       .low = 0,
                       .high = 100,
                       .step = 1,
                       .apply = warp_top_k},
    [SETTING_TOP_P] = {.name = "top_p",
                       .kind = SETTING_REAL,
                       .group = "truncation",
                       .neutral = 1,
                       .minimum = 0,
                       .maximum = 1,
                       .minimum_included = true,
                       .low = 0,
                       .high = 1,
                       .step = 0.01,
                       .apply = warp_top_p},
    [SETTING_REPETITION_WINDOW] = {.name = "repetition_window",
                                   .kind = SETTING_INTEGER,
                                   .group = "shared",
                                   .neutral = 0,
                                   .minimum = 0,
                                   .maximum = 9007199254740991.0,
                                   .minimum_included = true,
                                   .low = 0,
                                   .high = 256,
                                   .step = 1},
    [SETTING_MIN_TOKENS_TO_KEEP] = {.name = "min_tokens_to_keep",
                                    .kind = SETTING_INTEGER,
                                    .group = "shared",
                                    .neutral = 1,
                                    .minimum = 1,
                                    .maximum = 9007199254740991.0,
                                    .minimum_included = true,
                                    .low = 1,
                                    .high = 20,
                                    .step = 1},
};

void settings_reset(struct settings *settings) {
    memset(settings, 0, sizeof *settings);
    for (uint32_t i = 0; i < SETTING_COUNT; i++) settings->value[i] = warp_table[i].neutral;
    for (uint32_t i = 0; i < WARPER_COUNT; i++) settings->order[i] = i;
    settings->n_order = WARPER_COUNT;
}

enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault) {
    if ((unsigned)setting >= SETTING_COUNT || warp_table[setting].kind == SETTING_MAP)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "setting %u does not take a number",
                         (uint64_t)setting);
    const struct warp_row *row = &warp_table[setting];
    uint64_t minimum = (uint64_t)row->minimum, maximum = (uint64_t)INTEGER_MAX;
    bool bounded = row->maximum <= INTEGER_MAX;
    if (bounded) maximum = (uint64_t)row->maximum;
    const char *kind = row->kind == SETTING_INTEGER ? "a whole number" : "a finite number";
    bool ok = value <= row->maximum && value >= row->minimum &&
              (row->minimum_included || value > row->minimum) &&
              (row->kind != SETTING_INTEGER || value == floor(value));
    if (ok) {
        settings->value[setting] = value;
        return STATUS_OK;
    }
    if (bounded && maximum < (uint64_t)INTEGER_MAX)
        return fault_set_value(fault, STATUS_OUT_OF_RANGE, value,
                               "%s must be between %u and %u, got {}", row->name, minimum, maximum);
    return fault_set_value(fault, STATUS_OUT_OF_RANGE, value, "%s must be %s %s %u, got {}",
                           row->name, kind, row->minimum_included ? "of at least" : "greater than",
                           minimum);
}

bool settings_active(const struct settings *settings, enum setting warper) {
    if (warper == SETTING_LOGIT_BIAS) return settings->n_bias > 0;
    return settings->value[warper] != warp_table[warper].neutral;
}

static enum status check_order(const struct settings *settings, struct fault *fault) {
    bool listed[WARPER_COUNT] = {false};
    if (settings->n_order > WARPER_COUNT)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "order names %u warpers, there are %u",
                         (uint64_t)settings->n_order, (uint64_t)WARPER_COUNT);
    for (uint32_t i = 0; i < settings->n_order; i++) {
        uint32_t warper = settings->order[i];
        if (warper >= WARPER_COUNT)
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order names setting %u, no warper",
                             (uint64_t)warper);
        if (listed[warper])
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order names %s twice",
                             warp_table[warper].name);
        listed[warper] = true;
    }
    for (uint32_t i = 0; i < WARPER_COUNT; i++)
        if (!listed[i] && settings_active(settings, i))
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order leaves out %s, which is active",
                             warp_table[i].name);
    return STATUS_OK;
}

enum status settings_check(const struct settings *settings, size_t vocab_size,
                           struct fault *fault) {
    for (uint32_t i = 0; i < settings->n_bias; i++) {
        double bias = settings->bias[i].bias;
        if (settings->bias[i].id >= vocab_size)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN,
                             "logit_bias names token %u, the vocabulary has %u tokens",
                             (uint64_t)settings->bias[i].id, (uint64_t)vocab_size);
        if (isnan(bias) || bias == (double)INFINITY)
            return fault_set_value(fault, STATUS_OUT_OF_RANGE, bias,
                                   "logit_bias of token %u must be a finite number or a ban, "
                                   "got {}",
                                   (uint64_t)settings->bias[i].id);
    }
    return check_order(settings, fault);
}

/* Rounds to float32, short of infinity. */
static float to_float(double x) {
    if (x > (double)FLT_MAX) return FLT_MAX;
    if (x < -(double)FLT_MAX) return -FLT_MAX;
    return (float)x;
}

static double value_of(const struct warp_input *input, enum setting setting) {
    return input->settings->value[setting];
}

static size_t count_survivors(const float *logits, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += logits[i] != -INFINITY;
    return count;
}

/* The best token, lowest id on a tie. */
static size_t best_of(const float *logits, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* Removes every token that comes after `last` in rank order: in two loops without a branch, since a
 * tie is decided by the id. */
static void keep_through(float *logits, size_t n, size_t last) {
    float limit = logits[last];
    for (size_t i = 0; i <= last; i++) logits[i] = logits[i] < limit ? -INFINITY : logits[i];
    for (size_t i = last + 1; i < n; i++) logits[i] = logits[i] <= limit ? -INFINITY : logits[i];
}

void warp_logit_bias(float *logits, const struct warp_input *input) {
    for (uint32_t i = 0; i < input->settings->n_bias; i++) {
        struct warp_bias bias = input->settings->bias[i];
        float *logit = &logits[bias.id];
        if (*logit == -INFINITY) continue;
        *logit = bias.bias == -(double)INFINITY ? -INFINITY : to_float((double)*logit + bias.bias);
    }
}

void warp_repetition_penalty(float *logits, const struct warp_input *input) {
    double penalty = value_of(input, SETTING_REPETITION_PENALTY);
    double window = value_of(input, SETTING_REPETITION_WINDOW);
    size_t first = 0;
    if (window > 0 && window < (double)input->n_history) first = input->n_history - (size_t)window;
    uint32_t *seen = input->scratch; /* one bit a token */
    memset(seen, 0, (input->vocab_size + 31) / 32 * sizeof *seen);
    for (size_t i = first; i < input->n_history; i++) {
        uint32_t id = input->history[i], bit = 1u << (id & 31);
        if (seen[id >> 5] & bit) continue;
        seen[id >> 5] |= bit;
        double logit = (double)logits[id];
        if (logits[id] != -INFINITY)
            logits[id] = to_float(logit > 0 ? logit / penalty : logit * penalty);
    }
}

/* Whether dividing by the temperature would leave the range of float32. */
static bool overflows(const float *logits, size_t n, double temperature) {
    int32_t any = 0;
    if (temperature >= 1) return false;
    for (size_t i = 0; i < n; i++) {
        double size = logits[i] == -INFINITY ? 0 : fabs((double)logits[i]);
        any |= size / temperature > (double)FLT_MAX;
    }
    return any;
}

void warp_temperature(float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    double temperature = value_of(input, SETTING_TEMPERATURE);
    if (temperature == 0) {
        size_t best = best_of(logits, n);
        for (size_t i = 0; i < n; i++) logits[i] = i == best ? logits[i] : -INFINITY;
        return;
    }
    double shift = overflows(logits, n, temperature) ? (double)logits[best_of(logits, n)] : 0;
    for (size_t i = 0; i < n; i++) {
        float divided = to_float(((double)logits[i] - shift) / temperature);
        logits[i] = logits[i] == -INFINITY ? -INFINITY : divided;
    }
}

void warp_top_k(float *logits, const struct warp_input *input) {
    double k = value_of(input, SETTING_TOP_K);
    double keep = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    size_t n = input->vocab_size;
    if (k == 0) return;
    if (k < keep) k = keep;
    if (k >= (double)count_survivors(logits, n)) return;
    float limit = logits[rank_by_count(logits, n, (uint32_t)k, input->scratch).id];
    for (size_t i = 0; i < n; i++) logits[i] = logits[i] < limit ? -INFINITY : logits[i];
}

/* A token stays iff the mass before it is below (p - 2^-20) of the total, so the last one to stay
 * is the first at which the mass, itself included, reaches that limit. The tolerance covers logits
 * that are rounded logarithms: p = 0.9 over .60 .20 .10 keeps three. */
void warp_top_p(float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    double share = value_of(input, SETTING_TOP_P) - 0x1p-20;
    double keep = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    if (value_of(input, SETTING_TOP_P) == 1) return;
    uint64_t limit = share > 0 ? draw_scale_up((uint64_t)(share * 0x1p53), input->total) : 0;
    struct rank_place last =
        rank_by_mass(logits, input->weights, n, limit ? limit : 1, input->scratch);
    if ((double)last.before + 1 < keep) {
        size_t survivors = count_survivors(logits, n);
        uint32_t count = keep < (double)survivors ? (uint32_t)keep : (uint32_t)survivors;
        last = rank_by_count(logits, n, count, input->scratch);
    }
    keep_through(logits, n, last.id);
}
