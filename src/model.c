/* Finds every tensor that an architecture needs, checks its shape and packs it; a new architecture
 * is one more bind function and its keys in model_shape.c.
 *
 * The tensors are bound twice: first only to learn which are used and as what, then, when all have
 * been packed, to set the pointers. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "sort.h"

enum { NAME_MAX_BYTES = 64, OUTSIDE_BLOCKS = -1 };

/* What becomes of a tensor: nothing (0 parts), a vector or table kept row by row, or a matrix of
 * that many parts with as many rows each, packed one after the other. */
struct place {
    uint32_t parts;
    bool plain;
    uint64_t at; /* bytes from the beginning of the weights */
};

/* A loader that stops at the first failure: once `status` is set, further loads do nothing. */
struct loader {
    const struct gguf *file;
    struct model *model;
    struct place *places;             /* (n_tensors,) */
    const struct gguf_tensor **order; /* (n_tensors,) as their data lie in the file */
    uint8_t *memory;                  /* NULL while the tensors are bound for the first time */
    enum status status;
    struct fault *fault;
};

/* "blk.3.attn_q.weight", or the suffix alone outside the blocks. */
static void tensor_name(char name[NAME_MAX_BYTES], int layer, const char *suffix) {
    size_t used = 0;
    if (layer != OUTSIDE_BLOCKS) {
        memcpy(name, "blk.", used = 4);
        used += put_decimal(name + used, (uint64_t)layer);
        name[used++] = '.';
    }
    strcpy(name + used, suffix);
}

/* Finds a tensor of the given shape; NULL on failure. */
static const struct gguf_tensor *find(struct loader *l, int layer, const char *suffix,
                                      uint64_t cols, uint64_t rows) {
    char name[NAME_MAX_BYTES];
    if (l->status) return NULL;
    tensor_name(name, layer, suffix);
    const struct gguf_tensor *tensor = gguf_tensor_find(l->file, name);
    if (!tensor) {
        l->status = fault_set(l->fault, STATUS_BAD_FILE, "tensor_missing", "name:s", name);
        return NULL;
    }
    const uint64_t *shape = tensor->shape;
    if (shape[0] != cols || shape[1] != rows || shape[2] != 1 || shape[3] != 1) {
        l->status = fault_set(l->fault, STATUS_BAD_FILE, "tensor_shape",
                              "name:s cols:u rows:u a:u b:u c:u d:u", name, cols, rows, shape[0],
                              shape[1], shape[2], shape[3]);
        return NULL;
    }
    return tensor;
}

static bool present(const struct loader *l, int layer, const char *suffix) {
    char name[NAME_MAX_BYTES];
    tensor_name(name, layer, suffix);
    return gguf_tensor_find(l->file, name) != NULL;
}

static struct place *place_of(const struct loader *l, const struct gguf_tensor *tensor) {
    return &l->places[tensor - gguf_tensor_at(l->file, 0)];
}

/* By address: weights beyond 2 GB are larger than a difference of pointers in 32 bits. */
static uint8_t *address(const struct loader *l, uint64_t at) {
    return l->memory ? (uint8_t *)((uintptr_t)l->memory + (uintptr_t)at) : NULL;
}

/* A table of float32, (rows, cols), row by row. */
static float *table(struct loader *l, int layer, const char *suffix, uint64_t rows, uint64_t cols) {
    const struct gguf_tensor *tensor = find(l, layer, suffix, cols, rows);
    if (!tensor) return NULL;
    struct place *place = place_of(l, tensor);
    place->parts = 1;
    place->plain = true;
    return (float *)(void *)address(l, place->at);
}

static float *vector(struct loader *l, int layer, const char *suffix, uint64_t n) {
    return table(l, layer, suffix, 1, n);
}

static float *optional_vector(struct loader *l, int layer, const char *suffix, uint64_t n) {
    return present(l, layer, suffix) ? vector(l, layer, suffix, n) : NULL;
}

