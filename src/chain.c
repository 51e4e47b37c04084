/* Applies the warpers in order to a copy of the logits and writes down what each one did. */
#include "chain.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "measure.h"
#include "rank.h"
#include "shortlist.h"

/* The logits as some stage left them, with what turns them into probabilities. */
struct snapshot {
    const float *logits;
    float max;
    uint64_t total;
};

enum { NEVER = 255 }; /* removed_by of a token that came in as -Infinity */

struct chain {
    size_t vocab_size, top_max;
    const struct kernels *kernels;
    const float *raw;            /* the caller's logits while chain_apply runs */
    float *logits;               /* (vocab_size,) under way, then final */
    uint64_t *raw_weights;       /* (vocab_size,) */
    uint64_t *weights;           /* (vocab_size,) of `logits` */
    uint64_t *spare_weights;     /* (vocab_size,) scratch of the warpers */
    uint32_t *scratch;           /* (vocab_size,) */
    uint8_t *removed_by;         /* (vocab_size,) 1 + stage, 0 for a survivor, or NEVER */
    float *copies[WARPER_COUNT]; /* (vocab_size,) after each stage that changes values; a filter has
                                    none */
    float *masked;               /* (vocab_size,) raw logits of the removed tokens alone */
    uint32_t *ids;               /* (top_max,) the listed tokens */
    struct chain_token *tokens;
    double *stage_p;
    struct shortlist *list;
    struct snapshot raw_state, state;
    struct snapshot after[CHAIN_STAGES_MAX]; /* by stage */
    struct chain_trace trace;
};

/* A filter only removes: it changes no surviving logit. */
static bool is_filter(uint32_t setting) {
    return setting >= SETTING_COUNT || strcmp(warp_table[setting].group, "truncation") == 0;
}

/* The stages of a chain: the gates asked for, then the order. Returns their number. */
static uint32_t list_stages(uint32_t stages[CHAIN_STAGES_MAX], const struct settings *settings) {
    uint32_t n = 0;
    for (uint32_t gate = 0; gate < GATE_COUNT; gate++)
        if (gate_active(settings, gate)) stages[n++] = SETTING_COUNT + gate;
    for (uint32_t i = 0; i < settings->n_order; i++) stages[n++] = settings->order[i];
    return n;
}

static bool is_active(const struct settings *settings, uint32_t setting) {
    return setting >= SETTING_COUNT || settings_active(settings, setting);
}

static void apply(uint32_t setting, float *logits, const struct warp_input *input) {
    if (setting >= SETTING_COUNT)
        gate_apply(setting - SETTING_COUNT, logits, input);
    else
        warp_table[setting].apply(logits, input);
}

void chain_close(struct chain *chain) {
    if (!chain) return;
    for (uint32_t i = 0; i < WARPER_COUNT; i++) free(chain->copies[i]);
    free(chain->logits);
    free(chain->raw_weights);
    free(chain->weights);
    free(chain->scratch);
    free(chain->removed_by);
    free(chain->masked);
    free(chain->ids);
    free(chain->tokens);
    free(chain->stage_p);
    free(chain->list);
    free(chain);
}

enum status chain_open(struct chain **out, size_t vocab_size, size_t top_max,
                       const struct kernels *kernels, struct fault *fault) {
    if (vocab_size == 0) return fault_set(fault, STATUS_EMPTY, "there are no logits");
    if (top_max > vocab_size) top_max = vocab_size;
    struct chain *chain = calloc(1, sizeof *chain);
    if (!chain) goto fail;
    chain->vocab_size = vocab_size;
    chain->top_max = top_max;
    chain->kernels = kernels;
    bool complete = true;
    for (uint32_t i = 0; i < WARPER_COUNT; i++) {
        if (is_filter(i)) continue;
        chain->copies[i] = malloc(vocab_size * sizeof(float));
        complete = complete && chain->copies[i];
    }
    chain->logits = malloc(vocab_size * sizeof(float));
    chain->raw_weights = malloc(vocab_size * sizeof(uint64_t));
    chain->weights = malloc(vocab_size * sizeof(uint64_t));
    chain->scratch = malloc(vocab_size * sizeof(uint32_t));
    chain->removed_by = malloc(vocab_size);
    chain->masked = malloc(vocab_size * sizeof(float));
    chain->ids = malloc((top_max + 1) * sizeof(uint32_t));
    chain->tokens = malloc((top_max + 1) * sizeof(struct chain_token));
    chain->stage_p = malloc((top_max + 1) * CHAIN_STAGES_MAX * sizeof(double));
    chain->list = malloc(sizeof *chain->list);
    if (!complete || !chain->logits || !chain->raw_weights || !chain->weights || !chain->scratch ||
        !chain->removed_by || !chain->masked || !chain->ids || !chain->tokens || !chain->stage_p ||
        !chain->list)
        goto fail;
    *out = chain;
    return STATUS_OK;
fail:
    chain_close(chain);
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "out of memory for a vocabulary of %u tokens",
                     (uint64_t)vocab_size);
}

