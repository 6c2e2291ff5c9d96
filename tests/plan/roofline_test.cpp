// Seconds from shapes, against closed forms worked out by hand.
#include "plan/roofline.h"

#include <gtest/gtest.h>

#include <random>

#include "base/quantity_literals.h"
#include "plan/efficiency_fit.h"
#include "plan/order.h"

namespace wt::plan {
namespace {

using device::DeviceType;
using device::Efficiency;
using device::Precision;
using Pass = ConvolutionGeometry::Pass;

DeviceType v100() {
  return {.id = "v100",
          .kind = device::Kind::gpu,
          .peak = {{Precision::float32, FlopsPerSecond(15.7e12)}, {Precision::float16, 125_TFlop_per_s}},
          .memory = 16_GB,
          .memory_bandwidth = 900_GBps,
          .compute_capability = device::ComputeCapability{7, 0},
          .processors = 80,
          .launch_gap = 3_us};
}

DeviceType tpu() {
  return {.id = "tpu",
          .kind = device::Kind::tpu,
          .peak = {{Precision::float32, 61_TFlop_per_s}, {Precision::bfloat16, 61_TFlop_per_s}},
          .memory = 16_GB,
          .memory_bandwidth = 450_GBps,
          .matrix_unit = 128};
}

DeviceType cpu() {
  return {.id = "cpu",
          .kind = device::Kind::cpu,
          .peak = {{Precision::float32, 1_TFlop_per_s}},
          .memory = 64_GB,
          .memory_bandwidth = 50_GBps,
          .launch_gap = 5_us};
}

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

// A plan that grows run by run; every output gets a buffer of its own.
struct Runs {
  Plan plan{.name = "runs", .devices = {{.name = "gpu:0"}}};

