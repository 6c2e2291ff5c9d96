// Claim: a replica of several cores computes what one core would, bit by bit; each core holds and adds what was
// assigned to it.

#include "strategy/logical_devices.h"

#include <gtest/gtest.h>

#include <set>

#include "several_replicas.h"
#include "strategy/tpu.h"

namespace wt::strategy {
namespace {

using test::floats, test::ReplicaSteps, test::run_plan, test::Values, test::whole_numbers;

constexpr std::int64_t width = 8, rows_in_all = 16;
const std::vector<std::string> layers{"first", "second", "third"};

// Three layers in a model, one after the other; Adam, whose count of steps is one for all, or SGD.
Step net(std::int64_t rows, bool is_adam) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats({rows, width}));
    const Symbol y = trace.input("y", floats({rows, width}));
    std::vector<Symbol> variables;
    Slots slots;
    for (const std::string& layer : layers) {
      variables.push_back(trace.variable(layer + "/kernel", floats({width, width})));
      if (!is_adam) continue;
      const VariableOptions slot{.trainable = false, .slot_of = layer + "/kernel"};
      slots.first.push_back(trace.variable("adam/m/" + layer, floats({width, width}), slot));
      slots.second.push_back(trace.variable("adam/v/" + layer, floats({width, width}), slot));
    }
    Symbol value = x;
    trace.in_scope("net", [&] {
      for (std::size_t i = 0; i < layers.size(); ++i)
        value = trace.in_scope(layers[i], [&] { return relu(matmul(value, variables[i])); });
    });
    const Symbol loss = reduce_sum(square(value - y)) * (1.0 / rows_in_all);
    std::vector<Symbol> gradients = trace.gradient(loss, variables);
    trace.in_scope("optimizer", [&] {
      for (Symbol& gradient : gradients) gradient = all_reduce(gradient, Reduction::sum);
      const Symbol rate = fill(trace, floats({}), 1.0 / 64);
      if (!is_adam) return apply_sgd(variables, {}, gradients, rate, {});
      const Symbol count = trace.variable("adam/iteration", {Type::int64, {}}, {.trainable = false});
      apply_adam(variables, slots, count, gradients, rate, {});
    });
    trace.result("loss", reduce(loss, Reduction::sum));
  });
}

// Each replica a task of its own.
std::vector<Place> cores(std::size_t replicas, std::size_t each,
                         std::optional<device::MemoryOptions> memory = {}) {
  std::vector<Place> all;
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto core = [&](std::size_t i) {
      return plan::Device{.name = fmt::format("task:{}/TPU:{}", r, i), .memory = memory};
    };
    Place& place = all.emplace_back(Place{.device = core(0),
                                          .host = plan::Device{.name = fmt::format("task:{}/CPU:0", r)},
                                          .task = static_cast<int>(r),
                                          .kind = device::Kind::tpu});
    for (std::size_t i = 1; i < each; ++i) place.further.push_back(core(i));
  }
  return all;
}

plan::Plan lowered(std::size_t replicas, std::size_t each, const AssignedLayers& assigned,
                   bool is_adam = true) {
  const auto n = static_cast<std::int64_t>(replicas);
  const ReplicaSteps steps(std::vector<std::int64_t>(replicas, rows_in_all / n),
                           [&](std::int64_t rows) { return net(rows, is_adam); });
  return lower_tpu(steps, cores(replicas, each), {.assigned = assigned});
}

// Of whole numbers, or of any.
Values given(std::size_t replicas, bool is_whole) {
  const float scale = is_whole ? 1.F : 1.F / 7;
  std::uint64_t seed = 0;
  const auto numbers = [&](const Shape& shape) {
    Tensor tensor = whole_numbers(shape, -1, 1, ++seed);
    for (float& value : tensor.values<float>()) value *= scale;
    return tensor;
  };
  Values values;
  for (const std::string& layer : layers) {
    values[layer + "/kernel"] = numbers({width, width});
    for (const char* slot : {"m/", "v/"})
      values["adam/" + std::string(slot) + layer] = Tensor::zeros(floats({width, width}));
  }
  values["adam/iteration"] = Tensor::zeros({Type::int64, {}});
  const Tensor x = numbers({rows_in_all, width}), y = numbers({rows_in_all, width});
  const auto each = static_cast<std::int64_t>(rows_in_all / replicas);
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto begin = static_cast<std::int64_t>(r) * each;
    values[port_name("x", r)] = test::rows_of(x, begin, begin + each);
    values[port_name("y", r)] = test::rows_of(y, begin, begin + each);
  }
  return values;
}

