/* DRY, "don't repeat yourself": a penalty that grows with the length of the repeat that a token
 * would extend. It needs one pass over the window, even for repetitive text. */
#include "warp_part.h"

enum { MATCH_MAX = 4096 };

/* The ids of the window; id_from_end reads them backwards, from its last id. */
struct tail {
    const uint32_t *ids;
    size_t n;
};

static uint32_t id_from_end(const struct tail *tail, size_t i) {
    return tail->ids[tail->n - 1 - i];
}

/* True if the window contains the whole sequence, beginning at backward index i. */
static bool sequence_is_at(const struct tail *tail, size_t i, const uint32_t *sequence,
                           uint32_t length) {
    if (length > i + 1) return false;
    for (uint32_t k = 0; k < length; k++)
        if (id_from_end(tail, i - k) != sequence[k]) return false;
    return true;
}

/* Returns the number of ids after the last breaker; no match is longer. */
static size_t find_limit(const struct tail *tail, const struct settings *settings) {
    size_t most = tail->n < MATCH_MAX ? tail->n : MATCH_MAX;
    if (!settings->n_breaker_words) return most;
    for (size_t i = 0; i < most; i++) {
        uint32_t longest = 0;
        for (uint32_t b = 0; b < settings->n_breaker_words; b += settings->breakers[b] + 1) {
            uint32_t length = settings->breakers[b];
            if (length > longest && sequence_is_at(tail, i, settings->breakers + b + 1, length))
                longest = length;
        }
        if (longest) return i + 1 - longest;
    }
    return most;
}

static bool is_breaker(uint32_t id, const struct settings *settings) {
    for (uint32_t b = 0; b < settings->n_breaker_words; b += settings->breakers[b] + 1)
        if (settings->breakers[b] == 1 && settings->breakers[b + 1] == id) return true;
    return false;
}

/* For each id of the window, sets scratch[id] to the length of the longest match before an
 * occurrence of the id. z[k] is the number of equal ids if the window and the window without its
 * last k ids are compared backwards. Earlier values of z save comparisons inside the last match
 * found, [left, right). Gusfield 1997, section 1.4. */
static void measure_matches(const struct tail *tail, size_t limit, uint32_t *scratch) {
    uint32_t z[MATCH_MAX];
    size_t left = 0, right = 0;
    for (size_t k = 0; k < tail->n; k++) scratch[id_from_end(tail, k)] = 0;
    for (size_t k = 1; k < tail->n; k++) {
        size_t match = 0;
        if (k < right) match = z[k - left] < right - k ? z[k - left] : right - k;
        if (k + match >= right) {
            while (match < limit && k + match < tail->n &&
                   id_from_end(tail, match) == id_from_end(tail, k + match))
                match++;
            left = k;
            right = k + match;
        }
        if (k < MATCH_MAX) z[k] = (uint32_t)match;
        uint32_t *longest = &scratch[id_from_end(tail, k - 1)];
        if (match > *longest) *longest = (uint32_t)match;
    }
}

static double power(double base, size_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent--) result *= base;
    return result;
}

void warp_dry(float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    double multiplier = value_of(input, SETTING_DRY_MULTIPLIER);
    double allowed = value_of(input, SETTING_DRY_ALLOWED_LENGTH);
    struct tail tail;
    tail.n = last_ids(input, value_of(input, SETTING_DRY_PENALTY_LAST_N), &tail.ids);
    size_t limit = find_limit(&tail, settings);
    if (multiplier == 0 || limit == 0) return;
    measure_matches(&tail, limit, input->scratch);
    for (size_t i = 0; i < tail.n; i++) {
        uint32_t id = tail.ids[i], match = input->scratch[id];
        input->scratch[id] = 0; /* penalises each id only once */
        if (match == 0 || (double)match < allowed || logits[id] == -INFINITY) continue;
        if (is_breaker(id, settings)) continue;
        double penalty =
            multiplier * power(value_of(input, SETTING_DRY_BASE), match - (size_t)allowed);
        logits[id] = to_float((double)logits[id] - penalty);
    }
}
