#include "report/page/timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/rough.h"
#include "report/page/columns.h"

namespace wt::report {

namespace {

using timing::Bar, timing::StepPicture, timing::Track;

// Texts that occur often are written once.
class Texts {
 public:
  std::size_t of(const std::string& text) {
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }

  void write(json::Writer& out, std::string_view key) const {
    std::vector<std::string_view> texts(numbers_.size());
    for (const auto& [text, number] : numbers_) texts[number] = text;
    write_column(out, key, texts, [](json::Writer& to, std::string_view text) { to.value(text); });
  }

 private:
  std::map<std::string, std::size_t> numbers_{};
};

double microseconds(Seconds time) { return std::round(time.count() * 1e12) / 1e6; }

// The part of a picture that a report has room for.
class Shown {
 public:
  Shown(const StepPicture& picture, std::size_t most)
      : picture_(picture), keeps_(picture.tracks.size(), false) {
    std::vector<std::size_t> lengths(picture.tracks.size());
    for (const Bar& bar : picture.bars) ++lengths[bar.track];
    std::size_t bars = 0;
    for (const bool of_links : {false, true})
      for (std::size_t track = 0; track < lengths.size(); ++track)
        if ((picture.tracks[track].kind == timing::TrackKind::link) == of_links &&
            bars + lengths[track] <= most) {
          bars += lengths[track];
          keeps_[track] = true;
        }
    number();
  }

  const std::vector<const Bar*>& bars() const { return bars_; }
  const std::vector<const Track*>& tracks() const { return tracks_; }
  std::size_t track_of(const Bar& bar) const { return new_tracks_[bar.track]; }

  // The number of what a bar waited for, or of what that waited for, if the former is left out; -1: none.
  std::int64_t waited_for(const Bar& bar) const {
    for (auto other = bar.waited_for; other; other = picture_.bars[*other].waited_for)
      if (keeps_[picture_.bars[*other].track]) return new_bars_[*other];
    return -1;
  }

  std::string left_out() const {
    if (bars_.size() == picture_.bars.size()) return "";
    return fmt::format("{} of {} are left out, since a report shows {} at most; trace.json has all",
                       counted(std::ssize(picture_.tracks) - std::ssize(tracks_), "track"),
                       picture_.tracks.size(), counted(std::ssize(bars_), "bar"));
  }

 private:
  void number() {
    new_tracks_.resize(keeps_.size());
    new_bars_.resize(picture_.bars.size(), -1);
    for (std::size_t track = 0; track < keeps_.size(); ++track)
      if (keeps_[track]) {
        new_tracks_[track] = tracks_.size();
        tracks_.push_back(&picture_.tracks[track]);
      }
    for (std::size_t bar = 0; bar < picture_.bars.size(); ++bar)
      if (keeps_[picture_.bars[bar].track]) {
        new_bars_[bar] = std::ssize(bars_);
        bars_.push_back(&picture_.bars[bar]);
      }
  }

  const StepPicture& picture_;
  std::vector<bool> keeps_;  // by track
  std::vector<std::size_t> new_tracks_{};
  std::vector<std::int64_t> new_bars_{};
  std::vector<const Track*> tracks_{};
  std::vector<const Bar*> bars_{};
};

void write_groups(json::Writer& out, const StepPicture& picture) {
  out.key("groups").begin_object();
  write_column(out, "name", picture.groups,
               [](auto& to, const timing::Group& group) { to.value(group.name); });
  write_column(out, "kind", picture.groups,
               [](auto& to, const timing::Group& group) { to.value(name(group.kind)); });
  out.end_object();
}

void write_tracks(json::Writer& out, const StepPicture& picture, const Shown& shown) {
  out.key("tracks").begin_object();
  const auto& tracks = shown.tracks();
  write_column(out, "group", tracks, [](auto& to, const Track* track) { to.value(track->group); });
  write_column(out, "name", tracks, [&](auto& to, const Track* track) {
    to.value(fmt::format("{}: {}", picture.groups[track->group].name, track->label));
  });
  write_column(out, "label", tracks, [](auto& to, const Track* track) { to.value(track->label); });
  write_column(out, "kind", tracks, [](auto& to, const Track* track) { to.value(name(track->kind)); });
  out.end_object();
}

void write_bars(json::Writer& out, const Shown& shown, Texts& names, Texts& scopes) {
  out.key("bars").begin_object();
  const auto column = [&](std::string_view key, auto write) { write_column(out, key, shown.bars(), write); };
  column("track", [&](auto& to, const Bar* bar) { to.value(shown.track_of(*bar)); });
  column("name", [&](auto& to, const Bar* bar) { to.value(names.of(bar->name)); });
  column("kind", [](auto& to, const Bar* bar) { to.value(static_cast<int>(bar->kind)); });
  column("scope", [&](auto& to, const Bar* bar) { to.value(scopes.of(bar->scope)); });
  column("start_us", [](auto& to, const Bar* bar) { to.value(microseconds(bar->span.start)); });
  column("duration_us",
         [](auto& to, const Bar* bar) { to.value(microseconds(bar->span.end - bar->span.start)); });
  column("bytes", [](auto& to, const Bar* bar) {
    if (bar->bytes)
      to.value(bar->bytes->count());
    else
      to.null();
  });
  column("waited_for", [&](auto& to, const Bar* bar) { to.value(shown.waited_for(*bar)); });
  column("critical", [](auto& to, const Bar* bar) { to.value(bar->is_critical ? 1 : 0); });
  out.end_object();
}

}  // namespace

void write_timeline(json::Writer& out, const StepPicture& picture, std::size_t most) {
  const Shown shown(picture, most);
  out.key("timeline")
      .begin_object()
      .member("step_time_s", picture.end.count())
      .member("shown", picture.shown);
  if (const std::string text = shown.left_out(); !text.empty()) out.member("left_out", text);
  write_groups(out, picture);
  write_tracks(out, picture, shown);
  Texts names, scopes;
  write_bars(out, shown, names, scopes);
  names.write(out, "names");
  scopes.write(out, "scopes");
  out.key("kinds").begin_array(json::Layout::compact);
  for (std::size_t kind = 0; kind < timing::bar_kinds; ++kind)
    out.value(name(static_cast<timing::BarKind>(kind)));
  out.end_array().end_object();
}

}  // namespace wt::report