void expect_same(const Values& left, const Values& right) {
  ASSERT_EQ(left.size(), right.size());
  for (const auto& [name, value] : left) EXPECT_TRUE(test::same_bits(value, right.at(name))) << name;
}

const std::vector<AssignedLayers> assignments{{},
                                              {{"second", 1}},
                                              {{"first", 1}, {"third", 1}},
                                              {{"first", 2}, {"second", 1}},
                                              {{"first", 1}, {"second", 1}, {"third", 1}}};

const std::string& device_of(const plan::Plan& plan, const plan::Operand& operand) {
  return plan.devices[index(plan.buffer(operand.buffer).device)].name;
}
std::string core_of(const std::string& device) { return device.substr(device.find('/') + 1); }
std::string task_of(const std::string& device) { return device.substr(0, device.find('/')); }

// One replica or two add in one order only, so any numbers will do; with more, sums of whole numbers are exact in
// whatever pieces they are added.
TEST(LogicalDevices, G18_LayersOnOtherCoresChangeNoBit) {
  for (const std::size_t replicas : {1U, 2U, 4U}) {
    const bool is_whole = replicas > 2;
    const Values values = given(replicas, is_whole);
    const test::Running two_steps{.threads = 2, .steps = is_whole ? 1 : 2};
    const Values one_core = run_plan(lowered(replicas, 1, {}, !is_whole), values, two_steps);
    ASSERT_FALSE(test::same_bits(one_core.at("first/kernel"), values.at("first/kernel")));
    for (const AssignedLayers& assigned : assignments) {
      const plan::Plan plan = lowered(replicas, 3, assigned, !is_whole);
      expect_same(run_plan(plan, values, two_steps), one_core);
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        expect_same(run_plan(plan, values, {.order_seed = seed, .steps = two_steps.steps}), one_core);
    }
  }
}

TEST(LogicalDevices, G18_EveryKernelFindsItsOperandsOnItsOwnCore) {
  for (const AssignedLayers& assigned : assignments) {
    const plan::Plan plan = lowered(2, 3, assigned);
    for (const plan::Node& node : plan.nodes) {
      const auto* run = std::get_if<plan::Run>(&node.action);
      if (run == nullptr) continue;
      for (const auto* operands : {&run->inputs, &run->outputs})
        for (const plan::Operand& operand : *operands)
          EXPECT_EQ(plan.buffer(operand.buffer).device, run->device)
              << node.scope << ' ' << run->kernel->name;
      if (!run->workspace) continue;
      EXPECT_EQ(plan.buffer(*run->workspace).device, run->device) << node.scope;
    }
  }
}

TEST(LogicalDevices, G18_VariablesSlotsAndGradientsLiveWithTheirLayer) {
  const plan::Plan plan = lowered(2, 2, {{"second", 1}});
  for (const plan::Port& port : plan.variables) {
    const bool is_assigned = port.name.find("second") != std::string::npos;
    EXPECT_EQ(core_of(device_of(plan, port.operand)), is_assigned ? "TPU:1" : "TPU:0") << port.name;
  }
  std::map<std::string, std::set<std::string>> computed_on;  // by scope
  for (const plan::Node& node : plan.nodes)
    if (const auto* run = std::get_if<plan::Run>(&node.action))
      computed_on[node.scope].insert(plan.devices[index(run->device)].name);
  EXPECT_EQ(computed_on["net/second"], std::set<std::string>{"task:0/TPU:1"});
  EXPECT_EQ(computed_on["gradient/net/second"], std::set<std::string>{"task:0/TPU:1"});
  EXPECT_EQ(computed_on["net/third"], std::set<std::string>{"task:0/TPU:0"});
  EXPECT_EQ(computed_on["replica_1/net/second"], std::set<std::string>{"task:1/TPU:1"});
  EXPECT_EQ(computed_on["optimizer"], (std::set<std::string>{"task:0/TPU:0", "task:0/TPU:1"}));
}

// Forward the second layer's input and output, backward their gradients; the learning rate and the count of steps.
TEST(LogicalDevices, G18_WhatCrossesBetweenCoresIsMovedOnce) {
  const plan::Plan plan = lowered(1, 2, {{"second", 1}});
  constexpr Bytes activation(4 * rows_in_all * width);
  std::map<std::string, std::vector<Bytes>> crossed;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || device_of(plan, move->source) == device_of(plan, move->target)) continue;
    crossed[node.scope].push_back(payload(*move));
  }
  const std::map<std::string, std::vector<Bytes>> wanted{
      {"input", {activation, activation}},  // x and y, from the host
      {"net/second/receive", {activation}},          {"net/third/receive", {activation}},
      {"gradient/net/second/receive", {activation}}, {"gradient/net/first/receive", {activation}},
      {"optimizer/receive", {Bytes(8), Bytes(4)}}};
  EXPECT_EQ(crossed, wanted);
}

