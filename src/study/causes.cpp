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
  const BesideStep& beside;

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
      !look.takes_more_than(look.step.exposed - look.beside.beginnings.time, large))
    return "";
  return fmt::format(
      "Gradients of {} cross the machines in every step, however many rows it has: with {} rows for each "
      "replica, {} of that is hidden by no kernel. More rows for each replica, fewer and larger machines or "
      "gradients in 16 bits make its share smaller.",
      rough(Bytes(4 * look.planned.trainable_parameters)), look.rows_each(), rough(look.step.exposed));
}

// TensorFlow starts a collective when the one before has ended, and that start takes as long whatever it carries.
std::string many_collectives(const Look& look) {
  const auto& [collectives, time] = look.beside.beginnings;
  const bool are_gpus = look.machine.device().name.kind == device::Kind::gpu;
  if (look.planned.workers < 2 || !are_gpus || look.step.pool || !look.takes_more_than(time, noticeable))
    return "";
  constexpr std::int64_t of_one_pack = 2;  // the gradients, and the loss
  return fmt::format(
      "A step has {}, and TensorFlow begins each {} after the end of the one before: {} together. {} make "
      "that share smaller.",
      counted(collectives, "collective"), rough(time / static_cast<double>(collectives)), rough(time),
      collectives > of_one_pack
          ? "Larger packs (\"bytes_per_pack\" in \"communication_options\"; 0 B is one of all gradients)"
          : "More rows for each replica");
}

std::string waiting(const Look& look) {
  if (look.planned.replicas < 2 || look.step.pool || !look.takes_more_than(look.step.waiting, noticeable))
    return "";
  return fmt::format(
      "Devices wait for the slowest of {} at the end of each step, and to be brought together: {} of it. "
      "A larger batch makes that share smaller.",
      look.planned.replicas, rough(look.step.waiting));
}

// A ring sends 2 (n - 1) / n of a table that is added, and n - 1 times the rows that are gathered.
std::string gathered_rows(const Look& look) {
  const auto& gathered = look.beside.gathered;
  if (!gathered || !look.takes_more_than(gathered->time, noticeable)) return "";
  Bytes whole;
  std::string names;
  for (const strategy::GatheredTable& table : gathered->tables) {
    whole += table.table.bytes();
    names += fmt::format("{}{}", names.empty() ? "" : ", ", table.name);
  }
  const bool is_shorter = 2 * whole < look.planned.replicas * gathered->each;
  return fmt::format(
      "Gradients of embeddings ({}) are rows of look-ups (tf.IndexedSlices), which TensorFlow gathers: {} of "
      "each of {} replicas take {}, {:.0f} % of the step, and longer with each further replica. The "
      "simulated step adds the whole gradients, {}, in their place{}. What helps are fewer look-ups in a "
      "step, and parameter servers, to which each worker sends its own rows alone.",
      names, rough(gathered->each), look.planned.replicas, rough(gathered->time),
      100 * (gathered->time / look.step.step), rough(whole),
      is_shorter ? ", as TensorFlow does after tf.convert_to_tensor(gradient); these are fewer bytes" : "");
}

// Workers trace at the same time, and so do processes of one device each.
std::string tracing(const Look& look) {
  const auto& tracing = look.beside.tracing;
  const std::int64_t replicas = look.planned.replicas / look.planned.workers;
  const bool is_one_process = look.scenario.time.launch == scenario::Launch::threads;
  if (!tracing || replicas < 2 || !is_one_process || look.step.pool || look.planned.is_inference) return "";
  const Seconds steps = look.step.each_step() * static_cast<double>(look.planned.steps);
  if (*tracing <= (*tracing + steps) * noticeable) return "";
  return fmt::format(
      "Before its first step, a process traces the step once for each of its {} replicas, and longer with "
      "more layers: about {} by measurements of TensorFlow on a 2-core machine, while {} of the training "
      "take {}. A worker for each device traces its own replica alone; a longer training makes the share "
      "smaller.",
      replicas, rough(*tracing), counted(look.planned.steps, "step"), rough(steps));
}

constexpr std::array all{software,         late_rows,     kept_batch, grpc_ring, between_machines,
                         many_collectives, gathered_rows, tracing,    waiting};

}  // namespace

Beginnings beginnings_of(const plan::Plan& plan) {
  Beginnings beginnings{.collectives = std::ssize(plan.calls)};
  for (const auto& [reduction, call] : plan.calls) beginnings.time += call.floor;
  return beginnings;
}

bool waits_for_software(const timing::Simulated& step) { return step.software > step.step * noticeable; }

std::vector<std::string> causes(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                const session::Forecast& now, const BesideStep& beside) {
  const Look look{scenario, machine, now.planned, *now.simulated, beside};
  std::vector<std::string> found;
  for (const auto& cause : all)
    if (std::string text = cause(look); !text.empty()) found.push_back(std::move(text));
  return found;
}

}  // namespace wt::study
