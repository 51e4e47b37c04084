/* Tests grammars, automata and masks. A malformed grammar is refused, and the fault names the line.
 * A valid grammar accepts exactly its texts, for any order in which states are created. */
#include <string.h>
#include <time.h>

#include "automaton.h"
#include "constraint.h"
#include "grammar.h"
#include "sample.h"
#include "tokenizer_subject.h"
#include "unicode.h"

/* Opens a valid grammar. */
static struct grammar *open_grammar(const char *text) {
    struct fault fault;
    struct grammar *grammar = NULL;
    CHECK_MESSAGE(!grammar_open(&grammar, text, strlen(text), &fault), "%s: %s", text,
                  fault_line(&fault));
    return grammar;
}

static struct automaton *open_automaton(const struct grammar *grammar) {
    struct fault fault;
    struct automaton *automaton = NULL;
    CHECK(!automaton_open(&automaton, grammar, &fault));
    return automaton;
}

static uint16_t run(struct automaton *automaton, const char *text, size_t length) {
    uint16_t state = AUTOMATON_START;
    for (size_t i = 0; i < length && state != AUTOMATON_DEAD; i++)
        state = automaton_step(automaton, state, (uint8_t)text[i]);
    return state;
}

static bool accepts(const char *source, const char *text) {
    struct grammar *grammar = open_grammar(source);
    struct automaton *automaton = open_automaton(grammar);
    uint16_t state = run(automaton, text, strlen(text));
    bool complete = state != AUTOMATON_DEAD && automaton_complete(automaton, state);
    automaton_close(automaton);
    grammar_close(grammar);
    return complete;
}

