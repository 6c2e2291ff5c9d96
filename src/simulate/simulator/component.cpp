#include "simulate/simulator/component.h"

#include <bit>
#include <numeric>

namespace wt::simulate {

void Components::split(std::span<const std::int32_t> flows) {
  join(flows);
  group(flows);
}

std::span<const std::int32_t> Components::flows(std::size_t component) const {
  const auto first = static_cast<std::size_t>(first_[component]);
  return std::span(grouped_).subspan(first, static_cast<std::size_t>(first_[component + 1]) - first);
}

// Here number_ holds the last flow that was seen on a link.
void Components::join(std::span<const std::int32_t> flows) {
  sets_.reset(flows.size());
  const auto route = [&](std::size_t flow) {
    return job_.route_of(job_.activities[static_cast<std::size_t>(flows[flow])]);
  };
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    for (const std::int32_t link : route(flow)) {
      std::int32_t& last = number_[static_cast<std::size_t>(link)];
      if (last != none) sets_.join(last, static_cast<std::int32_t>(flow));
      last = static_cast<std::int32_t>(flow);
    }
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    for (const std::int32_t link : route(flow)) number_[static_cast<std::size_t>(link)] = none;
}

void Components::group(std::span<const std::int32_t> flows) {
  component_.assign(flows.size(), none);
  first_.assign(1, 0);
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    const auto top = static_cast<std::size_t>(sets_.root(static_cast<std::int32_t>(flow)));
    if (component_[top] == none) {
      component_[top] = static_cast<std::int32_t>(first_.size() - 1);
      first_.push_back(0);
    }
    component_[flow] = component_[top];
    ++first_[static_cast<std::size_t>(component_[flow]) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  grouped_.resize(flows.size());
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    grouped_[static_cast<std::size_t>(next[static_cast<std::size_t>(component_[flow])]++)] = flows[flow];
}

std::vector<std::uint64_t> Components::canonical_form(std::size_t component) {
  std::vector<std::uint64_t> words;
  std::int32_t links = 0;
  for (const std::int32_t flow : flows(component)) {
    const Activity& activity = job_.activities[static_cast<std::size_t>(flow)];
    words.push_back(static_cast<std::uint64_t>(activity.bytes));
    words.push_back(static_cast<std::uint64_t>(activity.links));
    for (const std::int32_t link : job_.route_of(activity)) {
      std::int32_t& number = number_[static_cast<std::size_t>(link)];
      const bool is_new = number == none;
      if (is_new) number = links++;
      words.push_back(static_cast<std::uint64_t>(number));
      if (is_new)
        words.push_back(std::bit_cast<std::uint64_t>(job_.bandwidths[static_cast<std::size_t>(link)]));
    }
  }
  for (const std::int32_t flow : flows(component))
    for (const std::int32_t link : job_.route_of(job_.activities[static_cast<std::size_t>(flow)]))
      number_[static_cast<std::size_t>(link)] = none;
  return words;
}

}  // namespace wt::simulate
