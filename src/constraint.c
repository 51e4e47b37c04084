/* The tokens are sorted by their bytes. Each entry stores only the bytes that differ from the
 * previous entry, so the list is a trie. One pass through the list finds all tokens that may
 * follow: if a prefix leads to AUTOMATON_DEAD, all tokens with this prefix are skipped. */
#include "constraint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "automaton.h"
#include "grammar.h"

enum {
    MASKS = 16,
    SMALL =
        4096, /* tokens; in a larger vocabulary any text can be spelled, so no word is a dead end */
    AHEAD = 32, /* states that a search for a complete text finds at most */
    STATES = 1 << 16
};

enum end { END_UNKNOWN, END_REACHED, END_NONE };

struct entry {
    uint32_t id, shared, added; /* bytes shared with the previous entry; bytes after them */
};

struct lexicon {
    const struct tokenizer *tokenizer;
    size_t vocab_size, n, longest;
    struct entry *entries; /* (n,) tokens with text, except special tokens */
    uint8_t *bytes;        /* the `added` bytes of all entries, one after another */
};

/* `masks` is a cache: masks[s % MASKS] can be the mask of state s. State 0 means unused. */
struct constraint {
    const struct lexicon *lexicon;
    struct grammar *grammar;
    struct automaton *automaton;
    uint16_t *path; /* (2, longest + 1) path[i]: the state after i bytes of a token; then a spare */
    uint8_t *ends;  /* (STATES,) enum end; NULL if the vocabulary is not small */
    bool near;      /* true while the automaton has no room for searches */
    size_t words;   /* words of 32 bits in a mask */
    struct {
        uint16_t state;
        uint32_t count, *allowed;
    } masks[MASKS];
    struct constraint_mask mask;
};

static int compare_tokens(const struct tokenizer *tokenizer, uint32_t a, uint32_t b) {
    struct tokenizer_piece x = tokenizer_piece(tokenizer, a), y = tokenizer_piece(tokenizer, b);
    int order = memcmp(x.data, y.data, x.length < y.length ? x.length : y.length);
    return order ? order : x.length < y.length ? -1 : x.length > y.length;
}

/* Sorts the entries by their tokens' bytes (bottom-up merge sort); `spare` is as large. */
static void sort_entries(struct lexicon *lexicon, struct entry *spare) {
    struct entry *from = lexicon->entries, *to = spare;
    size_t n = lexicon->n;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t start = 0; start < n; start += 2 * run) {
            size_t middle = start + run < n ? start + run : n;
            size_t end = middle + run < n ? middle + run : n;
            for (size_t a = start, b = middle, i = start; i < end; i++) {
                bool first =
                    b == end ||
                    (a < middle && compare_tokens(lexicon->tokenizer, from[a].id, from[b].id) <= 0);
                to[i] = from[first ? a++ : b++];
            }
        }
        struct entry *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != lexicon->entries) memcpy(lexicon->entries, from, n * sizeof *from);
}

/* Sets `shared` and `added` of each entry, and stores its added bytes. */
static void share_prefixes(struct lexicon *lexicon) {
    struct tokenizer_piece last = {.length = 0};
    uint8_t *bytes = lexicon->bytes;
    for (size_t i = 0; i < lexicon->n; i++) {
        struct entry *entry = &lexicon->entries[i];
        struct tokenizer_piece piece = tokenizer_piece(lexicon->tokenizer, entry->id);
        size_t shared = 0;
        while (shared < last.length && shared < piece.length &&
               last.data[shared] == piece.data[shared])
            shared++;
        entry->shared = (uint32_t)shared;
        entry->added = (uint32_t)(piece.length - shared);
        memcpy(bytes, piece.data + shared, entry->added);
        bytes += entry->added;
        last = piece;
    }
}

void lexicon_close(struct lexicon *lexicon) {
    if (!lexicon) return;
    free(lexicon->entries);
    free(lexicon->bytes);
    free(lexicon);
}

enum status lexicon_open(struct lexicon **out, const struct tokenizer *tokenizer,
                         struct fault *fault) {
    size_t vocab_size = tokenizer_vocab_size(tokenizer), total = 0;
    struct lexicon *lexicon = calloc(1, sizeof *lexicon);
    struct entry *spare = malloc((vocab_size + 1) * sizeof *spare);
    if (!lexicon || !spare) goto fail;
    lexicon->entries = malloc((vocab_size + 1) * sizeof *lexicon->entries);
    if (!lexicon->entries) goto fail;
    lexicon->tokenizer = tokenizer;
    lexicon->vocab_size = vocab_size;
    for (uint32_t id = 0; id < vocab_size; id++) {
        struct tokenizer_piece piece = tokenizer_piece(tokenizer, id);
        if (piece.special || piece.length == 0) continue;
        lexicon->entries[lexicon->n++].id = id;
        total += piece.length;
        if (piece.length > lexicon->longest) lexicon->longest = piece.length;
    }
    lexicon->bytes = malloc(total + 1);
    if (!lexicon->bytes) goto fail;
    sort_entries(lexicon, spare);
    share_prefixes(lexicon);
    free(spare);
    *out = lexicon;
    return STATUS_OK;
fail:
    free(spare);
    lexicon_close(lexicon);
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_sorted", "");
}

