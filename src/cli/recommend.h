#pragma once
// The command `recommend`.

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct RecommendOptions {
  std::string file{};
  std::vector<std::string> overrides{};
  std::optional<double> target{};  // samples per second
  std::string epoch{};             // "10min"
  bool fit = false;
  std::vector<std::string> platforms{};  // empty: all
  std::vector<std::string> prices{};     // "aws_p5=98.32 USD/h"
  std::string max_global_batch{};        // a number, or "none"
  std::int64_t max_devices = 256;
  double quantile = 0.1;
  std::string measured{};
  std::optional<int> processes{};
  bool json = false;
  bool report = false;
  std::string out{};  // of the report; empty: out/<name>_recommendation
};

// Prints the smallest machine of each platform that meets a target, and how sure that is. The exit code is that of a
// failed job if no machine meets it.
Exit recommend(const RecommendOptions& options, const Streams& streams);
Command recommend_command(CLI::App& program);

}  // namespace wt::cli
