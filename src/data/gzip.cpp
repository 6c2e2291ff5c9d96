#include "data/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/file.h"

namespace wt::data {
namespace {

constexpr int either_format = 32;      // is added to zlib's window bits to select the format by the header
constexpr std::size_t step = 1 << 20;  // memory is allocated in steps of this size

}  // namespace

struct Gunzip::State {
  z_stream stream{};
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// The compression method 8, and a header that 31 divides.
bool is_zlib(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const unsigned first = static_cast<unsigned char>(bytes[0]), second = static_cast<unsigned char>(bytes[1]);
  return (first & 0xf) == 8 && (first * 256 + second) % 31 == 0;
}

Gunzip::Gunzip(std::string_view packed, std::string file)
    : packed_(packed),
      file_(std::move(file)),
      format_(is_gzip(packed) ? "gzip" : "zlib"),
      state_(std::make_unique<State>()) {
  const int status = inflateInit2(&state_->stream, MAX_WBITS + either_format);
  WT_EXPECT(status == Z_OK, status);
}

Gunzip::~Gunzip() { inflateEnd(&state_->stream); }

void Gunzip::refuse(std::string fact, std::string remedy) const {
  Place place;
  place.file = file_;
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

void Gunzip::unpack(std::string& text, std::size_t size) {
  while (!has_ended_ && text.size() < size) {
    const std::size_t before = text.size();
    text.resize(before + std::min(size - before, step));
    text.resize(before + unpack_piece(text.data() + before, text.size() - before));
  }
}

std::size_t Gunzip::unpack_piece(char* target, std::size_t room) {
  z_stream& stream = state_->stream;
  const std::size_t given = std::min<std::size_t>(packed_.size(), step);
  // zlib only reads these bytes, but the type of its field is not const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = reinterpret_cast<Bytef*>(target);
  stream.avail_out = static_cast<uInt>(room);
  const int status = inflate(&stream, Z_NO_FLUSH);
  packed_.remove_prefix(given - stream.avail_in);
  if (status == Z_STREAM_END) {
    has_ended_ = !is_gzip(packed_);
    if (has_ended_ && !packed_.empty()) {
      refuse(fmt::format("{} bytes follow the {} data", packed_.size(), format_),
             "the file is damaged: download it again");
    }
    if (!has_ended_) inflateReset(&stream);
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    refuse(fmt::format("the {} data is damaged: {}", format_,
                       stream.msg != nullptr ? stream.msg : zError(status)),
           "download the file again");
  } else if (packed_.empty() && stream.avail_out != 0) {
    refuse(fmt::format("the {} data ends too early", format_), "the file was cut off: download it again");
  }
  return room - stream.avail_out;
}

std::string unpacked(std::string_view packed, const std::filesystem::path& path, const Place& named_at,
                     std::uint64_t most) {
  std::string text;
  Gunzip(packed, path.string()).unpack(text, most + 1);
  if (text.size() > most)
    throw InputError(Problem{
        named_at, fmt::format("\"{}\" has more than {} bytes when it is unpacked", path.string(), most),
        "cut it into several files"});
  return text;
}

std::string read_unpacked(const std::filesystem::path& path, const Place& named_at, std::uint64_t most) {
  std::string stored = read_text(path, named_at, most);
  return is_gzip(stored) ? unpacked(stored, path, named_at, most) : stored;
}

}  // namespace wt::data
