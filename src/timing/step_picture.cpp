#include "timing/step_picture.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/id.h"
#include "plan/rows.h"
#include "simulate/ends.h"
#include "timing/step_clock.h"
#include "timing/step_split.h"

namespace wt::timing {

namespace {

// Times are written to a picosecond, so a shorter bar would be written with no length at all.
constexpr Seconds shortest{5e-13};

constexpr std::array<std::string_view, bar_kinds> bar_names{
    "kernel", "sum",   "packing",         "message",  "collective", "row_copy",
    "copy",   "input", "synchronization", "dispatch", "software"};
constexpr std::array<std::string_view, 5> track_names{"compute", "communication", "copies", "waiting",
                                                      "link"};
constexpr std::array<std::string_view, 4> group_names{"device", "host", "adder", "links"};
constexpr std::array<std::string_view, 3> stream_names{"compute", "communication", "as soon as ready"};

bool moves_values(plan::Purpose purpose) {
  switch (purpose) {
    case plan::Purpose::reduction:
    case plan::Purpose::reduce:
    case plan::Purpose::broadcast:
    case plan::Purpose::gather:
    case plan::Purpose::permute:
    case plan::Purpose::pull:
    case plan::Purpose::push:
      return true;
    default:
      return false;
  }
}

class Drawing {
 public:
  Drawing(const plan::Plan& plan, const plan::Timeline& timeline, const ShownStep& shown,
          const platform::Platform& platform, std::span<const platform::Endpoint> where)
      : plan_(plan),
        timeline_(timeline),
        shown_(shown),
        platform_(platform),
        where_(where),
        bar_of_(plan.nodes.size()),
        before_(plan.nodes.size()) {
    picture_.end = shown.end;
    picture_.shown = shown.text;
  }

  StepPicture draw() && {
    add_groups();
    find_what_each_node_waits_for();
    for (std::size_t node = 0; node < plan_.nodes.size(); ++node)
      std::visit([&](const auto& action) { draw_node(node, action); }, plan_.nodes[node].action);
    draw_collectives();
    draw_waits_for_rows();
    draw_end();
    give_lanes();
    sort_bars();
    mark_critical_path();
    return std::move(picture_);
  }

 private:
  // A bar whose track has no number yet. What lies on one line may overlap.
  struct Line {
    std::size_t group = 0;
    TrackKind kind{};
    std::string label{};
    auto operator<=>(const Line&) const = default;
  };

  const plan::Span& span(std::size_t node) const { return timeline_.nodes[node]; }
  const plan::Node& node_at(std::size_t node) const { return plan_.nodes[node]; }
  plan::DeviceId device_of(const plan::Operand& operand) const { return plan_.buffer(operand.buffer).device; }
  bool trains(std::size_t device) const { return platform_.is_device(where_[device]); }

  void add_groups() {
    for (std::size_t i = 0; i < plan_.devices.size(); ++i) {
      const GroupKind kind = trains(i)                        ? GroupKind::device
                             : platform_.is_switch(where_[i]) ? GroupKind::adder
                                                              : GroupKind::host;
      picture_.groups.push_back({plan_.devices[i].name, kind});
    }
    picture_.groups.push_back({"links", GroupKind::links});
  }

  // ---- Dependencies

  // The last of a node's dependencies to end; a stream takes one node after the other.
  void find_what_each_node_waits_for() {
    std::map<std::pair<plan::DeviceId, plan::Stream>, std::size_t> on_stream;
    for (std::size_t id = 0; id < plan_.nodes.size(); ++id) {
      const plan::Node& node = plan_.nodes[id];
      // What a copy brings ahead is of the next step.
      const auto consider = [&](std::size_t other) {
        if (span(other).end > span(id).start && plan::is_copy_of_rows(plan_, plan_.nodes[other])) return;
        if (!before_[id] || span(other).end > span(*before_[id]).end) before_[id] = other;
      };
      for (const plan::NodeId other : node.after) consider(index(other));
      if (node.behind) consider(index(*node.behind));
      const auto* run = std::get_if<plan::Run>(&node.action);
      const auto* sum = std::get_if<plan::Sum>(&node.action);
      if ((run == nullptr && sum == nullptr) || node.stream == plan::Stream::none) continue;
      const auto [last, is_first] =
          on_stream.try_emplace({run != nullptr ? run->device : sum->device, node.stream}, id);
      if (!is_first) consider(last->second);
      last->second = id;
    }
  }

  // The bar of a node or, since some have none, of the node that it waited for.
  std::optional<std::size_t> bar_before(std::size_t node) const {
    for (std::optional<std::size_t> other = before_[node]; other; other = before_[*other])
      if (bar_of_[*other]) return bar_of_[*other];
    return std::nullopt;
  }

  // ---- Bars

