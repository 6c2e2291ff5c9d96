// NCCL's choice: what the tuner of the machines' provider names (tuner.h), else the algorithm and protocol that are
// fastest by NCCL's cost model (src/enqueue.cc of NCCL 2.30.7). CollNet, its all-reduce on InfiniBand switches that
// add (SHARP), needs a plug-in that users have to enable, so it is not considered.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/id.h"
#include "collective/nccl_cost.h"
#include "collective/tuner.h"

namespace wt::collective {

namespace {

using namespace nccl;

// LL128 needs lines of 128 bytes to arrive whole. NVLink guarantees that, but a host bridge may split them,
// so between nodes the NICs must reach the GPUs without one.
bool allows_ll128(const Communicator& communicator) {
  const auto& [operation, fabric, spread, bytes] = communicator.question;
  const bool inside = spread.per_node() <= 1 || linked_by_nvlink(fabric.inside);
  return fabric.capability >= 70 && inside && (!communicator.across() || fabric.gpu_direct);
}

// The number of channels for which all threads have enough work. For LL, rings also divide the work by ranks.
int working_channels(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  if (pattern == Pattern::nvls || pattern == Pattern::nvls_tree) return communicator.nvls_channels;
  const bool ring = pattern == Pattern::ring;
  const bool slow =
      ring && protocol == Protocol::simple && communicator.ring.count * communicator.ring.inside <= slow_pcie;
  double work = thread_bytes[index(protocol)] * (slow ? threads_over_slow_pcie : threads[index(protocol)]);
  if (ring && protocol == Protocol::ll) work *= communicator.question.spread.ranks;
  return std::max(1, static_cast<int>(std::min<double>(communicator.channels,
                                                       std::floor(communicator.question.bytes / work))));
}

// Whether NCCL can use a pattern with a protocol on this communicator.
bool is_supported(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const Spread& spread = communicator.question.spread;
  const bool simple = protocol == Protocol::simple, adds = communicator.nvls.count >= 2 && spread.even;
  if (protocol == Protocol::ll128 && !allows_ll128(communicator)) return false;
  const Fabric& fabric = communicator.question.fabric;
  if (communicator.across() && protocol == Protocol::ll && !fabric.has_ll) return false;
  if (communicator.across() && protocol == Protocol::ll128 && !fabric.has_ll128) return false;
  switch (pattern) {
    case Pattern::tree:
    case Pattern::ring:
      return true;
    case Pattern::nvls:  // Between nodes it needs CollNet.
      return simple && adds && !communicator.across();
    case Pattern::nvls_tree:
      return simple && adds && communicator.across() && communicator.question.fabric.has_nvls_tree;
    case Pattern::pat:
      return simple && spread.nodes == spread.ranks && communicator.question.fabric.capability >= 60;
  }
  return false;
}

std::span<const Pattern> patterns_of(Operation operation) {
  static constexpr std::array summed{Pattern::tree, Pattern::ring, Pattern::nvls, Pattern::nvls_tree};
  static constexpr std::array halves{Pattern::ring, Pattern::nvls, Pattern::pat};
  static constexpr std::array rooted{Pattern::ring};
  if (operation == Operation::all_reduce) return summed;
  if (operation == Operation::reduce_scatter || operation == Operation::all_gather) return halves;
  return rooted;
}

// The catalog's name of a pattern. If nodes have several NICs, each of NCCL's rings leaves a node by another
// NIC, which is multi_rail here. A single ring that begins or ends at a root is a chain.
std::string_view catalog_name(const Question& question, Pattern pattern) {
  static constexpr std::array<std::string_view, patterns> names{"tree", "ring", "nvls", "nvls_tree", "pat"};
  if (pattern != Pattern::ring) return names[index(pattern)];
  const auto& [operation, fabric, spread, bytes] = question;
  const bool rails = spread.nodes > 1 && fabric.nics > 1 && leaves_by_all_cards(operation, fabric);
  if (rails && spread.even && spread.nodes < spread.ranks) return "multi_rail";
  return goes_around(operation) ? "ring" : "chain";
}

Choice choice_of(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const Question& question = communicator.question;
  const auto [start, rate] = cost_of(communicator, pattern, protocol);
  return {.algorithm = catalog_name(question, pattern),
          .protocol = protocol,
          .channels = working_channels(communicator, pattern, protocol),
          .predicted = Seconds(start * 1e-6 + question.bytes / (rate * 1e9)),
          .reason = fmt::format("NCCL's cost model: {:.1f} us, then {:.1f} GB/s", start, rate)};
}

// Channels between two ranks that send to each other (src/graph/paths.cc): two for a network card, and for each
// NVLink. The pair with the fewest decides for all.
int channels_per_peer(const Communicator& communicator) {
  const auto& [operation, fabric, spread, bytes] = communicator.question;
  const double cards = fabric.nics / spread.per_node();
  const int links = linked_by_nvlink(fabric.inside) ? std::max(1, fabric.nvlinks) : 1;
  const int wanted = communicator.across() ? std::max(2, static_cast<int>(cards)) : 2 * links;
  return std::min(most_channels, static_cast<int>(std::bit_ceil(static_cast<unsigned>(wanted))));
}

// The time in which the busiest port carries a rank's vector without its own part.
double carried_by_sends(const Question& question) {
  const auto& [operation, fabric, spread, bytes] = question;
  const double gpus = spread.per_node(), away = spread.ranks - gpus;
  const double card = fabric.nic_rate.count() / 1e9, links = links_of_gpu(fabric);
  double leave = bytes * away / spread.ranks, stay = bytes * (gpus - 1) / spread.ranks,
         nic = fabric.nics * card;
  if (operation == Operation::all_to_all) leave *= gpus;
  if (operation == Operation::sendrecv)
    leave = away > 0 ? bytes : 0, stay = gpus > 1 ? bytes : 0, nic = std::max(1., fabric.nics / gpus) * card;
  return std::max(leave > 0 ? leave / std::max(nic, no_path) : 0,
                  stay > 0 ? stay / std::max(links, no_path) : 0) /
         1e9;
}

// NCCL composes some operations of sends and receives, for which it has no algorithms. Their protocol follows from the
// size of a message: LL up to a limit for each channel (src/enqueue.cc). The other protocol comes second, as users may
// move the limit (NCCL_P2P_LL_THRESHOLD).
std::vector<Choice> by_sends(const Communicator& communicator) {
  const auto& [operation, fabric, spread, bytes] = communicator.question;
  const bool next = operation == Operation::sendrecv;
  const Wire wire = communicator.across()             ? Wire::net
                    : linked_by_nvlink(fabric.inside) ? Wire::nvlink
                                                      : Wire::pci;
  const int channels = channels_per_peer(communicator);
  const bool has_ll = !communicator.across() || fabric.has_ll;
  const bool is_small = has_ll && bytes / (next ? 1 : spread.ranks) <= channels * ll_send_bytes;
  std::vector<Choice> found;
  for (const Protocol protocol :
       {is_small ? Protocol::ll : Protocol::simple, is_small ? Protocol::simple : Protocol::ll}) {
    if (protocol == Protocol::ll && !has_ll) continue;
    const std::size_t at = index(protocol), ring = index(Pattern::ring);
    const double start = base_latency[ring][at] + step_latency[index(wire)][ring][at];
    const Seconds time(start * 1e-6 +
                       carried_by_sends(communicator.question) * (protocol == Protocol::ll ? 2 : 1));
    found.push_back({.algorithm = next || operation == Operation::all_to_all ? "direct" : "flat",
                     .protocol = protocol,
                     .channels = channels,
                     .predicted = found.empty() ? time : std::max(time, found.front().predicted),
                     .reason = "NCCL sends from rank to rank, without a choice of algorithms"});
  }
  return found;
}

// What a tuner names costs nothing in the eyes of NCCL, if it is among what NCCL can use.
void prefer_tuned(std::vector<Choice>& found, const Question& question) {
  const std::optional<Tuned> named = tuned(question);
  if (!named) return;
  for (Choice& choice : found)
    if (choice.algorithm == catalog_name(question, named->pattern) && choice.protocol == named->protocol)
      choice.predicted = Seconds(0), choice.reason = "the tuner of the machines' provider names it";
}

}  // namespace

bool leaves_by_all_cards(Operation operation, const Fabric& fabric) {
  return goes_around(operation) || fabric.inside != Inside::nvlink_mesh;
}

std::vector<Choice> rank_by_nccl(const Question& question) {
  const Communicator communicator = communicator_of(question);
  const Operation operation = question.operation;
  if (is_point_to_point(operation)) return by_sends(communicator);
  std::vector<Choice> found;
  for (const Pattern pattern : patterns_of(operation))
    for (const ProtocolRow& row : protocols())
      if (is_supported(communicator, pattern, row.protocol))
        found.push_back(choice_of(communicator, pattern, row.protocol));
  prefer_tuned(found, question);
  return found;
}

}  // namespace wt::collective
