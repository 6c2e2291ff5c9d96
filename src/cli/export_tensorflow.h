#pragma once

#include "cli/commands.h"

namespace wt::cli {

struct ExportTensorflowOptions {
  std::string file{};
  std::vector<std::string> overrides{};
  std::string tf_config{};
  std::string out{};  // empty: out/<slug of the name>_tensorflow
};
Exit export_tensorflow(const ExportTensorflowOptions& options, const Streams& streams);
Command export_tensorflow_command(CLI::App& parent);

}  // namespace wt::cli
