#pragma once
// Decompression of gzip files (RFC 1952), and of zlib's own format (RFC 1950), the other one in which TensorFlow writes
// records.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt::data {

bool is_gzip(std::string_view bytes);  // whether the bytes begin like a gzip file
bool is_zlib(std::string_view bytes);  // the same for zlib's format

// Decompresses a text of either format step by step. Only as much as the caller requests is decompressed, so a small malicious
// file cannot fill the memory. Several gzip members in one file are concatenated, as gunzip does. Throws
// InputError with the name `file` if the data is damaged. Requires: `packed` outlives this object.
class Gunzip {
 public:
  Gunzip(std::string_view packed, std::string file);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // Appends decompressed bytes to `text` until it has `size` bytes or the data ends.
  void unpack(std::string& text, std::size_t size);

 private:
  struct State;
  std::size_t unpack_piece(char* target, std::size_t room);
  [[noreturn]] void refuse(std::string fact, std::string remedy) const;

  std::string_view packed_;
  std::string file_;
  std::string_view format_;  // "gzip"
  std::unique_ptr<State> state_;
  bool has_ended_ = false;
};

// All bytes of a compressed file. Throws InputError if they are more than `most`.
std::string unpacked(std::string_view packed, const std::filesystem::path& path, const Place& named_at,
                     std::uint64_t most);

// Reads a whole file, and unpacks it if it is a gzip file. Throws InputError if it has more than `most`
// bytes, packed or not.
std::string read_unpacked(const std::filesystem::path& path, const Place& named_at, std::uint64_t most);

}  // namespace wt::data
