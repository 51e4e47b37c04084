/* The table of pre-tokenizers. Each has passes, and a pass cuts the text into pieces: runs of a
 * class of characters, English endings such as 's, and white space. The last white space before a
 * word belongs to the word. */
#include "pretokenizer.h"

#include <string.h>

#include "unicode.h"

/* Returns the end of the first piece of text[0 .. length), length > 0. */
typedef size_t cut(const struct pretokenizer_pass *pass, const char *text, size_t length);

struct pretokenizer_pass {
    cut *cut;
    bool (*has)(uint32_t code); /* cut_runs: true for the characters of a run */
    unsigned least, most; /* cut_runs: bounds of a run's length in characters; most 0: no limit */
    bool after_space;     /* cut_runs: true if one white space before a run belongs to it */
    unsigned numbers;     /* cut_words: most digits in a piece */
    bool marks;           /* cut_words: true if marks count as letters */
    bool cased;           /* cut_words: true if a word ends between lower and upper case */
    bool endings; /* cut_words with `cased`: true if endings such as 's belong to the word */
};

/* Matches 's|'t|'re|'ve|'m|'ll|'d, with `folded` in upper case too. Returns its bytes, or 0. */
static size_t ending_length(const char *text, size_t length, bool folded) {
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (length == 0 || text[0] != '\'') return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]), same = 0;
        if (length <= n) continue;
        while (same < n) {
            char c = text[1 + same];
            if (folded && c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
            if (c != endings[i][same]) break;
            same++;
        }
        if (same == n) return 1 + n;
    }
    return 0;
}

/* True if the character at `at` belongs to a set of classes. */
static bool has_class(const char *text, size_t length, size_t at, unsigned set) {
    uint32_t code;
    if (at >= length) return false;
    unicode_next(text + at, length - at, &code);
    return unicode_is(code, set);
}

/* Returns the end of a run of at most `most` characters of a set of classes, from `at` on. */
static size_t run_end(const char *text, size_t length, size_t at, unsigned set, size_t most) {
    for (size_t size; at < length && most; at += size, most--) {
        uint32_t code;
        size = unicode_next(text + at, length - at, &code);
        if (!unicode_is(code, set)) break;
    }
    return at;
}

/* Matches \s+(?!\S)|\s+ and, if `lines` is true, first tries \s*[\r\n]+. */
static size_t space_end(const char *text, size_t length, bool lines) {
    size_t at = 0, last = 0, line = 0;
    while (at < length) {
        uint32_t code;
        size_t size = unicode_next(text + at, length - at, &code);
        if (!unicode_is(code, UNICODE_SPACES)) break;
        last = at;
        at += size;
        if (code == '\r' || code == '\n') line = at;
    }
    if (lines && line) return line;
    return at < length && last > 0 ? last : at;
}

enum {
    WORDLESS = ~(UNICODE_LETTERS | UNICODE_NUMBERS | UNICODE_SPACES) & 0xff, /* [^\s\p{L}\p{N}] */
    TO_UPPER = 1 << UNICODE_UPPER | 1 << UNICODE_CASELESS | UNICODE_MARKS,
    TO_LOWER = 1 << UNICODE_LOWER | 1 << UNICODE_CASELESS | UNICODE_MARKS
};

/* GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static size_t cut_gpt2(const struct pretokenizer_pass *pass, const char *text, size_t length) {
    static const unsigned sets[] = {UNICODE_LETTERS, UNICODE_NUMBERS, WORDLESS};
    size_t size = ending_length(text, length, false), at = text[0] == ' ';
    (void)pass;
    if (size) return size;
    for (int i = 0; i < 3; i++)
        if (has_class(text, length, at, sets[i]))
            return run_end(text, length, at, sets[i], SIZE_MAX);
    return space_end(text, length, false);
}

/* Matches Upper* Lower+ from `at` on; returns the end, or 0. Caseless letters and marks are in both
 * sets. If no Lower follows Upper*, the match ends after its last character in both sets. */
