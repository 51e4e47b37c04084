/* Runs a whole chain with plain_samplers.h, and compares the engine's trace and draw with the
 * result. */
#ifndef LOGITSCOPE_PLAIN_CHAIN_H
#define LOGITSCOPE_PLAIN_CHAIN_H

#include <math.h>
#include <string.h>

#include "chain.h"
#include "check.h"
#include "measure.h"
#include "plain_samplers.h"

enum { PLAIN_MAX = 4000, PLAIN_HISTORY = 90 };
static float logits[PLAIN_MAX], plain[PLAIN_MAX];
static uint32_t history[PLAIN_HISTORY], ids[PLAIN_MAX], scratch[2 * PLAIN_MAX];
static uint64_t weights[PLAIN_MAX];

static inline struct warp_input weigh(const float *from, const struct settings *settings, size_t n,
                                      size_t n_history) {
    struct warp_input input = {settings, n, history, n_history, weights, 0, scratch, NULL};
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = from[i] > max ? from[i] : max;
    memset(scratch, 0xff, n * sizeof *scratch); /* the largest sort key, not 0 */
    input.total = kernels_scalar.weigh(weights, from, n, max);
    return input;
}

static inline size_t count_survivors(const float *l, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += l[i] != -INFINITY;
    return count;
}

/* Runs one stage on `plain` and compares the result with the stage in the trace. Returns the number
 * of survivors; 0 ends the chain. */
static inline size_t run_stage(uint32_t setting, const struct settings *settings, size_t n,
                               size_t n_history, const struct chain_stage *stage) {
    struct warp_input input = weigh(plain, settings, n, n_history);
    size_t before = count_survivors(plain, n);
    uint64_t removed = 0;
    if (setting == STAGE_OWN) {
        for (size_t i = 0; i < n; i++)
            if (plain[i] != -INFINITY) plain[i] = settings->own[i];
    } else if (setting >= SETTING_COUNT) {
        plain_gates[setting - SETTING_COUNT](plain, &input);
    } else if (settings_active(settings, setting)) {
        plain_samplers[setting](plain, &input);
    }
    size_t kept = count_survivors(plain, n);
    if (!stage || kept == 0) return kept;
    CHECK(setting >= SAMPLER_COUNT || setting == SETTING_LOGIT_BIAS ||
          stage->value == settings->value[setting]);
    for (size_t i = 0; i < n; i++) removed += plain[i] == -INFINITY ? weights[i] : 0;
    CHECK(stage->stage == setting && stage->kept == kept && stage->removed == before - kept);
    CHECK(stage->mass_removed == (double)removed / (double)input.total);
    input = weigh(plain, settings, n, n_history);
    CHECK(stage->entropy == measure_entropy(plain, weights, n, input.total,
                                            plain[plain_rank(plain, n, ids) ? ids[0] : 0]));
    return kept;
}

/* Checks the trace's measures over all survivors. */
static inline void check_survivors(const struct settings *settings, size_t n,
                                   const struct chain_trace *trace) {
    struct warp_input input = weigh(logits, settings, n, 0);
    uint64_t raw = 0;
    uint32_t underflowed = 0;
    for (size_t i = 0; i < n; i++) raw += plain[i] == -INFINITY ? 0 : weights[i];
    CHECK(trace->kept_mass_raw == (double)raw / (double)input.total);
    weigh(plain, settings, n, 0);
    for (size_t i = 0; i < n; i++) underflowed += plain[i] != -INFINITY && weights[i] == 0;
    CHECK(trace->underflowed == underflowed);
}

/* Runs the whole chain on `plain`; returns the number of survivors. `trace` is NULL if the engine
 * failed. */
static inline size_t run_plainly(const struct settings *settings, size_t n, size_t n_history,
                                 const struct chain_trace *trace) {
    uint32_t done = 0;
    size_t kept = n;
    const struct chain_stage *stages = trace ? trace->stages : NULL;
    memcpy(plain, logits, n * sizeof *plain);
    for (uint32_t gate = 0; gate < GATE_COUNT && kept; gate++)
        if (gate_active(settings, gate))
            kept = run_stage(SETTING_COUNT + gate, settings, n, n_history,
                             stages ? &stages[done++] : NULL);
    for (uint32_t i = 0; i <= settings->n_order && kept; i++) {
        if (settings->has_own && settings->own_at == i)
            kept = run_stage(STAGE_OWN, settings, n, n_history, stages ? &stages[done++] : NULL);
        if (i < settings->n_order && kept)
            kept = run_stage(settings->order[i], settings, n, n_history,
                             stages ? &stages[done++] : NULL);
    }
    CHECK(!trace || done == trace->n_stages);
    if (trace && kept) check_survivors(settings, n, trace);
    return kept;
}

static inline void check_drawn(const struct chain_drawn *drawn, const struct settings *settings,
                               size_t n, uint64_t r) {
    struct warp_input input = weigh(plain, settings, n, 0);
    size_t place = 0;
    CHECK(drawn->id == plain_draw(plain, weights, n, r, ids));
    while (ids[place] != drawn->id) place++;
    CHECK(drawn->rank == place + 1);
    CHECK(drawn->p == (double)weights[drawn->id] / (double)input.total);
}

#endif
