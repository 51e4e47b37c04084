/* Splits a text into segments; form C neither composes nor reorders across their boundaries. Each
 * segment is decomposed, its marks are sorted by class, and pairs are composed. */
#include "nfc.h"

#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "unicode.h"

/* A Hangul syllable is composed by arithmetic from a leading consonant, a vowel and an optional
 * trailing consonant. */
enum {
    LEADING = 0x1100,
    VOWEL = 0x1161,
    TRAILING = 0x11a7, /* the code before the first trailing consonant */
    SYLLABLE = 0xac00,
    N_LEADING = 19,
    N_VOWELS = 21,
    N_TRAILING = 28,
    N_SYLLABLES = N_LEADING * N_VOWELS * N_TRAILING
};

struct pair {
    uint64_t key;           /* in `pairs` the code; in `made` second << 32 | first */
    uint32_t first, second; /* in `pairs` the parts, second 0 if there is only one; in `made` the
                               composed code, twice */
};

struct nfc {
    struct pair pairs[NFC_N_PAIRS], made[NFC_N_MADE]; /* each sorted by key */
    struct unicode_range marks[NFC_N_MARKS];
};

static int compare_keys(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Returns the first of n sorted pairs with a key >= `key`; if there is none, the last pair. */
static const struct pair *find_pair(const struct pair *pairs, size_t n, uint64_t key) {
    size_t low = 0;
    n--;
    while (low < n) {
        size_t middle = (low + n) / 2;
        if (pairs[middle].key < key)
            low = middle + 1;
        else
            n = middle;
    }
    return pairs + low;
}

static uint32_t next_number(const uint8_t **at) {
    uint32_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        n |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) return n;
    }
}

struct nfc *nfc_open(void) {
    const uint8_t *codes = nfc_codes, *firsts = nfc_firsts, *ranges = nfc_marks;
    const uint8_t *second_codes = nfc_second_codes;
    uint32_t seconds[NFC_N_SECONDS], code = 0, first = 0, n_made = 0;
    struct nfc *nfc = malloc(sizeof *nfc);
    if (!nfc) return NULL;
    for (int i = 0; i < NFC_N_SECONDS; i++) seconds[i] = code += next_number(&second_codes);
    code = 0;
    for (int i = 0; i < NFC_N_PAIRS; i++) {
        uint32_t step = next_number(&firsts);
        first += step >> 1 ^ (0 - (step & 1)); /* ~(step >> 1) is -1 - (step >> 1) */
        code += next_number(&codes);
        uint32_t second = seconds[nfc_seconds[i] & 127];
        nfc->pairs[i] = (struct pair){code, first, second};
        if (nfc_seconds[i] < 128)
            nfc->made[n_made++] = (struct pair){(uint64_t)second << 32 | first, code, code};
    }
    sort(nfc->made, NFC_N_MADE, sizeof *nfc->made, compare_keys);
    code = 0;
    for (int i = 0; i < NFC_N_MARKS; i++) {
        first = code + next_number(&ranges);
        code = first + next_number(&ranges);
        nfc->marks[i] = (struct unicode_range){first, code, nfc_mark_classes[i]};
    }
    return nfc;
}

void nfc_close(struct nfc *nfc) { free(nfc); }

/* Returns the decomposition of a character, or NULL. */
static const struct pair *parts_of(const struct nfc *nfc, uint32_t code) {
    const struct pair *pair = find_pair(nfc->pairs, NFC_N_PAIRS, code);
    return pair->key == code ? pair : NULL;
}

static uint32_t compose(const struct nfc *nfc, uint32_t first, uint32_t second) {
    if (first - LEADING < N_LEADING && second - VOWEL < N_VOWELS)
        return SYLLABLE + ((first - LEADING) * N_VOWELS + second - VOWEL) * N_TRAILING;
    if (first - SYLLABLE < N_SYLLABLES && (first - SYLLABLE) % N_TRAILING == 0 &&
        second - TRAILING - 1 < N_TRAILING - 1)
        return first + (second - TRAILING);
    uint64_t key = (uint64_t)second << 32 | first;
    const struct pair *pair = find_pair(nfc->made, NFC_N_MADE, key);
    return pair->key == key ? pair->first : 0;
}

/* True if a segment begins with this character: the character neither combines with an earlier
 * character nor moves before one. */
static bool begins_segment(const struct nfc *nfc, uint32_t code) {
    const struct pair *pair;
    while ((pair = parts_of(nfc, code))) code = pair->first;
    return !unicode_within(nfc->marks, NFC_N_MARKS, code) &&
           find_pair(nfc->made, NFC_N_MADE, (uint64_t)code << 32)->key >> 32 != code &&
           code - VOWEL >= N_VOWELS && code - TRAILING - 1 >= N_TRAILING - 1;
}

/* The state while a text is converted. An element of `segment` is a character's code with its class
 * in the upper byte. A byte of invalid UTF-8 has the code BYTES + byte. */
enum { BYTES = 0x110000, CODE = 0xffffff, CLASS_SHIFT = 24 };
struct work {
    const struct nfc *nfc;
    uint32_t *segment; /* (2 * capacity,) the second half is scratch for sorting */
    size_t n, capacity;
    char *out;
    size_t used;
};