void constraint_close(struct constraint *constraint) {
    if (!constraint) return;
    for (size_t i = 0; i < MASKS; i++) free(constraint->masks[i].allowed);
    automaton_close(constraint->automaton);
    grammar_close(constraint->grammar);
    free(constraint->path);
    free(constraint->ends);
    free(constraint);
}

enum status constraint_open(struct constraint **out, const struct lexicon *lexicon,
                            const char *text, size_t length, struct fault *fault) {
    struct constraint *constraint = calloc(1, sizeof *constraint);
    if (!constraint) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_constraint", "");
    constraint->lexicon = lexicon;
    constraint->words = (lexicon->vocab_size + 31) / 32;
    enum status status = grammar_open(&constraint->grammar, text, length, fault);
    if (!status) status = automaton_open(&constraint->automaton, constraint->grammar, fault);
    constraint->path = malloc(2 * (lexicon->longest + 1) * sizeof *constraint->path);
    bool complete = constraint->path;
    if (lexicon->n <= SMALL) {
        constraint->ends = calloc(STATES, 1);
        complete = complete && constraint->ends;
    }
    for (size_t i = 0; i < MASKS; i++) {
        constraint->masks[i].allowed = malloc((constraint->words + 1) * sizeof(uint32_t));
        complete = complete && constraint->masks[i].allowed;
    }
    if (!status && !complete)
        status = fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_constraint", "");
    if (status)
        constraint_close(constraint);
    else
        *out = constraint;
    return status;
}

static uint32_t allow(uint32_t *allowed, uint32_t id) {
    allowed[id / 32] |= 1u << id % 32;
    return 1;
}

/* Takes a token and the state after it; returns false to end the pass. */
typedef bool visit(void *context, uint32_t id, uint16_t after);

/* Visits every token with bytes that can follow `state`. `path` has room for the states of a token.
 */
static void visit_tokens(struct constraint *constraint, uint16_t *path, uint16_t state, visit *take,
                         void *context) {
    const struct entry *entry = constraint->lexicon->entries, *end = entry + constraint->lexicon->n;
    const uint8_t *bytes = constraint->lexicon->bytes;
    const struct automaton_table *table = automaton_table(constraint->automaton);
    size_t alive = 0; /* bytes of the last token that can follow `state` */
    path[0] = state;
    for (; entry < end; bytes += entry->added, entry++) {
        if (entry->shared > alive) continue;
        alive = entry->shared;
        const uint8_t *byte = bytes, *last = bytes + entry->added;
        for (; byte < last; byte++) {
            uint16_t here = path[alive];
            uint16_t next = table->next[here * table->n_classes + table->class_of[*byte]];
            if (next == AUTOMATON_UNKNOWN)
                next = automaton_step(constraint->automaton, here, *byte);
            if (next == AUTOMATON_DEAD) break;
            path[++alive] = next;
        }
        if (byte == last && !take(context, entry->id, path[alive])) return;
    }
}

/* The states that a search has found, each with the state that it was found from. The newest state
 * is searched next. */
struct search {
    size_t n, here;
    uint16_t states[AHEAD], from[AHEAD];
    bool done[AHEAD];
};

static bool find_state(void *context, uint32_t id, uint16_t after) {
    struct search *search = context;
    (void)id;
    for (size_t i = 0; i < search->n; i++)
        if (search->states[i] == after) return true;
    search->states[search->n] = after;
    search->from[search->n++] = (uint16_t)search->here;
    return search->n < AHEAD;
}

/* True if whole tokens can complete a text from this state. After "read", where only "reading"
 * fits, a vocabulary of words has none. A search that finds AHEAD states counts as true. The
 * result does not depend on earlier calls: only states that complete a text for certain, and all
 * states of a search without a complete text, are remembered. */
static bool can_end(struct constraint *constraint, uint16_t state) {
    uint8_t *ends = constraint->ends;
    if (!ends || constraint->near) return true;
    if (ends[state]) return ends[state] == END_REACHED;
    struct search search = {.n = 1, .states = {state}};
    uint16_t *spare = constraint->path + constraint->lexicon->longest + 1;
    size_t checked = 0;
    for (;;) {
        for (; checked < search.n; checked++) {
            uint16_t found = search.states[checked];
            if (ends[found] != END_REACHED && !automaton_complete(constraint->automaton, found))
                continue;
            for (size_t i = checked; i; i = search.from[i]) ends[search.states[i]] = END_REACHED;
            ends[state] = END_REACHED;
            return true;
        }
        if (search.n == AHEAD) return true;
        search.here = search.n;
        while (search.here && search.done[search.here - 1]) search.here--;
        if (!search.here) break;
        search.done[--search.here] = true;
        visit_tokens(constraint, spare, search.states[search.here], find_state, &search);
    }
    for (size_t i = 0; i < search.n; i++) ends[search.states[i]] = END_NONE;
    return false;
}