  Operand operand(const TensorSpec& spec, DeviceId device = {}) {
    return {plan.add_buffer({"b", device, spec.bytes(), BufferKind::activation, {}}), spec};
  }
  Operand run(std::string_view name, const std::vector<Operand>& inputs, Attributes attributes = {},
              Purpose purpose = Purpose::forward) {
    const Kernel& kernel = kernel_named(name);
    std::vector<TensorSpec> specs;
    for (const Operand& input : inputs) specs.push_back(input.spec);
    std::vector<Operand> outputs;
    for (const TensorSpec& spec : kernel.outputs(specs, attributes)) outputs.push_back(operand(spec));
    plan.add_node(Run{DeviceId{0}, &kernel, std::move(attributes), inputs, outputs, {}}, {"", {purpose}});
    return outputs.front();
  }
  std::vector<Cost> costs(const DeviceType& type, const RooflineOptions& options = {}) const {
    const DeviceType* const types[] = {&type};
    return roofline(plan, types, options).nodes;
  }
};

Cost cost(const DeviceType& type, std::string_view kernel, const std::vector<TensorSpec>& inputs,
          const Attributes& attributes = {}, const RooflineOptions& options = {}) {
  Runs runs;
  std::vector<Operand> operands;
  for (const TensorSpec& spec : inputs) operands.push_back(runs.operand(spec));
  runs.run(kernel, operands, attributes);
  return runs.costs(type, options).front();
}

Cost product(const DeviceType& type, std::int64_t m, std::int64_t n, std::int64_t k,
             const RooflineOptions& options = {}) {
  return cost(type, "matmul", {floats({m, k}), floats({k, n})}, ProductAttributes{}, options);
}

void expect_near(Seconds seconds, double wanted) { EXPECT_NEAR(seconds.count() / wanted, 1, 1e-12); }

// ---- Closed forms

TEST(Roofline, ALargeProductApproachesItsShareOfThePeak) {
  const Cost cost = product(v100(), 16384, 16384, 16384);
  const double least = 2.0 * 16384 * 16384 * 16384 / 15.7e12;
  expect_near(cost.bound, least);
  EXPECT_NEAR(least / cost.seconds.count(), 0.8, 0.01);
}

TEST(Roofline, ATinyProductCostsTheGapAndATileThatIsMostlyEmpty) {
  const Cost cost = product(v100(), 8, 8, 8);
  // 32 x 32 x (8 + 64) products on one of 80 processors, at half of a large tile's efficiency.
  expect_near(cost.seconds, 3e-6 + 2.0 * 32 * 32 * 72 / (15.7e12 / 80 * 0.5 * 0.8));
  EXPECT_LT(cost.bound, Seconds(1e-9));
}

TEST(Roofline, AMemoryKernelIsItsBytesOverTheBandwidthAndAGap) {
  const double bytes = 2.0 * 4 * 64e6;
  const Cost cost = wt::plan::cost(v100(), "relu", {floats({64, 1000000})}, NoAttributes{});
  expect_near(cost.seconds, bytes / (900e9 * 0.8) + 3e-6);
  expect_near(cost.bound, bytes / 900e9);
}

TEST(Roofline, ANormalizationPassesOverItsTensorThreeTimesAndFiveTimesBackward) {
  const TensorSpec x = floats({64, 56, 56, 256}), c = floats({256});
  const double bytes = 4.0 * 64 * 56 * 56 * 256;
  const NormalizationAttributes attributes;
  const auto seconds = [&](std::string_view kernel, const std::vector<TensorSpec>& inputs, Fusion fusion) {
    return cost(v100(), kernel, inputs, attributes, {.fusion = fusion}).seconds;
  };
  const std::vector<TensorSpec> forward{x, c, c, c, c}, backward{x, x, c, c, c};
  expect_near(seconds("batch_norm", forward, Fusion::none), 3 * bytes / 720e9 + 3e-6);
  expect_near(seconds("batch_norm_gradient", backward, Fusion::none), 5 * bytes / 720e9 + 3e-6);
  // On a TPU: two and four.
  EXPECT_NEAR(seconds("batch_norm", forward, Fusion::program).count(), 2 * bytes / 720e9 + 3e-6, 1e-8);
  EXPECT_NEAR(seconds("batch_norm_gradient", backward, Fusion::program).count(), 4 * bytes / 720e9 + 3e-6,
              1e-8);
}

TEST(Roofline, SixteenBitsHalveTheBytesOfEverythingButTheUpdate) {
  const RooflineOptions half{.precision = Precision::float16};
  const TensorSpec x = floats({1000, 1000});
  expect_near(cost(v100(), "relu", {x}, NoAttributes{}, half).seconds, 4e6 / 720e9 + 3e-6);
  // Weights, gradient and rate; 12 bytes a parameter, and 6 for the copies.
  const std::vector<TensorSpec> update{x, x, floats({})};
  expect_near(cost(v100(), "sgd_update", update, SgdAttributes{}).seconds, (12e6 + 4) / 720e9 + 3e-6);
  expect_near(cost(v100(), "sgd_update", update, SgdAttributes{}, half).seconds, (18e6 + 4) / 720e9 + 3e-6);
}

TEST(Roofline, SeparateOperationsUpdateEachVariableAndAddTheDecayToItsGradient) {
  const TensorSpec x = floats({1000, 1000}), y = floats({1000, 500});
  const std::vector<TensorSpec> update{x, y, x, y, floats({})};
  const SgdAttributes plain, decaying{.weight_decay = 1e-4};
  const auto seconds = [&](const SgdAttributes& sgd, Fusion fusion) {
    return cost(v100(), "sgd_update", update, sgd, {.fusion = fusion}).seconds;
  };
  expect_near(seconds(plain, Fusion::none), (12 * 1.5e6 + 4) / 720e9 + 2 * 3e-6);
  expect_near(seconds(decaying, Fusion::none), (36 * 1.5e6 + 4) / 720e9 + 8 * 3e-6);
  expect_near(seconds(decaying, Fusion::activations), (12 * 1.5e6 + 4) / 720e9 + 3e-6);
}

// By hand, in passes over the variable. Adam: m += (g - m) (1 - beta_1) has 3 + 2 + 3, v += (g^2 - v) (1 - beta_2) has
// 2 + 3 + 2 + 3, and w -= alpha m / (sqrt(v) + epsilon) has 2 + 2 + 2 + 3 + 3; that are 3 + 4 + 5 kernels. SGD: w -= lr g
// has 2 + 3, and a decay, w -= (decay w) lr, before it 2 + 2 + 3.
TEST(Roofline, AnUpdateByOperationsPassesOverItsVariableAtEachOfThem) {
  const TensorSpec x = floats({1000, 1000});
  const TensorSpec count{Type::int64, {}};
  const auto seconds = [&](std::string_view kernel, const std::vector<TensorSpec>& inputs,
                           const Attributes& attributes, Fusion fusion = Fusion::none) {
    return cost(v100(), kernel, inputs, attributes, {.fusion = fusion, .updates = Updates::operations})
        .seconds;
  };
  const std::vector<TensorSpec> adam{x, x, x, count, x, floats({})}, sgd{x, x, floats({})};
  expect_near(seconds("adam_update", adam, AdamAttributes{}), 30 * 4e6 / 720e9 + 12 * 3e-6);
  expect_near(seconds("sgd_update", sgd, SgdAttributes{}), 5 * 4e6 / 720e9 + 2 * 3e-6);
  expect_near(seconds("sgd_update", sgd, SgdAttributes{.weight_decay = 1e-4}), 12 * 4e6 / 720e9 + 5 * 3e-6);
  EXPECT_EQ(seconds("adam_update", adam, AdamAttributes{}, Fusion::program),
            cost(v100(), "adam_update", adam, AdamAttributes{}, {.fusion = Fusion::program}).seconds);
}

TEST(Roofline, MovesCostOnlyWithinADeviceAndSumsReadEverySlot) {
  Runs runs;
  runs.plan.devices.push_back({.name = "cpu:0"});
  const TensorSpec spec = floats({1000000});
  const Operand a = runs.operand(spec), b = runs.operand(spec), c = runs.operand(spec, DeviceId{1});
  runs.plan.add_node(Move{a, b}, "");
  runs.plan.add_node(Move{a, c}, "");
  runs.plan.add_node(Sum{DeviceId{1}, {c, c, c}, c}, "");
  const DeviceType gpu = v100(), host = cpu();
  const DeviceType* const types[] = {&gpu, &host};
  const Costs costs = roofline(runs.plan, types);
  expect_near(costs.nodes[0].seconds, 8e6 / 720e9 + 3e-6);
  expect_near(costs.nodes[0].bound, 8e6 / 900e9);
  EXPECT_EQ(costs.nodes[1].seconds, Seconds(0));
  expect_near(costs.nodes[2].seconds, 16e6 / 40e9 + 5e-6);
  EXPECT_EQ(total(costs), costs.nodes[0].seconds + costs.nodes[2].seconds);
}

// ---- Fusion

TEST(Roofline, AFusedActivationCostsNothingAndAResidualSumOneReading) {
  Runs runs;
  const TensorSpec x = floats({8, 28, 28, 64}), c = floats({64});
  const double bytes = 4.0 * 8 * 28 * 28 * 64;
  const Operand shortcut = runs.operand(x), dy = runs.operand(x);
  const Operand channels = runs.operand(c);
  const Operand normalized = runs.run("batch_norm", {runs.operand(x), channels, channels, channels, channels},
                                      NormalizationAttributes{});
  const Operand rectified = runs.run("relu", {normalized});       // 1
  const Operand joined = runs.run("add", {rectified, shortcut});  // 2
  const Operand out = runs.run("relu", {joined});                 // 3
  runs.run("relu_gradient", {dy, out}, {}, Purpose::gradient);  // 4: the shortcut's gradient is written, too
  runs.run("relu_gradient", {dy, rectified}, {}, Purpose::gradient);  // 5
  runs.run("relu", {runs.operand(x)});                                // 6: follows nothing that could do it
  const std::vector<Cost> separate = runs.costs(v100());
  const std::vector<Cost> fused = runs.costs(v100(), {.fusion = Fusion::activations});
  const double pass = bytes / 720e9;
  expect_near(separate[2].seconds, 3 * pass + 3e-6);
  expect_near(separate[4].seconds, 3 * pass + 3e-6);
  EXPECT_EQ(fused[1].seconds, Seconds(0));
  expect_near(fused[2].seconds, pass + 3e-6);
  EXPECT_EQ(fused[3].seconds, Seconds(0));
  expect_near(fused[4].seconds, pass + 3e-6);
  EXPECT_EQ(fused[5].seconds, Seconds(0));
  expect_near(fused[6].seconds, 2 * pass + 3e-6);
  for (const Cost& each : fused) EXPECT_LE(each.bound, each.seconds);
}

TEST(Roofline, GradientsOfOneValueAreSummedByOneKernel) {
  Runs runs;
  const TensorSpec x = floats({100, 1000});
  const Operand first = runs.run("add", {runs.operand(x), runs.operand(x)}, {}, Purpose::gradient);
  const Operand second = runs.run("add", {first, runs.operand(x)}, {}, Purpose::gradient);
  runs.run("add", {second, runs.operand(x)});  // a sum of the forward pass
  const std::vector<Cost> costs = runs.costs(v100());
  expect_near(costs[0].seconds, 3 * 4e5 / 720e9 + 3e-6);
  expect_near(costs[1].seconds, 4e5 / 720e9);
  expect_near(costs[2].seconds, 3 * 4e5 / 720e9 + 3e-6);
}

// ---- The size term

TEST(Tiling, IsTheBestTilesEfficiencyEdgesWavesAndStart) {
  const Arithmetic scalar = arithmetic_of(v100(), Precision::float32);
  EXPECT_EQ(scalar.unit, Unit::scalar);
  // 64 tiles of 32 x 32 on 80 processors: 0.5 x 0.8, and half of it for a sum of 64. Larger tiles leave more
  // processors idle.
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 256, 256, 64}, scalar), 0.5 * 0.8 * 0.5);
  // 81 tiles of 128 x 128 need a second wave for one of them; 162 of 128 x 64 fill two waves and a bit of the
  // third.
  const double large = 81.0 / 160, medium = 0.92 * 162 / 240, small = 0.82 * 324 / 400;
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 9 * 128, 9 * 128, 64}, scalar),
                   0.5 * std::max({large, medium, small, 0.72 * 324 / 400}));
  // Half of a tile hangs over the edge, of any that is large enough.
  Arithmetic single = scalar;
  single.processors = 1;
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 128, 16, 64}, single), 0.72 * 0.5 * 0.5);
  // A batch of products fills what one doesn't.
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{80, 128, 128, 64}, scalar), 0.5);
}

