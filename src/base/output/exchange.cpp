#include "base/output/exchange.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/crash_point.h"
#include "base/output/place.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

constexpr unsigned exchange_names = 2;  // RENAME_EXCHANGE of linux/fs.h

// Returns 0 or an error number. WINDTUNNEL_NO_EXCHANGE stands for a file system that lacks the step.
int exchange_in_one_step(const fs::path& left, const fs::path& right) {
  if (std::getenv("WINDTUNNEL_NO_EXCHANGE") != nullptr) return ENOSYS;
  const long done = ::syscall(SYS_renameat2, AT_FDCWD, left.c_str(), AT_FDCWD, right.c_str(), exchange_names);
  return done == 0 ? 0 : errno;
}

void exchange_in_three_steps(const fs::path& left, const fs::path& right, const fs::path& spare) {
  std::error_code error, ignored;
  fs::rename(left, spare, error);
  if (error) fail_to_write(left, error);
  crash_point("the old folder has the spare name");
  fs::rename(right, left, error);
  if (error) {
    fs::rename(spare, left, ignored);
    fail_to_write(left, error);
  }
  crash_point("the new folder is in place, and the old one has the spare name");
  fs::rename(spare, right, ignored);
}

}  // namespace

void exchange(const fs::path& left, const fs::path& right, const fs::path& spare) {
  const int error = exchange_in_one_step(left, right);
  if (error == 0) return;
  if (error != EINVAL && error != ENOSYS && error != ENOTSUP && error != EOPNOTSUPP)
    fail_to_write(left, std::error_code(error, std::generic_category()));
  exchange_in_three_steps(left, right, spare);
}

void settle_exchange(const fs::path& left, const fs::path& right, const fs::path& spare) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(spare, error))) return;
  if (!fs::exists(fs::symlink_status(left, error)))
    fs::rename(spare, left, error);
  else if (!right.empty() && !fs::exists(fs::symlink_status(right, error)))
    fs::rename(spare, right, error);
  if (error) fail_to_write(spare, error);
}

}  // namespace wt::output
