#include "simulate/server.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "base/error.h"

// Four processes: main -> server -> keeper -> task. The keeper waits for its task and says how it ended; the
// server waits for nobody, so tasks run side by side.
//
//   requests   main to server: a task and two files, its channel and its verdict
//   channel    main and task
//   verdict    from the task what it threw, then from the keeper how it ended

namespace wt::simulate {
namespace {

const Server* server_of_this_process = nullptr;

struct Request {
  Server::Task task = nullptr;
  std::array<int, 2> files{-1, -1};  // channel, verdict; passed beside the bytes
};

std::array<int, 2> make_stream() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw MachineError("simulate", std::strerror(errno));
  return ends;
}

// The bytes of a message of one Task and the files beside it.
struct Envelope {
  explicit Envelope(Server::Task& task) : bytes{&task, sizeof task} {
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  iovec bytes;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr message{};
};

void send_request(int socket, Request request) {
  Envelope envelope(request.task);
  cmsghdr* header = CMSG_FIRSTHDR(&envelope.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof request.files);
  std::memcpy(CMSG_DATA(header), request.files.data(), sizeof request.files);
  while (::sendmsg(socket, &envelope.message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR)
      throw MachineError("simulate",
                         fmt::format("the server of simulations is gone: {}", std::strerror(errno)));
}

// Nothing when the other end is gone.
std::optional<Request> next_request(int socket) {
  Request request;
  Envelope envelope(request.task);
  ssize_t received = -1;
  do received = ::recvmsg(socket, &envelope.message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  const cmsghdr* header = received > 0 ? CMSG_FIRSTHDR(&envelope.message) : nullptr;
  if (header == nullptr) return std::nullopt;
  std::memcpy(request.files.data(), CMSG_DATA(header), sizeof request.files);
  return request;
}

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

// SimGrid's solver recurses once per flow of a component; below the main thread's stack lie 128 MiB at least.
void widen_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  const rlim_t wish = std::min<rlim_t>(limit.rlim_max, 127U << 20U);
  if (limit.rlim_cur >= wish) return;
  limit.rlim_cur = wish;
  ::setrlimit(RLIMIT_STACK, &limit);
}

void write_text(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::send(file, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

// The first letter of a verdict says whose fault it was.
constexpr char our_fault = 'o', machines_fault = 'm';

// "[write] disk full" -> "disk full"
std::string without_operation(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

int run_task(const Request& request) {
  std::string verdict;
  try {
    Channel channel(request.files[0]);
    request.task(channel);
    return 0;
  } catch (const ChannelClosed&) {
    return 0;  // whoever asked no longer listens
  } catch (const MachineError& error) {
    verdict = machines_fault + without_operation(error.what());
  } catch (const std::bad_alloc&) {
    verdict = machines_fault + std::string("out of memory");
  } catch (const std::exception& error) {
    verdict = our_fault + std::string(error.what());
  }
  write_text(request.files[1], verdict);
  return 1;
}

// _exit leaves SimGrid's statics and the parent's buffered output alone.
[[noreturn]] void keep(const Request& request) {
  std::signal(SIGCHLD, SIG_DFL);
  const pid_t self = ::getpid();
  const pid_t task = ::fork();
  if (task < 0) ::_exit(1);
  if (task == 0) {
    die_with(self);
    widen_stack();
    ::_exit(run_task(request));
  }
  ::close(request.files[0]);
  int status = 0;
  while (::waitpid(task, &status, 0) < 0 && errno == EINTR) {
  }
  write_text(request.files[1], std::string(reinterpret_cast<const char*>(&status), sizeof status));
  ::_exit(0);
}

[[noreturn]] void serve(int requests) {
  std::signal(SIGINT, SIG_IGN);   // it goes to the whole group; main decides what it means
  std::signal(SIGCHLD, SIG_IGN);  // keepers need nobody to wait for them
  const pid_t self = ::getpid();
  while (const std::optional<Request> request = next_request(requests)) {
    if (::fork() == 0) {
      ::close(requests);
      die_with(self);
      keep(*request);
    }
    for (const int file : request->files) ::close(file);
  }
  ::_exit(0);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t received = ::recv(file, piece.data(), piece.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(received));
  }
}

[[noreturn]] void throw_death(int status) {
  if (WIFSIGNALED(status))
    throw MachineError("simulate",
                       fmt::format("the simulation's process was ended by signal {} ({}){}", WTERMSIG(status),
                                   ::strsignal(WTERMSIG(status)),
                                   WTERMSIG(status) == SIGKILL ? "; memory may have run out" : ""));
  throw MachineError("simulate",
                     fmt::format("the simulation's process ended with status {} before it had answered",
                                 WEXITSTATUS(status)));
}

void judge(std::string verdict, bool was_cut_off) {
  int status = 0;
  if (verdict.size() < sizeof status)
    throw MachineError("simulate", "no process could be started for the simulation");
  std::memcpy(&status, verdict.data() + verdict.size() - sizeof status, sizeof status);
  verdict.resize(verdict.size() - sizeof status);
  if (verdict.starts_with(our_fault)) throw InternalError(verdict.substr(1));
  if (verdict.starts_with(machines_fault)) throw MachineError("simulate", verdict.substr(1));
  if (status != 0 || was_cut_off) throw_death(status);
}

}  // namespace

// A failure is told by the first run, where somebody catches it.
Server::Server() {
  if (server_of_this_process == nullptr) server_of_this_process = this;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  const pid_t self = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    die_with(self);
    serve(ends[1]);
  }
  ::close(ends[1]);
  requests_ = ends[0];
}

Server::~Server() {
  if (server_of_this_process == this) server_of_this_process = nullptr;
  ::shutdown(requests_, SHUT_RDWR);  // a process forked meanwhile may hold it open
  ::close(requests_);
  while (process_ > 0 && ::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

const Server& Server::of_this_process() {
  WT_EXPECT(server_of_this_process != nullptr, "main didn't start the simulation's server");
  return *server_of_this_process;
}

void Server::run(Task task, const std::function<void(Channel&)>& talk) const {
  const auto channel_ends = make_stream();
  const auto verdict_ends = make_stream();
  const Channel verdict(verdict_ends[0]);
  bool was_cut_off = false;
  {
    Channel channel(channel_ends[0]);
    {
      const Channel theirs(channel_ends[1]), their_verdict(verdict_ends[1]);
      send_request(requests_, {task, {channel_ends[1], verdict_ends[1]}});
    }
    try {
      talk(channel);
    } catch (const ChannelClosed&) {
      was_cut_off = true;
    }
  }
  judge(read_all(verdict_ends[0]), was_cut_off);
}

}  // namespace wt::simulate
