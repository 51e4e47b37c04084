/* Changes a GGUF file at places that matter: a count, length, type, dimension or offset gets a
 * special value, or metadata is repeated. Half of the inputs are changed in this way, the others by
 * libFuzzer, which knows only bytes. */
#ifndef LOGITSCOPE_FUZZ_MUTATE_GGUF_H
#define LOGITSCOPE_FUZZ_MUTATE_GGUF_H
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

#include <stdbool.h>
#include <stdio.h>

#include "bytes.h"
#include "draw.h"
#include "gguf.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { FIELDS_MAX = 4096 };

/* Positions of the numbers in a GGUF file, up to the first invalid one. */
struct walk {
    const uint8_t *data;
    size_t size, at, n_fields;
    struct {
        size_t at, width;
    } fields[FIELDS_MAX];
    size_t key_starts[256], n_keys; /* offsets of the metadata entries */
    bool ended;
};

static uint64_t walk_number(struct walk *w, size_t width) {
    if (w->ended || w->size - w->at < width) {
        w->ended = true;
        return 0;
    }
    if (w->n_fields < FIELDS_MAX) {
        w->fields[w->n_fields].at = w->at;
        w->fields[w->n_fields++].width = width;
    }
    const uint8_t *p = w->data + w->at;
    w->at += width;
    return width == 8 ? load_u64(p) : width == 4 ? load_u32(p) : width == 2 ? load_u16(p) : *p;
}

static void walk_skip(struct walk *w, uint64_t n) {
    if (w->ended || n > w->size - w->at)
        w->ended = true;
    else
        w->at += (size_t)n;
}

static void walk_value(struct walk *w, uint64_t type, int depth) {
    static const uint8_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == GGUF_STRING) {
        walk_skip(w, walk_number(w, 8));
    } else if (type == GGUF_ARRAY && depth < 4) {
        uint64_t element = walk_number(w, 4), count = walk_number(w, 8);
        for (uint64_t i = 0; i < count && !w->ended; i++) walk_value(w, element, depth + 1);
    } else if (type < sizeof widths && widths[type]) {
        walk_number(w, widths[type]);
    } else {
        w->ended = true;
    }
}

static void walk_image(struct walk *w) {
    walk_skip(w, 4);
    walk_number(w, 4);
    uint64_t n_tensors = walk_number(w, 8), n_keys = walk_number(w, 8);
    for (uint64_t i = 0; i <= n_keys && !w->ended; i++) {
        if (w->n_keys < 256) w->key_starts[w->n_keys++] = w->at;
        if (i == n_keys) break;
        walk_skip(w, walk_number(w, 8));
        walk_value(w, walk_number(w, 4), 0);
    }
    for (uint64_t i = 0; i < n_tensors && !w->ended; i++) {
        walk_skip(w, walk_number(w, 8));
        uint64_t n = walk_number(w, 4);
        for (uint64_t d = 0; d < n && !w->ended; d++) walk_number(w, 8);
        walk_number(w, 4);
        walk_number(w, 8);
    }
}

static void change_field(struct walk *w, uint8_t *data, struct pcg32 *random) {
    static const uint64_t odd[] = {0,          1,          2,          3,        8,
                                   9,          32,         255,        256,      512,
                                   513,        1024,       65535,      65536,    0x7fffffff,
                                   0x80000000, 0xffffffff, 0x3fffffff, 1u << 24, UINT64_MAX};
    size_t i = pcg32_next(random) % w->n_fields, j = pcg32_next(random) % w->n_fields;
    uint8_t *p = data + w->fields[i].at;
    size_t width = w->fields[i].width;
    uint64_t n = 0;
    memcpy(&n, p, width);
    switch (pcg32_next(random) % 6) {
    case 0: n += 1; break;
    case 1: n -= 1; break;
    case 2: n ^= UINT64_C(1) << pcg32_next(random) % (8 * width); break;
    case 3:
        n = 0;
        memcpy(&n, data + w->fields[j].at, w->fields[j].width);
        break;
    case 4: n = UINT64_C(1) << pcg32_next(random) % 64; break;
    default: n = odd[pcg32_next(random) % 20];
    }
    memcpy(p, &n, width);
}

/* Copies one metadata entry before another, and adds 1 to the number of entries. */
static size_t repeat_key(struct walk *w, uint8_t *data, size_t size, size_t max_size,
                         struct pcg32 *random) {
    size_t i = pcg32_next(random) % (w->n_keys - 1), j = pcg32_next(random) % w->n_keys;
    size_t from = w->key_starts[i], length = w->key_starts[i + 1] - from, to = w->key_starts[j];
    uint8_t copy[512];
    if (length > sizeof copy || size + length > max_size) return size;
    memcpy(copy, data + from, length);
    memmove(data + to + length, data + to, size - to);
    memcpy(data + to, copy, length);
    data[16]++;
    return size + length;
}

/* Metadata keys that the engine reads. A key with a leading dot needs the name of an architecture
 * before it. */
