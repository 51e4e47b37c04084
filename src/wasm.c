/* The boundary to JavaScript: typed exports and nothing else. The only file but simd.h and loop.h
 * that knows WebAssembly, and the only one with globals; handles are pointers, 0 is failure, and
 * the last fault says why.
 *
 * Inputs (text, ids, logits) are written by the caller into the exchange, one buffer that C owns.
 * Structs are read in place at the offsets asserted here. Integers beyond 32 bits cross as doubles:
 * seeds and steps are below 2^53. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "constraint.h"
#include "draw.h"
#include "gguf.h"
#include "kernels.h"
#include "measure.h"
#include "model.h"
#include "session.h"
#include "speculate.h"
#include "status.h"
#include "tokenizer.h"
#include "warp.h"
#include "watermark.h"

/* In place of a context: the model alone. */
#define NO_SESSION UINT32_MAX

#define EXPORT(type, name) __attribute__((export_name(#name))) type export_##name

/* What a file held: a model (NULL if it has no tensors, only a vocabulary), a tokenizer (NULL if it
 * has none), and the facts that JavaScript reads. */
struct opened {
    double parameters, bytes;
    uint32_t vocab_size, context_length, n_layer, n_head, n_head_kv, n_embd, n_ff, file_type;
    int32_t bos_id, eos_id;
    const char *architecture, *tokenizer_kind;
    char name[128];
    double weight_bytes, session_bytes;
    uint32_t model_context_length;
    const char *pre;
    const uint32_t *end_ids; /* (n_end_ids,) the tokenizer's */
    uint32_t n_end_ids;
    uint8_t *chat_templates; /* see copy_chat_templates */
    uint32_t n_chat_templates;
    struct model *model;
    struct tokenizer *tokenizer;
    uint8_t *memory; /* until it is the model's: where the image goes, at image_at */
    size_t image_at, size, room;
};

/* web/engine/layout.js names the same offsets and sizes, through which JavaScript reads. */
#define AT(type, field, offset) \
    _Static_assert(offsetof(struct type, field) == (offset), "web/engine/layout.js")
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), "web/engine/layout.js")

AT(opened, parameters, 0);
AT(opened, bytes, 8);
AT(opened, vocab_size, 16);
AT(opened, context_length, 20);
AT(opened, n_layer, 24);
AT(opened, n_head, 28);
AT(opened, n_head_kv, 32);
AT(opened, n_embd, 36);
AT(opened, n_ff, 40);
AT(opened, file_type, 44);
AT(opened, bos_id, 48);
AT(opened, eos_id, 52);
AT(opened, architecture, 56);
AT(opened, tokenizer_kind, 60);
AT(opened, name, 64);
AT(opened, weight_bytes, 192);
AT(opened, session_bytes, 200);
AT(opened, model_context_length, 208);
AT(opened, pre, 212);
AT(opened, end_ids, 216);
AT(opened, n_end_ids, 220);
AT(opened, chat_templates, 224);
AT(opened, n_chat_templates, 228);

AT(tokenizer_piece, data, 0);
AT(tokenizer_piece, length, 4);
AT(tokenizer_piece, special, 8);
AT(tokenizer_piece, strips, 9);

AT(session_fed, evaluated, 0);
AT(session_fed, reused, 4);

AT(warp_row, name, 0);
AT(warp_row, kind, 4);
AT(warp_row, group, 8);
AT(warp_row, stage, 12);
AT(warp_row, neutral, 16);
AT(warp_row, minimum, 24);
AT(warp_row, maximum, 32);
AT(warp_row, minimum_included, 40);
AT(warp_row, maximum_included, 41);
AT(warp_row, choices, 44);
AT(warp_row, low, 48);
AT(warp_row, high, 56);
AT(warp_row, step, 64);

AT(warp_bias, id, 0);
AT(warp_bias, bias, 8);
SIZE(warp_bias, 16);

AT(constraint_mask, count, 4);
AT(constraint_mask, complete, 8);
AT(constraint_mask, bytes, 12);
AT(constraint_mask, rule, 44);

