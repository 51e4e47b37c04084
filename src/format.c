/* build: -O2 */
/* Decodes blocks of quantised weights, as a GGUF file stores them. */
#include "format.h"

#include "bytes.h"
#include "loop.h"

const struct format *format_of(uint32_t type) { return &format_table[type]; }

static struct weights group_of(float scale, float minimum, int factor, int share) {
    return (struct weights){
        scale, minimum, {(int8_t)factor, (int8_t)factor}, {(int8_t)share, (int8_t)share}, {0}};
}

/* Splits sixteen bytes: the low 4 bits are columns 0 .. 15, the high 4 bits columns 16 .. 31. */
static void take_halves(uint8_t *codes, const uint8_t *halves) {
    VECTOR
    for (int i = 0; i < 16; i++) {
        codes[i] = halves[i] & 15;
        codes[i + 16] = halves[i] >> 4;
    }
}

/* Decodes a block of 32 values: scale, minimum (some formats), fifth bits (some formats), codes. */
static void decode_small(struct weights *group, const struct format *f, const uint8_t *block) {
    *group = group_of(load_f16(block), f->minimum ? load_f16(block + 2) : 0, 1, 1);
    block += f->minimum ? 4 : 2;
    if (f->bits == 8) {
        memcpy(group->codes, block, FORMAT_GROUP);
        return;
    }
    uint32_t fifth = f->bits == 5 ? load_u32(block) : 0;
    take_halves(group->codes, f->bits == 5 ? block + 4 : block);
    VECTOR
    for (int i = 0; i < FORMAT_GROUP && f->bits == 5; i++)
        group->codes[i] = (uint8_t)(group->codes[i] | (fifth >> i & 1) << 4);
}

/* Reads factor and share of group g of Q4_K and Q5_K, 6 bits each. Groups 0 .. 3 use the low 6 bits
 * of bytes 0 .. 7. Groups 4 .. 7 have their low 4 bits in bytes 8 .. 11, and their high 2 bits at
 * the top of bytes 0 .. 7. */
static struct weights group_of_six(float scale, float minimum, const uint8_t *packed, int g) {
    if (g < 4) return group_of(scale, minimum, packed[g] & 63, packed[g + 4] & 63);
    return group_of(scale, minimum, (packed[g + 4] & 15) | (packed[g - 4] >> 6 << 4),
                    (packed[g + 4] >> 4) | (packed[g] >> 6 << 4));
}

/* Decodes Q4_K, or Q5_K if `fifth`: d, dmin, scales[12], qh[32] (Q5_K only), qs[128]. 64 values
 * share 32 bytes of qs: the first 32 values are their low halves. */
static void decode_q4_k(struct weights *groups, const uint8_t *block, bool fifth) {
    const uint8_t *high = block + 16, *low = high + (fifth ? 32 : 0);
    for (int g = 0; g < 8; g++) {
        groups[g] = group_of_six(load_f16(block), -load_f16(block + 2), block + 4, g);
        VECTOR
        for (int i = 0; i < FORMAT_GROUP; i++)
            groups[g].codes[i] = low[g / 2 * 32 + i] >> (g % 2 * 4) & 15;
        VECTOR
        for (int i = 0; i < FORMAT_GROUP && fifth; i++)
            groups[g].codes[i] |= (uint8_t)((high[i] >> g & 1) << 4);
    }
}

/* Reads the codes of group g, two bits each; 128 codes share 32 bytes. */
static void take_two_bits(uint8_t *codes, const uint8_t *bytes, int g) {
    VECTOR
    for (int i = 0; i < FORMAT_GROUP; i++) codes[i] = bytes[g / 4 * 32 + i] >> (g % 4 * 2) & 3;
}

