/* Reads a model's sizes from the metadata and checks them against limits under which no product of
 * sizes can overflow 64 bits. */
#include "model.h"

#include <math.h>
#include <string.h>

#include "elementary.h"
#include "kernels.h"

/* With these limits elementary_sin is accurate for every angle of RoPE, and 2 * n_layer *
 * context_length * EMBD_MAX * 4 is at most 2^49. */
enum {
    CONTEXT_MAX = 1 << 20,
    LAYER_MAX = 1 << 10,
    EMBD_MAX = 1 << 16,
    FF_MAX = 1 << 20,
    TAPS_MAX = 64,
    KEY_MAX = 64
};

/* A reader that stops at the first failure: once `status` is set, further reads do nothing. */
struct reader {
    const struct gguf *file;
    const char *prefix; /* the architecture's name */
    enum status status;
    struct fault *fault;
};

/* Writes for instance "llama.context_length" to `key`. */
static const char *full_key(char key[KEY_MAX], const char *prefix, const char *suffix) {
    return strcat(strcat(strcpy(key, prefix), "."), suffix);
}

/* Reads an integer in [low, high]; a fallback of 0 makes the key required. */
static uint32_t read_u32(struct reader *reader, const char *suffix, uint32_t fallback, uint32_t low,
                         uint32_t high) {
    char key[KEY_MAX];
    uint32_t n = 0;
    if (reader->status) return 0;
    const struct gguf_value *value = gguf_find(reader->file, full_key(key, reader->prefix, suffix));
    if (!value && !fallback) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
    } else if (value && value->type == GGUF_ARRAY) {
        reader->status = fault_set(reader->fault, STATUS_UNSUPPORTED, "key_layers", "name:s", key);
    } else {
        reader->status = gguf_u32(reader->file, key, fallback, &n, reader->fault);
        if (!reader->status && (n < low || n > high))
            reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_between",
                                       "name:s minimum:u maximum:u value:u", key, (uint64_t)low,
                                       (uint64_t)high, (uint64_t)n);
    }
    return n;
}

/* Reads a number in [low, high]; a fallback of 0 makes the key required. */
static double read_f64(struct reader *reader, const char *suffix, double fallback, double low,
                       double high) {
    char key[KEY_MAX];
    double x = 0;
    if (reader->status) return 0;
    if (!gguf_find(reader->file, full_key(key, reader->prefix, suffix)) && fallback == 0) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
        return 0;
    }
    reader->status = gguf_f64(reader->file, key, fallback, &x, reader->fault);
    if (!reader->status && !(x >= low && x <= high))
        reader->status =
            fault_set(reader->fault, STATUS_BAD_FILE, "key_outside", "name:s value:f", key, x);
    return x;
}

static bool text_is(struct gguf_string text, const char *wanted) {
    return text.length == strlen(wanted) && !memcmp(text.data, wanted, text.length);
}

static void read_architecture(struct reader *reader, struct model_shape *s) {
    struct gguf_string name;
    if (!reader->status)
        reader->status = gguf_text(reader->file, "general.architecture", &name, reader->fault);
    if (reader->status) return;
    if (!name.data) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_missing", "name:s",
                                   "general.architecture");
        return;
    }
    s->architecture = architecture_find(name.data, name.length);
    if (s->architecture) {
        reader->prefix = s->architecture->name;
        return;
    }
    char shown[KEY_MAX] = {0};
    for (size_t i = 0; i < name.length && i + 1 < sizeof shown; i++)
        shown[i] = name.data[i] > 0x20 && name.data[i] < 0x7f ? name.data[i] : '?';
    reader->status = fault_set(reader->fault, STATUS_UNSUPPORTED, "architecture", "name:s", shown);
}

