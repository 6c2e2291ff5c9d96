#include "study/recordings/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

// Sorted such that a family with a prefix comes before the one that has the rest of its kind.
constexpr Family families[] = {
    {"data", "data_autoshard_", compare_autoshard},
    {"data", "data_from_function_", compare_from_function},
    {"data", "data_shuffle_", compare_shuffle},
    {"data", "data_split_", compare_split},
    {"layers", "", compare_training},
    {"losses_metrics", "activation_", compare_activation},
    {"losses_metrics", "constraint_", compare_constraint},
    {"losses_metrics", "initializer_", compare_initializer},
    {"losses_metrics", "loss_", compare_loss},
    {"losses_metrics", "metric_", compare_metric},
    {"losses_metrics", "regularizer_", compare_regularizer},
    {"optimizers", "callback_", compare_callback},
    {"optimizers", "mirrored_", compare_mirrored_optimizer},
    {"optimizers", "optimizer_", compare_optimizer},
    {"optimizers", "schedule_", compare_optimizer},
    {"optimizers", "loss_scale_", compare_optimizer},
    {"precision", "", compare_precision},
    {"training", "training_fit_", compare_fit},
    {"training", "training_loop_", compare_loop},
    {"training", "training_mixed_", compare_mixed_training},
    {"workers", "workers_config_", compare_worker_config},
    {"workers", "workers_fit_", compare_worker_fit},
    {"workers", "workers_loop_", compare_worker_loop},
    {"workers", "workers_options", compare_worker_options},
    {"workers", "workers_shard_", compare_worker_shard},
};

std::string reason_of(const InputError& error) {
  const std::vector<Problem>& problems = error.problems();
  const std::string first = problems.front().fact;
  return problems.size() == 1 ? first : fmt::format("{} (and {} more)", first, problems.size() - 1);
}

}  // namespace

const Family* family_of(const Recording& recording) {
  const auto* row = std::ranges::find_if(families, [&](const Family& family) {
    return family.kind == recording.kind && recording.id.starts_with(family.prefix);
  });
  return row == std::end(families) ? nullptr : row;
}

Judgement judge(const Recording& recording) {
  if (const json::Value* skipped = recording.value("skipped"))
    return {Verdict::not_applicable, fmt::format("{}: {}", recording.version, skipped->string())};
  const Family* family = family_of(recording);
  if (family == nullptr || recording.value("config") == nullptr)
    return {Verdict::empty, "this command does not repeat such a program"};
  Comparison comparison;
  try {
    family->compare(recording, comparison);
    return comparison.judgement();
  } catch (const InputError& error) {
    if (!comparison.computes()) return {Verdict::refused, reason_of(error)};
    return {Verdict::failed, "refused after it had begun: " + reason_of(error)};
  } catch (const std::exception& error) {
    return {Verdict::failed, error.what()};
  }
}

}  // namespace wt::recordings
