/* Compares the forward pass with an independent reference. Checks that logits depend only on the
 * window: not on the cache, the number of calls, the kernels or earlier feeds. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fault_line.h"
#include "forward.h"
#include "session.h"

static const struct kernels *const tables[] = {&kernels_scalar, &kernels_simd};

static struct model *open_model(const char *name) {
    size_t size;
    unsigned char *image = forward_image(name, &size);
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct fault fault = {0};
    if (gguf_open(&file, image, size, &fault) || model_open(&model, file, &fault)) {
        printf("%s: %s\n", name, fault_line(&fault));
        exit(1);
    }
    gguf_close(file);
    free(image); /* the model does not need the image */
    return model;
}

static struct session *open_session(const struct model *model, const struct kernels *kernels) {
    struct session *session = NULL;
    if (session_open(&session, model, 0, kernels, NULL)) exit(1);
    return session;
}

static struct session_fed feed(struct session *session, const uint32_t *ids, size_t n, bool reuse) {
    struct session_fed fed = {0, 0};
    struct fault fault = {0};
    CHECK_MESSAGE(session_feed(session, ids, n, reuse, &fed, &fault) == STATUS_OK, "%s",
                  fault_line(&fault));
    return fed;
}

static bool same_logits(const struct session *a, const struct session *b, size_t vocab_size) {
    return !memcmp(session_logits(a), session_logits(b), vocab_size * sizeof(float));
}

/* Writes random ids that depend only on `seed`. */
static void make_ids(uint32_t *ids, size_t n, uint32_t vocab_size, uint32_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        ids[i] = (seed >> 8) % vocab_size;
    }
}

static void compare(const char *name, const struct kernels *kernels, bool at_once) {
    struct forward_vectors *v = forward_vectors(name);
    struct model *model = open_model(name);
    struct session *session = open_session(model, kernels);
    double worst = 0;
    CHECK(model->shape.vocab_size == v->vocab_size);
    for (size_t t = 0; t < v->n; t++) {
        feed(session, v->ids, t + 1, !at_once);
        for (size_t i = 0; i < v->vocab_size; i++)
            worst = fmax(worst, fabs((double)session_logits(session)[i] - v->logits[t][i]));
    }
    CHECK_MESSAGE(worst < 1e-4, "%s, %s kernels: off by %g", name, kernels->name, worst);
    session_close(session);
    model_close(model);
}

/* The sample tries one of the four ways with each model; bits_depend_on_the_window_alone compares
 * all ways with each other. */
static void agrees_with_reference(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++)
        for (size_t way = check_all() ? 0 : i % 4; way < 4; way += check_step(4))
            compare(forward_names[i], tables[way % 2], way / 2 == 1);
}

static void a_wrong_weight_is_noticed(void) {
    struct forward_vectors *v = forward_vectors("gpt2_tied");
    struct model *model = open_model("gpt2_tied");
    model->layers[1].bo[3] += 0.01f;
    struct session *session = open_session(model, &kernels_scalar);
    double worst = 0;
    feed(session, v->ids, v->n, true);
    for (size_t i = 0; i < v->vocab_size; i++)
        worst = fmax(worst, fabs((double)session_logits(session)[i] - v->logits[v->n - 1][i]));
    CHECK(worst > 1e-4);
    session_close(session);
    model_close(model);
}

/* Lets a session grow by one token at a time. At each length, other sessions must give the same
 * bits. */
static void check_identity(const char *name, size_t length) {
    struct model *model = open_model(name);
    uint32_t ids[64], vocab_size = model->shape.vocab_size;
    struct session *grown = open_session(model, &kernels_scalar);
    struct session *split = open_session(model, &kernels_simd);
    struct session *anew = open_session(model, &kernels_simd);
    make_ids(ids, length, vocab_size, 7);
    for (size_t n = 1; n <= length; n++) {
        struct session_fed fed = feed(grown, ids, n, true);
        CHECK(fed.evaluated ==
              (n <= model->shape.context_length ? 1 : model->shape.context_length));
        if (n % 3 == 1 || n == length) {
            session_use(split, tables[n % 2]);
            feed(split, ids, n, true);
            CHECK_MESSAGE(same_logits(grown, split, vocab_size), "%s: split, %zu ids", name, n);
        }
        session_use(anew, tables[n / 2 % 2]);
        fed = feed(anew, ids, n, false);
        CHECK(fed.reused == 0);
        CHECK_MESSAGE(same_logits(grown, anew, vocab_size), "%s: no cache, %zu ids", name, n);
    }
    session_close(grown);
    session_close(split);
    session_close(anew);
    model_close(model);
}

