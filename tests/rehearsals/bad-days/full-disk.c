/* Preloaded into a component: while the file FULL_DISK_FILE begins with "1", what would be written to a regular
   file below FULL_DISK_DIR is refused as on a disk without room. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile const char *full;
static const char *dir;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("FULL_DISK_FILE");
  dir = getenv("FULL_DISK_DIR");
  if (path == NULL || dir == NULL) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) full = mapped;
}

static int refused(int fd) {
  if (full == NULL || *full != '1') return 0;
  char link[64], target[4096];
  int kept = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, target, sizeof target);
  errno = kept;
  size_t prefix = strlen(dir);
  if (length < (ssize_t)prefix || strncmp(target, dir, prefix) != 0) return 0;
  errno = ENOSPC;
  return 1;
}

#define REAL(name) ({ static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

ssize_t write(int fd, const void *data, size_t size) { return refused(fd) ? -1 : REAL(write)(fd, data, size); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return refused(fd) ? -1 : REAL(writev)(fd, parts, count); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return refused(fd) ? -1 : REAL(pwrite)(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return refused(fd) ? -1 : REAL(pwrite64)(fd, data, size, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return refused(fd) ? -1 : REAL(pwritev)(fd, parts, count, at); }
int ftruncate64(int fd, off64_t size) { return refused(fd) ? -1 : REAL(ftruncate64)(fd, size); }
