/* One timeline over a model: the forward pass, the KV cache and the logits of the last position.
 *
 * The timeline is the whole text in ids, prompt included; the model sees its last `context` ids
 * (the window). While the timeline fits, position = index and the KV cache is kept. Beyond, the
 * window slides: positions start at 0 again and the window is evaluated anew at each step, so that
 * with and without the cache the bits agree. */
#ifndef LOGITSCOPE_SESSION_H
#define LOGITSCOPE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "status.h"

enum { SESSION_TIMELINE_MAX = 1 << 18 };    /* ids in a timeline: 262,144 */
enum { SESSION_CONTEXT_DEFAULT = 1 << 12 }; /* ids in a window that nobody asked for: 4,096 */

struct session; /* opaque; one thread at a time */

/* What a feed did: positions that went through the model, and positions taken from the cache. */
struct session_fed {
    uint32_t evaluated, reused;
};

/* How many ids a session sees for which `context` are asked: 0 is the model's context_length, or
 * SESSION_CONTEXT_DEFAULT if that is less. */
uint32_t session_context(const struct model_shape *shape, uint32_t context);

/* Bytes that a session over a model of that shape takes, `context` as for session_context. */
uint64_t session_bytes(const struct model_shape *shape, uint32_t context);

/* STATUS_OUT_OF_RANGE if `context` is more than the model's context_length. */
enum status session_check(const struct model_shape *shape, uint32_t context, struct fault *fault);

/* Allocates the caches (context * (key_width + value_width) float32) and every scratch array; later
 * calls allocate nothing. `model` must outlive the session. session_check's failure;
 * STATUS_OUT_OF_MEMORY names the bytes asked for. */
enum status session_open(struct session **session, const struct model *model, uint32_t context,
                         const struct kernels *kernels, struct fault *fault);
void session_close(struct session *session);

/* Makes the timeline exactly ids[0 .. n) and computes the logits after the last. Keeps the common
 * prefix; at least the last id is always evaluated unless the timeline is unchanged. reuse = false
 * evaluates the whole window anew. The logits do not depend on how the ids were split over calls.
 * On failure the timeline and the logits are as before.
 * STATUS_EMPTY, STATUS_UNKNOWN_TOKEN (id >= vocab_size), STATUS_TOO_LONG, STATUS_NOT_FINITE. */
enum status session_feed(struct session *session, const uint32_t *ids, size_t n, bool reuse,
                         struct session_fed *fed, struct fault *fault);

/* The same, and the logits after each of the last n_rows ids go into rows (n_rows, vocab_size): the
 * bits that as many feeds, of an id more each, would give, for one pass over the weights. All of
 * these ids are evaluated; on failure what `rows` holds is undefined. STATUS_OUT_OF_RANGE unless
 * 1 <= n_rows <= n, and n_rows = 1 where n is beyond the context, since there each id has another
 * window. */
enum status session_feed_rows(struct session *session, const uint32_t *ids, size_t n, bool reuse,
                              float *rows, size_t n_rows, struct session_fed *fed,
                              struct fault *fault);

/* Makes the timeline that of `from`, with all that was computed for it, so that nothing is
 * evaluated: as if it had been fed. STATUS_INVALID_ARGUMENT unless both are over the same model, of
 * the same context. */
enum status session_copy(struct session *session, const struct session *from, struct fault *fault);

/* Logits (vocab_size,) of the last feed; NULL before the first. */
const float *session_logits(const struct session *session);
/* What the head made those logits of: the last layer's output after the output norm, (n_embd,), as
 * contrastive search compares it (Su et al. 2022); NULL before the first feed. */
const float *session_hidden(const struct session *session);
/* The timeline; *n ids, owned by the session, valid until the next feed. */
const uint32_t *session_timeline(const struct session *session, size_t *n);
/* The inner loops in use; switching them never changes a bit. */
void session_use(struct session *session, const struct kernels *kernels);

#endif
