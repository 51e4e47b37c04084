/* Compares the chain's trace with a simple recomputation, and tests the chain's failures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chain.h"
#include "check.h"
#include "fault_line.h"
#include "kernels.h"
#include "measure.h"
#include "plain_samplers.h"
#include "sample.h"
#include "sample_settings.h"

enum { N = 200 };
static float logits[N], work[N], previous[N];
static uint32_t ids[N], history[30];
static uint32_t scratch[2 * N];
static uint64_t spare[N];

static uint64_t total_of(const float *l, size_t n, float *max) {
    uint64_t total = 0;
    *max = -INFINITY;
    for (size_t i = 0; i < n; i++) *max = l[i] > *max ? l[i] : *max;
    for (size_t i = 0; i < n; i++) total += plain_weight(l[i], *max);
    return total;
}

static double probability(const float *l, size_t n, uint32_t id) {
    float max;
    uint64_t total = total_of(l, n, &max);
    return (double)plain_weight(l[id], max) / (double)total;
}

static double entropy_of(const float *l, size_t n) {
    double bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        double p = probability(l, n, i);
        if (p > 0) bits -= p * log2(p);
    }
    return bits;
}

static void random_settings(struct settings *settings, struct warp_bias *bias, size_t n) {
    settings_reset(settings);
    if (sample_uniform() < 0.6) settings->value[SETTING_TEMPERATURE] = 0.2 + 2 * sample_uniform();
    if (sample_uniform() < 0.1) settings->value[SETTING_TEMPERATURE] = 0;
    if (sample_uniform() < 0.5) settings->value[SETTING_TOP_K] = 1 + sample_below((uint32_t)n);
    if (sample_uniform() < 0.5) settings->value[SETTING_TOP_P] = sample_uniform();
    if (sample_uniform() < 0.5)
        settings->value[SETTING_REPETITION_PENALTY] = 0.8 + sample_uniform();
    sample_filters(settings);
    if (sample_uniform() < 0.3 && n > 2) {
        bias[0] = (struct warp_bias){0, sample_uniform() < 0.5 ? -(double)INFINITY : 2.5};
        bias[1] = (struct warp_bias){(uint32_t)n - 2, -1.5};
        settings->bias = bias;
        settings->n_bias = 2;
    }
    sample_order(settings, 0.5);
}

/* Runs the samplers one by one, and compares every stage and every listed token of the trace. */
static void check_stages(const struct chain_trace *trace, const struct settings *settings, size_t n,
                         size_t n_history) {
    memcpy(work, logits, n * sizeof *work);
    for (uint32_t s = 0; s < settings->n_order; s++) {
        const struct chain_stage *stage = &trace->stages[s];
        struct warp_input input = {settings, n, history, n_history, spare, 0, scratch, NULL};
        float max;
        input.total = total_of(work, n, &max);
        kernels_scalar.weigh(spare, work, n, max);
        uint32_t removed = 0, kept = 0;
        double mass = 0;
        memcpy(previous, work, n * sizeof *work);
        if (settings_active(settings, settings->order[s]))
            plain_samplers[settings->order[s]](work, &input);
        for (uint32_t i = 0; i < n; i++) {
            kept += work[i] != -INFINITY;
            if (work[i] == -INFINITY && previous[i] != -INFINITY) {
                removed++;
                mass += probability(previous, n, i);
            }
        }
        CHECK(stage->stage == settings->order[s]);
        CHECK(stage->kept == kept && stage->removed == removed);
        CHECK(stage->changed == (memcmp(previous, work, n * sizeof *work) != 0));
        CHECK(fabs(stage->mass_removed - mass) < 1e-12);
        CHECK(fabs(stage->mass_removed + stage->top_p_mass - 1) < 1e-12);
        CHECK(fabs(stage->entropy - entropy_of(work, n)) < 1e-6);
        CHECK(fabs(stage->perplexity - exp2(stage->entropy)) < 1e-9 * stage->perplexity);
        for (uint32_t t = 0; t < trace->n_tokens; t++) {
            uint32_t id = trace->tokens[t].id;
            CHECK(trace->stage_p[t * trace->n_stages + s] == probability(work, n, id));
            if (trace->tokens[t].removed_by == s + 1)
                CHECK(work[id] == -INFINITY && previous[id] != -INFINITY);
        }
    }
}

