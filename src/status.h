/* The closed list of outcomes, and the one sentence that says what was wrong.
 *
 * A function that can fail returns `enum status` and, where it takes a `struct fault *`, fills it
 * on failure only. Nothing in the library prints or exits. */
#ifndef LOGITSCOPE_STATUS_H
#define LOGITSCOPE_STATUS_H

#include <stdint.h>

enum status {
    STATUS_OK = 0,
    STATUS_INVALID_ARGUMENT, /* a call that makes no sense: a name, a combination, an order */
    STATUS_OUT_OF_RANGE,     /* a setting outside the range that its row in the table accepts */
    STATUS_NOT_FINITE,       /* NaN or +Infinity among logits */
    STATUS_NOTHING_LEFT,     /* bans that leave no token to draw */
    STATUS_BAD_FILE,         /* a malformed GGUF image */
    STATUS_UNSUPPORTED,      /* well formed, but not something this engine runs */
    STATUS_UNKNOWN_TOKEN,    /* text that the vocabulary cannot spell, or an id outside it */
    STATUS_EMPTY,            /* no token where at least one is needed */
    STATUS_TOO_LONG,         /* more tokens than the timeline holds */
    STATUS_OUT_OF_MEMORY,
    STATUS_INCOMPLETE, /* the head of a file, of which more is needed */
    STATUS_COUNT
};

/* What went wrong. `text` is one sentence without a full stop, in printable ASCII or UTF-8. Where
 * it holds the two characters "{}", the reader puts `value` there in its own shortest spelling. */
struct fault {
    enum status status;
    double value;
    char text[280];
};

/* The name that JavaScript sees as `error.code`, for instance "out_of_range". */
const char *status_name(enum status status);

/* Fills `fault` (which may be NULL) and returns `status`. `format` knows %s (a C string, control
 * characters shown as '?', at most 64 bytes of it) and %u (a uint64_t); everything else is copied.
 */
enum status fault_set(struct fault *fault, enum status status, const char *format, ...);

/* The same with a number for the place that "{}" marks in `format`. */
enum status fault_set_value(struct fault *fault, enum status status, double value,
                            const char *format, ...);

#endif
