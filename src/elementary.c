/* Elementary functions with only +, -, *, / and bit operations: all builds give the same bits. */
#include "elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static float float_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_from_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; e^x = 2^n e^r. Adding and subtracting 1.5 * 2^23 rounds to
 * the nearest integer, ties to even. ln 2 is split in two so that n * high is exact (Cody and Waite
 * 1980); the polynomial is Cephes' minimax for e^r. */
float elementary_exp(float x) {
    if (!(x >= -87.3f)) return x < -87.3f ? 0.0f : x;
    if (x > 88.3f) return INFINITY;
    const float magic = 12582912.0f;
    float n = (x * 1.44269504088896341f + magic) - magic;
    float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    float y = (p * (r * r) + r) + 1.0f;
    return y * float_from_bits((uint32_t)((int32_t)n + 127) << 23);
}

/* Uses Cephes' odd polynomial near 0, because 1 - 2 / (e^2x + 1) loses digits there. */
float elementary_tanh(float x) {
    float a = x < 0 ? -x : x;
    if (a < 0.625f) {
        float z = x * x;
        float p = -5.70498872745e-3f;
        p = p * z + 2.06390887954e-2f;
        p = p * z + -5.37397155531e-2f;
        p = p * z + 1.33314422036e-1f;
        p = p * z + -3.33332819422e-1f;
        return (p * z) * x + x;
    }
    if (a != a) return x;
    float e = elementary_exp(a > 20.0f ? 40.0f : a + a);
    float t = 1.0f - 2.0f / (e + 1.0f);
    return x < 0 ? -t : t;
}

/* Uses the form of Hastings 1955, e^(-x^2 / 2) t p(t) with t = 1 / (1 + 0.35 x). The coefficients
 * are a minimax fit for x <= 14.5, with a relative error of 2e-8 before rounding. */
float elementary_tail(float x) {
    float t = 1.0f / (1.0f + 0.35f * x);
    float p = -2.91584861e-2f;
    p = p * t + 1.44033790e-1f;
    p = p * t + -2.55844802e-1f;
    p = p * t + 1.59326151e-1f;
    p = p * t + -2.32166648e-2f;
    p = p * t + 1.05554260e-1f;
    p = p * t + 1.19820863e-1f;
    p = p * t + 1.39863566e-1f;
    p = p * t + 1.39621302e-1f;
    return (p * t) * elementary_exp(-0.5f * (x * x));
}

/* Like elementary_exp, with a Taylor polynomial: |r|^14 / 14! is below 2^-53 of the result. */
double elementary_exp64(double x) {
    if (!(x >= -708.0)) return x < -708.0 ? 0.0 : x;
    if (x > 709.0) return (double)INFINITY;
    const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
    double n = (x * 1.4426950408889634074 + magic) - magic;
    double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double p = 1.0;
    for (int k = 14; k >= 1; k--) p = p * r / (double)k + 1.0;
    return p * double_from_bits((uint64_t)((int64_t)n + 1023) << 52);
}

/* x = 2^n m with sqrt(1/2) <= m < sqrt(2); log m = 2 artanh(s), s = (m - 1) / (m + 1), by the
 * minimax polynomial of fdlibm's e_log.c. */
double elementary_log(double x) {
    if (!(x > 0)) return x == 0 ? -(double)INFINITY : (double)NAN;
    if (x > 1.79769313486231570815e308) return x;
    int64_t n = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0; /* 2^54: makes a subnormal number normal */
        n = -54;
    }
    uint64_t bits = bits_from_double(x);
    n += (int64_t)(bits >> 52) - 1023;
    double m = double_from_bits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    if (m > 1.41421356237309514547) {
        m *= 0.5;
        n++;
    }
    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double p = 1.479819860511658591e-01;
    p = p * z + 1.531383769920937332e-01;
    p = p * z + 1.818357216161805012e-01;
    p = p * z + 2.222219843214978396e-01;
    p = p * z + 2.857142874366239149e-01;
    p = p * z + 3.999999999940941908e-01;
    p = p * z + 6.666666666666735130e-01;
    double half = 0.5 * f * f;
    double dn = (double)n;
    return dn * 6.93147180369123816490e-01 -
           ((half - (s * (half + p * z) + dn * 1.90821492927058770002e-10)) - f);
}

/* sin r and cos r for |r| <= pi/4, by the polynomials of fdlibm's k_sin.c and k_cos.c. */
static double sin_near_zero(double r) {
    double z = r * r;
    double p = 1.58969099521155010221e-10;
    p = p * z + -2.50507602534068634195e-08;
    p = p * z + 2.75573137070700676789e-06;
    p = p * z + -1.98412698298579493134e-04;
    p = p * z + 8.33333333332248946124e-03;
    p = p * z + -1.66666666666666324348e-01;
    return r + r * z * p;
}

static double cos_near_zero(double r) {
    double z = r * r;
    double p = -1.13596475577881948265e-11;
    p = p * z + 2.08757232129817482790e-09;
    p = p * z + -2.75573143513906633035e-07;
    p = p * z + 2.48015872894767294178e-05;
    p = p * z + -1.38888888888741095749e-03;
    p = p * z + 4.16666666666666019037e-02;
    return 1.0 - (0.5 * z - z * z * p);
}

/* Writes x as n pi/2 + r; returns r and sets *quadrant to n mod 4. pi/2 is split into three parts
 * of 33 bits, so that n times each of the first two parts is exact for |n| < 2^20. */
static double reduce_angle(double x, int64_t *quadrant) {
    const double magic = 6755399441055744.0;
    double n = (x * 0.63661977236758134308 + magic) - magic;
    *quadrant = (int64_t)n & 3;
    return ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11) -
           n * 2.02226624879595063154e-21;
}

double elementary_sin(double x) {
    int64_t quadrant;
    double r = reduce_angle(x, &quadrant);
    double y = quadrant & 1 ? cos_near_zero(r) : sin_near_zero(r);
    return quadrant & 2 ? -y : y;
}

double elementary_cos(double x) {
    int64_t quadrant;
    double r = reduce_angle(x, &quadrant);
    double y = quadrant & 1 ? sin_near_zero(r) : cos_near_zero(r);
    return (quadrant + 1) & 2 ? -y : y;
}
