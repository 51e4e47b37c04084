/* The boundary to JavaScript and Python: typed exports and nothing else. Only this file, simd.h and
 * loop.h contain code for WebAssembly, and only this file has globals. Handles are pointers; 0
 * means failure, and `fault` describes the last failure.
 *
 * The caller writes inputs (text, ids, logits) into the exchange, a buffer that C owns. JavaScript
 * and Python read structs in place; web/engine/layout.js has their fields, from the compiler.
 * Integers of more than 32 bits are passed as doubles: seeds and steps are below 2^53. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "constraint.h"
#include "draw.h"
#include "gguf.h"
#include "kernels.h"
#include "measure.h"
#include "model_file.h"
#include "probe.h"
#include "session.h"
#include "speculate.h"
#include "status.h"
#include "threads.h"
#include "tokenizer.h"
#include "warp.h"
#include "watermark.h"

#ifdef __wasm__
#define EXPORT(type, name) __attribute__((export_name(#name))) type export_##name
#define MEMORY_LEFT (0x100000000 - __builtin_wasm_memory_size(0) * 65536ull)
#else
#define EXPORT(type, name) __attribute__((visibility("default"))) type export_##name
#ifndef MEMORY_LEFT /* a fuzz target has a limit of its own */
#define MEMORY_LEFT SIZE_MAX
#endif
#endif

static struct fault fault;
static struct settings settings;
static void *biases, *breakers, *banned, *ends; /* owned arrays of `settings` */
static const struct kernels *kernels = &kernels_simd;
static struct kernels adopted;
static void *exchange;
static size_t exchange_size;
static uint64_t feeds; /* number of changes of session logits, incremented before each */

EXPORT(void *, memory_allocate)(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_bytes", "n:u", (uint64_t)size);
    return memory;
}

EXPORT(void, memory_release)(void *memory) { free(memory); }

/* Returns the exchange: at least `size` bytes, 16-byte aligned. A call that makes it grow discards
 * its content. Its first size fits the longest timeline, so that no decode step makes it grow. */
EXPORT(void *, memory_exchange)(size_t size) {
    size_t least = sizeof(uint32_t) * SESSION_TIMELINE_MAX;
    if (size < least) size = least;
    if (size <= exchange_size) return exchange;
    free(exchange);
    exchange_size = 0;
    exchange = export_memory_allocate(size);
    if (exchange) exchange_size = size;
    return exchange;
}

EXPORT(const char *, fault_name)(void) { return status_name(fault.status); }
EXPORT(const char *, fault_key)(void) { return fault.key; }
EXPORT(const char *, fault_form)(void) { return fault.form; }
EXPORT(enum fault_kind, fault_kind)(uint32_t i) { return fault.values[i].kind; }
EXPORT(double, fault_number)(uint32_t i) { return fault.values[i].number; }
EXPORT(const char *, fault_text)(uint32_t i) { return fault.values[i].text; }

#ifdef __wasm__
/* quants_simd.c is compiled to separate modules. Until one is adopted, these scalar loops run. */
void quantise_simd(struct quants *quants, const float *x, size_t cols, size_t n) {
    kernels_scalar.quantise(quants, x, cols, n);
}

void matmul_quants_simd(float *out, const struct matrix *w, const float *bias,
                        const struct quants *quants, size_t n, size_t streams) {
    kernels_scalar.matmul_quants(out, w, bias, quants, n, streams);
}
#endif

/* Adopts the loops of a second module, which JavaScript has put into the table of functions.
 * Returns 1 if the loops compute the right bits; otherwise keeps this module's loops. */
EXPORT(uint32_t, kernels_adopt)
(void (*quantise)(struct quants *, const float *, size_t, size_t),
 void (*matmul_quants)(float *, const struct matrix *, const float *, const struct quants *, size_t,
                       size_t)) {
    struct kernels brought = kernels_simd;
    brought.quantise = quantise;
    brought.matmul_quants = matmul_quants;
    adopted = kernels_quants_agree(&brought) ? brought : kernels_simd;
    return adopted.quantise == quantise;
}

/* Selects the inner loops of sessions and chains that are opened later: 0 scalar, 1 this module's,
 * 2 this module's with the adopted loops. */
