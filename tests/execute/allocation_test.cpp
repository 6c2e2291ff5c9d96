// Claim: a step allocates nothing. This program replaces operator new and, except under a sanitizer that
// replaces them itself, malloc and its relatives, and counts the calls.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "device/cpu/workers.h"
#include "execute/allocations.h"
#include "support/training_step.h"

#if defined(__has_feature)
#define WT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WT_HAS_FEATURE(feature) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !WT_HAS_FEATURE(address_sanitizer) && !WT_HAS_FEATURE(thread_sanitizer)
#define WT_COUNTS_MALLOC
#endif

namespace wt::test {
std::atomic<long> allocations{0};
}
using wt::test::allocations;

#ifdef WT_COUNTS_MALLOC
// glibc's functions under their other names, which the replacements call. free is not replaced.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

// Not inlined, since g++ would otherwise warn that malloc is paired with delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace wt {
namespace {

// One allocation of each kind must be counted. Otherwise the zero in the other tests would prove nothing.
TEST(Execution, CountsAllocations) {
  const auto counted = [](const auto& allocate) {
    const long before = allocations;
    void* volatile memory = allocate();
    std::free(memory);
    return allocations - before;
  };
  EXPECT_GT(counted([] { return ::operator new(100); }), 0);
#ifdef WT_COUNTS_MALLOC
  EXPECT_EQ(counted([] { return std::malloc(100); }), 1);
  EXPECT_EQ(counted([] { return std::calloc(10, 10); }), 1);
  EXPECT_EQ(counted([] { return std::realloc(nullptr, 100); }), 1);
  EXPECT_EQ(counted([] { return std::aligned_alloc(64, 128); }), 1);
#endif
}

TEST(Execution, AllocatesNothingInAStepOfAnyModel) {
  for (const model::ZooChoice& choice : test::small_models()) {
    SCOPED_TRACE(choice.model->name);
    const test::Training made = test::training(*choice.build(), 2);
    const plan::Plan plan = strategy::lower_default(made.step, {"cpu:0"});
    device::Workers workers(1);
    device::CpuQueue queue(workers);
    execute::Execution execution(plan, queue);
    for (const auto& [name, tensor] : test::starting_values(made)) execution.write(name, tensor);
    const long before = allocations;
    for (int step = 0; step < 3; ++step) execution.step();
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace wt
