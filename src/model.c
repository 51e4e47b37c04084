/* Finds every tensor that an architecture needs, checks its shape and packs it; a new architecture
 * is one more bind function and its keys in model_shape.c. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "model_shape.h"

enum { NAME_MAX_BYTES = 64, OUTSIDE_BLOCKS = -1 };

/* A loader that stops at the first failure: once `status` is set, further loads do nothing. `used`
 * marks the tensors that found a place; `row` holds one widened row. */
struct loader {
    const struct gguf *file;
    struct model *model;
    bool *used;
    float *row;
    enum status status;
    struct fault *fault;
};

/* "blk.3.attn_q.weight", or the suffix alone outside the blocks. */
static void tensor_name(char name[NAME_MAX_BYTES], int layer, const char *suffix) {
    char digits[8];
    size_t n = 0, used = 0;
    if (layer != OUTSIDE_BLOCKS) {
        memcpy(name, "blk.", used = 4);
        do digits[n++] = (char)('0' + layer % 10);
        while (layer /= 10);
        while (n) name[used++] = digits[--n];
        name[used++] = '.';
    }
    strcpy(name + used, suffix);
}

/* Finds a tensor of the given shape and marks it used; NULL on failure. */
static const struct gguf_tensor *find(struct loader *l, int layer, const char *suffix,
                                      uint64_t cols, uint64_t rows) {
    char name[NAME_MAX_BYTES];
    if (l->status) return NULL;
    tensor_name(name, layer, suffix);
    const struct gguf_tensor *tensor = gguf_tensor_find(l->file, name);
    if (!tensor) {
        l->status = fault_set(l->fault, STATUS_BAD_FILE, "tensor %s is missing", name);
        return NULL;
    }
    const uint64_t *shape = tensor->shape;
    if (shape[0] != cols || shape[1] != rows || shape[2] != 1 || shape[3] != 1) {
        l->status = fault_set(l->fault, STATUS_BAD_FILE,
                              "tensor %s: shape must be %u x %u, got %u x %u x %u x %u", name, cols,
                              rows, shape[0], shape[1], shape[2], shape[3]);
        return NULL;
    }
    l->used[tensor - gguf_tensor_at(l->file, 0)] = true;
    return tensor;
}

static bool present(const struct loader *l, int layer, const char *suffix) {
    char name[NAME_MAX_BYTES];
    tensor_name(name, layer, suffix);
    return gguf_tensor_find(l->file, name) != NULL;
}

/* Memory for `count` floats on a cache line, or NULL with the status set. */
static float *allocate(struct loader *l, uint64_t count) {
    uint64_t bytes = (count + 15) / 16 * 64;
    float *data = bytes <= SIZE_MAX / 2 ? aligned_alloc(64, (size_t)bytes) : NULL;
    if (!data)
        l->status =
            fault_set(l->fault, STATUS_OUT_OF_MEMORY, "no memory for %u bytes of weights", bytes);
    return data;
}

static float *copy_values(struct loader *l, const struct gguf_tensor *tensor, uint64_t first,
                          uint64_t count) {
    float *out = tensor && !l->status ? allocate(l, count) : NULL;
    if (out) gguf_widen(tensor, first, count, out);
    return out;
}

static float *vector(struct loader *l, int layer, const char *suffix, uint64_t n) {
    return copy_values(l, find(l, layer, suffix, n, 1), 0, n);
}

static float *optional_vector(struct loader *l, int layer, const char *suffix, uint64_t n) {
    return present(l, layer, suffix) ? vector(l, layer, suffix, n) : NULL;
}

