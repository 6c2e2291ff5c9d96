#pragma once
// CRC-32C, the checksum of TFRecord files (Castagnoli, Braeuer, Herrmann, 1993; its test vectors are those of
// RFC 3720, appendix B.4).

#include <cstdint>
#include <string_view>

namespace wt::data {

std::uint32_t crc32c(std::string_view bytes);

// The checksum as a TFRecord stores it: rotated and shifted, because a checksum of data that contain
// checksums is weak.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace wt::data
