#include "timing/overdue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/id.h"
#include "plan/condense.h"
#include "timing/step_clock.h"

namespace wt::timing {

namespace {

using Moments = std::map<plan::DeviceId, Seconds>;

void put_off(Seconds& moment, Seconds until) { moment = std::max(moment, until); }

// A collective of one step, with the times of its devices.
struct Meeting {
  plan::Role role{};
  Moments entered{};  // by device, when all dependencies of its part had finished
  Moments left{};     // by device, when its part had finished
};

class Clock {
 public:
  Clock(const plan::Plan& plan, const plan::Timeline& timeline, Seconds timeout)
      : plan_(plan), timeline_(timeline), timeout_(timeout) {}

  // Examines the nodes of a step, from `first` to before `last`. As in TensorFlow, a device starts its
  // collectives one after the other.
  void look_at(int step, std::size_t first, std::size_t last) {
    for (Meeting& meeting : meetings(first, last)) {
      for (auto& [device, moment] : meeting.entered) put_off(moment, left_[device]);
      for (const auto& [device, moment] : meeting.left) put_off(left_[device], moment);
      judge(step, meeting);
    }
  }

  std::optional<Overdue> found() && { return std::move(found_); }

 private:
  std::vector<Meeting> meetings(std::size_t first, std::size_t last) const {
    std::vector<Meeting> meetings;
    for (std::size_t id = first; id < last; ++id) {
      if (!is_of_collective(plan_.nodes[id])) continue;
      const plan::Role& role = plan_.nodes[id].role;
      auto meeting = std::ranges::find(meetings, role, &Meeting::role);
      if (meeting == meetings.end()) meeting = meetings.insert(meeting, {.role = role});
      add(id, *meeting);
    }
    return meetings;
  }

  void add(std::size_t id, Meeting& meeting) const {
    const plan::Node& node = plan_.nodes[id];
    const std::set<plan::DeviceId> own = devices(node.action);
    for (const plan::DeviceId device : own) put_off(meeting.left[device], timeline_.nodes[id].end);
    for (const plan::NodeId other : node.after) {
      const plan::Node& before = plan_.node(other);
      if (is_of_collective(before) && before.role == node.role) continue;
      for (const plan::DeviceId device : devices(before.action))
        if (own.contains(device)) put_off(meeting.entered[device], timeline_.nodes[index(other)].end);
    }
  }

  // The devices that take part in an action: for a message, both ends.
  std::set<plan::DeviceId> devices(const plan::Action& action) const {
    const std::vector<plan::DeviceId> all = plan::devices_of(plan_, action);
    std::set<plan::DeviceId> devices(all.begin(), all.end());
    if (const auto* move = std::get_if<plan::Move>(&action))
      devices.insert(plan_.buffer(move->source.buffer).device);
    return devices;
  }

  void judge(int step, const Meeting& meeting) {
    if (meeting.entered.empty()) return;
    const auto of = [](const auto& row) { return row.second; };
    const auto [first, last] = std::ranges::minmax_element(meeting.entered, {}, of);
    const Seconds span = std::ranges::max_element(meeting.left, {}, of)->second - first->second;
    if (span <= timeout_ || (found_ && found_->entered <= first->second)) return;
    found_ = {.step = step,
              .collective = name(meeting.role),
              .last = plan_.devices[index(last->first)].name,
              .entered = first->second,
              .late = last->second - first->second,
              .span = span};
  }

  const plan::Plan& plan_;
  const plan::Timeline& timeline_;
  const Seconds timeout_;
  Moments left_{};  // by device, the end of its latest collective
  std::optional<Overdue> found_{};
};

}  // namespace

std::optional<Overdue> first_overdue(const plan::Plan& plan, const plan::Timeline& timeline,
                                     Seconds timeout) {
  Clock clock(plan, timeline, timeout);
  clock.look_at(0, 0, plan.nodes.size());
  return std::move(clock).found();
}

std::optional<Overdue> first_overdue(const SeveralSteps& steps, Seconds timeout) {
  const plan::Repeated& all = steps.repeated;
  Clock clock(all.timed.plan, steps.timeline, timeout);
  for (std::size_t step = 0; step < all.first.size(); ++step)
    clock.look_at(static_cast<int>(step), index(all.first[step]), index(all.ends[step].front()));
  return std::move(clock).found();
}

}  // namespace wt::timing
