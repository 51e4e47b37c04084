/* Runs a grammar's program on bytes: a deterministic automaton that creates states when a text
 * reaches them (Thompson 1968, with a stack for unfinished rules). States are numbers, so a known
 * transition costs one table look-up. */
#ifndef LOGITSCOPE_AUTOMATON_H
#define LOGITSCOPE_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar.h"
#include "status.h"

/* No text continues from AUTOMATON_DEAD; every other state can reach a complete text. Calls nest at
 * most AUTOMATON_DEPTH_MAX deep; a call that ends its rule does not count. A text that needs
 * deeper calls is not accepted. */
enum { AUTOMATON_DEAD, AUTOMATON_START, AUTOMATON_DEPTH_MAX = 256, AUTOMATON_UNKNOWN = 0xffff };

struct automaton; /* opaque; its size is fixed */

/* Known transitions: next[state * n_classes + class_of[byte]], AUTOMATON_UNKNOWN until computed.
 * Reading the table is faster than automaton_step, which also computes unknown transitions. */
struct automaton_table {
    uint16_t *next;
    uint32_t n_classes;
    uint8_t class_of[256]; /* bytes that no step distinguishes share a class */
};

/* Opens an automaton over a grammar, which must outlive it. Fails with STATUS_OUT_OF_MEMORY. */
enum status automaton_open(struct automaton **automaton, const struct grammar *grammar,
                           struct fault *fault);
void automaton_close(struct automaton *automaton);

/* Returns the state after a byte. Without room for a new state it returns AUTOMATON_DEAD and
 * automaton_full becomes true; every result since the last reset is then invalid. */
uint16_t automaton_step(struct automaton *automaton, uint16_t state, uint8_t byte);
const struct automaton_table *automaton_table(const struct automaton *automaton);
bool automaton_full(const struct automaton *automaton);
/* Deletes all states except AUTOMATON_DEAD and AUTOMATON_START. */
void automaton_reset(struct automaton *automaton);

/* True if a text that reaches `state` is complete. */
bool automaton_complete(const struct automaton *automaton, uint16_t state);
/* Returns the innermost rule that a text in `state` has not finished; NULL if no byte may
 * follow. */
const struct grammar_rule *automaton_rule(const struct automaton *automaton, uint16_t state);

#endif
