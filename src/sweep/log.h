#pragma once
// The folder of a sweep's results: its journal, and the tables that are written when all rows are there.

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/output/journal.h"
#include "sweep/record.h"

namespace wt::sweep {

class Log {
 public:
  // Makes the folder, or continues what lies there. Throws InputError if that is another sweep, or one whose
  // files or program have changed since; `anew` drops its rows instead. Throws InputError if another process
  // writes the folder.
  Log(const std::filesystem::path& folder, Header header, bool anew);

  // Those that were there before, too; by the number of the point.
  const std::map<std::int64_t, Row>& rows() const { return rows_; }

  // Returns when the lines are on the disk.
  void append(std::span<const std::string> lines);

  // Writes sweep.csv and sweep.json.
  void finish();

 private:
  std::filesystem::path folder_;
  Header header_;
  output::Journal journal_;
  std::map<std::int64_t, Row> rows_{};
};

// The header and the rows in a folder, which is only read. Throws InputError if it holds no sweep.
struct Found {
  Header header{};
  std::map<std::int64_t, Row> rows{};
};
Found read_log(const std::filesystem::path& folder);

}  // namespace wt::sweep
