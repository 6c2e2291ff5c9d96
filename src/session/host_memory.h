#pragma once
// What a training holds in this machine's memory at the same time. Linux grants memory that it doesn't have, and
// ends a process that uses it, so the sum is compared with what is free before the first number is computed:
// one tensor after the other would fit until hours later one doesn't, and the training is lost.
//
// A training keeps every plan that it has executed: the step of a whole batch, that of a shorter last batch, and
// those of evaluations. Beside their arenas lie the variables between two steps, and a copy of all variables
// while a checkpoint is written.

#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "program/program.h"
#include "scenario/scenario.h"

namespace wt::session {

struct Held {
  std::string what{};  // "steps of 64 rows"
  Bytes bytes{};
};

// The arenas of all devices of a plan, and the rows of a step beside them. With `on_gpus` the arenas lie in the
// memory of GPUs, and only those of replicas that wait for their turn, and the rows, in this machine's.
Bytes bytes_on_host(const plan::Plan& plan, bool on_gpus);

// What a training of the scenario holds beside the memory of its plans. `step` is the first replica's part of
// `plan`, and `plans` the number of all plans that are executed.
std::vector<Held> held_beside_plans(const scenario::Scenario& scenario, const Step& step,
                                    const plan::Plan& plan, std::size_t plans);

// Throws InputError with the sum, its parts and a remedy if it is more than `free`.
void require_host_memory(const scenario::Scenario& scenario, std::span<const Held> held, Bytes free);

}  // namespace wt::session
