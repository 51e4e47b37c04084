/* build: -O2 */
/* The stages that read a second distribution: guidance and contrastive decoding. */
#include "elementary.h"
#include "loop.h"
#include "measure.h"
#include "warp_part.h"

void warp_guidance(float *logits, const struct warp_input *input) {
    size_t n = input->vocab_size;
    const float *second = input->settings->second;
    double scale = value_of(input, SETTING_GUIDANCE_SCALE);
    if (scale == 1) return;
    float max, second_max;
    double log_sum = measure_log_sum(logits, n, &max);
    double second_log_sum = measure_log_sum(second, n, &second_max);
    VECTOR
    for (size_t i = 0; i < n; i++) {
        bool survives = logits[i] != -INFINITY;
        double to = (double)(survives ? logits[i] : max) - (double)max - log_sum;
        double from = (double)second[i] - (double)second_max - second_log_sum;
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
    float max, second_max;
    double log_sum = measure_log_sum(logits, n, &max);
    double second_log_sum = measure_log_sum(second, n, &second_max);
    VECTOR
    for (size_t i = 0; i < n; i++) {
        bool survives = logits[i] != -INFINITY;
        double below = (double)(survives ? logits[i] : max) - (double)max;
        double bad = (double)second[i] - (double)second_max - second_log_sum;
        float better = to_float((1 + beta) * (below - log_sum) - beta * bad);
        logits[i] = survives && below >= least ? better : -INFINITY;
    }
}
