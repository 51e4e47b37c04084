/* Whether the rules of a grammar that was read make sense together. */
#ifndef LOGITSCOPE_GRAMMAR_CHECK_H
#define LOGITSCOPE_GRAMMAR_CHECK_H

#include "grammar.h"

/* The start of a rule that is named but not defined. */
enum { GRAMMAR_UNDEFINED = UINT32_MAX };

/* Finds the rule root. STATUS_INVALID_ARGUMENT: there is none, a rule is named that is not there,
 * can never end or begins with itself; STATUS_OUT_OF_MEMORY. */
enum status grammar_check(struct grammar *grammar, struct fault *fault);

#endif
