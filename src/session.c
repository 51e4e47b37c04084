/* One timeline over a model. Read `forward` top to bottom: it is the transformer, a batch of
 * consecutive positions at a time, the keys and values of earlier positions coming from the cache.
 */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"

enum { BATCH = 32 }; /* positions that share one pass over the weights */

/* Invariant: cache rows 0 .. n_cached hold the keys and values of timeline[0 .. n_cached), each at
 * the position of its index. A failed feed and a sliding window lower n_cached, never more. */
struct session {
    const struct model *model;
    const struct kernels *kernels;
    size_t context;     /* ids in the window */
    uint32_t *timeline; /* (SESSION_TIMELINE_MAX,) */
    size_t n_timeline, n_cached;
    float *keys;           /* (n_layer, n_head_kv, context, n_embd_head) */
    float *values;         /* the same: what a head reads is one stream */
    float *arena;          /* one block that holds every array of floats below */
    float *logits;         /* (vocab_size,) of the last feed that succeeded */
    float *next_logits;    /* (vocab_size,) */
    float *state;          /* (n_embd,) what those logits were made of */
    float *x;              /* (BATCH, n_embd) the residual stream */
    float *normed;         /* (BATCH, n_embd) */
    float *q;              /* (BATCH, n_embd) */
    float *k, *v;          /* (BATCH, n_kv), n_kv = n_head_kv * n_embd_head */
    float *mixed;          /* (BATCH, n_embd) heads side by side; then a block's output */
    float *hidden;         /* (BATCH, n_ff) */
    float *gate;           /* (BATCH, n_ff) llama */
    float *scores;         /* (context,) */
    float *cosine;         /* (BATCH, n_rot / 2) llama */
    float *sine;           /* (BATCH, n_rot / 2) */
    struct quants *quants; /* (max(n_embd, n_ff) / 32, BATCH) of what the next matrices read */
    double *frequencies;   /* (n_rot / 2,) radians a position */
};

/* Hands out arrays of a block on 64-byte borders; without a base it only counts. */
struct carver {
    float *base;
    uint64_t used;
};

static float *carve(struct carver *c, uint64_t count) {
    float *array = c->base ? c->base + c->used : NULL;
    c->used += (count + 15) / 16 * 16;
    return array;
}

/* Lays the arrays out from `base` and returns how many floats they take, below 2^50. */
static uint64_t lay_out(struct session *s, const struct model_shape *m, float *base) {
    uint64_t n_kv = (uint64_t)m->n_head_kv * m->n_embd_head;
    struct carver c = {base, 0};
    s->logits = carve(&c, m->vocab_size);
    s->next_logits = carve(&c, m->vocab_size);
    s->state = carve(&c, m->n_embd);
    s->x = carve(&c, (uint64_t)BATCH * m->n_embd);
    s->normed = carve(&c, (uint64_t)BATCH * m->n_embd);
    s->q = carve(&c, (uint64_t)BATCH * m->n_embd);
    s->k = carve(&c, BATCH * n_kv);
    s->v = carve(&c, BATCH * n_kv);
    s->mixed = carve(&c, (uint64_t)BATCH * m->n_embd);
    s->hidden = carve(&c, (uint64_t)BATCH * m->n_ff);
    s->gate = carve(&c, m->architecture == ARCHITECTURE_LLAMA ? (uint64_t)BATCH * m->n_ff : 0);
    s->scores = carve(&c, s->context);
    s->cosine = carve(&c, (uint64_t)BATCH * m->n_rot / 2);
    s->sine = carve(&c, (uint64_t)BATCH * m->n_rot / 2);
    uint64_t groups = (m->n_ff > m->n_embd ? m->n_ff : m->n_embd) / MATRIX_GROUP;
    s->quants = (void *)carve(
        &c, m->quantised ? BATCH * groups * sizeof(struct quants) / sizeof(float) : 0);
    return c.used;
}

