#pragma once
// Writes down what replicas compute operation by operation, as a step for each that can be lowered and simulated: its
// kernels, its reductions, and what it assigns to variables. Tensors that a replica is given, or made before, are inputs.
//
//   std::vector<StepRecorder> steps(replicas);
//   const StepRecorder::Here all(steps);                            // the thread in which replicas meet
//   const StepRecorder::Here own(std::span(steps).subspan(i, 1));   // the thread of replica i
//
// A thread writes to one step, to those of all replicas, or to none. What a merge_call does is computed once, and stands
// in the step of each replica: a reduction as an all-reduce, the update of a copy in the step of its replica, and a single
// operation in every step, as each replica's device could compute it. A value of one replica that such an operation uses
// counts as sent to all replicas (Broadcast).
//
// A variable that replicas share is changed where it lives, so what it is changed by is sent there. On parameter servers
// that is a descent with the rate 1, which the lowering of the strategy knows how to divide among shards.
//
// What isn't in the time: that a shared variable is pulled again where a step reads it after it has changed it, scatter
// updates of integers, and what is done to a single shard of a variable.

#include <map>
#include <set>
#include <span>

#include "program/trace.h"
#include "train/distributed/variable.h"

namespace wt::train {

class StepRecorder {
 public:
  StepRecorder() = default;

  Step finish() &&;

  // The steps to which this thread writes until the end of the block.
  class Here {
   public:
    explicit Here(std::span<StepRecorder> recorders);
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;

   private:
    std::span<StepRecorder> outer_;
  };
  static Here of(std::size_t replica);  // where this thread writes to all steps, only to that of the replica
  static Here paused() { return Here({}); }
  static bool is_recording();

  // Of single operations.
  static void operation(std::string_view kernel, const Attributes& attributes,
                        std::span<const EagerTensor> inputs, std::span<const EagerTensor> outputs);

  // From values of the replicas to what each of them has then. A thread of one replica passes its own; a result that is
  // the same for all may be passed once. Slices are not added but put one behind the other.
  static void reduced(ReduceOp op, std::span<const Addend> values, std::span<const Addend> results);
  // The rows of all replicas, of which each has equally many.
  static void gathered(std::span<const EagerTensor> values, std::span<const EagerTensor> results);
  // Every replica has the first replica's value.
  static void broadcast(std::span<const Addend> values);

  // Of variables, or of their copies. `kernel` combines the old value with the given one; without it the variable becomes
  // the given value.
  static void read(const Variable& variable, const EagerTensor& value);
  static void assigned(const Variable& variable, std::string_view kernel, const EagerTensor& given);
  static void scattered(const Variable& variable, const IndexedSlices& slices);

  // Declares variables before the step begins, in the order in which a strategy has made them: parameter servers take them
  // in turn.
  void declare(std::span<const VariableDeclaration> variables);

 private:
  // Tensors that share their numbers are one, unless one is a part of the other.
  using Identity = std::pair<const std::byte*, std::int64_t>;
  static Identity identity_of(const EagerTensor& tensor);
  static void share(const EagerTensor& tensor);
  bool knows(const EagerTensor& tensor) const { return known_.contains(identity_of(tensor)); }
  Symbol symbol_of(const EagerTensor& tensor);
  Symbol consumed(const EagerTensor& tensor);
  void name_value(const EagerTensor& value, Symbol symbol);
  void produced(const EagerTensor& tensor, Symbol symbol);
  void send_first(ValueId value, const EagerTensor& tensor);

  Symbol declared(const VariableDeclaration& variable);
  Symbol variable_of(const Variable& variable);
  Symbol current(const Variable& variable);
  void change(const Variable& variable, std::string_view kernel, const EagerTensor& given);
  void change_rows(const Variable& variable, const IndexedSlices& slices);
  Symbol descended(const Variable& variable, Symbol gradient, double rate);
  bool is_brought_together(Symbol value) const;
  Symbol sent(const Variable& variable, Symbol value);
  Symbol append(Operation operation, Symbol input);
  Symbol reshaped(Symbol value, const Shape& shape);
  Symbol number(double value, Type type);

  Trace trace_{"step"};
  std::map<Identity, Symbol> known_{};
  std::vector<EagerTensor> kept_{};             // so that no address is used again
  std::map<std::int64_t, Symbol> variables_{};  // by their numbers
  std::map<std::int64_t, Symbol> changed_{};    // what they are now
  std::set<std::string, std::less<>> names_{};  // of variables
  std::set<ValueId> results_{};                 // that nothing has consumed yet
  std::size_t inputs_ = 0;
};

}  // namespace wt::train
