/* One timeline over a model. The function `forward` is the transformer. It evaluates a batch of
 * consecutive positions and reads the keys and values of earlier positions from the cache. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "threads.h"

enum { BATCH = 32 }; /* positions that share one pass over the weights */

/* Invariant: cache rows [0 .. n_cached) contain the keys and values of timeline[0 .. n_cached); row
 * i is position i. A failed feed or a sliding window may lower n_cached; nothing raises it beyond
 * n_timeline. */
struct session {
    const struct model *model;
    const struct kernels *kernels;
    size_t context;     /* ids in the window */
    uint32_t *timeline; /* (SESSION_TIMELINE_MAX,) */
    size_t n_timeline, n_cached;
    float *keys;   /* for each layer (n_head_kv, context, n_embd_head), so that a head reads one
                      stream; for a short convolution its inputs (context, n_embd) */
    float *values; /* in the layout of `keys`; short convolutions have none */
    float *arena;  /* one allocation that contains every array of floats below */
    float *logits; /* (vocab_size,) of the last feed that succeeded */
    float *next_logits;    /* (vocab_size,) */
    float *hidden;         /* (n_embd,) the head's input for `logits` */
    float *x;              /* (BATCH, n_embd) the residual stream */
    float *normed;         /* (BATCH, n_embd) */
    float *q;              /* (BATCH, n_q), n_q = n_head * n_embd_head */
    float *k, *v;          /* (BATCH, n_kv), n_kv = n_head_kv * n_embd_head */
    float *mixed;          /* (BATCH, n_q) outputs of the heads, side by side */
    float *before, *after; /* (BATCH, n_embd) the gates of a short convolution */
    float *block;          /* (BATCH, n_embd) output of a part, to add to the residual stream */
    float *up;             /* (BATCH, n_ff) inside the feed-forward part */
    float *gate;           /* (BATCH, n_ff) */
    float *scores;         /* (context,) */
    float *cosine, *sine;  /* (ROTATIONS, BATCH, n_rot / 2) */
    struct quants *quants; /* (widest / 32, BATCH) quantised input of matrices */
    double *frequencies;   /* (ROTATIONS, n_rot / 2) radians per position */
};

enum { ROTATIONS = 2 }; /* ROTATION_GLOBAL, ROTATION_LOCAL */

/* Cuts arrays out of a block, on 64-byte boundaries. If `base` is NULL, only counts floats. */
struct carver {
    float *base;
    uint64_t used;
};

static float *carve(struct carver *carver, uint64_t count) {
    float *array = carver->base ? carver->base + carver->used : NULL;
    carver->used += (count + 15) / 16 * 16;
    return array;
}

static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Lays out the arrays from `base` and returns their total number of floats, below 2^50. */
static uint64_t lay_out_arrays(struct session *s, const struct model_shape *m, float *base) {
    uint64_t n_q = (uint64_t)m->n_head * m->n_embd_head;
    uint64_t n_kv = (uint64_t)m->n_head_kv * m->n_embd_head;
    struct carver carver = {base, 0};
    s->logits = carve(&carver, m->vocab_size);
    s->next_logits = carve(&carver, m->vocab_size);
    s->hidden = carve(&carver, m->n_embd);
    s->x = carve(&carver, (uint64_t)BATCH * m->n_embd);
    s->normed = carve(&carver, (uint64_t)BATCH * m->n_embd);
    s->q = carve(&carver, BATCH * n_q);
    s->k = carve(&carver, BATCH * n_kv);
    s->v = carve(&carver, BATCH * n_kv);
    s->mixed = carve(&carver, BATCH * n_q);
    s->before = carve(&carver, m->n_taps ? (uint64_t)BATCH * m->n_embd : 0);
    s->after = carve(&carver, m->n_taps ? (uint64_t)BATCH * m->n_embd : 0);
    s->block = carve(&carver, (uint64_t)BATCH * m->n_embd);
    s->up = carve(&carver, (uint64_t)BATCH * m->n_ff);
    s->gate = carve(&carver, m->activation < ACTIVATION_GELU ? (uint64_t)BATCH * m->n_ff : 0);
    s->scores = carve(&carver, s->context);
    s->cosine = carve(&carver, (uint64_t)ROTATIONS * BATCH * m->rope.n_rot / 2);
    s->sine = carve(&carver, (uint64_t)ROTATIONS * BATCH * m->rope.n_rot / 2);
    uint64_t groups = max_u64(max_u64(m->n_ff, m->n_embd), n_q) / MATRIX_GROUP;
    s->quants = (void *)carve(
        &carver, m->quantised ? BATCH * groups * sizeof(struct quants) / sizeof(float) : 0);
    return carver.used;
}

