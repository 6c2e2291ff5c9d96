#include "report/trained.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rough.h"
#include "base/table.h"
#include "report/pool.h"
#include "report/records.h"
#include "report/results.h"

namespace wt::report {

namespace {

using json::Layout;

void write_number(json::Writer& out, std::string_view key, double number) {
  out.key(key);
  if (std::isfinite(number))
    out.value(number);
  else
    out.null();
}

// Metrics are in an object of their own, so that a metric with the name "loss" does not collide with the
// loss.
void write_measured(json::Writer& out, double loss, const std::vector<train::Log>& metrics) {
  write_number(out, "loss", loss);
  out.key("metrics").begin_object();
  for (const train::Log& metric : metrics) write_number(out, metric.name, metric.value);
  out.end_object();
}

void write_evaluation(json::Writer& out, const train::EpochResult& evaluation) {
  out.key("evaluation").begin_object(Layout::one_line).member("steps", evaluation.steps);
  write_measured(out, evaluation.loss, evaluation.metrics);
  out.end_object();
}

void write_step(json::Writer& out, const train::StepResult& step, const session::Results& results) {
  const std::map<std::int64_t, Seconds>& times = results.step_times;
  out.begin_object(Layout::one_line)
      .member("epoch", step.epoch)
      .member("step", step.step)
      .member("rows", step.rows);
  if (const auto time = times.find(step.step); time != times.end())
    out.member("step_time_s", time->second.count());
  if (const auto closure = results.closures.find(step.step); closure != results.closures.end())
    out.member("worker", closure->second.worker)
        .member("begin_s", closure->second.begin.count())
        .member("end_s", closure->second.end.count())
        .member("staleness", closure->second.staleness);
  if (!results.planned.is_inference) write_measured(out, step.loss, step.metrics);
  out.end_object();
}

void write_epoch(json::Writer& out, const session::Epoch& epoch) {
  out.begin_object(Layout::one_line)
      .member("epoch", epoch.training.epoch)
      .member("steps", epoch.training.steps);
  write_measured(out, epoch.training.loss, epoch.training.metrics);
  if (epoch.learning_rate) out.member("learning_rate", *epoch.learning_rate);
  if (epoch.evaluation) write_evaluation(out, *epoch.evaluation);
  out.end_object();
}

// The last epoch and the last evaluation, which most scripts read.
void write_final(json::Writer& out, const session::Results& results) {
  if (results.epochs.empty()) return;
  const session::Epoch& last = results.epochs.back();
  out.key("final").begin_object();
  write_measured(out, last.training.loss, last.training.metrics);
  if (const auto& evaluation = results.last_evaluation()) write_evaluation(out, *evaluation);
  out.end_object();
}

void write_worker_losses(json::Writer& out, const session::Results& results) {
  if (!results.losses) return;
  out.key("worker_losses").begin_object();
  write_losses(out, *results.losses);
  out.key("read_again").begin_array();
  for (const session::Results::ReadAgain& each : results.read_again)
    out.begin_object(Layout::one_line)
        .member("worker", each.worker)
        .member("batches", each.batches)
        .end_object();
  out.end_array().end_object();
}

void write_target(json::Writer& out, const session::Results& results) {
  if (!results.target_loss) return;
  out.key("target").begin_object(Layout::one_line).member("loss", *results.target_loss);
  const std::optional<session::ReachedTarget> reached = session::reached_target(results);
  out.member("reached", reached.has_value());
  if (reached) {
    out.member("step", reached->step).member("loss_of_step", reached->loss);
    if (reached->time) out.member("time_s", reached->time->count());
  }
  out.end_object();
}

std::string cell(double number) {
  if (std::isnan(number)) return "nan";  // without its sign
  return fmt::format("{:.4f}", number);
}

void add_cells(std::vector<std::string>& row, const train::EpochResult& result) {
  row.push_back(cell(result.loss));
  for (const train::Log& metric : result.metrics) row.push_back(cell(metric.value));
}

void add_headings(std::vector<std::string>& row, const train::EpochResult& result,
                  const std::string& before) {
  row.push_back(before + "loss");
  for (const train::Log& metric : result.metrics) row.push_back(before + metric.name);
}

}  // namespace

void write_trained(json::Writer& out, const session::Results& results) {
  out.key("steps").begin_array();
  for (const train::StepResult& step : results.steps) write_step(out, step, results);
  out.end_array().key("epochs").begin_array();
  for (const session::Epoch& epoch : results.epochs) write_epoch(out, epoch);
  out.end_array();
  if (results.evaluation) write_evaluation(out, *results.evaluation);
  write_final(out, results);
  write_worker_losses(out, results);
  write_target(out, results);
}

void write_predictions(json::Writer& out, const session::Predictions& predictions) {
  out.key("predictions").begin_object().member("file", predictions.file).key("outputs").begin_array();
  for (const session::Predictions::Output& output : predictions.outputs) {
    out.begin_object(Layout::one_line).member("name", output.name).member("type", name(output.spec.type));
    out.key("shape").begin_array(Layout::one_line);
    for (const std::int64_t extent : output.spec.shape) out.value(extent);
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

std::string predictions_text(const session::Results& results) {
  if (!results.predictions) return "";
  std::string text;
  for (const session::Predictions::Output& output : results.predictions->outputs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", output.name, print(output.spec));
  return fmt::format("{}: {}\n", results.predictions->file, text);
}

void write_beside(json::Writer& out, const session::Beside& beside) {
  out.key("evaluator")
      .begin_object()
      .member("device", beside.device)
      .member("evaluation_s", beside.each.count())
      .member("skipped", beside.skipped)
      .member("behind_s", beside.behind.count())
      .key("evaluations")
      .begin_array();
  for (const session::Beside::Evaluation& each : beside.evaluations) {
    out.begin_object(Layout::one_line)
        .member("epoch", each.epoch)
        .member("saved_s", each.saved.count())
        .member("begin_s", each.begin.count())
        .member("end_s", each.end.count());
    if (each.result) write_measured(out, each.result->loss, each.result->metrics);
    out.end_object();
  }
  out.end_array().end_object();
}

std::string target_text(const session::Results& results) {
  if (!results.target_loss) return "";
  const std::optional<session::ReachedTarget> reached = session::reached_target(results);
  if (!reached)
    return fmt::format("target loss {}: not reached in {}\n", *results.target_loss,
                       counted(std::ssize(results.steps), "step"));
  return fmt::format("target loss {}: reached by step {} with {}{}\n", *results.target_loss, reached->step,
                     cell(reached->loss),
                     reached->time ? fmt::format(", after {} (simulated)", rough(*reached->time)) : "");
}

namespace {

// Steps that predict have no loss.
std::string prediction_steps_csv(const session::Results& results) {
  std::string text = "step,rows\n";
  for (const train::StepResult& step : results.steps) text += fmt::format("{},{}\n", step.step, step.rows);
  return text;
}

}  // namespace

std::string steps_csv(const session::Results& results) {
  if (results.planned.is_inference) return prediction_steps_csv(results);
  std::string text = "epoch,step,rows,loss";
  if (!results.steps.empty())
    for (const train::Log& metric : results.steps.front().metrics) text += "," + csv_field(metric.name);
  text += "\n";
  for (const train::StepResult& step : results.steps) {
    text += fmt::format("{},{},{},{}", step.epoch, step.step, step.rows, csv_number(step.loss));
    for (const train::Log& metric : step.metrics) text += "," + csv_number(metric.value);
    text += "\n";
  }
  return text;
}

std::string beside_text(const session::Results& results) {
  if (!results.beside || results.beside->evaluations.empty()) return "";
  const session::Beside& beside = *results.beside;
  std::string text = fmt::format(
      "{} evaluates checkpoints beside the training, {} each{}: {} evaluated, {} skipped, the last one until "
      "{} after "
      "the training\n",
      beside.device, rough(beside.each), beside.is_given ? " as given" : " (simulated)",
      std::ssize(beside.evaluations), beside.skipped, rough(beside.behind));
  std::vector<TableRow> rows{{"epoch", "saved", "begins", "ends"}};
  if (const auto& result = beside.evaluations.back().result) add_headings(rows[0], *result, "");
  for (const session::Beside::Evaluation& each : beside.evaluations) {
    TableRow row{std::to_string(each.epoch + 1), rough(each.saved), rough(each.begin), rough(each.end)};
    if (each.result) add_cells(row, *each.result);
    rows.push_back(std::move(row));
  }
  return text + print_table(rows, "r");
}

std::string epochs_table(const session::Results& results) {
  if (results.epochs.empty()) return "";
  const auto evaluated =
      std::find_if(results.epochs.begin(), results.epochs.end(),
                   [](const session::Epoch& epoch) { return epoch.evaluation.has_value(); });
  std::vector<TableRow> rows{{"epoch", "steps"}};
  add_headings(rows[0], results.epochs.front().training, "");
  if (results.epochs.front().learning_rate) rows[0].push_back("learning rate");
  if (evaluated != results.epochs.end()) add_headings(rows[0], *evaluated->evaluation, "evaluation ");
  for (const session::Epoch& epoch : results.epochs) {
    // Epochs are counted from 1 for people, as in the output of Keras.
    TableRow row{std::to_string(epoch.training.epoch + 1), std::to_string(epoch.training.steps)};
    add_cells(row, epoch.training);
    if (epoch.learning_rate) row.push_back(fmt::format("{:.4g}", *epoch.learning_rate));
    if (epoch.evaluation) add_cells(row, *epoch.evaluation);
    rows.push_back(std::move(row));
  }
  std::string text = print_table(rows, "r");
  if (results.stopped)
    text += fmt::format("{} ended the training after {}\n", results.stopped->by,
                        counted(results.stopped->epochs, "epoch"));
  if (results.evaluation) {
    text += fmt::format("evaluation: loss {}", cell(results.evaluation->loss));
    for (const train::Log& metric : results.evaluation->metrics)
      text += fmt::format(", {} {}", metric.name, cell(metric.value));
    text += "\n";
  }
  return text;
}

}  // namespace wt::report
