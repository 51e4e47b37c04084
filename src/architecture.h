/* The table of architectures. A row lists the tensors in an architecture's files and describes its
 * layers. Its constants are facts that files do not state. */
#ifndef LOGITSCOPE_ARCHITECTURE_H
#define LOGITSCOPE_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SWIGLU and GEGLU multiply by a gate. GELU in a row means: the file's key hidden_activation
 * selects GELU or an activation after it in this list; without the key it is GELU. */
enum activation {
    ACTIVATION_SWIGLU,
    ACTIVATION_GEGLU,
    ACTIVATION_GELU,
    ACTIVATION_GELU_ERF,
    ACTIVATION_RELU,
    ACTIVATION_RELU_SQUARED
};
enum biases { BIASES_NONE, BIASES_QKV, BIASES_OPTIONAL, BIASES_ALL };
enum norm_place { NORM_BEFORE, NORM_AROUND, NORM_AFTER }; /* relative to each part of a layer */
enum qk_norm { QK_NORM_NONE, QK_NORM_HEADS, QK_NORM_ROWS };

struct architecture {
    const char *name; /* value of general.architecture, and prefix of the file's other keys */
    enum activation activation;
    enum biases biases; /* which matrices have a bias */
    enum norm_place norm_place;
    enum qk_norm qk_norm;   /* norm of q and k before RoPE: none, of each head, or of a whole row */
    bool layer_norm;        /* true: layer norm with a bias; false: RMS norm */
    bool learned_positions; /* true: position vectors, added to the embedding; false: RoPE */
    bool halves;           /* true: RoPE rotates elements (i, i + n_rot / 2); false: (2i, 2i + 1) */
    bool joined_qkv;       /* true: attn_qkv contains the rows of q, then k, then v */
    bool joined_gate;      /* true: ffn_up contains the rows of gate, then of up */
    bool parallel;         /* true: the key use_parallel_residual sets model_shape.parallel */
    bool scaled_embedding; /* true: embeddings are multiplied by sqrt(n_embd) */
    bool multipliers;      /* true: reads the file's four keys of scales, such as logit_scale */
    bool variants;         /* true: reads attention.scale; the output may have a bias */
    bool convolutions;     /* true: layers without key heads are short convolutions */
    uint32_t window_period; /* every n-th layer has no attention window; 1: all have one; 0: none */
    uint32_t window;        /* positions in a window if the file has no key for it; 0: no window */
    uint32_t unturned_period;  /* every n-th layer has no RoPE */
    uint32_t wide_head_layers; /* with this n_layer, scores are divided by sqrt(n_embd / n_head) */
    double local_freq_base;    /* RoPE's base in layers with a window; 0: the global base */
    double attention_cap,
        logit_cap; /* soft caps of scores and logits if the file has no key for them; 0: no cap */
    const char *output_norm; /* tensor of the output norm; NULL means "output_norm" */
};

/* Returns the row of that name, or NULL. */
const struct architecture *architecture_find(const char *name, size_t length);

#endif
