#include "study/evidence/arrangements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "study/evidence/row_scenario.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

namespace {

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
std::string on_the_host(const Measurement& row) {
  return fmt::format(R"({{"type": "central_storage", "compute_devices": {}, "parameter_device": "CPU:0"}})",
                     gpus(row.devices));
}

// TensorFlow's mirrored strategy reduces all gradients in one buffer after the backward pass.
std::string mirrored(const Measurement& row) {
  return fmt::format(R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "nccl"}})",
                     gpus(row.devices));
}

// A ring through the devices in the order of their numbers, over any links between them.
std::string ring_by_numbers(const Measurement& row) {
  return fmt::format(R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "collective_ring"}})",
                     gpus(row.devices));
}

std::string overlapping(const Measurement& row) {
  return fmt::format(
      R"({{"type": "mirrored", "devices": {}, "cross_device_ops": "collective_nccl", "overlap": true, )"
      R"("bucket_cap": "25 MB"}})",
      gpus(row.devices));
}

// TensorFlow 2.3 hands the gradients of several machines to NCCL one by one (cross_device_ops.py).
std::string one_by_one(const Measurement& row) {
  return fmt::format(
      R"({{"type": "multi_worker_mirrored", "communication_options": {{"implementation": "nccl", )"
      R"("bytes_per_pack": "1 B"}}{}}})",
      waits_for_backward(row) ? R"(, "overlap": false)" : "");
}

std::string tpu(const Measurement&) { return R"({"type": "tpu"})"; }

constexpr std::string_view horovod = "DDP/Horovod NCCL data parallel";
constexpr std::string_view horovod_with_xla = "Horovod NCCL data parallel with XLA";
constexpr std::string_view ddp = "DDP NCCL";
constexpr std::string_view lambda = "lambdal/";
constexpr std::string_view tensorflow_of_dlperf = "DLPerf TensorFlow";
constexpr std::string_view bert = "TensorFlow2/LanguageModeling/BERT";

constexpr std::array all{
    Arrangement{"central storage, P100", Regime::on_one_device, "DGX-1 8xP100", "parameter_server(cpu)", "",
                dgx1_p100, on_the_host},
    Arrangement{"NCCL of today, P100", Regime::one_pack, "DGX-1 8xP100", "replicated(NCCL)", "", dgx1_p100,
                mirrored},
    Arrangement{"NCCL 1, P100", Regime::one_pack, "DGX-1 8xP100", "replicated(NCCL)", "",
                dgx1_p100_of_two_faces, ring_by_numbers},
    Arrangement{"TensorFlow 2, V100", Regime::one_pack, "V100-SXM2-16GB", "MirroredStrategy",
                tensorflow_of_dlperf, dgx1_v100, mirrored},
    Arrangement{"TensorFlow 2, machines of V100", Regime::one_by_one, "V100-SXM2-16GB",
                "MultiWorkerMirroredStrategy", tensorflow_of_dlperf, v100_over_edr, one_by_one},
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

}  // namespace

std::span<const Arrangement> arrangements() { return all; }

bool fits(const Measurement& row, const Arrangement& arrangement) {
  return row.system.find(arrangement.system) != std::string::npos &&
         row.strategy.starts_with(arrangement.strategy) &&
         row.source.find(arrangement.source) != std::string::npos;
}

// Under a loss scale TensorFlow 2.3 asks whether all gradients are finite before it reduces them
// (loss_scale_optimizer.py), and the model garden's BERT first clips them by their common norm.
bool waits_for_backward(const Measurement& row) {
  return network_of(row)->zoo.starts_with("bert") || setup_of(row)->policy == "mixed_float16";
}

std::string scenario_text(const Measurement& row, const Arrangement& arrangement,
                          std::optional<Seconds> alone) {
  return row_scenario(row, fmt::format("{}, {} devices", arrangement.group, row.devices),
                      {.platform = arrangement.platform_of(row.devices),
                       .strategy = arrangement.strategy_of(row),
                       .replicas = parts_of(row, *setup_of(row))},
                      alone);
}

std::string_view name(Regime regime) {
  constexpr std::array<std::string_view, 4> names{"one pack", "overlapped", "on one device", "one by one"};
  return names[static_cast<std::size_t>(regime)];
}

const Arrangement& arrangement_named(std::string_view group) {
  const auto found = std::ranges::find(all, group, &Arrangement::group);
  WT_EXPECT(found != all.end(), "no rows are arranged as \"{}\"", group);
  return *found;
}

}  // namespace wt::evidence
