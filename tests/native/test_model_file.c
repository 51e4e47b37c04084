/* Tests the three steps of opening a model file, and the memory budget. */
#include "check.h"
#include "fault_line.h"
#include "forward.h"
#include "gguf_image.h"
#include "model_file.h"
#include "probe.h"
#include "session.h"

static const uint64_t plenty = (uint64_t)1 << 32;

static struct model_file *begin(const void *image, size_t available, uint64_t size,
                                uint32_t context, struct fault *fault) {
    struct model_file *file;
    enum status status = model_file_begin(&file, image, available, size, context, plenty, fault);
    CHECK((status == STATUS_OK) == (file != NULL));
    return file;
}

static struct model_file *open_whole(const void *image, size_t size, struct fault *fault) {
    struct model_file *file = begin(image, size, size, 0, fault);
    if (!file) return NULL;
    CHECK((size_t)file->bytes == size && file->image_at + size <= file->room);
    memcpy(model_file_image(file, fault), image, size);
    if (!model_file_finish(file, fault)) return file;
    model_file_close(file);
    return NULL;
}

static void model_has_its_facts(void) {
    size_t size;
    unsigned char *image = forward_image("llama_gqa", &size);
    struct fault fault = {0};
    struct model_file *file = open_whole(image, size, &fault);
    CHECK_MESSAGE(file, "%s", fault_line(&fault));
    if (file) {
        const struct model_shape *shape = &file->model->shape;
        CHECK(!file->memory && file->tokenizer && !strcmp(file->tokenizer_kind, "char"));
        CHECK(!strcmp(file->name, "llama_gqa") && file->n_chat_templates == 0);
        CHECK(file->end_ids && file->n_end_ids == 0 && file->bos_id == TOKENIZER_NONE);
        CHECK(file->vocab_size == shape->vocab_size && file->n_layer == shape->n_layer);
        CHECK(file->n_head_kv < file->n_head && !strcmp(file->architecture, "llama"));
        CHECK(file->model_context_length == shape->context_length);
        CHECK(file->context_length == session_context(shape, 0));
        CHECK((uint64_t)file->session_bytes == session_bytes(shape, 0));
    }
    model_file_close(file);
    free(image);
}

/* A head that is too short gives STATUS_INCOMPLETE and nothing to close. */
static void short_head_is_incomplete(void) {
    size_t size, least = 0;
    unsigned char *image = forward_image("gpt2_tied", &size);
    for (size_t available = 0; available < size && !least; available++) {
        struct fault fault = {0};
        struct model_file *file = begin(image, available, size, 0, &fault);
        if (file)
            least = available;
        else
            CHECK(fault.status == STATUS_INCOMPLETE);
        model_file_close(file);
    }
    CHECK(least > 0);
    struct model_file *file = begin(image, least, GGUF_SIZE_UNKNOWN, 0, NULL);
    CHECK(file && (size_t)file->bytes <= size);
    model_file_close(file);
    free(image);
}

static void broken_image_is_refused_at_the_end(void) {
    size_t size;
    unsigned char *image = forward_image("llama_gqa", &size);
    struct fault fault = {0};
    struct model_file *file = begin(image, size, size, MODEL_FILE_NO_SESSION, &fault);
    CHECK(file);
    if (file) {
        memset(model_file_image(file, &fault), 0, size);
        CHECK(model_file_finish(file, &fault) == STATUS_BAD_FILE);
    }
    model_file_close(file);
    free(image);
}

/* A vocabulary without tensors; one of the named templates is missing. */
static void vocabulary_alone_keeps_its_templates(void) {
    static const char *const words[] = {"a", " b", "<end>"}, *const names[] = {"tool_use",
                                                                               "missing", "rag"};
    struct vocabulary_spec spec = spec_of_words(words, 3, 2);
    struct image image;
    struct fault fault = {0};
    spec.name = "three words";
    image_vocabulary(&image, &spec);
    image_text(&image, "tokenizer.chat_template", "{{ x }}");
    image_strings(&image, "tokenizer.chat_templates", names, 3);
    image_text(&image, "tokenizer.chat_template.tool_use", "tools");
    image_text(&image, "tokenizer.chat_template.rag", "");
    image_end(&image);
    struct model_file *file = open_whole(image.bytes, image.size, &fault);
    CHECK_MESSAGE(file, "%s", fault_line(&fault));
    if (file) {
        static const char *const found[] = {"default", "tool_use", "rag"}, *const texts[] = {
                                                                               "{{ x }}", "tools",
                                                                               ""};
        const uint8_t *at = file->chat_templates;
        CHECK(!file->model && !file->memory && file->weight_bytes == 0);
        CHECK(!strcmp(file->name, "three words") && !strcmp(file->tokenizer_kind, "word"));
        CHECK(file->vocab_size == 3 && file->eos_id == 2);
        CHECK(file->n_end_ids == 1 && file->end_ids[0] == 2);
        CHECK(file->n_chat_templates == 3);
        for (uint32_t i = 0; i < file->n_chat_templates && i < 3; i++) {
            uint32_t head[2];
            memcpy(head, at, sizeof head);
            CHECK(!strcmp((const char *)at + sizeof head, found[i]));
            CHECK(head[1] == strlen(texts[i]) && !memcmp(at + head[0], texts[i], head[1]));
            at += (head[0] + head[1] + 3) / 4 * 4;
        }
    }
    model_file_close(file);
    free(image.bytes);
}