/* Bytes of keys or values with `width` floats per position, below 2^50: a multiple of 64. */
static uint64_t cache_bytes(uint64_t width, uint64_t context) {
    return (width * context + 15) / 16 * 16 * sizeof(float);
}

uint32_t session_context(const struct model_shape *shape, uint32_t context) {
    uint32_t longest = shape->context_length;
    if (context) return context;
    return longest < SESSION_CONTEXT_DEFAULT ? longest : SESSION_CONTEXT_DEFAULT;
}

uint64_t session_bytes(const struct model_shape *shape, uint32_t context) {
    struct session s = {.context = session_context(shape, context)};
    return cache_bytes(shape->key_width, s.context) + cache_bytes(shape->value_width, s.context) +
           lay_out_arrays(&s, shape, NULL) * sizeof(float) + sizeof s +
           SESSION_TIMELINE_MAX * sizeof *s.timeline +
           sizeof *s.frequencies * ROTATIONS * (shape->rope.n_rot / 2);
}

enum status session_check(const struct model_shape *shape, uint32_t context, struct fault *fault) {
    if (context <= shape->context_length) return STATUS_OK;
    return fault_set(fault, STATUS_OUT_OF_RANGE, "context_beyond_model", "limit:u value:u",
                     (uint64_t)shape->context_length, (uint64_t)context);
}

/* Allocates bytes on a 64-byte boundary; NULL if memory is short. Refuses more than half of the
 * address space, because differences of pointers would overflow. */
static float *allocate(uint64_t bytes) {
    if (!bytes) bytes = 64; /* `bytes` is 0 if no layer has values */
    return bytes <= SIZE_MAX / 2 ? aligned_alloc(64, (size_t)bytes) : NULL;
}

/* LongRoPE uses its long divisors if the session's context exceeds the context of the original
 * training. All positions of a session use the same divisors, so the cache never mixes them. */
static void set_frequencies(struct session *s) {
    const struct model *model = s->model;
    const struct rope *rope = &model->shape.rope;
    const float *divisors = model->rope_divisors;
    if (model->rope_divisors_long)
        divisors = s->context > rope->original_context ? model->rope_divisors_long
                                                       : model->rope_divisors_short;
    rope_frequencies(s->frequencies, rope, divisors);
    if (rope->local_freq_base > 0) rope_local_frequencies(s->frequencies + rope->n_rot / 2, rope);
}

/* Keys, values and the other arrays are separate blocks: one block for all could exceed the largest
 * size that can be allocated. */
enum status session_open(struct session **out, const struct model *model, uint32_t context,
                         const struct kernels *kernels, struct fault *fault) {
    const struct model_shape *m = &model->shape;
    *out = NULL;
    enum status status = session_check(m, context, fault);
    if (status) return status;
    struct session *s = calloc(1, sizeof *s);
    if (!s) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_session", "");
    s->model = model;
    s->kernels = kernels;
    s->context = session_context(m, context);
    uint64_t keys = cache_bytes(m->key_width, s->context);
    uint64_t values = cache_bytes(m->value_width, s->context);
    uint64_t rest = lay_out_arrays(s, m, NULL) * sizeof(float);
    s->keys = allocate(keys);
    s->values = allocate(values);
    s->arena = allocate(rest);
    s->timeline = malloc(SESSION_TIMELINE_MAX * sizeof *s->timeline);
    s->frequencies = malloc(sizeof *s->frequencies * (ROTATIONS * (m->rope.n_rot / 2) + 1));
    if (!s->keys || !s->values || !s->arena || !s->timeline || !s->frequencies) {
        session_close(s);
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_cache", "n:u",
                         keys + values + rest);
    }
    lay_out_arrays(s, m, s->arena);
    set_frequencies(s);
    *out = s;
    return STATUS_OK;
}

void session_close(struct session *s) {
    if (!s) return;
    free(s->keys);
    free(s->values);
    free(s->arena);
    free(s->timeline);
    free(s->frequencies);
    free(s);
}

