// Amazon's tuner, which its plug-in for EFA brings along (aws-ofi-nccl 228fa0e, src/tuner/nccl_ofi_regions.cpp). It
// divides the plane of bytes and ranks, both as logarithms, into polygons with an algorithm and a protocol each. As all
// of their edges but the horizontal ones go up and to the right, a polygon is written down here by its lower and its
// upper edge. The tables are those of machines that are used whole, with eight ranks each; the tuner has no say where
// there are two machines or fewer. Its tables for one or two ranks in each machine are left out.
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "collective/tuner.h"

namespace wt::collective {

namespace {

using nccl::Pattern;

constexpr int ranks_of_a_machine = 8, most_untuned_machines = 2;
constexpr double everything = 100. * (1 << 30);

struct Corner {
  double ranks = 0, bytes = 0;
};
using Edge = std::vector<Corner>;

// Straight lines between the corners, in logarithms. The last line continues; ahead of the first corner its bytes count.
double bytes_at(const Edge& edge, double ranks) {
  if (edge.size() == 1 || ranks <= edge.front().ranks) return edge.front().bytes;
  std::size_t next = 1;
  while (next + 1 < edge.size() && edge[next].ranks < ranks) ++next;
  const auto [low, from] = edge[next - 1];
  const auto [high, to] = edge[next];
  return from * std::pow(to / from, std::log(ranks / low) / std::log(high / low));
}

struct Region {
  Operation operation{};
  Pattern pattern{};
  Protocol protocol{};
  Edge upto{{0, std::numeric_limits<double>::infinity()}};
  Edge from{{0, 0}};
  double fewest = 0, most = std::numeric_limits<double>::infinity();  // ranks

  bool contains(double ranks, double bytes) const {
    return ranks >= fewest && ranks <= most && bytes >= bytes_at(from, ranks) &&
           bytes <= bytes_at(upto, ranks);
  }
};

// The first region that contains a point counts, so that most need no lower edge.
using enum Operation;
using enum Protocol;

const std::vector<Region>& regions_of_p5() {
  static const std::vector<Region> rows{
      {.operation = all_reduce,
       .pattern = Pattern::tree,
       .protocol = ll128,
       .upto = {{16, 31457280},
                {32, 37748736},
                {64, 117440512},
                {128, 301989888},
                {256, 301989888},
                {512, 335544320},
                {1024, 536870912},
                {2048, 402653184},
                {4096, 402653184}}},
      {.operation = all_reduce,
       .pattern = Pattern::ring,
       .protocol = ll128,
       .upto = {{17, 1073741824}, {64, 2147483648}, {128, 2147483648}, {160, 1342177280}, {256, 2147483648}},
       .from = {{128, 301989888}, {160, 444596224}, {256, 1074790400}},
       .most = 256},
      {.operation = all_reduce,
       .pattern = Pattern::nvls_tree,
       .protocol = simple,
       .upto = {{128, 6442450944}, {160, 8053063680}, {192, 9663676416}},
       .fewest = 128},
      {.operation = all_reduce,
       .pattern = Pattern::ring,
       .protocol = simple,
       .from = {{17, 1073741824}, {32, 1610612736}, {64, 2684354560}, {160, 8053063680}, {192, 9663676416}}},
  };
  return rows;
}

const std::vector<Region>& regions_of_p5en() {
  static const std::vector<Region> rows{
      {all_reduce, Pattern::tree, ll, {{16, 196608}}},
      {all_reduce, Pattern::tree, ll128, {{16, 13107200}, {127, 129499136}, {1024, 218103808}}},
      {.operation = all_reduce,
       .pattern = Pattern::ring,
       .protocol = ll128,
       .upto = {{16, 29884416}, {32, 293601280}, {64, 589299712}, {128, 549453824}},
       .most = 127},
      {all_reduce,
       Pattern::nvls_tree,
       simple,
       {{16, everything}, {32, 509607936}, {256, 7516192768}, {448, 17179869184}}},
      {all_reduce, Pattern::ring, simple},
      {all_gather,
       Pattern::ring,
       ll,
       {{16, 786432}, {128, 4718592}, {384, 13630464}, {512, 19922944}, {768, 28305408}, {1024, 33554432}}},
      {all_gather,
       Pattern::ring,
       ll128,
       {{16, 236978176}, {64, 956301312}, {384, 7247754240}, {896, 17179865088}}},
      {all_gather, Pattern::ring, simple},
      {reduce_scatter, Pattern::ring, ll, {{16, 786432}, {128, 4718592}, {256, 7340032}, {512, 18874368}}},
      {reduce_scatter,
       Pattern::ring,
       ll128,
       {{16, 291504128}, {32, 589299712}, {128, 2415919104}, {256, 7247757312}, {640, 17179869184}}},
      {reduce_scatter, Pattern::ring, simple},
  };
  return rows;
}

const std::vector<Region>& regions_of_p6() {
  static const std::vector<Region> rows{
      {all_reduce, Pattern::tree, ll, {{16, 393216}}},
      {all_reduce,
       Pattern::tree,
       ll128,
       {{16, 4718592},
        {32, 18350080},
        {64, 40370176},
        {128, 57147392},
        {256, 72876032},
        {1024, 96993280},
        {2048, 106430464}}},
      {.operation = all_reduce,
       .pattern = Pattern::ring,
       .protocol = ll128,
       .upto = {{32, 133693440}, {64, 120061952}, {128, 90701824}},
       .from = {{32, 18350080}, {64, 50855936}, {128, 90701824}},
       .fewest = 32,
       .most = 128},
      {all_reduce,
       Pattern::nvls_tree,
       simple,
       {{16, everything}, {32, 435159040}, {64, 1072693248}, {512, 10737418240}, {1500, 34359738368}}},
      {all_reduce, Pattern::ring, simple},
      {all_gather,
       Pattern::ring,
       ll,
       {{16, 786432},
        {32, 1572864},
        {64, 2621440},
        {128, 4718592},
        {256, 17301504},
        {1024, 74973184},
        {2048, 213385216}}},
      {all_gather,
       Pattern::ring,
       ll128,
       {{16, 198705152}, {32, 456130560}, {64, 871366656}, {512, 8321499136}, {2048, 32212254720}}},
      {all_gather, Pattern::ring, simple},
      {reduce_scatter,
       Pattern::ring,
       ll,
       {{16, 786432},
        {32, 1572864},
        {64, 2621440},
        {128, 4718592},
        {256, 17301504},
        {512, 35127296},
        {1024, 73924608},
        {2048, 209190912}}},
      {reduce_scatter,
       Pattern::ring,
       ll128,
       {{16, 219676672}, {32, 508559360}, {64, 592445440}, {256, 4294967296}, {512, 8589934592}}},
      {reduce_scatter, Pattern::ring, simple},
  };
  return rows;
}

std::span<const Region> regions_of(Tuner tuner) {
  switch (tuner) {
    case Tuner::aws_p5:
      return regions_of_p5();
    case Tuner::aws_p5en:
      return regions_of_p5en();
    case Tuner::aws_p6:
      return regions_of_p6();
    case Tuner::none:
      break;
  }
  return {};
}

}  // namespace

std::optional<Tuned> tuned(const Question& question) {
  const auto& [operation, fabric, spread, bytes] = question;
  if (spread.nodes <= most_untuned_machines || spread.ranks != spread.nodes * ranks_of_a_machine)
    return std::nullopt;
  for (const Region& region : regions_of(fabric.tuner))
    if (region.operation == operation && region.contains(spread.ranks, bytes))
      return Tuned{region.pattern, region.protocol};
  return std::nullopt;
}

}  // namespace wt::collective
