#pragma once
// The protocols by which NCCL moves bytes. LL sends a flag of 4 bytes with every 4 bytes of data, so the
// receiver needs no memory fence. LL128 sends a flag of 8 bytes with every 120 bytes of data, which works
// where a line of 128 bytes arrives whole, as over NVLink. Simple sends data only and synchronises once per
// slice.

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::collective {

enum class Protocol : std::uint8_t { ll, ll128, simple };

struct ProtocolRow {
  std::string_view name{};
  Protocol protocol{};
};

std::span<const ProtocolRow> protocols();  // in the order of the enumerators
std::string_view name(Protocol protocol);

}  // namespace wt::collective
