/* Tests the failures of model_open and their keys. The wrong files are patched valid files. */
#include <math.h>

#include "check.h"
#include "fault_line.h"
#include "forward.h"
#include "gguf_builder.h"
#include "model.h"

struct patched {
    unsigned char *image;
    size_t size;
};

static struct patched load(const char *name) {
    struct patched p;
    p.image = forward_image(name, &p.size);
    return p;
}

/* Returns the first byte after the first occurrence of `text`. */
static unsigned char *after(struct patched *p, const char *text) {
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= p->size; i++)
        if (!memcmp(p->image + i, text, n)) return p->image + i + n;
    printf("no %s in the image\n", text);
    exit(1);
}

/* Renames in place; both names have equal length. */
static void rename_to(struct patched *p, const char *from, const char *to) {
    memcpy(after(p, from) - strlen(from), to, strlen(to));
}

static void set_u32(struct patched *p, const char *key, uint32_t value) {
    memcpy(after(p, key) + 4, &value, sizeof value);
}

/* Adds a metadata entry before all others. Its size must be a multiple of general.alignment. */
static void insert(struct patched *p, const struct builder *entry) {
    uint64_t n_keys = load_u64(p->image + 16) + 1;
    p->image = realloc(p->image, p->size + entry->used);
    memmove(p->image + 24 + entry->used, p->image + 24, p->size - 24);
    memcpy(p->image + 24, entry->bytes, entry->used);
    memcpy(p->image + 16, &n_keys, sizeof n_keys);
    p->size += entry->used;
}

/* Opens the patched image, checks status and fault, and frees the image. */
static void expect(struct patched p, enum status status, const char *text) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct fault fault = {0};
    enum status got = gguf_open(&file, p.image, p.size, &fault);
    if (!got) got = model_open(&model, file, &fault);
    CHECK_MESSAGE(got == status && !strcmp(fault_line(&fault), text),
                  "%s: \"%s\" instead of \"%s\"", status_name(got), fault_line(&fault), text);
    CHECK((model == NULL) == (got != STATUS_OK));
    model_close(model);
    gguf_close(file);
    free(p.image);
}

static void binds_valid_files(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++) expect(load(forward_names[i]), STATUS_OK, "");
    struct patched p = load("llama_gqa");
    struct gguf *file = NULL;
    struct model *model = NULL;
    CHECK(!gguf_open(&file, p.image, p.size, NULL) && !model_open(&model, file, NULL));
    const struct model_shape *s = &model->shape;
    CHECK(!strcmp(s->architecture->name, "llama") && s->vocab_size == 101 && s->n_embd == 30);
    CHECK(s->context_length == 40 && s->n_layer == 2 && s->n_head == 3 && s->n_head_kv == 1);
    CHECK(s->n_embd_head == 10 && s->n_ff == 50 && s->rope.n_rot == 4 &&
          s->rope.freq_base == 500000);
    CHECK(s->parameters == 2 * (2 * 30 * 30 + 2 * 10 * 30 + 3 * 50 * 30 + 60) + 2 * 101 * 30 + 30);
    float row[30], want[30];
    model_embed(model, 77, row);
    gguf_widen(gguf_tensor_find(file, "token_embd.weight"), 77 * 30, 30, want);
    CHECK(!memcmp(row, want, sizeof row));
    CHECK(model->output.data != model->token_embd.data && !model->position_embd);
    for (uint32_t c = 0; c < 30; c++) /* rows from 101 on are padding */
        CHECK(((float *)(void *)model->output.data)[96 * 30 + c * 16 + 5] == 0);
    model_close(model);
    gguf_close(file);
    free(p.image);
}

