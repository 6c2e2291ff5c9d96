#include "base/output/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace wt::output {
namespace {

namespace fs = std::filesystem;

constexpr std::array faults_of_the_place{
    std::errc::permission_denied, std::errc::operation_not_permitted,       std::errc::read_only_file_system,
    std::errc::not_a_directory,   std::errc::no_such_file_or_directory,     std::errc::filename_too_long,
    std::errc::is_a_directory,    std::errc::too_many_symbolic_link_levels, std::errc::invalid_argument,
    std::errc::file_exists};

bool is_mount_point(const fs::path& folder) {
#if defined(STATX_ATTR_MOUNT_ROOT)
  struct statx status {};
  if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_BASIC_STATS, &status) == 0 &&
      (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#endif
  struct stat inside {
  }, outside{};
  return ::stat(folder.c_str(), &inside) == 0 && ::stat(folder.parent_path().c_str(), &outside) == 0 &&
         inside.st_dev != outside.st_dev;
}

}  // namespace

fs::path whole(const fs::path& wanted) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(wanted), error);
  if (error) refuse_place(wanted, error);
  return path.has_filename() ? path : path.parent_path();
}

void refuse_place(const fs::path& path, const std::error_code& error, std::string_view remedy) {
  const bool is_correctable =
      std::ranges::any_of(faults_of_the_place, [&](std::errc fault) { return error == fault; });
  if (!is_correctable) fail_to_write(path, error);
  throw InputError(fmt::format("cannot write \"{}\": {}", path.string(), error.message()),
                   std::string(remedy));
}

void fail_to_write(const fs::path& path, const std::error_code& error) {
  throw MachineError("write", fmt::format("{}: {}", path.string(), error.message()));
}

std::error_code error_of_writing(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return std::make_error_code(S_ISDIR(status.st_mode) ? std::errc::is_a_directory
                                                        : std::errc::invalid_argument);
  // The name that an OutputFile has until it is complete.
  const fs::path probe =
      file.parent_path() / fmt::format(".{}.{}-0.tmp", file.filename().string(), ::getpid());
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return {errno, std::generic_category()};
  ::close(descriptor);
  ::unlink(probe.c_str());
  return {};
}

void require_writable(const fs::path& file, std::string_view option) {
  if (const std::error_code error = error_of_writing(file))
    refuse_place(file, error, fmt::format("name another file with {}", option));
}

void refuse_mount_point(const fs::path& folder) {
  if (!is_mount_point(folder)) return;
  throw InputError(fmt::format("\"{}\" is where a file system is mounted, so it cannot be replaced whole",
                               folder.string()),
                   fmt::format("name a folder inside it, as in --out {}", (folder / "results").string()));
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace wt::output
