/* The specification of gates, samplers and the inverse draw. All functions are plain loops over the
 * vocabulary or over the survivors in rank order, from an insertion sort. p is weight / total, as
 * in the engine. */
#include "plain_samplers.h"

#include "draw.h"
#include "elementary.h"
#include "measure.h"
#include "warp_part.h"
#include "watermark.h"

static void constraint(float *logits, const struct warp_input *input) {
    for (size_t id = 0; id < input->vocab_size; id++)
        if (!(input->settings->allowed[id / 32] >> id % 32 & 1)) logits[id] = -INFINITY;
}

static bool same(const uint32_t *ids, const uint32_t *others, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ids[i] != others[i]) return false;
    return true;
}

static void banned_words(float *logits, const struct warp_input *input) {
    const uint32_t *words = input->settings->banned;
    for (uint32_t at = 0; at < input->settings->n_banned_words; at += 1 + words[at]) {
        const uint32_t *sequence = words + at + 1;
        size_t before = words[at] - 1, n = input->n_history;
        if (before > n || !same(sequence, input->history + (n - before), before)) continue;
        logits[sequence[before]] = -INFINITY;
    }
}

static void forced_first(float *logits, const struct warp_input *input) {
    for (size_t id = 0; id < input->vocab_size; id++)
        if ((int64_t)id != input->settings->forced) logits[id] = -INFINITY;
}

/* The samplers that read a second distribution. */

static void guidance(float *logits, const struct warp_input *input) {
    const float *second = input->settings->second;
    size_t n = input->vocab_size;
    double scale = value_of(input, SETTING_GUIDANCE_SCALE);
    if (scale == 1) return;
    struct normaliser here = normaliser_of(logits, n), there = normaliser_of(second, n);
    for (size_t id = 0; id < n; id++) {
        double with = log_p((double)logits[id], here), without = log_p((double)second[id], there);
        if (logits[id] != -INFINITY) logits[id] = to_float(without + scale * (with - without));
    }
}

static void contrastive(float *logits, const struct warp_input *input) {
    const float *second = input->settings->second;
    size_t n = input->vocab_size;
    double beta = value_of(input, SETTING_CONTRASTIVE_BETA);
    double least = elementary_log(value_of(input, SETTING_CONTRASTIVE_ALPHA));
    if (beta == 0) return;
    struct normaliser here = normaliser_of(logits, n), there = normaliser_of(second, n);
    for (size_t id = 0; id < n; id++) {
        double expert = log_p((double)logits[id], here), amateur = log_p((double)second[id], there);
        if (logits[id] == -INFINITY || (double)logits[id] - here.max < least)
            logits[id] = -INFINITY;
        else
            logits[id] = to_float((1 + beta) * expert - beta * amateur);
    }
}

static void logit_bias(float *logits, const struct warp_input *input) {
    for (uint32_t i = 0; i < input->settings->n_bias; i++) {
        struct warp_bias bias = input->settings->bias[i];
        if (logits[bias.id] == -INFINITY) continue;
        if (bias.bias == -(double)INFINITY)
            logits[bias.id] = -INFINITY;
        else
            logits[bias.id] = to_float((double)logits[bias.id] + bias.bias);
    }
}

/* True if a place of the history counts for frequency and presence penalty. */
static bool is_counted(const struct warp_input *input, size_t place) {
    double after = (double)(input->n_history - place);
    double window = value_of(input, SETTING_REPETITION_WINDOW);
    bool generated = after <= (double)input->settings->step;
    return (window == 0 || after <= window) &&
           (generated || value_of(input, SETTING_PENALTY_GENERATED_ONLY) == 0);
}

/* Returns how often an id occurs in the counted part of the history. */
static double count_of(const struct warp_input *input, size_t id) {
    double count = 0;
    for (size_t i = 0; i < input->n_history; i++)
        count += input->history[i] == id && is_counted(input, i);
    return count;
}

/* Returns the sum of decay^age over the counted occurrences of an id, newest first, in float32.
 * `age` is the number of tokens after the occurrence. */