void chain_use(struct chain *chain, const struct kernels *kernels) {
    chain->kernels = kernels;
}

/* The weight that the kernel gave, for one token. */
static uint64_t weight_of(float logit, float max) {
    return logit == -INFINITY ? 0 : (uint64_t)((double)elementary_exp(logit - max) * 0x1p44);
}

static double share(uint64_t part, uint64_t total) {
    return (double)part / (double)total;
}

static enum status check_history(const uint32_t *history, size_t n_history, size_t n,
                                 struct fault *fault) {
    for (size_t i = 0; i < n_history; i++)
        if (history[i] >= n)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN,
                             "the history holds token %u, the vocabulary has %u tokens",
                             (uint64_t)history[i], (uint64_t)n);
    return STATUS_OK;
}

/* Bits of a float as an integer of the same order, and back: integers have a maximum that compilers
 * make vectors of. */
static int32_t order_of(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 & INT32_MAX);
}

static float from_order(int32_t order) {
    float x;
    order ^= order >> 31 & INT32_MAX;
    memcpy(&x, &order, sizeof x);
    return x;
}

/* Largest logit and number of survivors. */
static uint32_t survey(const float *logits, size_t n, float *max) {
    uint32_t survivors = 0;
    int32_t largest = INT32_MIN;
    for (size_t i = 0; i < n; i++) {
        int32_t order = order_of(logits[i]);
        survivors += logits[i] != -INFINITY;
        largest = order > largest ? order : largest;
    }
    *max = from_order(largest);
    return survivors;
}

static enum status check_logits(const float *logits, size_t n, struct fault *fault) {
    int32_t odd = 0;
    for (size_t i = 0; i < n; i++) odd |= !(logits[i] < INFINITY);
    for (size_t i = 0; odd && i < n; i++)
        if (!(logits[i] < INFINITY))
            return fault_set_value(fault, STATUS_NOT_FINITE, (double)logits[i],
                                   "the logit of token %u must be finite or -Infinity, got {}",
                                   (uint64_t)i);
    float max;
    if (survey(logits, n, &max)) return STATUS_OK;
    return fault_set(fault, STATUS_NOTHING_LEFT, "every logit is -Infinity");
}

static void start(struct chain *chain, const float *logits) {
    size_t n = chain->vocab_size;
    struct chain_trace *trace = &chain->trace;
    memset(trace, 0, sizeof *trace);
    for (size_t i = 0; i < n; i++) chain->removed_by[i] = logits[i] == -INFINITY ? NEVER : 0;
    memcpy(chain->logits, logits, n * sizeof *logits);
    chain->raw = logits;
    struct snapshot *raw = &chain->raw_state;
    raw->logits = logits;
    trace->kept = survey(logits, n, &raw->max);
    raw->total = chain->kernels->weigh(chain->raw_weights, logits, n, raw->max);
    memcpy(chain->weights, chain->raw_weights, n * sizeof *chain->weights);
    chain->state = *raw;
    trace->vocab_size = (uint32_t)n;
    trace->raw_entropy = measure_entropy(logits, chain->raw_weights, n, raw->total, raw->max);
    trace->raw_perplexity = measure_perplexity(trace->raw_entropy);
    trace->entropy = trace->raw_entropy;
    trace->perplexity = trace->raw_perplexity;
}

