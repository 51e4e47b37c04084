/* A number on which threads sleep until it changes: by memory.atomic.wait32 in WebAssembly, by a
 * lock and a condition of POSIX elsewhere. Only threads.c uses it. */
#ifndef LOGITSCOPE_SIGNAL_H
#define LOGITSCOPE_SIGNAL_H

#include <stdatomic.h>
#include <stdint.h>

#ifndef __wasm__
#include <pthread.h>
#include <time.h>
#endif

enum { SIGNAL_FOREVER = -1 };

struct signal {
    _Alignas(64) _Atomic int32_t value;
#ifndef __wasm__
    pthread_mutex_t lock;
    pthread_cond_t changed;
#endif
};

#ifdef __wasm__

static inline void signal_open(struct signal *s) { atomic_store(&s->value, 0); }
static inline void signal_close(struct signal *s) { (void)s; }

/* Sleeps while the value is `seen`, at most `ms` milliseconds. */
static inline void signal_wait(struct signal *s, int32_t seen, int64_t ms) {
    __builtin_wasm_memory_atomic_wait32((int32_t *)&s->value, seen, ms < 0 ? -1 : ms * 1000000);
}

/* Wakes all sleepers. The caller has changed the value. */
static inline void signal_wake(struct signal *s) {
    __builtin_wasm_memory_atomic_notify((int32_t *)&s->value, UINT32_MAX);
}

#else

static inline void signal_open(struct signal *s) {
    atomic_store(&s->value, 0);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
}

static inline void signal_close(struct signal *s) {
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
}

static inline void signal_wait(struct signal *s, int32_t seen, int64_t ms) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&s->lock);
    for (int late = 0; atomic_load(&s->value) == seen && !late;)
        late = ms < 0 ? pthread_cond_wait(&s->changed, &s->lock)
                      : pthread_cond_timedwait(&s->changed, &s->lock, &until);
    pthread_mutex_unlock(&s->lock);
}

static inline void signal_wake(struct signal *s) {
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

#endif

#endif
