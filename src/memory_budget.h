/* Checks that a model and its session fit into memory, before any weight is read. */
#ifndef LOGITSCOPE_MEMORY_BUDGET_H
#define LOGITSCOPE_MEMORY_BUDGET_H

#include "model.h"

/* Compares the memory of a model and of a session of `context` ids (0: no session) with the
 * `available` bytes. STATUS_OUT_OF_MEMORY: key "context_too_large" with a shorter context that
 * fits, a multiple of 100; key "model_too_large" if no context fits. */
enum status memory_budget_check(const struct model_plan *plan, uint32_t context, uint64_t available,
                                struct fault *fault);

#endif
