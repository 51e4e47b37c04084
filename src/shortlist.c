/* Fills the short list with the tokens above a threshold that at least k tokens reach. */
#include "shortlist.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rank.h"
#include "stage.h"

enum { TOUCHED_MAX = 1024 };

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

static void swap(float *a, float *b) {
    float old = *a;
    *a = *b;
    *b = old;
}

/* Returns the k-th largest of n values and reorders them: quickselect (Hoare 1961) with the median
 * of three as pivot and a separate part for ties. */
static float nth_largest(float *values, uint32_t n, uint32_t k) {
    uint32_t low = 0, high = n - 1;
    for (;;) {
        float a = values[low], b = values[low + (high - low) / 2], c = values[high];
        float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        uint32_t above = low, i = low, end = high + 1; /* [0, above) > pivot, [end, n) < pivot */
        while (i < end) {
            if (values[i] > pivot)
                swap(&values[above++], &values[i++]);
            else if (values[i] < pivot)
                swap(&values[i], &values[--end]);
            else
                i++;
        }
        if (k - 1 < above)
            high = above - 1;
        else if (k - 1 >= end)
            low = end;
        else
            return pivot;
    }
}

/* Lists every token whose logit is at least the keep-th best, and ties by rounding. False if the
 * list is empty or too long, or a logit is out of range. */
static bool list_best(struct shortlist *list, const float *logits, size_t vocab_size,
                      const struct plan *plan, uint32_t keep, uint32_t *scratch) {
    float threshold = rank_floor(logits, vocab_size, keep, scratch), best[SHORTLIST_MAX];
    threshold = least_tied(threshold, plan->temperature);
    if (rank_any_below(logits, vocab_size, plan->least)) return false;
    size_t found = rank_reaching(logits, vocab_size, threshold, scratch);
    if (found > SHORTLIST_MAX) return false;
    for (size_t i = 0; i < found; i++) {
        best[i] = logits[scratch[i]];
        if (!(fabsf(best[i]) <= plan->largest)) return false;
    }
    if (found > keep)
        threshold = least_tied(nth_largest(best, (uint32_t)found, keep), plan->temperature);
    list->n = 0;
    for (size_t i = 0; i < found; i++) {
        list->ids[list->n] = scratch[i];
        list->logits[list->n] = logits[scratch[i]];
        list->n += logits[scratch[i]] >= threshold;
    }
    return list->n > 0;
}

/* Lists the ids of biases and history in ascending order, each id once. */
static uint32_t list_touched(uint32_t *touched, const struct settings *settings,
                             const uint32_t *history, size_t n_history) {
    uint32_t n = settings->n_bias;
    for (uint32_t i = 0; i < n; i++) touched[i] = settings->bias[i].id;
    for (size_t h = 0; h < n_history; h++) {
        uint32_t id = history[h], at = n;
        while (at > 0 && touched[at - 1] > id) at--;
        if (at > 0 && touched[at - 1] == id) continue;
        memmove(touched + at + 1, touched + at, (n - at) * sizeof *touched);
        touched[at] = id;
        n++;
    }
    return n;
}

/* Merges the touched tokens (list_touched) into the list. Both are ascending by id. Writes from the
 * end, so nothing moves twice. */
static bool add_touched(struct shortlist *list, const uint32_t *touched, uint32_t n_touched,
                        const float *logits) {
    uint32_t added = 0;
    for (uint32_t t = 0, i = 0; t < n_touched; t++) {
        while (i < list->n && list->ids[i] < touched[t]) i++;
        added += i == list->n || list->ids[i] != touched[t];
    }
    if (list->n + added > SHORTLIST_MAX) return false;
    uint32_t from = list->n, to = list->n + added, t = n_touched;
    list->n = to;
    while (t > 0) {
        if (from > 0 && list->ids[from - 1] >= touched[t - 1]) {
            t -= list->ids[from - 1] == touched[t - 1];
            list->ids[--to] = list->ids[--from];
            list->logits[to] = list->logits[from];
        } else {
            list->ids[--to] = touched[--t];
            list->logits[to] = logits[touched[t]];
        }
    }
    return true;
}

/* Returns the index of an id that must be in the list. */
static uint32_t index_of(const struct shortlist *list, uint32_t id) {
    uint32_t low = 0, high = list->n;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (list->ids[middle] > id)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Copies settings and history with ids replaced by indices of the list. `before` ids of the history
 * have been left out. */
static void translate_ids(struct shortlist *list, const struct settings *settings,
                          const uint32_t *history, size_t n_history, size_t before) {
    double *ignored = &list->settings.value[SETTING_PROMPT_IGNORE_LENGTH];
    list->settings = *settings;
    *ignored = *ignored > (double)before ? *ignored - (double)before : 0;
    list->settings.bias = list->bias;
    list->settings.value[SETTING_REPETITION_WINDOW] = 0;
    list->n_history = (uint32_t)n_history;
    for (uint32_t i = 0; i < settings->n_bias; i++)
        list->bias[i] =
            (struct warp_bias){index_of(list, settings->bias[i].id), settings->bias[i].bias};
    for (size_t i = 0; i < n_history; i++) list->history[i] = index_of(list, history[i]);
}

bool shortlist_make(struct shortlist *list, const float *logits, size_t vocab_size,
                    const struct settings *settings, const uint32_t *history, size_t n_history,
                    uint32_t *scratch) {
    struct plan plan;
    uint32_t touched[2 * TOUCHED_MAX];
    size_t whole = n_history;
    n_history = penalty_window(settings, &history, n_history);
    if (!make_plan(&plan, settings, n_history)) return false;
    if (n_history > TOUCHED_MAX || settings->n_bias > TOUCHED_MAX) return false;
    uint32_t n_touched = list_touched(touched, settings, history, n_history);
    uint32_t keep = plan.keep + n_touched;
    if (keep == 0 || keep > SHORTLIST_MAX / 4) return false;
    if (!list_best(list, logits, vocab_size, &plan, keep, scratch)) return false;
    if (!add_touched(list, touched, n_touched, logits)) return false;
    translate_ids(list, settings, history, n_history, whole - n_history);
    return true;
}
