/* The native command line of the tests. `logitscope digest MODEL [PROMPT]` prints two digests,
 * `logitscope chain` runs the plain samplers, and `logitscope split PRE` prints the pieces of a
 * pre-tokenizer.
 *
 * A digest is a number over all results that must be equal in every build: FNV-1a with 64 bits over
 * the bytes below, little-endian. tests/node/digest.js computes the same digests.
 *
 * In series i = 0, 1, ... the timeline begins with the prompt's ids and grows by 40 drawn tokens.
 * The end-of-sequence token does not end the timeline. Each step adds these numbers:
 *
 *   - the logits (vocab_size,): float32
 *   - the trace: kept, rest_count, rest_kept, underflowed: uint32; rest_p_raw, rest_p, entropy,
 *     perplexity, raw_entropy, raw_perplexity, kept_mass_raw: float64
 *   - each stage: its number, active, changed, kept, removed, after: uint32; value, mass_removed,
 *     top_p_mass, entropy, perplexity: float64
 *   - each of the 20 listed tokens: id, rank, removed_by: uint32; logit, warped: float32; p_raw, p,
 *     p after each stage: float64
 *   - the drawn token: id, rank: uint32; p, p_raw, logprob: float64
 *   - with mirostat the next mu: float64
 *
 * Step n of series i draws with random number n of seed 42 + i; XTC's coin uses this seed too.
 *
 * The first digest has the first sixteen samplers in the order of `order`, and a stage's number is
 * its index there. So later samplers do not change this digest. The second digest has the remaining
 * series in canonical order, and a stage's number is its row in the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "chain.h"
#include "gguf.h"
#include "plain_samplers.h"
#include "pretokenizer.h"
#include "session.h"
#include "tokenizer.h"

enum { STEPS = 40, TOP = 20, SERIES = 7, ALL_SERIES = 9, SAMPLERS = 16 };

/* The order of the samplers in the first digest. */
static const uint32_t order[SAMPLERS] = {SETTING_LOGIT_BIAS,
                                         SETTING_REPETITION_PENALTY,
                                         SETTING_FREQUENCY_PENALTY,
                                         SETTING_PRESENCE_PENALTY,
                                         SETTING_NO_REPEAT_NGRAM_SIZE,
                                         SETTING_DRY_MULTIPLIER,
                                         SETTING_TEMPERATURE,
                                         SETTING_TOP_K,
                                         SETTING_TOP_P,
                                         SETTING_MIN_P,
                                         SETTING_TYPICAL_P,
                                         SETTING_EPSILON_CUTOFF,
                                         SETTING_ETA_CUTOFF,
                                         SETTING_TOP_N_SIGMA,
                                         SETTING_XTC_PROBABILITY,
                                         SETTING_MIROSTAT};

struct machine {
    struct gguf *file;
    struct model *model;
    struct tokenizer *tokenizer;
    struct session *session;
    struct chain *chain;
    uint32_t *timeline; /* prompt and drawn ids */
    size_t n_prompt;
    uint64_t hash;
};

static void hash_bytes(uint64_t *hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) *hash = (*hash ^ bytes[i]) * 0x100000001b3u;
}

static void hash_u32(uint64_t *hash, uint32_t value) { hash_bytes(hash, &value, sizeof value); }
static void hash_f64(uint64_t *hash, double value) { hash_bytes(hash, &value, sizeof value); }

/* Returns a stage's number in a digest: its index in `order` for the first digest, else its row in
 * the table. */
static uint32_t number_of(uint32_t stage, bool first) {
    uint32_t place = 0;
    while (first && order[place] != stage) place++;
    return first ? place : stage;
}

static void hash_stage(uint64_t *hash, const struct chain_stage *stage, bool first) {
    hash_u32(hash, number_of(stage->stage, first));
    hash_u32(hash, stage->active);
    hash_u32(hash, stage->changed);
    hash_u32(hash, stage->kept);
    hash_u32(hash, stage->removed);
    hash_u32(hash, stage->after);
    hash_f64(hash, stage->value);
    hash_f64(hash, stage->mass_removed);
    hash_f64(hash, stage->top_p_mass);
    hash_f64(hash, stage->entropy);
    hash_f64(hash, stage->perplexity);
}

