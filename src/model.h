/* Binds the tensors of a GGUF image to their places in an architecture, checks every shape against
 * the metadata and packs the weights. An open model is immutable, so any number of sessions can
 * share it.
 *
 * A large file is opened in place, so that the weights are never in memory twice. From the file's
 * head, model_measure computes the size of the model's memory and the offset of the image in that
 * memory. The caller reads the image to this offset; model_open_in packs it in place, tensor by
 * tensor. */
#ifndef LOGITSCOPE_MODEL_H
#define LOGITSCOPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "architecture.h"
#include "gguf.h"
#include "kernels.h"
#include "rope.h"
#include "status.h"

/* The model's sizes and constants, all from the metadata. */
struct model_shape {
    const struct architecture *architecture;
    uint32_t vocab_size, context_length, n_layer, n_embd, n_ff;
    uint32_t n_head, n_head_kv, n_embd_head; /* n_head_kv: key heads of each layer that has any */
    uint32_t window, window_period;          /* as in struct architecture; 0: no window */
    uint32_t n_taps;                         /* positions that a short convolution reads */
    enum activation activation;
    bool parallel; /* true if attention and feed-forward part read the same x */
    float norm_eps;
    float attention_scale, attention_cap; /* factor and cap of attention's scores; cap 0: no cap */
    float embedding_scale, residual_scale, logit_scale; /* factors; 1: no change */
    float logit_cap;                                    /* soft cap; 0: none */
    struct rope rope;
    uint64_t key_width, value_width; /* floats per position in the caches of all layers */
    uint64_t parameters;             /* elements of all tensors, a tied head counted once */
    uint32_t file_type;
    bool quantised; /* true if at least one matrix is quantised */
};

/* Fills *shape from the metadata keys of the architecture and the number of rows of
 * token_embd.weight. Fails with STATUS_BAD_FILE (a key is missing or out of bounds),
 * STATUS_UNSUPPORTED (an unknown architecture, experts, one shard of several, or a key that would
 * change the numbers in a way that this engine does not compute). */
enum status model_shape_read(struct model_shape *shape, const struct gguf *file,
                             struct fault *fault);

/* Returns a layer's number of key heads; 0: a short convolution. `shape` is from this file. */
uint32_t model_shape_n_head_kv(const struct model_shape *shape, const struct gguf *file,
                               uint32_t layer);

enum rotation { ROTATION_NONE, ROTATION_GLOBAL, ROTATION_LOCAL };

/* One block: a short convolution or attention, then the feed-forward part. Pointers to parts that
 * the architecture lacks are NULL. n_q = n_head * n_embd_head, n_kv = n_head_kv * n_embd_head. */
struct model_layer {
    uint32_t n_head_kv; /* 0: a short convolution */
    uint32_t window;    /* positions that attention sees; 0: all */
    enum rotation rotation;
    float *attn_norm_weight, *attn_norm_bias;          /* (n_embd,) */
    struct matrix wq, wk, wv;                          /* (n_q | n_kv, n_embd) */
    float *bq, *bk, *bv;                               /* (n_q | n_kv,) */
    float *q_norm_weight, *k_norm_weight;              /* (n_embd_head,) or (n_q | n_kv,) */
    struct matrix wo;                                  /* (n_embd, n_q) */
    float *bo;                                         /* (n_embd,) */
    struct matrix conv_before, conv_after, conv_value; /* (n_embd, n_embd) */
    float *conv_kernel;                                /* (n_embd, n_taps), current position last */
    struct matrix conv_output;                         /* (n_embd, n_embd) */
    float *attn_post_norm_weight;                      /* (n_embd,) */
    float *ffn_norm_weight, *ffn_norm_bias;            /* (n_embd,) */
    struct matrix gate, up;                            /* (n_ff, n_embd) */
    float *bgate, *bup;                                /* (n_ff,) */
    struct matrix down;                                /* (n_embd, n_ff) */
    float *bdown;                                      /* (n_embd,) */
    float *ffn_post_norm_weight;                       /* (n_embd,) */
};

struct model {
    struct model_shape shape;
    struct matrix token_embd;                        /* (vocab_size, n_embd) */
    float *position_embd;                            /* (context_length, n_embd), or NULL */
    float *rope_divisors;                            /* (n_rot / 2,), or NULL */
    float *rope_divisors_long, *rope_divisors_short; /* (n_rot / 2,), or NULL */
    struct model_layer *layers;                      /* (n_layer,); NULL: no weights */
    float *output_norm_weight, *output_norm_bias;
    struct matrix output; /* (vocab_size, n_embd); shares token_embd's data if tied */
    float *output_bias;   /* (vocab_size,), or NULL */
    uint8_t *memory;      /* one block that contains every weight above */
    uint64_t bytes;       /* size of that block */
};

/* The shape and the memory needs of a file's model. The packed weights take `weights` bytes.
 * Packing in place takes `bytes` bytes, and the image begins at offset `image_at`. The plan does
 * not depend on the tensors' data. */
struct model_plan {
    struct model_shape shape;
    uint64_t weights, bytes, image_at;
};

/* Fills *plan and makes all checks of model_open. A tensor that the architecture does not use is an
 * error, so that no file runs as a wrong architecture; the fault names it. Fails with
 * STATUS_BAD_FILE (missing, misshapen or overlapping tensors, bad metadata), STATUS_UNSUPPORTED
 * (architecture, key, unknown tensor), STATUS_OUT_OF_MEMORY. */
enum status model_measure(struct model_plan *plan, const struct gguf *file, struct fault *fault);

/* Opens a model in `memory` of plan.bytes bytes, 64-byte aligned, from malloc or aligned_alloc. The
 * image of `file` is in `memory` at offset image_at; the call destroys the image even on failure.
 * On success `memory` belongs to the model. Fails as model_measure does. */
enum status model_open_in(struct model **model, const struct gguf *file, void *memory,
                          struct fault *fault);

/* Opens a model in newly allocated memory. The image stays unchanged and may be freed after the
 * call. Fails as model_measure does. */
enum status model_open(struct model **model, const struct gguf *file, struct fault *fault);

/* Opens a model without weights. Its sessions only take logits from the caller: session_accept. */
enum status model_open_bare(struct model **model, uint32_t vocab_size, uint32_t context_length,
                            struct fault *fault);
void model_close(struct model *model);

/* Writes row `id` of the token embedding as float32 to out (n_embd,). */
void model_embed(const struct model *model, uint32_t id, float *out);

#endif
