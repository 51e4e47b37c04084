/* Finds the longest context that fits, by trying. */
#include "memory_budget.h"

#include "session.h"

enum { STEP = 100 };          /* ids; round numbers are easy to read */
enum { RESERVED = 32 << 20 }; /* bytes for a vocabulary and a chain */

enum status memory_budget_check(const struct model_plan *plan, uint32_t context, uint64_t available,
                                struct fault *fault) {
    uint64_t needed = plan->bytes + (context ? session_bytes(&plan->shape, context) : 0);
    if (needed < available) return STATUS_OK;
    uint32_t fits = context / STEP * STEP;
    while (fits > 0 && plan->bytes + session_bytes(&plan->shape, fits) + RESERVED > available)
        fits -= STEP;
    if (fits > 0)
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "context_too_large", "n:u limit:u fits:u",
                         needed, available, (uint64_t)fits);
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "model_too_large", "n:u limit:u", needed,
                     available);
}
