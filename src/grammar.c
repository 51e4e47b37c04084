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

static uint64_t line_of(const struct parser *parser) {
    uint64_t line = 1;
    for (const char *c = parser->begin; c < parser->at; c++) line += *c == '\n';
    return line;
}

/* Records the first failure only, and ends the reading of the grammar. */
static void fail(struct parser *parser, const char *trouble) {
    if (parser->status) return;
    uint64_t line = line_of(parser);
    parser->status = fault_set(parser->fault, STATUS_INVALID_ARGUMENT, "grammar_line",
                               "line:u trouble:k", line, trouble);
    parser->at = parser->end;
}

static void emit(struct parser *parser, struct grammar_step step) {
    struct grammar *g = parser->grammar;
    if (parser->status) return;
    if (g->n_steps == GRAMMAR_CODE_MAX) {
        fail(parser, "grammar_too_large");
        return;
    }
    if (g->n_steps == parser->capacity) {
        uint32_t capacity = parser->capacity ? 2 * parser->capacity : 256;
        void *grown = realloc(g->steps, capacity * sizeof *g->steps);
        if (!grown) {
            parser->status =
                fault_set(parser->fault, STATUS_OUT_OF_MEMORY, "no_memory_grammar", "");
            parser->at = parser->end;
            return;
        }
        g->steps = grown;
        parser->capacity = capacity;
    }
    g->steps[g->n_steps++] = step;
}

static void emit_to(struct parser *parser, enum grammar_kind kind, uint32_t to) {
    emit(parser, (struct grammar_step){.kind = (uint8_t)kind, .to = (int32_t)to});
}

static void emit_bytes(struct parser *parser, const char *low, const char *high, size_t n) {
    for (size_t i = 0; i < n; i++)
        emit(parser, (struct grammar_step){GRAMMAR_BYTE, (uint8_t)low[i], (uint8_t)high[i], 0});
}

/* Emits a jump to an end that is not known yet. All jumps to this end form a list: each jump stores
 * 1 + the index of the previous jump, and *exits stores 1 + the index of the last. */
static void emit_exit(struct parser *parser, uint32_t *exits) {
    emit_to(parser, GRAMMAR_JUMP, *exits);
    *exits = parser->grammar->n_steps;
}

static void close_exits(struct parser *parser, uint32_t exits) {
    if (parser->status) return;
    while (exits) {
        struct grammar_step *step = &parser->grammar->steps[exits - 1];
        uint32_t last = (uint32_t)step->to;
        step->to = (int32_t)(parser->grammar->n_steps - (exits - 1));
        exits = last;
    }
}

static void skip_space(struct parser *parser) {
    while (parser->at < parser->end) {
        if (*parser->at == '#') {
            while (parser->at < parser->end && *parser->at != '\n' && *parser->at != '\r')
                parser->at++;
        } else if (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' ||
                   *parser->at == '\r') {
            parser->at++;
        } else {
            return;
        }
    }
}

static bool accept(struct parser *parser, const char *text) {
    size_t length = strlen(text);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, text, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* Reads a name and returns the index of its rule; adds the rule if it is new. */
static uint32_t read_name(struct parser *parser) {
    struct grammar *g = parser->grammar;
    const char *name = parser->at;
    while (parser->at < parser->end && is_name_character(*parser->at)) parser->at++;
    uint32_t length = (uint32_t)(parser->at - name), rule = 0;
    if (length == 0) {
        fail(parser, "rule_name_expected");
        return 0;
    }
    for (; rule < g->n_rules; rule++)
        if (g->rules[rule].length == length && !memcmp(g->rules[rule].name, name, length))
            return rule;
    if (rule == GRAMMAR_RULES_MAX) {
        fail(parser, "too_many_rules");
        return 0;
    }
    g->rules[g->n_rules++] = (struct grammar_rule){name, length, GRAMMAR_UNDEFINED};
    return rule;
}

static uint32_t read_hex(struct parser *parser, int digits) {
    uint32_t code = 0;
    for (; digits > 0; digits--) {
        char c = parser->at < parser->end ? *parser->at : 0;
        uint32_t digit = c >= '0' && c <= '9'                 ? (uint32_t)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10)
                                                              : 16;
        if (digit == 16) {
            fail(parser, "hexadecimal_expected");
            return 0;
        }
        code = code * 16 + digit;
        parser->at++;
    }
    if (code >= 0xd800 && code <= 0xdfff) fail(parser, "half_surrogate");
    if (code > 0x10ffff) fail(parser, "beyond_unicode");
    return parser->status ? 0 : code;
}

/* Refuses an unknown escape: the backslash at `from` and `length` bytes after it. */
static void fail_escape(struct parser *parser, const char *from, size_t length) {
    uint64_t column = 1;
    char escape[UNICODE_QUOTE_MAX];
    if (parser->status) return;
    parser->at = from;
    for (const char *c = from; c > parser->begin && c[-1] != '\n'; c--)
        column += (*c & 0xc0) != 0x80;
    unicode_quote(escape, from, 1 + length);
    parser->status = fault_set(parser->fault, STATUS_INVALID_ARGUMENT, "grammar_escape",
                               "line:u column:u escape:s", line_of(parser), column, escape);
    parser->at = parser->end;
}

