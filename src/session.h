/* One timeline over a model: the forward pass, the KV cache and the logits of the last position.
 *
 * The timeline is the whole text in ids, prompt included; the model sees its last `context` ids
 * (the window). While the timeline fits, position = index and the KV cache is kept. When the
 * timeline is longer, the window slides: at each step the whole window is evaluated again from
 * position 0. So the bits do not depend on the cache. */
#ifndef LOGITSCOPE_SESSION_H
#define LOGITSCOPE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "status.h"

enum { SESSION_TIMELINE_MAX = 1 << 18 };    /* ids in a timeline: 262,144 */
enum { SESSION_CONTEXT_DEFAULT = 1 << 12 }; /* default window, in ids: 4,096 */

struct session; /* opaque; only one thread at a time may use it */

/* Work of a feed: `evaluated` positions ran through the model, `reused` ones were in the cache. */
struct session_fed {
    uint32_t evaluated, reused;
};

/* Returns the window of a session, in ids: `context` if it is not 0; otherwise the model's
 * context_length, but at most SESSION_CONTEXT_DEFAULT. */
uint32_t session_context(const struct model_shape *shape, uint32_t context);

/* Returns the bytes of a session over a model of that shape; `context` as for session_context. */
uint64_t session_bytes(const struct model_shape *shape, uint32_t context);

/* Fails with STATUS_OUT_OF_RANGE if `context` is more than the model's context_length. */
enum status session_check(const struct model_shape *shape, uint32_t context, struct fault *fault);

/* Allocates the caches (context * (key_width + value_width) float32) and every scratch array; later
 * calls allocate nothing. `model` must outlive the session. Fails as session_check does;
 * STATUS_OUT_OF_MEMORY names the bytes. */
enum status session_open(struct session **session, const struct model *model, uint32_t context,
                         const struct kernels *kernels, struct fault *fault);
void session_close(struct session *session);

/* Sets the timeline to ids[0 .. n) and computes the logits after the last id. Reuses the cache for
 * the prefix that old and new timeline share, but evaluates at least the last id unless the
 * timeline is unchanged. reuse = false evaluates the whole window again. Feeding ids in one call or
 * in several gives the same logits. A failure changes neither the timeline nor the logits. Fails
 * with STATUS_EMPTY, STATUS_UNKNOWN_TOKEN (id >= vocab_size), STATUS_TOO_LONG, STATUS_NOT_FINITE,
 * STATUS_UNSUPPORTED for a model without weights. */
enum status session_feed(struct session *session, const uint32_t *ids, size_t n, bool reuse,
                         struct session_fed *fed, struct fault *fault);

/* Like session_feed, but also writes the logits after each of the last n_rows ids to rows (n_rows,
 * vocab_size). One pass over the weights gives the same bits as n_rows feeds that each add an id.
 * All n_rows ids are evaluated. On failure `rows` is undefined. Fails with STATUS_OUT_OF_RANGE
 * unless 1 <= n_rows <= n. If n exceeds the context, each id has a different window, so n_rows must
 * be 1. */
enum status session_feed_rows(struct session *session, const uint32_t *ids, size_t n, bool reuse,
                              float *rows, size_t n_rows, struct session_fed *fed,
                              struct fault *fault);

/* Sets the timeline like session_feed, without a forward pass: `logits` (vocab_size,) are the
 * logits after the last id. They are copied. session_hidden is then undefined. Fails as
 * session_feed. */
enum status session_accept(struct session *session, const uint32_t *ids, size_t n,
                           const float *logits, struct session_fed *fed, struct fault *fault);

/* Copies the timeline of `from` with its cache, logits and hidden state, so that nothing is
 * evaluated. Fails with STATUS_INVALID_ARGUMENT if model or context differ. */
enum status session_copy(struct session *session, const struct session *from, struct fault *fault);

/* Logits (vocab_size,) of the last feed; NULL before the first. */
const float *session_logits(const struct session *session);
/* The head's input (n_embd,) for session_logits: the last layer's output after the output norm.
 * Contrastive search compares these vectors (Su et al. 2022). NULL before the first feed. */
const float *session_hidden(const struct session *session);
/* Returns the timeline of *n ids, owned by the session and valid until the next feed. */
const uint32_t *session_timeline(const struct session *session, size_t *n);
/* Replaces the inner loops of the session. All inner loops give the same logits, bit for bit. */
void session_use(struct session *session, const struct kernels *kernels);

#endif
