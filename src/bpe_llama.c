/* Llama's BPE: two neighbours may be joined if a token has their joined text. The rank of the join
 * is the token's rank by score. The vocabulary stores a space for each U+2581 of the file, so text
 * is looked up unchanged. A U+2581 in the text itself is encoded by its bytes. */
#include "bpe.h"

#include <stdlib.h>

#include "sort.h"
#include "unicode.h"

struct bpe_llama {
    const struct vocabulary *vocabulary;
    uint32_t *rank; /* (size,) 0 for the highest score; tokens with equal scores have equal ranks */
};

struct score {
    float score;
    uint32_t id;
};

static int compare_scores(const void *a, const void *b) {
    const struct score *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

enum status bpe_llama_open(struct bpe_llama **scores, const struct vocabulary *vocabulary,
                           const struct gguf *file, struct fault *fault) {
    const struct gguf_value *list;
    uint32_t size = vocabulary->size;
    *scores = NULL;
    enum status status =
        vocabulary_array(file, "tokenizer.ggml.scores", GGUF_FLOAT32, true, size, &list, fault);
    if (status) return status;
    struct score *sorted = malloc(size * sizeof *sorted);
    struct bpe_llama *opened = malloc(sizeof *opened);
    uint32_t *rank = malloc(size * sizeof *rank);
    if (!sorted || !opened || !rank)
        status = fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_scores", "n:u", (uint64_t)size);
    for (uint32_t id = 0; id < size && !status; id++) {
        sorted[id] = (struct score){gguf_array_f32(list, id), id};
        if (!(sorted[id].score - sorted[id].score == 0))
            status = fault_set(fault, STATUS_BAD_FILE, "score_finite", "id:u", (uint64_t)id);
    }
    if (!status) {
        sort(sorted, size, sizeof *sorted, compare_scores);
        for (uint32_t i = 0; i < size; i++) {
            bool tied = i && sorted[i].score == sorted[i - 1].score;
            rank[sorted[i].id] = tied ? rank[sorted[i - 1].id] : i;
        }
        *opened = (struct bpe_llama){vocabulary, rank};
        *scores = opened;
    } else {
        free(opened);
        free(rank);
    }
    free(sorted);
    return status;
}

void bpe_llama_close(struct bpe_llama *scores) {
    if (!scores) return;
    free(scores->rank);
    free(scores);
}

static bool find_join(const struct bpe_rule *rule, const struct bpe_symbol *left,
                      const struct bpe_symbol *right, uint32_t *rank, uint32_t *id) {
    const struct bpe_llama *scores = rule->tables;
    *id = token_map_find(&scores->vocabulary->map, rule->text + left->start,
                         (size_t)left->length + right->length);
    if (*id == TOKEN_NONE) return false;
    *rank = scores->rank[*id];
    return true;
}

/* Adds the id of a symbol if it is a token; otherwise adds an id for each of its bytes. */
static enum status put_symbol(const struct vocabulary *vocabulary, const char *text,
                              const struct bpe_symbol *symbol, struct bpe_ids *ids,
                              struct fault *fault) {
    if (symbol->id != TOKEN_NONE) {
        bpe_ids_put(ids, symbol->id);
        return STATUS_OK;
    }
    text += symbol->start;
    for (uint32_t i = 0; i < symbol->length; i++) {
        uint32_t id = vocabulary->byte[(unsigned char)text[i]], code;
        if (id == TOKEN_NONE) {
            unicode_next(text, symbol->length, &code);
            return vocabulary_lacks(fault, code == UNICODE_INVALID ? "byte" : "character", text,
                                    symbol->length);
        }
        bpe_ids_put(ids, id);
    }
    return STATUS_OK;
}

enum status bpe_llama_encode(const struct bpe_llama *scores, struct bpe_work *work,
                             const char *text, size_t length, struct bpe_ids *ids,
                             struct fault *fault) {
    struct bpe_rule rule = {scores, text, find_join};
    if (length == 0) return STATUS_OK;
    if (!bpe_work_reserve(work, length))
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_encode", "n:u", (uint64_t)length);
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t code;
        size = unicode_next(text + at, length - at, &code);
        bpe_work_push(work, (uint32_t)at, (uint32_t)size,
                      token_map_find(&scores->vocabulary->map, text + at, size));
    }
    bpe_merge(work, &rule);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i != BPE_END && !status; i = work->symbols[i].next)
        status = put_symbol(scores->vocabulary, text, &work->symbols[i], ids, fault);
    return status;
}