/* The files of forward.h must contain every format, so that tests with them cover every format. */
static void the_files_have_every_format(void) {
    bool seen[FORMAT_COUNT] = {false};
    for (size_t i = 0; i < FORWARD_COUNT; i++) {
        struct patched p = load(forward_names[i]);
        struct gguf *file = NULL;
        CHECK(!gguf_open(&file, p.image, p.size, NULL));
        for (uint64_t t = 0; t < gguf_tensor_count(file); t++)
            seen[gguf_tensor_at(file, t)->type] = true;
        gguf_close(file);
        free(p.image);
    }
    for (uint32_t type = 0; type < FORMAT_COUNT; type++)
        CHECK_MESSAGE(seen[type] || !format_of(type)->values, "no file has %s",
                      format_of(type)->name);
}

static void a_tied_head_counts_once(void) {
    struct patched p = load("gpt2_tied");
    struct gguf *file = NULL;
    struct model *model = NULL;
    CHECK(!gguf_open(&file, p.image, p.size, NULL) && !model_open(&model, file, NULL));
    CHECK(model->output.data == model->token_embd.data);
    CHECK(model->shape.parameters ==
          (67 + 16) * 16 + 2 * (4 * 16 * 16 + 2 * 16 * 64 + 9 * 16 + 64) + 2 * 16);
    model_close(model);
    gguf_close(file);
    free(p.image);
}

static void faults_name_keys(void) {
    struct patched p = load("llama_gqa");
    rename_to(&p, "general.architecture", "general.architectura");
    expect(p, STATUS_BAD_FILE, "key_missing general.architecture");
    p = load("llama_gqa");
    memcpy(after(&p, "general.architecture") + 12, "mamba", 5);
    expect(p, STATUS_UNSUPPORTED, "architecture mamba");
    p = load("llama_gqa");
    rename_to(&p, "llama.block_count", "llama.block_kount");
    expect(p, STATUS_BAD_FILE, "key_missing llama.block_count");
    p = load("llama_gqa");
    set_u32(&p, "llama.block_count", 1025);
    expect(p, STATUS_BAD_FILE, "key_between llama.block_count 1 1024 1025");
    p = load("llama_gqa");
    set_u32(&p, "llama.attention.head_count", 4);
    expect(p, STATUS_BAD_FILE, "key_multiple llama.embedding_length 30 attention.head_count 4");
    p = load("llama_mha");
    set_u32(&p, "llama.attention.head_count_kv", 3);
    expect(p, STATUS_BAD_FILE,
           "key_multiple llama.attention.head_count 4 attention.head_count_kv 3");
    p = load("llama_gqa");
    set_u32(&p, "llama.attention.head_count_kv", 0);
    expect(p, STATUS_BAD_FILE, "key_between llama.attention.head_count_kv 1 3 0");
    p = load("llama_gqa");
    set_u32(&p, "llama.rope.dimension_count", 3);
    expect(p, STATUS_BAD_FILE, "key_multiple_pair llama.rope.dimension_count 3 2");
    p = load("llama_gqa");
    set_u32(&p, "llama.rope.freq_base", 0xc0000000);
    expect(p, STATUS_BAD_FILE, "key_outside llama.rope.freq_base -2");
    p = load("llama_gqa");
    set_u32(&p, "llama.attention.layer_norm_rms_epsilon", 0x7fc00000);
    expect(p, STATUS_BAD_FILE, "key_must_be llama.attention.layer_norm_rms_epsilon finite");
    p = load("gpt2_head");
    rename_to(&p, "gpt2.attention.layer_norm_epsilon", "gpt2.attention.layer_norm_epsilom");
    expect(p, STATUS_BAD_FILE, "key_missing gpt2.attention.layer_norm_epsilon");
}

static void put_f32(struct builder *b, float x) { put_bytes(b, &x, sizeof x); }

/* Like `insert`, for an entry of any length: a second entry pads to the alignment. */
static void insert_padded(struct patched *p, const struct builder *entry) {
    struct builder padding = {0};
    put_key(&padding, "padding", GGUF_STRING);
    size_t missing = 32 - (entry->used + padding.used + 8) % 32;
    put_u64(&padding, missing);
    for (size_t i = 0; i < missing; i++) put_bytes(&padding, " ", 1);
    insert(p, entry);
    insert(p, &padding);
    free(padding.bytes);
}

