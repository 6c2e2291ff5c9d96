#include "simulate/simulate.h"

#include "simulate/play.h"
#include "simulate/translate.h"

namespace wt::simulate {

plan::Timeline simulate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                        std::span<const platform::Endpoint> where) {
  const Translation translation = translate(plan, costs, platform, where);
  const Outcome outcome = play(translation.job);
  plan::Timeline timeline;
  timeline.nodes.reserve(outcome.activities.size());
  for (const Interval& interval : outcome.activities)
    timeline.nodes.push_back({Seconds(interval.start), Seconds(interval.end)});
  for (std::size_t link = 0; link < translation.links.size(); ++link)
    timeline.links.push_back({platform.name(translation.links[link]),
                              BytesPerSecond(translation.job.bandwidths[link]),
                              Bytes(outcome.links[link].carried), Seconds(outcome.links[link].busy)});
  timeline.end = Seconds(outcome.end);
  return timeline;
}

}  // namespace wt::simulate
