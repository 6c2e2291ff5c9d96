// The rings of NCCL on a mesh of NVLinks. NCCL searches for rings that share no link (src/graph/search.cc);
// on the cube mesh of eight V100 it finds six. The search here is for such small meshes: it tries all sets of
// cycles through all devices that share no link.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/narrow.h"
#include "communication/fabric.h"

namespace wt::communication {

namespace {

using platform::Endpoint, platform::LinkKind, platform::Platform;
using Cycle = std::vector<int>;  // the devices of a machine, beginning with device 0

constexpr std::size_t most_devices = 8;
constexpr double most_links = 1024;  // as many as the description of a machine may have

// links[a][b] is the number of direct NVLinks from device a to device b of a machine.
using Links = std::vector<std::vector<int>>;

Links links_of(const Group& group, int devices) {
  const auto count = static_cast<std::size_t>(devices);
  std::vector<std::vector<double>> rates(count, std::vector<double>(count));
  double unit = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      if (a == b) continue;
      const platform::Route route = group.platform.route(group.ranks[a], group.ranks[b]);
      if (route.links.size() != 1 || group.platform.link(route.links[0]).kind != LinkKind::nvlink) continue;
      rates[a][b] = route.bottleneck.count();
      if (unit == 0 || rates[a][b] < unit) unit = rates[a][b];
    }
  Links links(count, std::vector<int>(count));
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      if (unit > 0) links[a][b] = static_cast<int>(std::lround(std::min(rates[a][b] / unit, most_links)));
  return links;
}

// Searches for the largest set of cycles through all devices that share no link.
class Search {
 public:
  explicit Search(Links links) : links_(std::move(links)), devices_(narrow<int>(links_.size())) {}

  // As many cycles as possible.
  std::vector<Cycle> cycles() {
    look();
    return best_;
  }

 private:
  // The cycles found so far, and at most as many further ones as the links that are left allow.
  int most() const {
    int least = 1 << 20;
    for (const auto& row : links_) {
      int sum = 0;
      for (const int count : row) sum += count;
      least = std::min(least, sum / 2);
    }
    return narrow<int>(found_.size()) + least;
  }

  bool is_done() const { return best_.size() == wanted_; }

  void look() {
    if (wanted_ == 0) wanted_ = static_cast<std::size_t>(most());
    if (found_.size() > best_.size()) best_ = found_;
    if (is_done() || most() <= narrow<int>(best_.size())) return;
    Cycle cycle{0};
    extend(cycle);
  }

  void extend(Cycle& cycle) {
    const int last = cycle.back();
    if (narrow<int>(cycle.size()) == devices_) {
      if (cycle.size() > 2 && cycle.back() < cycle[1]) return;  // the same cycle in the other direction
      if (!take(last, 0)) return;
      found_.push_back(cycle);
      look();
      found_.pop_back();
      give_back(last, 0);
      return;
    }
    for (int next = 1; next < devices_ && !is_done(); ++next) {
      if (std::ranges::find(cycle, next) != cycle.end() || !take(last, next)) continue;
      cycle.push_back(next);
      extend(cycle);
      cycle.pop_back();
      give_back(last, next);
    }
  }

  int& between(int a, int b) { return links_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; }
  bool take(int a, int b) {
    if (between(a, b) == 0 || between(b, a) == 0) return false;
    --between(a, b), --between(b, a);
    return true;
  }
  void give_back(int a, int b) { ++between(a, b), ++between(b, a); }

