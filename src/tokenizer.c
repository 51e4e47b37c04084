/* Combines the four kinds of tokenizer: cuts a text at marked tokens, encodes the text between them
 * with the kind's method, and turns ids back into bytes. */
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "bpe.h"
#include "nfc.h"
#include "unicode.h"
#include "vocabulary.h"

struct tokenizer {
    struct vocabulary vocabulary;
    struct bpe_gpt2 *gpt2;   /* NULL for the other kinds */
    struct nfc *nfc;         /* NULL if the pre-tokenizer does not normalise */
    struct bpe_llama *llama; /* NULL for the other kinds */
};

enum status tokenizer_open(struct tokenizer **tokenizer, const struct gguf *file,
                           uint32_t vocab_size, struct fault *fault) {
    struct tokenizer *t = calloc(1, sizeof *t);
    *tokenizer = NULL;
    if (!t) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_tokenizer", "");
    enum status status = gguf_check_whole(file, fault);
    if (!status) status = vocabulary_open(&t->vocabulary, file, vocab_size, fault);
    if (!status && t->vocabulary.kind == KIND_GPT2)
        status = bpe_gpt2_open(&t->gpt2, &t->vocabulary, file, fault);
    if (!status && t->gpt2 && t->vocabulary.nfc && !(t->nfc = nfc_open()))
        status = fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_tokenizer", "");
    if (!status && t->vocabulary.kind == KIND_LLAMA)
        status = bpe_llama_open(&t->llama, &t->vocabulary, file, fault);
    if (!status)
        *tokenizer = t;
    else
        tokenizer_close(t);
    return status;
}

void tokenizer_close(struct tokenizer *tokenizer) {
    if (!tokenizer) return;
    bpe_gpt2_close(tokenizer->gpt2);
    nfc_close(tokenizer->nfc);
    bpe_llama_close(tokenizer->llama);
    vocabulary_close(&tokenizer->vocabulary);
    free(tokenizer);
}

const char *tokenizer_kind(const struct tokenizer *tokenizer) {
    static const char *const names[] = {"char", "word", "gpt2", "llama"};
    return names[tokenizer->vocabulary.kind];
}

const char *tokenizer_pre(const struct tokenizer *tokenizer) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    return vocabulary->pre_stated ? vocabulary->pretokenizer->name : NULL;
}

uint32_t tokenizer_vocab_size(const struct tokenizer *tokenizer) {
    return tokenizer->vocabulary.size;
}

static int32_t public_id(uint32_t id) { return id == TOKEN_NONE ? TOKENIZER_NONE : (int32_t)id; }

int32_t tokenizer_bos_id(const struct tokenizer *tokenizer) {
    return public_id(tokenizer->vocabulary.bos);
}

int32_t tokenizer_eos_id(const struct tokenizer *tokenizer) {
    return public_id(tokenizer->vocabulary.eos);
}

const uint32_t *tokenizer_end_ids(const struct tokenizer *tokenizer, size_t *count) {
    *count = tokenizer->vocabulary.n_ends;
    return tokenizer->vocabulary.ends;
}

bool tokenizer_is_end(const struct tokenizer *tokenizer, uint32_t id) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    for (size_t i = 0; i < vocabulary->n_ends; i++)
        if (vocabulary->ends[i] == id) return true;
    return false;
}

/* True if the text after this special or user-defined token gets a leading space, as in llama.cpp.
 * With PREFIX_ONCE only the start of a text gets one. A token of a single byte adds no space, so
 * that a text never has more ids than its bytes plus two. */
static bool adds_space_after(const struct vocabulary *vocabulary, uint32_t id, bool before) {
    return !(vocabulary->prefix & PREFIX_ONCE) && (before || vocabulary_length(vocabulary, id) > 1);
}

/* The state of encoding one text. */
struct encoder {
    const struct tokenizer *tokenizer;
    struct bpe_work work;
    struct bpe_ids ids;
    struct fault *fault;
    unsigned flags;
    bool anew; /* llama: true if the next text gets a leading space */
};

