// Claims: rounds that a rule declares to be of one kind (Rule::kinds) are alike in moves and dependencies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schedules.h"

namespace wt::collective {
namespace {

// Everything about a move that must be equal in rounds of one kind.
std::string print_without_names(const Move& move, const Contract& contract) {
  std::int64_t elements = 0;
  move.chunks.each([&](int slot) { elements += contract.size(slot); });
  return fmt::format("{} to {}, effect {}, {} chunks, {} elements, shift {}", move.source, move.target,
                     static_cast<int>(move.effect), move.chunks.count(), elements, move.shift);
}

std::vector<std::string> print_without_names(const Schedule& schedule, int round) {
  std::vector<std::string> all;
  for (const Move& move : moves_of(schedule, round))
    all.push_back(print_without_names(move, schedule.contract));
  return all;
}

// A dependency on the round before, with both moves counted from the beginnings of their rounds.
struct Wait {
  int move = 0, before = 0;
  Until until{};
  bool applies = false;
  auto operator<=>(const Wait&) const = default;
};

class Rounds {
 public:
  explicit Rounds(const Schedule& schedule) : expanded_(expand(schedule)) {
    for (int round = 0, moves = 0; round <= schedule.rule.rounds; ++round) {
      begin_.push_back(moves);
      if (round < schedule.rule.rounds) moves += static_cast<int>(moves_of(schedule, round).size());
    }
  }

  int begin(int round) const { return begin_[static_cast<std::size_t>(round)]; }
  int moves(int round) const { return begin(round + 1) - begin(round); }

  // The dependencies of a round on the round before. Its other dependencies must lie before the stretch,
  // whose first round is `first`.
  std::set<Wait> waits(int round, int first) const {
    std::set<Wait> waits;
    for (int id = begin(round); id < begin(round + 1); ++id) {
      const Step& step = expanded_.steps[static_cast<std::size_t>(id)];
      for (const bool applies : {false, true})
        for (const Dependency& each : applies ? step.apply : step.start) {
          if (each.move >= begin(round - 1))
            waits.insert({id - begin(round), each.move - begin(round - 1), each.until, applies});
          else
            EXPECT_LT(each.move, begin(first)) << "round " << round << ", move " << id;
        }
    }
    return waits;
  }

