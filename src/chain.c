/* build: -O2 */
/* Applies the stages in order to a copy of the logits and records the effect of each stage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chain_part.h"
#include "elementary.h"
#include "loop.h"
#include "measure.h"
#include "rank.h"

enum { REMOVED_ON_INPUT = 255 }; /* removed_by of a token whose raw logit is -Infinity */

void chain_close(struct chain *chain) {
    if (!chain) return;
    for (uint32_t i = 0; i <= SAMPLER_COUNT; i++) free(chain->copies[i]);
    free(chain->logits);
    free(chain->raw_weights);
    free(chain->weights);
    free(chain->scratch);
    free(chain->survivors.logits);
    free(chain->survivors.weights);
    free(chain->survivors.ids);
    free(chain->removed_by);
    free(chain->ids);
    free(chain->tokens);
    free(chain->stage_p);
    free(chain->list);
    free(chain);
}

enum status chain_open(struct chain **out, size_t vocab_size, size_t top_max,
                       const struct kernels *kernels, struct fault *fault) {
    if (vocab_size == 0) return fault_set(fault, STATUS_EMPTY, "no_logits", "");
    if (vocab_size > VOCAB_MAX)
        return fault_set(fault, STATUS_TOO_LONG, "logits_beyond", "n:u limit:u",
                         (uint64_t)vocab_size, (uint64_t)VOCAB_MAX);
    if (top_max > vocab_size) top_max = vocab_size;
    struct chain *chain = calloc(1, sizeof *chain);
    if (!chain) goto fail;
    chain->vocab_size = vocab_size;
    chain->top_max = top_max;
    chain->kernels = kernels;
    bool complete = true;
    for (uint32_t i = 0; i <= SAMPLER_COUNT; i++) {
        if (i < SAMPLER_COUNT && stage_is_filter(i)) continue;
        chain->copies[i] = malloc(vocab_size * sizeof(float));
        complete = complete && chain->copies[i];
    }
    chain->logits = malloc(vocab_size * sizeof(float));
    chain->raw_weights = malloc(vocab_size * sizeof(uint64_t));
    chain->weights = malloc(vocab_size * sizeof(uint64_t));
    chain->scratch = malloc(2 * vocab_size * sizeof(uint32_t));
    chain->survivors.logits = malloc((vocab_size / 4 + 1) * sizeof(float));
    chain->survivors.weights = malloc((vocab_size / 4 + 1) * sizeof(uint64_t));
    chain->survivors.ids = malloc((vocab_size / 4 + 1) * sizeof(uint32_t));
    chain->removed_by = malloc(vocab_size);
    chain->ids = malloc((top_max + 1) * sizeof(uint32_t));
    chain->tokens = malloc((top_max + 1) * sizeof(struct chain_token));
    chain->stage_p = malloc((top_max + 1) * STAGES_MAX * sizeof(double));
    chain->list = malloc(sizeof *chain->list);
    if (!complete || !chain->logits || !chain->raw_weights || !chain->weights || !chain->scratch ||
        !chain->survivors.logits || !chain->survivors.weights || !chain->survivors.ids ||
        !chain->removed_by || !chain->ids || !chain->tokens || !chain->stage_p || !chain->list)
        goto fail;
    *out = chain;
    return STATUS_OK;
fail:
    chain_close(chain);
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_chain", "n:u", (uint64_t)vocab_size);
}

void chain_version(struct chain *chain, uint64_t version) { chain->version = version; }

uint64_t chain_weight(float logit, float max) {
    return logit == -INFINITY ? 0 : (uint64_t)((double)elementary_exp(logit - max) * 0x1p44);
}

enum status chain_check_history(const uint32_t *history, size_t n_history, size_t n,
                                struct fault *fault) {
    for (size_t i = 0; i < n_history; i++)
        if (history[i] >= n)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN, "history_token", "id:u limit:u",
                             (uint64_t)history[i], (uint64_t)n);
    return STATUS_OK;
}

enum status chain_check_second(const struct settings *settings, size_t n, struct fault *fault) {
    bool guides = settings_active(settings, SETTING_GUIDANCE_SCALE);
    bool contrasts = settings_active(settings, SETTING_CONTRASTIVE_BETA);
    if (!guides && !contrasts) return STATUS_OK;
    if (guides && contrasts) return fault_set(fault, STATUS_INVALID_ARGUMENT, "second_once", "");
    const char *name = warp_table[guides ? SETTING_GUIDANCE_SCALE : SETTING_CONTRASTIVE_BETA].name;
    const float *second = settings->second;
    if (!second) return fault_set(fault, STATUS_EMPTY, "second_missing", "setting:s", name);
    for (size_t i = 0; i < n; i++)
        if (!(second[i] > -INFINITY && second[i] < INFINITY))
            return fault_set(fault, STATUS_NOT_FINITE, "second_finite", "id:u value:f", (uint64_t)i,
                             (double)second[i]);
    return STATUS_OK;
}

