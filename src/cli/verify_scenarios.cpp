#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>

#include "base/error.h"
#include "base/table.h"
#include "base/temporary_folder.h"
#include "cli/arguments.h"
#include "cli/verify.h"

namespace wt::cli {

namespace {

namespace fs = std::filesystem;

// Whether a command may refuse a scenario that `validate` accepts.
enum class May : std::uint8_t {
  not_refuse,  // It shows a part of what `validate` checks.
  refuse,      // It has requirements of its own, such as a described machine.
};

// A command with its options.
struct Tried {
  std::string_view name{};
  std::vector<std::string> before{};  // words before the scenario's file
  std::vector<std::string> after{};
  May may = May::not_refuse;
};

// `calibrate` runs every kernel of a step at least seven times, and is given steps of one row.
const std::vector<Tried>& tried() {
  static const std::vector<Tried> all{
      {"validate", {"validate"}, {}},
      {"memory", {"validate", "--memory"}, {}},
      {"placement", {"validate", "--placement"}, {}},
      {"devices", {"devices"}, {}},
      {"plan", {"run"}, {"--plan"}},
      {"run", {"run"}, {}},
      {"log", {"run", "--log-device-placement"}, {"--set", "numerics=none"}, May::refuse},
      {"replicas", {"run"}, {"--replicas", "1,2"}, May::refuse},
      {"explain", {"explain"}, {}, May::refuse},
      {"calibrate",
       {"calibrate"},
       {"--set", "training.global_batch=null", "--set", "training.per_replica_batch=1"},
       May::refuse},
      {"strategies", {"verify", "strategies"}, {"--steps", "2"}, May::refuse},
  };
  return all;
}

// What takes more than about 5 s on two processors.
struct Slow {
  std::string_view scenario{};  // the name of its file; empty: every one
  std::string_view command{};
};
constexpr Slow slow[] = {
    {"", "calibrate"},
    {"fashion_cnn_custom_loop", "run"},
    {"input_and_jitter", "explain"},
    {"multi_worker_32_dgx_a100", "explain"},
    {"multi_worker_32_dgx_a100", "log"},
    {"multi_worker_32_dgx_a100", "run"},
    {"quickstart", "run"},
    {"quickstart", "strategies"},
};

bool is_slow(const std::string& scenario, std::string_view command) {
  return std::ranges::any_of(slow, [&](const Slow& row) {
    return row.command == command && (row.scenario.empty() || row.scenario == scenario);
  });
}

struct Ended {
  Exit exit{};
  std::string message{};  // why it was not done
};

// The first line that is no log, note or warning.
std::string reason_in(const std::string& messages) {
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("INFO:") && !line.starts_with("note: ") && !line.starts_with("warning: "))
      return line;
  return {};
}

Ended ended(const Tried& command, const fs::path& file, const fs::path& scratch) {
  std::vector<std::string> words{"windtunnel"};
  words.insert(words.end(), command.before.begin(), command.before.end());
  words.push_back(file.string());
  words.insert(words.end(), command.after.begin(), command.after.end());
  const bool writes = command.before.front() == "run" && command.name != "plan" && command.name != "replicas";
  if (writes) words.insert(words.end(), {"--out", (scratch / "out").string()});
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::ostringstream results, messages;
  const Exit exit = run_command_line(arguments, results, messages);
  return {exit, exit == Exit::done ? "" : reason_in(messages.str())};
}

using ByCommand = std::map<std::string_view, Ended>;

// Why what a command said is a fault; empty: it is none.
std::string fault_of(const Tried& command, const Ended& own, const ByCommand& all) {
  if (own.exit == Exit::our_fault) return "ends with a fault";
  const auto validated = all.find("validate");
  if (validated == all.end() || command.name == "validate") return {};
  const bool is_refused = own.exit == Exit::input_wrong;
  const bool was_refused = validated->second.exit == Exit::input_wrong;
  if (is_refused && !was_refused && command.may == May::not_refuse) return "refuses what validate accepts";
  if (!is_refused && was_refused) return "accepts what validate refuses";
  const bool fits = validated->second.exit == Exit::done;
  if (command.name == "run" && own.exit == Exit::done && !fits) return "runs what validate says doesn't fit";
  return {};
}

std::vector<fs::path> scenarios_in(const VerifyScenariosOptions& options) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.folder, error))
    if (entry.path().extension() == ".json" &&
        entry.path().stem().string().find(options.only) != std::string::npos)
      files.push_back(entry.path());
  if (error)
    throw InputError(fmt::format("cannot read the folder \"{}\": {}", options.folder, error.message()));
  if (files.empty())
    throw InputError(
        fmt::format("no scenario in \"{}\" has \"{}\" in its name", options.folder, options.only),
        "name a folder of scenario files, such as scenarios");
  std::ranges::sort(files);
  return files;
}

}  // namespace

Exit verify_scenarios(const VerifyScenariosOptions& options, const Streams& streams) {
  const TemporaryFolder scratch;
  std::vector<TableRow> rows{{"scenario", "command", "exit", "verdict"}};
  int faults = 0;
  for (const fs::path& file : scenarios_in(options)) {
    const std::string name = file.stem().string();
    ByCommand all;
    for (const Tried& command : tried()) {
      if (options.quick && is_slow(name, command.name)) continue;
      const Ended& own = all[command.name] = ended(command, file, scratch.path());
      const std::string fault = fault_of(command, own, all);
      faults += fault.empty() ? 0 : 1;
      rows.push_back({name, std::string(command.name), std::to_string(static_cast<int>(own.exit)),
                      !fault.empty()        ? fmt::format("FAULT: {}: {}", fault, own.message)
                      : own.message.empty() ? "fine"
                                            : own.message});
    }
  }
  streams.results << print_table(rows, "llrl");
  streams.results << fmt::format("{} commands, {} faults\n", rows.size() - 1, faults);
  return faults == 0 ? Exit::done : Exit::job_failed;
}

Command verify_scenarios_command(CLI::App& verify) {
  return declare(
      verify, "scenarios", "Runs every command for every scenario of a folder, and compares what they say",
      verify_scenarios, [](CLI::App& command, VerifyScenariosOptions& options) {
        command.add_option("FOLDER", options.folder, "Folder of scenario files: scenarios")->required();
        command.add_option("--only", options.only, "Only scenarios with this word in their name");
        command.add_flag("--quick", options.quick, "Leaves out what takes more than about 5 s");
      });
}

}  // namespace wt::cli
