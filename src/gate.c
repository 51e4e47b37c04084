/* Each gate is a loop that sets the logits of removed tokens to -INFINITY. */
#include "gate.h"

#include <math.h>
#include <string.h>

bool gate_active(const struct settings *settings, enum gate gate) {
    return gate == GATE_CONSTRAINT     ? settings->allowed != NULL
           : gate == GATE_BANNED_WORDS ? settings->n_banned_words > 0
                                       : settings->forced >= 0;
}

const char *gate_name(enum gate gate) {
    static const char *const names[GATE_COUNT] = {"constraint", "banned_words", "forced_first"};
    return names[gate];
}

double gate_value(const struct settings *settings, enum gate gate) {
    const uint32_t *word = settings->banned;
    double sequences = 0;
    if (gate == GATE_CONSTRAINT) return settings->n_allowed;
    if (gate == GATE_FORCED_FIRST) return (double)settings->forced;
    for (; word < settings->banned + settings->n_banned_words; word += 1 + *word) sequences++;
    return sequences;
}

static void ban(float *logits, const struct warp_input *input) {
    const uint32_t *word = input->settings->banned, *end = word + input->settings->n_banned_words;
    for (; word < end; word += 1 + *word) {
        size_t before = *word - 1;
        if (before > input->n_history) continue;
        if (before == 0 || memcmp(word + 1, input->history + (input->n_history - before),
                                  before * sizeof *word) == 0)
            logits[word[*word]] = -INFINITY;
    }
}

void gate_apply(enum gate gate, float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    if (gate == GATE_BANNED_WORDS) {
        ban(logits, input);
        return;
    }
    for (size_t i = 0; i < input->vocab_size; i++) {
        bool stays = gate == GATE_CONSTRAINT ? settings->allowed[i / 32] >> i % 32 & 1
                                             : (int64_t)i == settings->forced;
        if (!stays) logits[i] = -INFINITY;
    }
}
