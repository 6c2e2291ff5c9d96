// Claim: bytes that are copied to a GPU come back unchanged, work is done in the order of the stream, and an
// allocation that exceeds the GPU's memory fails.

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/gpu.h"
#include "device/stopwatch.h"

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

// Sizes around the size of the page-locked pieces through which copies go, and one that exceeds all pieces
// together.
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
  EXPECT_NE(memory_.allocate(Bytes(1 << 19)).get(), address)
      << "a larger block would be held for a smaller one";
  block = memory_.allocate(Bytes(1 << 20));
  EXPECT_EQ(block.get(), address);
  std::vector<std::byte> back(1 << 20, std::byte{1});
  memory_.read(back, address);
  EXPECT_EQ(back, std::vector<std::byte>(1 << 20));
}

TEST_F(CudaQueueTest, HasNoMoreThanTheDevice) {
  EXPECT_EQ(memory_.allocate(queue_.device().memory * 2), nullptr);
  // Memory that waits for reuse is freed before an allocation fails.
  const auto idle = memory_.allocate(memory_.available() / 2);
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

// A queue for copies has no libraries, and using one is an error.
TEST_F(CudaQueueTest, HasLibrariesWhereItComputes) {
  const device::CudaQueue copies(test::first_gpu(), device::CudaQueue::Libraries::none);
  EXPECT_NE(queue_.blas(), nullptr);
  EXPECT_THROW(copies.blas(), InternalError);
  EXPECT_THROW(copies.dnn(), InternalError);
}

// A copy of so many bytes within a device's memory.
struct DeviceCopy {
  std::shared_ptr<std::byte> target{}, source{};
  Bytes bytes{};
  DeviceCopy(device::Memory& memory, Bytes size)
      : target(memory.allocate(size)), source(memory.allocate(size)), bytes(size) {}
  device::Task task() const {
    return {[](const void* work, device::Queue& queue) {
              const auto& copy = *static_cast<const DeviceCopy*>(work);
              queue.memory().copy(copy.target.get(), copy.source.get(), copy.bytes);
            },
            this};
  }
};

// The stopwatch uses the GPU's clock. In a graph and without one, the times between marks add up, and sixteen
// times as many bytes take longer.
TEST_F(CudaQueueTest, TellsHowLongItsTasksTake) {
  const Bytes much = std::min(Bytes(std::int64_t{1} << 30), queue_.device().memory / 8);
  const DeviceCopy small(memory_, much / 16), large(memory_, much);
  const auto stopwatch = queue_.stopwatch(3);
  const auto enqueue_all = [&] {
    for (const device::Task& task :
         {stopwatch->mark(0), small.task(), stopwatch->mark(1), large.task(), stopwatch->mark(2)})
      queue_.enqueue(task);
  };
  const auto expect_laps = [&](const char* how) {
    queue_.synchronize();
    const Seconds first = stopwatch->between(0, 1), second = stopwatch->between(1, 2);
    EXPECT_GT(first, Seconds(0)) << how;
    EXPECT_GT(second, first) << how;
    EXPECT_NEAR(stopwatch->between(0, 2) / (first + second), 1, 0.01) << how;
    EXPECT_LT(BytesPerSecond(static_cast<double>(large.bytes.count()) / second.count()), BytesPerSecond(2e13))
        << how << ": no GPU copies faster";
  };
  enqueue_all();
  expect_laps("one by one");
  queue_.begin_capture();
  enqueue_all();
  const device::Captured captured = queue_.end_capture();
  for (int replay = 0; replay < 3; ++replay) {
    queue_.replay(captured);
    expect_laps("in a graph");
  }
}

}  // namespace
}  // namespace wt
