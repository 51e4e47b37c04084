/* Opens a model file in three steps and copies the facts that JavaScript reads. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>

#include "session.h"

enum { STEP = 100 };          /* a fault names a context that is a multiple of this number of ids */
enum { RESERVED = 32 << 20 }; /* bytes that stay free for a vocabulary and a chain */

enum status model_file_check_memory(const struct model_plan *plan, uint32_t context,
                                    uint64_t available, struct fault *fault) {
    uint64_t needed = plan->bytes + (context ? session_bytes(&plan->shape, context) : 0);
    if (needed < available) return STATUS_OK;
    uint32_t fits = context / STEP * STEP;
    while (fits > 0 && plan->bytes + session_bytes(&plan->shape, fits) + RESERVED > available)
        fits -= STEP;
    if (fits > 0)
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "context_too_large", "n:u limit:u fits:u",
                         needed, available, (uint64_t)fits);
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "model_too_large", "n:u limit:u", needed,
                     available);
}

void model_file_close(struct model_file *m) {
    if (!m) return;
    tokenizer_close(m->tokenizer);
    model_close(m->model);
    free(m->memory);
    free(m->chat_templates);
    free(m);
}

static bool has_vocabulary(const struct gguf *file) {
    return gguf_find(file, "tokenizer.ggml.model") != NULL;
}

static bool has_tensors(const struct gguf *file) {
    return !has_vocabulary(file) || gguf_tensor_count(file) > 0;
}

/* Computes the memory for image and model, and refuses a file that does not fit. */
static enum status plan_memory(struct model_file *m, const struct gguf *file, uint32_t context,
                               uint64_t memory, struct fault *fault) {
    struct model_plan plan = {.bytes = gguf_size(file) + 64};
    if (has_tensors(file)) {
        uint32_t wanted = context == MODEL_FILE_NO_SESSION ? 0 : context;
        enum status status = model_measure(&plan, file, fault);
        if (!status) status = session_check(&plan.shape, wanted, fault);
        if (status) return status;
        m->context_length = session_context(&plan.shape, wanted);
        m->session_bytes = (double)session_bytes(&plan.shape, wanted);
        m->weight_bytes = (double)plan.bytes;
    }
    m->bytes = (double)gguf_size(file);
    m->image_at = (size_t)plan.image_at;
    m->room = (size_t)(plan.bytes + 63) / 64 * 64;
    return model_file_check_memory(&plan, context == MODEL_FILE_NO_SESSION ? 0 : m->context_length,
                                   memory, fault);
}

enum status model_file_begin(struct model_file **out, const void *head, size_t available,
                             uint64_t size, uint32_t context, uint64_t memory,
                             struct fault *fault) {
    struct gguf *file;
    *out = NULL;
    enum status status = gguf_open_head(&file, head, available, size, fault);
    if (status) return status;
    struct model_file *m = calloc(1, sizeof *m);
    status = m ? plan_memory(m, file, context, memory, fault)
               : fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
    gguf_close(file);
    if (status)
        model_file_close(m);
    else
        *out = m;
    return status;
}

void *model_file_image(struct model_file *m, struct fault *fault) {
    if (!m->memory) m->memory = aligned_alloc(64, m->room);
    if (m->memory) return m->memory + m->image_at;
    fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
    return NULL;
}

static enum status copy_name(struct model_file *m, const struct gguf *file, struct fault *fault) {
    struct gguf_string name;
    enum status status = gguf_text(file, "general.name", &name, fault);
    if (status || !name.data) return status;
    size_t length = name.length < sizeof m->name ? name.length : sizeof m->name - 1;
    memcpy(m->name, name.data, length);
    return STATUS_OK;
}

/* The most chat templates in a file, and the most bytes of a key. */
enum { CHAT_TEMPLATES = 64, CHAT_KEY = 128 };

/* Copies tokenizer.chat_template under the name "default", then the templates that
 * tokenizer.chat_templates names. Skips a name that is too long or has no template. */
