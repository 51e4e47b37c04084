/* Compares the generators with published numbers, and the draws with their specification and with
 * theory. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "draw.h"
#include "kernels.h"
#include "plain_samplers.h"
#include "rank.h"
#include "sample.h"

static void pcg32_first_outputs(void) {
    static const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                        0x83d2f293, 0xbfa4784b, 0xcbed606e};
    struct pcg32 generator;
    pcg32_seed(&generator, 42, 54);
    for (int i = 0; i < 6; i++) CHECK(pcg32_next(&generator) == expected[i]);
}

static void pcg32_advances_as_it_steps(void) {
    struct pcg32 walking, jumping;
    pcg32_seed(&walking, 7, 54);
    for (uint64_t delta = 0; delta < 300; delta++) {
        pcg32_seed(&jumping, 7, 54);
        pcg32_advance(&jumping, delta);
        CHECK(jumping.state == walking.state);
        pcg32_next(&walking);
    }
}

static void uniform_of_seed_42(void) {
    CHECK((double)draw_random(42, 0) * 0x1p-53 == 0.6303102186438938);
    struct pcg32 generator;
    pcg32_seed(&generator, 42, 54);
    for (uint64_t step = 0; step < 50; step++) {
        uint64_t a = pcg32_next(&generator) >> 5, b = pcg32_next(&generator) >> 6;
        CHECK(draw_random(42, step) == a * 67108864 + b);
        CHECK(draw_random(42, step) < (uint64_t)1 << 53);
    }
}

/* The expected coins come from an independent splitmix64. Tags are larger than ids, because
 * Gumbel-max uses the hashes of ids. */
static void coins_of_seeds_and_tags(void) {
    static const struct {
        uint64_t seed, step;
        enum draw_tag tag;
        uint64_t coin;
    } cases[] = {
        {0, 0, DRAW_XTC, 0x1d85814bfea291},
        {42, 0, DRAW_XTC, 0x1f33723867fdc0},
        {42, 1, DRAW_ACCEPT, 0x3c3f2190ef474},
        {42, (uint64_t)1 << 63, DRAW_RESIDUAL, 0xdb3579bcc762c},
        {UINT64_MAX, UINT64_MAX, DRAW_RESIDUAL, 0x1d013791b53dec},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(draw_coin(cases[i].seed, cases[i].step, cases[i].tag) == cases[i].coin);
}

struct wide {
    uint64_t high, low;
};

/* Computes a * b bit by bit. */
static struct wide product_of(uint64_t a, uint64_t b) {
    struct wide product = {0, 0};
    for (int bit = 63; bit >= 0; bit--) {
        product.high = product.high << 1 | product.low >> 63;
        product.low <<= 1;
        if (!(b >> bit & 1)) continue;
        product.low += a;
        product.high += product.low < a;
    }
    return product;
}

static void scaling_is_exact(void) {
    const uint64_t below_unit = ((uint64_t)1 << 53) - 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t a = splitmix64((uint64_t)i) >> (11 + i % 50);
        uint64_t b = splitmix64((uint64_t)i + 77777) >> (1 + i % 60);
        struct wide product = product_of(a, b);
        uint64_t quotient = product.high << 11 | product.low >> 53;
        CHECK(draw_scale(a, b) == quotient);
        CHECK(draw_scale_up(a, b) == quotient + ((product.low & below_unit) != 0));
    }
}

static void inverse_equals_its_specification(void) {
    enum { N = 300 };
    float logits[N];
    uint64_t weights[N];
    uint32_t ids[N], scratch[N];
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + sample_below(round % 3 ? 12 : N);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        plain_rank(logits, n, ids);
        uint64_t total = kernels_scalar.weigh(weights, logits, n, logits[ids[0]]);
        uint64_t r = draw_random(3, (uint64_t)round);
        if (round % 50 == 0) r = 0;
        if (round % 50 == 1) r = ((uint64_t)1 << 53) - 1;
        uint32_t id = draw_inverse(logits, weights, n, total, r, scratch);
        CHECK(id == plain_draw(logits, weights, n, r, ids));
        CHECK(weights[id] > 0);
    }
}

