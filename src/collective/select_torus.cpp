// A TPU's torus. Its compiler's choice isn't published; the times are those of the JAX team's "How to scale
// your model" (Austin and others, 2025): an all-gather of V bytes takes max(hops x latency, V / rate), where
// W, both links of an axis, count at once if it wraps, and one of them if it doesn't; an all-reduce is two of
// these. Slices that another network joins add up within each, exchange over it what each of their chips has come
// down to, and gather within each ("multislice"): the network's ring comes on top.
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
  std::vector<Axis> all{};  // those with more than one chip
  double hops = 0;          // of a whole all-gather: half round, or from end to end
  double ways = 0;  // that carry parts of the vector at once: two on an axis that wraps, one on a line
  Axis longest{};
};

// Of a slice. Where there aren't as many ranks as chips, how they lie isn't said: they count as a line.
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
  double hop = 0;       // seconds
  double per_link = 0;  // seconds for the vector through one link
  int slices = 1;
  double crossing = 0;   // seconds from a slice to the next
  double per_slice = 0;  // seconds for the vector through all cards of a slice

  // A ring across, on which each slice has the vector once, in all its chips together.
  double across() const { return 2. * (slices - 1) * crossing + 2. * (slices - 1) / slices * per_slice; }
  std::string across_text() const { return slices > 1 ? fmt::format(", then {} slices", slices) : ""; }

  Choice choice(std::string_view algorithm, double seconds, std::string reason) const {
    return {.algorithm = algorithm, .predicted = Seconds(seconds), .reason = std::move(reason)};
  }
};

// All axes and directions at once: the vector is split over them, the slowest axis holds up all.
Choice buckets(const Model& model, std::string_view algorithm) {
  const std::size_t axes = model.axes.all.size();
  const double gathered = std::max(model.hop * model.axes.hops, model.per_link / model.axes.ways);
  return model.choice(algorithm, 2 * gathered + model.across(),
                      fmt::format("torus: {} ax{} at once, {} way{} in all{}", axes, axes == 1 ? "is" : "es",
                                  model.axes.ways, model.axes.ways == 1 ? "" : "s", model.across_text()));
}

// One axis after the other, each on what the ones before have left; its rings go one way, as our schedule's
// do, and lines need both ways for as much.
Choice phases(const Model& model, std::string_view algorithm) {
  double seconds = 0, left = model.per_link;
  for (const Axis& axis : model.axes.all) {
    seconds += 2 * (axis.length - 1) * model.hop + 2 * (axis.length - 1) / axis.length * left;
    left /= axis.length;
  }
  return model.choice(algorithm, seconds + model.across(),
                      "torus: one axis after the other, one way round" + model.across_text());
}

// Through all chips one by one, the way a snake goes; from slice to slice by one card of each.
Choice ring(const Model& model) {
  const double n = model.question.spread.ranks;
  const double passes = model.question.operation == Operation::all_reduce ? 2 : 1;
  const double card = model.slices > 1 ? model.per_slice * model.question.fabric.nics : 0;
  const double hops = (n - model.slices) * model.hop + (model.slices - 1) * model.crossing;
  return model.choice("ring", passes * (hops + (n - 1) / n * std::max(model.per_link, card)),
                      "torus: through all chips, one way round");
}

// Whole vectors between partners at twice the distance each time, of all ranks at once: where they are short, fewer of
// them wait for the network one after the other than on a ring of slices.
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

// Half of everything crosses the middle of the longest axis: on one ring a quarter of an all-gather's time.
Choice all_to_all(const Model& model) {
  const auto [length, wrapped] = model.axes.longest;
  const double bytes = length * model.per_link / (wrapped ? 8 : 4);
  return model.choice("direct", std::max(model.hop * model.axes.hops, bytes),
                      "torus: the middle of the longest axis");
}

// From or to one chip, whose links all carry.
Choice rooted(const Model& model, std::string_view algorithm) {
  return model.choice(algorithm, model.hop * model.axes.hops + model.per_link / model.axes.ways,
                      "torus: over all links of one chip");
}

bool goes_around(Operation operation) {
  using enum Operation;
  return operation == all_reduce || operation == reduce_scatter || operation == all_gather;
}

}  // namespace

// What goes from or to a root, or from all to all, is the network's affair between slices, not the torus's.
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
