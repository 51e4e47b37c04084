/* The draws: from the last trace, or from a chain that runs without a trace. */
#include <string.h>

#include "chain_part.h"
#include "elementary.h"
#include "measure.h"
#include "rank.h"

/* Returns the probability of a token that survives in `state`. */
static double p_in(const struct snapshot *state, uint32_t id) {
    return chain_share(chain_weight(state->logits[id], state->max), state->total);
}

static double p_before_adaptive(const struct chain *chain, uint32_t id, double p) {
    for (uint32_t i = 0; i < chain->trace.n_stages; i++) {
        const struct chain_stage *stage = &chain->trace.stages[i];
        if (stage->stage == SETTING_ADAPTIVE_TARGET && stage->active)
            return p_in(i ? &chain->after[i - 1] : &chain->raw_state, id);
    }
    return p;
}

struct chain_drawn chain_describe(const struct chain *chain, uint32_t id) {
    double p = chain_share(chain->weights[id], chain->state.total);
    return (struct chain_drawn){.id = id,
                                .rank = rank_of(chain->logits, chain->vocab_size, id),
                                .p = p,
                                .p_raw =
                                    chain_share(chain->raw_weights[id], chain->raw_state.total),
                                .logprob = elementary_log(p),
                                .p_before = p_before_adaptive(chain, id, p)};
}

struct chain_drawn chain_draw(const struct chain *chain, uint64_t r) {
    return chain_describe(chain, draw_inverse(chain->logits, chain->weights, chain->vocab_size,
                                              chain->state.total, r, chain->scratch));
}

struct chain_drawn chain_draw_gumbel(const struct chain *chain, uint64_t seed, uint64_t step) {
    return chain_describe(chain, draw_gumbel(chain->logits, chain->vocab_size, seed, step));
}

/* True if every active stage suits a pool (stage_suits_pool). */
static bool suits_all(const struct settings *settings, const uint32_t *stages, uint32_t n_stages) {
    for (uint32_t i = 0; i < n_stages; i++)
        if (stage_active(settings, stages[i]) && !stage_suits_pool(stages[i])) return false;
    return true;
}

/* Copies a pool's logits, by id, to the array of adaptive_p; returns a snapshot of them. */
static struct snapshot snapshot_of(struct chain *chain, const struct pool *pool,
                                   const struct warp_input *input, float max) {
    float *copy = chain->copies[SETTING_ADAPTIVE_TARGET];
    for (size_t i = 0; i < pool->n; i++) copy[pool_id(pool, i)] = pool->logits[i];
    return (struct snapshot){copy, max, input->total};
}

/* Runs the chain on the pool in place, without a trace, and draws. If a stage reads weights, total,
 * number of survivors or `max`, they must describe the pool at the start. */
static enum status sample_from(struct chain *chain, struct pool pool, struct warp_input *input,
                               float max, uint64_t r, struct chain_sample *sample,
                               struct fault *fault) {
    input->scratch = chain->scratch;
    input->weights = pool.weights;
    struct snapshot before = {0};
    uint32_t stages[STAGES_MAX], n_stages = stage_list(stages, input->settings);
    for (uint32_t i = 0; i < n_stages; i++) {
        if (!stage_active(input->settings, stages[i])) continue;
        input->vocab_size = pool.n;
        input->ids = pool.ids;
        if (stages[i] == SETTING_ADAPTIVE_TARGET) before = snapshot_of(chain, &pool, input, max);
        stage_apply(stages[i], pool.logits, input);
        sample->kept = rank_survey(pool.logits, pool.n, &max);
        if (sample->kept == 0) return stage_leaves_nothing(stages[i], fault);
        if (pool_is_sparse(&pool, sample->kept) &&
            suits_all(input->settings, stages + i + 1, n_stages - i - 1)) {
            struct pool all = pool;
            pool.ids = pool.ids ? pool.ids : chain->survivors.ids;
            pool_shrink(&pool, &all);
        }
        input->total = chain->kernels->weigh(pool.weights, pool.logits, pool.n, max);
    }
    uint32_t at = draw_inverse(pool.logits, pool.weights, pool.n, input->total, r, chain->scratch);
    double p = chain_share(pool.weights[at], input->total);
    sample->entropy = measure_entropy(pool.logits, pool.weights, pool.n, input->total, max);
    uint32_t id = pool_id(&pool, at);
    sample->drawn = (struct chain_drawn){.id = id,
                                         .rank = rank_of(pool.logits, pool.n, at),
                                         .p = p,
                                         .logprob = elementary_log(p),
                                         .p_before = before.logits ? p_in(&before, id) : p};
    return STATUS_OK;
}

enum status chain_sample(struct chain *chain, const float *logits, const struct settings *settings,
                         const uint32_t *history, size_t n_history, struct chain_choice choice,
                         struct chain_sample *sample, struct fault *fault) {
    size_t n = chain->vocab_size;
    struct shortlist *list = chain->list;
    struct pool pool = {n, chain->logits, chain->weights, NULL};
    struct warp_input input = {.settings = settings, .history = history, .n_history = n_history};
    float max = 0;
    enum status status = settings_check(settings, n, fault);
    if (!status) status = chain_check_history(history, n_history, n, fault);
    if (!status) status = chain_check_second(settings, n, fault);
    if (status) return status;
    bool listed = shortlist_make(list, logits, n, settings, history, n_history, chain->scratch);
    if (!listed || choice.raw) status = chain_read(chain, logits, fault);
    if (status) return status;
    if (listed) {
        input.settings = &list->settings;
        input.history = list->history;
        input.n_history = list->n_history;
        /* No weights are set: every list has a cut to k tokens, before which no stage reads
         * them. */
        pool = (struct pool){list->n, list->logits, chain->weights, list->ids};
    } else {
        memcpy(chain->logits, logits, n * sizeof *logits);
        memcpy(chain->weights, chain->raw_weights, n * sizeof *chain->weights);
        sample->kept = chain->raw_kept;
        max = chain->raw_state.max;
        input.total = chain->raw_state.total;
    }
    status = sample_from(chain, pool, &input, max, choice.r, sample, fault);
    if (!status && choice.raw)
        sample->drawn.p_raw =
            chain_share(chain->raw_weights[sample->drawn.id], chain->raw_state.total);
    return status;
}
