/* Binds the tensors of a GGUF image to an architecture (gpt2, llama), checks every shape against
 * the metadata and packs the weights. Immutable once open: any number of sessions share it.
 *
 * A large file is opened in place: model_measure says from the file's head alone how much memory
 * the model takes and where in it the image belongs; the image is read to that place; model_open_in
 * packs it where it lies, tensor by tensor. So loading never holds the weights twice. */
#ifndef LOGITSCOPE_MODEL_H
#define LOGITSCOPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "kernels.h"
#include "status.h"

enum architecture { ARCHITECTURE_GPT2, ARCHITECTURE_LLAMA };

/* Sizes, all from the metadata; n_embd_head = n_embd / n_head. */
struct model_shape {
    enum architecture architecture;
    uint32_t vocab_size, context_length, n_layer, n_head, n_head_kv, n_embd, n_embd_head, n_ff;
    float norm_eps;
    uint32_t n_rot; /* llama: rotated elements of a head */
    double rope_freq_base;
    uint64_t parameters; /* elements of all tensors, a tied head counted once */
    uint32_t file_type;
    bool quantised; /* whether any matrix is */
};

/* Fills *shape from keys under general.architecture's name and from token_embd.weight's rows.
 * STATUS_BAD_FILE (a key missing or out of bounds), STATUS_UNSUPPORTED (architecture, scaled RoPE,
 * heads of another size, a value for each layer, experts, one shard of several). */
enum status model_shape_read(struct model_shape *shape, const struct gguf *file,
                             struct fault *fault);

/* One block. Vectors that an architecture lacks are NULL. */
struct model_layer {
    float *attn_norm_weight, *attn_norm_bias; /* (n_embd,) */
    struct matrix wq, wk, wv;                 /* (n_embd | n_head_kv * n_embd_head, n_embd) */
    float *bq, *bk, *bv;
    struct matrix wo; /* (n_embd, n_embd) */
    float *bo;
    float *ffn_norm_weight, *ffn_norm_bias; /* (n_embd,) */
    struct matrix gate;                     /* (n_ff, n_embd), llama only */
    struct matrix up;                       /* (n_ff, n_embd) */
    float *bup;
    struct matrix down; /* (n_embd, n_ff) */
    float *bdown;
};

struct model {
    struct model_shape shape;
    struct matrix token_embd;   /* (vocab_size, n_embd) */
    float *position_embd;       /* (context_length, n_embd), gpt2 only */
    struct model_layer *layers; /* (n_layer,) */
    float *output_norm_weight, *output_norm_bias;
    struct matrix output; /* (vocab_size, n_embd); token_embd's when tied */
    uint8_t *memory;      /* one block that holds every weight above */
    uint64_t bytes;       /* of it */
};

/* What a file's model will be and take: `weights` bytes once packed; for packing in place `bytes`,
 * with the image `image_at` bytes from the beginning. Nothing of it depends on the tensors' data.
 */
struct model_plan {
    struct model_shape shape;
    uint64_t weights, bytes, image_at;
};

/* Checks what model_open checks. A tensor that the architecture does not use is refused by name, so
 * that no file is run as something it is not. STATUS_BAD_FILE (missing, misshapen or overlapping
 * tensors, odd metadata), STATUS_UNSUPPORTED (architecture, rope scaling, unknown tensor),
 * STATUS_OUT_OF_MEMORY. */
enum status model_measure(struct model_plan *plan, const struct gguf *file, struct fault *fault);

/* Opens a model in `memory` of plan.bytes bytes, 64-byte aligned, from malloc or its like. The
 * image of `file` lies in it at image_at and is destroyed, whatever the outcome. On success the
 * memory belongs to the model. Fails as model_measure does. */
enum status model_open_in(struct model **model, const struct gguf *file, void *memory,
                          struct fault *fault);

/* Opens a model over an image that lies elsewhere and stays as it is; once this returns, it may be
 * freed. Fails as model_measure does. */
enum status model_open(struct model **model, const struct gguf *file, struct fault *fault);
void model_close(struct model *model);

/* Row `id` of the token embedding as float32, out (n_embd,). */
void model_embed(const struct model *model, uint32_t id, float *out);

#endif