AT(chain_trace, vocab_size, 0);
AT(chain_trace, n_stages, 4);
AT(chain_trace, n_tokens, 8);
AT(chain_trace, kept, 12);
AT(chain_trace, rest_count, 16);
AT(chain_trace, rest_kept, 20);
AT(chain_trace, underflowed, 24);
AT(chain_trace, has_green, 28);
AT(chain_trace, rest_p_raw, 32);
AT(chain_trace, rest_p, 40);
AT(chain_trace, entropy, 48);
AT(chain_trace, perplexity, 56);
AT(chain_trace, raw_entropy, 64);
AT(chain_trace, raw_perplexity, 72);
AT(chain_trace, kept_mass_raw, 80);
AT(chain_trace, green_p_raw, 88);
AT(chain_trace, green_p, 96);
AT(chain_trace, tokens, 104);
AT(chain_trace, stage_p, 108);
AT(chain_trace, stages, 112);

AT(chain_stage, stage, 0);
AT(chain_stage, active, 4);
AT(chain_stage, changed, 8);
AT(chain_stage, kept, 12);
AT(chain_stage, removed, 16);
AT(chain_stage, after, 20);
AT(chain_stage, value, 24);
AT(chain_stage, mass_removed, 32);
AT(chain_stage, top_p_mass, 40);
AT(chain_stage, entropy, 48);
AT(chain_stage, perplexity, 56);
SIZE(chain_stage, 64);

AT(chain_token, id, 0);
AT(chain_token, rank, 4);
AT(chain_token, removed_by, 8);
AT(chain_token, logit, 12);
AT(chain_token, warped, 16);
AT(chain_token, green, 20);
AT(chain_token, p_raw, 24);
AT(chain_token, p, 32);
AT(chain_token, logprob, 40);
SIZE(chain_token, 48);

AT(chain_drawn, id, 0);
AT(chain_drawn, rank, 4);
AT(chain_drawn, p, 8);
AT(chain_drawn, p_raw, 16);
AT(chain_drawn, logprob, 24);
AT(chain_drawn, p_before, 32);

AT(chain_sample, drawn, 0);
AT(chain_sample, kept, 40);
AT(chain_sample, entropy, 48);

AT(speculate_verdict, id, 0);
AT(speculate_verdict, accepted, 4);
AT(speculate_verdict, p, 8);
AT(speculate_verdict, q, 16);
AT(speculate_verdict, acceptance, 24);
AT(speculate_verdict, u, 32);
AT(speculate_verdict, u_residual, 40);
AT(speculate_verdict, residual, 48);

static struct fault fault;
static struct settings settings;
static void *biases, *breakers, *banned, *ends; /* what `settings` points to */
static const struct kernels *kernels = &kernels_simd;
static struct kernels adopted;
static void *exchange;
static size_t exchange_size;
static uint64_t feeds; /* a session's logits stay as they are between two of them */

EXPORT(void *, memory_allocate)(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_bytes", "n:u", (uint64_t)size);
    }
    return memory;
}

EXPORT(void, memory_release)(void *memory) {
    free(memory);
}

/* The exchange, at least `size` bytes, 16-byte aligned; what it held is lost when it grows. It
 * begins with room for the longest timeline, so that no decode step makes it grow. */
EXPORT(void *, memory_exchange)(size_t size) {
    size_t least = sizeof(uint32_t) * SESSION_TIMELINE_MAX;
    if (size < least) size = least;
    if (size <= exchange_size) return exchange;
    free(exchange);
    exchange_size = 0;
    exchange = export_memory_allocate(size);
    if (exchange) exchange_size = size;
    return exchange;
}

EXPORT(const char *, fault_name)(void) {
    return status_name(fault.status);
}

EXPORT(const char *, fault_key)(void) {
    return fault.key;
}

EXPORT(const char *, fault_form)(void) {
    return fault.form;
}

EXPORT(enum fault_kind, fault_kind)(uint32_t i) {
    return fault.values[i].kind;
}

EXPORT(double, fault_number)(uint32_t i) {
    return fault.values[i].number;
}

EXPORT(const char *, fault_text)(uint32_t i) {
    return fault.values[i].text;
}

/* The loops of quants_simd.c come as modules of their own. Without one, the plain ones. */
void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n) {
    kernels_scalar.quantise(quants, x, cols, n);
}

