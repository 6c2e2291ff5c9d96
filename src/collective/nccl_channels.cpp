#include "collective/nccl_channels.h"

#include <algorithm>
#include <cmath>

#include "collective/nccl_tables.h"

namespace wt::collective::nccl {

namespace {

struct Nics {
  int count = 0;
  double rate = 0;
};

// NCCL sees several NICs of one GPU as a single one. For example, AWS's plugin (aws-ofi-nccl) presents the 32
// NICs of a p5 as 8.
Nics nics_of(const Fabric& fabric) {
  Nics nics{std::max(0, fabric.nics), std::max(0., fabric.nic_rate.count() / 1e9)};
  const int ranks = fabric.ranks_per_node;
  if (ranks > 0 && nics.count > ranks && nics.count % ranks == 0) {
    const int each = nics.count / ranks;
    nics = {ranks, nics.rate * each};
  }
  return nics;
}

// How many channels of this speed fit into a rate, of which no more than all channels matter.
int times(double rate, double speed) {
  return static_cast<int>(std::min<double>(std::floor(rate / speed + 1e-9), most_channels));
}

// The channels with the highest total rate, count times speed. Speeds are tried from fast to slow, down to
// half of the best speed so far, and the search ends when the channels take all of the available rate
// `everything`. `fit(speed)` is the number of channels of a speed that fit.
template <class Fit>
Channels search(std::span<const double> speeds, double fastest, double everything, Fit fit) {
  Channels best{.count = 0};
  for (const double speed : speeds) {
    if (speed > fastest) continue;
    if (best.count > 0 && speed / best.inside <= 0.49) break;
    const int count = std::min(fit(speed), most_channels / 2);
    if (count * speed > best.count * best.inside) best = {count, speed, speed};
    if (best.count * best.inside >= everything) break;
  }
  return best;
}

// NCCL splits channels of 25 GB/s or more in two. On Hopper and later it keeps more than four channels below
// 50 GB/s.
Channels split(Channels channels, int capability) {
  if (channels.inside < 25) return channels;
  if (capability >= 90 && channels.inside < 50 && channels.count > 4) return channels;
  const int count = std::min(2 * channels.count, most_channels / 2);
  const double part = static_cast<double>(channels.count) / count;
  return {count, channels.inside * part, channels.across * part};
}

// The rate within nodes of trees and NVLS, which may be higher than the one between nodes: the next faster
// speed is taken as long as it fits and the rate is below twice the one between nodes.
template <class Fits>
double raised(std::span<const double> speeds, const Channels& channels, Fits fits) {
  double inside = channels.inside;
  for (auto speed = speeds.rbegin(); speed != speeds.rend(); ++speed) {
    if (*speed <= channels.across) continue;
    if (inside >= 2 * channels.across || !fits(*speed)) break;
    inside = *speed;
  }
  return inside;
}

}  // namespace

double links_of_gpu(const Fabric& fabric) {
  if (!linked_by_nvlink(fabric.inside)) return std::max(0., fabric.inside_rate.count() / 1e9);
  double rate = nvlink_rates.front().rate;
  for (const LinkRate& row : nvlink_rates)
    if (fabric.capability >= row.capability) rate = row.rate;
  return rate * std::max(0, fabric.nvlinks);
}

Channels ring_channels(const Fabric& fabric, const Spread& spread) {
  const bool across = spread.nodes > 1, alone = spread.nodes == spread.ranks;
  const Nics nics = nics_of(fabric);
  const double links = links_of_gpu(fabric);
  double fastest = std::numeric_limits<double>::max(), everything = fastest;
  if (across) fastest = nics.rate, everything = nics.count * nics.rate;
  if (!alone) fastest = std::min(fastest, links), everything = std::min(everything, links);
  const Channels found =
      search(speeds(generation_of(fabric.capability), across), fastest, everything, [&](double speed) {
        const int inside = alone ? most_channels : times(links, speed);
        return across ? std::min(inside, nics.count * times(nics.rate, speed)) : inside;
      });
  if (found.count > 0) return split(found, fabric.capability);
  // The links are slower than every speed that NCCL tries: one ring takes all of their rate.
  const double rate = std::isfinite(everything) && everything > 0 ? std::min(fastest, everything) : no_path;
  return {1, rate, rate};
}

// Trees have as many channels as rings. Within a node a tree is a chain, whose last GPU sends nothing on, so
// the links of n GPUs count n / (n - 1) times.
Channels tree_channels(const Fabric& fabric, const Spread& spread, const Channels& ring) {
  const bool across = spread.nodes > 1;
  const auto tried = speeds(generation_of(fabric.capability), across);
  const double gpus = spread.per_node();
  const double links =
      gpus > 1 ? links_of_gpu(fabric) * gpus / (gpus - 1) : std::numeric_limits<double>::max();
  const auto fits = [&](double speed) { return ring.count * speed <= links; };
  Channels tree = ring;
  if (!across) {
    const auto first = std::find_if(tried.begin(), tried.end(), fits);
    if (first != tried.end()) tree.inside = tree.across = std::max(*first, ring.inside);
    return tree;
  }
  const Nics nics = nics_of(fabric);
  for (const double speed : tried)
    if (speed > tree.across && fits(speed) && nics.count * times(nics.rate, speed) >= ring.count) {
      tree.inside = tree.across = speed;
      break;
    }
  if (gpus > 1) tree.inside = raised(tried, tree, fits);
  return tree;
}

// A channel passes the links of all GPUs once, and the link of its head once more. So the links of a GPU must
// carry one channel more than there are heads. NCCL has no NVLS between two GPUs (src/transport/nvls.cc).
Channels nvls_channels(const Fabric& fabric, const Spread& spread) {
  const int gpus = static_cast<int>(spread.per_node());
  if (!fabric.adds_in_switch || fabric.inside != Inside::nvswitch || fabric.capability < 90 || gpus <= 2)
    return {.count = 0};
  const bool across = spread.nodes > 1;
  const auto tried = speeds(generation_of(fabric.capability), across);
  const Nics nics = nics_of(fabric);
  const double links = links_of_gpu(fabric);
  Channels found = search(tried, across ? nics.rate : links, links, [&](double speed) {
    const int heads = std::clamp(times(links, speed) - 1, 0, gpus);
    return across ? std::min(heads, nics.count * times(nics.rate, speed)) : heads;
  });
  if (across && found.count > 0)
    found.inside = raised(tried, found, [&](double speed) { return (found.count + 1) * speed <= links; });
  return found;
}

// Twice the channels that the search found. On Hopper and later it is twice as many again if these are fewer
// than 16, the rings are faster than 45 GB/s, and there are several nodes (src/graph/connect.cc).
int communicator_channels(const Fabric& fabric, const Spread& spread, const Channels& ring) {
  int channels = std::min(2 * ring.count, most_channels);
  if (fabric.capability >= 90 && spread.nodes > 1 && ring.inside > 45 && channels < 16) channels *= 2;
  return channels;
}

int communicator_nvls_channels(const Fabric& fabric, const Spread& spread) {
  if (generation_of(fabric.capability) == Generation::hopper) return 16;
  return spread.nodes == 1 ? 24 : 32;
}

}  // namespace wt::collective::nccl
