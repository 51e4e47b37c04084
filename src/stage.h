/* A stage of a chain: a sampler, a gate or the caller's own sampler. Its number is its enum
 * setting, SETTING_COUNT + enum gate, or STAGE_OWN. */
#ifndef LOGITSCOPE_STAGE_H
#define LOGITSCOPE_STAGE_H

#include "warp.h"

/* Gates remove tokens before any sampler runs: tokens that the constraint forbids; the last id of a
 * banned sequence if the history ends with the ids before it; all tokens except a forced first one.
 * A gate may remove every token. It has no place in the order, and the trace lists it only if it is
 * active. */
enum gate { GATE_CONSTRAINT, GATE_BANNED_WORDS, GATE_FORCED_FIRST, GATE_COUNT };

/* True if the settings use the gate. */
bool gate_active(const struct settings *settings, enum gate gate);

/* The caller's own sampler, whose output the caller supplies. Removed tokens stay removed. */
enum { STAGE_OWN = (int)SETTING_COUNT + (int)GATE_COUNT };

enum { STAGES_MAX = (int)GATE_COUNT + (int)SAMPLER_COUNT + 1 };

/* Lists the stages of a chain: the active gates, then the samplers of the order, with STAGE_OWN
 * inserted. The list ends before STAGE_OWN if settings->own is NULL. Returns the length. */
uint32_t stage_list(uint32_t stages[STAGES_MAX], const struct settings *settings);

/* True if the stage's value is not neutral. */
bool stage_active(const struct settings *settings, uint32_t stage);
/* Returns the number that the trace shows: a sampler's value (for logit_bias the number of biases),
 * a gate's number of allowed tokens or banned sequences, or the forced id; 0 for STAGE_OWN. */
double stage_value(const struct settings *settings, uint32_t stage);
/* True for a truncation or a gate, which removes tokens and changes no surviving logit. */
bool stage_is_filter(uint32_t stage);
/* True for a watermark, which reads the ids of its input and the order of the history. */
bool stage_is_watermark(uint32_t stage);
/* True if a stage gives the same result when it sees only survivors (pool.h). Such a stage depends
 * neither on the size of the vocabulary nor on ids of history, biases or gates. A watermark gets
 * the survivors' ids in the whole vocabulary. */
bool stage_suits_pool(uint32_t stage);
/* Runs the stage on logits (vocab_size,) in place. */
void stage_apply(uint32_t stage, float *logits, const struct warp_input *input);
/* Returns STATUS_NOTHING_LEFT; the fault names the stage that removed every token. */
enum status stage_leaves_nothing(uint32_t stage, struct fault *fault);

#endif
