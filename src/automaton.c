/* A state is a set of places. A place is a program step that may read the next byte, with a stack
 * of calls. Linear search finds existing states and frames, which is fast for ordinary grammars.
 * Comparisons are counted, so that a hostile grammar fails after LOOKS_MAX comparisons. */
#include "automaton.h"

#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 4096, PLACES_MAX = 1 << 15, FRAMES_MAX = 4096, WORK_MAX = 2048 };
enum { NO_FRAME = UINT32_MAX, HEADS = 1024 };
enum { LOOKS_MAX = 1 << 26 }; /* comparisons between two resets: about 40 ms */

struct place {
    uint32_t step, frame;
};

/* A frame of the call stack: the step to return to, and the frame below. Frame 0 is the bottom. */
struct frame {
    uint32_t step, below, depth;
};

struct state {
    uint32_t first, count, hash;
    uint16_t next; /* next state with the same hash % HEADS; AUTOMATON_DEAD ends the list */
    bool complete;
};

struct automaton {
    const struct grammar *grammar;
    struct automaton_table table; /* next: (STATES_MAX, n_classes) */
    uint16_t *needs; /* (n_steps,) least depth of nested calls from a step to the end of its rule */
    uint32_t n_states, n_places, n_frames, n_work, n_looks;
    bool full;
    uint16_t heads[HEADS]; /* for each hash % HEADS the newest state, or AUTOMATON_DEAD */
    struct state states[STATES_MAX];
    struct place places[PLACES_MAX];
    struct frame frames[FRAMES_MAX];
    struct place work[WORK_MAX];
};

/* Counts n comparisons. After too many, returns false and sets `full`. */
static bool count_looks(struct automaton *a, uint32_t n) {
    a->n_looks += n;
    a->full = a->full || a->n_looks > LOOKS_MAX;
    return !a->full;
}

/* Adds a place to `work`, unless every complete text from this place needs more than
 * AUTOMATON_DEPTH_MAX nested calls. */
static void add_place(struct automaton *a, uint32_t step, uint32_t frame) {
    if (a->frames[frame].depth + a->needs[step] > AUTOMATON_DEPTH_MAX) return;
    if (!count_looks(a, a->n_work + 1)) return;
    for (uint32_t i = 0; i < a->n_work; i++)
        if (a->work[i].step == step && a->work[i].frame == frame) return;
    if (a->n_work == WORK_MAX) {
        a->full = true;
        return;
    }
    a->work[a->n_work++] = (struct place){step, frame};
}

/* Follows jumps from `step`; returns the first step that is not a jump. */
static uint32_t skip_jumps(const struct grammar_step *steps, uint32_t step) {
    while (steps[step].kind == GRAMMAR_JUMP) step += (uint32_t)steps[step].to;
    return step;
}

/* Returns the index of a frame that returns to `step`. A call at the end of a rule adds no frame:
 * the result is `below`. */
static uint32_t push_frame(struct automaton *a, uint32_t step, uint32_t below) {
    step = skip_jumps(a->grammar->steps, step);
    if (a->grammar->steps[step].kind == GRAMMAR_RETURN) return below;
    if (!count_looks(a, a->n_frames)) return NO_FRAME;
    for (uint32_t i = a->n_frames; i-- > 1;)
        if (a->frames[i].step == step && a->frames[i].below == below) return i;
    uint32_t depth = a->frames[below].depth + 1;
    if (depth > AUTOMATON_DEPTH_MAX) return NO_FRAME;
    if (a->n_frames == FRAMES_MAX) {
        a->full = true;
        return NO_FRAME;
    }
    a->frames[a->n_frames] = (struct frame){step, below, depth};
    return a->n_frames++;
}

/* Adds all places to `work` that need no byte to be reached. True if the text may end here. */
static bool add_reachable(struct automaton *a) {
    bool complete = false;
    for (uint32_t i = 0; i < a->n_work; i++) {
        uint32_t at = a->work[i].step, frame = a->work[i].frame, called;
        const struct grammar_step *step = &a->grammar->steps[at];
        switch (step->kind) {
        case GRAMMAR_SPLIT:
            add_place(a, at + 1, frame);
            add_place(a, at + (uint32_t)step->to, frame);
            break;
        case GRAMMAR_JUMP: add_place(a, at + (uint32_t)step->to, frame); break;
        case GRAMMAR_CALL:
            called = push_frame(a, at + 1, frame);
            if (called != NO_FRAME) add_place(a, a->grammar->rules[step->to].start, called);
            break;
        case GRAMMAR_RETURN:
            if (frame == 0)
                complete = true;
            else
                add_place(a, a->frames[frame].step, a->frames[frame].below);
            break;
        default: break;
        }
    }
    return complete;
}

/* Returns the state whose places are in `work`; creates the state if it is new. */
static uint16_t find_or_add_state(struct automaton *a) {
    bool complete = add_reachable(a);
    struct state state = {.first = a->n_places, .hash = complete, .complete = complete};
    struct place *places = a->places + state.first;
    for (uint32_t i = 0; i < a->n_work; i++) {
        const struct grammar_step *step = &a->grammar->steps[a->work[i].step];
        if (step->kind != GRAMMAR_BYTE || step->low > step->high) continue;
        if (state.first + state.count == PLACES_MAX) a->full = true;
        if (a->full) break;
        places[state.count++] = a->work[i];
        state.hash = (state.hash * 31 + a->work[i].step) * 31 + a->work[i].frame;
    }
    if (a->full || (!complete && state.count == 0)) return AUTOMATON_DEAD;
    uint16_t *head = &a->heads[state.hash % HEADS];
    for (uint16_t i = *head; i != AUTOMATON_DEAD && count_looks(a, 1); i = a->states[i].next) {
        const struct state *other = &a->states[i];
        if (other->hash == state.hash && other->count == state.count &&
            other->complete == complete &&
            !memcmp(a->places + other->first, places, state.count * sizeof *places))
            return i;
    }
    if (a->full) return AUTOMATON_DEAD;
    if (a->n_states == STATES_MAX) {
        a->full = true;
        return AUTOMATON_DEAD;
    }
    memset(a->table.next + (size_t)a->n_states * a->table.n_classes, 0xff,
           a->table.n_classes * sizeof *a->table.next);
    state.next = *head;
    *head = (uint16_t)a->n_states;
    a->states[a->n_states] = state;
    a->n_places += state.count;
    return (uint16_t)a->n_states++;
}

