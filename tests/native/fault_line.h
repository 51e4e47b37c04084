/* Writes a fault as one line of key and values, for instance "timeline_full 262144 262145". */
#ifndef LOGITSCOPE_FAULT_LINE_H
#define LOGITSCOPE_FAULT_LINE_H

#include <stdio.h>

#include "status.h"

enum { FAULT_LINE_MAX = FAULT_VALUES_MAX * (FAULT_TEXT_MAX + 2) + 80 };

/* The line is valid until the next call; "" for an empty fault. */
static inline const char *fault_line(const struct fault *fault) {
    static char line[FAULT_LINE_MAX];
    int n = snprintf(line, sizeof line, "%s", fault->key ? fault->key : "");
    for (uint32_t i = 0; fault->key && i < fault->n_values; i++) {
        const struct fault_value *value = &fault->values[i];
        if (value->kind == FAULT_NONE) continue;
        if (value->kind == FAULT_NUMBER)
            n += snprintf(line + n, sizeof line - (size_t)n, " %.17g", value->number);
        else
            n += snprintf(line + n, sizeof line - (size_t)n, " %s", value->text);
    }
    return line;
}

#endif
