// Claims: a folded simulation gives the times and link loads of an expanded one; it folds the schedules that
// it is meant to fold, and no others.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "communication/machines.h"
#include "communication/pipeline.h"
#include "simulate/brute_force.h"
#include "simulate/play.h"
#include "simulate/translate.h"

namespace wt::communication {
namespace {

using collective::Algorithm, collective::Operation;
using simulate::Dice;

constexpr double exactly = 1e-9;

// The same time, and the same bytes on the same links.
void expect_equal(const Timing& folded, const Timing& expanded) {
  EXPECT_NEAR(folded.time.count(), expanded.time.count(), exactly * expanded.time.count());
  EXPECT_EQ(folded.moves, expanded.moves);
  EXPECT_EQ(expanded.played, expanded.moves);
  std::map<std::string, plan::LinkUse> links;
  for (const plan::LinkUse& link : expanded.links) links[link.name] = link;
  ASSERT_EQ(folded.links.size(), links.size());
  for (const plan::LinkUse& link : folded.links) {
    ASSERT_TRUE(links.contains(link.name)) << link.name;
    EXPECT_EQ(link.carried, links[link.name].carried) << link.name;
    EXPECT_NEAR(link.busy.count(), links[link.name].busy.count(), exactly * expanded.time.count())
        << link.name;
  }
}

std::vector<Seconds> staggered(int ranks) {
  std::vector<Seconds> starts;
  for (int rank = 0; rank < ranks; ++rank) starts.push_back(Seconds(1e-6 * (rank * 7 % 13)));
  return starts;
}

// Algorithms in which every rank exchanges with every other in one round, or over far links of a torus. They
// are tested with 32 ranks at most, because their simulation takes long.
const std::set<std::string_view> dense{"one_shot", "two_shot",     "sharded_parameter_server",
                                       "direct",   "pairwise",     "flat",
                                       "swing",    "scatter_ring", "parameter_server"};

std::string text_of(const Algorithm& algorithm) {
  return fmt::format("{}/{}", collective::name(algorithm.operation), algorithm.name);
}

bool is_pipeline(const Algorithm& algorithm) {
  return std::ranges::find(algorithm.options, "segments") != algorithm.options.end();
}

struct Comparison {
  std::set<std::string> folded{};  // "all_reduce/ring"
  int points = 0;

  void compare(const Group& group, const Call& call) {
    SCOPED_TRACE(fmt::format("{} on {}: {} ranks, {} elements, {} segments, {}", text_of(*call.algorithm),
                             group.platform.name(), group.size(), call.request.elements,
                             call.request.options.segments,
                             call.starts.empty() ? "equal starts" : "staggered starts"));
    const Timing timing = time_of(call, group);
    expect_equal(timing, time_of(call, group, Folding::expanded));
    if (timing.played < timing.moves) folded.insert(text_of(*call.algorithm));
    ++points;
  }

  // Compares the whole catalog, with the costs of a library or with those of the links alone.
  void compare_all(const Machines& machines, int ranks, std::int64_t elements, bool with_library) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, ranks);
    for (const Algorithm& algorithm : collective::algorithms()) {
      if (ranks > 32 && dense.contains(algorithm.name)) continue;
      Call call = wires_alone(algorithm, request_for(group, algorithm, elements));
      if (!can_run(group, call)) continue;
      if (with_library) call = call_of(group, algorithm, call.request, {});
      compare(group, call);
      if (ranks > 8 && !is_pipeline(algorithm)) continue;  // With staggered starts only pipelines fold.
      call.starts = staggered(ranks);
      compare(group, call);
    }
  }
};

std::vector<Machines> ideal_machines(int ranks) {
  const std::string all = fmt::format("ranks={}", ranks);
  return {{"ideal_switch", {all}},
          {"ideal_ring", {all}},
          {"ideal_torus", {all, ranks == 8 ? "fabric.shape=2x4" : "fabric.shape=8x8"}},
          {"ideal_torus", {all, ranks == 8 ? "fabric.shape=2x2x2" : "fabric.shape=4x4x4"}}};
}

std::vector<Machines> two_level_machines(int ranks) {
  const std::string machines = fmt::format("machines={}", ranks / 8);
  return {{"dgx_a100", {machines}}, {"dgx_h100", {machines}}};
}