static double decayed_count_of(const struct warp_input *input, size_t id) {
    double power = 1;
    float count = 0;
    for (size_t i = input->n_history; i-- > 0; power *= value_of(input, SETTING_PENALTY_DECAY))
        if (input->history[i] == id && is_counted(input, i)) count = (float)((double)count + power);
    return (double)count;
}

static void encoder_repetition_penalty(float *logits, const struct warp_input *input) {
    double r = value_of(input, SETTING_ENCODER_REPETITION_PENALTY);
    for (size_t id = 0; id < input->vocab_size; id++) {
        double l = (double)logits[id];
        bool prompted = false;
        for (size_t i = 0; i + input->settings->step < input->n_history; i++)
            prompted = prompted || input->history[i] == id;
        if (prompted && logits[id] != -INFINITY) logits[id] = to_float(l > 0 ? l * r : l / r);
    }
}

static void repetition_penalty(float *logits, const struct warp_input *input) {
    const uint32_t *ids;
    size_t n = last_ids(input, value_of(input, SETTING_REPETITION_WINDOW), &ids);
    double ignored = value_of(input, SETTING_PROMPT_IGNORE_LENGTH);
    for (; n && (double)(ids - input->history) < ignored; n--) ids++;
    double slope = value_of(input, SETTING_REP_PEN_SLOPE);
    for (size_t id = 0; id < input->vocab_size; id++) {
        double l = (double)logits[id], r = value_of(input, SETTING_REPETITION_PENALTY);
        bool seen = false, recent = false;
        for (size_t i = 0; i < n; i++) seen = seen || ids[i] == id;
        for (size_t i = 0; i < n; i++) recent = recent || (ids[i] == id && 2 * i >= n);
        if (logits[id] == -INFINITY || !seen) continue;
        if (!recent && r > 1 && slope != 1) r = 1 + (r - 1) * slope;
        logits[id] = to_float(l > 0 ? l / r : l * r);
    }
}

static void frequency_penalty(float *logits, const struct warp_input *input) {
    double a = value_of(input, SETTING_FREQUENCY_PENALTY);
    for (size_t id = 0; id < input->vocab_size; id++) {
        if (logits[id] == -INFINITY || decayed_count_of(input, id) == 0) continue;
        logits[id] = to_float((double)logits[id] - a * decayed_count_of(input, id));
    }
}

static void presence_penalty(float *logits, const struct warp_input *input) {
    double b = value_of(input, SETTING_PRESENCE_PENALTY);
    for (size_t id = 0; id < input->vocab_size; id++) {
        if (logits[id] == -INFINITY || count_of(input, id) == 0) continue;
        logits[id] = to_float((double)logits[id] - b);
    }
}

/* If size - 1 ids of the window equal the last size - 1 ids, bans the id after them. */
static void no_repeat_ngram_size(float *logits, const struct warp_input *input) {
    double size = value_of(input, SETTING_NO_REPEAT_NGRAM_SIZE);
    const uint32_t *ids;
    size_t n = last_ids(input, value_of(input, SETTING_REPETITION_WINDOW), &ids);
    if (size == 0 || size > (double)n) return;
    size_t before = (size_t)size - 1;
    for (size_t at = 0; at + before < n; at++)
        if (same(ids + at, ids + (n - before), before)) logits[ids[at + before]] = -INFINITY;
}

/* Returns the length of the longest breaker at the beginning of ids[at .. n); 0 if there is
 * none. */
static uint32_t breaker_at(const struct settings *settings, const uint32_t *ids, size_t n,
                           size_t at) {
    uint32_t longest = 0;
    for (uint32_t b = 0; b < settings->n_breaker_words; b += 1 + settings->breakers[b]) {
        uint32_t length = settings->breakers[b];
        if (length > n - at || !same(ids + at, settings->breakers + b + 1, length)) continue;
        if (length > longest) longest = length;
    }
    return longest;
}

/* Returns how many of the last 4,096 ids follow the last breaker that begins among these ids. */
static size_t match_limit(const struct settings *settings, const uint32_t *ids, size_t n) {
    size_t limit = n < 4096 ? n : 4096;
    for (size_t at = n; at-- > n - limit;)
        if (breaker_at(settings, ids, n, at)) return n - at - breaker_at(settings, ids, n, at);
    return limit;
}

