/* Reads little-endian numbers at any address, because a file does not align them. Writes decimal
 * digits for names and faults. */
#ifndef LOGITSCOPE_BYTES_H
#define LOGITSCOPE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

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

/* bfloat16 is the upper half of a float32. */
static inline float load_bf16(const uint8_t *p) {
    uint32_t bits = (uint32_t)load_u16(p) << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Converts IEEE 754 half precision exactly. */
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

/* Writes n in decimal to out (20,), without a terminating 0; returns the number of digits. */
static inline size_t put_decimal(char *out, uint64_t n) {
    char digits[20];
    size_t used = 0, count = 0;
    do digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count) out[used++] = digits[--count];
    return used;
}

#endif
