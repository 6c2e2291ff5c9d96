#include "model/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/regularizer.h"

namespace wt::model {

namespace {

// More elements than any machine can store. Extents come from files, and this limit keeps their products
// within 64 bits.
constexpr double most_elements = 1LL << 44;

void require_sensible(const TensorSpec& spec, std::string_view what) {
  double elements = 1;
  for (const std::int64_t extent : spec.shape) elements *= static_cast<double>(extent);
  if (elements > most_elements)
    throw InputError(fmt::format("[model] {} is {}: {:.1e} elements", what, print(spec), elements),
                     fmt::format("at most {:.1e} are offered", most_elements));
}

// x with the axis `from` at `to`.
Symbol with_moved_axis(Symbol x, int from, int to) {
  Shape order;
  for (int axis = 0; axis < x.shape().rank(); ++axis)
    if (axis != from) order.append(axis);
  Shape moved;
  for (int axis = 0; axis < x.shape().rank(); ++axis)
    moved.append(axis == to ? from : order[axis < to ? axis : axis - 1]);
  return transpose(x, moved);
}

// Outputs of another rank, those of a global pooling, have no axes but batch and channels.
template <class Call>
std::vector<Symbol> with_channels_last(std::vector<Symbol> inputs, const Call& call) {
  const int rank = inputs.empty() ? 0 : inputs[0].shape().rank();
  for (Symbol& input : inputs)
    if (input.shape().rank() == rank && rank > 2) input = with_moved_axis(input, 1, rank - 1);
  std::vector<Symbol> outputs = call(inputs);
  for (Symbol& output : outputs)
    if (output.shape().rank() == rank && rank > 2) output = with_moved_axis(output, rank - 1, 1);
  return outputs;
}

// The inputs without the masks behind them. An input with a mask of its own is another tensor, so that the mask of the
// given one stays as it is for other layers.
std::vector<Symbol> masked_inputs(Building& building, std::vector<Symbol> inputs,
                                  const CallOptions& options) {
  const std::size_t masks = options.masked_inputs.size();
  if (masks == 0 || masks >= inputs.size()) return inputs;
  const std::size_t own = inputs.size() - masks;
  for (std::size_t i = 0; i < masks; ++i) {
    const std::size_t masked = options.masked_inputs[i];
    if (masked >= own)
      throw InputError("[model] there are more masks than inputs", "pass one for each input");
    inputs[masked] = reshape(inputs[masked], inputs[masked].shape());
    building.set_mask(inputs[masked], inputs[own + i]);
  }
  inputs.resize(own);
  return inputs;
}

bool can_be_halves(Symbol x) { return x.spec().type == Type::float32 || is_half(x.spec().type); }

Symbol with_type(Symbol x, Type type) {
  return !can_be_halves(x) || x.spec().type == type ? x : cast(x, type);
}

bool rounds_outputs(UnderHalves rule) {
  return rule == UnderHalves::rounds_inputs || rule == UnderHalves::rounds_output;
}

// The type of the inputs that have one in common, and float32 for others.
Type common_type(const std::vector<Symbol>& inputs) {
  std::optional<Type> common;
  for (const Symbol& input : inputs)
    if (can_be_halves(input))
      common = common.value_or(input.spec().type) == input.spec().type ? input.spec().type : Type::float32;
  return common.value_or(Type::float32);
}

bool is_whole(Symbol x) {
  const Type type = x.spec().type;
  return !is_floating(type) && type != Type::boolean;
}

std::string prefixed(const Layer& layer, std::string_view fact) {
  const std::string_view noun = layer.parts().empty() ? "layer" : "model";
  return fmt::format("[{}] {} \"{}\": {}", layer.class_name(), noun, layer.name(), fact);
}

}  // namespace

Symbol Building::in_halves(const Weight& weight) {
  Weight wide = weight;
  wide.spec.type = Type::float32;
  const Symbol symbol = this->weight(wide);
  const auto [copy, is_new] = halves_.try_emplace({symbol.value, weight.spec.type});
  if (is_new) copy->second = cast(symbol, weight.spec.type);
  return copy->second;
}

Symbol Building::weight(const Weight& weight) {
  if (is_half(weight.spec.type)) return in_halves(weight);
  if (const auto found = symbols_.find(weight.name); found != symbols_.end()) {
    const auto& [symbol, owner] = found->second;
    if (owner != now_.caller)
      throw InputError(fmt::format("[model] two layers have a weight named \"{}\"", weight.name),
                       "rename one of the layers: weight names do not include the names of nested models");
    if (symbol.spec() != weight.spec)
      throw InputError(fmt::format("[model] weight \"{}\" is {} in one place and {} in another", weight.name,
                                   print(symbol.spec()), print(weight.spec)),
                       "call a shared layer on inputs of one shape; give two layers two names");
    return values_in_use({symbol}).front();
  }
  require_sensible(weight.spec, fmt::format("weight \"{}\"", weight.name));
  weights_.push_back(weight);
  Weight& added = weights_.back();
  if (now_.frozen) added.options.trainable = false;
  const Symbol symbol = trace_.variable(added.name, added.spec, added.options);
  symbols_.emplace(added.name, Owned{symbol, now_.caller});
  const auto assignment = assignments_.find(weight.name);
  if (assignment == assignments_.end()) return symbol;
  const Symbol value = assignment->second(symbol);
  if (value.value == symbol.value) return symbol;
  update(symbol, value);
  assigned_.emplace(symbol.value, value);
  return value;
}

std::vector<Symbol> Building::values_in_use(const std::vector<Symbol>& weights) const {
  std::vector<Symbol> values = weights;
  for (Symbol& value : values)
    if (const auto found = assigned_.find(value.value); found != assigned_.end()) value = found->second;
  return values;
}

Symbol Building::symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end())
    throw InputError(fmt::format("[model] there is no weight \"{}\" in this step", name));
  return found->second.symbol;
}