/* Returns the longest match, at most `limit` ids: the ids before an earlier `id` equal the last ids
 * of the history. */
static size_t longest_match(const uint32_t *ids, size_t n, size_t id, size_t limit) {
    size_t longest = 0;
    for (size_t at = 0; at < n; at++) {
        size_t match = 0;
        if (ids[at] != id) continue;
        while (match < limit && match < at && ids[at - 1 - match] == ids[n - 1 - match]) match++;
        if (match > longest) longest = match;
    }
    return longest;
}

static bool is_breaker(const struct settings *settings, size_t id) {
    for (uint32_t b = 0; b < settings->n_breaker_words; b += 1 + settings->breakers[b])
        if (settings->breakers[b] == 1 && settings->breakers[b + 1] == id) return true;
    return false;
}

static void dry(float *logits, const struct warp_input *input) {
    const uint32_t *ids;
    size_t n = last_ids(input, value_of(input, SETTING_DRY_PENALTY_LAST_N), &ids);
    size_t limit = match_limit(input->settings, ids, n);
    double allowed = value_of(input, SETTING_DRY_ALLOWED_LENGTH);
    for (size_t id = 0; id < input->vocab_size; id++) {
        size_t match = longest_match(ids, n, id, limit);
        if (match == 0 || (double)match < allowed || logits[id] == -INFINITY) continue;
        if (is_breaker(input->settings, id)) continue;
        double power = 1;
        for (size_t i = (size_t)allowed; i < match; i++) power *= value_of(input, SETTING_DRY_BASE);
        double penalty = value_of(input, SETTING_DRY_MULTIPLIER) * power;
        logits[id] = to_float((double)logits[id] - penalty);
    }
}

size_t plain_rank(const float *logits, size_t n, uint32_t *ids) {
    size_t count = 0;
    for (uint32_t id = 0; id < n; id++) {
        size_t at = count;
        if (logits[id] == -INFINITY) continue;
        for (; at > 0 && logits[ids[at - 1]] < logits[id]; at--) ids[at] = ids[at - 1];
        ids[at] = id;
        count++;
    }
    return count;
}

/* Divides the logits of the survivors, `ids` in rank order, by t. */
static void divide(float *logits, const uint32_t *ids, size_t count, double t) {
    double largest = 0, shift = 0;
    if (t == 0) {
        for (size_t place = 1; place < count; place++) logits[ids[place]] = -INFINITY;
        return;
    }
    for (size_t place = 0; place < count; place++)
        if (fabs((double)logits[ids[place]]) > largest) largest = fabs((double)logits[ids[place]]);
    if (largest / t > (double)FLT_MAX) shift = (double)logits[ids[0]];
    for (size_t place = 0; place < count; place++)
        logits[ids[place]] = to_float(((double)logits[ids[place]] - shift) / t);
}

static void temperature(float *logits, const struct warp_input *input) {
    size_t count = plain_rank(logits, input->vocab_size, input->scratch);
    divide(logits, input->scratch, count, value_of(input, SETTING_TEMPERATURE));
}

/* In every truncation below, `least` is min_tokens_to_keep. */

static double share_of(const struct warp_input *input, uint32_t id) {
    return (double)input->weights[id] / (double)input->total;
}

static void top_k(float *logits, const struct warp_input *input) {
    double k = value_of(input, SETTING_TOP_K), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    bool exactly = convention_of(input) == CONVENTION_LLAMA_CPP;
    if (k == 0) return;
    if (k < least) k = least;
    if (k >= (double)count) return;
    float limit = logits[ids[(size_t)k - 1]];
    for (size_t place = (size_t)k; place < count; place++)
        if (exactly || logits[ids[place]] < limit) logits[ids[place]] = -INFINITY;
}

/* True while a prefix of weight `before` has less than the mass p, or with `above` at most p. The
 * tolerance of 2^-20 allows for logits that are rounded logarithms. */
static bool lacks_mass(uint64_t before, uint64_t total, double p, bool above) {
    double share = above ? p + 0x1p-20 : p - 0x1p-20;
    if (share >= 1) return true;
    if (share <= 0) return false;
    uint64_t bits = (uint64_t)(share * 0x1p53);
    return above ? before <= draw_scale(bits, total) : before < draw_scale_up(bits, total);
}

