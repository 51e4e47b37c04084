/* build: -O2 */
/* Entropy of a distribution and diversity of a text. */
#include "measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "elementary.h"
#include "elementary_simd.h"
#include "loop.h"

/* Converts integers below 2^52 from and to the low bits of a double: adding 2^52 rounds to an
 * integer, ties to even. Compilers vectorise this addition, but not the conversion instructions. */
static const double MAGIC = 0x1p52;

static double from_integer(uint64_t integer) {
    uint64_t bits = integer | 0x4330000000000000u;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x - MAGIC;
}

static uint64_t to_integer(double x) {
    uint64_t bits;
    x += MAGIC;
    memcpy(&bits, &x, sizeof bits);
    return bits - 0x4330000000000000u;
}

/* number of tokens whose terms in measure_entropy add up to less than 2^64 */
enum { MOMENT_TOKENS = 1 << 18 };

/* H = ln Z + sum of w (max - l) / Z, with logits l and weights w. The products are integers in
 * units of 2^-47, so neither their order nor removed tokens change the sum. w d = 2^44 d e^-d is
 * below 2^43 for d = max - l; a token with d > 64 has weight 0. VOCAB_MAX tokens need at most one
 * carry. */
double measure_entropy(const float *logits, const uint64_t *weights, size_t n, uint64_t total,
                       float max) {
    uint64_t moment = 0;
    double carry = 0;
    for (size_t begin = 0; begin < n; begin += MOMENT_TOKENS) {
        size_t end = n - begin < MOMENT_TOKENS ? n : begin + MOMENT_TOKENS;
        uint64_t part = 0;
        VECTOR
        for (size_t i = begin; i < end; i++) {
            float below = max - logits[i];
            double distance = (double)(below < 64 ? below : 64);
            part += to_integer(from_integer(weights[i]) * (8 * distance));
        }
        moment += part;
        if (moment < part) carry = 0x1p64;
    }
    double mass = (double)total;
    double bits = (elementary_log(mass * 0x1p-44) + ((double)moment + carry) / 8 / mass) * LOG2_E;
    return bits > 0 ? bits : 0;
}

double measure_perplexity(double entropy) { return elementary_exp64(entropy * LN_2); }

static float largest(const float *logits, size_t n) {
    size_t i = 0;
    f32x4 words = f32x4_splat(logits[0]);
    for (; i + 4 <= n; i += 4) words = f32x4_larger(f32x4_load(logits + i), words);
    float lanes[4], max;
    f32x4_store(lanes, words);
    max = lanes[0];
    for (size_t lane = 1; lane < 4; lane++) max = lanes[lane] > max ? lanes[lane] : max;
    for (; i < n; i++) max = logits[i] > max ? logits[i] : max;
    return max;
}

double measure_log_sum(const float *logits, size_t n, float *max) {
    *max = largest(logits, n);
    f32x4 m = f32x4_splat(*max);
    double sum = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        float lanes[4];
        f32x4_store(lanes, exp_down_f32x4(f32x4_sub(f32x4_load(logits + i), m)));
        for (size_t lane = 0; lane < 4; lane++) sum += (double)lanes[lane];
    }
    for (; i < n; i++) sum += (double)elementary_exp(logits[i] - *max);
    return elementary_log(sum);
}

void measure_surprisal(const float *logits, size_t n, const uint32_t *ids, size_t count,
                       double *surprisals) {
    float max;
    double log_sum = measure_log_sum(logits, n, &max);
    for (size_t i = 0; i < count; i++) surprisals[i] = log_sum - (double)(logits[ids[i]] - max);
}

static uint64_t hash_ngram(const uint32_t *ids, size_t n) {
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) hash = splitmix64(hash ^ ids[i]);
    return hash;
}

/* Counts distinct n-grams with an open-addressing hash table of positions, at most half full. */
enum status measure_distinct(const uint32_t *ids, size_t count, size_t n, double *ratio,
                             struct fault *fault) {
    *ratio = 0;
    if (n == 0 || count < n) return STATUS_OK;
    size_t total = count - n + 1, size = 4, distinct = 0;
    while (size < 2 * total) size *= 2;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_ngrams", "n:u", (uint64_t)total);
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
