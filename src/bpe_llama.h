/* BPE as in SentencePiece for Llama: merges characters by score; a character that is not in the
 * vocabulary becomes byte tokens. Kudo and Richardson 2018. */
#ifndef LOGITSCOPE_BPE_LLAMA_H
#define LOGITSCOPE_BPE_LLAMA_H

#include "bpe.h"
#include "vocabulary.h"

struct bpe_llama; /* the vocabulary and the rank of each token by score; opaque */

/* Reads tokenizer.ggml.scores; `vocabulary` must outlive the result. */
enum status bpe_llama_open(struct bpe_llama **scores, const struct vocabulary *vocabulary,
                           const struct gguf *file, struct fault *fault);
void bpe_llama_close(struct bpe_llama *scores);

/* Encodes the text unchanged; the caller adds the leading space. */
enum status bpe_llama_encode(const struct bpe_llama *scores, struct bpe_work *work,
                             const char *text, size_t length, struct bpe_ids *ids,
                             struct fault *fault);

#endif
