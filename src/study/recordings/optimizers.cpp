// Recordings of the kind `optimizers` that train a small model for 8 steps in a loop of their own: one optimizer with
// its options, a schedule of its learning rate, or a loss scale with an infinite loss at some of the steps. Compared
// are the losses, gradients, rates, counts of steps, and all weights and slots.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "program/operations.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "study/recordings/optimizer_variables.h"
#include "train/optimizer_steps.h"

namespace wt::recordings {

namespace {

using Tensors = std::map<std::string, Tensor>;

// ---- The optimizer

// The options as Keras' JSON has them. A schedule is recorded as ["Name", {...}]. The recorded program drops
// adaptive_epsilon, which neither version knows.
void write_config(json::Writer& out, const json::Value& options) {
  out.begin_object();
  for (const json::Member& member : options.members()) {
    if (member.key == "exclude_layer" || member.key == "adaptive_epsilon") continue;
    out.key(member.key == "exclude" ? "exclude_from_weight_decay" : member.key);
    if (member.key == "learning_rate" && member.value.kind() == json::Kind::array) {
      out.begin_object().member("class_name", member.value.elements()[0].string()).key("config");
      json::write_value(out, member.value.elements()[1]);
      out.end_object();
    } else {
      json::write_value(out, member.value);
    }
  }
  out.end_object();
}

void write_optimizer(json::Writer& out, const json::Value& name, const json::Value& options) {
  out.begin_object().member("class_name", name.string()).key("config");
  write_config(out, options);
  out.end_object();
}

std::string json_of(const Recording& recording) {
  json::Writer out;
  if (const json::Value* schedule = recording.config("schedule")) {
    out.begin_object().member("class_name", recording.config("optimizer")->string()).key("config");
    out.begin_object().key("learning_rate");
    write_optimizer(out, *schedule, *recording.config("options"));
    out.end_object().end_object();
  } else if (const json::Value* inner = recording.config("inner")) {
    out.begin_object().member("class_name", "LossScaleOptimizer").key("config").begin_object();
    write_optimizer(out.key("inner_optimizer"), inner->elements()[0], inner->elements()[1]);
    for (const json::Member& option : recording.config("options")->members())
      json::write_value(out.key(option.key), option.value);
    out.end_object().end_object();
  } else {
    write_optimizer(out, *recording.config("optimizer"), *recording.config("options"));
  }
  return out.text();
}

model::Optimizer optimizer_of(const Recording& recording) {
  Problems problems;
  const auto optimizer =
      model::read_optimizer(json::parse(json_of(recording), "optimizer"), problems, recording.semantics());
  problems.throw_if_any();
  return *optimizer;
}

// ---- The training

constexpr int steps = 8;

class Trained {
 public:
  Trained(const Recording& recording, Comparison& comparison, std::int64_t replicas)
      : recording_(recording),
        comparison_(comparison),
        layer_(model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"))),
        tensors_(recording.tensors()),
        optimizer_(optimizer_of(recording)),
        machine_(replicas),
        replicas_(replicas) {
    exclude_layer();
    for (const auto& [name, tensor] : weights("initial")) state_.preset({{name, tensor}});
    training_.create_variables(arguments(0));
    training_.update().plan_for(arguments(0));
  }

  void compare() {
    comparison_.starts_to_compute();
    compare_slots(0);
    compare_scale(0);
    for (int step = 1; step <= steps; ++step) {
      const std::vector<Tensor> results = training_.run(arguments(step - 1)).front();
      comparison_.near(fmt::format("the loss of step {}", step), results[0].values<float>()[0],
                       tensors_.at("losses").values<float>()[static_cast<std::size_t>(step - 1)]);
      compare_gradients(step, {results.begin() + 1, results.end()});
      compare_weights(fmt::format("weights/step{}", step));
      compare_slots(step);
      compare_progress(step);
      compare_scale(step);
    }
    compare_weights("final");
    train::overwrite_by_averages(state_, optimizer_);
    if (tensors_.contains("finalized/00/" + first_path())) compare_weights("finalized");
    compare_schedule();
  }

 private:
  static std::string name_in(const std::vector<model::Weight>& own, const std::string& path) {
    for (const model::Weight& weight : own)
      if (path == weight.name || path.ends_with("/" + weight.name)) return weight.name;
    return {};
  }

  // "initial/00/net/a/kernel" by the names here.
  Tensors weights(const std::string& when) {
    const std::vector<model::Weight> own = model::weights_of(*layer_);
    Tensors found;
    for (const auto& [recorded, tensor] : tensors_) {
      if (!recorded.starts_with(when + "/")) continue;
      const std::string path = recorded.substr(when.size() + 4), name = name_in(own, path);
      if (name.empty())
        comparison_.fail(fmt::format("no weight here is {}", path));
      else
        found.emplace(name, tensor);
    }
    return found;
  }

  std::string first_path() const {
    const auto first = tensors_.lower_bound("initial/00/");
    return first->first.substr(std::string("initial/00/").size());
  }

  void exclude_layer() {
    const json::Value* layer = recording_.config("options")->find("exclude_layer");
    if (layer == nullptr) return;
    for (const model::Weight& weight : model::weights_of(*layer_))
      if (weight.name.starts_with(layer->string() + "/"))
        optimizer_.undecayed_variables.push_back(weight.name);
  }

  // The rows of a step, an equal share on each replica, and 1, or infinity where the loss is made infinite.
  train::PerReplica arguments(int step) const {
    double factor = 1;
    if (const json::Value* infinite = recording_.config("infinite_at"))
      for (const json::Value& at : infinite->elements())
        if (at.integer() == step + 1) factor = std::numeric_limits<double>::infinity();
    train::PerReplica all(static_cast<std::size_t>(replicas_));
    for (const auto* name : {"x", "y"}) {
      const Tensor whole = tensors_.at(name).rows(step, step + 1);
      Shape shape;
      for (int axis = 1; axis < whole.shape().rank(); ++axis) shape.append(whole.shape()[axis]);
      const Tensor rows = whole.reshaped(shape);
      const std::int64_t share = shape[0] / replicas_;
      for (std::int64_t replica = 0; replica < replicas_; ++replica)
        all[static_cast<std::size_t>(replica)].push_back(
            rows.rows(replica * share, (replica + 1) * share).copy());
    }
    for (std::vector<Tensor>& own : all) own.push_back(Tensor::of<float>({}, {static_cast<float>(factor)}));
    return all;
  }

  // The results are the loss and the gradients.
  std::vector<Symbol> step(model::Building& building, const std::vector<Symbol>& arguments,
                           const model::ApplyOptions& options) {
    const Symbol predictions = (*layer_)(building, arguments[0]);
    const Symbol loss = reduce_mean(square(predictions - arguments[1])) / static_cast<double>(replicas_);
    const Symbol rate = model::learning_rate(building, optimizer_);
    const Symbol scaled = model::scaled_loss(building, optimizer_, loss * arguments[2]);
    const std::vector<Symbol> variables = building.trainable();
    const std::vector<Symbol> gradients = building.trace().gradient(scaled, variables);
    model::apply_gradients(building, optimizer_, variables, gradients, rate, options);
    std::vector<Symbol> results{reduce(loss, Reduction::sum)};
    for (const Symbol& gradient : gradients) results.push_back(reduce(gradient, Reduction::sum));
    return results;
  }

  // ---- Comparing

  void compare_gradients(int step, const std::vector<Tensor>& ours) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const std::string name = fmt::format("grads/step{}/{:02}", step, i);
      if (tensors_.contains(name)) comparison_.near(name, ours[i], tensors_.at(name), weight_limit);
    }
    const std::string all = fmt::format("scaled_grads/step{}", step);
    if (!tensors_.contains(all)) return;
    std::vector<float> numbers;
    for (const Tensor& tensor : ours)
      numbers.insert(numbers.end(), tensor.values<float>().begin(), tensor.values<float>().end());
    comparison_.near(all, Tensor::of<float>({std::ssize(numbers)}, numbers), tensors_.at(all), weight_limit);
  }

