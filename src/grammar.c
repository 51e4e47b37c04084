/* Reads a grammar by recursive descent and writes its program. All jump targets are relative, so
 * that alternatives can move steps and repetitions can copy them. */
#include "grammar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unicode.h"

enum { UNBOUNDED = UINT32_MAX };
enum { NESTING_MAX = 100, REPEAT_MAX = 1000, RANGES_MAX = 256 };

struct parser {
    const char *begin, *at, *end;
    struct grammar *grammar;
    uint32_t capacity, nesting;
    enum status status;
    struct fault *fault;
};

static uint64_t line_of(const struct parser *p) {
    uint64_t line = 1;
    for (const char *c = p->begin; c < p->at; c++) line += *c == '\n';
    return line;
}

/* Records the first failure only, and ends the reading of the grammar. */
static void fail(struct parser *p, const char *trouble) {
    if (p->status) return;
    uint64_t line = line_of(p);
    p->status = fault_set(p->fault, STATUS_INVALID_ARGUMENT, "grammar_line", "line:u trouble:k",
                          line, trouble);
    p->at = p->end;
}

static void emit(struct parser *p, struct grammar_step step) {
    struct grammar *g = p->grammar;
    if (p->status) return;
    if (g->n_steps == GRAMMAR_CODE_MAX) {
        fail(p, "grammar_too_large");
        return;
    }
    if (g->n_steps == p->capacity) {
        uint32_t capacity = p->capacity ? 2 * p->capacity : 256;
        void *grown = realloc(g->steps, capacity * sizeof *g->steps);
        if (!grown) {
            p->status = fault_set(p->fault, STATUS_OUT_OF_MEMORY, "no_memory_grammar", "");
            p->at = p->end;
            return;
        }
        g->steps = grown;
        p->capacity = capacity;
    }
    g->steps[g->n_steps++] = step;
}

static void emit_to(struct parser *p, enum grammar_kind kind, uint32_t to) {
    emit(p, (struct grammar_step){.kind = (uint8_t)kind, .to = (int32_t)to});
}

static void emit_bytes(struct parser *p, const char *low, const char *high, size_t n) {
    for (size_t i = 0; i < n; i++)
        emit(p, (struct grammar_step){GRAMMAR_BYTE, (uint8_t)low[i], (uint8_t)high[i], 0});
}

/* Emits a jump to an end that is not known yet. All jumps to this end form a list: each jump stores
 * 1 + the index of the previous jump, and *exits stores 1 + the index of the last. */
static void emit_exit(struct parser *p, uint32_t *exits) {
    emit_to(p, GRAMMAR_JUMP, *exits);
    *exits = p->grammar->n_steps;
}

static void close_exits(struct parser *p, uint32_t exits) {
    if (p->status) return;
    while (exits) {
        struct grammar_step *step = &p->grammar->steps[exits - 1];
        uint32_t last = (uint32_t)step->to;
        step->to = (int32_t)(p->grammar->n_steps - (exits - 1));
        exits = last;
    }
}

static void skip_space(struct parser *p) {
    while (p->at < p->end) {
        if (*p->at == '#') {
            while (p->at < p->end && *p->at != '\n' && *p->at != '\r') p->at++;
        } else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
            p->at++;
        } else {
            return;
        }
    }
}

static bool accept(struct parser *p, const char *text) {
    size_t length = strlen(text);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, text, length) != 0) return false;
    p->at += length;
    return true;
}

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* Reads a name and returns the index of its rule; adds the rule if it is new. */
static uint32_t read_name(struct parser *p) {
    struct grammar *g = p->grammar;
    const char *name = p->at;
    while (p->at < p->end && is_name_character(*p->at)) p->at++;
    uint32_t length = (uint32_t)(p->at - name), rule = 0;
    if (length == 0) {
        fail(p, "rule_name_expected");
        return 0;
    }
    for (; rule < g->n_rules; rule++)
        if (g->rules[rule].length == length && !memcmp(g->rules[rule].name, name, length))
            return rule;
    if (rule == GRAMMAR_RULES_MAX) {
        fail(p, "too_many_rules");
        return 0;
    }
    g->rules[g->n_rules++] = (struct grammar_rule){name, length, GRAMMAR_UNDEFINED};
    return rule;
}

