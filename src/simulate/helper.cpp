#include "simulate/helper.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/installation.h"
#include "base/standard_streams.h"
#include "simulate/helper_process.h"
#include "simulate/protocol.h"

namespace wt::simulate {

// The running helper of one process. After a fork, the child finds the slot of its parent, whose mutex
// another thread of the parent may have held. So the child makes a slot of its own, and leaves the other one
// untouched.
struct Helper::Slot {
  const Slot* parents = nullptr;
  const pid_t user = ::getpid();
  std::mutex mutex{};
  std::shared_ptr<const HelperProcess> process{};
};

namespace {

struct Sockets {
  explicit Sockets(int type) {
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw MachineError("simulate", fmt::format("no socket for a simulation: {}", std::strerror(errno)));
    for (int& end : ends) end = above_standard_streams(end);
  }
  ~Sockets() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  int ours() const { return ends[0]; }
  int theirs() const { return ends[1]; }
  int release_ours() { return std::exchange(ends[0], -1); }
  void close_theirs() { ::close(std::exchange(ends[1], -1)); }

  std::array<int, 2> ends{-1, -1};
};

// What is known of a task after its end.
struct Ending {
  std::optional<Verdict> error{};
  std::optional<int> status{};  // none: the helper died before the task ended
};

Ending ending_from(int verdicts) {
  Ending ending;
  while (!ending.status) {
    std::optional<Verdict> verdict = receive_verdict(verdicts);
    if (!verdict) break;
    if (verdict->kind == Verdict::Kind::ended)
      ending.status = verdict->status;
    else
      ending.error = std::move(verdict);
  }
  return ending;
}

[[noreturn]] void throw_error(const Verdict& error) {
  if (error.kind == Verdict::Kind::internal_error) throw InternalError(error.text);
  throw MachineError("simulate", error.text);
}

[[noreturn]] void throw_death(int status) {
  if (!WIFSIGNALED(status))
    throw MachineError("simulate",
                       fmt::format("the simulation's process ended with status {} before it had answered",
                                   WEXITSTATUS(status)));
  throw MachineError("simulate", fmt::format("the simulation's process was ended by signal {} ({}){}",
                                             WTERMSIG(status), ::strsignal(WTERMSIG(status)),
                                             WTERMSIG(status) == SIGKILL ? "; memory may have run out" : ""));
}

}  // namespace

Helper::Helper(std::filesystem::path program) : program_(std::move(program)) {}

Helper::~Helper() {
  Slot* slot = slot_.load();
  if (slot != nullptr && slot->user == ::getpid()) delete slot;
}

const Helper& Helper::of_this_process() {
  static const Helper helper;
  return helper;
}

Helper::Slot& Helper::slot() const {
  Slot* slot = slot_.load();
  while (slot == nullptr || slot->user != ::getpid()) {
    std::unique_ptr<Slot> fresh(new Slot{.parents = slot});
    if (slot_.compare_exchange_strong(slot, fresh.get())) slot = fresh.release();
  }
  return *slot;
}

std::shared_ptr<const HelperProcess> Helper::started() const {
  Slot& slot = this->slot();
  const std::lock_guard lock(slot.mutex);
  if (!slot.process)
    slot.process = std::make_shared<const HelperProcess>(
        program_.empty() ? helper_program("windtunnel_simulator", "WINDTUNNEL_SIMULATOR") : program_);
  return slot.process;
}

void Helper::forget(const std::shared_ptr<const HelperProcess>& process) const {
  Slot& slot = this->slot();
  const std::lock_guard lock(slot.mutex);
  if (slot.process == process) slot.process.reset();
}

// A helper that died since the last simulation is replaced once.
std::shared_ptr<const HelperProcess> Helper::hand_over(const Request& request) const {
  for (int tries = 0; tries < 2; ++tries) {
    const std::shared_ptr<const HelperProcess> process = started();
    if (process->accepts(request)) return process;
    forget(process);
  }
  throw MachineError("simulate", "the helper process ended twice before a simulation began; try again");
}

void Helper::throw_lost(const std::shared_ptr<const HelperProcess>& process) const {
  if (!process->has_ended())
    throw MachineError("simulate",
                       fmt::format("the helper process {} has too many open files for another simulation; "
                                   "run fewer simulations at once",
                                   process->id()));
  forget(process);
  throw MachineError("simulate",
                     fmt::format("the helper process {} ended {} during a simulation; the next simulation "
                                 "starts a new one",
                                 process->id(), process->ending()));
}

pid_t Helper::process() const { return started()->id(); }

void Helper::run(std::string_view task, const std::function<void(Channel&)>& talk) const {
  Sockets data(SOCK_STREAM), verdicts(SOCK_SEQPACKET);
  const std::shared_ptr<const HelperProcess> process =
      hand_over({std::string(task), data.theirs(), verdicts.theirs()});
  data.close_theirs();
  verdicts.close_theirs();
  bool was_cut_off = false;
  {
    Channel channel(data.release_ours());
    try {
      talk(channel);
    } catch (const ChannelClosed&) {
      was_cut_off = true;
    }
  }
  const Ending ending = ending_from(verdicts.ours());
  if (ending.error) throw_error(*ending.error);
  if (!ending.status) throw_lost(process);
  if (*ending.status != 0 || was_cut_off) throw_death(*ending.status);
}

}  // namespace wt::simulate
