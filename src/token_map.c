/* The hash table from bytes to token ids: FNV-1a, linear probing. */
#include "token_map.h"

#include <stdlib.h>
#include <string.h>

bool token_map_open(struct token_map *map, const char *bytes, const uint32_t *start, size_t count) {
    size_t capacity = 16;
    while (capacity < 2 * count) capacity *= 2;
    *map = (struct token_map){bytes, start, NULL, capacity - 1, 0};
    map->slots = malloc(capacity * sizeof *map->slots);
    if (!map->slots) return false;
    for (size_t i = 0; i < capacity; i++) map->slots[i].id = TOKEN_NONE;
    return true;
}

void token_map_close(struct token_map *map) {
    free(map->slots);
    map->slots = NULL;
}

/* FNV-1a over 64 bits, its halves folded: the low bits of the product alone see only low bits. */
static uint32_t hash_bytes(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot that holds these bytes, or the free one where they would go. */
static struct token_map_slot *locate(const struct token_map *map, uint32_t hash, const char *text,
                                     size_t length) {
    for (size_t i = hash & map->mask;; i = (i + 1) & map->mask) {
        struct token_map_slot *slot = &map->slots[i];
        if (slot->id == TOKEN_NONE) return slot;
        uint32_t start = map->start[slot->id];
        if (slot->hash == hash && map->start[slot->id + 1] - start == length &&
            memcmp(map->bytes + start, text, length) == 0)
            return slot;
    }
}

void token_map_add(struct token_map *map, uint32_t id) {
    const char *text = map->bytes + map->start[id];
    size_t length = map->start[id + 1] - map->start[id];
    uint32_t hash = hash_bytes(text, length);
    struct token_map_slot *slot = locate(map, hash, text, length);
    if (slot->id == TOKEN_NONE) *slot = (struct token_map_slot){hash, id};
    if (length > map->longest) map->longest = length;
}

uint32_t token_map_find(const struct token_map *map, const char *text, size_t length) {
    if (length > map->longest) return TOKEN_NONE;
    return locate(map, hash_bytes(text, length), text, length)->id;
}
