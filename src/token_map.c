/* A hash table with FNV-1a. Texts with equal hashes share a bucket; look-ups use binary search in
 * it, so that a hostile file cannot slow them down. */
#include "token_map.h"

#include <stdlib.h>
#include <string.h>

/* Entries with equal texts differ in `id`. */
struct entry {
    uint32_t hash, length, id;
    const char *text;
};

static int compare_texts(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order = compare_texts(a, b);
    return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

/* FNV-1a with 64 bits. Combines both halves: low bits of a product depend on low bits only. */
static struct entry entry_of(const char *text, size_t length, uint32_t id) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (struct entry){(uint32_t)(hash ^ hash >> 32), (uint32_t)length, id, text};
}

bool token_map_open(struct token_map *map, const char *bytes, const uint32_t *start,
                    const uint32_t *ids, size_t count) {
    struct entry *entries = malloc(count * sizeof *entries + 1);
    *map = (struct token_map){0};
    if (!entries) return false;
    for (size_t i = 0; i < count; i++) {
        size_t length = start[ids[i] + 1] - start[ids[i]];
        entries[i] = entry_of(bytes + start[ids[i]], length, ids[i]);
        if (length > map->longest) map->longest = length;
    }
    return buckets_open(&map->buckets, entries, count, sizeof *entries, compare_entries);
}

void token_map_close(struct token_map *map) { buckets_close(&map->buckets); }

uint32_t token_map_find(const struct token_map *map, const char *text, size_t length) {
    if (length > map->longest) return TOKEN_NONE;
    struct entry wanted = entry_of(text, length, 0);
    const struct entry *found = buckets_find(&map->buckets, &wanted, compare_texts);
    return found && compare_texts(found, &wanted) == 0 ? found->id : TOKEN_NONE;
}
