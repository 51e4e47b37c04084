/* The table of architectures. A row lists the tensors in an architecture's files and describes its
 * layers. Its constants are facts that files do not state. */
#ifndef LOGITSCOPE_ARCHITECTURE_H
#define LOGITSCOPE_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first two multiply by a gate. In a row, ACTIVATION_GELU stands for all that follow: the key
 * hidden_activation names one, and its default is gelu_pytorch_tanh. */
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
    const char *name; /* general.architecture, and the prefix of its metadata keys */
    enum activation activation;
    enum biases biases; /* which matrices have a bias */
    enum norm_place norm_place;
    enum qk_norm qk_norm;   /* norms each head of q and k, or whole rows, before RoPE */
    bool layer_norm;        /* true: layer norm with a bias; false: RMS norm */
    bool learned_positions; /* true: position vectors, added to the embedding; false: RoPE */
    bool halves;      /* true: RoPE rotates elements (i, i + n_rot / 2); false: (2i, 2i + 1) */
    bool joined_qkv;  /* true: attn_qkv contains the rows of q, then k, then v */
    bool joined_gate; /* true: ffn_up contains the rows of gate, then of up */
    bool parallel;    /* true: use_parallel_residual decides if attention and feed-forward part read
                         the same x */
    bool scaled_embedding;     /* true: embeddings are multiplied by sqrt(n_embd) */
    bool multipliers;          /* true: reads the four keys of scales, for instance logit_scale */
    bool variants;             /* true: reads attention.scale; the output may have a bias */
    bool convolutions;         /* true: layers without key heads are short convolutions */
    uint32_t window_period;    /* every n-th layer has no window; 1: every layer has; 0: none has */
    uint32_t window;           /* positions, if the file has no window key; 0: no window */
    uint32_t unturned_period;  /* every n-th layer has no RoPE */
    uint32_t wide_head_layers; /* with this n_layer, scores are divided by sqrt(n_embd / n_head) */
    double local_freq_base;    /* RoPE's base in layers with a window; 0: the global base */
    double attention_cap, logit_cap; /* soft caps if the file has no such key; 0: never a cap */
    const char *output_norm;         /* tensor of the output norm; NULL means "output_norm" */
};

/* Returns the row of that name, or NULL. */
const struct architecture *architecture_find(const char *name, size_t length);

#endif
