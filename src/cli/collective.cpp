#include "cli/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "base/file.h"
#include "base/suggest.h"
#include "cli/collective_timer.h"
#include "collective/print.h"
#include "platform/load.h"

namespace wt {

namespace {

using collective::Algorithm, collective::Operation;

constexpr std::size_t most_sizes = 1000;

// ---- What the user said

Operation operation_named(const std::string& wanted) {
  std::vector<std::string_view> known;
  for (const collective::OperationRow& row : collective::operations()) {
    if (row.name == wanted) return row.operation;
    known.push_back(row.name);
  }
  throw InputError(fmt::format("\"{}\" is not an operation", wanted), did_you_mean(wanted, known));
}

// A bare number is bytes, and K, M, G are binary, as in nccl-tests.
Bytes size_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::string_view, 4> units{"", "K", "M", "G"};
  const auto found = std::ranges::find(units, unit);
  if (error != std::errc() || found == units.end() || number > (std::int64_t{1} << 33))
    return parse<Bytes>(text);
  return Bytes(number) * (std::int64_t{1} << (10 * (found - units.begin())));
}

std::vector<Bytes> sizes_of(const CollectiveOptions& options) {
  std::vector<Bytes> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(size_of(text));
  if (!sizes.empty()) return sizes;
  const Bytes begin = size_of(options.begin), end = size_of(options.end);
  if (!(options.factor > 1))
    throw InputError(fmt::format("-f {} never reaches the end", options.factor), "give a factor above 1");
  if (begin > end || begin < Bytes(1))
    throw InputError(fmt::format("there is no size from {} to {}", begin, end),
                     "begin with the smaller size, above 0");
  for (double size = static_cast<double>(begin.count()); size <= static_cast<double>(end.count());
       size = std::max(size + 1, size * options.factor)) {
    if (sizes.size() == most_sizes)
      throw InputError(fmt::format("-f {} makes more than {} sizes", options.factor, most_sizes),
                       "give a larger factor");
    sizes.push_back(Bytes(static_cast<std::int64_t>(size)));
  }
  return sizes;
}

// ---- Which algorithms

bool are_all(const CollectiveOptions& options) {
  return options.algorithms == std::vector<std::string>{"all"};
}

CollectiveChoice choice_named(const std::string& name, Operation operation) {
  const bool is_file = name.find_first_of("./") != std::string::npos;
  if (is_file) return {nullptr, name, read_text(name)};
  return {&collective::algorithm_named(operation, name), {}, {}};
}

std::vector<CollectiveChoice> choices(const CollectiveOptions& options, Operation operation) {
  std::vector<CollectiveChoice> wanted;
  if (options.algorithms.empty() || are_all(options)) {
    for (const Algorithm* algorithm : collective::algorithms_of(operation))
      wanted.push_back({algorithm, {}, {}});
    if (!are_all(options)) wanted.resize(1);
  } else {
    for (const std::string& name : options.algorithms) wanted.push_back(choice_named(name, operation));
  }
  return wanted;
}

// Of all, those that aren't for so many ranks are left out; of those named, none.
bool is_timed(const CollectiveTimer& timer, const CollectiveChoice& choice, const std::vector<Bytes>& sizes,
              bool may_leave_out, std::ostream& messages) {
  try {
    for (const Bytes size : sizes) timer.check(choice, size);
    return true;
  } catch (const InputError& error) {
    if (!may_leave_out) throw;
    const std::string text = error.what();
    messages << "left out: " << text.substr(0, text.find('\n')) << "\n";
    return false;
  }
}

platform::Loaded load(const CollectiveOptions& options, std::ostream& messages) {
  platform::Parameters parameters;
  for (const std::string& text : options.overrides) parameters.push_back(platform::parse_parameter(text));
  platform::Loaded loaded = platform::load(options.platform, parameters);
  for (const Problem& warning : loaded.warnings) messages << "warning: " << print(warning) << "\n";
  return loaded;
}

}  // namespace

Exit run_collective(const CollectiveOptions& options, const Streams& streams) {
  const Operation operation = operation_named(options.operation);
  const std::vector<CollectiveChoice> wanted = choices(options, operation);
  const std::vector<Bytes> sizes = sizes_of(options);
  const platform::Loaded loaded = load(options, streams.messages);
  CollectiveTimer timer(options, operation, loaded.platform);
  for (const Bytes size : sizes) timer.check(size);
  std::vector<CollectiveRow> rows;
  for (const CollectiveChoice& choice : wanted) {
    if (!is_timed(timer, choice, sizes, are_all(options), streams.messages)) continue;
    if (options.schedule)
      streams.results << collective::print(timer.expanded(choice, sizes.front()));
    else
      for (const Bytes size : sizes) rows.push_back(timer.time(choice, size));
  }
  if (options.schedule) return Exit::done;
  if (rows.empty())
    throw InputError("none of the algorithms can be timed for so many ranks", "take another number of ranks");
  CollectiveTable table = timer.table();
  table.links = options.links;
  streams.results << (options.json  ? collective_json(table, rows)
                      : options.csv ? collective_csv(table, rows)
                                    : collective_text(table, rows));
  return Exit::done;
}

}  // namespace wt
