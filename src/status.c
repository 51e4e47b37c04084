/* Fills faults. Values are copied, so the caller may free the originals. */
#include "status.h"

#include <stdarg.h>

#include "bytes.h"

const char *status_name(enum status status) {
    static const char *const names[STATUS_COUNT] = {
        "ok",           "invalid_argument", "out_of_range",  "not_finite",
        "nothing_left", "bad_file",         "unsupported",   "unknown_token",
        "empty",        "too_long",         "out_of_memory", "incomplete"};
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

static void put_text(struct fault_value *value, const char *text) {
    size_t n = 0;
    value->kind = text ? FAULT_TEXT : FAULT_NONE;
    for (; text && n < FAULT_TEXT_MAX && text[n]; n++) {
        unsigned char c = (unsigned char)text[n];
        value->text[n] = c < 0x20 || c == 0x7f ? '?' : text[n];
    }
    value->text[n] = 0;
}

static void put_number(struct fault_value *value, double number) {
    value->kind = FAULT_NUMBER;
    value->number = number;
}

/* A whole number above 2^53 becomes a text, to keep all its digits. */
static void put_unsigned(struct fault_value *value, uint64_t n) {
    char digits[21];
    put_number(value, (double)n);
    if (n <= UINT64_C(1) << 53) return;
    digits[put_decimal(digits, n)] = 0;
    put_text(value, digits);
}

enum status fault_set(struct fault *fault, enum status status, const char *key, const char *form,
                      ...) {
    if (!fault) return status;
    va_list arguments;
    va_start(arguments, form);
    fault->status = status;
    fault->key = key;
    fault->form = form;
    fault->n_values = 0;
    for (const char *c = form; *c; c++) {
        if (*c != ':') continue;
        struct fault_value *value = &fault->values[fault->n_values++];
        if (c[1] == 'f')
            put_number(value, va_arg(arguments, double));
        else if (c[1] == 'u')
            put_unsigned(value, va_arg(arguments, uint64_t));
        else
            put_text(value, va_arg(arguments, const char *));
    }
    va_end(arguments);
    return status;
}
