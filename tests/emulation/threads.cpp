#include "emulation/threads.h"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/error.h"

namespace wt::emulation {
namespace {

constexpr int warp = 32;
constexpr std::size_t stack_bytes = 128 * 1024;

struct Barrier {
  int arrived = 0;
  unsigned generation = 0;
};

struct Thread {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stack_bytes);
  bool is_done = false;
};

struct Warp {
  Barrier barrier{};
  std::array<std::array<std::byte, 16>, warp> values{};
};

struct Block {
  ucontext_t scheduler{};
  std::vector<Thread> threads{};
  std::vector<Warp> warps{};
  Barrier barrier{};
  const std::function<void()>* work = nullptr;
  bool has_moved = false;  // since a warp's last turn
};

Block block;

Thread& current() { return block.threads[threadIdx.x]; }

void wait(Barrier& barrier, int members) {
  const unsigned generation = barrier.generation;
  if (++barrier.arrived == members) {
    barrier.arrived = 0;
    ++barrier.generation;
    block.has_moved = true;
    return;
  }
  const unsigned self = threadIdx.x;
  while (barrier.generation == generation) {
    swapcontext(&current().context, &block.scheduler);
    threadIdx.x = self;
  }
}

Warp& own_warp() { return block.warps[threadIdx.x / warp]; }

void enter() {
  (*block.work)();
  current().is_done = true;
  block.has_moved = true;
  swapcontext(&current().context, &block.scheduler);
}

void prepare(int threads) {
  if (block.threads.size() < static_cast<std::size_t>(threads))
    block.threads.resize(static_cast<std::size_t>(threads));
  block.warps.assign(static_cast<std::size_t>((threads + warp - 1) / warp), {});
  block.barrier = {};
  for (int i = 0; i < threads; ++i) {
    Thread& thread = block.threads[static_cast<std::size_t>(i)];
    thread.is_done = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = stack_bytes;
    thread.context.uc_link = &block.scheduler;
    makecontext(&thread.context, enter, 0);
  }
}

int members = 0;

// Lets the threads of a warp run as far as they come alone, so that one warp is ahead of the others wherever nothing
// holds it: that shows a barrier that is missing.
void run_warp(int begin, int end) {
  do {
    block.has_moved = false;
    for (int i = begin; i < end; ++i) {
      Thread& thread = block.threads[static_cast<std::size_t>(i)];
      if (thread.is_done) continue;
      threadIdx.x = static_cast<unsigned>(i);
      swapcontext(&block.scheduler, &thread.context);
    }
  } while (block.has_moved);
}

int left(int threads) {
  return static_cast<int>(std::count_if(block.threads.begin(), block.threads.begin() + threads,
                                        [](const Thread& thread) { return !thread.is_done; }));
}

void run_block(int threads) {
  prepare(threads);
  members = threads;
  for (unsigned passed = 0; left(threads) > 0; ++passed) {
    for (int first = 0; first < threads; first += warp) run_warp(first, std::min(first + warp, threads));
    expect(left(threads) == 0 || block.barrier.generation > passed,
           "{} threads of block {} wait for others that never come", left(threads), blockIdx.x);
  }
}

}  // namespace

void run(std::int64_t grid, int threads, const std::function<void()>& thread) {
  block.work = &thread;
  for (std::int64_t i = 0; i < grid; ++i) {
    blockIdx.x = static_cast<unsigned>(i);
    run_block(threads);
  }
}

void wait_for_block() { wait(block.barrier, members); }

void exchange(void* value, std::size_t size, int step) {
  const std::size_t lane = threadIdx.x % warp;
  expect(size <= 16, "a value of {} bytes is exchanged", size);
  std::memcpy(own_warp().values[lane].data(), value, size);
  wait(own_warp().barrier, warp);
  std::memcpy(value, own_warp().values[lane ^ static_cast<std::size_t>(step)].data(), size);
  wait(own_warp().barrier, warp);
}

unsigned vote(bool yes) {
  const std::size_t lane = threadIdx.x % warp;
  own_warp().values[lane][0] = std::byte{yes};
  wait(own_warp().barrier, warp);
  unsigned votes = 0;
  for (std::size_t i = 0; i < warp; ++i)
    if (own_warp().values[i][0] != std::byte{0}) votes |= 1U << i;
  wait(own_warp().barrier, warp);
  return votes;
}

}  // namespace wt::emulation