/* Refuses n unless it is a multiple of `divisor` (key `of`); `of` is NULL if n must be even. */
static void check_multiple(struct reader *reader, const char *suffix, uint32_t n, const char *of,
                           uint32_t divisor) {
    char key[KEY_MAX];
    if (!reader->status && n % divisor)
        reader->status =
            fault_set(reader->fault, STATUS_BAD_FILE, of ? "key_multiple" : "key_multiple_pair",
                      "name:s value:u of:s divisor:u", full_key(key, reader->prefix, suffix),
                      (uint64_t)n, of, (uint64_t)divisor);
}

static void refuse_key(struct reader *reader, const char *suffix) {
    char key[KEY_MAX];
    if (!reader->status)
        reader->status = fault_set(reader->fault, STATUS_UNSUPPORTED, "key_unsupported", "name:s",
                                   full_key(key, reader->prefix, suffix));
}

/* True if a key is absent or switches its feature off. */
static bool is_off(const struct reader *reader, const char *suffix) {
    char key[KEY_MAX];
    uint32_t n;
    double x;
    bool on;
    full_key(key, reader->prefix, suffix);
    return !gguf_find(reader->file, key) || (!gguf_u32(reader->file, key, 0, &n, NULL) && n == 0) ||
           (!gguf_f64(reader->file, key, 0, &x, NULL) && x == 0) ||
           (!gguf_bool(reader->file, key, false, &on, NULL) && !on);
}

/* Reads each layer's number of key heads. All layers with heads must have equal numbers. */
static void read_heads_by_layer(struct reader *reader, struct model_shape *s, const char *key,
                                const struct gguf_value *value) {
    bool integers = value->element_type == GGUF_INT32 || value->element_type == GGUF_UINT32;
    if (!integers || value->count != s->n_layer) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_each_layer",
                                   "name:s limit:u n:u", key, (uint64_t)s->n_layer, value->count);
        return;
    }
    for (uint32_t i = 0; i < s->n_layer && !reader->status; i++) {
        int32_t n = gguf_array_i32(value, i);
        if (n < (s->architecture->convolutions ? 0 : 1) || (uint32_t)n > s->n_head)
            reader->status = fault_set(
                reader->fault, STATUS_BAD_FILE, "key_between", "name:s minimum:u maximum:u value:f",
                key, (uint64_t)!s->architecture->convolutions, (uint64_t)s->n_head, (double)n);
        else if (n && s->n_head_kv && (uint32_t)n != s->n_head_kv)
            reader->status =
                fault_set(reader->fault, STATUS_UNSUPPORTED, "key_layers", "name:s", key);
        else if (n)
            s->n_head_kv = (uint32_t)n;
    }
    if (!s->n_head_kv) s->n_head_kv = s->n_head; /* no layer has heads */
}

static void read_heads(struct reader *reader, struct model_shape *s) {
    char key[KEY_MAX];
    s->n_head = read_u32(reader, "attention.head_count", 0, 1, s->n_embd);
    full_key(key, reader->prefix, "attention.head_count_kv");
    const struct gguf_value *by_layer = gguf_find(reader->file, key);
    if (!reader->status && by_layer && by_layer->type == GGUF_ARRAY)
        read_heads_by_layer(reader, s, key, by_layer);
    else
        s->n_head_kv = read_u32(reader, "attention.head_count_kv", s->n_head, 1, s->n_head);
    check_multiple(reader, "attention.head_count", s->n_head, "attention.head_count_kv",
                   s->n_head_kv);
    if (reader->status) return;
    full_key(key, reader->prefix, "attention.key_length");
    if (!gguf_find(reader->file, key))
        check_multiple(reader, "embedding_length", s->n_embd, "attention.head_count", s->n_head);
    s->n_embd_head = read_u32(reader, "attention.key_length", s->n_embd / s->n_head, 1, EMBD_MAX);
    uint32_t value_length = read_u32(reader, "attention.value_length", s->n_embd_head, 1, EMBD_MAX);
    if (!reader->status && (uint64_t)s->n_head * s->n_embd_head > EMBD_MAX)
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_outside", "name:s value:f",
                                   full_key(key, reader->prefix, "attention.key_length"),
                                   (double)s->n_embd_head);
    if (!reader->status && value_length != s->n_embd_head)
        reader->status =
            fault_set(reader->fault, STATUS_UNSUPPORTED, "key_head_size", "name:s value:u limit:u",
                      full_key(key, reader->prefix, "attention.value_length"),
                      (uint64_t)value_length, (uint64_t)s->n_embd_head);
}

