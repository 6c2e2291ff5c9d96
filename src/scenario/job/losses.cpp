#include "scenario/job/losses.h"

#include <algorithm>
#include <utility>

#include "model/class_weight.h"
#include "scenario/by_output.h"
#include "scenario/job/placed.h"
#include "scenario/names.h"
#include "scenario/printed.h"

namespace wt::scenario {

namespace {

TensorSpec with_batch(const TensorSpec& row, std::int64_t batch) { return model::batched({row}, batch)[0]; }

// Loss and metrics compare labels with predictions: traces them for a batch of two.
void check_comparison(Job& job, std::size_t i, const TensorSpec& output, const Scenario& scenario,
                      Problems& problems) {
  Trace trace("comparison");
  model::Building building(trace, false);
  const Symbol labels = trace.input("labels", with_batch(job.labels[i], 2));
  const Symbol predictions = trace.input("predictions", output);
  std::optional<Symbol> weight;
  if (!job.sample_weights.empty())
    weight = trace.input("weight", with_batch(job.sample_weights[job.sample_weights.size() > 1 ? i : 0], 2));
  placed(scenario.place(weight ? "dataset.sample_weight" : "training.loss"), problems, [&] {
    return model::weighted_losses(job.loss.of(i), model::labels_in_fit(labels, predictions), predictions,
                                  scenario.semantics, {.weight = weight})
        .values;
  });
  const auto check = [&](const char* key, model::Metric& metric, std::optional<Symbol> counts) {
    const model::Metric resolved = model::resolve_accuracy(metric, labels.spec(), predictions.spec(),
                                                           job.loss.of(i), scenario.semantics);
    placed(scenario.place(key), problems, [&] {
      model::update_metric(building, resolved, labels, predictions, counts);
      return true;
    });
    if (job.labels.size() == 1) metric = resolved;
  };
  const auto check_all = [&](const char* key, model::Metrics& metrics, std::optional<Symbol> counts) {
    for (model::Metric& metric : metrics.of_all) check(key, metric, counts);
    if (i < metrics.of_each.size())
      for (model::Metric& metric : metrics.of_each[i]) check(key, metric, counts);
  };
  check_all("training.metrics", job.metrics, std::nullopt);
  check_all("training.weighted_metrics", job.weighted_metrics, weight);
}

model::Metrics read_metrics(const OutputMetrics& written, const Scenario& scenario, Problems& problems) {
  const auto read = [&](const std::vector<Choice>& choices) {
    std::vector<model::Metric> metrics;
    for (const Choice& choice : choices)
      if (auto metric = model::read_metric(*choice.written, problems, scenario.semantics))
        metrics.push_back(*metric);
    return metrics;
  };
  model::Metrics metrics;
  if (written.is_by_output)
    for (const std::vector<Choice>& list : written.lists) metrics.of_each.push_back(read(list));
  else if (!written.lists.empty())
    metrics.of_all = read(written.lists.front());
  return metrics;
}

// Keras 3 takes a list of metrics for a model with several outputs as one metric for each.
void deal_metrics(const char* key, const OutputMetrics& written, std::size_t outputs,
                  const Scenario& scenario, model::Metrics& metrics, Problems& problems) {
  const bool is_keras3 =
      scenario.training.loop == Loop::fit && scenario.semantics == model::Semantics::keras3;
  const auto check_count = [&](std::size_t count) {
    if (count != outputs)
      problems.add(
          scenario.place(key),
          fmt::format("the number of entries is {}, and the model's number of outputs is {}", count, outputs),
          R"(list the metrics of each output, [["accuracy"], ["mae"]], or give them by the outputs' names)");
  };
  if (written.is_by_output) return check_count(metrics.of_each.size());
  if (!is_keras3 || outputs < 2 || metrics.of_all.empty()) return;
  check_count(metrics.of_all.size());
  for (const model::Metric& metric : std::exchange(metrics.of_all, {})) metrics.of_each.push_back({metric});
}

}  // namespace

void configure(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  if (training.is_inference()) return;
  job.loss.is_list = training.loss.written->kind() == json::Kind::array || training.loss.is_by_name();
  for (const json::Value& written : training.loss.each()) {
    const std::optional<model::Loss> loss = model::read_loss(written, problems);
    job.loss.each.push_back(loss.value_or(model::Loss{}));
    if (is_per_row(written, training.loop))
      job.loss.each.back().options.reduction = model::LossReduction::none;
  }
  if (training.loss_weights) job.loss.weights = training.loss_weights->values;
  if (auto optimizer = model::read_optimizer(*training.optimizer.written, problems, scenario.semantics))
    job.optimizer = *optimizer;
  job.metrics = read_metrics(training.metrics, scenario, problems);
  job.weighted_metrics = read_metrics(training.weighted_metrics, scenario, problems);
}

void order_by_outputs(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  if (training.is_inference()) return;
  const std::vector<std::string> outputs = job.model->output_names();
  const auto order = [&](std::string_view key, auto& given, const std::vector<std::string>& names,
                         bool needs_all) {
    if (auto ordered = placed(scenario.place(key), problems,
                              [&] { return in_order_of_outputs(given, names, outputs, needs_all); }))
      given = std::move(*ordered);
  };
  order("training.loss", job.loss.each, training.loss.names(), true);
  if (training.loss_weights)
    order("training.loss_weights", job.loss.weights, training.loss_weights->names, true);
  order("training.metrics", job.metrics.of_each, training.metrics.names, false);
  order("training.weighted_metrics", job.weighted_metrics.of_each, training.weighted_metrics.names, false);
}

void check_lists_of_losses(const model::Losses& losses, std::size_t outputs, const Scenario& scenario,
                           Problems& problems) {
  if (scenario.training.is_inference()) return;
  const auto check = [&](std::string_view key, auto require) {
    placed(scenario.place(key), problems, [&] {
      require(losses, outputs);
      return true;
    });
  };
  check("training.loss", model::require_loss_for_each);
  check("training.loss_weights", model::require_weight_for_each);
  placed(scenario.place("training.class_weight"), problems, [&] {
    model::require_class_weight(scenario.training.class_weight.of, outputs, scenario.semantics);
    return true;
  });
}

void check_comparisons(const model::Forward& forward, const Place& model_place, const Scenario& scenario,
                       Job& job, Problems& problems) {
  if (scenario.training.is_inference()) return;
  if (forward.outputs.size() != job.labels.size())
    throw InputError(Problem{model_place,
                             fmt::format("the model \"{}\" has {} outputs, and its rows have {} labels",
                                         job.model->name(), forward.outputs.size(), job.labels.size()),
                             "give its inputs a shape, and synthetic rows have a label for each output"});
  check_lists_of_losses(job.loss, forward.outputs.size(), scenario, problems);
  const std::size_t outputs = forward.outputs.size();
  deal_metrics("training.metrics", scenario.training.metrics, outputs, scenario, job.metrics, problems);
  deal_metrics("training.weighted_metrics", scenario.training.weighted_metrics, outputs, scenario,
               job.weighted_metrics, problems);
  problems.throw_if_any();
  for (std::size_t i = 0; i < job.labels.size(); ++i)
    check_comparison(job, i, forward.outputs[i], scenario, problems);
  problems.throw_if_any();
}

}  // namespace wt::scenario
