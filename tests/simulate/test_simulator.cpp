// A helper executable for tests and benchmarks: tasks that end in every way, and one that measures a
// simulation.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>

#include "base/error.h"
#include "simulate/simulator/player.h"
#include "simulate/simulator/serve.h"
#include "simulate/test_helper.h"
#include "simulate/transfer.h"

namespace {

using namespace wt::simulate;

void double_them(Channel& channel) {
  std::vector<std::int64_t> values;
  channel.receive(values);
  for (std::int64_t& value : values) value *= 2;
  channel.send(values);
}

// Receives nothing, as long as the other end is open.
void wait_for_ever(Channel& channel) {
  char byte = 0;
  channel.receive(byte);
}

void say_and_wait(Channel& channel) {
  channel.send(::getpid());
  ::pause();
}

void count(Channel& channel) {
  static int tasks_so_far = 0;
  channel.send(++tasks_so_far);
}

void begin_and_die(Channel& channel) {
  channel.send(char{1});
  std::raise(SIGKILL);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void play_and_measure(Channel& channel) {
  const Job job = receive_job(channel);
  Measured measured{.bytes_before = resident_bytes()};
  const std::clock_t cpu_start = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = play_here(job, Folding::folded);
  measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  measured.cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  measured.end = outcome.end;
  measured.effort = outcome.effort;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  measured.bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  channel.send(measured);
  channel.send(outcome.activities);
}

constexpr Task tasks[] = {
    {"nothing", [](Channel&) {}},
    {"process", [](Channel& channel) { channel.send(::getpid()); }},
    {"parent", [](Channel& channel) { channel.send(::getppid()); }},
    {"is_input_empty",
     [](Channel& channel) {
       char byte = 0;
       channel.send(::read(STDIN_FILENO, &byte, 1) == 0);
     }},
    {"count", count},
    {"double", double_them},
    {"wait_for_ever", wait_for_ever},
    {"say_and_wait", say_and_wait},
    {"throw_internal_error", [](Channel&) { throw wt::InternalError("7 rows of 8"); }},
    {"throw_machine_error", [](Channel&) { throw wt::MachineError("simulate", "disk full"); }},
    {"throw_bad_alloc", [](Channel&) { throw std::bad_alloc(); }},
    {"throw_long_text", [](Channel&) { throw wt::InternalError(std::string(1'000'000, 'x')); }},
    {"be_killed", [](Channel&) { std::raise(SIGKILL); }},
    {"abort", [](Channel&) { std::signal(SIGABRT, SIG_DFL), std::abort(); }},
    {"exit_with_3", [](Channel&) { ::_exit(3); }},
    {"begin_and_die", begin_and_die},
    {"play_and_measure", play_and_measure},
};

}  // namespace

int main(int argc, char** argv) {
  Greeting greeting = greeting_of_this_build();
  if (std::getenv(other_protocol) != nullptr) ++greeting.protocol;
  return serve({argv, static_cast<std::size_t>(argc)}, tasks, greeting);
}
