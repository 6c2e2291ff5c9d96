#pragma once
// The times of collectives that were simulated before. Most points of a sweep run a collective that another point
// has run, on the same machines: a larger batch changes no gradient.

#include <list>
#include <memory>
#include <vector>

#include "communication/timing.h"

namespace wt::communication {

class KnownTimes {
 public:
  // time_of(call, group, type, folding), which is simulated at the first of all calls with equal arguments.
  std::shared_ptr<const Timing> time_of(const Call& call, const Group& group, Type type,
                                        Folding folding = Folding::automatic);

 private:
  struct Known {
    Call call{};
    platform::Platform platform;
    std::vector<platform::Endpoint> ranks{};
    Type type{};
    Folding folding{};
    std::shared_ptr<const Timing> timing{};
  };

  void forget_oldest();

  std::list<Known> known_{};  // the newest first
  std::size_t links_ = 0;     // with a load in these timings, which take most of the memory
};

}  // namespace wt::communication
