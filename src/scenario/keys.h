#pragma once
// Every key of a scenario, once: its name, the member it fills (whose type says what the key may be and whose
// first value is the default), its range, and a line of meaning. Readers of this description are the parser,
// the JSON Schema and the resolved scenario. The keys of a strategy's options stand in strategy/rows/; the
// readers visit them through strategy/options.h.
//
//   visit(key, member)                 a key
//   visit.later(name, meaning)         a key of later versions: refused by name
//   visit.exactly_one({"a", "b"})      one of these keys must be there; at_most_one: may be there

#include "scenario/keys/cost.h"
#include "scenario/keys/dataset.h"
#include "scenario/keys/devices.h"
#include "scenario/keys/faults.h"
#include "scenario/keys/job.h"
#include "scenario/keys/model.h"
#include "scenario/keys/time.h"
#include "scenario/keys/training.h"

namespace wt::scenario {

template <class Visit>
void keys_of(Visit& visit, Scenario& scenario) {
  visit(required("name", "the run's name; the results go to out/ and this name in plain letters"),
        scenario.name);
  visit(
      optional("platform",
               "the machine whose devices and time are described: a name of `list platforms`, or an object; "
               "absent: the CPU at hand, timed where it is measured"),
      scenario.platform);
  visit(optional("cluster",
                 "which tasks there are, as TF_CONFIG says it or counted: {\"chief\": 1, \"worker\": 3}; "
                 "they drive the machines in order. Absent: a worker on every machine"),
        scenario.cluster);
  visit(optional("devices", "what the program says of its devices before anything runs (tf.config)"),
        scenario.devices);
  visit(optional("strategy", "how the training is spread over devices"), scenario.strategy);
  visit(required("model", "what is trained: one of the zoo, a Keras model, or layers"), scenario.model);
  visit(required("dataset", "what it is trained on"), scenario.dataset);
  visit(required("training", "how it is trained"), scenario.training);
  visit(optional("numerics", "what computes: this machine's CPU, its first GPU, or nothing (shapes only)"),
        scenario.numerics);
  visit(optional("time", "how simulated time is counted"), scenario.time);
  visit(optional("host", "this machine"), scenario.host);
  visit(optional("seed", "of everything random that has no seed of its own"), scenario.seed);
  visit(optional("semantics",
                 "whose formulas hold where versions of TensorFlow differ; absent: those of the version that "
                 "wrote the "
                 "model's file, or keras3"),
        scenario.semantics);
  visit(
      optional("faithful",
               "a run also repeats those faults of TensorFlow and Keras that end a program, or change its "
               "numbers, without being meant so, such as Keras 3's under tf.distribute; false: it trains on. "
               "Absent: true where the scenario names its semantics"),
      scenario.faithful);
  visit(
      optional("input",
               "what reading and decoding rows costs each worker's host, whose pipeline feeds all of its "
               "replicas. Where absent or {}: nothing; each device gets its rows from the memory of its own "
               "socket, ahead of the step but under \"default\" and parameter servers"),
      scenario.input);
  visit(optional("faults", "what becomes slow, and what fails: once, at random, or as a log says"),
        scenario.faults);
  visit(optional("job",
                 "the time of the whole training is itemised, as with --job; its keys are times that were "
                 "measured elsewhere"),
        scenario.job);
  visit(optional("cost", "prices of machines, from which the job's cost follows"), scenario.cost);
}

}  // namespace wt::scenario