TEST(LogicalDevices, G18_AnInputComesToTheCoreThatReadsIt) {
  const plan::Plan plan = lowered(1, 2, {{"first", 1}});
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || node.scope != "input") continue;
    const bool is_x = plan.buffer(move->source.buffer).name == "x";
    EXPECT_EQ(core_of(device_of(plan, move->target)), is_x ? "TPU:1" : "TPU:0");
  }
}

TEST(LogicalDevices, G18_EqualLogicalDevicesOfAllReplicasAddTheirGradients) {
  const plan::Plan plan = lowered(4, 2, {{"second", 1}});
  std::map<std::string, std::set<std::string>> added_on;  // by all-reduce
  std::map<std::string, Bytes> added;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || !node.scope.starts_with("all_reduce/") || node.scope.size() > 12) continue;
    const std::string from = device_of(plan, move->source), to = device_of(plan, move->target);
    EXPECT_EQ(core_of(from), core_of(to));
    EXPECT_NE(task_of(from), task_of(to));
    added_on[node.scope].insert(core_of(from));
    if (from == "task:0/TPU:0" || from == "task:0/TPU:1") added[core_of(from)] += payload(*move);
  }
  ASSERT_EQ(added_on.size(), 2U);
  for (const auto& [scope, on] : added_on) EXPECT_EQ(on.size(), 1U) << scope;
  // Of a ring each rank sends 2 (n - 1) / n of the vector: core 0 has two kernels, core 1 one.
  constexpr Bytes kernel(4 * width * width);
  EXPECT_EQ(added["TPU:0"], 2 * kernel * 2 * 3 / 4);
  EXPECT_EQ(added["TPU:1"], kernel * 2 * 3 / 4);
}

// A limit between what one core would need and what the larger of two needs.
TEST(LogicalDevices, G18_AModelThatDoesNotFitOneCoreFitsTwo) {
  const Step step = net(rows_in_all, true);
  const std::vector<const Step*> steps{&step};
  const auto arenas = [&](std::size_t each, std::optional<device::MemoryOptions> memory) {
    const plan::Plan plan = lower_tpu(steps, cores(1, each, memory), {.assigned = {{"third", each - 1}}});
    std::vector<Bytes> needed;
    for (std::size_t i = 0; i < each; ++i) needed.push_back(plan.devices[i].arena);
    return std::pair(needed, plan.out_of_memory.has_value());
  };
  const Bytes alone = arenas(1, {}).first[0];
  const std::vector<Bytes> shared = arenas(2, {}).first;
  const Bytes most = std::max(shared[0], shared[1]);
  ASSERT_LT(most, alone);
  const device::MemoryOptions limit{.limit = most};
  EXPECT_TRUE(arenas(1, limit).second);
  EXPECT_FALSE(arenas(2, limit).second);
}

template <class Lower>
std::string refusal(Lower lower) {
  try {
    lower();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(LogicalDevices, ST15_ReplicasHaveEquallyManyAndLayersGoToThoseThereAre) {
  const Step step = net(1, false);
  const std::vector<const Step*> two(2, &step);
  std::vector<Place> uneven = cores(2, 2);
  uneven[1].further.clear();
  EXPECT_EQ(refusal([&] { lower_tpu(two, uneven); }),
            "[tpu] replica 0 has 2 cores, and replica 1 has 1\ngive every replica as many");
  EXPECT_EQ(refusal([&] {
              lower_tpu(two, cores(2, 2), {.assigned = {{"second", 2}}});
            }),
            "[tpu] second is assigned to logical device 2, and a replica has 2\n"
            "take one from 0 to 1, or more cores per replica");
  std::vector<Place> twice = cores(2, 2);
  twice[1].further[0].name = "task:1/TPU:0";
  EXPECT_EQ(refusal([&] { lower_tpu(two, twice); }),
            "[tpu] replica 1 has task:1/TPU:0 twice\ngive it devices of its own");
  twice[1].further[0].name = "task:0/TPU:1";
  EXPECT_EQ(refusal([&] { lower_tpu(two, twice); }),
            "[tpu] replicas 0 and 1 are both on task:0/TPU:1\ngive each replica a device of its own");
}

}  // namespace
}  // namespace wt::strategy
