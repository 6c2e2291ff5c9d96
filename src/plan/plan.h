// plan/ describes one training step as data: a graph of kernels, copies and sums on the devices of a cluster.
// Strategies write plans, execute/ computes the values of a plan, and simulate/ computes when each of its
// nodes runs. Both read the same nodes, so what is timed is what is computed.
//
// Every node is a Run (a kernel on a device), a Move (bytes from one buffer to another) or a Sum (staged
// slots added in a stated order). A Collective stands for the many moves and sums of one schedule. Two GPUs
// that add their gradients on the first one look like this in the text of print(), which also lists the other
// buffers:
//
//   plan mirrored
//     device /GPU:0 needs 768 B
//     device /GPU:1 needs 512 B
//     gradient       dw 4 B at 256
//     gradient       dw/1 4 B at 256
//     communication  slot 4 B at 512
//       0 run matmul (x float32[1,4], d float32[4,1]) -> dw float32[1,1]  # gradient [gradient]
//       1 run matmul (x1 float32[1,4], d1 float32[4,1]) -> dw/1 float32[1,1]  # replica_1/gradient [gradient]
//       2 move dw/1 float32[1,1] -> slot float32[1,1] after 1  # all_reduce/0 [reduction]
//       3 sum dw float32[1,1], slot float32[1,1] -> dw float32[1,1] after 0 2  # all_reduce/0 [reduction]
//
// These conditions hold in every plan:
// - A node depends on nodes with smaller ids only. The ids are therefore a legal order, and any other order
//   that respects the dependencies gives the same bits.
// - Values never influence time. A skipped update is a select, which takes the same time as an update.
// - Whatever changes from step to step, such as the learning rate, is a buffer and never a constant in the
//   plan.
// - A plan does not record which strategy wrote it or what will read it.
//
// A step as a static dataflow graph over devices is the execution model of TensorFlow (Abadi et al.,
// "TensorFlow: A System for Large-Scale Machine Learning", 2016). Sums with a stated order are added here, so
// that results are reproducible. Read on in README.md, plan/order.h, plan/memory.h, plan/costs.h and
// plan/timeline.h, then in strategy/default.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/boxed.h"
#include "base/id.h"
#include "collective/request.h"
#include "device/allocator.h"
#include "kernel/kernel.h"
#include "plan/library_call.h"
#include "plan/role.h"

