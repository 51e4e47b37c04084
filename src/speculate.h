/* Speculative decoding: accepts or rejects a token that a small model drafted. Leviathan, Kalman,
 * Matias 2023, "Fast Inference from Transformers via Speculative Decoding", algorithm 1.
 *
 * The drafted token comes from the distribution q; the result has the distribution p. The drafted
 * token is accepted with probability min(1, p / q). Otherwise a token is drawn from the residual,
 * max(0, p - q) divided by its sum. The two random numbers u and u_residual depend only on (seed,
 * step), as in draw.h. */
#ifndef LOGITSCOPE_SPECULATE_H
#define LOGITSCOPE_SPECULATE_H

#include <stddef.h>
#include <stdint.h>

struct speculate_verdict {
    uint32_t id;       /* the resulting token */
    uint32_t accepted; /* 1 if the drafted token is accepted; 0 if `id` comes from the residual */
    double p, q;       /* probabilities of the drafted token */
    double acceptance; /* min(1, p / q) */
    double u;          /* from draw_coin with DRAW_ACCEPT, in [0, 1): accepted if u < acceptance */
    double u_residual; /* from draw_coin with DRAW_RESIDUAL, in [0, 1) */
    double residual;   /* sum of max(0, p - q): the probability that a draft is rejected */
};

/* p and q (n,) each sum to 1 up to rounding; q[drafted] > 0. A draw from the residual gives the
 * first id whose cumulative share exceeds u_residual. If p <= q for all ids, p and q differ only by
 * rounding, and every drafted token is accepted. */
struct speculate_verdict speculate_decide(const double *p, const double *q, size_t n,
                                          uint32_t drafted, uint64_t seed, uint64_t step);

/* Writes the residual distribution to `share` (n,), or zeros if p <= q for all ids. Returns the sum
 * of max(0, p - q). */
double speculate_residual(double *share, const double *p, const double *q, size_t n);

#endif
