/* Compares both kinds of BPE with plain forms, which search all pairs again for each join. */
#include "tokenizer_subject.h"

enum { PLAIN_TOKENS = 60, PLAIN_MERGES = 50, PLAIN_TEXT = 40 };

/* A vocabulary of short strings, with merges or scores. */
struct plain_bpe {
    char text[PLAIN_TOKENS][32], merge[PLAIN_MERGES][64];
    const char *tokens[PLAIN_TOKENS];
    float scores[PLAIN_TOKENS];
    int n, n_merges;
};

/* Returns the cost of joining two symbols; 1e9 if they may not be joined. */
typedef double cost_function(const struct plain_bpe *plain, const char *left, const char *right);

static int plain_find(const struct plain_bpe *plain, const char *text) {
    for (int id = 0; id < plain->n; id++)
        if (strcmp(plain->text[id], text) == 0) return id;
    return -1;
}

static void plain_add(struct plain_bpe *plain, const char *text) {
    snprintf(plain->text[plain->n], sizeof plain->text[0], "%s", text);
    plain->tokens[plain->n] = plain->text[plain->n];
    plain->n++;
}

/* Joins the pair of least cost, leftmost on a tie, until no pair may be joined. Takes quadratic
 * time. */
static int plain_merge(char (*symbols)[PLAIN_TEXT + 1], int n, const struct plain_bpe *plain,
                       cost_function *cost) {
    for (;;) {
        int best = -1;
        double least = 1e9;
        for (int i = 0; i + 1 < n; i++) {
            double c = cost(plain, symbols[i], symbols[i + 1]);
            if (c < least) {
                least = c;
                best = i;
            }
        }
        if (best < 0) return n;
        size_t length = strlen(symbols[best]);
        memmove(symbols[best] + length, symbols[best + 1], strlen(symbols[best + 1]) + 1);
        memmove(symbols[best + 1], symbols[best + 2], (size_t)(n - best - 2) * sizeof symbols[0]);
        n--;
    }
}

static double gpt2_cost(const struct plain_bpe *plain, const char *left, const char *right) {
    char merge[2 * PLAIN_TEXT + 2];
    snprintf(merge, sizeof merge, "%s %s", left, right);
    for (int i = 0; i < plain->n_merges; i++)
        if (strcmp(plain->merge[i], merge) == 0) return i;
    return 1e9;
}

static double llama_cost(const struct plain_bpe *plain, const char *left, const char *right) {
    char joined[2 * PLAIN_TEXT + 2];
    snprintf(joined, sizeof joined, "%s%s", left, right);
    int id = plain_find(plain, joined);
    return id < 0 ? 1e9 : -(double)plain->scores[id];
}

/* Encodes a random text of `letters` with the tokenizer and with its plain form. */
static void compare(struct subject *subject, const struct plain_bpe *plain, struct pcg32 *generator,
                    const char *letters, cost_function *cost) {
    char symbols[PLAIN_TEXT + 1][PLAIN_TEXT + 1], text[PLAIN_TEXT];
    size_t count;
    uint32_t length = random_below(generator, PLAIN_TEXT);
    int n = 0;
    if (cost == llama_cost && length) strcpy(symbols[n++], " ");
    for (uint32_t i = 0; i < length; i++) {
        text[i] = letters[random_below(generator, (uint32_t)strlen(letters))];
        symbols[n][0] = text[i];
        symbols[n++][1] = 0;
    }
    n = plain_merge(symbols, n, plain, cost);
    uint32_t *ids = encode(subject, text, length, false, &count);
    bool same = ids && count == (size_t)n;
    for (int i = 0; same && i < n; i++) same = ids[i] == (uint32_t)plain_find(plain, symbols[i]);
    CHECK_MESSAGE(same, "\"%.*s\": %zu ids, the plain form has %d", (int)length, text, count, n);
    free(ids);
}

