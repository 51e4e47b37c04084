/* Byte-level BPE as in GPT-2. The file spells bytes in a printable alphabet. The vocabulary's
 * pre-tokenizer splits the text; then pairs are merged by rank. Radford et al. 2019; Sennrich et
 * al. 2016. */
#ifndef LOGITSCOPE_BPE_GPT2_H
#define LOGITSCOPE_BPE_GPT2_H

#include "bpe.h"
#include "vocabulary.h"

struct bpe_gpt2; /* the merges; opaque */

/* Reads tokenizer.ggml.merges; `vocabulary` must outlive the result. */
enum status bpe_gpt2_open(struct bpe_gpt2 **merges, const struct vocabulary *vocabulary,
                          const struct gguf *file, struct fault *fault);
void bpe_gpt2_close(struct bpe_gpt2 *merges);

enum status bpe_gpt2_encode(const struct bpe_gpt2 *merges, struct bpe_work *work, const char *text,
                            size_t length, struct bpe_ids *ids, struct fault *fault);

#endif