static enum status check_logits(const float *logits, size_t n, struct fault *fault) {
    int32_t odd = 0;
    VECTOR
    for (size_t i = 0; i < n; i++) odd |= !(logits[i] < INFINITY);
    if (!odd) return STATUS_OK;
    for (size_t i = 0; i < n; i++)
        if (!(logits[i] < INFINITY))
            return fault_set(fault, STATUS_NOT_FINITE, "logit_finite", "id:u value:f", (uint64_t)i,
                             (double)logits[i]);
    return STATUS_OK;
}

enum status chain_read(struct chain *chain, const float *logits, struct fault *fault) {
    size_t n = chain->vocab_size;
    struct snapshot *raw = &chain->raw_state;
    if (chain->version && chain->version == chain->raw_version && chain->raw == logits)
        return STATUS_OK;
    chain->raw_version = 0;
    enum status status = check_logits(logits, n, fault);
    if (status) return status;
    chain->raw_kept = rank_survey(logits, n, &raw->max);
    if (!chain->raw_kept) return fault_set(fault, STATUS_NOTHING_LEFT, "all_removed", "");
    raw->logits = chain->raw = logits;
    raw->total = chain->kernels->weigh(chain->raw_weights, logits, n, raw->max);
    chain->raw_entropy = -1;
    chain->raw_version = chain->version;
    return STATUS_OK;
}

static void start_trace(struct chain *chain, const float *logits) {
    size_t n = chain->vocab_size;
    struct chain_trace *trace = &chain->trace;
    memset(trace, 0, sizeof *trace);
    for (size_t i = 0; i < n; i++)
        chain->removed_by[i] = logits[i] == -INFINITY ? REMOVED_ON_INPUT : 0;
    memcpy(chain->logits, logits, n * sizeof *logits);
    memcpy(chain->weights, chain->raw_weights, n * sizeof *chain->weights);
    chain->is_sparse = false;
    chain->state = chain->raw_state;
    trace->vocab_size = (uint32_t)n;
    trace->kept = chain->raw_kept;
    if (chain->raw_entropy < 0)
        chain->raw_entropy =
            measure_entropy(logits, chain->raw_weights, n, chain->state.total, chain->state.max);
    trace->raw_entropy = chain->raw_entropy;
    trace->raw_perplexity = measure_perplexity(trace->raw_entropy);
    trace->entropy = trace->raw_entropy;
    trace->perplexity = trace->raw_perplexity;
}

/* Returns the pool of survivors if it is in use, otherwise the whole vocabulary as a pool. */
static struct pool pool_of(const struct chain *chain) {
    if (chain->is_sparse) return chain->survivors;
    return (struct pool){chain->vocab_size, chain->logits, chain->weights, NULL};
}

/* Sets removed_by for stage `index`. Has no branch, so that the compiler can vectorise the loop. */
static void mark_in_vocabulary(struct chain *chain, uint32_t index) {
    for (size_t i = 0; i < chain->vocab_size; i++) {
        bool removed = chain->logits[i] == -INFINITY && !chain->removed_by[i];
        chain->removed_by[i] = removed ? (uint8_t)(index + 1) : chain->removed_by[i];
    }
}

/* Sets removed_by for a pool, and removes these tokens from the arrays of the whole vocabulary. */
static void mark_in_pool(struct chain *chain, const struct pool *pool, uint32_t index) {
    for (size_t i = 0; i < pool->n; i++) {
        uint32_t id = pool->ids[i];
        if (pool->logits[i] != -INFINITY || chain->removed_by[id]) continue;
        chain->removed_by[id] = (uint8_t)(index + 1);
        chain->logits[id] = -INFINITY;
        chain->weights[id] = 0;
    }
}

/* Sets removed_by of the tokens that stage `index` removed, sets their weights to 0 and returns the
 * sum of these weights. */
static uint64_t mark_removed(struct chain *chain, struct pool *pool, uint32_t index) {
    if (pool->ids)
        mark_in_pool(chain, pool, index);
    else
        mark_in_vocabulary(chain, index);
    return pool_drop_weights(pool);
}

/* Copies a pool's logits and weights to the arrays of the whole vocabulary. */
static void write_back(struct chain *chain, const struct pool *pool) {
    for (size_t i = 0; i < pool->n; i++) {
        chain->logits[pool->ids[i]] = pool->logits[i];
        chain->weights[pool->ids[i]] = pool->weights[i];
    }
}

/* Computes the weight of every token in the pool; returns their sum. */
static uint64_t weigh_all(struct chain *chain, const struct pool *pool, float max) {
    uint64_t total = chain->kernels->weigh(pool->weights, pool->logits, pool->n, max);
    if (pool->ids) write_back(chain, pool);
    return total;
}