  Links links_;
  const int devices_;
  std::size_t wanted_ = 0;
  std::vector<Cycle> found_{}, best_{};
};

// The NIC by which each device of the first machine reaches other machines, as the number of its link; -1:
// none.
std::vector<int> cards(const Group& group, int devices) {
  std::vector<int> cards;
  for (int device = 0; device < devices; ++device) {
    cards.push_back(-1);
    const auto route =
        group.platform.route(group.ranks[static_cast<std::size_t>(device)], group.ranks.back());
    for (const platform::LinkId link : route.links)
      if (cards.back() < 0 && group.platform.link(link).kind == LinkKind::nic)
        cards.back() = static_cast<int>(link);
  }
  return cards;
}

// The cycle, rotated so that it enters and leaves the machine by the same NIC if possible, and by NICs that
// are used least.
Cycle opened(Cycle cycle, const std::vector<int>& card, std::map<int, int>& used) {
  const auto cost = [&](std::size_t first) {
    const int in = card[static_cast<std::size_t>(cycle[first])];
    const int out = card[static_cast<std::size_t>(cycle[(first + cycle.size() - 1) % cycle.size()])];
    return std::pair(in != out, used[in] + used[out]);
  };
  std::size_t best = 0;
  for (std::size_t first = 1; first < cycle.size(); ++first)
    if (cost(first) < cost(best)) best = first;
  std::rotate(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(best), cycle.end());
  ++used[card[static_cast<std::size_t>(cycle.front())]];
  ++used[card[static_cast<std::size_t>(cycle.back())]];
  return cycle;
}

// The zigzag from a device around a circle of devices: i, i + 1, i - 1, i + 2, ... With an even number of devices,
// the zigzags from all of them are paths that together use each link of a full mesh once in each direction (Walecki's
// decomposition: Alspach, "The wonderful Walecki construction", 2008), and the path from i ends opposite of i.
Cycle zigzag(int first, int devices) {
  Cycle path;
  for (int step = 0; step < devices; ++step) {
    const int offset = step % 2 == 0 ? devices - step / 2 : (step + 1) / 2;
    path.push_back((first + offset) % devices);
  }
  return path;
}

// The device half of all devices further on, or a quarter further on within its half. Either step taken twice leads
// back, and both one after the other lead to the same device in either order.
int half_on(int device, int devices) { return (device + devices / 2) % devices; }
int quarter_on(int device, int devices) {
  const int half = devices / 2, quarter = devices / 4;
  return device / half * half + (device % half + quarter) % half;
}

// A zigzag from a device that ends at `partner(first)`, after the devices were renamed so that the partners are those
// that half of all devices lie between. The zigzags from all devices use each link once again.
template <class Partner>
Cycle zigzag_to_partner(int first, int devices, Partner partner) {
  std::vector<int> name(static_cast<std::size_t>(devices), -1);
  std::vector<bool> has_name(static_cast<std::size_t>(devices));
  auto next = name.begin();
  for (int device = 0; device < devices; ++device) {
    if (has_name[static_cast<std::size_t>(device)]) continue;
    const int other = partner(device);
    has_name[static_cast<std::size_t>(device)] = has_name[static_cast<std::size_t>(other)] = true;
    *next = device;
    *(next + devices / 2) = other;
    ++next;
  }
  const auto begin = static_cast<int>(std::ranges::find(name, first) - name.begin());
  Cycle path = zigzag(begin, devices);
  for (int& device : path) device = name[static_cast<std::size_t>(device)];
  return path;
}

// The way of a ring through the last three of an odd number of machines whose devices are all linked to each other: it
// must come back to the network card by which it began, though every path through a machine ends at another one.
std::vector<Cycle> last_three(int first, int devices) {
  const auto half = [&](int device) { return half_on(device, devices); };
  const auto quarter = [&](int device) { return quarter_on(device, devices); };
  const auto both = [&](int device) { return quarter(half(device)); };
  std::vector<Cycle> ways{zigzag(first, devices)};
  ways.push_back(zigzag_to_partner(ways.back().back(), devices, quarter));
  ways.push_back(zigzag_to_partner(ways.back().back(), devices, both));
  return ways;
}

// NCCL has as many rings for each network card as for any other. With fewer rings than cards all are kept.
void balance(std::vector<Cycle>& rings, const std::vector<int>& card) {
  const std::size_t cards = std::set<int>(card.begin(), card.end()).size();
  if (rings.size() > cards) rings.resize(rings.size() / cards * cards);
}

// The parts of rings or chains that lie in one machine.
struct Parts {
  std::vector<Cycle> all{};
  int machines = 1, devices = 0;
  bool turns = false;  // every second machine is passed backwards
};

Parts parts_of(const Group& group) {
  const Hardware machine = hardware_of(group);
  Parts parts{.machines = machine.fabric.nodes, .devices = machine.fabric.ranks_per_node};
  const int devices = parts.devices;
  if (machine.fabric.inside != collective::Inside::nvlink_mesh || devices < 3 ||
      devices * parts.machines != group.size())
    return {};
  if (machine.fabric.is_full_mesh && parts.machines > 1 && devices % 2 == 0) {
    for (int first = 0; first < devices; ++first) parts.all.push_back(zigzag(first, devices));
    parts.turns = true;
    return parts;
  }
  if (static_cast<std::size_t>(devices) > most_devices) return {};
  for (Cycle& cycle : Search(links_of(group, devices)).cycles()) {
    parts.all.push_back(cycle);
    std::reverse(cycle.begin(), cycle.end());
    parts.all.push_back(std::move(cycle));
  }
  if (parts.machines == 1) return parts;
  const std::vector<int> card = cards(group, devices);
  balance(parts.all, card);
  std::map<int, int> used;
  for (Cycle& cycle : parts.all) cycle = opened(std::move(cycle), card, used);
  return parts;
}

std::vector<std::vector<int>> orders_of(const Parts& parts, bool turns) {
  std::vector<std::vector<int>> orders;
  for (const Cycle& part : parts.all) {
    std::vector<int>& order = orders.emplace_back();
    const bool is_odd = turns && parts.machines % 2 == 1 && parts.devices % 4 == 0;
    const std::vector<Cycle> last = is_odd ? last_three(part.front(), parts.devices) : std::vector<Cycle>{};
    for (int machine = 0; machine < parts.machines; ++machine) {
      const int from_the_end = parts.machines - machine;
      Cycle way = part;
      if (is_odd && from_the_end <= 3)
        way = last[static_cast<std::size_t>(3 - from_the_end)];
      else if (turns && machine % 2 == 1)
        std::ranges::reverse(way);
      for (const int device : way) order.push_back(machine * parts.devices + device);
    }
  }
  return orders;
}

}  // namespace

std::vector<std::vector<int>> rings_over_mesh(const Group& group) {
  const Parts parts = parts_of(group);
  return orders_of(parts, parts.turns);
}

std::vector<std::vector<int>> chains_over_mesh(const Group& group) {
  const Parts parts = parts_of(group);
  return parts.machines > 1 ? orders_of(parts, false) : std::vector<std::vector<int>>{};
}

}  // namespace wt::communication
