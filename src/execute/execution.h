// execute/: reads a plan for its values. Kernels run on the CPU or the GPUs of this machine, and numbers are
// copied between the memories of the plan's devices.
//
// A plan (plan/plan.h) lists nodes in a legal order, and buffers that have addresses. An Execution allocates
// one arena of memory for each device of the plan, makes a task of every node, captures the tasks once and
// replays them in every step:
//
//     Execution execution(plan, queue);
//     execution.write("x", images);
//     execution.step();
//     const Tensor loss = execution.read("loss");
//
// A Run of `matmul` whose output has address 1024 on device 0, for example, becomes a task that writes to the
// arena of device 0 from byte 1024 on.
//
// What must hold: the numbers do not depend on how a plan is run. On the same kind of device they have the
// same bits for any number of threads, in any legal order of the nodes, on one queue or several. The only
// exception is a library such as NCCL, which carries out whole collectives and adds in an order of its own. A
// step allocates no memory. Files here use no simulated time and do not depend on the strategy that wrote the
// plan; simulate/ reads the same plan for its times.
//
// Capturing a step and replaying it is the method of CUDA graphs (CUDA C++ Programming Guide, "CUDA Graphs").
// On the CPU, the captured step is a list of tasks. Read on in queues.h (which queue runs a node), handover.h
// and relay.h (several queues), intake.h (inputs that are copied during a step), fusion.h (two kernels in one
// launch) and measure.h (times of kernels).
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

// A plan that is bound to memory and ready to run. Between steps the caller writes inputs and variables, and
// reads variables and results. One queue runs the nodes in the order of their ids. Several queues each run
// their own nodes in that order and wait for each other where the plan has a dependency. Two neighbouring
// nodes that one kernel can compute are one launch (fusion.h).
class Execution {
 public:
  // Requires: the plan's memory has been planned without a shortage, and plan and queues outlive the
  // execution. Throws device::ResourceExhaustedError where the memory of a queue, or of the host for parked
  // devices, has no room for the arenas.
  Execution(const plan::Plan& plan, const Queues& queues);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Frees the arenas if memory is scarce (device/memory.h), so that another execution can use it. The next
  // write or step allocates them again. Their contents are lost.
  void leave();

  // Sets an input or a variable. An input is for the next step; if its queue can, it is copied while the
  // current step computes. Throws InputError if the plan has no such port, or one of another type or shape.
  void write(std::string_view port, const Tensor& tensor);
  // Waits for the step and returns a copy of a variable or a result.
  Tensor read(std::string_view port) const;

  // Whether inputs that are written now are copied during the current step, and whether all inputs of the
  // next step have been written in this way.
  bool takes_inputs_ahead() const { return intake_.is_open(); }
  bool has_inputs_ahead() const { return intake_.is_full(); }

  void step();                                     // waits for the last step and starts the next one
  void step(std::span<const plan::NodeId> order);  // runs a step in this order. Requires: the order is legal.
  // Runs a node after all that were started, on whatever queues these are. Requires: the caller calls it in a
  // legal order, in which nodes may occur again.
  void enqueue_after(plan::NodeId node);
  void wait() const;  // returns when all work that was started is done

  // Checked mode, for tests of kernels. It runs a single node, and shows the memory that its task may touch
  // and all memory of a device. A kernel must change nothing outside the memory that it may write, and its
  // results must not depend on bytes that it may not read.
  enum class Access : std::uint8_t { read, write, workspace };
  struct Touch {
    plan::DeviceId device{};
    Bytes address{};
    Bytes bytes{};
    Access access{};
  };
  void run(plan::NodeId node);
  void enqueue(plan::NodeId node);  // like `run`, but does not wait
  std::span<const Touch> touches(plan::NodeId node) const { return touches_[index(node)]; }
  std::span<std::byte> arena(plan::DeviceId device) const;

 private:
  void enter();
  void bind();
  device::Memory& memory(plan::DeviceId device) const { return devices_[index(device)].compute->memory(); }
  std::unique_ptr<Relay> enqueue(std::span<const plan::NodeId> order, std::span<const device::Task> tasks);
  std::vector<device::Task> fused_tasks();  // by node; empty where the launch of the node before computes it
  std::vector<std::byte*> addresses() const;
  View view(const plan::Operand& operand) const;
  View bind(const plan::Operand& operand, Access access);  // like `view`, and notes a touch of the node
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
  using Copies = std::vector<Copy>;  // the pieces of a Move
  static void run_copies(const void* copies, device::Queue& queue);
  static void run_additions(const void* additions, device::Queue& queue);
  using Additions = std::vector<device::Task>;

  // A collective that a library carries out as a whole.
  struct Whole {
    device::Communicator* library = nullptr;
    collective::Operation operation{};
    std::size_t root = 0;
    device::Shares shares{};
  };
  static void run_whole(const void* whole, device::Queue& queue);

  const plan::Plan& plan_;
  std::vector<PlaceQueues> devices_;        // by device
  device::Communicator* library_;           // carries out whole collectives; may be null
  Team team_;                               // the queues that compute or communicate
  std::vector<device::Queue*> all_queues_;  // these and the queues that copy inputs
  std::vector<device::Queue*> by_node_{};
  Intake intake_;
  std::vector<std::shared_ptr<std::byte>> arenas_{};  // by device; empty after leave()
  std::vector<std::byte*> bound_to_{};  // the addresses of the arenas to which the tasks are bound
  std::deque<Launch> launches_{};       // deques, since tasks hold pointers to the elements
  std::deque<Copies> copies_{};
  std::deque<Additions> additions_{};
  std::deque<Whole> wholes_{};
  std::vector<device::Task> tasks_{};          // by node
  std::vector<std::vector<Touch>> touches_{};  // by node
  std::unique_ptr<Relay> relay_{};             // only with several queues
  device::Captured captured_{};
  bool is_under_way_ = false;  // a step was started, and no write has waited for it yet
};

}  // namespace wt::execute
