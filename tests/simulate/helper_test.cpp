// Claims: whatever happens to a simulation's process or to the helper, the caller gets an error that says so
// and can go on; no process outlives the program; a program needs no preparation, and keeps its threads,
// forks and descriptors.

#include "simulate/helper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <latch>
#include <thread>
#include <utility>

#include "base/error.h"
#include "simulate/play.h"
#include "simulate/protocol.h"
#include "simulate/test_helper.h"

namespace wt::simulate {
namespace {

template <class T>
T received_from(const Helper& helper, std::string_view task) {
  T value{};
  helper.run(task, [&](Channel& channel) { channel.receive(value); });
  return value;
}

std::vector<std::int64_t> doubled(std::vector<std::int64_t> values, const Helper& helper = test_helper()) {
  helper.run("double", [&](Channel& channel) {
    channel.send(values);
    channel.receive(values);
  });
  return values;
}

bool works(const Helper& helper) { return doubled({21}, helper) == std::vector<std::int64_t>{42}; }

template <class Error>
std::string thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

// The message of the error that a task's end throws here, while the caller waits for a number that it never
// gets.
template <class Error>
std::string thrown_by_task(std::string_view task) {
  return thrown_by<Error>([&] { received_from<std::int64_t>(test_helper(), task); });
}

// Sets a variable of the environment for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    ::close(ends[0]);
    close_write_end();
  }
  void close_write_end() { ::close(std::exchange(ends[1], -1)); }
  // Waits until every process has closed the write end.
  bool is_at_end() const {
    char byte = 0;
    return ::read(ends[0], &byte, 1) == 0;
  }
  std::array<int, 2> ends{};
};

// Executes `action` in a process that is forked from this one, and returns its status of waitpid(2).
int status_of_fork(const std::function<int()>& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Helper, ExecutesATaskInAProcessOfItsOwn) {
  EXPECT_EQ(doubled({1, 2, 3}), (std::vector<std::int64_t>{2, 4, 6}));
  const auto process = received_from<pid_t>(test_helper(), "process");
  EXPECT_NE(process, ::getpid());
  EXPECT_NE(process, test_helper().process());
  EXPECT_EQ(received_from<pid_t>(test_helper(), "parent"), test_helper().process());
}

TEST(Helper, EachTaskStartsAfresh) {
  for (int round = 0; round < 3; ++round) EXPECT_EQ(received_from<int>(test_helper(), "count"), 1);
}

