#include "communication/bound.h"

#include <algorithm>
#include <map>

#include "base/narrow.h"
#include "platform/group.h"

namespace wt::communication {

namespace {

using platform::Endpoint;

constexpr int most_ranks = 1024;  // With more, the routes between all pairs take too long.

// The groups of a split, as ranks of the collective.
std::vector<plan::Side> sides(const std::vector<platform::Group>& groups,
                              const std::map<Endpoint, int>& rank_of) {
  std::vector<plan::Side> sides;
  for (const platform::Group& group : groups) {
    plan::Side& side = sides.emplace_back(plan::Side{{}, group.out, group.in});
    for (const Endpoint member : group.members) side.ranks.push_back(rank_of.at(member));
  }
  return sides;
}

}  // namespace

// Ranks are numbered by their places in `where`, because torus algorithms have another order than the group.
std::optional<Seconds> Bounds::of(const collective::Contract& contract, const std::vector<Endpoint>& where,
                                  Bytes bytes) {
  if (group_.size() > most_ranks || !contract.left_out.empty()) return std::nullopt;
  if (splits_.empty() || where != where_) {
    where_ = where;
    split();
  }
  Seconds most{};
  for (const std::vector<plan::Side>& split : splits_)
    most = std::max(most, plan::bound(contract, bytes, split));
  return most;
}

void Bounds::split() {
  const std::span<const Endpoint> all = where_;
  const auto ranks = all.first(static_cast<std::size_t>(group_.size()));
  std::vector<Endpoint> helpers(all.begin() + group_.size(), all.end());
  std::ranges::sort(helpers);  // Several lanes may use the same switch.
  helpers.erase(std::unique(helpers.begin(), helpers.end()), helpers.end());
  std::map<Endpoint, int> rank_of;
  for (const Endpoint rank : ranks) rank_of.emplace(rank, narrow<int>(rank_of.size()));
  splits_ = {sides(platform::groups_by_device(group_.platform, ranks, helpers), rank_of),
             sides(platform::groups_by_machine(group_.platform, ranks, helpers), rank_of),
             sides(platform::groups_by_fabric(group_.platform, ranks, helpers), rank_of)};
}

}  // namespace wt::communication
