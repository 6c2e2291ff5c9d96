// Claim: where NCCL carries out the collectives, a step gives the numbers of the plan except for the order of
// sums. With one GPU there is one rank and nothing to add, but NCCL is started, called and ended all the
// same.

#include <gtest/gtest.h>

#include "cuda/gpu.h"

namespace wt {
namespace {

const device::CudaTeam& team() {
  static const device::CudaTeam all = device::make_cuda_team(
      device::find_cuda_devices().found, device::Precision::float32, device::CudaTeam::Library::nccl);
  return all;
}

// The numbers of every rank are on its GPU. They are written and read on another stream than NCCL's, and only
// the order on the leader separates the two.
class NcclTest : public testing::Test {
 protected:
  static constexpr std::int64_t elements = 100'003;

  void SetUp() override {
    shares_ = {{}, Type::float32, elements};
    for (std::size_t rank = 0; rank < team().members.size(); ++rank) {
      const auto& [compute, communication, copies] = team().members[rank];
      blocks_.push_back(compute->memory().allocate(Bytes(4 * elements)));
      compute->memory().write(blocks_.back().get(), numbers(rank).bytes());
      leader_.wait(compute->record());
      shares_.of_ranks.push_back({communication.get(), blocks_.back().get()});
    }
  }
  static Tensor numbers(std::size_t rank) {
    Tensor tensor = Tensor::zeros({Type::float32, {elements}});
    for (std::int64_t i = 0; i < elements; ++i)
      tensor.values<float>()[static_cast<std::size_t>(i)] =
          static_cast<float>(i % 1000) + static_cast<float>(rank);
    return tensor;
  }
  void expect_everywhere(const Tensor& expected) {
    const device::Event done = leader_.record();
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
      device::Queue& reader = *team().members[rank].compute;
      reader.wait(done);
      Tensor found = Tensor::zeros(expected.spec());
      reader.memory().read(found.bytes(), blocks_[rank].get());
      EXPECT_TRUE(test::same_bits(found, expected)) << rank;
    }
  }

  device::Queue& leader_ = *team().members[0].compute;
  std::vector<std::shared_ptr<std::byte>> blocks_{};
  device::Shares shares_{};
};

// Whole numbers have the same sum in any order.
TEST_F(NcclTest, AddsWhatEveryRankHas) {
  Tensor sum = numbers(0);
  for (std::size_t rank = 1; rank < shares_.of_ranks.size(); ++rank) {
    const Tensor own = numbers(rank);
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
      sum.values<float>()[i] += own.values<float>()[i];
  }
  team().nccl->all_reduce(shares_, leader_);
  expect_everywhere(sum);
}

TEST_F(NcclTest, GivesEveryRankTheRootsNumbers) {
  const std::size_t root = shares_.of_ranks.size() - 1;
  team().nccl->broadcast(shares_, root, leader_);
  expect_everywhere(numbers(root));
}

TEST_F(NcclTest, TrainsAsThePlanDoes) {
  const std::size_t replicas = team().members.size();
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 4, "sgd");
  const test::Values given = test::starting_values(made);
  const test::SeveralStreams planned(device::find_cuda_devices().found);
  const test::SeveralStreams by_nccl(device::find_cuda_devices().found, device::CudaTeam::Library::nccl);
  const test::Values expected = test::run_on(planned.queues(), test::mirrored(made.step, replicas), given, 3);
  const test::Values found =
      test::run_on(by_nccl.queues(), test::mirrored(made.step, replicas, replicas), given, 3);
  EXPECT_LT(test::difference(found, expected), 1e-5);
}

}  // namespace
}  // namespace wt