  void compare_weights(const std::string& when) {
    for (const auto& [name, theirs] : weights(when))
      comparison_.near(fmt::format("{} of {}", name, when), state_.read(name), theirs, weight_limit);
  }

  void compare_slots(int step) {
    compare_optimizer_variables(fmt::format("slots/step{}/", step), tensors_,
                                {optimizer_, state_, layer_->name(), recording_.semantics()}, comparison_);
  }

  std::int64_t iterations() const {
    return state_.read(model::iteration_name(optimizer_)).values<std::int64_t>()[0] / optimizer_.accumulation;
  }

  // Keras 3's rate under a schedule is that of the next step.
  double rate() {
    if (optimizer_.schedule && recording_.semantics() == model::Semantics::keras3)
      return scheduled_rate(iterations());
    return static_cast<double>(state_.read(model::learning_rate_name(optimizer_)).values<float>()[0]);
  }

  double scheduled_rate(std::int64_t iteration) {
    return static_cast<double>(
        rates_({Tensor::of<std::int64_t>({}, {iteration})}).front().values<float>()[0]);
  }

  void compare_progress(int step) {
    const auto at = static_cast<std::size_t>(step - 1);
    if (tensors_.contains("rates"))
      comparison_.near(fmt::format("the rate after step {}", step), rate(),
                       static_cast<double>(tensors_.at("rates").values<float>()[at]));
    if (const json::Value* counts = recording_.value("iterations_after_step"))
      comparison_.near(fmt::format("iterations after step {}", step), static_cast<double>(iterations()),
                       number_of(counts->elements()[at]));
  }

