#pragma once
// Flows that begin together fall into components which share no link with each other. Components that are
// equal but for the names of their links behave equally, so one of them is played for all.

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/job.h"
#include "simulate/union_find.h"

namespace wt::simulate {

class Components {
 public:
  explicit Components(const Job& job) : job_(job), number_(job.bandwidths.size(), nobody) {}

  // Splits flows, ascending ids without repetition, anew.
  void split(std::span<const std::int32_t> flows);

  // In the order of their first flows.
  std::size_t size() const { return first_.size() - 1; }
  std::span<const std::int32_t> flows(std::size_t component) const;  // ascending

  // Equal for components that are equal but for the names of their links, flow by flow.
  std::vector<std::uint64_t> likeness(std::size_t component);

 private:
  void join(std::span<const std::int32_t> flows);
  void group(std::span<const std::int32_t> flows);

  const Job& job_;
  std::vector<std::int32_t> number_;       // by link, `nobody` between calls
  UnionFind sets_{};                       // of positions among the flows
  std::vector<std::int32_t> grouped_{};    // flows, component after component
  std::vector<std::int32_t> first_{0};     // of a component in grouped_
  std::vector<std::int32_t> component_{};  // by position of its first flow
};

}  // namespace wt::simulate
