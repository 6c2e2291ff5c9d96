// TensorFlow's ring (tensorflow/core/common_runtime/ring_alg.cc and ring_reducer.cc): several parallel rings
// ("subdivisions"), each of which passes through the devices of every task in an order of its own. Chunks are
// whole units of 64 bytes.
#include <algorithm>
#include <cstdlib>

#include "base/narrow.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

constexpr std::int64_t most_chunk_bytes = 4 << 20;

// As many subdivisions as are needed for chunks of at most 4 MiB, within the limit of the options.
int subdivisions_of(const Request& request, int devices) {
  const std::int64_t each = request.options.subdivisions, most = each < 0 ? 1 : each * devices;
  const std::int64_t bytes = request.elements * request.element_bytes;
  int count = 1;
  while (count < most && bytes > most_chunk_bytes * request.ranks * count) ++count;
  return count;
}

// The first device of each subdivision within a task. Odd subdivisions have negative offsets: they pass
// through the devices of a task backwards.
std::vector<int> offsets_of(int subdivisions, int devices) {
  const int stride = std::max(1, devices / subdivisions);
  std::vector<int> offsets;
  for (int i = 0; i < subdivisions; ++i) offsets.push_back(i % 2 == 0 ? i * stride : -i * stride);
  return offsets;
}

std::vector<int> order_of(int offset, int devices, int n) {
  std::vector<int> order;
  for (int place = 0; place < n; ++place) {
    const int turned = (place + std::abs(offset)) % devices;
    order.push_back(place / devices * devices + (offset < 0 ? devices - 1 - turned : turned));
  }
  return order;
}

}  // namespace

// TensorFlow rounds up to a multiple of 64 bytes, and adds another 64 bytes to a length that already is one.
std::int64_t tensorflow_chunk_elements(std::int64_t elements, std::int64_t chunks, int element_bytes) {
  const std::int64_t bytes = (elements + chunks - 1) / chunks * element_bytes;
  return (bytes < 64 ? 64 : bytes + 64 - bytes % 64) / element_bytes;
}

Schedule tensorflow_ring(const Request& request) {
  const int n = request.ranks, devices = request.options.shape.empty() ? n : shape_of(request, 2)[0];
  const int subdivisions = subdivisions_of(request, devices);
  std::vector<Rule> rings;
  for (const int offset : offsets_of(subdivisions, devices)) {
    // TensorFlow's chunk c starts at place c of the ring, and ours at place c + 1.
    std::vector<int> order = order_of(offset, devices, n);
    std::rotate(order.begin(), order.end() - 1, order.end());
    Rule ring = among(std::move(order), then(ring_reduce_scatter(n), ring_all_gather(n)));
    rings.push_back(on_chunks(narrow<int>(rings.size()), std::move(ring), subdivisions));
  }
  const auto chunks = std::int64_t{n} * subdivisions;
  Schedule schedule = schedule_of(Operation::all_reduce, request, chunks, together(std::move(rings)));
  schedule.contract.cut.per_chunk =
      tensorflow_chunk_elements(request.elements, chunks, request.element_bytes);
  return schedule;
}

}  // namespace wt::collective
