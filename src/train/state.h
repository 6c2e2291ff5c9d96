#pragma once

#include <map>
#include <string>
#include <vector>

#include "execute/execution.h"
#include "model/layer.h"

namespace wt::train {

// The values of all variables between steps: a model's weights, an optimizer's slots, and metrics.
//
// Several executions use the same variables: those of a training step, of an evaluation step, and of a step
// on a short last batch. The newest values stay in the memory of the execution that ran last, the holder, and
// are copied only when another execution runs. If the plans have one copy of a variable per replica, every
// copy is kept. Callers of read and write see one value per variable, whatever the number of copies
// (train/copies.h). The same holds where a plan has a variable in shards (strategy/shards.h).
class State {
 public:
  explicit State(std::uint64_t seed) : seed_(seed) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::uint64_t seed() const { return seed_; }

  // Adds the weights that the state does not have yet. The value of a new weight is its preset value or,
  // without one, that of its initializer. Throws InputError if a preset value has another shape or type.
  void add(const std::vector<model::Weight>& weights);

  // Sets values by name, as read from a file. A value of a weight that the state does not have is kept until
  // that weight is added. Throws InputError, and changes nothing, if a value has another shape or type than
  // its weight.
  void preset(const std::map<std::string, Tensor>& values);

  // Writes zeros. A preset value of a weight that has not been added is forgotten.
  void reset(const std::string& name);

  // Names of preset values whose weights have not been added yet.
  std::vector<std::string> waiting() const;

  bool has(std::string_view name) const { return values_.contains(name); }
  const std::vector<model::Weight>& weights() const { return weights_; }  // in the order of creation

  // These throw InputError if there is no such variable, or if the tensor has another shape or type.
  Tensor read(std::string_view name) const;
  void write(std::string_view name, const Tensor& tensor);
  // tf.distribute's experimental_local_results of a variable: each of its copies.
  std::vector<Tensor> local_results(std::string_view name) const;

  // Copies the newest values of the plan's variables into the execution, which becomes the holder. Requires:
  // the execution has the plan's ports, and the state has all variables of the plan.
  void lend_to(execute::Execution& execution, const plan::Plan& plan);

  // Copies the newest values back from the holder, whose memory may then be used by another execution.
  void take_back();

  // Calls take_back if this execution is the holder. Requires: this is called before an execution is
  // destroyed.
  void take_back_from(const execute::Execution& execution);

 private:
  struct Value {
    std::size_t weight = 0;              // index into weights_
    std::vector<Tensor> copies{};        // one, or one per replica; outdated if the holder has the variable
    std::vector<std::string> lent{};     // the holder's ports; empty if it does not have the variable
    std::vector<std::int64_t> shards{};  // rows of each port, where the ports are shards of one copy
  };
  using Ports = std::map<std::string_view, const TensorSpec*>;
  const Value& known(std::string_view name) const;
  const model::Weight& weight_of(const Value& value) const { return weights_[value.weight]; }
  std::vector<Tensor> newest(const Value& value) const;
  static void find_shards(const std::string& name, const Ports& ports, Value& value);
  static void write_shards(const Value& value, const Tensor& tensor, execute::Execution& execution);

  std::uint64_t seed_ = 0;
  std::vector<model::Weight> weights_{};
  std::map<std::string, Value, std::less<>> values_{};
  std::map<std::string, Tensor, std::less<>> preset_{};  // values of weights that have not been added
  execute::Execution* holder_ = nullptr;                 // null if no execution has newer values
};

}  // namespace wt::train
