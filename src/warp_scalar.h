/* The gates and warpers as plain as they can be said, a function each: what they mean, without what
 * makes them fast. The engine calls none of them. Those that it calls (warp*.c and gate.c, on the
 * whole vocabulary, on a pool or on a short list) give the same bits, which the tests check. */
#ifndef LOGITSCOPE_WARP_SCALAR_H
#define LOGITSCOPE_WARP_SCALAR_H

#include "gate.h"

/* By gate and by warper; input as for warp_table's apply, of which `scratch` holds rank orders. */
extern void (*const gate_scalar[GATE_COUNT])(float *logits, const struct warp_input *input);
extern void (*const warp_scalar[WARPER_COUNT])(float *logits, const struct warp_input *input);

/* The ids of the survivors in rank order: larger logit first, lower id on a tie. Returns how many
 * there are; ids has room for n. */
size_t rank_scalar(const float *logits, size_t n, uint32_t *ids);

/* draw_inverse over weights (n,): the first in rank order whose cumulative weight exceeds
 * floor(r * total / 2^53), or else the last that weighs anything. */
uint32_t draw_scalar(const float *logits, const uint64_t *weights, size_t n, uint64_t r,
                     uint32_t *scratch);

#endif
