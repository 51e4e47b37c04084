/* One stage of a chain: a gate, a sampler or the caller's own sampler, under one number: enum
 * setting, SETTING_COUNT + enum gate, or STAGE_OWN. */
#ifndef LOGITSCOPE_STAGE_H
#define LOGITSCOPE_STAGE_H

#include "gate.h"
#include "warp.h"

/* The caller's own sampler: its resulting logits are given. Removed tokens stay removed. */
enum { STAGE_OWN = (int)SETTING_COUNT + (int)GATE_COUNT };

enum { STAGES_MAX = (int)GATE_COUNT + (int)WARPER_COUNT + 1 };

/* Lists the stages of a chain: the active gates, then the samplers of the order with the caller's
 * own among them. If the own result is still missing, the list ends before it. Returns the length.
 */
uint32_t stage_list(uint32_t stages[STAGES_MAX], const struct settings *settings);

/* True if its value is not neutral. */
bool stage_active(const struct settings *settings, uint32_t stage);
/* Its number in the settings; the number of biases; gate_value; 0 for the caller's own. */
double stage_value(const struct settings *settings, uint32_t stage);
/* True for a truncation or a gate: it removes tokens and changes no surviving logit. */
bool stage_is_filter(uint32_t stage);
/* True for a watermark, which reads the ids of its input and the order of the history. */
bool stage_is_watermark(uint32_t stage);
/* True if a stage gives the same result when it sees only survivors (pool.h). Such a stage depends
 * neither on the size of the vocabulary nor on ids of history, biases or gates. A watermark gets
 * the survivors' ids in the whole vocabulary. */
bool stage_suits_pool(uint32_t stage);
/* Works in place on logits (vocab_size,). */
void stage_apply(uint32_t stage, float *logits, const struct warp_input *input);
/* STATUS_NOTHING_LEFT, naming the stage that removed every token. */
enum status stage_leaves_nothing(uint32_t stage, struct fault *fault);

#endif