EXPORT(void, kernels_choose)(uint32_t loops) {
    kernels = loops == 0 ? &kernels_scalar : loops == 1 ? &kernels_simd : &adopted;
}

/* Sets how many blocks of a quantised matrix the adopted loops multiply together, 1 to
 * KERNELS_STREAMS_MAX. Open sessions use the new number too. */
EXPORT(void, kernels_streams)(uint32_t streams) {
    if (streams >= 1 && streams <= KERNELS_STREAMS_MAX) adopted.streams = streams;
}

#if defined __wasm__ && defined LOGITSCOPE_THREADS
static struct threads *threads;

/* Opens the state of n threads for sessions of at most `context` ids. From then on, sessions that
 * are opened and model_probe split their work. Returns 0 on failure. */
EXPORT(uint32_t, threads_open)(uint32_t n, size_t context) {
    threads = threads_open(n, context);
    if (!threads) return 0;
    adopted = *kernels;
    adopted.threads = threads;
    kernels = &adopted;
    return 1;
}

/* See threads.h. Another instance of this module, in the same memory with a stack of its own, calls
 * threads_work. */
EXPORT(void, threads_work)(uint32_t index) { threads_work(threads, index); }
EXPORT(void, threads_use)(uint32_t n) { threads_use(threads, n); }
EXPORT(void, threads_keep)(uint32_t n) { threads_keep(threads, n); }
EXPORT(void, threads_least)(uint32_t cost) { threads_least(threads, cost); }
EXPORT(uint32_t, threads_count)(void) { return threads_count(threads); }
#endif

/* Multiplies part i of the weights, so that JavaScript can time it; see probe.h. Returns the bytes
 * read; 0 after the last part, for float32 weights, or if memory is short. */
EXPORT(uint32_t, model_probe)(const struct model_file *file, uint32_t i) {
    size_t size = file->model && file->model->layers ? probe_scratch(file->model, i) : 0;
    void *scratch = size ? export_memory_exchange(size) : NULL;
    return scratch ? probe_multiply(file->model, i, kernels, scratch) : 0;
}

EXPORT(void, model_close)(struct model_file *file) { model_file_close(file); }

/* Begins to open a model file; see model_file_begin. A negative `size` means that it is unknown.
 * Then the caller writes the image to model_image and calls model_finish, or gives up with
 * model_close. */
EXPORT(struct model_file *, model_begin)
(const void *head, size_t available, double size, uint32_t context) {
    struct model_file *file;
    uint64_t whole = size < 0 ? GGUF_SIZE_UNKNOWN : (uint64_t)size;
    enum status status =
        model_file_begin(&file, head, available, whole, context, MEMORY_LEFT, &fault);
    return status ? NULL : file;
}

EXPORT(void *, model_image)(struct model_file *file) { return model_file_image(file, &fault); }

EXPORT(enum status, model_finish)(struct model_file *file) {
    return model_file_finish(file, &fault);
}

/* Gives a vocabulary a model without weights, for session_accept; see model_file_ask. */
EXPORT(enum status, model_ask)
(struct model_file *file, uint32_t context_length, uint32_t context) {
    return model_file_ask(file, context_length, context, &fault);
}

static bool has_tokenizer(const struct model_file *file) {
    if (file->tokenizer) return true;
    fault_set(&fault, STATUS_UNSUPPORTED, "no_tokenizer", "");
    return false;
}

/* Returns the number of ids of the text, -1 on failure. */
EXPORT(int32_t, tokenizer_encode)
(const struct model_file *file, const char *text, size_t length, enum tokenizer_bos bos,
 uint32_t flags, uint32_t *ids, size_t capacity) {
    size_t count;
    if (!has_tokenizer(file)) return -1;
    if (tokenizer_encode(file->tokenizer, &(struct tokenizer_text){text, length, bos, flags}, ids,
                         capacity, &count, &fault))
        return -1;
    return (int32_t)count;
}

/* Returns the number of bytes of the text, -1 on failure. */
EXPORT(int32_t, tokenizer_decode)
(const struct model_file *file, const uint32_t *ids, size_t n, uint32_t special, char *text,
 size_t capacity) {
    size_t length;
    if (!has_tokenizer(file)) return -1;
    if (tokenizer_decode(file->tokenizer, ids, n, special != 0, text, capacity, &length, &fault))
        return -1;
    return (int32_t)length;
}