/* Opens a file with one more metadata entry. */
static void expect_with(const char *file, struct builder *entry, enum status status,
                        const char *text) {
    struct patched p = load(file);
    insert_padded(&p, entry);
    entry->used = 0;
    expect(p, status, text);
}

static void put_u32_key(struct builder *b, const char *key, uint32_t value) {
    put_key(b, key, GGUF_UINT32), put_u32(b, value);
}

static void put_f32_key(struct builder *b, const char *key, float value) {
    put_key(b, key, GGUF_FLOAT32), put_f32(b, value);
}

static void put_text_key(struct builder *b, const char *key, const char *value) {
    put_key(b, key, GGUF_STRING), put_text(b, value);
}

static void put_i32s(struct builder *b, const char *key, uint64_t n, const int32_t *values) {
    put_key(b, key, GGUF_ARRAY), put_u32(b, GGUF_INT32), put_u64(b, n);
    put_bytes(b, values, (size_t)n * sizeof *values);
}

static void refuses_keys_that_would_change_the_numbers(void) {
    struct builder b = {0};
    static const char *const unknown[] = {"attn_logit_softcapping",
                                          "final_logit_softcapping",
                                          "attention.scale",
                                          "embedding_scale",
                                          "residual_scale",
                                          "logit_scale",
                                          "attention.clamp_kqv",
                                          "attention.max_alibi_bias",
                                          "rope.freq_base_swa",
                                          "rope.scaling.alpha",
                                          "rope.scaling.yarn_log_multiplier"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char key[64], line[96];
        snprintf(key, sizeof key, "llama.%s", unknown[i]);
        snprintf(line, sizeof line, "key_unsupported %s", key);
        put_f32_key(&b, key, 2);
        expect_with("llama_gqa", &b, STATUS_UNSUPPORTED, line);
        put_f32_key(&b, key, 0); /* 0 means off, as if the key were absent */
        expect_with("llama_gqa", &b, STATUS_OK, "");
    }
    put_u32_key(&b, "llama.shortconv.l_cache", 3);
    expect_with("llama_gqa", &b, STATUS_UNSUPPORTED, "key_unsupported llama.shortconv.l_cache");
    put_u32_key(&b, "qwen2.attention.sliding_window", 23);
    expect_with("qwen2", &b, STATUS_UNSUPPORTED, "key_unsupported qwen2.attention.sliding_window");
    put_u32_key(&b, "qwen2.attention.sliding_window", 24); /* the whole context */
    expect_with("qwen2", &b, STATUS_OK, "");
    put_key(&b, "llama.attention.causal", GGUF_BOOL), put_bytes(&b, "\0", 1);
    expect_with("llama_gqa", &b, STATUS_UNSUPPORTED, "key_unsupported llama.attention.causal");
    put_key(&b, "granite.rope.scaling.finetuned", GGUF_BOOL), put_bytes(&b, "\0", 1);
    expect_with("granite", &b, STATUS_UNSUPPORTED,
                "key_unsupported granite.rope.scaling.finetuned");
    put_u32_key(&b, "llama.expert_count", 8);
    expect_with("llama_gqa", &b, STATUS_UNSUPPORTED, "model_experts llama.expert_count 8");
    struct patched p = load("llama_gqa");
    put_key(&b, "split.count", GGUF_UINT16), put_bytes(&b, "\4\0", 2);
    insert_padded(&p, &b);
    expect(p, STATUS_UNSUPPORTED, "model_shard 1 4");
    p = load("llama_gqa"); /* a shard after the first names no architecture */
    rename_to(&p, "general.architecture", "general.architectura");
    insert_padded(&p, &b);
    expect(p, STATUS_UNSUPPORTED, "model_shard 1 4");
    free(b.bytes);
}

