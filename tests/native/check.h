/* The harness of a test program: TEST runs a test function, a failed CHECK prints its file and
 * line, and the last line is "N passed, N failed". */
#ifndef LOGITSCOPE_CHECK_H
#define LOGITSCOPE_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_passed, check_failed, check_broken;

#define CHECK(condition) CHECK_MESSAGE(condition, "%s", #condition)

/* Prints at most five failures of a test; any failure fails the test. */
#define CHECK_MESSAGE(condition, ...)              \
    do {                                           \
        if (!(condition) && check_broken++ < 5) {  \
            printf("%s:%d: ", __FILE__, __LINE__); \
            printf(__VA_ARGS__);                   \
            printf("\n");                          \
        }                                          \
    } while (0)

#define TEST(function)                                           \
    do {                                                         \
        check_broken = 0;                                        \
        function();                                              \
        if (check_broken) {                                      \
            check_failed++;                                      \
            printf("FAILED " #function " (%d)\n", check_broken); \
        } else {                                                 \
            check_passed++;                                      \
        }                                                        \
    } while (0)

/* True in `make test-long`, which tries all cases; otherwise tests try a sample. */
static inline bool check_all(void) {
    const char *asked = getenv("LONG");
    return asked && strcmp(asked, "1") == 0;
}

/* Returns the step through many cases: 1 if all cases are tried, else `sample`. */
static inline size_t check_step(size_t sample) { return check_all() ? 1 : sample; }

static inline int check_report(void) {
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed != 0;
}

#endif
