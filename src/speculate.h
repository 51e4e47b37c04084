/* Speculative decoding: accepts or rejects a token that a small model drafted. Leviathan, Kalman,
 * Matias 2023, "Fast Inference from Transformers via Speculative Decoding", algorithm 1.
 *
 * The draft comes from q, and the result is distributed as p: the draft stays with probability
 * min(1, p / q); otherwise the token is drawn from the residual, max(0, p - q) over its sum. Both
 * random numbers depend only on (seed, step), like the draw's own (draw.h). */
#ifndef LOGITSCOPE_SPECULATE_H
#define LOGITSCOPE_SPECULATE_H

#include <stddef.h>
#include <stdint.h>

struct speculate_verdict {
    uint32_t id;       /* the resulting token */
    uint32_t accepted; /* 1: it is the drafted one; 0: it comes from the residual */
    double p, q;       /* of the drafted token */
    double acceptance; /* min(1, p / q) */
    double u;          /* draw_coin's of DRAW_ACCEPT, in [0, 1): accepted if u < acceptance */
    double u_residual; /* draw_coin's of DRAW_RESIDUAL */
    double residual;   /* sum of max(0, p - q): the probability that a draft is rejected */
};

/* p and q (n,) each sum to 1 but for rounding, q[drafted] > 0. A draw from the residual is the
 * first id whose cumulative share exceeds u_residual. If p exceeds q nowhere, the two differ by
 * rounding alone and every draft is accepted. */
struct speculate_verdict speculate_decide(const double *p, const double *q, size_t n,
                                          uint32_t drafted, uint64_t seed, uint64_t step);

/* Writes the residual distribution into `share` (n,), zeros if p exceeds q nowhere; returns the sum
 * of max(0, p - q). */
double speculate_residual(double *share, const double *p, const double *q, size_t n);

#endif
