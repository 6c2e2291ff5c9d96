#include "train/distributed/tape.h"

#include <algorithm>

#include "device/error.h"
#include "program/trace.h"
#include "train/distributed/gradient_of_operation.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

thread_local std::vector<GradientTape*> tapes;

// Slices of the same rows are kept one behind the other; beside a tensor they become one.
Addend sum(const Addend& a, const Addend& b) {
  const auto* left = std::get_if<IndexedSlices>(&a);
  const auto* right = std::get_if<IndexedSlices>(&b);
  if (left == nullptr || right == nullptr) return dense(a) + dense(b);
  return IndexedSlices{concat(std::vector{left->values, right->values}, 0),
                       concat(std::vector{left->indices, right->indices}, 0), left->dense_shape};
}

}  // namespace

EagerTensor dense(const Gradient& gradient) {
  WT_EXPECT(gradient.has_value(), "the target does not depend on the source");
  if (const auto* tensor = std::get_if<EagerTensor>(&*gradient)) return *tensor;
  const IndexedSlices& slices = std::get<IndexedSlices>(*gradient);
  const EagerTensor zero = zeros(slices.dense_shape.value(), slices.values.numbers.type());
  return {scattered(Change::scatter_add, zero.numbers, slices), slices.values.device};
}

GradientTape::GradientTape(bool persistent) : is_persistent_(persistent) { tapes.push_back(this); }
GradientTape::~GradientTape() { std::erase(tapes, this); }

GradientTape::Identity GradientTape::identity_of(const EagerTensor& tensor) {
  return {tensor.numbers.view().data, tensor.numbers.shape().elements()};
}

bool GradientTape::is_recording() {
  return std::ranges::any_of(tapes, [](const GradientTape* tape) { return !tape->is_paused_; });
}

void GradientTape::watch(const EagerTensor& tensor) {
  watched_.push_back(tensor);
  known_[identity_of(tensor)] = true;
}

void GradientTape::record(const std::vector<EagerTensor>& inputs, const EagerTensor& output,
                          const Backward& backward) {
  if (!is_floating(output.numbers.type())) return;
  const auto is_output = [&](const EagerTensor& input) { return identity_of(input) == identity_of(output); };
  if (std::ranges::any_of(inputs, is_output)) return;  // it is its own gradient
  for (GradientTape* tape : tapes) {
    if (tape->is_paused_ ||
        std::ranges::none_of(inputs, [&](const EagerTensor& input) { return tape->knows(input); }))
      continue;
    tape->nodes_.push_back({inputs, output, backward});
    tape->known_[identity_of(output)] = true;
  }
}

void GradientTape::record_read(const Variable& copy, const EagerTensor& value) {
  if (!copy.trainable() || !is_floating(value.numbers.type())) return;
  for (GradientTape* tape : tapes) {
    if (tape->is_paused_) continue;
    tape->reads_.push_back({copy, value});
    tape->known_[identity_of(value)] = true;
  }
}

std::vector<std::string> GradientTape::watched_variables() const {
  std::vector<std::string> names;
  for (const Read& read : reads_)
    if (std::ranges::find(names, read.copy.name()) == names.end()) names.push_back(read.copy.name());
  return names;
}

// Of a variable: the value that its copy here had when it was read.
EagerTensor GradientTape::tensor_of(const Source& source) const {
  if (const auto* tensor = std::get_if<EagerTensor>(&source)) return *tensor;
  const Variable copy = std::get<Variable>(source).copy_that_is_read();
  const auto read = std::ranges::find_if(reads_, [&](const Read& each) { return each.copy == copy; });
  return read == reads_.end() ? copy.stored() : read->value;
}

std::vector<Gradient> GradientTape::gradient(const EagerTensor& target, const std::vector<Source>& sources) {
  if (is_used_ && !is_persistent_)
    throw device::RuntimeError(
        "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)");
  is_used_ = is_paused_ = true;
  std::map<Identity, Addend> gradients;
  const auto add = [&](const EagerTensor& tensor, const Gradient& gradient) {
    if (!gradient || !knows(tensor)) return;
    const auto [known, is_new] = gradients.try_emplace(identity_of(tensor), *gradient);
    if (!is_new) known->second = sum(known->second, *gradient);
  };
  add(target, ones(target.numbers.shape(), target.numbers.type()));
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    const auto found = gradients.find(identity_of(node->output));
    if (found == gradients.end()) continue;
    EagerTensor of_output = dense(found->second);
    of_output.numbers = of_output.numbers.reshaped(node->output.numbers.shape());
    const std::vector<Gradient> of_inputs = node->backward(of_output);
    for (std::size_t i = 0; i < of_inputs.size(); ++i) add(node->inputs[i], of_inputs[i]);
  }
  is_paused_ = false;
  std::vector<Gradient> wanted;
  for (const Source& source : sources) {
    const EagerTensor value = tensor_of(source);
    const auto found = gradients.find(identity_of(value));
    wanted.push_back(found == gradients.end() ? Gradient{} : found->second);
    if (auto* tensor = wanted.back() ? std::get_if<EagerTensor>(&*wanted.back()) : nullptr)
      tensor->numbers = tensor->numbers.reshaped(value.numbers.shape());
  }
  return wanted;
}

}  // namespace wt::train
