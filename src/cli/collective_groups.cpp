#include "cli/collective_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/narrow.h"
#include "base/rough.h"
#include "base/suggest.h"

namespace wt::cli {

namespace {

using communication::Group;
using platform::Endpoint, platform::Platform;
using Endpoints = std::vector<Endpoint>;

// Twice as many as the largest machines have. More would take minutes and gigabytes.
constexpr int most_ranks = 1 << 17;

Endpoints first(const Platform& platform, int count) {
  if (count > platform.devices())
    throw InputError(fmt::format("{} has {} devices, not {}", platform.name(), platform.devices(), count),
                     "describe a larger one with --set, as in machines=4");
  if (count > most_ranks)
    throw InputError(fmt::format("{} are too many to simulate", counted(count, "rank")),
                     fmt::format("take at most {} of them: --ranks {}", most_ranks, most_ranks));
  return communication::first_devices(platform, count).ranks;
}

// ---- Orders

// The numbers in a list such as "0,4,1,5". Empty if the text is not such a list.
std::vector<int> numbers_of(const std::string& text) {
  std::vector<int> numbers;
  const char *at = text.data(), *const end = text.data() + text.size();
  while (true) {
    const auto [stop, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc() || numbers.back() < 0 || (stop != end && *stop != ',')) return {};
    if (stop == end) return numbers;
    at = stop + 1;
  }
}

Endpoints listed(const Platform& platform, const std::vector<int>& numbers) {
  Endpoints devices;
  for (const int number : numbers) {
    if (number >= platform.devices())
      throw InputError(fmt::format("--rank-order names device {}; {} has {}, numbered from 0", number,
                                   platform.name(), counted(platform.devices(), "device")));
    const Endpoint device = platform.device(number);
    if (std::ranges::find(devices, device) != devices.end())
      throw InputError(fmt::format("--rank-order names device {} twice", number), "name each once");
    devices.push_back(device);
  }
  return devices;
}

// The first device of each machine, then the second of each, and so on. Consecutive ranks are on different
// machines.
Endpoints by_rail(const Platform& platform, const Endpoints& devices) {
  std::map<int, Endpoints> machines;
  for (const Endpoint device : devices) machines[platform.machine_of(device)].push_back(device);
  Endpoints order;
  for (std::size_t rail = 0; order.size() < devices.size(); ++rail)
    for (const auto& [machine, members] : machines)
      if (rail < members.size()) order.push_back(members[rail]);
  return order;
}

Endpoints ordered(const CollectiveOptions& options, const Platform& platform) {
  const std::string order = options.rank_order.value_or("");
  const std::vector<int> numbers = numbers_of(order);
  if (!numbers.empty()) {
    if (options.ranks && *options.ranks != narrow<int>(numbers.size()))
      throw InputError(fmt::format("--rank-order names {}, and --ranks requests {}",
                                   counted(std::ssize(numbers), "device"), counted(*options.ranks, "rank")),
                       "leave --ranks out");
    return listed(platform, numbers);
  }
  Endpoints devices = first(platform, std::max(0, options.ranks.value_or(platform.devices())));
  if (order == "by_rail") return by_rail(platform, devices);
  if (order == "reversed") std::ranges::reverse(devices);
  if (order == "reversed" || !options.rank_order) return devices;
  constexpr std::array<std::string_view, 2> known{"reversed", "by_rail"};
  throw InputError(fmt::format("\"{}\" is not an order of ranks", order),
                   did_you_mean(order, known) + "; or devices' numbers, as in 0,4,1,5");
}

}  // namespace

std::vector<communication::Group> groups_of(const CollectiveOptions& options, const Platform& platform) {
  const Endpoints ranks = ordered(options, platform);
  const std::size_t count = static_cast<std::size_t>(std::max(0, options.concurrent));
  if (count == 0 || ranks.size() % count != 0)
    throw InputError(
        fmt::format("{} can't be {} equal groups", counted(std::ssize(ranks), "rank"), options.concurrent),
        "give a number that divides the ranks");
  if (ranks.size() / count < 2)
    throw InputError(
        fmt::format("{} can't exchange anything", counted(std::ssize(ranks) / options.concurrent, "rank")),
        "give 2 or more");
  std::vector<communication::Group> groups(count, Group{platform});
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) groups[rank % count].ranks.push_back(ranks[rank]);
  for (const communication::Group& group : groups)
    if (options.root < 0 || options.root >= group.size())
      throw InputError(
          fmt::format("rank {} can't be the root of {}", options.root, counted(group.size(), "rank")));
  return groups;
}

}  // namespace wt::cli
