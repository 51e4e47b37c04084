/* Used by all fuzz targets in C: reads numbers from an input and counts failed checks. Each target
 * is a function LLVMFuzzerTestOneInput, which tests/native/test_corpus.c also calls with stored
 * inputs. */
#ifndef LOGITSCOPE_FUZZ_H
#define LOGITSCOPE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "fault_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The part of an input that is not read yet. After its end, every byte reads as 0. */
struct input {
    const uint8_t *data;
    size_t size;
};

static inline void take_bytes(struct input *input, void *out, size_t n) {
    size_t taken = n < input->size ? n : input->size;
    memset(out, 0, n);
    if (taken) memcpy(out, input->data, taken);
    input->data += taken;
    input->size -= taken;
}

static inline uint8_t take_u8(struct input *input) {
    uint8_t n;
    take_bytes(input, &n, sizeof n);
    return n;
}

static inline uint32_t take_u32(struct input *input) {
    uint32_t n;
    take_bytes(input, &n, sizeof n);
    return n;
}

/* Returns a number below n, or 0 if n is 0. If n is at most 256, it reads a single byte. */
static inline uint32_t take_below(struct input *input, uint32_t n) {
    return n > 256 ? take_u32(input) % n : n ? take_u8(input) % n : 0;
}

/* Returns a random double: any bits, or one of a list of special values. */
static inline double take_double(struct input *input) {
    static const double odd[] = {0,    -0.0,  1,      0.5,   2,    -1,      1e-300, 5e-324,
                                 1e30, 1e300, 0x1p53, 1e-20, 0.95, 1.0 / 3, 40,     -1e30};
    uint32_t kind = take_u8(input);
    double x;
    if (kind < 64) return odd[kind % 16];
    if (kind < 160) return take_u8(input) / 255.0;
    if (kind < 224) return take_u8(input);
    take_bytes(input, &x, sizeof x);
    return x;
}

/* Returns the number of failed checks when stored inputs are replayed. Under a fuzzer, a failed
 * check has already aborted the program. */
static inline int fuzz_end(void) {
    int broken = check_broken;
    check_broken = 0;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    if (broken) abort();
#endif
    return broken;
}

/* A hostile file may state a size beyond all memory. malloc must then return NULL instead of
 * aborting. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

#endif
