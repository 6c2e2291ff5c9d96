#include "cli/cli.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"

namespace wt {
namespace {

struct Said {
  cli::Exit exit{};
  std::string results{};
  std::string messages{};
};

Said run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "windtunnel");
  std::ostringstream results, messages;
  const cli::Exit exit = cli::run_command_line(arguments, results, messages);
  return {exit, results.str(), messages.str()};
}

TEST(CommandLine, PrintsTheVersionAsAResult) {
  const Said said = run({"--version"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_EQ(said.results, "windtunnel 0.1.0\n");
  EXPECT_EQ(said.messages, "");
}

TEST(CommandLine, PrintsHelpAsAResultWhenAskedFor) {
  const Said said = run({"--help"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_TRUE(said.results.starts_with("Train on a cluster you don't have.\nUsage: windtunnel"))
      << said.results;
  EXPECT_EQ(said.messages, "");
}

TEST(CommandLine, AnswersNothingWithHelpAsAMessage) {
  const Said said = run({});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.results, "");
  EXPECT_EQ(said.messages, run({"--help"}).results);
}

TEST(CommandLine, RefusesAnUnknownCommand) {
  const Said said = run({"fly", "--far"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(
      said.messages,
      "\"fly\" is not a command\nknown: run, sweep, merge, recommend, report, explain, validate, collective, "
      "devices, calibrate, list, "
      "new, import, "
      "export, verify\n");
}

TEST(CommandLine, SuggestsTheCommandThatWasMeant) {
  EXPECT_EQ(run({"vaildate"}).messages,
            "\"vaildate\" is not a command\ndid you mean \"validate\"? known: run, sweep, merge, recommend, "
            "report, "
            "explain, validate, collective, "
            "devices, calibrate, list, new, import, export, verify\n");
}

TEST(CommandLine, SuggestsTheOptionThatWasMeant) {
  const Said said = run({"--verson"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.messages,
            "\"--verson\" is not an option\ndid you mean \"--version\"? known: --help, --version\n");
}

// As of a full disk: standard output takes no byte.
struct FullBuffer : std::streambuf {
  int_type overflow(int_type) override { return traits_type::eof(); }
};

TEST(CommandLine, AFullStandardOutputIsAnError) {
  FullBuffer full;
  std::ostream results(&full);
  std::ostringstream messages;
  const char* const words[] = {"windtunnel", "list"};
  EXPECT_EQ(cli::run_command_line(words, results, messages), cli::Exit::our_fault);
  EXPECT_TRUE(messages.str().starts_with("[write] standard output: ")) << messages.str();
}

Said guarded(const std::function<cli::Exit()>& command) {
  std::ostringstream messages;
  const cli::Exit exit = cli::guard(command, messages);
  return {exit, "", messages.str()};
}

TEST(Guard, PassesOnWhatTheCommandAnswers) {
  EXPECT_EQ(guarded([] { return cli::Exit::job_failed; }).exit, cli::Exit::job_failed);
}

TEST(Guard, TurnsWrongInputInto2AndPrintsThePlace) {
  const Said said = guarded([]() -> cli::Exit {
    throw InputError(Problem{{"a.json", 1, 3, "{ x }", 1}, "\"x\" is not a key", "remove it"});
  });
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.messages, "a.json:1:3: \"x\" is not a key\n  1 | { x }\n    |   ^\nremove it\n");
}

TEST(Guard, TurnsTheMachinesTroubleInto3WithoutBlamingAnyone) {
  const Said said =
      guarded([]() -> cli::Exit { throw MachineError("write", "a.json: no space left on device"); });
  EXPECT_EQ(said.exit, cli::Exit::our_fault);
  EXPECT_EQ(said.messages, "[write] a.json: no space left on device\n");
}

TEST(Guard, TurnsEveryOtherExceptionInto3AndSaysWhoseFaultItIs) {
  const Said said = guarded([]() -> cli::Exit { throw std::out_of_range("row 7"); });
  EXPECT_EQ(said.exit, cli::Exit::our_fault);
  EXPECT_EQ(said.messages, "this is a fault of windtunnel, not of your input: row 7\n");
}

}  // namespace
}  // namespace wt
