#include "study/evidence/scaling_prediction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/median.h"

#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/row_scenario.h"

namespace wt::evidence {

namespace {

// ---- Arrangements

std::string gpus(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("\"GPU:{}\"", i));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string dgx1_p100(int) { return R"("dgx1_p100")"; }
// Peers reach each other where a link or a switch joins them: NCCL 1 knew no way through a third device, and
// took the ring by the devices' numbers, so that it left each face of the cube through the host's memory.
std::string dgx1_p100_of_two_faces(int) {
  return R"({"file": "dgx1_p100", "set": {"machine.nvlink.pairs": )"
         R"([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [4, 5], [4, 6], [4, 7], [5, 6], [5, 7], [6, 7]]}})";
}

std::string dgx1_v100(int) { return R"("dgx1_v100")"; }
// Machines of eight GPUs with one port each, and a part of such a machine.
std::string v100_over_edr(int devices) {
  return fmt::format(R"({{"file": "dgx1_v100", "set": {{"machines": {}, "machine.nics.count": 1}}}})",
                     (devices + 7) / 8);
}
std::string dgx2(int) { return R"("dgx2")"; }
std::string dgx_a100(int) { return R"("dgx_a100")"; }
// A p3.8xlarge is half of it.
std::string p3_16xlarge(int) { return R"("aws_p3_16xlarge")"; }
std::string p4d_24xlarge(int) { return R"("aws_p4d_24xlarge")"; }

// The name of a slice contains its number of cores, of which a chip has two.
std::string tpu_v3(int chips) {
  return fmt::format(R"({{"file": "tpu_v3", "set": {{"slice": "v3-{}"}}}})", 2 * chips);
}

// A slice's name counts two cores of a chip here, too, which are one device.
std::string tpu_v4(int chips) {
  return fmt::format(R"({{"file": "tpu_v4", "set": {{"slice": "v4-{}"}}}})", 2 * chips);
}

// The variables are on the host even if only one device computes.
std::string on_the_host(int devices) {
  return fmt::format(R"({{"type": "central_storage", "compute_devices": {}, "parameter_device": "CPU:0"}})",
                     gpus(devices));
}

// TensorFlow's mirrored strategy reduces all gradients in one buffer after the backward pass.
std::string mirrored(int devices) {
  return fmt::format(R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "nccl"}})", gpus(devices));
}

// A ring through the devices in the order of their numbers, over any links between them.
std::string ring_by_numbers(int devices) {
  return fmt::format(R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "collective_ring"}})",
                     gpus(devices));
}

std::string overlapping(int devices) {
  return fmt::format(
      R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "collective_nccl", "overlap": true, )"
      R"("bucket_cap": "25 MB"}})",
      gpus(devices));
}

// As `mirrored`, on several machines.
std::string multi_worker(int) { return R"({"type": "multi_worker_mirrored", "communication": "nccl"})"; }

std::string tpu(int) { return R"({"type": "tpu"})"; }

constexpr std::string_view horovod = "DDP/Horovod NCCL data parallel";
constexpr std::string_view horovod_with_xla = "Horovod NCCL data parallel with XLA";
constexpr std::string_view ddp = "DDP NCCL";
constexpr std::string_view lambda = "lambdal/";
constexpr std::string_view tensorflow_of_dlperf = "DLPerf TensorFlow";
constexpr std::string_view bert = "TensorFlow2/LanguageModeling/BERT";

