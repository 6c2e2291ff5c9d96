#include "simulate/translate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/narrow.h"
#include "base/overloaded.h"

namespace wt::simulate {
namespace {

using platform::Endpoint;
using platform::LinkId;

struct Path {
  double latency{};
  std::int32_t first_link{};  // in Job::routes
  std::int32_t links{};
};

// Computes the route between two endpoints once, and stores it once in the job.
class Paths {
 public:
  Paths(const platform::Platform& platform, Job& job) : platform_(platform), job_(job) {}

  const Path& between(Endpoint from, Endpoint to) {
    const auto row = static_cast<std::size_t>(from);
    if (row >= known_.size()) known_.resize(row + 1);
    const auto [place, is_new] = known_[row].try_emplace(to);
    if (is_new) place->second = route(from, to);
    return place->second;
  }

 private:
  Path route(Endpoint from, Endpoint to) {
    const platform::Route found = platform_.route(from, to);
    const Path path{found.latency.count(), narrow<std::int32_t>(job_.routes.size()),
                    narrow<std::int32_t>(found.links.size())};
    for (const LinkId link : found.links) job_.routes.push_back(static_cast<std::int32_t>(link));
    return path;
  }

  const platform::Platform& platform_;
  Job& job_;
  std::vector<std::map<Endpoint, Path>> known_{};  // by source; most sources have few targets
};

class Translator {
 public:
  Translator(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
             std::span<const Endpoint> where)
      : plan_(plan), costs_(costs), platform_(platform), where_(where), paths_(platform, result_.job) {
    WT_EXPECT(costs.nodes.size() == plan.nodes.size(), "{} costs for {} nodes", costs.nodes.size(),
              plan.nodes.size());
    WT_EXPECT(where.size() == plan.devices.size(), "{} endpoints for {} devices", where.size(),
              plan.devices.size());
  }

  Translation translate() {
    result_.job.activities.reserve(plan_.nodes.size());
    result_.job.first_after.reserve(plan_.nodes.size() + 1);
    for (std::size_t id = 0; id < plan_.nodes.size(); ++id) add(id);
    renumber_links();
    return std::move(result_);
  }

 private:
  void add(std::size_t id) {
    const plan::Node& node = plan_.nodes[id];
    waits_.clear();
    for (const plan::NodeId other : node.after) {
      WT_EXPECT(index(other) < id, "node {} ({}) waits for node {}, whose id isn't smaller", id, node.scope,
                index(other));
      waits_.push_back(static_cast<std::int32_t>(other));
    }
    const Activity activity = std::visit(
        overloaded{
            [&](const plan::Move& move) { return flow(id, move); },
            [&](const plan::Collective&) { return Activity{.delay = costs_.nodes[id].seconds.count()}; },
            [&](const auto& work) { return in_stream(id, work.device); }},
        node.action);  // in_stream adds to waits_
    result_.job.add(activity, waits_);
  }

  Activity in_stream(std::size_t id, plan::DeviceId device) {
    if (plan_.nodes[id].stream == plan::Stream::none) return {.delay = costs_.nodes[id].seconds.count()};
    const auto [last, is_first] =
        last_in_stream_.try_emplace({device, plan_.nodes[id].stream}, static_cast<std::int32_t>(id));
    if (!is_first && std::ranges::find(waits_, last->second) == waits_.end()) waits_.push_back(last->second);
    last->second = static_cast<std::int32_t>(id);
    return {.delay = costs_.nodes[id].seconds.count()};
  }

  Activity flow(std::size_t id, const plan::Move& move) {
    const Path& path = paths_.between(endpoint(move.source), endpoint(move.target));
    const plan::Cost& cost = costs_.nodes[id];
    const std::optional<plan::NodeId> behind = plan_.nodes[id].behind;
    // The cost may be negative: a measured step can be shorter than the latency of the described route.
    return {.delay = std::max(0.0, cost.seconds.count() + path.latency),
            .bytes = on_wire(plan::payload(move).count(), cost.wire),
            .first_link = path.first_link,
            .links = path.links,
            .behind = behind ? static_cast<std::int32_t>(*behind) : none};
  }

  static std::int64_t on_wire(std::int64_t bytes, double wire) {
    return wire == 1 ? bytes : static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * wire));
  }

  Endpoint endpoint(const plan::Operand& operand) const {
    return where_[index(plan_.buffer(operand.buffer).device)];
  }

  // Keeps the links that bytes flow over, and numbers them without gaps.
  void renumber_links() {
    std::vector<std::int32_t> number(static_cast<std::size_t>(platform_.links()), -1);
    for (const Activity& activity : result_.job.activities)
      if (result_.job.flows(activity))
        for (const std::int32_t link : result_.job.route_of(activity))
          number[static_cast<std::size_t>(link)] = 0;
    for (std::size_t link = 0; link < number.size(); ++link) {
      if (number[link] != 0) continue;
      number[link] = narrow<std::int32_t>(result_.links.size());
      result_.links.push_back(static_cast<LinkId>(link));
      result_.job.bandwidths.push_back(platform_.link(static_cast<LinkId>(link)).bandwidth.count());
    }
    for (Activity& activity : result_.job.activities)
      if (!result_.job.flows(activity)) activity.first_link = activity.links = 0;
    for (std::int32_t& link : result_.job.routes) link = number[static_cast<std::size_t>(link)];
  }

  const plan::Plan& plan_;
  const plan::Costs& costs_;
  const platform::Platform& platform_;
  std::span<const Endpoint> where_;
  Translation result_{};
  Paths paths_;
  std::vector<std::int32_t> waits_{};  // of the node that is being added
  std::map<std::pair<plan::DeviceId, plan::Stream>, std::int32_t> last_in_stream_{};
};

}  // namespace

Translation translate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                      std::span<const platform::Endpoint> where) {
  return Translator(plan, costs, platform, where).translate();
}

plan::Timeline timeline_of(const Translation& translation, const platform::Platform& platform,
                           const Outcome& outcome) {
  plan::Timeline timeline{.end = Seconds(outcome.end)};
  timeline.nodes.reserve(outcome.activities.size());
  for (const Interval& interval : outcome.activities)
    timeline.nodes.push_back({Seconds(interval.start), Seconds(interval.end)});
  for (std::size_t link = 0; link < translation.links.size(); ++link)
    timeline.links.push_back({platform.name(translation.links[link]),
                              BytesPerSecond(translation.job.bandwidths[link]),
                              Bytes(outcome.links[link].carried), Seconds(outcome.links[link].busy)});
  return timeline;
}

}  // namespace wt::simulate
