/* build: -O2 */
/* The watermarks' hash. */
#include "mark.h"

#include <math.h>
#include <string.h>

#include "loop.h"

static uint64_t seed_of(const struct settings *settings, uint64_t tag, const uint32_t *context,
                        size_t width) {
    const uint64_t beyond_ids = (uint64_t)1 << 32;
    uint64_t seed = splitmix64((uint64_t)settings->value[SETTING_WATERMARK_KEY]);
    seed = splitmix64(seed + beyond_ids + tag);
    for (size_t i = 0; i < width; i++) seed = splitmix64(seed + context[i]);
    return seed;
}

bool mark_green(struct mark *mark, const struct settings *settings, const uint32_t *history,
                size_t n_history) {
    size_t width = (size_t)settings->value[SETTING_GREEN_CONTEXT];
    if (settings->value[SETTING_GREEN_BIAS] == 0 || width > n_history) return false;
    const uint32_t *context = width ? history + (n_history - width) : NULL;
    mark->self = settings->value[SETTING_GREEN_SELF] != 0;
    mark->seed = mark->self ? seed_of(settings, 3, NULL, 0) : seed_of(settings, 1, context, width);
    mark->least = UINT64_MAX;
    for (size_t i = 0; mark->self && i < width; i++) {
        uint64_t own = splitmix64(mark->seed + context[i]);
        if (own < mark->least) mark->least = own;
    }
    mark->last = (uint32_t)(ceil(settings->value[SETTING_GREEN_FRACTION] * 0x1p32) - 1);
    return true;
}

bool mark_synthid(struct mark *mark, const struct settings *settings, const uint32_t *history,
                  size_t n_history) {
    size_t width = (size_t)settings->value[SETTING_SYNTHID_CONTEXT];
    uint32_t depth = (uint32_t)settings->value[SETTING_SYNTHID_DEPTH];
    if (depth == 0 || width > n_history) return false;
    const uint32_t *context = history + (n_history - width);
    for (const uint32_t *before = history; before < context; before++)
        if (!memcmp(before, context, width * sizeof *context)) return false;
    mark->seed = seed_of(settings, 2, context, width);
    mark->self = false;
    mark->mask = ((uint32_t)1 << depth) - 1;
    return true;
}

OUTLINED uint32_t mark_self_bits(const struct mark *mark, uint32_t id) {
    uint64_t own = splitmix64(mark->seed + id);
    return (uint32_t)splitmix64((own < mark->least ? own : mark->least) + id);
}

size_t mark_decider(const struct mark *mark, const uint32_t *context, size_t width, uint32_t id) {
    if (splitmix64(mark->seed + id) <= mark->least) return 0;
    size_t back = 1;
    while (splitmix64(mark->seed + context[width - back]) != mark->least) back++;
    return back;
}

void mark_all(uint32_t *bits, const struct mark *mark, const uint32_t *ids, size_t n) {
    if (ids || mark->self) {
        for (size_t i = 0; i < n; i++) bits[i] = mark_bits(mark, ids ? ids[i] : (uint32_t)i);
        return;
    }
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint64_t pair = splitmix64(mark->seed + i / 2);
        bits[i] = (uint32_t)pair;
        bits[i + 1] = (uint32_t)(pair >> 32);
    }
    if (n % 2) bits[n - 1] = mark_bits(mark, (uint32_t)n - 1);
}