static void malformed_grammars_are_refused(void) {
    static const char *const cases[][2] = {
        {"", "grammar_no_root"},
        {"# root ::= \"a\"", "grammar_no_root"},
        {"a ::= \"b\"", "grammar_no_root"},
        {"root", "grammar_line 1 definition_expected"},
        {"root ::= (\"a\"", "grammar_line 1 parenthesis_open"},
        {"root ::= \"a\")", "grammar_line 1 sign_misplaced"},
        {"root ::= \"a", "grammar_line 1 literal_open"},
        {"root ::= \"a\\", "grammar_line 1 literal_open"},
        {"root ::= [a", "grammar_line 1 class_open"},
        {"root ::= [a-", "grammar_line 1 class_open"},
        {"root ::= []", "grammar_line 1 class_empty"},
        {"root ::=\n\n[^\\x00-\\uD7FF\\uE000-\xF4\x8F\xBF\xBF]", "grammar_line 3 class_empty"},
        {"root ::= [b-a]", "grammar_line 1 range_reversed"},
        {"root ::= \"\\xg0\"", "grammar_line 1 hexadecimal_expected"},
        {"root ::= \"\\u12\"", "grammar_line 1 hexadecimal_expected"},
        {"root ::= \"\\ud800\"", "grammar_line 1 half_surrogate"},
        {"root ::= \"\\U0000dfff\"", "grammar_line 1 half_surrogate"},
        {"root ::= \"\\U1F642\"", "grammar_line 1 hexadecimal_expected"},
        {"root ::= \"\\U00110000\"", "grammar_line 1 beyond_unicode"},
        {"root ::= \"\\UFFFFFFFF\"", "grammar_line 1 beyond_unicode"},
        {"root ::= [\\d]", "grammar_escape 1 11 \\d"},
        {"root ::= a\r\na ::= \"\\\\\xC3\xA9\\w\"", "grammar_escape 2 11 \\w"},
        {"root ::= [^a\\s]", "grammar_escape 1 13 \\s"},
        {"root ::= [a-\\.]", "grammar_escape 1 13 \\."},
        {"root ::= \"\\\xC3\xA9\"", "grammar_escape 1 11 \\\xC3\xA9"},
        {"root ::= \"\\u{41}\"", "grammar_line 1 hexadecimal_expected"},
        {"root ::= \"\\\xff\"", "grammar_line 1 not_utf8"},
        {"root ::= \"a\" [^]", "grammar_line 1 class_empty"},
        {"root ::= <[97]>", "grammar_line 1 grammar_token"},
        {"root ::= \"a\" !<think>", "grammar_line 1 grammar_token"},
        {"root ::= \"\xff\"", "grammar_line 1 not_utf8"},
        {"root ::= \"a\"{", "grammar_line 1 times_expected"},
        {"root ::= \"a\"{2", "grammar_line 1 times_open"},
        {"root ::= \"a\"{3,2}", "grammar_line 1 most_below_least"},
        {"root ::= \"a\"{1001}", "grammar_line 1 repeated_too_often"},
        {"root ::= \"a\"{99999999999999999999}", "grammar_line 1 repeated_too_often"},
        {"root ::= ((\"a\"{1000}){1000}){1000}", "grammar_line 1 grammar_too_large"},
        {"root ::= \"a\"\nroot ::= \"b\"", "grammar_line 2 rule_twice"},
        {"root ::= b", "grammar_no_rule b"},
        {"root ::= \"a\" root", "grammar_endless root"},
        {"root ::= \"a\"\nb ::= c\nc ::= b", "grammar_endless b"},
        {"root ::= root \"a\" | \"b\"", "grammar_begins_with_itself root"},
        {"root ::= \"x\" a\na ::= b\nb ::= \"\"? a \"c\" | \"d\"", "grammar_begins_with_itself a"},
        {"root ::= *", "grammar_line 1 sign_misplaced"},
        {"root ::= \"a\" $", "grammar_line 1 sign_misplaced"},
        {"::= \"a\"", "grammar_line 1 rule_name_expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grammar *grammar;
        struct fault fault;
        enum status status = grammar_open(&grammar, cases[i][0], strlen(cases[i][0]), &fault);
        CHECK_MESSAGE(status == STATUS_INVALID_ARGUMENT, "%s was taken", cases[i][0]);
        if (!status) grammar_close(grammar);
        CHECK_MESSAGE(!strcmp(fault_line(&fault), cases[i][1]), "%s: %s", cases[i][0],
                      fault_line(&fault));
    }
}

static void nesting_and_rules_have_limits(void) {
    char text[8192] = "root ::= ";
    for (int i = 0; i < 101; i++) strcat(text, "(");
    struct grammar *grammar;
    struct fault fault;
    CHECK(grammar_open(&grammar, text, strlen(text), &fault));
    CHECK(!strcmp(fault_line(&fault), "grammar_line 1 nested_too_deep"));
    strcpy(text, "root ::= ");
    for (int i = 0; i < 512; i++) sprintf(text + strlen(text), "a%d ", i);
    CHECK(grammar_open(&grammar, text, strlen(text), &fault));
    CHECK(!strcmp(fault_line(&fault), "grammar_line 1 too_many_rules"));
}

static void constructs_have_their_meaning(void) {
    static const struct {
        const char *grammar, *yes[4], *no[4];
    } cases[] = {
        {"root ::= \"a\" | \"b\" \"c\" |", {"a", "bc", ""}, {"b", "ac", "abc"}},
        {"root ::= \"a\"* \"b\"+ \"c\"?", {"b", "aabbc"}, {"", "a", "bcc"}},
        {"root ::= (\"a\" | \"b\"){2,3}", {"ab", "bbb"}, {"a", "abab"}},
        {"root ::= \"a\"{0} \"b\"{ 2 , }", {"bb", "bbbb"}, {"b", "abb"}},
        {"root ::= [^a-c\\n]", {"d", "\xC3\xA9", "\xF0\x9F\xA6\x99"}, {"b", "\n", "dd", "\xC3"}},
        {"root ::= [\\]\\-a-] .", {"]x", "--", "a\n"}, {"b-", "]"}},
        {"root ::= \"\\x41\\u00e9\\\"\\\\\"", {"A\xC3\xA9\"\\"}, {"A"}},
        {"root ::= \"\\U0001F642\\[\\]\\-\"", {"\xF0\x9F\x99\x82[]-"}, {"U0001F642[]-"}},
        {"root ::= [\\[\\U0001F640-\\U0001F64F]",
         {"\xF0\x9F\x99\x82", "["},
         {"U", "\xF0\x9F\x99\x90"}},
        {"# c\rroot ::= \"a\" # d\r  | b\rb ::= \"x\"", {"a", "x"}, {""}},
        {"root ::= a b\n  | b # either\nb ::= \"x\" a\na ::= \"1\" | \"2\"",
         {"1x2", "x1"},
         {"12", "1x", "x"}},
        {"root ::= ((\"a\"?)*)* \"b\"", {"b", "aab"}, {"a", "ba"}},
        {"root ::= (){12} ()* \"c\"?", {"", "c"}, {"cc"}},
        {"root ::= e e \"a\" e\ne ::= \"b\"?", {"a", "bbab"}, {"bbba", ""}},
        {"root ::= \"(\" root \")\" | \"\"", {"", "(())"}, {"(", "(()", ")("}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int j = 0; j < 4; j++) {
            const char *yes = cases[i].yes[j], *no = cases[i].no[j];
            if (yes)
                CHECK_MESSAGE(accepts(cases[i].grammar, yes), "%s not %s", cases[i].grammar, yes);
            if (no)
                CHECK_MESSAGE(!accepts(cases[i].grammar, no), "%s takes %s", cases[i].grammar, no);
        }
    }
}

static uint32_t draw_code(void) {
    static const uint32_t near[] = {0,      0x7f,   0x80,   0x7ff,   0x800,
                                    0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    uint32_t code = sample_below(2) ? near[sample_below(10)] + sample_below(5)
                                    : sample_below(1u << (1 + sample_below(20)));
    if (code > 0x10ffff) code = 0x10ffff;
    return code >= 0xd800 && code <= 0xdfff ? 0xd7ff : code;
}

/* A range of characters must accept exactly the encodings of its characters. */
static void ranges_are_their_characters(void) {
    for (size_t round = 0; round < 400; round += check_step(8)) {
        uint32_t low = draw_code(), high = draw_code();
        char source[64] = "root ::= [", *at = source + strlen(source);
        if (low > high) low ^= high, high ^= low, low ^= high;
        const uint32_t ends[] = {low, high};
        for (int i = 0; i < 2; i++) {
            if (ends[i] > ']' && sample_below(2))
                at += unicode_put(at, ends[i]);
            else
                at += sprintf(at, "\\U%08X", (unsigned)ends[i]);
            *at++ = "-]"[i];
        }
        struct grammar *grammar;
        struct fault fault;
        CHECK(!grammar_open(&grammar, source, (size_t)(at - source), &fault));
        struct automaton *automaton = open_automaton(grammar);
        for (int i = 0; i < 300; i++) {
            static const int nearby[] = {-1, 0, 1};
            uint32_t code = draw_code();
            if (i < 6) code = (i < 3 ? low : high) + (uint32_t)nearby[i % 3];
            if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) continue;
            char bytes[4];
            uint16_t state = run(automaton, bytes, unicode_put(bytes, code));
            bool inside = low <= code && code <= high;
            CHECK_MESSAGE((state != AUTOMATON_DEAD) == inside, "U+%X in U+%X-U+%X", code, low,
                          high);
            CHECK(!inside || automaton_complete(automaton, state));
        }
        automaton_close(automaton);
        grammar_close(grammar);
    }
}

/* A dot must accept exactly one well-formed character of one to four bytes. */
static void accepted_texts_are_utf8(void) {
    struct grammar *grammar = open_grammar("root ::= .");
    struct automaton *automaton = open_automaton(grammar);
    for (uint32_t i = 0; i < 1u << 22; i++) {
        char bytes[4];
        size_t length = 1 + i % 4;
        uint32_t word = i < 1u << 16 ? i : pcg32_next(&sample_generator) | 0x808080c0u;
        memcpy(bytes, &word, 4);
        uint32_t code;
        bool valid = unicode_next(bytes, length, &code) == length && code != UNICODE_INVALID;
        uint16_t state = run(automaton, bytes, length);
        bool complete = state != AUTOMATON_DEAD && automaton_complete(automaton, state);
        CHECK_MESSAGE(complete == valid, "%08X, %u bytes", word, (unsigned)length);
    }
    automaton_close(automaton);
    grammar_close(grammar);
}

static const char *const TOKENS[] = {"a", "b",   "ab",       "ba",        "aab",  "bbb",
                                     "c", "abc", "\xC3\xA9", "a\xC3\xA9", "aaaa", "(",
                                     ")", "()",  "))",       "((a",       "<end>"};
enum { N_TOKENS = sizeof TOKENS / sizeof *TOKENS, END = N_TOKENS - 1 };

static void open_subject(struct subject *subject) {
    int32_t types[N_TOKENS];
    for (int i = 0; i < N_TOKENS; i++) types[i] = i == END ? 3 : 1;
    struct vocabulary_spec spec = spec_of_words(TOKENS, N_TOKENS, END);
    spec.types = types;
    spec.n_types = N_TOKENS;
    subject_from_spec(subject, &spec);
}

static bool is_allowed(const struct constraint_mask *mask, uint32_t id) {
    return mask->allowed[id / 32] >> id % 32 & 1;
}

/* Compares the mask with following each token separately, in a new constraint and in a constraint
 * that already has all states. */
static void check_masks(const char *source, int rounds, size_t length) {
    struct subject subject;
    struct lexicon *lexicon;
    struct constraint *old, *fresh;
    struct fault fault;
    open_subject(&subject);
    CHECK(!lexicon_open(&lexicon, subject.tokenizer, &fault));
    CHECK(!constraint_open(&old, lexicon, source, strlen(source), &fault));
    for (int round = 0; round < rounds; round++) {
        uint32_t ids[400] = {0};
        CHECK(!constraint_open(&fresh, lexicon, source, strlen(source), &fault));
        for (size_t n = 0; n < length; n++) {
            const struct constraint_mask *mask = constraint_follow(old, ids, n, &fault);
            uint32_t allowed = 0, count = 0, choice = 0, complete = mask->complete;
            CHECK(mask != NULL);
            for (uint32_t id = 0; id < N_TOKENS; id++)
                allowed |= (uint32_t)is_allowed(mask, id) << id;
            for (uint32_t id = 0; id < N_TOKENS; id++) {
                ids[n] = id;
                bool alive = constraint_follow(fresh, ids, n + 1, &fault) != NULL;
                CHECK_MESSAGE(alive == (allowed >> id & 1), "%s: token %s after %u", source,
                              TOKENS[id], (unsigned)n);
                CHECK(id != END || alive == complete);
                if (alive && sample_below(++count) == 0) choice = id;
            }
            CHECK(count == constraint_follow(old, ids, n, &fault)->count);
            if (count == 0) break;
            ids[n] = choice;
        }
        constraint_close(fresh);
    }
    constraint_close(old);
    lexicon_close(lexicon);
    subject_close(&subject);
}

static void masks_are_those_of_each_token(void) {
    const int few = check_all() ? 60 : 3;
    check_masks("root ::= [ab]*", 5, 20);
    check_masks("root ::= \"ab\"* \"c\" | [ab]{3,7} | \"a\" .", few, 20);
    check_masks("root ::= \"(\" root \")\" root | [a-b]?", few, 30);
    check_masks("root ::= x{2} \"c\"\nx ::= (\"a\" | \"b\" x)+", few, 30);
}

/* The grammar has 2^13 states, more than the automaton can store. After a reset, states are created
 * again. */
static void states_are_forgotten_and_found_again(void) {
    check_masks("root ::= (\"a\" | \"b\")* \"a\" (\"a\" | \"b\"){12} \"c\"?", check_all() ? 60 : 12,
                200);
}

static void too_many_at_once_are_refused(void) {
    static char source[1 << 15] = "root ::= \"a\"";
    struct subject subject;
    struct lexicon *lexicon;
    struct constraint *constraint;
    struct fault fault;
    for (int i = 0; i < 1500; i++) strcat(source, " | \"a\" \"b\"");
    open_subject(&subject);
    CHECK(!lexicon_open(&lexicon, subject.tokenizer, &fault));
    CHECK(!constraint_open(&constraint, lexicon, source, strlen(source), &fault));
    for (int i = 0; i < 3; i++) {
        CHECK(!constraint_follow(constraint, NULL, 0, &fault));
        CHECK(fault.status == STATUS_UNSUPPORTED);
    }
    constraint_close(constraint);
    lexicon_close(lexicon);
    subject_close(&subject);
}

/* A text beyond the depth limit of rules leads to AUTOMATON_DEAD. If states or frames do not fit,
 * the automaton is full; a reset makes room. */
static void limits_are_dead_or_full(void) {
    static char text[5000];
    static const char *const sources[] = {
        "root ::= \"(\" root \")\" | \"\"",
        "root ::= \"a\"{1000} \"a\"{1000} \"a\"{1000} \"a\"{1000} \"a\"{1000}",
        "root ::= \"(\" root \")\" | \"[\" root \"]\" | \"\"",
    };
    for (int i = 0; i < 3; i++) {
        struct grammar *grammar = open_grammar(sources[i]);
        struct automaton *automaton = open_automaton(grammar);
        memset(text, i == 1 ? 'a' : '(', sizeof text);
        CHECK(run(automaton, text, 250) != AUTOMATON_DEAD);
        if (i < 2) CHECK(run(automaton, text, sizeof text) == AUTOMATON_DEAD);
        for (int round = 0; i == 2 && round < 1000 && !automaton_full(automaton); round++) {
            for (int c = 0; c < 20; c++) text[c] = "(["[sample_below(2)];
            run(automaton, text, 20);
        }
        CHECK(automaton_full(automaton) == (i > 0));
        automaton_reset(automaton);
        CHECK(run(automaton, text, 20) != AUTOMATON_DEAD && !automaton_full(automaton));
        automaton_close(automaton);
        grammar_close(grammar);
    }
}

/* Short grammars with states that are slow to find, and a vocabulary that needs many states. They
 * must be refused within a second in a slow build. */
static void costly_grammars_are_refused_soon(void) {
    enum { COUNT = 1 << 12 };
    static const char *const costly[] = {
        "root ::= ([ab] (\"\"?){900} (\"\"?){900})* \"a\" [ab]{12}",
        "root ::= ([ab] (\"\"?){1000})* \"a\" [ab]{12}",
    };
    static char texts[COUNT][13];
    static const char *tokens[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t length = 0;
        for (uint32_t rest = i + 1; rest; rest /= 2) texts[i][length++] = rest % 2 ? 'a' : 'b';
        tokens[i] = texts[i];
    }
    struct vocabulary_spec spec = spec_of_words(tokens, COUNT - 1, 0);
    struct subject subject;
    struct lexicon *lexicon;
    subject_from_spec(&subject, &spec);
    CHECK(!lexicon_open(&lexicon, subject.tokenizer, &subject.fault));
    for (size_t i = 0; i < sizeof costly / sizeof *costly; i++) {
        struct constraint *constraint;
        struct fault fault = {0};
        CHECK(!constraint_open(&constraint, lexicon, costly[i], strlen(costly[i]), &fault));
        clock_t before = clock();
        CHECK(!constraint_follow(constraint, NULL, 0, &fault));
        double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
        CHECK_MESSAGE(seconds < 1, "%s took %.1f s", costly[i], seconds);
        CHECK(fault.status == STATUS_UNSUPPORTED);
        constraint_close(constraint);
    }
    lexicon_close(lexicon);
    subject_close(&subject);
}

/* At the depth limit a text can still end. */
static void no_depth_is_a_dead_end(void) {
    static const char *const grammars[] = {
        "root ::= \"{\" (\"a:\" root)? \"}\"",
        "root ::= \"{\" (\"a:\" \" \"{0,9} b)? \"}\"\nb ::= root \"!\" | \"<\" c \">\"\nc ::= "
        "\"c\" root \";\"",
        "root ::= \"{\" [ab]* (\"a:\" b)? \"}\"\nb ::= c \".\"\nc ::= d \".\"\nd ::= \"d\" root "
        "\".\"",
    };
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        struct grammar *grammar = open_grammar(grammars[i]);
        struct automaton *automaton = open_automaton(grammar);
        for (int round = 0; round < 20; round++) {
            uint16_t state = AUTOMATON_START;
            int n = 0;
            for (; n < 4000 && !automaton_complete(automaton, state); n++) {
                uint16_t next = AUTOMATON_DEAD;
                /* prefers a byte that opens a nested rule, else any byte */
                for (uint32_t byte = 0; byte < 256; byte++) {
                    uint16_t after = automaton_step(automaton, state, (uint8_t)byte);
                    bool opens = byte == '{' || byte == 'a' || byte == ':' || byte == 'd';
                    if (after == AUTOMATON_DEAD) continue;
                    if (next == AUTOMATON_DEAD || opens || sample_below(3) == 0) next = after;
                    if (opens && sample_below(50)) break;
                }
                CHECK_MESSAGE(next != AUTOMATON_DEAD, "%s: stuck after %d bytes", grammars[i], n);
                if (next == AUTOMATON_DEAD) break;
                state = next;
                if (automaton_full(automaton)) break;
            }
        }
        automaton_close(automaton);
        grammar_close(grammar);
    }
}

