// Claim: a permutation brings each target its source's value, bit by bit, and zeros to a replica that is no target, under
// every strategy; its gradient goes the way back.

#include <gtest/gtest.h>

#include <algorithm>

#include "several_replicas.h"
#include "strategy/central_storage.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt::strategy {
namespace {

using test::floats, test::places, test::run_plan, test::Values, test::whole_numbers;
using Pairs = std::vector<SourceTarget>;

const Shape shape{2, 3};

// Each replica weighs what came to it.
Step permuting(const Pairs& pairs) {
  return trace("permute", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats(shape));
    const Symbol weight = trace.input("weight", floats(shape));
    const Symbol came = collective_permute(x, pairs);
    trace.result("came", came);
    trace.result("gradient", trace.gradient(reduce_sum(came * weight), {{x}})[0]);
  });
}

// Some replicas, in any order, to others.
Pairs random_pairs(std::int64_t replicas, std::mt19937_64& random) {
  std::vector<std::int64_t> sources(static_cast<std::size_t>(replicas)), targets = sources;
  std::iota(sources.begin(), sources.end(), 0);
  targets = sources;
  std::shuffle(sources.begin(), sources.end(), random);
  std::shuffle(targets.begin(), targets.end(), random);
  Pairs pairs;
  for (std::size_t i = 0; i < random() % (static_cast<std::size_t>(replicas) + 1); ++i)
    pairs.push_back({sources[i], targets[i]});
  return pairs;
}

std::vector<plan::Plan> lowered(const Step& step, std::size_t replicas) {
  const std::vector<const Step*> steps(replicas, &step);
  std::vector<plan::Plan> plans{lower_mirrored(steps, places(replicas)),
                                lower_central_storage(steps, places(replicas)),
                                lower_multi_worker_mirrored(steps, places(replicas, device::Kind::gpu, 1)),
                                lower_tpu(steps, places(replicas, device::Kind::tpu))};
  if (replicas == 1) plans.push_back(lower_default(step, {"cpu:0"}));
  return plans;
}

// The closed form: of target t, x of its source; of source s, the weight of its target; else zeros.
TEST(CollectiveOps, ST11_PermuteGivesTargetsTheirSourcesAndOthersZeros) {
  std::mt19937_64 random(11);
  for (const std::size_t replicas : {1U, 2U, 3U, 5U, 8U})
    for (int repeat = 0; repeat < 6; ++repeat) {
      const Pairs pairs = random_pairs(static_cast<std::int64_t>(replicas), random);
      const Step step = permuting(pairs);
      Values given, wanted;
      for (std::size_t r = 0; r < replicas; ++r) {
        given[port_name("x", r)] = whole_numbers(shape, 1, 99, random());
        given[port_name("weight", r)] = whole_numbers(shape, 1, 99, random());
        wanted[port_name("came", r)] = wanted[port_name("gradient", r)] = Tensor::zeros(floats(shape));
      }
      for (const auto& [source, target] : pairs) {
        const auto from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(target);
        wanted[port_name("came", to)] = given.at(port_name("x", from));
        wanted[port_name("gradient", from)] = given.at(port_name("weight", to));
      }
      for (const plan::Plan& plan : lowered(step, replicas))
        for (const auto& [port, value] : run_plan(plan, given))
          EXPECT_TRUE(test::same_bits(value, wanted.at(port))) << port << " of " << replicas;
    }
}

template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(CollectiveOps, ST11_APermutationHasEachReplicaOnceOnEachSide) {
  EXPECT_EQ(refusal([] {
              permuting({{0, 1}, {0, 2}});
            }),
            "[permute] replica 0 is the source of two pairs\npermute twice, and add");
  EXPECT_EQ(refusal([] {
              permuting({{0, 1}, {2, 1}});
            }),
            "[permute] replica 1 is the target of two pairs\npermute twice, and add");
  EXPECT_EQ(refusal([] { permuting({{0, -1}}); }), "[permute] there is no replica -1\ncount from 0");
  EXPECT_EQ(refusal([] {
              lowered(permuting({{0, 3}}), 3);
            }),
            "[permute] a pair leads from replica 0 to 3, and there are 3\nname replicas that there are, "
            "counted from 0");
}

TEST(CollectiveOps, ST11_APermutationNeedsEveryReplicaInThePlan) {
  const Step step = permuting({{0, 1}});
  const std::vector<const Step*> two(2, &step);
  EXPECT_EQ(refusal([&] { lower_tpu(two, places(2, device::Kind::tpu), {.stand_for = 8}); }),
            "[tpu] permute permutes values among all replicas, so 2 replicas can't stand for 8\n"
            "expand its collectives");
}

}  // namespace
}  // namespace wt::strategy
