/* Compares samplers, chain and chain_sample with the plain specification, bit for bit. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plain_chain.h"
#include "sample_settings.h"
#include "watermark.h"

enum { N = PLAIN_MAX, HISTORY = PLAIN_HISTORY };
static float fast[N], own[N], second[N];
static uint32_t allowed[N / 32 + 1];

/* Draws a history: from one to four ids, so that sequences repeat, or from all ids. */
static size_t draw_history(size_t n, size_t most) {
    size_t n_history = sample_below((uint32_t)most + 1);
    uint32_t span = sample_below(3) ? 1 + sample_below(4) : (uint32_t)n;
    for (size_t i = 0; i < n_history; i++) history[i] = sample_below(span < n ? span : (uint32_t)n);
    return n_history;
}

/* Draws a second distribution; all its logits are finite. */
static void draw_second(size_t n) {
    sample_logits(second, n, sample_below(SAMPLE_KINDS));
    for (size_t i = 0; i < n; i++) second[i] = second[i] == -INFINITY ? -40 : second[i];
    if (sample_below(10) == 0)
        second[sample_below((uint32_t)n)] = sample_below(2) ? FLT_MAX : -FLT_MAX;
}

/* Draws a value with which the sampler often has an effect, and values of its parameters. */
static void draw_value(struct settings *settings, enum setting sampler, size_t n) {
    static const uint32_t breakers[] = {1, 3, 2, 0, 1, 3, 3, 1, 0};
    static const uint32_t lengths[] = {0, 0, 2, 5, 9};
    static const uint32_t ends[] = {1, 3, 70000};
    static const double temperatures[] = {0, 0.5, 2, 0.7, 1e-3, 1e-30, 5e-324, 1e300, DBL_MAX};
    const struct warp_row *row = &warp_table[sampler];
    double u = sample_uniform(), *value = settings->value;
    value[sampler] = row->low + u * (row->high - row->low);
    if (row->kind == SETTING_INTEGER) value[sampler] = floor(value[sampler]);
    switch (sampler) {
    case SETTING_REPETITION_PENALTY:
        value[sampler] = sample_below(20) ? 0.25 + 2 * u : u * 1e-40;
        if (sample_below(2))
            value[SETTING_REP_PEN_SLOPE] = sample_below(4) ? sample_uniform() : sample_below(2);
        if (sample_below(3) == 0) value[SETTING_PROMPT_IGNORE_LENGTH] = sample_below(20);
        break;
    case SETTING_ENCODER_REPETITION_PENALTY:
        value[sampler] = sample_below(20) ? 0.25 + 2 * u : u * 1e-40;
        break;
    case SETTING_RENORMALIZE_LOGITS: value[sampler] = 1; break;
    case SETTING_FREQUENCY_PENALTY:
    case SETTING_PRESENCE_PENALTY:
        value[SETTING_PENALTY_GENERATED_ONLY] = sample_below(2);
        if (sample_below(3) == 0) value[SETTING_PENALTY_DECAY] = sample_below(5) ? u : 0;
        value[sampler] = sample_below(20) ? 4 * u - 2 : DBL_MAX * (2 * u - 1);
        break;
    case SETTING_NO_REPEAT_NGRAM_SIZE: value[sampler] = 1 + sample_below(5); break;
    case SETTING_DRY_MULTIPLIER:
        value[SETTING_DRY_BASE] = 0.5 + 1.5 * sample_uniform();
        value[SETTING_DRY_ALLOWED_LENGTH] = sample_below(5);
        value[SETTING_DRY_PENALTY_LAST_N] = sample_below(3) ? sample_below(30) : 0;
        settings->breakers = breakers;
        settings->n_breaker_words = n > 3 ? lengths[sample_below(5)] : 0;
        break;
    case SETTING_TEMPERATURE:
        value[sampler] = sample_below(2) ? temperatures[sample_below(9)] : 3 * u;
        break;
    case SETTING_TOP_K: value[sampler] = 1 + sample_below((uint32_t)n + 2); break;
    case SETTING_TOP_P:
    case SETTING_TYPICAL_P:
        if (sample_below(8) == 0) value[sampler] = (1 + sample_below(8)) / 8.0;
        break;
    case SETTING_MIN_P: value[sampler] = sample_below(8) ? pow(10, -4 * u) : 1 + u; break;
    case SETTING_EPSILON_CUTOFF:
    case SETTING_ETA_CUTOFF: value[sampler] = 0.9 * pow(10, -5 * u); break;
    case SETTING_TOP_N_SIGMA: value[sampler] = 3 * u; break;
    case SETTING_TOP_A: value[sampler] = sample_below(8) ? pow(10, -3 * u) : 1 + u; break;
    case SETTING_P_LESS: value[sampler] = 1 + sample_below(2); break;
    case SETTING_TOP_H:
        if (sample_below(8) == 0) value[sampler] = (1 + sample_below(8)) / 8.0;
        break;
    case SETTING_DYNATEMP_RANGE:
        value[sampler] = sample_below(9) ? 2 * u : DBL_MAX * u;
        value[SETTING_TEMPERATURE] = sample_below(9) ? 2 * sample_uniform() : DBL_MAX * u;
        value[SETTING_DYNATEMP_EXPONENT] =
            sample_below(5) ? 3 * sample_uniform() : sample_below(2) * 1e6;
        break;
    case SETTING_SMOOTHING_FACTOR:
        value[sampler] = sample_below(9) ? 3 * u : 1e6 * u;
        value[SETTING_SMOOTHING_CURVE] = sample_below(9) ? 1 + 5 * sample_uniform() : 1e6;
        break;
    case SETTING_GUIDANCE_SCALE:
    case SETTING_CONTRASTIVE_BETA:
        value[sampler] = sample_below(9) ? 3 * u : 1e6 * u;
        value[SETTING_CONTRASTIVE_ALPHA] =
            sample_below(4) ? 0.2 * sample_uniform() : sample_below(2);
        draw_second(n);
        settings->second = second;
        break;
    case SETTING_MIN_NEW_TOKENS:
        value[sampler] = 1 + sample_below(1500);
        settings->ends = ends;
        settings->n_ends = 3;
        break;
    case SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY:
        value[sampler] = sample_below(5) ? 0.9 + 0.2 * u : DBL_MAX * u;
        value[SETTING_EXPONENTIAL_DECAY_START] = sample_below(900);
        settings->ends = ends;
        settings->n_ends = 3;
        break;
    case SETTING_TFS_Z:
        if (sample_below(8) == 0) value[sampler] = sample_below(9) / 8.0;
        break;
    case SETTING_XTC_PROBABILITY:
        value[SETTING_XTC_THRESHOLD] = pow(10, -3 * sample_uniform());
        break;
    case SETTING_MIROSTAT:
        value[sampler] = 1 + sample_below(2);
        value[SETTING_MIROSTAT_MU] = sample_below(9) ? 0.01 + 9 * u : 1 + sample_below(4);
        break;
    case SETTING_ADAPTIVE_TARGET:
        value[SETTING_ADAPTIVE_MEAN] = sample_below(3) ? sample_uniform() : 0;
        break;
    case SETTING_GREEN_BIAS:
        value[sampler] = sample_below(4) ? 5 * u : 100;
        value[SETTING_GREEN_FRACTION] = sample_below(2) ? 0.25 : 0.01 + 0.98 * sample_uniform();
        value[SETTING_GREEN_CONTEXT] = sample_below(4);
        value[SETTING_GREEN_SELF] = sample_below(2);
        value[SETTING_WATERMARK_KEY] = sample_below(9) ? sample_below(99) : WHOLE_MAX;
        break;
    case SETTING_SYNTHID_DEPTH:
        value[sampler] = 1 + sample_below(30);
        value[SETTING_SYNTHID_CONTEXT] = 1 + sample_below(3);
        break;
    default: break;
    }
}

