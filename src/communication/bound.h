#pragma once
// What no schedule among a group beats, whatever its moves: plan/bound.h over the ways in which the group falls
// apart: into devices, into machines, and into what one fabric joins.

#include "communication/group.h"
#include "plan/bound.h"

namespace wt::communication {

// A value to be kept: it asks for a route between all pairs, again where members sit elsewhere.
class Bounds {
 public:
  explicit Bounds(Group group) : group_(std::move(group)) {}

  // Of vectors of `bytes`; `where` as `endpoints` answers. None where ranks are too many to ask for all routes,
  // or where the contract leaves some out.
  std::optional<Seconds> of(const collective::Contract& contract,
                            const std::vector<platform::Endpoint>& where, Bytes bytes);

 private:
  void split();

  const Group group_;
  std::vector<platform::Endpoint> where_{};
  std::vector<std::vector<plan::Side>> splits_{};
};

}  // namespace wt::communication
