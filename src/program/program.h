// program/: a step as a program. Tracing writes it, differentiation extends it, a strategy lowers it to a
// plan. A program knows shapes and kernels, never numbers, devices or time. Read on in program/trace.h.
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

// A value is written once: by the node that has it among its outputs, or by nobody (inputs and variables).
struct Value {
  TensorSpec spec{};
  std::string name{};
};

// What a node does with its inputs.

struct Apply {
  const Kernel* kernel = nullptr;
  Attributes attributes{};
};

// The same numbers under another shape. Costs nothing.
struct Reshape {
  Shape shape{};
};

// Operations among replicas. Where a strategy has one replica they are the identity, but for a permutation.
enum class Reduction : std::uint8_t { sum, mean };
struct AllReduce {
  Reduction reduction = Reduction::sum;
};
struct Reduce {  // as all-reduce, but only one replica uses the result
  Reduction reduction = Reduction::sum;
};
struct Broadcast {};  // replica 0's value
struct Gather {       // the replicas' values one after another along axis 0
  std::int64_t replicas = 1;
};

// XLA's CollectivePermute: a target has its source's value, and who is nobody's target zeros. No replica is the source
// or the target of two pairs.
struct SourceTarget {
  std::int64_t source = 0;
  std::int64_t target = 0;
};
struct Permute {
  std::vector<SourceTarget> pairs{};
  std::optional<std::int64_t> source_of(std::int64_t target) const;
};

// The variable has the input's value from the next step on; within the step, reads see the old one.
struct Update {
  VariableId variable{};
};

using Operation = std::variant<Apply, Reshape, AllReduce, Reduce, Broadcast, Gather, Permute, Update>;

struct Node {
  Operation operation{};
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};
  std::string scope{};       // who made it: "conv2d", "gradient/conv2d"
  bool is_gradient = false;  // made by differentiation
};

// In static single assignment form: nodes stand in an order in which every value is written before it is
// read.
struct Program {
  std::vector<Value> values{};
  std::vector<Node> nodes{};

  const TensorSpec& spec(ValueId value) const { return values[index(value)].spec; }
  ValueId add_value(TensorSpec spec, std::string name = {});
};

// Appends a node and its outputs, whose shapes the operation gives. Throws InputError when the inputs don't
// fit.
std::vector<ValueId> append(Program& program, Operation operation, std::vector<ValueId> inputs,
                            std::string scope);

// TensorFlow's words, reference VariableSynchronization and VariableAggregation.
enum class Synchronization : std::uint8_t { automatic, none, on_write, on_read };
enum class Aggregation : std::uint8_t { none, sum, mean, only_first_replica };

struct Variable {
  std::string name{};
  ValueId value{};  // what reads in this step see
  bool trainable = true;
  Synchronization synchronization = Synchronization::automatic;
  Aggregation aggregation = Aggregation::none;
  bool is_slot = false;  // the optimizer's, of another variable
};

struct NamedValue {
  std::string name{};
  ValueId value{};
};

// One replica's training step: a program, what it is given, what it keeps and what it answers.
struct Step {
  std::string name{};
  Program program{};
  std::vector<NamedValue> inputs{};
  std::vector<Variable> variables{};
  std::vector<NamedValue> results{};
};

// The last node that reads each value, -1 when none does. Results and updates count as reads.
std::vector<std::int32_t> last_reads(const Step& step);

// Without the nodes whose outputs nothing needs. Value ids stay.
Step without_unused(Step step);

std::string_view name(const Operation& operation);  // "matmul", "all_reduce", "update"
std::string print(const Step& step);

}  // namespace wt
