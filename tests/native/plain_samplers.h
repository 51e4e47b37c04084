/* Gates and samplers in the plainest C, a function each: their definitions, without the code that
 * makes them fast. Tests check that the engine (warp*.c and gate.c, on the whole vocabulary, on a
 * pool or on a short list) has the same bits. */
#ifndef LOGITSCOPE_PLAIN_SAMPLERS_H
#define LOGITSCOPE_PLAIN_SAMPLERS_H

#include "gate.h"

/* By gate and by sampler; input as for warp_table's apply, of which `scratch` holds rank orders. */
extern void (*const plain_gates[GATE_COUNT])(float *logits, const struct warp_input *input);
extern void (*const plain_samplers[WARPER_COUNT])(float *logits, const struct warp_input *input);

/* The ids of the survivors in rank order: larger logit first, lower id on a tie. Returns how many
 * there are; ids has room for n. */
size_t plain_rank(const float *logits, size_t n, uint32_t *ids);

/* draw_inverse over weights (n,): the first token in rank order with a cumulative weight above
 * floor(r * total / 2^53), or else the last with a weight. */
uint32_t plain_draw(const float *logits, const uint64_t *weights, size_t n, uint64_t r,
                    uint32_t *scratch);

/* Runs the plain chain on each case (tests/node/plain.js writes them) and prints the logits after
 * it, as float32. */
void plain_cases(const unsigned char *input, size_t size);

#endif
