/* Compares both kinds of BPE with simple twins, which search all pairs again for each join. */
#include "tokenizer_subject.h"

enum { TWIN_TOKENS = 60, TWIN_MERGES = 50, TWIN_TEXT = 40 };

/* A vocabulary of short strings, with merges or scores. */
struct twin {
    char text[TWIN_TOKENS][32], merge[TWIN_MERGES][64];
    const char *tokens[TWIN_TOKENS];
    float scores[TWIN_TOKENS];
    int n, n_merges;
};

/* Returns the cost of joining two symbols; 1e9 if they may not be joined. */
typedef double cost_function(const struct twin *twin, const char *left, const char *right);

static int twin_find(const struct twin *twin, const char *text) {
    for (int id = 0; id < twin->n; id++)
        if (strcmp(twin->text[id], text) == 0) return id;
    return -1;
}

static void twin_add(struct twin *twin, const char *text) {
    snprintf(twin->text[twin->n], sizeof twin->text[0], "%s", text);
    twin->tokens[twin->n] = twin->text[twin->n];
    twin->n++;
}

/* Joins the pair of least cost, leftmost on a tie, until no pair may be joined. Takes quadratic
 * time. */
static int twin_merge(char (*symbols)[TWIN_TEXT + 1], int n, const struct twin *twin,
                      cost_function *cost) {
    for (;;) {
        int best = -1;
        double least = 1e9;
        for (int i = 0; i + 1 < n; i++) {
            double c = cost(twin, symbols[i], symbols[i + 1]);
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

static double gpt2_cost(const struct twin *twin, const char *left, const char *right) {
    char merge[2 * TWIN_TEXT + 2];
    snprintf(merge, sizeof merge, "%s %s", left, right);
    for (int i = 0; i < twin->n_merges; i++)
        if (strcmp(twin->merge[i], merge) == 0) return i;
    return 1e9;
}

static double llama_cost(const struct twin *twin, const char *left, const char *right) {
    char joined[2 * TWIN_TEXT + 2];
    snprintf(joined, sizeof joined, "%s%s", left, right);
    int id = twin_find(twin, joined);
    return id < 0 ? 1e9 : -(double)twin->scores[id];
}

/* Encodes a random text of `letters` with the tokenizer and with the twin. */
static void compare(struct subject *subject, const struct twin *twin, struct pcg32 *generator,
                    const char *letters, cost_function *cost) {
    char symbols[TWIN_TEXT + 1][TWIN_TEXT + 1], text[TWIN_TEXT];
    size_t count;
    uint32_t length = random_below(generator, TWIN_TEXT);
    int n = 0;
    if (cost == llama_cost && length) strcpy(symbols[n++], " ");
    for (uint32_t i = 0; i < length; i++) {
        text[i] = letters[random_below(generator, (uint32_t)strlen(letters))];
        symbols[n][0] = text[i];
        symbols[n++][1] = 0;
    }
    n = twin_merge(symbols, n, twin, cost);
    uint32_t *ids = encode(subject, text, length, false, &count);
    bool same = ids && count == (size_t)n;
    for (int i = 0; same && i < n; i++) same = ids[i] == (uint32_t)twin_find(twin, symbols[i]);
    CHECK_MESSAGE(same, "\"%.*s\": %zu ids, the twin has %d", (int)length, text, count, n);
    free(ids);
}

static void check_twin(const struct vocabulary_spec *spec, const struct twin *twin,
                       struct pcg32 *generator, const char *letters, cost_function *cost) {
    struct subject subject = {0};
    subject_from_spec(&subject, spec);
    for (int i = 0; i < 50; i++) compare(&subject, twin, generator, letters, cost);
    subject_close(&subject);
}

static struct vocabulary_spec twin_spec(const struct twin *twin, const char *model) {
    return (struct vocabulary_spec){.model = model,
                                    .tokens = twin->tokens,
                                    .n_tokens = (size_t)twin->n,
                                    .bos = -1,
                                    .eos = -1,
                                    .unknown = -1,
                                    .add_bos = -1,
                                    .add_space_prefix = -1};
}

/* Adds merges and shuffles them, so that a merge may rank before the merges that make its parts. */
static void add_merges(struct twin *twin, struct pcg32 *generator) {
    while (twin->n_merges < TWIN_MERGES) {
        const char *left = twin->text[random_below(generator, (uint32_t)twin->n)];
        const char *right = twin->text[random_below(generator, (uint32_t)twin->n)];
        char joined[2 * sizeof twin->text[0]], merge[sizeof twin->merge[0]];
        snprintf(joined, sizeof joined, "%s%s", left, right);
        if (strlen(joined) > 10) continue;
        snprintf(merge, sizeof merge, "%s %s", left, right);
        memcpy(twin->merge[twin->n_merges++], merge, sizeof merge);
        if (twin_find(twin, joined) < 0) twin_add(twin, joined);
    }
    for (int i = twin->n_merges - 1; i > 0; i--) {
        char swapped[sizeof twin->merge[0]];
        uint32_t k = random_below(generator, (uint32_t)i + 1);
        memcpy(swapped, twin->merge[i], sizeof swapped);
        memcpy(twin->merge[i], twin->merge[k], sizeof swapped);
        memcpy(twin->merge[k], swapped, sizeof swapped);
    }
}

static void gpt2_twin(void) {
    struct pcg32 generator;
    pcg32_seed(&generator, 2, 54);
    for (int round = 0; round < 60; round++) {
        struct twin twin = {0};
        const char *merges[TWIN_MERGES];
        for (const char *c = "abc"; *c; c++) twin_add(&twin, (char[]){*c, 0});
        add_merges(&twin, &generator);
        for (int i = 0; i < twin.n_merges; i++) merges[i] = twin.merge[i];
        struct vocabulary_spec spec = twin_spec(&twin, "gpt2");
        spec.merges = merges;
        spec.n_merges = (size_t)twin.n_merges;
        check_twin(&spec, &twin, &generator, "abc", gpt2_cost);
    }
}

/* Scores have few different values, so that many tie. If texts are equal, the first token counts.
 */
static void llama_twin(void) {
    struct pcg32 generator;
    pcg32_seed(&generator, 3, 54);
    for (int round = 0; round < 60; round++) {
        struct twin twin = {0};
        for (const char *c = " abc"; *c; c++) twin_add(&twin, (char[]){*c, 0});
        while (twin.n < TWIN_TOKENS) {
            char token[8] = {0};
            for (uint32_t i = 0, n = 2 + random_below(&generator, 4); i < n; i++)
                token[i] = " abcabcabc"[random_below(&generator, 10)];
            twin_add(&twin, token);
        }
        for (int id = 0; id < twin.n; id++)
            twin.scores[id] = (float)random_below(&generator, 8) - 20;
        struct vocabulary_spec spec = twin_spec(&twin, "llama");
        spec.scores = twin.scores;
        spec.n_scores = (size_t)twin.n;
        check_twin(&spec, &twin, &generator, "abc ", llama_cost);
    }
}

int main(void) {
    TEST(gpt2_twin);
    TEST(llama_twin);
    return check_report();
}
