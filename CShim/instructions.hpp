// How kernels are compiled for more than one instruction set.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CLEANPLATE_SANITIZES_THREADS
#endif
#endif

/// Compiles a function for several instruction sets, the best of which is picked when the program starts: before the
/// thread sanitizer is ready for the functions that pick, which are left out of its builds.
#if defined(__x86_64__) && !defined(CLEANPLATE_SANITIZES_THREADS)
#define CLEANPLATE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLEANPLATE_CLONES
#endif

/// What is called by functions that carry the name of an instruction set must be inlined there to be compiled for it.
#define CS_INLINE [[gnu::always_inline]] inline