static void draw_bias(struct settings *settings, struct warp_bias bias[2], size_t n) {
    bias[0] = (struct warp_bias){1, sample_uniform() < 0.5 ? -(double)INFINITY : 9.5};
    bias[1] = (struct warp_bias){(uint32_t)n - 2, sample_uniform() < 0.2 ? DBL_MAX : -1.5};
    settings->bias = bias;
    settings->n_bias = n > 3 ? 2 : 0;
}

/* Draws gates; the constraint allows a random half of the tokens and always the token `spared`. */
static void draw_gates(struct settings *settings, size_t n, uint32_t spared) {
    static const uint32_t banned[] = {1, 2, 2, 0, 1, 3, 3, 1, 0};
    memset(allowed, 0, sizeof allowed);
    for (uint32_t id = 0; id < n; id++)
        if (id == spared || sample_below(2)) allowed[id / 32] |= 1u << id % 32;
    if (sample_below(2)) settings->allowed = allowed;
    if (sample_below(2) && n > 3) {
        settings->banned = banned;
        settings->n_banned_words = 9;
    }
    if (sample_below(4) == 0) settings->forced = spared;
}

static size_t draw_size(int round) {
    static const size_t sizes[] = {1, 2, 7, 64, 512};
    if (round % 100 == 0) return 1 + sample_below(N);
    return round % 3 ? 1 + sample_below(60) : sizes[sample_below(5)];
}