static void refuses_unsupported_files(void) {
    struct builder b = {0};
    struct patched p = load("llama_bias");
    rename_to(&p, "blk.0.attn_q.bias", "blk.0.attn_z.bias");
    expect(p, STATUS_UNSUPPORTED, "tensor_no_place blk.0.attn_z.bias");
    p = load("gpt2_tied");
    set_u32(&p, "gpt2.block_count", 1);
    expect(p, STATUS_UNSUPPORTED, "tensor_no_place blk.1.attn_norm.weight");
    p = load("qwen2");
    rename_to(&p, "blk.1.attn_q.bias", "blk.1.attn_z.bias");
    expect(p, STATUS_BAD_FILE, "tensor_missing blk.1.attn_q.bias");
    put_u32_key(&b, "llama.attention.key_length", 12);
    expect_with("llama_gqa", &b, STATUS_BAD_FILE,
                "tensor_shape blk.0.attn_q.weight 30 36 30 30 1 1");
    put_u32_key(&b, "llama.attention.key_length", 0);
    expect_with("llama_gqa", &b, STATUS_BAD_FILE,
                "key_between llama.attention.key_length 1 65536 0");
    put_u32_key(&b, "llama.attention.key_length", 65536);
    expect_with("llama_gqa", &b, STATUS_BAD_FILE, "key_outside llama.attention.key_length 65536");
    put_u32_key(&b, "llama.attention.value_length", 12);
    expect_with("llama_gqa", &b, STATUS_UNSUPPORTED,
                "key_head_size llama.attention.value_length 12 10");
    free(b.bytes);
}

/* Reads an array with the number of heads of each layer; 0 means a short convolution. */
static void reads_heads_of_each_layer(void) {
    static const int32_t same[] = {1, 1, 1}, some[] = {1, 0, 1}, below[] = {-1, 1}, most[] = {1, 4},
                         none[] = {0, 0, 0};
    struct builder b = {0};
    struct patched p = load("llama_gqa");
    const char *key = "llama.attention.head_count_kv";
    const int32_t *const wrong[] = {same, some, below, most};
    static const uint64_t lengths[] = {3, 2, 2, 2};
    static const char *const lines[] = {
        "key_each_layer llama.attention.head_count_kv 2 3",
        "key_between llama.attention.head_count_kv 1 3 0",
        "key_between llama.attention.head_count_kv 1 3 -1",
        "key_between llama.attention.head_count_kv 1 3 4",
    };
    for (size_t i = 0; i < 4; i++) {
        rename_to(&p, key, "llama.attention.head_count_xx");
        put_i32s(&b, key, lengths[i], wrong[i]);
        insert_padded(&p, &b);
        b.used = 0;
        expect(p, STATUS_BAD_FILE, lines[i]);
        p = load("llama_gqa");
    }
    rename_to(&p, key, "llama.attention.head_count_xx");
    put_i32s(&b, key, 2, same);
    insert_padded(&p, &b);
    b.used = 0;
    expect(p, STATUS_OK, "");
    p = load("lfm2");
    rename_to(&p, "lfm2.attention.head_count_kv", "lfm2.attention.head_count_xx");
    put_i32s(&b, "lfm2.attention.head_count_kv", 3, none);
    insert_padded(&p, &b);
    b.used = 0;
    expect(p, STATUS_BAD_FILE, "tensor_missing blk.1.shortconv.in_proj.weight");
    static const int32_t several[] = {5, 0, 1};
    p = load("lfm2");
    rename_to(&p, "lfm2.attention.head_count_kv", "lfm2.attention.head_count_xx");
    put_i32s(&b, "lfm2.attention.head_count_kv", 3, several);
    insert_padded(&p, &b);
    expect(p, STATUS_UNSUPPORTED, "key_layers lfm2.attention.head_count_kv");
    p = load("lfm2");
    set_u32(&p, "lfm2.shortconv.l_cache", 0);
    expect(p, STATUS_BAD_FILE, "key_between lfm2.shortconv.l_cache 1 64 0");
    p = load("lfm2");
    set_u32(&p, "lfm2.shortconv.l_cache", 4);
    expect(p, STATUS_BAD_FILE, "tensor_shape blk.0.shortconv.conv.weight 4 20 3 20 1 1");
    free(b.bytes);
}

