// Claims about the emulated NCCL: it does what NCCL promises, and answers with an error where NCCL would wait for ever.

#include <gtest/gtest.h>
#include <nccl.h>

#include "emulation/machine.h"

namespace wt::emulation {
namespace {

class EmulatedNccl : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr int ranks = 3;

  void SetUp() override {
    for (int rank = 0; rank < ranks; ++rank) {
      cudaSetDevice(rank);
      EXPECT_EQ(cudaStreamCreateWithFlags(&streams_[rank], cudaStreamNonBlocking), cudaSuccess);
      EXPECT_EQ(cudaMalloc(&numbers_[rank], sizeof(float)), cudaSuccess);
      const auto value = static_cast<float>(rank + 1);
      EXPECT_EQ(
          cudaMemcpyAsync(numbers_[rank], &value, sizeof(value), cudaMemcpyHostToDevice, streams_[rank]),
          cudaSuccess);
    }
    constexpr int devices[] = {0, 1, 2};
    EXPECT_EQ(ncclCommInitAll(ranks_, ranks, devices), ncclSuccess);
  }
  void TearDown() override {
    for (const ncclComm_t rank : ranks_) ncclCommDestroy(rank);
  }
  ncclResult_t add(int rank, std::size_t count = 1) {
    return ncclAllReduce(numbers_[rank], numbers_[rank], count, ncclFloat32, ncclSum, ranks_[rank],
                         streams_[rank]);
  }
  float read(int rank) {
    float value = 0;
    cudaSetDevice(rank);
    EXPECT_EQ(cudaMemcpyAsync(&value, numbers_[rank], sizeof(value), cudaMemcpyDeviceToHost, streams_[rank]),
              cudaSuccess);
    return value;
  }

  Machine machine_{{.gpus = ranks, .memory = std::size_t{1} << 20, .seed = GetParam()}};
  cudaStream_t streams_[ranks]{};
  void* numbers_[ranks]{};
  ncclComm_t ranks_[ranks]{};
};
INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedNccl, testing::Range(0u, 6u));

TEST_P(EmulatedNccl, AddsBehindWhatEveryStreamWasTold) {
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(add(rank), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(read(rank), 6.F);
}

TEST_P(EmulatedNccl, CopiesTheRoots) {
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(ncclBroadcast(numbers_[rank], numbers_[rank], 1, ncclFloat32, 1, ranks_[rank], streams_[rank]),
              ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(read(rank), 2.F);
}

// There is one thread, so no rank can come later.
TEST_P(EmulatedNccl, RefusesARankWhoseOthersNeverCome) {
  EXPECT_EQ(add(0), ncclInvalidUsage) << "without a group";
  ncclGroupStart();
  add(0);
  add(1);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage) << "without the third";
  ncclGroupStart();
  add(1);
  add(2);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage) << "without the first";
}

TEST_P(EmulatedNccl, RefusesRanksThatDisagree) {
  ncclGroupStart();
  add(0);
  add(1);
  add(2, 2);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
}

TEST_P(EmulatedNccl, RefusesTwoRanksOnOneGpu) {
  ncclComm_t two[2]{};
  constexpr int devices[] = {1, 1};
  EXPECT_EQ(ncclCommInitAll(two, 2, devices), ncclInvalidUsage);
}

}  // namespace
}  // namespace wt::emulation
