#include "plan/occurrence.h"

#include <algorithm>

namespace wt::plan {

std::vector<Occurrence> occurrences(const Timeline& timeline) {
  std::vector<Occurrence> list;
  list.reserve(timeline.nodes.size());
  for (std::size_t id = 0; id < timeline.nodes.size(); ++id)
    list.push_back(
        {.node = static_cast<NodeId>(id), .start = timeline.nodes[id].start, .end = timeline.nodes[id].end});
  // Ids ascend before the sort, so a stable sort resolves ties by id.
  std::ranges::stable_sort(list, {}, &Occurrence::start);
  return list;
}

}  // namespace wt::plan