static void top_p(float *logits, const struct warp_input *input) {
    double p = value_of(input, SETTING_TOP_P), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    bool above = convention_of(input) == CONVENTION_LLAMA2_C;
    if (p == 1 || (above && p == 0)) return;
    uint64_t before = 0;
    for (size_t place = 0; place < count; place++) {
        if ((double)place >= least && !lacks_mass(before, input->total, p, above))
            logits[ids[place]] = -INFINITY;
        before += input->weights[ids[place]];
    }
}

static void min_p(float *logits, const struct warp_input *input) {
    double m = value_of(input, SETTING_MIN_P), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    for (size_t place = 0; place < count; place++) {
        double ratio = (double)input->weights[ids[place]] / (double)input->weights[ids[0]];
        if ((double)place >= least && ratio < m) logits[ids[place]] = -INFINITY;
    }
}

/* Orders tokens by |-ln p - H|. -ln p is ln Z + max - l, Z the sum of e^(l - max). So |-ln p - H|
 * is the distance from l to the logit with the surprise H. */
static void typical_p(float *logits, const struct warp_input *input) {
    double p = value_of(input, SETTING_TYPICAL_P);
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP), limit = 0;
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    bool exactly = convention_of(input) == CONVENTION_LLAMA_CPP;
    float max = logits[ids[0]];
    double bits = measure_entropy(logits, input->weights, input->vocab_size, input->total, max);
    double center = elementary_log((double)input->total * 0x1p-44) + (double)max - bits * LN_2;
    uint64_t before = 0;
    if (p == 1) return;
    for (size_t i = 0; i < count; i++) { /* sorts again, by distance, ties by id */
        uint32_t id = ids[i];
        double distance = fabs((double)logits[id] - center);
        size_t at = i;
        for (; at > 0; at--) {
            double other = fabs((double)logits[ids[at - 1]] - center);
            if (other < distance || (other == distance && ids[at - 1] < id)) break;
            ids[at] = ids[at - 1];
        }
        ids[at] = id;
    }
    for (size_t place = 0; place < count; place++) {
        double distance = fabs((double)logits[ids[place]] - center);
        bool stays = (double)place < least || lacks_mass(before, input->total, p, exactly);
        before += input->weights[ids[place]];
        if (stays)
            limit = distance;
        else if (exactly || distance > limit)
            logits[ids[place]] = -INFINITY;
    }
}

static void epsilon_cutoff(float *logits, const struct warp_input *input) {
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    for (size_t place = 0; place < count; place++)
        if ((double)place >= least &&
            share_of(input, ids[place]) < value_of(input, SETTING_EPSILON_CUTOFF))
            logits[ids[place]] = -INFINITY;
}

static void eta_cutoff(float *logits, const struct warp_input *input) {
    double epsilon = value_of(input, SETTING_ETA_CUTOFF);
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t n = input->vocab_size, count = plain_rank(logits, n, ids);
    double bits = measure_entropy(logits, input->weights, n, input->total, logits[ids[0]]);
    double eta = sqrt(epsilon) * elementary_exp64(-bits * LN_2);
    if (eta > epsilon) eta = epsilon;
    for (size_t place = 0; place < count; place++)
        if ((double)place >= least && share_of(input, ids[place]) < eta)
            logits[ids[place]] = -INFINITY;
}

static void top_n_sigma(float *logits, const struct warp_input *input) {
    double n_sigma = value_of(input, SETTING_TOP_N_SIGMA), sum = 0, squares = 0;
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t n = input->vocab_size, count = plain_rank(logits, n, ids);
    if (n_sigma == 0) return;
    for (size_t id = 0; id < n; id++)
        if (logits[id] != -INFINITY) sum += (double)logits[id];
    double mean = sum / (double)count;
    for (size_t id = 0; id < n; id++)
        if (logits[id] != -INFINITY)
            squares += ((double)logits[id] - mean) * ((double)logits[id] - mean);
    double limit = (double)logits[ids[0]] - n_sigma * sqrt(squares / (double)count);
    for (size_t place = 0; place < count; place++)
        if ((double)place >= least && (double)logits[ids[place]] < limit)
            logits[ids[place]] = -INFINITY;
}