/* Returns the piece of an id below vocab_size, valid until the next call. */
EXPORT(const struct tokenizer_piece *, tokenizer_piece)
(const struct model_file *file, uint32_t id) {
    static struct tokenizer_piece piece;
    if (!has_tokenizer(file)) return NULL;
    piece = tokenizer_piece(file->tokenizer, id);
    return &piece;
}

/* Opens a session; `context` is the number of ids in its window, 0 for the default. */
EXPORT(struct session *, session_open)(const struct model_file *file, uint32_t context) {
    struct session *session;
    if (!file->model) {
        fault_set(&fault, STATUS_UNSUPPORTED, "no_tensors", "");
        return NULL;
    }
    return session_open(&session, file->model, context, kernels, &fault) ? NULL : session;
}

EXPORT(enum status, session_copy)(struct session *session, const struct session *from) {
    feeds++;
    return session_copy(session, from, &fault);
}

EXPORT(void, session_close)(struct session *session) { session_close(session); }

/* See session.h. The returned struct is valid until the next call. */
EXPORT(const struct session_fed *, session_feed)
(struct session *session, const uint32_t *ids, size_t n, uint32_t reuse) {
    static struct session_fed fed;
    feeds++;
    return session_feed(session, ids, n, reuse != 0, &fed, &fault) ? NULL : &fed;
}

/* `logits` (vocab_size,) are the logits after the ids; see session_accept. The returned struct is
 * valid until the next call. */
EXPORT(const struct session_fed *, session_accept)
(struct session *session, const uint32_t *ids, size_t n, const float *logits) {
    static struct session_fed fed;
    feeds++;
    return session_accept(session, ids, n, logits, &fed, &fault) ? NULL : &fed;
}

/* Like session_feed, but also writes the logits after each of the last n_rows ids to `rows`
 * (n_rows, vocab_size). */
EXPORT(const struct session_fed *, session_feed_rows)
(struct session *session, const uint32_t *ids, size_t n, uint32_t reuse, float *rows,
 size_t n_rows) {
    static struct session_fed fed;
    feeds++;
    enum status status = session_feed_rows(session, ids, n, reuse != 0, rows, n_rows, &fed, &fault);
    return status ? NULL : &fed;
}

EXPORT(const float *, session_logits)(const struct session *session) {
    return session_logits(session);
}

EXPORT(const float *, session_hidden)(const struct session *session) {
    return session_hidden(session);
}

EXPORT(const uint32_t *, session_timeline)(const struct session *session) {
    size_t n;
    return session_timeline(session, &n);
}

EXPORT(size_t, session_length)(const struct session *session) {
    size_t n;
    session_timeline(session, &n);
    return n;
}

/* There is only one set of settings. Each chain call reads its current values. */

EXPORT(const struct warp_row *, warp_row)(uint32_t setting) {
    return setting < SETTING_COUNT ? &warp_table[setting] : NULL;
}

EXPORT(void, settings_reset)(void) { settings_reset(&settings); }

EXPORT(enum status, settings_set)(enum setting setting, double value) {
    return settings_set(&settings, setting, value, &fault);
}

/* Copies an order of n <= SAMPLER_COUNT samplers. */
EXPORT(void, settings_order)(const uint32_t *order, uint32_t n) {
    memcpy(settings.order, order, n * sizeof *order);
    settings.n_order = n;
}

/* Replaces an owned array of the settings by a copy of the `size` bytes at `from`. */
static enum status copy_array(void **place, const void *from, size_t size) {
    void *copy = malloc(size + 1);
    if (!copy) return fault_set(&fault, STATUS_OUT_OF_MEMORY, "no_memory_settings", "");
    memcpy(copy, from, size);
    free(*place);
    *place = copy;
    return STATUS_OK;
}

/* Copies n biases, ascending by id. */
EXPORT(enum status, settings_bias)(const struct warp_bias *bias, uint32_t n) {
    if (copy_array(&biases, bias, n * sizeof *bias)) return fault.status;
    settings.bias = biases;
    settings.n_bias = n;
    return STATUS_OK;
}