void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n, size_t streams) {
    kernels_scalar.matmul_quants(out, w, bias, quants, n, streams);
}

/* Takes the loops of such a module, put by JavaScript into the table of functions. 1 if they can be
 * trusted. */
EXPORT(uint32_t, kernels_adopt)
(void (*quantise)(struct quants *, const float *, size_t, size_t),
 void (*matmul_quants)(float *, const struct matrix *, const float *, const struct quants *, size_t,
                       size_t)) {
    struct kernels brought = kernels_simd;
    brought.quantise = quantise;
    brought.matmul_quants = matmul_quants;
    adopted = kernels_quants_agree(&brought) ? brought : kernels_simd;
    return adopted.quantise == quantise;
}

/* Which inner loops the sessions and chains opened from now on use: 0 scalar, 1 those of this
 * module, 2 with those adopted. */
EXPORT(void, kernels_choose)(uint32_t loops) {
    kernels = loops == 0 ? &kernels_scalar : loops == 1 ? &kernels_simd : &adopted;
}

/* Sets how many blocks of a quantised matrix the adopted loops multiply together, 1 to
 * KERNELS_STREAMS_MAX, in every session, the open ones too. */
EXPORT(void, kernels_streams)(uint32_t streams) {
    if (streams >= 1 && streams <= KERNELS_STREAMS_MAX) adopted.streams = streams;
}

/* Part i of the weights that a probe reads: `up` and `down` of each layer, then the head, as many
 * rows at a time as a layer has. The last part is followed by one of 0 rows. */
static struct matrix probe_part(const struct model *m, uint32_t i) {
    uint32_t of_layers = 2 * m->shape.n_layer;
    if (i < of_layers) return i % 2 ? m->layers[i / 2].down : m->layers[i / 2].up;
    struct matrix part = m->output;
    uint64_t first = (uint64_t)(i - of_layers) * (m->shape.n_ff / MATRIX_BLOCK) * MATRIX_BLOCK;
    if (first + m->shape.n_ff > part.rows) return (struct matrix){.rows = 0};
    part.data += matrix_bytes(part.type, first, part.cols);
    part.rows = m->shape.n_ff;
    return part;
}

/* Multiplies part i of the weights by a vector of ones, for JavaScript to time. The product goes
 * into the exchange. Returns the bytes read: 0 after the last part, for float32, or if memory is
 * out. */
EXPORT(uint32_t, model_probe)(const struct opened *opened, uint32_t i) {
    if (!opened->model) return 0;
    struct matrix w = probe_part(opened->model, i);
    if (!w.rows || w.type == GGUF_F32) return 0;
    size_t n_quants = w.cols / MATRIX_GROUP;
    struct quants *quants =
        export_memory_exchange(n_quants * sizeof *quants + ((size_t)w.rows + w.cols) * 4);
    if (!quants) return 0;
    float *x = (void *)(quants + n_quants), *out = x + w.cols;
    for (size_t c = 0; c < w.cols; c++) x[c] = 1;
    kernels->quantise(quants, x, w.cols, 1);
    kernels->matmul_quants(out, &w, NULL, quants, 1, kernels->streams);
    return (uint32_t)matrix_bytes(w.type, w.rows, w.cols);
}

EXPORT(void, model_close)(struct opened *opened) {
    if (!opened) return;
    tokenizer_close(opened->tokenizer);
    model_close(opened->model);
    free(opened->memory);
    free(opened->chat_templates);
    free(opened);
}

static enum status copy_name(struct opened *opened, const struct gguf *file) {
    struct gguf_string name;
    enum status status = gguf_text(file, "general.name", &name, &fault);
    if (status || !name.data) return status;
    size_t length = name.length < sizeof opened->name ? name.length : sizeof opened->name - 1;
    memcpy(opened->name, name.data, length);
    return STATUS_OK;
}

/* Names of chat templates that a file may list, and bytes of a key. */
enum { CHAT_TEMPLATES = 64, CHAT_KEY = 128 };

/* Copies tokenizer.chat_template under the name "default", then the templates that
 * tokenizer.chat_templates names. Each becomes a record: offset and length of its text (uint32),
 * its name with a 0, its text, padding to 4 bytes. A name that is too long or has no template is
 * skipped. */
