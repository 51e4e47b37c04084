/* Fuzzes the exports of wasm.c: calls them in any order with arguments that JavaScript can pass
 * (open handles, pointers into allocated memory, any numbers). A call that fails must leave a
 * fault. The input has the number of calls (one byte), the calls, and a GGUF file. */
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "fuzz.h"
#include "gguf_image.h"
#include "kernels.h"

#define MEMORY_LEFT (0x100000000 - 64 * 65536ull)
#include "../../src/wasm.c"

enum { SLOTS = 3, FLOATS = 512, ROOM_MAX = 1 << 22, CALL_BYTES = 12, EXCHANGE = 1 << 20 };

/* The objects that are open, each with the index of the object that it uses. Closing an object also
 * closes those that use it. */
static struct {
    struct model_file *opened[SLOTS];
    struct session *session[SLOTS];
    struct lexicon *lexicon[SLOTS];
    struct constraint *constraint[SLOTS];
    struct chain *chain[SLOTS];
    void *memory[SLOTS];
    uint32_t session_of[SLOTS], lexicon_of[SLOTS], constraint_of[SLOTS];
    bool finished[SLOTS], traced[SLOTS], adopted;
    size_t vocab_size[SLOTS]; /* of the vocabulary of each chain */
    size_t allowed;           /* number of tokens in the mask of the settings; 0 without a mask */
} state;

static float lasting[2][FLOATS]; /* memory for the result of a caller's sampler and for a second
                                    distribution */

static void close_session(uint32_t i) {
    export_session_close(state.session[i]);
    state.session[i] = NULL;
}

static void close_constraint(uint32_t i) {
    export_settings_allowed(NULL);
    state.allowed = 0;
    export_constraint_close(state.constraint[i]);
    state.constraint[i] = NULL;
}

static void close_lexicon(uint32_t i) {
    for (uint32_t j = 0; j < SLOTS; j++)
        if (state.constraint[j] && state.constraint_of[j] == i) close_constraint(j);
    export_lexicon_close(state.lexicon[i]);
    state.lexicon[i] = NULL;
}

static void close_opened(uint32_t i) {
    for (uint32_t j = 0; j < SLOTS; j++) {
        if (state.session[j] && state.session_of[j] == i) close_session(j);
        if (state.lexicon[j] && state.lexicon_of[j] == i) close_lexicon(j);
    }
    export_model_close(state.opened[i]);
    state.opened[i] = NULL;
    state.finished[i] = false;
}

static void close_chain(uint32_t i) {
    export_chain_close(state.chain[i]);
    state.chain[i] = NULL;
    state.traced[i] = false;
}

/* If a call failed, checks that it left a fault, and reads it as JavaScript does. */
static void need_fault(bool failed) {
    if (!failed) return;
    const char *form = export_fault_form();
    CHECK(export_fault_key() && form && *export_fault_name());
    uint32_t n = 0;
    for (; *form; form++) n += *form == ':';
    for (uint32_t i = 0; i < n; i++) {
        enum fault_kind kind = export_fault_kind(i);
        CHECK(kind <= FAULT_TEXT);
        export_fault_number(i);
        CHECK(strlen(export_fault_text(i)) <= FAULT_TEXT_MAX);
    }
}

/* Opens the GGUF file or its beginning. The stated size may be right, wrong or unknown (-1). */
static void open_image(uint32_t i, const struct input *image, uint32_t odd) {
    size_t head = odd % 5 ? image->size : image->size / (odd % 7 + 1);
    double size = odd % 3 ? (double)image->size : odd % 2 ? -1 : odd * 8.0;
    close_opened(i);
    if (size >= 0 && size < (double)head) head = (size_t)size;
    struct model_file *opened =
        export_model_begin(image->data, head, size, odd & 64 ? MODEL_FILE_NO_SESSION : odd % 16);
    state.opened[i] = opened;
    need_fault(!opened);
    if (!opened) return;
    if (opened->room > ROOM_MAX || opened->session_bytes > ROOM_MAX) {
        close_opened(i);
        return;
    }
    uint8_t *at = export_model_image(opened);
    need_fault(!at);
    if (!at) {
        close_opened(i);
        return;
    }
    size_t bytes = (size_t)opened->bytes;
    memset(at, 0, bytes);
    memcpy(at, image->data, bytes < image->size ? bytes : image->size);
    enum status status = export_model_finish(opened);
    need_fault(status != STATUS_OK);
    if (status)
        close_opened(i);
    else
        state.finished[i] = true;
    if (!status && odd & 32) need_fault(export_model_ask(opened, 1 + odd % 9, odd % 11));
}

static uint32_t slot_of(void *const slots[SLOTS], uint32_t first) {
    for (uint32_t i = 0; i < SLOTS; i++)
        if (slots[(first + i) % SLOTS]) return (first + i) % SLOTS;
    return SLOTS;
}
#define SLOT_OF(kind) slot_of((void *const *)state.kind, a)