void session_use(struct session *s, const struct kernels *kernels) { s->kernels = kernels; }
const float *session_logits(const struct session *s) { return s->n_timeline ? s->logits : NULL; }
const float *session_hidden(const struct session *s) { return s->n_timeline ? s->hidden : NULL; }

const uint32_t *session_timeline(const struct session *s, size_t *n) {
    *n = s->n_timeline;
    return s->timeline;
}

/* Returns the index of a rotation's first angle in `cosine` and `sine`. */
static size_t rotation_at(const struct session *s, enum rotation rotation) {
    return (size_t)(rotation - ROTATION_GLOBAL) * BATCH * (s->model->shape.rope.n_rot / 2);
}

/* Computes cosines and sines for positions [first .. first + n). RoFormer, section 3.2.2. */
static void compute_angles(struct session *s, enum rotation rotation, size_t first, size_t n) {
    const struct rope *rope = &s->model->shape.rope;
    size_t n_pairs = rope->n_rot / 2, at = rotation_at(s, rotation);
    const double *frequencies = s->frequencies + (size_t)(rotation - ROTATION_GLOBAL) * n_pairs;
    for (size_t t = 0; t < n; t++) {
        for (size_t i = 0; i < n_pairs; i++) {
            double angle = (double)(first + t) * frequencies[i];
            s->cosine[at + t * n_pairs + i] = (float)(rope->magnitude * elementary_cos(angle));
            s->sine[at + t * n_pairs + i] = (float)(rope->magnitude * elementary_sin(angle));
        }
    }
}

/* Rotates every head of n rows in place; a row has `heads` heads. */
static void rotate_heads(const struct session *s, enum rotation rotation, float *rows, size_t heads,
                         size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t n_pairs = m->rope.n_rot / 2;
    if (rotation == ROTATION_NONE) return;
    size_t at = rotation_at(s, rotation);
    for (size_t t = 0; t < n; t++, at += n_pairs)
        for (size_t h = 0; h < heads; h++, rows += m->n_embd_head)
            (m->architecture->halves ? s->kernels->rotate_halves : s->kernels->rotate)(
                rows, s->cosine + at, s->sine + at, n_pairs);
}

/* Norms n rows of `size` floats. If `weight` is NULL, copies the rows. */
static void norm_rows(const struct session *s, float *out, const float *x, const float *weight,
                      const float *bias, size_t size, size_t n) {
    float eps = s->model->shape.norm_eps;
    for (size_t t = 0; t < n; t++, x += size, out += size) {
        if (bias)
            s->kernels->layer_norm(out, x, weight, bias, size, eps);
        else if (weight)
            s->kernels->rms_norm(out, x, weight, size, eps);
        else if (out != x)
            memcpy(out, x, size * sizeof *x);
    }
}

/* Norms n rows of q or k in place: each head separately, or whole rows of n_heads heads. */
static void norm_heads(const struct session *s, float *rows, const float *weight, size_t n_heads,
                       size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t together = m->architecture->qk_norm == QK_NORM_HEADS ? 1 : n_heads;
    norm_rows(s, rows, rows, weight, NULL, m->n_embd_head * together, n * n_heads / together);
}

static void scale_by(float *x, float factor, size_t n) {
    for (size_t i = 0; i < n && factor != 1; i++) x[i] *= factor;
}

/* Copies n rows of keys or values, from position `first`, to a cache (n_head_kv, context, size). */
static void write_cache(const struct session *s, float *cache, const float *rows, size_t first,
                        size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t size = m->n_embd_head;
    for (size_t t = 0; t < n; t++)
        for (size_t h = 0; h < m->n_head_kv; h++, rows += size)
            memcpy(cache + (h * s->context + first + t) * size, rows, size * sizeof *rows);
}

/* The input of attention for n positions from `first` on. */
struct heads {
    const struct session *s;
    const float *keys, *values;
    size_t window, first, n, n_head;
};

/* mixed (n, count, n_embd_head) = softmax(scale q . k) v of heads [from .. from + count) over the
 * last `window` positions up to the current position; window 0 means all. n_head / n_head_kv heads
 * share keys and values. */
