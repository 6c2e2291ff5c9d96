// The choice where no tables of a library apply, by the textbook's alpha-beta model: steps x latency + volume
// / rate (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005). Additions cost nothing in it, and no two messages share a wire.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "collective/rankings.h"

namespace wt::collective {

namespace {

struct Size {
  double ranks = 0, log = 0;  // `log` is ceil(log2(ranks)).
};

// An algorithm's steps one after the other, and the vectors that pass through the port of a rank.
struct Row {
  Operation operation{};
  std::string_view algorithm{};
  double (*steps)(Size) = nullptr;
  double (*volume)(Size) = nullptr;
  bool power_of_two = false;
};

double around(Size n) { return n.ranks - 1; }
double doublings(Size n) { return n.log; }
double twice_around(Size n) { return 2 * (n.ranks - 1); }
double twice_doublings(Size n) { return 2 * n.log; }
double once(Size) { return 1; }
double twice(Size) { return 2; }
double others(Size n) { return (n.ranks - 1) / n.ranks; }
double twice_others(Size n) { return 2 * others(n); }
double spread_and_around(Size n) { return n.log + n.ranks - 1; }
double half_each_time(Size n) { return n.log / 2; }
// Our pipelines have eight segments by default.
double pipeline_steps(Size n) { return n.ranks - 1 + 7; }
double pipeline_volume(Size n) { return pipeline_steps(n) / 8; }

using enum Operation;
constexpr std::array rows{
    Row{all_reduce, "ring", twice_around, twice_others},
    Row{all_reduce, "halving_doubling", twice_doublings, twice_others, true},
    Row{all_reduce, "double_binary_tree", twice_doublings, twice},
    Row{all_reduce, "recursive_doubling", doublings, doublings, true},
    Row{reduce_scatter, "ring", around, others},
    Row{reduce_scatter, "halving", doublings, others, true},
    Row{reduce_scatter, "bruck", doublings, others},
    Row{all_gather, "ring", around, others},
    Row{all_gather, "doubling", doublings, others, true},
    Row{all_gather, "bruck", doublings, others},
    Row{broadcast, "chain", pipeline_steps, pipeline_volume},
    Row{broadcast, "binomial_tree", doublings, doublings},
    Row{broadcast, "scatter_ring", spread_and_around, twice_others},
    Row{reduce, "chain", pipeline_steps, pipeline_volume},
    Row{reduce, "binomial_tree", doublings, doublings},
    Row{gather, "flat", around, others},
    Row{gather, "binomial_tree", doublings, others},
    Row{scatter, "flat", around, others},
    Row{scatter, "binomial_tree", doublings, others},
    Row{all_to_all, "direct", once, others},
    Row{all_to_all, "pairwise", around, others},
    Row{all_to_all, "bruck", doublings, half_each_time},
    Row{sendrecv, "direct", once, once},
};

// The time of a vector through the port of a device or, between nodes, through that of a node if it is
// slower. A rate of 0 is unknown and costs nothing.
double seconds_per_vector(const Question& question) {
  const auto& [operation, fabric, spread, bytes] = question;
  const double port = fabric.inside_rate.count(), node = fabric.nics * fabric.nic_rate.count();
  double seconds = 0;
  if (spread.nodes < spread.ranks && port > 0) seconds = bytes / port;
  if (spread.nodes > 1 && node > 0) seconds = std::max(seconds, bytes / node);
  return seconds;
}

}  // namespace

std::vector<Choice> rank_by_alpha_beta(const Question& question) {
  const auto ranks = static_cast<unsigned>(question.spread.ranks);
  const Size size{static_cast<double>(ranks), static_cast<double>(std::bit_width(ranks - 1))};
  const double vector = seconds_per_vector(question), step = question.fabric.latency.count();
  std::vector<Choice> found;
  for (const Row& row : rows) {
    if (row.operation != question.operation || (row.power_of_two && !std::has_single_bit(ranks))) continue;
    const double steps = row.steps(size), volume = row.volume(size);
    found.push_back(
        {.algorithm = row.algorithm,
         .predicted = Seconds(steps * step + volume * vector),
         .reason = fmt::format("textbook model, as no library's model applies: {} steps and {:.4g} "
                               "vectors through a port",
                               steps, volume)});
  }
  return found;
}

}  // namespace wt::collective