static void context_beyond_the_model_is_refused(void) {
    size_t size;
    unsigned char *image = forward_image("llama_gqa", &size);
    struct fault fault = {0};
    CHECK(!begin(image, size, size, 1 << 20, &fault));
    CHECK(fault.status == STATUS_OUT_OF_RANGE && !strcmp(fault.key, "context_beyond_model"));
    free(image);
}

/* For each amount of memory, the fault names the longest context that fits. */
static void budget_names_a_context_that_fits(void) {
    enum { CONTEXT = 4096, RESERVED = 32 << 20 };
    size_t size;
    unsigned char *image = forward_image("llama_gqa", &size);
    struct gguf *gguf;
    struct model_plan plan;
    CHECK(!gguf_open(&gguf, image, size, NULL) && !model_measure(&plan, gguf, NULL));
    uint64_t whole = plan.bytes + session_bytes(&plan.shape, CONTEXT);
    struct fault fault = {0};
    CHECK(!model_file_check_memory(&plan, CONTEXT, whole + 1, &fault));
    CHECK(!model_file_check_memory(&plan, 0, plan.bytes + 1, &fault));
    CHECK(model_file_check_memory(&plan, 0, plan.bytes, &fault) == STATUS_OUT_OF_MEMORY);
    CHECK(!strcmp(fault.key, "model_too_large"));
    plan.shape.key_width = plan.shape.value_width = 1 << 16; /* a session of gigabytes */
    for (uint64_t mib = 1; mib < 2000; mib += 37) {
        uint64_t available = mib << 20;
        CHECK(model_file_check_memory(&plan, CONTEXT, available, &fault) == STATUS_OUT_OF_MEMORY);
        if (!strcmp(fault.key, "model_too_large")) {
            CHECK(plan.bytes + session_bytes(&plan.shape, 100) + RESERVED > available);
            continue;
        }
        uint32_t fits = (uint32_t)fault.values[2].number;
        CHECK(fits % 100 == 0 && fits < CONTEXT);
        CHECK(plan.bytes + session_bytes(&plan.shape, fits) + RESERVED <= available);
        CHECK(plan.bytes + session_bytes(&plan.shape, fits + 100) + RESERVED > available);
    }
    gguf_close(gguf);
    free(image);
}

static void file_that_does_not_fit_is_refused(void) {
    size_t size;
    unsigned char *image = forward_image("llama_gqa", &size);
    struct fault fault = {0};
    struct model_file *file;
    CHECK(model_file_begin(&file, image, size, size, 0, size, &fault) == STATUS_OUT_OF_MEMORY);
    CHECK(!file && !strcmp(fault.key, "model_too_large"));
    free(image);
}

/* The parts of a probe are quantised matrices. Their bytes add up to less than the weights. */
static void probe_reads_every_part_once(void) {
    size_t size;
    unsigned char *image = forward_image("llama_q8_0", &size);
    struct model_file *file = open_whole(image, size, NULL);
    uint64_t read = 0;
    uint32_t part = 0;
    for (size_t bytes; file && (bytes = probe_scratch(file->model, part)); part++) {
        void *scratch = malloc(bytes);
        if (scratch) read += probe_multiply(file->model, part, &kernels_scalar, scratch);
        free(scratch);
    }
    CHECK(file && part >= 2 * file->n_layer && read > 0 && read < (uint64_t)file->weight_bytes);
    model_file_close(file);
    free(image);
}

int main(void) {
    TEST(model_has_its_facts);
    TEST(short_head_is_incomplete);
    TEST(broken_image_is_refused_at_the_end);
    TEST(vocabulary_alone_keeps_its_templates);
    TEST(context_beyond_the_model_is_refused);
    TEST(budget_names_a_context_that_fits);
    TEST(file_that_does_not_fit_is_refused);
    TEST(probe_reads_every_part_once);
    return check_report();
}
