/* Opens file heads of all architectures, formats, pre-tokenizers and chat templates, each changed
 * in one to three places. No access may be out of bounds, and each failure must have a key and
 * print as one line. */
#include "check.h"
#include "fault_line.h"
#include "forward.h"
#include "gguf_builder.h"
#include "session.h"
#include "tokenizer.h"

/* A hostile head may ask for more memory than there is: malloc then returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

enum { CASES = 20000, SAMPLED = 12, FIELDS_MAX = 1024 };

static const char *const pres[] = {"default", "gpt-2",        "llama-bpe",      "qwen2",
                                   "qwen35",  "smollm",       "lfm2",           "smaug-bpe",
                                   "tekken",  "deepseek-llm", "deepseek-coder", "deepseek-r1-qwen",
                                   "gpt-4o",  "falcon",       "refact",         "command-r"};
static const char *const templates[] = {
    "{% for message in messages %}{{ message['content'] }}{% endfor %}",
    "{%- if tools %}{{ raise_exception('no') }}{%- endif %}", "{{", ""};

static uint64_t state;

static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void put_string(struct builder *b, const char *key, const char *value) {
    put_key(b, key, GGUF_STRING), put_text(b, value);
}

/* Returns the position of a key's text in the head; the image has the key. */
static size_t key_position(const unsigned char *image, const char *key) {
    size_t at = 24, n = strlen(key);
    while (memcmp(image + at, key, n)) at++;
    return at;
}

/* Adds pre-tokenizer, chat template and merges to the file and makes its vocabulary byte-level. */
static void as_byte_level(struct builder *b, const unsigned char *image, size_t size, size_t end,
                          const char *pre, const char *template) {
    static const char key[] = "tokenizer.ggml.model", types[] = "tokenizer.ggml.token_type";
    size_t model = key_position(image, key) + strlen(key) + 4; /* at its length and text */
    uint64_t n_tensors = load_u64(image + 8), n_keys = load_u64(image + 16);
    put_header(b, 3, n_tensors, n_keys + 3);
    put_string(b, "tokenizer.ggml.pre", pre);
    put_string(b, "tokenizer.chat_template", template);
    put_key(b, "tokenizer.ggml.merges", GGUF_ARRAY);
    put_u32(b, GGUF_STRING), put_u64(b, 1), put_text(b, "a b");
    put_bytes(b, image + 24, model - 24);
    put_text(b, "gpt2");
    model += 8 + (size_t)load_u64(image + model);
    size_t space = b->used; /* the token U+2581 is outside GPT-2's alphabet; it becomes "ab" */
    put_bytes(b, image + model, end - model);
    while (memcmp(b->bytes + space, "\xe2\x96\x81", 3)) space++;
    b->bytes[space - 8] = 2;
    memcpy(b->bytes + space, "ab", 2);
    memmove(b->bytes + space + 2, b->bytes + space + 3, b->used-- - space - 3);
    size_t type = key_position(b->bytes, types) + strlen(types) + 4 + 4 + 8 + 4 * 3;
    b->bytes[type] = 1; /* was 6, a byte token */
    put_padding(b, 32);
    size_t data = (end + 31) / 32 * 32;
    put_bytes(b, image + data, size - data);
}

static void mutate(struct builder *b, const struct field *fields, size_t n, size_t end) {
    static const uint64_t values[] = {0, 1, 2, 3, 7, 31, 255, 1 << 16, UINT32_MAX, UINT64_MAX / 2};
    const struct field *field = &fields[below((uint32_t)n)];
    size_t at = below((uint32_t)end), other = below((uint32_t)end), length = 1 + below(16);
    uint64_t value = values[below(10)];
    switch (below(5)) {
    case 0: memcpy(b->bytes + field->position, &value, field->width); break;
    case 1: /* copies a field to another field, for instance a tensor's type */
        memcpy(b->bytes + field->position, b->bytes + fields[below((uint32_t)n)].position, 4);
        break;
    case 2: b->bytes[at] ^= (unsigned char)(1u << below(8)); break;
    case 3: /* copies some bytes to another place */
        if (at + length <= end && other + length <= end)
            memmove(b->bytes + at, b->bytes + other, length);
        break;
    default: /* changes a letter of a name */
        while (at < end && (b->bytes[at] < 'a' || b->bytes[at] > 'z')) at++;
        if (at < end) b->bytes[at] = (unsigned char)('a' + below(26));
    }
}

