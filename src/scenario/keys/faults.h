#pragma once
// The keys of each of "faults".

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

template <class Visit>
void keys_of(Visit& visit, Fault& fault) {
  visit(optional("slow", "what computes slower: a device, \"GPU:1\", or all of a worker, \"worker:1\""),
        fault.slow);
  visit(
      optional("degrade",
               "what carries fewer bytes per second: the network of a worker, \"worker:1\", or a link of the "
               "platform, \"machine 0/gpu 0 -> nvswitch\""),
      fault.degrade);
  visit(Key{.name = "factor",
            .meaning = "of slow and degrade: how many times as long it takes",
            .at_least = 1,
            .at_most = 1'000'000},
        fault.factor);
  visit(Key{.name = "from_step",
            .meaning = "of slow and degrade: the first such step, counted from 0",
            .at_least = 0,
            .at_most = json::most},
        fault.from_step);
  visit(count("until_step", "of slow and degrade: the first step that is as before; none where absent"),
        fault.until_step);
  visit(optional("kill", "the task whose process ends: \"worker:1\", \"ps:0\", \"chief\""), fault.kill);
  visit(optional("preempt", "the task whose machine is taken away after a notice"), fault.preempt);
  visit(
      optional(
          "cut",
          "what carries nothing until \"back_after\": the network of a task, \"worker:1\", or a link of the "
          "platform by its name"),
      fault.cut);
  visit(Key{.name = "step",
            .meaning = "of kill, preempt and cut: the step that it doesn't reach, counted from 0",
            .at_least = 0,
            .at_most = json::most},
        fault.step);
  visit(optional("at", "in place of \"step\": the time since the first step began, as \"90 s\""), fault.at);
  visit(optional("grace", "of preempt: the time from the notice to the end of the process, as \"30 s\""),
        fault.grace);
  visit(optional("random", "what fails at random, drawn by the scenario's seed"), fault.random);
  visit(
      optional("mean_time",
               "of random: the mean time between two failures of one device, machine or link, as \"3000 h\""),
      fault.mean_time);
  visit(optional(
            "log",
            "a CSV file with the failures of a real cluster: its columns node, start and end are a machine's "
            "number and two dates or numbers of seconds"),
        fault.log);
  visit(optional("back_after",
                 "until the machine, or the network, can be used again, as \"5 min\"; at once where absent"),
        fault.back_after);
  visit.exactly_one({"slow", "degrade", "kill", "preempt", "cut", "random", "log"});
  visit.at_most_one({"step", "at"});
}

}  // namespace wt::scenario
