/* Tests tokenizers: ids from other programs, round trips of any bytes, unknown text, special
 * tokens, and the time for long hostile texts. Reads build/fixtures, made by
 * tests/fixtures/make.js. */
#include <time.h>

#include "tokenizer_subject.h"
#include "unicode.h"

static struct subject gpt2, llama, letters, words;

static void open_fixture(struct subject *subject, const char *name) {
    char path[64];
    uint8_t chunk[4096];
    snprintf(path, sizeof path, "build/fixtures/%s.gguf", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("%s is missing: make it with node tests/fixtures/make.js\n", path);
        exit(1);
    }
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        image_bytes(&subject->image, chunk, n);
    fclose(file);
    if (subject_open(subject) == STATUS_OK) return;
    printf("%s: %s\n", path, fault_line(&subject->fault));
    exit(1);
}

/* Replaces the escapes of the vector files, \\ and \xNN, in place. Returns the length. */
static size_t unescape(char *text) {
    size_t used = 0;
    for (char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] == 'x') {
            char digits[3] = {at[2], at[3], 0};
            text[used++] = (char)strtol(digits, NULL, 16);
            at += 3;
        } else {
            at += at[0] == '\\';
            text[used++] = *at;
        }
    }
    return used;
}

static void check_case(struct subject *subject, const char *flags, char *text, char *expected) {
    size_t length = unescape(text), count;
    uint32_t *ids = malloc((length + 2) * sizeof *ids);
    enum tokenizer_bos bos = strcmp(flags, "bos") == 0 ? TOKENIZER_BOS_YES : TOKENIZER_BOS_NO;
    bool special = strcmp(flags, "special") == 0, same = true;
    CHECK(tokenizer_encode(subject->tokenizer, &(struct tokenizer_text){text, length, bos, special},
                           ids, length + 2, &count, NULL) == STATUS_OK);
    size_t n = 0;
    for (char *at = expected, *end; *at && *at != '\n'; at = end, n++) {
        unsigned long id = strtoul(at, &end, 10);
        same &= n < count && ids[n] == id;
        if (end == at) break;
    }
    CHECK_MESSAGE(same && n == count, "\"%.60s\": %zu ids, expected %zu", text, count, n);
    CHECK(round_trip(subject, text, length, special));
    free(ids);
}

static void check_vectors(struct subject *subject, const char *path, int expected_cases) {
    static char line[1 << 14];
    int cases = 0;
    FILE *file = fopen(path, "r");
    CHECK_MESSAGE(file, "%s is missing", path);
    while (file && fgets(line, sizeof line, file)) {
        char *text = strchr(line, '\t'), *ids = text ? strchr(text + 1, '\t') : NULL;
        if (line[0] == '#' || line[0] == '\n') continue;
        CHECK_MESSAGE(ids, "%s: not three fields: %.60s", path, line);
        if (!ids) continue;
        *text = *ids = 0;
        check_case(subject, line, text + 1, ids + 1);
        cases++;
    }
    CHECK_MESSAGE(cases == expected_cases, "%s: %d cases", path, cases);
    if (file) fclose(file);
}

static void golden_gpt2(void) { check_vectors(&gpt2, "tests/vectors/gpt2_bpe.txt", 37); }
static void golden_llama(void) { check_vectors(&llama, "tests/vectors/llama_tokenizer.txt", 33); }

static size_t random_bytes(struct pcg32 *generator, char *text, size_t limit) {
    size_t length = random_below(generator, (uint32_t)limit);
    for (size_t i = 0; i < length; i++) text[i] = (char)random_below(generator, 256);
    return length;
}

/* Writes random characters of every length. Spaces, U+2581, control characters and letters are
 * frequent. */