static void hash_trace(uint64_t *hash, const struct chain_trace *trace, bool first) {
    hash_u32(hash, trace->kept);
    hash_u32(hash, trace->rest_count);
    hash_u32(hash, trace->rest_kept);
    hash_u32(hash, trace->underflowed);
    hash_f64(hash, trace->rest_p_raw);
    hash_f64(hash, trace->rest_p);
    hash_f64(hash, trace->entropy);
    hash_f64(hash, trace->perplexity);
    hash_f64(hash, trace->raw_entropy);
    hash_f64(hash, trace->raw_perplexity);
    hash_f64(hash, trace->kept_mass_raw);
    for (uint32_t s = 0; s < trace->n_stages; s++) hash_stage(hash, &trace->stages[s], first);
    for (uint32_t t = 0; t < trace->n_tokens; t++) {
        const struct chain_token *token = &trace->tokens[t];
        hash_u32(hash, token->id);
        hash_u32(hash, token->rank);
        hash_u32(hash, token->removed_by);
        hash_bytes(hash, &token->logit, sizeof token->logit);
        hash_bytes(hash, &token->warped, sizeof token->warped);
        hash_f64(hash, token->p_raw);
        hash_f64(hash, token->p);
        const double *stage_p = trace->stage_p + (size_t)t * trace->n_stages;
        hash_bytes(hash, stage_p, trace->n_stages * sizeof *stage_p);
    }
}

static void hash_drawn(uint64_t *hash, const struct chain_drawn *drawn) {
    hash_u32(hash, drawn->id);
    hash_u32(hash, drawn->rank);
    hash_f64(hash, drawn->p);
    hash_f64(hash, drawn->p_raw);
    hash_f64(hash, drawn->logprob);
}

/* Sets the settings of a series; returns true if the series draws by Gumbel-max. */
static bool use_series(struct settings *settings, int series) {
    static const uint32_t ends[] = {0, 3};
    static const struct warp_bias bias[] = {{0, -1.5}, {3, 0.5}};
    static const uint32_t reversed[] = {SETTING_TOP_P, SETTING_TOP_K, SETTING_TEMPERATURE,
                                        SETTING_REPETITION_PENALTY, SETTING_LOGIT_BIAS};
    static const struct {
        enum setting setting;
        double value;
    } mixed[] = {{SETTING_FREQUENCY_PENALTY, 0.2},
                 {SETTING_PRESENCE_PENALTY, 0.3},
                 {SETTING_NO_REPEAT_NGRAM_SIZE, 4},
                 {SETTING_DRY_MULTIPLIER, 0.8},
                 {SETTING_MIN_P, 0.001},
                 {SETTING_TYPICAL_P, 0.97},
                 {SETTING_EPSILON_CUTOFF, 0.0003},
                 {SETTING_ETA_CUTOFF, 0.0006},
                 {SETTING_TOP_N_SIGMA, 4},
                 {SETTING_XTC_PROBABILITY, 0.5},
                 {SETTING_MIN_TOKENS_TO_KEEP, 2},
                 {SETTING_TEMPERATURE, 1.4}},
      later[] = {{SETTING_ENCODER_REPETITION_PENALTY, 1.1},
                 {SETTING_REPETITION_PENALTY, 1.1},
                 {SETTING_PROMPT_IGNORE_LENGTH, 5},
                 {SETTING_RENORMALIZE_LOGITS, 1},
                 {SETTING_TOP_A, 0.01},
                 {SETTING_TOP_H, 0.98},
                 {SETTING_DYNATEMP_RANGE, 0.5},
                 {SETTING_SMOOTHING_FACTOR, 0.1},
                 {SETTING_MIN_NEW_TOKENS, 6},
                 {SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY, 1.03},
                 {SETTING_EXPONENTIAL_DECAY_START, 10},
                 {SETTING_TFS_Z, 0.99},
                 {SETTING_GREEN_BIAS, 1.5},
                 {SETTING_GREEN_SELF, 1},
                 {SETTING_SYNTHID_DEPTH, 12},
                 {SETTING_SYNTHID_CONTEXT, 2}};
    settings_reset(settings);
    if (series < SERIES) {
        memcpy(settings->order, order, sizeof order);
        settings->n_order = SAMPLERS;
    }
    switch (series) {
    case 0: settings_set(settings, SETTING_TEMPERATURE, 0, NULL); break;
    case 1:
        settings_set(settings, SETTING_TEMPERATURE, 0.8, NULL);
        settings_set(settings, SETTING_TOP_K, 40, NULL);
        settings_set(settings, SETTING_TOP_P, 0.95, NULL);
        break;
    case 2:
        settings_set(settings, SETTING_TEMPERATURE, 1.5, NULL);
        settings_set(settings, SETTING_REPETITION_PENALTY, 1.2, NULL);
        settings_set(settings, SETTING_REPETITION_WINDOW, 16, NULL);
        break;
    case 3:
        settings->bias = bias;
        settings->n_bias = 2;
        break;
    case 5:
        for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
            settings_set(settings, mixed[i].setting, mixed[i].value, NULL);
        break;
    case 6:
        settings_set(settings, SETTING_MIROSTAT, 1, NULL);
        settings_set(settings, SETTING_MIROSTAT_TAU, 2, NULL);
        settings_set(settings, SETTING_MIROSTAT_ETA, 0.3, NULL);
        break;
    case 8:
        settings->ends = ends;
        settings->n_ends = 2;
        for (size_t i = 0; i < sizeof later / sizeof *later; i++)
            settings_set(settings, later[i].setting, later[i].value, NULL);
        break;
    case 7:
        settings_set(settings, SETTING_MIN_P, 0.01, NULL);
        settings_set(settings, SETTING_ADAPTIVE_TARGET, 0.4, NULL);
        break;
    default:
        settings_set(settings, SETTING_TEMPERATURE, 1.3, NULL);
        settings_set(settings, SETTING_TOP_P, 0.9, NULL);
        memcpy(settings->order, reversed, sizeof reversed);
        settings->n_order = sizeof reversed / sizeof *reversed;
    }
    return series == 3;
}

