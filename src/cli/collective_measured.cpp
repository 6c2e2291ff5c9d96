#include "cli/collective_measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/rough.h"

namespace wt::cli {

namespace {

using communication::CollectiveQuestion, communication::MeasuredRow, communication::MeasuredTable;

constexpr std::size_t most_measured_sizes = 1000;

bool is_of(const communication::ElementType& type, const std::string& name) {
  return name.empty() || name == type.name || name == type.alias;
}

void check(const MeasuredTable& table, const CollectiveQuestion& question, int ranks, Problems& problems) {
  const Place place{.file = table.name};
  if (table.operation && *table.operation != question.operation)
    problems.add(place,
                 fmt::format("has times of {}, and {} is simulated", collective::name(*table.operation),
                             collective::name(question.operation)),
                 fmt::format("give --op {}", collective::name(*table.operation)));
  if (table.ranks && *table.ranks != ranks)
    problems.add(place,
                 fmt::format("lists {}, and {} simulated", counted(*table.ranks, "rank"),
                             ranks == 1 ? "1 is" : fmt::format("{} are", ranks)),
                 fmt::format("give --ranks {}, or a machine that has as many", *table.ranks));
  const auto other = std::ranges::find_if(
      table.rows, [&](const MeasuredRow& row) { return !is_of(question.type, row.type); });
  if (other != table.rows.end())
    problems.add(
        place,
        fmt::format("has times of vectors of {}, and {} is simulated", other->type, question.type.name),
        fmt::format("give -d {}; a table has one type", other->type));
}

}  // namespace

std::vector<MeasuredTable> read_measured(const std::vector<std::string>& files) {
  std::vector<MeasuredTable> tables;
  Problems problems;
  for (const std::string& file : files) {
    try {
      tables.push_back(communication::read_nccl_tests(read_text(file), file));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return tables;
}

std::vector<Bytes> sizes_of(const std::vector<MeasuredTable>& tables) {
  std::vector<Bytes> sizes;
  for (const MeasuredTable& table : tables)
    for (const MeasuredRow& row : table.rows) sizes.push_back(row.bytes);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() > most_measured_sizes)
    throw InputError(
        fmt::format("the measurements have {} sizes, more than {}", sizes.size(), most_measured_sizes),
        "name those to simulate, as in --sizes 1KiB,1MiB,1GiB");
  return sizes;
}

void require_same(const std::vector<MeasuredTable>& tables, const CollectiveQuestion& question, int ranks) {
  Problems problems;
  for (const MeasuredTable& table : tables) check(table, question, ranks, problems);
  problems.throw_if_any();
}

}  // namespace wt::cli
