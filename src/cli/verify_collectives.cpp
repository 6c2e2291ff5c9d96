#include "cli/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "base/error.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "collective/catalog.h"
#include "collective/deletion.h"
#include "collective/import.h"
#include "collective/verify.h"

namespace wt::cli {

namespace {

using collective::Algorithm;
using collective::Expanded;
using collective::Finding;

constexpr int most_ranks = 256;
constexpr std::int64_t elements = 1 << 20;  // enough that no chunk is empty

struct RankRange {
  int first = 0, last = 0;
};

RankRange ranks_in(std::string_view text) {
  RankRange range;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  if (error == std::errc() && at != end && *at == '-') {
    const auto [rest, second_error] = std::from_chars(at + 1, end, range.last);
    at = rest;
    error = second_error;
  }
  if (error != std::errc() || at != end || range.first < 1 || range.last < range.first ||
      range.last > most_ranks)
    throw InputError(fmt::format("\"{}\" is not a range of ranks", text),
                     fmt::format("give a number or a range up to {}, as in 2-24", most_ranks));
  return range;
}

std::vector<const Algorithm*> chosen(std::string_view wanted) {
  std::vector<const Algorithm*> found;
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : collective::algorithms()) {
    if (wanted.empty() || algorithm.name == wanted) found.push_back(&algorithm);
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) names.push_back(algorithm.name);
  }
  if (found.empty())
    throw InputError(fmt::format("\"{}\" is not an algorithm", wanted), did_you_mean(wanted, names));
  return found;
}

// The sums that the table shows for one algorithm.
struct Tally {
  int schedules = 0, left_out = 0;
  std::size_t moves = 0, dependencies = 0, deletions = 0;
  std::vector<std::string> trouble{};
};

void count(const Expanded& schedule, Tally& tally) {
  ++tally.schedules;
  tally.left_out += !schedule.contract.left_out.empty();
  tally.moves += schedule.steps.size();
  for (const collective::Step& step : schedule.steps)
    tally.dependencies += step.start.size() + step.apply.size();
}

Tally prove(const Algorithm& algorithm, RankRange range, bool deletions) {
  Tally tally;
  for (int ranks = range.first; ranks <= range.last; ++ranks) {
    if (!allows(algorithm, ranks)) continue;
    const Expanded schedule = expand(make_schedule(algorithm, {.ranks = ranks, .elements = elements}));
    count(schedule, tally);
    for (const Finding& finding : verify(schedule))
      tally.trouble.push_back(fmt::format("{} ranks: {}", ranks, finding.text));
    if (!deletions) continue;
    const collective::Deletions result = try_deletions(schedule);
    tally.deletions += result.tried;
    for (const std::string& unnoticed : result.unnoticed)
      tally.trouble.push_back(fmt::format("{} ranks: the proof also holds without {}", ranks, unnoticed));
  }
  return tally;
}

std::string verdict(const Tally& tally) {
  if (tally.schedules == 0) return "not defined for these ranks";
  if (!tally.trouble.empty()) return fmt::format("FAILS {} times", tally.trouble.size());
  if (tally.left_out == 0) return "proved";
  return fmt::format("proved; leaves out the last rank of {} odd counts, as TensorFlow does", tally.left_out);
}

Exit verify_catalog(const VerifyCollectivesOptions& options, const Streams& streams) {
  const RankRange range = ranks_in(options.ranks);
  std::vector<TableRow> rows{{"operation", "algorithm", "schedules", "moves", "dependencies"}};
  if (options.deletions) rows[0].push_back("deletions");
  rows[0].push_back("verdict");
  std::string trouble;
  for (const Algorithm* algorithm : chosen(options.algorithm)) {
    const Tally tally = prove(*algorithm, range, options.deletions);
    TableRow row{std::string(name(algorithm->operation)), std::string(algorithm->name),
                 std::to_string(tally.schedules), std::to_string(tally.moves),
                 std::to_string(tally.dependencies)};
    if (options.deletions) row.push_back(std::to_string(tally.deletions));
    row.push_back(verdict(tally));
    rows.push_back(std::move(row));
    for (const std::string& each : tally.trouble)
      trouble += fmt::format("{} {}, {}\n", name(algorithm->operation), algorithm->name, each);
  }
  streams.results << print_table(rows, options.deletions ? "llrrrrl" : "llrrrl") << trouble;
  return trouble.empty() ? Exit::done : Exit::our_fault;
}

Exit verify_files(const std::vector<std::string>& files, const Streams& streams) {
  bool all_proved = true;
  for (const std::string& file : files) {
    const Expanded schedule = collective::import_schedule(read_text(file), 0, file);
    const std::vector<Finding> findings = verify(schedule);
    const collective::Contract& contract = schedule.contract;
    streams.results << fmt::format("{}: {} {} of {} ranks, {} moves: {}\n", file, name(contract.operation),
                                   schedule.name, contract.ranks, schedule.steps.size(),
                                   findings.empty() ? "proved" : "wrong");
    for (const Finding& finding : findings) streams.results << "  " << finding.text << "\n";
    all_proved &= findings.empty();
  }
  return all_proved ? Exit::done : Exit::input_wrong;
}

}  // namespace

Exit verify_collectives(const VerifyCollectivesOptions& options, const Streams& streams) {
  return options.files.empty() ? verify_catalog(options, streams) : verify_files(options.files, streams);
}

Command verify_collectives_command(CLI::App& verify) {
  return declare(
      verify, "collectives", "Proves that every collective algorithm does what its operation promises",
      verify_collectives, [](CLI::App& command, VerifyCollectivesOptions& options) {
        command.add_option("FILE", options.files,
                           "Files of schedules to prove instead, in windtunnel's text form or MSCCL's XML");
        command.add_option("--ranks", options.ranks, "Number of ranks, or a range; default: 2-24");
        command.add_option("--algorithm", options.algorithm, "Proves only this algorithm; default: all");
        command.add_flag("--deletions", options.deletions,
                         "Also proves that no move and no dependency is superfluous; for few ranks");
      });
}

}  // namespace wt::cli