void Building::update(Symbol weight, Symbol value) {
  if (now_.caller != nullptr && assigning_layer_.empty()) assigning_layer_ = now_.caller->class_name();
  trace_.update_again(weight, value);
  updated_.insert_or_assign(weight.value, value);
}

Symbol Building::latest(Symbol weight) const {
  const auto found = updated_.find(weight.value);
  return found == updated_.end() ? weight : found->second;
}

Symbol Building::random_stream(const std::string& name, std::optional<std::int64_t> seed) {
  const TensorSpec spec{Type::int64, {2}};
  const VariableOptions options{.trainable = false,
                                .synchronization = Synchronization::on_read,
                                .aggregation = Aggregation::only_first_replica};
  const Weight state{name, spec, {StreamStart{replication_.draws_the_same}, seed}, options, {}};
  const bool is_new = !symbols_.contains(name);
  const Symbol stream = weight(state);
  if (!is_new) return stream;
  const TensorSpec one{Type::int64, {1}};
  update(stream, stream + concat({fill(trace_, one, 0), fill(trace_, one, 1)}, 0));
  return stream;
}

std::vector<Symbol> Building::trainable() const {
  std::vector<Symbol> symbols;
  for (const Weight& weight : weights_)
    if (weight.options.trainable) symbols.push_back(symbols_.at(weight.name).symbol);
  return symbols;
}

std::optional<Symbol> Building::regularization() {
  std::optional<Symbol> sum;
  const auto add = [&](Symbol term) { sum = sum ? *sum + term : term; };
  const bool counts_frozen = is_on(Switch::frozen_weights_are_penalised, semantics_);
  for (const Weight& weight : weights_)
    if (weight.regularizer && (weight.options.trainable || counts_frozen))
      add(penalty(values_in_use({symbols_.at(weight.name).symbol}).front(), *weight.regularizer, semantics_));
  for (const Symbol loss : losses_) add(loss);
  return sum;
}

