/* The rows of the table. Tensor and key names are those of llama.cpp's converters. */
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
    /* Touvron et al. 2023; with a window Jiang et al. 2023, Mistral 7B */
    {.name = "llama", .biases = BIASES_OPTIONAL, .window_period = 1},
    /* Yang et al. 2024 */
    {.name = "qwen2", .biases = BIASES_QKV, .halves = true},
    /* Yang et al. 2025 */
    {.name = "qwen3", .qk_norm = QK_NORM_HEADS, .halves = true},
};

const struct architecture *architecture_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (length == strlen(architectures[i].name) && !memcmp(name, architectures[i].name, length))
            return &architectures[i];
    return NULL;
}
