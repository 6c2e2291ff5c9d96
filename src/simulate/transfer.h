#pragma once
// How a job travels to the process that simulates it, and how the outcome travels back: array by array.

#include <string_view>

#include "simulate/channel.h"
#include "simulate/job.h"

namespace wt::simulate {

// The helper's task which receives a job and a Folding, and sends an outcome.
inline constexpr std::string_view play_task = "play";

void send(Channel& channel, const Job& job);
Job receive_job(Channel& channel);

void send(Channel& channel, const Outcome& outcome);
Outcome receive_outcome(Channel& channel);

}  // namespace wt::simulate