TEST(Tiling, MatrixUnitsWantLargerTilesAndLongerSums) {
  Arithmetic matrix = arithmetic_of(v100(), Precision::float16);
  EXPECT_EQ(matrix.unit, Unit::matrix);
  matrix.processors = 1;
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 256, 128, 128}, matrix), 0.5);
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 64, 64, 128}, matrix), 0.58 * 0.5);
}

TEST(Tiling, ATpuPadsContractedAndOutputFeatures) {
  const Arithmetic systolic = arithmetic_of(tpu(), Precision::bfloat16);
  EXPECT_EQ(systolic.unit, Unit::systolic);
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 1000, 64, 147}, systolic), 0.5 * 147 / 256);
  EXPECT_DOUBLE_EQ(utilization(ProductGeometry{1, 1000, 128, 256}, systolic), 1);
}

TEST(Tiling, OnlyAFilterGradientsSumIsSplit) {
  const Arithmetic scalar = arithmetic_of(v100(), Precision::float32);
  const ProductGeometry one_tile{1, 128, 128, 1 << 20};
  EXPECT_LT(utilization(one_tile, scalar), 0.15);
  EXPECT_GT(utilization(one_tile, scalar, true), 0.7);
  const ConvolutionGeometry c{.batch = 32,
                              .in_height = 56,
                              .in_width = 56,
                              .in_channels = 64,
                              .out_height = 28,
                              .out_width = 28,
                              .out_channels = 128,
                              .window_height = 3,
                              .window_width = 3,
                              .stride_height = 2,
                              .stride_width = 2};
  const auto as = [&](Pass pass) {
    ConvolutionGeometry turned = c;
    turned.pass = pass;
    return implicit_product(turned);
  };
  EXPECT_EQ(as(Pass::forward), (ProductGeometry{1, 32 * 28 * 28, 128, 576}));
  EXPECT_EQ(as(Pass::input_gradient), (ProductGeometry{1, 32 * 56 * 56, 64, 1152}));
  EXPECT_EQ(as(Pass::filter_gradient), (ProductGeometry{1, 576, 128, 32 * 28 * 28}));
}

