/* Random settings: each sampler is active in some of them, and can be at any place in the order. */
#ifndef LOGITSCOPE_SAMPLE_SETTINGS_H
#define LOGITSCOPE_SAMPLE_SETTINGS_H

#include "chain.h"
#include "sample.h"

/* Sets samplers that most settings leave neutral. */
static inline void sample_filters(struct settings *settings) {
    if (sample_uniform() < 0.2) settings->value[SETTING_FREQUENCY_PENALTY] = sample_uniform() - 0.3;
    if (sample_uniform() < 0.2) settings->value[SETTING_PRESENCE_PENALTY] = sample_uniform() - 0.3;
    if (sample_uniform() < 0.1) settings->value[SETTING_PROMPT_IGNORE_LENGTH] = sample_below(12);
    if (sample_uniform() < 0.03) settings->value[SETTING_ENCODER_REPETITION_PENALTY] = 1.5;
    if (sample_uniform() < 0.05) settings->value[SETTING_RENORMALIZE_LOGITS] = 1;
    if (sample_uniform() < 0.2) settings->value[SETTING_MIN_P] = 0.2 * sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_TYPICAL_P] = 1 - 0.9 * sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_EPSILON_CUTOFF] = 0.1 * sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_ETA_CUTOFF] = 0.1 * sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_TOP_N_SIGMA] = 3 * sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_TOP_A] = 0.5 * sample_uniform();
    if (sample_uniform() < 0.1) settings->value[SETTING_P_LESS] = 1 + sample_below(2);
    if (sample_uniform() < 0.03) settings->value[SETTING_TOP_H] = sample_uniform();
    if (sample_uniform() < 0.03) settings->value[SETTING_DYNATEMP_RANGE] = sample_uniform();
    if (sample_uniform() < 0.03) settings->value[SETTING_SMOOTHING_FACTOR] = sample_uniform();
    if (sample_uniform() < 0.1) settings->value[SETTING_TFS_Z] = sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_XTC_PROBABILITY] = sample_uniform();
    if (sample_uniform() < 0.2) settings->value[SETTING_CONVENTION] = sample_below(3);
    if (sample_uniform() < 0.05) settings->value[SETTING_NO_REPEAT_NGRAM_SIZE] = 2;
    if (sample_uniform() < 0.05) settings->value[SETTING_DRY_MULTIPLIER] = 1;
    if (sample_uniform() < 0.1) settings->value[SETTING_ADAPTIVE_TARGET] = sample_uniform();
    if (sample_uniform() < 0.03) settings->value[SETTING_GREEN_BIAS] = 4 * sample_uniform();
    if (sample_uniform() < 0.5) settings->value[SETTING_GREEN_SELF] = 1;
    if (sample_uniform() < 0.03) settings->value[SETTING_SYNTHID_DEPTH] = sample_below(31);
    if (sample_uniform() < 0.05) settings->value[SETTING_MIROSTAT] = 1 + sample_below(2);
}

/* Shuffles the end of the order: each further place is included with probability `chance`. */
static inline void sample_order(struct settings *settings, double chance) {
    for (uint32_t i = SAMPLER_COUNT - 1; i > 0 && sample_uniform() < chance; i--) {
        uint32_t j = sample_below(i + 1), swap = settings->order[i];
        settings->order[i] = settings->order[j];
        settings->order[j] = swap;
    }
}

#endif
