/* Speculative decoding: what becomes of a token that a small model drafted. Leviathan, Kalman,
 * Matias 2023, "Fast Inference from Transformers via Speculative Decoding", algorithm 1.
 *
 * The draft comes from q, and what is decided falls as p does: the draft stays with probability
 * min(1, p / q); otherwise the token is drawn from the residual, max(0, p - q) over its sum. Both
 * numbers are those of (seed, step), as the draw's own is (draw.h), whatever the drafts were. */
#ifndef LOGITSCOPE_SPECULATE_H
#define LOGITSCOPE_SPECULATE_H

#include <stddef.h>
#include <stdint.h>

struct speculate_verdict {
    uint32_t id;       /* the token that comes */
    uint32_t accepted; /* whether that is the drafted one; otherwise it is the residual's */
    double p, q;       /* of the drafted token */
    double acceptance; /* min(1, p / q) */
    double u;          /* draw_coin's of DRAW_ACCEPT, in [0, 1): accepted where u < acceptance */
    double u_residual; /* draw_coin's of DRAW_RESIDUAL */
    double residual;   /* sum of max(0, p - q): how probable it was that a draft is rejected */
};

/* p and q (n,) each sum to 1 but for rounding, q[drafted] > 0. The residual is walked by id: its
 * first token whose cumulative share exceeds u_residual. Where p is nowhere above q, the two differ
 * by rounding alone and every draft is accepted. */
struct speculate_verdict speculate_decide(const double *p, const double *q, size_t n,
                                          uint32_t drafted, uint64_t seed, uint64_t step);

/* The residual distribution into `share` (n,), zeros where p is nowhere above q; returns the sum of
 * max(0, p - q). */
double speculate_residual(double *share, const double *p, const double *q, size_t n);

#endif