TEST(Tiling, WhatADeviceHasNoPeakForIsComputedInFloat32) {
  EXPECT_EQ(computed_in(v100(), Precision::float16), Precision::float16);
  EXPECT_EQ(computed_in(v100(), Precision::tf32), Precision::float32);
  EXPECT_EQ(arithmetic_of(v100(), Precision::bfloat16).unit, Unit::scalar);
  DeviceType pascal = v100();
  pascal.compute_capability = device::ComputeCapability{6, 0};
  EXPECT_EQ(arithmetic_of(pascal, Precision::float16).unit, Unit::scalar);  // faster lanes, no matrix units
  EXPECT_EQ(arithmetic_of(cpu(), Precision::float32).unit, Unit::plain);
  EXPECT_EQ(default_precision(v100()), Precision::float32);
  DeviceType ampere = v100();
  ampere.compute_capability = device::ComputeCapability{8, 0};
  EXPECT_EQ(default_precision(ampere), Precision::float32);  // says nothing of tf32
  ampere.peak[Precision::tf32] = 156_TFlop_per_s;
  EXPECT_EQ(default_precision(ampere), Precision::tf32);
  EXPECT_EQ(default_precision(tpu()), Precision::bfloat16);
  EXPECT_EQ(default_fusion(tpu()), Fusion::program);
  EXPECT_EQ(default_fusion(v100()), Fusion::none);
}