static size_t lower_end(const char *text, size_t length, size_t at) {
    size_t both = 0;
    for (size_t size; at < length; at += size) {
        uint32_t code;
        size = unicode_next(text + at, length - at, &code);
        if (!unicode_is(code, TO_UPPER)) break;
        if (unicode_is(code, TO_LOWER)) both = at + size;
    }
    size_t end = run_end(text, length, at, TO_LOWER, SIZE_MAX);
    return end > at ? end : both;
}

/* Matches Upper+ Lower* from `at` on; returns the end, or 0. */
static size_t upper_end(const char *text, size_t length, size_t at) {
    size_t end = run_end(text, length, at, TO_UPPER, SIZE_MAX);
    return end > at ? run_end(text, length, end, TO_LOWER, SIZE_MAX) : 0;
}

/* Matches P?Upper*Lower+|P?Upper+Lower*, then an optional ending. `prefix` is the number of bytes
 * of P, or 0 if the first character is not P. Returns the end, or 0. */
static size_t cased_end(const struct pretokenizer_pass *pass, const char *text, size_t length,
                        size_t prefix) {
    size_t end = prefix ? lower_end(text, length, prefix) : 0;
    if (!end) end = lower_end(text, length, 0);
    if (!end && prefix) end = upper_end(text, length, prefix);
    if (!end) end = upper_end(text, length, 0);
    return end && pass->endings ? end + ending_length(text + end, length - end, true) : end;
}

/* Matches P?\p{L}+, or P?[\p{L}\p{M}]+ if pass->marks (a mark can be P); returns the end, or 0. */
static size_t word_end(const struct pretokenizer_pass *pass, const char *text, size_t length,
                       size_t prefix) {
    unsigned set = UNICODE_LETTERS | (pass->marks ? UNICODE_MARKS : 0u);
    size_t at = has_class(text, length, 0, set) ? 0 : prefix;
    return has_class(text, length, at, set) ? run_end(text, length, at, set, SIZE_MAX) : 0;
}

/* Llama 3's expression and its descendants, with P = [^\r\n\p{L}\p{N}]. If pass->cased, endings
 * follow the word, and [\r\n/]* replaces [\r\n]*. The expression is
 * (?i:'s|...)|P?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
static size_t cut_words(const struct pretokenizer_pass *pass, const char *text, size_t length) {
    uint32_t code;
    size_t size = unicode_next(text, length, &code), end = 0;
    bool is_line = code == '\r' || code == '\n';
    size_t prefix = is_line || unicode_is(code, UNICODE_LETTERS | UNICODE_NUMBERS) ? 0 : size;
    if (!pass->cased) end = ending_length(text, length, true);
    if (!end)
        end = pass->cased ? cased_end(pass, text, length, prefix)
                          : word_end(pass, text, length, prefix);
    if (end) return end;
    if (unicode_is(code, UNICODE_NUMBERS))
        return run_end(text, length, 0, UNICODE_NUMBERS, pass->numbers);
    unsigned set = pass->marks ? WORDLESS & ~(unsigned)UNICODE_MARKS : WORDLESS;
    size_t at = code == ' ';
    if (!has_class(text, length, at, set)) return space_end(text, length, true);
    at = run_end(text, length, at, set, SIZE_MAX);
    while (at < length &&
           (text[at] == '\r' || text[at] == '\n' || (pass->cased && text[at] == '/')))
        at++;
    return at;
}

/* Matches a run at the beginning of the text: pass->least to `most` characters of the pass, after a
 * space if the pass allows one. Returns the end, or 0. */
static size_t match_run(const struct pretokenizer_pass *pass, const char *text, size_t length,
                        unsigned most) {
    uint32_t code;
    size_t at = 0, size = unicode_next(text, length, &code);
    unsigned n = 0;
    if (pass->after_space && size < length && unicode_is(code, UNICODE_SPACES)) {
        unicode_next(text + size, length - size, &code);
        if (pass->has(code)) at = size;
    }
    for (; at < length && (most == 0 || n < most); n++, at += size) {
        size = unicode_next(text + at, length - at, &code);
        if (!pass->has(code)) break;
    }
    return n >= pass->least ? at : 0;
}

