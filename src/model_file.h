/* An opened model file: its model, its tokenizer and the facts that JavaScript reads.
 *
 * A file is opened in three steps, so that its weights are never in memory twice. model_file_begin
 * reads the file's head and computes the memory that the model needs. The caller writes the whole
 * image to model_file_image, a part of this memory. model_file_finish packs the weights in
 * place. */
#ifndef LOGITSCOPE_MODEL_FILE_H
#define LOGITSCOPE_MODEL_FILE_H

#include "model.h"
#include "tokenizer.h"

/* JavaScript and Python read the fields up to n_chat_templates. */
struct model_file {
    double parameters, bytes;
    uint32_t vocab_size, context_length, n_layer, n_head, n_head_kv, n_embd, n_ff, file_type;
    int32_t bos_id, eos_id;
    const char *architecture, *tokenizer_kind;
    char name[128];
    double weight_bytes, session_bytes;
    uint32_t model_context_length;
    const char *pre;
    const uint32_t *end_ids; /* (n_end_ids,) owned by the tokenizer */
    uint32_t n_end_ids;
    uint8_t *chat_templates; /* records: offset and length of the text (uint32 each), the name, a 0,
                                the text, padding to 4 bytes */
    uint32_t n_chat_templates;
    struct model *model;         /* NULL for a vocabulary without tensors */
    struct tokenizer *tokenizer; /* NULL for tensors without a vocabulary */
    uint8_t *memory;             /* contains the image at image_at; NULL once the model owns it */
    size_t image_at, room;       /* `room`: bytes of `memory` */
};

#define MODEL_FILE_NO_SESSION UINT32_MAX /* passed as `context`: no session */

/* Begins to open a GGUF image of `size` bytes (or GGUF_SIZE_UNKNOWN); `head` is the first
 * `available` bytes. Refuses a file if its model and a session of `context` ids (0: the default)
 * need more than `memory` bytes. Fails with STATUS_INCOMPLETE if the head is too short, otherwise
 * as gguf_open_head, model_measure, session_check and model_file_check_memory do. */
enum status model_file_begin(struct model_file **file, const void *head, size_t available,
                             uint64_t size, uint32_t context, uint64_t memory, struct fault *fault);

/* Returns the buffer (bytes,) for the image; the first call allocates it. NULL on failure. */
void *model_file_image(struct model_file *file, struct fault *fault);

/* Opens tokenizer and model from the complete image and destroys the image. Fails as gguf_open,
 * tokenizer_open and model_open_in do; then the caller may only call model_file_close. */
enum status model_file_finish(struct model_file *file, struct fault *fault);

/* Gives an opened vocabulary without tensors a model without weights; see model_open_bare.
 * `context`: ids in the window of a session; 0: context_length. Fails as session_check does;
 * STATUS_INVALID_ARGUMENT if the file has tensors or no vocabulary. */
enum status model_file_ask(struct model_file *file, uint32_t context_length, uint32_t context,
                           struct fault *fault);
void model_file_close(struct model_file *file);

/* Compares the memory of a model and of a session of `context` ids (0: no session) with the
 * `available` bytes. Fails with STATUS_OUT_OF_MEMORY: key "context_too_large" with a shorter
 * context that fits, a multiple of 100; key "model_too_large" if no context fits. */
enum status model_file_check_memory(const struct model_plan *plan, uint32_t context,
                                    uint64_t available, struct fault *fault);

#endif