constexpr std::array arrangements{
    Arrangement{"central storage, P100", Regime::on_one_device, "DGX-1 8xP100", "parameter_server(cpu)", "",
                dgx1_p100, on_the_host},
    Arrangement{"NCCL of today, P100", Regime::one_pack, "DGX-1 8xP100", "replicated(NCCL)", "", dgx1_p100,
                mirrored},
    Arrangement{"NCCL 1, P100", Regime::one_pack, "DGX-1 8xP100", "replicated(NCCL)", "",
                dgx1_p100_of_two_faces, ring_by_numbers},
    Arrangement{"TensorFlow 2, V100", Regime::one_pack, "V100-SXM2-16GB", "MirroredStrategy",
                tensorflow_of_dlperf, dgx1_v100, mirrored},
    Arrangement{"TensorFlow 2, machines of V100", Regime::one_pack, "V100-SXM2-16GB",
                "MultiWorkerMirroredStrategy", tensorflow_of_dlperf, v100_over_edr, multi_worker},
    Arrangement{"NCCL and MXNet, V100", Regime::overlapped, "8x V100 16GB", horovod, "MxNet/", dgx1_v100,
                overlapping},
    Arrangement{"NCCL and PyTorch, V100", Regime::overlapped, "8x V100", horovod, "PyTorch/", dgx1_v100,
                overlapping},
    Arrangement{"NCCL and PyTorch, A100", Regime::overlapped, "8x A100 80GB", horovod, "PyTorch/", dgx_a100,
                overlapping},
    Arrangement{"NCCL and XLA, BERT on V100", Regime::overlapped, "8x V100", horovod, bert, dgx1_v100,
                overlapping},
    Arrangement{"NCCL and XLA, BERT on A100", Regime::overlapped, "8x A100 80GB", horovod, bert, dgx_a100,
                overlapping},
    Arrangement{"NCCL and XLA, V100", Regime::overlapped, "8x V100 16GB", horovod_with_xla, "", dgx1_v100,
                overlapping},
    Arrangement{"NCCL and XLA, DGX-2", Regime::overlapped, "16x V100 32GB", horovod_with_xla, "", dgx2,
                overlapping},
    Arrangement{"NCCL and XLA, A100", Regime::overlapped, "8x A100 40GB", horovod_with_xla, "", dgx_a100,
                overlapping},
    Arrangement{"DDP, V100", Regime::overlapped, "V100 16GB SXM2", ddp, lambda, dgx1_v100, overlapping, true},
    Arrangement{"DDP, A100", Regime::overlapped, "A100 80GB SXM4", ddp, lambda, dgx_a100, overlapping, true},
    Arrangement{"DDP, p3", Regime::overlapped, "p3.", ddp, lambda, p3_16xlarge, overlapping, true},
    Arrangement{"DDP, p4d", Regime::overlapped, "p4d.24xlarge", ddp, lambda, p4d_24xlarge, overlapping, true},
    Arrangement{"torus, TPU v3", Regime::one_pack, "tpu-v3", "synchronous data parallel", "", tpu_v3, tpu},
    Arrangement{"torus, TPU v4", Regime::one_pack, "tpu-v4", "synchronous data parallel", "", tpu_v4, tpu},
};

bool fits(const Measurement& row, const Arrangement& arrangement) {
  return row.system.find(arrangement.system) != std::string::npos &&
         row.strategy.starts_with(arrangement.strategy) &&
         row.source.find(arrangement.source) != std::string::npos;
}

std::string_view reason_to_leave_out(const Measurement& row) {
  if (!is_throughput(row)) return "not a training throughput";
  if (row.model.ends_with("(keras example)") && row.devices > 1)
    return "programs, which are predicted beside";
  if (!setup_of(row)) return "its source doesn't state a machine and a precision that the catalogue has";
  if (network_of(row) == nullptr) return "its source doesn't state a model that the zoo has";
  if (row.devices == 1) return "one device, which `verify measurements` predicts";
  const auto* const arrangement =
      std::ranges::find_if(arrangements, [&](const Arrangement& each) { return fits(row, each); });
  if (arrangement == arrangements.end()) return "a way of training on several devices without an arrangement";
  return {};
}

std::int64_t own_batch(const Measurement& row) { return batch_of(row, parts_of(row, *setup_of(row))); }

// ---- Simulation

struct Simulated {
  Seconds step{}, alone{};
  std::int64_t rows = 0;
};

using Synchronization = std::optional<platform::MeasuredSynchronization>;  // absent: that of all systems

Simulated simulate(const Measurement& row, const Arrangement& arrangement, std::optional<Seconds> alone,
                   const Synchronization& synchronization) {
  const std::string text = scenario_text(row, arrangement, alone);
  const scenario::Scenario scenario = scenario::parse(text, row.place.file);
  scenario::Job job = scenario::build(scenario);
  if (synchronization)
    job.machine.platform = job.machine.platform->with_calibration({.synchronization = synchronization});
  session::Training training(scenario, std::move(job), {});
  const timing::Simulated& summary = training.clock().step().summary;
  return {summary.step, training.clock().baseline().step,
          own_batch(row) * static_cast<std::int64_t>(training.machine().replicas.size())};
}

