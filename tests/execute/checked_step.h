// Runs the nodes of a step in checked mode, on one device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/step.h"

namespace wt::test {

using execute::Execution;
using Access = Execution::Access;
using Memory = std::vector<std::byte>;

inline constexpr plan::DeviceId only_device{0};

inline void copy(const Execution::Touch& touch, std::span<const std::byte> from, std::span<std::byte> to) {
  const auto begin = static_cast<std::size_t>(touch.address.count());
  std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(touch.bytes.count()));
}

// std::equal compares bytes one by one, which takes minutes under the sanitizers.
inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// Runs a node twice: as it is, and after overwriting every byte that it may not read.
class CheckedStep {
 public:
  CheckedStep(const plan::Plan& plan, Execution& execution)
      : plan_(plan), execution_(execution), arena_(execution.arena(only_device)) {}

  void run() {
    for (const plan::NodeId node : plan::canonical_order(plan_)) {
      SCOPED_TRACE(fmt::format("node {} {} {}", index(node), plan::kernel_name(plan_.node(node)),
                               plan_.node(node).scope));
      ASSERT_NO_FATAL_FAILURE(run(node));
    }
  }

 private:
  void run(plan::NodeId node) {
    const Memory before(arena_.begin(), arena_.end());
    execution_.run(node);
    const Memory after(arena_.begin(), arena_.end());
    Memory expected = before;
    for (const auto& touch : execution_.touches(node))
      if (touch.access != Access::read) copy(touch, after, expected);
    ASSERT_TRUE(same_bytes(expected, after)) << "wrote where it was not bound";
    destroy_all_but_inputs(node, before);
    execution_.run(node);
    ASSERT_TRUE(expected_after(node, before, after)) << "its answer depends on what it may not read";
    std::copy(after.begin(), after.end(), arena_.begin());
  }

  // With all bits set, a float is NaN and an integer is negative.
  static constexpr int poison = 0xFF;

  void destroy_all_but_inputs(plan::NodeId node, const Memory& before) {
    std::memset(arena_.data(), poison, arena_.size());
    for (const auto& touch : execution_.touches(node))
      if (touch.access == Access::read) copy(touch, before, arena_);
  }

  // The outputs must be as in the first run, the inputs as before, and the bytes around them still
  // overwritten. A workspace may hold anything.
  bool expected_after(plan::NodeId node, const Memory& before, const Memory& after) const {
    Memory expected(arena_.size());
    std::memset(expected.data(), poison, expected.size());
    for (const auto& [access, source] : {std::pair{Access::read, std::span<const std::byte>(before)},
                                         {Access::write, after},
                                         {Access::workspace, arena_}})
      for (const auto& touch : execution_.touches(node))
        if (touch.access == access) copy(touch, source, expected);
    return same_bytes(expected, arena_);
  }

  const plan::Plan& plan_;
  Execution& execution_;
  std::span<std::byte> arena_;
};

inline Bytes end_of_touches(const plan::Plan& plan, const Execution& execution) {
  Bytes end{};
  for (const plan::NodeId node : plan::canonical_order(plan))
    for (const Execution::Touch& touch : execution.touches(node))
      end = std::max(end, touch.address + touch.bytes);
  return end;
}

}  // namespace wt::test
