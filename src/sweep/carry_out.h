#pragma once
// Carries a sweep out.

#include <filesystem>
#include <functional>
#include <string>

#include "sweep/log.h"
#include "sweep/ranks.h"
#include "sweep/sweep.h"

namespace wt::sweep {

// The points whose number is number - 1 modulo `of`, for several machines that share nothing but a scheduler.
struct Shard {
  int number = 1;
  int of = 1;
};
// "2/3". Throws InputError if it is not of this form.
Shard parse_shard(const std::string& text);
std::string print(const Shard& shard);  // empty if there is only one

struct Options {
  std::filesystem::path folder{};
  int processes = 1;
  Shard shard{};
  bool anew = false;      // drops the rows that lie in the folder
  std::string version{};  // of the program
  std::function<void(std::int64_t done, std::int64_t points)> on_progress{};
  std::function<bool()> is_stopped{};  // true: points that are not finished are given up
  Ranks* ranks = nullptr;              // those who share the points; null: processes of this machine
};

struct Ending {
  Header header{};
  std::map<std::int64_t, Row> rows{};
  std::int64_t points = 0;  // of the shard
  std::int64_t found = 0;   // rows that were there before
  bool is_complete() const { return static_cast<std::int64_t>(rows.size()) == points; }
};

// Throws InputError for everything that is wrong with the sweep before the first point is planned, and
// MachineError if the journal cannot be written any more; what was written by then stays.
Ending carry_out(const Sweep& sweep, const Options& options);

// What a rank other than the first does while the first carries the sweep out.
void assist(const Sweep& sweep, Ranks& ranks);

// Joins the rows of folders that have shards of one sweep. Throws InputError if they are of different sweeps or
// if points are missing.
Ending merge(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& into, bool anew);

}  // namespace wt::sweep
