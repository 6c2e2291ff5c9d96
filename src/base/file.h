#pragma once
// Reading and writing of whole files. A file is written under a temporary name and then renamed, so that a
// reader sees either the complete new file or the old one, also when the program is killed in between.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt {

// A regular file or a pipe that is open for reading. `named_at` is the place where the user wrote the path.
// Throws InputError at that place if the file doesn't exist, may not be read or is a folder; throws
// MachineError if the operating system fails in another way.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path, const Place& named_at = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }     // 0 for a pipe
  bool is_regular() const { return is_regular_; }  // false for a pipe
  // Fills `target` with the bytes from `offset` on. Requires: is_regular(). Throws MachineError if the file
  // ends before `target` is full, which happens if it became shorter after it was opened.
  void read_at(std::uint64_t offset, std::span<std::byte> target) const;
  // From the current position to the end. Throws InputError at `named_at` if there are more than `most` bytes.
  std::string read_all(std::uint64_t most, const Place& named_at) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool is_regular_ = false;
};

// Of a text, whose lines and columns a place counts as int.
inline constexpr std::uint64_t largest_text_file = std::numeric_limits<int>::max();
inline constexpr std::uint64_t largest_file = std::uint64_t{1} << 40;

// Reads a whole file. The errors are those of InputFile. Throws InputError if the file has more than `most`
// bytes, or more than there is memory for.
std::string read_text(const std::filesystem::path& path, const Place& named_at = {},
                      std::uint64_t most = largest_text_file);

// A file that is being written under a temporary name in the folder of `path`. commit() flushes it to disk
// and renames it to `path`. A file that is destroyed without commit() is removed. Throws MachineError if the
// operating system refuses an operation, and removes the temporary file then.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(int error);

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

// Writes a whole file. The errors are those of OutputFile.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace wt
