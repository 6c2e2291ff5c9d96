#pragma once
// Creates files in the format of MNIST.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/folder.h"

namespace wt::data {

using test::TestFolder;

inline std::string packed(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string text(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  deflateEnd(&stream);
  return text;
}

// The bytes of an IDX file: two zero bytes, the code of the type, the number of axes, the extents and the
// numbers.
inline std::string idx(int code, const std::vector<std::uint32_t>& extents, const std::string& numbers) {
  std::string bytes{'\0', '\0', static_cast<char>(code), static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(extent >> shift);
  return bytes + numbers;
}

}  // namespace wt::data
