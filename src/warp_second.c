/* build: -O2 */
/* The samplers that read a second distribution: guidance and contrastive decoding. */
#include "elementary.h"
#include "loop.h"
#include "warp_part.h"

void warp_guidance(float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    const float *second = input->settings->second;
    double scale = value_of(input, SETTING_GUIDANCE_SCALE);
    if (scale == 1) return;
    struct normaliser here = normaliser_of(logits, n), there = normaliser_of(second, n);
    VECTOR
    for (size_t i = 0; i < n; i++) {
        bool survives = logits[i] != -INFINITY;
        double to = log_p(survives ? (double)logits[i] : here.max, here);
        double from = log_p((double)second[i], there);
        float guided = to_float(from + scale * (to - from));
        logits[i] = survives ? guided : -INFINITY;
    }
}

void warp_contrastive(float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    const float *second = input->settings->second;
    double beta = value_of(input, SETTING_CONTRASTIVE_BETA);
    if (beta == 0) return;
    double least = elementary_log(value_of(input, SETTING_CONTRASTIVE_ALPHA));
    struct normaliser here = normaliser_of(logits, n), there = normaliser_of(second, n);
    VECTOR
    for (size_t i = 0; i < n; i++) {
        bool survives = logits[i] != -INFINITY;
        double logit = survives ? (double)logits[i] : here.max;
        double bad = log_p((double)second[i], there);
        float better = to_float((1 + beta) * log_p(logit, here) - beta * bad);
        logits[i] = survives && logit - here.max >= least ? better : -INFINITY;
    }
}
