#pragma once
// The commands `sweep` and `merge`.

#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct SweepOptions {
  std::string file{};                    // a sweep, or a scenario if there are axes
  std::vector<std::string> axes{};       // "machines=1..64x2"
  std::vector<std::string> overrides{};  // "training.epochs=3"
  std::vector<std::string> prices{};     // "aws_p5=98.32 USD/h"
  std::string out{};                     // empty: out/<slug of the name>
  std::optional<int> processes{};        // default: one for each processor
  std::string shard{};                   // "2/3"
  bool restart = false;
  bool report = false;  // writes a report beside the results
  bool json = false;
  bool csv = false;
};
Exit sweep(const SweepOptions& options, const Streams& streams);
Command sweep_command(CLI::App& program);

struct MergeOptions {
  std::vector<std::string> folders{};
  std::string out{};
  bool restart = false;
  bool report = false;
};
Exit merge(const MergeOptions& options, const Streams& streams);
Command merge_command(CLI::App& program);

}  // namespace wt::cli
