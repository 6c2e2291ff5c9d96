#include "simulate/play.h"

#include "simulate/symmetry.h"

namespace wt::simulate {

void send(Channel& channel, const Job& job) {
  channel.send(job.activities);
  channel.send(job.first_after);
  channel.send(job.after);
  channel.send(job.routes);
  channel.send(job.bandwidths);
}

Job receive_job(Channel& channel) {
  Job job;
  channel.receive(job.activities);
  channel.receive(job.first_after);
  channel.receive(job.after);
  channel.receive(job.routes);
  channel.receive(job.bandwidths);
  return job;
}

namespace {

void send(Channel& channel, const Outcome& outcome) {
  channel.send(outcome.activities);
  channel.send(outcome.links);
  channel.send(outcome.end);
  channel.send(outcome.effort);
}

Outcome receive_outcome(Channel& channel) {
  Outcome outcome;
  channel.receive(outcome.activities);
  channel.receive(outcome.links);
  channel.receive(outcome.end);
  channel.receive(outcome.effort);
  return outcome;
}

void answer(Channel& channel) {
  const Job job = receive_job(channel);
  Folding folding{};
  channel.receive(folding);
  send(channel, play_here(job, folding));
}

Outcome play_elsewhere(const Job& job, const Server& server, Folding folding) {
  Outcome outcome;
  server.run(answer, [&](Channel& channel) {
    send(channel, job);
    channel.send(folding);
    outcome = receive_outcome(channel);
  });
  return outcome;
}

}  // namespace

Outcome play(const Job& job, const Server& server, Folding folding) {
  check(job);
  if (folding == Folding::folded)
    if (const std::optional<Symmetry> symmetry = symmetry_of(job))
      return unfolded(*symmetry, play_elsewhere(symmetry->job, server, folding));
  return play_elsewhere(job, server, folding);
}

}  // namespace wt::simulate
