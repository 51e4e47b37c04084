/* Facts about a stage: a sampler, a gate or the caller's own sampler. Each gate is a loop that sets
 * the logits of removed tokens to -INFINITY. */
#include "stage.h"

#include <math.h>
#include <string.h>

bool gate_active(const struct settings *settings, enum gate gate) {
    return gate == GATE_CONSTRAINT     ? settings->allowed != NULL
           : gate == GATE_BANNED_WORDS ? settings->n_banned_words > 0
                                       : settings->forced >= 0;
}

static const char *gate_name(enum gate gate) {
    static const char *const names[GATE_COUNT] = {"constraint", "banned_words", "forced_first"};
    return names[gate];
}

static double gate_value(const struct settings *settings, enum gate gate) {
    const uint32_t *word = settings->banned;
    double sequences = 0;
    if (gate == GATE_CONSTRAINT) return settings->n_allowed;
    if (gate == GATE_FORCED_FIRST) return (double)settings->forced;
    for (; word < settings->banned + settings->n_banned_words; word += 1 + *word) sequences++;
    return sequences;
}

static void ban_words(float *logits, const struct warp_input *input) {
    const uint32_t *word = input->settings->banned, *end = word + input->settings->n_banned_words;
    for (; word < end; word += 1 + *word) {
        size_t before = *word - 1;
        if (before > input->n_history) continue;
        if (before == 0 || memcmp(word + 1, input->history + (input->n_history - before),
                                  before * sizeof *word) == 0)
            logits[word[*word]] = -INFINITY;
    }
}

static void gate_apply(enum gate gate, float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    if (gate == GATE_BANNED_WORDS) {
        ban_words(logits, input);
        return;
    }
    for (size_t i = 0; i < input->vocab_size; i++) {
        bool stays = gate == GATE_CONSTRAINT ? settings->allowed[i / 32] >> i % 32 & 1
                                             : (int64_t)i == settings->forced;
        if (!stays) logits[i] = -INFINITY;
    }
}

static bool is_truncation(uint32_t sampler) {
    return strcmp(warp_table[sampler].group, "truncation") == 0;
}

uint32_t stage_list(uint32_t stages[STAGES_MAX], const struct settings *settings) {
    uint32_t n = 0;
    for (uint32_t gate = 0; gate < GATE_COUNT; gate++)
        if (gate_active(settings, gate)) stages[n++] = SETTING_COUNT + gate;
    for (uint32_t i = 0; i <= settings->n_order; i++) {
        if (settings->has_own && i == settings->own_at) {
            if (!settings->own) return n;
            stages[n++] = STAGE_OWN;
        }
        if (i < settings->n_order) stages[n++] = settings->order[i];
    }
    return n;
}

bool stage_active(const struct settings *settings, uint32_t stage) {
    return stage >= SETTING_COUNT || settings_active(settings, stage);
}

double stage_value(const struct settings *settings, uint32_t stage) {
    if (stage == STAGE_OWN) return 0;
    if (stage >= SETTING_COUNT) return gate_value(settings, stage - SETTING_COUNT);
    return stage == SETTING_LOGIT_BIAS ? (double)settings->n_bias : settings->value[stage];
}

bool stage_is_filter(uint32_t stage) {
    return stage >= SETTING_COUNT ? stage != STAGE_OWN : is_truncation(stage);
}

bool stage_is_watermark(uint32_t stage) {
    return stage == SETTING_GREEN_BIAS || stage == SETTING_SYNTHID_DEPTH;
}

bool stage_suits_pool(uint32_t stage) {
    if (stage >= SETTING_COUNT) return false;
    return stage_is_watermark(stage) || stage == SETTING_TEMPERATURE ||
           stage == SETTING_ADAPTIVE_TARGET || stage == SETTING_DYNATEMP_RANGE ||
           stage == SETTING_SMOOTHING_FACTOR || stage == SETTING_RENORMALIZE_LOGITS ||
           (is_truncation(stage) && stage != SETTING_MIROSTAT && stage != SETTING_P_LESS);
}

static void use_own(float *logits, const float *own, size_t n) {
    for (size_t i = 0; i < n; i++) logits[i] = logits[i] == -INFINITY ? -INFINITY : own[i];
}

void stage_apply(uint32_t stage, float *logits, const struct warp_input *input) {
    if (stage == STAGE_OWN)
        use_own(logits, input->settings->own, input->vocab_size);
    else if (stage >= SETTING_COUNT)
        gate_apply(stage - SETTING_COUNT, logits, input);
    else
        warp_table[stage].apply(logits, input);
}

enum status stage_leaves_nothing(uint32_t stage, struct fault *fault) {
    const char *name = stage == STAGE_OWN       ? "own"
                       : stage >= SETTING_COUNT ? gate_name(stage - SETTING_COUNT)
                                                : warp_table[stage].name;
    return fault_set(fault, STATUS_NOTHING_LEFT, "stage_leaves_nothing", "setting:s", name);
}