static void top_a(float *logits, const struct warp_input *input) {
    double a = value_of(input, SETTING_TOP_A), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    double best = share_of(input, ids[0]);
    for (size_t place = 0; place < count; place++)
        if ((double)place >= least && share_of(input, ids[place]) < a * best * best)
            logits[ids[place]] = -INFINITY;
}

static void p_less(float *logits, const struct warp_input *input) {
    double version = value_of(input, SETTING_P_LESS), n = (double)input->vocab_size, same = 0;
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    if (version == 0) return;
    for (uint32_t id = 0; id < input->vocab_size; id++)
        if (logits[id] != -INFINITY) same += share_of(input, id) * share_of(input, id);
    double limit = same;
    if (version == 2) limit = n == 1 ? 0 : (n * same - 1) / (n - 1);
    for (size_t place = 0; place < count; place++)
        if ((double)place >= least && share_of(input, ids[place]) < limit * (1 - 0x1p-20))
            logits[ids[place]] = -INFINITY;
}

/* Returns a token's term, in nats, in the entropy of tokens with the total weight `total`. */
static double term_of(const struct warp_input *input, uint32_t id, uint64_t total) {
    double p = (double)input->weights[id] / (double)total;
    return p > 0 ? -p * elementary_log(p) : 0;
}

static void top_h(float *logits, const struct warp_input *input) {
    double h = value_of(input, SETTING_TOP_H), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    double entropy = 0, sum = 0;
    uint64_t total = 0;
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids), best = count < 100 ? count : 100;
    if (h == 0) return;
    for (size_t place = 0; place < best; place++) total += input->weights[ids[place]];
    for (size_t place = 0; place < best; place++) entropy += term_of(input, ids[place], total);
    for (size_t place = 0; place < count; place++) {
        if (place < best) sum += term_of(input, ids[place], total);
        bool stays = place == 0 || (place < best && input->weights[ids[place]] > 0 &&
                                    sum <= (h + 0x1p-20) * entropy);
        if (!stays && (double)place >= least) logits[ids[place]] = -INFINITY;
    }
}

static void dynatemp(float *logits, const struct warp_input *input) {
    double range = value_of(input, SETTING_DYNATEMP_RANGE), scale = 0;
    double middle = value_of(input, SETTING_TEMPERATURE);
    double exponent = value_of(input, SETTING_DYNATEMP_EXPONENT);
    uint32_t *ids = input->scratch;
    size_t n = input->vocab_size, count = plain_rank(logits, n, ids);
    if (range == 0 || count < 2) return;
    double bits = measure_entropy(logits, input->weights, n, input->total, logits[ids[0]]);
    double share = bits * LN_2 / elementary_log((double)count);
    if (share > 1) share = 1;
    if (exponent == 0) scale = 1; /* 0^0 counts as 1 */
    if (exponent > 0 && share > 0 && exponent * elementary_log(share) > -700)
        scale = elementary_exp64(exponent * elementary_log(share));
    double low = middle > range ? middle - range : 0, high = middle + range;
    if (high > DBL_MAX) high = DBL_MAX;
    divide(logits, ids, count, low + (high - low) * scale);
}

static void smoothing(float *logits, const struct warp_input *input) {
    double factor = value_of(input, SETTING_SMOOTHING_FACTOR);
    double curve = value_of(input, SETTING_SMOOTHING_CURVE);
    double square = factor * (3 - curve) / 2, cube = factor * (curve - 1) / 2;
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    double max = (double)logits[ids[0]];
    if (factor == 0) return;
    for (size_t place = 0; place < count; place++) {
        double d = (double)logits[ids[place]] - max;
        if (d != 0) logits[ids[place]] = to_float(max + d * d * (cube * d - square));
    }
}

static void renormalize_logits(float *logits, const struct warp_input *input) {
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids);
    double max = (double)logits[ids[0]], log_sum = elementary_log((double)input->total * 0x1p-44);
    if (value_of(input, SETTING_RENORMALIZE_LOGITS) == 0) return;
    for (size_t place = 0; place < count; place++) {
        float log_p = to_float((double)logits[ids[place]] - max - log_sum);
        if (log_p != logits[ids[place]]) logits[ids[place]] = log_p;
    }
}

