/* An opened model file: its model, its tokenizer and the facts that JavaScript reads.
 *
 * A file is opened in three steps, so that its weights are never in memory twice. The head of the
 * file tells how much memory the model needs; the caller writes the whole image to its place in
 * that memory; the weights are packed there. */
#ifndef LOGITSCOPE_MODEL_FILE_H
#define LOGITSCOPE_MODEL_FILE_H

#include "model.h"
#include "tokenizer.h"

/* wasm.c states the offsets of the fields that JavaScript reads: those up to n_chat_templates. */
struct model_file {
    double parameters, bytes;
    uint32_t vocab_size, context_length, n_layer, n_head, n_head_kv, n_embd, n_ff, file_type;
    int32_t bos_id, eos_id;
    const char *architecture, *tokenizer_kind;
    char name[128];
    double weight_bytes, session_bytes;
    uint32_t model_context_length;
    const char *pre;
    const uint32_t *end_ids; /* (n_end_ids,) the tokenizer's */
    uint32_t n_end_ids;
    uint8_t *chat_templates; /* records: offset and length of the text (uint32), the name and a 0,
                              * the text, padding to 4 bytes */
    uint32_t n_chat_templates;
    struct model *model;         /* NULL for a vocabulary without tensors */
    struct tokenizer *tokenizer; /* NULL for tensors without a vocabulary */
    uint8_t *memory;             /* the image lies in it at image_at; NULL once the model owns it */
    size_t image_at, room;       /* `room`: bytes of `memory` */
};

#define MODEL_FILE_NO_SESSION UINT32_MAX /* in place of a context */

/* Begins to open a GGUF image of `size` bytes (or GGUF_SIZE_UNKNOWN); `head` holds the first
 * `available` bytes. Reckons with a session of `context` ids; 0 is the default. Refuses a
 * file that needs more than `memory` bytes. Fails with STATUS_INCOMPLETE if the head is too short,
 * else as gguf_open_head, model_measure, session_check and memory_budget_check do. */
enum status model_file_begin(struct model_file **file, const void *head, size_t available,
                             uint64_t size, uint32_t context, uint64_t memory, struct fault *fault);

/* Returns the buffer of the image, (bytes,). The first call allocates it; NULL if that fails. */
void *model_file_image(struct model_file *file, struct fault *fault);

/* Opens tokenizer and model from the complete image, which does not survive. Fails as gguf_open,
 * tokenizer_open and model_open_in do; then only model_file_close may follow. */
enum status model_file_finish(struct model_file *file, struct fault *fault);
void model_file_close(struct model_file *file);

#endif
