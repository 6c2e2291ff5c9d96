#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/crash_point.h"
#include "base/free_memory.h"
#include "base/output/place.h"
#include "base/output/temporary.h"
#include "base/utf8.h"

namespace wt {
namespace {

std::string text_of(int error) { return std::generic_category().message(error); }

bool is_users_fault(int error) {
  return error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES || error == ELOOP ||
         error == ENAMETOOLONG;
}

[[noreturn]] void refuse(const std::string& path, const Place& named_at, const std::string& why) {
  throw InputError(Problem{named_at, fmt::format("cannot read \"{}\": {}", printable(path), why), {}});
}

std::string remedy_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a folder that you may write to";
    case ENOENT:
      return "; create its folder first";
    default:
      return "";
  }
}

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  throw MachineError("write", fmt::format("{}: {}{}", path, text_of(error), remedy_for(error)));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, const Place& named_at) : path_(path.string()) {
  // Without O_NONBLOCK, open() would block on a pipe that has no writer.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 && is_users_fault(errno)) refuse(path_, named_at, text_of(errno));
  if (descriptor_ < 0) throw MachineError("read", fmt::format("{}: {}", path_, text_of(errno)));
  struct stat status {};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  is_regular_ = is_known && S_ISREG(status.st_mode);
  if (is_regular_) size_ = static_cast<std::uint64_t>(status.st_size);
  if (is_regular_ || (is_known && S_ISFIFO(status.st_mode))) {
    ::fcntl(descriptor_, F_SETFL, 0);
    return;
  }
  ::close(descriptor_);
  refuse(path_, named_at, is_known && S_ISDIR(status.st_mode) ? text_of(EISDIR) : "not a regular file");
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t count = ::pread(descriptor_, target.data(), target.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw MachineError("read", fmt::format("{}: {}", path_, text_of(errno)));
    if (count == 0)
      throw MachineError("read", fmt::format("{}: the file became shorter while it was read", path_));
    offset += static_cast<std::uint64_t>(count);
    target = target.subspan(static_cast<std::size_t>(count));
  }
}

std::string InputFile::read_all(std::uint64_t most, const Place& named_at) const {
  const auto require = [&](std::uint64_t bytes) {
    if (bytes <= most) return;
    throw InputError(
        Problem{named_at,
                fmt::format("\"{}\" has {}{} bytes", printable(path_), is_regular_ ? "" : "at least ", bytes),
                fmt::format("at most {} bytes are read", most)});
  };
  require(size_);
  require_memory(Bytes(size_), fmt::format("reading \"{}\"", printable(path_)), "name a smaller file",
                 named_at);
  std::string text;
  text.reserve(size_);
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw MachineError("read", fmt::format("{}: {}", path_, text_of(errno)));
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    require(text.size());
  }
}

std::string read_text(const std::filesystem::path& path, const Place& named_at, std::uint64_t most) {
  return InputFile(path, named_at).read_all(most, named_at);
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path.string()) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(path_, EISDIR);
  // The rename in commit() would replace a device or a pipe by a regular file.
  if (exists && !S_ISREG(status.st_mode)) {
    throw MachineError("write", fmt::format("{}: not a regular file", path_));
  }
  const output::Temporary temporary = output::make_temporary(path);
  if (temporary.descriptor < 0) fail_to_write(path_, errno);
  temporary_ = temporary.path;
  descriptor_ = temporary.descriptor;
  crash_point("a file is opened");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(temporary_.c_str());
  fail_to_write(path_, error);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  WT_EXPECT(descriptor_ >= 0, "{} is written after commit", path_);
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  crash_point("a part of a file is written");
}

void OutputFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void OutputFile::commit() {
  WT_EXPECT(descriptor_ >= 0, "{} is committed twice", path_);
  if (::fsync(descriptor_) != 0) fail(errno);
  crash_point("a file is on the disk");
  // The descriptor holds the lock, without which another process would take the file for what a killed one left.
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail_to_write(path_, errno);
  crash_point("a file has its name");
  output::sync_folder(std::filesystem::path(path_).parent_path());
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace wt
