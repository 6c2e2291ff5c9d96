#pragma once
// The time of a whole training, from the start of its processes to its last checkpoint, as a list of items
// that add up. A simulated step answers how fast a training runs; a planner pays for all the rest, too:
//
//   const JobTime job = job_time({.steps = {...}, .evaluations = {.count = 3, .each = Seconds(2)}});
//   job.total()                // 1,842 s
//   job.samples_per_second()   // rows over all of it; Simulated::samples_per_second is that of steady steps
//
// What must hold: no time is counted twice, and every item has a basis. An item for which no measurement and no
// model exists counts as zero and says so; a scenario can give it ("job": {"start": "40 s"}).
//
// Failures lengthen it, and checkpoints limit what they cost: goodput.h.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "timing/goodput.h"

namespace wt::timing {

enum class Basis : std::uint8_t {
  simulated,
  given,      // by the scenario
  estimated,  // from a published source or a measurement of others, which the item names
  unmeasured  // counted as zero
};
std::string_view name(Basis basis);  // "simulated"

// What a scenario gives of a job: times of items, in place of simulated or estimated ones, and what they follow from.
struct GivenTimes {
  std::optional<Seconds> start{};           // of processes and communicators
  std::optional<Seconds> first_values{};    // sending the first values of all variables to all replicas
  std::optional<Seconds> tracing{};         // of one function
  std::optional<Seconds> shuffle{};         // filling the shuffle buffer once
  std::optional<Seconds> first_input{};     // the wait for the first rows after each start of the input
  std::optional<Seconds> step{};            // one step of a whole batch
  std::optional<Seconds> partial_step{};    // one step of a partial batch
  std::optional<Seconds> evaluation{};      // one evaluation
  std::optional<Seconds> checkpoint{};      // saving one checkpoint
  std::optional<Bytes> checkpoint_size{};   // in place of the size of all variables
  std::optional<BytesPerSecond> storage{};  // by which one checkpoint is written
  bool holds_rows = false;                  // this storage, so that reading them shares its speed
  std::optional<Seconds> time_between_failures{};         // mean, of one machine
  std::optional<Seconds> time_between_device_failures{};  // mean, of one device
  std::optional<Seconds> restart{};                       // from a failure to the first step after it
  std::optional<std::int64_t> restarts{};                 // how often the job is started again
};

struct JobItem {
  std::string name{};
  std::string key{};  // of the scenario, that sets the item: "job.start"
  double count = 0;   // how often; the number of failures is an expectation
  Seconds each{};
  Basis basis{};
  std::string note{};  // what was counted, or the source
  Seconds time() const { return each * count; }
};

struct JobTime {
  std::vector<JobItem> items{};      // in the order in which they occur first
  double samples = 0;                // trained rows
  std::optional<double> epochs{};    // passes through an epoch's steps; unset: the training has no epochs
  std::optional<Goodput> goodput{};  // unset: how often something fails is unknown
  Seconds restart{};                 // from a failure to the next step
  Seconds total() const;
  double samples_per_second() const { return samples / total().count(); }
};

// ---- What a training consists of

// Equal steps.
struct EqualSteps {
  std::int64_t count = 0;
  Seconds each{};
};

// An event with a known or unknown time.
struct Event {
  std::int64_t count = 0;
  std::optional<Seconds> each{};  // simulated; unset: unknown
  std::string note{};
  Basis basis = Basis::simulated;  // of `each`
};

struct JobFacts {
  GivenTimes given{};
  Event first_values{};                    // that are sent to all replicas
  Event functions{};                       // that are traced
  std::optional<std::int64_t> programs{};  // that are compiled; unset: nothing is compiled
  std::optional<Seconds> compile{};        // of one program, as the scenario gives it
  std::vector<EqualSteps> whole{};         // steps of whole batches, by the devices that are slow
  std::vector<EqualSteps> partial{};
  Event lost_workers{};  // while others execute their closures
  Event fills{};         // of the shuffle buffer
  Event first_input{};   // the time by which the first step after a start of the input is longer
  Event evaluations{};
  Event checkpoints{};
  Seconds written{};  // of a checkpoint, beside the training
  std::int64_t machines = 1;
  std::int64_t devices = 0;
  bool are_gpus = false;
  std::int64_t seed = 0;  // draws failures
  double samples = 0;
  std::optional<double> epochs{};
  Place failures_at{};  // of the time between failures in the user's file, for messages
};

// Throws InputError if failures are, by the scenario, so frequent that the job practically never ends.
JobTime job_time(const JobFacts& facts);

}  // namespace wt::timing
