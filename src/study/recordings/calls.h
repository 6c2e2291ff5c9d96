#pragma once
// Calls of a function of tensors, such as a loss, with its gradient: the recordings of losses, activations, regularizers
// and constraints. A recording has the tensors "<call>/value" and "<call>/grad", or an error by the name of the call.

#include <functional>
#include <memory>

#include "program/trace.h"
#include "study/recordings/comparison.h"

namespace wt::recordings {

class Calls {
 public:
  // The value, and the gradient if one is recorded.
  using Traced =
      std::function<std::vector<Symbol>(const std::vector<Symbol>& given, model::Semantics semantics)>;

  Calls(const Recording& recording, Comparison& comparison);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // Plans a call with these tensors. Where TensorFlow refused it, the same refusal is right.
  void add(std::string name, std::vector<Tensor> given, Traced traced);

  // Runs the calls that were planned.
  void compare(const Limit& limit);

 private:
  struct Call;

  const Recording& recording_;
  Comparison& comparison_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::unique_ptr<Call>> planned_{};
};

// {"class_name": ..., "config": {...}}, as a user writes it, with these options.
json::Value written_object(std::string_view class_name, const json::Value& options);

}  // namespace wt::recordings
