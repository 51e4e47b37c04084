/* Text to ids and back: char, word, byte-level BPE (GPT-2) and SentencePiece-style BPE (Llama)
 * behind one opaque type, from the metadata of a GGUF image.
 *
 * tokenizer.ggml.model is one of
 *   gpt2             byte-level BPE, tokenizer.ggml.merges by rank; the text split first as
 *                    tokenizer.ggml.pre says (pretokenizer.h; its absence: as "default" does, which
 *                    is llama.cpp's choice)
 *   llama            BPE by tokenizer.ggml.scores, U+2581 for the space, <0xNN> byte fallback; a
 *                    U+2581 in the text goes by its bytes, so that it comes back as it was
 *   logitscope-char  each token is one character
 *   logitscope-word  text is cut before every space; each piece, its leading space included, is a
 *                    token
 * Token types are ggml's: normal, unknown and control (the special ones), user-defined (found in
 * text before anything else), unused (never made from text), byte. Of tokens spelled alike the
 * lowest id is used. */
#ifndef LOGITSCOPE_TOKENIZER_H
#define LOGITSCOPE_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "status.h"

enum { TOKENIZER_NONE = -1 };           /* an id that the vocabulary does not have */
enum { TOKENIZER_TEXT_MAX = 64 << 20 }; /* bytes in a text: 64 MiB */

/* auto: as tokenizer.ggml.add_bos_token says (its absence: true for llama and for the
 * pre-tokenizers of Llama 3 and Tekken, false otherwise). */
enum tokenizer_bos { TOKENIZER_BOS_AUTO, TOKENIZER_BOS_YES, TOKENIZER_BOS_NO };

/* How a text is read. SPECIAL: the name of a special token becomes that token. AS_IT_IS: the text
 * is not normalised, neither to form C nor, in the llama kind, from U+2581 to a space; decoding
 * then gives the same bytes, except white space that marked tokens strip. */
enum { TOKENIZER_SPECIAL = 1, TOKENIZER_AS_IT_IS = 2 };

struct tokenizer; /* opaque, immutable */

/* A token's bytes as they stand in text (the space as a space, a byte token as its byte), and
 * whether it is special (control or unknown). Found in a text it takes along the white space before
 * it (strips & 1) and after it (strips & 2). `data` belongs to the tokenizer. */
struct tokenizer_piece {
    const char *data;
    size_t length;
    bool special;
    uint8_t strips;
};

/* Builds the tokenizer; everything it needs is copied. The vocabulary must have `vocab_size` tokens
 * (pass 0 to take whatever the file has). STATUS_BAD_FILE, STATUS_UNSUPPORTED (another
 * tokenizer.ggml.model, an unknown tokenizer.ggml.pre, one shard of several),
 * STATUS_OUT_OF_MEMORY. */
enum status tokenizer_open(struct tokenizer **tokenizer, const struct gguf *file,
                           uint32_t vocab_size, struct fault *fault);
void tokenizer_close(struct tokenizer *tokenizer);

/* "char", "word", "gpt2" or "llama". */
const char *tokenizer_kind(const struct tokenizer *tokenizer);
/* tokenizer.ggml.pre of the gpt2 kind; NULL where the file does not say and the text is split as by
 * "default", and for the other kinds. */
const char *tokenizer_pre(const struct tokenizer *tokenizer);
uint32_t tokenizer_vocab_size(const struct tokenizer *tokenizer);
int32_t tokenizer_bos_id(const struct tokenizer *tokenizer);
int32_t tokenizer_eos_id(const struct tokenizer *tokenizer);
/* The ids that end a text, ascending: the eos token, those that tokenizer.ggml.eot_token_id,
 * eom_token_id and fim_pad, fim_rep and fim_sep_token_id name and, in the gpt2 and llama kinds,
 * those that are spelled like one, such as <|im_end|>, <|eot_id|> or <end_of_turn>. */
const uint32_t *tokenizer_end_ids(const struct tokenizer *tokenizer, size_t *count);
bool tokenizer_is_end(const struct tokenizer *tokenizer, uint32_t id);

/* Encodes `length` bytes of text; `flags` are of TOKENIZER_ above. If the pre-tokenizer asks for
 * form C (nfc.h), the texts between special and user-defined tokens are brought into it. At most
 * `capacity` ids are written; *count is the number that the text has, so a call with capacity 0
 * measures. length + 2 suffices as it is, 3 * length + 2 in form C (one for the bos token, one for
 * llama's leading space, which also follows a special or user-defined token of several bytes, as in
 * llama.cpp).
 * tokenizer.ggml.add_eos_token is not applied: what follows a text that has ended is another text.
 * Time grows as n log n.
 * STATUS_UNKNOWN_TOKEN names the word (word) or the character or byte (the other kinds) that the
 * vocabulary lacks, or says that TOKENIZER_BOS_YES finds no bos token; STATUS_TOO_LONG,
 * STATUS_OUT_OF_MEMORY. On failure *count is 0. */
enum status tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t length,
                             enum tokenizer_bos bos, unsigned flags, uint32_t *ids, size_t capacity,
                             size_t *count, struct fault *fault);

/* The piece of a valid id (id < vocab_size). */
struct tokenizer_piece tokenizer_piece(const struct tokenizer *tokenizer, uint32_t id);

/* Bytes of a whole text: the pieces one after another, special ones left out unless `special`, and
 * without the leading spaces that encoding with the llama kind puts in. Writes at most `capacity`
 * bytes, returns the number that the text has. STATUS_UNKNOWN_TOKEN for an id outside. */
enum status tokenizer_decode(const struct tokenizer *tokenizer, const uint32_t *ids, size_t n,
                             bool special, char *text, size_t capacity, size_t *length,
                             struct fault *fault);

#endif
