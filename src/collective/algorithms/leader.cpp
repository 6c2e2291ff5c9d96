// One rank of each machine, its leader, collects the sum of the machine by a binomial tree. The leaders
// reduce among themselves in a ring, and send the result down the trees.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule leader(const Request& request) {
  const std::vector<int> shape = shape_of(request, 2);
  const int size = shape[0], groups = request.ranks / size;
  const Chunks whole(0, groups);
  std::vector<Rule> inside;
  for (int group = 0; group < groups; ++group)
    inside.push_back(among(every(group * size, 1, size), binomial_broadcast(size, whole)));
  const Rule down = together(inside);
  const Rule across =
      among(every(0, size, groups), then(ring_reduce_scatter(groups), ring_all_gather(groups)));
  return schedule_of(Operation::all_reduce, request, groups,
                     then(reversed(down, Effect::reduce), then(across, down)));
}

}  // namespace wt::collective