/* Draws logits; every tenth round they include zeros of both signs or the limits of float32. */
static void draw_logits(size_t n, int round) {
    static const float extremes[] = {FLT_MAX, -FLT_MAX, 0.0f, -0.0f, 1e30f, 1e-45f};
    sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
    if (round % 10) return;
    for (int i = 0; i < 3; i++) logits[sample_below((uint32_t)n)] = extremes[sample_below(6)];
}

/* True if a sampler of the engine and its specification give the same bits. */
static bool equals_specification(uint32_t sampler, const struct settings *settings, size_t n,
                                 size_t n_history) {
    memcpy(fast, logits, n * sizeof *fast);
    memcpy(plain, logits, n * sizeof *plain);
    struct warp_input input = weigh(logits, settings, n, n_history);
    warp_table[sampler].apply(fast, &input);
    input = weigh(logits, settings, n, n_history);
    plain_samplers[sampler](plain, &input);
    return !memcmp(fast, plain, n * sizeof *fast);
}

/* Tests every sampler separately, and checks that it changes logits often enough. */
static void samplers_equal_their_specification(void) {
    const int rounds = check_all() ? 800 : 400;
    for (uint32_t sampler = 0; sampler < SAMPLER_COUNT; sampler++) {
        int changed = 0;
        for (int round = 0; round < rounds; round++) {
            struct settings settings;
            struct warp_bias bias[2];
            size_t n = draw_size(round), n_history = draw_history(n, round % 4 ? 12 : HISTORY);
            settings_reset(&settings);
            draw_logits(n, round);
            draw_value(&settings, sampler, n);
            if (sampler == SETTING_LOGIT_BIAS) draw_bias(&settings, bias, n);
            if (round % 5 == 0) settings.value[SETTING_MIN_TOKENS_TO_KEEP] = 1 + sample_below(8);
            if (round % 4 == 1) settings.value[SETTING_REPETITION_WINDOW] = sample_below(20);
            settings.value[SETTING_CONVENTION] = sample_below(3);
            settings.seed = sample_below(1000);
            settings.step = sample_below(round % 2 ? 1000 : 8);
            CHECK_MESSAGE(equals_specification(sampler, &settings, n, n_history),
                          "%s of %g differs in round %d", warp_table[sampler].name,
                          settings.value[sampler], round);
            changed += memcmp(plain, logits, n * sizeof *plain) != 0;
        }
        CHECK_MESSAGE(8 * changed > rounds, "%s changed something in %d rounds only",
                      warp_table[sampler].name, changed);
    }
}

