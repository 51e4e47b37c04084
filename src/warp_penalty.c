/* Samplers that change or remove single tokens: by id, or because they are in the history. */
#include <string.h>

#include "warp_part.h"

void warp_logit_bias(float *logits, const struct warp_input *input) {
    for (uint32_t i = 0; i < input->settings->n_bias; i++) {
        struct warp_bias bias = input->settings->bias[i];
        float *logit = &logits[bias.id];
        if (*logit == -INFINITY) continue;
        *logit = bias.bias == -(double)INFINITY ? -INFINITY : to_float((double)*logit + bias.bias);
    }
}

/* Sets *ids to the window of frequency and presence penalty; returns its length. */
static size_t counted_ids(const struct warp_input *input, const uint32_t **ids) {
    size_t n = last_ids(input, value_of(input, SETTING_REPETITION_WINDOW), ids);
    uint64_t generated = input->settings->step;
    if (value_of(input, SETTING_PENALTY_GENERATED_ONLY) == 0 || generated >= n) return n;
    *ids += n - (size_t)generated;
    return (size_t)generated;
}

/* Counts each id of the window in scratch[id], sets no other entry, returns the window's length. */
static size_t count_ids(const struct warp_input *input, const uint32_t **ids) {
    size_t n = counted_ids(input, ids);
    for (size_t i = 0; i < n; i++) input->scratch[(*ids)[i]] = 0;
    for (size_t i = 0; i < n; i++) input->scratch[(*ids)[i]]++;
    return n;
}

void warp_encoder_repetition_penalty(float *logits, const struct warp_input *input) {
    double penalty = value_of(input, SETTING_ENCODER_REPETITION_PENALTY);
    uint64_t step = input->settings->step;
    size_t n = step < input->n_history ? input->n_history - (size_t)step : 0;
    for (size_t i = 0; i < n; i++) input->scratch[input->history[i]] = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t id = input->history[i];
        double l = (double)logits[id];
        if (input->scratch[id] && logits[id] != -INFINITY)
            logits[id] = to_float(l > 0 ? l * penalty : l / penalty);
        input->scratch[id] = 0;
    }
}

/* Returns the penalty of ids that occur only in the older half of the window. */
static double older_penalty(const struct warp_input *input, double penalty) {
    double slope = value_of(input, SETTING_REP_PEN_SLOPE);
    return penalty > 1 && slope != 1 ? 1 + (penalty - 1) * slope : penalty;
}

/* Sets *ids to the window without the ignored part of the prompt; returns its length. */
static size_t penalised_ids(const struct warp_input *input, const uint32_t **ids) {
    size_t n = last_ids(input, value_of(input, SETTING_REPETITION_WINDOW), ids);
    double ignored = value_of(input, SETTING_PROMPT_IGNORE_LENGTH);
    double left = (double)input->n_history - ignored;
    if (left >= (double)n) return n;
    size_t kept = left > 0 ? (size_t)left : 0;
    if (n) *ids += n - kept;
    return kept;
}

void warp_repetition_penalty(float *logits, const struct warp_input *input) {
    double recent = value_of(input, SETTING_REPETITION_PENALTY);
    double older = older_penalty(input, recent);
    const uint32_t *ids;
    size_t n = penalised_ids(input, &ids);
    for (size_t i = 0; i < n; i++) input->scratch[ids[i]] = i < n - i ? 1 : 2;
    for (size_t i = 0; i < n; i++) {
        uint32_t half = input->scratch[ids[i]];
        double penalty = half == 1 ? older : recent;
        float *logit = &logits[ids[i]];
        double l = (double)*logit;
        if (half && *logit != -INFINITY) *logit = to_float(l > 0 ? l / penalty : l * penalty);
        input->scratch[ids[i]] = 0;
    }
}

/* For each distinct id of the window, subtracts `once`, and `each` for every occurrence. */
static void subtract_penalty(float *logits, const struct warp_input *input, double once,
                             double each) {
    const uint32_t *ids;
    size_t n = count_ids(input, &ids);
    for (size_t i = 0; i < n; i++) {
        uint32_t count = input->scratch[ids[i]];
        float *logit = &logits[ids[i]];
        if (count && *logit != -INFINITY)
            *logit = to_float((double)*logit - (once + each * (double)count));
        input->scratch[ids[i]] = 0;
    }
}