static void check_plain(const struct vocabulary_spec *spec, const struct plain_bpe *plain,
                        struct pcg32 *generator, const char *letters, cost_function *cost) {
    struct subject subject = {0};
    subject_from_spec(&subject, spec);
    for (int i = 0; i < 50; i++) compare(&subject, plain, generator, letters, cost);
    subject_close(&subject);
}

static struct vocabulary_spec plain_spec(const struct plain_bpe *plain, const char *model) {
    return (struct vocabulary_spec){.model = model,
                                    .tokens = plain->tokens,
                                    .n_tokens = (size_t)plain->n,
                                    .bos = -1,
                                    .eos = -1,
                                    .unknown = -1,
                                    .add_bos = -1,
                                    .add_space_prefix = -1};
}

/* Adds merges and shuffles them, so that a merge may rank before the merges that make its parts. */
static void add_merges(struct plain_bpe *plain, struct pcg32 *generator) {
    while (plain->n_merges < PLAIN_MERGES) {
        const char *left = plain->text[random_below(generator, (uint32_t)plain->n)];
        const char *right = plain->text[random_below(generator, (uint32_t)plain->n)];
        char joined[2 * sizeof plain->text[0]], merge[sizeof plain->merge[0]];
        snprintf(joined, sizeof joined, "%s%s", left, right);
        if (strlen(joined) > 10) continue;
        snprintf(merge, sizeof merge, "%s %s", left, right);
        memcpy(plain->merge[plain->n_merges++], merge, sizeof merge);
        if (plain_find(plain, joined) < 0) plain_add(plain, joined);
    }
    for (int i = plain->n_merges - 1; i > 0; i--) {
        char swapped[sizeof plain->merge[0]];
        uint32_t k = random_below(generator, (uint32_t)i + 1);
        memcpy(swapped, plain->merge[i], sizeof swapped);
        memcpy(plain->merge[i], plain->merge[k], sizeof swapped);
        memcpy(plain->merge[k], swapped, sizeof swapped);
    }
}

static void gpt2_equals_its_plain_form(void) {
    struct pcg32 generator;
    pcg32_seed(&generator, 2, 54);
    for (int round = 0; round < 60; round++) {
        struct plain_bpe plain = {0};
        const char *merges[PLAIN_MERGES];
        for (const char *c = "abc"; *c; c++) plain_add(&plain, (char[]){*c, 0});
        add_merges(&plain, &generator);
        for (int i = 0; i < plain.n_merges; i++) merges[i] = plain.merge[i];
        struct vocabulary_spec spec = plain_spec(&plain, "gpt2");
        spec.merges = merges;
        spec.n_merges = (size_t)plain.n_merges;
        check_plain(&spec, &plain, &generator, "abc", gpt2_cost);
    }
}

/* Scores have few different values, so that many tie. If texts are equal, the first token
 * counts. */
static void llama_equals_its_plain_form(void) {
    struct pcg32 generator;
    pcg32_seed(&generator, 3, 54);
    for (int round = 0; round < 60; round++) {
        struct plain_bpe plain = {0};
        for (const char *c = " abc"; *c; c++) plain_add(&plain, (char[]){*c, 0});
        while (plain.n < PLAIN_TOKENS) {
            char token[8] = {0};
            for (uint32_t i = 0, n = 2 + random_below(&generator, 4); i < n; i++)
                token[i] = " abcabcabc"[random_below(&generator, 10)];
            plain_add(&plain, token);
        }
        for (int id = 0; id < plain.n; id++)
            plain.scores[id] = (float)random_below(&generator, 8) - 20;
        struct vocabulary_spec spec = plain_spec(&plain, "llama");
        spec.scores = plain.scores;
        spec.n_scores = (size_t)plain.n;
        check_plain(&spec, &plain, &generator, "abc ", llama_cost);
    }
}

int main(void) {
    TEST(gpt2_equals_its_plain_form);
    TEST(llama_equals_its_plain_form);
    return check_report();
}
