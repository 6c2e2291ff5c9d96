#include "plan/timeline.h"

#include <map>
#include <string_view>

namespace wt::plan {

void add_links(std::vector<LinkUse>& links, std::span<const LinkUse> more) {
  std::map<std::string_view, std::size_t> places;  // the names stay valid, since `reserve` prevents moves
  links.reserve(links.size() + more.size());
  for (std::size_t i = 0; i < links.size(); ++i) places.emplace(links[i].name, i);
  for (const LinkUse& link : more) {
    const auto found = places.find(link.name);
    if (found == places.end()) {
      links.push_back(link);
      continue;
    }
    links[found->second].carried += link.carried;
    links[found->second].busy += link.busy;
  }
}

}  // namespace wt::plan
