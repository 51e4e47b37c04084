/* Finds every tensor that an architecture needs, checks its shape and packs it.
 *
 * The tensors are bound twice: first to find out how each tensor is used; then, after packing, to
 * set the pointers. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "sort.h"

enum { NAME_MAX_BYTES = 64, PARTS_MAX = 3, OUTSIDE_BLOCKS = -1 };

/* The use of a tensor: unused (0 parts), a vector or table stored row by row (plain), or `parts`
 * matrices below each other, which are packed separately. */
struct place {
    uint32_t parts, rows[PARTS_MAX];
    bool plain;
    uint64_t at; /* offset in the packed weights, in bytes */
};

/* A loader that stops at the first failure: once `status` is set, further loads do nothing. */
struct loader {
    const struct gguf *file;
    struct model *model;
    struct place *places;             /* (n_tensors,) */
    const struct gguf_tensor **order; /* (n_tensors,) in the order of their data in the file */
    uint8_t *memory;                  /* NULL while the tensors are bound for the first time */
    enum status status;
    struct fault *fault;
};

/* Writes "blk.3.attn_q.weight", or "output.weight" if `layer` is OUTSIDE_BLOCKS. */
static void tensor_name(char name[NAME_MAX_BYTES], int layer, const char *stem, const char *kind) {
    size_t used = 0;
    if (layer != OUTSIDE_BLOCKS) {
        memcpy(name, "blk.", used = 4);
        used += put_decimal(name + used, (uint64_t)layer);
        name[used++] = '.';
    }
    strcat(strcpy(name + used, stem), kind);
}

static const char WEIGHT[] = ".weight", BIAS[] = ".bias";

/* Finds a tensor and checks its shape; NULL on failure. */
static const struct gguf_tensor *find_tensor(struct loader *loader, int layer, const char *stem,
                                             const char *kind, uint64_t cols, uint64_t rows) {
    char name[NAME_MAX_BYTES];
    if (loader->status) return NULL;
    tensor_name(name, layer, stem, kind);
    const struct gguf_tensor *tensor = gguf_tensor_find(loader->file, name);
    if (!tensor) {
        loader->status =
            fault_set(loader->fault, STATUS_BAD_FILE, "tensor_missing", "name:s", name);
        return NULL;
    }
    const uint64_t *shape = tensor->shape;
    if (shape[0] != cols || shape[1] != rows || shape[2] != 1 || shape[3] != 1) {
        loader->status = fault_set(loader->fault, STATUS_BAD_FILE, "tensor_shape",
                                   "name:s cols:u rows:u a:u b:u c:u d:u", name, cols, rows,
                                   shape[0], shape[1], shape[2], shape[3]);
        return NULL;
    }
    return tensor;
}

static bool has_tensor(const struct loader *loader, int layer, const char *stem, const char *kind) {
    char name[NAME_MAX_BYTES];
    tensor_name(name, layer, stem, kind);
    return gguf_tensor_find(loader->file, name) != NULL;
}

static struct place *place_of(const struct loader *loader, const struct gguf_tensor *tensor) {
    return &loader->places[tensor - gguf_tensor_at(loader->file, 0)];
}

/* Adds integers, because 2 GB or more exceed a difference of 32-bit pointers. */
static uint8_t *address(const struct loader *loader, uint64_t at) {
    return loader->memory ? (uint8_t *)((uintptr_t)loader->memory + (uintptr_t)at) : NULL;
}

/* Binds a table (rows, cols) of float32, stored row by row. */
static float *bind_table(struct loader *loader, int layer, const char *stem, const char *kind,
                         uint64_t rows, uint64_t cols) {
    const struct gguf_tensor *tensor = find_tensor(loader, layer, stem, kind, cols, rows);
    if (!tensor) return NULL;
    struct place *place = place_of(loader, tensor);
    place->parts = 1;
    place->plain = true;
    return (float *)(void *)address(loader, place->at);
}