/* Bytes of keys or values, below 2^50: a multiple of 64. */
static uint64_t cache_bytes(const struct model_shape *m, uint64_t context) {
    uint64_t count = (uint64_t)m->n_head_kv * m->n_embd_head * m->n_layer * context;
    return (count + 15) / 16 * 16 * sizeof(float);
}

uint32_t session_context(const struct model_shape *shape, uint32_t context) {
    uint32_t longest = shape->context_length;
    if (context) return context;
    return longest < SESSION_CONTEXT_DEFAULT ? longest : SESSION_CONTEXT_DEFAULT;
}

uint64_t session_bytes(const struct model_shape *shape, uint32_t context) {
    struct session s = {.context = session_context(shape, context)};
    return 2 * cache_bytes(shape, s.context) + lay_out(&s, shape, NULL) * sizeof(float) + sizeof s +
           SESSION_TIMELINE_MAX * sizeof *s.timeline + shape->n_rot / 2 * sizeof *s.frequencies;
}

enum status session_check(const struct model_shape *shape, uint32_t context, struct fault *fault) {
    if (context <= shape->context_length) return STATUS_OK;
    return fault_set(fault, STATUS_OUT_OF_RANGE, "context_beyond_model", "limit:u value:u",
                     (uint64_t)shape->context_length, (uint64_t)context);
}

/* Floats on a 64-byte border; NULL if they cannot be had. A block beyond half of what can be
 * addressed would be larger than a difference of pointers. */
static float *allocate(uint64_t bytes) {
    return bytes <= SIZE_MAX / 2 ? aligned_alloc(64, (size_t)bytes) : NULL;
}

/* Keys, values and the rest are blocks of their own: together they may be larger than one can be.
 */
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
    uint64_t cache = cache_bytes(m, s->context), rest = lay_out(s, m, NULL) * sizeof(float);
    s->keys = allocate(cache);
    s->values = allocate(cache);
    s->arena = allocate(rest);
    s->timeline = malloc(SESSION_TIMELINE_MAX * sizeof *s->timeline);
    s->frequencies = malloc((m->n_rot / 2 + 1) * sizeof *s->frequencies);
    if (!s->keys || !s->values || !s->arena || !s->timeline || !s->frequencies) {
        session_close(s);
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_cache", "n:u", 2 * cache + rest);
    }
    lay_out(s, m, s->arena);
    for (uint32_t i = 0; i < m->n_rot / 2; i++)
        s->frequencies[i] =
            elementary_exp64(-2.0 * i / m->n_rot * elementary_log(m->rope_freq_base));
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

void session_use(struct session *s, const struct kernels *kernels) {
    s->kernels = kernels;
}

const float *session_logits(const struct session *s) {
    return s->n_timeline ? s->logits : NULL;
}

const float *session_hidden(const struct session *s) {
    return s->n_timeline ? s->state : NULL;
}

const uint32_t *session_timeline(const struct session *s, size_t *n) {
    *n = s->n_timeline;
    return s->timeline;
}

/* Cosines and sines of positions first .. first + n. Su et al. 2021, RoFormer, section 3.2.2. */
static void turn(struct session *s, size_t first, size_t n) {
    size_t n_pairs = s->model->shape.n_rot / 2;
    for (size_t t = 0; t < n; t++) {
        for (size_t i = 0; i < n_pairs; i++) {
            double angle = (double)(first + t) * s->frequencies[i];
            s->cosine[t * n_pairs + i] = (float)elementary_cos(angle);
            s->sine[t * n_pairs + i] = (float)elementary_sin(angle);
        }
    }
}

/* Turns every head of n rows of `heads` heads, in place. */
static void rotate_heads(const struct session *s, float *rows, size_t heads, size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t n_pairs = m->n_rot / 2;
    if (m->architecture != ARCHITECTURE_LLAMA) return;
    for (size_t t = 0; t < n; t++)
        for (size_t h = 0; h < heads; h++)
            s->kernels->rotate(rows + (t * heads + h) * m->n_embd_head, s->cosine + t * n_pairs,
                               s->sine + t * n_pairs, n_pairs);
}

