/* Preloaded into Redis: moves the time of day by the ms that stand in the file $HOLDFAST_CLOCK. Only the time of day:
   CLOCK_MONOTONIC stays as it is. The file is mapped, so a step needs no signal and reading it no call of the kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("HOLDFAST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    void *page = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) ahead = page;
    close(file);
  }
  real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  /* Without `real` the constructor has not run yet. */
  int failed = real ? real(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
  if (failed || !ahead || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t ms = *ahead, ns = time->tv_nsec + ms % 1000 * 1000000;
  time->tv_sec += ms / 1000;
  if (ns < 0) ns += 1000000000, time->tv_sec--;
  if (ns >= 1000000000) ns -= 1000000000, time->tv_sec++;
  time->tv_nsec = ns;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (time) *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