static void attend_heads(const void *task, float *mixed, size_t from, size_t count, float *scores) {
    const struct heads *heads = task;
    const struct session *s = heads->s;
    const struct model_shape *m = &s->model->shape;
    size_t size = m->n_embd_head, shared = m->n_head / m->n_head_kv;
    struct attention head = {.q = s->q + from * size,
                             .size = size,
                             .scale = m->attention_scale,
                             .cap = m->attention_cap};
    for (size_t t = 0; t < heads->n; t++, head.q += (heads->n_head - count) * size) {
        size_t end = heads->first + t + 1, window = heads->window;
        head.n = window && window < end ? window : end;
        for (size_t h = from; h < from + count; h++, head.q += size, mixed += size) {
            size_t kv = (h / shared * s->context + end - head.n) * size;
            head.keys = heads->keys + kv;
            head.values = heads->values + kv;
            s->kernels->attention(mixed, scores, &head);
        }
    }
}

static void attend(struct session *s, const float *keys, const float *values, size_t window,
                   size_t first, size_t n) {
    const struct model_shape *m = &s->model->shape;
    struct heads heads = {s, keys, values, window, first, n, m->n_head};
    /* A multiplication of floats takes four times as long as one of a quantised matrix. */
    uint64_t cost = (uint64_t)8 * n * (first + n) * m->n_head * m->n_embd_head;
    struct threads_result result = {s->mixed, n, m->n_head, m->n_embd_head, 1, s->context, cost};
    threads_split(s->kernels->threads, attend_heads, &heads, sizeof heads, &result, s->scores);
}

/* Quantises x (n, cols) once for all quantised matrices that read x. */
static void quantise(struct session *s, const float *x, size_t cols, size_t n) {
    if (s->model->shape.quantised && cols % MATRIX_GROUP == 0)
        s->kernels->quantise(s->quants, x, cols, n);
}

static void multiply(struct session *s, float *out, const struct matrix *w, const float *bias,
                     const float *x, size_t n) {
    if (threads_multiply(s->kernels, out, w, bias, x, s->quants, n)) return;
    if (w->type == GGUF_F32)
        s->kernels->matmul(out, w, bias, x, n);
    else
        s->kernels->matmul_quants(out, w, bias, s->quants, n, s->kernels->streams);
}

/* block (n, n_embd) = attention over normed (n, n_embd). Writes keys and values to the caches. */
static void run_attention(struct session *s, const struct model_layer *layer, float *keys,
                          float *values, size_t first, size_t n) {
    const struct model_shape *m = &s->model->shape;
    multiply(s, s->q, &layer->wq, layer->bq, s->normed, n); /* (n, n_q) */
    multiply(s, s->k, &layer->wk, layer->bk, s->normed, n); /* (n, n_kv) */
    multiply(s, s->v, &layer->wv, layer->bv, s->normed, n); /* (n, n_kv) */
    norm_heads(s, s->q, layer->q_norm_weight, m->n_head, n);
    norm_heads(s, s->k, layer->k_norm_weight, m->n_head_kv, n);
    rotate_heads(s, layer->rotation, s->q, m->n_head, n);
    rotate_heads(s, layer->rotation, s->k, m->n_head_kv, n);
    write_cache(s, keys, s->k, first, n);
    write_cache(s, values, s->v, first, n);
    attend(s, keys, values, layer->window, first, n); /* mixed (n, n_q) */
    quantise(s, s->mixed, (size_t)m->n_head * m->n_embd_head, n);
    multiply(s, s->block, &layer->wo, layer->bo, s->mixed, n);
}

/* block (n, n_embd) = a short convolution over normed (n, n_embd). For each element it sums the
 * last n_taps positions, oldest first; one gate multiplies the inputs, another the sums. The cache
 * stores the gated inputs (context, n_embd). Liquid AI 2025, LFM2. */
static void run_convolution(struct session *s, const struct model_layer *layer, float *inputs,
                            size_t first, size_t n) {
    size_t n_embd = s->model->shape.n_embd, n_taps = s->model->shape.n_taps;
    float *input = inputs + first * n_embd;
    multiply(s, s->before, &layer->conv_before, NULL, s->normed, n);
    multiply(s, s->after, &layer->conv_after, NULL, s->normed, n);
    multiply(s, input, &layer->conv_value, NULL, s->normed, n);
    s->kernels->times(input, s->before, n * n_embd);
    for (size_t t = 0; t < n; t++) {
        size_t end = first + t + 1, missing = n_taps > end ? n_taps - end : 0;
        for (size_t carver = 0; carver < n_embd; carver++) {
            float sum = 0;
            for (size_t j = missing; j < n_taps; j++)
                sum += layer->conv_kernel[carver * n_taps + j] *
                       inputs[(end + j - n_taps) * n_embd + carver];
            s->after[t * n_embd + carver] *= sum;
        }
    }
    quantise(s, s->after, n_embd, n);
    multiply(s, s->block, &layer->conv_output, NULL, s->after, n);
}