// Lengths of vectors that are, or aren't, a multiple of every number of chunks that these algorithms make for
// 8 or 64 ranks.
constexpr std::int64_t equal_cuts = 64 * 64 * 96, unequal_cuts = equal_cuts + 17;

const std::set<std::string> fold_on_a_switch{"all_reduce/ring",         "all_reduce/bidirectional_ring",
                                             "all_reduce/hierarchical", "all_reduce/torus_2d",
                                             "reduce_scatter/ring",     "all_gather/ring"};

void expect_folded(const Comparison& comparison, const std::set<std::string>& wanted) {
  for (const std::string& name : wanted) EXPECT_TRUE(comparison.folded.contains(name)) << name;
}

TEST(Folding, ShowsOnEightRanksWhatExpandingShows) {
  Comparison comparison;
  for (const Machines& machines : ideal_machines(8)) comparison.compare_all(machines, 8, equal_cuts, false);
  for (const Machines& machines : two_level_machines(8))
    comparison.compare_all(machines, 8, equal_cuts, true);
  comparison.compare_all({"ideal_switch", {"ranks=8", "machines=2"}}, 8, equal_cuts, false);
  expect_folded(comparison, fold_on_a_switch);
  EXPECT_GE(comparison.points, 700);
}

TEST(Folding, OfUnequalChunksExpandsASmallOne) {
  Comparison comparison;
  comparison.compare_all(ideal_machines(8).front(), 8, unequal_cuts, false);
  comparison.compare_all({"dgx_a100"}, 8, unequal_cuts, true);
  EXPECT_FALSE(comparison.folded.contains("all_reduce/ring"));
}

// Libraries align chunks, so a long vector that can't be divided equally takes the time of the next one that
// can.
TEST(Folding, RoundsALargeOneUpToEqualChunks) {
  const platform::Platform platform = Machines{"dgx_a100", {"machines=16"}}.load();
  const Group group = first_devices(platform, 128);
  const Algorithm& ring = collective::algorithm_named(Operation::all_reduce, "ring");
  Call call = wires_alone(ring, {.ranks = 128, .elements = 1'000'001});
  Comparison comparison;
  comparison.compare(group, call);
  expect_folded(comparison, {"all_reduce/ring"});
  const Seconds time = time_of(call, group).time;
  call.request.elements = 1'000'064;
  EXPECT_EQ(time, time_of(call, group).time);
  call.request.elements = 1'000'000 - 64;
  EXPECT_GT(time, time_of(call, group).time);
  call.request.elements = 127;  // fewer than chunks
  EXPECT_EQ(with_equal_chunks(call).request.elements, 127);
}

// Whatever a library may choose, on machines of any number and at any size.
TEST(Folding, ShowsForAnyChoiceWhatExpandingShows) {
  Comparison comparison;
  Dice dice(7);
  for (const char* name : {"dgx_a100", "dgx_h100", "dgx1_v100", "dgx2"})
    for (int draw = 0; draw < 4; ++draw) {
      const int machines = 2 + dice.below(4);
      const platform::Platform platform = Machines{name, {fmt::format("machines={}", machines)}}.load();
      const Group group = first_devices(platform, platform.devices());
      std::int64_t elements = 1 + dice.below(1 << (8 + dice.below(12)));
      if (draw % 2 == 0) elements = (1 + elements % 8) << 17;  // chunks of equal size, more or less often
      for (const char* algorithm :
           {"ring", "tree", "nvls_tree"}) {  // several cards make of a ring multi_rail
        // Where two rings share a trunk of a DGX-2, tiny differences of rounding decide which one is first, and the
        // folded time is up to 0.2 % longer.
        if (algorithm == std::string_view("ring") && name == std::string_view("dgx2")) continue;
        const Algorithm& row = collective::algorithm_named(Operation::all_reduce, algorithm);
        const Call call = call_of(group, row, {.ranks = group.size(), .elements = elements}, {});
        if (can_run(group, call)) comparison.compare(group, call);
      }
    }
  expect_folded(comparison, {"all_reduce/multi_rail", "all_reduce/tree", "all_reduce/nvls_tree"});
}

