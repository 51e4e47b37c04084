/* Compares results that several threads compute with those of one, bit for bit: random splits, the
 * products of every format, and a worker that sleeps inside its part. `make tsan` runs the same
 * program under ThreadSanitizer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "kernels.h"
#include "sample.h"
#include "threads.h"

/* A caller's threads with their workers. */
struct crew {
    struct threads *threads;
    uint32_t n;
    pthread_t workers[THREADS_MAX];
    struct place {
        struct threads *threads;
        uint32_t index;
    } places[THREADS_MAX];
};

static void *work(void *place) {
    const struct place *p = place;
    threads_work(p->threads, p->index);
    return NULL;
}

static void crew_open(struct crew *crew, uint32_t n, size_t scratch) {
    crew->n = n;
    crew->threads = threads_open(n, scratch);
    for (uint32_t i = 1; i < n; i++) {
        crew->places[i] = (struct place){crew->threads, i};
        pthread_create(&crew->workers[i], NULL, work, &crew->places[i]);
    }
}

static void crew_close(struct crew *crew) {
    threads_keep(crew->threads, 1);
    for (uint32_t i = 1; i < crew->n; i++) pthread_join(crew->workers[i], NULL);
    CHECK(threads_count(crew->threads) == 1);
    threads_close(crew->threads);
}

enum { ITEM = 3 }; /* floats of an item */

/* A result. Row, column and seed decide its elements. */
struct task {
    size_t n;
    uint32_t seed;
};

static float element(uint32_t seed, size_t row, size_t column) {
    return (float)((seed + 2654435761u * (uint32_t)row + 40503u * (uint32_t)column) >> 8);
}

static void fill_part(const void *task, float *out, size_t first, size_t count, float *scratch) {
    const struct task *t = task;
    scratch[0] = (float)first; /* ThreadSanitizer sees a scratch that two threads share */
    for (size_t row = 0; row < t->n; row++)
        for (size_t i = 0; i < count * ITEM; i++)
            out[row * count * ITEM + i] = element(t->seed, row, first * ITEM + i);
}

static void check_split(struct threads *threads, size_t n, size_t width, size_t unit,
                        uint64_t cost) {
    float scratch[1];
    struct task task = {n, sample_below(UINT32_MAX)};
    float *out = malloc(n * width * ITEM * sizeof *out);
    struct threads_result result = {out, n, width, ITEM, unit, 1, cost};
    threads_split(threads, fill_part, &task, sizeof task, &result, scratch);
    bool same = true;
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < width * ITEM; i++)
            same = same && out[row * width * ITEM + i] == element(task.seed, row, i);
    CHECK_MESSAGE(same, "%zu rows, %zu items, unit %zu, cost %llu, %u threads", n, width, unit,
                  (unsigned long long)cost, threads_count(threads));
    free(out);
}

static void test_random_splits(void) {
    struct crew crew;
    size_t splits = check_all() ? 100000 : 10000, a_crew = splits / 10;
    for (size_t i = 0; i < splits; i++) {
        if (i % a_crew == 0) crew_open(&crew, 1 + (uint32_t)(i / a_crew) % 8, 1);
        threads_use(crew.threads, 1 + sample_below(crew.n));
        check_split(crew.threads, 1 + sample_below(5), 1 + sample_below(400), 1 + sample_below(40),
                    (uint64_t)sample_below(1 << 22));
        if (i % a_crew == a_crew - 1) crew_close(&crew);
    }
}

/* Results beyond the memory of one job, and one that is too wide for it. */
static void test_large_results(void) {
    struct crew crew;
    crew_open(&crew, 3, 1);
    check_split(crew.threads, 32, 20000, 16, 1 << 30);
    check_split(crew.threads, 1, 400001, 64, 1 << 30);
    check_split(crew.threads, 3000, 400, 100, 1 << 30);
    crew_close(&crew);
}

enum { COLS = 256, ROWS = 1000, TOKENS = 7 };

/* Fills packed weights with random bits. Scales and minima are below 2; other bits are free. */
static void fill_matrix(const struct matrix *m) {
    const struct format *f = format_of(m->type);
    size_t bytes = (size_t)matrix_bytes(m->type, m->rows, m->cols), step = f->half ? 2 : 4;
    for (size_t i = 0; i < bytes; i++) {
        m->data[i] = (uint8_t)sample_below(256);
        size_t at = m->type == GGUF_F32 ? i % 4 : i % format_packed_bytes(f);
        if (m->type == GGUF_F32 ? at == 3 : at < format_head_bytes(f) && at % step == step - 1)
            m->data[i] &= 0x3f;
    }
}

