/* The sizes of a model out of a GGUF file's metadata; model_open's first half. */
#ifndef LOGITSCOPE_MODEL_SHAPE_H
#define LOGITSCOPE_MODEL_SHAPE_H

#include "gguf.h"
#include "model.h"
#include "status.h"

/* Fills *shape from keys under general.architecture's name and from token_embd.weight's rows.
 * STATUS_BAD_FILE (a key missing or out of bounds), STATUS_UNSUPPORTED (architecture, scaled RoPE,
 * heads of another size, a value for each layer, experts, one shard of several). */
enum status model_shape_read(struct model_shape *shape, const struct gguf *file,
                             struct fault *fault);

#endif