static void check_listing(const struct chain_trace *trace, size_t n, size_t top) {
    double p = trace->rest_p, p_raw = trace->rest_p_raw;
    uint32_t kept = trace->rest_kept;
    size_t survivors = plain_rank(work, n, ids);
    CHECK(trace->n_tokens == (top < n ? top : n));
    for (uint32_t t = 0; t < trace->n_tokens; t++) {
        const struct chain_token *token = &trace->tokens[t];
        CHECK(token->rank == t + 1);
        if (t < survivors) CHECK(token->id == ids[t] && token->removed_by == 0);
        CHECK(token->logit == logits[token->id] && token->warped == work[token->id]);
        CHECK(token->removed_by <= trace->n_stages);
        CHECK(token->removed_by == 0 || token->logit != -INFINITY);
        CHECK(token->p == probability(work, n, token->id));
        CHECK(token->p_raw == probability(logits, n, token->id));
        if (t > survivors && token->logit != -INFINITY)
            CHECK(token[-1].logit > token->logit ||
                  (token[-1].logit == token->logit && token[-1].id < token->id));
        p += token->p;
        p_raw += token->p_raw;
        kept += token->warped != -INFINITY;
    }
    CHECK(fabs(p - 1) < 1e-12 && fabs(p_raw - 1) < 1e-12);
    CHECK(kept == trace->kept && trace->kept == survivors);
    CHECK(trace->rest_count == n - trace->n_tokens);
}

static void trace_equals_its_plain_form(void) {
    for (size_t round = 0; round < 800; round += check_step(5)) {
        struct settings settings;
        struct warp_bias bias[2];
        struct chain *chain;
        size_t n = 1 + sample_below(round % 3 ? 15 : N), top = sample_below(25);
        size_t n_history = sample_below(30);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        random_settings(&settings, bias, n);
        for (size_t i = 0; i < n_history; i++) history[i] = sample_below((uint32_t)n);
        memcpy(previous, logits, n * sizeof *logits);
        CHECK(chain_open(&chain, n, 25, &kernels_scalar, NULL) == STATUS_OK);
        struct fault fault;
        enum status status = chain_apply(chain, logits, &settings, history, n_history, top, &fault);
        CHECK(!memcmp(previous, logits, n * sizeof *logits));
        if (status == STATUS_OK) {
            check_stages(chain_trace(chain), &settings, n, n_history);
            check_listing(chain_trace(chain), n, top);
            uint64_t r = draw_random(9, (uint64_t)round);
            struct chain_drawn drawn = chain_draw(chain, r);
            float max;
            total_of(work, n, &max);
            kernels_scalar.weigh(spare, work, n, max);
            CHECK(drawn.id == plain_draw(work, spare, n, r, ids));
            CHECK(drawn.p == probability(work, n, drawn.id));
            CHECK(drawn.p_raw == probability(logits, n, drawn.id));
            CHECK(drawn.rank >= 1 && ids[drawn.rank - 1] == drawn.id);
            CHECK(fabs(drawn.logprob - log(drawn.p)) < 1e-12);
            CHECK(fabs(chain_trace(chain)->raw_entropy - entropy_of(logits, n)) < 1e-6);
        } else {
            CHECK(status == STATUS_NOTHING_LEFT &&
                  (settings.n_bias > 0 || settings.value[SETTING_NO_REPEAT_NGRAM_SIZE] > 0));
        }
        chain_close(chain);
    }
}

static void idle_stage_names_the_one_before(void) {
    struct chain *chain;
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_TOP_K] = 2;
    settings.value[SETTING_TOP_P] = 0.99;
    memcpy(logits, (float[]){5, 4.9f, 1, 0}, 4 * sizeof *logits);
    CHECK(chain_open(&chain, 4, 4, &kernels_scalar, NULL) == STATUS_OK);
    CHECK(chain_apply(chain, logits, &settings, NULL, 0, 4, NULL) == STATUS_OK);
    const struct chain_stage *top_p = &chain_trace(chain)->stages[SETTING_TOP_P];
    CHECK(top_p->active && !top_p->changed && top_p->after == SETTING_TOP_K + 1);
    CHECK(chain_trace(chain)->tokens[2].removed_by == SETTING_TOP_K + 1);
    chain_close(chain);
}