static enum status encode_pieces(struct encoder *encoder, const char *text, size_t length) {
    const struct vocabulary *vocabulary = &encoder->tokenizer->vocabulary;
    bool is_char = vocabulary->kind == KIND_CHAR;
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t code = 0;
        if (is_char) {
            size = unicode_next(text + at, length - at, &code);
        } else {
            const char *space = memchr(text + at + 1, ' ', length - at - 1);
            size = space ? (size_t)(space - text) - at : length - at;
        }
        uint32_t id = token_map_find(&vocabulary->map, text + at, size);
        if (id == TOKEN_NONE)
            return vocabulary_lacks(encoder->fault,
                                    !is_char                  ? "word"
                                    : code == UNICODE_INVALID ? "byte"
                                                              : "character",
                                    text + at, size);
        bpe_ids_put(&encoder->ids, id);
    }
    return STATUS_OK;
}

/* Puts a space before a text if the vocabulary asks for one there. *out is the longer copy, which
 * the caller frees, or NULL. */
static enum status add_prefix(const struct encoder *encoder, const char *text, size_t *length,
                              char **out) {
    const struct vocabulary *vocabulary = &encoder->tokenizer->vocabulary;
    bool spared = vocabulary->prefix & PREFIX_SPARING && *text == ' ';
    *out = NULL;
    if (!vocabulary->add_space_prefix || !encoder->anew || spared) return STATUS_OK;
    *out = malloc(*length + 1);
    if (!*out)
        return fault_set(encoder->fault, STATUS_OUT_OF_MEMORY, "no_memory_encode", "n:u",
                         (uint64_t)*length);
    **out = ' ';
    memcpy(*out + 1, text, *length);
    *length += 1;
    return STATUS_OK;
}

static enum status encode_llama(struct encoder *encoder, const char *text, size_t length) {
    char *prefixed;
    enum status status = add_prefix(encoder, text, &length, &prefixed);
    if (!status)
        status =
            bpe_llama_encode(encoder->tokenizer->llama, &encoder->work, prefixed ? prefixed : text,
                             length, &encoder->ids, encoder->fault);
    free(prefixed);
    return status;
}

static enum status encode_gpt2(struct encoder *encoder, const char *text, size_t length) {
    const struct tokenizer *tokenizer = encoder->tokenizer;
    bool as_it_is = !tokenizer->nfc || encoder->flags & TOKENIZER_AS_IT_IS;
    char *normal = NULL, *prefixed;
    if (!as_it_is && !nfc_apply(tokenizer->nfc, text, length, &normal, &length))
        return fault_set(encoder->fault, STATUS_OUT_OF_MEMORY, "no_memory_encode", "n:u",
                         (uint64_t)length);
    if (normal) text = normal;
    enum status status = add_prefix(encoder, text, &length, &prefixed);
    if (!status)
        status = bpe_gpt2_encode(tokenizer->gpt2, &encoder->work, prefixed ? prefixed : text,
                                 length, &encoder->ids, encoder->fault);
    free(prefixed);
    free(normal);
    return status;
}

static enum status encode_text(struct encoder *encoder, const char *text, size_t length,
                               bool special);

/* Encodes as SentencePiece, which reads U+2581 in a text as a space. User-defined tokens are
 * searched again, because the new spaces may complete such a token. */
static enum status encode_sentencepiece(struct encoder *encoder, const char *text, size_t length) {
    if (encoder->flags & TOKENIZER_AS_IT_IS || !memchr(text, '\xe2', length))
        return encode_llama(encoder, text, length);
    char *spelled = malloc(length);
    if (!spelled)
        return fault_set(encoder->fault, STATUS_OUT_OF_MEMORY, "no_memory_encode", "n:u",
                         (uint64_t)length);
    size_t n = vocabulary_spell_llama(spelled, text, length);
    enum status status =
        n == length ? encode_llama(encoder, spelled, n) : encode_text(encoder, spelled, n, false);
    free(spelled);
    return status;
}

/* Encodes a text without special tokens. */
static enum status encode_stretch(struct encoder *encoder, const char *text, size_t length) {
    enum status status = STATUS_OK;
    if (length == 0) return status;
    switch (encoder->tokenizer->vocabulary.kind) {
    case KIND_CHAR:
    case KIND_WORD: status = encode_pieces(encoder, text, length); break;
    case KIND_GPT2: status = encode_gpt2(encoder, text, length); break;
    case KIND_LLAMA: status = encode_sentencepiece(encoder, text, length); break;
    }
    encoder->anew = false;
    return status;
}

/* Returns the index of the first character from `at` on that is not white space. */
static size_t after_spaces(const char *text, size_t at, size_t end) {
    while (at < end) {
        uint32_t code;
        size_t size = unicode_next(text + at, end - at, &code);
        if (!unicode_is(code, UNICODE_SPACES)) break;
        at += size;
    }
    return at;
}