static enum status copy_chat_templates(struct opened *opened, const struct gguf *file) {
    char key[CHAT_KEY] = "tokenizer.chat_template";
    const size_t base = strlen(key);
    static const char names[] = "tokenizer.chat_templates";
    const struct gguf_value *list = gguf_find(file, names);
    if (list && (list->type != GGUF_ARRAY || list->element_type != GGUF_STRING))
        return fault_set(&fault, STATUS_BAD_FILE, "list_of_strings", "name:s", names);
    uint64_t count = list ? list->count : 0;
    if (count > CHAT_TEMPLATES)
        return fault_set(&fault, STATUS_BAD_FILE, "list_most", "name:s limit:u n:u", names,
                         (uint64_t)CHAT_TEMPLATES, count);
    const uint8_t *cursor = list ? list->data : NULL;
    struct gguf_string name = {"default", 7}, text;
    size_t end = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i > 0) {
            name = gguf_next_string(&cursor);
            if (base + name.length + 2 > sizeof key) continue;
            key[base] = '.';
            memcpy(key + base + 1, name.data, name.length);
            key[base + 1 + name.length] = 0;
        }
        enum status status = gguf_text(file, key, &text, &fault);
        if (status) return status;
        if (!text.data) continue;
        size_t head = 2 * sizeof(uint32_t) + name.length + 1, start = end;
        end += (head + text.length + 3) / 4 * 4;
        uint8_t *grown = realloc(opened->chat_templates, end);
        if (!grown) return fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
        opened->chat_templates = grown;
        opened->n_chat_templates++;
        grown += start;
        memcpy(grown, (uint32_t[]){(uint32_t)head, (uint32_t)text.length}, 2 * sizeof(uint32_t));
        memcpy(grown + 2 * sizeof(uint32_t), name.data, name.length);
        grown[head - 1] = 0;
        memcpy(grown + head, text.data, text.length);
    }
    return STATUS_OK;
}

static bool has_vocabulary(const struct gguf *file) {
    return gguf_find(file, "tokenizer.ggml.model") != NULL;
}

static bool has_tensors(const struct gguf *file) {
    return !has_vocabulary(file) || gguf_tensor_count(file) > 0;
}

/* What a vocabulary and a chain may take beside the weights and a session. */
enum { BESIDE = 32 << 20 };

/* How much memory the image and what will be made of it take, refused before a byte of the weights
 * is read: with a session of `context`, unless that is NO_SESSION. */
static enum status find_room(struct opened *opened, const struct gguf *file, uint32_t context) {
    struct model_plan plan = {.bytes = gguf_size(file) + 64};
    uint64_t session = 0, available = 0x100000000 - __builtin_wasm_memory_size(0) * 65536ull;
    if (has_tensors(file)) {
        enum status status = model_measure(&plan, file, &fault);
        uint32_t wanted = context == NO_SESSION ? 0 : context;
        if (!status) status = session_check(&plan.shape, wanted, &fault);
        if (status) return status;
        opened->context_length = session_context(&plan.shape, wanted);
        opened->session_bytes = (double)session_bytes(&plan.shape, wanted);
        session = context == NO_SESSION ? 0 : (uint64_t)opened->session_bytes;
    }
    opened->image_at = (size_t)plan.image_at;
    opened->weight_bytes = has_tensors(file) ? (double)plan.bytes : 0;
    opened->room = (size_t)(plan.bytes + 63) / 64 * 64;
    if (plan.bytes + session < available) return STATUS_OK;
    uint32_t fits = session > 0 ? opened->context_length / 100 * 100 : 0;
    while (fits > 0 && plan.bytes + session_bytes(&plan.shape, fits) + BESIDE > available)
        fits -= 100;
    if (fits > 0)
        return fault_set(&fault, STATUS_OUT_OF_MEMORY, "context_too_large", "n:u limit:u fits:u",
                         plan.bytes + session, available, (uint64_t)fits);
    return fault_set(&fault, STATUS_OUT_OF_MEMORY, "model_too_large", "n:u limit:u",
                     plan.bytes + session, available);
}

/* The vocabulary and the chat templates are copied first, since packing the weights destroys the
 * image. */