/* The logits are rounded logarithms, so the sums of p differ slightly from the exact shares. */
static void exact_hits_equal_the_specification(void) {
    static const double shares[] = {0.60, 0.20, 0.10, 0.05, 0.03, 0.02};
    static const double hits[] = {0.60, 0.80, 0.90, 0.95, 0.98};
    static const uint32_t cuts[] = {SETTING_TOP_P, SETTING_TYPICAL_P};
    for (size_t i = 0; i < 6; i++) logits[i] = (float)log(shares[i]);
    for (uint32_t i = 0; i < 2 * 3 * 5; i++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[cuts[i % 2]] = hits[i / 6];
        settings.value[SETTING_CONVENTION] = i / 2 % 3;
        CHECK_MESSAGE(equals_specification(cuts[i % 2], &settings, 6, 0), "%s of %g differs",
                      warp_table[cuts[i % 2]].name, hits[i / 6]);
    }
}

/* A quotient of FLT_MAX is not an overflow, so nothing is shifted. */
static void a_quotient_may_be_the_largest_number(void) {
    struct settings settings;
    settings_reset(&settings);
    settings.value[SETTING_TEMPERATURE] = 0.5;
    memcpy(logits, (float[]){FLT_MAX / 2, 0, 1}, 3 * sizeof *logits);
    CHECK(equals_specification(SETTING_TEMPERATURE, &settings, 3, 0));
    CHECK(fast[0] == FLT_MAX && fast[1] == 0 && fast[2] == 2);
}

/* Sets the fraction so that exactly one token is green: its bits are the largest green bits. */
static void the_last_green_bits_are_green(void) {
    struct settings settings;
    struct watermark watermark;
    uint32_t least = 0;
    settings_reset(&settings);
    settings.value[SETTING_GREEN_BIAS] = GREEN_HARD;
    settings.value[SETTING_GREEN_CONTEXT] = 0;
    CHECK(watermark_green(&watermark, &settings, NULL, 0));
    for (uint32_t id = 0; id < 64; id++) {
        logits[id] = 1;
        if (watermark_bits(&watermark, id) < watermark_bits(&watermark, least)) least = id;
    }
    settings.value[SETTING_GREEN_FRACTION] = (watermark_bits(&watermark, least) + 1.0) * 0x1p-32;
    CHECK(equals_specification(SETTING_GREEN_BIAS, &settings, 64, 0));
    for (uint32_t id = 0; id < 64; id++) CHECK((fast[id] == 1) == (id == least));
    settings.value[SETTING_GREEN_BIAS] = 2;
    CHECK(equals_specification(SETTING_GREEN_BIAS, &settings, 64, 0));
    for (uint32_t id = 0; id < 64; id++) CHECK(fast[id] == (id == least ? 3 : 1));
}

/* Logits follow Zipf's law and drop sharply after the 99th, 100th or 101st token. */
static void the_hundred_best_tell_the_slope(void) {
    for (size_t edge = 99; edge <= 101; edge++)
        for (int mu = 1; mu <= 9; mu++) {
            struct settings settings;
            settings_reset(&settings);
            settings.value[SETTING_MIROSTAT] = 1;
            settings.value[SETTING_MIROSTAT_MU] = mu;
            for (size_t i = 0; i < 150; i++)
                logits[i] = (float)-log((double)i + 1) - (i < edge ? 0 : 30);
            CHECK_MESSAGE(equals_specification(SETTING_MIROSTAT, &settings, 150, 0),
                          "mu %d, cliff after %zu", mu, edge);
        }
}

/* Every second of 199 nearly equal logits is lower by one last bit of a float32. */
static void weights_apart_by_a_bit_are_sorted(void) {
    for (int z = 1; z <= 9; z++) {
        struct settings settings;
        settings_reset(&settings);
        settings.value[SETTING_TFS_Z] = z / 10.0;
        for (size_t i = 0; i < 200; i++) logits[i] = i == 0 ? 0 : i % 2 ? -0x1p-24f : -0x1p-23f;
        CHECK_MESSAGE(equals_specification(SETTING_TFS_Z, &settings, 200, 0), "z 0.%d", z);
    }
}