static enum status run_series(struct machine *m, int series, struct fault *fault) {
    struct settings settings;
    bool gumbel = use_series(&settings, series);
    uint64_t seed = 42 + (uint64_t)series;
    size_t n = m->n_prompt;
    for (uint64_t step = 0; step < STEPS; step++) {
        struct session_fed fed;
        enum status status = session_feed(m->session, m->timeline, n, true, &fed, fault);
        if (status) return status;
        const float *logits = session_logits(m->session);
        settings.seed = seed;
        settings.step = step;
        status = chain_apply(m->chain, logits, &settings, m->timeline, n, TOP, fault);
        if (status) return status;
        struct chain_drawn drawn = gumbel ? chain_draw_gumbel(m->chain, seed, step)
                                          : chain_draw(m->chain, draw_random(seed, step));
        hash_bytes(&m->hash, logits, m->model->shape.vocab_size * sizeof *logits);
        hash_trace(&m->hash, chain_trace(m->chain), series < SERIES);
        hash_drawn(&m->hash, &drawn);
        if (settings_active(&settings, SETTING_ADAPTIVE_TARGET)) {
            settings.value[SETTING_ADAPTIVE_MEAN] = adaptive_next(&settings, drawn.p_before);
            hash_f64(&m->hash, settings.value[SETTING_ADAPTIVE_MEAN]);
        }
        if (settings_active(&settings, SETTING_MIROSTAT)) {
            settings.value[SETTING_MIROSTAT_MU] = mirostat_next(&settings, drawn.p);
            hash_f64(&m->hash, settings.value[SETTING_MIROSTAT_MU]);
        }
        m->timeline[n++] = drawn.id;
    }
    return STATUS_OK;
}

static enum status open_machine(struct machine *m, const void *image, size_t size,
                                const char *prompt, const struct kernels *kernels,
                                struct fault *fault) {
    size_t length = strlen(prompt), capacity = 3 * length + 2;
    enum status status = gguf_open(&m->file, image, size, fault);
    if (!status) status = model_open(&m->model, m->file, fault);
    if (!status) {
        status = tokenizer_open(&m->tokenizer, m->file, m->model->shape.vocab_size, fault);
    }
    if (!status) status = session_open(&m->session, m->model, 0, kernels, fault);
    if (!status) {
        status = chain_open(&m->chain, m->model->shape.vocab_size, TOP, kernels, fault);
    }
    if (!status) {
        m->timeline = malloc((capacity + STEPS) * sizeof *m->timeline);
        if (!m->timeline) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory", "");
        status = tokenizer_encode(m->tokenizer,
                                  &(struct tokenizer_text){prompt, length, TOKENIZER_BOS_AUTO, 0},
                                  m->timeline, capacity, &m->n_prompt, fault);
    }
    return status;
}

