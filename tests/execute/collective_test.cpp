// Claim: every schedule of the catalog, lowered to nodes of a plan, computes on real buffers the same bits as
// the schedule's reference implementation, in any legal order.

#include "plan/collective.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "collective/catalog.h"
#include "collective/execute.h"
#include "device/cpu/cpu_queue.h"
#include "execute/execution.h"
#include "plan/memory.h"

namespace wt {
namespace {

using Vectors = std::vector<std::vector<float>>;

collective::Expanded schedule_of(const collective::Algorithm& algorithm, int ranks, std::int64_t elements) {
  collective::Request request{.ranks = ranks, .elements = elements};
  request.options.segments = 3;
  return collective::expand(collective::make_schedule(algorithm, request));
}

std::string port(int rank) { return fmt::format("value {}", rank); }

// The vector of each rank is a variable of the rank's device.
plan::Plan plan_of(const collective::Expanded& schedule) {
  const collective::Contract& contract = schedule.contract;
  plan::Plan plan{.name = schedule.name};
  std::vector<plan::Member> members;
  const TensorSpec spec{Type::float32, {contract.cut.elements}};
  for (int i = 0; i < contract.members(); ++i) {
    const auto device = plan::DeviceId(i);
    plan.devices.push_back({.name = fmt::format("device {}", i)});
    members.push_back({device, std::nullopt});
    if (i >= contract.ranks) continue;
    const plan::BufferId buffer =
        plan.add_buffer({port(i), device, spec.bytes(), plan::BufferKind::variable, {}});
    members.back().value = plan::Operand{buffer, spec};
    plan.variables.push_back({port(i), *members.back().value});
  }
  std::vector<plan::Frontier> frontiers = plan::order_accesses(plan);
  plan::add_collective(plan, frontiers, schedule, members);
  plan::plan_memory(plan, frontiers);
  return plan;
}

Vectors executed(const plan::Plan& plan, const Vectors& vectors, std::uint64_t seed) {
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  for (std::size_t rank = 0; rank < vectors.size(); ++rank)
    execution.write(port(static_cast<int>(rank)),
                    Tensor::of<float>({static_cast<std::int64_t>(vectors[rank].size())}, vectors[rank]));
  execution.step(plan::random_legal_order(plan, seed));
  Vectors results;
  for (std::size_t rank = 0; rank < vectors.size(); ++rank) {
    const Tensor value = execution.read(port(static_cast<int>(rank)));
    results.emplace_back(value.values<float>().begin(), value.values<float>().end());
  }
  return results;
}

Vectors random_vectors(int ranks, std::int64_t elements, bool whole, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Vectors vectors(static_cast<std::size_t>(ranks), std::vector<float>(static_cast<std::size_t>(elements)));
  for (std::vector<float>& vector : vectors)
    for (float& value : vector)
      value = whole ? static_cast<float>(random() % 1000) : static_cast<float>(random() % 100'000) / 3e4F;
  return vectors;
}

// Sets the elements that the operation does not define on a rank to 0, since they may have any value.
void keep_what_is_wanted(const collective::Contract& contract, Vectors& vectors) {
  for (int rank = 0; rank < contract.ranks; ++rank)
    for (int chunk = 0; chunk < contract.cut.chunks; ++chunk) {
      auto& vector = vectors[static_cast<std::size_t>(rank)];
      if (!contract.wants(rank, chunk))
        std::fill(vector.begin() + contract.cut.begin(chunk), vector.begin() + contract.cut.begin(chunk + 1),
                  0.F);
    }
}

template <class Visit>
void each_schedule(Visit visit) {
  for (const collective::Algorithm& algorithm : collective::algorithms())
    for (const int ranks : {3, 4, 6, 8, 12})
      for (const std::int64_t elements : {5, 144})
        if (collective::allows(algorithm, ranks)) {
          if (algorithm.operation == collective::Operation::all_to_all && elements % ranks != 0) continue;
          SCOPED_TRACE(fmt::format("{} {} of {} ranks, {} elements", collective::name(algorithm.operation),
                                   algorithm.name, ranks, elements));
          visit(schedule_of(algorithm, ranks, elements));
        }
}

TEST(Collective, ComputesTheBitsOfItsReferenceReaderInAnyLegalOrder) {
  each_schedule([](const collective::Expanded& schedule) {
    const collective::Contract& contract = schedule.contract;
    const plan::Plan plan = plan_of(schedule);
    const Vectors vectors = random_vectors(contract.ranks, contract.cut.elements, false, 7);
    Vectors expected = collective::execute_on(schedule, vectors, 1);
    keep_what_is_wanted(contract, expected);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Vectors results = executed(plan, vectors, seed);
      keep_what_is_wanted(contract, results);
      EXPECT_EQ(results, expected) << "order " << seed;
    }
  });
}

TEST(Collective, G6_AllReducesGiveEveryRankTheSumOfWholeNumbersExactly) {
  each_schedule([](const collective::Expanded& schedule) {
    const collective::Contract& contract = schedule.contract;
    if (contract.operation != collective::Operation::all_reduce || !contract.left_out.empty()) return;
    const Vectors vectors = random_vectors(contract.ranks, contract.cut.elements, true, 11);
    std::vector<float> sum(vectors.front().size());
    for (const std::vector<float>& vector : vectors)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += vector[i];
    for (const std::vector<float>& result : executed(plan_of(schedule), vectors, 5)) EXPECT_EQ(result, sum);
  });
}

// A kernel, a collective and another kernel, as in a training step.
TEST(Collective, StandsBetweenWhoWritesItsValuesAndWhoReadsThem) {
  const auto& ring = collective::algorithm_named(collective::Operation::all_reduce, "ring");
  const collective::Expanded schedule = schedule_of(ring, 3, 6);
  plan::Plan plan;
  std::vector<plan::Member> members;
  std::vector<plan::Operand> values;
  const TensorSpec spec{Type::float32, {6}};
  const auto add_square = [&](plan::Operand x, plan::Operand y) {
    plan.add_node(plan::Run{.device = plan.buffer(x.buffer).device,
                            .kernel = &kernel_named("multiply"),
                            .inputs = {x, x},
                            .outputs = {y}},
                  "");
  };
  for (int i = 0; i < 3; ++i) {
    const auto device = plan::DeviceId(i);
    plan.devices.push_back({.name = fmt::format("device {}", i)});
    const plan::Operand value{
        plan.add_buffer({port(i), device, spec.bytes(), plan::BufferKind::variable, {}}), spec};
    const plan::Operand square{
        plan.add_buffer({"gradient", device, spec.bytes(), plan::BufferKind::gradient, {}}), spec};
    values.push_back(value);
    members.push_back({device, square});
    plan.variables.push_back({port(i), value});
    add_square(value, square);
  }
  std::vector<plan::Frontier> frontiers = plan::order_accesses(plan);
  plan::add_collective(plan, frontiers, schedule, members, "all-reduce");
  const auto behind = plan::NodeId(static_cast<int>(plan.nodes.size()));
  for (std::size_t i = 0; i < 3; ++i) add_square(*members[i].value, values[i]);
  plan::order_accesses(plan, behind, frontiers);
  plan::plan_memory(plan, frontiers);
  const Vectors vectors{{1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1}, {2, 0, 2, 0, 2, 0}};
  const std::vector<float> expected{36, 25, 196, 289, 900, 1369};
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_EQ(executed(plan, vectors, seed), Vectors(3, expected)) << "order " << seed;
}

// The memory of a switch is planned into memory that an earlier buffer used, and several messages arrive
// there first.
TEST(Collective, WaitsForThoseWhoseMemoryItTakesOver) {
  const collective::Rule rule{3, [](int round, collective::Round& moves) {
                                for (const int rank : {0, 1}) {
                                  if (round == 0) moves.copy(rank, 2, rank);
                                  if (round == 1) moves.reduce(rank, 2, 1 - rank);
                                  if (round == 2) moves.copy(2, rank, {0, 2});
                                }
                              }};
  collective::Schedule rounds =
      collective::schedule_of(collective::Operation::all_reduce, {.ranks = 2, .elements = 8}, 2, rule);
  rounds.contract.helpers = 1;
  const collective::Expanded schedule = collective::expand(rounds);
  const TensorSpec spec{Type::float32, {8}};
  plan::Plan plan;
  const auto add = [&](const std::string& name, plan::DeviceId device, plan::BufferKind kind) {
    return plan::Operand{plan.add_buffer({name, device, spec.bytes(), kind, {}}), spec};
  };
  const auto add_square = [&](plan::Operand x, plan::Operand y) {
    plan.add_node(plan::Run{.kernel = &kernel_named("multiply"), .inputs = {x, x}, .outputs = {y}}, "");
  };
  std::vector<plan::Member> members;
  for (int i = 0; i < 2; ++i) {
    plan.devices.push_back({.name = fmt::format("device {}", i)});
    members.push_back({plan::DeviceId(i), add(port(i), plan::DeviceId(i), plan::BufferKind::variable)});
    plan.variables.push_back({port(i), *members.back().value});
  }
  members.push_back({plan::DeviceId(0), std::nullopt});
  const plan::Operand square = add("square", plan::DeviceId(0), plan::BufferKind::activation);
  const plan::Operand result = add("result", plan::DeviceId(0), plan::BufferKind::result);
  plan.results.push_back({"result", result});
  const plan::Operand x = add("x", plan::DeviceId(0), plan::BufferKind::variable);
  plan.variables.push_back({"x", x});
  add_square(x, square);
  add_square(square, result);
  std::vector<plan::Frontier> frontiers = plan::order_accesses(plan);
  plan::add_collective(plan, frontiers, schedule, members);
  plan::plan_memory(plan, frontiers);
  const auto is_helpers = [&](const plan::Buffer& buffer) { return buffer.name == "rank 2 value"; };
  EXPECT_EQ(std::ranges::find_if(plan.buffers, is_helpers)->address, plan.buffer(square.buffer).address);
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    execute::Execution execution(plan, queue);
    execution.write("x", Tensor::of<float>({8}, std::vector<float>(8, 3)));
    execution.step(plan::random_legal_order(plan, seed));
    const Tensor value = execution.read("result");
    for (const float number : value.values<float>()) EXPECT_EQ(number, 81) << "order " << seed;
  }
}

}  // namespace
}  // namespace wt