/* Checks that no layer has a window or the RoPE base of windows; frees the image. */
static void sees_everything(struct patched p) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct fault fault = {0};
    CHECK(!gguf_open(&file, p.image, p.size, &fault));
    CHECK_MESSAGE(!model_open(&model, file, &fault), "%s", fault_line(&fault));
    for (uint32_t i = 0; model && i < model->shape.n_layer; i++)
        CHECK(model->layers[i].window == 0 && model->layers[i].rotation != ROTATION_LOCAL);
    model_close(model);
    gguf_close(file);
    free(p.image);
}

static void faults_name_windows_and_caps(void) {
    struct builder b = {0};
    struct patched p = load("llama_window");
    set_u32(&p, "llama.attention.sliding_window", 0);
    sees_everything(p);
    p = load("gemma3");
    set_u32(&p, "gemma3.attention.sliding_window", 0);
    sees_everything(p);
    p = load("gemma3");
    rename_to(&p, "gemma3.attention.sliding_window", "gemma3.attention.sliding_windox");
    sees_everything(p);
    p = load("gemma2");
    set_u32(&p, "gemma2.attention.sliding_window", 0);
    expect(p, STATUS_BAD_FILE, "key_between gemma2.attention.sliding_window 1 4294967295 0");
    put_u32_key(&b, "gemma3.attention.sliding_window_pattern", 0);
    expect_with("gemma3", &b, STATUS_BAD_FILE,
                "key_between gemma3.attention.sliding_window_pattern 1 1024 0");
    put_u32_key(&b, "llama.attention.sliding_window_pattern", 2);
    expect_with("llama_window", &b, STATUS_UNSUPPORTED,
                "key_unsupported llama.attention.sliding_window_pattern");
    p = load("gemma2");
    set_u32(&p, "gemma2.attn_logit_softcapping", 0);
    expect(p, STATUS_BAD_FILE, "key_outside gemma2.attn_logit_softcapping 0");
    free(b.bytes);
}

/* Checks the types of RoPE scaling and their factors. */
static void faults_name_rope_keys(void) {
    struct builder b = {0};
    struct patched p;
    put_text_key(&b, "llama.rope.scaling.type", "yarn!");
    expect_with("llama_gqa", &b, STATUS_UNSUPPORTED, "key_unsupported llama.rope.scaling.type");
    put_text_key(&b, "llama.rope.scaling.type", "none");
    expect_with("llama_linear", &b, STATUS_OK, "");
    put_f32_key(&b, "llama.rope.scaling.factor", 0.5f);
    expect_with("llama_gqa", &b, STATUS_BAD_FILE, "key_outside llama.rope.scaling.factor 0.5");
    put_f32_key(&b, "llama.rope.scaling.attn_factor", 0);
    expect_with("llama_gqa", &b, STATUS_BAD_FILE, "key_outside llama.rope.scaling.attn_factor 0");
    put_f32_key(&b, "llama.rope.scaling.attn_factor", 1.5f);
    expect_with("llama_yarn", &b, STATUS_UNSUPPORTED,
                "key_unsupported llama.rope.scaling.attn_factor");
    p = load("llama_yarn");
    set_u32(&p, "llama.rope.freq_base", 0x3f800000); /* base 1: equal angles */
    expect(p, STATUS_UNSUPPORTED, "key_unsupported llama.rope.scaling.type");
    p = load("llama_yarn");
    set_u32(&p, "llama.rope.scaling.original_context_length", 0);
    expect(p, STATUS_BAD_FILE,
           "key_between llama.rope.scaling.original_context_length 1 1048576 0");
    p = load("phi3_long");
    rename_to(&p, "phi3.rope.scaling.attn_factor", "phi3.rope.scaling.attn_factox");
    expect(p, STATUS_BAD_FILE, "key_missing phi3.rope.scaling.attn_factor");
    p = load("phi3_long");
    rename_to(&p, "rope_factors_short.weight", "rope_factors_shorx.weight");
    expect(p, STATUS_BAD_FILE, "tensor_missing rope_factors_short.weight");
    p = load("llama_freqs");
    after(&p, "rope_freqs.weight")[4] = 5; /* the tensor's length */
    expect(p, STATUS_BAD_FILE, "tensor_shape rope_freqs.weight 6 1 5 1 1 1");
    free(b.bytes);
}

