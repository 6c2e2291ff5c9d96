#include "study/recordings/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/utf8.h"
#include "data/gzip.h"

namespace wt::recordings {

namespace fs = std::filesystem;

namespace {

// The fields of a ustar header: offset and length in bytes. Every file begins at a multiple of the block.
constexpr std::size_t block = 512;
struct Field {
  std::size_t at = 0;
  std::size_t length = 0;
};
constexpr Field name_field{0, 100}, size_field{124, 12}, type_field{156, 1}, magic_field{257, 5},
    prefix_field{345, 155};
constexpr std::uint64_t largest_member = 64 << 20;  // recordings have less than a megabyte

class Reading {
 public:
  explicit Reading(const fs::path& archive)
      : path_(archive.string()), packed_(read_text(archive)), unpacking_(packed_, path_) {}

  // Reads the next header. Returns false at the end.
  bool next() {
    begin_ = end_;
    unpacking_.unpack(bytes_, begin_ + block);
    if (bytes_.size() == begin_ || (bytes_.size() >= begin_ + block && bytes_[begin_] == '\0')) return false;
    if (bytes_.size() < begin_ + block || text(magic_field) != "ustar")
      refuse("it is damaged or no tar file");
    const std::string prefix = text(prefix_field);
    name_ = prefix.empty() ? text(name_field) : prefix + "/" + text(name_field);
    const std::uint64_t size = number(text(size_field));
    if (size > largest_member) refuse(fmt::format("\"{}\" is larger than 64 MiB", printable(name_)));
    content_end_ = begin_ + block + size;
    end_ = begin_ + block + (size + block - 1) / block * block;
    unpacking_.unpack(bytes_, end_);
    if (bytes_.size() < content_end_) refuse("it was cut off");
    return true;
  }

  void write_below(const fs::path& folder) const {
    const fs::path name = fs::path(name_).lexically_normal();
    if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end())
      refuse(fmt::format("\"{}\" leads out of the folder", printable(name_)));
    const char type = bytes_[begin_ + type_field.at];
    if (type == '5') return;  // a folder: made with the first file in it
    if (type != '0' && type != '\0') refuse(fmt::format("\"{}\" is no file", printable(name_)));
    fs::create_directories((folder / name).parent_path());
    write_text(folder / name, std::string_view(bytes_).substr(begin_ + block, content_end_ - begin_ - block));
  }

 private:
  std::string text(Field field) const {
    const std::string_view whole = std::string_view(bytes_).substr(begin_ + field.at, field.length);
    return std::string(whole.substr(0, whole.find('\0')));
  }
  std::uint64_t number(std::string_view octal) const {
    std::uint64_t value = 0;
    for (const char digit : octal) {
      if (digit == ' ') break;
      if (digit < '0' || digit > '7') refuse("it is damaged: a size is not a number");
      value = value * 8 + static_cast<std::uint64_t>(digit - '0');
    }
    return value;
  }
  [[noreturn]] void refuse(std::string fact) const {
    Place place;
    place.file = path_;
    throw InputError(Problem{place, "cannot unpack the archive: " + std::move(fact), "make it anew"});
  }

  std::string path_;
  std::string packed_;
  data::Gunzip unpacking_;
  std::string bytes_{};
  std::string name_{};
  std::size_t begin_ = 0;
  std::size_t content_end_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

bool is_archive(const fs::path& file) { return file.filename().string().ends_with(".tar.gz"); }

void unpack(const fs::path& archive, const fs::path& into) {
  fs::create_directories(into);
  for (Reading reading(archive); reading.next();) reading.write_below(into);
}

}  // namespace wt::recordings
