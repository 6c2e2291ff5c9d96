#pragma once

#include <atomic>

namespace wt::test {

// The number of calls of operator new so far, and of malloc where they can be counted (allocation_test.cpp).
extern std::atomic<long> allocations;

}  // namespace wt::test
