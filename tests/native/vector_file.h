/* Reads the vector files of tests/vectors line by line. Each line is cut at spaces into words;
 * comments and empty lines are skipped. If a number is expected, any other word is an error. */
#ifndef LOGITSCOPE_VECTOR_FILE_H
#define LOGITSCOPE_VECTOR_FILE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector_line {
    unsigned number; /* line number in the file, from 1 */
    size_t count;
    char **words; /* (count,) */
};

struct vector_file {
    char *text;
    char **words;
    struct vector_line *lines;
    size_t n_lines;
};

static inline char *vector_file_text(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream) return NULL;
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity);
    while (text) {
        size += fread(text + size, 1, capacity - size - 1, stream);
        if (size + 1 < capacity) break;
        char *larger = realloc(text, capacity *= 2);
        if (!larger) free(text);
        text = larger;
    }
    if (text) text[size] = '\0';
    fclose(stream);
    return text;
}

/* Cuts the text in place. A file of n bytes has at most n words and n lines. */
static inline void vector_file_cut(struct vector_file *file) {
    char *at = file->text, **word = file->words;
    for (unsigned number = 1; *at; number++) {
        struct vector_line line = {.number = number, .words = word};
        char *end = at + strcspn(at, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        while (*(at += strspn(at, " ")) && !(line.count == 0 && *at == '#')) {
            *word++ = at;
            line.count++;
            at += strcspn(at, " ");
            if (*at) *at++ = '\0';
        }
        if (line.count) file->lines[file->n_lines++] = line;
        at = next;
    }
}

static inline void vector_file_free(struct vector_file *file) {
    free(file->text);
    free(file->words);
    free(file->lines);
}

static inline bool vector_file_read(struct vector_file *file, const char *path) {
    *file = (struct vector_file){.text = vector_file_text(path)};
    if (!file->text) return false;
    size_t size = strlen(file->text) + 1;
    file->words = malloc(size * sizeof *file->words);
    file->lines = malloc(size * sizeof *file->lines);
    if (!file->words || !file->lines) {
        vector_file_free(file);
        return false;
    }
    vector_file_cut(file);
    return true;
}

/* Reads a decimal number, inf, -inf, nan, or `ban`, which means -inf. Returns false for other
 * words. */
static inline bool vector_number(const char *word, double *value) {
    char *end;
    *value = strtod(strcmp(word, "ban") == 0 ? "-inf" : word, &end);
    return *end == '\0';
}

/* Reads a non-negative integer, decimal or with 0x. Returns false for other words. */
static inline bool vector_integer(const char *word, uint64_t *value) {
    char *end;
    *value = strtoull(word, &end, 0);
    return word[0] >= '0' && word[0] <= '9' && *end == '\0';
}

#endif