 private:
  Expanded expanded_;
  std::vector<int> begin_{};
};

void check_moves(const Schedule& schedule) {
  const std::vector<int>& kinds = schedule.rule.kinds;
  ASSERT_EQ(std::ssize(kinds), schedule.rule.rounds);
  std::vector<int> first_of(kinds.size(), -1);
  for (int round = 0; round < schedule.rule.rounds; ++round) {
    int& first = first_of[static_cast<std::size_t>(kinds[static_cast<std::size_t>(round)])];
    if (first < 0) first = round;
    ASSERT_EQ(print_without_names(schedule, round), print_without_names(schedule, first))
        << "round " << round;
  }
}

void check_waits(const Schedule& schedule) {
  const Rounds rounds(schedule);
  for (const Stretch& stretch : stretches_of(schedule)) {
    std::set<Wait> like;
    for (int round = stretch.first + 1; round < stretch.first + stretch.rounds; ++round) {
      const std::set<Wait> waits = rounds.waits(round, stretch.first);
      std::set<int> waiting, waited_for;
      for (const Wait& wait : waits) {
        waiting.insert(wait.move);
        waited_for.insert(wait.before);
      }
      ASSERT_EQ(std::ssize(waiting), rounds.moves(round)) << "round " << round;
      ASSERT_EQ(std::ssize(waited_for), rounds.moves(round - 1)) << "round " << round;
      if (round > stretch.first + 1) {
        ASSERT_EQ(waits, like) << "round " << round;
      }
      like = waits;
    }
  }
}

// A schedule whose chunks are all of equal size. Otherwise moves of one kind could differ by an element.
Schedule made(const Algorithm& algorithm, int ranks, Options options = {}) {
  Schedule schedule =
      make_schedule(algorithm, {.ranks = ranks, .elements = 1 << 16, .options = std::move(options)});
  schedule.contract.cut = {.elements = 3 * schedule.contract.cut.chunks,
                           .chunks = schedule.contract.cut.chunks};
  return schedule;
}

bool has_kinds(const Schedule& schedule) { return !schedule.rule.kinds.empty(); }

void check(const Schedule& schedule, const std::string& title) {
  SCOPED_TRACE(title);
  if (!has_kinds(schedule)) return;
  check_moves(schedule);
  check_waits(schedule);
}

TEST(Kinds, AreTrueForAllOfTheCatalog) {
  for (const Algorithm& algorithm : algorithms())
    for (int ranks = 1; ranks <= 24; ++ranks)
      if (allows(algorithm, ranks))
        check(made(algorithm, ranks), fmt::format("{} of {}", algorithm.name, ranks));
}

TEST(Kinds, AreTrueForShapesAndGivenOrders) {
  for (const std::vector<int>& shape :
       {std::vector{8, 3}, {3, 8}, {2, 12}, {24, 1}, {1, 24}, {2, 3, 4}, {4, 3, 2}, {2, 2, 6}}) {
    for (const Algorithm& algorithm : algorithms()) {
      if (std::count(algorithm.options.begin(), algorithm.options.end(), "shape") == 0) continue;
      if (algorithm.name == "nvls_tree" && (shape[0] == 1 || shape[0] == 24)) continue;
      check(made(algorithm, 24, {.shape = shape}),
            fmt::format("{} {}x{}", algorithm.name, shape[0], shape[1]));
    }
  }
  check(in_orders(5, 50, {{0, 2, 4, 1, 3}, {4, 3, 2, 1, 0}}), "multi_rail in given orders");
}

std::vector<int> lengths(std::string_view algorithm, int ranks, Options options = {}) {
  const Schedule schedule =
      made(algorithm_named(Operation::all_reduce, algorithm), ranks, std::move(options));
  std::vector<int> lengths;
  for (const Stretch& stretch : stretches_of(schedule)) lengths.push_back(stretch.rounds);
  return lengths;
}

using Lengths = std::vector<int>;

TEST(Kinds, ARingHasTwoAndAGridTwoForEachAxis) {
  EXPECT_EQ(lengths("ring", 9), (Lengths{8, 8}));
  EXPECT_EQ(lengths("bidirectional_ring", 9), (Lengths{8, 8}));
  EXPECT_EQ(lengths("multi_rail", 8, {.shape = {4, 2}}), (Lengths{7, 7}));
  EXPECT_EQ(lengths("hierarchical", 24, {.shape = {8, 3}}), (Lengths{7, 2, 2, 7}));
  EXPECT_EQ(lengths("torus_3d", 24, {.shape = {2, 3, 4}}), (Lengths{1, 2, 3, 3, 2, 1}));
  EXPECT_EQ(lengths("blueconnect", 24), (Lengths{2, 1, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(lengths("leader", 24, {.shape = {2, 12}}), (Lengths{1, 11, 11, 1}));
}

// If the extents differ, the parts of a bucket algorithm change from axis to axis at different times.
TEST(Kinds, ABucketHasOneForWhatItsPartsDoAtATime) {
  EXPECT_EQ(lengths("torus_3d_bucket", 27, {.shape = {3, 3, 3}}), (Lengths{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(lengths("torus_2d_bucket", 24, {.shape = {8, 3}}), (Lengths{2, 5, 2, 2, 5, 2}));
}

TEST(Kinds, ATorusOf65536RanksHasSixAndItsBucketTen) {
  for (const std::string_view name : {"torus_3d", "torus_3d_bucket"}) {
    const Schedule schedule =
        made(algorithm_named(Operation::all_reduce, name), 65536, {.shape = {32, 32, 64}});
    std::int64_t moves = 0;
    const std::vector<Stretch> stretches = stretches_of(schedule);
    for (const Stretch& stretch : stretches)
      moves += stretch.rounds * std::ssize(moves_of(schedule, stretch.first));
    const std::int64_t parts = name == "torus_3d" ? 1 : 6;
    EXPECT_EQ(stretches.size(), name == "torus_3d" ? 6U : 10U);
    EXPECT_EQ(moves, 65536 * 2 * (31 + 31 + 63) * parts);
  }
}

TEST(Kinds, AreIgnoredWhereChunksAreEmpty) {
  const Schedule schedule =
      make_schedule(algorithm_named(Operation::all_reduce, "ring"), {.ranks = 4, .elements = 3});
  EXPECT_EQ(stretches_of(schedule),
            (std::vector<Stretch>{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {5, 5, 1}}));
}

TEST(Kinds, OfRulesOneAfterTheOtherAreNotMixedUp) {
  const auto nothing = [](int, Round&) {};
  const Rule two = alike(2, nothing), three{3, nothing}, none{};
  EXPECT_EQ(then(two, two).kinds, (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(then(two, three).kinds, (std::vector{0, 0, 1, 2, 3}));
  EXPECT_EQ(then(none, two).kinds, (std::vector{0, 0}));
  EXPECT_EQ(then(three, three).kinds, std::vector<int>{});
  EXPECT_EQ(together({two, then(alike(1, nothing), two)}).kinds, (std::vector{0, 1, 2}));
  EXPECT_EQ(together({two, three}).kinds, std::vector<int>{});
  EXPECT_EQ(reversed(then(two, alike(1, nothing)), Effect::copy).kinds, (std::vector{1, 0, 0}));
  EXPECT_EQ(pipelined(two, 2).kinds, std::vector<int>{});
}

}  // namespace
}  // namespace wt::collective
