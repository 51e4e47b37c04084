/* Finds the id of the token with given bytes. The table points into the vocabulary's text. */
#ifndef LOGITSCOPE_TOKEN_MAP_H
#define LOGITSCOPE_TOKEN_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort.h"

#define TOKEN_NONE UINT32_MAX

struct token_map {
    struct buckets buckets;
    size_t longest; /* bytes of the longest token in the map */
};

/* Builds a map of the tokens in ids (count,). Token id has the text bytes[start[id] .. start[id +
 * 1]); `bytes` and `start` must outlive the map. If several tokens have the same text, a look-up
 * finds the lowest id. Returns false if memory is short. */
bool token_map_open(struct token_map *map, const char *bytes, const uint32_t *start,
                    const uint32_t *ids, size_t count);
void token_map_close(struct token_map *map);

/* Returns the id of the token with these bytes, or TOKEN_NONE. */
uint32_t token_map_find(const struct token_map *map, const char *text, size_t length);

#endif