static enum status open_parts(struct opened *opened, const struct gguf *file) {
    struct model_plan plan = {.weights = 0};
    enum status status = copy_name(opened, file);
    if (!status) status = copy_chat_templates(opened, file);
    if (!status && has_tensors(file)) status = model_measure(&plan, file, &fault);
    if (!status && has_vocabulary(file))
        status = tokenizer_open(&opened->tokenizer, file, plan.shape.vocab_size, &fault);
    if (status) return status;
    if (has_tensors(file)) {
        status = model_open_in(&opened->model, file, opened->memory, &fault);
        if (!status) opened->memory = NULL;
    } else {
        free(opened->memory);
        opened->memory = NULL;
    }
    return status;
}

static void copy_tokenizer_facts(struct opened *opened) {
    const struct tokenizer *tokenizer = opened->tokenizer;
    opened->vocab_size = tokenizer ? tokenizer_vocab_size(tokenizer) : 0;
    opened->bos_id = tokenizer ? tokenizer_bos_id(tokenizer) : TOKENIZER_NONE;
    opened->eos_id = tokenizer ? tokenizer_eos_id(tokenizer) : TOKENIZER_NONE;
    opened->tokenizer_kind = tokenizer ? tokenizer_kind(tokenizer) : NULL;
    opened->pre = tokenizer ? tokenizer_pre(tokenizer) : NULL;
    size_t n = 0;
    opened->end_ids = tokenizer ? tokenizer_end_ids(tokenizer, &n) : NULL;
    opened->n_end_ids = (uint32_t)n;
}

static void copy_model_facts(struct opened *opened) {
    const struct model_shape *shape = &opened->model->shape;
    opened->parameters = (double)shape->parameters;
    opened->vocab_size = shape->vocab_size;
    opened->model_context_length = shape->context_length;
    opened->n_layer = shape->n_layer;
    opened->n_head = shape->n_head;
    opened->n_head_kv = shape->n_head_kv;
    opened->n_embd = shape->n_embd;
    opened->n_ff = shape->n_ff;
    opened->file_type = shape->file_type;
    opened->architecture = shape->architecture->name;
}

/* Begins to open a GGUF image of `size` bytes of which the first `available` are at `head`. Fails
 * with STATUS_INCOMPLETE while more of them are needed. `context`: of
 * the session that is to follow, 0 for the default, or NO_SESSION. Then the image is written to
 * model_image and model_finish called; model_close gives up. */
EXPORT(struct opened *, model_begin)
(const void *head, size_t available, double size, uint32_t context) {
    struct gguf *file;
    uint64_t whole = size < 0 ? GGUF_SIZE_UNKNOWN : (uint64_t)size;
    if (gguf_open_head(&file, head, available, whole, &fault)) return NULL;
    struct opened *opened = calloc(1, sizeof *opened);
    if (!opened) {
        fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
    } else if (find_room(opened, file, context)) {
        export_model_close(opened);
        opened = NULL;
    } else {
        opened->size = (size_t)gguf_size(file);
        opened->bytes = (double)gguf_size(file);
    }
    gguf_close(file);
    return opened;
}

/* Takes the memory when it is first asked for; NULL where there is none. */
EXPORT(void *, model_image)(struct opened *opened) {
    if (!opened->memory) opened->memory = aligned_alloc(64, opened->room);
    if (opened->memory) return opened->memory + opened->image_at;
    fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
    return NULL;
}

/* The image is complete: what stays of it is taken out of it. */
EXPORT(enum status, model_finish)(struct opened *opened) {
    struct gguf *file;
    enum status status = gguf_open(&file, opened->memory + opened->image_at, opened->size, &fault);
    if (status) return status;
    status = open_parts(opened, file);
    gguf_close(file);
    if (status) return status;
    copy_tokenizer_facts(opened);
    if (opened->model) copy_model_facts(opened);
    return STATUS_OK;
}

static bool has_tokenizer(const struct opened *opened) {
    if (opened->tokenizer) return true;
    fault_set(&fault, STATUS_UNSUPPORTED, "no_tokenizer", "");
    return false;
}

