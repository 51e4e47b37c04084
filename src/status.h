/* All statuses that a function can return, and the description of a failure: a key and its values.
 *
 * A function that can fail returns `enum status`. If it has a `struct fault *` parameter, it fills
 * the fault only on failure. The library never prints or exits and contains no sentences:
 * web/engine/sentences.js and the page's languages have a sentence for every key. */
#ifndef LOGITSCOPE_STATUS_H
#define LOGITSCOPE_STATUS_H

#include <stddef.h>
#include <stdint.h>

enum status {
    STATUS_OK = 0,
    STATUS_INVALID_ARGUMENT, /* a bad call: a wrong name, combination or order */
    STATUS_OUT_OF_RANGE,     /* a setting outside the range in its row of warp_table */
    STATUS_NOT_FINITE,       /* NaN or +Infinity among logits */
    STATUS_NOTHING_LEFT,     /* no token is left to draw */
    STATUS_BAD_FILE,         /* a malformed GGUF image */
    STATUS_UNSUPPORTED,      /* well formed, but this engine does not run it */
    STATUS_UNKNOWN_TOKEN,    /* text that the vocabulary cannot spell, or an id outside it */
    STATUS_EMPTY,            /* no token, but at least one is needed */
    STATUS_TOO_LONG,         /* more tokens than the limit */
    STATUS_OUT_OF_MEMORY,
    STATUS_INCOMPLETE, /* the head of a file is too short */
    STATUS_COUNT
};

enum { FAULT_VALUES_MAX = 8, FAULT_TEXT_MAX = 64 };

enum fault_kind { FAULT_NONE, FAULT_NUMBER, FAULT_TEXT };

/* A number, or a text in UTF-8 without control characters. */
struct fault_value {
    enum fault_kind kind;
    double number;
    char text[FAULT_TEXT_MAX + 1];
};

/* A failure: `key` names the sentence; `form` (see fault_set) names the values. */
struct fault {
    enum status status;
    const char *key, *form;
    uint32_t n_values;
    struct fault_value values[FAULT_VALUES_MAX];
};

/* The name that JavaScript sees as `error.code`, for instance "out_of_range". */
const char *status_name(enum status status);

/* Fills `fault` (which may be NULL) and returns `status`. `key` and `form` must outlive the fault.
 * `form` has NAME:KIND for each following argument, separated by spaces. Kind f is a double. u is a
 * uint64_t; it becomes a text of digits if a double cannot represent it. s is a text, cut at
 * FAULT_TEXT_MAX bytes, with '?' for control characters. k is the key of a phrase. A NULL text or
 * phrase means no value. */
enum status fault_set(struct fault *fault, enum status status, const char *key, const char *form,
                      ...);

#endif
