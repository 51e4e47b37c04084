/* Checks the caller's settings: every number against its row of warp_table; order, biases and
 * breakers against a vocabulary. */
#include "settings.h"

#include <math.h>
#include <string.h>

#include "warp.h"

void settings_reset(struct settings *settings) {
    memset(settings, 0, sizeof *settings);
    for (uint32_t i = 0; i < SETTING_COUNT; i++) settings->value[i] = warp_table[i].neutral;
    for (uint32_t i = 0; i < SAMPLER_COUNT; i++) settings->order[i] = i;
    settings->n_order = SAMPLER_COUNT;
    settings->forced = -1;
}

/* Fills the fault for a number outside its range. */
static enum status refuse_number(const struct warp_row *row, double value, struct fault *fault) {
    static const char *const least[2][2] = {{"must_be_finite_above", "must_be_finite_at_least"},
                                            {"must_be_whole_above", "must_be_whole_at_least"}};
    static const char *const most[2][2] = {{"must_be_above_below", "must_be_above_at_most"},
                                           {"must_be_at_least_below", "must_be_between"}};
    enum status status = STATUS_OUT_OF_RANGE;
    bool whole = row->kind != SETTING_REAL, low = row->minimum_included;
    if (row->minimum < 0)
        return fault_set(fault, status, whole ? "must_be_whole" : "must_be_finite",
                         "setting:s value:f", row->name, value);
    if (row->maximum >= WHOLE_MAX && !(whole && value > row->maximum))
        return fault_set(fault, status, least[whole][low], "setting:s minimum:f value:f", row->name,
                         row->minimum, value);
    const char *key = most[low][row->maximum_included];
    if (whole && low && row->maximum_included) key = "must_be_whole_between";
    return fault_set(fault, status, key, "setting:s minimum:f maximum:f value:f", row->name,
                     row->minimum, row->maximum, value);
}

enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault) {
    if ((unsigned)setting >= SETTING_COUNT || warp_table[setting].kind == SETTING_MAP ||
        warp_table[setting].kind == SETTING_LIST)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "no_number", "n:u", (uint64_t)setting);
    const struct warp_row *row = &warp_table[setting];
    bool ok = value <= row->maximum && value >= row->minimum &&
              (row->minimum_included || value > row->minimum) &&
              (row->maximum_included || value < row->maximum) &&
              (row->kind == SETTING_REAL || value == floor(value));
    if (!ok) return refuse_number(row, value, fault);
    settings->value[setting] = value;
    return STATUS_OK;
}

bool settings_active(const struct settings *settings, enum setting sampler) {
    if (sampler == SETTING_LOGIT_BIAS) return settings->n_bias > 0;
    if (settings->value[SETTING_MIROSTAT] != 0 && sampler != SETTING_MIROSTAT &&
        (sampler == SETTING_ADAPTIVE_TARGET ||
         strcmp(warp_table[sampler].group, "truncation") == 0))
        return false;
    if (sampler == SETTING_TEMPERATURE && settings->value[SETTING_DYNATEMP_RANGE] != 0)
        return false;
    return settings->value[sampler] != warp_table[sampler].neutral;
}

static enum status check_order(const struct settings *settings, struct fault *fault) {
    bool listed[SAMPLER_COUNT] = {false};
    if (settings->n_order > SAMPLER_COUNT)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "order_many", "n:u limit:u",
                         (uint64_t)settings->n_order, (uint64_t)SAMPLER_COUNT);
    for (uint32_t i = 0; i < settings->n_order; i++) {
        uint32_t sampler = settings->order[i];
        if (sampler >= SAMPLER_COUNT)
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order_unknown", "n:u",
                             (uint64_t)sampler);
        if (listed[sampler])
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order_twice", "setting:s",
                             warp_table[sampler].name);
        listed[sampler] = true;
    }
    for (uint32_t i = 0; i < SAMPLER_COUNT; i++)
        if (!listed[i] && settings_active(settings, i))
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "order_leaves_out", "setting:s",
                             warp_table[i].name);
    return STATUS_OK;
}

static enum status check_bias(const struct settings *settings, size_t vocab_size,
                              struct fault *fault) {
    for (uint32_t i = 0; i < settings->n_bias; i++) {
        double bias = settings->bias[i].bias;
        if (settings->bias[i].id >= vocab_size)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN, "setting_names_token",
                             "setting:s id:u limit:u", "logit_bias", (uint64_t)settings->bias[i].id,
                             (uint64_t)vocab_size);
        if (isnan(bias) || bias == (double)INFINITY)
            return fault_set(fault, STATUS_OUT_OF_RANGE, "bias_finite", "id:u value:f",
                             (uint64_t)settings->bias[i].id, bias);
    }
    return STATUS_OK;
}

static enum status check_own(const struct settings *settings, size_t vocab_size,
                             struct fault *fault) {
    size_t n = settings->own ? vocab_size : 0;
    for (size_t i = 0; i < n; i++)
        if (!(settings->own[i] < INFINITY))
            return fault_set(fault, STATUS_NOT_FINITE, "own_logit", "id:u value:f", (uint64_t)i,
                             (double)settings->own[i]);
    return settings->has_own && settings->own_at > settings->n_order
               ? fault_set(fault, STATUS_INVALID_ARGUMENT, "own_place", "n:u limit:u",
                           (uint64_t)settings->own_at, (uint64_t)settings->n_order)
               : STATUS_OK;
}

/* Checks the sequences of a setting; each is its length, then its ids. */
static enum status check_sequences(const char *name, const uint32_t *words, uint32_t n,
                                   size_t vocab_size, struct fault *fault) {
    uint32_t at = 0;
    while (at < n) {
        uint32_t length = words[at++];
        if (length == 0 || length > n - at)
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "sequence_length", "setting:s n:u",
                             name, (uint64_t)length);
        for (; length > 0; length--, at++)
            if (words[at] >= vocab_size)
                return fault_set(fault, STATUS_UNKNOWN_TOKEN, "setting_names_token",
                                 "setting:s id:u limit:u", name, (uint64_t)words[at],
                                 (uint64_t)vocab_size);
    }
    return STATUS_OK;
}

enum status settings_check(const struct settings *settings, size_t vocab_size,
                           struct fault *fault) {
    enum status status = check_bias(settings, vocab_size, fault);
    if (!status)
        status = check_sequences("dry_sequence_breakers", settings->breakers,
                                 settings->n_breaker_words, vocab_size, fault);
    if (!status)
        status = check_sequences("banned_words", settings->banned, settings->n_banned_words,
                                 vocab_size, fault);
    if (!status && settings->forced >= (int64_t)vocab_size)
        status = fault_set(fault, STATUS_UNKNOWN_TOKEN, "forced_token", "id:u limit:u",
                           (uint64_t)settings->forced, (uint64_t)vocab_size);
    if (!status) status = check_order(settings, fault);
    if (!status) status = check_own(settings, vocab_size, fault);
    return status;
}
