/* Compares our elementary functions with the C library's, which compute in float64. Also tests the
 * sum of exponentials. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "draw.h"
#include "elementary.h"
#include "fault_line.h"
#include "measure.h"
#include "status.h"

static double ulp_error(float got, double want) {
    float nearest = (float)want;
    double ulp = (double)(nextafterf(fabsf(nearest), INFINITY) - fabsf(nearest));
    return fabs((double)got - want) / ulp;
}

static void exp_within_its_bound(void) {
    double worst = 0;
    for (int i = -873000; i <= 882990; i += 7) {
        float x = (float)i * 1e-4f;
        double error = ulp_error(elementary_exp(x), exp((double)x));
        if (error > worst) worst = error;
    }
    CHECK_MESSAGE(worst <= 1.5, "worst error %g ulp", worst);
}

static void exp_at_the_edges(void) {
    CHECK(elementary_exp(0.0f) == 1.0f);
    CHECK(elementary_exp(-0.0f) == 1.0f);
    CHECK(elementary_exp(-INFINITY) == 0.0f);
    CHECK(elementary_exp(-90.0f) == 0.0f);
    CHECK(elementary_exp(INFINITY) == INFINITY);
    CHECK(isnan(elementary_exp(NAN)));
}

/* exp must never decrease over the range of nonzero weights: a token must not weigh more than a
 * better token. */
static void exp_never_falls(void) {
    float last = 0;
    int falls = 0;
    for (float x = -31.0f; x <= 0.0f; x = nextafterf(x, 1.0f)) {
        float y = elementary_exp(x);
        if (y < last) falls++;
        last = y;
        /* Trying every float near 0 would take minutes, so larger steps follow. */
        if (x > -1.0f) x += 1e-6f;
    }
    CHECK_MESSAGE(falls == 0, "%d falls", falls);
    CHECK(last <= 1.0f);
}

static void tanh_within_its_bound(void) {
    double worst = 0;
    int odd = 1;
    for (int i = -2500000; i <= 2500000; i += 11) {
        float x = (float)i * 1e-5f;
        if (i == 0) continue;
        double error = ulp_error(elementary_tanh(x), tanh((double)x));
        if (error > worst) worst = error;
        if (elementary_tanh(-x) != -elementary_tanh(x)) odd = 0;
    }
    CHECK_MESSAGE(worst <= 3.0, "worst error %g ulp", worst);
    CHECK(odd);
    CHECK(elementary_tanh(INFINITY) == 1.0f && elementary_tanh(-INFINITY) == -1.0f);
    CHECK(isnan(elementary_tanh(NAN)));
}

static void tail_within_its_bounds(void) {
    double worst = 0, relative = 0;
    for (int i = 0; i <= 2000000; i += 7) {
        float x = (float)i * 1e-5f;
        double wanted = erfc((double)x / sqrt(2)) / 2;
        double error = fabs((double)elementary_tail(x) - wanted);
        if (error > worst) worst = error;
        if (x <= 3 && error / wanted > relative) relative = error / wanted;
    }
    CHECK_MESSAGE(worst <= 2e-7 && relative <= 1e-6, "worst error %g, %g", worst, relative);
    CHECK(isnan(elementary_tail(NAN)));
}

static void log_and_exp64(void) {
    double worst_log = 0, worst_exp = 0;
    for (double x = 1e-320; x < 1e300; x *= 1.37) {
        double error = fabs(elementary_log(x) - log(x)) / fmax(fabs(log(x)), 1e-3);
        if (error > worst_log) worst_log = error;
    }
    for (double x = 0.5; x < 2.0; x += 1.7e-5) {
        double error = fabs(elementary_log(x) - log(x)) / fmax(fabs(log(x)), 1e-300);
        if (x != 1.0 && error > worst_log) worst_log = error;
    }
    for (double x = -700; x < 700; x += 0.0137) {
        double error = fabs(elementary_exp64(x) / exp(x) - 1);
        if (error > worst_exp) worst_exp = error;
    }
    CHECK_MESSAGE(worst_log < 4e-16, "log: %g", worst_log);
    CHECK_MESSAGE(worst_exp < 6e-16, "exp: %g", worst_exp);
    CHECK(elementary_log(1.0) == 0.0);
    CHECK(elementary_log(0.0) == -(double)INFINITY);
    CHECK(isnan(elementary_log(-1.0)) && isnan(elementary_log((double)NAN)));
}