struct allowance {
    struct constraint *constraint;
    uint32_t *allowed, count;
};

static bool allow_token(void *context, uint32_t id, uint16_t after) {
    struct allowance *allowance = context;
    if (can_end(allowance->constraint, after)) allowance->count += allow(allowance->allowed, id);
    return true;
}

/* Allows every token with bytes that can follow `state` on the way to a complete text; returns the
 * number of these tokens. */
static uint32_t allow_tokens(struct constraint *constraint, uint16_t state, uint32_t *allowed) {
    struct allowance allowance = {constraint, allowed, 0};
    visit_tokens(constraint, constraint->path, state, allow_token, &allowance);
    return allowance.count;
}

/* Returns the state after n ids; AUTOMATON_DEAD if the grammar rejects the id with index *bad. */
static uint16_t state_after(struct constraint *constraint, const uint32_t *ids, size_t n,
                            size_t *bad) {
    const struct tokenizer *tokenizer = constraint->lexicon->tokenizer;
    uint16_t state = AUTOMATON_START;
    for (*bad = 0; *bad < n; ++*bad) {
        struct tokenizer_piece piece = tokenizer_piece(tokenizer, ids[*bad]);
        if (tokenizer_is_end(tokenizer, ids[*bad])) {
            state =
                automaton_complete(constraint->automaton, state) ? AUTOMATON_START : AUTOMATON_DEAD;
        } else if (piece.special) {
            state = AUTOMATON_DEAD;
        } else {
            for (size_t i = 0; i < piece.length && state != AUTOMATON_DEAD; i++)
                state = automaton_step(constraint->automaton, state, (uint8_t)piece.data[i]);
        }
        if (state == AUTOMATON_DEAD) break;
    }
    return state;
}

static void describe_state(struct constraint *constraint, uint16_t state) {
    struct constraint_mask *mask = &constraint->mask;
    const struct grammar_rule *rule = automaton_rule(constraint->automaton, state);
    size_t length = rule ? rule->length : 0;
    memset(mask, 0, sizeof *mask);
    mask->complete = automaton_complete(constraint->automaton, state);
    for (uint32_t byte = 0; byte < 256; byte++)
        if (automaton_step(constraint->automaton, state, (uint8_t)byte) != AUTOMATON_DEAD)
            allow(mask->bytes, byte);
    if (length >= sizeof mask->rule) length = sizeof mask->rule - 1;
    if (rule) memcpy(mask->rule, rule->name, length);
}

/* Fills c->mask for a state, from the cache if possible. */
static void fill_mask(struct constraint *constraint, uint16_t state) {
    size_t place = state % MASKS;
    uint32_t *allowed = constraint->masks[place].allowed;
    describe_state(constraint, state);
    if (constraint->masks[place].state != state) {
        size_t n;
        const uint32_t *ends = tokenizer_end_ids(constraint->lexicon->tokenizer, &n);
        memset(allowed, 0, constraint->words * sizeof *allowed);
        constraint->masks[place].count = allow_tokens(constraint, state, allowed);
        for (size_t i = 0; constraint->mask.complete && i < n; i++)
            constraint->masks[place].count += allow(allowed, ends[i]);
        constraint->masks[place].state = state;
    }
    constraint->mask.allowed = allowed;
    constraint->mask.count = constraint->masks[place].count;
}

/* Deletes all states. */
static void forget_states(struct constraint *constraint) {
    for (size_t i = 0; i < MASKS; i++) constraint->masks[i].state = AUTOMATON_DEAD;
    if (constraint->ends) memset(constraint->ends, END_UNKNOWN, STATES);
    automaton_reset(constraint->automaton);
}

/* If the automaton is full, tries again from its first state, then without searches. */
const struct constraint_mask *constraint_follow(struct constraint *constraint, const uint32_t *ids,
                                                size_t n, struct fault *fault) {
    for (int attempt = 0; attempt < 3; attempt++) {
        size_t bad;
        constraint->near = attempt == 2;
        uint16_t state = state_after(constraint, ids, n, &bad);
        if (state != AUTOMATON_DEAD) fill_mask(constraint, state);
        if (!automaton_full(constraint->automaton)) {
            if (constraint->near) constraint->masks[state % MASKS].state = AUTOMATON_DEAD;
            if (state != AUTOMATON_DEAD) return &constraint->mask;
            fault_set(fault, STATUS_NOTHING_LEFT, "constraint_unmet", "n:u", (uint64_t)bad);
            return NULL;
        }
        forget_states(constraint);
    }
    fault_set(fault, STATUS_UNSUPPORTED, "grammar_states", "");
    return NULL;
}
