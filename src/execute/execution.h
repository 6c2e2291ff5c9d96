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
// and results. What computes, and in whose memory, is the queue's matter.
class Execution {
 public:
  // Requires: memory has been planned, and there was enough; plan and queue outlive the execution. All
  // devices of the plan share the queue, so ids are the order in which their work is done. Throws
  // device::ResourceExhaustedError where the queue's memory has no place for the arenas.
  Execution(const plan::Plan& plan, device::Queue& queue);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Where memory is scarce, it is given back and got again with the next write or step. What it held is lost.
  void leave();

  void write(std::string_view port, const Tensor& tensor);  // to an input or a variable
  Tensor read(std::string_view port) const;                 // a copy of a variable or a result

  void step();
  void step(std::span<const plan::NodeId> order);  // Requires: a legal order.

  // Checked mode, for those who don't trust kernels: a node alone, the addresses its task was bound to, and
  // all the memory there is. What a kernel changes must lie in what it may write; what it answers must not
  // depend on bytes that it may not read.
  enum class Access : std::uint8_t { read, write, workspace };
  struct Touch {
    plan::DeviceId device{};
    Bytes address{};
    Bytes bytes{};
    Access access{};
  };
  void run(plan::NodeId node);
  std::span<const Touch> touches(plan::NodeId node) const { return touches_[index(node)]; }
  std::span<std::byte> arena(plan::DeviceId device) const;

 private:
  void enter();
  void bind();
  std::vector<std::byte*> addresses() const;
  View view(const plan::Operand& operand) const;
  View bind(const plan::Operand& operand, Access access);  // for the node whose task is being made
  void note_touch(plan::DeviceId device, std::span<const std::byte> bytes, Access access);
  device::Task task(const plan::Node& node);
  device::Task task_of(const plan::Run& run);
  device::Task task_of(const plan::Move& move);
  device::Task task_of(const plan::Sum& sum);
  device::Task task_of(const plan::Collective& collective);

  struct Copy {
    View source{};
    View target{};
  };
  using Copies = std::vector<Copy>;  // the pieces of a move
  static void run_copies(const void* copies, device::Queue& queue);
  static void run_additions(const void* additions, device::Queue& queue);
  using Additions = std::vector<device::Task>;

  const plan::Plan& plan_;
  device::Queue& queue_;
  std::vector<std::shared_ptr<std::byte>> arenas_{};  // by device; none: it has left
  std::vector<std::byte*> bound_to_{};                // the arenas' addresses that the tasks know
  std::deque<Launch> launches_{};                     // stay where they are
  std::deque<Copies> copies_{};
  std::deque<Additions> additions_{};
  std::vector<device::Task> tasks_{};          // by node
  std::vector<std::vector<Touch>> touches_{};  // by node
  device::Captured captured_{};
};

}  // namespace wt::execute