// Likewise from and to any root.
TEST(Folding, OfAChoiceFromOrToARootShowsWhatExpandingShows) {
  Comparison comparison;
  Dice dice(11);
  for (const char* name : {"dgx_h100", "dgx_a100"})
    for (const int machines : {1, 2, 3})
      for (const Operation operation : {Operation::broadcast, Operation::reduce}) {
        const platform::Platform platform = Machines{name, {fmt::format("machines={}", machines)}}.load();
        const Group group = first_devices(platform, platform.devices());
        const std::int64_t elements = (1 + dice.below(8)) << 25;
        const Algorithm& row = collective::algorithm_named(
            operation, choices(group, operation, Bytes(4 * elements)).front().algorithm);
        comparison.compare(
            group,
            call_of(group, row,
                    {.ranks = group.size(), .elements = elements, .root = dice.below(group.size())}, {}));
      }
  EXPECT_EQ(comparison.points, 2 * 3 * 2);
}

TEST(Folding, ShowsOn64RanksWhatExpandingShows) {
  Comparison comparison;
  for (const Machines& machines : ideal_machines(64)) comparison.compare_all(machines, 64, equal_cuts, false);
  for (const Machines& machines : two_level_machines(64))
    comparison.compare_all(machines, 64, equal_cuts, true);
  comparison.compare_all({"ideal_switch", {"ranks=64", "machines=8"}}, 64, equal_cuts, false);
  expect_folded(comparison, fold_on_a_switch);
  expect_folded(comparison,
                {"all_reduce/torus_3d", "all_reduce/torus_2d_bucket", "all_reduce/torus_3d_bucket"});
}

TEST(Folding, DenseOnesAgreeOn32Ranks) {
  Comparison comparison;
  for (const Machines& machines :
       {Machines{"ideal_switch", {"ranks=32"}}, Machines{"ideal_torus", {"ranks=32", "fabric.shape=4x8"}},
        Machines{"dgx_h100", {"machines=4"}}}) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, 32);
    for (const Algorithm& algorithm : collective::algorithms())
      if (dense.contains(algorithm.name))
        comparison.compare(group, wires_alone(algorithm, request_for(group, algorithm, 32 * 32 * 48)));
  }
  EXPECT_EQ(comparison.points, 3 * 15);
}

// In these algorithms at most 4 n flows are under way at once.
TEST(Folding, SparseOnesAgreeOn256Ranks) {
  Comparison comparison;
  for (const Machines& machines :
       {Machines{"ideal_switch", {"ranks=256"}}, Machines{"ideal_torus", {"ranks=256", "fabric.shape=16x16"}},
        Machines{"dgx_a100", {"machines=32"}}}) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, 256);
    for (const char* name : {"ring", "bidirectional_ring", "hierarchical", "torus_2d", "recursive_doubling",
                             "halving_doubling", "bruck"}) {
      if (machines.name == "ideal_torus" && std::string_view(name) != "torus_2d" &&
          std::string_view(name) != "ring")
        continue;
      const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, name);
      comparison.compare(group, wires_alone(algorithm, request_for(group, algorithm, 256 * 256)));
    }
  }
  expect_folded(comparison, {"all_reduce/ring", "all_reduce/hierarchical", "all_reduce/torus_2d"});
}

// A ring of 64 ranks simulates two of its 126 rounds.
TEST(Folding, PlaysEachKindOfRoundOnce) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=64"}}.load();
  const Group group = first_devices(platform, 64);
  const auto played = [&](std::string_view name) {
    const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, name);
    const Timing timing = time_of(wires_alone(algorithm, request_for(group, algorithm, equal_cuts)), group);
    return std::pair(timing.played, timing.moves);
  };
  EXPECT_EQ(played("ring"), std::pair(std::int64_t{2 * 64}, std::int64_t{126 * 64}));
  EXPECT_EQ(played("torus_3d"), std::pair(std::int64_t{6 * 64}, std::int64_t{18 * 64}));
}

// If messages of a round wait for each other, they don't begin together, and the round can't be folded.
TEST(Folding, KeepsWhatMessagesWaitFor) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=8"}}.load();
  const Group group = first_devices(platform, 8);
  Comparison comparison;
  using enum plan::Messages;
  for (const plan::Messages messages : {in_order, acknowledged, one_by_one, together})
    for (const char* name :
         {"ring", "bidirectional_ring", "multi_rail", "tensorflow_ring", "torus_2d_bucket"}) {
      const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, name);
      Call call = wires_alone(algorithm, request_for(group, algorithm, equal_cuts));
      call.messages = messages;
      comparison.compare(group, call);
    }
  expect_folded(comparison, {"all_reduce/ring"});
}

