/* Fuzzes the reader of GGUF: parses a file, whole and in part, uses its tokenizer, packs its model
 * in both ways, feeds three tokens, and runs the chain on the logits. */
#include <math.h>

#include "chain.h"
#include "fuzz.h"
#include "mutate_gguf.h"
#include "session.h"
#include "tokenizer.h"

/* Limits of this test, so that it stays fast. The engine accepts larger files. */
enum { BYTES_MAX = 1 << 23, TOP = 10 };

static void check_refused(enum status status, const void *made, const struct fault *fault) {
    CHECK_MESSAGE(status ? fault->status == status && fault->key : made != NULL, "%s",
                  status_name(status));
}

static void use_tokenizer(const struct gguf *file) {
    static const char text[] = "Ab e\xcc\x81\n 12 <s>\xff\xe2\x96\x81";
    struct tokenizer *tokenizer = NULL;
    struct fault fault = {0};
    enum status status = tokenizer_open(&tokenizer, file, 0, &fault);
    check_refused(status, tokenizer, &fault);
    if (status) return;
    for (unsigned special = 0; special < 2; special++) {
        uint32_t ids[3 * sizeof text];
        char back[64];
        size_t n = 0, length = 0;
        if (tokenizer_encode(
                tokenizer,
                &(struct tokenizer_text){text, sizeof text - 1, TOKENIZER_BOS_AUTO, special}, ids,
                3 * sizeof text, &n, &fault))
            continue;
        CHECK(n <= 3 * sizeof text - 1);
        for (size_t i = 0; i < n; i++) CHECK(ids[i] < tokenizer_vocab_size(tokenizer));
        CHECK(!tokenizer_decode(tokenizer, ids, n, special, back, sizeof back, &length, &fault));
    }
    tokenizer_close(tokenizer);
}

static void use_logits(const float *logits, uint32_t n) {
    struct settings settings;
    struct chain *chain = NULL;
    struct fault fault = {0};
    settings_reset(&settings);
    CHECK(!settings_set(&settings, SETTING_TOP_P, 0.9, &fault));
    if (chain_open(&chain, n, TOP, &kernels_simd, &fault)) return;
    enum status status = chain_apply(chain, logits, &settings, NULL, 0, TOP, &fault);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any |= logits[i] != -INFINITY;
    CHECK(status == (any ? STATUS_OK : STATUS_NOTHING_LEFT));
    CHECK(status || chain_trace(chain)->kept > 0);
    chain_close(chain);
}

static void use_model(const struct model *model) {
    const struct model_shape *shape = &model->shape;
    uint32_t ids[3] = {0, shape->vocab_size / 2, shape->vocab_size - 1};
    struct session *session = NULL;
    struct session_fed fed;
    struct fault fault = {0};
    if (session_bytes(shape, 0) > BYTES_MAX) return;
    enum status status = session_open(&session, model, 0, &kernels_simd, &fault);
    check_refused(status, session, &fault);
    if (status) return;
    status = session_feed(session, ids, 3, true, &fed, &fault);
    CHECK(status == STATUS_OK || status == STATUS_NOT_FINITE);
    if (!status) use_logits(session_logits(session), shape->vocab_size);
    session_close(session);
}

/* Packs the model into memory of exactly the planned size. */
static enum status open_in_place(struct model **model, const uint8_t *data, size_t size,
                                 const struct model_plan *plan, struct fault *fault) {
    struct gguf *file = NULL;
    uint8_t *memory = aligned_alloc(64, (size_t)(plan->bytes + 63) / 64 * 64);
    memcpy(memory + plan->image_at, data, size);
    enum status status = gguf_open(&file, memory + plan->image_at, size, fault);
    CHECK(!status);
    if (!status) status = model_open_in(model, file, memory, fault);
    gguf_close(file);
    if (status) free(memory);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct model_plan plan;
    struct fault fault = {0};
    enum status status = gguf_open_head(&file, data, size / 2, size, &fault);
    check_refused(status, file, &fault);
    if (!status) gguf_close(file);
    file = NULL;
    status = gguf_open(&file, data, size, &fault);
    check_refused(status, file, &fault);
    if (status) return fuzz_end();
    use_tokenizer(file);
    status = model_measure(&plan, file, &fault);
    check_refused(status, &plan, &fault);
    if (!status && plan.bytes <= BYTES_MAX) {
        status = size % 2 ? model_open(&model, file, &fault)
                          : open_in_place(&model, data, size, &plan, &fault);
        check_refused(status, model, &fault);
        if (!status) use_model(model);
        if (!status) model_close(model);
    }
    gguf_close(file);
    return fuzz_end();
}