  std::optional<std::size_t> add(const Line& line, Bar bar) {
    if (bar.span.end - bar.span.start < shortest) return std::nullopt;
    lines_.push_back(line);
    picture_.bars.push_back(std::move(bar));
    return picture_.bars.size() - 1;
  }

  Bar bar_of_node(std::size_t node, std::string_view name, BarKind kind) const {
    return {.name = std::string(name),
            .scope = node_at(node).scope,
            .kind = kind,
            .span = span(node),
            .node = static_cast<plan::NodeId>(node),
            .waited_for = bar_before(node)};
  }

  BarKind kind_of(std::size_t node, BarKind otherwise) const {
    return node_at(node).role.purpose == plan::Purpose::packing ? BarKind::packing : otherwise;
  }

  void draw_on_stream(std::size_t node, plan::DeviceId device, std::string_view name, BarKind kind) {
    const plan::Stream stream = node_at(node).stream;
    const bool is_compute = stream == plan::Stream::compute || kind == BarKind::kernel;
    bar_of_[node] = add({index(device), is_compute ? TrackKind::compute : TrackKind::communication,
                         std::string(stream_names.at(static_cast<std::size_t>(stream)))},
                        bar_of_node(node, name, kind_of(node, kind)));
  }

  void draw_node(std::size_t node, const plan::Run& run) {
    draw_on_stream(node, run.device, run.kernel->name, BarKind::kernel);
  }

  void draw_node(std::size_t node, const plan::Sum& sum) {
    if (is_of_collective(node_at(node))) {
      take_part(node, sum.device);
      if (node_at(node).stream == plan::Stream::none) return draw_sum_of_schedule(node, sum);
    }
    draw_on_stream(node, sum.device, "sum", BarKind::sum);
  }

  void draw_sum_of_schedule(std::size_t node, const plan::Sum& sum) {
    bar_of_[node] =
        add({index(sum.device), TrackKind::communication, "sums"}, bar_of_node(node, "sum", BarKind::sum));
  }

  void draw_node(std::size_t node, const plan::Collective& collective) {
    for (const plan::Operand& value : collective.values) {
      Bar bar = bar_of_node(node, plan::name(node_at(node).role), BarKind::collective);
      bar.scope = collective.algorithm;
      const auto made = add({index(device_of(value)), TrackKind::communication, "communication"}, bar);
      if (!bar_of_[node]) bar_of_[node] = made;
    }
  }

  void draw_node(std::size_t node, const plan::Move& move) {
    const plan::DeviceId source = device_of(move.source), target = device_of(move.target);
    const bool is_of_rows = node_at(node).role.purpose == plan::Purpose::input_copy;
    const std::string& name = plan_.buffer(move.source.buffer).name;
    if (source == target || is_of_rows) {
      Bar bar = bar_of_node(node, name, kind_of(node, is_of_rows ? BarKind::row_copy : BarKind::copy));
      bar.bytes = plan::payload(node_at(node));
      bar_of_[node] = add({index(target), TrackKind::copies, "copies"}, bar);
    }
    if (source == target) return;
    if (moves_values(node_at(node).role.purpose)) {
      take_part(node, source);
      take_part(node, target);
    }
    Bar bar = bar_of_node(node, name, is_of_rows ? BarKind::row_copy : BarKind::message);
    bar.bytes = plan::payload(node_at(node));
    const simulate::Ends ends = simulate::ends_of(plan_, node_at(node), move, platform_, where_);
    for (const platform::LinkId link : platform_.route(ends.source, ends.target).links) {
      const auto made = add({links(), TrackKind::link, platform_.name(link)}, bar);
      if (!bar_of_[node]) bar_of_[node] = made;
    }
  }

  std::size_t links() const { return plan_.devices.size(); }

  // ---- Collectives that are many nodes: on each device, from its first message to its last

  void take_part(std::size_t node, plan::DeviceId device) {
    if (span(node).end - span(node).start < shortest) return;
    const auto [found, is_first] =
        parts_.try_emplace({plan::name(node_at(node).role), device}, Part{span(node), node});
    Part& part = found->second;
    if (is_first) return;
    if (span(node).start < part.span.start) part = {{span(node).start, part.span.end}, node};
    part.span.end = std::max(part.span.end, span(node).end);
  }

  void draw_collectives() {
    for (const auto& [key, part] : parts_)
      add({index(key.second), TrackKind::communication, "communication"},
          {.name = key.first,
           .scope = node_at(part.first).scope,
           .kind = BarKind::collective,
           .span = part.span,
           .waited_for = bar_before(part.first)});
  }

  // ---- What no node stands for

  void draw_waits_for_rows() {
    for (std::size_t device = 0; device < shown_.rows_arrive.size(); ++device)
      if (trains(device))
        add({device, TrackKind::waiting, "rows"}, {.name = "waits for rows",
                                                   .scope = "input",
                                                   .kind = BarKind::input,
                                                   .span = {Seconds(0), shown_.rows_arrive[device]}});
  }

