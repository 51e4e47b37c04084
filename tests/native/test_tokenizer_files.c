/* Tokenizer metadata is untrusted: each broken key gives one fault. With any flipped byte, opening,
 * encoding and decoding stay within bounds. */
#include <time.h>

#include "tokenizer_subject.h"

/* Two vocabularies that use every part of the metadata. "\xc4\xa0" is the space in GPT-2's
 * alphabet, "\xe2\x96\x81" the space in llama's. */
static const char *const gpt2_tokens[] = {"<end>",      "a", "b", "\xc4\xa0", "ab",
                                          "\304\240ab", "c", "a", "<go>"};
static const int32_t gpt2_types[] = {3, 1, 1, 1, 1, 1, 1, 1, 4};
static const char *const gpt2_merges[] = {"a b", "\xc4\xa0 ab"};

static const struct vocabulary_spec gpt2_spec = {.model = "gpt2",
                                                 .pre = "gpt-2",
                                                 .tokens = gpt2_tokens,
                                                 .n_tokens = 9,
                                                 .types = gpt2_types,
                                                 .n_types = 9,
                                                 .merges = gpt2_merges,
                                                 .n_merges = 2,
                                                 .bos = 0,
                                                 .eos = 0,
                                                 .unknown = -1,
                                                 .add_bos = 0,
                                                 .add_space_prefix = -1};

static const char *const llama_tokens[] = {
    "<unk>",        "<s>", "</s>", "<0x61>", "<0xFf>",         "<0xE2>", "<0x96>", "<0x81>",
    "\xe2\x96\x81", "b",   "c",    "bc",     "\342\226\201bc", "[X]",    "bc",     "zz",
    "\xe2\x96\x81 "};
static const int32_t llama_types[] = {2, 3, 3, 6, 6, 6, 6, 6, 1, 1, 1, 1, 1, 4, 1, 5, 1};
static const float llama_scores[] = {0, 0, 0, 0, 0, 0, 0, 0, -9, -7, -8, -1, -2, 0, -3, 0, -4};

static const struct vocabulary_spec llama_spec = {.model = "llama",
                                                  .tokens = llama_tokens,
                                                  .n_tokens = 17,
                                                  .scores = llama_scores,
                                                  .n_scores = 17,
                                                  .types = llama_types,
                                                  .n_types = 17,
                                                  .bos = 1,
                                                  .eos = 2,
                                                  .unknown = 0,
                                                  .add_bos = 1,
                                                  .add_space_prefix = 1};

static const char *const char_tokens[] = {"a", "\xc3\xa9", "<s>"};
static const int32_t char_types[] = {1, 1, 3};
static const struct vocabulary_spec char_spec = {.model = "logitscope-char",
                                                 .tokens = char_tokens,
                                                 .n_tokens = 3,
                                                 .types = char_types,
                                                 .n_types = 3,
                                                 .bos = 2,
                                                 .eos = -1,
                                                 .unknown = -1,
                                                 .add_bos = -1,
                                                 .add_space_prefix = -1};

