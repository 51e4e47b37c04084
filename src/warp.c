/* build: -O2 */
/* Temperature and other samplers that remove nothing; truncations by rank or probability; XTC. */
#include "warp.h"

#include <string.h>

#include "draw.h"
#include "elementary.h"
#include "loop.h"
#include "measure.h"
#include "rank.h"
#include "warp_part.h"

/* The weight of the best token: e^0, in units of 2^-44. */
static const uint64_t WEIGHT_MAX = (uint64_t)1 << 44;

OUTLINED size_t warp_survivors(const float *logits, size_t n) {
    size_t count = 0;
    VECTOR
    for (size_t i = 0; i < n; i++) count += logits[i] != -INFINITY;
    return count;
}

OUTLINED size_t warp_best(const float *logits, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* Two loops: the id decides a tie, so equal logits stay up to `last` and are removed after it. */
OUTLINED void warp_keep_through(float *logits, size_t n, uint32_t last) {
    float limit = logits[last];
    VECTOR
    for (size_t i = 0; i <= last; i++) logits[i] = logits[i] < limit ? -INFINITY : logits[i];
    VECTOR
    for (size_t i = last + (size_t)1; i < n; i++)
        logits[i] = logits[i] <= limit ? -INFINITY : logits[i];
}

OUTLINED void warp_keep_best(float *logits, const struct warp_input *input, double keep) {
    size_t n = input->vocab_size;
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    if (keep < least) keep = least;
    if (keep >= (double)warp_survivors(logits, n)) return;
    warp_keep_through(logits, n, rank_by_count(logits, n, (uint32_t)keep, input->scratch).id);
}

OUTLINED void warp_keep_heavy(float *logits, const struct warp_input *input, uint64_t limit) {
    size_t n = input->vocab_size, heavy = 0;
    const uint64_t *weights = input->weights;
    VECTOR
    for (size_t i = 0; i < n; i++) heavy += weights[i] >= limit;
    if ((double)heavy < value_of(input, SETTING_MIN_TOKENS_TO_KEEP)) {
        warp_keep_best(logits, input, 0);
        return;
    }
    for (size_t i = 0; i < n; i++) logits[i] = weights[i] < limit ? -INFINITY : logits[i];
}

OUTLINED uint64_t warp_least_weight(double p, uint64_t total) {
    uint64_t low = 0, high = WEIGHT_MAX + 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((double)middle / (double)total >= p)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

OUTLINED uint64_t warp_mass_target(double p, uint64_t total, bool above) {
    double share = above ? p + 0x1p-20 : p - 0x1p-20; /* 2^-20: a tolerance for rounded logits */
    if (share >= 1) return 0;
    if (share <= 0) return 1;
    uint64_t bits = (uint64_t)(share * 0x1p53);
    uint64_t target = above ? draw_scale(bits, total) + 1 : draw_scale_up(bits, total);
    return target > total ? 0 : target ? target : 1;
}

/* True if a division by the temperature leaves the range of float32. */
static bool overflows(const float *logits, size_t n, double temperature) {
    int32_t largest = 0; /* the bits of positive floats have the floats' order */
    float size;
    if (temperature >= 1) return false;
    VECTOR
    for (size_t i = 0; i < n; i++) {
        int32_t bits;
        float magnitude = logits[i] == -INFINITY ? 0 : fabsf(logits[i]);
        memcpy(&bits, &magnitude, sizeof bits);
        largest = bits > largest ? bits : largest;
    }
    memcpy(&size, &largest, sizeof size);
    return (double)size / temperature > (double)FLT_MAX;
}

static void divide_by(float *logits, size_t n, double temperature) {
    if (temperature == 0) {
        size_t best = warp_best(logits, n);
        for (size_t i = 0; i < n; i++) logits[i] = i == best ? logits[i] : -INFINITY;
        return;
    }
    double shift = overflows(logits, n, temperature) ? (double)logits[warp_best(logits, n)] : 0;
    VECTOR
    for (size_t i = 0; i < n; i++) {
        float divided = to_float(((double)logits[i] - shift) / temperature);
        logits[i] = logits[i] == -INFINITY ? -INFINITY : divided;
    }
}

void warp_temperature(float *logits, const struct warp_input *input) {
    divide_by(logits, input->vocab_size, value_of(input, SETTING_TEMPERATURE));
}

/* Returns x^e for 0 <= x <= 1. */
static double power(double x, double e) {
    double log = x > 0 && e > 0 ? e * elementary_log(x) : e > 0 ? -1000 : 0;
    return log > -700 ? elementary_exp64(log) : 0;
}

void warp_dynatemp(float *logits, const struct warp_input *input) {
    double range = value_of(input, SETTING_DYNATEMP_RANGE);
    double middle = value_of(input, SETTING_TEMPERATURE), low = middle - range;
    double high = middle + range;
    size_t n = input->vocab_size, count = warp_survivors(logits, n);
    if (range == 0 || count < 2) return;
    float max = logits[warp_best(logits, n)];
    double bits = measure_entropy(logits, input->weights, n, input->total, max);
    double share = bits * LN_2 / elementary_log((double)count);
    share = share > 1 ? 1 : share;
    low = low < 0 ? 0 : low;
    high = high > DBL_MAX ? DBL_MAX : high;
    double exponent = value_of(input, SETTING_DYNATEMP_EXPONENT);
    divide_by(logits, n, low + (high - low) * power(share, exponent));
}

void warp_smoothing(float *logits, const struct warp_input *input) {
    double factor = value_of(input, SETTING_SMOOTHING_FACTOR);
    double curve = value_of(input, SETTING_SMOOTHING_CURVE);
    double k = factor * (3 - curve) / 2, s = factor * (curve - 1) / 2;
    double max = (double)logits[warp_best(logits, input->vocab_size)];
    if (factor == 0) return;
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++) {
        double d = logits[i] == -INFINITY ? 0 : (double)logits[i] - max;
        float smooth = to_float(max + d * d * (s * d - k));
        logits[i] = d == 0 ? logits[i] : smooth; /* keeps -0 and -INFINITY */
    }
}

void warp_renormalize_logits(float *logits, const struct warp_input *input) {
    if (value_of(input, SETTING_RENORMALIZE_LOGITS) == 0) return;
    double max = (double)logits[warp_best(logits, input->vocab_size)];
    double log_sum = elementary_log((double)input->total / (double)WEIGHT_MAX);
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++) {
        float log_p = to_float((double)logits[i] - max - log_sum);
        bool stays = logits[i] == -INFINITY || log_p == logits[i]; /* keeps -0 too */
        logits[i] = stays ? logits[i] : log_p;
    }
}

