#include "study/evidence/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/utf8.h"
#include "platform/device_types.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/row_scenario.h"

namespace wt::evidence {

namespace {

using device::Precision;

// Larger than any published matrix. A larger number is a typing error.
constexpr std::int64_t largest_side = 1 << 20;

plan::Fusion fusion_named(std::string_view name) {
  if (name == "activations") return plan::Fusion::activations;
  return name == "program" ? plan::Fusion::program : plan::Fusion::none;
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

std::string_view reason_to_leave_out(const Measurement& row, const std::optional<Setup>& setup,
                                     const Network* network) {
  if (!is_throughput(row) && !is_product(row)) return "not a throughput";
  if (!setup) return "its source doesn't state a machine and a precision that the catalogue has";
  if (network == nullptr && !is_product(row)) return "its source doesn't state a model that the zoo has";
  if (row.devices > setup->most_devices) return "several devices, which `verify scaling` predicts";
  return {};
}

// The kernels in the setup's precision can be tried with any constants. Those of the others, such as the updates of
// float32 variables in mixed precision, are the device type's.
plan::MeasuredStep step_of(const plan::Plan& plan, const Setup& setup, Precision of_float32) {
  const device::DeviceType& type = platform::device_type_named(setup.device);
  const std::vector<const device::DeviceType*> types(plan.devices.size(), &type);
  const plan::Fusion fusion = fusion_named(setup.fusion);
  const plan::RooflineOptions options{
      .precision = of_float32,
      .fusion = fusion,
      .updates = setup.updates_by_operations ? plan::Updates::operations : plan::Updates::fused,
      .images = setup.is_channels_first ? plan::Images::channels_first : plan::Images::channels_last};
  plan::MeasuredStep step;
  for (plan::Demand& demand : plan::demands(plan, types, options))
    if (demand.precision == setup.precision)
      step.demands.push_back(std::move(demand));
    else
      step.beside += plan::price(demand, plan::efficiency_of(type, demand.precision)).seconds;
  return step;
}

Prediction of_network(const Measurement& row, const Setup& setup, const Network& network) {
  const int parts = parts_of(row, setup);
  Prediction made{.row = &row,
                  .setup = setup,
                  .network = std::string(network.zoo),
                  .batch = batch_of(row, parts),
                  .published = row.value / parts};
  made.amount = static_cast<double>(made.batch);
  const scenario::Scenario scenario =
      scenario::parse(row_scenario(row, setup.group, on_one_device(setup)), row.place.file);
  session::Training training(scenario, scenario::build(scenario), {});
  const plan::Plan& plan = training.plans().whole();
  const bool is_mixed = scenario::mixed_type(scenario.training.precision).has_value();
  made.step = step_of(
      plan, setup,
      is_mixed ? plan::default_precision(platform::device_type_named(setup.device)) : setup.precision);
  made.step.beside += round_trip_to_host(row, plan);
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
    if (size < 1 || size > largest_side)
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
                  .setup = setup,
                  .network = row.batch,
                  .amount = 2e-12 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                  .published = row.value,
                  .step = step_of(plan, setup, setup.precision)};
  made.step.measured = Seconds(made.amount / made.published);
  return made;
}

}  // namespace

std::string count_of_rows(std::int64_t count, std::string_view reason) {
  return fmt::format("{} row{}: {}", count, count == 1 ? "" : "s", reason);
}

Predictions predict(const std::vector<Measurement>& rows) {
  Predictions predictions;
  std::map<std::string_view, int> left_out;
  std::map<std::string, std::size_t> places;  // of groups, in the order of their first rows
  for (const Measurement& row : rows) {
    const std::optional<Setup> setup = setup_of(row);
    const Network* const network = network_of(row);
    if (const std::string_view reason = reason_to_leave_out(row, setup, network); !reason.empty()) {
      ++left_out[reason];
      continue;
    }
    places.try_emplace(setup->group, places.size());
    predictions.made.push_back(is_product(row) ? of_product(row, *setup) : of_network(row, *setup, *network));
  }
  std::ranges::stable_sort(predictions.made, {},
                           [&](const Prediction& each) { return places.at(each.setup.group); });
  for (const auto& [reason, count] : left_out) predictions.left_out.push_back(count_of_rows(count, reason));
  return predictions;
}

}  // namespace wt::evidence
