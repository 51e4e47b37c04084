/* GPT-2's byte-level BPE. Each byte is a symbol at first, so any text can be encoded. */
#include "bpe.h"

#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "unicode.h"

struct merge {
    uint32_t hash, left, right, rank, id;
};

struct bpe_gpt2 {
    const struct vocabulary *vocabulary;
    struct buckets merges; /* items are struct merge */
    uint32_t byte[256];    /* the token of each single byte, or TOKEN_NONE */
};

/* Makes a merge with a hash of both ids; the multiplier is 2^64 / golden ratio. */
static struct merge merge_of(uint32_t left, uint32_t right, uint32_t rank, uint32_t id) {
    uint64_t hash = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15;
    return (struct merge){(uint32_t)(hash >> 32), left, right, rank, id};
}

static int compare_pairs(const void *a, const void *b) {
    const struct merge *x = a, *y = b;
    if (x->left != y->left) return x->left < y->left ? -1 : 1;
    return x->right < y->right ? -1 : x->right > y->right;
}

/* Orders merges of the same pair by rank, so that a look-up finds the lowest rank. */
static int compare_merges(const void *a, const void *b) {
    const struct merge *x = a, *y = b;
    int order = compare_pairs(x, y);
    return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static enum status refuse_merge(struct fault *fault, uint32_t rank, struct gguf_string merge,
                                const char *trouble) {
    char name[UNICODE_QUOTE_MAX];
    unicode_quote(name, merge.data, merge.length);
    return fault_set(fault, STATUS_BAD_FILE, "merge", "n:u name:s trouble:k", (uint64_t)rank, name,
                     trouble);
}

/* Reads "LEFT RIGHT", spelled in the byte alphabet. `scratch` has room for merge.length bytes. */
static enum status read_merge(const struct token_map *map, uint32_t rank, struct gguf_string merge,
                              char *scratch, struct merge *out, struct fault *fault) {
    const char *space = merge.length ? memchr(merge.data, ' ', merge.length) : NULL;
    if (!space) return refuse_merge(fault, rank, merge, "must_be_two_tokens");
    size_t cut = (size_t)(space - merge.data), n_left, n_right;
    if (!vocabulary_spell_gpt2(scratch, &n_left, merge.data, cut) ||
        !vocabulary_spell_gpt2(scratch + n_left, &n_right, space + 1, merge.length - cut - 1))
        return refuse_merge(fault, rank, merge, "outside_byte_alphabet");
    uint32_t left = token_map_find(map, scratch, n_left);
    uint32_t right = token_map_find(map, scratch + n_left, n_right);
    uint32_t id = token_map_find(map, scratch, n_left + n_right);
    if (left == TOKEN_NONE || right == TOKEN_NONE)
        return refuse_merge(fault, rank, merge, "joins_missing_token");
    if (id == TOKEN_NONE) return refuse_merge(fault, rank, merge, "makes_missing_token");
    *out = merge_of(left, right, rank, id);
    return STATUS_OK;
}

static enum status no_memory(struct fault *fault, uint32_t count) {
    return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_merges", "n:u", (uint64_t)count);
}

static enum status read_merges(struct bpe_gpt2 *merges, const struct gguf_value *list,
                               struct fault *fault) {
    const uint8_t *cursor = list->data;
    uint32_t count = (uint32_t)list->count;
    size_t longest = 1;
    for (uint32_t rank = 0; rank < count; rank++) {
        size_t length = gguf_next_string(&cursor).length;
        if (length > longest) longest = length;
    }
    char *scratch = malloc(longest);
    struct merge *items = malloc(count * sizeof *items + 1);
    enum status status = scratch && items ? STATUS_OK : no_memory(fault, count);
    cursor = list->data;
    for (uint32_t rank = 0; rank < count && !status; rank++)
        status = read_merge(&merges->vocabulary->map, rank, gguf_next_string(&cursor), scratch,
                            &items[rank], fault);
    free(scratch);
    if (status) {
        free(items);
        return status;
    }
    return buckets_open(&merges->merges, items, count, sizeof *items, compare_merges)
               ? STATUS_OK
               : no_memory(fault, count);
}

enum status bpe_gpt2_open(struct bpe_gpt2 **merges, const struct vocabulary *vocabulary,
                          const struct gguf *file, struct fault *fault) {
    const struct gguf_value *list;
    *merges = NULL;
    enum status status =
        vocabulary_array(file, "tokenizer.ggml.merges", GGUF_STRING, true, 0, &list, fault);
    if (status) return status;
    struct bpe_gpt2 *opened = calloc(1, sizeof *opened);
    if (!opened) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_tokenizer", "");
    opened->vocabulary = vocabulary;
    for (int byte = 0; byte < 256; byte++) {
        char text = (char)byte;
        opened->byte[byte] = token_map_find(&vocabulary->map, &text, 1);
    }
    status = read_merges(opened, list, fault);
    if (!status)
        *merges = opened;
    else
        bpe_gpt2_close(opened);
    return status;
}

void bpe_gpt2_close(struct bpe_gpt2 *merges) {
    if (!merges) return;
    buckets_close(&merges->merges);
    free(merges);
}

static bool find_join(const struct bpe_rule *rule, const struct bpe_symbol *left,
                      const struct bpe_symbol *right, uint32_t *rank, uint32_t *id) {
    const struct bpe_gpt2 *merges = rule->tables;
    struct merge wanted = merge_of(left->id, right->id, 0, 0);
    const struct merge *merge = buckets_find(&merges->merges, &wanted, compare_pairs);
    if (!merge || compare_pairs(merge, &wanted) != 0) return false;
    *rank = merge->rank;
    *id = merge->id;
    return true;
}

/* Refuses a byte without a token. The fault names the whole character that contains the byte. */
static enum status refuse_byte(struct fault *fault, const char *text, size_t length, size_t at) {
    for (size_t back = 0; back < 4 && back <= at; back++) {
        uint32_t code;
        size_t size = unicode_next(text + at - back, length - at + back, &code);
        if (code != UNICODE_INVALID && size > back)
            return vocabulary_lacks(fault, "character", text + at - back, size);
    }
    return vocabulary_lacks(fault, "byte", text + at, 1);
}

/* Merges the bytes of text[at .. end). */
static enum status merge_piece(const struct bpe_gpt2 *merges, struct bpe_work *work,
                               const struct bpe_rule *rule, size_t length, size_t at, size_t end,
                               struct fault *fault) {
    if (!bpe_work_reserve(work, end - at))
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_encode", "n:u",
                         (uint64_t)(end - at));
    for (size_t i = at; i < end; i++) {
        uint32_t id = merges->byte[(unsigned char)rule->text[i]];
        if (id == TOKEN_NONE) return refuse_byte(fault, rule->text, length, i);
        bpe_work_push(work, (uint32_t)i, 1, id);
    }
    bpe_merge(work, rule);
    return STATUS_OK;
}

enum status bpe_gpt2_encode(const struct bpe_gpt2 *merges, struct bpe_work *work, const char *text,
                            size_t length, struct bpe_ids *ids, struct fault *fault) {
    const struct vocabulary *vocabulary = merges->vocabulary;
    struct bpe_rule rule = {merges, text, find_join};
    struct pretokenizer_walk walk = pretokenizer_begin(vocabulary->pretokenizer, text, length);
    while (walk.at < length) {
        size_t at = walk.at, end = pretokenizer_next(&walk);
        uint32_t whole = vocabulary->whole_first
                             ? token_map_find(&vocabulary->map, text + at, end - at)
                             : TOKEN_NONE;
        if (whole != TOKEN_NONE) {
            bpe_ids_put(ids, whole);
            continue;
        }
        enum status status = merge_piece(merges, work, &rule, length, at, end, fault);
        if (status) return status;
        for (uint32_t i = 0; i != BPE_END; i = work->symbols[i].next)
            bpe_ids_put(ids, work->symbols[i].id);
    }
    return STATUS_OK;
}
