#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

// The options of `windtunnel collective` as the user wrote them. cli/collective_question.h parses them.
struct CollectiveOptions {
  std::string platform{};
  std::vector<std::string> overrides{};  // "machines=2"
  std::string operation = "all_reduce";
  std::vector<std::string> algorithms{"auto"};  // names, files, "auto" or "all"
  std::vector<std::string> options{};           // options of the algorithms: "segments=4"
  std::optional<std::string> protocol{};        // absent: the library's choice
  std::optional<std::string> nccl_algo{};       // as NCCL_ALGO: "^NVLS"
  std::optional<std::string> nccl_proto{};      // as NCCL_PROTO: "Simple"
  std::optional<std::string> nccl_version{};    // "2.27"
  std::optional<std::string> launch{};          // absent: mpi
  std::optional<int> devices_per_process{};     // like -g of nccl-tests
  std::optional<std::string> tiny_message{};    // its measured time on the real system: "17us"
  std::optional<int> ranks{};                   // absent: all devices
  std::optional<std::string> rank_order{};      // "0,4,1,5", "reversed", "by_rail"
  int concurrent = 1;                           // number of groups that run at once
  std::vector<std::string> sizes{};             // empty: from begin to end, multiplied by `factor`
  std::optional<std::string> begin{};           // absent: 1KiB
  std::optional<std::string> end{};             // absent: 1GiB
  std::optional<double> factor{};               // absent: 2
  std::string type = "float32";
  std::string reduction = "sum";
  int root = 0;
  bool expanded = false;
  bool folded = false;
  bool json = false;
  bool csv = false;
  bool schedule = false;  // prints the schedule and simulates nothing
  bool links = false;
  std::vector<std::string> measured{};  // files with the output of nccl-tests
  bool report = false;
  std::string out{};                   // of the report; empty: out/<name of the collective>
  std::optional<std::string> trace{};  // file
  std::optional<std::string> dot{};    // file
};

inline bool names_sizes(const CollectiveOptions& options) {
  return !options.sizes.empty() || options.begin || options.end || options.factor;
}

// Simulates collectives on a described machine and prints their times in the columns of nccl-tests.
Exit run_collective(const CollectiveOptions& options, const Streams& streams);
Command collective_command(CLI::App& program);

}  // namespace wt::cli