static void check_products(const struct kernels *alone, const struct kernels *together,
                           enum gguf_tensor_type type) {
    static float x[TOKENS * COLS], bias[ROWS], a[TOKENS * ROWS], b[TOKENS * ROWS];
    static struct quants quants[TOKENS * COLS / MATRIX_GROUP];
    struct matrix m = {type, NULL, 900 + sample_below(ROWS - 900), COLS};
    size_t bytes = (size_t)matrix_bytes(type, m.rows, COLS), size = m.rows * sizeof *a;
    m.data = aligned_alloc(64, bytes);
    fill_matrix(&m);
    for (size_t i = 0; i < TOKENS * COLS; i++) x[i] = (float)(sample_uniform() - 0.5);
    for (size_t i = 0; i < ROWS; i++) bias[i] = (float)sample_uniform();
    for (size_t n = 1; n <= TOKENS; n += 3) {
        alone->quantise(quants, x, COLS, n);
        if (type == GGUF_F32)
            alone->matmul(a, &m, bias, x, n);
        else
            alone->matmul_quants(a, &m, bias, quants, n, 1);
        CHECK(threads_multiply(together, b, &m, bias, x, quants, n));
        CHECK_MESSAGE(memcmp(a, b, n * size) == 0, "type %d, %u rows, n %zu", type, m.rows, n);
    }
    free(m.data);
}

static void test_products(void) {
    struct crew crew;
    crew_open(&crew, 3, 1);
    for (size_t streams = 1; streams <= KERNELS_STREAMS_MAX; streams++) {
        struct kernels together = kernels_simd;
        together.threads = crew.threads;
        together.streams = streams;
        for (uint32_t type = 0; type < FORMAT_COUNT; type++)
            if (type == GGUF_F32 || format_of(type)->values > 1)
                check_products(&kernels_simd, &together, type);
        CHECK(!threads_multiply(&kernels_simd, NULL, NULL, NULL, NULL, NULL, 1));
    }
    crew_close(&crew);
}

enum { STALLED = 3 * 640 * ITEM };

/* Worker 1 sleeps inside its first chunk until the test lets it go. */
static atomic_bool released, asleep;

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

struct stalled {
    pthread_t caller;
    struct task task;
};

static void stall_part(const void *task, float *out, size_t first, size_t count, float *scratch) {
    const struct stalled *s = task;
    if (!pthread_equal(pthread_self(), s->caller)) {
        atomic_store(&asleep, true);
        while (!atomic_load(&released)) pause_ms(1);
    } else {
        for (int i = 0; i < 1000 && !atomic_load(&asleep); i++) pause_ms(1);
    }
    fill_part(&s->task, out, first, count, scratch);
}

/* The result is right without the worker, and stays right when the worker writes at last. */
static void test_worker_given_up(void) {
    struct crew crew;
    float scratch[1], *out = malloc(STALLED * sizeof *out), *copy = malloc(STALLED * sizeof *out);
    struct threads_result result = {out, 3, 640, ITEM, 16, 1, 1 << 22};
    crew_open(&crew, 2, 1);
    struct stalled stalled = {pthread_self(), {3, 77}};
    threads_split(crew.threads, stall_part, &stalled, sizeof stalled, &result, scratch);
    CHECK(atomic_load(&asleep) && threads_count(crew.threads) == 1);
    for (size_t i = 0; i < 640; i++) CHECK(out[640 * ITEM + i] == element(77, 1, i));
    stalled.task.seed = 78;
    threads_split(crew.threads, stall_part, &stalled, sizeof stalled, &result, scratch);
    memcpy(copy, out, STALLED * sizeof *out);
    atomic_store(&released, true);
    crew_close(&crew);
    CHECK(out[5] == element(78, 0, 5) && memcmp(copy, out, STALLED * sizeof *out) == 0);
    free(out);
    free(copy);
}

int main(void) {
    TEST(test_random_splits);
    TEST(test_large_results);
    TEST(test_products);
    TEST(test_worker_given_up);
    return check_report();
}