static const char *const known_keys[] = {"general.alignment",
                                         "general.architecture",
                                         "general.file_type",
                                         "general.name",
                                         "split.count",
                                         "split.no",
                                         "tokenizer.chat_template",
                                         "tokenizer.chat_template.x",
                                         "tokenizer.chat_templates",
                                         "tokenizer.ggml.add_bos_token",
                                         "tokenizer.ggml.add_space_prefix",
                                         "tokenizer.ggml.bos_token_id",
                                         "tokenizer.ggml.eom_token_id",
                                         "tokenizer.ggml.eos_token_id",
                                         "tokenizer.ggml.eot_token_id",
                                         "tokenizer.ggml.fim_pad_token_id",
                                         "tokenizer.ggml.fim_rep_token_id",
                                         "tokenizer.ggml.fim_sep_token_id",
                                         "tokenizer.ggml.merges",
                                         "tokenizer.ggml.model",
                                         "tokenizer.ggml.pre",
                                         "tokenizer.ggml.scores",
                                         "tokenizer.ggml.token_type",
                                         "tokenizer.ggml.tokens",
                                         "tokenizer.ggml.unknown_token_id",
                                         ".attention.causal",
                                         ".attention.clamp_kqv",
                                         ".attention.head_count",
                                         ".attention.head_count_kv",
                                         ".attention.key_length",
                                         ".attention.key_length_swa",
                                         ".attention.layer_norm_epsilon",
                                         ".attention.layer_norm_rms_epsilon",
                                         ".attention.max_alibi_bias",
                                         ".attention.output_scale",
                                         ".attention.recurrent_layers",
                                         ".attention.scale",
                                         ".attention.shared_kv_layers",
                                         ".attention.sliding_window",
                                         ".attention.sliding_window_pattern",
                                         ".attention.temperature_length",
                                         ".attention.temperature_scale",
                                         ".attention.value_length",
                                         ".attention.value_scale",
                                         ".rope.dimension_count",
                                         ".rope.dimension_count_swa",
                                         ".rope.dimension_sections",
                                         ".rope.freq_base",
                                         ".rope.freq_base_swa",
                                         ".rope.scale_linear",
                                         ".rope.scaling.alpha",
                                         ".rope.scaling.attn_factor",
                                         ".rope.scaling.factor",
                                         ".rope.scaling.finetuned",
                                         ".rope.scaling.original_context_length",
                                         ".rope.scaling.type",
                                         ".rope.scaling.yarn_attn_factor",
                                         ".rope.scaling.yarn_beta_fast",
                                         ".rope.scaling.yarn_beta_slow",
                                         ".rope.scaling.yarn_ext_factor",
                                         ".rope.scaling.yarn_log_multiplier",
                                         ".shortconv.l_cache"};
static const char *const architectures[] = {"llama", "gpt2", "qwen2", "gemma3", "phi3", "lfm2"};

/* Adds a key that the engine reads, with a number or a short text; the type may be wrong. */
static size_t add_key(struct walk *w, uint8_t *data, size_t size, size_t max_size,
                      struct pcg32 *random) {
    const char *name = known_keys[pcg32_next(random) % (sizeof known_keys / sizeof *known_keys)];
    const char *before = *name == '.' ? architectures[pcg32_next(random) % 6] : "";
    uint8_t entry[160] = {0};
    size_t length = (size_t)snprintf((char *)entry + 8, 128, "%s%s", before, name);
    size_t to = w->key_starts[pcg32_next(random) % w->n_keys];
    uint32_t type = pcg32_next(random) % 13;
    uint64_t value = pcg32_next(random) >> pcg32_next(random) % 32;
    if (type == GGUF_STRING) value %= 9;
    if (type == GGUF_BOOL) value %= 2;
    if (type == GGUF_FLOAT32) {
        float x = (float)value / 64;
        memcpy(&value, &x, sizeof x);
    }
    entry[0] = (uint8_t)length;
    memcpy(entry + 8 + length, &type, 4);
    memcpy(entry + 12 + length, &value, 8);
    static const uint8_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    length += 12 + widths[type] + (type == GGUF_STRING ? (size_t)value : 0);
    if (type == GGUF_ARRAY) memset(entry + length - 8, 0, 8); /* an empty array */
    if (size + length > max_size) return size;
    memmove(data + to + length, data + to, size - to);
    memcpy(data + to, entry, length);
    data[16]++;
    return size + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    static struct walk w;
    struct pcg32 random;
    pcg32_seed(&random, seed, 54);
    w = (struct walk){.data = data, .size = size};
    if (pcg32_next(&random) % 2) walk_image(&w);
    if (w.n_fields < 4) return LLVMFuzzerMutate(data, size, max_size);
    if (w.n_keys > 1 && pcg32_next(&random) % 10 == 0)
        return repeat_key(&w, data, size, max_size, &random);
    if (w.n_keys > 0 && pcg32_next(&random) % 6 == 0)
        return add_key(&w, data, size, max_size, &random);
    for (uint32_t n = 1 + pcg32_next(&random) % 3; n > 0; n--) change_field(&w, data, &random);
    return size;
}

#endif
#endif
