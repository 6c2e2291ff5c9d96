#include "study/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "communication/constants.h"

namespace wt::study {

namespace {

// What is judged.
struct Look {
  const scenario::Scenario& scenario;
  const cluster::Machine& machine;
  const session::Planned& planned;
  const timing::Simulated& step;

  bool takes_more_than(Seconds part, double share) const { return part > step.step * share; }
  std::int64_t rows_each() const {
    return planned.replica_rows.empty() ? 0 : std::ranges::max(planned.replica_rows);
  }
};

constexpr double noticeable = 0.05;  // share of the step

// Each returns an empty text if it isn't the cause.

std::string software(const Look& look) {
  if (!waits_for_software(look.step)) return "";
  std::string text = fmt::format(
      "TensorFlow's own software keeps the devices waiting for {} of each step; it takes longer with each "
      "replica of a process",
      rough(look.step.software));
  if (look.planned.replicas > 1 && look.step.baseline && look.step.speed_up() < 1)
    text += fmt::format(", which is why {} replicas are slower than one device", look.planned.replicas);
  return text + ". What helps is simulated below.";
}

std::string late_rows(const Look& look) {
  if (!look.step.pipeline || !look.step.pipeline->is_bound) return "";
  const timing::RowsPipeline& pipeline = *look.step.pipeline;
  return fmt::format(
      "Rows come too late: {} on a host takes {} for the rows of each step, and no number of devices makes "
      "that "
      "shorter. Faster {}, smaller rows or more hosts do; a deeper prefetch doesn't.",
      pipeline.limit, rough(pipeline.batch), pipeline.limit);
}

// The same batch on more devices: each computes less, and gradients stay as large.
std::string kept_batch(const Look& look) {
  constexpr double poor = 0.7;
  if (look.scenario.training.per_replica_batch || look.planned.replicas < 2 || look.step.pool) return "";
  if (!look.step.baseline || look.step.efficiency > poor) return "";
  return fmt::format(
      "The global batch of {} rows is kept, so each of {} replicas has {}: that is strong scaling, in which "
      "{} shrink with the rows. More devices are for more rows: "
      "\"per_replica_batch\".",
      look.planned.global_batch, look.planned.replicas, look.rows_each(),
      look.planned.is_inference ? "work on the host doesn't" : "gradients and work on the host don't");
}

std::string grpc_ring(const Look& look) {
  const bool is_gpu = look.machine.device().name.kind == device::Kind::gpu;
  if (look.step.pool || look.step.transport != communication::basis_of_grpc || !is_gpu) return "";
  if (look.planned.is_inference) return "";
  if (!look.takes_more_than(look.step.exposed, noticeable)) return "";
  return "Gradients go over TensorFlow's own gRPC ring, through the hosts' memory: NCCL is the "
         "\"implementation\": \"nccl\" in the strategy's \"communication_options\".";
}

std::string between_machines(const Look& look) {
  constexpr double large = 0.2;
  if (look.planned.is_inference || look.planned.workers < 2 || look.step.pool ||
      !look.takes_more_than(look.step.exposed, large))
    return "";
  return fmt::format(
      "Gradients of {} cross the machines in every step, however many rows it has: with {} rows for each "
      "replica, {} of that is hidden by no kernel. More rows for each replica, fewer and larger machines or "
      "gradients in 16 bits make its share smaller.",
      rough(Bytes(4 * look.planned.trainable_parameters)), look.rows_each(), rough(look.step.exposed));
}

std::string waiting(const Look& look) {
  if (look.planned.replicas < 2 || look.step.pool || !look.takes_more_than(look.step.waiting, noticeable))
    return "";
  return fmt::format(
      "Devices wait for the slowest of {} at the end of each step, and to be brought together: {} of it. "
      "A larger batch makes that share smaller.",
      look.planned.replicas, rough(look.step.waiting));
}

constexpr std::array all{software, late_rows, kept_batch, grpc_ring, between_machines, waiting};

}  // namespace

bool waits_for_software(const timing::Simulated& step) { return step.software > step.step * noticeable; }

std::vector<std::string> causes(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                const session::Forecast& now) {
  const Look look{scenario, machine, now.planned, *now.simulated};
  std::vector<std::string> found;
  for (const auto& cause : all)
    if (std::string text = cause(look); !text.empty()) found.push_back(std::move(text));
  return found;
}

}  // namespace wt::study
