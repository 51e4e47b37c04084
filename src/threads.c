/* build: -O2 */
/* A result is cut into chunks; each thread claims the next one until none is left. So a thread that
 * the system interrupts delays one chunk only. */
#include "threads.h"

#ifdef LOGITSCOPE_THREADS

#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "signal.h"

/* Between two results the caller works alone for up to 0.2 ms. Workers spin that long: waking one
 * takes a call of the system. */
enum {
    CHUNKS_MAX = 64,
    CHUNKS_A_THREAD = 4,
    CHUNK_COST = 1 << 16, /* see threads_least */
    RESULT = 1 << 18,     /* floats of a result that are computed at once */
    SPINS = 1 << 18,      /* loads before a thread sleeps: some 0.2 ms */
    PATIENCE_MS = 2000    /* a worker without progress for so long is given up */
};

/* One caller hands out one job at a time. Its fields change only while `left` is 0, and a thread
 * reads them only after it has claimed a chunk, so they are stable then. */
struct job {
    threads_part *part;
    uint64_t task[THREADS_TASK / sizeof(uint64_t)]; /* a copy: a worker may outlive the call */
    size_t n, item;                                 /* floats of an item */
    size_t first, end, step;                        /* items [first .. end), `step` a chunk */
};

struct threads {
    struct job job;
    uint32_t n, least;
    size_t scratch_size;
    float *scratch; /* (n, scratch_size) */
    float *theirs;  /* (RESULT,) results of workers */
    float *own;     /* (RESULT,) results of the caller before it copies them */
    bool given_up;
    _Atomic uint32_t kept, taking_part;
    atomic_uchar done[CHUNKS_MAX];  /* 1: by a worker, in `theirs` */
    struct signal jobs;             /* incremented with every job, and to stop */
    struct signal choices;          /* incremented when `kept` or `taking_part` changes */
    struct signal undone;           /* chunks that are not finished */
    _Alignas(64) atomic_int left;   /* chunks that nobody has claimed */
    _Alignas(64) atomic_int asleep; /* workers that sleep on `jobs` */
    atomic_bool waiting;            /* true if the caller sleeps on `undone` */
};

/* aligned_alloc needs a multiple of the alignment. */
static void *allocate(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

struct threads *threads_open(uint32_t n, size_t scratch) {
    struct threads *t = allocate(sizeof *t);
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->n = n;
    t->least = CHUNK_COST;
    t->scratch_size = (scratch + 15) / 16 * 16;
    t->scratch = allocate((t->scratch_size * n + 16) * sizeof(float));
    t->theirs = allocate(RESULT * sizeof(float));
    t->own = allocate(RESULT * sizeof(float));
    signal_open(&t->jobs);
    signal_open(&t->choices);
    signal_open(&t->undone);
    atomic_store(&t->kept, n);
    atomic_store(&t->taking_part, n);
    if (t->scratch && t->theirs && t->own) return t;
    threads_close(t);
    return NULL;
}

void threads_close(struct threads *t) {
    if (!t) return;
    signal_close(&t->jobs);
    signal_close(&t->choices);
    signal_close(&t->undone);
    free(t->scratch);
    free(t->theirs);
    free(t->own);
    free(t);
}

static void announce(struct threads *t) {
    atomic_fetch_add(&t->jobs.value, 1);
    if (atomic_load(&t->asleep)) signal_wake(&t->jobs);
}

/* Wakes the workers that take no part. */
static void announce_choice(struct threads *t) {
    atomic_fetch_add(&t->choices.value, 1);
    signal_wake(&t->choices);
}

void threads_keep(struct threads *t, uint32_t n) {
    atomic_store(&t->kept, n);
    announce(t);
    announce_choice(t);
}

void threads_use(struct threads *t, uint32_t n) {
    atomic_store(&t->taking_part, n >= 1 && n <= t->n ? n : t->n);
    announce_choice(t);
}

void threads_least(struct threads *t, uint32_t cost) { t->least = cost ? cost : 1; }

uint32_t threads_count(const struct threads *t) {
    uint32_t n = atomic_load(&t->taking_part), kept = atomic_load(&t->kept);
    if (t->given_up) return 1;
    return n < kept ? n : kept;
}

/* Claims a chunk; returns -1 if none is left. */
static int claim(struct threads *t) {
    int left = atomic_load(&t->left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&t->left, &left, left - 1)) return left - 1;
    return -1;
}