/* Returns the end of text[from .. end) without trailing white space. */
static size_t before_spaces(const char *text, size_t from, size_t end) {
    for (size_t size = 1; size <= 4 && size <= end - from; size++) {
        if (after_spaces(text, end - size, end) < end) continue;
        end -= size;
        size = 0;
    }
    return end;
}

static enum status encode_text(struct encoder *encoder, const char *text, size_t length,
                               bool special) {
    const struct vocabulary *vocabulary = &encoder->tokenizer->vocabulary;
    size_t from = 0, at = 0;
    enum status status = STATUS_OK;
    while (at < length && !status) {
        uint32_t id = vocabulary_marked(vocabulary, text + at, length - at, special);
        if (id == TOKEN_NONE) {
            at++;
            continue;
        }
        unsigned strips = vocabulary_strips(vocabulary, id);
        size_t end = strips & STRIPS_LEFT ? before_spaces(text, from, at) : at;
        status = encode_stretch(encoder, text + from, end - from);
        bpe_ids_put(&encoder->ids, id);
        encoder->anew = adds_space_after(vocabulary, id, encoder->anew);
        at += vocabulary_length(vocabulary, id);
        from = at = strips & STRIPS_RIGHT ? after_spaces(text, at, length) : at;
    }
    if (status || from == length) return status; /* text may be NULL if length is 0 */
    return encode_stretch(encoder, text + from, length - from);
}

enum status tokenizer_encode(const struct tokenizer *tokenizer, const struct tokenizer_text *text,
                             uint32_t *ids, size_t capacity, size_t *count, struct fault *fault) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    struct encoder encoder = {tokenizer, {0}, {ids, capacity, 0}, fault, text->flags, true};
    *count = 0;
    if (text->length > TOKENIZER_TEXT_MAX)
        return fault_set(fault, STATUS_TOO_LONG, "text_bytes", "limit:u n:u",
                         (uint64_t)TOKENIZER_TEXT_MAX, (uint64_t)text->length);
    if (text->bos == TOKENIZER_BOS_YES && vocabulary->bos == TOKEN_NONE)
        return fault_set(fault, STATUS_UNKNOWN_TOKEN, "no_bos", "");
    if (text->bos == TOKENIZER_BOS_YES || (text->bos == TOKENIZER_BOS_AUTO && vocabulary->add_bos))
        bpe_ids_put(&encoder.ids, vocabulary->bos);
    enum status status =
        encode_text(&encoder, text->data, text->length, text->flags & TOKENIZER_SPECIAL);
    bpe_work_close(&encoder.work);
    if (!status) *count = encoder.ids.count;
    return status;
}

struct tokenizer_piece tokenizer_piece(const struct tokenizer *tokenizer, uint32_t id) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    return (struct tokenizer_piece){
        vocabulary_text(vocabulary, id), vocabulary_length(vocabulary, id),
        vocabulary_special(vocabulary, id), (uint8_t)vocabulary_strips(vocabulary, id)};
}

enum status tokenizer_decode(const struct tokenizer *tokenizer, const uint32_t *ids, size_t n,
                             bool special, char *text, size_t capacity, size_t *length,
                             struct fault *fault) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    size_t used = 0;
    bool anew = vocabulary->add_space_prefix;
    *length = 0;
    for (size_t i = 0; i < n; i++) {
        if (ids[i] >= vocabulary->size)
            return fault_set(fault, STATUS_UNKNOWN_TOKEN, "id_below", "limit:u id:u",
                             (uint64_t)vocabulary->size, (uint64_t)ids[i]);
        struct tokenizer_piece piece = tokenizer_piece(tokenizer, ids[i]);
        if (piece.special || vocabulary->type[ids[i]] == TOKEN_USER_DEFINED) {
            bool hidden = piece.special && !special && vocabulary->prefix & PREFIX_ONCE;
            if (!hidden)
                anew = vocabulary->add_space_prefix && adds_space_after(vocabulary, ids[i], anew);
        } else if (piece.length) {
            size_t skipped = anew && piece.data[0] == ' ';
            piece.data += skipped;
            piece.length -= skipped;
            anew = false;
        }
        if (piece.special && !special) continue;
        size_t room = used < capacity ? capacity - used : 0;
        if (room) memcpy(text + used, piece.data, piece.length < room ? piece.length : room);
        used += piece.length;
    }
    *length = used;
    return STATUS_OK;
}
