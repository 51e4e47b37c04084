/* Vector words: four float32, four int32, two float64, two uint64. WebAssembly's SIMD128 where it
 * is compiled in, GCC's vector extensions elsewhere; the same bits from both. This is the only file
 * that knows which.
 *
 * Masks are all ones or all zeros a lane. Loads and stores need no alignment. */
#ifndef LOGITSCOPE_SIMD_H
#define LOGITSCOPE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __wasm_simd128__

#include <wasm_simd128.h>

typedef v128_t f32x4;
typedef v128_t i32x4;
typedef v128_t f64x2;
typedef v128_t u64x2;

static inline f32x4 f32x4_splat(float x) {
    return wasm_f32x4_splat(x);
}
static inline f32x4 f32x4_load(const float *p) {
    return wasm_v128_load(p);
}
static inline void f32x4_store(float *p, f32x4 x) {
    wasm_v128_store(p, x);
}
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) {
    return wasm_f32x4_add(a, b);
}
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) {
    return wasm_f32x4_sub(a, b);
}
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) {
    return wasm_f32x4_mul(a, b);
}
static inline f32x4 f32x4_div(f32x4 a, f32x4 b) {
    return wasm_f32x4_div(a, b);
}
static inline f32x4 f32x4_negate(f32x4 a) {
    return wasm_f32x4_neg(a);
}
static inline i32x4 f32x4_less(f32x4 a, f32x4 b) {
    return wasm_f32x4_lt(a, b);
}
/* a where the mask is set, else b. */
static inline f32x4 f32x4_select(i32x4 mask, f32x4 a, f32x4 b) {
    return wasm_v128_bitselect(a, b, mask);
}
/* a > b ? a : b, lane by lane. */
static inline f32x4 f32x4_larger(f32x4 a, f32x4 b) {
    return wasm_f32x4_pmax(b, a);
}
/* The bits of a float as an integer, and back. */
static inline i32x4 i32x4_bits(f32x4 a) {
    return a;
}
static inline f32x4 f32x4_bits(i32x4 a) {
    return a;
}
static inline i32x4 i32x4_splat(int32_t x) {
    return wasm_i32x4_splat(x);
}
static inline i32x4 i32x4_add(i32x4 a, i32x4 b) {
    return wasm_i32x4_add(a, b);
}
static inline i32x4 i32x4_shift_left(i32x4 a, int n) {
    return wasm_i32x4_shl(a, (uint32_t)n);
}
/* (a0, a1, a2, a3) to (a1, a0, a3, a2); to (a0, a0, a1, a1), of the low half of a. */
static inline f32x4 f32x4_swap_pairs(f32x4 a) {
    return wasm_i32x4_shuffle(a, a, 1, 0, 3, 2);
}
static inline f32x4 f32x4_twice_low(f32x4 a) {
    return wasm_i32x4_shuffle(a, a, 0, 0, 1, 1);
}
static inline f64x2 f64x2_splat(double x) {
    return wasm_f64x2_splat(x);
}
static inline f64x2 f64x2_low(f32x4 a) {
    return wasm_f64x2_promote_low_f32x4(a);
}
static inline f64x2 f64x2_high(f32x4 a) {
    return wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
}
static inline f64x2 f64x2_mul(f64x2 a, f64x2 b) {
    return wasm_f64x2_mul(a, b);
}
/* The integer part of 0 <= a < 2^51, as an integer. */
static inline u64x2 u64x2_floor(f64x2 a) {
    f64x2 magic = wasm_f64x2_splat(0x1p52);
    return wasm_v128_xor(wasm_f64x2_add(wasm_f64x2_floor(a), magic), magic);
}
static inline u64x2 u64x2_splat(uint64_t x) {
    return wasm_i64x2_splat((int64_t)x);
}
static inline u64x2 u64x2_add(u64x2 a, u64x2 b) {
    return wasm_i64x2_add(a, b);
}
static inline void u64x2_store(uint64_t *p, u64x2 x) {
    wasm_v128_store(p, x);
}

#else

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

static inline f32x4 f32x4_splat(float x) {
    return (f32x4){x, x, x, x};
}
static inline f32x4 f32x4_load(const float *p) {
    f32x4 x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void f32x4_store(float *p, f32x4 x) {
    memcpy(p, &x, sizeof x);
}
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) {
    return a + b;
}
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) {
    return a - b;
}
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) {
    return a * b;
}
static inline f32x4 f32x4_div(f32x4 a, f32x4 b) {
    return a / b;
}
static inline f32x4 f32x4_negate(f32x4 a) {
    return -a;
}
static inline i32x4 f32x4_less(f32x4 a, f32x4 b) {
    return a < b;
}
static inline i32x4 i32x4_bits(f32x4 a) {
    return (i32x4)a;
}
static inline f32x4 f32x4_bits(i32x4 a) {
    return (f32x4)a;
}
static inline f32x4 f32x4_select(i32x4 mask, f32x4 a, f32x4 b) {
    return (f32x4)(((i32x4)a & mask) | ((i32x4)b & ~mask));
}
static inline f32x4 f32x4_larger(f32x4 a, f32x4 b) {
    return f32x4_select(b < a, a, b);
}
static inline i32x4 i32x4_splat(int32_t x) {
    return (i32x4){x, x, x, x};
}
static inline i32x4 i32x4_add(i32x4 a, i32x4 b) {
    return (i32x4)((u32x4)a + (u32x4)b);
}
static inline i32x4 i32x4_shift_left(i32x4 a, int n) {
    return (i32x4)((u32x4)a << n);
}
static inline f32x4 f32x4_swap_pairs(f32x4 a) {
    return (f32x4){a[1], a[0], a[3], a[2]};
}
static inline f32x4 f32x4_twice_low(f32x4 a) {
    return (f32x4){a[0], a[0], a[1], a[1]};
}
static inline f64x2 f64x2_splat(double x) {
    return (f64x2){x, x};
}
static inline f64x2 f64x2_low(f32x4 a) {
    return (f64x2){(double)a[0], (double)a[1]};
}
static inline f64x2 f64x2_high(f32x4 a) {
    return (f64x2){(double)a[2], (double)a[3]};
}
static inline f64x2 f64x2_mul(f64x2 a, f64x2 b) {
    return a * b;
}
/* Adding 2^52 rounds to an integer in the low bits; where that went up, one is taken off. */
static inline u64x2 u64x2_floor(f64x2 a) {
    f64x2 magic = f64x2_splat(0x1p52), rounded = a + magic;
    return ((u64x2)rounded ^ (u64x2)magic) + (u64x2)(rounded - magic > a);
}
static inline u64x2 u64x2_splat(uint64_t x) {
    return (u64x2){x, x};
}
static inline u64x2 u64x2_add(u64x2 a, u64x2 b) {
    return a + b;
}
static inline void u64x2_store(uint64_t *p, u64x2 x) {
    memcpy(p, &x, sizeof x);
}

#endif

/* The first n < 4 lanes, the rest zero; and back. */
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

/* (a0 + a1) + (a2 + a3). */
static inline float f32x4_sum(f32x4 a) {
    float lanes[4];
    f32x4_store(lanes, a);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static inline uint64_t u64x2_sum(u64x2 a) {
    uint64_t lanes[2];
    u64x2_store(lanes, a);
    return lanes[0] + lanes[1];
}

#endif
