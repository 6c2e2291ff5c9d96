#pragma once
// Divides flows that begin together into flow groups: the connected components of "shares a link with". A
// flow group doesn't influence the others, and two groups that differ only in which links they use behave
// equally. So SimGrid has to simulate one of the equal groups (simulate/simulator/flows.h).

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/job.h"
#include "simulate/union_find.h"

namespace wt::simulate {

class Components {
 public:
  // Requires: the job outlives this.
  explicit Components(const Job& job) : job_(job), number_(job.bandwidths.size(), none) {}

  // Replaces the division by that of these flows. Requires: ascending ids, each once.
  void split(std::span<const std::int32_t> flows);

  // In the order of their first flows.
  std::size_t size() const { return first_.size() - 1; }
  std::span<const std::int32_t> flows(std::size_t component) const;  // ascending

  // A canonical form: two components have the same when a renaming of links makes them equal, flow by flow.
  // For each flow: bytes, number of links, and for each link its number in the order of first use, followed
  // by its bandwidth when the number is new.
  std::vector<std::uint64_t> canonical_form(std::size_t component);

 private:
  void join(std::span<const std::int32_t> flows);
  void group(std::span<const std::int32_t> flows);

  const Job& job_;
  std::vector<std::int32_t> number_;       // by link, `none` between calls
  UnionFind sets_{};                       // of positions among the flows
  std::vector<std::int32_t> grouped_{};    // flows, component after component
  std::vector<std::int32_t> first_{0};     // where each component begins in grouped_
  std::vector<std::int32_t> component_{};  // by position of its first flow
};

}  // namespace wt::simulate
