// execute/: a plan read for values: real kernels on the devices at hand. It doesn't know time, nor which
// strategy wrote the plan.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/launch.h"
#include "plan/plan.h"

namespace wt::execute {

// A plan bound to memory: one arena per device, every operand's address known, the canonical order captured
// once. A step allocates nothing. Between steps the outside writes inputs and variables, and reads variables
// and results.
class Execution {
 public:
  // Requires: memory has been planned; plan and queue outlive the execution. All devices of the plan share
  // the queue, so ids are the order in which their work is done.
  Execution(const plan::Plan& plan, device::Queue& queue);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  void write(std::string_view port, const Tensor& tensor);  // to an input or a variable
  Tensor read(std::string_view port) const;                 // a copy of a variable or a result

  void step();
  void step(std::span<const plan::NodeId> order);  // Requires: a legal order.

 private:
  View view(const plan::Operand& operand) const;
  device::Task task(const plan::Node& node);
  device::Task task_of(const plan::Run& run);
  device::Task task_of(const plan::Move& move);
  device::Task task_of(const plan::Sum& sum);

  struct Copy {
    View source{};
    View target{};
  };
  using Additions = std::vector<device::Task>;

  const plan::Plan& plan_;
  device::Queue& queue_;
  std::vector<std::shared_ptr<std::byte>> arenas_{};  // by device
  std::deque<Launch> launches_{};                     // stay where they are
  std::deque<Copy> copies_{};
  std::deque<Additions> additions_{};
  std::vector<device::Task> tasks_{};  // by node
  std::vector<device::Task> captured_{};
};

}  // namespace wt::execute
