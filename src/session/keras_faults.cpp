#include "session/keras_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "model/weights.h"
#include "session/evaluator.h"

namespace wt::session {

namespace {

// The key of a scenario to which a fault is due.
std::string key_of(train::Fault::Cause cause, const scenario::Training& training) {
  switch (cause) {
    case train::Fault::Cause::first_batch:
      return training.global_batch ? "training.global_batch" : "training.per_replica_batch";
    case train::Fault::Cause::workers:
      return "semantics";
    case train::Fault::Cause::executions:
      return "training.steps_per_execution";
    case train::Fault::Cause::unbuilt_optimizer:
      return "training.loop";
    case train::Fault::Cause::layer:
      return "model";
    case train::Fault::Cause::reduction:
      break;
  }
  return "strategy.cross_device_ops";
}

// What a scenario writes where a program calls a method.
std::string remedy_of(const train::Fault& fault) {
  if (fault.cause != train::Fault::Cause::unbuilt_optimizer) return fault.remedy;
  return fault.remedy + R"(; here that is "build_optimizer": true)";
}

// The step after which an evaluation is made for the first time; none: the training has none.
std::optional<std::int64_t> first_evaluation(const scenario::Scenario& scenario, const scenario::Job& job) {
  const auto& evaluation = scenario.training.evaluation;
  if (!evaluation || job.evaluation_rows.empty() || evaluates_beside(scenario, job)) return std::nullopt;
  const std::int64_t all = scenario::steps_of(scenario, job);
  if (!evaluation->every) return all;
  const std::int64_t step = *evaluation->every * scenario::steps_per_epoch(scenario, job);
  return step <= all ? std::optional(step) : std::nullopt;
}

std::string sentence_of(const EndedByFault& end, const scenario::Training& training) {
  const std::string where = end.step == 0
                                ? "before its first step"
                                : fmt::format("at its evaluation after {}", counted(end.step, "step"));
  return fmt::format("TensorFlow ends {} {} with {}: {}",
                     training.loop == scenario::Loop::fit ? "fit" : "this loop", where,
                     end.fault.name_of_error(), end.fault.sentence);
}

bool draws_numbers(const scenario::Job& job, model::Semantics semantics) {
  const model::Forward training = model::forward(*job.model, model::batched(job.inputs, 2), true, semantics);
  return std::ranges::any_of(training.weights, [](const model::Weight& weight) {
    return std::holds_alternative<model::StreamStart>(weight.initializer.rule);
  });
}

}  // namespace

std::optional<EndedByFault> fault_that_ends(const scenario::Scenario& scenario, const scenario::Job& job,
                                            TrainingPlans& plans) {
  const auto ended = [&](train::Fault fault, std::int64_t step) {
    std::string key = key_of(fault.cause, scenario.training);
    fault.remedy = remedy_of(fault);
    return EndedByFault{std::move(fault), step, std::move(key)};
  };
  if (job.step_rows.empty() || scenario.training.is_inference()) return std::nullopt;
  if (auto fault = plans.model().fault_of(plans.batch_of(job.step_rows.front())))
    return ended(std::move(*fault), 0);
  if (const auto step = first_evaluation(scenario, job))
    if (auto fault = plans.model().fault_of_evaluation(plans.batch_of(job.evaluation_rows.front())))
      return ended(std::move(*fault), *step);
  return std::nullopt;
}

std::vector<Problem> faults_of(const scenario::Scenario& scenario, const scenario::Job& job,
                               TrainingPlans& plans) {
  std::vector<Problem> faults;
  if (scenario.training.is_inference()) return faults;
  const auto add = [&](const std::string& key, std::string fact, std::string remedy) {
    faults.push_back({scenario.place(key), std::move(fact), std::move(remedy)});
  };
  if (const auto end = fault_that_ends(scenario, job, plans))
    add(end->key, sentence_of(*end, scenario.training), end->fault.remedy);
  const model::Replication replication = train::replication_of(plans.machine(), scenario.semantics);
  if (replication.draws_the_same && draws_numbers(job, scenario.semantics))
    add("semantics", "with Keras 3 all replicas draw the same numbers: their Dropout masks are equal",
        R"(expect masks that vary less than on one device, or take the "semantics": "keras2")");
  if (replication.copies_in_totals > 1)
    add("strategy",
        fmt::format(
            "with Keras 3 under central storage, the totals of losses and metrics grow {}-fold in each "
            "step, since TensorFlow adds up what {} replicas assign: results of an epoch are no means "
            "over its rows",
            replication.copies_in_totals, replication.copies_in_totals),
        R"(read the losses of single steps, or take the strategy "mirrored")");
  if (scenario.faithful.value_or(false) && scenario.semantics == model::Semantics::keras3 &&
      scenario.training.loop == scenario::Loop::custom && job.input.replicas > 1)
    add("training.loop",
        "Keras 3 doesn't check scopes: a model, an optimizer or a metric that the program makes outside of "
        "strategy.scope() is not mirrored, and no error says so",
        "make all of them inside of the scope");
  return faults;
}

}  // namespace wt::session