static const char *line; /* the last fault as a line */

static void check_line(const struct fault *fault, enum status status, size_t number) {
    line = fault_line(fault);
    bool one = fault->key && fault->status == status && *line;
    for (const char *c = line; one && *c; c++) one = (unsigned char)*c >= ' ';
    CHECK_MESSAGE(one, "case %zu: status %s, \"%s\"", number, status_name(status), line);
}

/* Encodes and decodes a short text. */
static void use_tokenizer(const struct tokenizer *tokenizer) {
    static const char text[] = "The  quick, brown fox's 1234 \xc3\xa9t\xc3\xa9\n\n \xe6\x97\xa5!";
    uint32_t ids[sizeof text + 2];
    size_t n = 0;
    struct fault fault = {0};
    enum status status = tokenizer_encode(
        tokenizer, &(struct tokenizer_text){text, sizeof text - 1, TOKENIZER_BOS_AUTO, 0}, ids,
        sizeof text + 2, &n, &fault);
    CHECK(status ? n == 0 : n < sizeof text + 2);
    for (size_t i = 0; i < n; i++) CHECK(ids[i] < tokenizer_vocab_size(tokenizer));
}

/* Feeds two ids with a context of at most 8, to limit the memory of the test. */
static void feed_some(const struct model *model, size_t number) {
    const struct model_shape *m = &model->shape;
    uint32_t ids[2] = {0, m->vocab_size - 1};
    struct session *session = NULL;
    struct session_fed fed;
    struct fault fault = {0};
    enum status status =
        session_open(&session, model, m->context_length < 8 ? 0 : 8, &kernels_simd, &fault);
    if (!status) status = session_feed(session, ids, 2, true, &fed, &fault);
    if (status) check_line(&fault, status, number);
    session_close(session);
}

/* Opens and runs the file; returns true if it opened. */
static bool run(const struct builder *b, size_t number) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct tokenizer *tokenizer = NULL;
    struct gguf_string template;
    struct fault fault = {0};
    unsigned char *copy = malloc(b->used);
    memcpy(copy, b->bytes, b->used);
    enum status status = gguf_open(&file, copy, b->used, &fault);
    if (!status) status = gguf_text(file, "tokenizer.chat_template", &template, &fault);
    if (!status) status = model_open(&model, file, &fault);
    if (!status) status = tokenizer_open(&tokenizer, file, model->shape.vocab_size, &fault);
    if (status) check_line(&fault, status, number);
    gguf_close(file);
    free(copy);
    if (!status) use_tokenizer(tokenizer), feed_some(model, number);
    tokenizer_close(tokenizer);
    model_close(model);
    return !status;
}

/* Each case seeds the generator again, so that the sample is a subset of all cases. */
static void mutated_heads(void) {
    size_t opened = 0, refused = 0;
    struct builder b = {0};
    for (size_t number = 0; number < CASES; number += check_all() ? 1 : SAMPLED) {
        struct field fields[FIELDS_MAX];
        size_t size, end;
        state = number + 1, below(1);
        /* files of make_architectures.py and make_formats.py */
        const char *name = forward_names[10 + below(FORWARD_COUNT - 10)];
        unsigned char *image = forward_image(name, &size);
        find_fields(image, fields, &end);
        b.used = 0;
        if (below(2))
            as_byte_level(&b, image, size, end, pres[below(16)], templates[below(4)]);
        else
            put_bytes(&b, image, size);
        size_t n = find_fields(b.bytes, fields, &end);
        CHECK(n <= FIELDS_MAX);
        bool right = number < 20 * SAMPLED;
        for (uint32_t left = right ? 0 : 1 + below(3); left; left--) mutate(&b, fields, n, end);
        bool opens = run(&b, number);
        CHECK_MESSAGE(opens || !right, "case %zu: %s is refused unchanged: %s", number, name, line);
        *(opens ? &opened : &refused) += 1;
        free(image);
    }
    CHECK_MESSAGE(opened > refused / 20 && refused > opened / 20, "%zu opened, %zu refused", opened,
                  refused);
    free(b.bytes);
}

int main(void) {
    TEST(mutated_heads);
    return check_report();
}