/* Returns chi-square of 20,000 draws over ten tokens. With 9 degrees of freedom, it exceeds 45 once
 * in a million. */
static double chi_square(int gumbel) {
    enum { N = 10, DRAWS = 20000 };
    float logits[N];
    uint64_t weights[N];
    uint32_t scratch[N], counts[N] = {0};
    for (int i = 0; i < N; i++) logits[i] = (float)(i % 4) * 0.7f - (float)i * 0.1f;
    float max = logits[3];
    for (int i = 0; i < N; i++) max = logits[i] > max ? logits[i] : max;
    uint64_t total = kernels_scalar.weigh(weights, logits, N, max);
    for (uint64_t step = 0; step < DRAWS; step++)
        counts[gumbel ? draw_gumbel(logits, N, 11, step)
                      : draw_inverse(logits, weights, N, total, draw_random(11, step), scratch)]++;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double expected = (double)weights[i] / (double)total * DRAWS;
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
}

static void both_draws_follow_the_distribution(void) {
    CHECK_MESSAGE(chi_square(0) < 45, "inverse: %g", chi_square(0));
    CHECK_MESSAGE(chi_square(1) < 45, "gumbel: %g", chi_square(1));
}

static void gumbel_equals_its_plain_form(void) {
    enum { N = 40 };
    float logits[N];
    for (uint64_t round = 0; round < 500; round++) {
        sample_logits(logits, N, (uint32_t)round % SAMPLE_KINDS);
        double best = -INFINITY;
        uint32_t expected = 0;
        for (uint32_t i = 0; i < N; i++) {
            uint64_t bits = splitmix64(splitmix64(splitmix64(5) + round) + i) >> 11;
            double score = (double)logits[i] - log(-log(((double)bits + 0.5) / 9007199254740992.0));
            if (score > best) best = score, expected = i;
        }
        CHECK(draw_gumbel(logits, N, 5, round) == expected);
    }
}

static void ranks_equal_a_full_sort(void) {
    enum { N = 2500 };
    float logits[N];
    uint64_t weights[N];
    uint32_t ids[N], top[N], scratch[N];
    for (int round = 0; round < 1200; round++) {
        size_t n = 1 + sample_below(round % 8 ? 200 : N);
        sample_logits(logits, n, (uint32_t)round % SAMPLE_KINDS);
        if (round % 7 == 0) logits[sample_below((uint32_t)n)] = -0.0f;
        size_t count = plain_rank(logits, n, ids);
        uint64_t total = kernels_scalar.weigh(weights, logits, n, logits[ids[0]]);
        size_t want = sample_below((uint32_t)n + 3);
        size_t found = rank_top(logits, n, want, top, scratch);
        CHECK(found == (want < count ? want : count));
        for (size_t i = 0; i < found; i++) CHECK(top[i] == ids[i]);
        uint32_t k = 1 + sample_below((uint32_t)count);
        struct rank_place place = rank_by_count(logits, n, k, scratch);
        CHECK(place.id == ids[k - 1] && place.before == k - 1);
        uint64_t mass = 0, target;
        for (size_t i = 0; i < k; i++) mass += weights[ids[i]];
        target = mass > weights[ids[k - 1]] ? mass - weights[ids[k - 1]] + 1 : mass;
        if (weights[ids[k - 1]] > 0) {
            place = rank_by_mass(logits, weights, n, total, target, scratch);
            CHECK(place.id == ids[k - 1] && place.before == k - 1);
            CHECK(rank_by_mass(logits, weights, n, total, mass, scratch).id == ids[k - 1]);
        }
        CHECK(rank_of(logits, n, ids[k - 1]) == k);
    }
}

int main(void) {
    pcg32_seed(&sample_generator, 1, 1);
    TEST(pcg32_first_outputs);
    TEST(pcg32_advances_as_it_steps);
    TEST(uniform_of_seed_42);
    TEST(coins_of_seeds_and_tags);
    TEST(scaling_is_exact);
    TEST(inverse_equals_its_specification);
    TEST(both_draws_follow_the_distribution);
    TEST(gumbel_equals_its_plain_form);
    TEST(ranks_equal_a_full_sort);
    return check_report();
}