static void bad_input_is_refused(void) {
    struct chain *chain;
    struct settings settings;
    struct fault fault;
    settings_reset(&settings);
    CHECK(chain_open(&chain, 0, 4, &kernels_scalar, &fault) == STATUS_EMPTY);
    CHECK(chain_open(&chain, 3, 4, &kernels_scalar, &fault) == STATUS_OK);
    float bad[] = {1, NAN, 2};
    CHECK(chain_apply(chain, bad, &settings, NULL, 0, 3, &fault) == STATUS_NOT_FINITE);
    CHECK(!strcmp(fault_line(&fault), "logit_finite 1 nan"));
    bad[1] = INFINITY;
    CHECK(chain_apply(chain, bad, &settings, NULL, 0, 3, &fault) == STATUS_NOT_FINITE);
    float none[] = {-INFINITY, -INFINITY, -INFINITY};
    CHECK(chain_apply(chain, none, &settings, NULL, 0, 3, &fault) == STATUS_NOTHING_LEFT);
    struct warp_bias bans[] = {{0, -INFINITY}, {1, -INFINITY}, {2, -INFINITY}};
    float good[] = {1, 2, 3};
    settings.bias = bans;
    settings.n_bias = 3;
    CHECK(chain_apply(chain, good, &settings, NULL, 0, 3, &fault) == STATUS_NOTHING_LEFT);
    CHECK(!strcmp(fault_line(&fault), "stage_leaves_nothing logit_bias"));
    settings.n_bias = 0;
    CHECK(chain_apply(chain, good, &settings, (uint32_t[]){3}, 1, 3, &fault) ==
          STATUS_UNKNOWN_TOKEN);
    CHECK(chain_apply(chain, good, &settings, NULL, 0, 3, &fault) == STATUS_OK);
    chain_close(chain);
}

/* Changes the logits at one address. The chain sees the change with version 0 and with a new
 * version, not with the old version. */
static void a_version_vouches_for_the_logits(void) {
    struct chain *chain;
    struct chain_sample sample;
    struct settings settings;
    struct fault fault = {0};
    float two[] = {0, 0};
    const uint64_t versions[] = {0, 0, 1, 1, 2};
    const float seconds[] = {0, 9, 0, 9, 9};
    const double expected[] = {1, 0, 1, 1, 0}; /* bits, rounded */
    settings_reset(&settings);
    CHECK(chain_open(&chain, 2, 2, &kernels_simd, &fault) == STATUS_OK);
    for (size_t i = 0; i < 5; i++) {
        two[1] = seconds[i];
        chain_version(chain, versions[i]);
        CHECK(chain_apply(chain, two, &settings, NULL, 0, 2, &fault) == STATUS_OK);
        CHECK(floor(chain_trace(chain)->raw_entropy + 0.5) == expected[i]);
        CHECK(chain_sample(chain, two, &settings, NULL, 0, (struct chain_choice){0, true}, &sample,
                           &fault) == STATUS_OK);
        CHECK((sample.drawn.p_raw == 0.5) == (expected[i] == 1));
    }
    chain_close(chain);
}

/* Removes top_k from an order; returns its former index. */
static uint32_t without_top_k(struct settings *settings) {
    uint32_t at = 0, n = 0;
    for (uint32_t i = 0; i < settings->n_order; i++) {
        if (settings->order[i] == SETTING_TOP_K)
            at = i;
        else
            settings->order[n++] = settings->order[i];
    }
    settings->n_order = n;
    settings->value[SETTING_TOP_K] = 0;
    return at;
}

static void check_same(const struct chain *a, const struct chain *b, size_t n) {
    const struct chain_trace *one = chain_trace(a), *other = chain_trace(b);
    uint64_t totals[2];
    CHECK(memcmp(chain_logits(a), chain_logits(b), n * sizeof(float)) == 0);
    CHECK(memcmp(chain_weights(a, &totals[0]), chain_weights(b, &totals[1]), n * 8) == 0);
    CHECK(totals[0] == totals[1] && one->n_stages == other->n_stages);
    for (uint32_t s = 0; s < one->n_stages; s++) {
        CHECK(one->stages[s].kept == other->stages[s].kept);
        CHECK(one->stages[s].mass_removed == other->stages[s].mass_removed);
        CHECK(one->stages[s].entropy == other->stages[s].entropy);
    }
    for (uint32_t t = 0; t < one->n_tokens * one->n_stages; t++)
        CHECK(one->stage_p[t] == other->stage_p[t]);
}

