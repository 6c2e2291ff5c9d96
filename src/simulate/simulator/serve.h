#pragma once
// The helper process (simulate/helper.h): receives requests, forks a process for each, and reports how it
// ended. It has no threads, so a fork copies all of it; and it is small, so a fork takes about 0.1 ms.

#include <span>
#include <string_view>

#include "simulate/channel.h"
#include "simulate/protocol.h"

namespace wt::simulate {

// A row of a helper's table: what a new process executes for a request that names the task. Its exceptions
// travel to the program; ChannelClosed ends it quietly, since the program has lost interest.
struct Task {
  std::string_view name{};
  void (*execute)(Channel&) = nullptr;
};

// The main function of a helper executable. Serves until the program that started it has ended or closes the
// socket, and then ends the process together with all of its tasks. Returns an exit status only when the
// arguments aren't those that the library gives.
int serve(std::span<const char* const> arguments, std::span<const Task> tasks,
          const Greeting& greeting = greeting_of_this_build());

}  // namespace wt::simulate
