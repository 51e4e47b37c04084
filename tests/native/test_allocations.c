/* Makes every allocation fail once. A test repeats an attempt to open, encode or compile; the n-th
 * attempt fails at its n-th allocation, until an attempt succeeds. Each failure must return
 * STATUS_OUT_OF_MEMORY with a key, free all its memory, and leave earlier objects usable. Linked
 * with --wrap, so that the functions below see every allocation. */
#include <string.h>

#include "chain.h"
#include "constraint.h"
#include "forward.h"
#include "grammar.h"
#include "measure.h"
#include "session.h"
#include "tokenizer_subject.h"

static size_t made, fails_at, live; /* fails_at: number of the allocation that fails; 0: none */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static bool refuse(void) { return ++made == fails_at; }

static void *taken(void *memory) {
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size) { return refuse() ? NULL : taken(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : taken(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    if (refuse()) return NULL;
    live -= memory != NULL;
    return taken(__real_realloc(memory, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuse() ? NULL : taken(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory) {
    live -= memory != NULL;
    __real_free(memory);
}

/* An attempt to open, encode or compile; on success it closes everything that it opened. */
typedef enum status attempt(void *subject, struct fault *fault);

/* Repeats the attempt until no allocation fails; expects at least `least` allocations. */
static void try_each(const char *name, attempt *act, void *subject, size_t least) {
    size_t before = live, n = 0;
    enum status status = STATUS_OUT_OF_MEMORY;
    while (status && n < 1000) {
        struct fault fault = {0};
        made = 0;
        fails_at = ++n;
        status = act(subject, &fault);
        fails_at = 0;
        CHECK_MESSAGE(live == before, "%s: %zu blocks left after failure %zu", name, live - before,
                      n);
        live = before;
        if (!status) break;
        CHECK_MESSAGE(status == STATUS_OUT_OF_MEMORY && fault.status == status &&
                          !strncmp(fault.key, "no_memory", 9),
                      "%s, %zu: %s %s", name, n, status_name(status), fault_line(&fault));
    }
    CHECK_MESSAGE(!status && n > least && made < n, "%s: %zu allocations", name, n - 1);
}

static enum status load(void *subject, struct fault *fault) {
    const struct image *image = subject;
    struct gguf *file = NULL;
    struct model *model = NULL;
    enum status status = gguf_open(&file, image->bytes, image->size, fault);
    if (!status) status = model_open(&model, file, fault);
    gguf_close(file);
    model_close(model);
    return status;
}

/* Opens a model in memory of the caller; after a failure the memory still belongs to the caller. */
static enum status load_in_place(void *subject, struct fault *fault) {
    const struct image *image = subject;
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct model_plan plan;
    enum status status = gguf_open(&file, image->bytes, image->size, fault);
    if (!status) status = model_measure(&plan, file, fault);
    gguf_close(file);
    if (status) return status;
    uint8_t *memory = __real_aligned_alloc(64, (size_t)(plan.bytes + 63) / 64 * 64);
    memcpy(memory + plan.image_at, image->bytes, image->size);
    file = NULL;
    status = gguf_open(&file, memory + plan.image_at, image->size, fault);
    live++;
    if (!status) status = model_open_in(&model, file, memory, fault);
    gguf_close(file);
    model_close(model);
    if (status) free(memory);
    return status;
}

static void models_load_or_not(void) {
    static const char *const names[] = {"gpt2_tied", "llama_q8_0", "phi3_long", "lfm2"};
    for (size_t i = 0; i < 4; i++) {
        struct image image = {0};
        image.bytes = forward_image(names[i], &image.size);
        try_each(names[i], load, &image, 5);
        try_each(names[i], load_in_place, &image, 5);
        free(image.bytes);
    }
}

static struct model *open_model(const char *name) {
    size_t size;
    uint8_t *image = forward_image(name, &size);
    struct gguf *file = NULL;
    struct model *model = NULL;
    if (gguf_open(&file, image, size, NULL) || model_open(&model, file, NULL)) exit(1);
    gguf_close(file);
    free(image);
    return model;
}

static enum status open_session(void *model, struct fault *fault) {
    struct session *session = NULL;
    enum status status = session_open(&session, model, 0, &kernels_simd, fault);
    if (!status) session_close(session);
    return status;
}

/* Checks too that a decode step allocates nothing, as session.h promises. */
static void sessions_open_or_not(void) {
    struct model *model = open_model("llama_gqa");
    struct session *session, *copy;
    struct session_fed fed;
    const uint32_t ids[] = {1, 2, 3, 4};
    try_each("session", open_session, model, 3);
    CHECK(!session_open(&session, model, 0, &kernels_simd, NULL));
    CHECK(!session_open(&copy, model, 0, &kernels_simd, NULL));
    made = 0;
    for (size_t n = 1; n <= 4; n++) CHECK(!session_feed(session, ids, n, n % 2, &fed, NULL));
    CHECK(!session_copy(copy, session, NULL));
    CHECK(made == 0);
    session_close(copy);
    session_close(session);
    model_close(model);
}

static enum status open_chain(void *unused, struct fault *fault) {
    struct chain *chain = NULL;
    (void)unused;
    enum status status = chain_open(&chain, 100, 10, &kernels_simd, fault);
    if (!status) chain_close(chain);
    return status;
}

static void chains_open_or_not(void) {
    float logits[100];
    struct chain *chain;
    struct chain_sample sample;
    try_each("chain", open_chain, NULL, 10);
    CHECK(!chain_open(&chain, 100, 10, &kernels_simd, NULL));
    for (size_t i = 0; i < 100; i++) logits[i] = (float)(i * i % 97) / 10;
    made = 0;
    for (uint32_t sampler = 0; sampler < SAMPLER_COUNT; sampler++) {
        struct settings settings;
        settings_reset(&settings);
        settings.second = logits;
        settings.value[sampler] = sampler == SETTING_MIROSTAT ? 2 : 0.5;
        CHECK(!chain_apply(chain, logits, &settings, NULL, 0, 10, NULL));
        CHECK(!chain_sample(chain, logits, &settings, NULL, 0, (struct chain_choice){9, true},
                            &sample, NULL));
    }
    CHECK(made == 0);
    chain_close(chain);
}

static enum status open_tokenizer(void *subject, struct fault *fault) {
    struct tokenizer *tokenizer = NULL;
    struct subject *s = subject;
    enum status status = tokenizer_open(&tokenizer, s->file, 0, fault);
    if (!status) tokenizer_close(tokenizer);
    return status;
}

/* The tokenizer must give equal ids after a failure and before it. */
static enum status encode_text(void *subject, struct fault *fault) {
    struct subject *s = subject;
    const char *kind = tokenizer_kind(s->tokenizer);
    const char *text = strcmp(kind, "gpt2") ? "ab<s>ba" : "ab<s>b\342\204\252"; /* Kelvin sign: K */
    size_t length = strlen(text);
    uint32_t ids[32], again[32];
    size_t n, m;
    enum status status = tokenizer_encode(
        s->tokenizer, &(struct tokenizer_text){text, length, TOKENIZER_BOS_AUTO, TOKENIZER_SPECIAL},
        ids, 32, &n, fault);
    CHECK(!status || n == 0);
    size_t counted = made;
    fails_at = 0;
    CHECK(!tokenizer_encode(
        s->tokenizer, &(struct tokenizer_text){text, length, TOKENIZER_BOS_AUTO, TOKENIZER_SPECIAL},
        again, 32, &m, NULL));
    made = counted;
    CHECK(status || (n == m && !memcmp(ids, again, n * sizeof *ids)));
    return status;
}

static const char *const tokens[] = {"a", "b", "c", "<s>", "ab", "ba", "<", "s", ">", "K"};

static void open_subject(struct subject *subject, const char *kind) {
    enum { N = sizeof tokens / sizeof *tokens, END = 3 };
    size_t n =
        strcmp(kind, "logitscope-char") ? N : END + 1; /* in this kind a token is one character */
    static const char *const merges[] = {"a b"};
    static const float scores[N] = {0};
    int32_t types[N];
    for (int i = 0; i < N; i++) types[i] = i == END ? 3 : 1;
    struct vocabulary_spec spec = {.model = kind,
                                   .pre = "qwen2",
                                   .tokens = tokens,
                                   .n_tokens = n,
                                   .types = types,
                                   .n_types = n,
                                   .scores = scores,
                                   .n_scores = n,
                                   .merges = merges,
                                   .n_merges = 1,
                                   .bos = -1,
                                   .eos = END,
                                   .unknown = -1,
                                   .add_bos = -1,
                                   .add_space_prefix = 0};
    subject_from_spec(subject, &spec);
}

static enum status open_file(void *subject, struct fault *fault) {
    struct gguf *file = NULL;
    struct subject *s = subject;
    enum status status = gguf_open(&file, s->image.bytes, s->image.size, fault);
    if (!status) gguf_close(file);
    return status;
}

static void tokenizers_open_and_encode_or_not(void) {
    static const char *const kinds[] = {"gpt2", "llama", "logitscope-char", "logitscope-word"};
    for (size_t i = 0; i < 4; i++) {
        struct subject subject = {0};
        open_subject(&subject, kinds[i]);
        try_each(kinds[i], open_file, &subject, 1);
        try_each(kinds[i], open_tokenizer, &subject, 4);
        try_each(kinds[i], encode_text, &subject, 0);
        subject_close(&subject);
    }
}

static const char grammar_text[] = "root ::= (\"a\" | b){2,9} [^x]*\nb ::= \"b\" root? \".\"";

static enum status open_grammar(void *unused, struct fault *fault) {
    struct grammar *grammar = NULL;
    (void)unused;
    enum status status = grammar_open(&grammar, grammar_text, sizeof grammar_text - 1, fault);
    if (!status) grammar_close(grammar);
    return status;
}

static enum status open_lexicon(void *subject, struct fault *fault) {
    struct lexicon *lexicon = NULL;
    struct subject *s = subject;
    enum status status = lexicon_open(&lexicon, s->tokenizer, fault);
    if (!status) lexicon_close(lexicon);
    return status;
}

static enum status open_constraint(void *lexicon, struct fault *fault) {
    struct constraint *constraint = NULL;
    enum status status =
        constraint_open(&constraint, lexicon, grammar_text, sizeof grammar_text - 1, fault);
    if (!status) constraint_close(constraint);
    return status;
}

static void constraints_open_or_not(void) {
    struct subject subject = {0};
    struct lexicon *lexicon;
    struct constraint *constraint;
    const uint32_t ids[] = {0, 1};
    open_subject(&subject, "logitscope-char");
    try_each("grammar", open_grammar, NULL, 3);
    try_each("lexicon", open_lexicon, &subject, 2);
    CHECK(!lexicon_open(&lexicon, subject.tokenizer, NULL));
    try_each("constraint", open_constraint, lexicon, 6);
    CHECK(!constraint_open(&constraint, lexicon, grammar_text, sizeof grammar_text - 1, NULL));
    made = 0;
    for (size_t n = 0; n <= 2; n++) CHECK(constraint_follow(constraint, ids, n, NULL) != NULL);
    CHECK(made == 0);
    constraint_close(constraint);
    lexicon_close(lexicon);
    subject_close(&subject);
}

static enum status count_distinct(void *unused, struct fault *fault) {
    const uint32_t ids[] = {1, 2, 1, 2, 3};
    double ratio;
    (void)unused;
    return measure_distinct(ids, 5, 2, &ratio, fault);
}

static void measures_count_or_not(void) { try_each("measure_distinct", count_distinct, NULL, 0); }

/* tests/fuzz/exports.c calls every export; each failure must leave a fault. */
int fuzz_exports(const uint8_t *data, size_t size);

/* Runs a list of calls with a model. The calls open the model, a session, a lexicon, a constraint
 * and a chain, use each, and pass lists to the settings. */
static void exports_fail_or_not(void) {
    enum { BYTES = 12 }; /* bytes of a call */
    static const uint8_t calls[] = {0, 5, 7, 8, 18, 20, 22, 23, 24, 25, 26, 2, 3, 12, 13, 28, 31};
    uint8_t head[1 + BYTES * sizeof calls] = {sizeof calls};
    size_t size, n = 0, step = check_step(3);
    uint8_t *image = forward_image("gpt2_q4_0", &size);
    for (size_t i = 0; i < sizeof calls; i++) {
        head[1 + BYTES * i] = calls[i];
        head[2 + BYTES * i] = 1;
        head[3 + BYTES * i] = 1;
    }
    uint8_t *input = malloc(sizeof head + size);
    memcpy(input, head, sizeof head);
    memcpy(input + sizeof head, image, size);
    size_t before = live;
    for (fails_at = 0, made = 1; fails_at <= made; n++) {
        size_t failed = fails_at;
        made = 0;
        CHECK_MESSAGE(!fuzz_exports(input, sizeof head + size), "after failure %zu", failed);
        CHECK_MESSAGE(live == before, "%zu blocks left after failure %zu", live - before, failed);
        live = before;
        fails_at = failed + (failed ? step : 1);
    }
    fails_at = 0;
    CHECK_MESSAGE(n > 20, "%zu runs", n);
    free(input);
    free(image);
}

int main(void) {
    TEST(models_load_or_not);
    TEST(sessions_open_or_not);
    TEST(chains_open_or_not);
    TEST(tokenizers_open_and_encode_or_not);
    TEST(constraints_open_or_not);
    TEST(measures_count_or_not);
    TEST(exports_fail_or_not);
    return check_report();
}