void warp_top_k(float *logits, const struct warp_input *input) {
    double k = value_of(input, SETTING_TOP_K);
    double keep = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    size_t n = input->vocab_size;
    if (k == 0) return;
    if (convention_of(input) == CONVENTION_LLAMA_CPP) {
        warp_keep_best(logits, input, k);
        return;
    }
    if (k < keep) k = keep;
    if (k >= (double)warp_survivors(logits, n)) return;
    float limit = logits[rank_by_count(logits, n, (uint32_t)k, input->scratch).id];
    VECTOR
    for (size_t i = 0; i < n; i++) logits[i] = logits[i] < limit ? -INFINITY : logits[i];
}

void warp_top_p(float *logits, const struct warp_input *input) {
    double p = value_of(input, SETTING_TOP_P);
    bool above = convention_of(input) == CONVENTION_LLAMA2_C;
    if (p == 1 || (above && p == 0)) return;
    uint64_t target = warp_mass_target(p, input->total, above);
    if (!target) return;
    size_t n = input->vocab_size;
    struct rank_place last =
        rank_by_mass(logits, input->weights, n, input->total, target, input->scratch);
    if ((double)last.before + 1 < value_of(input, SETTING_MIN_TOKENS_TO_KEEP))
        warp_keep_best(logits, input, 0);
    else
        warp_keep_through(logits, n, last.id);
}

void warp_min_p(float *logits, const struct warp_input *input) {
    double m = value_of(input, SETTING_MIN_P);
    if (m == 0) return;
    warp_keep_heavy(logits, input, warp_least_weight(m, WEIGHT_MAX));
}