/* Reads a character of a literal or class; `end` is the closing character. */
static uint32_t read_character(struct parser *parser, char end) {
    uint32_t code;
    if (parser->at == parser->end) {
        fail(parser, end == ']' ? "class_open" : "literal_open");
        return 0;
    }
    parser->at += unicode_next(parser->at, (size_t)(parser->end - parser->at), &code);
    if (code == UNICODE_INVALID) fail(parser, "not_utf8");
    if (code != '\\') return code;
    if (parser->at == parser->end) return read_character(parser, end);
    const char *escaped = parser->at;
    parser->at += unicode_next(parser->at, (size_t)(parser->end - parser->at), &code);
    switch (code) {
    case '\\':
    case '"':
    case '[':
    case ']':
    case '-': return code;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'x': return read_hex(parser, 2);
    case 'u': return read_hex(parser, 4);
    case 'U': return read_hex(parser, 8);
    case UNICODE_INVALID: fail(parser, "not_utf8"); return 0;
    default: fail_escape(parser, escaped - 1, (size_t)(parser->at - escaped)); return 0;
    }
}

static void read_literal(struct parser *parser) {
    while (!parser->status && !accept(parser, "\"")) {
        char bytes[4];
        size_t n = unicode_put(bytes, read_character(parser, '"'));
        emit_bytes(parser, bytes, bytes, n);
    }
}

/* Emits the characters low to high as alternatives of byte sequences. As in RE2 (Cox 2010), the
 * range is split where the number of bytes changes, and further until the trailing bytes of each
 * part run through all their values. Surrogates are skipped: they are not characters. */
static void emit_range(struct parser *parser, uint32_t low, uint32_t high, uint32_t *exits) {
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
        emit_range(parser, low, cut, exits);
        emit_range(parser, cut + 1, high, exits);
    } else if (low < 0xd800 || low > 0xdfff) {
        unicode_put(last, high);
        emit_to(parser, GRAMMAR_SPLIT, (uint32_t)n + 2);
        emit_bytes(parser, first, last, n);
        emit_exit(parser, exits);
    }
}

/* Emits n ascending ranges, or the gaps between them if `negated`. The last alternative is a byte
 * step that matches no byte. */
static void emit_class(struct parser *parser, uint32_t (*ranges)[2], size_t n, bool negated) {
    uint32_t exits = 0, next = 0, before = parser->grammar->n_steps;
    for (size_t i = 0; i < n && !parser->status; i++) {
        uint32_t low = ranges[i][0], high = ranges[i][1];
        if (!negated)
            emit_range(parser, low, high, &exits);
        else if (low > next)
            emit_range(parser, next, low - 1, &exits);
        if (high >= next) next = high + 1;
    }
    if (negated && next <= 0x10ffff) emit_range(parser, next, 0x10ffff, &exits);
    if (parser->grammar->n_steps == before) fail(parser, "class_empty");
    emit_bytes(parser, "\1", "", 1);
    close_exits(parser, exits);
}

static void read_class(struct parser *parser) {
    uint32_t ranges[RANGES_MAX][2];
    size_t n = 0;
    bool negated = accept(parser, "^");
    while (!parser->status && !accept(parser, "]")) {
        uint32_t low = read_character(parser, ']'), high = low;
        if (parser->end - parser->at > 1 && parser->at[0] == '-' && parser->at[1] != ']') {
            parser->at++;
            high = read_character(parser, ']');
        }
        if (high < low) fail(parser, "range_reversed");
        if (n == RANGES_MAX) fail(parser, "too_many_ranges");
        if (parser->status) return;
        size_t i = n++;
        for (; i > 0 && ranges[i - 1][0] > low; i--)
            memcpy(ranges[i], ranges[i - 1], sizeof *ranges);
        ranges[i][0] = low;
        ranges[i][1] = high;
    }
    if (n == 0) fail(parser, "class_empty");
    emit_class(parser, ranges, n, negated);
}

static void copy_steps(struct parser *parser, uint32_t start, uint32_t length) {
    for (uint32_t i = 0; i < length && !parser->status; i++)
        emit(parser, parser->grammar->steps[start + i]);
}

/* Replaces the steps from `start` on by a program that runs them `least` to `most` times. */
static void repeat_steps(struct parser *parser, uint32_t start, uint32_t least, uint32_t most) {
    struct grammar *g = parser->grammar;
    uint32_t length = g->n_steps - start;
    for (uint32_t i = 0; i < least; i++) copy_steps(parser, start, length);
    if (most == UNBOUNDED) {
        emit_to(parser, GRAMMAR_SPLIT, length + 2);
        copy_steps(parser, start, length);
        emit_to(parser, GRAMMAR_JUMP, 0 - (length + 1));
    } else {
        for (uint32_t left = most - least; left > 0; left--) {
            emit_to(parser, GRAMMAR_SPLIT, left * (length + 1));
            copy_steps(parser, start, length);
        }
    }
    if (parser->status || length == 0) return;
    g->n_steps -= length;
    memmove(g->steps + start, g->steps + start + length, (g->n_steps - start) * sizeof *g->steps);
}