  void compare_scale(int step) {
    const json::Value* rows = recording_.value("scale_by_step");
    if (rows == nullptr) return;
    const json::Value& row = rows->elements()[static_cast<std::size_t>(step)];
    comparison_.near(fmt::format("iterations after step {}", step), static_cast<double>(iterations()),
                     number_of(*row.find("iterations")));
    const bool is_dynamic = optimizer_.scaled_loss->is_dynamic;
    const double scale =
        is_dynamic ? static_cast<double>(state_.read(model::loss_scale_name(optimizer_)).values<float>()[0])
                   : optimizer_.scaled_loss->initial_scale;
    comparison_.near(fmt::format("the loss scale after step {}", step), scale, number_of(*row.find("scale")));
    if (is_dynamic)
      comparison_.near(
          fmt::format("finite steps after step {}", step),
          static_cast<double>(state_.read(model::finite_steps_name(optimizer_)).values<std::int64_t>()[0]),
          number_of(*row.find("counter")));
  }

  void compare_schedule() {
    const json::Value* at = recording_.value("steps");
    if (!optimizer_.schedule || at == nullptr) return;
    std::vector<float> ours;
    for (const json::Value& iteration : at->elements())
      ours.push_back(static_cast<float>(scheduled_rate(iteration.integer())));
    comparison_.near("the schedule", Tensor::of<float>({std::ssize(ours)}, ours), tensors_.at("values"),
                     loss_limit);
  }

  const Recording& recording_;
  Comparison& comparison_;
  model::LayerPtr layer_;
  Tensors tensors_;
  model::Optimizer optimizer_;
  Machine machine_;
  std::int64_t replicas_;
  train::State state_{1};
  train::OptimizerSteps training_{
      "train",
      optimizer_,
      state_,
      machine_,
      [this](model::Building& building, const std::vector<Symbol>& arguments,
             const model::ApplyOptions& options) { return step(building, arguments, options); },
      recording_.semantics()};
  train::Function rates_{"rate", state_, machine_, train::Function::Mode::inference,
                         [this](model::Building&, const std::vector<Symbol>& arguments) {
                           return std::vector<Symbol>{model::rate_at(*optimizer_.schedule, arguments[0])};
                         }};
};

// Keras 3 refuses a fixed scale: so does this program, with the same fact.
bool is_refused_as_recorded(const Recording& recording, Comparison& comparison) {
  const json::Value* error = recording.error("dynamic_false");
  if (error == nullptr) return false;
  try {
    optimizer_of(recording);
    comparison.fail("LossScaleOptimizer takes dynamic=False, and Keras refuses it");
  } catch (const InputError& refusal) {
    comparison.same("the refused key",
                    refusal.problems().front().fact.find("fixed") != std::string::npos
                        ? "dynamic"
                        : refusal.problems().front().fact,
                    "dynamic");
  }
  return true;
}

}  // namespace

void compare_optimizer_on(const Recording& recording, Comparison& comparison, std::int64_t replicas) {
  if (is_refused_as_recorded(recording, comparison)) return;
  Trained(recording, comparison, replicas).compare();
}

void compare_optimizer(const Recording& recording, Comparison& comparison) {
  compare_optimizer_on(recording, comparison, 1);
}

// What TensorFlow computed under a mirrored strategy.
void compare_mirrored_optimizer(const Recording& recording, Comparison& comparison) {
  compare_optimizer_on(recording, comparison, recording.config("replicas")->integer());
}

}  // namespace wt::recordings