static enum status nothing_left(uint32_t setting, struct fault *fault) {
    return fault_set(fault, STATUS_NOTHING_LEFT, "%s leaves no token to draw",
                     setting >= SETTING_COUNT ? gate_name(setting - SETTING_COUNT)
                                              : warp_table[setting].name);
}

/* Marks what stage `index` removed, takes its weight out and returns that weight. */
static uint64_t mark_removed(struct chain *chain, uint32_t index) {
    uint64_t mass = 0;
    for (size_t i = 0; i < chain->vocab_size; i++) {
        if (chain->logits[i] != -INFINITY || chain->removed_by[i]) continue;
        chain->removed_by[i] = (uint8_t)(index + 1);
        mass += chain->weights[i];
        chain->weights[i] = 0;
    }
    return mass;
}

/* Whether a survivor's logit differs from the state that entered the stage. */
static bool values_changed(const struct chain *chain) {
    const float *now = chain->logits, *before = chain->state.logits;
    int32_t changed = 0;
    for (size_t i = 0; i < chain->vocab_size; i++)
        changed |= (now[i] != before[i]) & (now[i] != -INFINITY);
    return changed;
}

/* After a warper ran: what it removed, the new weights, entropy. */
static enum status record(struct chain *chain, uint32_t index, struct fault *fault) {
    size_t n = chain->vocab_size;
    struct chain_trace *trace = &chain->trace;
    struct chain_stage *stage = &trace->stages[index];
    struct snapshot *state = &chain->state;
    uint64_t total_before = state->total, removed_mass = 0;
    float max;
    uint32_t kept = survey(chain->logits, n, &max);
    if (kept == 0) return nothing_left(stage->setting, fault);
    stage->removed = trace->kept - kept;
    trace->kept = kept;
    if (stage->removed) removed_mass = mark_removed(chain, index);
    stage->mass_removed = share(removed_mass, total_before);
    stage->top_p_mass = share(total_before - removed_mass, total_before);
    bool changed = !is_filter(stage->setting) && values_changed(chain);
    stage->changed = changed || stage->removed > 0;
    if (!stage->changed) return STATUS_OK;
    state->total = total_before - removed_mass;
    if (changed || max != state->max)
        state->total = chain->kernels->weigh(chain->weights, chain->logits, n, max);
    state->max = max;
    if (changed) {
        float *copy = chain->copies[stage->setting];
        memcpy(copy, chain->logits, n * sizeof *copy);
        state->logits = copy;
    }
    trace->entropy = measure_entropy(chain->logits, chain->weights, n, state->total, max);
    trace->perplexity = measure_perplexity(trace->entropy);
    return STATUS_OK;
}

static double stage_value(const struct settings *settings, uint32_t setting) {
    if (setting >= SETTING_COUNT) return gate_value(settings, setting - SETTING_COUNT);
    return setting == SETTING_LOGIT_BIAS ? (double)settings->n_bias : settings->value[setting];
}

static enum status run_stage(struct chain *chain, uint32_t index, uint32_t setting,
                             struct warp_input *input, uint32_t last_filter, struct fault *fault) {
    struct chain_trace *trace = &chain->trace;
    struct chain_stage *stage = &trace->stages[index];
    stage->setting = setting;
    stage->value = stage_value(input->settings, setting);
    stage->active = is_active(input->settings, setting);
    stage->top_p_mass = 1;
    if (stage->active) {
        input->total = chain->state.total;
        apply(setting, chain->logits, input);
        enum status status = record(chain, index, fault);
        if (status) return status;
        if (!stage->changed) stage->after = last_filter;
    }
    stage->kept = trace->kept;
    stage->entropy = trace->entropy;
    stage->perplexity = trace->perplexity;
    chain->after[index] = chain->state;
    return STATUS_OK;
}

/* The tokens to list: survivors in rank order, then the removed by raw logit, then those that came
 * in as -Infinity, by id. */