/* Computes new weights for changed logits of the whole vocabulary; returns the new sum. The maximum
 * must be unchanged. Vector compares skip blocks without a change. */
static uint64_t weigh_changed(struct chain *chain, uint64_t total) {
    enum { BLOCK = 64 };
    const float *now = chain->logits, *before = chain->state.logits;
    for (size_t start = 0; start < chain->vocab_size; start += BLOCK) {
        size_t end = start + BLOCK < chain->vocab_size ? start + BLOCK : chain->vocab_size;
        uint32_t any = 0;
        VECTOR
        for (size_t i = start; i < end; i++) any |= now[i] != before[i];
        if (!any) continue;
        for (size_t i = start; i < end; i++) {
            if (now[i] == before[i] || now[i] == -INFINITY) continue;
            total -= chain->weights[i];
            chain->weights[i] = chain_weight(now[i], chain->state.max);
            total += chain->weights[i];
        }
    }
    return total;
}

/* Updates weights and maximum after a stage. */
static void update_state(struct chain *chain, const struct pool *pool, float max, size_t changed) {
    struct snapshot *state = &chain->state;
    if (max == state->max && !pool->ids && changed < pool->n / 8)
        state->total = weigh_changed(chain, state->total);
    else if (changed || max != state->max)
        state->total = weigh_all(chain, pool, max);
    state->max = max;
}

/* Records removed tokens, new weights and entropy after a stage. */
static enum status record_stage(struct chain *chain, struct pool pool, uint32_t index,
                                struct fault *fault) {
    struct chain_trace *trace = &chain->trace;
    struct chain_stage *stage = &trace->stages[index];
    struct snapshot *state = &chain->state;
    uint64_t total_before = state->total, removed_mass = 0;
    float max;
    uint32_t kept = rank_survey(pool.logits, pool.n, &max);
    if (kept == 0) return stage_leaves_nothing(stage->stage, fault);
    stage->removed = trace->kept - kept;
    trace->kept = kept;
    if (stage->removed) removed_mass = mark_removed(chain, &pool, index);
    stage->mass_removed = chain_share(removed_mass, total_before);
    stage->top_p_mass = chain_share(total_before - removed_mass, total_before);
    size_t changed = stage_is_filter(stage->stage) ? 0 : pool_count_changed(&pool, state->logits);
    stage->changed = changed || stage->removed > 0;
    if (!stage->changed) return STATUS_OK;
    state->total = total_before - removed_mass;
    update_state(chain, &pool, max, changed);
    if (changed) {
        float *copy = chain->copies[stage->stage == STAGE_OWN ? SAMPLER_COUNT : stage->stage];
        memcpy(copy, chain->logits, chain->vocab_size * sizeof *copy);
        state->logits = copy;
    }
    if (pool_is_sparse(&pool, kept)) {
        pool_shrink(&chain->survivors, &pool);
        chain->is_sparse = true;
        pool = chain->survivors;
    }
    trace->entropy = measure_entropy(pool.logits, pool.weights, pool.n, state->total, max);
    trace->perplexity = measure_perplexity(trace->entropy);
    return STATUS_OK;
}

static enum status run_stage(struct chain *chain, uint32_t index, uint32_t number,
                             struct warp_input *input, uint32_t last_removing,
                             struct fault *fault) {
    struct chain_trace *trace = &chain->trace;
    struct chain_stage *stage = &trace->stages[index];
    stage->stage = number;
    stage->value = stage_value(input->settings, number);
    stage->active = stage_active(input->settings, number);
    stage->top_p_mass = 1;
    if (stage->active) {
        chain->is_sparse = chain->is_sparse && stage_suits_pool(number);
        struct pool pool = pool_of(chain);
        input->vocab_size = pool.n;
        input->weights = pool.weights;
        input->ids = pool.ids;
        input->total = chain->state.total;
        stage_apply(number, pool.logits, input);
        enum status status = record_stage(chain, pool, index, fault);
        if (status) return status;
        if (!stage->changed) stage->after = last_removing;
    }
    stage->kept = trace->kept;
    stage->entropy = trace->entropy;
    stage->perplexity = trace->perplexity;
    chain->after[index] = chain->state;
    return STATUS_OK;
}

/* Fills chain->ids with the tokens of the trace and returns their number: survivors in rank order,
 * then removed tokens by raw logit, then tokens with the raw logit -Infinity by id. */