/* For any base and original context, YaRN leaves an angle unchanged, divides it by the factor, or
 * gives a value between; slower pairs are divided at least as much. */
static void yarn_stays_between(void) {
    static const double bases[] = {1.5, 10000, 1e9};
    static const uint32_t contexts[] = {1, 100, 4096, 1 << 20};
    for (size_t i = 0; i < 12; i++) {
        struct rope rope = {.n_rot = 16,
                            .freq_base = bases[i % 3],
                            .factor = 4,
                            .yarn = true,
                            .beta_fast = 32,
                            .beta_slow = 1,
                            .original_context = contexts[i / 3],
                            .magnitude = 1};
        struct rope plain = rope;
        double out[8], unstretched[8], last = 1;
        plain.yarn = false;
        plain.factor = 1;
        rope_frequencies(out, &rope, NULL);
        rope_frequencies(unstretched, &plain, NULL);
        for (int k = 0; k < 8; k++) {
            double share = out[k] / unstretched[k];
            CHECK_MESSAGE(share >= 0.25 - 1e-9 && share <= last + 1e-9, "base %g, context %u: %g",
                          rope.freq_base, rope.original_context, share);
            last = share;
        }
    }
}

/* Checks defaults for keys that files of an architecture may omit, and keys without a default. */
static void knows_the_defaults(void) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct patched p = load("gptneox");
    rename_to(&p, "gptneox.use_parallel_residual", "gptneox.use_parallel_residuax");
    expect(p, STATUS_BAD_FILE, "key_missing gptneox.use_parallel_residual");
    p = load("granite");
    rename_to(&p, "granite.logit_scale", "granite.logit_scalx");
    expect(p, STATUS_BAD_FILE, "key_missing granite.logit_scale");
    p = load("gemma2");
    rename_to(&p, "gemma2.attention.sliding_window", "gemma2.attention.sliding_windox");
    rename_to(&p, "gemma2.attn_logit_softcapping", "gemma2.attn_logit_softcappinx");
    rename_to(&p, "gemma2.final_logit_softcapping", "gemma2.final_logit_softcappinx");
    CHECK(!gguf_open(&file, p.image, p.size, NULL) && !model_open(&model, file, NULL));
    CHECK(model->shape.window == 4096 && model->shape.window_period == 2);
    CHECK(model->shape.attention_cap == 50 && model->shape.logit_cap == 30);
    CHECK(model->layers[0].window == 4096 && model->layers[1].window == 0);
    model_close(model);
    gguf_close(file);
    free(p.image);
}

/* A divisor of 0 would make an angle infinite. */
static void checks_the_divisors(void) {
    static const float wrong[] = {0, -1, 0.5f, 2e6f, INFINITY, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct patched p = load("llama_freqs");
        struct gguf *file = NULL;
        struct model *model = NULL;
        struct fault fault = {0};
        CHECK(!gguf_open(&file, p.image, p.size, NULL));
        uint64_t at = gguf_tensor_find(file, "rope_freqs.weight")->offset + 8;
        memcpy(p.image + at, &wrong[i], sizeof wrong[i]);
        CHECK(model_open(&model, file, &fault) == STATUS_BAD_FILE && !model);
        CHECK(!strncmp(fault_line(&fault), "rope_divisor rope_freqs.weight ", 31));
        gguf_close(file);
        free(p.image);
    }
}

