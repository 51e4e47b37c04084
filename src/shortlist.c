/* Fills the short list with the tokens above a threshold that at least k tokens reach. */
#include "shortlist.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rank.h"
#include "stage.h"

enum { TOUCHED_MAX = 1024, WORD = 32 };

/* Bounds on the tokens that can survive. */
struct plan {
    uint32_t keep;      /* number of tokens without bias or penalty that can survive */
    double temperature; /* temperature that divides before the cut to k tokens; 1 if none does */
    float largest; /* logits up to this bound cannot overflow after bias, penalty and division */
    float least; /* logits down to this bound cannot overflow; an overflow would shift all logits */
};

/* True if no sampler clamps a logit, which would lose the order of tokens. Penalties up to 10^6 and
 * biases up to `largest` cannot make a logit that large. */
static bool stays_in_range(struct plan *plan, const struct settings *settings, size_t n_history) {
    const double margin = 1e8, extreme = 1e6;
    double penalty = settings->value[SETTING_REPETITION_PENALTY];
    double divisor = plan->temperature < 1 ? plan->temperature : 1;
    plan->largest = (float)((double)FLT_MAX * divisor / margin);
    plan->least = plan->temperature < 1 ? -plan->largest : -INFINITY;
    double largest = (double)plan->largest;
    for (uint32_t i = 0; i < settings->n_bias; i++) {
        double bias = settings->bias[i].bias;
        if (bias != -(double)INFINITY && fabs(bias) > largest) return false;
    }
    return penalty < extreme && penalty > 1 / extreme &&
           fabs(settings->value[SETTING_FREQUENCY_PENALTY]) * (double)n_history <= largest &&
           fabs(settings->value[SETTING_PRESENCE_PENALTY]) <= largest;
}

/* True if the sampler may run before the cut to k tokens: it changes listed tokens or keeps
 * order. */
static bool is_known_before(uint32_t sampler) {
    return sampler == SETTING_LOGIT_BIAS || sampler == SETTING_REPETITION_PENALTY ||
           sampler == SETTING_FREQUENCY_PENALTY || sampler == SETTING_PRESENCE_PENALTY ||
           sampler == SETTING_TEMPERATURE;
}

/* True if the sampler may run after the cut to k tokens: it reads survivors and counts of the
 * history, but neither the order of the history nor the size of the vocabulary. */
static bool is_known_after(uint32_t sampler) {
    return is_known_before(sampler) || (stage_suits_pool(sampler) && !stage_is_watermark(sampler));
}

/* Fills the plan from the stages up to the first cut to k tokens. Returns false if there is none,
 * or if a stage may give a different result with the short list. */
static bool make_plan(struct plan *plan, const struct settings *settings, size_t n_history) {
    *plan = (struct plan){0, 1, 0, 0};
    double minimum = settings->value[SETTING_MIN_TOKENS_TO_KEEP];
    bool cut = false;
    for (uint32_t gate = 0; gate < GATE_COUNT; gate++)
        if (gate_active(settings, gate)) return false;
    if (settings->has_own) return false;
    for (uint32_t i = 0; i < settings->n_order; i++) {
        uint32_t sampler = settings->order[i];
        double value = settings->value[sampler];
        if (!settings_active(settings, sampler)) continue;
        if (cut && !is_known_after(sampler)) return false;
        if (cut) continue;
        if (sampler == SETTING_TOP_K || (sampler == SETTING_TEMPERATURE && value == 0)) {
            double keep = sampler == SETTING_TEMPERATURE ? 1 : value > minimum ? value : minimum;
            plan->keep = keep < (double)SHORTLIST_MAX ? (uint32_t)keep : SHORTLIST_MAX;
            cut = true;
        } else if (!is_known_before(sampler)) {
            return false;
        } else if (sampler == SETTING_TEMPERATURE) {
            plan->temperature = value;
        }
    }
    return cut && stays_in_range(plan, settings, n_history);
}

/* Moves *history to the window that penalties read; returns its length, or 0 without a penalty. */
static size_t penalty_window(const struct settings *settings, const uint32_t **history,
                             size_t n_history) {
    double window = settings->value[SETTING_REPETITION_WINDOW];
    if (!settings_active(settings, SETTING_REPETITION_PENALTY) &&
        !settings_active(settings, SETTING_FREQUENCY_PENALTY) &&
        !settings_active(settings, SETTING_PRESENCE_PENALTY))
        return 0;
    if (!(window > 0 && window < (double)n_history)) return n_history;
    *history += n_history - (size_t)window;
    return (size_t)window;
}

