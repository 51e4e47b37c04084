/* A case of a golden vector while it runs; part of test_vectors.c. */
#ifndef LOGITSCOPE_VECTOR_SUBJECT_H
#define LOGITSCOPE_VECTOR_SUBJECT_H

#include "chain.h"
#include "draw.h"
#include "fault_line.h"
#include "vector_file.h"

enum { LIST_MAX = 64 };

/* A case: first its input, then its results. */
struct subject {
    const struct kernels *kernels;
    float *logits, *given; /* (n,) input of the chain; (n,) copy for comparison */
    size_t n;
    uint32_t history[LIST_MAX];
    size_t n_history;
    struct warp_bias bias[LIST_MAX];
    uint32_t breakers[LIST_MAX];
    uint32_t ends[LIST_MAX];
    struct settings settings;
    struct pcg32 pcg;
    uint64_t random, splitmix;
    bool malformed;

    enum status status;
    struct fault fault;
    struct chain *chain;
    const struct chain_trace *trace;
    const float *warped; /* (n,) */
    const uint64_t *weights;
    uint64_t total;
    char got[FAULT_LINE_MAX]; /* the actual value for the last expectation */
};

/* The arguments of an expectation: `expect NAME ARGUMENT ... [tol T]`. */
struct expectation {
    char **words;
    size_t count;
    double tolerance;
};

static inline double number(struct subject *s, const char *word) {
    double value;
    if (!vector_number(word, &value)) s->malformed = true;
    return value;
}

static inline uint64_t integer(struct subject *s, const char *word) {
    uint64_t value;
    if (!vector_integer(word, &value)) s->malformed = true;
    return value;
}

#endif
