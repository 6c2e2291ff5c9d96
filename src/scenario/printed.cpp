#include "scenario/printed.h"

#include "scenario/callbacks.h"
#include "train/callbacks/file_name.h"

namespace wt::scenario {

namespace {

void check_line(const std::optional<std::string>& line, std::string_view key, const train::Fields& fields,
                const Scenario& scenario, Problems& problems) {
  if (!line) return;
  try {
    train::filled(*line, fields);
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      problem.place = scenario.place(key);
      problems.add(problem);
    }
  }
}

train::Fields example(const std::vector<std::string>& names) {
  train::Fields fields{{"epoch", std::int64_t{1}}};
  for (const std::string& name : names) train::add_number(fields, name, 1.F);
  return fields;
}

// What each row loses is not known of a loss to which penalties were added.
void check_reported_loss(const Scenario& scenario, const Job& job, Problems& problems) {
  if (scenario.training.reported_loss == ReportedLoss::sum) return;
  const Place place = scenario.place("training.reported_loss");
  if (scenario.training.loop != Loop::custom)
    problems.add(place, "only a loop of one's own chooses the loss that it reports",
                 R"(leave it out, or take the "loop": "custom")");
  const auto is_regularized = [](const model::Weight& weight) { return weight.regularizer.has_value(); };
  if (std::ranges::any_of(job.weights, is_regularized))
    problems.add(place,
                 "the model has regularizers, whose penalties are part of the loss that replicas return",
                 "leave it out, or leave the regularizers out");
}

}  // namespace

PrintedFields printed_fields(const Scenario& scenario, const Job& job) {
  const auto& evaluation = scenario.training.evaluation;
  return {.of_epoch = names_of_results(job, evaluation && evaluation->every == 1),
          .of_end = names_of_results(job, evaluation.has_value())};
}

void check_printed(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  check_reported_loss(scenario, job, problems);
  if (training.verbose == 1)
    problems.add(scenario.place("training.verbose"),
                 "verbose is 1, Keras' moving bar, which is not printed here",
                 "take 2, a line for each epoch, or 0");
  if (!training.print) return;
  const PrintedFields fields = printed_fields(scenario, job);
  const train::Fields of_begin{{"replicas", std::int64_t{1}}, {"global_batch", std::int64_t{1}}};
  check_line(training.print->begin, "training.print.begin", of_begin, scenario, problems);
  train::Fields of_step{{"step", std::int64_t{1}}};
  train::add_number(of_step, "loss", 1.F);
  check_line(training.print->step, "training.print.step", of_step, scenario, problems);
  check_line(training.print->epoch, "training.print.epoch", example(fields.of_epoch), scenario, problems);
  check_line(training.print->end, "training.print.end", example(fields.of_end), scenario, problems);
  if (scenario.numerics == Numerics::none)
    job.notes.push_back({scenario.place("training.print"), "lines show what is computed, and nothing is",
                         R"(take the numerics "cpu", or leave the lines out)"});
}

}  // namespace wt::scenario
