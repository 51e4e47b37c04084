/* Mirostat: a truncation whose bound adapts to the surprise of the drawn tokens. Its state mu is
 * the setting mirostat_mu; mirostat_next returns the next mu. */
#include "elementary.h"
#include "rank.h"
#include "warp_part.h"

enum { ZIPF_TOKENS = 100 };

static double mu_of(const struct settings *settings) {
    double mu = settings->value[SETTING_MIROSTAT_MU];
    return mu != 0 ? mu : 2 * settings->value[SETTING_MIROSTAT_TAU];
}

/* Returns 2^x, exact for whole x. */
static double power_of_two(double x) {
    if (x > 1000) return 0x1p1000;
    if (x < -1000) return 0x1p-1000;
    int whole = (int)floor(x);
    double result = elementary_exp64((x - whole) * LN_2);
    for (; whole > 0; whole--) result *= 2;
    for (; whole < 0; whole++) result /= 2;
    return result;
}

/* Returns the exponent of a Zipf distribution by least squares: fits ln(p_i / p_i+1), the
 * difference of two logits, to ln((i + 1) / i). */
static double zipf_exponent(const float *logits, const uint32_t *ids, size_t count) {
    double products = 0, squares = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        double t = elementary_log((double)(i + 2) / (double)(i + 1));
        products += t * ((double)logits[ids[i]] - (double)logits[ids[i + 1]]);
        squares += t * t;
    }
    return products / squares;
}

/* Returns k = (e 2^mu / (1 - N^-e))^(1 / s), e = s - 1, computed as a logarithm. As e tends to 0, e
 * / (1 - N^-e) tends to 1 / ln N. */
static double count_to_keep(double exponent, double n, double mu) {
    double e = exponent - 1, log_n = elementary_log(n), x = e * log_n;
    double ratio = fabs(x) < 1e-6 ? (1 + x / 2) / log_n : e / (1 - elementary_exp64(-x));
    if (!(ratio > 0)) return n; /* too flat or too steep a distribution */
    double log_k = elementary_log(ratio) + mu * LN_2;
    if (exponent <= 0) return log_k >= 0 ? n : 1;
    log_k /= exponent;
    if (log_k >= log_n) return n;
    return log_k <= 0 ? 1 : floor(elementary_exp64(log_k));
}

static void keep_zipf(float *logits, const struct warp_input *input) {
    uint32_t ids[ZIPF_TOKENS];
    size_t n = input->vocab_size;
    size_t count = rank_top(logits, n, ZIPF_TOKENS, ids, input->scratch);
    if (count < 2) return;
    double k = count_to_keep(zipf_exponent(logits, ids, count), (double)n, mu_of(input->settings));
    warp_keep_best(logits, input, k);
}

void warp_mirostat(float *logits, const struct warp_input *input) {
    double version = value_of(input, SETTING_MIROSTAT);
    if (version == 1) keep_zipf(logits, input);
    if (version == 2) {
        double least = power_of_two(-mu_of(input->settings));
        warp_keep_heavy(logits, input, warp_least_weight(least, input->total));
    }
}

double mirostat_next(const struct settings *settings, double p) {
    double surprise = -elementary_log(p) * LOG2_E;
    double error = surprise - settings->value[SETTING_MIROSTAT_TAU];
    double mu = mu_of(settings) - settings->value[SETTING_MIROSTAT_ETA] * error;
    if (!(fabs(mu) <= DBL_MAX)) return mu_of(settings);
    return mu != 0 ? mu : DBL_MIN;
}
