/* Fuzzes the tokenizers: encodes a text with each kind and each pre-tokenizer; decoding must give
 * the same bytes. Also makes a vocabulary of the input, which must be refused or give valid ids. */
#include "fuzz.h"
#include "nfc.h"
#include "pretokenizer.h"
#include "tokenizer_subject.h"
#include "unicode.h"

enum { PIECES_MAX = 48 };

/* A name for each set of splitting rules. NULL stands for a file without tokenizer.ggml.pre. */
static const char *const pres[] = {NULL,     "gpt-2",  "smollm",       "falcon",        "llama-bpe",
                                   "qwen2",  "qwen35", "tekken",       "gpt-4o",        "default",
                                   "llama4", "dbrx",   "deepseek-llm", "deepseek-coder"};
enum { N_PRES = sizeof pres / sizeof *pres };

/* Writes the character by which GPT-2's files spell a byte. */
static void spell_byte(char *out, uint32_t byte, uint32_t *beyond) {
    bool plain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    out[unicode_put(out, plain ? byte : (*beyond)++)] = 0;
}

static struct vocabulary_spec plain_spec(const char *model, const char *const *tokens, size_t n) {
    return (struct vocabulary_spec){.model = model,
                                    .tokens = tokens,
                                    .n_tokens = n,
                                    .bos = -1,
                                    .eos = -1,
                                    .unknown = -1,
                                    .add_bos = -1,
                                    .add_space_prefix = -1};
}

/* Opens a byte-level tokenizer with all 256 bytes and some merges. */
static void open_gpt2(struct subject *subject, const char *pre) {
    static const char *const merges[] = {
        "t h",        "th e",        "i n", "a n", "\xc4\xa0 t",
        "\xc4\xa0 a", "e r",         "1 2", "' s", "\xc3\x83 \xc2\xa9",
        "an d",       "\xc4\xa0 the"};
    static const char *const joined[] = {
        "th",           "the",         "in",     "an", "\xc4\xa0t",
        "\xc4\xa0\x61", "er",          "12",     "'s", "\xc3\x83\xc2\xa9",
        "and",          "\xc4\xa0the", "<|end|>"};
    static char bytes[256][5];
    static const char *tokens[256 + sizeof joined / sizeof *joined];
    uint32_t beyond = 256;
    for (uint32_t i = 0; i < 256; i++) spell_byte(bytes[i], i, &beyond), tokens[i] = bytes[i];
    memcpy(tokens + 256, joined, sizeof joined);
    size_t n = sizeof tokens / sizeof *tokens;
    int32_t types[sizeof tokens / sizeof *tokens];
    for (size_t i = 0; i < n; i++) types[i] = i + 1 < n ? 1 : 3;
    struct vocabulary_spec spec = plain_spec("gpt2", tokens, n);
    spec.pre = pre;
    spec.types = types;
    spec.n_types = n;
    spec.merges = merges;
    spec.n_merges = sizeof merges / sizeof *merges;
    subject_from_spec(subject, &spec);
}

/* Opens a llama tokenizer with the byte tokens and some joined tokens. */
static void open_llama(struct subject *subject, int prefix) {
    static const char *const joined[] = {"<unk>",   "<s>",
                                         "</s>",    "\xe2\x96\x81",
                                         "t",       "h",
                                         "e",       "th",
                                         "the",     "\xe2\x96\x81the",
                                         "a",       "n",
                                         "an",      "\xe2\x96\x81\xe2\x96\x81",
                                         "\xc3\xa9"};
    enum { JOINED = sizeof joined / sizeof *joined, N = JOINED + 256 };
    static char bytes[256][7];
    static const char *tokens[N];
    float scores[N];
    int32_t types[N];
    memcpy(tokens, joined, sizeof joined);
    for (int i = 0; i < N; i++) {
        if (i >= JOINED) {
            snprintf(bytes[i - JOINED], sizeof bytes[0], "<0x%02X>", (unsigned)(i - JOINED) & 255);
            tokens[i] = bytes[i - JOINED];
        }
        scores[i] = (float)-i;
        types[i] = i == 0 ? 2 : i < 3 ? 3 : i < JOINED ? 1 : 6;
    }
    struct vocabulary_spec spec = plain_spec("llama", tokens, N);
    spec.scores = scores;
    spec.n_scores = N;
    spec.types = types;
    spec.n_types = N;
    spec.unknown = 0;
    spec.bos = 1;
    spec.eos = 2;
    spec.add_space_prefix = prefix;
    subject_from_spec(subject, &spec);
}

/* Checks that no piece is empty and that the pieces together are the text. */
static void check_pieces(const char *pre, const char *text, size_t length) {
    const struct pretokenizer *pretokenizer = pretokenizer_find(pre, strlen(pre));
    struct pretokenizer_walk walk = pretokenizer_begin(pretokenizer, text, length);
    for (size_t at = 0; at < length;) {
        size_t end = pretokenizer_next(&walk);
        CHECK_MESSAGE(end > at && end <= length, "%s", pre);
        if (end <= at || end > length) return;
        at = end;
    }
}