static bool is_end(const struct settings *settings, size_t id) {
    for (uint32_t i = 0; i < settings->n_ends; i++)
        if (settings->ends[i] == id) return true;
    return false;
}

static void min_new_tokens(float *logits, const struct warp_input *input) {
    for (size_t id = 0; id < input->vocab_size; id++)
        if (is_end(input->settings, id) &&
            (double)input->settings->step < value_of(input, SETTING_MIN_NEW_TOKENS))
            logits[id] = -INFINITY;
}

static void length_penalty(float *logits, const struct warp_input *input) {
    double start = value_of(input, SETTING_EXPONENTIAL_DECAY_START), power = 1;
    double factor = value_of(input, SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY);
    if ((double)input->settings->step <= start) return;
    for (uint64_t n = input->settings->step - (uint64_t)start; n > 0; n /= 2) {
        if (n % 2) power *= factor;
        factor *= factor;
    }
    if (!(power <= (double)FLT_MAX)) power = (double)FLT_MAX;
    for (size_t id = 0; id < input->vocab_size; id++) {
        double l = (double)logits[id];
        if (logits[id] == -INFINITY || !is_end(input->settings, id)) continue;
        logits[id] = to_float(l + fabs(l) * (power - 1));
    }
}

static void tfs_z(float *logits, const struct warp_input *input) {
    double z = value_of(input, SETTING_TFS_Z), least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids), keep = 0;
    uint64_t total = 0, sum = 0;
    if (z == 1 || z + 0x1p-20 >= 1 || count <= 2) return;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t bound = draw_scale((uint64_t)((z + 0x1p-20) * 0x1p53), total);
        for (size_t place = 0; place + 2 < count; place++) {
            int64_t a = (int64_t)input->weights[ids[place]];
            int64_t b = (int64_t)input->weights[ids[place + 1]];
            int64_t c = (int64_t)input->weights[ids[place + 2]];
            uint64_t bend = (uint64_t)(a + c > 2 * b ? a + c - 2 * b : 2 * b - a - c);
            if (pass == 0) total += bend;
            if (pass == 1) keep += (sum += bend) <= bound;
        }
    }
    if (keep + 2 >= count) return;
    if (convention_of(input) != CONVENTION_LLAMA_CPP || keep == 0) keep++;
    for (size_t place = keep; place < count; place++)
        if ((double)place >= least) logits[ids[place]] = -INFINITY;
}

static void xtc(float *logits, const struct warp_input *input) {
    const struct settings *settings = input->settings;
    uint32_t *ids = input->scratch;
    size_t count = plain_rank(logits, input->vocab_size, ids), likely = 0;
    double coin = (double)draw_coin(settings->seed, settings->step, DRAW_XTC) * 0x1p-53;
    if (coin >= value_of(input, SETTING_XTC_PROBABILITY)) return;
    while (likely < count && share_of(input, ids[likely]) >= value_of(input, SETTING_XTC_THRESHOLD))
        likely++;
    if (likely < 2) return;
    if ((double)(count - (likely - 1)) < value_of(input, SETTING_MIN_TOKENS_TO_KEEP)) return;
    for (size_t place = 0; place + 1 < likely; place++) logits[ids[place]] = -INFINITY;
}

/* Returns the number of tokens that Mirostat 1 keeps of N tokens: k = ((s - 1) 2^mu / (1 - N^(1 -
 * s)))^(1 / s). s is the slope of ln(p_i / p_(i + 1)) over ln((i + 1) / i) for the 100 best
 * tokens. */
static double zipf_count(const float *logits, const uint32_t *ids, size_t count, double n,
                         double mu) {
    double products = 0, squares = 0, log_n = elementary_log(n);
    for (size_t i = 0; i + 1 < count && i + 1 < 100; i++) {
        double t = elementary_log((double)(i + 2) / (double)(i + 1));
        products += t * ((double)logits[ids[i]] - (double)logits[ids[i + 1]]);
        squares += t * t;
    }
    double s = products / squares, x = (s - 1) * log_n;
    double ratio = (s - 1) / (1 - elementary_exp64(-x));
    if (fabs(x) < 1e-6) ratio = (1 + x / 2) / log_n; /* limit for s near 1 */
    if (!(ratio > 0)) return n;                      /* too flat or steep */
    double log_k = elementary_log(ratio) + mu * LN_2;
    if (s <= 0) return log_k >= 0 ? n : 1; /* an exponent of 0 or less */
    if (log_k / s >= log_n) return n;
    return log_k / s <= 0 ? 1 : floor(elementary_exp64(log_k / s));
}