/* x (n,) = max(x, 0), or its square. */
static void relu(float *x, bool squared, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] < 0) x[i] = 0;
        if (squared) x[i] *= x[i];
    }
}

/* Applies an activation without a gate to x (n,). */
static void activate(const struct session *s, float *x, size_t n) {
    enum activation activation = s->model->shape.activation;
    if (activation == ACTIVATION_GELU)
        s->kernels->gelu(x, n);
    else if (activation == ACTIVATION_GELU_ERF)
        s->kernels->gelu_erf(x, n);
    else
        relu(x, activation == ACTIVATION_RELU_SQUARED, n);
}

/* block (n, n_embd) = the feed-forward part of normed (n, n_embd). Gates: Shazeer 2020. */
static void run_feed_forward(struct session *s, const struct model_layer *layer, size_t n) {
    const struct model_shape *m = &s->model->shape;
    const struct kernels *k = s->kernels;
    float *active = s->up;
    multiply(s, s->up, &layer->up, layer->bup, s->normed, n); /* (n, n_ff) */
    if (m->activation >= ACTIVATION_GELU) {
        activate(s, s->up, n * m->n_ff);
    } else {
        active = s->gate;
        multiply(s, s->gate, &layer->gate, layer->bgate, s->normed, n); /* (n, n_ff) */
        if (m->activation == ACTIVATION_SWIGLU) {
            k->swiglu(s->gate, s->up, n * m->n_ff);
        } else {
            k->gelu(s->gate, n * m->n_ff);
            k->times(s->gate, s->up, n * m->n_ff);
        }
    }
    quantise(s, active, m->n_ff, n);
    multiply(s, s->block, &layer->down, layer->bdown, active, n);
}

/* Adds the block to the residual stream x. Before that, norms and scales the block if the
 * architecture does. */
static void add_block(struct session *s, const float *post_norm_weight, size_t n) {
    const struct model_shape *m = &s->model->shape;
    norm_rows(s, s->block, s->block, post_norm_weight, NULL, m->n_embd, n);
    scale_by(s->block, m->residual_scale, n * m->n_embd);
    s->kernels->add(s->x, s->block, n * m->n_embd);
}

/* Runs ids[0 .. n) at positions [first .. first + n), n <= BATCH, and writes their keys and values
 * to the caches. Writes the logits of the last n_heads positions to `logits` (n_heads, vocab_size)
 * and the head's inputs to `normed`. architecture.c names the papers. */
static void forward(struct session *s, const uint32_t *ids, size_t first, size_t n, float *logits,
                    size_t n_heads) {
    const struct model *model = s->model;
    const struct model_shape *m = &model->shape;
    size_t n_embd = m->n_embd;
    float *keys = s->keys, *values = s->values;

    for (size_t t = 0; t < n; t++) /* x (n, n_embd) */
        model_embed(model, ids[t], s->x + t * n_embd);
    scale_by(s->x, m->embedding_scale, n * n_embd);
    if (model->position_embd)
        s->kernels->add(s->x, model->position_embd + first * n_embd, n * n_embd);
    compute_angles(s, ROTATION_GLOBAL, first, n);
    if (m->rope.local_freq_base > 0) compute_angles(s, ROTATION_LOCAL, first, n);

    for (size_t i = 0; i < m->n_layer; i++) {
        const struct model_layer *layer = &model->layers[i];
        size_t n_kv = (size_t)layer->n_head_kv * m->n_embd_head;

        norm_rows(s, s->normed, s->x, layer->attn_norm_weight, layer->attn_norm_bias, n_embd, n);
        quantise(s, s->normed, n_embd, n);
        if (layer->n_head_kv)
            run_attention(s, layer, keys, values, first, n);
        else
            run_convolution(s, layer, keys, first, n);
        keys += s->context * (n_kv ? n_kv : n_embd);
        values += s->context * n_kv;

        if (!m->parallel) add_block(s, layer->attn_post_norm_weight, n);
        norm_rows(s, s->normed, s->x, layer->ffn_norm_weight, layer->ffn_norm_bias, n_embd, n);
        if (m->parallel) add_block(s, layer->attn_post_norm_weight, n);
        quantise(s, s->normed, n_embd, n);
        run_feed_forward(s, layer, n);
        add_block(s, layer->ffn_post_norm_weight, n);
    }
    if (!n_heads) return;
    norm_rows(s, s->normed, s->x + (n - n_heads) * n_embd, model->output_norm_weight,
              model->output_norm_bias, n_embd, n_heads);
    quantise(s, s->normed, n_embd, n_heads);
    multiply(s, logits, &model->output, model->output_bias, s->normed, n_heads);
    scale_by(logits, m->logit_scale, n_heads * m->vocab_size);
    if (m->logit_cap > 0) s->kernels->soft_cap(logits, n_heads * m->vocab_size, m->logit_cap);
}