uint16_t automaton_step(struct automaton *a, uint16_t from, uint8_t byte) {
    uint16_t *next = a->table.next + (size_t)from * a->table.n_classes + a->table.class_of[byte];
    if (*next != AUTOMATON_UNKNOWN) return *next;
    const struct state *state = &a->states[from];
    a->n_work = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct place *place = &a->places[state->first + i];
        const struct grammar_step *step = &a->grammar->steps[place->step];
        if (step->low <= byte && byte <= step->high) add_place(a, place->step + 1, place->frame);
    }
    uint16_t found = find_or_add_state(a);
    if (!a->full) *next = found;
    return found;
}

const struct automaton_table *automaton_table(const struct automaton *a) { return &a->table; }
bool automaton_full(const struct automaton *a) { return a->full; }

void automaton_reset(struct automaton *a) {
    a->n_states = AUTOMATON_START;
    a->n_places = a->n_work = a->n_looks = 0;
    memset(a->heads, 0, sizeof a->heads); /* 0 is AUTOMATON_DEAD */
    a->n_frames = 1;
    a->full = false;
    add_place(a, a->grammar->rules[a->grammar->root].start, 0);
    find_or_add_state(a);
}

bool automaton_complete(const struct automaton *a, uint16_t state) {
    return a->states[state].complete;
}

const struct grammar_rule *automaton_rule(const struct automaton *a, uint16_t at) {
    const struct state *state = &a->states[at];
    const struct grammar_rule *found = NULL;
    if (state->count == 0) return NULL;
    for (uint32_t i = 0; i < a->grammar->n_rules; i++) {
        const struct grammar_rule *rule = &a->grammar->rules[i];
        if (rule->start <= a->places[state->first].step && (!found || rule->start > found->start))
            found = rule;
    }
    return found;
}

/* Returns the least depth of nested calls from step `at` to the end of its rule, computed from the
 * current needs of later steps. */
static uint32_t need_of(const struct automaton *a, uint32_t at) {
    const struct grammar *g = a->grammar;
    const struct grammar_step *step = &g->steps[at];
    uint32_t to = at + (uint32_t)step->to, inner, rest;
    switch (step->kind) {
    case GRAMMAR_BYTE: return step->low <= step->high ? a->needs[at + 1] : AUTOMATON_DEPTH_MAX + 1;
    case GRAMMAR_SPLIT: return a->needs[at + 1] < a->needs[to] ? a->needs[at + 1] : a->needs[to];
    case GRAMMAR_JUMP: return a->needs[to];
    case GRAMMAR_CALL:
        inner = a->needs[g->rules[step->to].start];
        if (g->steps[skip_jumps(g->steps, at + 1)].kind == GRAMMAR_RETURN) return inner;
        rest = a->needs[at + 1];
        return inner < rest ? rest : inner + (inner <= AUTOMATON_DEPTH_MAX);
    default: return 0;
    }
}

/* Fills `needs` (see need_of): begins with a too large need for every step, and lowers needs until
 * none changes. Goes backwards, because the need of a step depends on the steps after it. */
static void find_needs(struct automaton *a) {
    bool changed = true;
    for (uint32_t i = 0; i < a->grammar->n_steps; i++) a->needs[i] = AUTOMATON_DEPTH_MAX + 1;
    while (changed) {
        changed = false;
        for (uint32_t i = a->grammar->n_steps; i-- > 0;) {
            uint32_t need = need_of(a, i);
            if (need >= a->needs[i]) continue;
            a->needs[i] = (uint16_t)need;
            changed = true;
        }
    }
}

/* Divides bytes into classes: one begins at the start of each step's range, one after its end. */
static void make_classes(struct automaton *a) {
    uint8_t begins[257] = {0};
    for (uint32_t i = 0; i < a->grammar->n_steps; i++) {
        const struct grammar_step *step = &a->grammar->steps[i];
        if (step->kind != GRAMMAR_BYTE) continue;
        begins[step->low] = 1;
        begins[step->high + 1] = 1;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        a->table.n_classes += byte > 0 && begins[byte];
        a->table.class_of[byte] = (uint8_t)a->table.n_classes;
    }
    a->table.n_classes++;
}

void automaton_close(struct automaton *a) {
    if (!a) return;
    free(a->table.next);
    free(a->needs);
    free(a);
}

enum status automaton_open(struct automaton **out, const struct grammar *grammar,
                           struct fault *fault) {
    struct automaton *a = calloc(1, sizeof *a);
    if (a) {
        a->grammar = grammar;
        make_classes(a);
        a->table.next = calloc((size_t)STATES_MAX * a->table.n_classes, sizeof *a->table.next);
        a->needs = calloc(grammar->n_steps + 1, sizeof *a->needs);
    }
    if (!a || !a->table.next || !a->needs) {
        automaton_close(a);
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_states", "");
    }
    find_needs(a);
    automaton_reset(a);
    *out = a;
    return STATUS_OK;
}
