#include "cluster/machine.h"

#include <algorithm>
#include <iterator>

namespace wt::cluster {

std::vector<device::LogicalDevice> Replica::devices() const {
  std::vector<device::LogicalDevice> all{device};
  std::ranges::copy(further, std::back_inserter(all));
  return all;
}

platform::Endpoint Machine::endpoint(std::string_view device) const {
  WT_EXPECT(platform.has_value(), "a machine without platform has no endpoint {}", device);
  if (const auto found = endpoints.find(device); found != endpoints.end()) return found->second;
  for (std::int32_t i = 0; i < platform->switches(); ++i)
    if (platform->name(platform->switch_at(i)) == device) return platform->switch_at(i);
  for (std::int32_t i = 0; i < platform->hosts(); ++i)
    if (platform->name(platform->host(i)) == device) return platform->host(i);
  WT_EXPECT(false, "{} has no device {}", platform->name(), device);
  return {};
}

}  // namespace wt::cluster
