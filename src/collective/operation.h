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
  all_to_all,
  sendrecv  // Each rank sends a vector to the next rank, the last one to the first (sendrecv_perf of nccl-tests).
};

// The ranks that hold a chunk before or after an operation. Each rank owns an equal block of the chunks, and
// rank 0's block comes first. The chunks of an all-to-all form a matrix: the chunk that goes from rank s to
// rank t stands in row s and column t.
enum class Holders : std::uint8_t { all, owner, next, root, row, column };  // next: the rank after the owner

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

// Whether NCCL composes the operation of sends and receives between pairs of ranks, for which it has no algorithms.
bool is_point_to_point(Operation operation);

// The factor from the bandwidth of the vector to bus bandwidth in nccl-tests (src/*.cu, GetBw), among `ranks` ranks.
// With it the bus bandwidth of the best possible algorithm equals the bandwidth of its links (doc/PERFORMANCE.md
// there).
double bus_factor(Operation operation, int ranks);

}  // namespace wt::collective