/* Decodes Q2_K: scales[16], qs[64], d, dmin. */
static void decode_q2_k(struct weights *groups, const uint8_t *block) {
    float scale = load_f16(block + 80), minimum = -load_f16(block + 82);
    for (int g = 0; g < 8; g++) {
        groups[g] = group_of(scale, minimum, 0, 0);
        for (int half = 0; half < 2; half++) {
            groups[g].factors[half] = block[2 * g + half] & 15;
            groups[g].shares[half] = (int8_t)(block[2 * g + half] >> 4);
        }
        take_two_bits(groups[g].codes, block + 16, g);
    }
}

/* Decodes Q3_K: hmask[32], qs[64], scales[12], d. Bytes 0 .. 7 of `scales` contain the low four
 * bits of scales 0 .. 7 (low halves) and of scales 8 .. 15 (high halves). Bytes 8 .. 11 contain the
 * upper two bits of all scales. */
static void decode_q3_k(struct weights *groups, const uint8_t *block) {
    const uint8_t *scales = block + 96;
    for (int g = 0; g < 8; g++) {
        groups[g] = group_of(load_f16(block + 108), 0, 0, 0);
        for (int half = 0; half < 2; half++) {
            int s = 2 * g + half, low = scales[s % 8] >> (s / 8 * 4) & 15;
            int high = scales[8 + s % 4] >> (s / 4 * 2) & 3;
            groups[g].factors[half] = (int8_t)((low | high << 4) - 32);
        }
        take_two_bits(groups[g].codes, block + 32, g);
        VECTOR
        for (int i = 0; i < FORMAT_GROUP; i++)
            groups[g].codes[i] |= (uint8_t)((block[i] >> g & 1) << 2);
    }
}

/* Decodes Q6_K: ql[128], qh[64], scales[16], d. */
static void decode_q6_k(struct weights *groups, const uint8_t *block) {
    for (int g = 0; g < 8; g++) {
        size_t at = (size_t)g;
        groups[g] = group_of(load_f16(block + 208), 0, 0, 0);
        memcpy(groups[g].factors, block + 192 + 2 * at, 2);
        const uint8_t *low = block + at / 4 * 64 + at % 2 * 32;
        take_two_bits(groups[g].codes, block + 128, g);
        VECTOR
        for (int i = 0; i < FORMAT_GROUP; i++)
            groups[g].codes[i] =
                (uint8_t)(groups[g].codes[i] << 4 | (low[i] >> (g % 4 / 2 * 4) & 15));
    }
}

/* Decodes IQ4_XS: d, scales_h, scales_l[4], qs[128]. */
static void decode_iq4_xs(struct weights *groups, const uint8_t *block) {
    for (int g = 0; g < 8; g++) {
        int low = block[4 + g / 2] >> (g % 2 * 4) & 15, high = load_u16(block + 2) >> (2 * g) & 3;
        groups[g] = group_of(load_f16(block), 0, (low | high << 4) - 32, 0);
        take_halves(groups[g].codes, block + 8 + 16 * (size_t)g);
    }
}

void format_decode(struct weights *groups, enum gguf_tensor_type type, const uint8_t *block) {
    switch (type) {
    case GGUF_Q2_K: decode_q2_k(groups, block); break;
    case GGUF_Q3_K: decode_q3_k(groups, block); break;
    case GGUF_Q4_K:
    case GGUF_Q5_K: decode_q4_k(groups, block, type == GGUF_Q5_K); break;
    case GGUF_Q6_K: decode_q6_k(groups, block); break;
    case GGUF_IQ4_XS: decode_iq4_xs(groups, block); break;
    default: decode_small(groups, format_of(type), block);
    }
}

int format_quant(const struct format *f, uint8_t code) {
    static const int8_t levels[16] = {FORMAT_LEVELS};
    if (f->bits == 8) return (int8_t)code;
    return f->levels ? levels[code] : code - f->offset;
}

void format_values(float *out, const struct format *f, const struct weights *group) {
    for (int i = 0; i < FORMAT_GROUP; i++) {
        int product = group->factors[i / 16] * format_quant(f, group->codes[i]);
        out[i] = group->scale * (float)product;
        int share = group->shares[i / 16];
        if (f->minimum) out[i] += group->minimum * (float)share;
    }
}