static void norm(const struct session *s, float *out, const float *x, const float *weight,
                 const float *bias, size_t n) {
    const struct model_shape *m = &s->model->shape;
    for (size_t t = 0; t < n; t++) {
        const float *row = x + t * m->n_embd;
        float *to = out + t * m->n_embd;
        if (bias)
            s->kernels->layer_norm(to, row, weight, bias, m->n_embd, m->norm_eps);
        else
            s->kernels->rms_norm(to, row, weight, m->n_embd, m->norm_eps);
    }
}

/* Brings n rows of keys or values into a layer's cache, (n_head_kv, context, size). */
static void remember(const struct session *s, float *cache, const float *rows, size_t first,
                     size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t size = m->n_embd_head;
    for (size_t t = 0; t < n; t++)
        for (size_t h = 0; h < m->n_head_kv; h++, rows += size)
            memcpy(cache + (h * s->context + first + t) * size, rows, size * sizeof *rows);
}

/* mixed (n, n_embd): each head's softmax(q . k / sqrt(n_embd_head)) v over the positions up to its
 * own; n_head / n_head_kv heads share a head of keys and values. */
static void attend(struct session *s, const float *keys, const float *values, size_t first,
                   size_t n) {
    const struct model_shape *m = &s->model->shape;
    size_t size = m->n_embd_head, shared = m->n_head / m->n_head_kv;
    float scale = 1.0f / sqrtf((float)size);
    for (size_t t = 0; t < n; t++) {
        for (size_t h = 0; h < m->n_head; h++) {
            size_t head = t * m->n_embd + h * size, seen = first + t + 1;
            size_t kv = h / shared * s->context * size;
            s->kernels->attention(s->mixed + head, s->scores, s->q + head, keys + kv, values + kv,
                                  seen, size, scale);
        }
    }
}

/* What quantised matrices read of x (n, cols): made once, whichever of the next matrices are. */
static void quantise(struct session *s, const float *x, size_t cols, size_t n) {
    if (s->model->shape.quantised && cols % MATRIX_GROUP == 0)
        s->kernels->quantise(s->quants, x, cols, n);
}

static void multiply(struct session *s, float *out, const struct matrix *w, const float *bias,
                     const float *x, size_t n) {
    if (w->type == GGUF_F32)
        s->kernels->matmul(out, w, bias, x, n);
    else
        s->kernels->matmul_quants(out, w, bias, s->quants, n);
}

/* Runs ids[0 .. n) at positions first .. first + n, n <= BATCH; their keys and values enter the
 * cache. With `head`, next_logits become those of the last position.
 * Radford et al. 2019 (gpt2); Touvron et al. 2023 (llama). */