/* Returns logits for a chain: those of a session with the same vocabulary size, or the exchange
 * memory. */
static const float *logits_for(uint32_t chain, const float *floats) {
    for (uint32_t i = 0; i < SLOTS; i++)
        if (state.session[i] && export_session_logits(state.session[i]) &&
            state.opened[state.session_of[i]]->vocab_size == state.vocab_size[chain])
            return export_session_logits(state.session[i]);
    return floats;
}

/* Checks the residual distribution of speculative decoding. p is the draft's distribution; p in
 * reverse order is the model's. */
static void check_residual(const double *p, size_t n, uint32_t drafted, uint32_t seed) {
    static double reversed[FLOATS], share[FLOATS];
    for (size_t i = 0; i < n; i++) reversed[i] = p[n - 1 - i];
    double residual = export_speculate_residual(share, reversed, p, n), sum = 0;
    for (size_t i = 0; i < n; i++) {
        CHECK(share[i] >= 0 && (share[i] == 0 || reversed[i] > p[i]));
        sum += share[i];
    }
    CHECK(residual > 0 ? sum > 0.999 && sum < 1.001 : sum == 0);
    const struct speculate_verdict *verdict =
        export_speculate_decide(reversed, p, n, drafted, seed, 2);
    CHECK(verdict->residual == residual);
    CHECK(verdict->accepted ? verdict->id == drafted : share[verdict->id] > 0);
}

static void use_chain(uint32_t i, uint32_t call, const float *floats, const uint32_t *ids,
                      uint32_t b, double x) {
    static double p[FLOATS];
    size_t n = state.vocab_size[i];
    struct chain *chain = state.chain[i];
    const float *logits = logits_for(i, floats);
    if (state.allowed && state.allowed != n) {
        export_settings_allowed(NULL);
        state.allowed = 0;
    }
    if (call == 0) {
        state.traced[i] = export_chain_apply(chain, logits, ids, b % 50, b % 40) != NULL;
        need_fault(!state.traced[i]);
    } else if (call == 1) {
        state.traced[i] = false;
        double u = x - floor(x);
        need_fault(!export_chain_sample(chain, logits, ids, b % 50, u < 1 ? u : 0, b % 2));
    } else if (state.traced[i]) {
        export_chain_probabilities(chain, p, n);
        CHECK(export_chain_logits(chain) != NULL);
        CHECK(export_chain_draw(chain, b % 1000 / 1000.0)->drawn.id < n);
        CHECK(export_chain_draw_gumbel(chain, b, b % 9)->drawn.id < n);
        uint32_t drawn = export_chain_draw(chain, 0.5)->drawn.id;
        CHECK(export_chain_describe(chain, drawn)->drawn.id == drawn);
        CHECK(export_speculate_decide(p, p, n, drawn, b, 1)->accepted);
        check_residual(p, n, drawn, b);
    }
}

/* Feeds ids and asks for the logits of n_rows positions, in memory of exactly this size. The last
 * row must equal the session's logits. */
static void feed_rows(uint32_t i, const uint32_t *ids, size_t n, bool reuse, size_t n_rows) {
    size_t row = state.opened[state.session_of[i]]->vocab_size * sizeof(float);
    float *rows = export_memory_allocate(n_rows * row);
    need_fault(!rows);
    if (!rows) return;
    bool fed = export_session_feed_rows(state.session[i], ids, n, reuse, rows, n_rows) != NULL;
    need_fault(!fed);
    if (fed) {
        const char *last = (const char *)rows + (n_rows - 1) * row;
        CHECK(memcmp(last, export_session_logits(state.session[i]), row) == 0);
    }
    export_memory_release(rows);
}

