#include "simulate/simulate.h"

#include "simulate/play.h"
#include "simulate/translate.h"

namespace wt::simulate {

plan::Timeline simulate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                        std::span<const platform::Endpoint> where) {
  const Translation translation = translate(plan, costs, platform, where);
  return timeline_of(translation, platform, play(translation.job));
}

plan::PoolTimeline simulate(const plan::Pooled& pooled, const plan::Pool& pool, const plan::Costs& costs,
                            const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  const Translation translation = translate(pooled, pool, costs, platform, where);
  return pool_timeline_of(translation, platform, play(translation.job));
}

}  // namespace wt::simulate
