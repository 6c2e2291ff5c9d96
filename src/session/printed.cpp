#include "session/printed.h"

#include <fmt/format.h>

#include "train/callbacks/file_name.h"
#include "train/epoch_line.h"

namespace wt::session {

namespace {

// An epoch's results, and those of an evaluation with val_ before their names, as Keras has them.
train::EpochResult together(const train::EpochResult& training, const train::EpochResult* evaluation) {
  train::EpochResult all = training;
  if (evaluation == nullptr) return all;
  all.metrics.push_back({"val_loss", evaluation->loss});
  for (const train::Log& metric : evaluation->metrics)
    all.metrics.push_back({"val_" + metric.name, metric.value});
  return all;
}

train::Fields fields_of(const train::EpochResult& results) {
  train::Fields fields{{"epoch", results.epoch + 1}};
  train::add_number(fields, "loss", static_cast<float>(results.loss));
  for (const train::Log& metric : results.metrics)
    train::add_number(fields, metric.name, static_cast<float>(metric.value));
  return fields;
}

const train::EpochResult* evaluation_of(const Epoch& epoch) {
  return epoch.evaluation ? &*epoch.evaluation : nullptr;
}

}  // namespace

void Printed::begin(const Planned& planned) const {
  const auto& print = scenario_.training.print;
  if (sink_ && print && print->begin)
    sink_(train::filled(*print->begin,
                        {{"replicas", planned.replicas}, {"global_batch", planned.global_batch}}));
}

void Printed::step(const train::StepResult& step) const {
  const auto& print = scenario_.training.print;
  if (!sink_ || !print || !print->step) return;
  train::Fields fields{{"step", step.step + 1}};
  train::add_number(fields, "loss", static_cast<float>(step.loss));
  sink_(train::filled(*print->step, fields));
}

void Printed::epoch(const Epoch& epoch, std::optional<Seconds> time) const {
  if (!sink_) return;
  const train::EpochResult all = together(epoch.training, evaluation_of(epoch));
  if (scenario_.training.verbose == 2) {
    sink_(fmt::format("Epoch {}/{}", all.epoch + 1, scenario::epochs_of(scenario_)));
    sink_(train::epoch_line(all, time, scenario_.semantics));
  }
  const auto& print = scenario_.training.print;
  if (print && print->epoch) sink_(train::filled(*print->epoch, fields_of(all)));
}

void Printed::end(const Results& results) const {
  const auto& print = scenario_.training.print;
  if (!sink_ || !print || !print->end || results.epochs.empty()) return;
  const std::optional<train::EpochResult> evaluation = results.last_evaluation();
  const Epoch& last = results.epochs.back();
  sink_(train::filled(*print->end, fields_of(together(last.training, evaluation ? &*evaluation : nullptr))));
}

}  // namespace wt::session