/* Makes one call. a, b, x and the exchange memory have random values from the input. */
static void call(uint32_t which, uint32_t a, uint32_t b, double x, const struct input *image) {
    uint32_t *ids = export_memory_exchange(EXCHANGE), i = a % SLOTS, count;
    float *floats = (float *)ids;
    char *text = (char *)ids;
    size_t n_text = image->size < 200 ? image->size : 200;
    switch (which) {
    case 0: open_image(i, image, b); break;
    case 1:
        if (b % 8 == 0) close_opened(i);
        break;
    case 2:
        if ((i = SLOT_OF(opened)) == SLOTS) break;
        memcpy(text, image->data, n_text);
        static uint32_t encoded[256];
        need_fault(export_tokenizer_encode(state.opened[i], text, n_text, b % 3, b % 4, encoded,
                                           b % 256) < 0);
        break;
    case 3:
        if ((i = SLOT_OF(opened)) == SLOTS) break;
        need_fault(
            export_tokenizer_decode(state.opened[i], ids, b % 64, b % 2, text + 4096, b % 512) < 0);
        break;
    case 4:
        if ((i = SLOT_OF(opened)) == SLOTS) break;
        count = state.opened[i]->vocab_size;
        need_fault(count && !export_tokenizer_piece(state.opened[i], b % count));
        break;
    case 5:
        if (SLOT_OF(opened) == SLOTS) break;
        close_session(i);
        state.session_of[i] = SLOT_OF(opened);
        if (!state.finished[state.session_of[i]] ||
            state.opened[state.session_of[i]]->session_bytes > ROOM_MAX)
            break;
        state.session[i] = export_session_open(state.opened[state.session_of[i]], b % 40);
        need_fault(!state.session[i]);
        break;
    case 6:
        if (b % 4 == 0) close_session(i);
        break;
    case 7:
        if ((i = SLOT_OF(session)) == SLOTS) break;
        for (uint32_t j = 0; j < 40; j++)
            if (b % 5) ids[j] %= state.opened[state.session_of[i]]->vocab_size;
        if (b & 512 && state.opened[state.session_of[i]]->vocab_size <= FLOATS)
            need_fault(!export_session_accept(state.session[i], ids, b % 40, lasting[0]));
        else if (b & 64)
            feed_rows(i, ids, b % 40, x > 1, b >> 8 & 7);
        else
            need_fault(!export_session_feed(state.session[i], ids, b % 40, x > 1));
        break;
    case 8:
        if ((i = SLOT_OF(session)) == SLOTS) break;
        if (state.session[b % SLOTS])
            need_fault(export_session_copy(state.session[i], state.session[b % SLOTS]));
        CHECK(export_session_length(state.session[i]) == 0 ||
              (export_session_timeline(state.session[i]) &&
               export_session_logits(state.session[i]) && export_session_hidden(state.session[i])));
        break;
    case 9:
        need_fault(export_settings_set((enum setting)(a % SETTING_COUNT), x) != STATUS_OK);
        break;
    case 10:
        if (b % 4) break;
        export_settings_reset();
        state.allowed = 0;
        break;
    case 11:
        for (uint32_t j = 0; j < SAMPLER_COUNT; j++)
            ids[j] = a % 3 ? (j + a) % SAMPLER_COUNT : ids[j];
        export_settings_order(ids, b % 4 ? SAMPLER_COUNT : b % SAMPLER_COUNT);
        break;
    case 12: need_fault(export_settings_bias((struct warp_bias *)ids, b % 2)); break;
    case 13:
        need_fault(export_settings_breakers(ids, b % 9));
        need_fault(export_settings_banned(ids + 16, a % 9));
        need_fault(export_settings_ends(ids + 32, b % 5));
        break;
    case 14:
        memcpy(lasting[0], floats, sizeof lasting[0]);
        export_settings_own(a % 2 ? lasting[0] : NULL, b % (SAMPLER_COUNT + 2));
        break;
    case 15:
        memcpy(lasting[1], floats, sizeof lasting[1]);
        export_settings_second(a % 2 ? lasting[1] : NULL);
        break;
    case 16:
        export_settings_forced((double)b - 2);
        export_settings_step(b, a);
        break;
    case 17:
        CHECK(!export_warp_row(SETTING_COUNT) && export_warp_row(b % SETTING_COUNT));
        export_warp_next(a / 255.0);
        need_fault(export_settings_check(1 + b % FLOATS) != STATUS_OK);
        break;
    case 18:
        if (SLOT_OF(opened) == SLOTS) break;
        close_lexicon(i);
        state.lexicon_of[i] = SLOT_OF(opened);
        state.lexicon[i] = export_lexicon_open(state.opened[state.lexicon_of[i]]);
        need_fault(!state.lexicon[i]);
        break;
    case 19:
        if (b % 4 == 0) close_lexicon(i);
        break;
    case 20:
        if (SLOT_OF(lexicon) == SLOTS) break;
        close_constraint(i);
        state.constraint_of[i] = SLOT_OF(lexicon);
        static const char *const grammars[] = {"root ::= [a-c]*", "root ::= \"a\" root | \"b\"",
                                               "root ::= .{1,4}", "root ::= \"a"};
        strcpy(text, grammars[b % 4]);
        state.constraint[i] =
            export_constraint_open(state.lexicon[state.constraint_of[i]], text, strlen(text));
        need_fault(!state.constraint[i]);
        break;
    case 21:
        if (b % 4 == 0) close_constraint(i);
        break;
    case 22:
        if ((i = SLOT_OF(constraint)) == SLOTS) break;
        export_settings_allowed(NULL);
        state.allowed = 0;
        uint32_t opened = state.lexicon_of[state.constraint_of[i]];
        for (uint32_t j = 0; j < 4; j++) ids[j] %= state.opened[opened]->vocab_size;
        const struct constraint_mask *mask =
            export_constraint_follow(state.constraint[i], ids, b % 4);
        need_fault(!mask);
        if (!mask) break;
        export_settings_allowed(mask);
        state.allowed = state.opened[opened]->vocab_size;
        break;
    case 23:
        close_chain(i);
        count = SLOT_OF(opened) == SLOTS || b % 2 ? 1 + b % 100
                                                  : state.opened[SLOT_OF(opened)]->vocab_size;
        if (count == 0 || count > FLOATS) break;
        state.vocab_size[i] = count;
        state.chain[i] = export_chain_open(count, b % 30);
        need_fault(!state.chain[i]);
        break;
    case 24:
    case 25:
    case 26:
        if ((i = SLOT_OF(chain)) == SLOTS) break;
        for (uint32_t j = 0; j < 50; j++)
            if (b % 5) ids[2 * FLOATS + j] %= (uint32_t)state.vocab_size[i];
        use_chain(i, which - 24, floats, ids + 2 * FLOATS, b, x);
        break;
    case 27:
        if (b % 4 == 0) close_chain(i);
        break;
    case 28:
        CHECK(export_draw_random(b, a) < 1);
        export_watermark_read(b % 2 ? SETTING_GREEN_BIAS : SETTING_SYNTHID_DEPTH, ids, b % 64,
                              ids + FLOATS);
        need_fault(export_measure_distinct(ids, b % 64, a % 5) < 0);
        break;
    case 29:
        for (uint32_t j = 0; j < 8; j++) ids[2 * FLOATS + j] %= 1 + b % 64;
        static double surprisals[8];
        export_measure_surprisal(floats, 1 + b % 64, ids + 2 * FLOATS, b % 8, surprisals);
        break;
    case 30:
        if (a % 2) {
            state.adopted = true;
            CHECK(export_kernels_adopt(kernels_scalar.quantise, kernels_scalar.matmul_quants) <= 1);
        }
        export_kernels_choose(b % (state.adopted ? 3 : 2));
        export_kernels_streams(b % 7);
        if (SLOT_OF(opened) < SLOTS) export_model_probe(state.opened[SLOT_OF(opened)], a % 20);
        break;
    default:
        export_memory_release(state.memory[i]);
        state.memory[i] = export_memory_allocate(b % 5000);
        need_fault(!state.memory[i]);
        need_fault(!export_memory_exchange(b % 3 ? b : EXCHANGE + b * 16));
    }
}

