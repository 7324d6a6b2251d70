/* Preloaded into a component: writes and syncs of regular files are late by the microseconds that stand,
   as a 32-bit integer, at the beginning of the file SLOW_DISK_FILE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int32_t *late_us;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("SLOW_DISK_FILE");
  if (path == NULL) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(int32_t), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) late_us = mapped;
}

static void be_late(int fd, int parts) {
  if (late_us == NULL || *late_us <= 0) return;
  struct stat found;
  int kept = errno;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) {
    int64_t ns = (int64_t)*late_us * 1000 / parts;
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }
  errno = kept;
}

#define REAL(name) ({ static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

/* A sync takes the whole time, a write a twentieth of it. */
int fsync(int fd) { be_late(fd, 1); return REAL(fsync)(fd); }
int fdatasync(int fd) { be_late(fd, 1); return REAL(fdatasync)(fd); }
ssize_t write(int fd, const void *data, size_t size) { be_late(fd, 20); return REAL(write)(fd, data, size); }
ssize_t writev(int fd, const struct iovec *parts, int count) { be_late(fd, 20); return REAL(writev)(fd, parts, count); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { be_late(fd, 20); return REAL(pwrite)(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { be_late(fd, 20); return REAL(pwrite64)(fd, data, size, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { be_late(fd, 20); return REAL(pwritev)(fd, parts, count, at); }
