/* Gates and samplers as simple C functions, without the code that makes the engine fast. Tests
 * check that the engine computes the same bits: warp*.c and stage.c, on the whole vocabulary, on a
 * pool or on a short list. */
#ifndef LOGITSCOPE_PLAIN_SAMPLERS_H
#define LOGITSCOPE_PLAIN_SAMPLERS_H

#include "stage.h"

/* Indexed by gate and by sampler. `input` is as for warp_table's apply; input->scratch is used for
 * rank orders. */
extern void (*const plain_gates[GATE_COUNT])(float *logits, const struct warp_input *input);
extern void (*const plain_samplers[SAMPLER_COUNT])(float *logits, const struct warp_input *input);

/* Writes the ids of the survivors in rank order: larger logit first, lower id on a tie. Returns
 * their number; `ids` has room for n. */
size_t plain_rank(const float *logits, size_t n, uint32_t *ids);

/* draw_inverse over weights (n,): returns the first token in rank order with a cumulative weight
 * above floor(r * total / 2^53). If there is none, returns the last token with a weight above 0. */
uint32_t plain_draw(const float *logits, const uint64_t *weights, size_t n, uint64_t r,
                    uint32_t *scratch);

/* Runs the plain chain on each case of `input`, which tests/node/plain.js writes. Prints the logits
 * after the chain as float32. */
void plain_cases(const unsigned char *input, size_t size);

#endif
