/* Reads cases for the plain samplers from the JavaScript tests, with any settings, history and
 * order. */
#include <stdio.h>

#include "plain_chain.h"

/* Copies the next `size` bytes of a case. Needs no check, because the test writes complete
 * cases. */
static void take(void *to, const unsigned char **from, size_t size) {
    memcpy(to, *from, size);
    *from += size;
}

/* Reads one case, little-endian: counts, seed and step, a value for each setting, then the
 * arrays. */
static void take_case(struct settings *settings, const unsigned char **from, size_t *n,
                      size_t *n_history) {
    enum { MOST = 64 };
    static uint32_t breakers[MOST], ends[MOST];
    static struct warp_bias biases[MOST];
    static float second[PLAIN_MAX];
    uint32_t counts[7];
    settings_reset(settings);
    take(counts, from, sizeof counts);
    *n = counts[0];
    *n_history = counts[1];
    settings->n_order = counts[2];
    settings->n_bias = counts[3];
    settings->n_breaker_words = counts[4];
    settings->n_ends = counts[5];
    take(&settings->seed, from, sizeof settings->seed);
    take(&settings->step, from, sizeof settings->step);
    take(settings->value, from, sizeof settings->value);
    take(history, from, counts[1] * sizeof *history);
    take(settings->order, from, counts[2] * sizeof *settings->order);
    for (uint32_t i = 0; i < counts[3]; i++) {
        take(&biases[i].id, from, sizeof biases[i].id);
        take(&biases[i].bias, from, sizeof biases[i].bias);
    }
    take(breakers, from, counts[4] * sizeof *breakers);
    take(ends, from, counts[5] * sizeof *ends);
    take(logits, from, counts[0] * sizeof *logits);
    take(second, from, counts[6] * sizeof *second);
    settings->bias = biases;
    settings->breakers = breakers;
    settings->ends = ends;
    settings->second = counts[6] ? second : NULL;
}

void plain_cases(const unsigned char *input, size_t size) {
    for (const unsigned char *at = input; at < input + size;) {
        struct settings settings;
        size_t n, n_history;
        take_case(&settings, &at, &n, &n_history);
        run_plainly(&settings, n, n_history, NULL);
        fwrite(plain, sizeof *plain, n, stdout);
    }
}