/* Breakers and banned sequences: copies n words; each sequence is its length, then its ids. */
EXPORT(enum status, settings_breakers)(const uint32_t *words, uint32_t n) {
    if (copy_array(&breakers, words, n * sizeof *words)) return fault.status;
    settings.breakers = breakers;
    settings.n_breaker_words = n;
    return STATUS_OK;
}

EXPORT(enum status, settings_ends)(const uint32_t *ids, uint32_t n) {
    if (copy_array(&ends, ids, n * sizeof *ids)) return fault.status;
    settings.ends = ends;
    settings.n_ends = n;
    return STATUS_OK;
}

EXPORT(enum status, settings_banned)(const uint32_t *words, uint32_t n) {
    if (copy_array(&banned, words, n * sizeof *words)) return fault.status;
    settings.banned = banned;
    settings.n_banned_words = n;
    return STATUS_OK;
}

/* Inserts the caller's own sampler before order[at]. `result` is its output; NULL ends the chain
 * before this sampler. The array must stay valid while these settings are used. */
EXPORT(void, settings_own)(const float *result, uint32_t at) {
    settings.has_own = true;
    settings.own_at = at;
    settings.own = result;
}

/* Sets the logits of a second distribution; NULL removes it. The array must stay valid while these
 * settings are used. */
EXPORT(void, settings_second)(const float *second) { settings.second = second; }

/* Allows only token `id`; -1 allows any. */
EXPORT(void, settings_forced)(double id) { settings.forced = (int64_t)id; }

/* Allows only the tokens of the mask; NULL allows all. The mask must stay valid while these
 * settings are used. */
EXPORT(void, settings_allowed)(const struct constraint_mask *mask) {
    settings.allowed = mask ? mask->allowed : NULL;
    settings.n_allowed = mask ? mask->count : 0;
}

/* `step` counts the drawn tokens; XTC's coin and samplers that count new tokens read it. */
EXPORT(void, settings_step)(double seed, double step) {
    settings.seed = (uint64_t)seed;
    settings.step = (uint64_t)step;
}

/* Returns Mirostat's next mu after a draw of probability p. If Mirostat is off, returns
 * adaptive_p's next mean; p is then the token's probability before the stage adaptive_p. */
EXPORT(double, warp_next)(double p) {
    return settings.value[SETTING_MIROSTAT] != 0 ? mirostat_next(&settings, p)
                                                 : adaptive_next(&settings, p);
}

EXPORT(void, watermark_read)
(enum setting sampler, const uint32_t *ids, size_t n, uint32_t *found) {
    watermark_read(found, &settings, sampler, ids, n);
}

/* Checks the settings as chain_apply does. */
EXPORT(enum status, settings_check)(size_t vocab_size) {
    return settings_check(&settings, vocab_size, &fault);
}

/* Returns the sorted vocabulary that constraints share; NULL on failure. */
EXPORT(struct lexicon *, lexicon_open)(const struct model_file *file) {
    struct lexicon *lexicon;
    if (!has_tokenizer(file)) return NULL;
    return lexicon_open(&lexicon, file->tokenizer, &fault) ? NULL : lexicon;
}

EXPORT(void, lexicon_close)(struct lexicon *lexicon) { lexicon_close(lexicon); }

/* Compiles the grammar `text`; NULL on failure. */
EXPORT(struct constraint *, constraint_open)
(const struct lexicon *lexicon, const char *text, size_t length) {
    struct constraint *constraint;
    return constraint_open(&constraint, lexicon, text, length, &fault) ? NULL : constraint;
}

EXPORT(void, constraint_close)(struct constraint *constraint) { constraint_close(constraint); }

/* Returns NULL on failure. The mask is valid until the next call. */
EXPORT(const struct constraint_mask *, constraint_follow)
(struct constraint *constraint, const uint32_t *ids, size_t n) {
    return constraint_follow(constraint, ids, n, &fault);
}

EXPORT(struct chain *, chain_open)(size_t vocab_size, size_t top_max) {
    struct chain *chain;
    return chain_open(&chain, vocab_size, top_max, kernels, &fault) ? NULL : chain;
}