static void faults_name_tensors(void) {
    struct patched p = load("llama_gqa");
    rename_to(&p, "blk.1.attn_q.weight", "blk.1.attn_Q.weight");
    expect(p, STATUS_BAD_FILE, "tensor_missing blk.1.attn_q.weight");
    p = load("llama_gqa");
    rename_to(&p, "token_embd.weight", "token_embb.weight");
    expect(p, STATUS_BAD_FILE, "tensor_missing token_embd.weight");
    p = load("llama_gqa");
    set_u32(&p, "llama.feed_forward_length", 49);
    expect(p, STATUS_BAD_FILE, "tensor_shape blk.0.ffn_gate.weight 30 49 30 50 1 1");
    p = load("gpt2_head");
    set_u32(&p, "gpt2.context_length", 11);
    expect(p, STATUS_BAD_FILE, "tensor_shape position_embd.weight 20 11 20 12 1 1");
    p = load("gpt2_head");
    after(&p, "blk.0.attn_output.weight")[12] = 100; /* the tensor's second dimension */
    expect(p, STATUS_BAD_FILE, "tensor_shape blk.0.attn_output.weight 20 20 20 100 1 1");
    p = load("gpt2_head");
    after(&p, "token_embd.weight")[12] = 100;
    expect(p, STATUS_BAD_FILE, "tokens_for_rows 101 100");
}

static bool same_vector(const float *a, const float *b, size_t n) {
    return a ? b && !memcmp(a, b, n * sizeof *a) : !b;
}

static bool same_matrix(const struct matrix *a, const struct matrix *b) {
    if (!a->data) return !b->data;
    return a->type == b->type && a->rows == b->rows && a->cols == b->cols &&
           !memcmp(a->data, b->data, (size_t)matrix_bytes(a->type, a->rows, a->cols));
}

/* Packing in place gives the same model as packing from a copy. */
static void packs_in_place(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++) {
        struct patched p = load(forward_names[i]);
        struct gguf *file = NULL;
        struct model *copied = NULL, *model = NULL;
        struct model_plan plan;
        CHECK(!gguf_open(&file, p.image, p.size, NULL) && !model_open(&copied, file, NULL));
        CHECK(!model_measure(&plan, file, NULL));
        gguf_close(file);
        uint8_t *memory = aligned_alloc(64, (size_t)plan.bytes);
        memset(memory, 0xff, (size_t)plan.bytes);
        memcpy(memory + plan.image_at, p.image, p.size);
        CHECK(plan.weights == copied->bytes && plan.image_at + p.size <= plan.bytes);
        CHECK(!gguf_open(&file, memory + plan.image_at, p.size, NULL));
        CHECK(!model_open_in(&model, file, memory, NULL));
        gguf_close(file);
        const struct model_shape *s = &model->shape;
        CHECK(same_matrix(&model->token_embd, &copied->token_embd));
        CHECK(same_matrix(&model->output, &copied->output));
        CHECK(!memcmp(model->output_norm_weight, copied->output_norm_weight, s->n_embd * 4));
        for (uint32_t j = 0; j < s->n_layer; j++) {
            const struct model_layer *a = &model->layers[j], *b = &copied->layers[j];
            size_t n_kv = s->n_embd_head * a->n_head_kv, n_q = s->n_embd_head * s->n_head;
            size_t n_normed = s->architecture->qk_norm == QK_NORM_ROWS ? n_kv : s->n_embd_head;
            CHECK(same_matrix(&a->wq, &b->wq) && same_matrix(&a->wk, &b->wk));
            CHECK(same_matrix(&a->wv, &b->wv) && same_matrix(&a->wo, &b->wo));
            CHECK(same_matrix(&a->gate, &b->gate) && same_matrix(&a->up, &b->up));
            CHECK(same_matrix(&a->down, &b->down));
            CHECK(same_matrix(&a->conv_before, &b->conv_before));
            CHECK(same_matrix(&a->conv_after, &b->conv_after));
            CHECK(same_matrix(&a->conv_value, &b->conv_value));
            CHECK(same_matrix(&a->conv_output, &b->conv_output));
            CHECK(same_vector(a->conv_kernel, b->conv_kernel, s->n_embd * s->n_taps));
            CHECK(same_vector(a->ffn_norm_weight, b->ffn_norm_weight, s->n_embd));
            CHECK(same_vector(a->ffn_post_norm_weight, b->ffn_post_norm_weight, s->n_embd));
            CHECK(same_vector(a->k_norm_weight, b->k_norm_weight, n_normed));
            CHECK(same_vector(a->bq, b->bq, n_q) && same_vector(a->bv, b->bv, n_kv));
        }
        model_close(model);
        model_close(copied);
        free(p.image);
    }
}

