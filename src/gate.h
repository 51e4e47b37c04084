/* Gates remove tokens before any sampler runs: a mask, banned words, a forced first token. A gate
 * has no place in the order, and the trace lists it only if it is active. */
#ifndef LOGITSCOPE_GATE_H
#define LOGITSCOPE_GATE_H

#include "warp.h"

enum gate { GATE_CONSTRAINT, GATE_BANNED_WORDS, GATE_FORCED_FIRST, GATE_COUNT };

/* True if the settings use the gate. */
bool gate_active(const struct settings *settings, enum gate gate);
/* Returns the gate's value in the trace: the number of allowed tokens, the number of banned
 * sequences, or the forced id. */
double gate_value(const struct settings *settings, enum gate gate);
/* Returns "constraint", "banned_words" or "forced_first". */
const char *gate_name(enum gate gate);
/* Removes tokens: those that the mask forbids, or all except the forced id, or the last id of a
 * banned sequence if the history ends with the ids before it. May remove every token. */
void gate_apply(enum gate gate, float *logits, const struct warp_input *input);

#endif
