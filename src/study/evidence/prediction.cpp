#include "study/evidence/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/utf8.h"
#include "device/cpu/cpu_queue.h"
#include "model/weights.h"
#include "model/zoo.h"
#include "platform/device_types.h"
#include "strategy/default.h"
#include "train/model.h"

namespace wt::evidence {

namespace {

using device::Precision;
using plan::Fusion;

// Larger than any published batch or matrix. A larger number is a typing error.
constexpr std::int64_t most = 1 << 20;

constexpr std::array setups{
    Setup{"P100 float32", "DGX-1 8xP100", "fp32", "p100_sxm2", Precision::float32, Fusion::none, 0, 4e-5},
    Setup{"K80 float32", "8xK80", "fp32", "k80_gk210", Precision::float32, Fusion::none, 0, 4e-5},
    Setup{"V100 float32", "V100 16GB", "FP32", "v100_sxm2_16", Precision::float32, Fusion::activations, 0.9,
          5e-5},
    Setup{"V100 float32", "V100 32GB", "FP32", "v100_sxm2_32", Precision::float32, Fusion::activations, 0.9,
          5e-5},
    Setup{"V100 float16", "V100 16GB", "AMP", "v100_sxm2_16", Precision::float16, Fusion::activations, 0.9,
          5e-5},
    Setup{"V100 float16", "V100 32GB", "AMP", "v100_sxm2_32", Precision::float16, Fusion::activations, 0.9,
          5e-5},
    Setup{"A100 tf32", "A100 40GB", "TF32", "a100_sxm_40", Precision::tf32, Fusion::activations, 0.9, 5e-5},
    Setup{"A100 float16", "A100 40GB", "AMP", "a100_sxm_40", Precision::float16, Fusion::activations, 0.9,
          5e-5},
    Setup{"TPU v3 bfloat16", "tpu-v3", "mixed (fp16/bf16)", "tpu_v3_core", Precision::bfloat16,
          Fusion::program, 0.9, 2e-4, true},
    Setup{"products bfloat16", "A100 SXM", "bf16", "a100_sxm_80", Precision::bfloat16, Fusion::none},
    Setup{"products bfloat16", "A100 PCIe", "bf16", "a100_pcie_80", Precision::bfloat16, Fusion::none},
    Setup{"products bfloat16", "NVIDIA H100 SXM", "bf16", "h100_sxm", Precision::bfloat16, Fusion::none},
    Setup{"products bfloat16", "NVIDIA B200 SXM", "bf16", "b200_sxm", Precision::bfloat16, Fusion::none},
    Setup{"products bfloat16", "GB200 SXM", "bf16", "gb200_gpu", Precision::bfloat16, Fusion::none},
    Setup{"products bfloat16", "MI300X", "bf16", "mi300x", Precision::bfloat16, Fusion::none},
};

constexpr std::array networks{
    Network{"InceptionV3", "inception_v3", 1001},
    Network{"ResNet-50", "resnet50", 1001, true},
    Network{"ResNet-152", "resnet152", 1001, true},
    Network{"AlexNet", "alexnet", 1001},
    Network{"VGG16", "vgg16", 1001},
    Network{"RN50v1.5", "resnet50"},
    Network{"resnet MLPerf", "resnet50"},
};

// The first row of the table for which `fits` is true, or null.
template <class Table, class Fits>
const typename Table::value_type* find_in(const Table& table, Fits fits) {
  const auto found = std::find_if(table.begin(), table.end(), fits);
  return found == table.end() ? nullptr : &*found;
}

// The plan of a training step of a network, traced with shapes only.
plan::Plan training_plan(const Network& network, std::int64_t batch, const Setup& setup) {
  model::ZooValues values{{"classes", network.classes}};
  if (network.is_first_version) values["v1"] = 1;
  const model::LayerPtr layer = model::zoo_model(network.zoo, values).build();
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  const std::string device(setup.device);
  train::Resources machine{
      [&](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {device}); }, queue};
  train::State state(0);
  train::Model model(layer, state, machine);
  model::Optimizer optimizer = model::optimizer_named("SGD");
  optimizer.arguments["momentum"] = setup.momentum;
  optimizer.weight_decay = setup.weight_decay;
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                 .optimizer = optimizer,
                 .semantics = model::Semantics::keras2});  // of the time in which these rows were measured
  const TensorSpec images = model::batched(layer->input_specs(), batch).front();
  return model.training_plan({Tensor::shape_only(images), Tensor::shape_only({Type::int64, Shape{batch}})});
}

// The additional time of TensorFlow 1 with its variables on the host. Weights and gradients cross a PCIe 3.0
// x16 link once per step each, at 12 GB/s. Half of these two transfers is assumed to overlap with compute, so
// the time is that of one transfer.
Seconds round_trip_to_host(const Measurement& row, const plan::Plan& plan) {
  if (row.strategy != "parameter_server(cpu)") return {};
  Bytes weights{};
  for (const plan::Port& variable : plan.variables)
    if (plan.buffer(variable.operand.buffer).kind == plan::BufferKind::variable)
      weights += variable.operand.spec.bytes();
  const BytesPerSecond pcie(12e9);
  return weights / pcie;
}

bool is_product(const Measurement& row) { return row.unit == "TFLOP/s" && row.model.starts_with("matmul "); }