TEST(Folding, OfALongPipelinePlaysTheBeginning) {
  Comparison comparison;
  for (const Machines& machines : {Machines{"ideal_switch", {"ranks=8"}}, Machines{"ideal_ring", {"ranks=8"}},
                                   Machines{"dgx_h100", {}}, Machines{"dgx_h100", {"machines=2"}}}) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, platform.devices());
    for (const Algorithm& algorithm : collective::algorithms())
      for (const std::int64_t piece : {group.size() * 96, group.size() * 98'304}) {
        // Small pieces are all under way at once, which takes long to simulate.
        const bool is_small = piece < 98'304;
        if (!is_pipeline(algorithm) || (is_small && machines.name != "ideal_switch")) continue;
        if (platform.machines() > 1 && algorithm.name != "nvls_tree") continue;
        collective::Request request = request_for(group, algorithm, 240 * piece);
        request.options.segments = 240;
        Call call = wires_alone(algorithm, request);
        if (!can_run(group, call)) continue;
        comparison.compare(group, call);
        if (is_small) continue;
        call.starts = staggered(group.size());
        comparison.compare(group, call);
      }
  }
  expect_folded(comparison, {"all_reduce/chain", "broadcast/chain", "reduce/chain", "all_reduce/nvls"});
}

// SimGrid simulates one of several equal connected components. Staggered starts change which components are
// equal.
TEST(Folding, OfEqualComponentsShowsWhatEachWouldShow) {
  std::int64_t following = 0;
  for (const Machines& machines :
       {Machines{"ideal_switch", {"ranks=8"}}, Machines{"ideal_torus", {"ranks=8"}},
        Machines{"ideal_ring", {"ranks=8"}}, Machines{"dgx_a100", {"machines=2"}}}) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, 8);
    for (const Algorithm& algorithm : collective::algorithms()) {
      Call call = wires_alone(algorithm, request_for(group, algorithm, 8 * 8 * 96));
      if (!can_run(group, call)) continue;
      call.starts = staggered(8);
      SCOPED_TRACE(text_of(algorithm) + " on " + platform.name());
      const Played played = expanded_plan(
          collective::expand(collective::make_schedule(algorithm, call.request)), call, group, Type::float32);
      const simulate::Job job = simulate::translate(played.plan, played.costs, platform, played.where).job;
      const simulate::Outcome folded = simulate::play(job, simulate::Folding::folded),
                              expanded = simulate::play(job, simulate::Folding::expanded);
      EXPECT_NEAR(folded.end, expanded.end, exactly * expanded.end);
      for (std::size_t id = 0; id < job.activities.size(); ++id)
        EXPECT_NEAR(folded.activities[id].end, expanded.activities[id].end, exactly * expanded.end) << id;
      following += folded.effort.following + folded.effort.alone;
    }
  }
  EXPECT_GT(following, 5000);
}

// Parts of the vector pass along the axes in different orders, and each axis takes another number of rounds.
TEST(Folding, OfATorusWithAxesOfDifferentLengthsShowsWhatExpandingShows) {
  Comparison comparison;
  for (const auto& [name, slice] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tpu_v4", "4x4x8"}, {"tpu_v4", "4x8x12"}, {"tpu_v5p", "4x4x12"}, {"tpu_v7", "4x4x8"}}) {
    const platform::Platform platform = Machines{name, {fmt::format("slice={}", slice)}}.load();
    const Group group = first_devices(platform, platform.devices());
    const Algorithm& bucket = collective::algorithm_named(Operation::all_reduce, "torus_3d_bucket");
    for (const std::int64_t elements : {1 << 12, 1 << 24}) {
      const Call call = call_of(group, bucket, {.ranks = group.size(), .elements = elements}, {});
      comparison.compare(group, call);
      const Timing timing = time_of(call, group);
      EXPECT_LT(timing.played * 100, timing.moves) << name << " " << slice;
    }
  }
}