static enum status copy_chat_templates(struct model_file *m, const struct gguf *file,
                                       struct fault *fault) {
    char key[CHAT_KEY] = "tokenizer.chat_template";
    const size_t base = strlen(key);
    static const char names[] = "tokenizer.chat_templates";
    const struct gguf_value *list = gguf_find(file, names);
    if (list && (list->type != GGUF_ARRAY || list->element_type != GGUF_STRING))
        return fault_set(fault, STATUS_BAD_FILE, "list_of_strings", "name:s", names);
    uint64_t count = list ? list->count : 0;
    if (count > CHAT_TEMPLATES)
        return fault_set(fault, STATUS_BAD_FILE, "list_most", "name:s limit:u n:u", names,
                         (uint64_t)CHAT_TEMPLATES, count);
    const uint8_t *cursor = list ? list->data : NULL;
    struct gguf_string name = {"default", 7}, text;
    size_t end = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i > 0) {
            name = gguf_next_string(&cursor);
            if (base + name.length + 2 > sizeof key) continue;
            key[base] = '.';
            memcpy(key + base + 1, name.data, name.length);
            key[base + 1 + name.length] = 0;
        }
        enum status status = gguf_text(file, key, &text, fault);
        if (status) return status;
        if (!text.data) continue;
        size_t head = 2 * sizeof(uint32_t) + name.length + 1, start = end;
        end += (head + text.length + 3) / 4 * 4;
        uint8_t *grown = realloc(m->chat_templates, end);
        if (!grown) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_model", "");
        m->chat_templates = grown;
        m->n_chat_templates++;
        grown += start;
        memcpy(grown, (uint32_t[]){(uint32_t)head, (uint32_t)text.length}, 2 * sizeof(uint32_t));
        memcpy(grown + 2 * sizeof(uint32_t), name.data, name.length);
        grown[head - 1] = 0;
        memcpy(grown + head, text.data, text.length);
    }
    return STATUS_OK;
}

/* Packing the weights destroys the image, so everything else is copied before. */
static enum status open_parts(struct model_file *m, const struct gguf *file, struct fault *fault) {
    struct model_plan plan = {.weights = 0};
    enum status status = copy_name(m, file, fault);
    if (!status) status = copy_chat_templates(m, file, fault);
    if (!status && has_tensors(file)) status = model_measure(&plan, file, fault);
    if (!status && has_vocabulary(file))
        status = tokenizer_open(&m->tokenizer, file, plan.shape.vocab_size, fault);
    if (status) return status;
    if (has_tensors(file))
        status = model_open_in(&m->model, file, m->memory, fault);
    else
        free(m->memory);
    if (!status) m->memory = NULL; /* freed, or now owned by the model */
    return status;
}

static void copy_tokenizer_facts(struct model_file *m) {
    const struct tokenizer *tokenizer = m->tokenizer;
    m->bos_id = m->eos_id = TOKENIZER_NONE;
    if (!tokenizer) return;
    size_t n;
    m->vocab_size = tokenizer_vocab_size(tokenizer);
    m->bos_id = tokenizer_bos_id(tokenizer);
    m->eos_id = tokenizer_eos_id(tokenizer);
    m->tokenizer_kind = tokenizer_kind(tokenizer);
    m->pre = tokenizer_pre(tokenizer);
    m->end_ids = tokenizer_end_ids(tokenizer, &n);
    m->n_end_ids = (uint32_t)n;
}

static void copy_model_facts(struct model_file *m) {
    const struct model_shape *shape = &m->model->shape;
    m->parameters = (double)shape->parameters;
    m->vocab_size = shape->vocab_size;
    m->model_context_length = shape->context_length;
    m->n_layer = shape->n_layer;
    m->n_head = shape->n_head;
    m->n_head_kv = shape->n_head_kv;
    m->n_embd = shape->n_embd;
    m->n_ff = shape->n_ff;
    m->file_type = shape->file_type;
    m->architecture = shape->architecture->name;
}

enum status model_file_finish(struct model_file *m, struct fault *fault) {
    struct gguf *file;
    enum status status = gguf_open(&file, m->memory + m->image_at, (size_t)m->bytes, fault);
    if (status) return status;
    status = open_parts(m, file, fault);
    gguf_close(file);
    if (status) return status;
    copy_tokenizer_facts(m);
    if (m->model) copy_model_facts(m);
    return STATUS_OK;
}

enum status model_file_ask(struct model_file *m, uint32_t context_length, uint32_t context,
                           struct fault *fault) {
    struct model *model;
    if (m->model || !m->tokenizer)
        return fault_set(fault, STATUS_INVALID_ARGUMENT, "has_tensors", "");
    enum status status = model_open_bare(&model, m->vocab_size, context_length, fault);
    if (!status) status = session_check(&model->shape, context, fault);
    if (status) {
        model_close(model);
        return status;
    }
    m->model = model;
    m->model_context_length = context_length;
    m->context_length = context ? context : context_length;
    m->session_bytes = (double)session_bytes(&model->shape, m->context_length);
    return STATUS_OK;
}