std::string_view reason_to_leave_out(const Measurement& row, const Setup* setup, const Network* network) {
  if (!is_throughput(row) && !is_product(row)) return "not a throughput";
  if (setup == nullptr) return "a system or precision without a setup";
  if (network == nullptr && !is_product(row)) return "a network that the zoo doesn't have";
  if (row.devices > 1 && !setup->is_core_of_chips)
    return "several devices, whose communication takes part of the time";
  return {};
}

plan::MeasuredStep step_of(const plan::Plan& plan, const Setup& setup) {
  const device::DeviceType* const type = &platform::device_type_named(setup.device);
  return {.demands = plan::demands(plan, std::span(&type, 1),
                                   {.precision = setup.precision, .fusion = setup.fusion})};
}

Prediction of_network(const Measurement& row, const Setup& setup, const Network& network) {
  const int parts = parts_of(row, setup);
  Prediction made{.row = &row,
                  .setup = &setup,
                  .network = std::string(network.zoo),
                  .batch = batch_of(row, parts),
                  .published = row.value / parts};
  made.amount = static_cast<double>(made.batch);
  const plan::Plan plan = training_plan(network, made.batch, setup);
  made.step = step_of(plan, setup);
  made.step.beside = round_trip_to_host(row, plan);
  made.step.measured = Seconds(made.amount / made.published);
  return made;
}

// "1024x10240x5120": m, n, k.
std::array<std::int64_t, 3> sizes_of(const Measurement& row) {
  std::array<std::int64_t, 3> sizes{};
  const char* at = row.batch.data();
  const char* const end = at + row.batch.size();
  for (std::int64_t& size : sizes) {
    at = std::from_chars(at, end, size).ptr;
    if (at != end && *at == 'x') ++at;
    if (size < 1 || size > most)
      throw InputError(
          Problem{row.place, fmt::format("\"{}\" is not the sizes of a matrix product", printable(row.batch)),
                  "write \"1024x10240x5120\": m, n, k"});
  }
  return sizes;
}

Prediction of_product(const Measurement& row, const Setup& setup) {
  const auto [m, n, k] = sizes_of(row);
  plan::Plan plan{.name = "product", .devices = {{.name = std::string(setup.device)}}};
  const auto operand = [&](const Shape& shape) {
    const TensorSpec spec{Type::float32, shape};
    return plan::Operand{
        plan.add_buffer({"", plan::DeviceId{0}, spec.bytes(), plan::BufferKind::activation, {}}), spec};
  };
  const plan::Operand a = operand({m, k}), b = operand({k, n}), c = operand({m, n});
  plan.add_node(plan::Run{plan::DeviceId{0}, &kernel_named("matmul"), ProductAttributes{}, {a, b}, {c}, {}},
                "");
  Prediction made{.row = &row,
                  .setup = &setup,
                  .network = row.batch,
                  .amount = 2e-12 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                  .published = row.value,
                  .step = step_of(plan, setup)};
  made.step.measured = Seconds(made.amount / made.published);
  return made;
}

}  // namespace

const Setup* setup_of(const Measurement& row) {
  return find_in(setups, [&](const Setup& each) {
    return row.type == each.type && row.system.find(each.system) != std::string::npos;
  });
}

const Network* network_of(const Measurement& row) {
  return find_in(networks, [&](const Network& each) { return row.model.starts_with(each.published); });
}

bool is_throughput(const Measurement& row) { return row.metric.starts_with("throughput"); }

int parts_of(const Measurement& row, const Setup& setup) {
  return setup.is_core_of_chips ? 2 * row.devices : row.devices;
}

std::int64_t batch_of(const Measurement& row, int parts) {
  std::int64_t batch = 0;
  std::from_chars(row.batch.data(), row.batch.data() + row.batch.size(), batch);
  if (row.batch.find("global") != std::string::npos) batch /= parts;
  if (batch < 1 || batch > most)
    throw InputError(Problem{row.place, fmt::format("\"{}\" is not a batch", printable(row.batch)),
                             "write \"64/GPU\" or \"4096 global\""});
  return batch;
}

std::string count_of_rows(std::int64_t count, std::string_view reason) {
  return fmt::format("{} row{}: {}", count, count == 1 ? "" : "s", reason);
}

Predictions predict(const std::vector<Measurement>& rows) {
  Predictions predictions;
  std::map<std::string_view, int> left_out;
  for (const Measurement& row : rows) {
    const Setup* const setup = setup_of(row);
    const Network* const network = network_of(row);
    if (const std::string_view reason = reason_to_leave_out(row, setup, network); !reason.empty())
      ++left_out[reason];
    else
      predictions.made.push_back(is_product(row) ? of_product(row, *setup)
                                                 : of_network(row, *setup, *network));
  }
  const auto place = [](const Prediction& each) {
    return find_in(setups, [&](const Setup& setup) { return setup.group == each.setup->group; });
  };
  std::stable_sort(predictions.made.begin(), predictions.made.end(),
                   [&](const Prediction& a, const Prediction& b) { return place(a) < place(b); });
  for (const auto& [reason, count] : left_out) predictions.left_out.push_back(count_of_rows(count, reason));
  return predictions;
}

}  // namespace wt::evidence