static enum status check_ids(const struct session *s, const uint32_t *ids, size_t n,
                             struct fault *fault) {
    uint64_t vocab_size = s->model->shape.vocab_size;
    if (!n) return fault_set(fault, STATUS_EMPTY, "nothing_to_feed", "");
    if (n > SESSION_TIMELINE_MAX)
        return fault_set(fault, STATUS_TOO_LONG, "timeline_full", "limit:u n:u",
                         (uint64_t)SESSION_TIMELINE_MAX, (uint64_t)n);
    for (size_t i = 0; i < n; i++)
        if (ids[i] >= vocab_size)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN, "token_outside", "id:u at:u limit:u",
                             (uint64_t)ids[i], (uint64_t)i, vocab_size);
    return STATUS_OK;
}

/* True if all logits are valid, not NaN or +Infinity; with -Infinity the token cannot follow. */
static bool all_below_infinity(const float *logits, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(logits[i] < INFINITY)) return false;
    return true;
}

/* Returns the failure for logits after n ids that are not finite. */
static enum status refuse_logits(size_t n, struct fault *fault) {
    return fault_set(fault, STATUS_NOT_FINITE, "logits_not_finite", "n:u", (uint64_t)(n - 1));
}

static size_t common_prefix(const struct session *s, const uint32_t *ids, size_t n) {
    size_t common = 0, limit = n < s->n_timeline ? n : s->n_timeline;
    while (common < limit && ids[common] == s->timeline[common]) common++;
    return common;
}

/* Returns how many of the n positions of a batch are among the last n_rows positions; `after`
 * positions follow the batch. */
static size_t heads_in_batch(size_t n, size_t after, size_t n_rows) {
    size_t heads = n_rows > after ? n_rows - after : 0;
    return heads < n ? heads : n;
}

/* Evaluates the window of ids[0 .. n), except its first `kept` positions, which are in the cache.
 * Writes the logits of the last n_rows positions to `rows`; *hidden points to the head's input of
 * the last position. */
static enum status evaluate(struct session *s, const uint32_t *ids, size_t n, size_t kept,
                            float *rows, size_t n_rows, const float **hidden, struct fault *fault) {
    const struct model_shape *m = &s->model->shape;
    size_t window = n < s->context ? n : s->context;
    const uint32_t *shown = ids + (n - window); /* (window,) ids that the model sees */
    float *logits = rows;
    s->n_cached = kept;
    for (size_t first = kept; first < window; first += BATCH) {
        size_t left = window - first, batch = left < BATCH ? left : BATCH;
        size_t n_heads = heads_in_batch(batch, left - batch, n_rows);
        forward(s, shown + first, first, batch, logits, n_heads);
        logits += n_heads * m->vocab_size;
        if (n_heads) *hidden = s->normed + (n_heads - 1) * m->n_embd;
    }
    return all_below_infinity(rows, n_rows * m->vocab_size) ? STATUS_OK : refuse_logits(n, fault);
}

/* Returns the number of reusable positions in the cache. The last n_rows are always evaluated. */
static size_t reusable_positions(const struct session *s, const uint32_t *ids, size_t n, bool reuse,
                                 size_t n_rows) {
    size_t common = common_prefix(s, ids, n);
    size_t kept = common < s->n_cached ? common : s->n_cached;
    if (!reuse || n > s->context) return 0;
    return kept < n - n_rows ? kept : n - n_rows;
}