/* Returns 2^-mu, exact for whole mu, limited to 2^-1000 .. 2^1000. */
static double least_share(double mu) {
    if (mu < -1000) return 0x1p1000;
    if (mu > 1000) return 0x1p-1000;
    int whole = (int)floor(-mu);
    double share = elementary_exp64((-mu - whole) * LN_2);
    for (; whole > 0; whole--) share *= 2;
    for (; whole < 0; whole++) share /= 2;
    return share;
}

static void mirostat(float *logits, const struct warp_input *input) {
    double version = value_of(input, SETTING_MIROSTAT), mu = value_of(input, SETTING_MIROSTAT_MU);
    double least = value_of(input, SETTING_MIN_TOKENS_TO_KEEP);
    uint32_t *ids = input->scratch;
    size_t n = input->vocab_size, count = plain_rank(logits, n, ids);
    if (mu == 0) mu = 2 * value_of(input, SETTING_MIROSTAT_TAU);
    if (version == 0 || count < 2) return;
    double keep = zipf_count(logits, ids, count, (double)n, mu);
    for (size_t place = 0; place < count; place++) {
        bool stays =
            version == 1 ? (double)place < keep : share_of(input, ids[place]) >= least_share(mu);
        if (!stays && (double)place >= least) logits[ids[place]] = -INFINITY;
    }
}

static void adaptive_p(float *logits, const struct warp_input *input) {
    double target = value_of(input, SETTING_ADAPTIVE_TARGET);
    double mean = value_of(input, SETTING_ADAPTIVE_MEAN);
    if (target == 0) return;
    if (mean == 0) mean = target;
    double aim = 2 * target - mean;
    if (aim < 0) aim = 0;
    if (aim > 1) aim = 1;
    for (uint32_t id = 0; id < input->vocab_size; id++) {
        double far = fabs(share_of(input, id) - aim) / 0.3;
        if (logits[id] != -INFINITY) logits[id] = to_float(5 - 10 * far * far / (1 + far));
    }
}

static void green_list(float *logits, const struct warp_input *input) {
    double bias = value_of(input, SETTING_GREEN_BIAS);
    struct watermark watermark;
    size_t survivors = 0;
    if (!watermark_green(&watermark, input->settings, input->history, input->n_history)) return;
    for (uint32_t id = 0; id < input->vocab_size; id++)
        survivors += logits[id] != -INFINITY && watermark_is_green(&watermark, id);
    for (uint32_t id = 0; id < input->vocab_size; id++) {
        if (logits[id] == -INFINITY) continue;
        if (bias < GREEN_HARD && watermark_is_green(&watermark, id))
            logits[id] = to_float((double)logits[id] + bias);
        if (bias == GREEN_HARD && survivors > 0 && !watermark_is_green(&watermark, id))
            logits[id] = -INFINITY;
    }
}

/* Plays ten layers at a time. In ten layers, a token's factor depends only on ten bits of its g, so
 * masses are summed by these bits, in ascending order of ids. */
