#pragma once
// Why a step is slow, in words, where it is one of the causes that users of tf.distribute meet most: a host that can't
// keep up with small steps, rows that don't come in time, a batch that was kept when devices were added, gRPC in place
// of NCCL, gradients that cross machines behind small batches or in many small packs, rows of embeddings' gradients that
// are gathered from all replicas, tracing that grows with them, and devices that wait for the slowest.

#include <string>
#include <vector>

#include "cluster/machine.h"
#include "scenario/scenario.h"
#include "session/forecast.h"
#include "session/training_plans.h"

namespace wt::study {

// Whether the framework's software on the host takes a noticeable part of the step.
bool waits_for_software(const timing::Simulated& step);

// The collectives of a library in a step, and what passes before the first messages of all of them.
struct Beginnings {
  std::int64_t collectives = 0;
  Seconds time{};
};
Beginnings beginnings_of(const plan::Plan& plan);

// What is known of a step beside its forecast.
struct BesideStep {
  Beginnings beginnings{};                          // a part of the step
  std::optional<session::GatheredRows> gathered{};  // gradients; none: there are none
  std::optional<Seconds> tracing{};                 // of a function, before its first step; none: unknown
};

// A sentence or two for each cause that takes a noticeable part of the step. Requires: the step is simulated.
std::vector<std::string> causes(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                const session::Forecast& now, const BesideStep& beside);

}  // namespace wt::study