// ---- Convolution algorithms

struct Convolution {
  std::int64_t batch = 64, side = 56, in = 64, out = 64, window = 3, stride = 1, groups = 1;
};

Cost forward(const Convolution& c, const DeviceType& type, const RooflineOptions& options = {}) {
  WindowAttributes attributes;
  attributes.size = {c.window, c.window};
  attributes.strides = {c.stride, c.stride};
  attributes.padding = Padding::same;
  attributes.groups = c.groups;
  return cost(type, "conv2d",
              {floats({c.batch, c.side, c.side, c.in}), floats({c.window, c.window, c.in / c.groups, c.out})},
              attributes, options);
}

std::vector<std::string_view> methods(const Convolution& c, const DeviceType& type, Precision precision,
                                      Pass pass = Pass::forward) {
  const std::int64_t out_side = c.side / c.stride;
  const ConvolutionGeometry geometry{.pass = pass,
                                     .batch = c.batch,
                                     .in_height = c.side,
                                     .in_width = c.side,
                                     .in_channels = c.in,
                                     .out_height = out_side,
                                     .out_width = out_side,
                                     .out_channels = c.out,
                                     .window_height = c.window,
                                     .window_width = c.window,
                                     .stride_height = c.stride,
                                     .stride_width = c.stride,
                                     .groups = c.groups};
  std::vector<std::string_view> names;
  for (const Method& each : convolution_methods(geometry, 1e9, 1e6, 4, arithmetic_of(type, precision)))
    names.push_back(each.name);
  return names;
}

using Names = std::vector<std::string_view>;

TEST(ConvolutionAlgorithm, WinogradIsForWindowsOfThreeWithStrideOneInFloat32) {
  EXPECT_EQ(methods({}, v100(), Precision::float32),
            (Names{"implicit product", "winograd 2x2, fused", "winograd 4x4"}));
  EXPECT_EQ(methods({}, v100(), Precision::float32, Pass::filter_gradient),
            (Names{"implicit product", "winograd 4x4"}));
  EXPECT_EQ(methods({.stride = 2}, v100(), Precision::float32), Names{"implicit product"});
  EXPECT_EQ(methods({}, v100(), Precision::float16), Names{"implicit product"});
  EXPECT_EQ(methods({.groups = 2}, v100(), Precision::float32), Names{"implicit product"});
  EXPECT_EQ(methods({.window = 1}, v100(), Precision::float32), Names{"implicit product"});
  EXPECT_EQ(methods({}, tpu(), Precision::bfloat16), Names{"implicit product"});
  EXPECT_EQ(methods({}, cpu(), Precision::float32), Names{"implicit product"});
  EXPECT_EQ(methods({.window = 5}, v100(), Precision::float32),
            (Names{"implicit product", "winograd 2x2 of 5x5", "fft 32x32"}));
  EXPECT_EQ(methods({.window = 11}, v100(), Precision::float32), (Names{"implicit product", "fft 32x32"}));
}