void Building::complete_updates() {
  for (const Weight& weight : weights_) {
    const Symbol variable = symbols_.at(weight.name).symbol;
    if (const auto assigned = assigned_.find(variable.value); assigned != assigned_.end())
      if (const auto value = trace_.updated_value(variable); value && value->value != assigned->second.value)
        trace_.update_again(variable, *value + (assigned->second - variable));
    if (!weight.constraint) continue;
    if (const auto value = trace_.updated_value(variable))
      trace_.update_again(variable, constrained(*value, *weight.constraint));
  }
}

std::optional<Symbol> Building::mask_of(Symbol x) const {
  const auto found = masks_.find(x.value);
  return found == masks_.end() ? std::nullopt : std::optional(found->second);
}

void Layer::give_name(std::string name) {
  WT_EXPECT(name_.empty(), "layer {} is given a second name, {}", name_, name);
  name_ = std::move(name);
}

std::vector<Symbol> Layer::operator()(Building& building, const std::vector<Symbol>& inputs,
                                      const CallOptions& options) const {
  if (name_.empty() && parts().empty())
    refuse("it is called outside a model and has no name",
           "name it, or add it to a model, which names its layers");
  struct Restored {
    ~Restored() { building.now_ = before; }
    Building& building;
    Building::Circumstances before;
  } const restored{building, building.now_};
  const Type policy = policy_.value_or(building.policy());
  const std::vector<Symbol> own_inputs =
      inputs_by_policy(building, masked_inputs(building, inputs, options), policy);
  const std::optional<Symbol> mask = own_inputs.empty() ? std::nullopt : building.mask_of(own_inputs.front());
  building.now_ = {options.training.value_or(building.training()),
                   building.frozen() || !trainable_,
                   policy,
                   this,
                   options,
                   mask};
  try {
    auto outputs = building.trace().in_scope(name_.empty() ? snake_case(class_name()) : name_, [&] {
      auto computed =
          has_channels_first_
              ? with_channels_last(own_inputs, [&](const auto& moved) { return call(building, moved); })
              : call(building, own_inputs);
      if (parts().empty() && rounds_outputs(under_halves()))
        for (Symbol& output : computed) output = with_type(output, policy);
      attach_mask(building, own_inputs, computed);
      add_activity_penalty(building, computed);
      return computed;
    });
    for (const Symbol& output : outputs) require_sensible(output.spec(), "the result");
    return outputs;
  } catch (const LayerError&) {
    throw;
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) problem.fact = prefixed(*this, problem.fact);
    throw LayerError(*this, std::move(problems));
  }
}

// A model hands its inputs on as they are, to layers that have policies of their own.
bool Layer::makes_real_numbers(const Building& building, const std::vector<Symbol>& inputs) const {
  const WholeNumbers rule = whole_numbers();
  if (rule == WholeNumbers::keeps || !is_on(Switch::whole_numbers_join_real_ones, building.semantics()))
    return false;
  return rule == WholeNumbers::converts ||
         std::ranges::any_of(inputs, [](Symbol input) { return is_floating(input.spec().type); });
}

std::vector<Symbol> Layer::inputs_by_policy(Building& building, std::vector<Symbol> inputs,
                                            Type policy) const {
  if (!parts().empty()) return inputs;
  // Only halves are not rounded on the way in; a layer whose own policy is float32 takes halves as float32.
  const UnderHalves rule = policy == Type::float32 && under_halves() == UnderHalves::rounds_output
                               ? UnderHalves::rounds_inputs
                               : under_halves();
  const bool is_made_real = makes_real_numbers(building, inputs);
  if (rule == UnderHalves::rounds_output && !is_made_real) return inputs;
  const Type wanted = rule == UnderHalves::follows ? common_type(inputs) : policy;
  for (Symbol& input : inputs) {
    const Symbol given = input;
    if (is_made_real && is_whole(input)) input = cast(input, Type::float32);
    if (rule != UnderHalves::rounds_output) input = with_type(input, wanted);
    if (const auto mask = building.mask_of(given); mask && input.value != given.value)
      building.set_mask(input, *mask);
  }
  return inputs;
}