static enum status feed(struct session *s, const uint32_t *ids, size_t n, bool reuse, float *rows,
                        size_t n_rows, struct session_fed *fed, struct fault *fault) {
    const struct model_shape *m = &s->model->shape;
    if (!s->model->layers) return fault_set(fault, STATUS_UNSUPPORTED, "no_tensors", "");
    size_t window = n < s->context ? n : s->context,
           kept = reusable_positions(s, ids, n, reuse, n_rows);
    const float *hidden = s->normed;
    enum status status = evaluate(s, ids, n, kept, rows, n_rows, &hidden, fault);
    if (status) return status;
    memmove(s->timeline, ids, n * sizeof *ids); /* `ids` may point into the timeline */
    memcpy(s->logits, rows + (n_rows - 1) * m->vocab_size, m->vocab_size * sizeof *s->logits);
    memcpy(s->hidden, hidden, m->n_embd * sizeof *s->hidden);
    s->n_timeline = n;
    s->n_cached = n > s->context ? 0 : n;
    *fed = (struct session_fed){(uint32_t)(window - kept), (uint32_t)kept};
    return STATUS_OK;
}

enum status session_feed(struct session *s, const uint32_t *ids, size_t n, bool reuse,
                         struct session_fed *fed, struct fault *fault) {
    enum status status = check_ids(s, ids, n, fault);
    if (status) return status;
    if (reuse && n == s->n_timeline && common_prefix(s, ids, n) == n) {
        *fed = (struct session_fed){0, (uint32_t)(n < s->context ? n : s->context)};
        return STATUS_OK;
    }
    return feed(s, ids, n, reuse, s->next_logits, 1, fed, fault);
}

enum status session_feed_rows(struct session *s, const uint32_t *ids, size_t n, bool reuse,
                              float *rows, size_t n_rows, struct session_fed *fed,
                              struct fault *fault) {
    enum status status = check_ids(s, ids, n, fault);
    if (status) return status;
    uint64_t limit = n > s->context ? 1 : n;
    if (n_rows == 0 || n_rows > limit)
        return fault_set(fault, STATUS_OUT_OF_RANGE, "rows_beyond", "n:u limit:u", (uint64_t)n_rows,
                         limit);
    return feed(s, ids, n, reuse, rows, n_rows, fed, fault);
}

enum status session_accept(struct session *s, const uint32_t *ids, size_t n, const float *logits,
                           struct session_fed *fed, struct fault *fault) {
    size_t vocab_size = s->model->shape.vocab_size;
    enum status status = check_ids(s, ids, n, fault);
    if (status) return status;
    if (!all_below_infinity(logits, vocab_size)) return refuse_logits(n, fault);
    uint32_t common = (uint32_t)common_prefix(s, ids, n);
    *fed = (struct session_fed){(uint32_t)n - common, common};
    memmove(s->timeline, ids, n * sizeof *ids);
    memcpy(s->logits, logits, vocab_size * sizeof *logits);
    s->n_timeline = n;
    s->n_cached = 0;
    return STATUS_OK;
}

enum status session_copy(struct session *s, const struct session *from, struct fault *fault) {
    const struct model_shape *m = &s->model->shape;
    if (from->model != s->model || from->context != s->context)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "copy_differs", "");
    size_t key = 0, value = 0; /* offsets of the next stream in the caches */
    for (size_t i = 0; i < m->n_layer; i++) {
        size_t heads = s->model->layers[i].n_head_kv, streams = heads ? heads : 1;
        size_t size = heads ? m->n_embd_head : m->n_embd;
        for (; streams; streams--, key += s->context * size) {
            size_t bytes = from->n_cached * size * sizeof(float);
            memmove(s->keys + key, from->keys + key, bytes);
            if (!heads) continue;
            memmove(s->values + value, from->values + value, bytes);
            value += s->context * size;
        }
    }
    memmove(s->timeline, from->timeline, from->n_timeline * sizeof *s->timeline);
    memmove(s->logits, from->logits, m->vocab_size * sizeof *s->logits);
    memmove(s->hidden, from->hidden, m->n_embd * sizeof *s->hidden);
    s->n_timeline = from->n_timeline;
    s->n_cached = from->n_cached;
    return STATUS_OK;
}
