/* Little-endian numbers at any address: what lies in a file need not be aligned in memory. */
#ifndef LOGITSCOPE_BYTES_H
#define LOGITSCOPE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *p) {
    return (uint32_t)load_u16(p) | (uint32_t)load_u16(p + 2) << 16;
}

static inline uint64_t load_u64(const uint8_t *p) {
    return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static inline float load_f32(const uint8_t *p) {
    uint32_t bits = load_u32(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double load_f64(const uint8_t *p) {
    uint64_t bits = load_u64(p);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The upper half of a float32. */
static inline float load_bf16(const uint8_t *p) {
    uint32_t bits = (uint32_t)load_u16(p) << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* IEEE 754 half precision, exactly. */
static inline float load_f16(const uint8_t *p) {
    uint32_t h = load_u16(p), sign = (h & 0x8000) << 16, magnitude = h & 0x7fff, bits;
    float x;
    if (magnitude < 0x400) { /* zero and subnormals: magnitude * 2^-24 */
        x = (float)magnitude * 0x1p-24f;
        memcpy(&bits, &x, sizeof bits);
    } else {
        bits = (magnitude << 13) + (magnitude >= 0x7c00 ? 224u << 23 : 112u << 23);
    }
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
