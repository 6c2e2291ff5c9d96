#include "simulate/simulator/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "base/error.h"

namespace wt::simulate {
namespace {

// A message of MachineError begins with the operation in brackets, and the program will put its own there:
// "[write] disk full" -> "disk full".
std::string without_operation(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

void execute(std::span<const Task> tasks, const Request& request) {
  const auto row = std::ranges::find(tasks, request.task, &Task::name);
  WT_EXPECT(row != tasks.end(), "the helper has no task \"{}\"", request.task);
  Channel channel(request.channel);
  row->execute(channel);
}

// The exit status of the task's process.
int run_task(std::span<const Task> tasks, const Request& request) {
  using Kind = Verdict::Kind;
  try {
    execute(tasks, request);
    return 0;
  } catch (const ChannelClosed&) {
    return 0;
  } catch (const MachineError& error) {
    send_verdict(request.verdict, {Kind::machine_error, 0, without_operation(error.what())});
  } catch (const std::bad_alloc&) {
    send_verdict(request.verdict, {Kind::machine_error, 0, "out of memory"});
  } catch (const std::exception& error) {
    send_verdict(request.verdict, {Kind::internal_error, 0, error.what()});
  }
  return 1;
}

void raise_limit(decltype(RLIMIT_STACK) resource, rlim_t wanted) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  wanted = std::min(limit.rlim_max, wanted);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(resource, &limit);
}

// SimGrid's solver recurses once per flow of a component. Linux keeps at least 128 MiB free below the stack
// of a process's first thread, whatever the limit was when the process started.
void widen_stack() { raise_limit(RLIMIT_STACK, 127U << 20U); }

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

// Readable when the process has ended; -1 for kernels before 5.3. The header of glibc 2.36 lacks the language
// linkage that C++ needs.
int pidfd_of(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

class Simulator {
 public:
  Simulator(std::span<const Task> tasks, pid_t program)
      : tasks_(tasks), program_(pidfd_of(program)), ends_(open_ends()) {}

  // A negative descriptor is ignored by poll. Kernels before 5.3 have no pidfd_open; there the helper ends
  // when the program's socket is closed, which a process that the program forked may delay.
  void serve() {
    std::array<pollfd, 3> events{pollfd{requests_in_helper, POLLIN, 0}, pollfd{ends_, POLLIN, 0},
                                 pollfd{program_, POLLIN, 0}};
    for (;;) {
      if (::poll(events.data(), events.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return;
      }
      if (events[2].revents != 0) return;
      if (events[1].revents != 0) report_ends();
      if (events[0].revents == 0) continue;
      const std::optional<Request> request = receive_request(requests_in_helper);
      if (!request) return;
      start(*request);
    }
  }

 private:
  // A descriptor that is readable when a task has ended.
  int open_ends() {
    sigset_t signals{};
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &signals, &signals_of_tasks_);
    return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  // A task ends by _exit, which doesn't destroy SimGrid's static objects.
  void start(const Request& request) {
    const pid_t self = ::getpid();
    const pid_t task = ::fork();
    if (task == 0) {
      die_with(self);
      close_sockets_of_others();
      ::sigprocmask(SIG_SETMASK, &signals_of_tasks_, nullptr);
      widen_stack();
      ::_exit(run_task(tasks_, request));
    }
    if (task > 0) {
      verdicts_[task] = request.verdict;
    } else {
      send_verdict(request.verdict,
                   {Verdict::Kind::machine_error, 0,
                    fmt::format("no process can be started for a simulation: {}", std::strerror(errno))});
      ::close(request.verdict);
    }
    ::close(request.channel);
  }

  // Called in the new process of a task, whose own verdict isn't in the table.
  void close_sockets_of_others() const {
    for (const int descriptor : {requests_in_helper, ends_, program_}) ::close(descriptor);
    for (const auto& [task, verdict] : verdicts_) ::close(verdict);
  }

  void report_ends() {
    std::array<signalfd_siginfo, 16> signals{};
    while (::read(ends_, signals.data(), sizeof signals) > 0) {
    }
    int status = 0;
    for (pid_t task = 0; (task = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto running = verdicts_.find(task);
      if (running == verdicts_.end()) continue;
      send_verdict(running->second, {Verdict::Kind::ended, status, {}});
      ::close(running->second);
      verdicts_.erase(running);
    }
  }

  const std::span<const Task> tasks_;
  sigset_t signals_of_tasks_{};
  const int program_;  // readable when the program has ended
  const int ends_;
  std::map<pid_t, int> verdicts_{};  // the socket of each running task
};

// Text for standard error must not get into a socket that has taken its number, where the program had closed
// it. Standard output belongs to the results of the program. Other descriptors that were inherited are the
// program's pipes and files, which the helper must not keep open.
void settle_descriptors() {
  int opened = -1;
  do opened = ::open("/dev/null", O_RDWR);
  while (opened >= 0 && opened <= STDERR_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::closefrom(requests_in_helper + 1);
  ::fcntl(requests_in_helper, F_SETFD, FD_CLOEXEC);
}

// The id of the program that started this one; 0 where the arguments are those of no library.
pid_t program_from(std::span<const char* const> arguments) {
  pid_t program = 0;
  if (arguments.size() != 2) return 0;
  const std::string_view text = arguments[1];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), program);
  return error == std::errc() && end == text.data() + text.size() ? program : 0;
}

}  // namespace

int serve(std::span<const char* const> arguments, std::span<const Task> tasks, const Greeting& greeting) {
  const pid_t program = program_from(arguments);
  if (program <= 0 || program != ::getppid()) {
    std::fputs("This program is started by the library of Windtunnel and has no other use.\n", stderr);
    return 2;
  }
  settle_descriptors();
  // A terminal, and programs such as timeout(1), send these to all processes of a group. It is for the program
  // to end in order, and the helper ends with it.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  raise_limit(RLIMIT_NOFILE, RLIM_INFINITY);
  Simulator simulator(tasks, program);
  send_greeting(requests_in_helper, greeting);
  simulator.serve();
  // The program waits for this end, and the static objects of SimGrid's libraries would take time to destroy.
  ::_exit(0);
}

}  // namespace wt::simulate
