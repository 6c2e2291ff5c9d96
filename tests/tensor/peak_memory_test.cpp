// Counts the bytes that this program holds, for tests of how memory grows: the high water mark of the process
// depends on all that has run before, and on the allocator.

#include "tensor/peak_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace wt::test {
std::atomic<std::ptrdiff_t> held{0}, most_held{0};
}

// Not inlined, since g++ would otherwise warn that malloc is paired with delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const auto bytes = static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  const std::ptrdiff_t now = wt::test::held += bytes;
  for (std::ptrdiff_t most = wt::test::most_held; most < now;)
    if (wt::test::most_held.compare_exchange_weak(most, now)) break;
  return memory;
}
// Replaced as well, since a sanitizer's own would be paired with the delete below; std::stable_sort takes it.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  wt::test::held -= static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }

namespace wt::test {
namespace {

TEST(PeakMemoryTest, CountsWhatIsHeldAtTheSameTime) {
  const PeakMemory peak;
  for (int i = 0; i < 10; ++i) const std::vector<char> gone(100'000);
  EXPECT_GE(peak.bytes(), 100'000);
  EXPECT_LT(peak.bytes(), 110'000);
  const std::vector<char> one(300'000), two(300'000);
  EXPECT_GE(peak.bytes(), 600'000);
  EXPECT_LT(peak.bytes(), 620'000);
}

}  // namespace
}  // namespace wt::test