TEST(ConvolutionAlgorithm, AWideLayerRunsAboveThePeakOfItsDirectCount) {
  const Convolution wide{.batch = 64, .side = 28, .in = 512, .out = 512};
  const double flops = 2.0 * 64 * 28 * 28 * 512 * 512 * 9;
  const Cost cost = forward(wide, v100());
  EXPECT_LT(cost.seconds.count(), flops / 15.7e12);
  expect_near(cost.bound, flops / 4 / 15.7e12);  // F(4x4, 3x3) multiplies a quarter as often
  EXPECT_GT(forward({.batch = 64, .side = 56, .in = 512, .out = 512, .stride = 2}, v100()).seconds.count(),
            flops / 15.7e12);
}

TEST(ConvolutionAlgorithm, DepthwiseIsBoundByMemory) {
  const Cost cost = forward({.in = 256, .out = 256, .groups = 256}, v100());
  const double bytes = 4.0 * (2.0 * 64 * 56 * 56 * 256 + 9 * 256);
  expect_near(cost.seconds, bytes / 720e9 + 3e-6);
}

// Both images are read and written once more, by hand: 2 bytes a number, 720 GB/s of memory.
TEST(ConvolutionAlgorithm, HalvesOnMatrixUnitsAreTurnedWhereChannelsComeFirst) {
  const Convolution shape{.batch = 32, .side = 28, .in = 64, .out = 256};
  const auto turning = [&](const DeviceType& type, Precision precision) {
    const auto taken = [&](Images images) {
      return forward(shape, type, {.precision = precision, .images = images}).seconds.count();
    };
    return taken(Images::channels_first) - taken(Images::channels_last);
  };
  EXPECT_NEAR(turning(v100(), Precision::float16), 2 * 2 * 32.0 * 28 * 28 * (64 + 256) / 720e9, 1e-9);
  EXPECT_EQ(turning(v100(), Precision::float32), 0);
  EXPECT_EQ(turning(tpu(), Precision::bfloat16), 0);
  EXPECT_EQ(turning(cpu(), Precision::float32), 0);
}

// ---- What must always hold

TEST(Roofline, MoreRowsNeverTakeLessTime) {
  for (const DeviceType& type : {v100(), tpu(), cpu()})
    for (const std::int64_t window : {1, 3, 5, 7}) {
      Seconds last{};
      for (std::int64_t batch = 1; batch <= 64; ++batch) {
        const Seconds seconds =
            forward({.batch = batch, .side = 14, .in = 96, .out = 80, .window = window}, type).seconds;
        EXPECT_GE(seconds.count(), last.count() * (1 - 1e-12)) << type.id << " " << window << " " << batch;
        last = seconds;
      }
    }
}

constexpr RooflineOptions all_options[] = {
    {},
    {.precision = Precision::tf32, .fusion = Fusion::activations},
    {.precision = Precision::float16, .fusion = Fusion::none},
    {.precision = Precision::bfloat16, .fusion = Fusion::program},
};

void expect_bounded(const std::vector<Cost>& costs, const std::string& what) {
  for (const Cost& each : costs) {
    EXPECT_TRUE(std::isfinite(each.seconds.count())) << what;
    EXPECT_GE(each.bound, Seconds(0)) << what;
    EXPECT_GE(each.seconds.count(), each.bound.count()) << what;
  }
}

TEST(Roofline, NoKernelBeatsItsBound) {
  // The best that a device may claim.
  DeviceType perfect = v100();
  perfect.launch_gap = Seconds(0);
  for (const Precision precision : {Precision::float32, Precision::float16})
    perfect.efficiency[precision] = {.convolution = 1, .product = 1, .memory = 1, .source = "all of it"};
  for (const DeviceType& type : {v100(), perfect, tpu(), cpu()})
    for (const RooflineOptions& options : all_options)
      for (const Kernel& kernel : kernels())
        for (const Example& example : kernel.examples()) {
          std::vector<TensorSpec> inputs;
          for (const ExampleOperand& operand : example.inputs) inputs.push_back(operand.spec);
          expect_bounded({cost(type, kernel.name, inputs, example.attributes, options)},
                         fmt::format("{} on {}", kernel.name, type.id));
        }
}