/* Rows first_row .. first_row + rows of the tensor, in the packing of struct matrix. */
static struct matrix pack(struct loader *l, const struct gguf_tensor *tensor, uint64_t first_row,
                          uint32_t rows, uint32_t cols) {
    struct matrix m = {NULL, rows, cols};
    uint64_t blocks = ((uint64_t)rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
    if (l->status || !tensor) return m;
    m.data = allocate(l, blocks * MATRIX_BLOCK * cols);
    if (!m.data) return m;
    for (uint64_t r = 0; r < blocks * MATRIX_BLOCK; r++) {
        float *block = m.data + r / MATRIX_BLOCK * MATRIX_BLOCK * cols + r % MATRIX_BLOCK;
        if (r < rows)
            gguf_widen(tensor, (first_row + r) * cols, cols, l->row);
        else
            memset(l->row, 0, cols * sizeof *l->row);
        for (size_t c = 0; c < cols; c++) block[c * MATRIX_BLOCK] = l->row[c];
    }
    return m;
}

static struct matrix matrix(struct loader *l, int layer, const char *suffix, uint32_t rows,
                            uint32_t cols) {
    return pack(l, find(l, layer, suffix, cols, rows), 0, rows, cols);
}

/* GPT-2 keeps the three projections in one tensor, rows of q, then k, then v. */
static void bind_gpt2_qkv(struct loader *l, int i, struct model_layer *layer) {
    uint32_t n = l->model->shape.n_embd;
    const struct gguf_tensor *w = find(l, i, "attn_qkv.weight", n, (uint64_t)3 * n);
    const struct gguf_tensor *b = find(l, i, "attn_qkv.bias", (uint64_t)3 * n, 1);
    layer->wq = pack(l, w, 0, n, n);
    layer->wk = pack(l, w, n, n, n);
    layer->wv = pack(l, w, (uint64_t)2 * n, n, n);
    layer->bq = copy_values(l, b, 0, n);
    layer->bk = copy_values(l, b, n, n);
    layer->bv = copy_values(l, b, (uint64_t)2 * n, n);
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
        m->position_embd = copy_values(
            l, find(l, OUTSIDE_BLOCKS, "position_embd.weight", s->n_embd, s->context_length), 0,
            (uint64_t)s->context_length * s->n_embd);
    for (uint32_t i = 0; i < s->n_layer && !l->status; i++)
        (gpt2 ? bind_gpt2_layer : bind_llama_layer)(l, (int)i, &m->layers[i]);
    m->output_norm_weight = vector(l, OUTSIDE_BLOCKS, "output_norm.weight", s->n_embd);
    if (gpt2) m->output_norm_bias = vector(l, OUTSIDE_BLOCKS, "output_norm.bias", s->n_embd);
    m->output = present(l, OUTSIDE_BLOCKS, "output.weight")
                    ? matrix(l, OUTSIDE_BLOCKS, "output.weight", s->vocab_size, s->n_embd)
                    : m->token_embd;
}

/* A tensor without a place would be silently left out of the sum: refused by name. */
static void refuse_unused(struct loader *l) {
    for (uint64_t i = 0; i < gguf_tensor_count(l->file) && !l->status; i++) {
        struct gguf_string name = gguf_tensor_at(l->file, i)->name;
        char shown[NAME_MAX_BYTES] = {0};
        if (l->used[i]) continue;
        for (size_t c = 0; c < name.length && c + 1 < sizeof shown; c++)
            shown[c] = name.data[c] > 0x20 && name.data[c] < 0x7f ? name.data[c] : '?';
        l->status = fault_set(l->fault, STATUS_UNSUPPORTED,
                              "tensor %s has no place in this architecture", shown);
    }
}

enum status model_open(struct model **out, const struct gguf *file, struct fault *fault) {
    struct model *model = calloc(1, sizeof *model);
    struct loader l = {file, model, NULL, NULL, STATUS_OK, fault};
    *out = NULL;
    if (!model) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no memory to open a model");
    struct model_shape *s = &model->shape;
    l.status = model_shape_read(s, file, fault);
    if (!l.status) {
        model->layers = calloc(s->n_layer, sizeof *model->layers);
        l.used = calloc((size_t)gguf_tensor_count(file) + 1, sizeof *l.used);
        l.row = calloc(s->n_ff > s->n_embd ? s->n_ff : s->n_embd, sizeof *l.row);
        if (!model->layers || !l.used || !l.row)
            l.status = fault_set(fault, STATUS_OUT_OF_MEMORY, "no memory to open a model");
    }
    if (!l.status) bind(&l);
    if (!l.status) refuse_unused(&l);
    free(l.used);
    free(l.row);
    if (l.status)
        model_close(model);
    else
        *out = model;
    return l.status;
}

static void close_layer(struct model_layer *layer) {
    float *const all[] = {layer->attn_norm_weight,
                          layer->attn_norm_bias,
                          layer->wq.data,
                          layer->wk.data,
                          layer->wv.data,
                          layer->bq,
                          layer->bk,
                          layer->bv,
                          layer->wo.data,
                          layer->bo,
                          layer->ffn_norm_weight,
                          layer->ffn_norm_bias,
                          layer->gate.data,
                          layer->up.data,
                          layer->bup,
                          layer->down.data,
                          layer->bdown};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

void model_close(struct model *model) {
    if (!model) return;
    for (uint32_t i = 0; model->layers && i < model->shape.n_layer; i++)
        close_layer(&model->layers[i]);
    if (model->output.data != model->token_embd.data) free(model->output.data);
    free(model->token_embd.data);
    free(model->position_embd);
    free(model->output_norm_weight);
    free(model->output_norm_bias);
    free(model->layers);
    free(model);
}

void model_embed(const struct model *model, uint32_t id, float *out) {
    const struct matrix *m = &model->token_embd;
    const float *row =
        m->data + (size_t)(id / MATRIX_BLOCK) * MATRIX_BLOCK * m->cols + id % MATRIX_BLOCK;
    for (size_t c = 0; c < m->cols; c++) out[c] = row[c * MATRIX_BLOCK];
}
