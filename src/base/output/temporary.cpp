#include "base/output/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/output/lock.h"
#include "base/standard_streams.h"

namespace wt::output {

namespace {

namespace fs = std::filesystem;

constexpr int most_attempts = 1000;

// Whether a name is that of a temporary file for `file`, whichever process made it.
bool is_temporary(const std::string& name, const std::string& file) {
  const std::string before = fmt::format(".{}.", file);
  constexpr std::string_view behind = ".tmp";
  if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
    return false;
  const std::string_view numbers =
      std::string_view(name).substr(before.size(), name.size() - before.size() - behind.size());
  return std::ranges::all_of(numbers,
                             [](char letter) { return letter == '-' || (letter >= '0' && letter <= '9'); });
}

void remove_unless_locked(const std::string& path) {
  const int descriptor = above_standard_streams(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && has_name(descriptor, path)) ::unlink(path.c_str());
  ::close(descriptor);
}

void remove_leftovers(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_temporary(entry->path().filename().string(), file.filename().string()))
      remove_unless_locked(entry->path().string());
}

// Another process may take the file for a leftover, and remove it, between the two calls.
int open_and_lock(const std::string& path) {
  const int descriptor =
      above_standard_streams(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor < 0) return descriptor;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || has_name(descriptor, path)) return descriptor;
  ::close(descriptor);
  errno = EEXIST;
  return -1;
}

}  // namespace

Temporary make_temporary(const fs::path& file) {
  remove_leftovers(file);
  for (int attempt = 0;; ++attempt) {
    const std::string name = fmt::format(".{}.{}-{}.tmp", file.filename().string(), ::getpid(), attempt);
    Temporary made{.path = (file.parent_path() / name).string()};
    made.descriptor = open_and_lock(made.path);
    if (made.descriptor >= 0 || errno != EEXIST || attempt == most_attempts) return made;
  }
}

}  // namespace wt::output
