/* Runs the golden vectors of tests/vectors with the chain and the generators, each case with both
 * tables of kernels. tests/vectors/README.md describes the format. The JavaScript tests read the
 * same files. */
#include <stdlib.h>

#include "check.h"
#include "elementary.h"
#include "vector_checks.h"

static void allocate(struct subject *s, size_t n) {
    s->n = n;
    s->logits = malloc((n + 1) * sizeof *s->logits);
    s->given = malloc((n + 1) * sizeof *s->given);
    if (!s->logits || !s->given) abort();
}

static void give_logits(struct subject *s, const struct vector_line *line) {
    allocate(s, line->count - 1);
    for (size_t i = 0; i < s->n; i++) s->logits[i] = (float)number(s, line->words[i + 1]);
}

static void give_probs(struct subject *s, const struct vector_line *line) {
    allocate(s, line->count - 1);
    for (size_t i = 0; i < s->n; i++)
        s->logits[i] = (float)elementary_log(number(s, line->words[i + 1]));
}

static void give_log_range(struct subject *s, const struct vector_line *line) {
    allocate(s, (size_t)integer(s, line->words[1]));
    for (size_t i = 0; i < s->n; i++) s->logits[i] = (float)elementary_log((double)i);
}

static void give_history(struct subject *s, const struct vector_line *line) {
    s->n_history = line->count - 1;
    if (s->n_history > LIST_MAX) abort();
    for (size_t i = 0; i < s->n_history; i++)
        s->history[i] = (uint32_t)integer(s, line->words[i + 1]);
}

/* A refused value must not change the settings. */
static void give_set(struct subject *s, const struct vector_line *line) {
    uint32_t setting = 0;
    while (setting < SETTING_COUNT && strcmp(warp_table[setting].name, line->words[1]) != 0)
        setting++;
    struct settings before = s->settings;
    enum status status = settings_set(&s->settings, setting, number(s, line->words[2]), &s->fault);
    if (status && memcmp(&before, &s->settings, sizeof before) != 0) s->malformed = true;
    if (status && !s->status) s->status = status;
}

static void give_bias(struct subject *s, const struct vector_line *line) {
    if (s->settings.n_bias == LIST_MAX) abort();
    struct warp_bias bias = {.id = (uint32_t)integer(s, line->words[1]),
                             .bias = number(s, line->words[2])};
    s->bias[s->settings.n_bias++] = bias;
    s->settings.bias = s->bias;
}

static void give_convention(struct subject *s, const struct vector_line *line) {
    const char *const *choices = warp_table[SETTING_CONVENTION].choices;
    uint32_t choice = 0;
    while (choices[choice] && strcmp(choices[choice], line->words[1]) != 0) choice++;
    if (settings_set(&s->settings, SETTING_CONVENTION, choice, NULL)) s->malformed = true;
}

static void give_breaker(struct subject *s, const struct vector_line *line) {
    uint32_t *words = s->breakers + s->settings.n_breaker_words;
    if (s->settings.n_breaker_words + line->count > LIST_MAX) abort();
    words[0] = (uint32_t)line->count - 1;
    for (size_t i = 1; i < line->count; i++) words[i] = (uint32_t)integer(s, line->words[i]);
    s->settings.breakers = s->breakers;
    s->settings.n_breaker_words += (uint32_t)line->count;
}

static void give_ends(struct subject *s, const struct vector_line *line) {
    if (line->count > LIST_MAX) abort();
    for (size_t i = 1; i < line->count; i++) s->ends[i - 1] = (uint32_t)integer(s, line->words[i]);
    s->settings.ends = s->ends;
    s->settings.n_ends = (uint32_t)line->count - 1;
}

static void give_coin(struct subject *s, const struct vector_line *line) {
    s->settings.seed = integer(s, line->words[1]);
    s->settings.step = integer(s, line->words[2]);
}

static void give_order(struct subject *s, const struct vector_line *line) {
    s->settings.n_order = (uint32_t)line->count - 1;
    if (s->settings.n_order > SAMPLER_COUNT) abort();
    for (uint32_t i = 0; i < s->settings.n_order; i++) {
        uint32_t sampler = 0;
        while (sampler < SAMPLER_COUNT && strcmp(warp_table[sampler].name, line->words[i + 1]) != 0)
            sampler++;
        s->settings.order[i] = sampler;
    }
}

static void give_pcg32(struct subject *s, const struct vector_line *line) {
    pcg32_seed(&s->pcg, integer(s, line->words[1]), integer(s, line->words[2]));
}

static void give_skip(struct subject *s, const struct vector_line *line) {
    pcg32_advance(&s->pcg, integer(s, line->words[1]));
}

static void give_random(struct subject *s, const struct vector_line *line) {
    s->random = draw_random(integer(s, line->words[1]), integer(s, line->words[2]));
}

static void give_splitmix64(struct subject *s, const struct vector_line *line) {
    s->splitmix = integer(s, line->words[1]);
}

static void give_nothing(struct subject *s, const struct vector_line *line) {
    (void)s;
    (void)line;
}

