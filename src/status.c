/* Builds the one sentence of a fault without printf, which would weigh more than the engine. */
#include "status.h"

#include <stdarg.h>
#include <stddef.h>

const char *status_name(enum status status) {
    static const char *const names[STATUS_COUNT] = {
        "ok",           "invalid_argument", "out_of_range",  "not_finite",
        "nothing_left", "bad_file",         "unsupported",   "unknown_token",
        "empty",        "too_long",         "out_of_memory", "incomplete"};
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

struct writer {
    char *text;
    size_t used, capacity;
};

static void put(struct writer *w, char c) {
    if (w->used + 1 < w->capacity) w->text[w->used++] = c;
}

static void put_string(struct writer *w, const char *s) {
    for (size_t i = 0; i < 64 && s[i]; i++) {
        unsigned char c = (unsigned char)s[i];
        put(w, c < 0x20 || c == 0x7f ? '?' : s[i]);
    }
}

static void put_unsigned(struct writer *w, uint64_t n) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count) put(w, digits[--count]);
}

static void put_format(struct fault *fault, const char *format, va_list arguments) {
    struct writer w = {fault->text, 0, sizeof fault->text};
    for (const char *f = format; *f; f++) {
        if (f[0] == '%' && f[1] == 's') {
            put_string(&w, va_arg(arguments, const char *));
            f++;
        } else if (f[0] == '%' && f[1] == 'u') {
            put_unsigned(&w, va_arg(arguments, uint64_t));
            f++;
        } else {
            put(&w, *f);
        }
    }
    fault->text[w.used] = 0;
}

enum status fault_set(struct fault *fault, enum status status, const char *format, ...) {
    if (fault) {
        va_list arguments;
        va_start(arguments, format);
        fault->status = status;
        fault->value = 0;
        put_format(fault, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum status fault_set_value(struct fault *fault, enum status status, double value,
                            const char *format, ...) {
    if (fault) {
        va_list arguments;
        va_start(arguments, format);
        fault->status = status;
        fault->value = value;
        put_format(fault, format, arguments);
        va_end(arguments);
    }
    return status;
}
