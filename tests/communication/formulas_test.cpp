// Claims: on links without other traffic, a call takes the time of the alpha-beta-gamma model. Here sums take
// the time of the memory; simulate/collective_test.cpp has formulas for sums of any cost, which aren't
// repeated.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "communication/machines.h"

namespace wt::communication {
namespace {

using collective::Operation;

constexpr double exactly = 1e-9;

// Latency, seconds per byte, and seconds per byte added: two reads and a write.
struct Model {
  explicit Model(const platform::Platform& platform, bool adds_in_passing = false) {
    const platform::Route route = platform.route(platform.device(0), platform.device(1));
    a = route.latency.count();
    b = 1 / route.bottleneck.count();
    g = adds_in_passing ? 0 : 3 / platform.type(platform.device(0)).memory_bandwidth.count();
  }
  double a, b, g;
};

double log2_up(double n) { return std::ceil(std::log2(n)); }

struct Formula {
  Operation operation{};
  std::string_view algorithm{};
  bool is_for_any_number = false;
  double (*time)(const Model& m, double n, double S) = nullptr;
};

// Times on a switch, from Patarasuk and Yuan, 2009; Thakur, Rabenseifner and Gropp, 2005; Bruck and others,
// 1997.
const std::vector<Formula>& formulas() {
  using enum Operation;
  static const std::vector<Formula> rows{
      {all_reduce, "ring", true,
       [](const Model& m, double n, double S) {
         return 2 * (n - 1) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      {all_reduce, "recursive_doubling", false,
       [](const Model& m, double n, double S) { return log2_up(n) * (m.a + S * m.b + S * m.g); }},
      {all_reduce, "halving_doubling", false,
       [](const Model& m, double n, double S) {
         return 2 * log2_up(n) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      {all_reduce, "bruck", false,
       [](const Model& m, double n, double S) {
         return 2 * log2_up(n) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      {all_reduce, "swing", false,
       [](const Model& m, double n, double S) {
         return 2 * log2_up(n) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      {all_reduce, "one_shot", true,
       [](const Model& m, double n, double S) { return m.a + (n - 1) * S * (m.b + m.g); }},
      {all_reduce, "two_shot", true,
       [](const Model& m, double n, double S) {
         return 2 * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      {all_reduce, "sharded_parameter_server", true,
       [](const Model& m, double n, double S) {
         return 2 * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
       }},
      // The port of the one rank passes all vectors, first inwards and then outwards.
      {all_reduce, "reduce_to_one", true,
       [](const Model& m, double n, double S) {
         return 2 * m.a + 2 * (n - 1) * S * m.b + (n - 1) * S * m.g;
       }},
      {reduce_scatter, "ring", true,
       [](const Model& m, double n, double S) { return (n - 1) * (m.a + S / n * (m.b + m.g)); }},
      {reduce_scatter, "direct", true,
       [](const Model& m, double n, double S) { return m.a + (n - 1) / n * S * (m.b + m.g); }},
      {reduce_scatter, "halving", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * (m.b + m.g); }},
      {reduce_scatter, "bruck", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * (m.b + m.g); }},
      {reduce_scatter, "pat", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * (m.b + m.g); }},
      {all_gather, "ring", true,
       [](const Model& m, double n, double S) { return (n - 1) * (m.a + S / n * m.b); }},
      {all_gather, "direct", true,
       [](const Model& m, double n, double S) { return m.a + (n - 1) / n * S * m.b; }},
      {all_gather, "doubling", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * m.b; }},
      {all_gather, "bruck", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * m.b; }},
      {all_gather, "pat", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * m.b; }},
      {broadcast, "flat", true, [](const Model& m, double n, double S) { return m.a + (n - 1) * S * m.b; }},
      // The root's port is shared by log n messages, and that of each next rank on the way by one message
      // less.
      {broadcast, "binomial_tree", false,
       [](const Model& m, double n, double S) {
         const double L = log2_up(n);
         return L * m.a + L * (L + 1) / 2 * S * m.b;
       }},
      {reduce, "flat", true,
       [](const Model& m, double n, double S) { return m.a + (n - 1) * S * (m.b + m.g); }},
      {reduce, "binomial_tree", false,
       [](const Model& m, double n, double S) { return log2_up(n) * (m.a + S * (m.b + m.g)); }},
      {gather, "flat", true, [](const Model& m, double n, double S) { return m.a + (n - 1) / n * S * m.b; }},
      {gather, "binomial_tree", false,
       [](const Model& m, double n, double S) { return log2_up(n) * m.a + (n - 1) / n * S * m.b; }},
      {scatter, "flat", true, [](const Model& m, double n, double S) { return m.a + (n - 1) / n * S * m.b; }},
      {all_to_all, "direct", true,
       [](const Model& m, double n, double S) { return m.a + (n - 1) / n * S * m.b; }},
      {sendrecv, "direct", true, [](const Model& m, double, double S) { return m.a + S * m.b; }},
      // Half of the vector in each of log n rounds.
      {all_to_all, "bruck", false,
       [](const Model& m, double n, double S) { return log2_up(n) * (m.a + S / 2 * m.b); }},
  };
  return rows;
}

TEST(Formulas, OnASwitchACallTakesLatenciesBytesAndSums) {
  for (const Formula& formula : formulas())
    for (const int n : {2, 3, 4, 6, 8, 16, 32}) {
      if (!formula.is_for_any_number && (n & (n - 1)) != 0) continue;
      if (formula.algorithm == "one_shot" && n > 16) continue;
      const platform::Platform platform = Machines{"ideal_switch", {fmt::format("ranks={}", n)}}.load();
      const Group group = first_devices(platform, n);
      for (const std::int64_t elements : {96 * 32, 9'600 * 32, 960'000 * 32})
        for (const bool in_passing : {false, true}) {
          const collective::Algorithm& algorithm =
              collective::algorithm_named(formula.operation, formula.algorithm);
          Call call = wires_alone(algorithm, request_for(group, algorithm, elements));
          call.adds_in_passing = in_passing;
          call.floor = Seconds(5e-6);
          const double wanted =
              5e-6 + formula.time(Model(platform, in_passing), n, 4.0 * static_cast<double>(elements));
          EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted)
              << collective::name(formula.operation) << " " << formula.algorithm << " n " << n << " elements "
              << elements << " in passing " << in_passing;
        }
    }
}

// The latency and the wire factor of the call replace those of the route.
TEST(Formulas, AStepTakesTheCallsLatencyAndItsBytesTheCallsShareOfTheWire) {
  const platform::Platform platform = Machines{"dgx_h100"}.load();
  const Group group = first_devices(platform, 8);
  const collective::Algorithm& ring = collective::algorithm_named(Operation::all_reduce, "ring");
  Call call = wires_alone(ring, {.ranks = 8, .elements = 8 * 9'600});
  call.adds_in_passing = true;
  call.inside = {.latency = Seconds(4e-6), .wire = 2};
  const double wanted = 14 * (4e-6 + 2 * 4 * 9'600 * Model(platform).b);
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// ---- Levels and axes

// Rings on one level after the other, each on the part of the vector that the levels before have left.
double along(const std::vector<int>& lengths, const std::vector<Model>& models, double S) {
  double time = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double n = lengths[i];
    time += 2 * (n - 1) * models[i].a + (n - 1) / n * S * (2 * models[i].b + models[i].g);
    S /= n;
  }
  return time;
}

TEST(Formulas, LevelsOnASwitchAddUp) {
  const std::vector<std::pair<std::string_view, std::vector<int>>> rows{
      {"hierarchical", {4, 2}}, {"hierarchical", {2, 8}}, {"torus_2d", {4, 4}},      {"torus_3d", {2, 3, 4}},
      {"torus_3d", {4, 4, 4}},  {"blueconnect", {3, 5}},  {"blueconnect", {2, 2, 6}}};
  for (const auto& [name, shape] : rows) {
    const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    const platform::Platform platform = Machines{"ideal_switch", {fmt::format("ranks={}", n)}}.load();
    const Group group = first_devices(platform, n);
    collective::Request request{.ranks = n, .elements = 9'600 * n};
    request.options.shape = shape;
    const Call call = wires_alone(collective::algorithm_named(Operation::all_reduce, name), request);
    const double wanted =
        along(shape, std::vector(shape.size(), Model(platform)), 4.0 * static_cast<double>(request.elements));
    EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted) << name << " " << n;
  }
}

// Between DGX A100 each GPU has a rail of its own: the second level has the network's latency and rate.
TEST(Formulas, HierarchicalPaysEachLevelsOwnLinks) {
  const platform::Platform platform = Machines{"dgx_a100", {"machines=4"}}.load();
  const Group group = first_devices(platform, 32);
  collective::Request request{.ranks = 32, .elements = 32 * 96'000};
  request.options.shape = {8, 4};
  const Call call = wires_alone(collective::algorithm_named(Operation::all_reduce, "hierarchical"), request);
  Model across(platform);
  const platform::Route route = platform.route(platform.device(0), platform.device(8));
  across.a = route.latency.count();
  across.b = 1 / route.bottleneck.count();
  const double wanted = along({8, 4}, {Model(platform), across}, 4.0 * 32 * 96'000);
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// A binomial tree to the leader of each group, a ring of leaders, and the tree back down. On the way down
// messages share ports: in groups of 4 a leader sends two messages at once, one of them to a rank that sends
// it on.
TEST(Formulas, LeadersReduceExchangeAndSpread) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=12"}}.load();
  const Group group = first_devices(platform, 12);
  collective::Request request{.ranks = 12, .elements = 12 * 9'600};
  request.options.shape = {4, 3};
  const Call call = wires_alone(collective::algorithm_named(Operation::all_reduce, "leader"), request);
  const Model m(platform);
  const double S = 4 * 12 * 9'600.0, up = 2 * (m.a + S * (m.b + m.g));
  const double across = 4 * m.a + 4.0 / 3 * S * m.b + 2.0 / 3 * S * m.g, down = 2 * m.a + 3 * S * m.b;
  const double wanted = up + across + down;
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// Each direction of the links carries half of the vector.
TEST(Formulas, BothWaysRoundARingAreTwiceAsFast) {
  for (const int n : {4, 5, 8}) {
    const platform::Platform platform = Machines{"ideal_ring", {fmt::format("ranks={}", n)}}.load();
    const Group group = first_devices(platform, n);
    const double S = 4 * 9'600.0 * n;
    const Call call = wires_alone(collective::algorithm_named(Operation::all_reduce, "bidirectional_ring"),
                                  {.ranks = n, .elements = 9'600 * n});
    const Model m(platform);
    const double wanted = 2 * (n - 1) * m.a + (n - 1.0) / n * S * (m.b + m.g / 2);
    EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted) << n;
  }
}

// ---- Pipelines: the way of the first piece, then the bytes of the others at the busiest port

// With two ranks, each is the root of one tree. It receives half of a vector and sends the sum back.
TEST(Formulas, ADoubleTreeOfTwoSendsUpAndDown) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=2"}}.load();
  const Group group = first_devices(platform, 2);
  const collective::Algorithm& trees =
      collective::algorithm_named(Operation::all_reduce, "double_binary_tree");
  collective::Request request{.ranks = 2, .elements = 2 * 9'600};
  request.options.segments = 1;
  Call call = wires_alone(trees, request);
  const Model m(platform);
  const double half = 4 * 9'600.0;
  const double wanted = 2 * (m.a + half * m.b) + half * m.g;
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// The trees of four ranks are 0 <- 2 <- {1, 3} and its mirror image 3 <- 1 <- {2, 0}. In each tree two halves
// of a vector enter the inner rank at once and are added one after the other; then one half goes up to the
// root, one comes back down, and two leave the inner rank at once. The two trees use the ports that they
// share at different times.
TEST(Formulas, ADoubleTreeOfFourMeetsTwiceInTheMiddle) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=4"}}.load();
  const Group group = first_devices(platform, 4);
  collective::Request request{.ranks = 4, .elements = 2 * 9'600};
  request.options.segments = 1;
  const Call call =
      wires_alone(collective::algorithm_named(Operation::all_reduce, "double_binary_tree"), request);
  const Model m(platform);
  const double half = 4 * 9'600.0;
  const double wanted = 4 * m.a + (2 + 1 + 1 + 2) * half * m.b + 3 * half * m.g;
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// In a single machine each lane is a chain that begins at its head, and goes there and back. With one piece
// it takes the hops of the chain.
TEST(Formulas, ATreeInOneMachineIsAChain) {
  const platform::Platform platform = Machines{"ideal_ring", {"ranks=8"}}.load();
  const Group group = first_devices(platform, 8);
  for (const int segments : {1, 5}) {
    collective::Request request{.ranks = 8, .elements = 5 * 9'600};
    request.options.shape = {8};
    request.options.lanes = 1;
    request.options.segments = segments;
    Call call = wires_alone(collective::algorithm_named(Operation::all_reduce, "tree"), request);
    call.adds_in_passing = true;
    const Model m(platform);
    const double piece = 4 * 5 * 9'600.0 / segments * m.b;
    const double wanted = 14 * (m.a + piece) + (segments - 1) * piece;
    EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted) << segments;
  }
}

// ---- Switches that add. In a loop of L bytes, the port of a rank sends all L bytes, and then the sum of its
// own part for the multicast; it receives the sum of its own part, and then the sums of all parts. So
// (N + 1) / N of the bytes pass in each direction, and the first loop takes four hops.

TEST(Formulas, NvlsPassesNPlusOneNthsOfTheVectorEachWay) {
  const platform::Platform platform = Machines{"dgx_h100"}.load();
  const Group group = first_devices(platform, 8);
  const platform::Route hop = platform.route(group.ranks[0], *platform.adder_of(group.ranks[0]));
  const double a = hop.latency.count(), b = 1 / hop.bottleneck.count();
  const collective::Algorithm& nvls = collective::algorithm_named(Operation::all_reduce, "nvls");
  collective::Request request{.ranks = 8, .elements = 8 * 96'000};
  request.options.segments = 1;
  const double S = 4 * 8 * 96'000.0;
  const double one = 4 * a + (1 + 1.0 / 8 + 1.0 / 8 + 1) * S * b;
  EXPECT_NEAR(time_of(wires_alone(nvls, request), group).time.count(), one, exactly * one);
  for (const int loops : {64, 256}) {
    request.options.segments = loops;
    request.elements = 8 * 96'000 * loops;
    const double time = time_of(wires_alone(nvls, request), group).time.count();
    EXPECT_GE(time, 9.0 / 8 * S * loops * b);
    EXPECT_LE(time, 9.0 / 8 * S * loops * b + 2 * one);
  }
}

// The vector goes up and down the tree of switches in pieces that follow each other. The port of a rank
// carries it once in each direction, and the first piece takes the hops of the tree.
TEST(Formulas, SharpPassesTheVectorOnceEachWay) {
  const platform::Platform platform = Machines{"dgx_h100", {"machines=4", "network.type=switch"}}.load();
  Group group{platform};
  for (int machine = 0; machine < 4; ++machine) group.ranks.push_back(platform.device(8 * machine));
  const collective::Algorithm& sharp = collective::algorithm_named(Operation::all_reduce, "sharp");
  for (const int segments : {1, 16, 128}) {
    collective::Request request = request_for(group, sharp, 128 * 9'600);
    request.options.segments = segments;
    const Call call = wires_alone(sharp, request);
    const std::vector<platform::Endpoint> where =
        endpoints(group, &sharp, collective::make_schedule(sharp, request).contract);
    ASSERT_EQ(where.size(), 5);
    const platform::Route hop = platform.route(where[0], where[4]);
    const double piece = 4 * 128 * 9'600.0 / segments / hop.bottleneck.count();
    const double wanted = 2 * (hop.latency.count() + piece) + (segments - 1) * piece;
    EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted) << segments;
  }
}

// A loop of L bytes on two machines of N ranks: all bytes go up to the switches, and the part of each rank
// comes back. Half of that part goes to the other machine, and its sum comes back (two trees of two ranks).
// Then the part goes to the switch, and all other parts come down.
TEST(Formulas, NvlsTreeOnTwoMachinesAddsTheTripAcross) {
  const platform::Platform platform = Machines{"dgx_h100", {"machines=2"}}.load();
  const Group group = first_devices(platform, 16);
  const platform::Route hop = platform.route(group.ranks[0], *platform.adder_of(group.ranks[0]));
  const platform::Route across = platform.route(group.ranks[0], group.ranks[8]);
  const collective::Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, "nvls_tree");
  collective::Request request = request_for(group, algorithm, 16 * 96'000);
  request.options.segments = 1;
  Call call = wires_alone(algorithm, request);
  call.adds_in_passing = true;
  const double S = 4 * 16 * 96'000.0, n = 8;
  const double inside = 4 * hop.latency.count() + (2 + 2 / n - 1 / n) * S / hop.bottleneck.count();
  const double wanted = inside + 2 * (across.latency.count() + S / n / 2 / across.bottleneck.count());
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

// The vectors of all ranks on other machines pass through the port of the server, first inwards and then
// outwards.
TEST(Formulas, AParameterServerTakesTheVectorsOfAllRanks) {
  const platform::Platform platform = Machines{"cpu_cluster_100gbe", {"machines=5"}}.load();
  Group group{platform};
  for (int rank = 1; rank < 5; ++rank) group.ranks.push_back(platform.device(rank));
  const collective::Algorithm& algorithm =
      collective::algorithm_named(Operation::all_reduce, "parameter_server");
  Call call = wires_alone(algorithm, request_for(group, algorithm, 96'000));
  call.adds_in_passing = true;
  const platform::Route hop = platform.route(group.ranks[0], group.ranks[1]);
  const double wanted = 2 * (hop.latency.count() + 3 * 4 * 96'000 / hop.bottleneck.count());
  EXPECT_NEAR(time_of(call, group).time.count(), wanted, exactly * wanted);
}

}  // namespace
}  // namespace wt::communication
