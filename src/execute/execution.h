// execute/: a plan read for values: real kernels on the devices at hand. It doesn't know time, nor which
// strategy wrote the plan.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "execute/intake.h"
#include "execute/queues.h"
#include "execute/relay.h"
#include "kernel/launch.h"
#include "plan/plan.h"

namespace wt::execute {

// A plan bound to memory: one arena per device, every operand's address known, the canonical order captured
// once, one launch for two neighbours where a kernel does both (execute/fusion.h). A step allocates nothing. Between
// steps the outside writes inputs and variables, and reads variables and results. What computes, and in whose memory,
// is the queues' matter: where there is one, ids are the order in which work is done; where there are several, each
// does its own in that order, and they wait for each other where the plan says so. The numbers are the same.
class Execution {
 public:
  // Requires: memory has been planned, and there was enough; plan and queues outlive the execution. Throws
  // device::ResourceExhaustedError where a queue's memory has no place for the arenas.
  Execution(const plan::Plan& plan, const Queues& queues);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Where memory is scarce, it is given back and got again with the next write or step. What it held is lost.
  void leave();

  // To an input or a variable. An input is the next step's: where the queues can, it travels while a step computes.
  void write(std::string_view port, const Tensor& tensor);
  Tensor read(std::string_view port) const;  // a copy of a variable or a result, when the step is done

  // Whether inputs that are written now travel beside the step under way, and whether all of the next one's do.
  bool takes_inputs_ahead() const { return intake_.is_open(); }
  bool has_inputs_ahead() const { return intake_.is_full(); }

  void step();                                     // begins one, when the one before is done
  void step(std::span<const plan::NodeId> order);  // Requires: a legal order.
  void wait() const;                               // returns when everything begun is done

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
  void enqueue(plan::NodeId node);  // without waiting for it
  std::span<const Touch> touches(plan::NodeId node) const { return touches_[index(node)]; }
  std::span<std::byte> arena(plan::DeviceId device) const;

 private:
  void enter();
  void bind();
  device::Memory& memory(plan::DeviceId device) const { return devices_[index(device)].compute->memory(); }
  std::unique_ptr<Relay> enqueue(std::span<const plan::NodeId> order, std::span<const device::Task> tasks);
  std::vector<device::Task> fused_tasks();  // by node; without a function: its neighbour does its work, too
  std::vector<std::byte*> addresses() const;
  View view(const plan::Operand& operand) const;
  View bind(const plan::Operand& operand, Access access);  // for the node whose task is being made
  void note_touch(plan::DeviceId device, std::span<const std::byte> bytes, Access access);
  device::Task task(const plan::Node& node);
  device::Task task_of(const plan::Run& run, device::Queue& queue);
  device::Task fused_task(const plan::Run& run, device::Queue& queue);
  device::Task task_of(const plan::Move& move, device::Queue& queue);
  device::Task task_of(const plan::Sum& sum, device::Queue& queue);
  device::Task task_of(const plan::Collective& collective, device::Queue& queue);

  struct Copy {
    View source{};
    View target{};
  };
  using Copies = std::vector<Copy>;  // the pieces of a move
  static void run_copies(const void* copies, device::Queue& queue);
  static void run_additions(const void* additions, device::Queue& queue);
  using Additions = std::vector<device::Task>;

  struct Whole {
    device::Communicator* library = nullptr;
    collective::Operation operation{};
    std::size_t root = 0;
    device::Shares shares{};
  };
  static void run_whole(const void* whole, device::Queue& queue);

  const plan::Plan& plan_;
  std::vector<PlaceQueues> devices_;      // by device
  device::Communicator* library_;         // of collectives that stay whole; none: there are none
  Team team_;                             // what computes or communicates
  std::vector<device::Queue*> everyone_;  // and what copies
  std::vector<device::Queue*> by_node_{};
  Intake intake_;
  std::vector<std::shared_ptr<std::byte>> arenas_{};  // by device; none: it has left
  std::vector<std::byte*> bound_to_{};                // the arenas' addresses that the tasks know
  std::deque<Launch> launches_{};                     // stay where they are
  std::deque<Copies> copies_{};
  std::deque<Additions> additions_{};
  std::deque<Whole> wholes_{};
  std::vector<device::Task> tasks_{};          // by node
  std::vector<std::vector<Touch>> touches_{};  // by node
  std::unique_ptr<Relay> relay_{};             // of several queues
  device::Captured captured_{};
  bool is_under_way_ = false;  // a step, since anybody waited
};

}  // namespace wt::execute
