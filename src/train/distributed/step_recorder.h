#pragma once
// Writes down what a replica computes operation by operation, as a step that can be lowered and simulated: its kernels,
// its all-reductions, and what it assigns to variables. Tensors that the replica is given, or made before, are inputs.
// What a merge_call does is done once for all replicas and is not part of a replica's step.

#include <map>
#include <set>

#include "program/trace.h"
#include "train/distributed/variable.h"

namespace wt::train {

class StepRecorder {
 public:
  StepRecorder() = default;

  Step finish() &&;

  // Records on this thread, until the end of the block.
  class Here {
   public:
    explicit Here(StepRecorder& recorder);
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
  };
  static StepRecorder* here();  // null: nothing is recorded on this thread

  void operation(std::string_view kernel, const Attributes& attributes, std::span<const EagerTensor> inputs,
                 std::span<const EagerTensor> outputs);
  void all_reduced(ReduceOp op, const EagerTensor& given, const EagerTensor& reduced);
  // The rows of all replicas, of which each has equally many.
  void gathered(const EagerTensor& given, const EagerTensor& all);
  void read(const Variable& copy);
  // The copy was `before`, and is now what the kernel makes of that and the given value, or without a kernel this value.
  void assigned(const Variable& copy, std::string_view kernel, const EagerTensor& before,
                const EagerTensor& given);

 private:
  // Tensors that share their numbers are one, unless one is a part of the other.
  using Identity = std::pair<const std::byte*, std::int64_t>;
  Symbol symbol_of(const EagerTensor& tensor);
  Symbol consumed(const EagerTensor& tensor);
  Symbol variable_of(const Variable& copy);
  void name_value(const EagerTensor& value, Symbol symbol);
  void produced(const EagerTensor& tensor, Symbol symbol);

  Trace trace_{"step"};
  std::map<Identity, Symbol> known_{};
  std::vector<EagerTensor> kept_{};  // so that no address is used again
  std::map<std::string, Symbol> variables_{};
  std::set<ValueId> results_{};  // that nothing has consumed yet
  std::size_t inputs_ = 0;
};

}  // namespace wt::train
