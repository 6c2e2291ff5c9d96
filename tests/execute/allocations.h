#pragma once

#include <atomic>

namespace wt::test {

// Calls of operator new so far, and of malloc where they can be counted; see allocation_test.cpp.
extern std::atomic<long> allocations;

}  // namespace wt::test
