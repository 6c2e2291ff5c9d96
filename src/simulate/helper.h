#pragma once
// Runs every simulation in a process of its own. SimGrid has one engine per process, whose clock can't be
// reset, and a process with threads or with CUDA can't be forked safely. So this library starts a helper
// executable once (libexec/windtunnel/windtunnel_simulator, source in simulate/simulator/), which has neither
// threads nor CUDA and forks for each simulation. Only the helper contains SimGrid. The processes, and what
// passes between them:
//
//   program --- "play", two sockets ---> helper --- fork ---> task
//      |                                   |                   |
//      |<--------- how the task ended -----+                   |
//      |<--------- the job, the outcome, an error ------------>|
//
// The helper is a child of the program, starts at the first simulation, and ends with the program, however
// the program ends; its tasks end with it. If the helper is killed, the simulations in progress throw
// MachineError and the next simulation starts a new helper. A process that the program forks uses a helper of
// its own. The helper ignores SIGINT, SIGTERM and SIGHUP, since these may reach all processes of a group and
// the program decides what they mean. A program that waits for any of its children, with wait(2), may also get the end of
// the helper.
//
// Read next: simulate/protocol.h (the messages), simulate/simulator/serve.h (the other side).

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "simulate/channel.h"

namespace wt::simulate {

class HelperProcess;
struct Request;

// A helper executable, of which at most one process runs for each process that uses the object. Several
// threads may use it at once.
class Helper {
 public:
  // Starts nothing yet. Without a program, the helper is the one that is installed with this library, or the
  // one that the environment variable WINDTUNNEL_SIMULATOR names.
  explicit Helper(std::filesystem::path program = {});
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // Executes a task of the helper's table in a new process, while `talk` exchanges data with it through a
  // channel, and waits for the end of the task. Throws what `talk` throws, and InternalError or MachineError
  // when the task throws one. Throws MachineError when the task's process dies, the helper dies, or no helper
  // can be started.
  void run(std::string_view task, const std::function<void(Channel&)>& talk) const;

  // The id of the helper's process, which is started if it doesn't run.
  pid_t process() const;

  // The helper of all simulations of this process.
  static const Helper& of_this_process();

 private:
  struct Slot;

  Slot& slot() const;
  std::shared_ptr<const HelperProcess> started() const;
  std::shared_ptr<const HelperProcess> hand_over(const Request& request) const;
  void forget(const std::shared_ptr<const HelperProcess>& process) const;
  [[noreturn]] void throw_lost(const std::shared_ptr<const HelperProcess>& process) const;

  const std::filesystem::path program_;
  mutable std::atomic<Slot*> slot_{nullptr};
};

}  // namespace wt::simulate