/* Returns the end of a run at the beginning of the text, or of the text before the first run. */
static size_t cut_runs(const struct pretokenizer_pass *pass, const char *text, size_t length) {
    size_t at = match_run(pass, text, length, pass->most);
    if (at) return at;
    do {
        uint32_t code;
        at += unicode_next(text + at, length - at, &code);
    } while (at < length && !match_run(pass, text + at, length - at, pass->least));
    return at;
}

/* Matches \s+$. Returns the end of the text before final white space, or of that space. */
static size_t cut_trailing(const struct pretokenizer_pass *pass, const char *text, size_t length) {
    size_t end = 0; /* end of the last character that is not white space */
    (void)pass;
    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += unicode_next(text + at, length - at, &code);
        if (!unicode_is(code, UNICODE_SPACES)) end = at;
    }
    return end ? end : length;
}

static bool is_letter(uint32_t code) { return unicode_is(code, UNICODE_LETTERS); }
static bool is_number(uint32_t code) { return unicode_is(code, UNICODE_NUMBERS); }
static bool is_digit(uint32_t code) { return code >= '0' && code <= '9'; }
static bool is_line(uint32_t code) { return code == '\r' || code == '\n'; }
static bool is_point(uint32_t code) { return unicode_is(code, UNICODE_POINTS); }

/* True if an ASCII code is in a list; false for 0. */
static bool is_in_list(uint32_t code, const char *list) {
    return code && code < 0x80 && strchr(list, (int)code);
}

static bool is_default_point(uint32_t code) {
    return is_point(code) || is_in_list(code, "$+<=>^~|");
}

static bool is_falcon_point(uint32_t code) {
    return is_point(code) || is_in_list(code, "$+<=>^~|`");
}

static bool is_between(uint32_t code, uint32_t first, uint32_t last) {
    return code >= first && code <= last;
}

/* Matches [!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]. */
static bool is_deepseek_point(uint32_t code) {
    return is_between(code, '!', '/') || is_between(code, ':', '~') ||
           is_between(code, 0xff01, 0xff0f) || is_between(code, 0xff1a, 0xff5e) ||
           is_between(code, 0x2018, 0x201f) || is_between(code, 0x3000, 0x3002);
}

/* Matches [\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]. */
static bool is_deepseek_east(uint32_t code) {
    return is_between(code, 0x0800, 0x9fa5) || is_between(code, 0xac00, 0xd7ff);
}

#define RUN(of, from, to) \
    { .cut = cut_runs, .has = (of), .least = (from), .most = (to) }
#define SPACED(of) \
    { .cut = cut_runs, .has = (of), .least = 1, .after_space = true }
#define WORDS(...) \
    { .cut = cut_words, __VA_ARGS__ }
#define GPT2 \
    { .cut = cut_gpt2 }

static const struct pretokenizer_pass by_default[] = {RUN(is_default_point, 1, 0), GPT2,
                                                      RUN(is_number, 1, 0), RUN(is_digit, 3, 3)};
static const struct pretokenizer_pass gpt2[] = {GPT2};
static const struct pretokenizer_pass digits_gpt2[] = {RUN(is_number, 1, 1), GPT2};
static const struct pretokenizer_pass falcon[] = {RUN(is_falcon_point, 1, 0), GPT2,
                                                  RUN(is_digit, 3, 3)};
static const struct pretokenizer_pass llama3[] = {WORDS(.numbers = 3)};
static const struct pretokenizer_pass qwen2[] = {WORDS(.numbers = 1)};
static const struct pretokenizer_pass nanochat[] = {WORDS(.numbers = 2)};
static const struct pretokenizer_pass qwen35[] = {WORDS(.numbers = 1, .marks = true)};
static const struct pretokenizer_pass tekken[] = {WORDS(.numbers = 1, .cased = true)};
static const struct pretokenizer_pass gpt4o[] = {
    WORDS(.numbers = 3, .cased = true, .endings = true)};