/* Returns the number of ids that the text has, -1 on failure. */
EXPORT(int32_t, tokenizer_encode)
(const struct opened *opened, const char *text, size_t length, enum tokenizer_bos bos,
 uint32_t flags, uint32_t *ids, size_t capacity) {
    size_t count;
    if (!has_tokenizer(opened)) return -1;
    if (tokenizer_encode(opened->tokenizer, text, length, bos, flags, ids, capacity, &count,
                         &fault)) {
        return -1;
    }
    return (int32_t)count;
}

/* Returns the number of bytes that the text has, -1 on failure. */
EXPORT(int32_t, tokenizer_decode)
(const struct opened *opened, const uint32_t *ids, size_t n, uint32_t special, char *text,
 size_t capacity) {
    size_t length;
    if (!has_tokenizer(opened)) return -1;
    if (tokenizer_decode(opened->tokenizer, ids, n, special != 0, text, capacity, &length,
                         &fault)) {
        return -1;
    }
    return (int32_t)length;
}

/* The piece of an id below vocab_size: data, length, special, strips. Valid until the next call. */
EXPORT(const struct tokenizer_piece *, tokenizer_piece)(const struct opened *opened, uint32_t id) {
    static struct tokenizer_piece piece;
    if (!has_tokenizer(opened)) return NULL;
    piece = tokenizer_piece(opened->tokenizer, id);
    return &piece;
}

/* `context`: how many ids it sees, 0 for the default. */
EXPORT(struct session *, session_open)(const struct opened *opened, uint32_t context) {
    struct session *session;
    if (!opened->model) {
        fault_set(&fault, STATUS_UNSUPPORTED, "no_tensors", "");
        return NULL;
    }
    return session_open(&session, opened->model, context, kernels, &fault) ? NULL : session;
}

EXPORT(enum status, session_copy)(struct session *session, const struct session *from) {
    feeds++;
    return session_copy(session, from, &fault);
}

EXPORT(void, session_close)(struct session *session) {
    session_close(session);
}

/* Evaluated and reused positions, two uint32; valid until the next call. */
EXPORT(const struct session_fed *, session_feed)
(struct session *session, const uint32_t *ids, size_t n, uint32_t reuse) {
    static struct session_fed fed;
    feeds++;
    return session_feed(session, ids, n, reuse != 0, &fed, &fault) ? NULL : &fed;
}

/* The same, with the logits after each of the last n_rows ids in `rows` (n_rows, vocab_size). */
EXPORT(const struct session_fed *, session_feed_rows)
(struct session *session, const uint32_t *ids, size_t n, uint32_t reuse, float *rows,
 size_t n_rows) {
    static struct session_fed fed;
    feeds++;
    enum status status = session_feed_rows(session, ids, n, reuse != 0, rows, n_rows, &fed, &fault);
    return status ? NULL : &fed;
}

EXPORT(const float *, session_logits)(const struct session *session) {
    return session_logits(session);
}

EXPORT(const float *, session_hidden)(const struct session *session) {
    return session_hidden(session);
}

EXPORT(const uint32_t *, session_timeline)(const struct session *session) {
    size_t n;
    return session_timeline(session, &n);
}

EXPORT(size_t, session_length)(const struct session *session) {
    size_t n;
    session_timeline(session, &n);
    return n;
}

/* The settings are one set, which the next chain_apply uses. */

EXPORT(const struct warp_row *, warp_row)(uint32_t setting) {
    return setting < SETTING_COUNT ? &warp_table[setting] : NULL;
}

EXPORT(uint32_t, warp_warpers)(void) {
    return WARPER_COUNT;
}

EXPORT(void, settings_reset)(void) {
    settings_reset(&settings);
}

EXPORT(enum status, settings_set)(enum setting setting, double value) {
    return settings_set(&settings, setting, value, &fault);
}

/* Takes n <= WARPER_COUNT warpers from the exchange. */
EXPORT(void, settings_order)(const uint32_t *order, uint32_t n) {
    memcpy(settings.order, order, n * sizeof *order);
    settings.n_order = n;
}

/* Puts a copy of `size` bytes into a place of the settings. */
static enum status take(void **place, const void *from, size_t size) {
    void *copy = malloc(size + 1);
    if (!copy) return fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_settings", "");
    memcpy(copy, from, size);
    free(*place);
    *place = copy;
    return STATUS_OK;
}

