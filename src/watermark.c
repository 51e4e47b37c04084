/* build: -O2 */
/* Computes the hash of the watermarks. */
#include "watermark.h"

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

bool watermark_green(struct watermark *watermark, const struct settings *settings,
                     const uint32_t *history, size_t n_history) {
    size_t width = (size_t)settings->value[SETTING_GREEN_CONTEXT];
    if (settings->value[SETTING_GREEN_BIAS] == 0 || width > n_history) return false;
    const uint32_t *context = width ? history + (n_history - width) : NULL;
    watermark->self = settings->value[SETTING_GREEN_SELF] != 0;
    watermark->seed =
        watermark->self ? seed_of(settings, 3, NULL, 0) : seed_of(settings, 1, context, width);
    watermark->least = UINT64_MAX;
    for (size_t i = 0; watermark->self && i < width; i++) {
        uint64_t own = splitmix64(watermark->seed + context[i]);
        if (own < watermark->least) watermark->least = own;
    }
    watermark->last = (uint32_t)(ceil(settings->value[SETTING_GREEN_FRACTION] * 0x1p32) - 1);
    return true;
}

bool watermark_synthid(struct watermark *watermark, const struct settings *settings,
                       const uint32_t *history, size_t n_history) {
    size_t width = (size_t)settings->value[SETTING_SYNTHID_CONTEXT];
    uint32_t depth = (uint32_t)settings->value[SETTING_SYNTHID_DEPTH];
    if (depth == 0 || width > n_history) return false;
    const uint32_t *context = history + (n_history - width);
    for (const uint32_t *before = history; before < context; before++)
        if (!memcmp(before, context, width * sizeof *context)) return false;
    watermark->seed = seed_of(settings, 2, context, width);
    watermark->self = false;
    watermark->mask = ((uint32_t)1 << depth) - 1;
    return true;
}

OUTLINED uint32_t watermark_self_bits(const struct watermark *watermark, uint32_t id) {
    uint64_t own = splitmix64(watermark->seed + id);
    return (uint32_t)splitmix64((own < watermark->least ? own : watermark->least) + id);
}

size_t watermark_decider(const struct watermark *watermark, const uint32_t *context, size_t width,
                         uint32_t id) {
    if (splitmix64(watermark->seed + id) <= watermark->least) return 0;
    size_t back = 1;
    while (splitmix64(watermark->seed + context[width - back]) != watermark->least) back++;
    return back;
}

void watermark_all(uint32_t *bits, const struct watermark *watermark, const uint32_t *ids,
                   size_t n) {
    if (ids || watermark->self) {
        for (size_t i = 0; i < n; i++)
            bits[i] = watermark_bits(watermark, ids ? ids[i] : (uint32_t)i);
        return;
    }
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint64_t pair = splitmix64(watermark->seed + i / 2);
        bits[i] = (uint32_t)pair;
        bits[i + 1] = (uint32_t)(pair >> 32);
    }
    if (n % 2) bits[n - 1] = watermark_bits(watermark, (uint32_t)n - 1);
}

void watermark_read(uint32_t *found, const struct settings *settings, enum setting sampler,
                    const uint32_t *ids, size_t n) {
    bool green = sampler == SETTING_GREEN_BIAS;
    size_t width = (size_t)settings->value[green ? SETTING_GREEN_CONTEXT : SETTING_SYNTHID_CONTEXT];
    struct watermark watermark;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *context = i >= width ? ids + i - width : ids;
        size_t count = i >= width ? width : i;
        bool has = green ? watermark_green(&watermark, settings, context, count)
                         : watermark_synthid(&watermark, settings, context, count);
        found[i] = UINT32_MAX;
        if (!has) continue;
        found[i] = green ? watermark_is_green(&watermark, ids[i]) : watermark_g(&watermark, ids[i]);
        if (green && watermark.self)
            found[i] |= (uint32_t)watermark_decider(&watermark, context, count, ids[i]) << 1;
    }
}