static void bits_depend_on_the_window_alone(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++) check_identity(forward_names[i], 12);
    check_identity("llama_window", 30); /* longer than its window of 8 and its context of 24 */
    check_identity("gemma3", 30);
    check_identity("phi3_long", 30);
    check_identity("lfm2", 30);
    check_identity("llama_gqa", 40); /* more than one batch */
    check_identity("llama_gqa", 44); /* and longer than its context of 40 */
    check_identity("gpt2_head", 15); /* longer than its context of 12 */
}

/* For any number of new positions: the rows of one feed have the same bits as feeds of one id
 * each. */
static void check_rows(const char *name, size_t length) {
    struct model *model = open_model(name);
    size_t vocab_size = model->shape.vocab_size, hidden = model->shape.n_embd * sizeof(float);
    uint32_t ids[64];
    float *rows = malloc(length * vocab_size * sizeof *rows);
    struct session *grown = open_session(model, &kernels_scalar);
    struct session *session = open_session(model, &kernels_simd);
    make_ids(ids, length, (uint32_t)vocab_size, 7);
    for (size_t n_rows = 1; n_rows <= length; n_rows += n_rows < 4 ? check_step(3) : 7) {
        for (size_t known = 0; known <= length; known += 5) {
            struct session_fed fed;
            if (known) feed(session, ids, known, true);
            CHECK(
                !session_feed_rows(session, ids, length, known % 2 == 0, rows, n_rows, &fed, NULL));
            CHECK(fed.evaluated >= n_rows && fed.evaluated + fed.reused == length);
            for (size_t i = 0; i < n_rows; i++) {
                feed(grown, ids, length - n_rows + 1 + i, true);
                CHECK_MESSAGE(!memcmp(rows + i * vocab_size, session_logits(grown),
                                      vocab_size * sizeof *rows),
                              "%s: row %zu of %zu, %zu known", name, i, n_rows, known);
            }
            CHECK(same_logits(session, grown, (uint32_t)vocab_size));
            CHECK(!memcmp(session_hidden(session), session_hidden(grown), hidden));
        }
    }
    free(rows);
    session_close(grown);
    session_close(session);
    model_close(model);
}

static void rows_equal_feeds(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++) check_rows(forward_names[i], 12);
    check_rows("llama_window", 24); /* longer than its window of 8 */
    check_rows("lfm2", 24);
    check_rows("llama_gqa", 40); /* more than one batch */
}

static void rows_fit_the_context(void) {
    struct model *model = open_model("gpt2_head"); /* context 12 */
    struct session *session = open_session(model, &kernels_simd);
    static float rows[16 * FORWARD_VOCAB_MAX];
    uint32_t ids[16];
    struct session_fed fed;
    struct fault fault = {0};
    make_ids(ids, 16, model->shape.vocab_size, 7);
    feed(session, ids, 5, true);
    CHECK(session_feed_rows(session, ids, 6, true, rows, 0, &fed, &fault) == STATUS_OUT_OF_RANGE);
    CHECK(session_feed_rows(session, ids, 6, true, rows, 7, &fed, &fault) == STATUS_OUT_OF_RANGE);
    CHECK(!strcmp(fault_line(&fault), "rows_beyond 7 6"));
    CHECK(session_feed_rows(session, ids, 13, true, rows, 2, &fed, &fault) == STATUS_OUT_OF_RANGE);
    CHECK(!strcmp(fault_line(&fault), "rows_beyond 2 1"));
    CHECK(session_feed_rows(session, ids, 0, true, rows, 1, &fed, &fault) == STATUS_EMPTY);
    CHECK(feed(session, ids, 5, true).evaluated == 0); /* no failed call changed the timeline */
    CHECK(!session_feed_rows(session, ids, 12, true, rows, 12, &fed, NULL));
    CHECK(!session_feed_rows(session, ids, 13, true, rows, 1, &fed, NULL) && fed.evaluated == 12);
    size_t row = model->shape.vocab_size * sizeof *rows;
    CHECK(!memcmp(rows, session_logits(session), row));
    feed(session, ids, 5, true);
    feed(session, ids, 13, true);
    CHECK(!memcmp(rows, session_logits(session), row));
    session_close(session);
    model_close(model);
}

