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

// A stack, on which threads run one after the other; one that waits has it for itself.
struct Fiber {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stack_bytes);
};

struct Thread {
  Fiber* fiber = nullptr;  // none: it hasn't begun
  bool is_done = false;
};

struct Warp {
  int next = 0, end = 0;  // threads that haven't begun
  Barrier barrier{};
  std::array<std::array<std::byte, 16>, warp> values{};
};

struct Block {
  ucontext_t scheduler{};
  std::vector<std::unique_ptr<Fiber>> fibers{};
  std::vector<Fiber*> idle{};
  std::vector<Thread> threads{};
  std::vector<Warp> warps{};
  Barrier barrier{};
  const std::function<void()>* work = nullptr;
  bool has_moved = false;  // since a warp's last turn
  int left = 0;            // threads that aren't done
};

Block block;

Thread& current() { return block.threads[threadIdx.x]; }
Warp& own_warp() { return block.warps[threadIdx.x / warp]; }

void switch_to_scheduler(Fiber& fiber) { swapcontext(&fiber.context, &block.scheduler); }

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
    switch_to_scheduler(*current().fiber);
    threadIdx.x = self;
  }
}

// A fiber's life: thread after thread of a warp, until none is left; then it waits for another warp's.
void live() {
  for (;;) {
    Fiber* const self = current().fiber;
    (*block.work)();
    current().is_done = true;
    --block.left;
    block.has_moved = true;
    Warp& own = own_warp();
    if (own.next < own.end) {
      threadIdx.x = static_cast<unsigned>(own.next++);
      current().fiber = self;
    } else {
      block.idle.push_back(self);
      switch_to_scheduler(*self);
    }
  }
}

Fiber* idle_fiber() {
  if (block.idle.empty()) {
    Fiber& fiber = *block.fibers.emplace_back(std::make_unique<Fiber>());
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    makecontext(&fiber.context, live, 0);
    block.idle.push_back(&fiber);
  }
  Fiber* const fiber = block.idle.back();
  block.idle.pop_back();
  return fiber;
}

void prepare(int threads) {
  block.threads.assign(static_cast<std::size_t>(threads), {});
  block.warps.clear();
  for (int first = 0; first < threads; first += warp)
    block.warps.push_back({.next = first, .end = std::min(first + warp, threads)});
  block.barrier = {};
  block.left = threads;
}

int members = 0;

// Lets the threads of a warp run as far as they come alone, so that one warp is ahead of the others wherever nothing
// holds it: that shows a barrier that is missing.
void run_warp(Warp& own) {
  const int begin = static_cast<int>(&own - block.warps.data()) * warp;
  do {
    block.has_moved = false;
    for (int i = begin; i < own.end; ++i) {
      Thread& thread = block.threads[static_cast<std::size_t>(i)];
      if (thread.is_done) continue;
      threadIdx.x = static_cast<unsigned>(i);
      if (thread.fiber == nullptr) {
        thread.fiber = idle_fiber();
        own.next = i + 1;
      }
      swapcontext(&block.scheduler, &thread.fiber->context);
    }
  } while (block.has_moved && block.left > 0);
}

void run_block(int threads) {
  prepare(threads);
  members = threads;
  for (unsigned passed = 0; block.left > 0; ++passed) {
    for (Warp& each : block.warps) run_warp(each);
    WT_EXPECT(block.left == 0 || block.barrier.generation > passed,
              "{} threads of block {} wait for others that never come", block.left, blockIdx.x);
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
  WT_EXPECT(size <= 16, "a value of {} bytes is exchanged", size);
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
