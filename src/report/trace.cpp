#include "report/trace.h"

#include <algorithm>

#include "base/id.h"
#include "base/json_writer.h"

namespace wt::report {

namespace {

using json::Layout;
using timing::Bar, timing::StepPicture;

class TraceWriter {
 public:
  explicit TraceWriter(const StepPicture& picture) : picture_(picture) {}

  std::string write(std::string_view platform, std::string_view name, std::string_view ended) {
    out_.begin_object()
        .member("displayTimeUnit", "ms")
        .key("otherData")
        .begin_object(Layout::one_line)
        .member("what", "one simulated step")
        .member("shown", picture_.shown)
        .member("step_time_s", picture_.end.count())
        .member("platform", platform)
        .member("plan", name);
    if (!ended.empty()) out_.member("ended", ended);
    out_.end_object().key("traceEvents").begin_array();
    for (std::size_t i = 0; i < picture_.groups.size(); ++i) name_group(i);
    for (std::size_t i = 0; i < picture_.tracks.size(); ++i) name_track(i);
    for (const Bar& bar : picture_.bars) write_bar(bar);
    for (std::size_t i = 0; i < picture_.bars.size(); ++i) write_arrow(i);
    return out_.end_array().end_object().text();
  }

 private:
  void name_group(std::size_t group) {
    metadata("process_name", group, 0).member("name", picture_.groups[group].name).end_object().end_object();
    metadata("process_sort_index", group, 0).member("sort_index", group).end_object().end_object();
  }
  void name_track(std::size_t track) {
    const std::size_t group = picture_.tracks[track].group;
    metadata("thread_name", group, track)
        .member("name", picture_.tracks[track].label)
        .end_object()
        .end_object();
    metadata("thread_sort_index", group, track).member("sort_index", track).end_object().end_object();
  }
  json::Writer& metadata(std::string_view what, std::size_t process, std::size_t thread) {
    return begin("M", process, thread).member("name", what).key("args").begin_object();
  }

  json::Writer& begin(std::string_view phase, std::size_t process, std::size_t thread) {
    return out_.begin_object(Layout::one_line)
        .member("ph", phase)
        .member("pid", process)
        .member("tid", thread);
  }
  json::Writer& begin(std::string_view phase, const Bar& bar) {
    return begin(phase, picture_.tracks[bar.track].group, bar.track);
  }

  void write_bar(const Bar& bar) {
    begin("X", bar)
        .member("name", bar.name)
        .member("cat", name(bar.kind))
        .member("ts", microseconds(bar.span.start))
        .member("dur", microseconds(bar.span.end - bar.span.start))
        .key("args")
        .begin_object();
    if (bar.node) out_.member("node", index(*bar.node));
    out_.member("scope", bar.scope);
    if (bar.bytes) out_.member("bytes", bar.bytes->count());
    out_.member("critical", bar.is_critical).end_object().end_object();
  }

  // A viewer joins an arrow with the bar in which it begins, so that it begins just before that bar's end.
  void write_arrow(std::size_t target) {
    const Bar& to = picture_.bars[target];
    if (!to.waited_for) return;
    const Bar& from = picture_.bars[*to.waited_for];
    if (from.track == to.track) return;
    const Seconds length = from.span.end - from.span.start;
    const Seconds begin_at = from.span.end - std::min(length / 2.0, Seconds(1e-9));
    arrow("s", from, target, begin_at);
    out_.end_object();
    arrow("f", to, target, to.span.start).member("bp", "e").end_object();
  }
  json::Writer& arrow(std::string_view phase, const Bar& bar, std::size_t id, Seconds at) {
    return begin(phase, bar)
        .member("name", "waits for")
        .member("cat", "dependency")
        .member("id", id)
        .member("ts", microseconds(at));
  }

  static double microseconds(Seconds time) { return time.count() * 1e6; }

  const StepPicture& picture_;
  json::Writer out_{};
};

}  // namespace

std::string chrome_trace(const StepPicture& picture, std::string_view platform, std::string_view name,
                         std::string_view ended) {
  return TraceWriter(picture).write(platform, name, ended);
}

}  // namespace wt::report
