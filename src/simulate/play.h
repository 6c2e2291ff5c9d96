#pragma once

#include "simulate/job.h"
#include "simulate/player.h"
#include "simulate/server.h"

namespace wt::simulate {

// Plays a job in a process of its own. The same job gives the same bits, however often.
Outcome play(const Job& job, const Server& server, Folding folding = Folding::folded);

// How a job passes through a channel.
void send(Channel& channel, const Job& job);
Job receive_job(Channel& channel);

}  // namespace wt::simulate