/* Resets all globals, as in a new WebAssembly module. */
static void start_anew(void) {
    void **blocks[] = {&biases, &breakers, &banned, &ends, &exchange};
    for (uint32_t i = 0; i < SLOTS; i++) {
        close_opened(i);
        close_chain(i);
        export_memory_release(state.memory[i]);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        free(*blocks[i]);
        *blocks[i] = NULL;
    }
    exchange_size = 0;
    memset(&state, 0, sizeof state);
    memset(&settings, 0, sizeof settings);
    memset(&fault, 0, sizeof fault);
    kernels = &kernels_simd;
    export_settings_reset();
}

/* Returns a vocabulary of a few words, for an input without a GGUF file. */
static struct input default_image(void) {
    static const char *const words[] = {"a", "b", "c", "ab", "ca", " ", "<end>"};
    static struct image image;
    struct vocabulary_spec spec = spec_of_words(words, 7, 6);
    if (!image.size) {
        image_vocabulary(&image, &spec);
        image_end(&image);
    }
    return (struct input){image.bytes, image.size};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    uint32_t n = take_u8(&input);
    struct input calls = input;
    if (calls.size > n * CALL_BYTES) calls.size = n * CALL_BYTES;
    struct input image = {input.data + calls.size, input.size - calls.size};
    if (image.size < 24) image = default_image();
    export_settings_reset();
    while (calls.size) {
        uint8_t *bytes = export_memory_exchange(EXCHANGE);
        struct input one = {calls.data, calls.size < CALL_BYTES ? calls.size : CALL_BYTES};
        calls.data += one.size;
        calls.size -= one.size;
        uint32_t which = take_below(&one, 32), a = take_u8(&one), b = take_u8(&one);
        b |= (uint32_t)take_u8(&one) << 8;
        double x = take_double(&one);
        need_fault(!bytes);
        if (!bytes) continue;
        struct pcg32 noise;
        pcg32_seed(&noise, b & 255, a);
        for (size_t i = 0; i < 4 * FLOATS; i += 4) {
            uint32_t word = pcg32_next(&noise);
            float level = (float)(int32_t)word * 0x1p-28f;
            if (a % 8) memcpy(&word, &level, 4);
            memcpy(bytes + i, &word, 4);
            memcpy(bytes + 8 * FLOATS + i, &word, 4);
        }
        call(which, a, b, x, &image);
    }
    start_anew();
    return fuzz_end();
}
