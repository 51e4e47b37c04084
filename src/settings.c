/* What the caller asks for, checked: every number against its row of the table, then order, biases
 * and breakers against a vocabulary. */
#include <math.h>
#include <string.h>

#include "warp.h"

static const double WHOLE_MAX = 9007199254740991.0; /* 2^53 - 1 */

void settings_reset(struct settings *settings) {
    memset(settings, 0, sizeof *settings);
    for (uint32_t i = 0; i < SETTING_COUNT; i++) settings->value[i] = warp_table[i].neutral;
    for (uint32_t i = 0; i < WARPER_COUNT; i++) settings->order[i] = i;
    settings->n_order = WARPER_COUNT;
    settings->forced = -1;
}

/* The sentence for a number outside its range. */
static enum status refuse(const struct warp_row *row, double value, struct fault *fault) {
    bool whole = row->kind != SETTING_REAL;
    const char *kind = whole ? "a whole number" : "a finite number";
    if (row->minimum < 0)
        return fault_set_value(fault, STATUS_OUT_OF_RANGE, value, "%s must be %s, got {}",
                               row->name, kind);
    uint64_t minimum = (uint64_t)row->minimum;
    if (row->maximum >= WHOLE_MAX)
        return fault_set_value(fault, STATUS_OUT_OF_RANGE, value, "%s must be %s %s %u, got {}",
                               row->name, kind,
                               row->minimum_included ? "of at least" : "greater than", minimum);
    uint64_t maximum = (uint64_t)row->maximum;
    if (row->minimum_included && row->maximum_included)
        return fault_set_value(fault, STATUS_OUT_OF_RANGE, value,
                               "%s must be %sbetween %u and %u, got {}", row->name,
                               whole ? "a whole number " : "", minimum, maximum);
    return fault_set_value(fault, STATUS_OUT_OF_RANGE, value, "%s must be %s %u and %s %u, got {}",
                           row->name, row->minimum_included ? "at least" : "above", minimum,
                           row->maximum_included ? "at most" : "below", maximum);
}

enum status settings_set(struct settings *settings, enum setting setting, double value,
                         struct fault *fault) {
    if ((unsigned)setting >= SETTING_COUNT || warp_table[setting].kind == SETTING_MAP ||
        warp_table[setting].kind == SETTING_LIST)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "setting %u does not take a number",
                         (uint64_t)setting);
    const struct warp_row *row = &warp_table[setting];
    bool ok = value <= row->maximum && value >= row->minimum &&
              (row->minimum_included || value > row->minimum) &&
              (row->maximum_included || value < row->maximum) &&
              (row->kind == SETTING_REAL || value == floor(value));
    if (!ok) return refuse(row, value, fault);
    settings->value[setting] = value;
    return STATUS_OK;
}

bool settings_active(const struct settings *settings, enum setting warper) {
    if (warper == SETTING_LOGIT_BIAS) return settings->n_bias > 0;
    if (settings->value[SETTING_MIROSTAT] != 0 && warper != SETTING_MIROSTAT &&
        strcmp(warp_table[warper].group, "truncation") == 0)
        return false;
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

static enum status check_bias(const struct settings *settings, size_t vocab_size,
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
    return STATUS_OK;
}

static enum status check_own(const struct settings *settings, size_t vocab_size,
                             struct fault *fault) {
    for (size_t i = 0; settings->own && i < vocab_size; i++)
        if (!(settings->own[i] < INFINITY))
            return fault_set_value(fault, STATUS_NOT_FINITE, (double)settings->own[i],
                                   "own must give token %u a finite logit or -Infinity, got {}",
                                   (uint64_t)i);
    return settings->has_own && settings->own_at > settings->n_order
               ? fault_set(fault, STATUS_INVALID_ARGUMENT, "own stands at %u of %u warpers",
                           (uint64_t)settings->own_at, (uint64_t)settings->n_order)
               : STATUS_OK;
}

/* Sequences of a setting, each as its length, then its ids. */
static enum status check_sequences(const char *name, const uint32_t *word, uint32_t n,
                                   size_t vocab_size, struct fault *fault) {
    const uint32_t *end = word + n;
    while (word < end) {
        uint32_t length = *word++;
        if (length == 0 || length > (size_t)(end - word))
            return fault_set(fault, STATUS_INVALID_ARGUMENT, "%s holds a sequence of %u tokens",
                             name, (uint64_t)length);
        for (; length > 0; length--, word++)
            if (*word >= vocab_size)
                return fault_set(fault, STATUS_UNKNOWN_TOKEN,
                                 "%s names token %u, the vocabulary has %u tokens", name,
                                 (uint64_t)*word, (uint64_t)vocab_size);
    }
    return STATUS_OK;
}

enum status settings_check(const struct settings *settings, size_t vocab_size,
                           struct fault *fault) {
    enum status status = check_bias(settings, vocab_size, fault);
    if (!status)
        status = check_sequences("dry_sequence_breakers", settings->breakers, settings->n_breakers,
                                 vocab_size, fault);
    if (!status)
        status = check_sequences("banned_words", settings->banned, settings->n_banned, vocab_size,
                                 fault);
    if (!status && settings->forced >= (int64_t)vocab_size)
        status = fault_set(fault, STATUS_UNKNOWN_TOKEN,
                           "forced_first is token %u, the vocabulary has %u tokens",
                           (uint64_t)settings->forced, (uint64_t)vocab_size);
    if (!status) status = check_order(settings, fault);
    if (!status) status = check_own(settings, vocab_size, fault);
    return status;
}
