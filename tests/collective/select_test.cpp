// Claims about the algorithm that a library would choose. The numbers for eight A100 are NCCL's model worked
// out by hand. NCCL's known wrong choices are claims, too, because published measurements show them.
#include "collective/select.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collective/catalog.h"
#include "collective/nccl_channels.h"

namespace wt::collective {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

Fabric a100(int nodes = 1) {
  return {.nodes = nodes,
          .ranks_per_node = 8,
          .capability = 80,
          .inside = Inside::nvswitch,
          .nvlinks = 12,
          .nics = 8,
          .nic_rate = BytesPerSecond(25e9),
          .host = Host::amd,
          .gpu_direct = true};
}

Fabric h100(int nodes = 1) {
  return {.nodes = nodes,
          .ranks_per_node = 8,
          .capability = 90,
          .inside = Inside::nvswitch,
          .nvlinks = 18,
          .nics = 8,
          .nic_rate = BytesPerSecond(50e9),
          .host = Host::intel,
          .adds_in_switch = true,
          .gpu_direct = true};
}

Fabric b200(int nodes = 1) {
  Fabric fabric = h100(nodes);
  fabric.capability = 100;
  return fabric;
}

Fabric v100() { return {.ranks_per_node = 8, .capability = 70, .inside = Inside::nvlink_mesh, .nvlinks = 6}; }

Fabric p100() { return {.ranks_per_node = 8, .capability = 60, .inside = Inside::nvlink_mesh, .nvlinks = 4}; }

// Machines of Amazon, with the tuner of its plug-in.
Fabric p6(int nodes) {
  Fabric fabric = b200(nodes);
  fabric.tuner = Tuner::aws_p6;
  return fabric;
}
Fabric p5en(int nodes) {
  Fabric fabric = h100(nodes);
  fabric.tuner = Tuner::aws_p5en;
  return fabric;
}

// Eight GPUs on PCIe 3.0, four below each switch, without peer access.
Fabric staged() {
  return {.ranks_per_node = 8,
          .capability = 75,
          .inside = Inside::staged,
          .inside_rate = BytesPerSecond(3e9),
          .host = Host::intel};
}

Fabric torus(std::vector<int> extents, std::vector<bool> wrapped) {
  return {.nodes = 64,
          .ranks_per_node = 4,
          .torus = Torus{std::move(extents), std::move(wrapped), 1, BytesPerSecond(45e9), Seconds(1e-6)}};
}

std::string text(const Choice& choice) {
  return fmt::format("{} {} on {}", choice.algorithm, name(choice.protocol), choice.channels);
}

Choice best(const Fabric& fabric, int ranks, std::int64_t bytes,
            Operation operation = Operation::all_reduce) {
  return ranked(operation, fabric, ranks, Bytes(bytes)).front();
}

std::string chosen(const Fabric& fabric, int ranks, std::int64_t bytes,
                   Operation operation = Operation::all_reduce) {
  return text(best(fabric, ranks, bytes, operation));
}

double microseconds(const Choice& choice) { return choice.predicted.count() * 1e6; }

// Bus bandwidth of an all-reduce in GB/s, as nccl-tests defines it.
double bus(const Choice& choice, int ranks, std::int64_t bytes) {
  return static_cast<double>(bytes) / choice.predicted.count() * 2 * (ranks - 1) / ranks / 1e9;
}

const Choice* find(const std::vector<Choice>& choices, std::string_view algorithm, Protocol protocol) {
  for (const Choice& choice : choices)
    if (choice.algorithm == algorithm && choice.protocol == protocol) return &choice;
  return nullptr;
}

std::string print(const nccl::Channels& channels) {
  return fmt::format("{} x {:g}, {:g}", channels.count, channels.inside, channels.across);
}

std::string rings(const Fabric& fabric, int ranks) {
  return print(nccl::ring_channels(fabric, spread(fabric, ranks)));
}

TEST(Select, ChannelsAreThoseThatTheSearchFinds) {
  EXPECT_EQ(rings(a100(), 8), "12 x 20, 20");   // 6 x 40, split in two
  EXPECT_EQ(rings(v100(), 8), "6 x 20, 20");    // three rings of the cube mesh, in both directions
  EXPECT_EQ(rings(p100(), 8), "4 x 18, 18");    // four NVLinks of 18 GB/s
  EXPECT_EQ(rings(h100(), 8), "12 x 30, 30");   // 6 x 60, split in two
  EXPECT_EQ(rings(a100(2), 16), "8 x 24, 24");  // a ring for each NIC
  EXPECT_EQ(rings(h100(2), 16), "8 x 45, 45");  // 8 x 48 is more than the NVLinks
  EXPECT_EQ(rings(b200(2), 16), "8 x 48, 48");
  EXPECT_EQ(rings(staged(), 8), "1 x 3, 3");
  Fabric fewer_links = h100();
  // 17 channels of 12 GB/s would carry more, but NCCL tries no speed below half of the best.
  fewer_links.nvlinks = 10;
  EXPECT_EQ(rings(fewer_links, 8), "8 x 25, 25");
}

TEST(Select, ThirtyTwoCardsOfAwsAreOnePerGpu) {
  Fabric p5 = h100(2);
  p5.nics = 32, p5.nic_rate = BytesPerSecond(12.5e9);
  EXPECT_EQ(rings(p5, 16), rings(h100(2), 16));
}

TEST(Select, CommunicatorsHaveTwiceTheChannelsOfTheSearch) {
  const auto channels = [](const Fabric& fabric, int ranks) {
    const Spread where = spread(fabric, ranks);
    return nccl::communicator_channels(fabric, where, nccl::ring_channels(fabric, where));
  };
  EXPECT_EQ(channels(a100(), 8), 24);  // NCCL's log says "Channel 00/24".
  EXPECT_EQ(channels(v100(), 8), 12);
  EXPECT_EQ(channels(a100(2), 16), 16);
  EXPECT_EQ(channels(b200(2), 16), 16);
  Fabric one_each = b200(2);
  one_each.ranks_per_node = 2, one_each.nics = 2;
  EXPECT_EQ(channels(one_each, 4), 8);  // few and fast rings: twice as many again
}

TEST(Select, EightA100HaveTheTimesOfThePublishedModel) {
  const std::vector<std::pair<std::int64_t, double>> published{
      {16 * gib, 125.3e3}, {gib, 7.89e3}, {64 * mib, 545}, {8 * mib, 107}, {mib, 36}, {32 * kib, 15.7}};
  for (const auto& [bytes, us] : published) EXPECT_NEAR(microseconds(best(a100(), 8, bytes)), us, 0.005 * us);
  // 8.4 us, 14 steps of 3.4 us and 14/8 of 16 GiB at 240 GB/s.
  EXPECT_DOUBLE_EQ(best(a100(), 8, 16 * gib).predicted.count(), 56e-6 + 16. * gib * 14 / 8 / 240e9);
  EXPECT_NEAR(bus(best(a100(), 8, 16 * gib), 8, 16 * gib), 240, 0.2);
}

// The cost of an all-reduce of 16 GiB, for which the tree's correction by size is 1.
std::string cost(const Fabric& fabric, int ranks, std::string_view algorithm, Protocol protocol) {
  const auto choices = ranked(Operation::all_reduce, fabric, ranks, Bytes(16 * gib));
  const Choice* choice = find(choices, algorithm, protocol);
  return choice == nullptr ? "none" : choice->reason;
}

TEST(Select, EachRowCostsWhatTheTablesSay) {
  // Trees reach 0.92 of 12 x 20 GB/s, LL 1/3.8 of that and LL128 7/9 of it. Half of it remains for the
  // vector.
  EXPECT_EQ(cost(a100(), 8, "tree", Protocol::ll), "NCCL's cost model: 15.2 us, then 29.1 GB/s");
  EXPECT_EQ(cost(a100(), 8, "tree", Protocol::ll128), "NCCL's cost model: 31.5 us, then 85.9 GB/s");
  EXPECT_EQ(cost(a100(), 8, "tree", Protocol::simple), "NCCL's cost model: 64.4 us, then 110.4 GB/s");
  // Two nodes have 8 x 30 inside, with limits of 22.5 (LL), 8 x 20 (LL128) and 8 x 23.6 (Simple). The tree
  // crosses once up and once down.
  EXPECT_EQ(cost(a100(2), 16, "tree", Protocol::ll), "NCCL's cost model: 25.2 us, then 11.2 GB/s");
  EXPECT_EQ(cost(a100(2), 16, "tree", Protocol::ll128), "NCCL's cost model: 48.5 us, then 80.0 GB/s");
  EXPECT_EQ(cost(a100(2), 16, "tree", Protocol::simple), "NCCL's cost model: 92.4 us, then 94.4 GB/s");
  // On more nodes the rate between nodes counts, 8 x 24, with a limit of 8 x 17.8. There are three doublings.
  EXPECT_EQ(cost(a100(8), 64, "tree", Protocol::simple), "NCCL's cost model: 148.4 us, then 71.2 GB/s");
  // NVLS reaches 8 x 40 x 0.85 x 7/8 x 2 x 8/14, and NVLSTree 8 channels of 57.7 times 16/30.
  EXPECT_EQ(cost(h100(), 8, "nvls", Protocol::simple), "NCCL's cost model: 25.0 us, then 272.0 GB/s");
  EXPECT_EQ(cost(h100(2), 16, "nvls_tree", Protocol::simple), "NCCL's cost model: 66.8 us, then 246.2 GB/s");
  // LL reaches half of 3 GB/s, times 8/14.
  EXPECT_EQ(cost(staged(), 8, "ring", Protocol::ll), "NCCL's cost model: 20.6 us, then 0.9 GB/s");
  EXPECT_NEAR(microseconds(best(staged(), 8, 32 * kib)), 20.6 + 32 * kib / 1.5e3 * 14 / 8, 0.01);
}

TEST(Select, EightA100StayWithLl128At16MiB) {
  EXPECT_EQ(chosen(a100(), 8, 32 * kib), "ring ll on 1");
  EXPECT_EQ(chosen(a100(), 8, 256 * kib), "ring ll on 8");
  EXPECT_EQ(chosen(a100(), 8, mib), "ring ll on 24");
  EXPECT_EQ(chosen(a100(), 8, 8 * mib), "ring ll128 on 24");
  EXPECT_EQ(chosen(a100(), 8, 16 * mib), "ring ll128 on 24");
  EXPECT_EQ(chosen(a100(), 8, 32 * mib), "ring simple on 24");
}

TEST(Select, SwitchesThatAddTakeLargeVectorsOfOneNode) {
  EXPECT_EQ(chosen(h100(), 8, gib), "nvls simple on 16");
  EXPECT_EQ(chosen(b200(), 8, gib), "nvls simple on 24");
  EXPECT_NEAR(bus(best(h100(), 8, 16 * gib), 8, 16 * gib), 481, 10);  // measured
  EXPECT_NEAR(bus(best(b200(), 8, 16 * gib), 8, 16 * gib), 842, 20);  // measured 838 to 846
  EXPECT_EQ(chosen(h100(), 8, 4 * kib).substr(0, 7), "ring ll");
  Fabric without = h100();
  without.adds_in_switch = false;
  EXPECT_EQ(chosen(without, 8, gib), "ring simple on 24");
  EXPECT_EQ(find(ranked(Operation::all_reduce, a100(), 8, Bytes(gib)), "nvls", Protocol::simple), nullptr);
}

TEST(Select, TwoNodesTakeTreesForSmallVectorsAndMayBeatTheWire) {
  EXPECT_EQ(chosen(a100(2), 16, kib), "tree ll on 1");
  EXPECT_EQ(chosen(a100(2), 16, 64 * kib), "tree ll on 16");
  EXPECT_EQ(chosen(a100(2), 16, mib), "tree ll128 on 16");
  EXPECT_EQ(chosen(a100(2), 16, 4 * gib), "multi_rail simple on 16");
  EXPECT_EQ(chosen(h100(2), 16, 4 * gib), "nvls_tree simple on 16");
  EXPECT_GT(bus(best(h100(2), 16, 16 * gib), 16, 16 * gib), 400);  // 400 is the line rate of 8 NICs.
  EXPECT_EQ(chosen(b200(2), 16, 4 * gib), "nvls_tree simple on 32");
}

TEST(Select, OnMoreNodesNvlsTreeCountsForLessThanRings) {
  EXPECT_EQ(chosen(h100(4), 32, 16 * gib), "multi_rail simple on 16");
  const auto choices = ranked(Operation::all_reduce, h100(4), 32, Bytes(1LL << 50));
  const Choice* tree = find(choices, "nvls_tree", Protocol::simple);
  const Choice* ring = find(choices, "multi_rail", Protocol::simple);
  ASSERT_TRUE(tree && ring);
  EXPECT_NEAR(ring->predicted / tree->predicted, 0.85, 1e-4);
}

std::string chosen(const Fabric& fabric, std::int64_t bytes, Operation operation = Operation::all_reduce) {
  const Choice best = ranked(operation, fabric, fabric.nodes * 8, Bytes(bytes)).front();
  return fmt::format("{} {}", best.algorithm, name(best.protocol));
}

// Corners of the plug-in's polygons (nccl_ofi_regions.cpp), one byte to either side. Between the corners for 16 and 64
// ranks of p5en's all-gathers, 32 ranks have the geometric mean of their bytes.
TEST(Select, ATunerDecidesWhereItHasARegion) {
  EXPECT_EQ(chosen(p6(4), 393'216), "tree ll");
  EXPECT_EQ(chosen(p6(4), 393'217), "tree ll128");
  EXPECT_EQ(chosen(p6(4), 18'350'079), "tree ll128");
  EXPECT_EQ(chosen(p6(4), 18'350'081), "multi_rail ll128");
  EXPECT_EQ(chosen(p6(4), 133'693'441), "nvls_tree simple");
  EXPECT_EQ(chosen(p6(4), 435'159'041), "multi_rail simple");
  EXPECT_EQ(chosen(p6(8), 120'061'953), "nvls_tree simple");
  EXPECT_EQ(chosen(p5en(4), 196'609), "tree ll128");
  EXPECT_EQ(chosen(p5en(4), 4 * gib), "multi_rail simple") << "as NCCL reported on four p5en";
  const auto between = static_cast<std::int64_t>(std::sqrt(236'978'176. * 956'301'312.));
  EXPECT_EQ(chosen(p5en(4), between - 1000, Operation::all_gather), "multi_rail ll128");
  EXPECT_EQ(chosen(p5en(4), between + 1000, Operation::all_gather), "multi_rail simple");
}

// Two nodes, and nodes that aren't used whole, are left to NCCL.
TEST(Select, ATunerLeavesTheRestToNccl) {
  for (const std::int64_t bytes : {kib, mib, 64 * mib, gib}) {
    EXPECT_EQ(chosen(p6(2), bytes), chosen(b200(2), bytes));
    EXPECT_EQ(ranked(Operation::broadcast, p6(4), 32, Bytes(bytes)),
              ranked(Operation::broadcast, b200(4), 32, Bytes(bytes)));
    Fabric four = p6(4), own = b200(4);
    four.ranks_per_node = own.ranks_per_node = 4;
    EXPECT_EQ(ranked(Operation::all_reduce, four, 16, Bytes(bytes)),
              ranked(Operation::all_reduce, own, 16, Bytes(bytes)));
  }
}

TEST(Select, RingsOverNodesGrowSlowlyAtFirst) {
  // There are 30 steps: 28 within a node take max(3.4, 3 x 2) us and 2 between nodes take 14 us: 8.4 + 196 us
  // in all. From 64 bytes per rank and channel on, that is multiplied by 1.4.
  const std::int64_t edge = 64LL * 16 * 16;
  const auto simple = [](std::int64_t bytes) {
    return *find(ranked(Operation::all_reduce, a100(2), 16, Bytes(bytes)), "multi_rail", Protocol::simple);
  };
  const double wire = edge / (192e9 * 16 / 30) * 1e6;
  EXPECT_NEAR(microseconds(simple(edge)), 1.4 * (8.4 + 196) + wire, 0.01);
  EXPECT_NEAR(microseconds(simple(edge - 1)), 8.4 + 196 + wire, 0.01);
}

TEST(Select, HostMemoryAndOldGpusHaveNoLl128) {
  for (const Fabric& fabric : {staged(), p100()})
    for (const std::int64_t bytes : {kib, mib, gib})
      for (const Choice& choice : ranked(Operation::all_reduce, fabric, 8, Bytes(bytes)))
        EXPECT_NE(choice.protocol, Protocol::ll128);
  EXPECT_EQ(chosen(staged(), 8, 64 * mib), "ring simple on 2");
  EXPECT_NEAR(bus(best(staged(), 8, 128 * mib), 8, 128 * mib), 3, 0.01);  // measured 2.5 to 3.2
}

TEST(Select, Ll128NeedsNicsThatReachTheGpus) {
  Fabric far = a100(2);
  far.gpu_direct = false;
  EXPECT_EQ(find(ranked(Operation::all_reduce, far, 16, Bytes(mib)), "tree", Protocol::ll128), nullptr);
  EXPECT_NE(find(ranked(Operation::all_reduce, a100(2), 16, Bytes(mib)), "tree", Protocol::ll128), nullptr);
}

// Such a rate is a number of channels beyond int.
TEST(Select, ARateFarBeyondAnyNicGetsNoMoreThanAllChannels) {
  Fabric fabric = a100(2);
  fabric.nic_rate = BytesPerSecond(1e24);
  for (const OperationRow& row : operations())
    for (const Choice& choice : ranked(row.operation, fabric, 16, Bytes(gib))) EXPECT_LE(choice.channels, 64);
}

// Two channels between nodes, and a power of two that holds two for each NVLink within one, with 16 KiB of LL each.
TEST(Select, SendsTakeLlUpToALimitForEachChannel) {
  EXPECT_EQ(chosen(a100(), 8, 512 * kib, Operation::sendrecv), "direct ll on 32");
  EXPECT_EQ(chosen(a100(), 8, 512 * kib + 4, Operation::sendrecv), "direct simple on 32");
  EXPECT_EQ(chosen(a100(2), 16, 32 * kib, Operation::sendrecv), "direct ll on 2");
  EXPECT_EQ(chosen(a100(2), 16, 32 * kib + 4, Operation::sendrecv), "direct simple on 2");
  EXPECT_EQ(chosen(a100(2), 16, 16 * 32 * kib, Operation::all_to_all), "direct ll on 2");
  EXPECT_EQ(chosen(a100(2), 16, 16 * 32 * kib + 64, Operation::all_to_all), "direct simple on 2");
  Fabric plugin = a100(2);  // whose network's plugin has no LL
  plugin.has_ll = false;
  EXPECT_EQ(chosen(plugin, 16, kib, Operation::sendrecv), "direct simple on 2");
}

TEST(Select, PatIsForOneRankPerNode) {
  Fabric fabric = a100(64);
  fabric.ranks_per_node = 1, fabric.nics = 1;
  EXPECT_NE(find(ranked(Operation::all_gather, fabric, 64, Bytes(mib)), "pat", Protocol::simple), nullptr);
  EXPECT_EQ(find(ranked(Operation::all_gather, a100(8), 64, Bytes(mib)), "pat", Protocol::simple), nullptr);
}

TEST(Select, HalvesAndRootsUseRings) {
  EXPECT_EQ(chosen(a100(), 8, gib, Operation::reduce_scatter), "ring simple on 24");
  EXPECT_EQ(chosen(a100(), 8, gib, Operation::all_gather), "ring simple on 24");
  EXPECT_EQ(chosen(a100(), 8, gib, Operation::broadcast), "chain simple on 24");
  EXPECT_EQ(chosen(a100(), 8, gib, Operation::reduce), "chain simple on 24");
  EXPECT_EQ(chosen(a100(), 8, gib, Operation::all_to_all), "direct simple on 32");
  for (const Operation half : {Operation::reduce_scatter, Operation::all_gather})
    EXPECT_EQ(chosen(a100(2), 16, gib, half), "multi_rail simple on 16") << "its rings leave by all NICs";
  // 7 steps of 3.4 us, and 7/8 of the vector at 240 GB/s.
  EXPECT_DOUBLE_EQ(best(a100(), 8, gib, Operation::all_gather).predicted.count(),
                   (8.4 + 7 * 3.4) * 1e-6 + gib / (240e9 * 8 / 7));
}

TEST(Select, FewerRanksThanPlacesFillNodeAfterNode) {
  EXPECT_EQ(chosen(a100(4), 8, gib), chosen(a100(), 8, gib));
  EXPECT_EQ(spread(a100(4), 20).nodes, 3);
  EXPECT_FALSE(spread(a100(4), 20).even);
  EXPECT_EQ(spread(a100(4), 1000).nodes, 4);
  EXPECT_EQ(chosen(a100(2), 12, gib).substr(0, 4), "ring");  // 8 and 4 ranks per node, so there are no rails
}

TEST(Select, WrappedToriUseAllAxesAtOnce) {
  // A chip of a 16 x 16 torus has 4 links of 45 GB/s, and the vector passes them twice.
  const Choice choice = best(torus({16, 16}, {true, true}), 256, gib);
  EXPECT_EQ(choice.algorithm, "torus_2d_bucket");
  EXPECT_DOUBLE_EQ(choice.predicted.count(), 2 * (gib / (90e9 * 2)));
  EXPECT_EQ(best(torus({4, 8, 8}, {true, true, true}), 256, gib).algorithm, "torus_3d_bucket");
  EXPECT_EQ(best(torus({4, 1, 1}, {true, true, true}), 4, gib).algorithm, "bidirectional_ring");
  EXPECT_EQ(best(torus({4, 8, 1}, {true, true, true}), 32, gib).algorithm, "torus_2d_bucket");
}

TEST(Select, ToriWaitForHopsWhereVectorsAreShort) {
  EXPECT_DOUBLE_EQ(best(torus({16, 16}, {true, true}), 256, 4).predicted.count(), 2 * 16e-6);
  EXPECT_DOUBLE_EQ(best(torus({4, 8}, {false, false}), 32, 4).predicted.count(), 2 * 10e-6);
}

TEST(Select, AnAxisWithoutWrapHasHalfTheRate) {
  const double wrapped = best(torus({4, 8}, {true, true}), 32, gib).predicted.count();
  for (const auto& [wraps, slower] :
       {std::pair{std::vector{false, false}, 2.0}, std::pair{std::vector{true, false}, 4.0 / 3}}) {
    const Choice flat = ranked(Operation::all_reduce, torus({4, 8}, wraps), 32, Bytes(gib)).front();
    EXPECT_EQ(flat.algorithm, "torus_2d_bucket");
    EXPECT_DOUBLE_EQ(flat.predicted.count(), slower * wrapped);
  }
}

TEST(Select, TheCoresOfAChipShareItsLinks) {
  Fabric two = torus({4, 8}, {false, false});
  const Choice chips = best(two, 32, gib);
  two.torus->cores = 2;
  const Choice cores = best(two, 64, gib);
  EXPECT_EQ(cores.algorithm, "torus_2d_bucket");
  EXPECT_DOUBLE_EQ(cores.predicted.count(), chips.predicted.count());
}

// The chips of a slice share the exchange with other slices: a ring over the slices passes the vector over
// all NICs of a slice.
TEST(Select, SlicesAddARingOfTheirOwn) {
  Fabric two = torus({16, 16}, {true, true});
  two.nodes = 4, two.ranks_per_node = 256, two.nics = 64, two.nic_rate = BytesPerSecond(12.5e9);
  two.latency = Seconds(2e-5);
  const double alone = best(two, 256, gib).predicted.count();
  two.torus->slices = 4;
  const Choice choice = best(two, 1024, gib);
  EXPECT_EQ(choice.algorithm, "torus_2d_bucket");
  EXPECT_DOUBLE_EQ(choice.predicted.count(), alone + 6 * 2e-5 + 1.5 * gib / (64 * 12.5e9));
  EXPECT_EQ(choice.reason, "torus: 2 axes at once, 4 ways in all, then 4 slices");
  const Choice tiny = best(two, 1024, 4);  // It crosses between slices twice, and passes 30 links in a slice.
  EXPECT_EQ(tiny.algorithm, "recursive_doubling");
  EXPECT_NEAR(microseconds(tiny), 2 * 20 + 30, 0.1);
  two.torus->extents = {16}, two.torus->wrapped = {true}, two.ranks_per_node = 16;
  EXPECT_EQ(best(two, 64, gib).algorithm, "torus_2d_bucket") << "the slices are the other axis";
}

TEST(Select, AnAllToAllOnARingTakesAQuarterOfAnAllGather) {
  const Choice choice = best(torus({16}, {true}), 16, mib, Operation::all_to_all);
  EXPECT_DOUBLE_EQ(choice.predicted.count(), 16. * mib / 90e9 / 4);  // An all-gather would gather 16 MiB.
}

TEST(Select, WithoutALibraryTextbooksDecide) {
  const Fabric ideal{.ranks_per_node = 16, .inside_rate = BytesPerSecond(1e9), .latency = Seconds(1e-5)};
  EXPECT_EQ(best(ideal, 16, 64).algorithm, "recursive_doubling");
  EXPECT_EQ(best(ideal, 16, gib).algorithm, "halving_doubling");
  EXPECT_EQ(best(ideal, 15, 64).algorithm, "double_binary_tree");
  EXPECT_EQ(best(ideal, 15, gib).algorithm, "ring");
  EXPECT_DOUBLE_EQ(best(ideal, 15, gib).predicted.count(), 28e-5 + gib / 1e9 * 28 / 15);
  EXPECT_EQ(best(ideal, 15, gib).reason,
            "textbook model, as no library's model applies: 28 steps and 1.867 vectors through a port");
}

TEST(Select, SaysWhichModelItUsed) {
  EXPECT_EQ(best(a100(), 8, gib).reason, "NCCL's cost model: 56.0 us, then 137.1 GB/s");
  EXPECT_EQ(best(torus({16, 16}, {true, true}), 256, gib).reason, "torus: 2 axes at once, 4 ways in all");
  EXPECT_EQ(best(a100(), 1, gib).reason, "one rank has what it wants from the start");
}

std::vector<Fabric> many_fabrics() {
  std::vector<Fabric> fabrics{a100(),
                              a100(2),
                              a100(64),
                              h100(),
                              h100(2),
                              h100(9),
                              b200(),
                              b200(2),
                              b200(5),
                              v100(),
                              p100(),
                              staged(),
                              Fabric{},
                              torus({16, 16}, {true, true}),
                              torus({4, 4, 4}, {true, false, true}),
                              torus({}, {}),
                              torus({2, 2, 2, 2}, {})};
  fabrics.push_back(torus({4, 4}, {true, true}));
  fabrics.back().torus->slices = 2, fabrics.back().nodes = 2, fabrics.back().ranks_per_node = 16;
  for (Inside inside : {Inside::nvswitch, Inside::nvlink_mesh, Inside::pcie_peer, Inside::staged})
    for (int capability : {1, 75, 80, 90, 120})  // Nothing else is known, not even a rate.
      fabrics.push_back({.nodes = 3,
                         .ranks_per_node = 0,
                         .capability = capability,
                         .inside = inside,
                         .adds_in_switch = true});
  fabrics.push_back(b200());
  fabrics.back().ranks_per_node = 72;  // one NVLink domain
  return fabrics;
}

TEST(Select, EveryFabricGetsAFiniteSortedAnswerOfDifferentRows) {
  for (const Fabric& fabric : many_fabrics())
    for (const OperationRow& row : operations())
      for (const int ranks : {-1, 0, 1, 2, 3, 7, 8, 16, 17, 72, 256, 65536})
        for (const std::int64_t bytes : std::vector<std::int64_t>{-1, 0, 1, kib, gib, 1LL << 60}) {
          const std::vector<Choice> choices = ranked(row.operation, fabric, ranks, Bytes(bytes));
          ASSERT_FALSE(choices.empty());
          EXPECT_EQ(choices, ranked(row.operation, fabric, ranks, Bytes(bytes)));
          for (std::size_t i = 0; i < choices.size(); ++i) {
            EXPECT_TRUE(std::isfinite(choices[i].predicted.count()));
            EXPECT_GE(choices[i].predicted, i == 0 ? Seconds(0) : choices[i - 1].predicted);
            EXPECT_TRUE(choices[i].channels >= 1 && choices[i].channels <= 64) << choices[i].channels;
            EXPECT_FALSE(choices[i].reason.empty());
            EXPECT_EQ(find(choices, choices[i].algorithm, choices[i].protocol), &choices[i]);
          }
        }
}

TEST(Select, WhatIsChosenStandsInTheCatalogAndIsAllowed) {
  for (const Fabric& fabric : many_fabrics())
    for (const OperationRow& row : operations())
      for (const int ranks : {1, 2, 3, 8, 16, 64, 72})
        for (const Choice& choice : ranked(row.operation, fabric, ranks, Bytes(mib)))
          EXPECT_NO_THROW(algorithm_named(row.operation, choice.algorithm))
              << name(row.operation) << " " << choice.algorithm;
}

TEST(Select, EqualOnesStayInTheOrderOfTheTable) {
  // Without a rate and a latency, all algorithms are equally fast.
  const Fabric nothing{.ranks_per_node = 4};
  std::string names;
  for (const Choice& choice : ranked(Operation::all_reduce, nothing, 4, Bytes(mib)))
    names += fmt::format("{} ", choice.algorithm);
  EXPECT_EQ(names, "ring halving_doubling double_binary_tree recursive_doubling ");
}

}  // namespace
}  // namespace wt::collective
