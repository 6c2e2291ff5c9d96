#include "platform/formats/simgrid_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/formats/simgrid_units.h"

namespace wt::platform::simgrid {

using xml::Element;

BytesPerSecond read_bandwidth(Element& element, std::string_view attribute) {
  const std::string text = element.required(attribute);
  const std::optional<BytesPerSecond> found = bandwidth(text);
  if (!found && element.has(attribute))
    element.problem(attribute, fmt::format("\"{}\" is not a bandwidth", printable(text)),
                    R"(write it as in "125MBps" or "1Gbps")");
  return found.value_or(BytesPerSecond(1));
}

Seconds read_latency(Element& element, std::string_view attribute, bool is_required) {
  const std::string text = is_required ? element.required(attribute) : element.optional(attribute, "0");
  const std::optional<Seconds> found = latency(text);
  if (!found && element.has(attribute))
    element.problem(attribute, fmt::format("\"{}\" is not a latency", printable(text)),
                    R"(write it as in "50us")");
  return found.value_or(Seconds(0));
}

Link read_link(Element& element, std::string_view bandwidth, std::string_view latency, bool needs_latency) {
  return {LinkKind::network, read_bandwidth(element, bandwidth),
          read_latency(element, latency, needs_latency)};
}

Sharing read_sharing(Element& element, std::string_view attribute, std::string_view otherwise) {
  constexpr std::array<std::pair<std::string_view, Sharing>, 4> rows{
      {{"SHARED", Sharing::shared},
       {"SPLITDUPLEX", Sharing::split},
       {"FATPIPE", Sharing::fat},
       {"FULLDUPLEX", Sharing::split}}};  // the name in older files
  constexpr std::array<std::string_view, 3> known{"SHARED", "SPLITDUPLEX", "FATPIPE"};
  const std::string name = element.optional(attribute, otherwise);
  const auto* row = std::ranges::find(rows, name, [](const auto& each) { return each.first; });
  if (row != rows.end()) return row->second;
  element.problem(attribute, fmt::format("the sharing policy \"{}\" is not supported", printable(name)),
                  did_you_mean(name, known));
  return Sharing::unknown;
}

namespace {

int read_count(Element& element, std::string_view attribute, int otherwise) {
  const std::optional<std::string> text = element.maybe(attribute);
  if (!text) return otherwise;
  int count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error == std::errc() && end == text->data() + text->size() && count > 0) return count;
  element.problem(attribute, fmt::format("\"{}\" is not a count", printable(*text)), "write 1 or more");
  return otherwise;
}

// The number in "0" or "0.0". None if the text is not of this form.
std::optional<std::size_t> power_state(std::string_view text) {
  std::size_t state = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), state);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return error == std::errc() && (rest.empty() || rest == ".0") ? std::optional(state) : std::nullopt;
}

// One of the speeds in "1Gf, 2Gf", without spaces around it. Empty if there are fewer.
std::string_view speed_at(std::string_view speeds, std::size_t state) {
  for (std::size_t skipped = 0; skipped < state && !speeds.empty(); ++skipped)
    speeds = speeds.find(',') == std::string_view::npos ? "" : speeds.substr(speeds.find(',') + 1);
  speeds = speeds.substr(0, speeds.find(','));
  while (speeds.starts_with(' ')) speeds.remove_prefix(1);
  while (speeds.ends_with(' ')) speeds.remove_suffix(1);
  return speeds;
}

}  // namespace

FlopsPerSecond read_speed(Element& element) {
  const std::string text = element.required("speed");
  const std::string state = element.optional("pstate", "0");
  const int cores = read_count(element, "core", 1);
  const std::optional<std::size_t> index = power_state(state);
  const std::string_view own = speed_at(text, index.value_or(0));
  if (!index || (own.empty() && !text.empty())) {
    element.problem("pstate", fmt::format("there is no power state \"{}\"", printable(state)),
                    "power states are counted from 0");
    return FlopsPerSecond(1);
  }
  const std::optional<FlopsPerSecond> found = speed(own);
  if (!found && element.has("speed"))
    element.problem("speed", fmt::format("\"{}\" is not a speed", printable(own)),
                    R"(write it as in "100Gf")");
  return found.value_or(FlopsPerSecond(1)) * cores;
}

void refuse_profile(Element& element, std::string_view attribute) {
  if (const auto file = element.maybe(attribute); file && !file->empty())
    element.problem(attribute, "a profile over time is not supported",
                    "describe the changes under \"faults\" in a scenario");
}

}  // namespace wt::platform::simgrid
