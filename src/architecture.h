/* The table of architectures: one row says which tensors an architecture's files hold and how its
 * layers run. Constants of a row are facts that no file states. */
#ifndef LOGITSCOPE_ARCHITECTURE_H
#define LOGITSCOPE_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum activation { ACTIVATION_SWIGLU, ACTIVATION_GEGLU, ACTIVATION_GELU };
enum biases { BIASES_NONE, BIASES_QKV, BIASES_OPTIONAL, BIASES_ALL };
enum norm_place { NORM_BEFORE, NORM_AROUND, NORM_AFTER }; /* of attention and feed-forward part */
enum qk_norm { QK_NORM_NONE, QK_NORM_HEADS, QK_NORM_ROWS };

struct architecture {
    const char *name; /* general.architecture, and the prefix of its metadata keys */
    enum activation activation;
    enum biases biases; /* of the matrices */
    enum norm_place norm_place;
    enum qk_norm qk_norm;      /* each head of q and k, or their rows as a whole, before RoPE */
    bool layer_norm;           /* with a bias; RMS norm otherwise */
    bool learned_positions;    /* added to the embedding; RoPE otherwise */
    bool halves;               /* RoPE turns elements (i, i + n_rot / 2), not (2i, 2i + 1) */
    bool joined_qkv;           /* attn_qkv holds the rows of q, then k, then v */
    bool joined_gate;          /* ffn_up holds the rows of the gate, then those of up */
    bool parallel;             /* use_parallel_residual: both parts of a layer read the same x */
    bool scaled_embedding;     /* times sqrt(n_embd) */
    bool soft_caps;            /* of attention's scores and of the logits */
    bool multipliers;          /* embedding_scale, residual_scale, attention.scale, logit_scale */
    bool convolutions;         /* layers without key heads are short convolutions */
    uint32_t window_period;    /* every n-th layer has no window; 1: all have one; 0: none */
    uint32_t window;           /* default if the file has no window; 0: no window then */
    uint32_t unturned_period;  /* every n-th layer has no RoPE */
    uint32_t wide_head_layers; /* models of this n_layer scale scores by sqrt(n_embd / n_head) */
    double local_freq_base;    /* of RoPE in layers with a window, unscaled; 0: the global base */
    double attention_cap, logit_cap; /* defaults if the file has none */
    const char *output_norm;         /* NULL: "output_norm" */
};

/* Returns the row of that name, or NULL. */
const struct architecture *architecture_find(const char *name, size_t length);

#endif
