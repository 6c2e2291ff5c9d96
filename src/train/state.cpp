#include "train/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "strategy/replicas.h"
#include "strategy/shards.h"
#include "train/copies.h"

namespace wt::train {

namespace {

void require_same_spec(std::string_view name, const TensorSpec& variable, const TensorSpec& tensor) {
  if (variable == tensor) return;
  throw InputError(fmt::format("[state] variable \"{}\" is {}, and the tensor is {}", name, print(variable),
                               print(tensor)),
                   "a variable keeps its type and shape");
}

}  // namespace

void State::add(const std::vector<model::Weight>& weights) {
  for (const model::Weight& weight : weights) {
    if (const auto known = values_.find(weight.name); known != values_.end()) {
      // The options depend on the step's semantics. A weight that was added without a step may have others.
      weights_[known->second.weight].options = weight.options;
      continue;
    }
    Value& value = values_[weight.name];
    value.weight = weights_.size();
    weights_.push_back(weight);
    if (const auto found = preset_.find(weight.name); found != preset_.end()) {
      require_same_spec(weight.name, weight.spec, found->second.spec());
      value.copies = {std::move(found->second)};
      preset_.erase(found);
    } else if (std::holds_alternative<model::CopyOfVariable>(weight.initializer.rule)) {
      value.copies = {read(weight.options.slot_of).copy()};
    } else {
      value.copies = {model::initial_value(weight.initializer, weight.spec, weight.name, seed_)};
    }
  }
}

void State::preset(const std::map<std::string, Tensor>& values) {
  for (const auto& [name, tensor] : values)
    if (has(name)) require_same_spec(name, weight_of(known(name)).spec, tensor.spec());
  for (const auto& [name, tensor] : values) {
    if (has(name))
      write(name, tensor);
    else
      preset_[name] = tensor.copy();
  }
}

void State::reset(const std::string& name) {
  if (has(name))
    write(name, Tensor::zeros(weight_of(known(name)).spec));
  else
    preset_.erase(name);
}

std::vector<std::string> State::waiting() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : preset_) names.push_back(name);
  return names;
}

Tensor State::read(std::string_view name) const {
  const Value& value = known(name);
  return read_copies(weight_of(value), newest(value));
}

std::vector<Tensor> State::local_results(std::string_view name) const { return newest(known(name)); }

void State::write(std::string_view name, const Tensor& tensor) {
  const model::Weight& weight = weight_of(known(name));
  require_same_spec(name, weight.spec, tensor.spec());
  Value& value = values_.find(name)->second;
  if (!value.shards.empty())
    write_shards(value, tensor, *holder_);
  else
    for (std::size_t i = 0; i < value.lent.size(); ++i)
      holder_->write(value.lent[i], copy_of(weight, tensor, i, value.lent.size()));
  value.copies = {tensor.copy()};
}

const State::Value& State::known(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [other, value] : values_) names.push_back(other);
  throw InputError(fmt::format("[state] there is no variable \"{}\"", name), did_you_mean(name, names));
}

std::vector<Tensor> State::newest(const Value& value) const {
  if (value.lent.empty()) return value.copies;
  std::vector<Tensor> copies;
  for (const std::string& port : value.lent) copies.push_back(holder_->read(port));
  if (value.shards.empty()) return copies;
  Tensor whole = Tensor::zeros(weight_of(value).spec);
  std::int64_t row = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    std::ranges::copy(copies[i].bytes(), whole.rows(row, row + value.shards[i]).bytes().begin());
    row += value.shards[i];
  }
  return {whole};
}

void State::write_shards(const Value& value, const Tensor& tensor, execute::Execution& execution) {
  std::int64_t row = 0;
  for (std::size_t i = 0; i < value.lent.size(); ++i) {
    execution.write(value.lent[i], tensor.rows(row, row + value.shards[i]));
    row += value.shards[i];
  }
}

void State::find_shards(const std::string& name, const Ports& ports, Value& value) {
  for (std::string port = strategy::shard_name(name, 0); ports.contains(port);
       port = strategy::shard_name(name, value.lent.size())) {
    value.lent.push_back(port);
    value.shards.push_back(ports.find(port)->second->shape[0]);
  }
}

// If the plan has as many copies of a variable as before, each replica receives its own copy, so that counts
// such as those of metrics stay separate. For another number of replicas the copies are made from the value
// that the variable has when it is read.
void State::lend_to(execute::Execution& execution, const plan::Plan& plan) {
  if (holder_ == &execution) return;
  take_back();
  Ports ports;
  for (const plan::Port& port : plan.variables) ports.emplace(port.name, &port.operand.spec);
  std::size_t lent = 0;
  for (auto& [name, value] : values_) {
    for (std::string port = name; ports.contains(port); port = strategy::port_name(name, value.lent.size()))
      value.lent.push_back(port);
    if (value.lent.empty()) find_shards(name, ports, value);
    const std::size_t copies = value.lent.size();
    lent += copies;
    if (copies == 0) continue;
    const model::Weight& weight = weight_of(value);
    if (!value.shards.empty()) {
      value.copies = {read_copies(weight, value.copies)};
      write_shards(value, value.copies.front(), execution);
      continue;
    }
    if (value.copies.size() != copies && value.copies.size() > 1)
      value.copies = {read_copies(weight, value.copies)};
    for (std::size_t i = 0; i < copies; ++i)
      execution.write(value.lent[i], value.copies.size() == copies
                                         ? value.copies[i]
                                         : copy_of(weight, value.copies.front(), i, copies));
  }
  WT_EXPECT(lent == ports.size(), "the state has {} of the plan's {} variables", lent, ports.size());
  holder_ = &execution;
}

void State::take_back_from(const execute::Execution& execution) {
  if (holder_ == &execution) take_back();
}

void State::take_back() {
  if (holder_ == nullptr) return;
  for (auto& [name, value] : values_) {
    value.copies = newest(value);
    value.lent.clear();
    value.shards.clear();
  }
  holder_->leave();
  holder_ = nullptr;
}

}  // namespace wt::train
