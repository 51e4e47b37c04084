/* What removes tokens before any warper sees them: a mask, banned words, a forced first token.
 * Gates are stages without a place in an order, and in the trace only where they are asked for. */
#ifndef LOGITSCOPE_GATE_H
#define LOGITSCOPE_GATE_H

#include "warp.h"

enum gate { GATE_CONSTRAINT, GATE_BANNED_WORDS, GATE_FORCED_FIRST, GATE_COUNT };

/* Whether a gate is asked for. */
bool gate_active(const struct settings *settings, enum gate gate);
/* What stands for its value in the trace: the tokens allowed, the sequences banned, the token
 * forced.
 */
double gate_value(const struct settings *settings, enum gate gate);
/* "constraint", "banned_words", "forced_first". */
const char *gate_name(enum gate gate);
/* Removes what is not allowed; every id that would complete a banned sequence, of which the others
 * are the last ids of the history; every id but the forced one. May leave nothing. */
void gate_apply(enum gate gate, float *logits, const struct warp_input *input);

#endif
