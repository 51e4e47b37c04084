/* Entropy of a distribution and diversity of a text. */
#include "measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "elementary.h"

static const double LOG2_E = 1.44269504088896340736;
static const double LN_2 = 0.69314718055994530942;

double measure_entropy(const float *logits, const uint64_t *weights, size_t n, uint64_t total,
                       float max) {
    double weighted = 0;
    for (size_t i = 0; i < n; i++)
        if (weights[i]) weighted += (double)weights[i] * (double)(logits[i] - max);
    double mass = (double)total;
    double bits = (elementary_log(mass * 0x1p-44) - weighted / mass) * LOG2_E;
    return bits > 0 ? bits : 0;
}

double measure_perplexity(double entropy) {
    return elementary_exp64(entropy * LN_2);
}

double measure_surprisal(const float *logits, size_t n, uint32_t id) {
    float max = logits[0];
    for (size_t i = 1; i < n; i++) max = logits[i] > max ? logits[i] : max;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)elementary_exp(logits[i] - max);
    return elementary_log(sum) - (double)(logits[id] - max);
}

static uint64_t hash_ngram(const uint32_t *ids, size_t n) {
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) hash = splitmix64(hash ^ ids[i]);
    return hash;
}

/* Counts through an open-addressing table of positions, at most half full. */
enum status measure_distinct(const uint32_t *ids, size_t count, size_t n, double *ratio,
                             struct fault *fault) {
    *ratio = 0;
    if (n == 0 || count < n) return STATUS_OK;
    size_t total = count - n + 1, size = 4, distinct = 0;
    while (size < 2 * total) size *= 2;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "out of memory for %u n-grams",
                         (uint64_t)total);
    for (size_t i = 0; i < total; i++) {
        size_t slot = (size_t)hash_ngram(ids + i, n) & (size - 1);
        bool known = false;
        while (table[slot] && !known) {
            known = !memcmp(ids + table[slot] - 1, ids + i, n * sizeof *ids);
            slot = (slot + 1) & (size - 1);
        }
        if (known) continue;
        table[slot] = (uint32_t)(i + 1);
        distinct++;
    }
    free(table);
    *ratio = (double)distinct / (double)total;
    return STATUS_OK;
}
