#pragma once

#include <atomic>
#include <cstddef>

namespace wt::test {

// The bytes that operator new has given and operator delete has not taken back, and their highest sum
// (peak_memory_test.cpp, which replaces both).
extern std::atomic<std::ptrdiff_t> held, most_held;

// Measures what is held at most from its construction on, beyond what was held then. One at a time.
class PeakMemory {
 public:
  PeakMemory() : before_(held) { most_held = before_; }
  std::ptrdiff_t bytes() const { return most_held - before_; }

 private:
  std::ptrdiff_t before_;
};

}  // namespace wt::test