/* A shorter head is incomplete; a complete head gives the same plan as the whole file. */
static void measures_the_head_alone(void) {
    struct patched p = load("llama_q8_0");
    struct gguf *file = NULL;
    struct model_plan whole, head;
    CHECK(!gguf_open(&file, p.image, p.size, NULL) && !model_measure(&whole, file, NULL));
    size_t data = p.size;
    for (uint64_t i = 0; i < gguf_tensor_count(file); i++)
        if (gguf_tensor_at(file, i)->offset < data) data = (size_t)gguf_tensor_at(file, i)->offset;
    gguf_close(file);
    size_t needed = 0;
    for (size_t n = 0; n <= data; n++) {
        unsigned char *copy = malloc(n + 1); /* exactly the readable bytes, and never NULL */
        memcpy(copy, p.image, n);
        enum status status = gguf_open_head(&file, copy, n, p.size, NULL);
        CHECK(status == STATUS_INCOMPLETE || status == STATUS_OK);
        if (status) {
            CHECK_MESSAGE(!needed, "%zu bytes are fewer than %zu", n, needed);
            needed = 0;
        } else {
            if (!needed) needed = n;
            CHECK(gguf_size(file) == p.size && !model_measure(&head, file, NULL));
            CHECK(head.weights == whole.weights && head.bytes == whole.bytes);
            CHECK(head.image_at == whole.image_at);
            gguf_close(file);
        }
        free(copy);
    }
    CHECK(needed > data - 64);
    CHECK(gguf_open_head(&file, "GGUX", 4, p.size, NULL) == STATUS_BAD_FILE);
    free(p.image);
}

static void refuses_overlapping_tensors(void) {
    struct patched p = load("llama_gqa");
    memset(after(&p, "blk.1.attn_k.weight") + 4 + 16 + 4, 0, 8); /* the tensor's offset */
    expect(p, STATUS_BAD_FILE, "tensor_overlaps blk.1.attn_k.weight");
}

int main(void) {
    TEST(binds_valid_files);
    TEST(the_files_have_every_format);
    TEST(a_tied_head_counts_once);
    TEST(faults_name_keys);
    TEST(refuses_keys_that_would_change_the_numbers);
    TEST(refuses_unsupported_files);
    TEST(reads_heads_of_each_layer);
    TEST(faults_name_windows_and_caps);
    TEST(faults_name_rope_keys);
    TEST(yarn_stays_between);
    TEST(knows_the_defaults);
    TEST(checks_the_divisors);
    TEST(faults_name_tensors);
    TEST(packs_in_place);
    TEST(measures_the_head_alone);
    TEST(refuses_overlapping_tensors);
    return check_report();
}
