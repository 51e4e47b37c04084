/* Gates remove tokens before any sampler runs: a mask, banned words, a forced first token. A gate
 * has no place in the order, and the trace lists it only if it is active. */
#ifndef LOGITSCOPE_GATE_H
#define LOGITSCOPE_GATE_H

#include "warp.h"

enum gate { GATE_CONSTRAINT, GATE_BANNED_WORDS, GATE_FORCED_FIRST, GATE_COUNT };

/* True if the settings use the gate. */
bool gate_active(const struct settings *settings, enum gate gate);
/* Its value in the trace: the number of allowed tokens or of banned sequences, or the forced id. */
double gate_value(const struct settings *settings, enum gate gate);
/* "constraint", "banned_words", "forced_first". */
const char *gate_name(enum gate gate);
/* Removes the tokens that the mask forbids, or every id but the forced one. For banned words it
 * removes an id if the history ends with the rest of its sequence. May leave nothing. */
void gate_apply(enum gate gate, float *logits, const struct warp_input *input);

#endif
