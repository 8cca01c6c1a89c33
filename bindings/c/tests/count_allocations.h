/* Counts every malloc, calloc, realloc and aligned allocation of the process, the library's included. For programs on Linux with glibc:
 * their definitions take precedence over those of libc. Include it in one file of a program. */
#ifndef COUNT_ALLOCATIONS_H
#define COUNT_ALLOCATIONS_H

#include <errno.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define NOEXCEPT noexcept
#else
#define NOEXCEPT
#endif

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static size_t allocations = 0, releases = 0;

static inline void count_allocation(void) { __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) NOEXCEPT { return count_allocation(), __libc_malloc(size); }
void *calloc(size_t count, size_t size) NOEXCEPT { return count_allocation(), __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) NOEXCEPT { return count_allocation(), __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) NOEXCEPT { return count_allocation(), __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) NOEXCEPT { return count_allocation(), __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) NOEXCEPT {
    count_allocation();
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}
void free(void *memory) NOEXCEPT {
    if (memory != NULL) __atomic_add_fetch(&releases, 1, __ATOMIC_RELAXED);
    __libc_free(memory);
}

#ifdef __cplusplus
}
#endif

#endif
