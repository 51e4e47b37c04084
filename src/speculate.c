/* Accepts a drafted token or draws from the residual. Sums are in float64, in order of ids. */
#include "speculate.h"

#include "draw.h"

static double excess(double p, double q) { return p > q ? p - q : 0; }

static double sum_excess(const double *p, const double *q, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += excess(p[i], q[i]);
    return sum;
}

/* Draws from the residual with u. Adds in the order of sum_excess, so that the sum after the last
 * token is exactly `sum`, above u * sum. */
static uint32_t draw_excess(const double *p, const double *q, size_t n, double sum, double u) {
    double reached = 0;
    uint32_t id = 0;
    for (size_t i = 0; i < n && !(reached > u * sum); i++) {
        if (!(p[i] > q[i])) continue;
        reached += p[i] - q[i];
        id = (uint32_t)i;
    }
    return id;
}

struct speculate_verdict speculate_decide(const double *p, const double *q, size_t n,
                                          uint32_t drafted, uint64_t seed, uint64_t step) {
    struct speculate_verdict verdict = {
        .id = drafted,
        .p = p[drafted],
        .q = q[drafted],
        .acceptance = p[drafted] < q[drafted] ? p[drafted] / q[drafted] : 1,
        .u = (double)draw_coin(seed, step, DRAW_ACCEPT) * 0x1p-53,
        .u_residual = (double)draw_coin(seed, step, DRAW_RESIDUAL) * 0x1p-53,
        .residual = sum_excess(p, q, n),
    };
    verdict.accepted = verdict.u < verdict.acceptance || !(verdict.residual > 0);
    if (!verdict.accepted) verdict.id = draw_excess(p, q, n, verdict.residual, verdict.u_residual);
    return verdict;
}

double speculate_residual(double *share, const double *p, const double *q, size_t n) {
    double sum = sum_excess(p, q, n);
    for (size_t i = 0; i < n; i++) share[i] = p[i] > q[i] ? (p[i] - q[i]) / sum : 0;
    return sum;
}