/* Random grammars are refused or run, without a read or write out of bounds. */
static void noise_is_refused_or_runs(void) {
    static const char *const parts[] = {
        "root ::= ", "a ::= ", "\n", "\"", "[", "]",        "(",    ")",     "|",     "*",  "+",
        "?",         "{",      "}",  "2",  ",", "a",        "root", "^",     "-",     "\\", "x4",
        "\"a\"",     "[^a]",   ".",  " ",  "#", "\xC3\xA9", "\xff", "[a-z]", "{1,3}", "::="};
    int taken = 0;
    size_t step = check_step(12);
    for (size_t round = 0; round < 60000; round += step) {
        char text[256] = "root ::= ";
        size_t length = strlen(text);
        for (uint32_t n = sample_below(14); n > 0; n--) {
            const char *part = parts[sample_below(sizeof parts / sizeof *parts)];
            memcpy(text + length, part, strlen(part));
            length += strlen(part);
        }
        struct grammar *grammar;
        struct fault fault = {0};
        if (grammar_open(&grammar, text, length, &fault)) {
            CHECK_MESSAGE(!strncmp(fault_line(&fault), "grammar", 7), "%s", fault_line(&fault));
            continue;
        }
        if (++taken % 20 == 0) {
            struct automaton *automaton = open_automaton(grammar);
            uint16_t state = AUTOMATON_START;
            for (int i = 0; i < 200 && state != AUTOMATON_DEAD; i++) {
                const struct grammar_rule *rule = automaton_rule(automaton, state);
                CHECK(rule != NULL || automaton_complete(automaton, state));
                uint16_t next = AUTOMATON_DEAD;
                for (uint32_t byte = 0; byte < 256; byte++) {
                    uint16_t after = automaton_step(automaton, state, (uint8_t)byte);
                    if (after != AUTOMATON_DEAD && sample_below(4) == 0) next = after;
                }
                state = next;
            }
            automaton_close(automaton);
        }
        grammar_close(grammar);
    }
    CHECK_MESSAGE((size_t)taken * step > 3000, "only %d were well formed", taken);
}

int main(void) {
    pcg32_seed(&sample_generator, 11, 54);
    TEST(malformed_grammars_are_refused);
    TEST(nesting_and_rules_have_limits);
    TEST(constructs_have_their_meaning);
    TEST(ranges_are_their_characters);
    TEST(accepted_texts_are_utf8);
    TEST(masks_are_those_of_each_token);
    TEST(states_are_forgotten_and_found_again);
    TEST(too_many_at_once_are_refused);
    TEST(limits_are_dead_or_full);
    TEST(costly_grammars_are_refused_soon);
    TEST(no_depth_is_a_dead_end);
    TEST(noise_is_refused_or_runs);
    return check_report();
}