static float *bind_vector(struct loader *loader, int layer, const char *stem, uint64_t n) {
    return bind_table(loader, layer, stem, WEIGHT, 1, n);
}

/* Binds n matrices (rows[p], cols) that are below each other in one tensor. */
static void bind_joined(struct loader *loader, int layer, const char *stem,
                        struct matrix *const parts[], const uint32_t rows[], uint32_t n,
                        uint32_t cols) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < n; p++) sum += rows[p];
    const struct gguf_tensor *tensor = find_tensor(loader, layer, stem, WEIGHT, cols, sum);
    struct place *place = tensor ? place_of(loader, tensor) : NULL;
    enum gguf_tensor_type type = tensor ? matrix_type_of(tensor->type) : GGUF_F32;
    uint64_t at = place ? place->at : 0;
    for (uint32_t p = 0; p < n; p++) {
        *parts[p] = (struct matrix){type, tensor ? address(loader, at) : NULL, rows[p], cols};
        at += matrix_bytes(type, rows[p], cols);
        if (place) place->rows[p] = rows[p];
    }
    if (place) place->parts = n;
    loader->model->shape.quantised |= type != GGUF_F32;
}

static struct matrix bind_matrix(struct loader *loader, int layer, const char *stem, uint32_t rows,
                                 uint32_t cols) {
    struct matrix m, *const parts[] = {&m};
    bind_joined(loader, layer, stem, parts, &rows, 1, cols);
    return m;
}

/* Binds a bias if the architecture has it, else returns NULL. `qkv`: it is a bias of q, k or v. */
static float *bind_bias(struct loader *loader, int layer, const char *stem, uint64_t n, bool qkv) {
    enum biases biases = loader->model->shape.architecture->biases;
    bool needed = biases == BIASES_ALL || (biases == BIASES_QKV && qkv);
    if (!needed && !(biases == BIASES_OPTIONAL && has_tensor(loader, layer, stem, BIAS)))
        return NULL;
    return bind_table(loader, layer, stem, BIAS, 1, n);
}

/* Binds a norm's weight, and its bias if the architecture's norms have one. */
static float *bind_norm(struct loader *loader, int layer, const char *stem, float **norm_bias) {
    uint32_t n = loader->model->shape.n_embd;
    if (loader->model->shape.architecture->layer_norm)
        *norm_bias = bind_table(loader, layer, stem, BIAS, 1, n);
    return bind_vector(loader, layer, stem, n);
}

static void bind_joined_qkv(struct loader *loader, int i, struct model_layer *layer, uint32_t n_q,
                            uint32_t n_kv) {
    struct matrix *const parts[] = {&layer->wq, &layer->wk, &layer->wv};
    const uint32_t rows[] = {n_q, n_kv, n_kv};
    bind_joined(loader, i, "attn_qkv", parts, rows, 3, loader->model->shape.n_embd);
    layer->bq = bind_bias(loader, i, "attn_qkv", (uint64_t)n_q + 2 * (uint64_t)n_kv, true);
    layer->bk = layer->bq ? layer->bq + n_q : NULL;
    layer->bv = layer->bq ? layer->bk + n_kv : NULL;
}

