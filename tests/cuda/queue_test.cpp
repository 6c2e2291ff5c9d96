// Claim: what goes to a GPU comes back, in the order of its stream, and its memory gives what it has and no more.

#include <gtest/gtest.h>

#include <numeric>

#include "cuda/gpu.h"

namespace wt {
namespace {

std::vector<std::byte> counted(std::size_t size, int from) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + static_cast<std::size_t>(from)) % 251);
  return bytes;
}

class CudaQueueTest : public testing::Test {
 protected:
  device::CudaQueue queue_{test::first_gpu()};
  device::Memory& memory_ = queue_.memory();
};

// Sizes around the pieces of page-locked memory that copies pass through, and more than all of them together.
TEST_F(CudaQueueTest, BringsBackWhatItWasGiven) {
  constexpr std::size_t piece = std::size_t{8} << 20;
  for (const std::size_t size : {std::size_t{1}, piece - 1, piece, piece + 1, 3 * piece, 20 * piece + 7}) {
    const auto block = memory_.allocate(Bytes(size));
    ASSERT_NE(block, nullptr);
    const std::vector<std::byte> bytes = counted(size, 5);
    std::vector<std::byte> back(size, std::byte{1});
    memory_.read(back, block.get());
    EXPECT_EQ(std::count(back.begin(), back.end(), std::byte{0}), static_cast<std::ptrdiff_t>(size));
    memory_.write(block.get(), bytes);
    memory_.read(back, block.get());
    EXPECT_EQ(back, bytes) << size;
  }
}

TEST_F(CudaQueueTest, GivesTheSameMemoryAgainAndClean) {
  auto block = memory_.allocate(Bytes(1 << 20));
  std::byte* const address = block.get();
  memory_.write(address, counted(1 << 20, 3));
  block.reset();
  block = memory_.allocate(Bytes(1 << 19));
  EXPECT_EQ(block.get(), address);
  std::vector<std::byte> back(1 << 19, std::byte{1});
  memory_.read(back, address);
  EXPECT_EQ(back, std::vector<std::byte>(1 << 19));
}

TEST_F(CudaQueueTest, HasNoMoreThanTheDevice) {
  EXPECT_EQ(memory_.allocate(queue_.device().memory * 2), nullptr);
  const auto idle = memory_.allocate(memory_.available() / 2);  // and gives back what waits before it says no
  ASSERT_NE(idle, nullptr);
}

TEST_F(CudaQueueTest, WaitsForAnotherStream) {
  device::CudaQueue other(test::first_gpu());
  constexpr std::size_t size = std::size_t{64} << 20;
  const auto source = memory_.allocate(Bytes(size)), target = other.memory().allocate(Bytes(size));
  const std::vector<std::byte> bytes = counted(size, 9);
  memory_.write(source.get(), bytes);
  other.wait(queue_.record());
  other.memory().copy(target.get(), source.get(), Bytes(size));
  std::vector<std::byte> back(size);
  other.memory().read(back, target.get());
  EXPECT_EQ(back, bytes);
}

TEST_F(CudaQueueTest, CopiesFromAnotherGpu) {
  const device::CudaDevices gpus = device::find_cuda_devices();
  if (gpus.found.size() < 2) GTEST_SKIP() << "it takes two GPUs, and CUDA finds " << gpus.found.size();
  const device::CudaTeam team = device::make_cuda_team(gpus.found, device::Precision::float32);
  constexpr std::size_t size = std::size_t{64} << 20;
  device::Queue &here = *team.members[0].compute, &there = *team.members[1].compute;
  const auto source = here.memory().allocate(Bytes(size)), target = there.memory().allocate(Bytes(size));
  const std::vector<std::byte> bytes = counted(size, 9);
  here.memory().write(source.get(), bytes);
  here.wait(there.record());
  here.memory().copy(target.get(), source.get(), Bytes(size));
  there.wait(here.record());
  std::vector<std::byte> back(size);
  there.memory().read(back, target.get());
  EXPECT_EQ(back, bytes);
}

// What a queue for copies is spared, it says when it is asked for it.
TEST_F(CudaQueueTest, HasLibrariesWhereItComputes) {
  const device::CudaQueue copies(test::first_gpu(), device::CudaQueue::Libraries::none);
  EXPECT_NE(queue_.blas(), nullptr);
  EXPECT_THROW(copies.blas(), InternalError);
  EXPECT_THROW(copies.dnn(), InternalError);
}

}  // namespace
}  // namespace wt