TEST(Helper, LargeAmountsPassBothWays) {
  std::vector<std::int64_t> values(4'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  const std::vector<std::int64_t> twice = doubled(values);
  ASSERT_EQ(twice.size(), values.size());
  EXPECT_EQ(twice.back(), 2 * values.back());
}

// The first simulations of a program may come from several threads; they start one helper.
TEST(Helper, SeveralThreadsMayUseItAtOnce) {
  const Helper helper(test_simulator());
  std::array<std::vector<std::int64_t>, 4> answers{};
  std::array<pid_t, 4> helpers{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back([&, i] {
      answers[i] = doubled({static_cast<std::int64_t>(i)}, helper);
      helpers[i] = received_from<pid_t>(helper, "parent");
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], std::vector<std::int64_t>{2 * static_cast<std::int64_t>(i)});
    EXPECT_EQ(helpers[i], helper.process());
  }
}

TEST(Helper, OutlivesTheThreadThatStartedIt) {
  const Helper helper(test_simulator());
  pid_t process = 0;
  std::thread([&] { process = helper.process(); }).join();
  EXPECT_TRUE(works(helper));
  EXPECT_EQ(helper.process(), process);
}

TEST(Helper, ThrowsHereWhatATaskThrows) {
  EXPECT_EQ(thrown_by_task<InternalError>("throw_internal_error"), "7 rows of 8");
  EXPECT_EQ(thrown_by_task<MachineError>("throw_machine_error"), "[simulate] disk full");
  EXPECT_EQ(thrown_by_task<MachineError>("throw_bad_alloc"), "[simulate] out of memory");
  EXPECT_EQ(thrown_by_task<InternalError>("throw_long_text"), std::string(32768, 'x'));
  EXPECT_NE(thrown_by_task<InternalError>("fly").find("the helper has no task \"fly\""), std::string::npos);
}

TEST(Helper, ADeadTaskIsAMachineErrorThatSaysHowItDied) {
  EXPECT_EQ(thrown_by_task<MachineError>("be_killed"),
            "[simulate] the simulation's process was ended by signal 9 (Killed); memory may have run out");
  EXPECT_EQ(thrown_by_task<MachineError>("abort"),
            "[simulate] the simulation's process was ended by signal 6 (Aborted)");
  EXPECT_EQ(thrown_by_task<MachineError>("exit_with_3"),
            "[simulate] the simulation's process ended with status 3 before it had answered");
  EXPECT_EQ(thrown_by_task<MachineError>("nothing"),
            "[simulate] the simulation's process ended with status 0 before it had answered");
  EXPECT_TRUE(works(test_helper()));
}

TEST(Helper, ATaskThatDiesWhileDataTravelsIsNoHang) {
  EXPECT_EQ(thrown_by_task<MachineError>("begin_and_die"),
            "[simulate] the simulation's process was ended by signal 9 (Killed); memory may have run out");
  const std::vector<std::int64_t> more_than_a_socket_holds(1'000'000);
  EXPECT_THROW(
      test_helper().run("be_killed", [&](Channel& channel) { channel.send(more_than_a_socket_holds); }),
      MachineError);
}

// The second task is forked while the first one runs, and still runs when the first one ends.
TEST(Helper, TasksEndIndependently) {
  std::latch first_runs(1), second_runs(1);
  std::thread first([&] {
    test_helper().run("wait_for_ever", [&](Channel&) {
      first_runs.count_down();
      second_runs.wait();
    });
  });
  first_runs.wait();
  test_helper().run("wait_for_ever", [&](Channel&) {
    EXPECT_TRUE(works(test_helper()));
    second_runs.count_down();
    first.join();
  });
}

TEST(Helper, WhatTheCallerThrowsReachesTheCallerAndEndsTheTask) {
  EXPECT_THROW(test_helper().run("wait_for_ever", [](Channel&) { throw InternalError("changed my mind"); }),
               InternalError);
  EXPECT_TRUE(works(test_helper()));
}

TEST(Helper, AHelperThatIsKilledDuringASimulationIsAMachineErrorAndTheNextSimulationStartsANewOne) {
  const Helper helper(test_simulator());
  const pid_t killed = helper.process();
  const std::string message = thrown_by<MachineError>([&] {
    helper.run("wait_for_ever", [&](Channel& channel) {
      ::kill(killed, SIGKILL);
      char byte = 0;
      channel.receive(byte);
    });
  });
  EXPECT_EQ(
      message,
      fmt::format("[simulate] the helper process {} ended by signal 9 (Killed) during a simulation; the "
                  "next simulation starts a new one",
                  killed));
  EXPECT_TRUE(works(helper));
  EXPECT_NE(helper.process(), killed);
}

TEST(Helper, AHelperThatIsKilledBetweenSimulationsIsReplaced) {
  const Helper helper(test_simulator());
  const pid_t killed = helper.process();
  ::kill(killed, SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(killed), &ended, WEXITED | WNOWAIT);
  EXPECT_TRUE(works(helper));
  EXPECT_NE(helper.process(), killed);
}

// Every process holds the pipe's end as its standard error, so the read ends when all are gone.
TEST(Helper, NoProcessOutlivesAProgramThatIsKilled) {
  Pipe pipe;
  const int status = status_of_fork([&] {
    ::dup2(pipe.ends[1], STDERR_FILENO);
    pipe.close_write_end();
    const Helper own(test_simulator());
    own.run("say_and_wait", [](Channel& channel) {
      pid_t task = 0;
      channel.receive(task);
      std::raise(SIGKILL);
    });
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  pipe.close_write_end();
  EXPECT_TRUE(pipe.is_at_end());
}

// A process that the program forked holds a copy of its socket, and may live longer.
TEST(Helper, AForkedProcessDoesNotKeepTheHelperOfAKilledProgramAlive) {
  Pipe pipe, forked;
  const int status = status_of_fork([&] {
    const int before = ::dup(STDERR_FILENO);
    ::dup2(pipe.ends[1], STDERR_FILENO);
    pipe.close_write_end();
    const Helper own(test_simulator());
    own.process();
    ::dup2(before, STDERR_FILENO);
    if (::fork() == 0) {
      forked.close_write_end();
      forked.is_at_end();  // until the test lets it go
      ::_exit(0);
    }
    std::raise(SIGKILL);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  pipe.close_write_end();
  EXPECT_TRUE(pipe.is_at_end());
}

TEST(Helper, AProgramThatForksHasAHelperInEachProcess) {
  const Helper helper(test_simulator());
  const pid_t parents = helper.process();
  const int status = status_of_fork([&] {
    if (!works(helper)) return 1;
    return helper.process() == parents || received_from<pid_t>(helper, "parent") == parents ? 2 : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(works(helper));
  EXPECT_EQ(helper.process(), parents);
}

// A reader of a pipe waits until all copies of the write end are closed, so the helper may keep none.
TEST(Helper, KeepsNoDescriptorOfTheProgramOpen) {
  Pipe pipe;
  const Helper helper(test_simulator());
  EXPECT_TRUE(works(helper));
  pipe.close_write_end();
  EXPECT_TRUE(pipe.is_at_end());
  EXPECT_TRUE(received_from<bool>(helper, "is_input_empty"));
}

// A program may have been started without them, and prints its messages to their numbers.
TEST(Helper, NoSocketGetsTheNumberOfAClosedStandardStream) {
  const int status = status_of_fork([] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
    const Helper helper(test_simulator());
    std::vector<std::int64_t> values{21};
    bool are_closed = true;
    helper.run("double", [&](Channel& channel) {
      for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        are_closed = are_closed && ::write(stream, "message", 7) < 0;
      channel.send(values);
      channel.receive(values);
    });
    return are_closed && values.front() == 42 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(Helper, IgnoresAnInterruptThatTheProgramDecidesAbout) {
  const Helper helper(test_simulator());
  const pid_t process = helper.process();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::kill(process, signal);
  EXPECT_TRUE(works(helper));
  EXPECT_EQ(helper.process(), process);
}

TEST(Helper, AHelperThatIsMissingOrForeignIsRefusedWithItsPathAndARemedy) {
  const auto message_of = [](const std::filesystem::path& program) {
    const Helper helper(program);
    return thrown_by<MachineError>([&] { helper.process(); });
  };
  EXPECT_EQ(message_of("/nowhere/simulator"),
            "[simulate] /nowhere/simulator: the program can't be started: No such file or directory; install "
            "all of "
            "Windtunnel again");
  EXPECT_EQ(message_of("/bin/true"),
            "[simulate] /bin/true: the program ended with status 0 before it sent a greeting; install all of "
            "Windtunnel again");
  const Variable other(other_protocol, "1");
  const std::string refused = message_of(test_simulator());
  EXPECT_NE(refused.find(fmt::format("the program is protocol {} of Windtunnel", protocol_version + 1)),
            std::string::npos)
      << refused;
  EXPECT_NE(refused.find(fmt::format("and protocol {} of Windtunnel", protocol_version)), std::string::npos)
      << refused;
}

TEST(Helper, SaysThatItHasNoUseOfItsOwn) {
  const int status = status_of_fork([] {
    ::close(STDERR_FILENO);
    return ::execl(test_simulator().c_str(), "simulator", static_cast<char*>(nullptr));
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Helper, TheEnvironmentMayNameAnotherProgram) {
  {
    const Variable simulator("WINDTUNNEL_SIMULATOR", test_simulator().string());
    const Helper helper;
    EXPECT_TRUE(works(helper));
  }
  const Variable simulator("WINDTUNNEL_SIMULATOR", "/nowhere/simulator");
  const Helper helper;
  EXPECT_EQ(thrown_by<MachineError>([&] { helper.process(); }),
            "[simulate] /nowhere/simulator: the program can't be started: No such file or directory; unset "
            "WINDTUNNEL_SIMULATOR, or set it to the windtunnel_simulator of this build");
}

// The installed helper has one task, and it needs no object that main made.
TEST(Helper, OfThisProcessSimulates) {
  Job job;
  job.bandwidths = {25e9, 50e9};
  const std::int32_t kernel = job.add({.delay = 20e-6});
  job.add(job.flow(2e-6, 1'000'000, {{0, 1}}), {{kernel}});
  EXPECT_NEAR(play(job).end, 62e-6, 1e-15);
  EXPECT_THROW(Helper::of_this_process().run("double", [](Channel&) {}), InternalError);
}

}  // namespace
}  // namespace wt::simulate