static uint32_t read_hex(struct parser *p, int digits) {
    uint32_t code = 0;
    for (; digits > 0; digits--) {
        char c = p->at < p->end ? *p->at : 0;
        uint32_t digit = c >= '0' && c <= '9'                 ? (uint32_t)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10)
                                                              : 16;
        if (digit == 16) {
            fail(p, "hexadecimal_expected");
            return 0;
        }
        code = code * 16 + digit;
        p->at++;
    }
    if (code >= 0xd800 && code <= 0xdfff) fail(p, "half_surrogate");
    if (code > 0x10ffff) fail(p, "beyond_unicode");
    return p->status ? 0 : code;
}

/* Refuses an unknown escape: the backslash at `from` and `length` bytes after it. */
static void fail_escape(struct parser *p, const char *from, size_t length) {
    uint64_t column = 1;
    char escape[UNICODE_QUOTE_MAX];
    if (p->status) return;
    p->at = from;
    for (const char *c = from; c > p->begin && c[-1] != '\n'; c--) column += (*c & 0xc0) != 0x80;
    unicode_quote(escape, from, 1 + length);
    p->status = fault_set(p->fault, STATUS_INVALID_ARGUMENT, "grammar_escape",
                          "line:u column:u escape:s", line_of(p), column, escape);
    p->at = p->end;
}

/* Reads a character of a literal or class; `end` is the closing character. */
static uint32_t read_character(struct parser *p, char end) {
    uint32_t code;
    if (p->at == p->end) {
        fail(p, end == ']' ? "class_open" : "literal_open");
        return 0;
    }
    p->at += unicode_next(p->at, (size_t)(p->end - p->at), &code);
    if (code == UNICODE_INVALID) fail(p, "not_utf8");
    if (code != '\\') return code;
    if (p->at == p->end) return read_character(p, end);
    const char *escaped = p->at;
    p->at += unicode_next(p->at, (size_t)(p->end - p->at), &code);
    switch (code) {
    case '\\':
    case '"':
    case '[':
    case ']':
    case '-': return code;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'x': return read_hex(p, 2);
    case 'u': return read_hex(p, 4);
    case 'U': return read_hex(p, 8);
    case UNICODE_INVALID: fail(p, "not_utf8"); return 0;
    default: fail_escape(p, escaped - 1, (size_t)(p->at - escaped)); return 0;
    }
}

static void read_literal(struct parser *p) {
    while (!p->status && !accept(p, "\"")) {
        char bytes[4];
        size_t n = unicode_put(bytes, read_character(p, '"'));
        emit_bytes(p, bytes, bytes, n);
    }
}

/* Emits the characters low to high as alternatives of byte sequences. As in RE2 (Cox 2010), the
 * range is split where the number of bytes changes, and further until the trailing bytes of each
 * part run through all their values. Surrogates are skipped: they are not characters. */
static void emit_range(struct parser *p, uint32_t low, uint32_t high, uint32_t *exits) {
    static const uint32_t borders[] = {0x7f, 0x7ff, 0xd7ff, 0xdfff, 0xffff};
    char first[4], last[4];
    uint32_t cut = high;
    for (size_t i = 0; i < 5; i++)
        if (low <= borders[i] && borders[i] < cut) cut = borders[i];
    size_t n = unicode_put(first, low);
    for (size_t i = 1; i < n && cut == high; i++) {
        uint32_t mask = (1u << 6 * i) - 1;
        if ((low & ~mask) == (high & ~mask)) continue;
        if (low & mask)
            cut = low | mask;
        else if ((high & mask) != mask)
            cut = (high & ~mask) - 1;
    }
    if (cut < high) {
        emit_range(p, low, cut, exits);
        emit_range(p, cut + 1, high, exits);
    } else if (low < 0xd800 || low > 0xdfff) {
        unicode_put(last, high);
        emit_to(p, GRAMMAR_SPLIT, (uint32_t)n + 2);
        emit_bytes(p, first, last, n);
        emit_exit(p, exits);
    }
}

