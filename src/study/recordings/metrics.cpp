// Recordings `metric_`: a metric with its options, which is emptied, updated three times, and reset. Compared are its
// name, its result at each time, and its states.

#include "study/recordings/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "model/metric.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "train/function.h"

namespace wt::recordings {

namespace {

constexpr int updates = 3;

// TensorFlow appends the numbers of both tensors to the error of weights that don't fit.
std::string without_numbers(const std::string& error) {
  return error.substr(0, error.find(" Received weights=["));
}

// {"class_name": ..., "config": ...}, as a user writes it.
model::Metric metric_of(const Recording& recording, const json::Value& options) {
  json::Writer out(json::Layout::compact);
  out.begin_object().member("class_name", recording.config("class")->string()).key("config");
  json::write_value(out, options);
  out.end_object();
  Problems problems;
  const json::Value written = json::parse(out.text(), "metric.json");
  const std::optional<model::Metric> metric = model::read_metric(written, problems, recording.semantics());
  problems.throw_if_any();
  return *metric;
}

// The metric as Keras writes it with get_config(), which reads as the same, unless Keras leaves an option out.
model::Metric written_metric(const Recording& recording, const model::Metric& otherwise) {
  const json::Value* config = recording.value("get_config");
  if (config == nullptr || config->kind() != json::Kind::object) return otherwise;
  const bool is_whole =
      std::ranges::all_of(recording.config("options")->members(),
                          [&](const json::Member& option) { return config->find(option.key) != nullptr; });
  return is_whole ? metric_of(recording, *config) : otherwise;
}

Tensor own_rows(const Tensor& all, std::int64_t replica, std::int64_t replicas) {
  const std::int64_t rows = all.shape()[0];
  return all.rows(rows * replica / replicas, rows * (replica + 1) / replicas);
}

class RepeatedMetric {
 public:
  RepeatedMetric(const Recording& recording, model::Metric metric, bool is_weighted,
                 std::int64_t replicas = 1)
      : tensors_(recording.tensors()),
        metric_(std::move(metric)),
        is_weighted_(is_weighted),
        replicas_(replicas),
        semantics_(recording.semantics()),
        machine_(replicas),
        update_(
            "update", state_, machine_, train::Function::Mode::inference,
            [this](model::Building& building, const std::vector<Symbol>& given) {
              model::update_metric(building, metric_, given[0], given[1],
                                   is_weighted_ ? std::optional(given[2]) : std::nullopt);
              return std::vector<Symbol>{};
            },
            semantics_) {}

  // Throws InputError if the metric refuses such tensors.
  void plan() { update_.create_variables(arguments(0)); }
  void update(int number) { update_.run(arguments(number)); }
  void reset() {
    for (const std::string& name : model::state_names(metric_)) state_.reset(name);
  }

  Tensor result() const {
    std::vector<Tensor> states;
    for (const std::string& name : model::state_names(metric_)) states.push_back(state_.read(name));
    return model::metric_result(metric_, states, semantics_);
  }

  std::map<std::string, Tensor> states() const {
    std::map<std::string, Tensor> states;
    for (const std::string& name : model::state_names(metric_))
      states.emplace(name.substr(metric_.name.size() + 1), state_.read(name));
    return states;
  }

 private:
  train::PerReplica arguments(int number) const {
    train::PerReplica all;
    for (std::int64_t replica = 0; replica < replicas_; ++replica) {
      std::vector<Tensor>& own = all.emplace_back();
      for (const std::string_view name : {"y_true", "y_pred", "weights"})
        if (is_weighted_ || name != "weights")
          own.push_back(own_rows(tensors_.at(fmt::format("{}/{}", name, number)), replica, replicas_));
    }
    return all;
  }

  std::map<std::string, Tensor> tensors_;
  model::Metric metric_;
  bool is_weighted_;
  std::int64_t replicas_;
  model::Semantics semantics_;
  Machine machine_;
  train::State state_{1};
  train::Function update_;
};

class ComparedMetric {
 public:
  ComparedMetric(const Recording& recording, Comparison& comparison)
      : recording_(recording), comparison_(comparison), tensors_(recording.tensors()) {}

  // Plans both before it computes, so that a metric that is not offered is refused before.
  void compare() {
    const model::Metric metric = metric_of(recording_, *recording_.config("options"));
    comparison_.same("the name", metric.name, recording_.text("name")->string());
    RepeatedMetric plain(recording_, metric, false),
        weighted(recording_, written_metric(recording_, metric), true);
    const bool plans_plain = plans(plain, "plain/update0"),
               plans_weighted = plans(weighted, "weighted/update0");
    comparison_.starts_to_compute();
    if (plans_plain) compare_plain(plain);
    if (plans_weighted) compare_updates(weighted, "weighted");
  }

 private:
  // Whether it is planned, as TensorFlow did. Where TensorFlow refused, the same refusal is right.
  bool plans(RepeatedMetric& repeated, const std::string& recorded) {
    const std::optional<std::string> error = recording_.error_text(recorded);
    if (!error) {
      repeated.plan();
      return true;
    }
    try {
      repeated.plan();
      comparison_.fail(fmt::format("{} is accepted, recorded: {}", recorded, *error));
    } catch (const InputError& refusal) {
      comparison_.same("the error of " + recorded, refusal.problems().front().fact, without_numbers(*error));
    }
    return false;
  }

  void compare_plain(RepeatedMetric& plain) {
    compare_result("empty", plain);
    compare_updates(plain, "plain");
    plain.reset();
    compare_result("reset", plain);
  }

  void compare_updates(RepeatedMetric& repeated, const std::string& mode) {
    for (int i = 0; i < updates; ++i) {
      repeated.update(i);
      compare_result(fmt::format("{}/result{}", mode, i), repeated);
    }
    const std::map<std::string, Tensor> states = repeated.states();
    for (const auto& [recorded, tensor] : tensors_) {
      if (!recorded.starts_with(mode + "/variables/")) continue;
      const auto own = states.find(recorded.substr(recorded.rfind('/') + 1));
      if (own == states.end())
        comparison_.fail(fmt::format("no state is {}", recorded));
      else
        compare(recorded, own->second, tensor);
    }
  }

  // Keras has no result before the first update of a metric whose states have the shape of the labels.
  void compare_result(const std::string& recorded, const RepeatedMetric& repeated) {
    if (const auto found = tensors_.find(recorded); found != tensors_.end())
      compare(recorded, repeated.result(), found->second);
  }

  void compare(const std::string& what, const Tensor& ours, const Tensor& theirs) {
    comparison_.same("the type of " + what, wt::name(ours.type()), wt::name(theirs.type()));
    comparison_.near(what, ours, theirs, loss_limit);
  }

  const Recording& recording_;
  Comparison& comparison_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

Measured repeat_metric(const Recording& recording, bool is_weighted, std::int64_t replicas) {
  RepeatedMetric repeated(recording, metric_of(recording, *recording.config("options")), is_weighted,
                          replicas);
  Measured measured;
  for (int i = 0; i < updates; ++i) {
    repeated.update(i);
    measured.results.push_back(repeated.result());
  }
  measured.states = repeated.states();
  return measured;
}

void compare_metric(const Recording& recording, Comparison& comparison) {
  ComparedMetric(recording, comparison).compare();
}

}  // namespace wt::recordings