void warp_top_a(float *logits, const struct warp_input *input) {
    double a = value_of(input, SETTING_TOP_A), best = (double)WEIGHT_MAX / (double)input->total;
    if (a == 0) return;
    warp_keep_heavy(logits, input, warp_least_weight(a * best * best, input->total));
}

/* The sum is in the order of ids; removed tokens add 0. */
void warp_p_less(float *logits, const struct warp_input *input) {
    double version = value_of(input, SETTING_P_LESS), n = (double)input->vocab_size, same = 0;
    if (version == 0) return;
    for (size_t i = 0; i < input->vocab_size; i++) {
        double p = (double)input->weights[i] / (double)input->total;
        same += p * p;
    }
    double limit = version == 1 ? same : n == 1 ? 0 : (n * same - 1) / (n - 1);
    warp_keep_heavy(logits, input, warp_least_weight(limit * (1 - 0x1p-20), input->total));
}

void warp_epsilon_cutoff(float *logits, const struct warp_input *input) {
    double epsilon = value_of(input, SETTING_EPSILON_CUTOFF);
    if (epsilon == 0) return;
    warp_keep_heavy(logits, input, warp_least_weight(epsilon, input->total));
}

void warp_eta_cutoff(float *logits, const struct warp_input *input) {
    double epsilon = value_of(input, SETTING_ETA_CUTOFF);
    size_t n = input->vocab_size;
    if (epsilon == 0) return;
    double bits =
        measure_entropy(logits, input->weights, n, input->total, logits[warp_best(logits, n)]);
    double eta = sqrt(epsilon) * elementary_exp64(-bits * LN_2);
    if (eta > epsilon) eta = epsilon;
    warp_keep_heavy(logits, input, warp_least_weight(eta, input->total));
}

/* Sums in the order of ids and skips removed tokens, so that a short list gives the same sums. */
void warp_top_n_sigma(float *logits, const struct warp_input *input) {
    double n_sigma = value_of(input, SETTING_TOP_N_SIGMA);
    size_t n = input->vocab_size, survivors = warp_survivors(logits, n), kept = 0;
    if (n_sigma == 0) return;
    double sum = 0, squares = 0, count = (double)survivors;
    for (size_t i = 0; i < n; i++)
        if (logits[i] != -INFINITY) sum += (double)logits[i];
    for (size_t i = 0; i < n; i++) {
        double off = (double)logits[i] - sum / count;
        if (logits[i] != -INFINITY) squares += off * off;
    }
    double limit = (double)logits[warp_best(logits, n)] - n_sigma * sqrt(squares / count);
    VECTOR
    for (size_t i = 0; i < n; i++) kept += (double)logits[i] >= limit && logits[i] != -INFINITY;
    if ((double)kept < value_of(input, SETTING_MIN_TOKENS_TO_KEEP)) {
        warp_keep_best(logits, input, 0);
        return;
    }
    VECTOR
    for (size_t i = 0; i < n; i++) logits[i] = (double)logits[i] >= limit ? logits[i] : -INFINITY;
}

/* XTC has a separate coin, so that the draw's random number does not depend on XTC. */
void warp_xtc(float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    size_t n = input->vocab_size, count = 0, last = 0;
    double coin = (double)draw_coin(settings->seed, settings->step, DRAW_XTC) * 0x1p-53;
    if (coin >= value_of(input, SETTING_XTC_PROBABILITY)) return;
    uint64_t limit = warp_least_weight(value_of(input, SETTING_XTC_THRESHOLD), input->total);
    for (size_t i = 0; i < n; i++) {
        if (input->weights[i] < limit || logits[i] == -INFINITY) continue;
        if (count++ == 0 || logits[i] <= logits[last]) last = i;
    }
    if (count < 2) return;
    double left = (double)(warp_survivors(logits, n) - (count - 1));
    if (left < value_of(input, SETTING_MIN_TOKENS_TO_KEEP)) return;
    for (size_t i = 0; i < n; i++)
        if (input->weights[i] >= limit && i != last) logits[i] = -INFINITY;
}