/* Items of chunk `c`: *count from the returned one on. */
static size_t items_of(const struct job *job, int c, size_t *count) {
    size_t first = job->first + (size_t)c * job->step, left = job->end - first;
    *count = left < job->step ? left : job->step;
    return first;
}

/* Returns the place of a chunk (n, count, item) among the results of workers. */
static float *place_of(const struct threads *t, size_t first) {
    return t->theirs + (first - t->job.first) * t->job.n * t->job.item;
}

static void finish(struct threads *t) {
    if (atomic_fetch_sub(&t->undone.value, 1) == 1 && atomic_load(&t->waiting))
        signal_wake(&t->undone);
}

static void work_on(struct threads *t, int c, float *scratch) {
    const struct job *job = &t->job;
    size_t count, first = items_of(job, c, &count);
    job->part(job->task, place_of(t, first), first, count, scratch);
    atomic_store(&t->done[c], 1);
    finish(t);
}

void threads_work(struct threads *t, uint32_t index) {
    float *scratch = t->scratch + index * t->scratch_size;
    for (;;) {
        int32_t seen = atomic_load(&t->jobs.value), choice = atomic_load(&t->choices.value);
        if (index >= atomic_load(&t->kept)) return;
        if (index >= atomic_load(&t->taking_part)) {
            signal_wait(&t->choices, choice, SIGNAL_FOREVER);
            continue;
        }
        for (int c = claim(t); c >= 0; c = claim(t)) work_on(t, c, scratch);
        for (int i = 0; i < SPINS && atomic_load(&t->jobs.value) == seen;) i++;
        if (atomic_load(&t->jobs.value) != seen) continue;
        atomic_fetch_add(&t->asleep, 1);
        if (index < atomic_load(&t->kept)) signal_wait(&t->jobs, seen, SIGNAL_FOREVER);
        atomic_fetch_sub(&t->asleep, 1);
    }
}

/* Copies items (n, count, item) to their places in a result. V8's memcpy of shared memory moves one
 * word at a time. */
static void copy_rows(const struct threads_result *result, const float *from, size_t first,
                      size_t count) {
    size_t size = count * result->item;
    for (size_t i = 0; i < result->n; i++, from += size) {
        float *to = result->out + (i * result->width + first) * result->item;
        VECTOR4
        for (size_t j = 0; j < size; j++) to[j] = from[j];
    }
}

/* Computes a chunk as the caller: one row in place, several rows by a copy. */
static void compute(const struct threads *t, const struct job *job,
                    const struct threads_result *result, int c, float *scratch) {
    size_t count, first = items_of(job, c, &count);
    float *out = job->n == 1 ? result->out + first * job->item : t->own;
    job->part(job->task, out, first, count, scratch);
    if (job->n > 1) copy_rows(result, out, first, count);
}

/* Waits until every chunk is finished; false if no worker makes progress. */
static bool wait_for_workers(struct threads *t) {
    for (int i = 0; i < SPINS; i++)
        if (!atomic_load(&t->undone.value)) return true;
    atomic_store(&t->waiting, true);
    int32_t before = 0, undone;
    while ((undone = atomic_load(&t->undone.value)) != 0 && undone != before) {
        before = undone;
        signal_wait(&t->undone, undone, PATIENCE_MS);
    }
    atomic_store(&t->waiting, false);
    return undone == 0;
}

static int n_chunks_of(const struct job *job) {
    return (int)((job->end - job->first + job->step - 1) / job->step);
}

/* Copies the chunks that workers have finished since the last call. */
static void collect(struct threads *t, const struct threads_result *result, bool *have) {
    for (int c = 0; c < n_chunks_of(&t->job); c++) {
        size_t count, first = items_of(&t->job, c, &count);
        if (have[c] || !atomic_load(&t->done[c])) continue;
        copy_rows(result, place_of(t, first), first, count);
        have[c] = true;
    }
}

