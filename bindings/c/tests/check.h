/* Checks of the tests, in C and C++. A test ends with `return check_result();`. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_failures = 0;
static int check_count = 0;

#define CHECK(condition)                                                          \
    do {                                                                          \
        ++check_count;                                                            \
        if (!(condition)) {                                                       \
            ++check_failures;                                                     \
            printf("%s:%d: failed: %s (last message: %s)\n", __FILE__, __LINE__, #condition, armdyn_error_message()); \
        }                                                                         \
    } while (0)

/* Numbers that agree within a tolerance relative to `scale`. */
#define CHECK_CLOSE(found, expected, scale, tolerance)                                                             \
    do {                                                                                                           \
        const double check_found = (found), check_expected = (expected);                                           \
        ++check_count;                                                                                             \
        if (!(fabs(check_found - check_expected) <= (tolerance) * (scale))) {                                      \
            ++check_failures;                                                                                      \
            printf("%s:%d: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #found, check_found, check_expected); \
        }                                                                                                          \
    } while (0)

static inline int check_result(void) {
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures == 0 && check_count > 0 ? 0 : 1;
}

#endif
