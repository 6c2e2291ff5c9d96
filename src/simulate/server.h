#pragma once
// SimGrid's engine is one per process and its clock doesn't reset, so every simulation has a process of its
// own. They are forked from a server, and the server from main before threads and CUDA exist, which don't
// survive a fork.

#include <sys/types.h>

#include <functional>
#include <string>

#include "simulate/channel.h"

namespace wt::simulate {

// Ends with the process that made it, however that ends, and its tasks with it. Several threads may use it at
// once.
class Server {
 public:
  // What runs in the new process. A plain function: its address holds in all processes forked from one.
  using Task = void (*)(Channel&);

  Server();  // Requires: nothing else has happened in this process. Do it first in main.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs the task in a new process while `talk` talks to it from here, and waits for its end. What the task
  // throws is thrown here; if its process dies, a MachineError says of what.
  void run(Task task, const std::function<void(Channel&)>& talk) const;

  pid_t process() const { return process_; }

  // The one that main started.
  static const Server& of_this_process();

 private:
  pid_t process_ = -1;
  int requests_ = -1;
};

}  // namespace wt::simulate
