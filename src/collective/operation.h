#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::collective {

// The operations of MPI and NCCL, with their usual meanings.
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

// The ranks that hold a chunk before or after an operation. Each rank owns an equal block of the chunks, and
// rank 0's block comes first. The chunks of an all-to-all form a matrix: the chunk that goes from rank s to
// rank t stands in row s and column t.
enum class Holders : std::uint8_t { all, owner, root, row, column };

struct OperationRow {
  std::string_view name{};
  Operation operation{};
  Holders brings{};  // the ranks that have a value of the chunk at the beginning
  Holders wants{};   // the ranks that end with the sum of all brought values
};

std::span<const OperationRow> operations();  // in the order of the enumerators
std::string_view name(Operation operation);

// Whether a ring of all ranks carries out the operation chunk by chunk: an all-reduce and its two halves,
// reduce-scatter and all-gather.
bool goes_around(Operation operation);

}  // namespace wt::collective
