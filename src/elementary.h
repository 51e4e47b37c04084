/* Elementary functions that compute the same bits in every build. They use only +, -, *, / and bit
 * operations, each rounded once, in the order written. */
#ifndef LOGITSCOPE_ELEMENTARY_H
#define LOGITSCOPE_ELEMENTARY_H

static const double LN_2 = 0.69314718055994530942, LOG2_E = 1.44269504088896340736;

/* e^x in float32, at most 1.5 ulp off for -87.3 <= x <= 88.3. Returns exactly 0 below this range
 * and +Infinity above it; elementary_exp(0) is exactly 1; NaN gives NaN. elementary_simd.h computes
 * the same bits with vector words. */
float elementary_exp(float x);

/* tanh(x) in float32, at most 3 ulp off. The function is odd; its values are in [-1, 1]. */
float elementary_tanh(float x);

/* Probability that a standard normal variable exceeds x, erfc(x / sqrt 2) / 2, in float32 for
 * x >= 0: at most 2e-7 off, and 1e-6 relative for x <= 3. NaN gives NaN. */
float elementary_tail(float x);

/* e^x in float64, about 1 ulp off for |x| <= 700. */
double elementary_exp64(double x);

/* Natural logarithm in float64, about 1 ulp off; log(0) = -Infinity; NaN for a negative x. */
double elementary_log(double x);

/* Sine and cosine of x radians in float64, absolute error below 1e-15 for |x| <= 1e6. */
double elementary_sin(double x);
double elementary_cos(double x);

#endif
