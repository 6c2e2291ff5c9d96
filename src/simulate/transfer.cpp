#include "simulate/transfer.h"

namespace wt::simulate {

void send(Channel& channel, const Job& job) {
  channel.send(job.activities);
  channel.send(job.first_after);
  channel.send(job.after);
  channel.send(job.routes);
  channel.send(job.bandwidths);
  channel.send(job.stations);
  channel.send(job.tasks.first);
  channel.send(job.tasks.runs);
  channel.send(job.tasks.at_once);
  channel.send(job.tasks.round);
  channel.send(job.tasks.paces);
  channel.send(job.tasks.absences);
  channel.send(job.tasks.slow);
}

Job receive_job(Channel& channel) {
  Job job;
  channel.receive(job.activities);
  channel.receive(job.first_after);
  channel.receive(job.after);
  channel.receive(job.routes);
  channel.receive(job.bandwidths);
  channel.receive(job.stations);
  channel.receive(job.tasks.first);
  channel.receive(job.tasks.runs);
  channel.receive(job.tasks.at_once);
  channel.receive(job.tasks.round);
  channel.receive(job.tasks.paces);
  channel.receive(job.tasks.absences);
  channel.receive(job.tasks.slow);
  return job;
}

void send(Channel& channel, const Outcome& outcome) {
  channel.send(outcome.activities);
  channel.send(outcome.occurred);
  channel.send(outcome.executions);
  channel.send(outcome.links);
  channel.send(outcome.end);
  channel.send(outcome.effort);
}

Outcome receive_outcome(Channel& channel) {
  Outcome outcome;
  channel.receive(outcome.activities);
  channel.receive(outcome.occurred);
  channel.receive(outcome.executions);
  channel.receive(outcome.links);
  channel.receive(outcome.end);
  channel.receive(outcome.effort);
  return outcome;
}

}  // namespace wt::simulate
