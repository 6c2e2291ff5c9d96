#include "data/record_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/file.h"
#include "base/free_memory.h"
#include "data/crc32c.h"
#include "data/gzip.h"

namespace wt::data {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of a file are little-endian");

constexpr std::size_t length_bytes = 8, crc_bytes = 4;
constexpr std::size_t head_bytes = length_bytes + crc_bytes;

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T number{};
  std::memcpy(&number, bytes.data() + at, sizeof(T));
  return number;
}

bool has_head(std::string_view bytes) {
  return bytes.size() >= head_bytes &&
         masked_crc32c(bytes.substr(0, length_bytes)) == number_at<std::uint32_t>(bytes, length_bytes);
}

std::uint64_t most_unpacked() { return static_cast<std::uint64_t>(free_memory().count()) / 2; }

}  // namespace

RecordFile::RecordFile(const std::filesystem::path& path, const Place& named_at)
    : name_(path.string()), content_(read_text(path, named_at, largest_file)) {
  // The length of a first record may look like the beginning of a compressed file, but then its checksum is right.
  if (!has_head(content_) && (is_gzip(content_) || is_zlib(content_)))
    content_ = unpacked(content_, path, named_at, most_unpacked());
  find_records();
}

void RecordFile::find_records() {
  const std::string_view all = content_;
  for (std::size_t at = 0; at < all.size();) {
    const std::string_view rest = all.substr(at);
    if (rest.size() >= head_bytes && !has_head(rest)) {
      if (at > 0) refuse(at, "the checksum of its length is wrong", "the file is damaged: write it again");
      refuse(at, "this is not a TFRecord file: the checksum of the first length is wrong",
             "tf.io.TFRecordWriter writes such files");
    }
    const std::uint64_t length = rest.size() < head_bytes ? 0 : number_at<std::uint64_t>(rest, 0);
    if (rest.size() < head_bytes + crc_bytes || length > rest.size() - head_bytes - crc_bytes)
      refuse(at, "the file ends within it", "the file was cut off: write it again");
    const std::string_view data = rest.substr(head_bytes, length);
    records_.push_back(
        {data, at, masked_crc32c(data) == number_at<std::uint32_t>(rest, head_bytes + length)});
    at += head_bytes + length + crc_bytes;
  }
}

void RecordFile::refuse(std::size_t at, std::string fact, std::string remedy) const {
  Place place;
  place.file = name_;
  throw InputError(Problem{std::move(place),
                           fmt::format("record {}, at byte {}: {}", records_.size(), at, fact),
                           std::move(remedy)});
}

}  // namespace wt::data
