/* One stage of a chain: a gate, a warper or the caller's own sampler, under one number: enum
 * setting, SETTING_COUNT + enum gate, or STAGE_OWN. */
#ifndef LOGITSCOPE_STAGE_H
#define LOGITSCOPE_STAGE_H

#include "gate.h"
#include "warp.h"

/* A sampler of the caller's own: a stage like a warper, but what it makes of the logits is given.
 * What was removed before it stays removed. */
enum { STAGE_OWN = (int)SETTING_COUNT + (int)GATE_COUNT };

enum { STAGES_MAX = (int)GATE_COUNT + (int)WARPER_COUNT + 1 };

/* The stages of a chain: the gates asked for, then the warpers of the order and, among them, the
 * caller's own, before which the list ends if its result is not given yet. Returns their number. */
uint32_t stage_list(uint32_t stages[STAGES_MAX], const struct settings *settings);

/* Whether it differs from its neutral value. */
bool stage_active(const struct settings *settings, uint32_t stage);
/* Its number in the settings, or what stands for it: how many biases, gate_value, 0. */
double stage_value(const struct settings *settings, uint32_t stage);
/* Whether it is a filter, a truncation or a gate: it removes, and changes no surviving logit. */
bool stage_is_filter(uint32_t stage);
/* Whether it is a watermark, which reads the ids of its input and the order of the history. */
bool stage_is_watermark(uint32_t stage);
/* Whether it gives the same on the survivors alone (pool.h): it reads neither the size of the
 * vocabulary nor an id, be it the history's, a bias's or a gate's; a watermark reads them as ids
 * of the whole vocabulary. */
bool stage_suits_pool(uint32_t stage);
/* Works in place on logits (vocab_size,). */
void stage_apply(uint32_t stage, float *logits, const struct warp_input *input);
/* STATUS_NOTHING_LEFT, naming the stage that removed every token. */
enum status stage_leaves_nothing(uint32_t stage, struct fault *fault);

#endif