static void bind_attention(struct loader *loader, int i, struct model_layer *layer) {
    const struct model_shape *s = &loader->model->shape;
    const struct architecture *a = s->architecture;
    uint32_t n_embd = s->n_embd, n_q = s->n_head * s->n_embd_head;
    uint32_t n_kv = layer->n_head_kv * s->n_embd_head;
    bool rows = a->qk_norm == QK_NORM_ROWS;
    if (a->joined_qkv) {
        bind_joined_qkv(loader, i, layer, n_q, n_kv);
    } else {
        layer->wq = bind_matrix(loader, i, "attn_q", n_q, n_embd);
        layer->wk = bind_matrix(loader, i, "attn_k", n_kv, n_embd);
        layer->wv = bind_matrix(loader, i, "attn_v", n_kv, n_embd);
        layer->bq = bind_bias(loader, i, "attn_q", n_q, true);
        layer->bk = bind_bias(loader, i, "attn_k", n_kv, true);
        layer->bv = bind_bias(loader, i, "attn_v", n_kv, true);
    }
    if (a->qk_norm != QK_NORM_NONE) {
        layer->q_norm_weight = bind_vector(loader, i, "attn_q_norm", rows ? n_q : s->n_embd_head);
        layer->k_norm_weight = bind_vector(loader, i, "attn_k_norm", rows ? n_kv : s->n_embd_head);
    }
    layer->wo = bind_matrix(loader, i, "attn_output", n_embd, n_q);
    layer->bo = bind_bias(loader, i, "attn_output", n_embd, false);
}

static void bind_convolution(struct loader *loader, int i, struct model_layer *layer) {
    const struct model_shape *s = &loader->model->shape;
    struct matrix *const parts[] = {&layer->conv_before, &layer->conv_after, &layer->conv_value};
    const uint32_t rows[] = {s->n_embd, s->n_embd, s->n_embd};
    bind_joined(loader, i, "shortconv.in_proj", parts, rows, 3, s->n_embd);
    layer->conv_kernel = bind_table(loader, i, "shortconv.conv", WEIGHT, s->n_embd, s->n_taps);
    layer->conv_output = bind_matrix(loader, i, "shortconv.out_proj", s->n_embd, s->n_embd);
}

static void bind_feed_forward(struct loader *loader, int i, struct model_layer *layer) {
    const struct model_shape *s = &loader->model->shape;
    const struct architecture *a = s->architecture;
    uint32_t n_embd = s->n_embd, n_ff = s->n_ff;
    if (a->joined_gate) {
        struct matrix *const parts[] = {&layer->gate, &layer->up};
        const uint32_t rows[] = {n_ff, n_ff};
        bind_joined(loader, i, "ffn_up", parts, rows, 2, n_embd);
    } else {
        if (s->activation < ACTIVATION_GELU) {
            layer->gate = bind_matrix(loader, i, "ffn_gate", n_ff, n_embd);
            layer->bgate = bind_bias(loader, i, "ffn_gate", n_ff, false);
        }
        layer->up = bind_matrix(loader, i, "ffn_up", n_ff, n_embd);
        layer->bup = bind_bias(loader, i, "ffn_up", n_ff, false);
    }
    layer->down = bind_matrix(loader, i, "ffn_down", n_embd, n_ff);
    layer->bdown = bind_bias(loader, i, "ffn_down", n_embd, false);
}

static void bind_layer(struct loader *loader, uint32_t i, struct model_layer *layer) {
    const struct model_shape *s = &loader->model->shape;
    const struct architecture *a = s->architecture;
    int n = (int)i;
    bool local = s->window_period == 1 || (s->window_period && (i + 1) % s->window_period);
    bool turned =
        !a->learned_positions && !(a->unturned_period && (i + 1) % a->unturned_period == 0);
    layer->n_head_kv = model_shape_n_head_kv(s, loader->file, i);
    layer->window = local ? s->window : 0;
    layer->rotation = !turned                                ? ROTATION_NONE
                      : local && s->rope.local_freq_base > 0 ? ROTATION_LOCAL
                                                             : ROTATION_GLOBAL;
    if (a->norm_place != NORM_AFTER) {
        layer->attn_norm_weight = bind_norm(loader, n, "attn_norm", &layer->attn_norm_bias);
        layer->ffn_norm_weight = bind_norm(loader, n, "ffn_norm", &layer->ffn_norm_bias);
    }
    (layer->n_head_kv ? bind_attention : bind_convolution)(loader, n, layer);
    bind_feed_forward(loader, n, layer);
    if (a->norm_place != NORM_BEFORE) {
        layer->attn_post_norm_weight = bind_vector(loader, n, "post_attention_norm", s->n_embd);
        layer->ffn_post_norm_weight = bind_vector(loader, n, "post_ffw_norm", s->n_embd);
    }
}