static size_t list_ids(struct chain *chain, size_t top) {
    size_t n = chain->vocab_size;
    size_t found = rank_top(chain->logits, n, top, chain->ids, chain->scratch);
    if (found == top) return found;
    for (size_t i = 0; i < n; i++)
        chain->masked[i] = chain->removed_by[i] ? chain->raw[i] : -INFINITY;
    found += rank_top(chain->masked, n, top - found, chain->ids + found, chain->scratch);
    for (size_t i = 0; i < n && found < top; i++)
        if (chain->raw[i] == -INFINITY) chain->ids[found++] = (uint32_t)i;
    return found;
}

static double stage_probability(const struct chain *chain, uint32_t stage, uint32_t id) {
    uint8_t removed_by = chain->removed_by[id];
    if (removed_by && (removed_by <= stage + 1 || removed_by == NEVER)) return 0;
    const struct snapshot *after = &chain->after[stage];
    return share(weight_of(after->logits[id], after->max), after->total);
}

static void list_tokens(struct chain *chain, size_t top) {
    struct chain_trace *trace = &chain->trace;
    size_t count = list_ids(chain, top < chain->top_max ? top : chain->top_max);
    uint64_t listed = 0, listed_raw = 0;
    uint32_t listed_kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = chain->ids[i];
        struct chain_token *token = &chain->tokens[i];
        uint8_t removed_by = chain->removed_by[id];
        *token =
            (struct chain_token){.id = id,
                                 .rank = (uint32_t)i + 1,
                                 .removed_by = removed_by == NEVER ? 0 : removed_by,
                                 .logit = chain->raw[id],
                                 .warped = chain->logits[id],
                                 .p_raw = share(chain->raw_weights[id], chain->raw_state.total),
                                 .p = share(chain->weights[id], chain->state.total)};
        for (uint32_t s = 0; s < trace->n_stages; s++)
            chain->stage_p[i * trace->n_stages + s] = stage_probability(chain, s, id);
        listed += chain->weights[id];
        listed_raw += chain->raw_weights[id];
        listed_kept += token->warped != -INFINITY;
    }
    trace->n_tokens = (uint32_t)count;
    trace->tokens = chain->tokens;
    trace->stage_p = chain->stage_p;
    trace->rest_count = trace->vocab_size - (uint32_t)count;
    trace->rest_kept = trace->kept - listed_kept;
    trace->rest_p = share(chain->state.total - listed, chain->state.total);
    trace->rest_p_raw = share(chain->raw_state.total - listed_raw, chain->raw_state.total);
}

static void sum_up(struct chain *chain) {
    uint64_t kept_raw = 0;
    for (size_t i = 0; i < chain->vocab_size; i++) {
        if (chain->logits[i] == -INFINITY) continue;
        kept_raw += chain->raw_weights[i];
        chain->trace.underflowed += chain->weights[i] == 0;
    }
    chain->trace.kept_mass_raw = share(kept_raw, chain->raw_state.total);
}

enum status chain_apply(struct chain *chain, const float *logits, const struct settings *settings,
                        const uint32_t *history, size_t n_history, size_t top,
                        struct fault *fault) {
    enum status status = settings_check(settings, chain->vocab_size, fault);
    if (!status) status = check_history(history, n_history, chain->vocab_size, fault);
    if (!status) status = check_logits(logits, chain->vocab_size, fault);
    if (status) return status;
    start(chain, logits);
    struct warp_input input = {.settings = settings,
                               .vocab_size = chain->vocab_size,
                               .history = history,
                               .n_history = n_history,
                               .weights = chain->weights,
                               .scratch = chain->scratch};
    uint32_t last_filter = 0, stages[CHAIN_STAGES_MAX];
    chain->trace.n_stages = list_stages(stages, settings);
    for (uint32_t i = 0; i < chain->trace.n_stages; i++) {
        status = run_stage(chain, i, stages[i], &input, last_filter, fault);
        if (status) return status;
        if (chain->trace.stages[i].removed) last_filter = i + 1;
    }
    list_tokens(chain, top);
    sum_up(chain);
    return STATUS_OK;
}

const struct chain_trace *chain_trace(const struct chain *chain) {
    return &chain->trace;
}

