#include "data/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace wt::data {
namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;  // 0x1EDC6F41, with its bits reversed
constexpr std::size_t slices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, slices>;

// Slicing by 8 (Kounavis, Berry, 2005): table k has the checksum of a byte that k zero bytes follow, so that
// eight bytes are looked up at once.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < slices; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[slice][byte] = (tables[slice - 1][byte] >> 8) ^ tables[0][tables[slice - 1][byte] & 0xff];
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little, "eight bytes are loaded as one number");
  std::uint32_t crc = ~std::uint32_t{0};
  for (; bytes.size() >= slices; bytes.remove_prefix(slices)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), slices);
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < slices; ++i) crc ^= tables[slices - 1 - i][(word >> (8 * i)) & 0xff];
  }
  for (const char byte : bytes) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  constexpr std::uint32_t shift = 0xa282ead8;
  return std::rotr(crc32c(bytes), 15) + shift;
}

}  // namespace wt::data