static void check_ids(struct subject *subject, const char *text, size_t length, bool special) {
    size_t count;
    uint32_t *ids = encode(subject, text, length, special, &count);
    for (size_t i = 0; ids && i < count; i++)
        CHECK(ids[i] < tokenizer_vocab_size(subject->tokenizer));
    free(ids);
}

/* Checks normalisation to form C: normalising again changes nothing, the result has at most three
 * times as many bytes, and decoding its ids gives it back. */
static void check_normal(struct subject *subject, const char *text, size_t length) {
    struct nfc *nfc = nfc_open();
    char *once, *twice;
    size_t n = length, m, count, decoded;
    CHECK(nfc_apply(nfc, text, length, &once, &n) && n <= 3 * length);
    const char *normal = once ? once : text;
    m = n;
    CHECK(nfc_apply(nfc, normal, n, &twice, &m) && m == n);
    CHECK(!twice || !memcmp(twice, normal, n));
    uint32_t *ids = encode_with(subject, TOKENIZER_BOS_NO, text, length, 0, &count);
    char *back = malloc(n + 1);
    CHECK(!tokenizer_decode(subject->tokenizer, ids, count, false, back, n, &decoded, NULL));
    CHECK(decoded == n && !memcmp(back, normal, n));
    free(back);
    free(ids);
    free(once);
    free(twice);
    nfc_close(nfc);
}

static void check_fixed(uint32_t choice, const char *text, size_t length) {
    static struct subject subjects[N_PRES + 2];
    struct subject *subject = &subjects[choice];
    if (!subject->tokenizer) {
        if (choice < N_PRES)
            open_gpt2(subject, pres[choice]);
        else
            open_llama(subject, choice == N_PRES);
    }
    if (choice < N_PRES && pres[choice]) check_pieces(pres[choice], text, length);
    CHECK_MESSAGE(round_trip(subject, text, length, false), "%s %u",
                  tokenizer_kind(subject->tokenizer), choice);
    check_ids(subject, text, length, true);
    if (choice < N_PRES && pres[choice] &&
        pretokenizer_find(pres[choice], strlen(pres[choice]))->nfc)
        check_normal(subject, text, length);
}

/* Makes a vocabulary from the input: lines are its tokens and then its merges, single bytes its
 * types and scores. */
static void check_drawn(struct input *input) {
    static const char *const models[] = {"gpt2", "llama", "logitscope-char", "logitscope-word"};
    char copies[PIECES_MAX][64];
    const char *tokens[PIECES_MAX];
    int32_t types[PIECES_MAX];
    float scores[PIECES_MAX];
    uint32_t n = 1 + take_below(input, PIECES_MAX), n_tokens = 1 + take_below(input, n);
    struct vocabulary_spec spec = plain_spec(models[take_below(input, 4)], tokens, n_tokens);
    spec.pre = pres[take_below(input, N_PRES)];
    spec.bos = (int64_t)take_u8(input) - 1;
    spec.eos = (int64_t)take_u8(input) - 1;
    spec.unknown = (int64_t)take_u8(input) - 1;
    spec.add_bos = (int)take_below(input, 4) - 1;
    spec.add_space_prefix = (int)take_below(input, 4) - 1;
    for (uint32_t i = 0; i < n; i++) {
        size_t length = 0;
        types[i] = (int32_t)take_below(input, 8);
        scores[i] = (float)take_double(input);
        for (uint8_t c; length < 63 && input->size && (c = take_u8(input)) != '\n';)
            copies[i][length++] = (char)(c ? c : 'x');
        copies[i][length] = 0;
        tokens[i] = copies[i];
    }
    spec.types = types;
    spec.n_types = n_tokens;
    spec.scores = scores;
    spec.n_scores = n_tokens;
    spec.merges = tokens + n_tokens;
    spec.n_merges = n - n_tokens;
    struct subject subject = {0};
    image_vocabulary(&subject.image, &spec);
    image_end(&subject.image);
    if (subject_open(&subject)) {
        CHECK(subject.fault.key);
    } else {
        for (int special = 0; special < 2; special++)
            check_ids(&subject, (const char *)input->data, input->size, special);
        for (uint32_t id = 0; id < n_tokens; id++) {
            char text[8];
            size_t length;
            CHECK(!tokenizer_decode(subject.tokenizer, &id, 1, true, text, sizeof text, &length,
                                    &subject.fault));
        }
    }
    subject_close(&subject);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    uint32_t choice = take_below(&input, N_PRES + 4);
    if (choice < N_PRES + 2)
        check_fixed(choice, (const char *)input.data, input.size);
    else
        check_drawn(&input);
    return fuzz_end();
}
