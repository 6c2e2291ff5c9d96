#pragma once
// The keys of "job".

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

template <class Visit>
void keys_of(Visit& visit, timing::GivenTimes& given) {
  visit(optional("start", "how long processes and communicators take to start, as \"40 s\" or \"2 min\""),
        given.start);
  visit(optional(
            "first_values",
            "how long the first values of all variables take from the first replica to all others; simulated "
            "where absent"),
        given.first_values);
  visit(optional("tracing",
                 "how long one function is traced: the training step, in a custom loop again for a partial "
                 "batch, and the evaluation; by operations and replicas of a process where absent"),
        given.tracing);
  visit(optional("shuffle", "how long a shuffle buffer takes to fill; by \"input\" where absent"),
        given.shuffle);
  visit(optional("first_input",
                 "how much longer the first step after each start of the input is; simulated with \"input\" "
                 "where absent"),
        given.first_input);
  visit(optional("step", "how long a step of a whole batch takes on all devices; simulated where absent"),
        given.step);
  visit(optional("partial_step", "how long a step of a partial batch takes; simulated where absent"),
        given.partial_step);
  visit(optional("evaluation", "how long one evaluation takes; simulated where absent"), given.evaluation);
  visit(optional("checkpoint", "how long it takes to save one checkpoint"), given.checkpoint);
  visit(
      optional("checkpoint_size",
               "how large a checkpoint is, as \"100 GB\"; where absent, as large as all variables, those of "
               "the optimizer included"),
      given.checkpoint_size);
  visit(
      optional("storage", "how fast a checkpoint is written, by all that write it together, as \"20 GB/s\""),
      given.storage);
  visit.at_most_one({"checkpoint", "storage"});
  visit(
      optional("holds_rows",
               "the rows are read from that storage, too: hosts share its speed with each other, and with a "
               "checkpoint that is written meanwhile"),
      given.holds_rows);
  visit(optional("time_between_failures",
                 "the mean time between two failures of one machine, as \"5000 h\"; for GPUs a published "
                 "rate where absent"),
        given.time_between_failures);
  visit(optional("time_between_device_failures",
                 "the mean time between two failures of one device, as \"3000 h\", beside those of machines"),
        given.time_between_device_failures);
  visit(optional("restart",
                 "the time from a failure to the next step; where absent, what starting takes is repeated"),
        given.restart);
  visit(Key{.name = "restarts",
            .meaning = "how often the job is started again after a failure, from its newest checkpoint; "
                       "never where absent",
            .at_least = 0,
            .at_most = json::most},
        given.restarts);
}

}  // namespace wt::scenario
