#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::collective {

enum class Operation : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  gather,
  scatter,
  all_to_all
};

// Which ranks a chunk concerns. Chunks belong to ranks in equal blocks, rank 0's first; of an all-to-all, the
// chunk from s to t stands in row s, column t.
enum class Who : std::uint8_t { everyone, owner, root, row, column };

struct OperationRow {
  std::string_view name{};
  Operation operation{};
  Who begins{};  // these bring a value of the chunk
  Who wants{};   // these end with the sum of all that were brought
};

std::span<const OperationRow> operations();  // in the order of the enumerators
std::string_view name(Operation operation);

}  // namespace wt::collective