static size_t random_unicode(struct pcg32 *generator, char *text, size_t limit) {
    static const uint32_t favourites[] = {' ', ' ', 0x2581, '\n', 0, 0xa0, 0x3000, '\'', 0xfeff};
    static const uint32_t limits[] = {0x80, 0x80, 0x800, 0x10000, 0x110000};
    size_t length = 0, wanted = random_below(generator, (uint32_t)limit - 4);
    while (length < wanted) {
        uint32_t code = random_below(generator, limits[random_below(generator, 5)]);
        if (random_below(generator, 3) == 0) code = favourites[random_below(generator, 9)];
        if (code >= 0xd800 && code < 0xe000) continue;
        length += unicode_put(text + length, code);
    }
    return length;
}

static void round_trips(void) {
    struct pcg32 generator;
    char text[200];
    struct subject *subjects[] = {&gpt2, &llama};
    pcg32_seed(&generator, 1, 54);
    for (size_t i = 0; i < 4000; i += check_step(3)) {
        size_t length = i % 2 ? random_bytes(&generator, text, sizeof text)
                              : random_unicode(&generator, text, sizeof text);
        for (int k = 0; k < 2; k++)
            CHECK_MESSAGE(round_trip(subjects[k], text, length, false), "%s, text %zu",
                          tokenizer_kind(subjects[k]->tokenizer), i);
    }
}

static void small_kinds_round_trip(void) {
    const char *text = "une journ\xc3\xa9"
                       "e\n\xf0\x9f\xa6\x99 \xe6\x97\xa5 ok";
    const char *sentence = "Tomorrow she will go  \xc3\xa9t\xc3\xa9.";
    uint32_t expected[] = {1, 3, 4, 5, 6, 7, 8};
    size_t count;
    CHECK(strcmp(tokenizer_kind(letters.tokenizer), "char") == 0);
    CHECK(strcmp(tokenizer_kind(words.tokenizer), "word") == 0);
    CHECK(round_trip(&letters, text, strlen(text), false));
    CHECK(round_trip(&letters, "", 0, false));
    CHECK(round_trip(&words, "Tomorrow she will go", 20, false));
    CHECK(round_trip(&words, " she  she", 9, false));
    uint32_t *ids = encode(&words, sentence, strlen(sentence), false, &count);
    CHECK(ids && count == 7 && memcmp(ids, expected, sizeof expected) == 0);
    free(ids);
}

static void check_lacks(struct subject *subject, const char *text, size_t length,
                        const char *line) {
    uint32_t ids[200];
    size_t count = 7;
    enum status status = tokenizer_encode(
        subject->tokenizer, &(struct tokenizer_text){text, length, TOKENIZER_BOS_AUTO, 0}, ids,
        sizeof ids / sizeof *ids, &count, &subject->fault);
    CHECK(status == STATUS_UNKNOWN_TOKEN && subject->fault.status == status && count == 0);
    CHECK_MESSAGE(strcmp(fault_line(&subject->fault), line) == 0, "got: %s",
                  fault_line(&subject->fault));
}

