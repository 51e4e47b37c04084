/* A grammar over characters, compiled to a small program over their UTF-8 bytes. The language is a
 * subset of llama.cpp's GBNF:
 *
 *   root ::= "[" item ("," item)* "]"   # a name, then its definition; root is the whole text
 *   item ::= [0-9]{1,3} | "none" | .
 *
 * Literals "..." and classes [a-z], [^"\\] accept the escapes \n \r \t \\ \" \[ \] \- \xNN \uNNNN
 * \UNNNNNNNN; every other escape is an error. A dot means any character. Parts may be grouped ( )
 * and repeated * + ? {m} {m,} {m,n}. White space and line ends only separate parts. Accepted texts
 * are well-formed UTF-8. */
#ifndef LOGITSCOPE_GRAMMAR_H
#define LOGITSCOPE_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

enum { GRAMMAR_RULES_MAX = 512, GRAMMAR_CODE_MAX = 1 << 16 };

/* BYTE: reads a byte from low to high, then runs the next step. SPLIT: runs the next step or step
 * `to`. JUMP: runs step `to`. CALL: runs rule `to`, then the next step. RETURN: ends the rule. `to`
 * is an offset from the step's own index, so that steps can be moved and copied. */
enum grammar_kind { GRAMMAR_BYTE, GRAMMAR_SPLIT, GRAMMAR_JUMP, GRAMMAR_CALL, GRAMMAR_RETURN };

struct grammar_step {
    uint8_t kind, low, high;
    int32_t to;
};

/* Value of `start` for a rule that is used but not defined. */
enum { GRAMMAR_UNDEFINED = UINT32_MAX };

struct grammar_rule {
    const char *name; /* (length,) inside the grammar's text */
    uint32_t length, start;
};

/* A rule's steps begin at index `start` and end before the steps of the next rule. */
struct grammar {
    struct grammar_step *steps;
    uint32_t n_steps, n_rules, root;
    struct grammar_rule rules[GRAMMAR_RULES_MAX];
    char *text;
};

/* Compiles `length` bytes of text, which are copied. STATUS_INVALID_ARGUMENT: the text is malformed
 * or too large, names an unknown rule, or has a rule that can never end or begins with itself;
 * STATUS_OUT_OF_MEMORY. */
enum status grammar_open(struct grammar **grammar, const char *text, size_t length,
                         struct fault *fault);
void grammar_close(struct grammar *grammar);

/* The last part of grammar_open: checks the rules together and finds the rule root. Fails with
 * STATUS_INVALID_ARGUMENT: no root, or a rule is unknown, can never end or begins with itself;
 * STATUS_OUT_OF_MEMORY. */
enum status grammar_check(struct grammar *grammar, struct fault *fault);

#endif
