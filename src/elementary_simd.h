/* elementary_exp with vector words; computes the bits of elementary.h. */
#ifndef LOGITSCOPE_ELEMENTARY_SIMD_H
#define LOGITSCOPE_ELEMENTARY_SIMD_H

#include "simd.h"

/* elementary_exp for x <= 0 or NaN, with the same operations. Adding the magic number rounds n into
 * the low bits, from where it is read. */
static inline f32x4 exp_down_f32x4(f32x4 x) {
    f32x4 magic = f32x4_splat(12582912.0f);
    f32x4 shifted = f32x4_add(f32x4_mul(x, f32x4_splat(1.44269504088896341f)), magic);
    f32x4 n = f32x4_sub(shifted, magic);
    f32x4 r = f32x4_sub(f32x4_sub(x, f32x4_mul(n, f32x4_splat(0.693359375f))),
                        f32x4_mul(n, f32x4_splat(-2.12194440e-4f)));
    f32x4 p = f32x4_splat(1.9875691500e-4f);
    p = f32x4_add(f32x4_mul(p, r), f32x4_splat(1.3981999507e-3f));
    p = f32x4_add(f32x4_mul(p, r), f32x4_splat(8.3334519073e-3f));
    p = f32x4_add(f32x4_mul(p, r), f32x4_splat(4.1665795894e-2f));
    p = f32x4_add(f32x4_mul(p, r), f32x4_splat(1.6666665459e-1f));
    p = f32x4_add(f32x4_mul(p, r), f32x4_splat(5.0000001201e-1f));
    f32x4 y = f32x4_add(f32x4_add(f32x4_mul(p, f32x4_mul(r, r)), r), f32x4_splat(1.0f));
    /* the bits of `shifted` are 0x4b400000 + n; overflow is replaced below */
    i32x4 power = i32x4_add(i32x4_bits(shifted), i32x4_splat(127 - 0x4b400000));
    y = f32x4_mul(y, f32x4_bits(i32x4_shift_left(power, 23)));
    return f32x4_unless(f32x4_less(x, f32x4_splat(-87.3f)), y);
}

#endif
