#include "report/page/memory.h"

#include <algorithm>

#include "base/narrow.h"
#include "report/page/columns.h"

namespace wt::report {

namespace {

using plan::BufferKind, plan::HeldMoment;

constexpr std::size_t most_moments = 250;  // of a device
constexpr std::size_t most_courses = 16;   // of devices that differ

constexpr std::array stacked{BufferKind::variable,    BufferKind::optimizer_slot, BufferKind::input,
                             BufferKind::input_ahead, BufferKind::result,         BufferKind::activation,
                             BufferKind::gradient,    BufferKind::workspace,      BufferKind::communication};
static_assert(stacked.size() == plan::buffer_kinds);

// Of each stretch of a long course, the moment with the most bytes.
std::vector<HeldMoment> thinned(const std::vector<HeldMoment>& course) {
  if (course.size() <= most_moments) return course;
  std::vector<HeldMoment> kept;
  for (std::size_t i = 0; i < most_moments; ++i) {
    const auto begin = course.begin() + static_cast<std::ptrdiff_t>(i * course.size() / most_moments);
    const auto end = course.begin() + static_cast<std::ptrdiff_t>((i + 1) * course.size() / most_moments);
    kept.push_back(*std::max_element(
        begin, end, [](const HeldMoment& a, const HeldMoment& b) { return a.sum() < b.sum(); }));
  }
  return kept;
}

bool occurs(const std::vector<HeldMoment>& course, BufferKind kind) {
  return std::ranges::any_of(course, [&](const HeldMoment& moment) {
    return moment.by_kind.at(static_cast<std::size_t>(kind)) > Bytes(0);
  });
}

// A node that waits may start after one with a greater number, and a course only goes forward.
void write_times(json::Writer& out, const std::vector<HeldMoment>& course, const plan::Timeline& timeline) {
  Seconds latest{};
  write_column(out, "time_s", course, [&](json::Writer& to, const HeldMoment& moment) {
    if (moment.node < timeline.nodes.size()) latest = std::max(latest, timeline.nodes[moment.node].start);
    to.value(latest.count());
  });
}

void write_course(json::Writer& out, const std::vector<HeldMoment>& course, const plan::Timeline* timeline) {
  out.key("over_step").begin_object();
  write_column(out, "position", course,
               [](json::Writer& to, const HeldMoment& moment) { to.value(moment.node); });
  if (timeline != nullptr) write_times(out, course, *timeline);
  out.key("kinds").begin_array(json::Layout::compact);
  for (const BufferKind kind : stacked)
    if (occurs(course, kind)) out.value(plan::name(kind));
  out.end_array().key("bytes").begin_array();
  for (const BufferKind kind : stacked) {
    if (!occurs(course, kind)) continue;
    out.begin_array(json::Layout::compact);
    for (const HeldMoment& moment : course)
      out.value(moment.by_kind.at(static_cast<std::size_t>(kind)).count());
    out.end_array();
  }
  out.end_array().end_object();
}

void write_at_peak(json::Writer& out, const plan::DeviceMemory& device) {
  out.member("device", device.device).member("verdict", plan::name(device.verdict));
  if (device.limit) out.member("limit_bytes", device.limit->count());
  out.member("arena_bytes", device.arena.count())
      .member("fragmentation_bytes", device.fragmentation.count())
      .key("bytes_at_peak")
      .begin_object(json::Layout::one_line);
  for (const auto& [kind, bytes] : device.at_peak.by_kind) out.member(plan::name(kind), bytes.count());
  out.end_object();
}

bool is_like(const plan::DeviceMemory& a, const plan::DeviceMemory& b) {
  return a.limit == b.limit && a.arena == b.arena && a.at_peak.by_kind == b.at_peak.by_kind;
}

}  // namespace

void write_memory(json::Writer& out, const plan::Plan& plan, const plan::MemoryReport& report,
                  const plan::Timeline* timeline) {
  out.key("memory").begin_array();
  std::size_t courses = 0;
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    const plan::DeviceMemory& device = report.devices[i];
    out.begin_object();
    write_at_peak(out, device);
    const auto alike = std::ranges::find_if(
        report.devices, [&](const plan::DeviceMemory& other) { return is_like(device, other); });
    const auto first = static_cast<std::size_t>(alike - report.devices.begin());
    const auto id = std::ranges::find(plan.devices, device.device, &plan::Device::name);
    if (first < i)
      out.member("like", first);
    else if (courses < most_courses && id != plan.devices.end() && ++courses > 0)
      write_course(out,
                   thinned(plan::held_over_step(
                       plan, plan::DeviceId(narrow<std::int32_t>(id - plan.devices.begin())))),
                   timeline);
    out.end_object();
  }
  out.end_array();
}

}  // namespace wt::report
