#include "simulate/play.h"

#include "simulate/helper.h"
#include "simulate/symmetry.h"
#include "simulate/transfer.h"

namespace wt::simulate {
namespace {

Outcome play_in_helper(const Job& job, Folding folding) {
  Outcome outcome;
  Helper::of_this_process().run(play_task, [&](Channel& channel) {
    send(channel, job);
    channel.send(folding);
    outcome = receive_outcome(channel);
  });
  return outcome;
}

}  // namespace

Outcome play(const Job& job, Folding folding) {
  check(job);
  if (folding == Folding::folded)
    if (const std::optional<Symmetry> symmetry = symmetry_of(job))
      return unfolded(*symmetry, play_in_helper(symmetry->job, folding));
  return play_in_helper(job, folding);
}

}  // namespace wt::simulate
