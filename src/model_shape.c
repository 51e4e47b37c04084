/* Reads a model's sizes from the metadata and holds them within limits under which no product of
 * sizes can overflow 64 bits. */
#include "model.h"

#include <string.h>

/* 2^44 * vocab_size, the sum of the sampler's weights, fits 64 bits; an angle of RoPE stays where
 * elementary_sin is accurate; 2 * n_layer * context_length * n_embd * 4 is below 2^50. */
enum {
    VOCAB_MAX = 1 << 19,
    CONTEXT_MAX = 1 << 20,
    LAYER_MAX = 1 << 10,
    EMBD_MAX = 1 << 16,
    FF_MAX = 1 << 20,
    KEY_MAX = 64
};

/* A reader that stops at the first failure: once `status` is set, further reads do nothing. */
struct reader {
    const struct gguf *file;
    const char *prefix; /* "gpt2" or "llama" */
    enum status status;
    struct fault *fault;
};

/* "llama" and "context_length" make "llama.context_length". */
static const char *full_key(char key[KEY_MAX], const char *prefix, const char *suffix) {
    return strcat(strcat(strcpy(key, prefix), "."), suffix);
}

/* An integer within [low, high]; a fallback of 0 makes the key required. */
static uint32_t read_u32(struct reader *r, const char *suffix, uint32_t fallback, uint32_t low,
                         uint32_t high) {
    char key[KEY_MAX];
    uint32_t n = 0;
    if (r->status) return 0;
    const struct gguf_value *value = gguf_find(r->file, full_key(key, r->prefix, suffix));
    if (!value && !fallback) {
        r->status = fault_set(r->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
    } else if (value && value->type == GGUF_ARRAY) {
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "key_layers", "name:s", key);
    } else {
        r->status = gguf_u32(r->file, key, fallback, &n, r->fault);
        if (!r->status && (n < low || n > high))
            r->status = fault_set(r->fault, STATUS_BAD_FILE, "key_between",
                                  "name:s minimum:u maximum:u value:u", key, (uint64_t)low,
                                  (uint64_t)high, (uint64_t)n);
    }
    return n;
}

/* A number within [low, high]; a fallback of 0 makes the key required. */
static double read_f64(struct reader *r, const char *suffix, double fallback, double low,
                       double high) {
    char key[KEY_MAX];
    double x = 0;
    if (r->status) return 0;
    if (!gguf_find(r->file, full_key(key, r->prefix, suffix)) && fallback == 0) {
        r->status = fault_set(r->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
        return 0;
    }
    r->status = gguf_f64(r->file, key, fallback, &x, r->fault);
    if (!r->status && !(x >= low && x <= high))
        r->status = fault_set(r->fault, STATUS_BAD_FILE, "key_outside", "name:s value:f", key, x);
    return x;
}

static bool text_is(struct gguf_string text, const char *wanted) {
    return text.length == strlen(wanted) && !memcmp(text.data, wanted, text.length);
}

static void read_architecture(struct reader *r, struct model_shape *s) {
    struct gguf_string name;
    if (!r->status) r->status = gguf_text(r->file, "general.architecture", &name, r->fault);
    if (r->status) return;
    if (!name.data) {
        r->status =
            fault_set(r->fault, STATUS_BAD_FILE, "key_missing", "name:s", "general.architecture");
    } else if (text_is(name, "gpt2")) {
        s->architecture = ARCHITECTURE_GPT2;
        r->prefix = "gpt2";
    } else if (text_is(name, "llama")) {
        s->architecture = ARCHITECTURE_LLAMA;
        r->prefix = "llama";
    } else {
        char shown[KEY_MAX] = {0};
        for (size_t i = 0; i < name.length && i + 1 < sizeof shown; i++)
            shown[i] = name.data[i] > 0x20 && name.data[i] < 0x7f ? name.data[i] : '?';
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "architecture", "name:s", shown);
    }
}

/* `of` is a key, or NULL for the size of a pair. */
static void check_multiple(struct reader *r, const char *suffix, uint32_t n, const char *of,
                           uint32_t divisor) {
    char key[KEY_MAX];
    if (!r->status && n % divisor)
        r->status = fault_set(r->fault, STATUS_BAD_FILE, of ? "key_multiple" : "key_multiple_pair",
                              "name:s value:u of:s divisor:u", full_key(key, r->prefix, suffix),
                              (uint64_t)n, of, (uint64_t)divisor);
}

