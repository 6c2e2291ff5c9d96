#include "report/trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/json_writer.h"

namespace wt::report {

namespace {

using json::Layout;

constexpr std::array<std::string_view, 3> stream_names{"compute", "communication", "as soon as ready"};

class TraceWriter {
 public:
  TraceWriter(const plan::Plan& plan, const plan::Timeline& timeline, const platform::Platform& platform,
              std::span<const platform::Endpoint> where)
      : plan_(plan), timeline_(timeline), platform_(platform), where_(where) {}

  std::string write(std::string_view ended) {
    out_.begin_object()
        .member("displayTimeUnit", "ms")
        .key("otherData")
        .begin_object(Layout::one_line)
        .member("what", "one simulated step")
        .member("platform", platform_.name())
        .member("plan", plan_.name);
    if (!ended.empty()) out_.member("ended", ended);
    out_.end_object().key("traceEvents").begin_array();
    for (std::size_t i = 0; i < plan_.devices.size(); ++i) name_process(i, plan_.devices[i].name);
    name_process(links(), "links");
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      std::visit([&](const auto& action) { write_node(i, action); }, plan_.nodes[i].action);
    for (auto& [link, flows] : flows_) write_link(link, flows);
    return out_.end_array().end_object().text();
  }

 private:
  std::size_t links() const { return plan_.devices.size(); }

  void name_process(std::size_t process, std::string_view name) {
    metadata("process_name", process, 0).member("name", name).end_object().end_object();
    metadata("process_sort_index", process, 0).member("sort_index", process).end_object().end_object();
  }
  void name_thread(std::size_t process, std::size_t thread, std::string_view name) {
    metadata("thread_name", process, thread).member("name", name).end_object().end_object();
  }
  json::Writer& metadata(std::string_view what, std::size_t process, std::size_t thread) {
    return out_.begin_object(Layout::one_line)
        .member("ph", "M")
        .member("name", what)
        .member("pid", process)
        .member("tid", thread)
        .key("args")
        .begin_object();
  }

  void write_node(std::size_t node, const plan::Run& run) { write_busy(node, run.device, run.kernel->name); }
  void write_node(std::size_t node, const plan::Sum& sum) { write_busy(node, sum.device, "sum"); }

  void write_node(std::size_t node, const plan::Collective& collective) {
    for (const plan::Operand& value : collective.values)
      write_busy(node, plan_.buffer(value.buffer).device, collective.algorithm);
  }

  // Writes an interval on a stream's track.
  void write_busy(std::size_t node, plan::DeviceId device, std::string_view name) {
    const auto stream = static_cast<std::size_t>(plan_.nodes[node].stream);
    const auto thread = std::pair(index(device), stream);
    if (named_.insert(thread).second) name_thread(thread.first, thread.second, stream_names.at(stream));
    begin_event(node, name, stream_names.at(stream), thread.first, thread.second);
    end_event(node);
  }

  void write_node(std::size_t node, const plan::Move& move) {
    const auto endpoint = [&](const plan::Operand& operand) {
      return where_[index(plan_.buffer(operand.buffer).device)];
    };
    for (const platform::LinkId link : platform_.route(endpoint(move.source), endpoint(move.target)).links)
      flows_[link].push_back(node);
  }

  // Flows on one link overlap, and a track shows one event at a time. A link therefore gets as many lanes as
  // needed.
  void write_link(platform::LinkId link, std::vector<std::size_t>& flows) {
    std::stable_sort(flows.begin(), flows.end(),
                     [&](std::size_t a, std::size_t b) { return span(a).start < span(b).start; });
    std::vector<Seconds> lanes;  // by lane, the end of its last flow
    for (const std::size_t node : flows) {
      const auto is_free = [&](Seconds end) { return end <= span(node).start; };
      const auto lane =
          static_cast<std::size_t>(std::find_if(lanes.begin(), lanes.end(), is_free) - lanes.begin());
      if (lane == lanes.size()) {
        lanes.emplace_back();
        name_thread(links(), tracks_ + lane, platform_.name(link));
      }
      lanes[lane] = span(node).end;
      const auto& move = std::get<plan::Move>(plan_.nodes[node].action);
      begin_event(node, plan_.buffer(move.source.buffer).name, "move", links(), tracks_ + lane);
      out_.key("args")
          .begin_object()
          .member("node", node)
          .member("bytes", plan::payload(move).count())
          .end_object();
      out_.end_object();
    }
    tracks_ += lanes.size();
  }

  json::Writer& begin_event(std::size_t node, std::string_view name, std::string_view category,
                            std::size_t process, std::size_t thread) {
    return out_.begin_object(Layout::one_line)
        .member("ph", "X")
        .member("name", name)
        .member("cat", category)
        .member("pid", process)
        .member("tid", thread)
        .member("ts", microseconds(span(node).start))
        .member("dur", microseconds(span(node).end - span(node).start));
  }
  void end_event(std::size_t node) {
    out_.key("args")
        .begin_object()
        .member("node", node)
        .member("scope", plan_.nodes[node].scope)
        .end_object();
    out_.end_object();
  }

  const plan::Span& span(std::size_t node) const { return timeline_.nodes[node]; }
  static double microseconds(Seconds time) { return time.count() * 1e6; }

  const plan::Plan& plan_;
  const plan::Timeline& timeline_;
  const platform::Platform& platform_;
  std::span<const platform::Endpoint> where_;
  json::Writer out_{};
  std::set<std::pair<std::size_t, std::size_t>> named_{};
  std::map<platform::LinkId, std::vector<std::size_t>> flows_{};
  std::size_t tracks_ = 0;  // number of link tracks so far
};

}  // namespace

std::string chrome_trace(const plan::Plan& plan, const plan::Timeline& timeline,
                         const platform::Platform& platform, std::span<const platform::Endpoint> where,
                         std::string_view ended) {
  return TraceWriter(plan, timeline, platform, where).write(ended);
}

}  // namespace wt::report