/* A copied session must continue like a fed session: inside the cache, after a rewind, and beyond
 * the context. */
static void check_copy(const char *name, size_t length) {
    struct model *model = open_model(name);
    uint32_t ids[64], other[64], vocab_size = model->shape.vocab_size;
    size_t hidden = model->shape.n_embd * sizeof(float), n;
    make_ids(ids, 64, vocab_size, 7);
    struct session *fed = open_session(model, &kernels_scalar);
    struct session *used = open_session(model, &kernels_simd);
    for (size_t at = 0; at <= length; at += at < 4 ? check_step(3) : check_all() ? 3 : 5) {
        struct session *copy = open_session(model, &kernels_scalar);
        struct session *fresh = open_session(model, &kernels_scalar);
        bool fits = at + 2 <= model->shape.context_length;
        if (at) feed(fed, ids, at, true);
        make_ids(other, 9, vocab_size, (uint32_t)at); /* replaces the earlier content of `used` */
        feed(used, other, 9, true);
        CHECK(!session_copy(copy, fed, NULL) && !session_copy(used, copy, NULL));
        CHECK(!memcmp(session_timeline(used, &n), ids, at * sizeof *ids) && n == at);
        if (!at) CHECK(!session_logits(copy) && !session_hidden(used));
        if (at) CHECK(same_logits(fed, copy, vocab_size) && same_logits(fed, used, vocab_size));
        if (at) CHECK(!memcmp(session_hidden(fed), session_hidden(used), hidden));
        memcpy(other, ids, sizeof ids);
        other[at] = (ids[at] + 1) % vocab_size;
        struct session_fed went = feed(copy, ids, at + 2, true);
        CHECK_MESSAGE(!fits || went.reused == at, "%s: %u of %zu", name, went.reused, at);
        feed(fresh, ids, at + 2, false);
        CHECK_MESSAGE(same_logits(copy, fresh, vocab_size), "%s: copied at %zu", name, at);
        went = feed(used, other, at + 2, true);
        CHECK_MESSAGE(!fits || went.reused == at, "%s: %u of %zu", name, went.reused, at);
        feed(fresh, other, at + 2, false);
        CHECK_MESSAGE(same_logits(used, fresh, vocab_size), "%s: branched at %zu", name, at);
        if (at) feed(copy, ids, at, true);
        if (at) CHECK(same_logits(copy, fed, vocab_size));
        session_close(copy);
        session_close(fresh);
    }
    CHECK(!session_copy(used, used, NULL) && !session_copy(fed, used, NULL));
    CHECK(same_logits(fed, used, vocab_size));
    session_close(fed);
    feed(used, ids, length, true); /* works after the other session is closed: they share nothing */
    session_close(used);
    model_close(model);
}

static void copying_equals_feeding(void) {
    for (size_t i = 0; i < FORWARD_COUNT; i++) check_copy(forward_names[i], 12);
    check_copy("llama_window", 30); /* longer than its window of 8 and its context of 24 */
    check_copy("lfm2", 30);
    check_copy("gemma3", 30);
    check_copy("llama_gqa", 44); /* more than one batch, and longer than its context of 40 */
}

static void copies_of_the_same_model_alone(void) {
    struct model *model = open_model("llama_gqa"), *same = open_model("llama_gqa");
    struct session *from = open_session(model, &kernels_simd);
    struct session *other = open_session(same, &kernels_simd), *narrow = NULL;
    const uint32_t ids[] = {1, 2, 3};
    struct fault fault = {0};
    size_t n;
    CHECK(!session_open(&narrow, model, 5, &kernels_simd, NULL));
    feed(from, ids, 3, true);
    CHECK(session_copy(other, from, &fault) == STATUS_INVALID_ARGUMENT);
    CHECK(!strcmp(fault_line(&fault), "copy_differs"));
    CHECK(session_copy(narrow, from, NULL) == STATUS_INVALID_ARGUMENT);
    CHECK(!session_logits(other) && (session_timeline(narrow, &n), n == 0));
    session_close(from);
    session_close(other);
    session_close(narrow);
    model_close(model);
    model_close(same);
}