static void check_head_size(struct reader *r, const char *suffix, uint32_t n_embd_head) {
    char key[KEY_MAX];
    uint32_t size = read_u32(r, suffix, n_embd_head, 1, EMBD_MAX);
    if (!r->status && size != n_embd_head)
        r->status =
            fault_set(r->fault, STATUS_UNSUPPORTED, "key_head_size", "name:s value:u limit:u",
                      full_key(key, r->prefix, suffix), (uint64_t)size, (uint64_t)n_embd_head);
}

static void read_heads(struct reader *r, struct model_shape *s) {
    s->n_head = read_u32(r, "attention.head_count", 0, 1, s->n_embd);
    s->n_head_kv = read_u32(r, "attention.head_count_kv", s->n_head, 1, s->n_head);
    check_multiple(r, "embedding_length", s->n_embd, "attention.head_count", s->n_head);
    check_multiple(r, "attention.head_count", s->n_head, "attention.head_count_kv", s->n_head_kv);
    if (r->status) return;
    s->n_embd_head = s->n_embd / s->n_head;
    check_head_size(r, "attention.key_length", s->n_embd_head);
    check_head_size(r, "attention.value_length", s->n_embd_head);
}

static void read_rope(struct reader *r, struct model_shape *s) {
    struct gguf_string scaling = {NULL, 0};
    s->n_rot = read_u32(r, "rope.dimension_count", s->n_embd_head, 2, s->n_embd_head);
    s->rope_freq_base = read_f64(r, "rope.freq_base", 10000, 1, 1e12);
    check_multiple(r, "rope.dimension_count", s->n_rot, NULL, 2);
    if (!r->status) r->status = gguf_text(r->file, "llama.rope.scaling.type", &scaling, r->fault);
    double factor = read_f64(r, "rope.scaling.factor", 1, 0, 1e12);
    double attention = read_f64(r, "rope.scaling.attn_factor", 1, 0, 1e12);
    if (r->status) return;
    if ((scaling.data && !text_is(scaling, "none")) ||
        gguf_find(r->file, "llama.rope.scale_linear"))
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "rope_scaling", "key:s",
                              "llama.rope.scaling.type");
    else if (!scaling.data && factor != 1 && factor != 0) /* linear, where no type is named */
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "rope_scaling", "key:s",
                              "llama.rope.scaling.factor");
    else if (attention != 1) /* whatever the type */
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "rope_scaling", "key:s",
                              "llama.rope.scaling.attn_factor");
}

/* What the tensors alone would not show, or show as something missing. */
static void refuse_experts(struct reader *r) {
    char key[KEY_MAX];
    uint32_t experts = 0;
    if (!r->status)
        r->status =
            gguf_u32(r->file, full_key(key, r->prefix, "expert_count"), 0, &experts, r->fault);
    if (!r->status && experts > 0)
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "model_experts", "key:s n:u", key,
                              (uint64_t)experts);
}

static void read_vocab_size(struct reader *r, struct model_shape *s) {
    const struct gguf_tensor *embd = gguf_tensor_find(r->file, "token_embd.weight");
    const struct gguf_value *tokens = gguf_find(r->file, "tokenizer.ggml.tokens");
    if (r->status) return;
    if (!embd) {
        r->status =
            fault_set(r->fault, STATUS_BAD_FILE, "tensor_missing", "name:s", "token_embd.weight");
    } else if (embd->shape[1] > VOCAB_MAX) {
        r->status = fault_set(r->fault, STATUS_UNSUPPORTED, "vocabulary_rows", "n:u limit:u",
                              embd->shape[1], (uint64_t)VOCAB_MAX);
    } else if (tokens && tokens->type == GGUF_ARRAY && tokens->count != embd->shape[1]) {
        r->status = fault_set(r->fault, STATUS_BAD_FILE, "tokens_for_rows", "n:u rows:u",
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

enum status model_shape_read(struct model_shape *s, const struct gguf *file, struct fault *fault) {
    struct reader r = {file, "", gguf_check_whole(file, fault), fault};
    memset(s, 0, sizeof *s);
    read_architecture(&r, s);
    bool gpt2 = s->architecture == ARCHITECTURE_GPT2;
    refuse_experts(&r);
    s->context_length = read_u32(&r, "context_length", 0, 1, CONTEXT_MAX);
    s->n_embd = read_u32(&r, "embedding_length", 0, 1, EMBD_MAX);
    s->n_layer = read_u32(&r, "block_count", 0, 1, LAYER_MAX);
    s->n_ff = read_u32(&r, "feed_forward_length", 0, 1, FF_MAX);
    s->norm_eps = (float)read_f64(
        &r, gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 0, 1e-30,
        1);
    read_heads(&r, s);
    if (!gpt2) read_rope(&r, s);
    read_vocab_size(&r, s);
    count_parameters(file, s);
    s->file_type = gguf_file_type(file);
    return r.status;
}
