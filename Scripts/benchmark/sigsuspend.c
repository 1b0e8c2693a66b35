// Makes valgrind before 3.20 run programs with libdispatch: it writes into the mask that is handed to sigsuspend, and
// libdispatch's lies in memory that is only read. Loaded by Scripts/benchmark/instructions.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t own = *mask;
  int (*next)(const sigset_t *) = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
  return next(&own);
}