static uint32_t read_count(struct parser *parser) {
    uint32_t count = 0;
    skip_space(parser);
    if (parser->at == parser->end || *parser->at < '0' || *parser->at > '9')
        fail(parser, "times_expected");
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
        count = count * 10 + (uint32_t)(*parser->at++ - '0');
        if (count > REPEAT_MAX) fail(parser, "repeated_too_often");
    }
    skip_space(parser);
    return count;
}

/* Reads all repetition signs after a part and repeats its steps, which begin at `start`. */
static void read_repeats(struct parser *parser, uint32_t start) {
    for (skip_space(parser); !parser->status; skip_space(parser)) {
        if (accept(parser, "*")) {
            repeat_steps(parser, start, 0, UNBOUNDED);
        } else if (accept(parser, "+")) {
            repeat_steps(parser, start, 1, UNBOUNDED);
        } else if (accept(parser, "?")) {
            repeat_steps(parser, start, 0, 1);
        } else if (accept(parser, "{")) {
            uint32_t least = read_count(parser), most = least;
            if (accept(parser, ",")) {
                skip_space(parser);
                most =
                    parser->at < parser->end && *parser->at == '}' ? UNBOUNDED : read_count(parser);
            }
            if (!accept(parser, "}")) fail(parser, "times_open");
            if (most < least) fail(parser, "most_below_least");
            if (!parser->status) repeat_steps(parser, start, least, most);
        } else {
            return;
        }
    }
}

static void read_alternatives(struct parser *parser);

/* Reads one part of an alternative: a literal, class, dot, group or name. Returns false if none
 * begins here. A name before ::= is not a part: it begins the next rule. */
static bool read_part(struct parser *parser) {
    const char *here = parser->at;
    if (accept(parser, "\"")) {
        read_literal(parser);
    } else if (accept(parser, "[")) {
        read_class(parser);
    } else if (accept(parser, ".")) {
        emit_class(parser, NULL, 0, true);
    } else if (accept(parser, "(")) {
        if (parser->nesting++ == NESTING_MAX) fail(parser, "nested_too_deep");
        read_alternatives(parser);
        parser->nesting--;
        if (!accept(parser, ")")) fail(parser, "parenthesis_open");
    } else if (parser->at < parser->end && is_name_character(*parser->at)) {
        uint32_t rule = read_name(parser);
        skip_space(parser);
        if (accept(parser, "::=")) {
            parser->at = here;
            return false;
        }
        emit_to(parser, GRAMMAR_CALL, rule);
    } else if (parser->at < parser->end && (*parser->at == '<' || *parser->at == '!')) {
        fail(parser, "grammar_token");
        return false;
    } else {
        return false;
    }
    return true;
}

static void read_alternatives(struct parser *parser) {
    struct grammar *g = parser->grammar;
    uint32_t exits = 0;
    while (!parser->status) {
        uint32_t start = g->n_steps;
        for (skip_space(parser); !parser->status; skip_space(parser)) {
            uint32_t part = g->n_steps;
            if (!read_part(parser)) break;
            read_repeats(parser, part);
        }
        if (!accept(parser, "|")) break;
        emit_to(parser, GRAMMAR_SPLIT, 0);
        emit_exit(parser, &exits);
        if (parser->status) return;
        uint32_t length = g->n_steps - start;
        memmove(g->steps + start + 1, g->steps + start, (length - 2) * sizeof *g->steps);
        g->steps[start] = (struct grammar_step){.kind = GRAMMAR_SPLIT, .to = (int32_t)length};
    }
    close_exits(parser, exits);
}

static void read_rules(struct parser *parser) {
    for (skip_space(parser); parser->at < parser->end; skip_space(parser)) {
        uint32_t rule = read_name(parser);
        skip_space(parser);
        if (!accept(parser, "::=")) fail(parser, "definition_expected");
        if (parser->status) return;
        if (parser->grammar->rules[rule].start != GRAMMAR_UNDEFINED) fail(parser, "rule_twice");
        parser->grammar->rules[rule].start = parser->grammar->n_steps;
        read_alternatives(parser);
        emit_to(parser, GRAMMAR_RETURN, 0);
        if (parser->at < parser->end && !is_name_character(*parser->at))
            fail(parser, "sign_misplaced");
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
    struct parser parser = {
        .begin = g->text, .at = g->text, .end = g->text + length, .grammar = g, .fault = fault};
    read_rules(&parser);
    if (!parser.status) parser.status = grammar_check(g, fault);
    if (parser.status)
        grammar_close(g);
    else
        *out = g;
    return parser.status;
}
