/* Splits one result over several threads, with the same bits: a part computes columns, and no sum
 * crosses columns. One thread, the caller, owns the struct and hands out work; the others, the
 * workers, only run threads_work.
 *
 * A worker writes to memory of its own; the caller copies. So the caller can give up a worker that
 * died or sleeps inside a part: it computes that part itself, and a late write changes no result.
 *
 * The file is complete only with LOGITSCOPE_THREADS, which one of the two WebAssembly modules and
 * all native builds define. Without it every call becomes the plain call. */
#ifndef LOGITSCOPE_THREADS_H
#define LOGITSCOPE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

enum { THREADS_MAX = 16 }; /* threads of one instance, the caller included */
enum { THREADS_TASK = 96 };

/* Writes items [first .. first + count) of each row of a result to out (n, count, item). `scratch`
 * has result->scratch floats. */
typedef void threads_part(const void *task, float *out, size_t first, size_t count, float *scratch);

/* A result (n, width, item) in `out`. Parts have a multiple of `unit` items, but for the last one,
 * and need `scratch` floats. `cost`: about how many multiplications the result takes. */
struct threads_result {
    float *out;
    size_t n, width, item, unit, scratch;
    uint64_t cost;
};

#ifdef LOGITSCOPE_THREADS

/* Opens the state of n <= THREADS_MAX threads, without starting any. Each has `scratch` floats for
 * parts. NULL if memory is short. */
struct threads *threads_open(uint32_t n, size_t scratch);

/* Frees the memory. Every threads_work must have returned. */
void threads_close(struct threads *threads);

/* Ends the workers from number n >= 1 on: their threads_work returns soon. It cannot be undone. */
void threads_keep(struct threads *threads, uint32_t n);

/* The loop of worker `index`, 1 <= index < n; returns after threads_keep. */
void threads_work(struct threads *threads, uint32_t index);

/* Lets only the caller and workers below `n` take part. */
void threads_use(struct threads *threads, uint32_t n);

/* Sets the multiplications that a chunk has at least; fewer are not worth a claim. Tests lower it.
 */
void threads_least(struct threads *threads, uint32_t cost);

/* Number of threads that take part: 1 after a worker was given up. */
uint32_t threads_count(const struct threads *threads);

/* Computes a result by parts. The task has at most THREADS_TASK bytes and is copied. A part needs
 * result->scratch floats; `scratch` is the caller's. `threads` may be NULL: one part. */
void threads_split(struct threads *threads, threads_part *part, const void *task, size_t task_size,
                   const struct threads_result *result, float *scratch);

/* kernels->matmul or kernels->matmul_quants, split over kernels->threads. Returns false, without a
 * result, if the product is too small to gain by it. */
bool threads_multiply(const struct kernels *kernels, float *out, const struct matrix *w,
                      const float *bias, const float *x, const struct quants *quants, size_t n);

#else

#define threads_split(threads, part, task, size, result, scratch) \
    part(task, (result)->out, 0, (result)->width, scratch)
#define threads_multiply(kernels, out, w, bias, x, quants, n) false

#endif

#endif
