/* Compares acceptance and residual with their definition, their properties, and theory. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "draw.h"
#include "sample.h"
#include "speculate.h"

enum { N_MAX = 262144 };
static double p[N_MAX], q[N_MAX], share[N_MAX];

/* Makes a distribution that is sharp, flat or has zeros; it sums to 1. */
static void make_distribution(double *out, size_t n, uint32_t kind) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)(1 + sample_below(1000)) / 1000;
        out[i] = kind % 3 == 0 ? x : kind % 3 == 1 ? pow(x, 12) : (sample_below(3) ? 0 : x);
        sum += out[i];
    }
    if (sum == 0) sum = out[sample_below((uint32_t)n)] = 1;
    for (size_t i = 0; i < n; i++) out[i] /= sum;
}

static uint32_t draw_from(const double *distribution, size_t n, double u) {
    double reached = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (distribution[i] > 0) last = (uint32_t)i;
        reached += distribution[i];
        if (reached > u) break;
    }
    return last;
}

static double uniform(uint64_t seed, uint64_t step) {
    return (double)draw_random(seed, step) * 0x1p-53;
}

static double coin(uint64_t seed, uint64_t step, enum draw_tag tag) {
    return (double)draw_coin(seed, step, tag) * 0x1p-53;
}

static void decides_as_defined(void) {
    static const size_t sizes[] = {1, 2, 7, 64, 512, 50257, N_MAX};
    for (uint64_t round = 0; round < 700; round++) {
        size_t n = sizes[round % (round % 100 < 98 ? 5 : 7)];
        make_distribution(p, n, (uint32_t)round);
        make_distribution(q, n, (uint32_t)round / 3);
        uint32_t drafted = draw_from(q, n, uniform(5, round));
        struct speculate_verdict v = speculate_decide(p, q, n, drafted, 9, round);
        double sum = speculate_residual(share, p, q, n), total = 0, overlap = 0;
        for (size_t i = 0; i < n; i++) {
            total += share[i];
            overlap += fmin(p[i], q[i]);
            CHECK(share[i] >= 0 && (share[i] > 0) == (p[i] > q[i]));
        }
        CHECK(v.p == p[drafted] && v.q == q[drafted]);
        CHECK(v.u == coin(9, round, DRAW_ACCEPT));
        CHECK(v.u_residual == coin(9, round, DRAW_RESIDUAL));
        CHECK(v.acceptance == fmin(1, v.p / v.q));
        CHECK(v.residual == sum && fabs(sum + overlap - 1) < 1e-12);
        CHECK(sum == 0 ? total == 0 : fabs(total - 1) < 1e-9);
        if (sum == 0 || v.u < v.acceptance) {
            CHECK(v.accepted && v.id == drafted);
        } else {
            CHECK(!v.accepted && v.id < n && p[v.id] > q[v.id] && v.id != drafted);
            double before = 0;
            for (uint32_t i = 0; i < v.id; i++) before += share[i];
            CHECK(before <= v.u_residual + 1e-9 && v.u_residual < before + share[v.id] + 1e-9);
        }
    }
}

static void equal_distributions_accept_all(void) {
    for (uint64_t round = 0; round < 2000; round++) {
        size_t n = 1 + sample_below(40);
        make_distribution(p, n, (uint32_t)round);
        uint32_t drafted = draw_from(p, n, uniform(1, round));
        struct speculate_verdict v = speculate_decide(p, p, n, drafted, 1, round);
        CHECK(v.accepted && v.id == drafted && v.acceptance == 1 && v.residual == 0);
        memcpy(q, p, sizeof *p * n); /* p and q differ only by rounding: no p exceeds q */
        q[drafted] = nextafter(q[drafted], 2);
        CHECK(speculate_decide(p, q, n, drafted, 1, round).accepted);
    }
}

static void disjoint_distributions_reject_all(void) {
    for (uint64_t round = 0; round < 2000; round++) {
        size_t n = 2 + sample_below(40), cut = 1 + sample_below((uint32_t)n - 1);
        memset(p, 0, n * sizeof *p);
        memset(q, 0, n * sizeof *q);
        make_distribution(q, cut, (uint32_t)round);
        make_distribution(p + cut, n - cut, (uint32_t)round / 3);
        uint32_t drafted = draw_from(q, n, uniform(1, round));
        struct speculate_verdict v = speculate_decide(p, q, n, drafted, 1, round);
        CHECK(!v.accepted && v.id >= cut && p[v.id] > 0 && v.acceptance == 0);
        CHECK(fabs(v.residual - 1) < 1e-12);
        CHECK(v.id == draw_from(p, n, v.u_residual * v.residual));
    }
}

static void certain_distributions_are_greedy(void) {
    for (uint32_t drafted = 0; drafted < 5; drafted++)
        for (uint32_t best = 0; best < 5; best++)
            for (uint64_t step = 0; step < 50; step++) {
                memset(p, 0, 5 * sizeof *p);
                memset(q, 0, 5 * sizeof *q);
                p[best] = q[drafted] = 1;
                struct speculate_verdict v = speculate_decide(p, q, 5, drafted, 3, step);
                CHECK(v.id == best && v.accepted == (best == drafted));
            }
}

/* Tests the distribution of 10^6 tokens with chi-square, and the share of accepted drafts. */
static void is_distributed_as_p(void) {
    enum { N = 8, DRAWS = 1000000 };
    static const double pairs[][2][N] = {
        {{.5, .2, .1, .08, .06, .03, .02, .01}, {.1, .5, .1, .2, .05, .03, .01, .01}},
        {{.125, .125, .125, .125, .125, .125, .125, .125}, {.9, .1, 0, 0, 0, 0, 0, 0}},
        {{0, .3, 0, .3, .1, .1, .1, .1}, {.25, .25, .25, .25, 0, 0, 0, 0}},
        {{.7, .1, .1, .05, .02, .01, .01, .01}, {.6, .2, .1, .05, .02, .01, .01, .01}},
    };
    for (uint64_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        uint32_t counts[N] = {0}, accepted = 0;
        double sum = 0, overlap = 0;
        for (uint64_t step = 0; step < DRAWS; step++) {
            uint32_t drafted = draw_from(pairs[k][1], N, uniform(20 + k, step));
            struct speculate_verdict v =
                speculate_decide(pairs[k][0], pairs[k][1], N, drafted, 20 + k, step);
            counts[v.id]++;
            accepted += v.accepted;
        }
        for (int i = 0; i < N; i++) {
            double expected = pairs[k][0][i] * DRAWS;
            overlap += fmin(pairs[k][0][i], pairs[k][1][i]);
            if (expected == 0) CHECK(counts[i] == 0);
            if (expected == 0) continue;
            sum += (counts[i] - expected) * (counts[i] - expected) / expected;
        }
        /* With 7 degrees of freedom, chi-square exceeds 41 once in a million. */
        CHECK_MESSAGE(sum < 41, "pair %d: %g", (int)k, sum);
        double apart = accepted - overlap * DRAWS;
        CHECK(fabs(apart) < 5 * sqrt(DRAWS * overlap * (1 - overlap)));
    }
}

int main(void) {
    pcg32_seed(&sample_generator, 1, 1);
    TEST(decides_as_defined);
    TEST(equal_distributions_accept_all);
    TEST(disjoint_distributions_reject_all);
    TEST(certain_distributions_are_greedy);
    TEST(is_distributed_as_p);
    return check_report();
}