namespace wt::plan {

enum class DeviceId : std::int32_t {};
enum class BufferId : std::int32_t {};
enum class NodeId : std::int32_t {};

// The use of a buffer. The kinds from `input` to `result` keep their address for the whole step and between
// steps; the others live from their first access to their last.
enum class BufferKind : std::uint8_t {
  input,
  input_ahead,  // rows of the next step, which are copied while this one computes; no node of the plan uses them
  variable,
  optimizer_slot,
  result,
  activation,
  gradient,
  workspace,
  communication,
  arrival  // what a sum of a collective reads and another device has sent: it lies in the memory of the library
};

bool outlives_step(BufferKind kind);  // true from `input` to `result`
std::string_view name(BufferKind kind);

// A range of a device's memory.
struct Buffer {
  std::string name{};
  DeviceId device{};
  Bytes bytes{};
  BufferKind kind{};
  Bytes address{};  // in its device's arena; set by plan_memory
};

// A tensor that lies in a buffer.
struct Operand {
  BufferId buffer{};
  TensorSpec spec{};
  Bytes offset{};  // of the first element; collectives work on parts of a buffer
};

// One kernel on one device.
struct Run {
  DeviceId device{};
  const Kernel* kernel = nullptr;
  Boxed<Attributes>
      attributes{};  // boxed, since they are large and most of a collective's millions of nodes have none
  std::vector<Operand> inputs{};
  std::vector<Operand> outputs{};
  std::optional<BufferId> workspace{};  // scratch memory of the kernel
};

// A copy of an operand into another buffer, on the same device or over the links between two devices.
struct Move {
  Operand source{};
  Operand target{};
  std::vector<Move> more{};  // further pieces of the same message, between the same devices
};
Bytes payload(const Move& move);  // bytes of all pieces together

// The sum of staged slots in one tensor. The slots are added in the order in which they are listed, so the
// rounding is always the same.
struct Sum {
  DeviceId device{};
  std::vector<Operand> slots{};
  Operand output{};
};

// A whole collective as one node. It is used where the plan holds only some of the ranks, or where the single
// messages are of no interest. It can always be timed. It can be executed only by a library, and only if all
// ranks are in the plan. It occupies no stream and begins as soon as all of its dependencies have finished.
struct Collective {
  collective::Operation operation{};
  std::string algorithm{};               // name of a row of collective/catalog.h
  Boxed<collective::Request> request{};  // for all ranks, also those outside the plan
  std::vector<Operand> values{};         // one per rank in the plan; read and written
};

using Action = std::variant<Run, Move, Sum, Collective>;

// The streams of a device work at the same time, and each stream works on one node at a time. A Run or a Sum
// waits until all nodes of its stream with smaller ids are done. A node with stream `none` waits only for its
// dependencies. Moves occupy no stream; they share the bandwidth of links.
enum class Stream : std::uint8_t { compute, communication, none };

// One step of the graph: an action, its dependencies, and its purpose.
struct Node {
  Action action{};
  std::vector<NodeId> after{};  // dependencies, ascending; all are smaller than the node's own id
  std::string scope{};          // the layer, for people: "conv2d", "gradient/conv2d"
  Role role{};                  // the same for programs
  Stream stream = Stream::compute;
  // For a Move, another Move with a smaller id whose bytes must all have flowed before this one's begin to.
  // The latency of this one passes meanwhile. It influences time only; values don't depend on it.
  std::optional<NodeId> behind{};
  // The part of the action that is expected to be needed: of look-ups in a shard, those whose row the shard
  // has. It influences time only.
  double share = 1;
  // For a message, the earlier users of the memory of its slot, ascending. Values depend on this order and
  // time does not, because libraries have enough slots for all messages on their way.
  std::vector<NodeId> slot_after{};
};

// A device of the plan with its memory.
struct Device {
  std::string name{};
  std::optional<device::MemoryOptions> memory{};  // absent: no limit
  Bytes arena{};  // end of the last byte that a buffer needs; set by plan_memory
  // What the device needs of its memory where it stores less than the arena holds (MemoryOptions::rounds_activations, and
  // buffers of a library); set by plan_memory.
  std::optional<Bytes> stored{};
  device::MemoryStatistics statistics{};  // of its allocator; set by plan_memory
  bool holds_next_rows = false;           // beside a step's rows lie those of the next one (rows.h)
  // Set by in_turns (turns.h), which gives replicas that share a memory a seat for their turns.
  bool is_parked = false;  // the arena lies in the memory of the host, where no kernel works on it
  std::string seat_of{};   // of a seat: the name of a device that works there, in whose place the seat lies
};

// The memory that the device of a plan needs.
inline Bytes needed(const Device& device) { return device.stored.value_or(device.arena); }

// A buffer that did not fit. It is a result of the simulated world and not an error of the program. Buffers
// that would have been allocated later have no address.
struct OutOfMemory {
  BufferId buffer{};
  std::optional<NodeId> node{};  // the node that accesses it first; absent: it outlives the step
  std::vector<BufferId> held{};  // the buffers in the device's memory at that moment
  Bytes free{};                  // sum of all free pieces
  Bytes largest_free{};          // largest free piece
  Bytes slack{};                 // unused bytes inside the chunks of the held buffers
  std::string summary{};         // the allocator's summary, as TensorFlow logs it
};

// A named operand that the caller of a plan writes before a step or reads after it.
struct Port {
  std::string name{};
  Operand operand{};
};

struct Plan {
  std::string name{};  // of the strategy and the step, for people
  std::vector<Device> devices{};
  std::vector<Buffer> buffers{};
  std::vector<Node> nodes{};

  // The operands that the caller writes and reads between steps.
  std::vector<Port> inputs{};
  std::vector<Port> variables{};
  std::vector<Port> results{};

  // How a library carries out each reduction, by the reduction's number (Role::number). A reduction without
  // an entry consists of TensorFlow's own moves, or follows a schedule of the user.
  std::map<std::int32_t, LibraryCall> calls{};

  // The reason why the plan holds every replica of the training. If it is empty, the plan holds the replicas
  // of one task, which stand for all.
  std::string why_expanded{};

  std::optional<OutOfMemory> out_of_memory{};  // set by plan_memory; such a plan can't be executed

  const Buffer& buffer(BufferId id) const { return buffers[index(id)]; }
  const Node& node(NodeId id) const { return nodes[index(id)]; }
  BufferId add_buffer(Buffer buffer);
  NodeId add_node(Action action, Label label);  // without dependencies, which order_accesses adds
};

// The bytes of a Move that are expected to be needed (Node::share).
Bytes payload(const Node& move);

// The buffers that an action reads and those that it writes. A workspace counts as written.
std::vector<BufferId> reads(const Action& action);
std::vector<BufferId> writes(const Action& action);

Work work_of(const Run& run);                    // of its kernel, on operands of these shapes
std::string_view kernel_name(const Node& node);  // the kernel of a Run, else "move", "sum" or "collective"

std::string print(const Plan& plan);  // one line for each device, buffer and node

}  // namespace wt::plan