static void forward(struct session *s, const uint32_t *ids, size_t first, size_t n, bool head) {
    const struct model *model = s->model;
    const struct model_shape *m = &model->shape;
    const struct kernels *k = s->kernels;
    size_t n_embd = m->n_embd, n_kv = (size_t)m->n_head_kv * m->n_embd_head;

    for (size_t t = 0; t < n; t++) /* x (n, n_embd) */
        model_embed(model, ids[t], s->x + t * n_embd);
    if (model->position_embd) k->add(s->x, model->position_embd + first * n_embd, n * n_embd);
    turn(s, first, n);

    for (size_t i = 0; i < m->n_layer; i++) {
        const struct model_layer *layer = &model->layers[i];
        float *keys = s->keys + i * s->context * n_kv;
        float *values = s->values + i * s->context * n_kv;

        norm(s, s->normed, s->x, layer->attn_norm_weight, layer->attn_norm_bias, n);
        quantise(s, s->normed, n_embd, n);
        multiply(s, s->q, &layer->wq, layer->bq, s->normed, n); /* (n, n_embd) */
        multiply(s, s->k, &layer->wk, layer->bk, s->normed, n); /* (n, n_kv) */
        multiply(s, s->v, &layer->wv, layer->bv, s->normed, n); /* (n, n_kv) */
        rotate_heads(s, s->q, m->n_head, n);
        rotate_heads(s, s->k, m->n_head_kv, n);
        remember(s, keys, s->k, first, n);
        remember(s, values, s->v, first, n);
        attend(s, keys, values, first, n); /* mixed (n, n_embd) */
        quantise(s, s->mixed, n_embd, n);
        multiply(s, s->normed, &layer->wo, layer->bo, s->mixed, n); /* (n, n_embd) */
        k->add(s->x, s->normed, n * n_embd);

        norm(s, s->normed, s->x, layer->ffn_norm_weight, layer->ffn_norm_bias, n);
        quantise(s, s->normed, n_embd, n);
        multiply(s, s->hidden, &layer->up, layer->bup, s->normed, n); /* (n, n_ff) */
        float *active = s->hidden;
        if (layer->gate.data) {
            multiply(s, s->gate, &layer->gate, NULL, s->normed, n); /* (n, n_ff) */
            k->swiglu(s->gate, s->hidden, n * m->n_ff);
            active = s->gate;
        } else {
            k->gelu(s->hidden, n * m->n_ff);
        }
        quantise(s, active, m->n_ff, n);
        multiply(s, s->mixed, &layer->down, layer->bdown, active, n); /* (n, n_embd) */
        k->add(s->x, s->mixed, n * n_embd);
    }
    if (!head) return;
    norm(s, s->normed, s->x + (n - 1) * n_embd, model->output_norm_weight, model->output_norm_bias,
         1);
    quantise(s, s->normed, n_embd, 1);
    multiply(s, s->next_logits, &model->output, NULL, s->normed, 1); /* (vocab_size,) */
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

/* NaN and +Infinity are no logits; -Infinity is one, of a token that cannot follow. */
static bool all_below_infinity(const float *logits, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(logits[i] < INFINITY)) return false;
    return true;
}

static size_t common_prefix(const struct session *s, const uint32_t *ids, size_t n) {
    size_t common = 0, limit = n < s->n_timeline ? n : s->n_timeline;
    while (common < limit && ids[common] == s->timeline[common]) common++;
    return common;
}

enum status session_feed(struct session *s, const uint32_t *ids, size_t n, bool reuse,
                         struct session_fed *fed, struct fault *fault) {
    enum status status = check_ids(s, ids, n, fault);
    if (status) return status;
    size_t window = n < s->context ? n : s->context, common = common_prefix(s, ids, n);
    if (reuse && common == n && n == s->n_timeline) {
        *fed = (struct session_fed){0, (uint32_t)window};
        return STATUS_OK;
    }
    size_t kept = common < s->n_cached ? common : s->n_cached;
    if (kept == n) kept--;
    if (!reuse || n > s->context) kept = 0;

    s->n_cached = kept;
    const uint32_t *shown = ids + (n - window); /* (window,) what the model sees */
    for (size_t first = kept; first < window; first += BATCH) {
        size_t left = window - first, batch = left < BATCH ? left : BATCH;
        forward(s, shown + first, first, batch, batch == left);
    }
    if (!all_below_infinity(s->next_logits, s->model->shape.vocab_size))
        return fault_set(fault, STATUS_NOT_FINITE, "logits_not_finite", "n:u", (uint64_t)(n - 1));
    memmove(s->timeline, ids, n * sizeof *ids); /* ids may be our own timeline */
    memcpy(s->logits, s->next_logits, s->model->shape.vocab_size * sizeof *s->logits);
    memcpy(s->state, s->normed, s->model->shape.n_embd * sizeof *s->state);
    s->n_timeline = n;
    s->n_cached = n > s->context ? 0 : n;
    *fed = (struct session_fed){(uint32_t)(window - kept), (uint32_t)kept};
    return STATUS_OK;
}
