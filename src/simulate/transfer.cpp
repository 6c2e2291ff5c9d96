#include "simulate/transfer.h"

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

}  // namespace wt::simulate
