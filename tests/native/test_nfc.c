/* Tests form C: examples from Unicode's documents, properties for any bytes, and the time for long
 * runs of marks. tests/node/nfc.test.js tests every character. */
#include <time.h>

#include "check.h"
#include "draw.h"
#include "nfc.h"
#include "unicode.h"

static struct nfc *nfc;

static void check_form(const char *text, const char *expected) {
    char *out;
    size_t n = strlen(text);
    CHECK(nfc_apply(nfc, text, n, &out, &n));
    CHECK_MESSAGE(n == strlen(expected) && !memcmp(out ? out : text, expected, n), "%s: %.*s", text,
                  (int)n, out ? out : text);
    free(out);
}

static void known_cases(void) {
    check_form("", "");
    check_form("plain \303\251", "plain \303\251");
    check_form("cafe\314\201", "caf\303\251");
    check_form("e\314\201e\314\201 x", "\303\251\303\251 x");
    check_form("a\314\243\314\202", "\341\272\255");     /* dot below, circumflex */
    check_form("a\314\202\314\243", "\341\272\255");     /* circumflex, dot below */
    check_form("a\314\212\314\201", "\307\273");         /* ring, acute */
    check_form("a\314\201\314\212", "\303\241\314\212"); /* blocked: the marks have equal class */
    check_form("\342\204\253\342\204\246", "\303\205\316\251"); /* Angstrom, Ohm */
    check_form("\342\204\252", "K");                            /* Kelvin */
    check_form("\340\245\230", "\340\244\225\340\244\274");     /* form C never composes U+0958 */
    check_form("\341\204\222\341\205\241\341\206\253", "\355\225\234"); /* three Hangul letters */
    check_form("\355\225\230\341\206\253", "\355\225\234"); /* Hangul syllable + consonant */
    check_form("\355\225\234\341\206\253", "\355\225\234\341\206\253");
    check_form("\314\210\314\201", "\314\210\314\201"); /* two marks without a starter */
    check_form("\315\204", "\314\210\314\201");         /* U+0344, which form C always decomposes */
    check_form("\360\235\205\240", "\360\235\205\230\360\235\205\245\360\235\205\256");
    check_form("\357\244\200\360\257\240\200",
               "\350\261\210\344\270\275");                 /* compatibility ideographs */
    check_form("\340\247\207\340\246\276", "\340\247\213"); /* two starters that combine */
}

/* Invalid bytes stay in place, and nothing combines with them. */
static void invalid_bytes(void) {
    check_form("\377\314\201e\314\201\200", "\377\314\201\303\251\200");
    check_form("e\314", "e\314");
    check_form("e\355\240\200\314\201", "e\355\240\200\314\201");
    check_form("\314\243\377\314\243\314\201", "\314\243\377\314\243\314\201");
    check_form("\200\200\200\317", "\200\200\200\317");
}

static void any_bytes(void) {
    static const uint32_t pools[][2] = {{0x20, 0x180},    {0x300, 0x362},   {0x1e00, 0x2000},
                                        {0x1100, 0x1200}, {0xac00, 0xd7a4}, {0x900, 0xe00},
                                        {0, 0x110000}};
    struct pcg32 generator;
    char text[256];
    pcg32_seed(&generator, 7, 0);
    for (size_t i = 0; i < 30000; i += check_step(4)) {
        size_t n = 0, m, again;
        while (n < 40) {
            const uint32_t *pool = pools[pcg32_next(&generator) % 7];
            n += unicode_put(text + n, pool[0] + pcg32_next(&generator) % (pool[1] - pool[0]));
        }
        if (i % 3 == 0) text[pcg32_next(&generator) % n] = (char)pcg32_next(&generator);
        char *once, *twice;
        m = n;
        CHECK(nfc_apply(nfc, text, n, &once, &m) && m <= 3 * n);
        again = m;
        CHECK(nfc_apply(nfc, once ? once : text, m, &twice, &again) && again == m);
        CHECK(!twice || !memcmp(twice, once ? once : text, m));
        free(once);
        free(twice);
    }
}

static double seconds_of(const char *text, size_t length) {
    char *out;
    clock_t start = clock();
    CHECK(nfc_apply(nfc, text, length, &out, &length));
    free(out);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Tries tens of thousands of marks in the worst orders. For eight times the text, the time may grow
 * at most 24 times. */
static void growth(void) {
    static const char *const pieces[] = {"\314\201",     "\314\243\314\201\314\233",
                                         "\200",         "\341\205\241",
                                         "e\314\201",    "\340\246\276",
                                         "\314\201\377", "\303\251\315\205"};
    const size_t length = check_all() ? 1 << 18 : 1 << 17;
    char *text = malloc(length + 8);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t n = strlen(pieces[k]);
        double brief = 0, full = 0;
        for (size_t at = 0; at < length; at += n) memcpy(text + at, pieces[k], n);
        for (int i = 0; i < 3; i++) {
            double a = seconds_of(text, length / 8 / n * n), b = seconds_of(text, length / n * n);
            brief = i && brief < a ? brief : a;
            full = i && full < b ? full : b;
        }
        CHECK_MESSAGE(full <= 24 * brief + 0.02, "piece %zu: %g s, %g s", k, brief, full);
    }
    free(text);
}

int main(void) {
    nfc = nfc_open();
    TEST(known_cases);
    TEST(invalid_bytes);
    TEST(any_bytes);
    TEST(growth);
    nfc_close(nfc);
    return check_report();
}
