// Claims: on links without other traffic, a schedule takes the time of the alpha-beta-gamma model; no
// algorithm beats the bound of its machine; and no link carries more than its rate allows.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "collective/catalog.h"
#include "plan/bound.h"
#include "plan/collective.h"
#include "platform/group.h"
#include "platform/load.h"
#include "simulate/brute_force.h"
#include "simulate/simulate.h"

namespace wt::simulate {
namespace {

using collective::Operation, plan::Messages, platform::Endpoint, platform::Platform;

constexpr double exactly = 1e-9;

// A simulated schedule among the first devices of a platform. Its helpers are hosts.
struct Timed {
  collective::Expanded schedule{};
  std::vector<Endpoint> where{};
  plan::Timeline timeline{};

  std::span<const Endpoint> ranks() const {
    return std::span(where).first(static_cast<std::size_t>(schedule.contract.ranks));
  }
  std::span<const Endpoint> helpers() const {
    return std::span(where).subspan(static_cast<std::size_t>(schedule.contract.ranks));
  }
  double time() const { return timeline.end.count(); }
};

struct Way {
  Messages messages = Messages::in_order;
  double gamma = 0;  // seconds per byte added
};

Timed timed(const Platform& platform, std::string_view algorithm, const collective::Request& request,
            const Way& way = {}, Operation operation = Operation::all_reduce) {
  Timed result{collective::expand(
      collective::make_schedule(collective::algorithm_named(operation, algorithm), request))};
  const collective::Contract& contract = result.schedule.contract;
  plan::Plan plan;
  std::vector<plan::Member> members;
  const TensorSpec spec{Type::float32, {contract.cut.elements}};
  for (int i = 0; i < contract.members(); ++i) {
    const auto device = plan::DeviceId(i);
    plan.devices.push_back({fmt::format("{}", i)});
    result.where.push_back(i < contract.ranks ? platform.device(i)
                                              : platform.host((i - contract.ranks) % platform.hosts()));
    members.push_back({device, std::nullopt});
    if (i < contract.ranks)
      members.back().value = plan::Operand{
          plan.add_buffer({"value", device, spec.bytes(), plan::BufferKind::gradient, {}}), spec};
  }
  std::vector<plan::Frontier> frontiers;
  plan::add_collective(plan, frontiers, result.schedule, members, {}, way.messages);
  plan::Costs costs;
  for (const plan::Node& node : plan.nodes) {
    costs.nodes.emplace_back();
    if (const auto* sum = std::get_if<plan::Sum>(&node.action))
      costs.nodes.back().seconds = Seconds(way.gamma * static_cast<double>(sum->output.spec.bytes().count()));
  }
  result.timeline = simulate(plan, costs, platform, result.where);
  return result;
}

Platform ideal(const std::string& kind, int ranks, const std::string& shape = {}) {
  platform::Parameters set{platform::parse_parameter(fmt::format("ranks={}", ranks))};
  if (!shape.empty()) set.push_back(platform::parse_parameter("fabric.shape=" + shape));
  return platform::load("ideal_" + kind, set).platform;
}

// Latency, seconds per byte between neighbours, and seconds per byte added.
struct Model {
  explicit Model(const Platform& platform, double gamma = 0)
      : a(platform.route(platform.device(0), platform.device(1)).latency.count()),
        b(1 / platform.route(platform.device(0), platform.device(1)).bottleneck.count()),
        g(gamma) {}
  double a, b, g;
};

struct Formula {
  std::string_view algorithm{};
  Messages messages{};
  bool is_for_any_number = false;
  double (*time)(const Model& m, double n, double S) = nullptr;
};

double log2_up(double n) { return std::ceil(std::log2(n)); }

// Times on a switch, from Patarasuk and Yuan, 2009; Thakur, Rabenseifner and Gropp, 2005.
constexpr std::array formulas{
    Formula{"ring", Messages::in_order, true,
            [](const Model& m, double n, double S) {
              return 2 * (n - 1) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
            }},
    Formula{"recursive_doubling", Messages::in_order, false,
            [](const Model& m, double n, double S) { return log2_up(n) * (m.a + S * m.b + S * m.g); }},
    Formula{"halving_doubling", Messages::in_order, false,
            [](const Model& m, double n, double S) {
              return 2 * log2_up(n) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
            }},
    Formula{"bruck", Messages::in_order, false,
            [](const Model& m, double n, double S) {
              return 2 * log2_up(n) * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
            }},
    Formula{"two_shot", Messages::in_order, true,
            [](const Model& m, double n, double S) {
              return 2 * m.a + 2 * (n - 1) / n * S * m.b + (n - 1) / n * S * m.g;
            }},
    Formula{"one_shot", Messages::in_order, true,
            [](const Model& m, double n, double S) { return m.a + (n - 1) * S * (m.b + m.g); }},
    // All vectors reach the one rank at once, so latency is paid once in each direction.
    Formula{"reduce_to_one", Messages::in_order, true,
            [](const Model& m, double n, double S) {
              return 2 * m.a + 2 * (n - 1) * S * m.b + (n - 1) * S * m.g;
            }},
    // One message at a time, as in the textbook. All sums but the last overlap with the next message.
    Formula{"reduce_to_one", Messages::one_by_one, true,
            [](const Model& m, double n, double S) { return 2 * (n - 1) * (m.a + S * m.b) + S * m.g; }},
    Formula{"binomial_tree", Messages::one_by_one, false,
            [](const Model& m, double n, double S) {
              return 2 * log2_up(n) * (m.a + S * m.b) + log2_up(n) * S * m.g;
            }},
    // On the way down the messages of a rank share its link: log n messages of the root, and one less of each
    // next rank.
    Formula{"binomial_tree", Messages::in_order, false,
            [](const Model& m, double n, double S) {
              const double L = log2_up(n);
              return 2 * L * m.a + (L + L * (L + 1) / 2) * S * m.b + L * S * m.g;
            }},
};

TEST(Collective, G6_TakesAsLongOnASwitchAsTheAlphaBetaModelSays) {
  for (const Formula& formula : formulas)
    for (const int n : {2, 3, 4, 6, 8, 16}) {
      if (!formula.is_for_any_number && (n & (n - 1)) != 0) continue;
      const Platform platform = ideal("switch", n);
      for (const std::int64_t elements : {48, 48'000, 48'000'000})
        for (const double gamma : {0.0, 2e-12}) {
          const Model model(platform, gamma);
          const double wanted = formula.time(model, n, 4.0 * static_cast<double>(elements));
          const Timed run = timed(platform, formula.algorithm, {.ranks = n, .elements = elements},
                                  {formula.messages, gamma});
          EXPECT_NEAR(run.time(), wanted, exactly * wanted)
              << formula.algorithm << " n " << n << " elements " << elements << " gamma " << gamma;
        }
    }
}

// Parts that arrive together at one device are added side by side.
TEST(Collective, SumsHaveNoStreamToWaitFor) {
  const Platform platform = ideal("switch", 2);
  plan::Plan plan;
  plan.devices.push_back({});
  plan::Costs costs;
  const auto add_sum = [&](plan::Stream stream) {
    plan.add_node(plan::Sum{}, "");
    plan.nodes.back().stream = stream;
    costs.nodes.push_back({Seconds(1e-3), {}});
  };
  const Endpoint where[] = {platform.device(0)};
  const auto time = [&] { return simulate(plan, costs, platform, where).end.count(); };
  add_sum(plan::Stream::none);
  add_sum(plan::Stream::none);
  EXPECT_DOUBLE_EQ(time(), 1e-3);
  add_sum(plan::Stream::communication);
  add_sum(plan::Stream::communication);
  EXPECT_DOUBLE_EQ(time(), 2e-3);
}

// The first of m segments takes a step for each hop, and then the bytes of the others follow. On the links of
// a ring the way back overlaps with segments that still arrive, while the port of a switch sends for both
// ways. If each segment waits for an acknowledgement, latencies don't overlap with bytes, and the chain takes
// hops - 1 + m steps.
TEST(Collective, APipelinedChainTakesAStepForEachHopAndThenTheOtherSegmentsBytes) {
  for (const char* kind : {"switch", "ring"})
    for (const int n : {3, 5, 8})
      for (const int segments : {1, 4, 16}) {
        const Platform platform = ideal(kind, n);
        const Model m(platform);
        collective::Request request{.ranks = n, .elements = 4'800'000};
        request.options.segments = segments;
        const double bytes = 4.0 * 4'800'000 / segments * m.b, step = m.a + bytes;
        const auto expect_hops = [&](Operation operation, int hops) {
          for (const auto& [messages, wanted] :
               {std::pair{Messages::in_order, hops * step + (segments - 1) * bytes},
                std::pair{Messages::acknowledged, (hops - 1 + segments) * step}})
            EXPECT_NEAR(timed(platform, "chain", request, {messages}, operation).time(), wanted,
                        exactly * wanted)
                << kind << " " << collective::name(operation) << " n " << n << " segments " << segments;
        };
        expect_hops(Operation::broadcast, n - 1);
        expect_hops(Operation::reduce, n - 1);
        if (platform.name() == "ideal_ring") expect_hops(Operation::all_reduce, 2 * (n - 1));
      }
}

// Without an order the segments share the link and arrive together, so nothing is pipelined.
TEST(Collective, MessagesTogetherPipelineNothing) {
  const Platform platform = ideal("switch", 5);
  const Model m(platform);
  const Timed run = timed(platform, "chain", {.ranks = 5, .elements = 4'800'000}, {Messages::together},
                          Operation::broadcast);
  const double wanted = 4 * (m.a + 4 * 4'800'000 * m.b);
  EXPECT_NEAR(run.time(), wanted, exactly * wanted);
}

TEST(Collective, RingsOnARingTakeAsLongAsOnASwitch) {
  for (const int n : {3, 5, 8, 16}) {
    const Platform platform = ideal("ring", n);
    for (const double gamma : {0.0, 2e-12}) {
      const Model m(platform, gamma);
      const double S = 4 * 2'400'000;
      const double each = (n - 1) * m.a + (n - 1.0) / n * S * m.b, added = (n - 1.0) / n * S * m.g;
      const collective::Request request{.ranks = n, .elements = 2'400'000};
      const auto expect_time = [&](Operation operation, double wanted) {
        EXPECT_NEAR(timed(platform, "ring", request, {.gamma = gamma}, operation).time(), wanted,
                    exactly * wanted)
            << n;
      };
      expect_time(Operation::all_reduce, 2 * each + added);
      expect_time(Operation::reduce_scatter, each + added);
      expect_time(Operation::all_gather, each);
    }
  }
}

// Two machines whose links have one rate, and whose hops between machines have a higher latency than those
// inside. The time is determined by the chunk whose way has the most such hops. If messages wait for
// acknowledgements, it is determined by the hop of the highest latency alone.
TEST(Collective, ARingOverUnequalHopsPaysTheLatenciesAlongAChunksWay) {
  const Platform platform = platform::from_json(json::parse(R"({
    "machines": 2,
    "machine": {
      "devices": { "type": "a100_sxm_40", "count": 4 },
      "hosts": { "type": "epyc_7742" },
      "pcie": { "bandwidth": "100 GB/s", "latency": "1 us" },
      "nvlink": { "layout": "switch", "links": 1, "bandwidth": "100 GB/s", "latency": "1 us" },
      "nics": { "bandwidth": "800 Gb/s", "latency": "40 us" }
    },
    "network": { "type": "switch" }
  })",
                                                            "test.json"))
                                .platform;
  const int n = platform.devices(), hops = 2 * (n - 1);
  ASSERT_EQ(n, 8);
  std::vector<double> latencies;
  for (int rank = 0; rank < n; ++rank)
    latencies.push_back(
        platform.route(platform.device(rank), platform.device((rank + 1) % n)).latency.count());
  double longest = 0;
  for (int first = 0; first < n; ++first) {
    double way = 0;
    for (int hop = 0; hop < hops; ++hop) way += latencies[static_cast<std::size_t>((first + hop) % n)];
    longest = std::max(longest, way);
  }
  const double latest = *std::ranges::max_element(latencies);
  EXPECT_GT(latest, 10 * *std::ranges::min_element(latencies));
  for (const std::int64_t elements : {80, 80'000, 80'000'000}) {
    const double bytes = 4.0 * static_cast<double>(elements) / n * Model(platform).b;
    for (const auto& [messages, wanted] : {std::pair{Messages::in_order, longest + hops * bytes},
                                           std::pair{Messages::acknowledged, hops * (latest + bytes)}})
      EXPECT_NEAR(timed(platform, "ring", {.ranks = n, .elements = elements}, {messages}).time(), wanted,
                  exactly * wanted)
          << elements;
  }
}

TEST(Collective, TwoPhasesOnATorusTakeWhatItsAxesSay) {
  const std::vector<std::vector<int>> shapes{{4, 4}, {8, 4}, {3, 5}, {4, 4, 4}, {2, 3, 4}};
  for (const std::vector<int>& shape : shapes) {
    const std::string text = fmt::format("{}", fmt::join(shape, "x"));
    const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    const Platform platform = ideal("torus", n, text);
    for (const double gamma : {0.0, 2e-12}) {
      const Model m(platform, gamma);
      collective::Request request{.ranks = n, .elements = 960'000};
      // The last axis of the torus is the innermost one.
      request.options.shape.assign(shape.rbegin(), shape.rend());
      double wanted = 0, S = 4 * 960'000;
      for (const int length : request.options.shape) {
        wanted += 2 * (length - 1) * m.a + (length - 1.0) / length * S * (2 * m.b + m.g);
        S /= length;
      }
      const std::string name = fmt::format("torus_{}d", shape.size());
      EXPECT_NEAR(timed(platform, name, request, {.gamma = gamma}).time(), wanted, exactly * wanted) << text;
    }
  }
}

// All 2 D links of a chip are always busy. On equal axes the time is the latencies of all axes, and the
// vector over all links together.
TEST(Collective, BucketsOnATorusUseAllItsLinks) {
  for (const auto& [text, shape] : std::vector<std::pair<std::string, std::vector<int>>>{
           {"4x4", {4, 4}}, {"8x8", {8, 8}}, {"4x4x4", {4, 4, 4}}}) {
    const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    const auto axes = static_cast<double>(shape.size());
    const Platform platform = ideal("torus", n, text);
    const Model m(platform);
    collective::Request request{.ranks = n, .elements = 7'680 * n};
    request.options.shape = shape;
    const double S = 4 * 7'680.0 * n;
    const double wanted = 2 * axes * (shape[0] - 1) * m.a + (n - 1.0) / n * S * m.b / axes;
    EXPECT_NEAR(timed(platform, fmt::format("torus_{}d_bucket", shape.size()), request).time(), wanted,
                exactly * wanted)
        << text;
  }
}

// On a line each link carries the chunks of the owners beyond it, in both directions at once. That takes as
// long as a ring that uses one direction.
TEST(Collective, LinesOnAGridUseBothWaysOfTheirLinks) {
  for (const auto& [text, shape] : std::vector<std::pair<std::string, std::vector<int>>>{
           {"4x4", {4, 4}}, {"8x8", {8, 8}}, {"4x4x4", {4, 4, 4}}}) {
    const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    const auto axes = static_cast<double>(shape.size());
    const Platform platform = ideal("torus", n, text);
    const Model m(platform);
    collective::Request request{.ranks = n, .elements = 7'680 * n};
    request.options.shape = shape;
    request.options.lines = "xyz";
    const double S = 4 * 7'680.0 * n;
    const double wanted = 2 * axes * (shape[0] - 1) * m.a + 2 * (n - 1.0) / n * S * m.b / axes;
    EXPECT_NEAR(timed(platform, fmt::format("torus_{}d_bucket", shape.size()), request).time(), wanted,
                exactly * wanted)
        << text;
  }
}

std::vector<plan::Side> sides_of(const std::vector<platform::Group>& groups) {
  std::vector<plan::Side> sides;
  for (const platform::Group& group : groups) {
    plan::Side& side = sides.emplace_back(plan::Side{{}, group.out, group.in});
    for (const Endpoint rank : group.members) side.ranks.push_back(static_cast<int>(rank));
  }
  return sides;
}

void expect_possible(const Platform& platform, const Timed& run, Bytes bytes) {
  for (const auto groups : {platform::groups_by_device, platform::groups_by_machine}) {
    const Seconds bound =
        plan::bound(run.schedule.contract, bytes, sides_of(groups(platform, run.ranks(), run.helpers())));
    EXPECT_GE(run.time(), bound.count() * (1 - exactly));
  }
  for (const plan::LinkUse& link : run.timeline.links)
    EXPECT_LE(static_cast<double>(link.carried.count()),
              link.bandwidth.count() * link.busy.count() * (1 + exactly) + 1e-3)
        << link.name;
}

bool needs_a_switch(const collective::Algorithm& algorithm) {
  return algorithm.name.starts_with("nvls") || algorithm.name == "sharp";
}

TEST(Collective, NeverBeatsTheBoundOfItsMachineNorFillsALinkBeyondItsRate) {
  struct Machine {
    std::string name{};
    std::vector<std::string> set{};
  };
  const std::vector<Machine> machines{{"dgx_h100", {}},
                                      {"dgx1_v100", {}},
                                      {"dgx_a100", {"machines=2"}},
                                      {"aws_p3_16xlarge", {"machines=2"}},
                                      {"workstation_8x4090_2socket", {}},
                                      {"workstation_4gpu_pcie", {}},
                                      {"gce_n1_k80", {}},
                                      {"ideal_ring", {}},
                                      {"ideal_torus", {}},
                                      {"ideal_switch", {"ranks=8", "machines=4"}},
                                      {"tpu_v4", {"slice=v4-32"}},
                                      {"cpu_cluster_25gbe", {"machines=6"}}};
  Dice dice(41);
  int points = 0;
  for (std::size_t draw = 0; draw < 5 * machines.size(); ++draw) {
    const Machine& machine = machines[draw % machines.size()];
    platform::Parameters set;
    for (const std::string& text : machine.set) set.push_back(platform::parse_parameter(text));
    const Platform platform = platform::load(machine.name, set).platform;
    for (const collective::Algorithm& algorithm : collective::algorithms()) {
      if (needs_a_switch(algorithm)) continue;
      const int n = 2 + dice.below(std::min(platform.devices(), 16) - 1);
      if (!collective::allows(algorithm, n)) continue;
      const std::int64_t elements = n * (std::int64_t{1} << dice.below(22));
      SCOPED_TRACE(fmt::format("{} {} on {}: {} ranks, {} elements", collective::name(algorithm.operation),
                               algorithm.name, machine.name, n, elements));
      const Timed run =
          timed(platform, algorithm.name, {.ranks = n, .elements = elements}, {}, algorithm.operation);
      expect_possible(platform, run, Bytes(4 * elements));
      ++points;
    }
  }
  EXPECT_GE(points, 2000);
}

}  // namespace
}  // namespace wt::simulate