/* Sums decay^age over the occurrences of each id in the window, newest first. scratch[id] stores
 * the sum as a float32. `age` is the number of tokens after the occurrence. */
static size_t count_decayed(const struct warp_input *input, const uint32_t **ids) {
    size_t n = counted_ids(input, ids);
    double decay = value_of(input, SETTING_PENALTY_DECAY), power = 1;
    for (size_t i = 0; i < n; i++) input->scratch[(*ids)[i]] = 0;
    for (size_t i = n; i-- > 0; power *= decay) {
        float sum;
        memcpy(&sum, &input->scratch[(*ids)[i]], sizeof sum);
        sum = (float)((double)sum + power);
        memcpy(&input->scratch[(*ids)[i]], &sum, sizeof sum);
    }
    return n;
}

static void subtract_decayed(float *logits, const struct warp_input *input, double each) {
    const uint32_t *ids;
    size_t n = count_decayed(input, &ids);
    for (size_t i = 0; i < n; i++) {
        float times, *logit = &logits[ids[i]];
        memcpy(&times, &input->scratch[ids[i]], sizeof times);
        if (times > 0 && *logit != -INFINITY)
            *logit = to_float((double)*logit - each * (double)times);
        input->scratch[ids[i]] = 0;
    }
}

void warp_frequency_penalty(float *logits, const struct warp_input *input) {
    double each = value_of(input, SETTING_FREQUENCY_PENALTY);
    if (value_of(input, SETTING_PENALTY_DECAY) != 1) {
        subtract_decayed(logits, input, each);
        return;
    }
    subtract_penalty(logits, input, 0, each);
}

void warp_presence_penalty(float *logits, const struct warp_input *input) {
    subtract_penalty(logits, input, value_of(input, SETTING_PRESENCE_PENALTY), 0);
}

/* Compares ids only if their hash is that of the last n - 1 ids (Rabin and Karp 1987) and the next
 * id is not yet banned, so that a text of one repeated word is not slower. */
void warp_no_repeat_ngram_size(float *logits, const struct warp_input *input) {
    const uint64_t multiplier = 6364136223846793005u;
    double size = value_of(input, SETTING_NO_REPEAT_NGRAM_SIZE);
    const uint32_t *ids;
    size_t n = last_ids(input, value_of(input, SETTING_REPETITION_WINDOW), &ids);
    if (size == 0 || size > (double)n) return;
    size_t length = (size_t)size - 1;
    const uint32_t *suffix = ids + (n - length);
    uint64_t wanted = 0, hash = 0, power = 1; /* power: factor of the id that leaves the hash */
    for (size_t i = 0; i < length; i++) {
        wanted = wanted * multiplier + suffix[i];
        hash = hash * multiplier + ids[i];
        power *= multiplier;
    }
    for (size_t i = 0; i + length < n; i++) {
        uint32_t next = ids[i + length];
        if (hash == wanted && logits[next] != -INFINITY &&
            memcmp(ids + i, suffix, length * sizeof *ids) == 0)
            logits[next] = -INFINITY;
        hash = hash * multiplier + next - power * ids[i];
    }
}

void warp_min_new_tokens(float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    if ((double)settings->step >= value_of(input, SETTING_MIN_NEW_TOKENS)) return;
    for (uint32_t i = 0; i < settings->n_ends; i++)
        if (settings->ends[i] < input->vocab_size) logits[settings->ends[i]] = -INFINITY;
}

/* Returns base^n, at most FLT_MAX. */
static double power(double base, uint64_t n) {
    double result = 1;
    for (; n; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return result <= (double)FLT_MAX ? result : (double)FLT_MAX;
}

void warp_length_penalty(float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    double start = value_of(input, SETTING_EXPONENTIAL_DECAY_START);
    double factor = value_of(input, SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY);
    if ((double)settings->step <= start) return;
    double share = power(factor, settings->step - (uint64_t)start) - 1;
    for (uint32_t i = 0; i < settings->n_ends; i++) {
        uint32_t id = settings->ends[i];
        if (id >= input->vocab_size || logits[id] == -INFINITY) continue;
        logits[id] = to_float((double)logits[id] + fabs((double)logits[id]) * share);
    }
}