static void push_character(struct work *work, uint32_t code) {
    work->segment[work->n++] =
        unicode_within(work->nfc->marks, NFC_N_MARKS, code) << CLASS_SHIFT | code;
}

enum { PARTS_MAX = 4 }; /* most parts of a character */

static void push_parts(struct work *work, uint32_t code) {
    const struct pair *pair;
    uint32_t seconds[PARTS_MAX];
    int n = 0;
    if (code - SYLLABLE < N_SYLLABLES) {
        code -= SYLLABLE;
        push_character(work, LEADING + code / (N_VOWELS * N_TRAILING));
        push_character(work, VOWEL + code / N_TRAILING % N_VOWELS);
        if (code % N_TRAILING) push_character(work, TRAILING + code % N_TRAILING);
        return;
    }
    for (; (pair = parts_of(work->nfc, code)); code = pair->first)
        if (pair->second) seconds[n++] = pair->second;
    push_character(work, code);
    while (n) push_character(work, seconds[--n]);
}

/* Makes room for the parts of one more character; false if memory is short. */
static bool reserve_segment(struct work *work) {
    if (work->capacity - work->n >= PARTS_MAX) return true;
    size_t capacity = work->capacity ? 2 * work->capacity : 32;
    uint32_t *segment = realloc(work->segment, 2 * capacity * sizeof *segment);
    if (!segment) return false;
    work->segment = segment;
    work->capacity = capacity;
    return true;
}

/* Sorts each run of marks by class, stably. */
static void sort_marks(struct work *work) {
    uint32_t *segment = work->segment, *sorted = segment + work->capacity;
    for (size_t from = 0, to; from < work->n; from = to) {
        size_t places[NFC_N_CLASSES + 2] = {0};
        for (to = from; to < work->n && segment[to] >> CLASS_SHIFT; to++)
            places[(segment[to] >> CLASS_SHIFT) + 1]++;
        for (int i = 1; i <= NFC_N_CLASSES; i++) places[i + 1] += places[i];
        for (size_t i = from; i < to; i++) sorted[places[segment[i] >> CLASS_SHIFT]++] = segment[i];
        memcpy(segment + from, sorted, (to - from) * sizeof *segment);
        if (to == from) to++;
    }
}

/* Composes each starter (a character of class 0) with later characters. A character between them
 * prevents this if its class is equal to or above the class of the later character. */
static void compose_segment(struct work *work) {
    uint32_t *segment = work->segment, last = 0;
    size_t kept = 0, starter = SIZE_MAX;
    for (size_t i = 0; i < work->n; i++) {
        uint32_t class = segment[i] >> CLASS_SHIFT;
        bool free_way = starter != SIZE_MAX && (last == 0 || last < class);
        uint32_t whole = free_way ? compose(work->nfc, segment[starter], segment[i] & CODE) : 0;
        if (whole) {
            segment[starter] = whole;
            continue;
        }
        if (class == 0) starter = kept;
        last = class;
        segment[kept++] = segment[i];
    }
    work->n = kept;
}

/* Writes the first segment of text[0 .. length) in form C. Returns the segment's bytes in the text;
 * 0 if memory is short. */
static size_t normalise_segment(struct work *work, const char *text, size_t length) {
    uint32_t code;
    size_t at = 0;
    work->n = 0;
    do {
        if (!reserve_segment(work)) return 0;
        size_t size = unicode_next(text + at, length - at, &code);
        push_parts(work,
                   code != UNICODE_INVALID ? code : BYTES + (uint32_t)(unsigned char)text[at]);
        at += size;
        if (at < length) unicode_next(text + at, length - at, &code);
    } while (at < length && code != UNICODE_INVALID && !begins_segment(work->nfc, code));
    sort_marks(work);
    compose_segment(work);
    for (size_t i = 0; i < work->n; i++) {
        code = work->segment[i] & CODE;
        if (code >= BYTES)
            work->out[work->used++] = (char)(code - BYTES);
        else
            work->used += unicode_put(work->out + work->used, code);
    }
    return at;
}

/* Returns the end of the characters from `at` on that are already in form C: these characters and
 * the next one are below U+0300, whose first byte is 0xcc. */
static size_t plain_end(const char *text, size_t at, size_t length) {
    size_t last = at; /* start of the character before `at` */
    for (uint32_t code; at < length; at += unicode_next(text + at, length - at, &code)) {
        if ((unsigned char)text[at] >= 0xcc) return last;
        last = at;
    }
    return length;
}

bool nfc_apply(const struct nfc *nfc, const char *text, size_t length, char **out,
               size_t *out_length) {
    struct work work = {.nfc = nfc};
    size_t at = 0;
    *out = NULL;
    if (plain_end(text, 0, length) == length) return true;
    work.out = malloc(3 * length);
    while (work.out && at < length) {
        size_t plain = plain_end(text, at, length) - at;
        memcpy(work.out + work.used, text + at, plain);
        work.used += plain;
        at += plain;
        size_t size = at < length ? normalise_segment(&work, text + at, length - at) : 0;
        if (!size) break;
        at += size;
    }
    free(work.segment);
    if (at == length) {
        *out = work.out;
        *out_length = work.used;
        return true;
    }
    free(work.out);
    return false;
}
