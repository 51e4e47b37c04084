/* Vector words of four float32, four int32, two float64 or two uint64, and products of bytes. Three
 * versions compute the same bits: WebAssembly's SIMD128, SIMD128 with relaxed SIMD, and GCC's
 * vector extensions for native builds. Only this file knows which version is compiled.
 *
 * In a mask, all bits of a lane are 1 or all are 0. Loads and stores need no alignment. A word that
 * is one expression takes one line. */
#ifndef LOGITSCOPE_SIMD_H
#define LOGITSCOPE_SIMD_H

#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "format.h"
#include "loop.h"

#ifdef __wasm_simd128__

#include <wasm_simd128.h>

typedef v128_t f32x4;
typedef v128_t i32x4;
typedef v128_t f64x2;
typedef v128_t u64x2;

static inline f32x4 f32x4_splat(float x) { return wasm_f32x4_splat(x); }
static inline f32x4 f32x4_load(const float *p) { return wasm_v128_load(p); }
static inline void f32x4_store(float *p, f32x4 x) { wasm_v128_store(p, x); }
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { return wasm_f32x4_add(a, b); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { return wasm_f32x4_sub(a, b); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { return wasm_f32x4_mul(a, b); }
static inline f32x4 f32x4_div(f32x4 a, f32x4 b) { return wasm_f32x4_div(a, b); }
static inline f32x4 f32x4_negate(f32x4 a) { return wasm_f32x4_neg(a); }
static inline i32x4 f32x4_less(f32x4 a, f32x4 b) { return wasm_f32x4_lt(a, b); }
/* a if the mask is set, else b. */
static inline f32x4 f32x4_select(i32x4 mask, f32x4 a, f32x4 b) {
    return wasm_v128_bitselect(a, b, mask);
}
/* 0 if the mask is set, else a. */
static inline f32x4 f32x4_unless(i32x4 mask, f32x4 a) { return wasm_v128_andnot(a, mask); }
/* a > b ? a : b, lane by lane. */
static inline f32x4 f32x4_larger(f32x4 a, f32x4 b) { return wasm_f32x4_pmax(b, a); }
/* Reinterpret the bits of floats as integers, and back. */
static inline i32x4 i32x4_bits(f32x4 a) { return a; }
static inline f32x4 f32x4_bits(i32x4 a) { return a; }
static inline i32x4 i32x4_splat(int32_t x) { return wasm_i32x4_splat(x); }
static inline i32x4 i32x4_add(i32x4 a, i32x4 b) { return wasm_i32x4_add(a, b); }
static inline i32x4 i32x4_mul(i32x4 a, i32x4 b) { return wasm_i32x4_mul(a, b); }
static inline i32x4 i32x4_shift_left(i32x4 a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
/* swap_pairs returns (a1, a0, a3, a2); the next function returns (a0, a0, a1, a1). */
static inline f32x4 f32x4_swap_pairs(f32x4 a) { return wasm_i32x4_shuffle(a, a, 1, 0, 3, 2); }
static inline f32x4 f32x4_twice_low(f32x4 a) { return wasm_i32x4_shuffle(a, a, 0, 0, 1, 1); }
static inline f64x2 f64x2_splat(double x) { return wasm_f64x2_splat(x); }
static inline f64x2 f64x2_low(f32x4 a) { return wasm_f64x2_promote_low_f32x4(a); }
static inline f64x2 f64x2_high(f32x4 a) {
    return wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
}
static inline f64x2 f64x2_mul(f64x2 a, f64x2 b) { return wasm_f64x2_mul(a, b); }
/* Returns the integer part of a as an integer, 0 <= a < 2^51. */
static inline u64x2 u64x2_floor(f64x2 a) {
    f64x2 magic = wasm_f64x2_splat(0x1p52);
    return wasm_v128_xor(wasm_f64x2_add(wasm_f64x2_floor(a), magic), magic);
}
static inline u64x2 u64x2_splat(uint64_t x) { return wasm_i64x2_splat((int64_t)x); }
static inline u64x2 u64x2_add(u64x2 a, u64x2 b) { return wasm_i64x2_add(a, b); }
static inline void u64x2_store(uint64_t *p, u64x2 x) { wasm_v128_store(p, x); }
static inline i32x4 i32x4_sub(i32x4 a, i32x4 b) { return wasm_i32x4_sub(a, b); }
static inline i32x4 i32x4_and(i32x4 a, i32x4 b) { return wasm_v128_and(a, b); }
static inline i32x4 i32x4_smaller(i32x4 a, i32x4 b) { return wasm_i32x4_min(a, b); }
static inline i32x4 i32x4_larger(i32x4 a, i32x4 b) { return wasm_i32x4_max(a, b); }
static inline void i32x4_store(int32_t *p, i32x4 x) { wasm_v128_store(p, x); }
static inline f32x4 f32x4_from_i32x4(i32x4 a) { return wasm_f32x4_convert_i32x4(a); }
/* Swaps rows and columns. */
static inline void f32x4_transpose(f32x4 m[4]) {
    f32x4 a = wasm_i32x4_shuffle(m[0], m[1], 0, 4, 1, 5);
    f32x4 b = wasm_i32x4_shuffle(m[2], m[3], 0, 4, 1, 5);
    f32x4 c = wasm_i32x4_shuffle(m[0], m[1], 2, 6, 3, 7);
    f32x4 d = wasm_i32x4_shuffle(m[2], m[3], 2, 6, 3, 7);
    m[0] = wasm_i64x2_shuffle(a, b, 0, 2);
    m[1] = wasm_i64x2_shuffle(a, b, 1, 3);
    m[2] = wasm_i64x2_shuffle(c, d, 0, 2);
    m[3] = wasm_i64x2_shuffle(c, d, 1, 3);
}

/* Load and store the first n < 4 lanes; loading sets the other lanes to 0. Both work lane by lane,
 * because a vector load stalls on bytes just written in parts. */
static inline f32x4 f32x4_load_part(const float *p, size_t n) {
    if (n == 0) return wasm_f32x4_splat(0);
    if (n == 1) return wasm_v128_load32_zero(p);
    v128_t x = wasm_v128_load64_zero(p);
    return n == 2 ? x : wasm_v128_load32_lane(p + 2, x, 2);
}
static inline void f32x4_store_part(float *p, f32x4 x, size_t n) {
    if (n == 1) wasm_v128_store32_lane(p, x, 0);
    if (n >= 2) wasm_v128_store64_lane(p, x, 0);
    if (n == 3) wasm_v128_store32_lane(p + 2, x, 2);
}

/* Load four int8 or four float16, one per lane. */
static inline i32x4 i32x4_load_i8(const uint8_t *p) {
    return wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(p)));
}
/* Computes load_f16: a product raises the exponent; for infinity and NaN it becomes the largest. */
static inline f32x4 f32x4_load_f16(const uint8_t *p) {
    v128_t bits = wasm_i32x4_shl(wasm_i32x4_load16x4(p), 13);
    v128_t x = wasm_f32x4_mul(wasm_v128_and(bits, wasm_i32x4_splat((int32_t)0x8fffe000)),
                              wasm_f32x4_splat(0x1p112f));
    v128_t top = wasm_f32x4_gt(wasm_f32x4_abs(x), wasm_f32x4_splat(65504));
    return wasm_v128_or(x, wasm_v128_and(top, wasm_i32x4_splat(0x7f800000)));
}

/* Sixteen bytes: the codes of four columns in four rows. */
typedef v128_t bytes16;

static inline bytes16 bytes16_load(const uint8_t *p) { return wasm_v128_load(p); }
static inline void bytes16_store(uint8_t *p, bytes16 x) { wasm_v128_store(p, x); }
/* In every byte, moves `bits` bits from bit `from` down to bit `to`; all other bits become 0. */
static inline ALWAYS bytes16 bytes16_bits(bytes16 x, int bits, int from, int to) {
    x = wasm_v128_and(x, wasm_i8x16_splat((int8_t)(((1 << bits) - 1) << from)));
    return from > to ? wasm_u16x8_shr(x, (uint32_t)(from - to)) : x;
}
static inline bytes16 bytes16_or(bytes16 a, bytes16 b) { return wasm_v128_or(a, b); }
static inline bytes16 bytes16_level(bytes16 codes) {
#ifdef __wasm_relaxed_simd__
    return wasm_i8x16_relaxed_swizzle(wasm_i8x16_const(FORMAT_LEVELS), codes); /* codes < 16 */
#else
    return wasm_i8x16_swizzle(wasm_i8x16_const(FORMAT_LEVELS), codes);
#endif
}

/* Products of bytes, the core of quantised matrices. Each lane is a row. All sums are exact.
 *
 * `dots` are sums of plain codes times x; plain codes are unsigned and have at most six bits. A sum
 * starts at -offset times the sum of its x, so that it ends as the sum of (code - offset) * x. If a
 * lane sums two of each four columns, the magnitude is at most 32,512: 8 products of at most 32 *
 * 127, or 16 of at most 16 * 127. `wide` are sums of x times weights that are signed bytes.
 * `dots_x` and `wide_x` contain four columns of x, `sums4` the sums of struct quants, `factors4` a
 * small integer for each row. Loading factors4 may read eight bytes instead of four, because codes
 * follow.
 *
 * The sums for DOTS_QUADS times four rows and DOTS_TOKENS vectors fill the registers. A single
 * vector is multiplied by all rows of a strip, in up to DOTS_STREAMS blocks together. Several
 * blocks help only if products are faster than memory. */
#ifdef __wasm_relaxed_simd__

/* The relaxed dot product gives the same result on every host if its second operand has 7 bits. The
 * sum of two such products fits into 16 bits. (The instruction that adds four products into 32 bits
 * is slower on x86 before AVX-VNNI.) Plain codes are the second operand. For weights of 8 bits, |x|
 * is the second operand, and the weight gets the sign of x. If x is negative, the complement ~w =
 * -w - 1 replaces -w, because -w may not fit into 8 bits. The difference is the sum of |x| over the
 * negative x of the group. It is equal for all rows and added once. */
enum { DOTS_QUADS = 4, DOTS_TOKENS = 2, DOTS_STREAMS = 4 };
typedef v128_t wide, dots_x;
typedef v128_t dots, factors4, sums4; /* two int16 per row; in factors4 both are its factor */
typedef struct {
    v128_t magnitudes, signs; /* a byte of `signs` is all ones if x is negative */
} wide_x;

/* Stores eight int32 quants as bytes: four quants, then their four sign bytes, twice. */
static inline void inputs_store(int16_t *to, i32x4 low, i32x4 high) {
    v128_t quants = wasm_i16x8_narrow_i32x4(low, high);
    v128_t bytes = wasm_i8x16_narrow_i16x8(quants, wasm_i16x8_shr(quants, 15));
    wasm_v128_store(to, wasm_i32x4_shuffle(bytes, bytes, 0, 2, 1, 3));
}
/* Sums neighbouring lanes in pairs. V8 compiles the dedicated instruction with a constant that it
 * loads at every use, so this is a different instruction. */
static inline v128_t neighbours_sum(v128_t x) {
    return wasm_i32x4_dot_i16x8(x, wasm_i16x8_splat(1));
}
static inline dots_x dots_x_load(const int16_t *p) { return wasm_v128_load32_splat(p); }
static inline wide_x wide_x_load(const int16_t *p) {
    return (wide_x){wasm_i8x16_abs(wasm_v128_load32_splat(p)), wasm_v128_load32_splat(p + 2)};
}
static inline factors4 factors_twice(v128_t x) {
    return wasm_i16x8_shuffle(x, x, 0, 0, 1, 1, 2, 2, 3, 3);
}
static inline factors4 factors_of(const uint8_t *p) { return factors_twice(wasm_i16x8_load8x8(p)); }
static inline factors4 factors_of_low(const uint8_t *p) {
    return factors_twice(wasm_v128_and(wasm_i16x8_load8x8(p), wasm_i16x8_splat(15)));
}
static inline factors4 factors_of_high(const uint8_t *p) {
    return factors_twice(wasm_u16x8_shr(wasm_u16x8_load8x8(p), 4));
}
static inline factors4 factors_one(void) { return wasm_i16x8_splat(1); }
static inline sums4 sums_load(const int16_t sums[2]) { return wasm_v128_load32_splat(sums); }
static inline sums4 sums_add(sums4 a, sums4 b) { return wasm_i16x8_add(a, b); }
static inline i32x4 factors_times_sums(factors4 factors, sums4 sums) {
    return wasm_i32x4_dot_i16x8(factors, sums);
}
static inline dots dots_start(sums4 sums, int offset) {
    return wasm_i16x8_mul(sums, wasm_i16x8_splat((int16_t)-offset));
}
static inline dots dots_add(dots sums, bytes16 w, dots_x x) {
    return wasm_i16x8_add(sums, wasm_i16x8_relaxed_dot_i8x16_i7x16(x, w));
}
static inline i32x4 dots_total(dots sums) { return neighbours_sum(sums); }
static inline i32x4 dots_scaled(dots sums, factors4 factors) {
    return wasm_i32x4_dot_i16x8(sums, factors);
}
static inline wide wide_zero(void) { return wasm_i32x4_splat(0); }
static inline wide wide_add(wide sums, bytes16 w, wide_x x) {
    v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(wasm_v128_xor(w, x.signs), x.magnitudes);
    return wasm_i32x4_add(sums, neighbours_sum(pairs));
}
static inline i32x4 wide_total(wide sums, int32_t negative) {
    return wasm_i32x4_add(sums, wasm_i32x4_splat(negative));
}

#else

/* Multiplies two columns at a time in 16 bits. A row's sum stays in two parts until the end. */
enum { DOTS_QUADS = 1, DOTS_TOKENS = 4, DOTS_STREAMS = 1 };
typedef struct {
    v128_t low, high; /* rows 0 and 1, rows 2 and 3 */
} dots, wide;
typedef v128_t dots_x, wide_x; /* four columns of x, twice */
typedef i32x4 factors4;
typedef i32x4 sums4; /* both sums of a half in struct quants, twice */

static inline void inputs_store(int16_t *to, i32x4 low, i32x4 high) {
    wasm_v128_store(to, wasm_i16x8_narrow_i32x4(low, high));
}
static inline dots_x dots_x_load(const int16_t *p) { return wasm_v128_load64_splat(p); }
static inline wide_x wide_x_load(const int16_t *p) { return wasm_v128_load64_splat(p); }
static inline factors4 factors_of(const uint8_t *p) { return i32x4_load_i8(p); }
static inline factors4 factors_of_low(const uint8_t *p) {
    return wasm_v128_and(i32x4_load_i8(p), wasm_i32x4_splat(15));
}
static inline factors4 factors_of_high(const uint8_t *p) {
    return wasm_v128_and(wasm_i32x4_shr(i32x4_load_i8(p), 4), wasm_i32x4_splat(15));
}
static inline factors4 factors_one(void) { return wasm_i32x4_splat(1); }
static inline sums4 sums_load(const int16_t sums[2]) {
    return wasm_i32x4_extend_low_i16x8(wasm_v128_load32_splat(sums));
}
static inline sums4 sums_add(sums4 a, sums4 b) { return i32x4_add(a, b); }
static inline i32x4 factors_times_sums(factors4 factors, sums4 sums) {
    return i32x4_mul(factors, i32x4_add(sums, f32x4_swap_pairs(sums)));
}
static inline dots dots_start(sums4 sums, int offset) {
    i32x4 start = i32x4_mul(sums, i32x4_splat(-offset));
    return (dots){start, start};
}
static inline dots dots_add(dots sums, bytes16 w, dots_x x) {
    v128_t low = wasm_i16x8_extend_low_i8x16(w), high = wasm_i16x8_extend_high_i8x16(w);
    return (dots){wasm_i32x4_add(sums.low, wasm_i32x4_dot_i16x8(low, x)),
                  wasm_i32x4_add(sums.high, wasm_i32x4_dot_i16x8(high, x))};
}
static inline i32x4 dots_total(dots sums) {
    return wasm_i32x4_add(wasm_i32x4_shuffle(sums.low, sums.high, 0, 2, 4, 6),
                          wasm_i32x4_shuffle(sums.low, sums.high, 1, 3, 5, 7));
}
static inline i32x4 dots_scaled(dots sums, factors4 factors) {
    return i32x4_mul(dots_total(sums), factors);
}
static inline wide wide_zero(void) { return (wide){wasm_i32x4_splat(0), wasm_i32x4_splat(0)}; }
static inline wide wide_add(wide sums, bytes16 w, wide_x x) { return dots_add(sums, w, x); }
static inline i32x4 wide_total(wide sums, int32_t negative) {
    (void)negative;
    return dots_total(sums);
}

#endif

#else

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

static inline f32x4 f32x4_splat(float x) { return (f32x4){x, x, x, x}; }
static inline f32x4 f32x4_load(const float *p) {
    f32x4 x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void f32x4_store(float *p, f32x4 x) { memcpy(p, &x, sizeof x); }
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { return a + b; }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { return a - b; }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { return a * b; }
static inline f32x4 f32x4_div(f32x4 a, f32x4 b) { return a / b; }
static inline f32x4 f32x4_negate(f32x4 a) { return -a; }
static inline i32x4 f32x4_less(f32x4 a, f32x4 b) { return a < b; }
static inline i32x4 i32x4_bits(f32x4 a) { return (i32x4)a; }
static inline f32x4 f32x4_bits(i32x4 a) { return (f32x4)a; }
static inline f32x4 f32x4_select(i32x4 mask, f32x4 a, f32x4 b) {
    return (f32x4)(((i32x4)a & mask) | ((i32x4)b & ~mask));
}
static inline f32x4 f32x4_unless(i32x4 mask, f32x4 a) { return (f32x4)((i32x4)a & ~mask); }
static inline f32x4 f32x4_larger(f32x4 a, f32x4 b) { return f32x4_select(b < a, a, b); }
static inline i32x4 i32x4_splat(int32_t x) { return (i32x4){x, x, x, x}; }
static inline i32x4 i32x4_add(i32x4 a, i32x4 b) { return (i32x4)((u32x4)a + (u32x4)b); }
static inline i32x4 i32x4_mul(i32x4 a, i32x4 b) { return a * b; }
static inline i32x4 i32x4_shift_left(i32x4 a, int n) { return (i32x4)((u32x4)a << n); }
static inline f32x4 f32x4_swap_pairs(f32x4 a) { return (f32x4){a[1], a[0], a[3], a[2]}; }
static inline f32x4 f32x4_twice_low(f32x4 a) { return (f32x4){a[0], a[0], a[1], a[1]}; }
static inline f64x2 f64x2_splat(double x) { return (f64x2){x, x}; }
static inline f64x2 f64x2_low(f32x4 a) { return (f64x2){(double)a[0], (double)a[1]}; }
static inline f64x2 f64x2_high(f32x4 a) { return (f64x2){(double)a[2], (double)a[3]}; }
static inline f64x2 f64x2_mul(f64x2 a, f64x2 b) { return a * b; }
/* Adding 2^52 rounds `a` to an integer in the low bits. If this rounds up, 1 is subtracted. */
static inline u64x2 u64x2_floor(f64x2 a) {
    f64x2 magic = f64x2_splat(0x1p52), rounded = a + magic;
    return ((u64x2)rounded ^ (u64x2)magic) + (u64x2)(rounded - magic > a);
}
static inline u64x2 u64x2_splat(uint64_t x) { return (u64x2){x, x}; }
static inline u64x2 u64x2_add(u64x2 a, u64x2 b) { return a + b; }
static inline void u64x2_store(uint64_t *p, u64x2 x) { memcpy(p, &x, sizeof x); }
static inline i32x4 i32x4_sub(i32x4 a, i32x4 b) { return (i32x4)((u32x4)a - (u32x4)b); }
static inline i32x4 i32x4_and(i32x4 a, i32x4 b) { return a & b; }
static inline i32x4 i32x4_smaller(i32x4 a, i32x4 b) {
    i32x4 mask = a < b;
    return (a & mask) | (b & ~mask);
}
static inline i32x4 i32x4_larger(i32x4 a, i32x4 b) {
    i32x4 mask = a > b;
    return (a & mask) | (b & ~mask);
}
static inline void i32x4_store(int32_t *p, i32x4 x) { memcpy(p, &x, sizeof x); }
static inline f32x4 f32x4_from_i32x4(i32x4 a) {
    return (f32x4){(float)a[0], (float)a[1], (float)a[2], (float)a[3]};
}
static inline void f32x4_transpose(f32x4 m[4]) {
    f32x4 a = m[0], b = m[1], c = m[2], d = m[3];
    for (int i = 0; i < 4; i++) m[i] = (f32x4){a[i], b[i], c[i], d[i]};
}

/* Load and store the first n < 4 lanes; loading sets the other lanes to 0. */
static inline f32x4 f32x4_load_part(const float *p, size_t n) {
    float lanes[4] = {0};
    memcpy(lanes, p, n * sizeof *lanes);
    return f32x4_load(lanes);
}
static inline void f32x4_store_part(float *p, f32x4 x, size_t n) {
    float lanes[4];
    f32x4_store(lanes, x);
    memcpy(p, lanes, n * sizeof *lanes);
}

static inline i32x4 i32x4_load_i8(const uint8_t *p) {
    return (i32x4){(int8_t)p[0], (int8_t)p[1], (int8_t)p[2], (int8_t)p[3]};
}
static inline f32x4 f32x4_load_f16(const uint8_t *p) {
    return (f32x4){load_f16(p), load_f16(p + 2), load_f16(p + 4), load_f16(p + 6)};
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static inline bytes16 bytes16_load(const uint8_t *p) {
    bytes16 x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void bytes16_store(uint8_t *p, bytes16 x) { memcpy(p, &x, sizeof x); }
static inline bytes16 bytes16_bits(bytes16 x, int bits, int from, int to) {
    bytes16 zero = {0}, right = zero + (uint8_t)from, left = zero + (uint8_t)to;
    return (x >> right & (zero + (uint8_t)((1 << bits) - 1))) << left;
}
static inline bytes16 bytes16_or(bytes16 a, bytes16 b) { return a | b; }
static inline bytes16 bytes16_level(bytes16 codes) {
    static const int8_t levels[16] = {FORMAT_LEVELS};
    for (int i = 0; i < 16; i++) codes[i] = (uint8_t)levels[codes[i]];
    return codes;
}

typedef int16_t i16x8 __attribute__((vector_size(16)));

/* Return the first or last eight bytes, sign-extended; sums of products of neighbours. */
#ifdef __SSE2__
static inline i16x8 i16x8_low(bytes16 x) {
    return (i16x8)_mm_srai_epi16(_mm_unpacklo_epi8((__m128i)x, (__m128i)x), 8);
}
static inline i16x8 i16x8_high(bytes16 x) {
    return (i16x8)_mm_srai_epi16(_mm_unpackhi_epi8((__m128i)x, (__m128i)x), 8);
}
static inline i32x4 i32x4_dot(i16x8 a, i16x8 b) {
    return (i32x4)_mm_madd_epi16((__m128i)a, (__m128i)b);
}
#else
static inline i16x8 i16x8_low(bytes16 x) {
    i16x8 y = {0};
    for (int i = 0; i < 8; i++) y[i] = (int8_t)x[i];
    return y;
}
static inline i16x8 i16x8_high(bytes16 x) {
    i16x8 y = {0};
    for (int i = 0; i < 8; i++) y[i] = (int8_t)x[8 + i];
    return y;
}
static inline i32x4 i32x4_dot(i16x8 a, i16x8 b) {
    i32x4 y = {0};
    for (int i = 0; i < 4; i++) y[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    return y;
}
#endif

/* Multiplies two columns at a time in 16 bits. A row's sum stays in two parts until the end. */
enum { DOTS_QUADS = 1, DOTS_TOKENS = 4, DOTS_STREAMS = 4 };
typedef struct {
    i32x4 low, high; /* rows 0 and 1, rows 2 and 3 */
} dots, wide;
typedef i16x8 dots_x, wide_x; /* four columns of x, twice */
typedef i32x4 factors4, sums4;

static inline void inputs_store(int16_t *to, i32x4 low, i32x4 high) {
    for (int i = 0; i < 4; i++) {
        to[i] = (int16_t)low[i];
        to[i + 4] = (int16_t)high[i];
    }
}
static inline dots_x dots_x_load(const int16_t *p) {
    return (i16x8){p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]};
}
static inline wide_x wide_x_load(const int16_t *p) { return dots_x_load(p); }
static inline factors4 factors_of(const uint8_t *p) { return i32x4_load_i8(p); }
static inline factors4 factors_of_low(const uint8_t *p) { return i32x4_load_i8(p) & 15; }
static inline factors4 factors_of_high(const uint8_t *p) { return i32x4_load_i8(p) >> 4 & 15; }
static inline factors4 factors_one(void) { return i32x4_splat(1); }
static inline sums4 sums_load(const int16_t sums[2]) { return i32x4_splat(sums[0] + sums[1]); }
static inline sums4 sums_add(sums4 a, sums4 b) { return a + b; }
static inline i32x4 factors_times_sums(factors4 factors, sums4 sums) { return factors * sums; }
static inline dots dots_start(sums4 sums, int offset) {
    i32x4 start = sums * (i32x4){-offset, 0, -offset, 0};
    return (dots){start, start};
}
static inline dots dots_add(dots sums, bytes16 w, dots_x x) {
    return (dots){sums.low + i32x4_dot(i16x8_low(w), x), sums.high + i32x4_dot(i16x8_high(w), x)};
}
static inline i32x4 dots_total(dots sums) {
    i32x4 a = sums.low, b = sums.high;
    return (i32x4){a[0], a[2], b[0], b[2]} + (i32x4){a[1], a[3], b[1], b[3]};
}
static inline i32x4 dots_scaled(dots sums, factors4 factors) { return dots_total(sums) * factors; }
static inline wide wide_zero(void) { return (wide){i32x4_splat(0), i32x4_splat(0)}; }
static inline wide wide_add(wide sums, bytes16 w, wide_x x) { return dots_add(sums, w, x); }
static inline i32x4 wide_total(wide sums, int32_t negative) {
    (void)negative;
    return dots_total(sums);
}

#endif

/* Stores the first min(left, 16) elements of x, plus `bias` unless it is NULL. */
static inline ALWAYS void block_store(float *out, f32x4 x[4], const float *bias, size_t left) {
    float rest[16], *to = left >= 16 ? out : rest;
    if (bias && left >= 16) {
        UNROLL
        for (size_t i = 0; i < 4; i++) x[i] = f32x4_add(x[i], f32x4_load(bias + 4 * i));
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) f32x4_store(to + 4 * i, x[i]);
    for (size_t i = 0; i < left && left < 16; i++) out[i] = bias ? rest[i] + bias[i] : rest[i];
}

/* Returns (a0 + a1) + (a2 + a3). */
static inline float f32x4_sum(f32x4 a) {
    float lanes[4];
    f32x4_store(lanes, a);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static inline int32_t i32x4_sum(i32x4 a) {
    int32_t lanes[4];
    i32x4_store(lanes, a);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static inline uint64_t u64x2_sum(u64x2 a) {
    uint64_t lanes[2];
    u64x2_store(lanes, a);
    return lanes[0] + lanes[1];
}

#endif
