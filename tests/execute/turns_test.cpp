// Claims: replicas that take turns in a memory that is too small for all of them compute the same bits as
// side by side. No replica runs in memory that holds another replica's arena, and no more memory is used than
// the device has.

#include "plan/turns.h"

#include <gtest/gtest.h>

#include "base/id.h"
#include "strategy/central_storage.h"
#include "strategy/mirrored.h"
#include "strategy/several_replicas.h"

namespace wt {
namespace {

using plan::DeviceId;
using strategy::CrossDeviceOps;
using test::Values;

struct Way {
  std::string name{};
  std::function<plan::Plan(strategy::Steps, std::span<const strategy::Place>)> lower{};
};

const std::vector<Way>& ways() {
  const auto mirrored = [](CrossDeviceOps ops) {
    return [ops](strategy::Steps steps, std::span<const strategy::Place> places) {
      return strategy::lower_mirrored(steps, places,
                                      {.cross_device_ops = ops, .nccl = {.always = {.algorithm = "ring"}}});
    };
  };
  static const std::vector<Way> all{
      {"ring", mirrored(CrossDeviceOps::collective_ring)},
      {"nccl", mirrored(CrossDeviceOps::nccl)},
      {"one device", mirrored(CrossDeviceOps::reduction_to_one_device)},
      {"hierarchical copy", mirrored(CrossDeviceOps::hierarchical_copy)},
      {"central storage", [](strategy::Steps steps, std::span<const strategy::Place> places) {
         return strategy::lower_central_storage(steps, places, {});
       }}};
  return all;
}

plan::Plan plan_of(const Way& way, const std::vector<std::int64_t>& rows) {
  const test::ReplicaSteps steps(rows, [](std::int64_t own) { return test::small_net(own); });
  return way.lower(steps, test::places(rows.size()));
}

std::vector<DeviceId> all_of(const plan::Plan& plan) {
  std::vector<DeviceId> all;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) all.push_back(static_cast<DeviceId>(i));
  return all;
}

Bytes largest_arena(const plan::Plan& plan) {
  Bytes largest{};
  for (const plan::Device& device : plan.devices) largest = std::max(largest, device.arena);
  return largest;
}

Bytes all_arenas(const plan::Plan& plan) {
  Bytes all{};
  for (const plan::Device& device : plan.devices) all += device.arena;
  return all;
}

// The memory of so many arenas.
plan::InTurns turns_of(const plan::Plan& plan, std::int64_t seats) {
  const plan::Piece piece{"piece 0", largest_arena(plan) * seats, all_of(plan)};
  return plan::in_turns(plan, {&piece, 1});
}

// Numbers whose sums depend on their order.
Values given_to(const plan::Plan& plan) {
  Values given;
  std::uint64_t seed = 0;
  for (const auto& ports : {plan.inputs, plan.variables})
    for (const plan::Port& port : ports) {
      std::mt19937_64 random(++seed);
      if (port.operand.spec.type == Type::float32)
        given[port.name] = test::random_tensor({port.operand.spec, -1, 1}, Type::float32, random);
    }
  return given;
}

void expect_same_bits(const plan::Plan& plan, const plan::Plan& turned, const std::string& what) {
  const Values given = given_to(plan);
  const Values side_by_side = test::run_plan(plan, given, {.steps = 3});
  const Values in_turns = test::run_plan(turned, given, {.steps = 3});
  ASSERT_EQ(side_by_side.size(), in_turns.size());
  for (const auto& [name, tensor] : side_by_side)
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), in_turns.at(name).bytes())) << what << ": " << name;
}

TEST(Turns, ComputeTheSameBits) {
  for (const Way& way : ways())
    for (const std::size_t replicas : {2u, 3u, 5u}) {
      const plan::Plan plan = plan_of(way, test::split_rows(test::batch, replicas));
      for (std::int64_t seats = 1; seats < static_cast<std::int64_t>(replicas); ++seats) {
        const plan::InTurns turns = turns_of(plan, seats);
        EXPECT_EQ(turns.swaps > 0, all_arenas(plan) > largest_arena(plan) * seats);
        expect_same_bits(plan, turns.plan, fmt::format("{}, {} in {} seats", way.name, replicas, seats));
      }
    }
}