static void unknown_text_is_named(void) {
    char longest[160];
    memset(longest, 'x', sizeof longest);
    check_lacks(&letters, "ab\xc3\xa8", 4, "vocabulary_lacks character \xc3\xa8");
    check_lacks(&letters, "a\tb", 3, "vocabulary_lacks character \\t");
    check_lacks(&letters, "a\0b", 3, "vocabulary_lacks character \\u{00}");
    check_lacks(&letters, "a\xff", 2, "vocabulary_lacks byte \\xFF");
    check_lacks(&letters, "a\xe6\x97", 3, "vocabulary_lacks byte \\xE6");
    check_lacks(&letters, "<end>", 5, "vocabulary_lacks character <");
    check_lacks(&words, "Tomorrow cats", 13, "vocabulary_lacks word  cats");
    check_lacks(&words, "cats", 4, "vocabulary_lacks word cats");
    check_lacks(&words, "Tomorrow\nshe", 12, "vocabulary_lacks word Tomorrow\\nshe");
    check_lacks(&words, " she\xe2\x80\x8b", 7, "vocabulary_lacks word  she\\u{200B}");
    check_lacks(
        &words, longest, sizeof longest,
        "vocabulary_lacks word xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
}

static void special_tokens(void) {
    size_t count;
    uint32_t *ids = encode(&words, "<end>Tomorrow<start> she", 24, true, &count);
    uint32_t expected[] = {1, 2, 3, 1, 4};
    CHECK(ids && count == 5 && memcmp(ids, expected, sizeof expected) == 0);
    free(ids);
    CHECK(round_trip(&words, "<end>Tomorrow<start> she", 24, true));
    CHECK(round_trip(&llama, "</s>one<s> two</s> <unk></s", 27, true));
    CHECK(round_trip(&llama, "</s>one<s> two</s> <unk></s", 27, false));
    CHECK(round_trip(&gpt2, "a<|endoftext|><|endoftext|> b", 29, true));
    ids = encode(&gpt2, "<|endoftext|>", 13, false, &count);
    CHECK(ids && count > 1 && ids[0] != 50256);
    free(ids);
    /* After a special token the llama kind adds a leading space again. */
    ids = encode(&llama, "</s>Hello", 9, true, &count);
    CHECK(ids && count == 3 && ids[0] == 1 && ids[1] == 2 && ids[2] == 15043);
    free(ids);
}

static void pieces_and_capacity(void) {
    struct tokenizer_piece piece = tokenizer_piece(llama.tokenizer, 13);
    CHECK(piece.length == 1 && piece.data[0] == '\n' && !piece.special);
    piece = tokenizer_piece(llama.tokenizer, 15043);
    CHECK(piece.length == 6 && memcmp(piece.data, " Hello", 6) == 0);
    piece = tokenizer_piece(gpt2.tokenizer, 50256);
    CHECK(piece.length == 13 && memcmp(piece.data, "<|endoftext|>", 13) == 0 && piece.special);
    piece = tokenizer_piece(gpt2.tokenizer, 995);
    CHECK(piece.length == 6 && memcmp(piece.data, " world", 6) == 0);
    CHECK(tokenizer_bos_id(llama.tokenizer) == 1 && tokenizer_eos_id(llama.tokenizer) == 2);
    CHECK(tokenizer_bos_id(letters.tokenizer) == TOKENIZER_NONE);
    CHECK(tokenizer_vocab_size(gpt2.tokenizer) == 50257);

    uint32_t ids[3] = {9, 9, 9}, outside = 32000;
    size_t count, length;
    char text[4] = "....";
    CHECK(tokenizer_encode(letters.tokenizer,
                           &(struct tokenizer_text){"abc", 3, TOKENIZER_BOS_AUTO, 0}, ids, 2,
                           &count, NULL) == STATUS_OK);
    CHECK(count == 3 && ids[0] == 3 && ids[1] == 4 && ids[2] == 9);
    CHECK(tokenizer_encode(letters.tokenizer,
                           &(struct tokenizer_text){"a", 1, TOKENIZER_BOS_YES, 0}, ids, 2, &count,
                           NULL) == STATUS_UNKNOWN_TOKEN);
    CHECK(tokenizer_encode(letters.tokenizer,
                           &(struct tokenizer_text){NULL, 0, TOKENIZER_BOS_AUTO, 0}, NULL, 0,
                           &count, NULL) == STATUS_OK &&
          count == 0);
    ids[0] = 15043;
    CHECK(tokenizer_decode(llama.tokenizer, ids, 1, false, text, 3, &length, NULL) == STATUS_OK);
    CHECK(length == 5 && memcmp(text, "Hel.", 4) == 0);
    CHECK(tokenizer_decode(llama.tokenizer, &outside, 1, false, text, 3, &length, &llama.fault) ==
          STATUS_UNKNOWN_TOKEN);
    CHECK(strcmp(fault_line(&llama.fault), "id_below 32000 32000") == 0);
}

static void unicode_classes(void) {
    CHECK(unicode_class('a') == UNICODE_LOWER && unicode_class(0xe9) == UNICODE_LOWER);
    CHECK(unicode_class('A') == UNICODE_UPPER && unicode_class(0x1c5) == UNICODE_UPPER);
    CHECK(unicode_class(0x65e5) == UNICODE_CASELESS && unicode_class(0x3134a) == UNICODE_CASELESS);
    CHECK(unicode_class(0x2b0) == UNICODE_CASELESS && unicode_class(0x1f88) == UNICODE_UPPER);
    CHECK(unicode_class('7') == UNICODE_NUMBER && unicode_class(0xbd) == UNICODE_NUMBER);
    CHECK(unicode_class(0x1d7ce) == UNICODE_NUMBER && unicode_class(0x2163) == UNICODE_NUMBER);
    CHECK(unicode_class('\t') == UNICODE_SPACE && unicode_class(0x85) == UNICODE_SPACE);
    CHECK(unicode_class(0x3000) == UNICODE_SPACE && unicode_class(0xa0) == UNICODE_SPACE);
    CHECK(unicode_class(0x301) == UNICODE_MARK && unicode_class(0xe0100) == UNICODE_MARK);
    CHECK(unicode_class('_') == UNICODE_POINT && unicode_class(0x3001) == UNICODE_POINT);
    CHECK(unicode_class(0xfeff) == UNICODE_OTHER && unicode_class('$') == UNICODE_OTHER);
    CHECK(unicode_class(0) == UNICODE_OTHER && unicode_class(0x10ffff) == UNICODE_OTHER);
    CHECK(unicode_class(0x1ffff) == UNICODE_OTHER && unicode_class(0x20000) == UNICODE_CASELESS);
    CHECK(unicode_class(UNICODE_INVALID) == UNICODE_OTHER);
    CHECK(unicode_is('a', UNICODE_LETTERS) && !unicode_is('a', UNICODE_NUMBERS | UNICODE_SPACES));
}

static double seconds_to_encode(struct subject *subject, const char *text, size_t length) {
    size_t count = 0;
    clock_t from = clock();
    CHECK(tokenizer_encode(subject->tokenizer,
                           &(struct tokenizer_text){text, length, TOKENIZER_BOS_AUTO, 0}, NULL, 0,
                           &count, NULL) == STATUS_OK);
    CHECK(count > 0 && count <= length + 2);
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

/* For four times the text, the time may grow at most eight times; with a quadratic encoder it grows
 * sixteen times. */
static void growth(void) {
    const size_t full_length = check_all() ? 1 << 20 : 1 << 17, brief_length = full_length / 4;
    static const char *const units[] = {"a", " ", "ab", "a ", "\xff", "word "};
    char *text = malloc(full_length);
    struct subject *subjects[] = {&gpt2, &llama};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        size_t n = strlen(units[u]);
        for (size_t i = 0; i < full_length; i++) text[i] = units[u][i % n];
        for (int k = 0; k < 2; k++) {
            double brief = seconds_to_encode(subjects[k], text, brief_length);
            double full = seconds_to_encode(subjects[k], text, full_length);
            if (brief < 0.01) brief = 0.01; /* limits the noise of the clock */
            CHECK_MESSAGE(full < 8 * brief, "%s, \"%s\": %.3f s, then %.3f s",
                          tokenizer_kind(subjects[k]->tokenizer), units[u], brief, full);
        }
    }
    free(text);
}

int main(void) {
    open_fixture(&gpt2, "gpt2_vocab");
    open_fixture(&llama, "llama_vocab");
    open_fixture(&letters, "char_vocab");
    open_fixture(&words, "word_vocab");
    TEST(golden_gpt2);
    TEST(golden_llama);
    TEST(round_trips);
    TEST(small_kinds_round_trip);
    TEST(unknown_text_is_named);
    TEST(special_tokens);
    TEST(pieces_and_capacity);
    TEST(unicode_classes);
    TEST(growth);
    subject_close(&gpt2);
    subject_close(&llama);
    subject_close(&letters);
    subject_close(&words);
    return check_report();
}
