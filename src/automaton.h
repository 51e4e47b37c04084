/* A grammar's program run on bytes: a deterministic automaton, made state by state as text comes by
 * (Thompson 1968, with a stack for the rules under way). A state is numbered, so that a byte costs
 * one look into a table once it has been met there. */
#ifndef LOGITSCOPE_AUTOMATON_H
#define LOGITSCOPE_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar.h"
#include "status.h"

/* No text goes on from AUTOMATON_DEAD; every other state lies on the way to a complete text. Rules
 * call themselves through at most AUTOMATON_DEPTH_MAX calls, of which the last thing in a rule is
 * none; a text that needs more is not accepted. */
enum { AUTOMATON_DEAD, AUTOMATON_START, AUTOMATON_DEPTH_MAX = 256, AUTOMATON_UNKNOWN = 0xffff };

struct automaton; /* opaque; of a fixed size */

/* What has been met: next[state * n_classes + class_of[byte]], AUTOMATON_UNKNOWN until then. For
 * those who take many steps; automaton_step takes any. */
struct automaton_table {
    uint16_t *next;
    uint32_t n_classes;
    uint8_t class_of[256]; /* bytes that no step of the program tells apart are one class */
};

/* The grammar must outlive it. STATUS_OUT_OF_MEMORY. */
enum status automaton_open(struct automaton **automaton, const struct grammar *grammar,
                           struct fault *fault);
void automaton_close(struct automaton *automaton);

/* The state after a byte. Where there is no room for a new one it is AUTOMATON_DEAD and
 * automaton_full becomes true: then everything found since the last reset is to be found anew. */
uint16_t automaton_step(struct automaton *automaton, uint16_t state, uint8_t byte);
const struct automaton_table *automaton_table(const struct automaton *automaton);
bool automaton_full(const struct automaton *automaton);
/* Forgets all states but the first two. */
void automaton_reset(struct automaton *automaton);

/* Whether the text so far is complete. */
bool automaton_complete(const struct automaton *automaton, uint16_t state);
/* The innermost rule under way, NULL where nothing more is expected. */
const struct grammar_rule *automaton_rule(const struct automaton *automaton, uint16_t state);

#endif
