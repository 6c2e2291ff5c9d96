// Claims: if the process of a simulation fails in any way, its caller gets an error and can continue; and no
// process outlives main.

#include "simulate/server.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <new>
#include <thread>

#include "base/error.h"

namespace wt::simulate {
namespace {

const Server& server() { return Server::of_this_process(); }

void nothing(Channel&) {}

void double_them(Channel& channel) {
  std::vector<std::int64_t> values;
  channel.receive(values);
  for (std::int64_t& value : values) value *= 2;
  channel.send(values);
}

std::vector<std::int64_t> doubled(std::vector<std::int64_t> values) {
  server().run(double_them, [&](Channel& channel) {
    channel.send(values);
    channel.receive(values);
  });
  return values;
}

// The message of the error that is thrown here when the task ends. The caller waits for a number that the
// task never sends.
template <class Error>
std::string thrown_by(Server::Task task) {
  try {
    server().run(task, [](Channel& channel) {
      std::int64_t number = 0;
      channel.receive(number);
    });
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Server, RunsATaskInAProcessOfItsOwn) {
  EXPECT_EQ(doubled({1, 2, 3}), (std::vector<std::int64_t>{2, 4, 6}));
  pid_t process = 0;
  server().run([](Channel& channel) { channel.send(::getpid()); },
               [&](Channel& channel) { channel.receive(process); });
  EXPECT_NE(process, ::getpid());
  EXPECT_NE(process, server().process());
}

TEST(Server, EachTaskStartsAfresh) {
  static int tasks_so_far = 0;
  for (int round = 0; round < 3; ++round) {
    int counted = 0;
    server().run([](Channel& channel) { channel.send(++tasks_so_far); },
                 [&](Channel& channel) { channel.receive(counted); });
    EXPECT_EQ(counted, 1);
  }
}

TEST(Server, LargeAmountsPassBothWays) {
  std::vector<std::int64_t> values(4'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  const std::vector<std::int64_t> twice = doubled(values);
  ASSERT_EQ(twice.size(), values.size());
  EXPECT_EQ(twice.back(), 2 * values.back());
}

TEST(Server, SeveralThreadsMayAskAtOnce) {
  std::array<std::vector<std::int64_t>, 4> answers{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back([&, i] { answers[i] = doubled({static_cast<std::int64_t>(i)}); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i], std::vector<std::int64_t>{2 * static_cast<std::int64_t>(i)});
}

TEST(Server, WhatATaskThrowsIsThrownHere) {
  EXPECT_EQ(thrown_by<InternalError>([](Channel&) { throw InternalError("7 rows of 8"); }), "7 rows of 8");
  EXPECT_EQ(thrown_by<MachineError>([](Channel&) { throw MachineError("simulate", "disk full"); }),
            "[simulate] disk full");
  EXPECT_EQ(thrown_by<MachineError>([](Channel&) { throw std::bad_alloc(); }), "[simulate] out of memory");
}

TEST(Server, ADeadTaskIsAMachineErrorThatSaysHowItDied) {
  EXPECT_EQ(thrown_by<MachineError>([](Channel&) { std::raise(SIGKILL); }),
            "[simulate] the simulation's process was ended by signal 9 (Killed); memory may have run out");
  EXPECT_EQ(thrown_by<MachineError>([](Channel&) { std::signal(SIGABRT, SIG_DFL), std::abort(); }),
            "[simulate] the simulation's process was ended by signal 6 (Aborted)");
  EXPECT_EQ(thrown_by<MachineError>([](Channel&) { ::_exit(3); }),
            "[simulate] the simulation's process ended with status 3 before it had answered");
  EXPECT_EQ(thrown_by<MachineError>(nothing),
            "[simulate] the simulation's process ended with status 0 before it had answered");
  EXPECT_EQ(doubled({21}).front(), 42);  // The next task works.
}

TEST(Server, ATaskThatDiesInTheMiddleOfItsAnswerOrOfTheQuestionIsNoHang) {
  EXPECT_EQ(thrown_by<MachineError>([](Channel& channel) {
              channel.send(char{1});
              std::raise(SIGKILL);
            }),
            "[simulate] the simulation's process was ended by signal 9 (Killed); memory may have run out");
  const std::vector<std::int64_t> more_than_a_socket_holds(1'000'000);
  EXPECT_THROW(server().run([](Channel&) { std::raise(SIGKILL); },
                            [&](Channel& channel) { channel.send(more_than_a_socket_holds); }),
               MachineError);
}

TEST(Server, WhatTheCallerThrowsReachesItAndEndsTheTask) {
  const auto waits_for_ever = [](Channel& channel) {
    char byte = 0;
    channel.receive(byte);
  };
  EXPECT_THROW(server().run(waits_for_ever, [](Channel&) { throw InternalError("changed my mind"); }),
               InternalError);
  EXPECT_EQ(doubled({21}).front(), 42);
}

TEST(Server, AServerThatIsGoneIsAMachineError) {
  const Server other;
  ::kill(other.process(), SIGKILL);
  EXPECT_THROW(other.run(nothing, [](Channel&) {}), MachineError);
}

// Every process holds the write end of the pipe, so the read ends when all of them have ended.
TEST(Server, NothingOutlivesAMainThatIsKilled) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t main = ::fork();
  if (main == 0) {
    ::close(pipe[0]);
    const Server own;
    own.run([](Channel& channel) { channel.send(char{1}), ::pause(); },
            [](Channel& channel) {
              char byte = 0;
              channel.receive(byte);
              std::raise(SIGKILL);
            });
  }
  ::close(pipe[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(main, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace wt::simulate
