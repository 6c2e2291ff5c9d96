#include "base/output/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/crash_point.h"
#include "base/output/place.h"
#include "base/standard_streams.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

// In a folder that several users may write to, the file of another user can only be opened for reading, which
// is enough to lock it.
int open_lock(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0 && errno == EACCES) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) errno = EACCES;
  }
  return above_standard_streams(descriptor);
}

// The owner writes its name just after it has locked the file.
std::string owner_in(int descriptor) {
  std::array<char, 400> text{};
  ssize_t count = 0;
  for (int tries = 0; tries < 20 && count <= 0; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    count = ::pread(descriptor, text.data(), text.size(), 0);
  }
  return count <= 0 ? "" : fmt::format(" ({})", std::string(text.data(), static_cast<std::size_t>(count)));
}

void write_owner(int descriptor) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {};
  const std::string text = fmt::format("process {} on {}", ::getpid(), host.data());
  // The text is for a person who reads a message, and the lock holds without it.
  [[maybe_unused]] const bool is_written =
      ::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) > 0;
}

}  // namespace

bool has_name(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

Lock::Lock(const fs::path& folder)
    : path_((folder.parent_path() / fmt::format(".{}.lock", folder.filename().string())).string()) {
  while (!take(folder)) ::close(descriptor_);
  crash_point("the folder is locked");
}

// False if the file was removed by its last owner before this process locked it.
bool Lock::take(const fs::path& folder) {
  descriptor_ = open_lock(path_);
  if (descriptor_ < 0) refuse_place(folder, std::error_code(errno, std::generic_category()));
  int error = 0;
  while ((error = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno) == EINTR) {
  }
  if (error == EWOULDBLOCK) {
    const std::string owner = owner_in(descriptor_);
    ::close(descriptor_);
    throw InputError(fmt::format("another run{} is writing to \"{}\"", owner, folder.string()),
                     "wait until it ends, or choose another folder with --out");
  }
  is_exclusive_ = error == 0;
  if (!is_exclusive_) return true;
  if (!has_name(descriptor_, path_)) return false;
  write_owner(descriptor_);
  return true;
}

Lock::~Lock() {
  // The name goes while the lock is held, so that no other process locks a file that has no name.
  if (is_exclusive_ && has_name(descriptor_, path_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace wt::output