/* Takes n biases, ascending by id, from the exchange. */
EXPORT(enum status, settings_bias)(const struct warp_bias *bias, uint32_t n) {
    if (take(&biases, bias, n * sizeof *bias)) return fault.status;
    settings.bias = biases;
    settings.n_bias = n;
    return STATUS_OK;
}

/* Take n words from the exchange: sequences, each as its length, then its ids; the ends are ids. */
EXPORT(enum status, settings_breakers)(const uint32_t *words, uint32_t n) {
    if (take(&breakers, words, n * sizeof *words)) return fault.status;
    settings.breakers = breakers;
    settings.n_breakers = n;
    return STATUS_OK;
}

EXPORT(enum status, settings_ends)(const uint32_t *ids, uint32_t n) {
    if (take(&ends, ids, n * sizeof *ids)) return fault.status;
    settings.ends = ends;
    settings.n_ends = n;
    return STATUS_OK;
}

EXPORT(enum status, settings_banned)(const uint32_t *words, uint32_t n) {
    if (take(&banned, words, n * sizeof *words)) return fault.status;
    settings.banned = banned;
    settings.n_banned = n;
    return STATUS_OK;
}

/* A sampler of one's own, before place `at` of the order: its result stays where it is as long as
 * these settings are used; NULL ends the chain before it. */
EXPORT(void, settings_own)(const float *result, uint32_t at) {
    settings.has_own = true;
    settings.own_at = at;
    settings.own = result;
}

/* The logits of a second distribution, which stay where they are as long as these settings are
 * used; NULL: there is none. */
EXPORT(void, settings_second)(const float *second) {
    settings.second = second;
}

/* -1 forces none. */
EXPORT(void, settings_forced)(double id) {
    settings.forced = (int64_t)id;
}

/* The tokens that the mask (may be NULL) allows, as long as it is valid. */
EXPORT(void, settings_allowed)(const struct constraint_mask *mask) {
    settings.allowed = mask ? mask->allowed : NULL;
    settings.n_allowed = mask ? mask->count : 0;
}

/* How many tokens are drawn: XTC's coin and the warpers that count new tokens read it. */
EXPORT(void, settings_step)(double seed, double step) {
    settings.seed = (uint64_t)seed;
    settings.step = (uint64_t)step;
}

/* What Mirostat or, without it, adaptive_p carries on after a draw of probability p under these
 * settings, p before the latter. */
EXPORT(double, warp_next)(double p) {
    return settings.value[SETTING_MIROSTAT] != 0 ? mirostat_next(&settings, p)
                                                 : adaptive_next(&settings, p);
}

EXPORT(void, watermark_read)
(enum setting sampler, const uint32_t *ids, size_t n, uint32_t *found) {
    watermark_read(found, &settings, sampler, ids, n);
}

/* Checks order, biases and breakers, as chain_apply would. */
EXPORT(enum status, settings_check)(size_t vocab_size) {
    return settings_check(&settings, vocab_size, &fault);
}

/* The sorted vocabulary that constraints share. */
EXPORT(struct lexicon *, lexicon_open)(const struct opened *opened) {
    struct lexicon *lexicon;
    if (!has_tokenizer(opened)) return NULL;
    return lexicon_open(&lexicon, opened->tokenizer, &fault) ? NULL : lexicon;
}

EXPORT(void, lexicon_close)(struct lexicon *lexicon) {
    lexicon_close(lexicon);
}

/* Takes the grammar's text from the exchange. */
EXPORT(struct constraint *, constraint_open)
(const struct lexicon *lexicon, const char *text, size_t length) {
    struct constraint *constraint;
    return constraint_open(&constraint, lexicon, text, length, &fault) ? NULL : constraint;
}

EXPORT(void, constraint_close)(struct constraint *constraint) {
    constraint_close(constraint);
}

/* allowed, count, complete, bytes, rule; NULL on failure. Valid until the next call. */
EXPORT(const struct constraint_mask *, constraint_follow)
(struct constraint *constraint, const uint32_t *ids, size_t n) {
    return constraint_follow(constraint, ids, n, &fault);
}

