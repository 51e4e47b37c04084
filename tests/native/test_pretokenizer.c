/* Tests that pre-tokenizers do linear work even for hostile texts. Work is counted, not timed: this
 * file compiles the source again, with a counter of decoded characters.
 * tests/node/pretokenizer.test.js checks the pieces. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "unicode.h"

static size_t looks; /* number of decoded characters */

static size_t counted_next(const char *text, size_t length, uint32_t *code) {
    looks++;
    return unicode_next(text, length, code);
}

#define unicode_next counted_next
#define pretokenizer_find counted_find
#define pretokenizer_begin counted_begin
#define pretokenizer_next counted_piece
#include "../../src/pretokenizer.c"

enum { LENGTH = 6000, LOOKS_MAX = 12 };

/* Splits the text and returns the number of decoded characters. Pieces must not be empty, and
 * together they must be the text. */
static size_t looks_of(const struct pretokenizer *pretokenizer, const char *text, size_t length) {
    struct pretokenizer_walk walk = counted_begin(pretokenizer, text, length);
    size_t at = 0;
    looks = 0;
    while (at < length) {
        size_t end = counted_piece(&walk);
        CHECK(end > at && end <= length && end == walk.at);
        if (end <= at) break;
        at = end;
    }
    return looks;
}

static void work_is_linear(void) {
    static const char *const units[] = {"a",    "A",   "aA",        "Aa",        " ",
                                        "  \n", "\n ", "\r\n ",     "1",         "12 ",
                                        "'",    "'s",  "'r",        ".",         " .",
                                        ". ",   "$",   "A\xcc\x81", "\314\201A", "\xcc\x81",
                                        "/",    "./",  ".\n",       "\xff",      "\xe4\xb8\xad",
                                        "a ",   "\t",  " a\n",      "A'L",       "\xe3\x80\x80"};
    static const char *const heads[] = {"", "\xcc\x81", ".", " ", "a", "\n"};
    static char text[LENGTH];
    for (size_t row = 0; row < sizeof table / sizeof *table; row++) {
        if (row && table[row].passes == table[row - 1].passes) continue;
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
                size_t n = strlen(units[u]), head = strlen(heads[h]);
                memcpy(text, heads[h], head);
                for (size_t i = head; i < LENGTH; i++) text[i] = units[u][(i - head) % n];
                size_t most = (size_t)LOOKS_MAX * table[row].n_passes * LENGTH;
                size_t made = looks_of(&table[row], text, LENGTH);
                CHECK_MESSAGE(made <= most, "%s, \"%s\" and \"%s\": %zu looks", table[row].name,
                              heads[h], units[u], made);
            }
    }
}

static void names_are_found(void) {
    for (size_t row = 0; row < sizeof table / sizeof *table; row++) {
        const char *name = table[row].name;
        CHECK(counted_find(name, strlen(name)) == &table[row]);
        CHECK((table[row].n_passes > 0) == (strcmp(table[row].name, "none") != 0) &&
              table[row].n_passes <= PRETOKENIZER_PASSES_MAX);
    }
    CHECK(!counted_find("gpt2", 4) && !counted_find("", 0) && !counted_find("gpt-", 4));
}

int main(void) {
    TEST(names_are_found);
    TEST(work_is_linear);
    return check_report();
}
