/* Decides before any weight is read whether a model and its session fit into memory. */
#ifndef LOGITSCOPE_MEMORY_BUDGET_H
#define LOGITSCOPE_MEMORY_BUDGET_H

#include "model.h"

/* Compares the memory of a model and of a session of `context` ids (0: no session) with the
 * `available` bytes. STATUS_OUT_OF_MEMORY: "context_too_large" names a shorter context that fits,
 * in hundreds; "model_too_large" says that none does. */
enum status memory_budget_check(const struct model_plan *plan, uint32_t context, uint64_t available,
                                struct fault *fault);

#endif
