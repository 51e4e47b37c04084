/* Strict UTF-8 decoding, character classes, and quoting of text for error messages. */
#include "unicode.h"

#include <string.h>

size_t unicode_next(const char *text, size_t length, uint32_t *code) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t first = bytes[0];
    *code = first;
    if (first < 0x80) return 1;
    *code = UNICODE_INVALID;
    size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || size > length) return 1;
    uint32_t value = first & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 1;
    *code = value;
    return size;
}

size_t unicode_put(char *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(0xf00U >> size | code);
    return size;
}

uint32_t unicode_within(const struct unicode_range *ranges, size_t n, uint32_t code) {
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else if (code < ranges[middle].first)
            n = middle;
        else
            return ranges[middle].class;
    }
    return 0;
}

enum unicode_class unicode_class(uint32_t code) {
    if (code >= UNICODE_LATE)
        return (enum unicode_class)unicode_within(unicode_late, UNICODE_N_LATE, code);
    const uint8_t *run = unicode_runs + unicode_blocks[code / UNICODE_BLOCK];
    uint32_t end = (*run >> 3) + 1u;
    while (end <= code % UNICODE_BLOCK) end += (*++run >> 3) + 1u;
    return (enum unicode_class)(*run & 7);
}

bool unicode_deepseek_letter(uint32_t code) {
    return unicode_within(unicode_deepseek_letters, UNICODE_N_DEEPSEEK_LETTERS, code) != 0;
}

/* True for characters that are invisible in a sentence or change the order of its text. */
static bool is_invisible(uint32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
    if (code >= 0x200b && code < 0x2070 && (code < 0x2010 || code >= 0x2028)) return true;
    return code == 0xad || code == 0xfeff || (code != ' ' && unicode_class(code) == UNICODE_SPACE);
}

static size_t put_hex(char *out, uint32_t value, int digits) {
    size_t used = 0;
    for (int shift = 20; shift >= 0; shift -= 4) {
        if (value >> shift || shift / 4 < digits)
            out[used++] = "0123456789ABCDEF"[value >> shift & 15];
    }
    return used;
}

/* Writes a character of a quoted text to out (12,); returns the bytes written. */
static size_t put_visible(char *out, uint32_t code, char byte) {
    size_t used = 2;
    out[0] = '\\';
    if (code == '\n' || code == '\r' || code == '\t') {
        out[1] = code == '\n' ? 'n' : code == '\r' ? 'r' : 't';
    } else if (code == UNICODE_INVALID) {
        out[1] = 'x';
        used += put_hex(out + 2, (unsigned char)byte, 2);
    } else if (is_invisible(code)) {
        memcpy(out + 1, "u{", 2);
        used = 3 + put_hex(out + 3, code, 2);
        out[used++] = '}';
    } else {
        used = unicode_put(out, code);
    }
    return used;
}

void unicode_quote(char out[UNICODE_QUOTE_MAX], const char *text, size_t length) {
    size_t used = 0, cut = 0; /* cut: the longest prefix that leaves room for "..." */
    for (size_t at = 0; at < length;) {
        uint32_t code;
        char shown[12];
        size_t size = unicode_next(text + at, length - at, &code);
        size_t width = put_visible(shown, code, text[at]);
        if (used + width >= UNICODE_QUOTE_MAX) {
            memcpy(out + cut, "...", 3);
            used = cut + 3;
            break;
        }
        memcpy(out + used, shown, width);
        used += width;
        at += size;
        if (used + 3 < UNICODE_QUOTE_MAX) cut = used;
    }
    out[used] = 0;
}
