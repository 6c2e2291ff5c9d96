// The choice on the torus of a TPU. How its compiler chooses isn't published. The times are those of the JAX
// team's "How to scale your model" (Austin and others, 2025): an all-gather of V bytes takes max(hops x
// latency, V / rate). Each axis adds to the rate: both of its links if it wraps, and one link if it doesn't.
// An all-reduce takes the time of two all-gathers. If another network joins several slices ("multislice"),
// each slice first reduces and scatters the vector over its chips; then equal parts are exchanged between
// slices in a ring over the network, whose time is added; finally each slice gathers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "collective/rankings.h"

namespace wt::collective {

namespace {

struct Axis {
  double length = 1;
  bool wrapped = false;
};

struct Axes {
  std::vector<Axis> all{};  // axes with more than one chip
  double hops = 0;          // of a whole all-gather: half around an axis that wraps, or from end to end
  double ways = 0;          // directions that carry parts at once: two on an axis that wraps, one on a line
  Axis longest{};
};

// The axes of a slice. If the ranks don't fill it, their places in it are unknown, and they count as a line.
Axes axes_of(const Torus& torus, int ranks) {
  Axes axes;
  double chips = 1;
  for (std::size_t i = 0; i < torus.extents.size(); ++i) {
    const Axis axis{static_cast<double>(torus.extents[i]), i < torus.wrapped.size() && torus.wrapped[i]};
    if (axis.length <= 1) continue;
    axes.all.push_back(axis);
    axes.hops += axis.wrapped ? std::ceil(axis.length / 2) : axis.length - 1;
    axes.ways += axis.wrapped ? 2 : 1;
    if (axis.length > axes.longest.length) axes.longest = axis;
    chips *= axis.length;
  }
  if (chips * torus.cores == ranks) return axes;
  const double line = ranks;
  return {{{line, false}}, line - 1, 1, {line, false}};
}

struct Model {
  const Question& question;
  Axes axes{};
  double hop = 0;       // seconds for one link
  double per_link = 0;  // seconds for the vector through one link
  int slices = 1;
  double crossing = 0;   // seconds from a slice to the next
  double per_slice = 0;  // seconds for the vector through all cards of a slice

  // The ring over the slices, each of which has the vector once, spread over its chips.
  double across() const { return 2. * (slices - 1) * crossing + 2. * (slices - 1) / slices * per_slice; }
  std::string across_text() const { return slices > 1 ? fmt::format(", then {} slices", slices) : ""; }

