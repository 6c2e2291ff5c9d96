#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"

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

// Results are for scripts and people, messages for people only.
struct Streams {
  std::ostream& results;
  std::ostream& messages;
};

struct RunOptions {
  std::vector<std::string> files{};      // several: a table compares them
  std::vector<std::string> overrides{};  // "training.epochs=3"
  std::vector<int> replicas{};           // not empty: a table of so many, nothing is trained
  std::string out{};  // empty: out/<slug of the name>; of several files the folder around them
  std::optional<int> threads{};
  std::string isa{};        // empty: the best
  std::string tf_config{};  // a file, or "env"; empty: the scenario's cluster
  bool json = false;
  bool csv = false;
  bool plan = false;  // print it, train nothing
  bool log_device_placement = false;
  bool verbose = false;  // details of what is planned and simulated
};
Exit run(const RunOptions& options, const Streams& streams);

struct ExplainOptions {
  std::string file{};
  std::vector<std::string> overrides{};
  bool json = false;
};
Exit explain(const ExplainOptions& options, const Streams& streams);

struct ValidateOptions {
  std::vector<std::string> files{};
  std::vector<std::string> overrides{};
  std::string tf_config{};
  bool memory = false;     // tell what each device holds, and what would fit
  bool placement = false;  // tell where each operation goes, and why
};
Exit validate(const ValidateOptions& options, const Streams& streams);

// Takes the cluster from there. Without it, an environment that has TF_CONFIG is noticed in one line.
void apply_tf_config(const std::string& tf_config, scenario::Scenario& scenario, std::ostream& messages);

void tell_warnings(const cluster::Machine& machine, std::ostream& messages);

bool tell_memory(session::Training& training, const Streams& streams);  // false: a step doesn't fit

struct DevicesOptions {
  std::string file{};  // empty: this machine
  std::vector<std::string> overrides{};
  bool json = false;
};
Exit devices(const DevicesOptions& options, const Streams& streams);

struct CalibrateOptions {
  std::string file{};  // empty: this machine's rates
  std::vector<std::string> overrides{};
  std::string as{};  // the profile to write; empty: none
  std::optional<int> threads{};
  std::string isa{};
};
Exit calibrate(const CalibrateOptions& options, const Streams& streams);

struct ListOptions {
  std::string what{};  // empty: everything
  bool json = false;
};
Exit list(const ListOptions& options, const Streams& streams);
std::vector<std::string_view> list_kinds();

struct ImportOptions {
  std::string file{};  // SimGrid's or NCCL's XML
  std::string as{};    // the platform file to write; empty: print it
  std::string type{};  // of the devices; empty: by their compute capability
  std::string host{};  // of the CPUs; empty: by their model
};
Exit import_platform(const ImportOptions& options, const Streams& streams);

struct ExportOptions {
  std::string platform{};
  std::string as{};
  std::vector<std::string> overrides{};  // "machines=2"
  std::string out{};                     // empty: print it
};
Exit export_platform(const ExportOptions& options, const Streams& streams);

}  // namespace wt::cli