double throughput(const Simulated& simulated) {
  return static_cast<double>(simulated.rows) / simulated.step.count();
}

// Finds the base of each row, and keeps the step time of one device that follows from it.
class Bases {
 public:
  explicit Bases(const std::vector<Measurement>& rows, const Synchronization& synchronization = {})
      : rows_(rows), synchronization_(synchronization) {}

  const Measurement* base_of(const Measurement& row) const {
    const Measurement* base = nullptr;
    for (const Measurement& each : rows_) {
      if (!is_like(each, row) || each.devices >= row.devices) continue;
      const auto rank = [&](const Measurement& one) {
        return std::pair(one.devices, one.strategy != row.strategy);
      };
      if (base == nullptr || rank(each) < rank(*base)) base = &each;
    }
    return base;
  }

  // The step time of one device: the base's published step, less the simulated communication between the
  // base's devices.
  Seconds alone(const Measurement& base, const Arrangement& arrangement) {
    const auto [place, is_new] = known_.try_emplace({&base, &arrangement});
    if (!is_new) return place->second;
    place->second =
        Seconds(static_cast<double>(own_batch(base) * parts_of(base, *setup_of(base))) / base.value);
    if (base.devices > 1) {
      const Simulated simulated = simulate(base, arrangement, {}, synchronization_);
      place->second -= simulated.step - simulated.alone;
    }
    return place->second;
  }

  // Throughput with the compute time of the base.
  double scaled(const Measurement& row, const Arrangement& arrangement) {
    return throughput(simulate(row, arrangement, alone(*base_of(row), arrangement), synchronization_));
  }

 private:
  // One device trains alike under every strategy.
  static bool is_like(const Measurement& a, const Measurement& b) {
    return is_throughput(a) && setup_of(a) == setup_of(b) && a.model == b.model &&
           own_batch(a) == own_batch(b) &&
           (a.strategy == b.strategy || (a.devices == 1 && a.source == b.source));
  }

  const std::vector<Measurement>& rows_;
  const Synchronization synchronization_;
  std::map<std::pair<const Measurement*, const Arrangement*>, Seconds> known_{};
};

ScalingPrediction predict(const Measurement& row, const Arrangement& arrangement, Bases& bases) {
  ScalingPrediction made{.row = &row,
                         .base = bases.base_of(row),
                         .arrangement = &arrangement,
                         .network = std::string(network_of(row)->zoo),
                         .batch = own_batch(row)};
  made.absolute = throughput(simulate(row, arrangement, {}, {}));
  if (made.base != nullptr) made.scaled = bases.scaled(row, arrangement);
  return made;
}

}  // namespace

std::string scenario_text(const Measurement& row, const Arrangement& arrangement,
                          std::optional<Seconds> alone) {
  return row_scenario(row, fmt::format("{}, {} devices", arrangement.group, row.devices),
                      {.platform = arrangement.platform_of(row.devices),
                       .strategy = arrangement.strategy_of(row.devices),
                       .replicas = parts_of(row, *setup_of(row))},
                      alone);
}

std::string_view name(Regime regime) {
  constexpr std::array<std::string_view, 3> names{"one pack", "overlapped", "on one device"};
  return names[static_cast<std::size_t>(regime)];
}

const Arrangement& arrangement_named(std::string_view group) {
  const auto found = std::ranges::find(arrangements, group, &Arrangement::group);
  WT_EXPECT(found != arrangements.end(), "no rows are arranged as \"{}\"", group);
  return *found;
}

namespace {

// A row, and the logarithm of predicted over published throughput as a function of what meeting costs.
struct MeetingRow {
  const Measurement* row = nullptr;
  const Arrangement* arrangement = nullptr;
  double error = 0;       // without any cost
  double by_spread = 0;   // change of the error for a spread of 1
  double by_process = 0;  // and for a second in each process