static void synthid(float *logits, const struct warp_input *input) {
    uint32_t depth = (uint32_t)value_of(input, SETTING_SYNTHID_DEPTH), *g = input->scratch;
    double factor[3][1024];
    struct watermark watermark;
    if (!watermark_synthid(&watermark, input->settings, input->history, input->n_history)) return;
    for (uint32_t id = 0; id < input->vocab_size; id++) g[id] = watermark_g(&watermark, id);
    for (uint32_t i = 0; i < 3 * 1024; i++) factor[i / 1024][i % 1024] = 1;
    for (uint32_t layer = 0; layer < depth; layer++) {
        double mass[1024] = {0}, without = 0, with = 0;
        for (uint32_t id = 0; id < input->vocab_size; id++) {
            double weight = (double)input->weights[id];
            for (uint32_t r = 0; r < layer / 10; r++) weight *= factor[r][g[id] >> 10 * r & 1023];
            mass[g[id] >> layer / 10 * 10 & 1023] += weight;
        }
        for (uint32_t p = 0; p < 1024; p++) {
            double now = mass[p] * factor[layer / 10][p];
            if (p >> layer % 10 & 1)
                with += now;
            else
                without += now;
        }
        double like = without / (without + with);
        if (like < 0x1p-100) like = 0x1p-100;
        for (uint32_t p = 0; p < 1024; p++)
            factor[layer / 10][p] *= p >> layer % 10 & 1 ? 1 + like : like;
    }
    for (uint32_t id = 0; id < input->vocab_size; id++) {
        double shift = 0;
        for (uint32_t r = 0; r < 3; r++) shift += elementary_log(factor[r][g[id] >> 10 * r & 1023]);
        if (logits[id] != -INFINITY) logits[id] = to_float((double)logits[id] + shift);
    }
}

void (*const plain_gates[GATE_COUNT])(float *, const struct warp_input *) = {
    [GATE_CONSTRAINT] = constraint,
    [GATE_BANNED_WORDS] = banned_words,
    [GATE_FORCED_FIRST] = forced_first,
};

void (*const plain_samplers[SAMPLER_COUNT])(float *, const struct warp_input *) = {
    [SETTING_GUIDANCE_SCALE] = guidance,
    [SETTING_CONTRASTIVE_BETA] = contrastive,
    [SETTING_LOGIT_BIAS] = logit_bias,
    [SETTING_ENCODER_REPETITION_PENALTY] = encoder_repetition_penalty,
    [SETTING_REPETITION_PENALTY] = repetition_penalty,
    [SETTING_FREQUENCY_PENALTY] = frequency_penalty,
    [SETTING_PRESENCE_PENALTY] = presence_penalty,
    [SETTING_NO_REPEAT_NGRAM_SIZE] = no_repeat_ngram_size,
    [SETTING_DRY_MULTIPLIER] = dry,
    [SETTING_TEMPERATURE] = temperature,
    [SETTING_TOP_K] = top_k,
    [SETTING_TOP_P] = top_p,
    [SETTING_MIN_P] = min_p,
    [SETTING_TYPICAL_P] = typical_p,
    [SETTING_EPSILON_CUTOFF] = epsilon_cutoff,
    [SETTING_ETA_CUTOFF] = eta_cutoff,
    [SETTING_TOP_N_SIGMA] = top_n_sigma,
    [SETTING_TOP_A] = top_a,
    [SETTING_P_LESS] = p_less,
    [SETTING_TOP_H] = top_h,
    [SETTING_DYNATEMP_RANGE] = dynatemp,
    [SETTING_SMOOTHING_FACTOR] = smoothing,
    [SETTING_MIN_NEW_TOKENS] = min_new_tokens,
    [SETTING_EXPONENTIAL_DECAY_LENGTH_PENALTY] = length_penalty,
    [SETTING_TFS_Z] = tfs_z,
    [SETTING_XTC_PROBABILITY] = xtc,
    [SETTING_MIROSTAT] = mirostat,
    [SETTING_ADAPTIVE_TARGET] = adaptive_p,
    [SETTING_GREEN_BIAS] = green_list,
    [SETTING_SYNTHID_DEPTH] = synthid,
    [SETTING_RENORMALIZE_LOGITS] = renormalize_logits,
};

uint32_t plain_draw(const float *logits, const uint64_t *weights, size_t n, uint64_t r,
                    uint32_t *scratch) {
    size_t count = plain_rank(logits, n, scratch);
    uint64_t total = 0, cumulative = 0;
    uint32_t last = scratch[0];
    for (size_t place = 0; place < count; place++) total += weights[scratch[place]];
    for (size_t place = 0; place < count; place++) {
        cumulative += weights[scratch[place]];
        if (weights[scratch[place]]) last = scratch[place];
        if (cumulative > draw_scale(r, total)) return scratch[place];
    }
    return last;
}