  // From the last node to the end of the step, if that is no copy of rows for which the step waits.
  void draw_end() {
    std::optional<std::size_t> last;
    for (std::size_t node = 0; node < plan_.nodes.size(); ++node) {
      const bool is_of_rows = plan::is_copy_of_rows(plan_, plan_.nodes[node]);
      if (is_of_rows && span(node).end >= shown_.end) return;
      if (!is_of_rows && (!last || span(node).end > span(*last).end)) last = node;
    }
    if (!last) return;
    const Seconds together = std::max(span(*last).end, shown_.end - shown_.software);
    const auto draw = [&](std::size_t device, BarKind kind, std::string_view what, const plan::Span& when,
                          std::optional<std::size_t> before) {
      return add({device, TrackKind::waiting, std::string(name(kind))}, {.name = std::string(what),
                                                                         .scope = "end of the step",
                                                                         .kind = kind,
                                                                         .span = when,
                                                                         .waited_for = before});
    };
    const BarKind kind = shown_.is_dispatched ? BarKind::dispatch : BarKind::synchronization;
    const std::string_view what =
        shown_.is_dispatched ? "the host starts a step" : "devices are brought together";
    const auto of_last = bar_of_[*last] ? bar_of_[*last] : bar_before(*last);
    for (std::size_t device = 0; device < plan_.devices.size(); ++device) {
      if (!trains(device)) continue;
      const auto made = draw(device, kind, what, {span(*last).end, together}, of_last);
      draw(device, BarKind::software, "the framework's software", {together, shown_.end},
           made ? made : of_last);
    }
  }

  // ---- Tracks

  void give_lanes() {
    std::vector<std::size_t> order = by_start();
    std::map<Line, std::vector<std::vector<std::size_t>>> lanes;  // by line and lane, its bars
    for (const std::size_t bar : order) {
      auto& of_line = lanes[lines_[bar]];
      const auto is_free = [&](const std::vector<std::size_t>& lane) {
        return picture_.bars[lane.back()].span.end <= picture_.bars[bar].span.start + shortest;
      };
      const auto free = std::ranges::find_if(of_line, is_free);
      (free == of_line.end() ? of_line.emplace_back() : *free).push_back(bar);
    }
    for (const auto& [line, of_line] : lanes)
      for (std::size_t lane = 0; lane < of_line.size(); ++lane) {
        std::string label = line.label;
        if (lane > 0) label += " (" + std::to_string(lane + 1) + ")";
        for (const std::size_t bar : of_line[lane]) picture_.bars[bar].track = picture_.tracks.size();
        picture_.tracks.push_back({line.group, std::move(label), line.kind});
      }
  }

  std::vector<std::size_t> by_start() const {
    std::vector<std::size_t> order(picture_.bars.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t bar) { return picture_.bars[bar].span.start; });
    return order;
  }

  void sort_bars() {
    const std::vector<std::size_t> order = by_start();
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<Bar> sorted;
    for (const std::size_t bar : order) {
      Bar& moved = sorted.emplace_back(std::move(picture_.bars[bar]));
      if (moved.waited_for) moved.waited_for = place[*moved.waited_for];
    }
    picture_.bars = std::move(sorted);
  }

  void mark_critical_path() {
    std::optional<std::size_t> bar;
    for (std::size_t i = 0; i < picture_.bars.size(); ++i)
      if (!bar || picture_.bars[i].span.end > picture_.bars[*bar].span.end) bar = i;
    for (; bar && !picture_.bars[*bar].is_critical; bar = picture_.bars[*bar].waited_for)
      picture_.bars[*bar].is_critical = true;
  }

  // The part that a device takes in a collective: its span, and the node that begins it.
  struct Part {
    plan::Span span{};
    std::size_t first = 0;
  };

  const plan::Plan& plan_;
  const plan::Timeline& timeline_;
  const ShownStep& shown_;
  const platform::Platform& platform_;
  std::span<const platform::Endpoint> where_;
  StepPicture picture_{};
  std::vector<Line> lines_{};                       // by bar, until it has a track
  std::vector<std::optional<std::size_t>> bar_of_;  // by node
  std::vector<std::optional<std::size_t>> before_;  // by node, the last of its dependencies to end
  std::map<std::pair<std::string, plan::DeviceId>, Part> parts_{};
};

}  // namespace

std::string_view name(BarKind kind) { return bar_names.at(static_cast<std::size_t>(kind)); }
std::string_view name(TrackKind kind) { return track_names.at(static_cast<std::size_t>(kind)); }
std::string_view name(GroupKind kind) { return group_names.at(static_cast<std::size_t>(kind)); }

StepPicture picture_of(const plan::Plan& plan, const plan::Timeline& timeline, const ShownStep& shown,
                       const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  return Drawing(plan, timeline, shown, platform, where).draw();
}

}  // namespace wt::timing
