/* Finds the id of the token with given bytes: a table over a vocabulary's own text, not a copy. */
#ifndef LOGITSCOPE_TOKEN_MAP_H
#define LOGITSCOPE_TOKEN_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort.h"

#define TOKEN_NONE UINT32_MAX

struct token_map {
    struct buckets buckets;
    size_t longest; /* bytes of the longest token entered */
};

/* Enters ids (count,); token id is bytes[start[id] .. start[id + 1]), which must outlive the map. A
 * look-up finds the lowest id of equal texts. False when memory is out. */
bool token_map_open(struct token_map *map, const char *bytes, const uint32_t *start,
                    const uint32_t *ids, size_t count);
void token_map_close(struct token_map *map);

/* The id of these bytes, or TOKEN_NONE. */
uint32_t token_map_find(const struct token_map *map, const char *text, size_t length);

#endif