EXPORT(struct chain *, chain_open)(size_t vocab_size, size_t top_max) {
    struct chain *chain;
    return chain_open(&chain, vocab_size, top_max, kernels, &fault) ? NULL : chain;
}

EXPORT(void, chain_close)(struct chain *chain) {
    chain_close(chain);
}

/* What lies in the exchange may be new at every call. */
static void note_version(struct chain *chain, const float *logits) {
    const char *from = exchange, *at = (const char *)logits;
    chain_version(chain, at >= from && at < from + exchange_size ? 0 : feeds);
}

/* The trace, NULL on failure. */
EXPORT(const struct chain_trace *, chain_apply)
(struct chain *chain, const float *logits, const uint32_t *history, size_t n_history, size_t top) {
    note_version(chain, logits);
    if (chain_apply(chain, logits, &settings, history, n_history, top, &fault)) return NULL;
    return chain_trace(chain);
}

EXPORT(const float *, chain_logits)(const struct chain *chain) {
    return chain_logits(chain);
}

/* p (n,) of the last trace, n its vocab_size. */
EXPORT(void, chain_probabilities)(const struct chain *chain, double *p, size_t n) {
    uint64_t total;
    const uint64_t *weights = chain_weights(chain, &total);
    for (size_t i = 0; i < n; i++) p[i] = (double)weights[i] / (double)total;
}

/* Draws without a trace: id, rank, p, p_raw (0 unless `raw`), logprob, kept, entropy; NULL on
 * failure. u is a multiple of 2^-53 in [0, 1); other numbers are rounded down to one. */
EXPORT(const struct chain_sample *, chain_sample)
(struct chain *chain, const float *logits, const uint32_t *history, size_t n_history, double u,
 uint32_t raw) {
    static struct chain_sample sample;
    uint64_t r = (uint64_t)(u * 0x1p53);
    note_version(chain, logits);
    if (chain_sample(chain, logits, &settings, history, n_history, r, raw != 0, &sample, &fault))
        return NULL;
    return &sample;
}

/* What chain_sample gives, for a token drawn from the last trace. */
static const struct chain_sample *sample_of(const struct chain *chain, struct chain_drawn drawn) {
    static struct chain_sample sample;
    const struct chain_trace *trace = chain_trace(chain);
    sample = (struct chain_sample){drawn, trace->kept, trace->entropy};
    return &sample;
}

/* Draws from the last trace, by inverse CDF or by Gumbel-max: the arrays that it lists. */
EXPORT(const struct chain_sample *, chain_draw)(const struct chain *chain, double u) {
    return sample_of(chain, chain_draw(chain, (uint64_t)(u * 0x1p53)));
}

EXPORT(const struct chain_sample *, chain_draw_gumbel)
(const struct chain *chain, double seed, double step) {
    return sample_of(chain, chain_draw_gumbel(chain, (uint64_t)seed, (uint64_t)step));
}

/* Of a token that survives the last trace, what a draw would say. */
EXPORT(const struct chain_sample *, chain_describe)(const struct chain *chain, uint32_t id) {
    return sample_of(chain, chain_describe(chain, id));
}

/* Valid until the next call. */
EXPORT(const struct speculate_verdict *, speculate_decide)
(const double *p, const double *q, size_t n, uint32_t drafted, double seed, double step) {
    static struct speculate_verdict verdict;
    verdict = speculate_decide(p, q, n, drafted, (uint64_t)seed, (uint64_t)step);
    return &verdict;
}

EXPORT(double, speculate_residual)(double *share, const double *p, const double *q, size_t n) {
    return speculate_residual(share, p, q, n);
}

EXPORT(double, draw_random)(double seed, double step) {
    return (double)draw_random((uint64_t)seed, (uint64_t)step) * 0x1p-53;
}

/* -1 on failure. */
EXPORT(double, measure_distinct)(const uint32_t *ids, size_t count, size_t n) {
    double ratio;
    return measure_distinct(ids, count, n, &ratio, &fault) ? -1 : ratio;
}

/* -ln p of each of `count` tokens below vocab_size, in nats. */
EXPORT(void, measure_surprisal)
(const float *logits, size_t n, const uint32_t *ids, size_t count, double *surprisals) {
    measure_surprisal(logits, n, ids, count, surprisals);
}
