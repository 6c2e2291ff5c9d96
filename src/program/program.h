// program/: the training step of one replica, as a program of kernels.
//
// A Step is a list of operations on values, with its inputs, variables and results. Every value has a type
// and a shape and is written once (static single assignment form). A C++ function is traced with symbols
// instead of numbers, as tf.function traces a Python function (Agrawal et al., TensorFlow Eager, 2019), and
// the operations that it applies become the program. Printed, such a step looks like this, with its backward
// pass left out:
//
//     step train
//       input x float32[4,3]
//       variable dense/kernel float32[3,2]
//       %2 float32[4,2] = matmul(x, dense/kernel)  # dense
//       %3 float32[4,2] = relu(%2)  # dense
//       %5 float32[4,2] = all_reduce(%3) sum
//       %6 float32[] = reduce_sum(%5) axes=[0,1]
//       ...
//       update(%13) dense/kernel
//       result loss = %6
//
// What must hold: an operation stands behind those whose values it reads. Shapes are fixed; another batch
// size is another step. Operations among replicas (all_reduce, gather) and updates of variables are explicit,
// so a strategy sees where the gradient ends and the update begins. A program has no numbers, no devices and
// no times.
//
// differentiate.h appends the gradient of a loss to a program. A strategy turns the step into a plan for its
// replicas (strategy/). placement.h and step_placement.h decide on which device TensorFlow would run each
// operation. Read on in program/trace.h, then plan/plan.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "kernel/kernel.h"

namespace wt {

enum class ValueId : std::int32_t {};
enum class VariableId : std::int32_t {};

// A tensor of the program. One node has it among its outputs, or it is an input or a variable of the step.
struct Value {
  TensorSpec spec{};
  std::string name{};
  // The part of its rows that are expected to be needed. TensorFlow computes and sends only those, and so only
  // they take time; here all are computed, since shapes are fixed (strategy/look_ups.h).
  double share = 1;
};

// The operations of a node.

// A kernel.
struct Apply {
  const Kernel* kernel = nullptr;
  Attributes attributes{};
};

// The same numbers with another shape. No memory is copied. No gradient leads through one that stops it.
struct Reshape {
  Shape shape{};
  bool stops_gradient = false;
};

// Operations among replicas. With one replica, all of them are the identity, except for a permutation.
enum class Reduction : std::uint8_t { sum, mean };
struct AllReduce {
  Reduction reduction = Reduction::sum;
};
struct Reduce {  // like AllReduce, but only one replica uses the result
  Reduction reduction = Reduction::sum;
};
struct Broadcast {};  // every replica receives the value of replica 0
struct Gather {       // concatenates the values of all replicas along axis 0
  std::int64_t replicas = 1;
};

// XLA's CollectivePermute: each target receives the value of its source. A replica that is not a target
// receives zeros. Requires: no replica is the source of two pairs or the target of two pairs.
struct SourceTarget {
  std::int64_t source = 0;
  std::int64_t target = 0;
};
struct Permute {
  std::vector<SourceTarget> pairs{};
  // The replica whose value the target receives, if there is one.
  std::optional<std::int64_t> source_of(std::int64_t target) const;
};

// Assigns the input to a variable. The variable has the new value from the next step on; within the step, all
// reads see the old one.
struct Update {
  VariableId variable{};
};

using Operation = std::variant<Apply, Reshape, AllReduce, Reduce, Broadcast, Gather, Permute, Update>;

struct Node {
  Operation operation{};
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};
  std::string scope{};       // the layer that made it: "conv2d", "gradient/conv2d"
  bool is_gradient = false;  // made by differentiation
};

// The nodes are in an order in which every value is written before it is read.
struct Program {
  std::vector<Value> values{};
  std::vector<Node> nodes{};

  const TensorSpec& spec(ValueId value) const { return values[index(value)].spec; }
  ValueId add_value(TensorSpec spec, std::string name = {});
};

// Appends a node and returns its outputs, whose types and shapes follow from the operation. Throws InputError
// where the inputs do not fit the operation.
std::vector<ValueId> append(Program& program, Operation operation, std::vector<ValueId> inputs,
                            std::string scope);

// When and how the copies of a variable are made equal. The names are those of tf.VariableSynchronization and
// tf.VariableAggregation.
enum class Synchronization : std::uint8_t { automatic, none, on_write, on_read };
enum class Aggregation : std::uint8_t { none, sum, mean, only_first_replica };

// A variable of a step. Programs have train::Variable.
struct StepVariable {
  std::string name{};
  ValueId value{};  // read by the nodes of this step
  bool trainable = true;
  Synchronization synchronization = Synchronization::automatic;
  Aggregation aggregation = Aggregation::none;
  std::string slot_of{};  // the variable whose state an optimizer keeps here, as in Adam's m; "": none
};

struct NamedValue {
  std::string name{};
  ValueId value{};
};

// The training step of one replica. Inputs are set before each step, variables keep their values from step to
// step, and results are read after each step.
struct Step {
  std::string name{};
  Program program{};
  std::vector<NamedValue> inputs{};
  std::vector<StepVariable> variables{};
  std::vector<NamedValue> results{};
  // Results are copied to the host in each step, as predictions are. Otherwise they stay on their device until the
  // program reads them, as a loss does.
  bool fetches_results = false;
};

// For each value, the position of the last node that reads it, or -1 if none does. A result counts as a read
// behind the last node.
std::vector<std::int32_t> last_reads(const Step& step);

// The step without the nodes on which no result and no update depends. The ids of values stay the same.
Step without_unused(Step step);

std::string_view name(const Operation& operation);  // "matmul", "all_reduce", "update"
std::string print(const Step& step);                // one line per node, as at the top of this file

}  // namespace wt
