// Stands between a program and the calls by which it changes files, as a library that LD_PRELOAD names. Each call of the
// table below is counted, and the n-th is met by what the environment says:
//
//   FAULTS_LOG=FILE        every call is written there, a line each
//   FAULTS_KILL=n          the process is killed before it
//   FAULTS_FAIL=n:ENOSPC   it fails with this error, and so does every later one that can: a disk that is full from then
//                          on, or read-only (EROFS)
//
// So every place is found at which files change, whether the program has marked it (base/crash_point.h) or not.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// What a call needs of a disk.
enum class Needs {
  space,   // a full disk refuses it, and a read-only one
  change,  // a read-only disk refuses it
};

struct Faults {
  long kill = 0, fail = 0;
  int error = 0;
  const char* log = nullptr;
};

Faults faults_of_the_environment() {
  Faults faults{};
  if (const char* text = std::getenv("FAULTS_KILL")) faults.kill = std::atol(text);
  if (const char* text = std::getenv("FAULTS_FAIL")) {
    faults.fail = std::atol(text);
    faults.error = std::strstr(text, "ENOSPC") != nullptr ? ENOSPC : EROFS;
  }
  faults.log = std::getenv("FAULTS_LOG");
  return faults;
}

template <class Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void append(const char* log, const std::string& line) {
  static const auto open_file = original<int (*)(const char*, int, ...)>("open");
  static const auto write_bytes = original<ssize_t (*)(int, const void*, size_t)>("write");
  const int descriptor = open_file(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t written = write_bytes(descriptor, line.data(), line.size());
  close(descriptor);
}

// Returns whether the call fails, and sets errno then.
bool meets_fault(const char* call, Needs needs) {
  static const Faults faults = faults_of_the_environment();
  static std::atomic<long> passed{0};
  const long number = ++passed;
  if (faults.log != nullptr) append(faults.log, std::string(call) + "\n");
  if (number == faults.kill) kill(getpid(), SIGKILL);
  const bool can_fail = needs == Needs::space || faults.error == EROFS;
  if (faults.fail == 0 || number < faults.fail || !can_fail) return false;
  errno = faults.error;
  return true;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool creates(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }

mode_t mode_in(int flags, va_list& arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

#define FAULTS_CALL(needs, name, parameters, ...)                \
  extern "C" int name parameters {                               \
    if (meets_fault(#name, Needs::needs)) return -1;             \
    static const auto call = original<int(*) parameters>(#name); \
    return call(__VA_ARGS__);                                    \
  }

FAULTS_CALL(change, rename, (const char* from, const char* to), from, to)
FAULTS_CALL(change, unlink, (const char* path), path)
FAULTS_CALL(change, unlinkat, (int folder, const char* path, int flags), folder, path, flags)
FAULTS_CALL(change, remove, (const char* path), path)
FAULTS_CALL(change, rmdir, (const char* path), path)
FAULTS_CALL(change, ftruncate, (int descriptor, off_t size), descriptor, size)
FAULTS_CALL(space, mkdir, (const char* path, mode_t mode), path, mode)
FAULTS_CALL(space, fsync, (int descriptor), descriptor)
FAULTS_CALL(space, fdatasync, (int descriptor), descriptor)

extern "C" ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto call = original<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_regular(descriptor) && meets_fault("write", Needs::space)) return -1;
  return call(descriptor, bytes, count);
}

extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  static const auto call = original<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (is_regular(descriptor) && meets_fault("pwrite", Needs::space)) return -1;
  return call(descriptor, bytes, count, offset);
}

extern "C" int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  static const auto call = original<int (*)(const char*, int, ...)>("open");
  if (creates(flags) && meets_fault("open", Needs::space)) return -1;
  return call(path, flags, mode);
}

// renameat2 has no function of its own in older libraries.
extern "C" long syscall(long number, ...) noexcept {
  long words[6];
  va_list arguments;
  va_start(arguments, number);
  for (long& word : words) word = va_arg(arguments, long);
  va_end(arguments);
  static const auto call = original<long (*)(long, ...)>("syscall");
  if (number == SYS_renameat2 && meets_fault("renameat2", Needs::change)) return -1;
  return call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
