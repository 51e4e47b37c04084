/* Fuzzes the chain: runs random logits through random settings. Invalid settings must be refused as
 * settings.h says. For valid settings, the trace and the draw without a trace must equal the plain
 * specification, bit for bit. */
#include <float.h>

#include "fuzz.h"
#include "plain_chain.h"

enum { BIASES = 4, WORDS = 12 };

static float own[PLAIN_MAX], second[PLAIN_MAX];

/* Fills `out` with random logits: a few different levels, small numbers, or any bits including NaN
 * and +Infinity. */
static void take_logits(struct input *input, float *out, size_t n) {
    uint32_t kind = take_below(input, 4);
    for (size_t i = 0; i < n; i++) {
        if (kind == 3) {
            take_bytes(input, &out[i], sizeof out[i]);
            continue;
        }
        int8_t x = (int8_t)take_u8(input);
        out[i] = kind == 0 ? (float)x / 8 : kind == 1 ? (float)(x / 16) : (float)x * 1e36f;
        if (x == -128) out[i] = -INFINITY;
    }
}

static bool is_whole(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(x[i] < INFINITY)) return false;
    return true;
}

static void take_words(struct input *input, uint32_t words[WORDS], uint32_t *n, size_t size) {
    *n = take_below(input, WORDS);
    for (uint32_t i = 0; i < *n; i++) words[i] = take_below(input, (uint32_t)size + 1);
}

/* Reads random settings. settings_set refuses values out of range; settings_check refuses wrong
 * combinations. */
static void take_settings(struct input *input, struct settings *settings, size_t n) {
    static struct warp_bias biases[BIASES];
    static uint32_t breakers[WORDS], banned[WORDS], ends[WORDS], allowed[PLAIN_MAX / 32 + 1];
    settings_reset(settings);
    uint32_t flags = take_u8(input);
    for (uint32_t i = take_below(input, 12); i > 0; i--) {
        enum setting setting = (enum setting)take_below(input, SETTING_COUNT);
        settings_set(settings, setting, take_double(input), NULL);
    }
    for (uint32_t i = take_below(input, 8); i > 0; i--) {
        uint32_t a = take_below(input, SAMPLER_COUNT), b = take_below(input, SAMPLER_COUNT);
        uint32_t swap = settings->order[a];
        settings->order[a] = settings->order[b];
        settings->order[b] = swap;
    }
    settings->seed = take_u32(input);
    settings->step = take_u8(input);
    if (flags & 1) {
        settings->n_bias = take_below(input, BIASES + 1);
        uint32_t id = 0;
        for (uint32_t i = 0; i < settings->n_bias; i++) {
            id += take_u8(input) % 8u + (i > 0);
            biases[i] = (struct warp_bias){id, take_u8(input) % 4 ? take_double(input) : -INFINITY};
        }
        settings->bias = biases;
    }
    if (flags & 2) take_words(input, breakers, &settings->n_breaker_words, n);
    if (flags & 4) take_words(input, banned, &settings->n_banned_words, n);
    if (flags & 8) take_words(input, ends, &settings->n_ends, n);
    for (uint32_t i = 1; i < settings->n_ends; i++)
        ends[i] += ends[i - 1] + 1; /* makes the ids different */
    settings->breakers = breakers;
    settings->banned = banned;
    settings->ends = ends;
    if (flags & 16) {
        memset(allowed, 0, sizeof allowed);
        for (uint32_t i = 0; i < n; i++)
            if (take_u8(input) % 4) allowed[i / 32] |= 1u << i % 32, settings->n_allowed++;
        settings->allowed = allowed;
    }
    if (flags & 32) settings->forced = take_below(input, (uint32_t)n + 1);
    if (flags & 64) {
        settings->has_own = true;
        settings->own_at = take_below(input, SAMPLER_COUNT + 1);
        take_logits(input, own, n);
        settings->own = own;
    }
    if (flags & 128) {
        take_logits(input, second, n);
        settings->second = second;
    }
}

static void check_answer(struct chain *chain, const struct settings *settings, size_t n,
                         size_t n_history, uint64_t r) {
    struct fault fault = {0};
    struct chain_sample sample;
    enum status checked = settings_check(settings, n, NULL);
    enum status status = chain_apply(chain, logits, settings, history, n_history, 20, &fault);
    enum status sampled = chain_sample(chain, logits, settings, history, n_history,
                                       (struct chain_choice){r, true}, &sample, NULL);
    CHECK_MESSAGE(sampled == status, "%s, %s", status_name(sampled), status_name(status));
    if (checked) CHECK_MESSAGE(status, "%s", status_name(checked));
    if (status) CHECK(fault.status == status && fault.key);
    if (checked || (status && status != STATUS_NOTHING_LEFT)) {
        bool reads_second = settings_active(settings, SETTING_GUIDANCE_SCALE) ||
                            settings_active(settings, SETTING_CONTRASTIVE_BETA);
        CHECK(checked || reads_second || !is_whole(logits, n));
        return;
    }
    CHECK(is_whole(logits, n));
    if (!count_survivors(logits, n)) {
        CHECK(status == STATUS_NOTHING_LEFT);
        return;
    }
    chain_apply(chain, logits, settings, history, n_history, 20, &fault);
    const struct chain_trace *trace = status ? NULL : chain_trace(chain);
    size_t kept = run_plainly(settings, n, n_history, trace);
    CHECK_MESSAGE((kept == 0) == (status == STATUS_NOTHING_LEFT), "%zu kept: %s", kept, fault.key);
    if (status || !kept) return;
    struct chain_drawn drawn = chain_draw(chain, r);
    CHECK(!memcmp(chain_logits(chain), plain, n * sizeof *plain));
    check_drawn(&drawn, settings, n, r);
    check_drawn(&sample.drawn, settings, n, r);
    CHECK(sample.kept == kept && sample.entropy == trace->entropy);
    CHECK(sample.drawn.p_raw == drawn.p_raw && sample.drawn.logprob == drawn.logprob);
    CHECK(sample.drawn.p_before == drawn.p_before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct settings settings;
    struct chain *chain = NULL;
    size_t n = 1 + take_below(&input, take_u8(&input) % 8 ? 40 : 600);
    size_t n_history = take_below(&input, PLAIN_HISTORY);
    uint64_t r = draw_random(take_u8(&input), 1);
    take_settings(&input, &settings, n);
    for (size_t i = 0; i < n_history; i++)
        history[i] = take_below(&input, n < 5 ? (uint32_t)n : i % 2 ? 4 : (uint32_t)n);
    take_logits(&input, logits, n);
    if (chain_open(&chain, n, 20, size % 2 ? &kernels_simd : &kernels_scalar, NULL)) return 0;
    check_answer(chain, &settings, n, n_history, r);
    chain_close(chain);
    return fuzz_end();
}