static void need_key(struct loader *loader, const char *suffix) {
    char key[NAME_MAX_BYTES];
    strcat(strcat(strcpy(key, loader->model->shape.architecture->name), "."), suffix);
    if (!loader->status && !gguf_find(loader->file, key))
        loader->status = fault_set(loader->fault, STATUS_BAD_FILE, "key_missing", "name:s", key);
}

/* Llama 3 has one tensor of divisors. LongRoPE (Ding et al. 2024) has two; a session uses one. */
static void bind_rope(struct loader *loader) {
    struct model *m = loader->model;
    uint64_t n = m->shape.rope.n_rot / 2;
    if (!n) return;
    if (has_tensor(loader, OUTSIDE_BLOCKS, "rope_freqs", WEIGHT))
        m->rope_divisors = bind_vector(loader, OUTSIDE_BLOCKS, "rope_freqs", n);
    if (!has_tensor(loader, OUTSIDE_BLOCKS, "rope_factors_long", WEIGHT) &&
        !has_tensor(loader, OUTSIDE_BLOCKS, "rope_factors_short", WEIGHT))
        return;
    need_key(loader, "rope.scaling.original_context_length");
    need_key(loader, "rope.scaling.attn_factor");
    m->rope_divisors_long = bind_vector(loader, OUTSIDE_BLOCKS, "rope_factors_long", n);
    m->rope_divisors_short = bind_vector(loader, OUTSIDE_BLOCKS, "rope_factors_short", n);
}

static void bind_tensors(struct loader *loader) {
    struct model *m = loader->model;
    const struct model_shape *s = &m->shape;
    const char *output_norm = s->architecture->output_norm;
    m->token_embd = bind_matrix(loader, OUTSIDE_BLOCKS, "token_embd", s->vocab_size, s->n_embd);
    if (s->architecture->learned_positions)
        m->position_embd = bind_table(loader, OUTSIDE_BLOCKS, "position_embd", WEIGHT,
                                      s->context_length, s->n_embd);
    bind_rope(loader);
    for (uint32_t i = 0; i < s->n_layer && !loader->status; i++)
        bind_layer(loader, i, &m->layers[i]);
    m->output_norm_weight = bind_norm(
        loader, OUTSIDE_BLOCKS, output_norm ? output_norm : "output_norm", &m->output_norm_bias);
    m->output = has_tensor(loader, OUTSIDE_BLOCKS, "output", WEIGHT)
                    ? bind_matrix(loader, OUTSIDE_BLOCKS, "output", s->vocab_size, s->n_embd)
                    : m->token_embd;
    if (s->architecture->variants && has_tensor(loader, OUTSIDE_BLOCKS, "output", BIAS))
        m->output_bias = bind_table(loader, OUTSIDE_BLOCKS, "output", BIAS, 1, s->vocab_size);
}

static enum status refuse_tensor(struct loader *loader, const struct gguf_tensor *tensor,
                                 enum status status, const char *key) {
    struct gguf_string name = tensor->name;
    char shown[NAME_MAX_BYTES] = {0};
    for (size_t c = 0; c < name.length && c + 1 < sizeof shown; c++)
        shown[c] = name.data[c] > 0x20 && name.data[c] < 0x7f ? name.data[c] : '?';
    return loader->status = fault_set(loader->fault, status, key, "name:s", shown);
}

