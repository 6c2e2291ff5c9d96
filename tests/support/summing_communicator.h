// A Communicator on the CPU, which adds in the order of the ranks. It doesn't wait for the queues of the
// ranks. If the caller doesn't wait either, that is a data race, which ThreadSanitizer reports.
#pragma once

#include <cstring>

#include "device/communicator.h"
#include "tensor/tensor.h"

namespace wt::test {

class SummingCommunicator final : public device::Communicator {
 public:
  void all_reduce(const device::Shares& shares, device::Queue&) override {
    ++calls_;
    WT_EXPECT(shares.type == Type::float32, "only float32 is added here");
    for (std::size_t i = 0; i < static_cast<std::size_t>(shares.elements); ++i) {
      float sum = numbers(shares, 0)[i];
      for (std::size_t rank = 1; rank < shares.of_ranks.size(); ++rank) sum += numbers(shares, rank)[i];
      for (std::size_t rank = 0; rank < shares.of_ranks.size(); ++rank) numbers(shares, rank)[i] = sum;
    }
  }

  void broadcast(const device::Shares& shares, std::size_t root, device::Queue&) override {
    ++calls_;
    const auto bytes = static_cast<std::size_t>(shares.elements * bytes_per_element(shares.type));
    for (const device::Shares::Share& share : shares.of_ranks)
      std::memmove(share.data, shares.of_ranks[root].data, bytes);
  }

  int calls() const { return calls_; }

 private:
  static float* numbers(const device::Shares& shares, std::size_t rank) {
    return reinterpret_cast<float*>(shares.of_ranks[rank].data);
  }
  int calls_ = 0;
};

}  // namespace wt::test