EXPORT(void, chain_close)(struct chain *chain) { chain_close(chain); }

/* Tells the chain the version of the logits (chain_version). Logits in the exchange get version 0,
 * because they may change at every call. */
static void note_version(struct chain *chain, const float *logits) {
    const char *from = exchange, *at = (const char *)logits;
    chain_version(chain, at >= from && at < from + exchange_size ? 0 : feeds);
}

/* Returns the trace; NULL on failure. */
EXPORT(const struct chain_trace *, chain_apply)
(struct chain *chain, const float *logits, const uint32_t *history, size_t n_history, size_t top) {
    note_version(chain, logits);
    if (chain_apply(chain, logits, &settings, history, n_history, top, &fault)) return NULL;
    return chain_trace(chain);
}

EXPORT(const float *, chain_logits)(const struct chain *chain) { return chain_logits(chain); }

/* Writes p (n,) of the last trace; n is its vocab_size. */
EXPORT(void, chain_probabilities)(const struct chain *chain, double *p, size_t n) {
    uint64_t total;
    const uint64_t *weights = chain_weights(chain, &total);
    for (size_t i = 0; i < n; i++) p[i] = (double)weights[i] / (double)total;
}

/* Draws without a trace; p_raw is 0 unless `raw`. NULL on failure. u in [0, 1) is rounded down to a
 * multiple of 2^-53. */
EXPORT(const struct chain_sample *, chain_sample)
(struct chain *chain, const float *logits, const uint32_t *history, size_t n_history, double u,
 uint32_t raw) {
    static struct chain_sample sample;
    struct chain_choice choice = {(uint64_t)(u * 0x1p53), raw != 0};
    note_version(chain, logits);
    if (chain_sample(chain, logits, &settings, history, n_history, choice, &sample, &fault))
        return NULL;
    return &sample;
}

/* Returns a token drawn from the last trace in the form of chain_sample's result. */
static const struct chain_sample *sample_of(const struct chain *chain, struct chain_drawn drawn) {
    static struct chain_sample sample;
    const struct chain_trace *trace = chain_trace(chain);
    sample = (struct chain_sample){drawn, trace->kept, trace->entropy};
    return &sample;
}

/* Both draw from the last trace: chain_draw by inverse CDF, chain_draw_gumbel by Gumbel-max. */
EXPORT(const struct chain_sample *, chain_draw)(const struct chain *chain, double u) {
    return sample_of(chain, chain_draw(chain, (uint64_t)(u * 0x1p53)));
}

EXPORT(const struct chain_sample *, chain_draw_gumbel)
(const struct chain *chain, double seed, double step) {
    return sample_of(chain, chain_draw_gumbel(chain, (uint64_t)seed, (uint64_t)step));
}

/* Returns the fields that a draw of this surviving token would return. */
EXPORT(const struct chain_sample *, chain_describe)(const struct chain *chain, uint32_t id) {
    return sample_of(chain, chain_describe(chain, id));
}

/* See speculate.h. The returned struct is valid until the next call. */
EXPORT(const struct speculate_verdict *, speculate_decide)
(const double *p, const double *q, size_t n, uint32_t drafted, double seed, double step) {
    static struct speculate_verdict verdict;
    verdict = speculate_decide(p, q, n, drafted, (uint64_t)seed, (uint64_t)step);
    return &verdict;
}

EXPORT(double, speculate_residual)(double *share, const double *p, const double *q, size_t n) {
    return speculate_residual(share, p, q, n);
}

EXPORT(double, draw_random)(double seed, double step) {
    return (double)draw_random((uint64_t)seed, (uint64_t)step) * 0x1p-53;
}

/* Returns the ratio; -1 on failure. */
EXPORT(double, measure_distinct)(const uint32_t *ids, size_t count, size_t n) {
    double ratio;
    return measure_distinct(ids, count, n, &ratio, &fault) ? -1 : ratio;
}

/* Writes -ln p, in nats, of each of `count` tokens below vocab_size. */
EXPORT(void, measure_surprisal)
(const float *logits, size_t n, const uint32_t *ids, size_t count, double *surprisals) {
    measure_surprisal(logits, n, ids, count, surprisals);
}
