// train/: the user's API. It brings a model, data and a strategy together, step after step, and decides
// between steps what depends on values. Read on in train/function.h, then train/model.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "execute/execution.h"
#include "model/layer.h"

namespace wt::train {

// The values of all variables between steps: a model's weights, an optimizer's slots, metrics. Several traced
// functions share them (a training step, an evaluation step, a step for the short last batch); the newest
// values lie in the execution that ran last, and travel only when another takes over. Where that has a copy per
// replica, every copy travels; who reads or writes a variable sees one value (train/copies.h).
class State {
 public:
  explicit State(std::uint64_t seed) : seed_(seed) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::uint64_t seed() const { return seed_; }

  // Gives weights that are new their initial values: the preset ones, else what their initializers say.
  void add(const std::vector<model::Weight>& weights);

  // Values by name, from a file: written now, or when a weight of that name is added.
  void preset(const std::map<std::string, Tensor>& values);

  // Names of preset values that no weight has asked for yet.
  std::vector<std::string> waiting() const;

  bool has(std::string_view name) const { return values_.contains(name); }
  const std::vector<model::Weight>& weights() const { return weights_; }  // in the order of creation

  // Throws InputError, with what is known, when there is no such variable or the tensor is of another kind.
  Tensor read(std::string_view name) const;
  void write(std::string_view name, const Tensor& tensor);

  // The execution's variables become the newest values, which it then holds.
  void lend_to(execute::Execution& execution, const plan::Plan& plan);

  // The newest values come back from the execution that has them, whose memory another may then use.
  void take_back();

  // Must be called before an execution ends: the newest values may be in it.
  void take_back_from(const execute::Execution& execution);

 private:
  struct Value {
    std::size_t weight = 0;           // of weights_
    std::vector<Tensor> copies{};     // one, or one per replica; old where the holder has newer ones
    std::vector<std::string> lent{};  // the holder's ports; none: it doesn't have the variable
  };
  const Value& known(std::string_view name) const;
  const model::Weight& weight_of(const Value& value) const { return weights_[value.weight]; }
  std::vector<Tensor> newest(const Value& value) const;

  std::uint64_t seed_ = 0;
  std::vector<model::Weight> weights_{};
  std::map<std::string, Value, std::less<>> values_{};
  std::map<std::string, Tensor, std::less<>> preset_{};  // for weights to come
  execute::Execution* holder_ = nullptr;
};

}  // namespace wt::train
