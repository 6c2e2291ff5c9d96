#include "communication/collective_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "communication/fabric.h"
#include "communication/timing.h"

namespace wt::communication {

namespace {

// Tables of nccl-tests are noise below; no class was compared there.
constexpr Bytes smallest_compared(1024);
constexpr Bytes tiny(8);

// Generations whose tables of nccl-tests were compared (`verify nccl-tests`); the others' constants are assumed.
constexpr std::array<std::string_view, 5> compared{"turing", "volta", "ampere", "hopper", "blackwell"};

bool has_tpus(const Group& group) { return group.platform.slice() != nullptr; }

bool are_of_one_kind(const Group& group) {
  const device::Kind first = group.platform.type(group.ranks.front()).kind;
  return std::ranges::all_of(
      group.ranks, [&](const platform::Endpoint rank) { return group.platform.type(rank).kind == first; });
}

std::string about_wires(const Group& group) {
  return fmt::format(
      "{}: times are of the wires alone, with no library's protocols and no time to begin a "
      "call, so small sizes are too fast",
      has_tpus(group) ? "what a TPU's call takes to begin isn't published"
                      : "no communication library is known here");
}

bool has_assumed_network(const Hardware& machine) {
  return machine.fabric.nodes > 1 && (machine.network.empty() || machine.network == "unknown");
}

}  // namespace

bool is_driven_by_nccl(const Group& group) {
  const Hardware machine = hardware_of(group);
  return (machine.fabric.capability > 0 || machine.fabric.is_amd) &&
         machine.fabric.inside != collective::Inside::ideal &&
         constants().generations.contains(machine.generation);
}

void calibrate_launch(CallOptions& options, Seconds tiny_message, const Group& group) {
  if (!is_driven_by_nccl(group))
    throw InputError(
        fmt::format("{} has no library whose call --tiny-message could calibrate", group.platform.name()),
        "leave it out");
  set_launch(options, tiny_message, tiny, group);
}

std::vector<std::string> warnings_of(const CollectiveQuestion& question, const Group& group) {
  std::vector<std::string> warnings;
  const Hardware machine = hardware_of(group);
  const auto warn = [&](bool holds, std::string text) {
    if (holds) warnings.push_back(std::move(text));
  };
  if (!is_driven_by_nccl(group)) {
    warnings.push_back(about_wires(group));
    warn(question.call.protocol.has_value(), "--protocol is NCCL's, which doesn't drive these devices");
    warn(question.names_launch, "the launch has no part in these times: no library's call is known here");
  } else {
    warn(std::ranges::find(compared, machine.generation) == compared.end(),
         fmt::format("no published table for GPUs of generation {}: their constants are assumed",
                     machine.generation));
    warn(has_assumed_network(machine),
         fmt::format("the class of {}'s network cards isn't known: they are taken for Ethernet",
                     group.platform.name()));
    warn(question.lets_library_choose && question.orders_ranks,
         "NCCL orders its rings and trees by the machine, whatever the ranks' order; here they follow "
         "--rank-order");
  }
  warn(!are_of_one_kind(group),
       "the ranks are devices of several kinds, which no library joins: --ranks takes the first devices "
       "alone");
  warn(machine.fabric.ranks_per_node == 0,
       "the machines have different numbers of ranks, for which a library's choices are least known");
  return warnings;
}

std::vector<std::string> warnings_of(const CollectiveQuestion& question, const Group& group,
                                     const collective::Contract& contract, const CollectiveRow& row) {
  std::vector<std::string> warnings;
  const auto warn = [&](bool holds, std::string text) {
    if (holds) warnings.push_back(std::move(text));
  };
  const int lost = contract.left_out.empty() ? 0 : contract.left_out.front();
  warn(!contract.left_out.empty(),
       fmt::format("{} leaves out rank {}, as its original does, so its time is of less work; --option "
                   "faithful=false mends it",
                   row.algorithm, lost));
  warn(question.folding == Folding::folded && row.played >= row.moves,
       fmt::format("{} at {}: no period was found, so nothing is folded", row.algorithm, rough(row.bytes)));
  warn(row.pieces > 0,
       fmt::format("{} at {}: played in {} pieces, larger than the library's, whose {} moves would take "
                   "minutes; {} percent off",
                   row.algorithm, rough(row.bytes), row.pieces, row.moves,
                   row.pieces < 32 ? "up to some ten" : "a few"));
  if (row.protocol.empty()) return warnings;
  warn(row.bytes < smallest_compared,
       fmt::format("below {} no published table was compared", smallest_compared));
  const collective::Fabric fabric = hardware_of(group).fabric;
  const bool has_one_way = row.algorithm == "chain";
  warn(has_one_way && fabric.nodes > 1 && fabric.nics > 1 && fabric.ranks_per_node > 1,
       fmt::format("{} leaves each machine by one of its {} network cards, where NCCL's channels use all: "
                   "large sizes are too slow",
                   row.algorithm, fabric.nics));
  return warnings;
}

bool is_borrowed(const CollectiveQuestion& question, const Group& group, const CollectiveRow& row) {
  const auto ranked = choices(group, question.operation, row.bytes, question.call.settings);
  return !row.protocol.empty() &&
         std::ranges::find(ranked, row.algorithm, &collective::Choice::algorithm) == ranked.end();
}

std::string about_borrowed(const std::vector<CollectiveRow>& rows) {
  std::vector<std::string> names;
  for (const CollectiveRow& row : rows)
    if (row.is_borrowed && std::ranges::find(names, row.algorithm) == names.end())
      names.push_back(row.algorithm);
  if (names.empty()) return {};
  return fmt::format("NCCL doesn't choose {} here: messages are taken to cost what those of its ring do",
                     fmt::join(names, ", "));
}

}  // namespace wt::communication