static size_t list_ids(struct chain *chain, size_t top) {
    size_t n = chain->vocab_size;
    struct pool pool = pool_of(chain);
    size_t found = rank_top(pool.logits, pool.n, top, chain->ids, chain->scratch);
    for (size_t i = 0; i < found; i++) chain->ids[i] = pool_id(&pool, chain->ids[i]);
    if (found == top) return found;
    float *masked = (float *)(void *)(chain->scratch +
                                      n); /* raw logits of removed tokens, -Infinity for others */
    for (size_t i = 0; i < n; i++) masked[i] = chain->removed_by[i] ? chain->raw[i] : -INFINITY;
    found += rank_top(masked, n, top - found, chain->ids + found, chain->scratch);
    for (size_t i = 0; i < n && found < top; i++)
        if (chain->raw[i] == -INFINITY) chain->ids[found++] = (uint32_t)i;
    return found;
}

static double stage_probability(const struct chain *chain, uint32_t stage, uint32_t id) {
    uint8_t removed_by = chain->removed_by[id];
    if (removed_by && (removed_by <= stage + 1 || removed_by == REMOVED_ON_INPUT)) return 0;
    const struct snapshot *after = &chain->after[stage];
    return chain_share(chain_weight(after->logits[id], after->max), after->total);
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
        *token = (struct chain_token){
            .id = id,
            .rank = (uint32_t)i + 1,
            .removed_by = removed_by == REMOVED_ON_INPUT ? 0 : removed_by,
            .logit = chain->raw[id],
            .warped = chain->logits[id],
            .green = trace->has_green ? 1 + watermark_is_green(&chain->green, id) : 0,
            .p_raw = chain_share(chain->raw_weights[id], chain->raw_state.total),
            .p = chain_share(chain->weights[id], chain->state.total)};
        for (uint32_t s = 0; s < trace->n_stages; s++)
            chain->stage_p[i * trace->n_stages + s] = stage_probability(chain, s, id);
        token->logprob = elementary_log(token->p);
        listed += chain->weights[id];
        listed_raw += chain->raw_weights[id];
        listed_kept += token->warped != -INFINITY;
    }
    trace->n_tokens = (uint32_t)count;
    trace->tokens = chain->tokens;
    trace->stage_p = chain->stage_p;
    trace->rest_count = trace->vocab_size - (uint32_t)count;
    trace->rest_kept = trace->kept - listed_kept;
    trace->rest_p = chain_share(chain->state.total - listed, chain->state.total);
    trace->rest_p_raw = chain_share(chain->raw_state.total - listed_raw, chain->raw_state.total);
}

static void sum_survivors(struct chain *chain) {
    struct pool pool = pool_of(chain);
    uint64_t kept_raw = 0;
    for (size_t i = 0; i < pool.n; i++) {
        bool survives = pool.logits[i] != -INFINITY;
        kept_raw += survives ? chain->raw_weights[pool_id(&pool, i)] : 0;
        chain->trace.underflowed += survives & (pool.weights[i] == 0);
    }
    chain->trace.kept_mass_raw = chain_share(kept_raw, chain->raw_state.total);
}

static void sum_green(struct chain *chain) {
    struct chain_trace *trace = &chain->trace;
    uint64_t raw = 0, now = 0;
    for (uint32_t id = 0; id < chain->vocab_size; id++) {
        bool green = watermark_is_green(&chain->green, id);
        raw += green ? chain->raw_weights[id] : 0;
        now += green ? chain->weights[id] : 0;
    }
    trace->green_p_raw = chain_share(raw, chain->raw_state.total);
    trace->green_p = chain_share(now, chain->state.total);
}

enum status chain_apply(struct chain *chain, const float *logits, const struct settings *settings,
                        const uint32_t *history, size_t n_history, size_t top,
                        struct fault *fault) {
    enum status status = settings_check(settings, chain->vocab_size, fault);
    if (!status) status = chain_check_history(history, n_history, chain->vocab_size, fault);
    if (!status) status = chain_check_second(settings, chain->vocab_size, fault);
    if (!status) status = chain_read(chain, logits, fault);
    if (status) return status;
    start_trace(chain, logits);
    struct warp_input input = {.settings = settings,
                               .history = history,
                               .n_history = n_history,
                               .scratch = chain->scratch};
    uint32_t last_removing = 0, stages[STAGES_MAX];
    chain->trace.n_stages = stage_list(stages, settings);
    for (uint32_t i = 0; i < chain->trace.n_stages; i++) {
        status = run_stage(chain, i, stages[i], &input, last_removing, fault);
        if (status) return status;
        if (chain->trace.stages[i].removed) last_removing = i + 1;
    }
    chain->trace.has_green = watermark_green(&chain->green, settings, history, n_history);
    list_tokens(chain, top);
    sum_survivors(chain);
    if (chain->trace.has_green) sum_green(chain);
    return STATUS_OK;
}

const struct chain_trace *chain_trace(const struct chain *chain) { return &chain->trace; }
const float *chain_logits(const struct chain *chain) { return chain->logits; }

const uint64_t *chain_weights(const struct chain *chain, uint64_t *weight_total) {
    *weight_total = chain->state.total;
    return chain->weights;
}