static void check_encoded(const struct vocabulary_spec *spec, const char *text, unsigned flags,
                          const char *expected) {
    struct subject subject = {0};
    char line[256] = "";
    size_t count = 0, used = 0;
    subject_from_spec(&subject, spec);
    uint32_t *ids = encode_with(&subject, TOKENIZER_BOS_AUTO, text, strlen(text), flags, &count);
    for (size_t i = 0; ids && i < count; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%u", i ? " " : "", ids[i]);
    CHECK_MESSAGE(ids && strcmp(line, expected) == 0, "%s: \"%s\": %s instead of %s",
                  spec->name ? spec->name : "-", text, line, expected);
    free(ids);
    subject_close(&subject);
}

/* Like check_encoded, for a text that decoding must also restore. */
static void check_ids(const struct vocabulary_spec *spec, const char *text, unsigned flags,
                      const char *expected) {
    struct subject subject = {0};
    check_encoded(spec, text, flags, expected);
    subject_from_spec(&subject, spec);
    CHECK_MESSAGE(round_trip(&subject, text, strlen(text), flags & TOKENIZER_SPECIAL), "\"%s\"",
                  text);
    subject_close(&subject);
}

static void small_vocabularies_encode(void) {
    check_ids(&gpt2_spec, "ab ab c", false, "4 5 3 6");
    check_ids(&gpt2_spec, "a<go>b<go><go>", false, "1 8 2 8 8");
    check_ids(&gpt2_spec, "a<end>b", true, "1 0 2");
    check_ids(&llama_spec, "bc", false, "1 12");
    check_ids(&llama_spec, "abc", false, "1 8 3 11");
    check_ids(&llama_spec, "\xff\xff", false, "1 8 4 4");
    check_encoded(&llama_spec, "b\xe2\x96\x81", TOKENIZER_AS_IT_IS, "1 8 9 5 6 7");
    check_ids(&llama_spec, "b\xe2\x96\x81", 0, "1 8 9 8");
    check_ids(&llama_spec, "\xe2\x96\x81\x62\x63\xe2\x96[X]\xe2\x96\x81", 0, "1 8 12 5 6 13 16");
    check_ids(&llama_spec, " bc  bc", false, "1 8 12 8 12");
    check_ids(&llama_spec, " b", false, "1 16 9");
    check_ids(&llama_spec, "bc[X]bc</s>bc", true, "1 12 13 12 2 12");
    check_ids(&llama_spec, "", false, "1");
    check_ids(&char_spec, "a\xc3\xa9", false, "0 1");
    check_ids(&char_spec, "<s>a<s>", true, "2 0 2");
}

/* Without token_type, llama's byte tokens are recognised by their form and special tokens by the
 * keys of their ids. A one-byte user-defined token does not add a leading space. */
static void absent_and_odd_keys(void) {
    struct vocabulary_spec spec = llama_spec;
    spec.types = NULL;
    check_ids(&spec, "bca", false, "1 12 3");
    check_ids(&spec, "</s>bc", true, "1 2 12");
    spec = llama_spec;
    spec.add_space_prefix = 0;
    check_ids(&spec, "bc bc</s>bc", true, "1 11 12 2 11");
    spec.add_bos = 0;
    check_ids(&spec, "bc", false, "11");
    int32_t types[17];
    memcpy(types, llama_types, sizeof types);
    types[9] = 4;
    spec = llama_spec;
    spec.types = types;
    check_ids(&spec, "cbcbc", false, "1 8 10 9 10 9 10");
    spec = char_spec;
    spec.bos = -1;
    spec.types = NULL;
    spec.n_tokens = 2;
    check_ids(&spec, "a", false, "0");
}

/* A user-defined token of a llama vocabulary is spelled with U+2581, as SentencePiece writes it, or
 * with spaces, as newer converters do. Encoding uses the leftmost match, and there the longest
 * token. */
static void user_defined_spaces(void) {
    static const char *const old[] = {"<unk>",
                                      "<s>",
                                      "</s>",
                                      "\342\226\201",
                                      "\342\226\201\342\226\201",
                                      "a",
                                      "b",
                                      "<0xE2>",
                                      "<0x96>",
                                      "<0x81>",
                                      "\342\226\201\342\226\201\342\226\201",
                                      "ab",
                                      "bab"};
    static const char *const new[] = {"<unk>",  "<s>",    "</s>",   "\342\226\201", "  ", "a",  "b",
                                      "<0xE2>", "<0x96>", "<0x81>", "   ",          "ab", "bab"};
    static const int32_t types[] = {2, 3, 3, 1, 4, 1, 1, 6, 6, 6, 4, 4, 4};
    static const float scores[] = {0, 0, 0, -10, -1, -11, -12, 0, 0, 0, -1, 0, 0};
    for (int i = 0; i < 2; i++) {
        struct vocabulary_spec spec = llama_spec;
        spec.tokens = i ? new : old;
        spec.types = types;
        spec.scores = scores;
        spec.n_tokens = spec.n_types = spec.n_scores = 13;
        spec.add_bos = spec.add_space_prefix = 0;
        check_ids(&spec, "a  b", false, "5 4 6");
        check_ids(&spec, "a b", false, "5 3 6");
        check_ids(&spec, "a    b", false, "5 10 3 6");
        check_ids(&spec, "  a     ", false, "4 5 10 4");
        check_ids(&spec, "abab", false, "11 11");
        check_ids(&spec, "aabab", false, "5 11 11");
        check_ids(&spec, "babab", false, "12 11");
        check_encoded(&spec, "\342\226\201\342\226\201", TOKENIZER_AS_IT_IS, "7 8 9 7 8 9");
        check_ids(&spec, "\342\226\201\342\226\201", 0, "4");
        check_ids(&spec, "a\342\226\201 \342\226\201b\342\226\201", 0, "5 10 6 3");
        spec.add_space_prefix = 1;
        check_ids(&spec, "b  b", false, "3 6 4 3 6");
        check_ids(&spec, "  b", false, "4 3 6");
    }
    struct vocabulary_spec spec = gpt2_spec;
    const char *tokens[9];
    memcpy(tokens, gpt2_tokens, sizeof tokens);
    tokens[8] = "\342\226\201"; /* in a byte-level vocabulary this is the character itself */
    spec.tokens = tokens;
    check_ids(&spec, "a\342\226\201b ab", false, "1 8 2 5");
}

/* Phi-3's marked tokens strip the white space after them; Phi-4's strip it on both sides. The
 * model's name, in upper or lower case, or its architecture decides. */
static void marked_tokens_strip(void) {
    static const char *const tokens[] = {
        "<unk>", "<s>", "</s>",     "<|user|>",     "<|endoftext|>", "\342\226\201",
        "a",     "\n",  "\302\240", "\343\200\200", "\357\273\277",  "\342\226\201a"};
    static const int32_t types[] = {2, 3, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1};
    static const float scores[] = {0, 0, 0, 0, 0, -1, -2, -3, -4, -5, -6, -1};
    struct vocabulary_spec spec = llama_spec;
    spec.tokens = tokens;
    spec.types = types;
    spec.scores = scores;
    spec.n_tokens = spec.n_types = spec.n_scores = 12;
    static const char *const names[] = {
        "Phi3", "Phi-3-mini-4k-instruct", "phi-3.5", "my PHI 3 tune", "phi_3", NULL};
    for (int i = 0; i < 6; i++) {
        spec.name = names[i];
        spec.architecture = names[i] ? "llama" : "phi3";
        check_encoded(&spec, "<|user|> \n a", true, "1 3 11");
        check_encoded(&spec, "<|user|>\n\n<|user|>", true, "1 3 3");
        check_encoded(&spec, "a\n<|user|>\302\240\343\200\200\n", true, "1 11 7 3");
        check_encoded(&spec, "<|user|>\357\273\277 a", true, "1 3 5 10 11");
        check_encoded(&spec, "</s> a", false, "1 2 11");
        check_encoded(&spec, "<s> a", true, "1 1 5 11");
        check_encoded(&spec, "<unk>\na", true, "1 0 5 7 6");
        check_encoded(&spec, "<|endoftext|>\na", true, "1 4 5 7 6");
    }
    static const char *const others[] = {"phi-2", "Phi", "phil 3", "phi-", "ph", ""};
    for (int i = 0; i < 6; i++) {
        spec.name = others[i];
        spec.architecture = "llama";
        check_encoded(&spec, "<|user|>\na", true, "1 3 5 7 6");
    }
    spec = gpt2_spec;
    spec.pre = "dbrx";
    spec.name = "Phi 4";
    check_encoded(&spec, "ab \342\200\203 \n<end>\302\240 ab", true, "4 0 4");
    check_encoded(&spec, " \n<end> <end> <go>  ", true, "0 0 8");
    check_encoded(&spec, "ab <go> ab", false, "4 8 4");
    spec.name = NULL;
    spec.architecture = "phi3";
    check_encoded(&spec, "ab <end> ab", true, "4 0 4");
    spec.pre = "gpt-2";
    check_encoded(&spec, "ab <end> ab", true, "4 3 0 5");
}

/* A normal token of a gpt2 vocabulary with characters outside the byte alphabet decodes to its own
 * spelling, and encoding never produces it. Encoding finds a user-defined or control token with
 * such characters as usual. */
static void tokens_outside_the_alphabet(void) {
    static const char zwj[] = "\342\200\215";
    const char *tokens[9];
    int32_t types[9];
    struct subject subject = {0};
    struct vocabulary_spec spec = gpt2_spec;
    memcpy(tokens, gpt2_tokens, sizeof tokens);
    memcpy(types, gpt2_types, sizeof types);
    tokens[7] = zwj;
    tokens[6] = "c d";
    spec.tokens = tokens;
    spec.types = types;
    check_ids(&spec, "ab", false, "4");
    subject_from_spec(&subject, &spec);
    struct tokenizer_piece piece = tokenizer_piece(subject.tokenizer, 7);
    CHECK(piece.length == 3 && !memcmp(piece.data, zwj, 3) && !piece.special);
    size_t count;
    CHECK(!encode(&subject, zwj, 3, true, &count));
    CHECK(!strcmp(fault_line(&subject.fault), "vocabulary_lacks character \\u{200D}"));
    CHECK(!encode(&subject, "c d", 3, true, &count));
    subject_close(&subject);
    types[7] = 4;
    check_ids(&spec, "a\342\200\215b", false, "1 7 2");
    types[7] = 3;
    check_ids(&spec, "a\342\200\215b", true, "1 7 2");
}

static void check_refused(const struct vocabulary_spec *spec, enum status expected,
                          const char *line) {
    struct subject subject = {0};
    image_vocabulary(&subject.image, spec);
    image_end(&subject.image);
    enum status status = subject_open(&subject);
    CHECK_MESSAGE(status == expected && subject.fault.status == expected, "%s: status %d", line,
                  (int)status);
    CHECK_MESSAGE(strcmp(fault_line(&subject.fault), line) == 0, "got:      %s\nexpected: %s",
                  fault_line(&subject.fault), line);
    CHECK(subject.tokenizer == NULL);
    subject_close(&subject);
}

#define REFUSED(base, change, status, line)   \
    do {                                      \
        struct vocabulary_spec spoilt = base; \
        spoilt.change;                        \
        check_refused(&spoilt, status, line); \
    } while (0)

static void spoilt_keys(void) {
    REFUSED(gpt2_spec, model = NULL, STATUS_BAD_FILE, "list_missing tokenizer.ggml.model");
    REFUSED(gpt2_spec, model = "be\nrt", STATUS_UNSUPPORTED, "tokenizer_model be\\nrt");
    REFUSED(gpt2_spec, pre = "bl\noom", STATUS_UNSUPPORTED, "tokenizer_pre bl\\noom");
    REFUSED(gpt2_spec, tokens = NULL, STATUS_BAD_FILE, "list_missing tokenizer.ggml.tokens");
    REFUSED(gpt2_spec, n_tokens = 0, STATUS_BAD_FILE, "list_empty tokenizer.ggml.tokens");
    REFUSED(gpt2_spec, n_types = 8, STATUS_BAD_FILE, "list_each tokenizer.ggml.token_type 9 8");
    REFUSED(llama_spec, n_scores = 16, STATUS_BAD_FILE, "list_each tokenizer.ggml.scores 17 16");
    REFUSED(llama_spec, scores = NULL, STATUS_BAD_FILE, "list_missing tokenizer.ggml.scores");
    REFUSED(gpt2_spec, merges = NULL, STATUS_BAD_FILE, "list_missing tokenizer.ggml.merges");
    REFUSED(gpt2_spec, bos = 9, STATUS_BAD_FILE, "list_id tokenizer.ggml.bos_token_id 9 9");
    REFUSED(gpt2_spec, eos = UINT32_MAX, STATUS_BAD_FILE,
            "list_id tokenizer.ggml.eos_token_id 9 4294967295");
    REFUSED(llama_spec, unknown = 17, STATUS_BAD_FILE,
            "list_id tokenizer.ggml.unknown_token_id 17 17");
    REFUSED(llama_spec, bos = -1, STATUS_BAD_FILE, "bos_missing");
}

/* A file that names no pre-tokenizer reports NULL, not "gpt-2". */
static void the_split_is_named(void) {
    struct vocabulary_spec spec = gpt2_spec;
    struct subject subject;
    REFUSED(gpt2_spec, pre = "gpt2", STATUS_UNSUPPORTED, "tokenizer_pre gpt2");
    subject_from_spec(&subject, &spec);
    CHECK(!strcmp(tokenizer_pre(subject.tokenizer), "gpt-2"));
    subject_close(&subject);
    spec.pre = "lfm2";
    subject_from_spec(&subject, &spec);
    CHECK(!strcmp(tokenizer_pre(subject.tokenizer), "lfm2"));
    subject_close(&subject);
    spec.pre = NULL;
    subject_from_spec(&subject, &spec);
    CHECK(tokenizer_pre(subject.tokenizer) == NULL);
    subject_close(&subject);
}

/* The pre-tokenizer decides how digits are split: not at all, one by one, or in threes. If the file
 * names none, "default" splits the text, not "gpt-2". */
static void splits_differ(void) {
    static const char *const tokens[] = {"<end>", "1", "11", "111", "1111", "a", ".", "a."};
    static const char *const merges[] = {"1 1", "11 11", "11 1", "a ."};
    struct vocabulary_spec spec = gpt2_spec;
    spec.tokens = tokens;
    spec.n_tokens = 8;
    spec.types = NULL;
    spec.merges = merges;
    spec.n_merges = 4;
    check_ids(&spec, "1111a.", false, "4 5 6");
    spec.pre = "qwen2";
    check_ids(&spec, "1111a.", false, "1 1 1 1 5 6");
    spec.pre = "llama-bpe";
    check_ids(&spec, "1111a.", false, "3 1 5 6");
    spec.pre = NULL;
    check_ids(&spec, "1111a.", false, "3 1 5 6");
    spec.pre = "default";
    check_ids(&spec, "1111a.", false, "3 1 5 6");
}

/* Llama 3's pre-tokenizer uses a token that equals the whole piece, even if no merge makes this
 * token, and adds the bos token by default. Qwen's does neither. */
static void whole_pieces_and_bos(void) {
    static const char *const tokens[] = {"<end>", "a", "b", "c", "abc"};
    struct vocabulary_spec spec = gpt2_spec;
    spec.tokens = tokens;
    spec.n_tokens = 5;
    spec.types = NULL;
    spec.n_merges = 0;
    spec.add_bos = -1;
    spec.pre = "qwen2";
    check_ids(&spec, "abc", false, "1 2 3");
    spec.pre = "llama-bpe";
    check_ids(&spec, "abc", false, "0 4");
    check_ids(&spec, "abcc", false, "0 1 2 3 3");
    spec.add_bos = 0;
    check_ids(&spec, "abc", false, "4");
    spec.pre = "tekken";
    spec.add_bos = -1;
    check_ids(&spec, "abc", false, "0 4");
    spec.bos = -1;
    check_ids(&spec, "abc", false, "4");
}

static void check_ends(const struct vocabulary_spec *spec, const char *key, uint32_t id,
                       const char *expected) {
    struct subject subject = {0};
    char line[256] = "";
    size_t count, used = 0;
    image_vocabulary(&subject.image, spec);
    if (key) image_id(&subject.image, key, id);
    image_end(&subject.image);
    CHECK(subject_open(&subject) == STATUS_OK);
    const uint32_t *ends = tokenizer_end_ids(subject.tokenizer, &count);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%u", i ? " " : "", ends[i]);
    CHECK_MESSAGE(strcmp(line, expected) == 0, "%s, expected %s", line, expected);
    for (uint32_t i = 0, at = 0; i < tokenizer_vocab_size(subject.tokenizer); i++) {
        bool is_end = at < count && ends[at] == i;
        CHECK(tokenizer_is_end(subject.tokenizer, i) == is_end);
        at += is_end;
    }
    subject_close(&subject);
}

/* The ends come from keys and names, ascending without duplicates. A token with one of these names
 * is special even if its type is normal. */
static void end_tokens(void) {
    static const char *const tokens[] = {"a",        "<|im_end|>", "<|end|>",
                                         "<|call|>", "<|im_end|>", "<|eot_id|>",
                                         "b",        "<|imend|>",  "<end_of_turn>"};
    static const int32_t types[] = {1, 4, 3, 3, 3, 3, 1, 3, 5};
    struct vocabulary_spec spec = gpt2_spec;
    spec.tokens = tokens;
    spec.types = types;
    spec.n_merges = 0;
    spec.bos = -1;
    spec.eos = 6;
    check_ends(&spec, NULL, 0, "1 2 3 5 6 8");
    check_ends(&spec, "tokenizer.ggml.eot_token_id", 7, "1 2 3 5 6 7 8");
    check_ends(&spec, "tokenizer.ggml.eom_token_id", 0, "0 1 2 3 5 6 8");
    check_ends(&spec, "tokenizer.ggml.fim_pad_token_id", 1, "1 2 3 5 6 8");
    check_ids(&spec, "a<end_of_turn>b", true, "0 8 6");
    check_ends(&gpt2_spec, NULL, 0, "0");
    check_ends(&llama_spec, NULL, 0, "2");
    check_ends(&char_spec, NULL, 0, "");
    /* with channels, "<|end|>" ends a channel */
    static const char *const channels[] = {"<|end|>", "<|call|>", "<|return|>"};
    spec.tokens = channels;
    spec.n_tokens = 3;
    spec.types = NULL;
    spec.eos = -1;
    check_ends(&spec, NULL, 0, "1 2");
    static const char *const flushes[] = {"<|end|>", "<|calls|>", "<|flush|>"};
    spec.tokens = flushes;
    check_ends(&spec, NULL, 0, "1 2");
    /* in a tokenizer of the kind char or word, a token named "<eos>" does not end the text */
    static const char *const words[] = {"<eos>", " a", "b"};
    spec = char_spec;
    spec.model = "logitscope-word";
    spec.tokens = words;
    spec.types = NULL;
    spec.n_tokens = 3;
    check_ends(&spec, NULL, 0, "");
}

/* The first file of a split model may have no tensor. Still it is not accepted as a vocabulary. */
static void a_shard_is_no_vocabulary(void) {
    struct subject subject = {0};
    image_vocabulary(&subject.image, &char_spec);
    image_key(&subject.image, "split.no", GGUF_UINT16);
    image_bytes(&subject.image, "\0\0", 2);
    image_key(&subject.image, "split.count", GGUF_UINT16);
    image_bytes(&subject.image, "\3\0", 2);
    image_end(&subject.image);
    CHECK(subject_open(&subject) == STATUS_UNSUPPORTED && subject.tokenizer == NULL);
    CHECK_MESSAGE(strcmp(fault_line(&subject.fault), "model_shard 1 3") == 0, "%s",
                  fault_line(&subject.fault));
    subject_close(&subject);
}

static void leading_spaces_are_given_back(void) {
    static const char *const tokens[] = {"<unk>",        "<s>",      "</s>",
                                         "<0x20>",       "<0xC3>",   "<0xA9>",
                                         "\xe2\x96\x81", "a",        "\xe2\x96\x81\x61",
                                         " \xc3\xa9",    "\xc3\xa9", " a a"};
    static const int32_t types[] = {2, 3, 3, 6, 6, 6, 1, 1, 1, 4, 1, 4};
    static const float scores[12] = {0, 0, 0, 0, 0, 0, -3, -4, -1, -2, -5, -6};
    static const char *const texts[] = {"\xc3\xa9",   " \xc3\xa9", "a \xc3\xa9",
                                        "  \xc3\xa9", "a a",       " a a"};
    struct vocabulary_spec spec = llama_spec;
    struct subject subject;
    spec.tokens = tokens;
    spec.types = types;
    spec.scores = scores;
    spec.n_tokens = spec.n_types = spec.n_scores = 12;
    subject_from_spec(&subject, &spec);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK_MESSAGE(round_trip(&subject, texts[i], strlen(texts[i]), false), "\"%s\"", texts[i]);
    subject_close(&subject);
}

/* Returns the CPU seconds for opening a vocabulary of `spec`. */
static double seconds_to_open(const struct vocabulary_spec *spec) {
    struct subject subject;
    image_vocabulary(&subject.image, spec);
    image_end(&subject.image);
    clock_t before = clock();
    CHECK(subject_open(&subject) == STATUS_OK);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    subject_close(&subject);
    return seconds;
}

/* Builds merges whose pairs all have the same low 16 bits of the hash: for each right token it
 * looks for a left token that completes these bits. Without sorted buckets such merges would take
 * quadratic time. */
static void colliding_merges_take_no_longer(void) {
    enum { LEFT = 1 << 15, RIGHT = 1 << 16, SIZE = 2 * LEFT + RIGHT, TEXT = 16 };
    static char text[SIZE][TEXT], merge[LEFT][2 * TEXT];
    static const char *tokens[SIZE], *merges[LEFT];
    static uint32_t with_hash[1 << 16]; /* 1 + the left token with this part of the hash, or 0 */
    const uint64_t ratio = 0x9e3779b97f4a7c15;
    size_t n = 0, used = LEFT + RIGHT;
    for (uint32_t i = 0; i < LEFT + RIGHT; i++) {
        sprintf(text[i], "%c%05x", i < LEFT ? 'l' : 'r', i);
        if (i < LEFT) with_hash[i * (uint32_t)ratio & 0xffff] = i + 1;
    }
    for (uint32_t right = LEFT; right < LEFT + RIGHT && n < LEFT; right++) {
        uint32_t left = with_hash[(0x1234 - (uint32_t)(right * ratio >> 32)) & 0xffff];
        if (!left--) continue;
        sprintf(merge[n], "%s %s", text[left], text[right]);
        sprintf(text[used++], "l%05xr%05x", left, right);
        merges[n] = merge[n];
        n++;
    }
    for (size_t i = 0; i < used; i++) tokens[i] = text[i];
    struct vocabulary_spec spec = {.model = "gpt2",
                                   .pre = "gpt-2",
                                   .tokens = tokens,
                                   .n_tokens = used,
                                   .merges = merges,
                                   .n_merges = n,
                                   .bos = -1,
                                   .eos = -1,
                                   .unknown = -1,
                                   .add_bos = -1,
                                   .add_space_prefix = -1};
    CHECK_MESSAGE(n > 16384, "only %zu pairs collide", n);
    double colliding = seconds_to_open(&spec);
    spec.n_merges = 0;
    double without = seconds_to_open(&spec);
    CHECK_MESSAGE(colliding < 3 * without + 0.1, "%.2f s with the merges, %.2f s without",
                  colliding, without);
}

static void spoilt_types(void) {
    int32_t types[17];
    memcpy(types, llama_types, sizeof types);
    types[9] = 7;
    REFUSED(llama_spec, types = types, STATUS_BAD_FILE, "token 9 b token_type_outside");
    types[9] = 0;
    REFUSED(llama_spec, types = types, STATUS_BAD_FILE, "token 9 b token_type_outside");
    types[9] = 6;
    REFUSED(llama_spec, types = types, STATUS_BAD_FILE, "token 9 b byte_token_form");
    memcpy(types, gpt2_types, sizeof gpt2_types);
    types[6] = 6;
    REFUSED(gpt2_spec, types = types, STATUS_BAD_FILE, "token 6 c byte_token_only_llama");
}

static void spoilt_tokens(void) {
    float scores[17];
    const char *tokens[17], *words[] = {"a b"};
    char marked[258] = {0}, longest[1026] = {0};
    memcpy(tokens, llama_tokens, sizeof tokens);
    tokens[3] = "<0xG1>";
    REFUSED(llama_spec, tokens = tokens, STATUS_BAD_FILE, "token 3 <0xG1> byte_token_form");
    memset(marked, 'x', 257);
    memcpy(tokens, llama_tokens, sizeof tokens);
    tokens[13] = marked;
    REFUSED(llama_spec, tokens = tokens, STATUS_BAD_FILE, "special_bytes 13 256 257");
    memset(longest, 'x', 1025);
    tokens[13] = longest;
    REFUSED(llama_spec, tokens = tokens, STATUS_BAD_FILE, "token_bytes 13 1024 1025");
    memcpy(scores, llama_scores, sizeof scores);
    uint32_t nan = 0x7fc00000;
    memcpy(&scores[4], &nan, sizeof nan);
    REFUSED(llama_spec, scores = scores, STATUS_BAD_FILE, "score_finite 4");
    struct vocabulary_spec spec = char_spec;
    spec.types = NULL;
    spec.bos = -1;
    check_refused(&spec, STATUS_BAD_FILE, "token 2 <s> must_be_one_character");
    spec.model = "logitscope-word";
    spec.tokens = words;
    spec.n_tokens = 1;
    check_refused(&spec, STATUS_BAD_FILE, "token 0 a b no_space_inside");
}

static void spoilt_merges(void) {
    const char *merges[2] = {"a b", NULL};
    merges[1] = "ab q";
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1 ab q joins_missing_token");
    merges[1] = "b a";
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1 b a makes_missing_token");
    merges[1] = "ab";
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1 ab must_be_two_tokens");
    merges[1] = NULL;
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1  must_be_two_tokens");
    merges[1] = " a";
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1  a joins_missing_token");
    merges[1] = "a b b";
    REFUSED(gpt2_spec, merges = merges, STATUS_BAD_FILE, "merge 1 a b b outside_byte_alphabet");
}

/* Adds a key with a value of the wrong type to a vocabulary without this key. */
static void check_wrong_type(const char *key, const char *line) {
    struct subject subject = {0};
    struct vocabulary_spec spec = llama_spec;
    if (strstr(key, "model")) spec.model = NULL;
    if (strstr(key, "tokens")) spec.tokens = NULL;
    if (strstr(key, "scores")) spec.scores = NULL;
    if (strstr(key, "type")) spec.types = NULL;
    if (strstr(key, "bos_token_id")) spec.bos = -1;
    if (strstr(key, "add_bos")) spec.add_bos = -1;
    image_vocabulary(&subject.image, &spec);
    image_array(&subject.image, key, GGUF_UINT8, 17);
    image_bytes(&subject.image, "aaaaaaaaaaaaaaaaa", 17);
    image_end(&subject.image);
    CHECK(subject_open(&subject) == STATUS_BAD_FILE);
    CHECK_MESSAGE(strcmp(fault_line(&subject.fault), line) == 0, "got: %s",
                  fault_line(&subject.fault));
    subject_close(&subject);
}

static void wrong_types(void) {
    check_wrong_type("tokenizer.ggml.model", "key_must_be tokenizer.ggml.model a_string");
    check_wrong_type("tokenizer.ggml.pre", "key_must_be tokenizer.ggml.pre a_string");
    check_wrong_type("tokenizer.ggml.tokens", "list_of_strings tokenizer.ggml.tokens");
    check_wrong_type("tokenizer.ggml.scores", "list_of_float32 tokenizer.ggml.scores");
    check_wrong_type("tokenizer.ggml.token_type", "list_of_int32 tokenizer.ggml.token_type");
    check_wrong_type("tokenizer.ggml.bos_token_id",
                     "key_must_be tokenizer.ggml.bos_token_id an_integer");
    check_wrong_type("tokenizer.ggml.add_bos_token",
                     "key_must_be tokenizer.ggml.add_bos_token true_or_false");
}

static void vocabulary_size_must_match(void) {
    struct subject subject = {0};
    struct tokenizer *other;
    subject_from_spec(&subject, &char_spec);
    CHECK(tokenizer_open(&other, subject.file, 4, &subject.fault) == STATUS_BAD_FILE && !other);
    CHECK_MESSAGE(strcmp(fault_line(&subject.fault), "list_model tokenizer.ggml.tokens 4 3") == 0,
                  "got: %s", fault_line(&subject.fault));
    CHECK(tokenizer_open(&other, subject.file, 3, NULL) == STATUS_OK);
    tokenizer_close(other);
    subject_close(&subject);
}

/* An empty token may exist. Encoding never produces it, and it decodes to the empty text. */
static void empty_tokens(void) {
    const char *tokens[17];
    memcpy(tokens, llama_tokens, sizeof tokens);
    tokens[13] = tokens[14] = tokens[15] = NULL;
    struct vocabulary_spec spec = llama_spec;
    spec.tokens = tokens;
    check_ids(&spec, "bc b", true, "1 12 8 9");
    struct subject subject = {0};
    uint32_t ids[] = {13, 14, 15};
    size_t length;
    subject_from_spec(&subject, &spec);
    CHECK(tokenizer_decode(subject.tokenizer, ids, 3, true, NULL, 0, &length, NULL) == STATUS_OK &&
          length == 0);
    subject_close(&subject);
}

/* Flips bits in a copy of the image, and uses the file if it still opens. Returns true if it
 * opened. */
static bool survive(const struct image *image, struct pcg32 *generator, const char *text) {
    struct subject subject = {0};
    size_t count, length;
    image_bytes(&subject.image, image->bytes, image->size);
    for (uint32_t i = 0, n = 1 + random_below(generator, 3); i < n; i++) {
        uint8_t *byte = &subject.image.bytes[random_below(generator, (uint32_t)image->size)];
        *byte = (uint8_t)(*byte ^ 1u << random_below(generator, 8));
    }
    bool opened = subject_open(&subject) == STATUS_OK;
    if (!opened) CHECK(subject.fault.key && !subject.tokenizer);
    for (int special = 0; opened && special < 2; special++) {
        char back[200];
        uint32_t *ids = encode(&subject, text, strlen(text), special != 0, &count);
        if (ids) tokenizer_decode(subject.tokenizer, ids, count, true, back, 200, &length, NULL);
        free(ids);
        for (uint32_t id = 0; id < tokenizer_vocab_size(subject.tokenizer); id++)
            tokenizer_decode(subject.tokenizer, &id, 1, true, back, 200, &length, NULL);
    }
    subject_close(&subject);
    return opened;
}

static void flipped_bytes(void) {
    const struct vocabulary_spec *specs[] = {&gpt2_spec, &llama_spec, &char_spec};
    const char *texts[] = {"ab ab<go>c a<end>b", "bc abc[X]bc</s> zz\xe2\x96\x81", "a\xc3\xa9<s>"};
    struct pcg32 generator;
    int opened = 0;
    pcg32_seed(&generator, 4, 54);
    for (int k = 0; k < 3; k++) {
        struct image image;
        image_vocabulary(&image, specs[k]);
        image_end(&image);
        for (int i = 0; i < 10000; i++) opened += survive(&image, &generator, texts[k]);
        free(image.bytes);
    }
    CHECK_MESSAGE(opened > 3000 && opened < 27000, "%d of 30000 opened", opened);
}

int main(void) {
    TEST(small_vocabularies_encode);
    TEST(absent_and_odd_keys);
    TEST(user_defined_spaces);
    TEST(tokens_outside_the_alphabet);
    TEST(marked_tokens_strip);
    TEST(spoilt_keys);
    TEST(the_split_is_named);
    TEST(splits_differ);
    TEST(whole_pieces_and_bos);
    TEST(end_tokens);
    TEST(a_shard_is_no_vocabulary);
    TEST(leading_spaces_are_given_back);
    TEST(colliding_merges_take_no_longer);
    TEST(spoilt_types);
    TEST(spoilt_tokens);
    TEST(spoilt_merges);
    TEST(wrong_types);
    TEST(vocabulary_size_must_match);
    TEST(empty_tokens);
    TEST(flipped_bytes);
    return check_report();
}
