#pragma once
// A time that no schedule on a group can beat, whatever its moves are. It is the bound of plan/bound.h for
// three ways to split the group: into devices, into machines, and into the sets of devices that one fabric
// joins.

#include "communication/group.h"
#include "plan/bound.h"

namespace wt::communication {

// The bounds of one group. The splits need the routes between all pairs of ranks, so they are kept from one
// call of `of` to the next, as long as the members are in the same places.
class Bounds {
 public:
  explicit Bounds(Group group) : group_(std::move(group)) {}

  // The bound for vectors of `bytes`. `where` has the places of the members, as `endpoints` (group.h) returns
  // them. Unset if the group has more than 1,024 ranks, or if the contract leaves ranks out.
  std::optional<Seconds> of(const collective::Contract& contract,
                            const std::vector<platform::Endpoint>& where, Bytes bytes);

 private:
  void split();

  const Group group_;
  std::vector<platform::Endpoint> where_{};
  std::vector<std::vector<plan::Side>> splits_{};
};

}  // namespace wt::communication
