#pragma once
// The commands of the program, except `collective`, `sweep`, `merge`, `recommend`, `report` and `verify`,
// which have headers of their own. A command takes its options as the user wrote them and writes to two
// streams. Beside each stands the function that declares its arguments (cli/arguments.h).

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/cli.h"

namespace CLI {
class App;
}
namespace wt::cluster {
struct Machine;
}
namespace wt::scenario {
struct Scenario;
}
namespace wt::session {
class Training;
}

namespace wt::cli {

struct Command;

// Results may be read by scripts. Messages are for the user only.
struct Streams {
  std::ostream& results;
  std::ostream& messages;
};

struct RunOptions {
  std::vector<std::string> files{};      // several files are compared in a table
  std::vector<std::string> overrides{};  // "training.epochs=3"
  std::vector<int> replicas{};           // If not empty, prints a table of these numbers and trains nothing.
  std::string out{};  // Empty: out/<slug of the name>. With several files, their folders' parent.
  std::optional<int> threads{};
  std::string isa{};        // empty: the best instruction set
  std::string tf_config{};  // a file, or "env" for the variable; empty: the scenario's cluster
  bool json = false;
  bool csv = false;
  bool plan = false;  // prints the plan and trains nothing
  bool log_device_placement = false;
  bool report = false;                // writes a report beside the results
  bool job = false;                   // itemises the time of the whole training
  std::vector<std::string> prices{};  // "aws_p5=98.32 USD/h"
  bool verbose = false;               // details of what is planned and simulated
};
Exit run(const RunOptions& options, const Streams& streams);
Command run_command(CLI::App& program);

struct ExplainOptions {
  std::string file{};
  std::vector<std::string> overrides{};
  bool json = false;
};
Exit explain(const ExplainOptions& options, const Streams& streams);
Command explain_command(CLI::App& program);

struct ValidateOptions {
  std::vector<std::string> files{};
  std::vector<std::string> overrides{};
  std::string tf_config{};
  bool memory = false;     // prints what each device holds, and the largest batch that fits
  bool placement = false;  // prints the device of each operation, and the reason
  bool input = false;      // prints which rows and files each worker and replica gets
};
Exit validate(const ValidateOptions& options, const Streams& streams);
Command validate_command(CLI::App& program);

// The overrides that the options of a run stand for, in the order in which they apply: --set, --job, --price.
std::vector<std::string> overrides_of(const std::string& file, const RunOptions& options);
// Those of options --price, as in aws_p5="98.32 USD/h".
std::vector<std::string> price_overrides(const std::vector<std::string>& prices);

// Replaces the scenario's cluster by that of `tf_config`: a file, or "env" for the variable TF_CONFIG. If
// `tf_config` is empty and the variable is set, a message says that the variable is not used. Throws
// InputError if the scenario has a cluster, too.
void apply_tf_config(const std::string& tf_config, scenario::Scenario& scenario, std::ostream& messages);

// Prints what is doubtful about a machine, and what is assumed about it.
void print_warnings(const cluster::Machine& machine, std::ostream& messages);
void print_faults(const std::vector<Problem>& faults, std::ostream& messages);  // session::Training::faults
void print_notes(const std::vector<Problem>& notes, std::ostream& messages);

// Prints what each device holds in a step, and the largest batch that fits. Returns false if the step doesn't
// fit.
bool print_memory(session::Training& training, const Streams& streams);

struct DevicesOptions {
  std::string file{};  // empty: prints this machine's devices
  std::vector<std::string> overrides{};
  bool json = false;
};
Exit devices(const DevicesOptions& options, const Streams& streams);
Command devices_command(CLI::App& program);

struct CalibrateOptions {
  std::string file{};  // empty: measures only this machine's rates
  std::vector<std::string> overrides{};
  std::string as{};  // the profile or platform file to write; empty: none
  std::optional<int> threads{};
  std::string isa{};
  // What was measured elsewhere, instead of what this machine does.
  std::vector<std::string> nccl{};      // files with the output of nccl-tests
  std::string platform{};               // on which they ran
  std::string launch{};                 // empty: as the output says
  std::optional<std::int64_t> ranks{};  // of outputs that don't list them; absent: all devices
  std::vector<std::string> steps{};     // "8=118ms"
};
Exit calibrate(const CalibrateOptions& options, const Streams& streams);
Command calibrate_command(CLI::App& program);

struct ListOptions {
  std::string what{};  // one of list_kinds(); empty: all of them
  bool json = false;
};
Exit list(const ListOptions& options, const Streams& streams);
Command list_command(CLI::App& program);
std::vector<std::string_view> list_kinds();

struct NewOptions {
  std::string model{};  // .keras, .h5 or JSON of Keras
  std::string out{};    // the scenario to write; empty: <name of the model>_scenario.json
  bool force = false;   // replaces the file
};
Exit new_scenario(const NewOptions& options, const Streams& streams);
Command new_command(CLI::App& program);

struct ImportOptions {
  std::string file{};  // XML of SimGrid or NCCL
  std::string as{};    // the platform file to write; empty: prints it
  std::string type{};  // device type; empty: found by compute capability
  std::string host{};  // CPU type; empty: found by the CPU's model
};
Exit import_platform(const ImportOptions& options, const Streams& streams);
Command import_command(CLI::App& program);

struct ExportOptions {
  std::string platform{};
  std::string as{};
  std::vector<std::string> overrides{};  // "machines=2"
  std::string out{};                     // the file to write; empty: prints it
};
Exit export_platform(const ExportOptions& options, const Streams& streams);
Command export_command(CLI::App& program);

}  // namespace wt::cli