static const struct {
    const char *name;
    void (*give)(struct subject *, const struct vector_line *);
    size_t arguments; /* least number of arguments */
} givens[] = {
    {"logits", give_logits, 1},
    {"probs", give_probs, 1},
    {"log_range", give_log_range, 1},
    {"history", give_history, 1},
    {"set", give_set, 2},
    {"bias", give_bias, 2},
    {"convention", give_convention, 1},
    {"breaker", give_breaker, 1},
    {"ends", give_ends, 1},
    {"coin", give_coin, 2},
    {"order", give_order, 1},
    {"pcg32", give_pcg32, 2},
    {"skip", give_skip, 1},
    {"random", give_random, 2},
    {"splitmix64", give_splitmix64, 1},
    {"case", give_nothing, 1},
    {"source", give_nothing, 1},
    {"note", give_nothing, 1},
    {"expect", give_nothing, 1},
};

/* True if the case's input arrays are unchanged, the trace counts the survivors correctly, and
 * their weights add up to the total. */
static bool keeps_promises(const struct subject *s) {
    if (memcmp(s->logits, s->given, s->n * sizeof *s->logits) != 0) return false;
    if (s->status) return s->fault.status == s->status && s->fault.key;
    uint64_t total = 0;
    uint32_t kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->warped[i] == -INFINITY && s->weights[i]) return false;
        kept += s->warped[i] != -INFINITY;
        total += s->weights[i];
    }
    return total == s->total && total > 0 && kept == s->trace->kept && kept > 0;
}

static void apply(struct subject *s) {
    memcpy(s->given, s->logits, s->n * sizeof *s->logits);
    if (!s->status) s->status = chain_open(&s->chain, s->n, s->n, s->kernels, &s->fault);
    if (!s->status)
        s->status = chain_apply(s->chain, s->logits, &s->settings, s->history, s->n_history, s->n,
                                &s->fault);
    if (!s->status) {
        s->trace = chain_trace(s->chain);
        s->warped = chain_logits(s->chain);
        s->weights = chain_weights(s->chain, &s->total);
    }
    CHECK_MESSAGE(keeps_promises(s), "the arrays, the counts and the weights do not agree");
}

static void give(struct subject *s, const struct vector_line *line) {
    for (size_t i = 0; i < sizeof givens / sizeof givens[0]; i++) {
        if (strcmp(givens[i].name, line->words[0]) != 0) continue;
        if (line->count > givens[i].arguments) {
            givens[i].give(s, line);
            return;
        }
    }
    s->malformed = true;
}

/* True if the line is an expectation that holds. */
static bool expect(struct subject *s, const struct vector_line *line) {
    const char *name = line->words[1];
    struct expectation e = {.words = line->words + 2, .count = line->count - 2};
    if (e.count >= 2 && strcmp(e.words[e.count - 2], "tol") == 0) {
        e.tolerance = number(s, e.words[e.count - 1]);
        e.count -= 2;
    }
    snprintf(s->got, sizeof s->got, "%s", s->status ? fault_line(&s->fault) : "");
    if (strcmp(name, "error") == 0)
        return s->status && e.count == 1 && strcmp(status_name(s->status), e.words[0]) == 0;
    if (s->status) return false;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++)
        if (strcmp(expectations[i].name, name) == 0)
            return e.count >= expectations[i].arguments &&
                   (s->n > 0 || expectations[i].generator) && expectations[i].check(s, &e);
    s->malformed = true;
    return false;
}

static void run_case(const struct vector_line *lines, size_t n, const struct kernels *kernels) {
    struct subject s = {.kernels = kernels};
    settings_reset(&s.settings);
    size_t expected = 0;
    for (size_t i = 0; i < n; i++) give(&s, &lines[i]);
    if (s.n) apply(&s);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(lines[i].words[0], "expect") != 0) continue;
        CHECK_MESSAGE(expect(&s, &lines[i]), "line %u (%s): expect %s; %s", lines[i].number,
                      kernels->name, lines[i].words[1], s.got);
        expected++;
    }
    CHECK_MESSAGE(expected > 0 && !s.malformed, "line %u: malformed case", lines[0].number);
    chain_close(s.chain);
    free(s.logits);
    free(s.given);
}

static void run_file(const char *name) {
    char path[256];
    struct vector_file file;
    snprintf(path, sizeof path, "tests/vectors/%s", name);
    if (!vector_file_read(&file, path)) {
        printf("cannot read %s\n", path);
        check_failed++;
        return;
    }
    for (size_t first = 0, next; first < file.n_lines; first = next) {
        next = first + 1;
        while (next < file.n_lines && strcmp(file.lines[next].words[0], "case") != 0) next++;
        check_broken = 0;
        run_case(&file.lines[first], next - first, &kernels_scalar);
        run_case(&file.lines[first], next - first, &kernels_simd);
        if (check_broken) printf("FAILED %s %s\n", name, file.lines[first].words[1]);
        check_failed += check_broken != 0;
        check_passed += check_broken == 0;
    }
    vector_file_free(&file);
}

int main(void) {
    struct vector_file index;
    if (!vector_file_read(&index, "tests/vectors/index.txt")) {
        printf("cannot read tests/vectors/index.txt\n");
        check_failed++;
        return check_report();
    }
    for (size_t i = 0; i < index.n_lines; i++) run_file(index.lines[i].words[0]);
    vector_file_free(&index);
    return check_report();
}