/* Returns the least float that, divided by `temperature`, rounds to the same float as `limit`.
 * Logits from there on tie with `limit` at the cut. */
static float least_tied(float limit, double temperature) {
    float divided = (float)((double)limit / temperature);
    for (int steps = 0; steps < 64; steps++) {
        float lower = nextafterf(limit, -INFINITY);
        if (lower == -INFINITY || (float)((double)lower / temperature) != divided) return limit;
        limit = lower;
    }
    return NAN; /* the temperature is so high that too many logits tie */
}

/* Sets the bits of the ids of biases and history; clears all others. Returns the number of ids. */
static uint32_t mark_touched(uint32_t *bits, size_t vocab_size, const struct settings *settings,
                             const uint32_t *history, size_t n_history) {
    uint32_t count = 0;
    memset(bits, 0, (vocab_size / WORD + 1) * sizeof *bits);
    for (size_t i = 0; i < settings->n_bias + n_history; i++) {
        size_t h = i - settings->n_bias;
        uint32_t id = i < settings->n_bias ? settings->bias[i].id : history[h];
        count += !(bits[id / WORD] >> id % WORD & 1);
        bits[id / WORD] |= (uint32_t)1 << id % WORD;
    }
    return count;
}

/* Sets the bits of all tokens that reach the keep-th best logit, of ties by rounding, and of a few
 * more. False if there are none or too many, or a logit is out of range. */
static bool mark_best(uint32_t *bits, const float *logits, size_t vocab_size,
                      const struct plan *plan, uint32_t keep, uint32_t *ids) {
    float least = least_tied(rank_floor(logits, vocab_size, keep, ids), plan->temperature);
    if (isnan(least) || rank_any_below(logits, vocab_size, plan->least)) return false;
    size_t n = rank_reaching(logits, vocab_size, least, ids);
    if (n == 0 || n > SHORTLIST_MAX) return false;
    for (size_t i = 0; i < n; i++) {
        if (!(fabsf(logits[ids[i]]) <= plan->largest)) return false;
        bits[ids[i] / WORD] |= (uint32_t)1 << ids[i] % WORD;
    }
    return true;
}

/* Lists the marked tokens. Sets index[id] for each of them; false if there are too many. */
static bool list_marked(struct shortlist *list, const uint32_t *bits, const float *logits,
                        size_t vocab_size, uint32_t *index) {
    list->n = 0;
    for (uint32_t word = 0; word <= vocab_size / WORD; word++) {
        for (uint32_t left = bits[word]; left; left &= left - 1) {
            uint32_t id = WORD * word + (uint32_t)__builtin_ctz(left);
            if (list->n == SHORTLIST_MAX) return false;
            index[id] = list->n;
            list->ids[list->n] = id;
            list->logits[list->n++] = logits[id];
        }
    }
    return true;
}

/* Copies settings and history with ids replaced by indices of the list. `before` ids of the history
 * have been left out. */
static void translate_ids(struct shortlist *list, const uint32_t *index,
                          const struct settings *settings, const uint32_t *history,
                          size_t n_history, size_t before) {
    double *ignored = &list->settings.value[SETTING_PROMPT_IGNORE_LENGTH];
    list->settings = *settings;
    *ignored = *ignored > (double)before ? *ignored - (double)before : 0;
    list->settings.bias = list->bias;
    list->settings.value[SETTING_REPETITION_WINDOW] = 0;
    list->n_history = (uint32_t)n_history;
    for (uint32_t i = 0; i < settings->n_bias; i++)
        list->bias[i] = (struct warp_bias){index[settings->bias[i].id], settings->bias[i].bias};
    for (size_t i = 0; i < n_history; i++) list->history[i] = index[history[i]];
}

bool shortlist_make(struct shortlist *list, const float *logits, size_t vocab_size,
                    const struct settings *settings, const uint32_t *history, size_t n_history,
                    uint32_t *scratch) {
    struct plan plan;
    size_t whole = n_history;
    uint32_t *bits = scratch + vocab_size;
    n_history = penalty_window(settings, &history, n_history);
    if (!make_plan(&plan, settings, n_history)) return false;
    if (n_history > TOUCHED_MAX || settings->n_bias > TOUCHED_MAX) return false;
    uint32_t keep = plan.keep + mark_touched(bits, vocab_size, settings, history, n_history);
    if (keep == 0 || keep > SHORTLIST_MAX / 4) return false;
    if (!mark_best(bits, logits, vocab_size, &plan, keep, scratch)) return false;
    if (!list_marked(list, bits, logits, vocab_size, scratch)) return false;
    translate_ids(list, scratch, settings, history, n_history, whole - n_history);
    return true;
}