/* Emits n ascending ranges, or the gaps between them if `negated`. The last alternative is a byte
 * step that matches no byte. */
static void emit_class(struct parser *p, uint32_t (*ranges)[2], size_t n, bool negated) {
    uint32_t exits = 0, next = 0, before = p->grammar->n_steps;
    for (size_t i = 0; i < n && !p->status; i++) {
        uint32_t low = ranges[i][0], high = ranges[i][1];
        if (!negated)
            emit_range(p, low, high, &exits);
        else if (low > next)
            emit_range(p, next, low - 1, &exits);
        if (high >= next) next = high + 1;
    }
    if (negated && next <= 0x10ffff) emit_range(p, next, 0x10ffff, &exits);
    if (p->grammar->n_steps == before) fail(p, "class_empty");
    emit_bytes(p, "\1", "", 1);
    close_exits(p, exits);
}

static void read_class(struct parser *p) {
    uint32_t ranges[RANGES_MAX][2];
    size_t n = 0;
    bool negated = accept(p, "^");
    while (!p->status && !accept(p, "]")) {
        uint32_t low = read_character(p, ']'), high = low;
        if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            high = read_character(p, ']');
        }
        if (high < low) fail(p, "range_reversed");
        if (n == RANGES_MAX) fail(p, "too_many_ranges");
        if (p->status) return;
        size_t i = n++;
        for (; i > 0 && ranges[i - 1][0] > low; i--)
            memcpy(ranges[i], ranges[i - 1], sizeof *ranges);
        ranges[i][0] = low;
        ranges[i][1] = high;
    }
    if (n == 0) fail(p, "class_empty");
    emit_class(p, ranges, n, negated);
}

static void copy_steps(struct parser *p, uint32_t start, uint32_t length) {
    for (uint32_t i = 0; i < length && !p->status; i++) emit(p, p->grammar->steps[start + i]);
}

/* Replaces the steps from `start` on by a program that runs them `least` to `most` times. */
static void repeat_steps(struct parser *p, uint32_t start, uint32_t least, uint32_t most) {
    struct grammar *g = p->grammar;
    uint32_t length = g->n_steps - start;
    for (uint32_t i = 0; i < least; i++) copy_steps(p, start, length);
    if (most == UNBOUNDED) {
        emit_to(p, GRAMMAR_SPLIT, length + 2);
        copy_steps(p, start, length);
        emit_to(p, GRAMMAR_JUMP, 0 - (length + 1));
    } else {
        for (uint32_t left = most - least; left > 0; left--) {
            emit_to(p, GRAMMAR_SPLIT, left * (length + 1));
            copy_steps(p, start, length);
        }
    }
    if (p->status || length == 0) return;
    g->n_steps -= length;
    memmove(g->steps + start, g->steps + start + length, (g->n_steps - start) * sizeof *g->steps);
}

static uint32_t read_count(struct parser *p) {
    uint32_t count = 0;
    skip_space(p);
    if (p->at == p->end || *p->at < '0' || *p->at > '9') fail(p, "times_expected");
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        count = count * 10 + (uint32_t)(*p->at++ - '0');
        if (count > REPEAT_MAX) fail(p, "repeated_too_often");
    }
    skip_space(p);
    return count;
}