/* Returns the divisor of RoPE's angles. A factor without a scaling type means linear scaling;
 * factor 0 means no scaling, as in llama.cpp. */
static double read_rope_factor(struct reader *reader) {
    char key[KEY_MAX];
    const char *suffix = "rope.scaling.factor";
    if (!gguf_find(reader->file, full_key(key, reader->prefix, suffix)))
        suffix = "rope.scale_linear";
    double factor = read_f64(reader, suffix, 1, 0, (double)ROPE_DIVISOR_MAX);
    if (!reader->status && factor != 0 && factor < (double)ROPE_DIVISOR_MIN)
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_outside", "name:s value:f",
                                   full_key(key, reader->prefix, suffix), factor);
    return factor == 0 ? 1 : factor;
}

static void read_yarn(struct reader *reader, struct rope *rope) {
    rope->yarn = true;
    rope->beta_fast = read_f64(reader, "rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
    rope->beta_slow = read_f64(reader, "rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
    /* some converters let attn_factor replace the magnitude below, others multiply both */
    if (rope->magnitude != 1) refuse_key(reader, "rope.scaling.attn_factor");
    if (rope->freq_base < 2) refuse_key(reader, "rope.scaling.type");
    rope->magnitude = 1 + 0.1 * elementary_log(rope->factor); /* Peng et al. 2023, section 3.4 */
}

static void read_rope(struct reader *reader, struct model_shape *s) {
    char key[KEY_MAX];
    struct gguf_string scaling = {NULL, 0};
    struct rope *rope = &s->rope;
    rope->n_rot = read_u32(reader, "rope.dimension_count", s->n_embd_head, 2, s->n_embd_head);
    check_multiple(reader, "rope.dimension_count", rope->n_rot, NULL, 2);
    rope->freq_base = read_f64(reader, "rope.freq_base", 10000, 1, 1e12);
    if (s->architecture->local_freq_base > 0)
        rope->local_freq_base =
            read_f64(reader, "rope.freq_base_swa", s->architecture->local_freq_base, 1, 1e12);
    full_key(key, reader->prefix, "rope.scaling.type");
    if (!reader->status) reader->status = gguf_text(reader->file, key, &scaling, reader->fault);
    rope->factor = read_rope_factor(reader);
    rope->original_context =
        read_u32(reader, "rope.scaling.original_context_length", s->context_length, 1, CONTEXT_MAX);
    rope->magnitude = read_f64(reader, "rope.scaling.attn_factor", 1, 1e-3, 1e3);
    if (reader->status) return;
    if (!scaling.data || text_is(scaling, "linear")) return;
    if (text_is(scaling, "none") || text_is(scaling, "longrope"))
        rope->factor = 1; /* LongRoPE has tensors of divisors instead of a factor */
    else if (text_is(scaling, "yarn"))
        read_yarn(reader, rope);
    else
        refuse_key(reader, "rope.scaling.type");
}

/* Reads the window of attention and which layers have a window. */
static void read_window(struct reader *reader, struct model_shape *s) {
    const struct architecture *a = s->architecture;
    if (!a->window_period || (!a->window && is_off(reader, "attention.sliding_window"))) return;
    s->window = read_u32(reader, "attention.sliding_window", a->window, 1, UINT32_MAX);
    s->window_period = a->window_period;
    if (a->window_period > 1)
        s->window_period =
            read_u32(reader, "attention.sliding_window_pattern", a->window_period, 1, LAYER_MAX);
    else if (!is_off(reader, "attention.sliding_window_pattern"))
        refuse_key(reader, "attention.sliding_window_pattern");
}

static float read_factor(struct reader *reader, const char *suffix, double fallback) {
    double x = read_f64(reader, suffix, fallback, 0, 1e6);
    return (float)(x == 0 ? fallback : x);
}

/* Refuses a file without a key that has no default: models set it to different values. */
static void need_key(struct reader *reader, const char *suffix) {
    char key[KEY_MAX];
    if (!reader->status && !gguf_find(reader->file, full_key(key, reader->prefix, suffix)))
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
}

static const char *const activations[] = {
    [ACTIVATION_GELU] = "gelu_pytorch_tanh",
    [ACTIVATION_GELU_ERF] = "gelu",
    [ACTIVATION_RELU] = "relu",
    [ACTIVATION_RELU_SQUARED] = "relu2",
};

/* Reads the name of an activation without a gate; the names are those of transformers. */
static void read_activation(struct reader *reader, struct model_shape *s) {
    char key[KEY_MAX];
    struct gguf_string name = {NULL, 0};
    s->activation = s->architecture->activation;
    if (reader->status || s->activation < ACTIVATION_GELU) return;
    reader->status = gguf_text(reader->file, full_key(key, reader->prefix, "hidden_activation"),
                               &name, reader->fault);
    for (size_t i = ACTIVATION_GELU; i < sizeof activations / sizeof *activations; i++) {
        if (!name.data || !text_is(name, activations[i])) continue;
        s->activation = (enum activation)i;
        return;
    }
    if (name.data) refuse_key(reader, "hidden_activation");
}

/* Reads the factors of embedding, scores, residual stream and logits, and the caps. */
static void read_scales(struct reader *reader, struct model_shape *s) {
    const struct architecture *a = s->architecture;
    uint32_t size = a->wide_head_layers && s->n_layer == a->wide_head_layers ? s->n_embd / s->n_head
                                                                             : s->n_embd_head;
    s->attention_scale = 1.0f / sqrtf((float)size);
    s->embedding_scale = a->scaled_embedding ? sqrtf((float)s->n_embd) : 1;
    s->residual_scale = s->logit_scale = 1;
    if (a->multipliers || a->variants)
        s->attention_scale = read_factor(reader, "attention.scale", (double)s->attention_scale);
    if (a->multipliers) {
        s->embedding_scale = read_factor(reader, "embedding_scale", 1);
        s->residual_scale = read_factor(reader, "residual_scale", 1);
        need_key(reader,
                 "logit_scale"); /* converters always write it; the models' values are 4 to 16 */
        s->logit_scale = 1.0f / read_factor(reader, "logit_scale", 1);
    }
    if (a->attention_cap > 0)
        s->attention_cap =
            (float)read_f64(reader, "attn_logit_softcapping", a->attention_cap, 1e-3, 1e6);
    if (a->logit_cap > 0)
        s->logit_cap = (float)read_f64(reader, "final_logit_softcapping", a->logit_cap, 1e-3, 1e6);
}

/* Features that read keys, as bits. A key that changes the logits is refused if no feature that
 * reads it is active. */
enum {
    NOTHING,
    WINDOWS = 1,
    ATTENTION_CAPS = 2,
    LOGIT_CAPS = 4,
    MULTIPLIERS = 8,
    ATTENTION_SCALES = 16,
    LOCAL_BASES = 32,
    CONVOLUTIONS = 64,
    ACTIVATIONS = 128
};

static const struct {
    const char *suffix;
    uint32_t readers;
} changing_keys[] = {
    {"attention.sliding_window", WINDOWS},
    {"attn_logit_softcapping", ATTENTION_CAPS},
    {"final_logit_softcapping", LOGIT_CAPS},
    {"attention.scale", ATTENTION_SCALES},
    {"embedding_scale", MULTIPLIERS},
    {"residual_scale", MULTIPLIERS},
    {"logit_scale", MULTIPLIERS},
    {"rope.freq_base_swa", LOCAL_BASES},
    {"shortconv.l_cache", CONVOLUTIONS},
    {"attention.clamp_kqv", NOTHING},
    {"attention.key_length_swa", NOTHING},
    {"attention.max_alibi_bias", NOTHING},
    {"attention.output_scale", NOTHING},
    {"attention.recurrent_layers", NOTHING},
    {"attention.shared_kv_layers", NOTHING},
    {"attention.temperature_length", NOTHING},
    {"attention.temperature_scale", NOTHING},
    {"attention.value_scale", NOTHING},
    {"embedding_length_per_layer_input", NOTHING},
    {"hidden_activation", ACTIVATIONS},
    {"nextn_predict_layers", NOTHING},
    {"rope.dimension_count_swa", NOTHING},
    {"rope.dimension_sections", NOTHING},
    {"rope.scaling.alpha", NOTHING},
    {"rope.scaling.yarn_attn_factor", NOTHING},
    {"rope.scaling.yarn_ext_factor", NOTHING},
    {"rope.scaling.yarn_log_multiplier", NOTHING},
    {"swiglu_clamp_exp", NOTHING},
    {"swin_norm", NOTHING},
};

static void refuse_keys(struct reader *reader, const struct model_shape *s) {
    const struct architecture *a = s->architecture;
    uint32_t readers =
        (a->window_period ? WINDOWS : 0u) | (a->attention_cap > 0 ? ATTENTION_CAPS : 0u) |
        (a->logit_cap > 0 ? LOGIT_CAPS : 0u) |
        (a->multipliers ? MULTIPLIERS | ATTENTION_SCALES : 0u) |
        (a->variants ? ATTENTION_SCALES : 0u) |
        (a->activation >= ACTIVATION_GELU ? ACTIVATIONS : 0u) |
        (a->convolutions ? CONVOLUTIONS : 0u) | (a->local_freq_base > 0 ? LOCAL_BASES : 0u);
    char key[KEY_MAX];
    uint32_t window = 0;
    full_key(key, reader->prefix, "attention.sliding_window");
    if (!gguf_u32(reader->file, key, 0, &window, NULL) && window >= s->context_length)
        readers |= WINDOWS; /* a window of at least the context has no effect */
    for (size_t i = 0; i < sizeof changing_keys / sizeof *changing_keys; i++)
        if (!(readers & changing_keys[i].readers) && !is_off(reader, changing_keys[i].suffix))
            refuse_key(reader, changing_keys[i].suffix);
}

/* True if attention and feed-forward part read the same x. Files of GPT-NeoX use either value. */
static bool read_parallel(struct reader *reader) {
    char key[KEY_MAX];
    bool parallel = true;
    need_key(reader, "use_parallel_residual");
    full_key(key, reader->prefix, "use_parallel_residual");
    if (!reader->status)
        reader->status = gguf_bool(reader->file, key, true, &parallel, reader->fault);
    return parallel;
}

/* Refuses a file that turns off a switch that is on by default. */
static void refuse_switched_off(struct reader *reader, const char *suffix) {
    char key[KEY_MAX];
    bool on = true;
    if (!reader->status)
        reader->status = gguf_bool(reader->file, full_key(key, reader->prefix, suffix), true, &on,
                                   reader->fault);
    if (!on) refuse_key(reader, suffix);
}

/* Refuses experts with a separate fault; otherwise the fault would name a missing tensor. */
static void refuse_experts(struct reader *reader) {
    char key[KEY_MAX];
    uint32_t experts = 0;
    if (!reader->status)
        reader->status = gguf_u32(reader->file, full_key(key, reader->prefix, "expert_count"), 0,
                                  &experts, reader->fault);
    if (!reader->status && experts > 0)
        reader->status = fault_set(reader->fault, STATUS_UNSUPPORTED, "model_experts", "key:s n:u",
                                   key, (uint64_t)experts);
}

static void read_vocab_size(struct reader *reader, struct model_shape *s) {
    const struct gguf_tensor *embd = gguf_tensor_find(reader->file, "token_embd.weight");
    const struct gguf_value *tokens = gguf_find(reader->file, "tokenizer.ggml.tokens");
    if (reader->status) return;
    if (!embd) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "tensor_missing", "name:s",
                                   "token_embd.weight");
    } else if (embd->shape[1] > VOCAB_MAX) {
        reader->status = fault_set(reader->fault, STATUS_UNSUPPORTED, "vocabulary_rows",
                                   "n:u limit:u", embd->shape[1], (uint64_t)VOCAB_MAX);
    } else if (tokens && tokens->type == GGUF_ARRAY && tokens->count != embd->shape[1]) {
        reader->status = fault_set(reader->fault, STATUS_BAD_FILE, "tokens_for_rows", "n:u rows:u",
                                   tokens->count, embd->shape[1]);
    } else {
        s->vocab_size = (uint32_t)embd->shape[1];
    }
}