static void sine_and_cosine(void) {
    double worst = 0;
    for (double x = -1e6; x <= 1e6; x += 17.31) {
        double error = fmax(fabs(elementary_sin(x) - sin(x)), fabs(elementary_cos(x) - cos(x)));
        if (error > worst) worst = error;
    }
    for (double x = -10; x <= 10; x += 1.3e-4) {
        double error = fmax(fabs(elementary_sin(x) - sin(x)), fabs(elementary_cos(x) - cos(x)));
        if (error > worst) worst = error;
    }
    CHECK_MESSAGE(worst < 1e-15, "worst error %g", worst);
    CHECK(elementary_sin(0.0) == 0.0 && elementary_cos(0.0) == 1.0);
}

static void faults_keep_their_values(void) {
    struct fault fault;
    CHECK(fault_set(&fault, STATUS_BAD_FILE, "key", "text:s whole:u number:f phrase:k", "a\nb",
                    (uint64_t)1 << 40, 1.5, "phrase") == STATUS_BAD_FILE);
    CHECK(strcmp(fault_line(&fault), "key a?b 1099511627776 1.5 phrase") == 0);
    CHECK(fault.n_values == 4 && fault.values[0].kind == FAULT_TEXT);
    CHECK(fault.values[1].kind == FAULT_NUMBER && fault.values[2].kind == FAULT_NUMBER);
    fault_set(&fault, STATUS_BAD_FILE, "key", "phrase:k none:s whole:u", "phrase", NULL,
              UINT64_MAX);
    CHECK(strcmp(fault_line(&fault), "key phrase 18446744073709551615") == 0);
    CHECK(fault.n_values == 3 && fault.values[1].kind == FAULT_NONE);
    char text[FAULT_TEXT_MAX + 3] = {0};
    memset(text, 'x', sizeof text - 1);
    fault_set(&fault, STATUS_BAD_FILE, "key", "text:s", text);
    CHECK(strlen(fault.values[0].text) == FAULT_TEXT_MAX);
    CHECK(fault_set(NULL, STATUS_EMPTY, "x", "") == STATUS_EMPTY);
    CHECK(strcmp(status_name(STATUS_TOO_LONG), "too_long") == 0);
}

/* The sum with vector words must equal a plain sum in order of ids, for every length and with
 * removed tokens. */
static void log_sum_as_written_out(void) {
    float logits[67];
    uint64_t state = 5;
    for (int i = 0; i < 20000; i++) {
        size_t n = 1 + (size_t)i % 67;
        for (size_t j = 0; j < n; j++) {
            uint64_t random = splitmix64(state++);
            logits[j] = (float)(int64_t)(random >> 40) * 1e-5f - 84;
            if (j && random % 8 == 0) logits[j] = -INFINITY;
        }
        float max = logits[0], found;
        double sum = 0, got = measure_log_sum(logits, n, &found);
        for (size_t j = 1; j < n; j++) max = logits[j] > max ? logits[j] : max;
        for (size_t j = 0; j < n; j++) sum += (double)elementary_exp(logits[j] - max);
        CHECK(found == max);
        CHECK_MESSAGE(got == elementary_log(sum), "n = %zu: %a, not %a", n, got,
                      elementary_log(sum));
    }
}

int main(void) {
    TEST(exp_within_its_bound);
    TEST(exp_at_the_edges);
    TEST(exp_never_falls);
    TEST(tanh_within_its_bound);
    TEST(tail_within_its_bounds);
    TEST(log_and_exp64);
    TEST(log_sum_as_written_out);
    TEST(sine_and_cosine);
    TEST(faults_keep_their_values);
    return check_report();
}
