#include "simulate/helper_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/standard_streams.h"

namespace wt::simulate {
namespace {

// The settings of posix_spawn. Its members return an error number, or 0.
class Spawn {
 public:
  explicit Spawn(int requests) {
    sigset_t signals{};
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&files_, requests, requests_in_helper);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  // The program gets the id of this process as its argument.
  int start(const std::string& program, pid_t& id) const {
    const std::string parent = std::to_string(::getpid());
    const std::array<char*, 3> arguments{const_cast<char*>(program.c_str()),
                                         const_cast<char*>(parent.c_str()), nullptr};
    return ::posix_spawn(&id, program.c_str(), &files_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

[[noreturn]] void refuse(const std::filesystem::path& program, std::string_view fact) {
  const char* remedy =
      std::getenv("WINDTUNNEL_SIMULATOR") == nullptr
          ? "install all of Windtunnel again"
          : "unset WINDTUNNEL_SIMULATOR, or set it to the windtunnel_simulator of this build";
  throw MachineError("simulate", fmt::format("{}: {}; {}", program.string(), fact, remedy));
}

// The status of a child that has ended, or -1 when another part of the program has waited for it.
int wait_for(pid_t child) {
  int status = 0;
  pid_t ended = -1;
  do ended = ::waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child ? status : -1;
}

}  // namespace

HelperProcess::HelperProcess(const std::filesystem::path& program) : parent_(::getpid()) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw MachineError("simulate", fmt::format("no socket for the helper process: {}", std::strerror(errno)));
  for (int& end : ends) end = above_standard_streams(end);
  const int error = Spawn(ends[1]).start(program.string(), id_);
  ::close(ends[1]);
  requests_ = ends[0];
  std::string fault;
  if (error != 0) {
    id_ = -1;
    fault = fmt::format("the program can't be started: {}", std::strerror(error));
  } else if (const auto greeting = receive_greeting(requests_); !greeting) {
    fault = fmt::format("the program ended {} before it sent a greeting", ending());
  } else if (const Greeting ours = greeting_of_this_build(); *greeting != ours) {
    fault = fmt::format("the program is {}, and {} is needed", describe(*greeting), describe(ours));
  }
  if (fault.empty()) return;
  stop();
  refuse(program, fault);
}

HelperProcess::~HelperProcess() {
  if (::getpid() == parent_) stop();
}

void HelperProcess::stop() {
  ::shutdown(requests_, SHUT_RDWR);  // a process that was forked meanwhile may hold a copy of the descriptor
  ::close(requests_);
  if (id_ > 0) ending();
}

// A process that is killed closes its descriptors one after the other. Whoever saw another one close may be earlier than
// this one closes.
bool HelperProcess::has_ended() const {
  constexpr int enough_to_close_all = 1000;  // milliseconds
  pollfd requests{.fd = requests_, .events = 0, .revents = 0};
  return ::poll(&requests, 1, enough_to_close_all) > 0;
}

std::string HelperProcess::ending() const {
  std::call_once(waited_, [this] { status_ = wait_for(id_); });
  if (status_ < 0) return "in an unknown way";
  if (WIFSIGNALED(status_))
    return fmt::format("by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_)));
  return fmt::format("with status {}", WEXITSTATUS(status_));
}

}  // namespace wt::simulate
