/* build: -O2 */
/* Adaptive-P: prefers tokens with a probability near an aim, which depends on the drawn tokens. Its
 * state is the mean of their probabilities, the setting adaptive_mean; adaptive_next returns the
 * next mean. */
#include "loop.h"
#include "warp_part.h"

static double mean_of(const struct settings *settings) {
    double mean = settings->value[SETTING_ADAPTIVE_MEAN];
    return mean != 0 ? mean : settings->value[SETTING_ADAPTIVE_TARGET];
}

void warp_adaptive_p(float *logits, const struct warp_input *input) {
    double aim = 2 * value_of(input, SETTING_ADAPTIVE_TARGET) - mean_of(input->settings);
    aim = aim < 0 ? 0 : aim > 1 ? 1 : aim;
    if (value_of(input, SETTING_ADAPTIVE_TARGET) == 0) return;
    VECTOR
    for (size_t i = 0; i < input->vocab_size; i++) {
        double far = fabs((double)input->weights[i] / (double)input->total - aim) / 0.3;
        float steered = (float)(5 - 10 * far * far / (1 + far));
        logits[i] = logits[i] == -INFINITY ? -INFINITY : steered;
    }
}

double adaptive_next(const struct settings *settings, double p) {
    double decay = settings->value[SETTING_ADAPTIVE_DECAY];
    double mean = decay * mean_of(settings) + (1 - decay) * p;
    return mean < DBL_MIN ? DBL_MIN : mean > 1 ? 1 : mean;
}
