// What a model has measured since its metrics were reset.
#include <fmt/format.h>

#include "train/model_steps.h"

namespace wt::train {

// Before the first step there are no states, and every result is 0.
Tensor Model::metric_so_far(const model::Metric& metric) const {
  std::vector<Tensor> states;
  for (const std::string& name : model::state_names(metric)) {
    if (!state_.has(name)) return Tensor::zeros({Type::float32, {}});
    states.push_back(state_.read(name));
  }
  return model::metric_result(metric, states, steps_->options.semantics);
}

// Keras 3 computes results in each replica, from its own copies of the states, and averages them. They differ from the
// result of all rows where replicas have different numbers of rows.
Tensor Model::metric_of_step(const model::Metric& metric) const {
  const std::vector<std::string> names = model::state_names(metric);
  const bool is_shared = machine_.variables == VariablePlacement::on_parameter_device;
  if (!machine_.faithful || is_shared || machine_.replicas() == 1 || !state_.has(names.front()) ||
      !is_on(model::Switch::replicas_results_are_averaged, steps_->options.semantics))
    return metric_so_far(metric);
  std::vector<std::vector<Tensor>> states(machine_.replicas());
  for (const std::string& name : names) {
    const std::vector<Tensor> copies = state_.local_results(name);
    if (copies.size() != states.size()) return metric_so_far(metric);
    for (std::size_t replica = 0; replica < copies.size(); ++replica)
      states[replica].push_back(copies[replica]);
  }
  Tensor mean;
  for (const std::vector<Tensor>& own : states) {
    const Tensor result = model::metric_result(metric, own, steps_->options.semantics);
    if (&own == &states.front())
      mean = result.copy();
    else
      for (std::size_t i = 0; i < mean.values<float>().size(); ++i)
        mean.values<float>()[i] += result.values<float>()[i];
  }
  for (float& number : mean.values<float>()) number /= static_cast<float>(states.size());
  return mean;
}

float Model::loss_so_far(Reading reading) const { return (this->*reading)(loss_metric()).values<float>()[0]; }

// A metric with several numbers, such as Precision at three thresholds, has a log for each.
std::vector<Log> Model::metric_results(Reading reading) const {
  std::vector<Log> logs;
  const auto add = [&](const model::Metric& metric) {
    const Tensor result = (this->*reading)(metric);
    const auto numbers = result.values<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      logs.push_back({numbers.size() == 1 ? metric.name : fmt::format("{}[{}]", metric.name, i),
                      static_cast<double>(numbers[i])});
  };
  for (const model::Metric& loss : steps_->losses) add(loss);
  for (const Measured& each : steps_->metrics) add(each.metric);
  return logs;
}

void Model::reset_metrics() {
  const auto reset = [&](const model::Metric& metric) {
    for (const std::string& name : model::state_names(metric)) state_.reset(name);
  };
  reset(loss_metric());
  for (const model::Metric& loss : steps_->losses) reset(loss);
  for (const Measured& each : steps_->metrics) reset(each.metric);
}

}  // namespace wt::train
