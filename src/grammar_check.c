/* Checks properties of a rule that depend on the rules it calls. A search visits the steps that are
 * reachable from the rule's start. The searches are repeated until no answer changes. */
#include "grammar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unicode.h"

/* Properties of a rule. CAN_END: some text completes the rule. CAN_BE_EMPTY: the empty text
 * completes it. BEGINS_WITH_ITSELF: the rule can call itself before it reads a byte. */
enum property { CAN_END, CAN_BE_EMPTY, BEGINS_WITH_ITSELF };

struct search {
    const struct grammar *grammar;
    uint8_t *seen;  /* (n_steps,) */
    uint32_t *todo; /* (n_steps,) */
    uint32_t n_todo;
};

static void visit(struct search *search, uint32_t step) {
    if (search->seen[step]) return;
    search->seen[step] = 1;
    search->todo[search->n_todo++] = step;
}

/* True if `rule` has the property `property`. known[i] is 1 if rule i is known to have CAN_END (for
 * the question CAN_END) or CAN_BE_EMPTY (for the other two properties). */
static bool has_property(struct search *search, uint32_t rule, enum property property,
                         const uint8_t *known) {
    const struct grammar *g = search->grammar;
    memset(search->seen, 0, g->n_steps);
    search->n_todo = 0;
    visit(search, g->rules[rule].start);
    while (search->n_todo) {
        uint32_t at = search->todo[--search->n_todo];
        const struct grammar_step *step = &g->steps[at];
        uint32_t to = at + (uint32_t)step->to;
        switch (step->kind) {
        case GRAMMAR_BYTE:
            if (property == CAN_END && step->low <= step->high) visit(search, at + 1);
            break;
        case GRAMMAR_SPLIT:
            visit(search, at + 1);
            visit(search, to);
            break;
        case GRAMMAR_JUMP: visit(search, to); break;
        case GRAMMAR_CALL:
            if (known[step->to]) visit(search, at + 1);
            if (property != BEGINS_WITH_ITSELF) break;
            if ((uint32_t)step->to == rule) return true;
            visit(search, g->rules[step->to].start);
            break;
        default:
            if (property != BEGINS_WITH_ITSELF) return true;
        }
    }
    return false;
}

/* Sets known[i] to 1 for all rules with the property: first for rules that have it without a call,
 * then for rules that call them. */
static void find_rules(struct search *search, enum property property, uint8_t *known) {
    bool changed = true;
    memset(known, 0, GRAMMAR_RULES_MAX);
    while (changed) {
        changed = false;
        for (uint32_t i = search->grammar->n_rules; i-- > 0;) {
            if (known[i] || !has_property(search, i, property, known)) continue;
            known[i] = 1;
            changed = true;
        }
    }
}

static enum status refuse_rule(const struct grammar *g, uint32_t rule, const char *key,
                               struct fault *fault) {
    char name[UNICODE_QUOTE_MAX];
    unicode_quote(name, g->rules[rule].name, g->rules[rule].length);
    return fault_set(fault, STATUS_INVALID_ARGUMENT, key, "name:s", name);
}

static enum status check_rules(struct grammar *g, struct search *search, struct fault *fault) {
    uint8_t known[GRAMMAR_RULES_MAX];
    g->root = g->n_rules;
    for (uint32_t i = 0; i < g->n_rules; i++) {
        const struct grammar_rule *rule = &g->rules[i];
        if (rule->start == GRAMMAR_UNDEFINED) return refuse_rule(g, i, "grammar_no_rule", fault);
        if (rule->length == 4 && !memcmp(rule->name, "root", 4)) g->root = i;
    }
    if (g->root == g->n_rules)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "grammar_no_root", "");
    find_rules(search, CAN_END, known);
    for (uint32_t i = 0; i < g->n_rules; i++)
        if (!known[i]) return refuse_rule(g, i, "grammar_endless", fault);
    find_rules(search, CAN_BE_EMPTY, known);
    for (uint32_t i = 0; i < g->n_rules; i++)
        if (has_property(search, i, BEGINS_WITH_ITSELF, known))
            return refuse_rule(g, i, "grammar_begins_with_itself", fault);
    return STATUS_OK;
}

enum status grammar_check(struct grammar *g, struct fault *fault) {
    struct search search = {.grammar = g};
    search.seen = malloc(g->n_steps + 1);
    search.todo = malloc((g->n_steps + 1) * sizeof *search.todo);
    enum status status = search.seen && search.todo
                             ? check_rules(g, &search, fault)
                             : fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_grammar", "");
    free(search.seen);
    free(search.todo);
    return status;
}