static void rewinding_and_branching(void) {
    struct model *model = open_model("llama_gqa");
    uint32_t a[40], b[40], vocab_size = model->shape.vocab_size;
    struct session *session = open_session(model, &kernels_simd);
    struct session *fresh = open_session(model, &kernels_scalar);
    make_ids(a, 40, vocab_size, 1);
    make_ids(b, 40, vocab_size, 2);
    memcpy(b, a, 20 * sizeof *a);
    b[20] = (a[20] + 1) % vocab_size;
    feed(session, a, 40, true);
    struct session_fed fed = feed(session, b, 35, true);
    CHECK(fed.reused == 20 && fed.evaluated == 15);
    feed(fresh, b, 35, false);
    CHECK(same_logits(session, fresh, vocab_size));
    fed = feed(session, b, 9, true);
    CHECK(fed.reused == 8 && fed.evaluated == 1);
    feed(fresh, b, 9, false);
    CHECK(same_logits(session, fresh, vocab_size));
    fed = feed(session, b, 9, true);
    CHECK(fed.reused == 9 && fed.evaluated == 0);
    fed = feed(session, b, 9, false);
    CHECK(fed.reused == 0 && fed.evaluated == 9);
    size_t n;
    const uint32_t *timeline = session_timeline(session, &n);
    fed = feed(session, timeline + 1, n - 1, true); /* an input inside the session's own array */
    feed(fresh, b + 1, 8, false);
    CHECK(same_logits(session, fresh, vocab_size));
    CHECK(!memcmp(session_timeline(session, &n), b + 1, 8 * sizeof *b) && n == 8);
    session_close(session);
    session_close(fresh);
    model_close(model);
}

/* Tries every number of kept ids, also across a window and inside a convolution's taps. */
static void rewinding_to_every_length(void) {
    const char *const names[] = {"lfm2", "gemma2", "llama_window"};
    for (size_t i = 0; i < 3; i++) {
        struct model *model = open_model(names[i]);
        uint32_t a[20], b[20], vocab_size = model->shape.vocab_size;
        struct session *session = open_session(model, &kernels_simd);
        struct session *fresh = open_session(model, &kernels_scalar);
        make_ids(a, 20, vocab_size, 1);
        for (size_t kept = 0; kept < 19; kept++) {
            memcpy(b, a, sizeof b);
            b[kept] = (a[kept] + 1) % vocab_size;
            feed(session, a, 20, true);
            CHECK(feed(session, b, kept + 1, true).reused == kept);
            feed(fresh, b, kept + 1, false);
            CHECK_MESSAGE(same_logits(session, fresh, vocab_size), "%s at %zu", names[i], kept);
        }
        session_close(session);
        session_close(fresh);
        model_close(model);
    }
}

/* The context selects one of LongRoPE's two sets of factors: the short factors up to context 12. */
static void context_chooses_the_factors(void) {
    struct model *model = open_model("phi3_long");
    uint32_t ids[12], vocab_size = model->shape.vocab_size;
    make_ids(ids, 12, vocab_size, 4);
    struct session *session = NULL, *longer = NULL;
    CHECK(!session_open(&session, model, 12, &kernels_scalar, NULL));
    CHECK(!session_open(&longer, model, 13, &kernels_scalar, NULL));
    feed(session, ids, 12, true);
    feed(longer, ids, 12, true);
    CHECK(!same_logits(session, longer, vocab_size));
    model->rope_divisors_long = model->rope_divisors_short;
    session_close(longer);
    CHECK(!session_open(&longer, model, 13, &kernels_scalar, NULL));
    feed(longer, ids, 12, true);
    CHECK(same_logits(session, longer, vocab_size));
    session_close(session);
    session_close(longer);
    model_close(model);
}

static void cropping_equals_the_last_window(void) {
    const char *const names[] = {"gpt2_head", "llama_mha", "gemma3", "lfm2"};
    for (size_t i = 0; i < 4; i++) {
        struct model *model = open_model(names[i]);
        uint32_t ids[40], vocab_size = model->shape.vocab_size;
        size_t window = model->shape.context_length;
        struct session *session = open_session(model, &kernels_simd);
        make_ids(ids, 40, vocab_size, 3);
        for (size_t n = window - 2; n < 40; n += n < window + 4 ? 1 : 7) {
            struct session *fresh = open_session(model, &kernels_scalar);
            size_t cut = n > window ? n - window : 0;
            struct session_fed fed = feed(session, ids, n, true);
            CHECK(n <= window || (fed.evaluated == window && fed.reused == 0));
            feed(fresh, ids + cut, n - cut, true);
            CHECK(same_logits(session, fresh, vocab_size));
            session_close(fresh);
        }
        /* when the timeline is shorter than the context again, the cache is refilled with correct
         * values */
        struct session *fresh = open_session(model, &kernels_scalar);
        struct session_fed fed = feed(session, ids, window - 1, true);
        CHECK(fed.reused == 0);
        feed(fresh, ids, window - 1, true);
        CHECK(same_logits(session, fresh, vocab_size));
        fed = feed(session, ids, window, true);
        CHECK(fed.reused == window - 1 && fed.evaluated == 1);
        feed(fresh, ids, window, false);
        CHECK(same_logits(session, fresh, vocab_size));
        session_close(fresh);
        session_close(session);
        model_close(model);
    }
}