static void close_machine(struct machine *m) {
    free(m->timeline);
    chain_close(m->chain);
    session_close(m->session);
    tokenizer_close(m->tokenizer);
    model_close(m->model);
    gguf_close(m->file);
}

static enum status digest(const void *image, size_t size, const char *prompt,
                          const struct kernels *kernels, struct fault *fault) {
    struct machine m = {.hash = 0xcbf29ce484222325u};
    enum status status = open_machine(&m, image, size, prompt, kernels, fault);
    uint64_t first = 0, begin = m.hash;
    for (int series = 0; series < ALL_SERIES && !status; series++) {
        status = run_series(&m, series, fault);
        if (series != SERIES - 1) continue;
        first = m.hash;
        m.hash = begin;
    }
    if (!status)
        printf("%s %016llx %016llx\n", kernels->name, (unsigned long long)first,
               (unsigned long long)m.hash);
    close_machine(&m);
    return status;
}

static void *read_stream(FILE *file, size_t *size) {
    unsigned char *bytes = NULL;
    size_t capacity = 0, got;
    *size = 0;
    do {
        if (*size == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 20;
            unsigned char *larger = realloc(bytes, capacity);
            if (!larger) break;
            bytes = larger;
        }
        got = fread(bytes + *size, 1, capacity - *size, file);
        *size += got;
    } while (got);
    if (feof(file) && !ferror(file)) return bytes;
    free(bytes);
    return NULL;
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    void *bytes = read_stream(file, size);
    fclose(file);
    return bytes;
}

static void print_fault(const struct fault *fault) {
    fprintf(stderr, "%s %s", status_name(fault->status), fault->key);
    for (uint32_t i = 0; i < fault->n_values; i++) {
        const struct fault_value *value = &fault->values[i];
        if (value->kind == FAULT_NUMBER) fprintf(stderr, " %.17g", value->number);
        if (value->kind == FAULT_TEXT) fprintf(stderr, " %s", value->text);
    }
    fprintf(stderr, "\n");
}

static void write_u32(uint32_t n) {
    for (int shift = 0; shift < 32; shift += 8) putchar((int)(n >> shift & 0xff));
}

/* Splits the texts of standard input. A text is its length (four bytes, lowest first) and its
 * bytes. For each text, writes the lengths of its pieces and a 0, four bytes each. */
static int split(const char *name) {
    const struct pretokenizer *pretokenizer = pretokenizer_find(name, strlen(name));
    size_t size, at = 0;
    unsigned char *input = pretokenizer ? read_stream(stdin, &size) : NULL;
    if (!input) {
        fprintf(stderr, pretokenizer ? "no input\n" : "%s is not known\n", name);
        return 1;
    }
    while (size - at >= 4) {
        size_t length = load_u32(input + at);
        if (length > size - at - 4) break;
        const char *text = (const char *)input + at + 4;
        struct pretokenizer_walk walk = pretokenizer_begin(pretokenizer, text, length);
        for (size_t from = 0; from < length; from = walk.at)
            write_u32((uint32_t)(pretokenizer_next(&walk) - from));
        write_u32(0);
        at += 4 + length;
    }
    free(input);
    return at != size;
}

static int run_cases(void) {
    size_t size;
    unsigned char *input = read_stream(stdin, &size);
    if (input) plain_cases(input, size);
    free(input);
    return input == NULL;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "chain") == 0) return run_cases();
    if (count == 3 && strcmp(words[1], "split") == 0) return split(words[2]);
    if (count < 3 || count > 4 || strcmp(words[1], "digest") != 0) {
        fprintf(stderr, "usage: logitscope digest MODEL [PROMPT]\n"
                        "       logitscope chain < CASES > LOGITS\n"
                        "       logitscope split PRE < TEXTS > LENGTHS\n");
        return 2;
    }
    size_t size;
    void *image = read_file(words[2], &size);
    if (!image) {
        fprintf(stderr, "%s could not be read\n", words[2]);
        return 1;
    }
    const char *prompt = count == 4 ? words[3] : "Tomorrow she";
    struct fault fault;
    enum status status = digest(image, size, prompt, &kernels_scalar, &fault);
    if (!status) status = digest(image, size, prompt, &kernels_simd, &fault);
    if (status) print_fault(&fault);
    free(image);
    return status != STATUS_OK;
}