static void count_parameters(const struct gguf *file, struct model_shape *s) {
    for (uint64_t i = 0; i < gguf_tensor_count(file); i++) {
        const uint64_t *n = gguf_tensor_at(file, i)->shape;
        s->parameters += n[0] * n[1] * n[2] * n[3];
    }
}

/* Sums the floats per position in the caches: keys and values, or a convolution's inputs. */
static void add_widths(struct model_shape *s, const struct gguf *file) {
    for (uint32_t i = 0; i < s->n_layer; i++) {
        uint64_t n_kv = (uint64_t)model_shape_n_head_kv(s, file, i) * s->n_embd_head;
        s->key_width += n_kv ? n_kv : s->n_embd;
        s->value_width += n_kv;
    }
}

enum status model_shape_read(struct model_shape *s, const struct gguf *file, struct fault *fault) {
    struct reader reader = {file, "", gguf_check_whole(file, fault), fault};
    memset(s, 0, sizeof *s);
    read_architecture(&reader, s);
    if (reader.status) return reader.status;
    const struct architecture *a = s->architecture;
    refuse_experts(&reader);
    s->context_length = read_u32(&reader, "context_length", 0, 1, CONTEXT_MAX);
    s->n_embd = read_u32(&reader, "embedding_length", 0, 1, EMBD_MAX);
    s->n_layer = read_u32(&reader, "block_count", 0, 1, LAYER_MAX);
    s->n_ff = read_u32(&reader, "feed_forward_length", 0, 1, FF_MAX);
    s->norm_eps = (float)read_f64(&reader,
                                  a->layer_norm ? "attention.layer_norm_epsilon"
                                                : "attention.layer_norm_rms_epsilon",
                                  0, 1e-30, 1);
    read_heads(&reader, s);
    if (!reader.status && !a->learned_positions) read_rope(&reader, s);
    if (!reader.status) read_window(&reader, s);
    if (!reader.status) read_scales(&reader, s);
    read_activation(&reader, s);
    if (a->convolutions) s->n_taps = read_u32(&reader, "shortconv.l_cache", 0, 1, TAPS_MAX);
    if (a->parallel) s->parallel = read_parallel(&reader);
    refuse_keys(&reader, s);
    refuse_switched_off(&reader, "attention.causal");
    if (a->multipliers)
        refuse_switched_off(&reader, "rope.scaling.finetuned"); /* false: Granite without RoPE */
    read_vocab_size(&reader, s);
    if (reader.status) return reader.status;
    add_widths(s, file);
    count_parameters(file, s);
    s->file_type = gguf_file_type(file);
    return STATUS_OK;
}

uint32_t model_shape_n_head_kv(const struct model_shape *shape, const struct gguf *file,
                               uint32_t layer) {
    char key[KEY_MAX];
    const struct gguf_value *value =
        gguf_find(file, full_key(key, shape->architecture->name, "attention.head_count_kv"));
    return value && value->type == GGUF_ARRAY ? (uint32_t)gguf_array_i32(value, layer)
                                              : shape->n_head_kv;
}