/* Part `part` of a tensor of `parts` matrices (rows, cols) one below the other. */
static struct matrix part_of(struct loader *l, const struct gguf_tensor *tensor, uint32_t part,
                             uint32_t parts, uint32_t rows, uint32_t cols) {
    struct matrix m = {GGUF_F32, NULL, rows, cols};
    if (!tensor) return m;
    struct place *place = place_of(l, tensor);
    place->parts = parts;
    m.type = matrix_type_of(tensor->type);
    m.data = address(l, place->at + part * matrix_bytes(m.type, rows, cols));
    l->model->shape.quantised |= m.type != GGUF_F32;
    return m;
}

static struct matrix matrix(struct loader *l, int layer, const char *suffix, uint32_t rows,
                            uint32_t cols) {
    return part_of(l, find(l, layer, suffix, cols, rows), 0, 1, rows, cols);
}

/* GPT-2 keeps the three projections in one tensor, rows of q, then k, then v. */
static void bind_gpt2_qkv(struct loader *l, int i, struct model_layer *layer) {
    uint32_t n = l->model->shape.n_embd;
    const struct gguf_tensor *w = find(l, i, "attn_qkv.weight", n, (uint64_t)3 * n);
    layer->wq = part_of(l, w, 0, 3, n, n);
    layer->wk = part_of(l, w, 1, 3, n, n);
    layer->wv = part_of(l, w, 2, 3, n, n);
    layer->bq = vector(l, i, "attn_qkv.bias", (uint64_t)3 * n);
    layer->bk = layer->bq ? layer->bq + n : NULL;
    layer->bv = layer->bq ? layer->bq + 2 * (size_t)n : NULL;
}

static void bind_gpt2_layer(struct loader *l, int i, struct model_layer *layer) {
    uint32_t n_embd = l->model->shape.n_embd, n_ff = l->model->shape.n_ff;
    layer->attn_norm_weight = vector(l, i, "attn_norm.weight", n_embd);
    layer->attn_norm_bias = vector(l, i, "attn_norm.bias", n_embd);
    bind_gpt2_qkv(l, i, layer);
    layer->wo = matrix(l, i, "attn_output.weight", n_embd, n_embd);
    layer->bo = vector(l, i, "attn_output.bias", n_embd);
    layer->ffn_norm_weight = vector(l, i, "ffn_norm.weight", n_embd);
    layer->ffn_norm_bias = vector(l, i, "ffn_norm.bias", n_embd);
    layer->up = matrix(l, i, "ffn_up.weight", n_ff, n_embd);
    layer->bup = vector(l, i, "ffn_up.bias", n_ff);
    layer->down = matrix(l, i, "ffn_down.weight", n_embd, n_ff);
    layer->bdown = vector(l, i, "ffn_down.bias", n_embd);
}

static void bind_llama_layer(struct loader *l, int i, struct model_layer *layer) {
    const struct model_shape *s = &l->model->shape;
    uint32_t n_embd = s->n_embd, n_kv = s->n_head_kv * s->n_embd_head, n_ff = s->n_ff;
    layer->attn_norm_weight = vector(l, i, "attn_norm.weight", n_embd);
    layer->wq = matrix(l, i, "attn_q.weight", n_embd, n_embd);
    layer->wk = matrix(l, i, "attn_k.weight", n_kv, n_embd);
    layer->wv = matrix(l, i, "attn_v.weight", n_kv, n_embd);
    layer->bq = optional_vector(l, i, "attn_q.bias", n_embd);
    layer->bk = optional_vector(l, i, "attn_k.bias", n_kv);
    layer->bv = optional_vector(l, i, "attn_v.bias", n_kv);
    layer->wo = matrix(l, i, "attn_output.weight", n_embd, n_embd);
    layer->bo = optional_vector(l, i, "attn_output.bias", n_embd);
    layer->ffn_norm_weight = vector(l, i, "ffn_norm.weight", n_embd);
    layer->gate = matrix(l, i, "ffn_gate.weight", n_ff, n_embd);
    layer->up = matrix(l, i, "ffn_up.weight", n_ff, n_embd);
    layer->down = matrix(l, i, "ffn_down.weight", n_embd, n_ff);
}