static void draw_settings(struct settings *settings, struct warp_bias bias[2], size_t n,
                          uint32_t spared) {
    settings_reset(settings);
    for (uint32_t sampler = SETTING_REPETITION_PENALTY; sampler < SAMPLER_COUNT; sampler++)
        if (sample_uniform() < (sampler == SETTING_MIROSTAT ? 0.05 : 0.2))
            draw_value(settings, sampler, n);
    if (sample_below(6) == 0)
        draw_value(settings, sample_below(2) ? SETTING_GUIDANCE_SCALE : SETTING_CONTRASTIVE_BETA,
                   n);
    if (sample_below(5) == 0) draw_bias(settings, bias, n);
    if (sample_below(5) == 0) draw_gates(settings, n, spared);
    if (sample_below(8) == 0) {
        settings->has_own = true;
        settings->own_at = sample_below(SAMPLER_COUNT + 1);
        settings->own = own;
        sample_logits(own, n, sample_below(SAMPLE_KINDS));
    }
    if (sample_below(4) == 0) settings->value[SETTING_MIN_TOKENS_TO_KEEP] = 1 + sample_below(8);
    if (sample_below(4) == 0) settings->value[SETTING_REPETITION_WINDOW] = sample_below(20);
    settings->value[SETTING_CONVENTION] = sample_below(2) ? 0 : sample_below(3);
    settings->step = sample_below(1000);
    sample_order(settings, 0.6);
}

static void chains_equal_the_specification(void) {
    const int rounds = check_all() ? 3000 : 400;
    int refused = 0;
    for (int round = 0; round < rounds; round++) {
        struct settings settings;
        struct warp_bias bias[2];
        struct chain *chain;
        struct chain_sample sample;
        struct fault fault;
        size_t n = draw_size(round), n_history = draw_history(n, round % 4 ? 12 : HISTORY);
        uint64_t r = draw_random(23, (uint64_t)round);
        draw_logits(n, round);
        draw_settings(&settings, bias, n, sample_below((uint32_t)n));
        CHECK(chain_open(&chain, n, 30, round % 2 ? &kernels_simd : &kernels_scalar, NULL) ==
              STATUS_OK);
        enum status status = chain_apply(chain, logits, &settings, history, n_history, 30, &fault);
        const struct chain_trace *trace = status ? NULL : chain_trace(chain);
        size_t kept = run_plainly(&settings, n, n_history, trace);
        CHECK_MESSAGE((kept == 0) == (status == STATUS_NOTHING_LEFT), "round %d: %s", round,
                      fault.key);
        refused += status != STATUS_OK;
        if (trace && kept) {
            struct chain_drawn drawn = chain_draw(chain, r);
            CHECK_MESSAGE(!memcmp(chain_logits(chain), plain, n * sizeof *plain),
                          "the chain of round %d differs", round);
            check_drawn(&drawn, &settings, n, r);
            plain_rank(plain, n, ids);
            for (uint32_t t = 0; t < trace->n_tokens && t < kept; t++)
                CHECK(trace->tokens[t].id == ids[t]);
        }
        CHECK(chain_sample(chain, logits, &settings, history, n_history,
                           (struct chain_choice){r, false}, &sample, &fault) == status);
        if (!status) check_drawn(&sample.drawn, &settings, n, r);
        if (!status) CHECK(sample.kept == kept && sample.entropy == chain_trace(chain)->entropy);
        chain_close(chain);
    }
    CHECK_MESSAGE(60 * refused > rounds && 3 * refused < rounds, "%d chains left nothing", refused);
}

int main(void) {
    pcg32_seed(&sample_generator, 23, 1);
    TEST(samplers_equal_their_specification);
    TEST(exact_hits_equal_the_specification);
    TEST(a_quotient_may_be_the_largest_number);
    TEST(the_last_green_bits_are_green);
    TEST(the_hundred_best_tell_the_slope);
    TEST(weights_apart_by_a_bit_are_sorted);
    TEST(chains_equal_the_specification);
    return check_report();
}
