/* build: -O2 */
/* Takes the survivors of a cut out of the vocabulary. */
#include "pool.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rank.h"

bool pool_suits(uint32_t setting) {
    if (setting >= SETTING_COUNT) return false;
    return setting == SETTING_TEMPERATURE ||
           (strcmp(warp_table[setting].group, "truncation") == 0 && setting != SETTING_MIROSTAT);
}

static void shrink_vocabulary(struct pool *to, const struct pool *from) {
    to->n = rank_reaching(from->logits, from->n, -FLT_MAX, to->ids);
    for (size_t i = 0; i < to->n; i++) {
        to->logits[i] = from->logits[to->ids[i]];
        to->weights[i] = from->weights[to->ids[i]];
    }
}

/* Branch-free: survival is unpredictable. */
static void shrink_pool(struct pool *to, const struct pool *from) {
    size_t found = 0;
    for (size_t i = 0; i < from->n; i++) {
        float logit = from->logits[i];
        to->ids[found] = from->ids[i];
        to->weights[found] = from->weights[i];
        to->logits[found] = logit;
        found += logit != -INFINITY;
    }
    to->n = found;
}

void pool_shrink(struct pool *to, const struct pool *from) {
    if (from->ids)
        shrink_pool(to, from);
    else
        shrink_vocabulary(to, from);
}
