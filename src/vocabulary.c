/* Reads tokenizer.ggml.* into a vocabulary. Checks every count, type and id, so that encoding and
 * decoding need no checks. */
#include "vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "unicode.h"

static const char space_mark[] = "\xe2\x96\x81"; /* U+2581: the space in a llama vocabulary */

enum { SPACE_MARK_BYTES = sizeof space_mark - 1 };

enum status vocabulary_lacks(struct fault *fault, const char *kind, const char *text,
                             size_t length) {
    char name[UNICODE_QUOTE_MAX];
    unicode_quote(name, text, length);
    return fault_set(fault, STATUS_UNKNOWN_TOKEN, "vocabulary_lacks", "what:k token:s", kind, name);
}

static enum status bad_token(struct fault *fault, uint32_t id, struct gguf_string token,
                             const char *trouble) {
    char name[UNICODE_QUOTE_MAX];
    unicode_quote(name, token.data, token.length);
    return fault_set(fault, STATUS_BAD_FILE, "token", "id:u name:s trouble:k", (uint64_t)id, name,
                     trouble);
}

static bool string_equals(struct gguf_string s, const char *text) {
    return s.length == strlen(text) && memcmp(s.data, text, s.length) == 0;
}

static enum status read_kind(struct vocabulary *v, const struct gguf *file, struct fault *fault) {
    static const char *const kinds[] = {"logitscope-char", "logitscope-word", "gpt2", "llama"};
    struct gguf_string model, pre;
    char name[UNICODE_QUOTE_MAX];
    enum status status = gguf_text(file, "tokenizer.ggml.model", &model, fault);
    if (!status) status = gguf_text(file, "tokenizer.ggml.pre", &pre, fault);
    if (status) return status;
    if (!model.data)
        return fault_set(fault, STATUS_BAD_FILE, "list_missing", "name:s", "tokenizer.ggml.model");
    int kind = 0;
    while (kind < 4 && !string_equals(model, kinds[kind])) kind++;
    unicode_quote(name, model.data, model.length);
    if (kind == 4) return fault_set(fault, STATUS_UNSUPPORTED, "tokenizer_model", "value:s", name);
    v->kind = (enum vocabulary_kind)kind;
    if (v->kind != KIND_GPT2) return STATUS_OK;
    v->pre_stated = pre.data != NULL;
    v->pretokenizer = pre.data ? pretokenizer_find(pre.data, pre.length)
                               : pretokenizer_find("default", strlen("default"));
    if (v->pretokenizer) return STATUS_OK;
    unicode_quote(name, pre.data, pre.length);
    return fault_set(fault, STATUS_UNSUPPORTED, "tokenizer_pre", "value:s", name);
}

enum status vocabulary_array(const struct gguf *file, const char *key, enum gguf_type type,
                             bool required, uint32_t size, const struct gguf_value **out,
                             struct fault *fault) {
    const struct gguf_value *value = *out = gguf_find(file, key);
    if (!value && !required) return STATUS_OK;
    if (!value) return fault_set(fault, STATUS_BAD_FILE, "list_missing", "name:s", key);
    if (value->type != GGUF_ARRAY || value->element_type != type)
        return fault_set(fault, STATUS_BAD_FILE,
                         type == GGUF_STRING    ? "list_of_strings"
                         : type == GGUF_FLOAT32 ? "list_of_float32"
                                                : "list_of_int32",
                         "name:s", key);
    if (size && value->count != size)
        return fault_set(fault, STATUS_BAD_FILE, "list_each", "name:s limit:u n:u", key,
                         (uint64_t)size, value->count);
    if (value->count > VOCABULARY_MAX)
        return fault_set(fault, STATUS_BAD_FILE, "list_most", "name:s limit:u n:u", key,
                         (uint64_t)VOCABULARY_MAX, value->count);
    return STATUS_OK;
}

/* Reads a token's id; TOKEN_NONE if the key is absent. */
static enum status read_id(const struct vocabulary *v, const struct gguf *file, const char *key,
                           uint32_t *id, struct fault *fault) {
    enum status status = gguf_u32(file, key, TOKEN_NONE, id, fault);
    if (!status && gguf_find(file, key) && *id >= v->size)
        return fault_set(fault, STATUS_BAD_FILE, "list_id", "name:s limit:u value:u", key,
                         (uint64_t)v->size, (uint64_t)*id);
    return status;
}