static void bind(struct loader *l) {
    struct model *m = l->model;
    const struct model_shape *s = &m->shape;
    bool gpt2 = s->architecture == ARCHITECTURE_GPT2;
    m->token_embd = matrix(l, OUTSIDE_BLOCKS, "token_embd.weight", s->vocab_size, s->n_embd);
    if (gpt2)
        m->position_embd =
            table(l, OUTSIDE_BLOCKS, "position_embd.weight", s->context_length, s->n_embd);
    for (uint32_t i = 0; i < s->n_layer && !l->status; i++)
        (gpt2 ? bind_gpt2_layer : bind_llama_layer)(l, (int)i, &m->layers[i]);
    m->output_norm_weight = vector(l, OUTSIDE_BLOCKS, "output_norm.weight", s->n_embd);
    if (gpt2) m->output_norm_bias = vector(l, OUTSIDE_BLOCKS, "output_norm.bias", s->n_embd);
    m->output = present(l, OUTSIDE_BLOCKS, "output.weight")
                    ? matrix(l, OUTSIDE_BLOCKS, "output.weight", s->vocab_size, s->n_embd)
                    : m->token_embd;
}

static enum status refuse(struct loader *l, const struct gguf_tensor *tensor, enum status status,
                          const char *key) {
    struct gguf_string name = tensor->name;
    char shown[NAME_MAX_BYTES] = {0};
    for (size_t c = 0; c < name.length && c + 1 < sizeof shown; c++)
        shown[c] = name.data[c] > 0x20 && name.data[c] < 0x7f ? name.data[c] : '?';
    return l->status = fault_set(l->fault, status, key, "name:s", shown);
}

