/* Loads the files of make_forward.py, make_architectures.py and make_formats.py in tests/vectors: a
 * GGUF image, and ids with the logits after each id. */
#ifndef LOGITSCOPE_TEST_FORWARD_H
#define LOGITSCOPE_TEST_FORWARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FORWARD_COUNT = 39, FORWARD_IDS = 30, FORWARD_VOCAB_MAX = 101 };

static const char *const forward_names[FORWARD_COUNT] = {"gpt2_tied",
                                                         "gpt2_head",
                                                         "gpt2_f16",
                                                         "llama_mha",
                                                         "llama_gqa",
                                                         "llama_bias",
                                                         "llama_q8_0",
                                                         "gpt2_q4_0",
                                                         "llama_q4_1",
                                                         "llama_bf16",
                                                         "llama_freqs",
                                                         "llama_linear",
                                                         "llama_scale_linear",
                                                         "llama_yarn",
                                                         "llama_window",
                                                         "qwen2",
                                                         "qwen3",
                                                         "gemma2",
                                                         "gemma3",
                                                         "phi3_long",
                                                         "phi3_short",
                                                         "phi3_q8_0",
                                                         "smollm3",
                                                         "gptneox",
                                                         "gptneox_serial",
                                                         "lfm2",
                                                         "lfm2_q8_0",
                                                         "olmo2",
                                                         "granite",
                                                         "llama_q5_0",
                                                         "llama_q5_1",
                                                         "llama_iq4_nl",
                                                         "llama_q4_0",
                                                         "llama_q2_k",
                                                         "llama_q3_k_m",
                                                         "qwen2_q4_k_m",
                                                         "llama_q5_k_m",
                                                         "llama_iq4_xs",
                                                         "qwen2_q4_1"};

struct forward_vectors {
    size_t n, vocab_size;
    uint32_t ids[FORWARD_IDS];
    double logits[FORWARD_IDS][FORWARD_VOCAB_MAX];
};

/* Returns the file's bytes in a block of exactly that size, so that AddressSanitizer sees a read
 * past the end. */
static inline unsigned char *forward_image(const char *name, size_t *size) {
    char path[256];
    snprintf(path, sizeof path, "tests/vectors/forward/%s.gguf", name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        printf("cannot read %s; tests run from the repository root\n", path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *image = malloc(*size);
    if (!image || fread(image, 1, *size, file) != *size) exit(1);
    fclose(file);
    return image;
}

static inline struct forward_vectors *forward_vectors(const char *name) {
    static struct forward_vectors v;
    char path[256];
    snprintf(path, sizeof path, "tests/vectors/forward/%s.txt", name);
    FILE *file = fopen(path, "r");
    int ok = file && fscanf(file, "ids %zu", &v.n) == 1 && v.n <= FORWARD_IDS;
    for (size_t i = 0; ok && i < v.n; i++) ok = fscanf(file, "%u", &v.ids[i]) == 1;
    size_t rows = 0;
    ok = ok && fscanf(file, " logits %zu %zu", &rows, &v.vocab_size) == 2 && rows == v.n &&
         v.vocab_size <= FORWARD_VOCAB_MAX;
    for (size_t t = 0; ok && t < v.n; t++)
        for (size_t i = 0; ok && i < v.vocab_size; i++)
            ok = fscanf(file, "%lf", &v.logits[t][i]) == 1;
    if (!ok) {
        printf("%s is not what the scripts write\n", path);
        exit(1);
    }
    fclose(file);
    return &v;
}

#endif