/* Returns the byte of a token spelled <0xNN>; -1 for other tokens. */
static int byte_of(struct gguf_string token) {
    int value = 0;
    if (token.length != 6 || memcmp(token.data, "<0x", 3) != 0 || token.data[5] != '>') return -1;
    for (int i = 3; i < 5; i++) {
        char c = token.data[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Reads types and the ids of special tokens. If tokenizer.ggml.token_type is absent, the tokens
 * with these ids are special, and llama's tokens of the form <0xNN> are bytes. */
static enum status read_types(struct vocabulary *v, const struct gguf *file,
                              const struct gguf_value *tokens, struct fault *fault) {
    const char *key = "tokenizer.ggml.token_type";
    const struct gguf_value *types = gguf_find(file, key);
    bool is_unsigned = types && types->type == GGUF_ARRAY && types->element_type == GGUF_UINT32;
    uint32_t unknown;
    enum status status = vocabulary_array(file, key, is_unsigned ? GGUF_UINT32 : GGUF_INT32, false,
                                          v->size, &types, fault);
    if (!status) status = read_id(v, file, "tokenizer.ggml.bos_token_id", &v->bos, fault);
    if (!status) status = read_id(v, file, "tokenizer.ggml.eos_token_id", &v->eos, fault);
    if (!status) status = read_id(v, file, "tokenizer.ggml.unknown_token_id", &unknown, fault);
    if (status) return status;
    const uint8_t *cursor = tokens->data;
    for (uint32_t id = 0; id < v->size; id++) {
        struct gguf_string token = gguf_next_string(&cursor);
        int32_t type = types ? gguf_array_i32(types, id) : TOKEN_NORMAL;
        if (!types && v->kind == KIND_LLAMA && byte_of(token) >= 0) type = TOKEN_BYTE;
        if (!types && (id == v->bos || id == v->eos)) type = TOKEN_CONTROL;
        if (!types && id == unknown) type = TOKEN_UNKNOWN;
        if (type < TOKEN_NORMAL || type > TOKEN_BYTE)
            return bad_token(fault, id, token, "token_type_outside");
        v->type[id] = (uint8_t)type;
    }
    return STATUS_OK;
}

/* Adds an id to `ends`, which stays ascending without duplicates; ignores TOKEN_NONE. */
static void add_end(struct vocabulary *v, uint32_t id) {
    size_t at = v->n_ends;
    if (id == TOKEN_NONE) return;
    while (at > 0 && v->ends[at - 1] >= id) at--;
    if (at < v->n_ends && v->ends[at] == id) return;
    memmove(v->ends + at + 1, v->ends + at, (v->n_ends - at) * sizeof *v->ends);
    v->ends[at] = id;
    v->n_ends++;
}

static const char *const end_keys[] = {
    "tokenizer.ggml.eos_token_id",     "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",     "tokenizer.ggml.fim_pad_token_id",
    "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id",
};

/* Names of tokens that end a text: llama.cpp's list without "</s>". "</s>" ends a text only if a
 * key names it, because in Gemma's vocabulary it is an HTML tag. */
enum { NAME_END, NAME_RETURN, NAME_CALL, NAME_CALLS, NAME_FLUSH };
static const char *const end_names[] = {
    [NAME_END] = "<|end|>",
    [NAME_RETURN] = "<|return|>",
    [NAME_CALL] = "<|call|>",
    [NAME_CALLS] = "<|calls|>",
    [NAME_FLUSH] = "<|flush|>",
    "<|eot_id|>",
    "<|im_end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<end_of_utterance>",
    "<\357\275\234end\342\226\201of\342\226\201sentence\357\275\234>",
    "[e~[",
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
};

enum { N_END_KEYS = sizeof end_keys / sizeof *end_keys };
enum { N_END_NAMES = sizeof end_names / sizeof *end_names };
_Static_assert(N_END_KEYS + N_END_NAMES <= VOCABULARY_ENDS_MAX, "room for every end");

/* Finds the lowest id of each of end_names, or TOKEN_NONE. */
static void find_end_names(const struct vocabulary *v, const struct gguf_value *tokens,
                           uint32_t found[N_END_NAMES]) {
    const uint8_t *cursor = tokens->data;
    memset(found, 0xff, N_END_NAMES * sizeof *found);
    for (uint32_t id = 0; id < v->size; id++) {
        struct gguf_string token = gguf_next_string(&cursor);
        if (token.length == 0 || !strchr("<[_", token.data[0])) continue;
        for (int i = 0; i < N_END_NAMES; i++)
            if (found[i] == TOKEN_NONE && string_equals(token, end_names[i])) found[i] = id;
    }
}

/* Collects the tokens that end a text: the tokens under end_keys and, in the gpt2 and llama kinds,
 * the tokens in end_names. The latter become control tokens. In a vocabulary with channels,
 * "<|end|>" ends a channel, not the text. */
static enum status read_ends(struct vocabulary *v, const struct gguf *file,
                             const struct gguf_value *tokens, struct fault *fault) {
    uint32_t found[N_END_NAMES];
    for (int i = 0; i < N_END_KEYS; i++) {
        uint32_t id;
        enum status status = read_id(v, file, end_keys[i], &id, fault);
        if (status) return status;
        add_end(v, id);
    }
    if (v->kind != KIND_GPT2 && v->kind != KIND_LLAMA) return STATUS_OK;
    find_end_names(v, tokens, found);
    bool calls = found[NAME_CALL] != TOKEN_NONE || found[NAME_CALLS] != TOKEN_NONE;
    if ((found[NAME_RETURN] != TOKEN_NONE && found[NAME_CALL] != TOKEN_NONE) ||
        (found[NAME_FLUSH] != TOKEN_NONE && calls))
        found[NAME_END] = TOKEN_NONE;
    for (int i = 0; i < N_END_NAMES; i++) {
        if (found[i] != TOKEN_NONE) v->type[found[i]] = TOKEN_CONTROL;
        add_end(v, found[i]);
    }
    return STATUS_OK;
}

size_t vocabulary_spell_llama(char *out, const char *text, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        bool mark =
            length - i >= SPACE_MARK_BYTES && memcmp(text + i, space_mark, SPACE_MARK_BYTES) == 0;
        out[used++] = mark ? ' ' : text[i];
        i += mark ? SPACE_MARK_BYTES : 1;
    }
    return used;
}

/* Returns the byte of a letter of GPT-2's alphabet, or -1. The 188 printable bytes of Latin-1 are
 * their own letters; the other 68 bytes, ascending, are U+0100 ... U+0143. */
static int byte_of_letter(uint32_t code) {
    if ((code > 0x20 && code < 0x7f) || (code > 0xa0 && code < 0x100 && code != 0xad))
        return (int)code;
    if (code < 0x100 || code > 0x143) return -1;
    if (code <= 0x120) return (int)code - 0x100;        /* 0x00 ... 0x20 */
    if (code <= 0x142) return (int)code - 0x121 + 0x7f; /* 0x7f ... 0xa0 */
    return 0xad;
}

bool vocabulary_spell_gpt2(char *out, size_t *used, const char *text, size_t length) {
    *used = 0;
    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += unicode_next(text + at, length - at, &code);
        int byte = byte_of_letter(code);
        if (byte < 0) return false;
        out[(*used)++] = (char)byte;
    }
    return true;
}

static bool is_one_character(struct gguf_string token) {
    uint32_t code;
    return token.length && unicode_next(token.data, token.length, &code) == token.length;
}

/* Writes the text of token `id` to out (token.length,). A gpt2 token with a letter outside the
 * alphabet keeps the file's spelling; encoding never produces it. */
static enum status spell_token(struct vocabulary *v, uint32_t id, struct gguf_string token,
                               char *out, size_t *used, struct fault *fault) {
    *used = token.length;
    if (v->type[id] == TOKEN_BYTE) {
        int byte = byte_of(token);
        if (v->kind != KIND_LLAMA) return bad_token(fault, id, token, "byte_token_only_llama");
        if (byte < 0) return bad_token(fault, id, token, "byte_token_form");
        out[0] = (char)byte;
        *used = 1;
        if (v->byte[byte] == TOKEN_NONE) v->byte[byte] = id;
        return STATUS_OK;
    }
    if (v->kind == KIND_LLAMA && (v->type[id] == TOKEN_NORMAL || v->type[id] == TOKEN_USER_DEFINED))
        *used = vocabulary_spell_llama(out, token.data, token.length);
    else
        memcpy(out, token.data, token.length);
    if (v->type[id] != TOKEN_NORMAL) return STATUS_OK;
    if (v->kind == KIND_GPT2 && !vocabulary_spell_gpt2(out, used, token.data, token.length)) {
        memcpy(out, token.data, *used = token.length);
        v->type[id] = TOKEN_UNUSED;
    }
    if (v->kind == KIND_CHAR && !is_one_character(token))
        return bad_token(fault, id, token, "must_be_one_character");
    if (v->kind == KIND_WORD && token.length > 1 && memchr(token.data + 1, ' ', token.length - 1))
        return bad_token(fault, id, token, "no_space_inside");
    return STATUS_OK;
}

static enum status read_tokens(struct vocabulary *v, const struct gguf_value *tokens,
                               struct fault *fault) {
    const uint8_t *cursor = tokens->data;
    uint32_t used = 0;
    for (uint32_t id = 0; id < v->size; id++) {
        struct gguf_string token = gguf_next_string(&cursor);
        size_t length;
        v->start[id] = used;
        enum status status = spell_token(v, id, token, v->bytes + used, &length, fault);
        if (status) return status;
        if (length > TOKEN_BYTES_MAX)
            return fault_set(fault, STATUS_BAD_FILE, "token_bytes", "id:u limit:u n:u",
                             (uint64_t)id, (uint64_t)TOKEN_BYTES_MAX, (uint64_t)length);
        used += (uint32_t)length;
    }
    v->start[v->size] = used;
    return STATUS_OK;
}

/* True for a user-defined token that merges may produce. Text is cut at user-defined tokens first.
 * So merges can only produce a user-defined token that begins with llama's added leading space.
 * Decoding would keep this space, so the token is excluded. */
static bool can_be_merged(const struct vocabulary *v, uint32_t id) {
    return v->type[id] == TOKEN_USER_DEFINED &&
           (v->kind != KIND_LLAMA || *vocabulary_text(v, id) != ' ');
}

static enum status no_memory(const struct vocabulary *v, struct fault *fault) {
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_vocabulary", "n:u", (uint64_t)v->size);
}

static int compare_text(const struct marked_token *a, const struct marked_token *b) {
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int compare_marked(const void *left, const void *right) {
    const struct marked_token *a = left, *b = right;
    int order = compare_text(a, b);
    if (order == 0) order = (int)a->special - (int)b->special;
    return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

/* Sorts the marked tokens; of equal texts keeps the lowest special and user-defined ids. */
static void sort_marked(struct vocabulary *vocabulary) {
    struct marked_token *marked = vocabulary->marked;
    size_t kept = 0;
    sort(marked, vocabulary->n_marked, sizeof *marked, compare_marked);
    for (size_t i = 0; i < vocabulary->n_marked; i++)
        if (!kept || compare_text(&marked[kept - 1], &marked[i]) != 0 ||
            marked[kept - 1].special != marked[i].special)
            marked[kept++] = marked[i];
    vocabulary->n_marked = kept;
}

/* Indexes the tokens that encoding looks up, except empty ones: encoding never produces them. */
static enum status index_tokens(struct vocabulary *v, struct fault *fault) {
    uint32_t *found = malloc(v->size * sizeof *found);
    size_t n_found = 0;
    if (!found) return no_memory(v, fault);
    for (uint32_t id = 0; id < v->size; id++) {
        size_t length = vocabulary_length(v, id);
        if (length == 0) continue;
        if (v->type[id] == TOKEN_NORMAL || can_be_merged(v, id)) found[n_found++] = id;
        bool special = vocabulary_special(v, id);
        if (!special && v->type[id] != TOKEN_USER_DEFINED) continue;
        if (length > MARKED_MAX) {
            free(found);
            return fault_set(fault, STATUS_BAD_FILE, "special_bytes", "id:u limit:u n:u",
                             (uint64_t)id, (uint64_t)MARKED_MAX, (uint64_t)length);
        }
        const char *text = vocabulary_text(v, id);
        v->marked[v->n_marked++] = (struct marked_token){text, (uint32_t)length, id, special};
        v->marks[(unsigned char)*text] = true;
    }
    sort_marked(v);
    bool complete = token_map_open(&v->map, v->bytes, v->start, found, n_found);
    free(found);
    return complete ? STATUS_OK : no_memory(v, fault);
}

static enum status read_flags(struct vocabulary *v, const struct gguf *file, struct fault *fault) {
    bool is_llama = v->kind == KIND_LLAMA;
    bool adds_bos = is_llama || (v->pretokenizer && v->pretokenizer->add_bos);
    enum status status =
        gguf_bool(file, "tokenizer.ggml.add_bos_token", adds_bos, &v->add_bos, fault);
    if (!status)
        status = gguf_bool(file, "tokenizer.ggml.add_space_prefix", is_llama, &v->add_space_prefix,
                           fault);
    if (status) return status;
    if (v->add_bos && v->bos == TOKEN_NONE && gguf_find(file, "tokenizer.ggml.add_bos_token"))
        return fault_set(fault, STATUS_BAD_FILE, "bos_missing", "");
    v->add_bos &= v->bos != TOKEN_NONE;
    v->add_space_prefix &= is_llama;
    status = gguf_u32(file, "tokenizer.logitscope.space_prefix", 0, &v->prefix, fault);
    v->add_space_prefix |= v->kind == KIND_GPT2 && v->prefix & PREFIX_GPT2;
    if (status || !v->pretokenizer) return status;
    status = gguf_bool(file, "tokenizer.logitscope.ignore_merges", v->pretokenizer->whole_first,
                       &v->whole_first, fault);
    if (!status)
        status = gguf_bool(file, "tokenizer.logitscope.nfc", v->pretokenizer->nfc, &v->nfc, fault);
    return status;
}

/* Reads the ids of the tokens that strip white space on one side. */
static enum status read_stripping(struct vocabulary *v, const struct gguf *file, const char *key,
                                  unsigned side, struct fault *fault) {
    const struct gguf_value *list;
    enum status status = vocabulary_array(file, key, GGUF_INT32, false, 0, &list, fault);
    if (status || !list) return status;
    if (!v->stripping && !(v->stripping = calloc(v->size, 1))) return no_memory(v, fault);
    for (uint64_t i = 0; i < list->count; i++) {
        uint32_t id = (uint32_t)gguf_array_i32(list, i);
        if (id >= v->size)
            return fault_set(fault, STATUS_BAD_FILE, "list_id", "name:s limit:u value:u", key,
                             (uint64_t)v->size, (uint64_t)id);
        v->stripping[id] |= (uint8_t)side;
    }
    return STATUS_OK;
}

/* True if a model's name contains "phi" and the version, in upper or lower case: "Phi-3-mini",
 * "phi3", "Phi 3.5". */
static bool is_phi(struct gguf_string name, char version) {
    for (size_t i = 0; i + 3 < name.length; i++) {
        const char *at = name.data + i;
        size_t after = memchr(" -_", at[3], 3) ? 4 : 3;
        if ((at[0] | 32) == 'p' && (at[1] | 32) == 'h' && (at[2] | 32) == 'i' &&
            i + after < name.length && at[after] == version)
            return true;
    }
    return false;
}

/* Recognises Phi models by name, as llama.cpp does, and by architecture if they are renamed. */
static enum status read_strips(struct vocabulary *v, const struct gguf *file, struct fault *fault) {
    struct gguf_string name, architecture;
    enum status status = gguf_text(file, "general.name", &name, fault);
    if (!status) status = gguf_text(file, "general.architecture", &architecture, fault);
    if (!status)
        status = read_stripping(v, file, "tokenizer.logitscope.lstrip", STRIPS_LEFT, fault);
    if (!status)
        status = read_stripping(v, file, "tokenizer.logitscope.rstrip", STRIPS_RIGHT, fault);
    if (status) return status;
    bool phi3 = string_equals(architecture, "phi3");
    if (is_phi(name, '3') || (phi3 && v->kind == KIND_LLAMA)) v->strips = STRIPS_RIGHT;
    if ((phi3 || is_phi(name, '4')) && v->pre_stated && !strcmp(v->pretokenizer->name, "dbrx"))
        v->strips = STRIPS_LEFT | STRIPS_RIGHT;
    return STATUS_OK;
}

unsigned vocabulary_strips(const struct vocabulary *v, uint32_t id) {
    struct gguf_string token = {vocabulary_text(v, id), vocabulary_length(v, id)};
    bool marked = vocabulary_special(v, id) || v->type[id] == TOKEN_USER_DEFINED;
    bool kept = string_equals(token, "<unk>") || string_equals(token, "<s>") ||
                (string_equals(token, "<|endoftext|>") && v->strips == STRIPS_RIGHT);
    if (v->stripping) return marked ? v->stripping[id] : 0;
    return marked && !kept ? v->strips : 0;
}

static enum status allocate_arrays(struct vocabulary *v, const struct gguf_value *tokens,
                                   struct fault *fault) {
    const uint8_t *cursor = tokens->data;
    uint64_t total = 1; /* never allocate 0 bytes */
    for (uint32_t id = 0; id < v->size; id++) total += gguf_next_string(&cursor).length;
    if (total >= UINT32_MAX)
        return fault_set(fault, STATUS_BAD_FILE, "list_text", "name:s", "tokenizer.ggml.tokens");
    v->bytes = malloc((size_t)total);
    v->start = malloc((v->size + (size_t)1) * sizeof *v->start);
    v->type = malloc(v->size);
    v->marked = malloc(v->size * sizeof *v->marked);
    if (!v->bytes || !v->start || !v->type || !v->marked) return no_memory(v, fault);
    memset(v->byte, 0xff, sizeof v->byte);
    return STATUS_OK;
}

enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *file,
                            uint32_t vocab_size, struct fault *fault) {
    struct vocabulary *v = vocabulary;
    const struct gguf_value *tokens;
    *v = (struct vocabulary){0};
    enum status status = read_kind(v, file, fault);
    if (!status)
        status =
            vocabulary_array(file, "tokenizer.ggml.tokens", GGUF_STRING, true, 0, &tokens, fault);
    if (status) return status;
    v->size = (uint32_t)tokens->count;
    if (v->size == 0)
        return fault_set(fault, STATUS_BAD_FILE, "list_empty", "name:s", "tokenizer.ggml.tokens");
    if (vocab_size && v->size != vocab_size)
        return fault_set(fault, STATUS_BAD_FILE, "list_model", "name:s limit:u n:u",
                         "tokenizer.ggml.tokens", (uint64_t)vocab_size, (uint64_t)v->size);
    status = allocate_arrays(v, tokens, fault);
    if (!status) status = read_types(v, file, tokens, fault);
    if (!status) status = read_ends(v, file, tokens, fault);
    if (!status) status = read_tokens(v, tokens, fault);
    if (!status) status = index_tokens(v, fault);
    if (!status) status = read_flags(v, file, fault);
    if (!status) status = read_strips(v, file, fault);
    if (status) vocabulary_close(v);
    return status;
}

void vocabulary_close(struct vocabulary *vocabulary) {
    token_map_close(&vocabulary->map);
    free(vocabulary->bytes);
    free(vocabulary->start);
    free(vocabulary->type);
    free(vocabulary->marked);
    free(vocabulary->stripping);
    *vocabulary = (struct vocabulary){0};
}

/* Returns the index of the first of marked[low .. high) whose byte at `depth` is at least `byte`.
 * All these tokens must be longer than `depth`. */
static size_t lower_bound(const struct marked_token *marked, size_t low, size_t high, size_t depth,
                          unsigned byte) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)marked[middle].text[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t vocabulary_marked(const struct vocabulary *vocabulary, const char *text, size_t length,
                           bool special) {
    const struct marked_token *marked = vocabulary->marked;
    size_t low = 0, high = vocabulary->n_marked; /* [low .. high) match the text so far */
    uint32_t found = TOKEN_NONE;
    if (!length || !vocabulary->marks[(unsigned char)text[0]]) return TOKEN_NONE;
    for (size_t depth = 0; low < high; depth++) {
        /* of tokens with equal text, a user-defined token sorts before a special token */
        for (; low < high && marked[low].length == depth; low++)
            if (special || !marked[low].special) found = marked[low].id;
        if (depth == length) break;
        unsigned byte = (unsigned char)text[depth];
        low = lower_bound(marked, low, high, depth, byte);
        high = lower_bound(marked, low, high, depth, byte + 1);
    }
    return found;
}
