#pragma once
// One step as bars on tracks: what traces (report/trace.h) and reports (report/page/) draw. Each device is a group of
// tracks, a track for each of its streams, and the links that carry bytes are one more group:
//
//   /job:localhost/replica:0/task:0/device:GPU:0   compute          conv2d | bias_add | ...
//                                                  communication    all_reduce/0
//                                                  synchronization                      | devices are brought together
//   links                                          machine 0/gpu 0 -> nvswitch          |dw 4 MiB|dw 4 MiB|
//
// What must hold: bars of one track don't overlap, so what overlaps gets further tracks; no bar is without a length;
// the last bar ends with the step. Each bar names the one that it waited for, so that following these names from
// the last bar gives the critical path (Kelley and Walker, "Critical-path planning and scheduling", 1959).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/timeline.h"
#include "platform/platform.h"
#include "timing/simulation.h"

namespace wt::timing {

enum class BarKind : std::uint8_t {
  kernel,
  sum,
  packing,     // copies and scaling before and after a reduction
  message,     // on a link
  collective,  // all messages and sums of one, as a device takes part in it
  row_copy,    // rows of a batch, from their host to a device
  copy,        // within a device
  input,       // the wait for rows that a host reads and decodes
  synchronization,
  dispatch,  // the host of a TPU starts the next step
  software   // of the framework, on the host
};
std::string_view name(BarKind kind);  // "row_copy"
inline constexpr std::size_t bar_kinds = 11;

enum class TrackKind : std::uint8_t { compute, communication, copies, waiting, link };
std::string_view name(TrackKind kind);

enum class GroupKind : std::uint8_t { device, host, adder, links };
std::string_view name(GroupKind kind);

struct Group {
  std::string name{};
  GroupKind kind{};
};

struct Track {
  std::size_t group = 0;
  std::string label{};  // one of its kind in the group: "compute", "machine 0/gpu 0 -> nvswitch (2)"
  TrackKind kind{};
};

struct Bar {
  std::size_t track = 0;
  std::string name{};
  std::string scope{};
  BarKind kind{};
  plan::Span span{};
  std::optional<Bytes> bytes{};
  std::optional<plan::NodeId> node{};       // unset: several nodes, or none
  std::optional<std::size_t> waited_for{};  // the bar after whose end this one began
  bool is_critical = false;                 // on the critical path
};

struct StepPicture {
  std::vector<Group> groups{};
  std::vector<Track> tracks{};  // by group
  std::vector<Bar> bars{};      // by start
  Seconds end{};
  std::string shown{};  // "one step"
};

// `where` gives the endpoint of each device of the plan.
StepPicture picture_of(const plan::Plan& plan, const plan::Timeline& timeline, const ShownStep& shown,
                       const platform::Platform& platform, std::span<const platform::Endpoint> where);

}  // namespace wt::timing