/* Reads all repetition signs after a part and repeats its steps, which begin at `start`. */
static void read_repeats(struct parser *p, uint32_t start) {
    for (skip_space(p); !p->status; skip_space(p)) {
        if (accept(p, "*")) {
            repeat_steps(p, start, 0, UNBOUNDED);
        } else if (accept(p, "+")) {
            repeat_steps(p, start, 1, UNBOUNDED);
        } else if (accept(p, "?")) {
            repeat_steps(p, start, 0, 1);
        } else if (accept(p, "{")) {
            uint32_t least = read_count(p), most = least;
            if (accept(p, ",")) {
                skip_space(p);
                most = p->at < p->end && *p->at == '}' ? UNBOUNDED : read_count(p);
            }
            if (!accept(p, "}")) fail(p, "times_open");
            if (most < least) fail(p, "most_below_least");
            if (!p->status) repeat_steps(p, start, least, most);
        } else {
            return;
        }
    }
}

static void read_alternatives(struct parser *p);

/* Reads one part of an alternative: a literal, class, dot, group or name. Returns false if none
 * begins here. A name before ::= is not a part: it begins the next rule. */
static bool read_part(struct parser *p) {
    const char *here = p->at;
    if (accept(p, "\"")) {
        read_literal(p);
    } else if (accept(p, "[")) {
        read_class(p);
    } else if (accept(p, ".")) {
        emit_class(p, NULL, 0, true);
    } else if (accept(p, "(")) {
        if (p->nesting++ == NESTING_MAX) fail(p, "nested_too_deep");
        read_alternatives(p);
        p->nesting--;
        if (!accept(p, ")")) fail(p, "parenthesis_open");
    } else if (p->at < p->end && is_name_character(*p->at)) {
        uint32_t rule = read_name(p);
        skip_space(p);
        if (accept(p, "::=")) {
            p->at = here;
            return false;
        }
        emit_to(p, GRAMMAR_CALL, rule);
    } else if (p->at < p->end && (*p->at == '<' || *p->at == '!')) {
        fail(p, "grammar_token");
        return false;
    } else {
        return false;
    }
    return true;
}

static void read_alternatives(struct parser *p) {
    struct grammar *g = p->grammar;
    uint32_t exits = 0;
    while (!p->status) {
        uint32_t start = g->n_steps;
        for (skip_space(p); !p->status; skip_space(p)) {
            uint32_t part = g->n_steps;
            if (!read_part(p)) break;
            read_repeats(p, part);
        }
        if (!accept(p, "|")) break;
        emit_to(p, GRAMMAR_SPLIT, 0);
        emit_exit(p, &exits);
        if (p->status) return;
        uint32_t length = g->n_steps - start;
        memmove(g->steps + start + 1, g->steps + start, (length - 2) * sizeof *g->steps);
        g->steps[start] = (struct grammar_step){.kind = GRAMMAR_SPLIT, .to = (int32_t)length};
    }
    close_exits(p, exits);
}

static void read_rules(struct parser *p) {
    for (skip_space(p); p->at < p->end; skip_space(p)) {
        uint32_t rule = read_name(p);
        skip_space(p);
        if (!accept(p, "::=")) fail(p, "definition_expected");
        if (p->status) return;
        if (p->grammar->rules[rule].start != GRAMMAR_UNDEFINED) fail(p, "rule_twice");
        p->grammar->rules[rule].start = p->grammar->n_steps;
        read_alternatives(p);
        emit_to(p, GRAMMAR_RETURN, 0);
        if (p->at < p->end && !is_name_character(*p->at)) fail(p, "sign_misplaced");
    }
}

void grammar_close(struct grammar *grammar) {
    if (!grammar) return;
    free(grammar->steps);
    free(grammar->text);
    free(grammar);
}

enum status grammar_open(struct grammar **out, const char *text, size_t length,
                         struct fault *fault) {
    struct grammar *g = calloc(1, sizeof *g);
    if (g) g->text = malloc(length + 1);
    if (!g || !g->text) {
        grammar_close(g);
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_grammar", "");
    }
    memcpy(g->text, text, length);
    struct parser p = {
        .begin = g->text, .at = g->text, .end = g->text + length, .grammar = g, .fault = fault};
    read_rules(&p);
    if (!p.status) p.status = grammar_check(g, fault);
    if (p.status)
        grammar_close(g);
    else
        *out = g;
    return p.status;
}
