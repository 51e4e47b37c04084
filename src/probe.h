/* Reads the weights part by part as a decode step does, so that a caller can time each part. The
 * parts are `up` and `down` of each layer, then the head in pieces of n_ff rows. */
#ifndef LOGITSCOPE_PROBE_H
#define LOGITSCOPE_PROBE_H

#include "model.h"

/* Returns the bytes of scratch that a part needs; 0 after the last part and for float32 weights. */
size_t probe_scratch(const struct model *model, uint32_t part);

/* Multiplies a part by a vector of ones and returns the bytes of its weights. */
uint32_t probe_multiply(const struct model *model, uint32_t part, const struct kernels *kernels,
                        void *scratch);

#endif
