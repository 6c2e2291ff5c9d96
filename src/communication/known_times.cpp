#include "communication/known_times.h"

#include <algorithm>

namespace wt::communication {

namespace {

// About 100 MB: a link has a name of some 30 letters.
constexpr std::size_t most_links = 1'000'000;

}  // namespace

std::shared_ptr<const Timing> KnownTimes::time_of(const Call& call, const Group& group, Type type,
                                                  Folding folding) {
  const auto is_equal = [&](const Known& known) {
    return known.type == type && known.folding == folding && known.call == call &&
           known.ranks == group.ranks && known.platform.is_same(group.platform);
  };
  if (const auto found = std::ranges::find_if(known_, is_equal); found != known_.end()) return found->timing;
  auto timing = std::make_shared<const Timing>(communication::time_of(call, group, type, folding));
  links_ += timing->links.size();
  known_.push_front({call, group.platform, group.ranks, type, folding, timing});
  while (links_ > most_links && known_.size() > 1) forget_oldest();
  return timing;
}

void KnownTimes::forget_oldest() {
  links_ -= known_.back().timing->links.size();
  known_.pop_back();
}

}  // namespace wt::communication
