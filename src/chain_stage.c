/* build: -O2 */
/* The stages of a chain: gates, warpers and the caller's own, under one number. */
#include <math.h>

#include "chain_part.h"

uint32_t chain_list_stages(uint32_t stages[CHAIN_STAGES_MAX], const struct settings *settings) {
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

bool chain_stage_active(const struct settings *settings, uint32_t setting) {
    return setting >= SETTING_COUNT || settings_active(settings, setting);
}

static void take_own(float *logits, const float *own, size_t n) {
    for (size_t i = 0; i < n; i++) logits[i] = logits[i] == -INFINITY ? -INFINITY : own[i];
}

void chain_stage_apply(uint32_t setting, float *logits, const struct warp_input *input) {
    if (setting == STAGE_OWN)
        take_own(logits, input->settings->own, input->vocab_size);
    else if (setting >= SETTING_COUNT)
        gate_apply(setting - SETTING_COUNT, logits, input);
    else
        warp_table[setting].apply(logits, input);
}

double chain_stage_value(const struct settings *settings, uint32_t setting) {
    if (setting == STAGE_OWN) return 0;
    if (setting >= SETTING_COUNT) return gate_value(settings, setting - SETTING_COUNT);
    return setting == SETTING_LOGIT_BIAS ? (double)settings->n_bias : settings->value[setting];
}

enum status chain_nothing_left(uint32_t setting, struct fault *fault) {
    const char *name = setting == STAGE_OWN       ? "own"
                       : setting >= SETTING_COUNT ? gate_name(setting - SETTING_COUNT)
                                                  : warp_table[setting].name;
    return fault_set(fault, STATUS_NOTHING_LEFT, "stage_leaves_nothing", "setting:s", name);
}