/* Fills row `id` of the embedding with `value`, so that feeding this id makes every later logit
 * invalid. */
static void poison(struct model *model, uint32_t id, float value) {
    struct matrix *m = &model->token_embd;
    float *data = (float *)(void *)m->data;
    for (size_t c = 0; c < m->cols; c++) data[id / 16 * 16 * m->cols + c * 16 + id % 16] = value;
}

static void failures_change_nothing(void) {
    struct model *model = open_model("gpt2_head");
    uint32_t ids[12], bad[12], vocab_size = model->shape.vocab_size;
    static uint32_t many[SESSION_TIMELINE_MAX + 1];
    float before[FORWARD_VOCAB_MAX];
    struct session *session = open_session(model, &kernels_simd);
    struct session_fed fed;
    struct fault fault = {0};
    size_t n;
    poison(model, 7, NAN);
    poison(model, 8, INFINITY);
    CHECK(session_logits(session) == NULL);
    for (size_t i = 0; i < 12; i++) bad[i] = ids[i] = (uint32_t)(i % 5 + 10);
    bad[6] = 7;
    CHECK(session_feed(session, bad, 8, true, &fed, &fault) == STATUS_NOT_FINITE);
    CHECK(session_logits(session) == NULL);
    feed(session, ids, 10, true);
    memcpy(before, session_logits(session), vocab_size * sizeof *before);

    CHECK(session_feed(session, ids, 0, true, &fed, &fault) == STATUS_EMPTY);
    CHECK(session_feed(session, many, SESSION_TIMELINE_MAX + 1, true, &fed, &fault) ==
          STATUS_TOO_LONG);
    CHECK(!strcmp(fault_line(&fault), "timeline_full 262144 262145"));
    CHECK(session_feed(session, bad, 9, true, &fed, &fault) == STATUS_NOT_FINITE);
    CHECK(!strcmp(fault_line(&fault), "logits_not_finite 8"));
    bad[6] = 8;
    CHECK(session_feed(session, bad, 9, false, &fed, &fault) == STATUS_NOT_FINITE);
    float rows[3 * FORWARD_VOCAB_MAX];
    CHECK(session_feed_rows(session, bad, 9, true, rows, 3, &fed, &fault) == STATUS_NOT_FINITE);
    bad[3] = vocab_size;
    CHECK(session_feed(session, bad, 9, true, &fed, &fault) == STATUS_UNKNOWN_TOKEN);
    CHECK(!strcmp(fault_line(&fault), "token_outside 101 3 101"));

    CHECK(!memcmp(before, session_logits(session), vocab_size * sizeof *before));
    CHECK(!memcmp(session_timeline(session, &n), ids, 10 * sizeof *ids) && n == 10);
    fed = feed(session, ids, 10, true);
    CHECK(fed.evaluated == 0 && fed.reused == 10);
    struct session *fresh = open_session(model, &kernels_scalar);
    feed(session, ids, 12, true); /* does not use the cache of failed feeds */
    feed(fresh, ids, 12, true);
    CHECK(same_logits(session, fresh, vocab_size));
    session_close(session);
    session_close(fresh);
    model_close(model);
}

/* AddressSanitizer's count of live bytes. In other builds it is NULL, and the test checks
 * nothing. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static void a_thousand_steps_allocate_nothing(void) {
    struct model *model = open_model("llama_mha");
    uint32_t ids[1000];
    struct session *session = open_session(model, &kernels_simd);
    make_ids(ids, 1000, model->shape.vocab_size, 5);
    feed(session, ids, 1, true);
    size_t before =
        __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
    for (size_t n = 2; n <= 1000; n++) feed(session, ids, n, true);
    size_t after =
        __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
    CHECK_MESSAGE(before == after, "%zu bytes became %zu", before, after);
    session_close(session);
    model_close(model);
}

/* Makes AddressSanitizer return NULL for an impossible size, as malloc does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* A session with a short context gives the same logits as a session with the longest context that
 * is fed only the window. */
