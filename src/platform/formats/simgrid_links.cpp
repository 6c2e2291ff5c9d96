#include "platform/formats/simgrid_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/narrow.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::platform {

using simgrid::Sharing;
using xml::Element;

SimgridLinks::Pair SimgridLinks::add(const Element& element, const std::string& name, const Link& link,
                                     Sharing sharing) {
  const auto add = [&](std::string called) {
    zones_.links.push_back({std::move(called), link, sharing != Sharing::fat, element.place()});
    return narrow<std::int32_t>(zones_.links.size()) - 1;
  };
  Pair pair;
  pair.is_split = sharing == Sharing::split;
  pair.up = add(pair.is_split ? name + "_UP" : name);
  pair.down = pair.is_split ? add(name + "_DOWN") : pair.up;
  return pair;
}

SimgridLinks::Pair SimgridLinks::add_named(const Element& element, const std::string& name, const Link& link,
                                           Sharing sharing) {
  const Pair pair = add(element, name, link, sharing);
  if (!named_.try_emplace(name, pair).second)
    element.problem("id", fmt::format("the link \"{}\" is defined twice", printable(name)),
                    "give one of them another id");
  return pair;
}

SimgridLinks::Half SimgridLinks::half_named(const std::string& id) const {
  for (const std::string_view ending : {"_UP", "_DOWN"}) {
    if (!id.ends_with(ending)) continue;
    const auto whole = named_.find(id.substr(0, id.size() - ending.size()));
    if (whole != named_.end() && whole->second.is_split) return {&whole->second, ending == "_UP"};
  }
  return {};
}

// Suggests a link with a similar name, unless there are too many to compare.
std::string SimgridLinks::remedy_for(const std::string& id) const {
  constexpr std::size_t most_compared = 256;
  std::vector<std::string_view> known;
  for (const auto& row : named_)
    if (named_.size() <= most_compared) known.push_back(row.first);
  std::ranges::sort(known);
  const std::string_view near = nearest(id, known);
  return near.empty() ? "add the <link>" : fmt::format("did you mean \"{}\"?", near);
}

std::int32_t SimgridLinks::find(const Element& element, std::string_view attribute, const std::string& id,
                                std::string_view direction) const {
  const auto found = named_.find(id);
  if (found == named_.end()) {
    const Half half = direction == "NONE" ? half_named(id) : Half{};
    if (half.whole != nullptr) return half.is_up ? half.whole->up : half.whole->down;
    element.problem(attribute, fmt::format("unknown link \"{}\"", printable(id)), remedy_for(id));
    return -1;
  }
  if (found->second.is_split && direction == "NONE") {
    element.problem(attribute, fmt::format("the SPLITDUPLEX link \"{}\" needs a direction", printable(id)),
                    R"(add direction="UP" or direction="DOWN")");
    return -1;
  }
  return found->second.in(direction);
}

std::int32_t SimgridLinks::find_back(const std::string& id, std::string_view direction) const {
  if (const auto found = named_.find(id); found != named_.end())
    return found->second.in(direction == "UP" ? "DOWN" : direction == "DOWN" ? "UP" : "NONE");
  const Half half = half_named(id);
  WT_EXPECT(half.whole != nullptr, "\"{}\" is not a half of a link", id);
  return half.is_up ? half.whole->down : half.whole->up;
}

}  // namespace wt::platform
