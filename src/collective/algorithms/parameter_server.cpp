// Workers push their values to servers, each of which holds a part of the vector, and pull the sums (Li and
// others, "Scaling distributed machine learning with the parameter server", 2014). The servers are helpers,
// which bring no values of their own.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule parameter_server(const Request& request) {
  const int n = request.ranks, servers = request.options.servers;
  const Rule push{1, [=](int, Round& moves) {
                    for (int r = 0; r < n; ++r)
                      for (int s = 0; s < servers; ++s)
                        r == 0 ? moves.copy(r, n + s, s) : moves.reduce(r, n + s, s);
                  }};
  const Rule pull{1, [=](int, Round& moves) {
                    for (int r = 0; r < n; ++r)
                      for (int s = 0; s < servers; ++s) moves.copy(n + s, r, s);
                  }};
  Schedule schedule = schedule_of(Operation::all_reduce, request, servers, then(push, pull));
  schedule.contract.helpers = servers;
  return schedule;
}

}  // namespace wt::collective
