/* From bytes to the id of the token spelled so: an open-addressing hash table over a vocabulary's
 * own text, which it does not copy. */
#ifndef LOGITSCOPE_TOKEN_MAP_H
#define LOGITSCOPE_TOKEN_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKEN_NONE UINT32_MAX

struct token_map_slot {
    uint32_t hash, id; /* id TOKEN_NONE: free */
};

/* Token id is bytes[start[id] .. start[id + 1]); both arrays belong to the vocabulary. */
struct token_map {
    const char *bytes;
    const uint32_t *start;
    struct token_map_slot *slots; /* (mask + 1,) a power of two, at most half full */
    size_t mask;
    size_t longest; /* bytes of the longest token entered */
};

/* Room for `count` tokens (at most 2^24); false when memory is out. */
bool token_map_open(struct token_map *map, const char *bytes, const uint32_t *start, size_t count);
void token_map_close(struct token_map *map);

/* Enters a token; of two spelled alike the one entered first is found. */
void token_map_add(struct token_map *map, uint32_t id);

/* The id of these bytes, or TOKEN_NONE. */
uint32_t token_map_find(const struct token_map *map, const char *text, size_t length);

#endif
