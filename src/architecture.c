/* The rows of the table of architectures. Tensor and key names come from llama.cpp's converters. */
#include "architecture.h"

#include <string.h>

static const struct architecture architectures[] = {
    /* Radford et al. 2019 */
    {.name = "gpt2",
     .activation = ACTIVATION_GELU,
     .biases = BIASES_ALL,
     .layer_norm = true,
     .learned_positions = true,
     .joined_qkv = true},
    /* GPT-2 with the parts that courses change: activation, scale of the attention scores, bias of
     * the output matrix. web/import/layouts.js writes such files. */
    {.name = "logitscope-gpt",
     .activation = ACTIVATION_GELU,
     .biases = BIASES_ALL,
     .layer_norm = true,
     .learned_positions = true,
     .joined_qkv = true,
     .variants = true},
    /* Karpathy 2025, nanochat: RoPE, norms without weights, a soft cap on the logits */
    {.name = "logitscope-nanochat",
     .activation = ACTIVATION_GELU,
     .qk_norm = QK_NORM_HEADS,
     .halves = true,
     .logit_cap = 15},
    /* Touvron et al. 2023; its attention window is that of Mistral 7B, Jiang et al. 2023 */
    {.name = "llama", .biases = BIASES_OPTIONAL, .window_period = 1},
    /* Yang et al. 2024 */
    {.name = "qwen2", .biases = BIASES_QKV, .halves = true},
    /* Yang et al. 2025 */
    {.name = "qwen3", .qk_norm = QK_NORM_HEADS, .halves = true},
    /* Gemma team 2024, table 1 and section 2; wide_head_layers is the n_layer of the 27B model,
     * whose configuration sets query_pre_attn_scalar */
    {.name = "gemma2",
     .activation = ACTIVATION_GEGLU,
     .norm_place = NORM_AROUND,
     .halves = true,
     .scaled_embedding = true,
     .attention_cap = 50,
     .logit_cap = 30,
     .window_period = 2,
     .window = 4096,
     .wide_head_layers = 46},
    /* Gemma team 2025, section 2: a global layer follows five local layers with RoPE base 10,000 */
    {.name = "gemma3",
     .activation = ACTIVATION_GEGLU,
     .norm_place = NORM_AROUND,
     .qk_norm = QK_NORM_HEADS,
     .halves = true,
     .scaled_embedding = true,
     .window_period = 6,
     .local_freq_base = 10000,
     .wide_head_layers = 62},
    /* Abdin et al. 2024 */
    {.name = "phi3", .halves = true, .joined_qkv = true, .joined_gate = true, .window_period = 1},
    /* Bakouch et al. 2025; unturned_period is no_rope_layer_interval in its configuration */
    {.name = "smollm3", .biases = BIASES_OPTIONAL, .unturned_period = 4},
    /* Black et al. 2022; Pythia (Biderman et al. 2023) was trained with bias-gelu-fusion, which
     * uses the tanh form of GELU. A file with hidden_activation = gelu has the exact form */
    {.name = "gptneox",
     .activation = ACTIVATION_GELU,
     .biases = BIASES_ALL,
     .layer_norm = true,
     .halves = true,
     .joined_qkv = true,
     .parallel = true},
    /* Liquid AI 2025 */
    {.name = "lfm2",
     .qk_norm = QK_NORM_HEADS,
     .halves = true,
     .convolutions = true,
     .output_norm = "token_embd_norm"},
    /* OLMo team 2025 */
    {.name = "olmo2", .norm_place = NORM_AFTER, .qk_norm = QK_NORM_ROWS, .halves = true},
    /* IBM 2024, Granite 3.0 */
    {.name = "granite", .biases = BIASES_OPTIONAL, .multipliers = true},
};

const struct architecture *architecture_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (length == strlen(architectures[i].name) && !memcmp(name, architectures[i].name, length))
            return &architectures[i];
    return NULL;
}