void Layer::attach_mask(Building& building, const std::vector<Symbol>& inputs,
                        const std::vector<Symbol>& outputs) const {
  if (!parts().empty() || outputs.empty()) return;  // the layers inside a model attach their own
  const std::optional<Symbol> mask = mask_of_outputs(building, inputs);
  if (mask) building.set_mask(outputs.front(), *mask);
}

void Layer::add_activity_penalty(Building& building, const std::vector<Symbol>& outputs) const {
  if (!activity_regularizer_) return;
  for (const Symbol output : outputs)
    building.add_loss(penalty(output, *activity_regularizer_, building.semantics()) /
                      static_cast<double>(output.shape()[0]));
}

Symbol Layer::operator()(Building& building, Symbol input) const {
  const std::vector<Symbol> outputs = (*this)(building, std::vector<Symbol>{input});
  WT_EXPECT(outputs.size() == 1, "layer {} has {} outputs, and the caller expects one", name_,
            outputs.size());
  return outputs[0];
}

void Layer::refuse(std::string_view fact, std::string_view remedy) const {
  std::vector<Problem> problems(1);
  problems[0].fact = prefixed(*this, fact);
  problems[0].remedy = remedy;
  throw LayerError(*this, std::move(problems));
}

void Layer::require_positive(std::string_view what, std::int64_t value) const {
  if (value < 1) refuse(fmt::format("{} is {}", what, value), "it must be at least 1");
}

Symbol Layer::only(const std::vector<Symbol>& inputs) const {
  if (inputs.size() != 1) refuse(fmt::format("it takes one input and is given {}", inputs.size()));
  return inputs[0];
}

Symbol Layer::only(const std::vector<Symbol>& inputs, int rank) const {
  const Symbol input = only(inputs);
  if (input.shape().rank() != rank)
    refuse(fmt::format("it takes an input of rank {} and is given {}", rank, print(input.spec())),
           "the rank includes the batch axis");
  return input;
}

bool computes_in(const Layer& model, Type type) {
  const auto parts = model.parts();
  return model.policy() == type ||
         std::ranges::any_of(parts, [&](const auto& part) { return computes_in(*part, type); });
}

std::string snake_case(std::string_view class_name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string name;
  for (std::size_t i = 0; i < class_name.size(); ++i) {
    const char letter = class_name[i];
    const char next = i + 1 < class_name.size() ? class_name[i + 1] : '\0';
    if (i > 0 && is_upper(letter) && (is_lower(class_name[i - 1]) || is_lower(next) || is_digit(next)))
      name += '_';
    name += is_upper(letter) ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return name;
}

namespace {

void collect_names(const Layer& layer, std::set<std::string>& names) {
  names.insert(layer.name());
  for (const auto& part : layer.parts()) collect_names(*part, names);
}

// In Keras 2 the first input is input_1, and the first dense layer is dense, without a number.
std::string unused_name(const Layer& layer, const std::set<std::string>& used) {
  const bool is_input = layer.class_name() == "InputLayer";
  const std::string stem = is_input ? "input" : snake_case(layer.class_name());
  if (!is_input && !used.contains(stem)) return stem;
  int number = 1;
  while (used.contains(fmt::format("{}_{}", stem, number))) ++number;
  return fmt::format("{}_{}", stem, number);
}

}  // namespace

// Given names are collected first, so that a default name never equals a given one that comes later.
void name_layers(const Layer& model, const std::vector<LayerPtr>& layers) {
  std::map<std::string, const Layer*> own;
  std::set<std::string> used;
  for (const LayerPtr& layer : layers) {
    collect_names(*layer, used);
    if (layer->name().empty()) continue;
    if (const Layer* other = own.emplace(layer->name(), layer.get()).first->second; other != layer.get())
      throw InputError(fmt::format("[{}] model \"{}\" has two layers named \"{}\"", model.class_name(),
                                   model.name(), layer->name()),
                       "rename one: weights are named by their layers");
  }
  for (const LayerPtr& layer : layers) {
    if (!layer->name().empty()) continue;
    layer->give_name(unused_name(*layer, used));
    used.insert(layer->name());
  }
}

}  // namespace wt::model