// Checks that the plan has the nodes of the original in a legal order, and between them only moves of whole
// arenas.
TEST(Turns, NoReplicaRunsInMemoryThatHoldsAnother) {
  for (const Way& way : ways()) {
    const plan::Plan plan = plan_of(way, {4, 4, 4, 4});
    for (const std::int64_t seats : {1, 2, 3}) {
      const plan::InTurns turns = turns_of(plan, seats);
      const plan::Plan& made = turns.plan;
      if (turns.swaps == 0) continue;
      Bytes room{};
      for (std::size_t i = plan.devices.size(); i < made.devices.size(); ++i) room += made.devices[i].arena;
      EXPECT_LE(room, largest_arena(plan) * seats) << way.name;

      std::map<DeviceId, std::string> occupants;  // by seat
      const auto is_seat = [&](DeviceId device) { return index(device) >= plan.devices.size(); };
      std::size_t nodes = 0;
      for (const plan::Node& node : made.nodes) {
        if (node.scope == "turn") {
          const auto& move = std::get<plan::Move>(node.action);
          const plan::Buffer &source = made.buffer(move.source.buffer),
                             &target = made.buffer(move.target.buffer);
          if (is_seat(target.device)) {
            EXPECT_FALSE(occupants.contains(target.device)) << "the seat is taken";
            occupants[target.device] = source.name;
          } else {
            EXPECT_EQ(occupants.at(source.device), target.name);
            occupants.erase(source.device);
          }
          continue;
        }
        ++nodes;
        std::vector<plan::BufferId> used = plan::reads(node.action);
        const std::vector<plan::BufferId> written = plan::writes(node.action);
        used.insert(used.end(), written.begin(), written.end());
        const bool is_message = std::holds_alternative<plan::Move>(node.action);
        for (const plan::BufferId buffer : used) {
          const DeviceId device = made.buffer(buffer).device;
          EXPECT_TRUE(is_message || is_seat(device)) << node.scope << " works on what is parked";
          EXPECT_TRUE(!is_seat(device) || occupants.contains(device)) << node.scope << " in an empty seat";
        }
      }
      EXPECT_EQ(nodes, plan.nodes.size());
      EXPECT_TRUE(occupants.empty()) << "between two steps, all arenas are parked";
    }
  }
}

// With memory for one arena, each replica is loaded for its gradients, the host for the loss, the first
// replica again to add all gradients, and the others for their updates.
TEST(Turns, LastAsLongAsThereIsSomethingToDo) {
  for (const std::size_t replicas : {2u, 4u, 7u}) {
    const plan::Plan plan = plan_of(ways()[2], std::vector<std::int64_t>(replicas, 2));
    const plan::InTurns turns = turns_of(plan, 1);
    EXPECT_EQ(turns.swaps, static_cast<std::int64_t>(2 * replicas + 1));
    ASSERT_EQ(plan.devices.size(), replicas + 1);
    const Bytes host = plan.devices.back().arena;
    EXPECT_EQ(turns.swapped, (all_arenas(plan) - host) * 4 + host * 2);  // in and out
  }
}

TEST(Turns, AreNotTakenWhereAllHaveRoom) {
  const plan::Plan plan = plan_of(ways()[0], {4, 4, 4});
  const plan::Piece piece{"piece 0", all_arenas(plan), all_of(plan)};
  const plan::InTurns turns = plan::in_turns(plan, {&piece, 1});
  EXPECT_EQ(turns.swaps, 0);
  EXPECT_EQ(turns.plan.nodes.size(), plan.nodes.size());
  EXPECT_EQ(turns.plan.devices.size(), plan.devices.size());
  expect_same_bits(plan, turns.plan, "side by side");
}

// The replicas are dealt to the pieces in turn, so that one piece has to be shared and the other does not.
TEST(Turns, AreEachPiecesOwn) {
  const plan::Plan plan = plan_of(ways()[0], {4, 4, 4});
  const std::vector<plan::Piece> pieces{{"piece 0", largest_arena(plan), {DeviceId(0), DeviceId(2)}},
                                        {"piece 1", largest_arena(plan), {DeviceId(1)}}};
  const plan::InTurns turns = plan::in_turns(plan, pieces);
  EXPECT_EQ(turns.plan.devices.size(), plan.devices.size() + 1);
  expect_same_bits(plan, turns.plan, "two pieces");
}

}  // namespace
}  // namespace wt