// Twice as many machines make the trees one level deeper, and a short vector is a single piece that passes each
// level once. So the time grows by the same amount with each doubling, up to 16,384 GPUs.
TEST(Folding, OfATreeGrowsByOneLevelWithEachDoubling) {
  const auto time = [](const char* name, const char* algorithm, int machines) {
    const platform::Platform platform = Machines{name, {fmt::format("machines={}", machines)}}.load();
    const Group group = first_devices(platform, platform.devices());
    const Algorithm& row = collective::algorithm_named(Operation::all_reduce, algorithm);
    return time_of(call_of(group, row, {.ranks = group.size(), .elements = 4096}, {}), group).time.count();
  };
  const double level = time("dgx_a100", "tree", 16) - time("dgx_a100", "tree", 8);
  EXPECT_NEAR(time("dgx_a100", "tree", 1024) - time("dgx_a100", "tree", 16), 6 * level, 6 * level * exactly);
  const double nvls = time("dgx_h100", "nvls_tree", 16) - time("dgx_h100", "nvls_tree", 8);
  EXPECT_NEAR(time("dgx_h100", "nvls_tree", 2048) - time("dgx_h100", "nvls_tree", 16), 7 * nvls,
              7 * nvls * exactly);
}

// A long pipeline that can be simulated whole, from few larger pieces.
TEST(Folding, OfTooManyPiecesTakesLargerOnes) {
  struct Case {
    const char *platform, *algorithm;
    int machines;
    std::int64_t elements;
  };
  for (const auto& [name, algorithm, machines, elements] :
       std::initializer_list<Case>{{"dgx_a100", "tree", 8, 1 << 23},
                                   {"dgx_a100", "tree", 8, 1 << 28},
                                   {"dgx_a100", "tree", 32, 1 << 25},
                                   {"dgx_h100", "tree", 16, 1 << 26},
                                   {"dgx_h100", "nvls_tree", 32, 1 << 28},
                                   {"dgx_h100", "nvls_tree", 128, 1 << 28}}) {
    const platform::Platform platform = Machines{name, {fmt::format("machines={}", machines)}}.load();
    const Group group = first_devices(platform, platform.devices());
    const Algorithm& row = collective::algorithm_named(Operation::all_reduce, algorithm);
    const Call call = call_of(group, row, {.ranks = group.size(), .elements = elements}, {});
    const Timing own = time_of(call, group);
    EXPECT_EQ(own.pieces, 0);
    for (const auto& [count, off] : {std::pair(16, 0.12), std::pair(32, 0.04)}) {
      if (count >= call.request.options.segments) continue;
      const Timing larger = time_in_larger_pieces(call, count, group, Type::float32);
      EXPECT_EQ(larger.pieces, count);
      EXPECT_EQ(larger.moves, own.moves);
      EXPECT_NEAR(larger.time / own.time, 1, off)
          << count << " of " << call.request.options.segments << " pieces of " << algorithm << " on "
          << machines << " " << name;
    }
  }
}

TEST(Folding, PlaysAsManyPiecesAsItCan) {
  const platform::Platform platform = Machines{"dgx_a100", {"machines=256"}}.load();
  const Group group = first_devices(platform, 2048);
  const Algorithm& tree = collective::algorithm_named(Operation::all_reduce, "tree");
  const Call call = call_of(group, tree, {.ranks = 2048, .elements = std::int64_t{32} << 18}, {});
  const Timing timing = time_of(call, group);
  EXPECT_GE(timing.pieces, 16);
  EXPECT_LT(timing.pieces, call.request.options.segments);
  EXPECT_LT(timing.played * 8, timing.moves);
}

TEST(Folding, RefusesToExpandWhatIsTooMuchWithTheCount) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=2048"}}.load();
  const Group group = first_devices(platform, 2048);
  const Algorithm& ring = collective::algorithm_named(Operation::all_reduce, "ring");
  const Call call = wires_alone(ring, {.ranks = 2048, .elements = 2048 * 8});
  const Timing folded = time_of(call, group);
  EXPECT_EQ(folded.moves, std::int64_t{2048} * 4094);
  EXPECT_EQ(folded.played, 2 * 2048);
  try {
    time_of(call, group, Folding::expanded);
    FAIL() << "played";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "ring of 2048 ranks makes 8384512 moves, more than 2500000\n"
                 "take fewer ranks or another algorithm");
  }
}

}  // namespace
}  // namespace wt::communication
