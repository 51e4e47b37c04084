/* UTF-8 and the three classes of characters that GPT-2's pre-tokenizer knows. */
#ifndef LOGITSCOPE_UNICODE_H
#define LOGITSCOPE_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#define UNICODE_INVALID UINT32_MAX /* the code of a byte that begins no character */

enum unicode_class { UNICODE_OTHER, UNICODE_LETTER, UNICODE_NUMBER, UNICODE_SPACE };

/* The character at text[0 .. length), length > 0: its code in *code, its bytes as the result. A
 * byte that begins no well-formed character (RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF) is one byte with the code UNICODE_INVALID. */
size_t unicode_next(const char *text, size_t length, uint32_t *code);

/* Writes a code up to U+10FFFF as UTF-8 into out (4,); returns the bytes used. */
size_t unicode_put(char *out, uint32_t code);

/* General categories L* and N*, and the property White_Space. UNICODE_INVALID is UNICODE_OTHER. */
enum unicode_class unicode_class(uint32_t code);

/* A name for `length` bytes of text inside a sentence: controls, invisible characters and invalid
 * bytes are spelled out (\n, \u{200B}, \xFF), a long text is cut with "..." between characters. */
enum { UNICODE_QUOTE_MAX = 64 };
void unicode_quote(char out[UNICODE_QUOTE_MAX], const char *text, size_t length);

/* Every code at which the class changes, ascending, as code << 2 | class from there on. Generated
 * by tests/fixtures/make_unicode.js into unicode_table.c. */
extern const uint32_t unicode_table[];
extern const size_t unicode_table_size;

#endif