  Choice choice(std::string_view algorithm, double seconds, std::string reason) const {
    return {.algorithm = algorithm, .predicted = Seconds(seconds), .reason = std::move(reason)};
  }
};

// All axes and directions at once, with a part of the vector each.
Choice buckets(const Model& model, std::string_view algorithm) {
  const std::size_t axes = model.axes.all.size();
  const double gathered = std::max(model.hop * model.axes.hops, model.per_link / model.axes.ways);
  return model.choice(algorithm, 2 * gathered + model.across(),
                      fmt::format("torus: {} ax{} at once, {} way{} in all{}", axes, axes == 1 ? "is" : "es",
                                  model.axes.ways, model.axes.ways == 1 ? "" : "s", model.across_text()));
}

// One axis after the other, each on the part that the axes before have left. The rings of our schedule use
// one direction of the links. Lines need both directions for the same time.
Choice phases(const Model& model, std::string_view algorithm) {
  double seconds = 0, left = model.per_link;
  for (const Axis& axis : model.axes.all) {
    seconds += 2 * (axis.length - 1) * model.hop + 2 * (axis.length - 1) / axis.length * left;
    left /= axis.length;
  }
  return model.choice(algorithm, seconds + model.across(),
                      "torus: one axis after the other, one way round" + model.across_text());
}

// One ring through all chips. Between slices it uses one NIC of each.
Choice ring(const Model& model) {
  const double n = model.question.spread.ranks;
  const double passes = model.question.operation == Operation::all_reduce ? 2 : 1;
  const double card = model.slices > 1 ? model.per_slice * model.question.fabric.nics : 0;
  const double hops = (n - model.slices) * model.hop + (model.slices - 1) * model.crossing;
  return model.choice("ring", passes * (hops + (n - 1) / n * std::max(model.per_link, card)),
                      "torus: through all chips, one way round");
}

// Recursive doubling: all ranks exchange whole vectors with partners at twice the distance each time. Short
// vectors cross the network fewer times one after the other than on a ring of slices.
Choice doubling(const Model& model) {
  const double slices = model.slices, ranks = model.question.spread.ranks / slices;
  double hops = 0;
  for (const Axis& axis : model.axes.all) hops += axis.length - 1;
  const double bytes = std::log2(ranks) * model.per_link + std::log2(slices) * ranks * model.per_slice;
  return model.choice("recursive_doubling", hops * model.hop + std::log2(slices) * model.crossing + bytes,
                      fmt::format("torus: whole vectors, {} times to another slice", std::log2(slices)));
}

void all_reduces(const Model& model, std::vector<Choice>& found) {
  const std::size_t axes = model.axes.all.size();
  if (axes == 1) found.push_back(buckets(model, model.slices > 1 ? "torus_2d_bucket" : "bidirectional_ring"));
  if (axes == 2) found.push_back(buckets(model, "torus_2d_bucket"));
  if (axes == 3) found.push_back(buckets(model, "torus_3d_bucket"));
  if (axes == 2) found.push_back(phases(model, "torus_2d"));
  if (axes == 3) found.push_back(phases(model, "torus_3d"));
  const auto ranks = static_cast<unsigned>(model.question.spread.ranks);
  if (model.slices > 1 && std::has_single_bit(ranks)) found.push_back(doubling(model));
  found.push_back(ring(model));
}

// Half of all data crosses the middle of the longest axis. On a single ring that takes a quarter of the time
// of an all-gather.
Choice all_to_all(const Model& model) {
  const auto [length, wrapped] = model.axes.longest;
  const double bytes = length * model.per_link / (wrapped ? 8 : 4);
  return model.choice("direct", std::max(model.hop * model.axes.hops, bytes),
                      "torus: the middle of the longest axis");
}

// Over one link to a neighbour; the last rank's vector to the first goes through the torus.
Choice to_the_next(const Model& model) {
  return model.choice("direct", model.hop * model.axes.hops + model.per_link,
                      "torus: one link to the next chip");
}

// From or to one chip, over all of its links.
Choice rooted(const Model& model, std::string_view algorithm) {
  return model.choice(algorithm, model.hop * model.axes.hops + model.per_link / model.axes.ways,
                      "torus: over all links of one chip");
}

}  // namespace

// Between slices, operations with a root and all-to-alls are limited by the network and not by the torus.
std::vector<Choice> rank_on_torus(const Question& question) {
  const Torus& torus = *question.fabric.torus;
  if (torus.slices > 1 && !goes_around(question.operation)) return rank_by_alpha_beta(question);
  const Fabric& fabric = question.fabric;
  const double rate = torus.link.count(), network = fabric.nics * fabric.nic_rate.count();
  const Model model{.question = question,
                    .axes = axes_of(torus, question.spread.ranks / torus.slices),
                    .hop = torus.hop.count(),
                    .per_link = rate > 0 ? question.bytes / rate : 0,
                    .slices = torus.slices,
                    .crossing = fabric.latency.count(),
                    .per_slice = network > 0 ? question.bytes / network : 0};
  std::vector<Choice> found;
  switch (question.operation) {
    case Operation::all_reduce:
      all_reduces(model, found);
      break;
    case Operation::reduce_scatter:
    case Operation::all_gather:
      found.push_back(ring(model));
      break;
    case Operation::all_to_all:
      found.push_back(all_to_all(model));
      break;
    case Operation::sendrecv:
      found.push_back(to_the_next(model));
      break;
    case Operation::broadcast:
    case Operation::reduce:
      found.push_back(rooted(model, "chain"));
      break;
    case Operation::gather:
    case Operation::scatter:
      found.push_back(rooted(model, "flat"));
      break;
  }
  return found;
}

}  // namespace wt::collective
