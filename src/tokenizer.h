/* Turns text into ids and ids into text. One opaque type covers four kinds, read from the metadata
 * of a GGUF image: char, word, byte-level BPE (GPT-2), SentencePiece-style BPE (Llama).
 *
 * tokenizer.ggml.model is one of
 *   gpt2             byte-level BPE, tokenizer.ggml.merges by rank; tokenizer.ggml.pre names the
 *                    pre-tokenizer that splits the text first (pretokenizer.h; its default is
 *                    "default", as in llama.cpp)
 *   llama            BPE by tokenizer.ggml.scores, U+2581 for the space, <0xNN> byte fallback; a
 *                    U+2581 in the text is encoded by its bytes, so that decoding restores it
 *   logitscope-char  each token is one character
 *   logitscope-word  text is cut before every space; each piece, its leading space included, is a
 *                    token
 * Token types are ggml's: normal; unknown and control, the special types; user-defined, found in
 * text first; unused, never made from text; byte. If several tokens have the same text, encoding
 * uses the lowest id.
 *
 * Keys for parts of a tokenizer.json that GGUF lacks: tokenizer.logitscope.lstrip and rstrip are
 * the ids of marked tokens that strip white space before and after them; ignore_merges and nfc
 * replace the pre-tokenizer's own (gpt2); space_prefix has the PREFIX_ bits of vocabulary.h
 * (llama). */
#ifndef LOGITSCOPE_TOKENIZER_H
#define LOGITSCOPE_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "status.h"

enum { TOKENIZER_NONE = -1 };           /* no such token in the vocabulary */
enum { TOKENIZER_TEXT_MAX = 64 << 20 }; /* bytes in a text: 64 MiB */

/* Decides if encoding begins with the bos token. AUTO: tokenizer.ggml.add_bos_token decides. Its
 * default is true for llama and for the pre-tokenizers of Llama 3 and Tekken, false otherwise. */
enum tokenizer_bos { TOKENIZER_BOS_AUTO, TOKENIZER_BOS_YES, TOKENIZER_BOS_NO };

/* Flags of encoding. SPECIAL: the name of a special token in the text becomes this token. AS_IT_IS:
 * encoding does not normalise to form C, and the llama kind does not read U+2581 as a space.
 * Decoding then restores the text, except white space that marked tokens strip. */
enum { TOKENIZER_SPECIAL = 1, TOKENIZER_AS_IT_IS = 2 };

struct tokenizer; /* opaque, immutable */

/* A token's bytes as they occur in text: real spaces, and for a byte token its byte. `special` is
 * true for a control or unknown token. Encoding strips white space before the token if strips & 1,
 * after the token if strips & 2. `data` belongs to the tokenizer. */
struct tokenizer_piece {
    const char *data;
    size_t length;
    bool special;
    uint8_t strips;
};

/* Builds the tokenizer; it copies everything it needs. The vocabulary must have `vocab_size`
 * tokens; 0 accepts any number. Fails with STATUS_BAD_FILE, STATUS_UNSUPPORTED (another
 * tokenizer.ggml.model, an unknown tokenizer.ggml.pre, one shard of several),
 * STATUS_OUT_OF_MEMORY. */
enum status tokenizer_open(struct tokenizer **tokenizer, const struct gguf *file,
                           uint32_t vocab_size, struct fault *fault);
void tokenizer_close(struct tokenizer *tokenizer);

/* "char", "word", "gpt2" or "llama". */
const char *tokenizer_kind(const struct tokenizer *tokenizer);
/* Returns tokenizer.ggml.pre of the gpt2 kind. NULL for the other kinds. Also NULL if the file has
 * no such key; the pre-tokenizer "default" then splits the text. */
const char *tokenizer_pre(const struct tokenizer *tokenizer);
uint32_t tokenizer_vocab_size(const struct tokenizer *tokenizer);
int32_t tokenizer_bos_id(const struct tokenizer *tokenizer);
int32_t tokenizer_eos_id(const struct tokenizer *tokenizer);
/* Returns the ids that end a text, ascending: the eos token and the tokens under
 * tokenizer.ggml.eot_token_id, eom_token_id, fim_pad_token_id, fim_rep_token_id and
 * fim_sep_token_id. In the gpt2 and llama kinds also tokens with a known name, such as <|im_end|>,
 * <|eot_id|> or <end_of_turn>. */
const uint32_t *tokenizer_end_ids(const struct tokenizer *tokenizer, size_t *count);
bool tokenizer_is_end(const struct tokenizer *tokenizer, uint32_t id);

/* A text of `length` bytes to encode; `flags` combines TOKENIZER_SPECIAL and TOKENIZER_AS_IT_IS. */
struct tokenizer_text {
    const char *data;
    size_t length;
    enum tokenizer_bos bos;
    unsigned flags;
};

/* Encodes a text. If the pre-tokenizer normalises (nfc.h), the texts between special and
 * user-defined tokens are brought to form C. Writes at most `capacity` ids; *count is the number of
 * all ids, so a call with capacity 0 measures. length + 2 ids suffice, or 3 * length + 2 if the
 * pre-tokenizer normalises. The 2 are the bos token and llama's leading space. This space also
 * follows a special or user-defined token of several bytes, as in llama.cpp.
 * tokenizer.ggml.add_eos_token is ignored, so that a text can be continued. Time grows as n log n.
 * Fails with STATUS_UNKNOWN_TOKEN if the vocabulary lacks a word (word kind), a character or byte
 * (other kinds), which the fault names, or the bos token for TOKENIZER_BOS_YES; STATUS_TOO_LONG,
 * STATUS_OUT_OF_MEMORY. On failure *count is 0. */
enum status tokenizer_encode(const struct tokenizer *tokenizer, const struct tokenizer_text *text,
                             uint32_t *ids, size_t capacity, size_t *count, struct fault *fault);

/* Returns the piece of an id below vocab_size. */
struct tokenizer_piece tokenizer_piece(const struct tokenizer *tokenizer, uint32_t id);

/* Decodes a whole text: joins the pieces of all ids. Leaves out special pieces unless `special` is
 * true, and leading spaces that the llama kind adds. Writes at most `capacity` bytes; *length is
 * the length of the whole text. Fails with STATUS_UNKNOWN_TOKEN for an id outside the
 * vocabulary. */
enum status tokenizer_decode(const struct tokenizer *tokenizer, const uint32_t *ids, size_t n,
                             bool special, char *text, size_t capacity, size_t *length,
                             struct fault *fault);

#endif