static void context_is_the_window(void) {
    enum { CONTEXT = 5, N = 9 };
    struct model *model = open_model("llama_gqa");
    struct session *narrow = NULL, *wide = open_session(model, &kernels_scalar);
    struct fault fault = {0};
    uint32_t ids[N], longest = model->shape.context_length;
    make_ids(ids, N, model->shape.vocab_size, 3);
    CHECK(!session_open(&narrow, model, CONTEXT, &kernels_scalar, &fault));
    for (size_t n = 1; n <= N; n++) {
        size_t window = n < CONTEXT ? n : CONTEXT;
        feed(narrow, ids, n, true);
        feed(wide, ids + (n - window), window, false);
        CHECK(same_logits(narrow, wide, model->shape.vocab_size));
    }
    session_close(narrow);
    session_close(wide);
    CHECK(session_bytes(&model->shape, CONTEXT) < session_bytes(&model->shape, 0));
    CHECK(session_open(&narrow, model, longest + 1, &kernels_scalar, &fault) ==
          STATUS_OUT_OF_RANGE);
    CHECK(narrow == NULL);
    model->shape.context_length = 1 << 20;
    CHECK(session_context(&model->shape, 0) == SESSION_CONTEXT_DEFAULT);
    CHECK(session_context(&model->shape, 8192) == 8192);
    model->shape.context_length = longest;
    CHECK(session_context(&model->shape, 0) == longest);
    model_close(model);
}

static void too_large_a_cache_names_its_bytes(void) {
    struct model *model = open_model("llama_gqa");
    struct model_shape shape = model->shape;
    struct session *session = NULL;
    struct fault fault = {0};
    model->shape.context_length = 1 << 20;
    model->shape.n_layer = 1 << 10;
    model->shape.n_embd_head = 1 << 16;
    model->shape.key_width = model->shape.value_width = 1 << 26;
    CHECK(session_open(&session, model, 1 << 20, &kernels_simd, &fault) == STATUS_OUT_OF_MEMORY);
    CHECK(session == NULL);
    /* 2^49 bytes of cache, and the other arrays: 4 * (2 * 112 + 32 + 3 * 32 * 30 + 8 * 32 * 2^16 +
     * 2 * 32 * 50 + 2^20 + 4 * 32 * 2) */
    CHECK_MESSAGE(!strcmp(fault_line(&fault), "no_memory_cache 562950024750848"), "%s",
                  fault_line(&fault));
    model->shape = shape;
    model_close(model);
}

/* After any kind of feed, the hidden state times the head gives the logits. */
static void hidden_state_is_the_input_of_the_head(void) {
    struct forward_vectors *v = forward_vectors("llama_gqa");
    struct model *model = open_model("llama_gqa");
    struct session *session = open_session(model, &kernels_scalar);
    float logits[FORWARD_VOCAB_MAX];
    CHECK(session_hidden(session) == NULL);
    for (size_t t = 0; t < v->n; t += 3) {
        feed(session, v->ids, t + 1, t % 2 == 0);
        kernels_scalar.matmul(logits, &model->output, NULL, session_hidden(session), 1);
        CHECK(!memcmp(logits, session_logits(session), v->vocab_size * sizeof *logits));
    }
    session_close(session);
    model_close(model);
}

int main(void) {
    TEST(agrees_with_reference);
    TEST(a_wrong_weight_is_noticed);
    TEST(bits_depend_on_the_window_alone);
    TEST(rows_equal_feeds);
    TEST(rows_fit_the_context);
    TEST(copying_equals_feeding);
    TEST(copies_of_the_same_model_alone);
    TEST(rewinding_and_branching);
    TEST(rewinding_to_every_length);
    TEST(context_chooses_the_factors);
    TEST(cropping_equals_the_last_window);
    TEST(failures_change_nothing);
    TEST(hidden_state_is_the_input_of_the_head);
    TEST(context_is_the_window);
    TEST(too_large_a_cache_names_its_bytes);
    TEST(a_thousand_steps_allocate_nothing);
    return check_report();
}
