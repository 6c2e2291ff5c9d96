#include "sweep/crew.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

#include "base/error.h"
#include "sweep/deal.h"

namespace wt::sweep {

namespace {

constexpr int milliseconds_between_looks = 100;  // at whether the work is stopped

[[noreturn]] void fail(std::string_view what) {
  throw MachineError("sweep", fmt::format("{}: {}", what, std::strerror(errno)));
}

struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe");
    read = ends[0];
    write = ends[1];
  }
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Numbers are smaller than a pipe's buffer, so they are read whole or not at all.
bool read_number(int descriptor, std::int64_t& number) {
  for (;;) {
    const ssize_t count = ::read(descriptor, &number, sizeof number);
    if (count < 0 && errno == EINTR) continue;
    return count == sizeof number;
  }
}

// ---- In the other process

// Files that the parent has open would otherwise stay open, and locked, for as long as this process lives.
void close_all_but(int one, int other) {
  const int low = std::min(one, other), high = std::max(one, other);
  const auto close_range = [](unsigned first, unsigned last) {
    if (first <= last) ::close_range(first, last, 0);
  };
  close_range(3, static_cast<unsigned>(low) - 1);
  close_range(static_cast<unsigned>(low) + 1, static_cast<unsigned>(high) - 1);
  close_range(static_cast<unsigned>(high) + 1, ~0U);
}

[[noreturn]] void serve(int numbers, int lines, pid_t parent, const Work& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::signal(SIGINT, SIG_IGN);  // The terminal sends it to all processes, and the parent decides.
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGHUP, SIG_DFL);
  close_all_but(numbers, lines);
  std::int64_t number = 0;
  while (read_number(numbers, number))
    if (!write_all(lines, work.line_of(number) + "\n")) break;
  ::_exit(0);
}

// ---- A process, seen from here

class Process {
 public:
  explicit Process(const Work& work) {
    Pipe numbers, lines;
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) fail("a process");
    if (process_ == 0) serve(numbers.read, lines.write, parent, work);
    ::close(numbers.read);
    ::close(lines.write);
    to_ = numbers.write;
    from_ = lines.read;
  }
  ~Process() {
    ::close(to_);
    ::close(from_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int descriptor() const { return from_; }
  const std::deque<std::int64_t>& in_flight() const { return in_flight_; }

  void give(std::int64_t number) {
    in_flight_.push_back(number);
    // If the process has ended, reading from it says so.
    write_all(to_, {reinterpret_cast<const char*>(&number), sizeof number});
  }

  // Reads the bytes that the process has written so far, and appends the complete lines to `lines`. Returns false
  // if the process has ended.
  bool read(std::vector<std::string>& lines) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(from_, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR;
    text_.append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      lines.push_back(text_.substr(0, end));
      in_flight_.pop_front();
    }
    return count > 0;
  }

  // Why the process has ended. Requires: it has.
  std::string end() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    if (WIFSIGNALED(status))
      return fmt::format("the process that planned this point was ended by signal {} ({})", WTERMSIG(status),
                         ::strsignal(WTERMSIG(status)));
    return fmt::format("the process that planned this point ended with code {}", WEXITSTATUS(status));
  }

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::deque<std::int64_t> in_flight_{};
  std::string text_{};
};

// ---- All of them

class Crew {
 public:
  Crew(const Work& work, std::size_t processes) : work_(work), deal_(work.numbers, processes) {
    for (std::size_t i = 0; i < processes; ++i) crew_.push_back(std::make_unique<Process>(work));
    for (std::size_t i = 0; i < processes; ++i) feed(i);
  }

  void run() {
    while (is_busy() && !work_.is_stopped()) {
      std::vector<pollfd> looks;
      for (const auto& process : crew_) looks.push_back({process->descriptor(), POLLIN, 0});
      if (::poll(looks.data(), looks.size(), milliseconds_between_looks) < 0 && errno != EINTR) fail("poll");
      std::vector<std::string> lines;
      for (std::size_t i = 0; i < looks.size(); ++i)
        if (looks[i].revents != 0 && !crew_[i]->read(lines)) replace(i, lines);
      work_.deliver(lines);
      for (std::size_t i = 0; i < crew_.size(); ++i)
        if (crew_[i]->in_flight().size() < 2) feed(i);
    }
  }

 private:
  bool is_busy() const {
    return std::ranges::any_of(crew_, [](const auto& process) { return !process->in_flight().empty(); });
  }

  void feed(std::size_t i) {
    for (const std::int64_t number : deal_.next(i)) crew_[i]->give(number);
  }

  void replace(std::size_t i, std::vector<std::string>& lines) {
    std::deque<std::int64_t> again = crew_[i]->in_flight();
    const std::string why = crew_[i]->end();
    if (!again.empty() && ++failures_[again.front()] == 2) {
      lines.push_back(work_.lost_line(again.front(), why));
      again.pop_front();
    }
    deal_.put_back(i, again);
    crew_[i] = std::make_unique<Process>(work_);
    feed(i);
  }

  const Work& work_;
  Deal deal_;
  std::map<std::int64_t, int> failures_{};
  std::vector<std::unique_ptr<Process>> crew_{};
};

}  // namespace

void share(const Work& work, int processes) {
  WT_EXPECT(processes > 0, "{} processes", processes);
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);  // A process that has ended is noticed when its lines are read.
  try {
    Crew(work, std::min(static_cast<std::size_t>(processes), work.numbers.size())).run();
  } catch (...) {
    ::sigaction(SIGPIPE, &before, nullptr);
    throw;
  }
  ::sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace wt::sweep
