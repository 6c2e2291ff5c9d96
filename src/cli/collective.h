#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "collective/operation.h"
#include "plan/timeline.h"
#include "tensor/type.h"

namespace wt {

struct CollectiveOptions {
  std::string platform{};
  std::vector<std::string> overrides{};  // "machines=2"
  std::string operation = "all_reduce";
  std::vector<std::string> algorithms{};  // empty: ring, or the catalog's first; "all"
  std::vector<std::string> options{};     // of algorithms: "segments=4"
  std::optional<int> ranks{};             // absent: all devices
  std::vector<std::string> sizes{};       // empty: from begin to end, each `factor` times the one before
  std::string begin = "1KiB";
  std::string end = "1GiB";
  double factor = 2;
  std::string type = "float32";
  int root = 0;
  bool json = false;
  bool csv = false;
  bool schedule = false;  // print it, time nothing
  bool links = false;
};

// Times collectives on a described machine, in the columns of nccl-tests.
Exit run_collective(const CollectiveOptions& options, const Streams& streams);

// ---- What it prints

// What all rows of a table share.
struct CollectiveTable {
  std::string platform{};
  collective::Operation operation{};
  int ranks = 0;
  Type type{};
  int root = 0;
  bool links = false;
};

struct CollectiveRow {
  std::string algorithm{};
  Bytes bytes{};
  std::int64_t count = 0;  // elements, counted as nccl-tests does
  Seconds time{};
  std::optional<Seconds> bound{};
  std::vector<plan::LinkUse> links{};

  // Bytes per second: of the vector, and as if every algorithm moved what the best possible one must
  // (nccl-tests, doc/PERFORMANCE.md).
  double algorithm_bandwidth() const { return static_cast<double>(bytes.count()) / time.count(); }
  double bus_bandwidth(const CollectiveTable& table) const;
};

std::string collective_text(const CollectiveTable& table, const std::vector<CollectiveRow>& rows);
std::string collective_csv(const CollectiveTable& table, const std::vector<CollectiveRow>& rows);
std::string collective_json(const CollectiveTable& table, const std::vector<CollectiveRow>& rows);

}  // namespace wt
