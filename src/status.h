/* The closed list of outcomes, and what there is to say of a failure: a key and its values.
 *
 * A function that can fail returns `enum status` and, where it takes a `struct fault *`, fills it
 * on failure only. Nothing in the library prints or exits, and no sentence stands in it: those of
 * every key are in web/engine/sentences.js, and in the languages of the page. */
#ifndef LOGITSCOPE_STATUS_H
#define LOGITSCOPE_STATUS_H

#include <stddef.h>
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

enum { FAULT_VALUES_MAX = 8, FAULT_TEXT_MAX = 64 };

enum fault_kind { FAULT_NONE, FAULT_NUMBER, FAULT_TEXT };

/* A number, or a text in UTF-8 without control characters. */
struct fault_value {
    enum fault_kind kind;
    double number;
    char text[FAULT_TEXT_MAX + 1];
};

/* What went wrong: `key` names the sentence, `form` its values, as in the call that set them. */
struct fault {
    enum status status;
    const char *key, *form;
    uint32_t n_values;
    struct fault_value values[FAULT_VALUES_MAX];
};

/* The name that JavaScript sees as `error.code`, for instance "out_of_range". */
const char *status_name(enum status status);

/* Fills `fault` (which may be NULL) and returns `status`. `key` and `form` must outlive the fault.
 * `form` has NAME:KIND for each argument that follows, with a space between: f is a double; u a
 * uint64_t, which becomes a text of digits where a double cannot hold it; s a text, cut at
 * FAULT_TEXT_MAX bytes, with '?' for control characters; k the key of a phrase. A text or a phrase
 * that is NULL is no value. */
enum status fault_set(struct fault *fault, enum status status, const char *key, const char *form,
                      ...);

#endif