static void own_stage_equals_the_sampler_it_is(void) {
    for (size_t round = 0; round < 400; round += check_step(5)) {
        struct settings settings, own;
        struct warp_bias bias[2];
        struct chain *with, *mine;
        struct chain_sample drawn, drawn_too;
        struct fault fault, fault_too;
        size_t n = 1 + sample_below(N);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        random_settings(&settings, bias, n);
        settings.value[SETTING_MIROSTAT] = 0;
        settings.value[SETTING_TOP_K] = 1 + sample_below((uint32_t)n);
        CHECK(chain_open(&with, n, N, &kernels_scalar, NULL) == STATUS_OK);
        CHECK(chain_open(&mine, n, N, &kernels_scalar, NULL) == STATUS_OK);
        own = settings;
        own.own_at = without_top_k(&own);
        own.has_own = true;
        enum status status = chain_apply(with, logits, &settings, NULL, 0, N, &fault);
        if (!status) {
            struct warp_input input = {&settings, n, NULL, 0, spare, 0, scratch, NULL};
            float result[N];
            CHECK(chain_apply(mine, logits, &own, NULL, 0, 0, &fault_too) == STATUS_OK);
            CHECK(chain_trace(mine)->n_stages == own.own_at);
            memcpy(result, chain_logits(mine), n * sizeof *result);
            warp_top_k(result, &input);
            own.own = result;
            CHECK(chain_apply(mine, logits, &own, NULL, 0, N, &fault_too) == STATUS_OK);
            CHECK(chain_trace(mine)->stages[own.own_at].stage == (uint32_t)STAGE_OWN);
            check_same(with, mine, n);
            CHECK(!chain_sample(with, logits, &settings, NULL, 0, (struct chain_choice){1, true},
                                &drawn, &fault));
            CHECK(!chain_sample(mine, logits, &own, NULL, 0, (struct chain_choice){1, true},
                                &drawn_too, &fault));
            CHECK(drawn.drawn.id == drawn_too.drawn.id && drawn.drawn.p == drawn_too.drawn.p);
        }
        chain_close(with);
        chain_close(mine);
    }
}

static void own_stage_refusals(void) {
    const float given[] = {3, 2, 1}, odd[] = {3, NAN, 1}, none[] = {-INFINITY, -INFINITY, 1};
    const float back[] = {0, 0, 5};
    struct settings settings;
    struct chain *chain;
    struct fault fault;
    CHECK(chain_open(&chain, 3, 3, &kernels_scalar, NULL) == STATUS_OK);
    settings_reset(&settings);
    settings.value[SETTING_TOP_K] = 2;
    settings.has_own = true;
    settings.own_at = settings.n_order;
    settings.own = odd;
    CHECK(chain_apply(chain, given, &settings, NULL, 0, 3, &fault) == STATUS_NOT_FINITE);
    settings.own = none;
    CHECK(chain_apply(chain, given, &settings, NULL, 0, 3, &fault) == STATUS_NOTHING_LEFT);
    CHECK(strcmp(fault_line(&fault), "stage_leaves_nothing own") == 0);
    settings.own = back; /* top_k removed the third token, so it stays removed */
    CHECK(chain_apply(chain, given, &settings, NULL, 0, 3, &fault) == STATUS_OK);
    CHECK(chain_trace(chain)->kept == 2 && chain_logits(chain)[2] == -INFINITY);
    CHECK(chain_trace(chain)->entropy == 1);
    settings.own_at++;
    CHECK(chain_apply(chain, given, &settings, NULL, 0, 3, &fault) == STATUS_INVALID_ARGUMENT);
    chain_close(chain);
}

static void surprisal_is_minus_log_p(void) {
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + sample_below(N);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        uint32_t id = sample_below((uint32_t)n);
        double p = probability(logits, n, id), surprisal;
        measure_surprisal(logits, n, &id, 1, &surprisal);
        if (logits[id] == -INFINITY) CHECK(surprisal == (double)INFINITY);
        if (p > 1e-6) CHECK(fabs(surprisal + log(p)) < 1e-5);
    }
    const float far[] = {0, -1000};
    const uint32_t wanted[] = {1, 0, 1};
    double surprisals[3];
    measure_surprisal(far, 2, wanted, 3, surprisals);
    CHECK(surprisals[0] == 1000 && surprisals[1] == 0 && surprisals[2] == 1000);
}

static void diversity_of_a_text(void) {
    static const uint32_t text[] = {1, 2, 1, 2, 1, 2, 3};
    double ratio;
    CHECK(measure_distinct(text, 7, 1, &ratio, NULL) == STATUS_OK && ratio == 3.0 / 7);
    CHECK(measure_distinct(text, 7, 2, &ratio, NULL) == STATUS_OK && ratio == 3.0 / 6);
    CHECK(measure_distinct(text, 1, 2, &ratio, NULL) == STATUS_OK && ratio == 0);
    CHECK(measure_distinct(NULL, 0, 1, &ratio, NULL) == STATUS_OK && ratio == 0);
}

int main(void) {
    pcg32_seed(&sample_generator, 3, 1);
    TEST(trace_equals_its_plain_form);
    TEST(idle_stage_names_the_one_before);
    TEST(bad_input_is_refused);
    TEST(a_version_vouches_for_the_logits);
    TEST(own_stage_equals_the_sampler_it_is);
    TEST(own_stage_refusals);
    TEST(surprisal_is_minus_log_p);
    TEST(diversity_of_a_text);
    return check_report();
}
