#pragma once

#include <filesystem>
#include <string>

namespace wt::output {

// The right to write one folder of results, whether the folder exists or not. It is a lock, as of flock(2), on
// a file `.<name>.lock` beside the folder. The operating system releases the lock when the process ends,
// however it ends, so nothing depends on the number of a process: a restarted container gives the same numbers
// again. The file is removed at the end; where a killed process left it, the next one locks it again.
class Lock {
 public:
  // Requires: `folder` is as whole() returns it, and its parent exists. Throws InputError if another process
  // holds the lock, or if the file cannot be created.
  explicit Lock(const std::filesystem::path& folder);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // False where the file system has no locks. Then only its age says whether another process's folder is in
  // use.
  bool is_exclusive() const { return is_exclusive_; }

 private:
  bool take(const std::filesystem::path& folder);

  std::string path_;
  int descriptor_ = -1;
  bool is_exclusive_ = false;
};

// Whether a file that is open still has this name. Where it was removed or replaced since, a lock on it guards nothing.
bool has_name(int descriptor, const std::string& path);

}  // namespace wt::output
