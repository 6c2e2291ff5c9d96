#include "simulate/play.h"

#include "simulate/helper.h"
#include "simulate/symmetry.h"
#include "simulate/transfer.h"

namespace wt::simulate {

Outcome play_whole(const Job& job, Folding folding) {
  check(job);
  Outcome outcome;
  Helper::of_this_process().run(play_task, [&](Channel& channel) {
    send(channel, job);
    channel.send(folding);
    outcome = receive_outcome(channel);
  });
  return outcome;
}

Outcome play(const Job& job, Folding folding) {
  check(job);
  if (folding == Folding::folded)
    if (const std::optional<Symmetry> symmetry = symmetry_of(job))
      return unfolded(*symmetry, play_whole(symmetry->job, folding));
  return play_whole(job, folding);
}

}  // namespace wt::simulate