/* Computes the job's items with all threads. If a worker is given up, t->job never changes again,
 * because that worker may still read it. */
static void run_job(struct threads *t, const struct threads_result *result, float *scratch) {
    const struct job *job = &t->job;
    bool have[CHUNKS_MAX] = {false};
    int n_chunks = n_chunks_of(job);
    for (int c = 0; c < n_chunks; c++) atomic_store(&t->done[c], 0);
    atomic_store(&t->undone.value, n_chunks);
    atomic_store(&t->left, n_chunks);
    announce(t);
    for (int c = claim(t); c >= 0; c = claim(t)) {
        compute(t, job, result, c, scratch);
        have[c] = true;
        finish(t);
        collect(t, result, have);
    }
    t->given_up = !wait_for_workers(t);
    collect(t, result, have);
    for (int c = 0; c < n_chunks; c++)
        if (!have[c]) compute(t, job, result, c, scratch);
}

/* Returns the number of chunks for a result; 1 if it is not worth more. */
static size_t chunks_for(const struct threads *t, const struct threads_result *result) {
    size_t threads = threads_count(t), chunks = threads * CHUNKS_A_THREAD;
    if (threads == 1 || result->scratch > t->scratch_size) return 1;
    if (chunks > result->cost / t->least) chunks = (size_t)(result->cost / t->least);
    return chunks < CHUNKS_MAX ? chunks : CHUNKS_MAX;
}

void threads_split(struct threads *t, threads_part *part, const void *task, size_t task_size,
                   const struct threads_result *result, float *scratch) {
    size_t chunks = t ? chunks_for(t, result) : 1, unit = result->unit, width = result->width;
    size_t most = RESULT / (result->n * result->item * unit) * unit; /* items at once */
    if (chunks <= 1 || !most) {
        part(task, result->out, 0, width, scratch);
        return;
    }
    size_t shorter = width < most ? width : most, units = (shorter + unit - 1) / unit;
    struct job job = {part, {0}, result->n, result->item, 0, 0, 0};
    job.step = (units + chunks - 1) / chunks * unit;
    memcpy(job.task, task, task_size);
    for (; job.first < width; job.first = job.end) {
        job.end = width - job.first < most ? width : job.first + most;
        if (t->given_up) {
            for (int c = 0; c < n_chunks_of(&job); c++) compute(t, &job, result, c, scratch);
        } else {
            t->job = job;
            run_job(t, result, scratch);
        }
    }
}

struct product {
    const struct kernels *kernels;
    struct matrix w;
    const float *bias, *x;
    const struct quants *quants;
    size_t n;
};

/* Multiplies rows [first .. first + count) of w. */
static void multiply_rows(const void *task, float *out, size_t first, size_t count,
                          float *scratch) {
    const struct product *p = task;
    const struct kernels *kernels = p->kernels;
    const float *bias = p->bias ? p->bias + first : NULL;
    struct matrix rows = p->w;
    rows.data += matrix_bytes(rows.type, first, rows.cols);
    rows.rows = (uint32_t)count;
    (void)scratch;
    if (rows.type == GGUF_F32)
        kernels->matmul(out, &rows, bias, p->x, p->n);
    else
        kernels->matmul_quants(out, &rows, bias, p->quants, p->n, kernels->streams);
}

bool threads_multiply(const struct kernels *kernels, float *out, const struct matrix *w,
                      const float *bias, const float *x, const struct quants *quants, size_t n) {
    if (!kernels->threads) return false;
    struct product product = {kernels, *w, bias, x, quants, n};
    uint64_t cost = (uint64_t)n * w->rows * w->cols;
    struct threads_result result = {out, n, w->rows, 1, MATRIX_BLOCK, 0, cost};
    if (n == 1) result.unit *= kernels->streams;
    threads_split(kernels->threads, multiply_rows, &product, sizeof product, &result, NULL);
    return true;
}

#endif