static int compare_offsets(const void *a, const void *b) {
    const struct gguf_tensor *const *x = a, *const *y = b;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static uint64_t place_bytes(const struct gguf_tensor *tensor, const struct place *place) {
    uint64_t rows = tensor->shape[1], cols = tensor->shape[0];
    if (place->plain) return rows * cols * sizeof(float);
    return place->parts * matrix_bytes(matrix_type_of(tensor->type), rows / place->parts, cols);
}

/* Gives every tensor its place, in the order of the file. Packed in place, tensor after tensor,
 * none may be written over what has not been read: the image begins so far into the memory that no
 * tensor's packed end lies beyond its end in the image. */
static void lay_out(struct loader *l, struct model_plan *plan) {
    uint64_t n = gguf_tensor_count(l->file), at = 0, read = 0, image_at = 0;
    for (uint64_t i = 0; i < n; i++) l->order[i] = gguf_tensor_at(l->file, i);
    sort(l->order, (size_t)n, sizeof(const struct gguf_tensor *), compare_offsets);
    for (uint64_t i = 0; i < n; i++) {
        const struct gguf_tensor *tensor = l->order[i];
        struct place *place = place_of(l, tensor);
        uint64_t end = tensor->offset + tensor->bytes;
        /* without a place it would be silently left out of the sum */
        if (!place->parts)
            refuse(l, tensor, STATUS_UNSUPPORTED, "tensor_no_place");
        else if (tensor->offset < read)
            refuse(l, tensor, STATUS_BAD_FILE, "tensor_overlaps");
        if (l->status) return;
        place->at = at;
        if (at > tensor->offset + image_at) image_at = at - tensor->offset;
        at = (at + place_bytes(tensor, place) + 63) / 64 * 64;
        if (at > end + image_at) image_at = at - end;
        read = end;
    }
    plan->weights = at;
    plan->image_at = image_at;
    plan->bytes = (image_at + gguf_size(l->file) + 63) / 64 * 64;
    if (plan->bytes < at) plan->bytes = at;
}

/* Opens everything but the weights, up to the plan; loader_close undoes it. */
static enum status loader_open(struct loader *l, struct model_plan *plan) {
    size_t n = (size_t)gguf_tensor_count(l->file);
    l->model = calloc(1, sizeof *l->model);
    l->places = calloc(n + 1, sizeof *l->places);
    l->order = calloc(n + 1, sizeof *l->order);
    if (!l->model || !l->places || !l->order)
        return fault_set(l->fault, STATUS_OUT_OF_MEMORY, "no_memory_open", "");
    l->status = model_shape_read(&l->model->shape, l->file, l->fault);
    if (l->status) return l->status;
    l->model->layers = calloc(l->model->shape.n_layer, sizeof *l->model->layers);
    if (!l->model->layers) return fault_set(l->fault, STATUS_OUT_OF_MEMORY, "no_memory_open", "");
    bind(l);
    plan->shape = l->model->shape;
    if (!l->status) lay_out(l, plan);
    return l->status;
}

static void loader_close(struct loader *l) {
    model_close(l->model);
    free(l->places);
    free(l->order);
}

/* Packs every tensor, in the order of the file. */
static enum status pack_all(struct loader *l) {
    uint64_t cols = 1, n = gguf_tensor_count(l->file);
    for (uint64_t i = 0; i < n; i++)
        if (l->order[i]->shape[0] > cols) cols = l->order[i]->shape[0];
    float *scratch = calloc((size_t)cols, MATRIX_BLOCK * sizeof *scratch);
    if (!scratch) return fault_set(l->fault, STATUS_OUT_OF_MEMORY, "no_memory_pack", "");
    for (uint64_t i = 0; i < n; i++) {
        const struct gguf_tensor *tensor = l->order[i];
        const struct place *place = place_of(l, tensor);
        uint64_t rows = tensor->shape[1] / place->parts, width = tensor->shape[0];
        for (uint32_t part = 0; part < place->parts && !place->plain; part++) {
            struct matrix m = {matrix_type_of(tensor->type), NULL, (uint32_t)rows, (uint32_t)width};
            m.data = address(l, place->at + part * matrix_bytes(m.type, rows, width));
            matrix_pack(&m, tensor, part * rows, scratch);
        }
        for (uint64_t r = 0; r < rows && place->plain; r++) {
            gguf_widen(tensor, r * width, width, scratch);
            memcpy(address(l, place->at + r * width * sizeof *scratch), scratch,
                   (size_t)width * sizeof *scratch);
        }
    }
    free(scratch);
    return STATUS_OK;
}

enum status model_measure(struct model_plan *plan, const struct gguf *file, struct fault *fault) {
    struct loader l = {.file = file, .fault = fault};
    enum status status = loader_open(&l, plan);
    loader_close(&l);
    return status;
}

/* Packs into `memory`, or with NULL into memory of the model's own. */
static enum status open_model(struct model **out, const struct gguf *file, void *memory,
                              struct fault *fault) {
    struct loader l = {.file = file, .fault = fault};
    struct model_plan plan = {.bytes = 0};
    *out = NULL;
    enum status status = loader_open(&l, &plan);
    uint64_t bytes = memory ? plan.bytes : plan.weights;
    if (!status) {
        l.memory = memory                   ? memory
                   : bytes <= SIZE_MAX - 64 ? aligned_alloc(64, (size_t)bytes)
                                            : NULL;
        if (l.memory) bind(&l);
        status = l.memory
                     ? pack_all(&l)
                     : fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_weights", "n:u", bytes);
    }
    if (!status) {
        l.model->memory = l.memory;
        l.model->bytes = bytes;
        *out = l.model;
        l.model = NULL;
    } else if (!memory) {
        free(l.memory);
    }
    loader_close(&l);
    return status;
}

enum status model_open_in(struct model **out, const struct gguf *file, void *memory,
                          struct fault *fault) {
    return open_model(out, file, memory, fault);
}

enum status model_open(struct model **out, const struct gguf *file, struct fault *fault) {
    return open_model(out, file, NULL, fault);
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
