#include "strategy/reduction.h"

namespace wt::strategy {

std::string print(const ReductionChoice& reduction) {
  return reduction.protocol.empty() ? reduction.algorithm
                                    : reduction.algorithm + " with " + reduction.protocol;
}

}  // namespace wt::strategy