static int compare_offsets(const void *a, const void *b) {
    const struct gguf_tensor *const *x = a, *const *y = b;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static uint64_t place_bytes(const struct gguf_tensor *tensor, const struct place *place) {
    uint64_t cols = tensor->shape[0], bytes = 0;
    if (place->plain) return tensor->shape[1] * cols * sizeof(float);
    for (uint32_t p = 0; p < place->parts; p++)
        bytes += matrix_bytes(matrix_type_of(tensor->type), place->rows[p], cols);
    return bytes;
}

/* Gives every tensor its offset, in the order of the file. Tensors are packed in place, one after
 * another, and must not overwrite unread data. So the image begins at offset `image_at`: large
 * enough that no packed tensor ends beyond its end in the image. */
static void place_tensors(struct loader *loader, struct model_plan *plan) {
    uint64_t n = gguf_tensor_count(loader->file), at = 0, read = 0, image_at = 0;
    for (uint64_t i = 0; i < n; i++) loader->order[i] = gguf_tensor_at(loader->file, i);
    sort(loader->order, (size_t)n, sizeof(const struct gguf_tensor *), compare_offsets);
    for (uint64_t i = 0; i < n; i++) {
        const struct gguf_tensor *tensor = loader->order[i];
        struct place *place = place_of(loader, tensor);
        uint64_t end = tensor->offset + tensor->bytes;
        /* without this check a tensor that no layer uses would be ignored silently */
        if (!place->parts)
            refuse_tensor(loader, tensor, STATUS_UNSUPPORTED, "tensor_no_place");
        else if (tensor->offset < read)
            refuse_tensor(loader, tensor, STATUS_BAD_FILE, "tensor_overlaps");
        if (loader->status) return;
        place->at = at;
        if (at > tensor->offset + image_at) image_at = at - tensor->offset;
        at = (at + place_bytes(tensor, place) + 63) / 64 * 64;
        if (at > end + image_at) image_at = at - end;
        read = end;
    }
    plan->weights = at;
    plan->image_at = image_at;
    plan->bytes = (image_at + gguf_size(loader->file) + 63) / 64 * 64;
    if (plan->bytes < at) plan->bytes = at;
}

/* Reads the shape, binds the tensors and plans the memory, but reads no weights. loader_close frees
 * its memory. */
static enum status loader_open(struct loader *loader, struct model_plan *plan) {
    size_t n = (size_t)gguf_tensor_count(loader->file);
    loader->model = calloc(1, sizeof *loader->model);
    loader->places = calloc(n + 1, sizeof *loader->places);
    loader->order = calloc(n + 1, sizeof *loader->order);
    if (!loader->model || !loader->places || !loader->order)
        return fault_set(loader->fault, STATUS_OUT_OF_MEMORY, "no_memory_open", "");
    loader->status = model_shape_read(&loader->model->shape, loader->file, loader->fault);
    if (loader->status) return loader->status;
    loader->model->layers = calloc(loader->model->shape.n_layer, sizeof *loader->model->layers);
    if (!loader->model->layers)
        return fault_set(loader->fault, STATUS_OUT_OF_MEMORY, "no_memory_open", "");
    bind_tensors(loader);
    plan->shape = loader->model->shape;
    if (!loader->status) place_tensors(loader, plan);
    return loader->status;
}

static void loader_close(struct loader *loader) {
    model_close(loader->model);
    free(loader->places);
    free(loader->order);
}

/* Packs every tensor, in the order of the file. */
static enum status pack_all(struct loader *loader) {
    uint64_t widest = 1, n = gguf_tensor_count(loader->file);
    for (uint64_t i = 0; i < n; i++)
        if (loader->order[i]->shape[0] > widest) widest = loader->order[i]->shape[0];
    float *scratch = calloc((size_t)widest, MATRIX_BLOCK * sizeof *scratch);
    if (!scratch) return fault_set(loader->fault, STATUS_OUT_OF_MEMORY, "no_memory_pack", "");
    for (uint64_t i = 0; i < n; i++) {
        const struct gguf_tensor *tensor = loader->order[i];
        const struct place *place = place_of(loader, tensor);
        uint64_t cols = tensor->shape[0], at = place->at, first = 0;
        for (uint32_t p = 0; p < place->parts && !place->plain; p++) {
            struct matrix m = {matrix_type_of(tensor->type), address(loader, at), place->rows[p],
                               (uint32_t)cols};
            matrix_pack(&m, tensor, first, scratch);
            at += matrix_bytes(m.type, m.rows, cols);
            first += m.rows;
        }
        for (uint64_t r = 0; r < tensor->shape[1] && place->plain; r++) {
            gguf_widen(tensor, r * cols, cols, scratch);
            memcpy(address(loader, at + r * cols * sizeof *scratch), scratch,
                   (size_t)cols * sizeof *scratch);
        }
    }
    free(scratch);
    return STATUS_OK;
}

static enum status check_divisors(struct loader *loader, const char *stem, const float *divisors) {
    char name[NAME_MAX_BYTES];
    tensor_name(name, OUTSIDE_BLOCKS, stem, WEIGHT);
    for (uint32_t i = 0; divisors && i < loader->model->shape.rope.n_rot / 2; i++)
        if (!(divisors[i] >= ROPE_DIVISOR_MIN && divisors[i] <= ROPE_DIVISOR_MAX))
            return fault_set(loader->fault, STATUS_BAD_FILE, "rope_divisor", "name:s value:f", name,
                             (double)divisors[i]);
    return STATUS_OK;
}

static enum status check_all_divisors(struct loader *loader) {
    const struct model *m = loader->model;
    enum status status = check_divisors(loader, "rope_freqs", m->rope_divisors);
    if (!status) status = check_divisors(loader, "rope_factors_long", m->rope_divisors_long);
    if (!status) status = check_divisors(loader, "rope_factors_short", m->rope_divisors_short);
    return status;
}

enum status model_measure(struct model_plan *plan, const struct gguf *file, struct fault *fault) {
    struct loader loader = {.file = file, .fault = fault};
    enum status status = loader_open(&loader, plan);
    loader_close(&loader);
    return status;
}

/* Packs into `memory`, or into new memory if `memory` is NULL. */
static enum status open_model(struct model **out, const struct gguf *file, void *memory,
                              struct fault *fault) {
    struct loader loader = {.file = file, .fault = fault};
    struct model_plan plan = {.bytes = 0};
    *out = NULL;
    enum status status = loader_open(&loader, &plan);
    uint64_t bytes = memory ? plan.bytes : plan.weights;
    if (!status) {
        loader.memory = memory                   ? memory
                        : bytes <= SIZE_MAX - 64 ? aligned_alloc(64, (size_t)bytes)
                                                 : NULL;
        if (loader.memory) bind_tensors(&loader);
        status = loader.memory
                     ? pack_all(&loader)
                     : fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_weights", "n:u", bytes);
    }
    if (!status) status = check_all_divisors(&loader);
    if (!status) {
        loader.model->memory = loader.memory;
        loader.model->bytes = bytes;
        *out = loader.model;
        loader.model = NULL;
    } else if (!memory) {
        free(loader.memory);
    }
    loader_close(&loader);
    return status;
}

enum status model_open_in(struct model **out, const struct gguf *file, void *memory,
                          struct fault *fault) {
    return open_model(out, file, memory, fault);
}

enum status model_open(struct model **out, const struct gguf *file, struct fault *fault) {
    return open_model(out, file, NULL, fault);
}

enum status model_open_bare(struct model **out, uint32_t vocab_size, uint32_t context_length,
                            struct fault *fault) {
    *out = calloc(1, sizeof **out);
    if (!*out) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
    (*out)->shape.vocab_size = vocab_size;
    (*out)->shape.context_length = context_length;
    return STATUS_OK;
}

void model_close(struct model *model) {
    if (!model) return;
    free(model->memory);
    free(model->layers);
    free(model);
}

void model_embed(const struct model *model, uint32_t id, float *out) {
    matrix_row(&model->token_embd, id, out);
}