  double with(const platform::MeasuredSynchronization& cost) const {
    return error + by_spread * cost.spread + by_process * cost.process.count();
  }
};

std::vector<MeetingRow> meeting_rows(const std::vector<Measurement>& rows) {
  std::vector<MeetingRow> found;
  const Bases bases(rows);
  for (const Arrangement& arrangement : arrangements)
    for (const Measurement& row : rows)
      if (arrangement.regime == Regime::overlapped && !arrangement.is_only_judged && fits(row, arrangement) &&
          reason_to_leave_out(row).empty() && bases.base_of(row) != nullptr)
        found.push_back({&row, &arrangement});
  return found;
}

std::vector<double> errors_with(const std::vector<MeetingRow>& meeting, const std::vector<Measurement>& rows,
                                const Synchronization& cost) {
  Bases bases(rows, cost);
  std::vector<double> errors;
  for (const MeetingRow& each : meeting)
    errors.push_back(std::log(bases.scaled(*each.row, *each.arrangement) / each.row->value));
  return errors;
}

// Costs are small, so that errors change with them in proportion.
void linearize(std::vector<MeetingRow>& meeting, const std::vector<Measurement>& rows) {
  constexpr platform::MeasuredSynchronization spread{0.01, Seconds(0)}, process{0, Seconds(1e-3)};
  const auto none = errors_with(meeting, rows, platform::MeasuredSynchronization{});
  const auto with_spread = errors_with(meeting, rows, spread);
  const auto with_process = errors_with(meeting, rows, process);
  for (std::size_t i = 0; i < meeting.size(); ++i) {
    meeting[i].error = none[i];
    meeting[i].by_spread = (with_spread[i] - none[i]) / spread.spread;
    meeting[i].by_process = (with_process[i] - none[i]) / process.process.count();
  }
}

// Bounded, because rows that are far off have another cause than meeting: mixed precision on NVSwitches loses three
// times what all other rows lose.
double weight_of(double error) {
  constexpr double usual = 0.02;
  return error / (error + usual);
}

platform::MeasuredSynchronization least(const std::vector<MeetingRow>& meeting) {
  platform::MeasuredSynchronization best;
  double smallest = std::numeric_limits<double>::infinity();
  for (int spread = 0; spread <= 50; ++spread)         // thousandths
    for (int process = 0; process <= 40; ++process) {  // twentieths of a millisecond
      const platform::MeasuredSynchronization cost{1e-3 * spread, Seconds(0.05e-3 * process)};
      double sum = 0;
      for (const MeetingRow& each : meeting) sum += weight_of(std::abs(each.with(cost)));
      if (sum < smallest) smallest = sum, best = cost;
    }
  return best;
}

double median_size(const std::vector<double>& errors) {
  std::vector<double> sizes;
  for (const double error : errors) sizes.push_back(std::abs(std::exp(error) - 1));
  return median(std::move(sizes));
}

}  // namespace

SynchronizationFit fit_synchronization(const std::vector<Measurement>& rows) {
  std::vector<MeetingRow> meeting = meeting_rows(rows);
  if (meeting.empty())
    throw InputError(
        "the measurements have no training throughput of overlapped gradients on several devices",
        "name a folder with such rows, as tests/measurements has them");
  linearize(meeting, rows);
  SynchronizationFit fit{.found = least(meeting), .rows = meeting.size()};
  fit.before = median_size(errors_with(meeting, rows, {}));
  fit.after = median_size(errors_with(meeting, rows, fit.found));
  return fit;
}

ScalingPredictions predict_scaling(const std::vector<Measurement>& rows) {
  ScalingPredictions predictions;
  std::map<std::string_view, std::int64_t> left_out;
  for (const Measurement& row : rows)
    if (const std::string_view reason = reason_to_leave_out(row); !reason.empty()) ++left_out[reason];
  Bases bases(rows);
  for (const Arrangement& arrangement : arrangements)
    for (const Measurement& row : rows)
      if (fits(row, arrangement) && reason_to_leave_out(row).empty())
        predictions.made.push_back(predict(row, arrangement, bases));
  for (const auto& [reason, count] : left_out) predictions.left_out.push_back(count_of_rows(count, reason));
  return predictions;
}

}  // namespace wt::evidence