TEST(Roofline, NoRandomConvolutionOrProductBeatsItsBound) {
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  DeviceType perfect = v100();
  perfect.launch_gap = Seconds(0);
  for (const Precision precision : {Precision::float32, Precision::float16})
    perfect.efficiency[precision] = {.convolution = 1, .product = 1, .memory = 1, .source = "all of it"};
  for (int i = 0; i < 500; ++i) {
    const Convolution c{draw(1, 64), draw(4, 60), draw(1, 300), draw(1, 300), 2 * draw(0, 6) + 1, draw(1, 2)};
    const std::int64_t m = draw(1, 3000), n = draw(1, 3000), k = draw(1, 3000);
    for (const DeviceType& type : {perfect, tpu()})
      for (const RooflineOptions& options : all_options) {
        expect_bounded({forward(c, type, options)},
                       fmt::format("{} images of {}, {} to {}, window {}, stride {}", c.batch, c.side, c.in,
                                   c.out, c.window, c.stride));
        expect_bounded({product(type, m, n, k, options)}, fmt::format("{} x {} x {}", m, n, k));
      }
  }
}

// ---- Constants

TEST(Roofline, SaysWhatItsSecondsRestOn) {
  DeviceType type = v100();
  const DeviceType* const types[] = {&type};
  const Plan empty{.devices = {{.name = "gpu:0"}}};
  EXPECT_EQ(roofline(empty, types).basis, "zero-shot roofline");
  type.efficiency[Precision::float32] = {
      .convolution = 0.5, .product = 0.6, .memory = 0.7, .source = "somewhere"};
  EXPECT_EQ(roofline(empty, types).basis, "roofline with the constants of v100");
  EXPECT_EQ(roofline(empty, types, {.precision = Precision::float16}).basis, "zero-shot roofline");
  EXPECT_EQ(roofline(empty, types, {.efficiency = Efficiency{}}).basis, "zero-shot roofline");
  EXPECT_EQ(roofline(empty, types, {.scale = 1.25}).basis,
            "roofline with the constants of v100 x 1.25 by one measured step");
}

TEST(Roofline, AMeasurementScalesEverySecondAndMayContradictTheDataSheet) {
  Runs runs;
  runs.run("relu", {runs.operand(floats({1000, 1000}))});
  const Cost plain = runs.costs(v100()).front();
  EXPECT_EQ(runs.costs(v100(), {.scale = 1.5}).front().seconds, plain.seconds * 1.5);
  EXPECT_EQ(runs.costs(v100(), {.scale = 1.5}).front().bound, plain.bound);
  const Cost fast = runs.costs(v100(), {.scale = 0.1}).front();
  EXPECT_EQ(fast.bound, fast.seconds);
}

MeasuredStep measured_with(const Efficiency& efficiency, std::int64_t size) {
  Runs runs;
  const TensorSpec x = floats({32, size, size, 64});
  WindowAttributes window;
  window.size = {1, 1};
  runs.run("conv2d", {runs.operand(x), runs.operand(floats({1, 1, 64, 512}))}, window);
  runs.run("matmul", {runs.operand(floats({4096, 64 * size})), runs.operand(floats({64 * size, 1000}))},
           ProductAttributes{});
  runs.run("relu", {runs.operand(floats({size, 1000000}))});
  const DeviceType type = v100();
  const DeviceType* const types[] = {&type};
  MeasuredStep step{.demands = demands(runs.plan, types), .beside = 1_ms};
  step.measured = predicted(step, efficiency);
  return step;
}

// But for the draw towards a common factor, which costs up to an error of 1 %.
TEST(EfficiencyFit, FindsTheConstantsThatMadeTheSteps) {
  const Efficiency made{0.45, 0.62, 0.71};
  const std::vector<MeasuredStep> steps{measured_with(made, 14), measured_with(made, 28),
                                        measured_with(made, 112), measured_with(made, 7)};
  const Efficiency found = fitted(steps);
  for (const MeasuredStep& step : steps) EXPECT_NEAR(predicted(step, found) / step.measured, 1, 1.5e-2);
  const Efficiency none = fitted({});
  EXPECT_EQ(none.convolution, 0.70);
}

TEST(EfficiencyFit, OneStepGivesOneFactor) {
  const MeasuredStep step = measured_with({0.35, 0.40, 0.40}, 28);
  const Efficiency found = scaled(step);
  EXPECT_NEAR(found.convolution, 0.35, 1e-6);
  EXPECT_NEAR(found.product, 0.40, 1e-6);
  EXPECT_NEAR(found.memory, 0.40, 1e-6);
}

}  // namespace
}  // namespace wt::plan
