/* Fuzzes the compiler of grammars with the input as a grammar. A malformed grammar must be refused
 * with a key; otherwise every mask must allow only tokens with bytes that the automaton accepts,
 * and all of these but the ones after which no tokens complete the text. The first byte of the
 * input chooses the tokens of the text. */
#include "grammar.h"
#include "automaton.h"
#include "constraint.h"
#include "draw.h"
#include "fuzz.h"
#include "tokenizer_subject.h"

enum { STEPS = 6, TEXT_MAX = 512, FOLLOWED_MAX = 1000, AHEAD = 2 };

static const char *const tokens[] = {
    "a", "b",  "ab", "ba", "aab", "bbb", "c", "abc", "\xC3\xA9", "a\xC3\xA9", "aaaa", "(",
    ")", "()", "))", "x",  "1",   "12",  "0", "\"",  "[",        "]",         "{",    "}",
    ",", ":",  "\n", " ",  "A",   "Z9",  "-", ".",   "\xC3",     "\xF0\x9F",  "<end>"};
enum { N_TOKENS = sizeof tokens / sizeof *tokens, END = N_TOKENS - 1 };

static const struct lexicon *open_lexicon(void) {
    static struct subject subject;
    static struct lexicon *lexicon;
    if (lexicon) return lexicon;
    int32_t types[N_TOKENS];
    for (int i = 0; i < N_TOKENS; i++) types[i] = i == END ? 3 : 1;
    struct vocabulary_spec spec = spec_of_words(tokens, N_TOKENS, END);
    spec.types = types;
    spec.n_types = N_TOKENS;
    subject_from_spec(&subject, &spec);
    if (lexicon_open(&lexicon, subject.tokenizer, NULL)) exit(1);
    return lexicon;
}

static uint16_t run(struct automaton *automaton, uint16_t state, const char *text) {
    for (; *text && state != AUTOMATON_DEAD; text++)
        state = automaton_step(automaton, state, (uint8_t)*text);
    return state;
}

/* True if at most `most` tokens complete a text from this state. */
static bool can_end(struct automaton *automaton, uint16_t state, int most) {
    if (state == AUTOMATON_DEAD) return false;
    bool found = automaton_complete(automaton, state);
    for (uint32_t id = 0; id < END && most && !found; id++)
        found = can_end(automaton, run(automaton, state, tokens[id]), most - 1);
    return found;
}

/* Compares a mask with an automaton that reads the text and then each token, byte by byte. Returns
 * false if the automaton runs out of memory, which the constraint may not. */
static bool check_mask(const struct constraint_mask *mask, struct automaton *automaton,
                       const uint32_t *ids, size_t n) {
    uint16_t state = AUTOMATON_START;
    uint32_t count = 0;
    automaton_reset(automaton);
    for (size_t i = 0; i < n; i++) state = run(automaton, state, tokens[ids[i]]);
    if (automaton_full(automaton)) return false;
    CHECK(state != AUTOMATON_DEAD);
    CHECK((mask->complete != 0) == automaton_complete(automaton, state));
    for (uint32_t id = 0; id < N_TOKENS; id++) {
        bool allowed = mask->allowed[id / 32] >> id % 32 & 1;
        uint16_t after = id == END ? AUTOMATON_START : run(automaton, state, tokens[id]);
        bool alive = id == END ? automaton_complete(automaton, state) : after != AUTOMATON_DEAD;
        bool lost = alive && !allowed && id != END && !can_end(automaton, after, AHEAD);
        if (automaton_full(automaton)) return false;
        count += allowed;
        CHECK_MESSAGE(allowed == (alive && !lost), "token %s after %u", tokens[id], (unsigned)n);
    }
    CHECK(count == mask->count);
    return true;
}

static void follow(struct constraint *constraint, struct automaton *automaton, uint32_t seed) {
    uint32_t ids[STEPS];
    struct pcg32 random;
    struct fault fault = {0};
    pcg32_seed(&random, seed, 54);
    for (size_t n = 0; n < STEPS; n++) {
        const struct constraint_mask *mask = constraint_follow(constraint, ids, n, &fault);
        if (!mask) {
            CHECK_MESSAGE(fault.status == STATUS_UNSUPPORTED, "%s", fault_line(&fault));
            return;
        }
        if (!check_mask(mask, automaton, ids, n)) return;
        uint32_t seen = 0;
        for (uint32_t id = 0; id < END; id++)
            if (mask->allowed[id / 32] >> id % 32 & 1 && pcg32_next(&random) % ++seen == 0)
                ids[n] = id;
        if (!seen) return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct grammar *grammar = NULL;
    struct constraint *constraint = NULL;
    struct automaton *automaton = NULL;
    struct fault fault = {0};
    uint32_t seed = take_u8(&input);
    const char *text = (const char *)input.data;
    if (input.size > TEXT_MAX) return 0;
    enum status status = grammar_open(&grammar, text, input.size, &fault);
    CHECK(status == constraint_open(&constraint, open_lexicon(), text, input.size, NULL));
    if (status) {
        CHECK_MESSAGE(fault.status == status && !strncmp(fault.key, "grammar", 7), "%s",
                      fault_line(&fault));
        return fuzz_end();
    }
    if (grammar->n_steps <= FOLLOWED_MAX && !automaton_open(&automaton, grammar, &fault))
        follow(constraint, automaton, seed);
    automaton_close(automaton);
    constraint_close(constraint);
    grammar_close(grammar);
    return fuzz_end();
}
