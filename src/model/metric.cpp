#include "model/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

std::vector<MetricClass> all_rows() {
  std::vector<MetricClass> all;
  for (const auto& rows : {accuracy_metrics(), error_metrics(), sum_metrics(), loss_metrics(),
                           count_metrics(), area_metrics(), score_metrics(), overlap_metrics()})
    all.insert(all.end(), rows.begin(), rows.end());
  std::ranges::sort(all, {}, &MetricClass::name);
  return all;
}

Problem unknown_metric(Place place, std::string_view name) {
  return unknown_row(metrics(), std::move(place), name, "metric", {"accuracy"});
}

bool is_accuracy(std::string_view name) { return name == "accuracy" || name == "acc"; }

// Keras names the metric of compile(metrics=["mse"]) "mse". A metric that is given by its class is named
// after the class, in snake case, which is the first alias.
std::string default_name(const MetricClass& type, std::string_view written, Semantics semantics) {
  if (written != type.name) return std::string(written);
  const std::string_view name = semantics == Semantics::keras3 || type.instance_in_keras2.empty()
                                    ? type.instance
                                    : type.instance_in_keras2;
  return std::string(name.empty() ? type.aliases[0] : name);
}

// The rule of Keras 2 and 3.
std::string_view accuracy_by_shapes(const TensorSpec& labels, const TensorSpec& predictions) {
  const Shape& y = labels.shape;
  const Shape& p = predictions.shape;
  if (p.rank() > 0 && p.last() == 1) return "BinaryAccuracy";
  const bool is_sparse = y.rank() < p.rank() || (y.rank() > 0 && y.last() == 1);
  return is_sparse ? "SparseCategoricalAccuracy" : "CategoricalAccuracy";
}

// The rule of TensorFlow 2.0.
std::string_view accuracy_by_loss(const TensorSpec& predictions, const Loss& loss) {
  const bool is_single = predictions.shape.rank() > 0 && predictions.shape.last() == 1;
  if (is_single || loss.type->name == "BinaryCrossentropy") return "BinaryAccuracy";
  return loss.type->name == "SparseCategoricalCrossentropy" ? "SparseCategoricalAccuracy"
                                                            : "CategoricalAccuracy";
}

void grow(Building& building, const Metric& metric, const Growths& growths) {
  const VariableOptions options{
      .trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::sum};
  for (const auto& [state, by] : growths) {
    const Symbol before =
        building.weight({fmt::format("{}/{}", metric.name, state), by.spec(), zeros, options, {}, {}});
    const auto copies = static_cast<double>(building.replication().copies_in_totals);
    building.update(before, (copies == 1 ? before : before * copies) + by);
  }
}

}  // namespace

std::span<const MetricClass> metrics() {
  static const std::vector<MetricClass> all = all_rows();
  return all;
}

Metric metric_named(std::string_view type, std::string name, MetricOptions options, Semantics semantics) {
  if (is_accuracy(type)) return {nullptr, name.empty() ? std::string(type) : std::move(name), {}};
  const MetricClass* row = find_row(metrics(), type);
  if (row == nullptr) throw InputError(unknown_metric({}, type));
  return {row, name.empty() ? default_name(*row, type, semantics) : std::move(name), std::move(options),
          alias_of(*row, type)};
}

std::optional<Metric> read_metric(const json::Value& value, Problems& problems, Semantics semantics) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const MetricClass* row = find_row(metrics(), read->name);
  if (row == nullptr && !is_accuracy(read->name)) {
    problems.add(unknown_metric(read->place, read->name));
    return std::nullopt;
  }
  Arguments arguments(read->config, read->place, problems);
  arguments.reader().ignore({"dtype"});
  Metric metric = metric_named(read->name, arguments.reader().text("name", ""), {}, semantics);
  if (row != nullptr && row->arguments != nullptr) row->arguments(metric.options, arguments);
  arguments.reader().finish();
  return metric;
}

void require_offered(const Metric& metric, Semantics semantics) {
  if (metric.type == nullptr) return;
  require_known(metric.written, metric.type->name, "metric", semantics);
  const bool is_three = semantics == Semantics::keras3;
  if (is_three ? metric.type->keras3 : metric.type->keras2) return;
  throw InputError(fmt::format("[{}] Keras {} has no such metric", metric.type->name, is_three ? 3 : 2),
                   fmt::format("choose another metric, or semantics {}", is_three ? "keras2" : "keras3"));
}

void write_arguments(json::Writer& out, const Metric& metric) {
  if (metric.type == nullptr || metric.type->arguments == nullptr) return;
  Arguments arguments(out);
  MetricOptions options = metric.options;
  metric.type->arguments(options, arguments);
}

Metric resolve_accuracy(Metric metric, const TensorSpec& labels, const TensorSpec& predictions,
                        const Loss& loss, Semantics semantics) {
  if (metric.type != nullptr) return metric;
  metric.type = find_row(metrics(), is_on(Switch::accuracy_asks_the_loss, semantics)
                                        ? accuracy_by_loss(predictions, loss)
                                        : accuracy_by_shapes(labels, predictions));
  return metric;
}

void update_metric(Building& building, const Metric& metric, Symbol labels, Symbol predictions,
                   std::optional<Symbol> weight) {
  WT_EXPECT(metric.type != nullptr, "the metric {} is not resolved", metric.name);
  if (metric.type->compare == nullptr)
    throw InputError(fmt::format("[{}] the metric \"{}\" doesn't compare labels with predictions",
                                 metric.type->name, metric.name),
                     "pass it values with update_mean, or choose another metric");
  require_offered(metric, building.semantics());
  labels.trace->in_scope(metric.name, [&] {
    grow(
        building, metric,
        metric.type->compare({metric, metric.type->name, labels, predictions, weight, building.semantics()}));
  });
}

void update_mean(Building& building, const Metric& metric, Symbol values, std::optional<Symbol> weight) {
  WT_EXPECT(metric.type != nullptr && metric.type->accumulate != nullptr, "the metric {} takes no values",
            metric.name);
  require_offered(metric, building.semantics());
  values.trace->in_scope(metric.name, [&] {
    grow(building, metric, metric.type->accumulate({values, weight, building.semantics()}));
  });
}

std::vector<std::string> state_names(const Metric& metric) {
  if (metric.type == nullptr) return {total_name(metric), count_name(metric)};
  std::vector<std::string> names;
  for (const std::string_view state : metric.type->states)
    if (!state.empty()) names.push_back(fmt::format("{}/{}", metric.name, state));
  return names;
}

Tensor metric_result(const Metric& metric, std::span<const Tensor> states, Semantics semantics) {
  const MetricRead read{metric.options, states, semantics};
  return metric.type == nullptr ? mean_result(read) : metric.type->result(read);
}

std::string total_name(const Metric& metric) { return metric.name + "/total"; }
std::string count_name(const Metric& metric) { return metric.name + "/count"; }

float metric_result(float total, float count) { return count == 0 ? 0 : total / count; }

}  // namespace wt::model