const float *chain_logits(const struct chain *chain) {
    return chain->logits;
}

const uint64_t *chain_weights(const struct chain *chain, uint64_t *weight_total) {
    *weight_total = chain->state.total;
    return chain->weights;
}

static struct chain_drawn describe(const struct chain *chain, uint32_t id) {
    double p = share(chain->weights[id], chain->state.total);
    return (struct chain_drawn){.id = id,
                                .rank = rank_of(chain->logits, chain->vocab_size, id),
                                .p = p,
                                .p_raw = share(chain->raw_weights[id], chain->raw_state.total),
                                .logprob = elementary_log(p)};
}

struct chain_drawn chain_draw(const struct chain *chain, uint64_t r) {
    return describe(chain, draw_inverse(chain->logits, chain->weights, chain->vocab_size,
                                        chain->state.total, r, chain->scratch));
}

struct chain_drawn chain_draw_gumbel(const struct chain *chain, uint64_t seed, uint64_t step) {
    return describe(chain, draw_gumbel(chain->logits, chain->vocab_size, seed, step));
}

/* Runs the chain on `logits` without a record, in place, and draws. The ids of the tokens are
 * `ids`, or their indices where that is NULL. */
static enum status sample_from(struct chain *chain, float *logits, const uint32_t *ids,
                               struct warp_input *input, uint64_t r, struct chain_sample *sample,
                               struct fault *fault) {
    size_t n = input->vocab_size;
    float max;
    input->weights = chain->weights;
    input->scratch = chain->scratch;
    sample->kept = survey(logits, n, &max);
    input->total = chain->kernels->weigh(chain->weights, logits, n, max);
    uint32_t stages[CHAIN_STAGES_MAX], n_stages = list_stages(stages, input->settings);
    for (uint32_t i = 0; i < n_stages; i++) {
        if (!is_active(input->settings, stages[i])) continue;
        apply(stages[i], logits, input);
        sample->kept = survey(logits, n, &max);
        if (sample->kept == 0) return nothing_left(stages[i], fault);
        input->total = chain->kernels->weigh(chain->weights, logits, n, max);
    }
    uint32_t at = draw_inverse(logits, chain->weights, n, input->total, r, chain->scratch);
    double p = share(chain->weights[at], input->total);
    sample->entropy = measure_entropy(logits, chain->weights, n, input->total, max);
    sample->drawn = (struct chain_drawn){.id = ids ? ids[at] : at,
                                         .rank = rank_of(logits, n, at),
                                         .p = p,
                                         .logprob = elementary_log(p)};
    return STATUS_OK;
}

static double raw_probability(struct chain *chain, const float *logits, uint32_t id) {
    float max;
    survey(logits, chain->vocab_size, &max);
    uint64_t total = chain->kernels->weigh(chain->raw_weights, logits, chain->vocab_size, max);
    return share(chain->raw_weights[id], total);
}

enum status chain_sample(struct chain *chain, const float *logits, const struct settings *settings,
                         const uint32_t *history, size_t n_history, uint64_t r, bool raw,
                         struct chain_sample *sample, struct fault *fault) {
    size_t n = chain->vocab_size;
    struct shortlist *list = chain->list;
    enum status status = settings_check(settings, n, fault);
    if (!status) status = check_history(history, n_history, n, fault);
    if (status) return status;
    struct warp_input input = {
        .settings = settings, .vocab_size = n, .history = history, .n_history = n_history};
    if (shortlist_make(list, logits, n, settings, history, n_history)) {
        input.settings = &list->settings;
        input.vocab_size = list->n;
        input.history = list->history;
        input.n_history = list->n_history;
        status = sample_from(chain, list->logits, list->ids, &input, r, sample, fault);
    } else {
        status = check_logits(logits, n, fault);
        if (status) return status;
        memcpy(chain->logits, logits, n * sizeof *logits);
        status = sample_from(chain, chain->logits, NULL, &input, r, sample, fault);
    }
    if (!status && raw) sample->drawn.p_raw = raw_probability(chain, logits, sample->drawn.id);
    return status;
}
