// plan/: one training step, written down as data. Everything a step does is a Run, a Move or a Sum; a Collective
// stands for many of them. Strategies write plans; `execute` reads them for values, `simulate` for time. A plan refuses to know who made it and who
// reads it. Read on in plan/memory.h, plan/costs.h, plan/timeline.h, then strategy/default.h.
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

// What memory is for. Down to results, buffers keep their address for the whole step and between steps.
enum class BufferKind : std::uint8_t {
  input,
  variable,
  optimizer_slot,
  result,
  activation,
  gradient,
  workspace,
  communication
};

bool outlives_step(BufferKind kind);
std::string_view name(BufferKind kind);

struct Buffer {
  std::string name{};
  DeviceId device{};
  Bytes bytes{};
  BufferKind kind{};
  Bytes address{};  // in its device's arena; set by plan_memory
};

// A tensor in a buffer.
struct Operand {
  BufferId buffer{};
  TensorSpec spec{};
  Bytes offset{};  // of its first number: collectives work on parts of a buffer
};

// A kernel on a device.
struct Run {
  DeviceId device{};
  const Kernel* kernel = nullptr;
  Boxed<Attributes> attributes{};  // large, and collectives have millions of nodes without any
  std::vector<Operand> inputs{};
  std::vector<Operand> outputs{};
  std::optional<BufferId> workspace{};
};

// A buffer's content to another buffer.
struct Move {
  Operand source{};
  Operand target{};
  std::vector<Move> more{};  // further pieces of the same message, between the same devices
};
Bytes payload(const Move& move);  // all pieces

// Staged slots into one tensor, in the order in which they stand.
struct Sum {
  DeviceId device{};
  std::vector<Operand> slots{};
  Operand output{};
};

// The moves and sums of a schedule, where not all of its ranks are in the plan or nobody wants to see them. It is timed;
// executed only by a library, all ranks being there. It has no stream: it begins when all that it waits for is done.
struct Collective {
  collective::Operation operation{};
  std::string algorithm{};               // of collective/catalog.h
  Boxed<collective::Request> request{};  // of all ranks
  std::vector<Operand> values{};         // of those in the plan; read and written
};

using Action = std::variant<Run, Move, Sum, Collective>;

// A device works on several things at once, one of each stream: a Run or a Sum waits until those before it
// (by id) in its stream are done, of stream `none` only for what it names in `after`. Moves have no stream:
// they share links.
enum class Stream : std::uint8_t { compute, communication, none };

struct Node {
  Action action{};
  std::vector<NodeId> after{};  // ascending; all smaller than the node's own id, so ids are a legal order
  std::string scope{};          // for people: "conv2d", "gradient/conv2d"
  Role role{};
  Stream stream = Stream::compute;
  // Of a Move: one with a smaller id, whose bytes have all flowed before its own do; its latency passes
  // meanwhile. It is a matter of time alone: values don't depend on it.
  std::optional<NodeId> behind{};
  // Of a message: those that were done with its slot's memory before, ascending. Values depend on it, time doesn't:
  // libraries have slots of their own, and enough for all that is on its way.
  std::vector<NodeId> slot_after{};
};

struct Device {
  std::string name{};
  std::optional<device::MemoryOptions> memory{};  // absent: without limit
  Bytes arena{};                          // end of the last byte that a buffer needs; set by plan_memory
  device::MemoryStatistics statistics{};  // its allocator's; set by plan_memory
};

// A buffer that found no place: a result of the simulated world, no error. Buffers after it have no address.
struct OutOfMemory {
  BufferId buffer{};
  std::optional<NodeId> node{};  // the first to need it; none: it outlives the step
  std::vector<BufferId> held{};  // what lay in the device's memory then
  Bytes free{};                  // in all pieces together
  Bytes largest_free{};          // in one piece
  Bytes slack{};                 // what the held buffers' chunks have too much
  std::string summary{};         // the allocator's log, as TensorFlow writes it
};

struct Port {
  std::string name{};
  Operand operand{};
};

struct Plan {
  std::string name{};
  std::vector<Device> devices{};
  std::vector<Buffer> buffers{};
  std::vector<Node> nodes{};

  // Where the outside writes and reads between steps.
  std::vector<Port> inputs{};
  std::vector<Port> variables{};
  std::vector<Port> results{};

  // How a library carries out a reduction, by its number (Role::number). The reductions that have no call here are
  // TensorFlow's own moves, or a schedule of the user's.
  std::map<std::int32_t, LibraryCall> calls{};

  // Why the plan holds every replica of the training. Empty: it holds those of one task, which stand for all.
  std::string why_expanded{};

  std::optional<OutOfMemory> out_of_memory{};  // set by plan_memory; such a plan can't be executed

  const Buffer& buffer(BufferId id) const { return buffers[index(id)]; }
  const Node& node(NodeId id) const { return nodes[index(id)]; }
  BufferId add_buffer(Buffer buffer);
  NodeId add_node(Action action, Label label);  // without dependencies: see order_accesses
};

// The buffers a node reads and writes. A workspace is written.
std::vector<BufferId> reads(const Action& action);
std::vector<BufferId> writes(const Action& action);

std::string_view kernel_name(const Node& node);  // a Run's kernel; "move", "sum", "collective"

std::string print(const Plan& plan);

}  // namespace wt::plan