static const struct pretokenizer_pass deepseek_llm[] = {
    RUN(is_line, 1, 1),    SPACED(unicode_deepseek_letter), SPACED(is_deepseek_point),
    {.cut = cut_trailing}, RUN(is_deepseek_east, 1, 0),     RUN(is_number, 1, 0)};
static const struct pretokenizer_pass deepseek_coder[] = {
    RUN(is_line, 1, 1), SPACED(is_letter), SPACED(is_point), RUN(is_deepseek_east, 1, 0),
    RUN(is_number, 1, 1)};

#define ROW(name, list) \
    { name, list, sizeof(list) / sizeof *(list), false, false, false }
#define NFC(name, list) \
    { name, list, sizeof(list) / sizeof *(list), false, false, true }
#define LLAMA(name, list) \
    { name, list, sizeof(list) / sizeof *(list), true, true, false }

static const struct pretokenizer table[] = {
    ROW("default", by_default),
    {"none", NULL, 0, false, false, false},
    ROW("gpt-2", gpt2),
    ROW("phi-2", gpt2),
    NFC("mpt", gpt2),
    NFC("olmo", gpt2),
    ROW("jais", gpt2),
    ROW("trillion", gpt2),
    ROW("granite-docling", gpt2),
    ROW("gigachat", gpt2),
    ROW("a.x-4.0", gpt2),
    ROW("mellum", gpt2),
    ROW("exaone4", gpt2),
    ROW("smollm", digits_gpt2),
    ROW("starcoder", digits_gpt2),
    ROW("refact", digits_gpt2),
    NFC("command-r", digits_gpt2),
    ROW("codeshell", digits_gpt2),
    ROW("exaone", digits_gpt2),
    ROW("minerva-7b", digits_gpt2),
    ROW("mellum2", digits_gpt2),
    ROW("falcon", falcon),
    LLAMA("llama-bpe", llama3),
    LLAMA("llama3", llama3),
    LLAMA("llama-v3", llama3),
    LLAMA("lfm2", llama3),
    LLAMA("falcon3", llama3),
    LLAMA("falcon-h1", llama3),
    LLAMA("pixtral", llama3),
    LLAMA("midm-2.0", llama3),
    ROW("smaug-bpe", llama3),
    ROW("dbrx", llama3),
    NFC("qwen2", qwen2),
    NFC("deepseek-r1-qwen", qwen2),
    NFC("stablelm2", qwen2),
    ROW("hunyuan", qwen2),
    ROW("megrez", qwen2),
    ROW("kormo", qwen2),
    ROW("f2llmv2", qwen2),
    ROW("solar-open", qwen2),
    ROW("grok-2", qwen2),
    ROW("nanochat", nanochat),
    NFC("qwen35", qwen35),
    LLAMA("tekken", tekken),
    ROW("gpt-4o", gpt4o),
    ROW("llama4", gpt4o),
    ROW("kanana2", gpt4o),
    ROW("talkie", gpt4o),
    ROW("minimax-m2", gpt4o),
    ROW("deepseek-llm", deepseek_llm),
    ROW("deepseek-coder", deepseek_coder),
};

const struct pretokenizer *pretokenizer_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

struct pretokenizer_walk pretokenizer_begin(const struct pretokenizer *pretokenizer,
                                            const char *text, size_t length) {
    return (struct pretokenizer_walk){pretokenizer, text, 0, {length}};
}

size_t pretokenizer_next(struct pretokenizer_walk *walk) {
    const struct pretokenizer *pretokenizer = walk->pretokenizer;
    size_t pass = pretokenizer->n_passes;
    /* ends[pass] is the end of the text that `pass` cuts. Finds the last unfinished pass. */
    while (pass > 0 && walk->ends[pass] == walk->at) pass--;
    for (; pass < pretokenizer->n_passes; pass++) {
        const struct pretokenizer_pass *now = &pretokenizer->passes[pass];
        walk->ends[pass + 1] =
            walk->at + now->cut(now, walk->text + walk->at, walk->ends[pass] - walk->at);
    }
    return walk->at = walk->ends[pretokenizer->n_passes];
}
