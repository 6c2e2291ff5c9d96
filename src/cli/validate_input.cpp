#include "cli/validate_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "base/table.h"
#include "data/row_numbers.h"

namespace wt::cli {
namespace {

constexpr std::int64_t first_steps = 3;
// The steps before the last one are passed over batch by batch, or played where workers read rows of their own. So many
// take a few seconds.
constexpr std::int64_t most_passed = 10'000'000, most_played = 100'000;
constexpr std::size_t most_replicas = 16, most_runs = 4, most_files = 4;

std::string policy_text(const data::DistributedDataset& dataset, data::AutoShardPolicy wanted,
                        bool has_files) {
  const std::string name(data::name(dataset.policy()));
  std::string text = std::string(data::name(wanted));
  if (wanted == data::AutoShardPolicy::automatic)
    text +=
        fmt::format(", which is {} here: the rows are {}", name, has_files ? "read from files" : "in memory");
  switch (dataset.policy()) {
    case data::AutoShardPolicy::file:
      return text + "; each worker reads files of its own";
    case data::AutoShardPolicy::data:
      return text + "; all workers read all rows, and each keeps every n-th piece of a batch";
    case data::AutoShardPolicy::hint:
      return text + "; each worker reads its part where the data has a shard by hint, else all rows";
    default:
      return text + "; each worker reads all rows";
  }
}

std::string_view rule_text(data::Rebatch rule) {
  switch (rule) {
    case data::Rebatch::legacy:
      return "legacy: each batch in pieces of ceil(rows / replicas), of which the last are short or empty";
    case data::Rebatch::even:
      return "even: pieces whose sizes differ by at most one row, and may reach into the next batch";
    default:
      return "none: one replica gets whole batches";
  }
}

std::vector<std::int64_t> numbers_of(const data::Element& element) {
  const auto values = element.front().values<std::int64_t>();
  return {values.begin(), values.end()};
}

// A column of the table: the rows of each replica in a step.
struct Column {
  std::string title{};
  std::vector<data::Element> replicas{};
};

// The longest epoch whose last step is shown.
std::int64_t most_steps(const data::DistributedDataset& dataset, std::int64_t workers) {
  return workers > 1 && dataset.policy() != data::AutoShardPolicy::data ? most_played : most_passed;
}

std::vector<Column> columns_of(const data::DistributedDataset& dataset, std::int64_t workers) {
  const std::int64_t steps = dataset.steps();
  std::vector<Column> columns;
  data::DistributedIterator iterator = dataset.iterate();
  for (std::int64_t step = 1; step <= first_steps; ++step) {
    auto replicas = iterator.next();
    if (!replicas) return columns;
    columns.push_back({fmt::format("step {}{}", step, step == steps ? " (last)" : ""), *std::move(replicas)});
  }
  if (steps <= first_steps || steps > most_steps(dataset, workers)) return columns;
  if (auto last = dataset.iterate(0, steps - 1).next())
    columns.push_back({fmt::format("step {} (last)", steps), *std::move(last)});
  return columns;
}

std::vector<TableRow> table_of(const std::vector<Column>& columns, std::size_t replicas, std::size_t each) {
  std::vector<TableRow> table{{"worker", "replica"}};
  for (const Column& column : columns) table.front().push_back(column.title);
  for (std::size_t replica = 0; replica < std::min(replicas, most_replicas); ++replica) {
    table.push_back({fmt::format("{}", replica / each), fmt::format("{}", replica)});
    for (const Column& column : columns)
      table.back().push_back(data::print_runs(numbers_of(column.replicas[replica]), most_runs));
  }
  return table;
}

void print_files(const data::DistributedDataset& dataset, const data::Files& files, std::int64_t workers,
                 std::ostream& results) {
  for (std::int64_t worker = 0; worker < std::min<std::int64_t>(workers, most_replicas); ++worker) {
    const std::vector<std::int64_t> own = dataset.files_of(worker);
    std::string text;
    for (std::size_t i = 0; i < std::min(own.size(), most_files); ++i)
      text += (i > 0 ? ", " : "") + files.names.at(static_cast<std::size_t>(own[i]));
    if (own.size() > most_files) text += fmt::format(", ... ({} files)", own.size());
    results << fmt::format("  worker {} reads {}\n", worker, text);
  }
}

// The replicas without rows in a step, as "replicas 2, 3".
std::string replicas_without_rows(const Column& column) {
  std::vector<std::int64_t> without;
  for (std::size_t i = 0; i < column.replicas.size(); ++i)
    if (numbers_of(column.replicas[i]).empty()) without.push_back(static_cast<std::int64_t>(i));
  if (without.empty()) return "";
  return fmt::format("{} {}", without.size() == 1 ? "replica" : "replicas",
                     data::print_runs(without, most_runs));
}

}  // namespace

void print_input(const scenario::Scenario& scenario, const scenario::Job& job, std::ostream& results) {
  if (scenario.strategy->has_coordinator()) {
    results << "  each worker of a coordinator reads the whole dataset, in an order of its own\n";
    return;
  }
  const data::Dataset& batches = *job.row_numbers;
  const data::DistributedDataset dataset(batches, job.input);
  const std::int64_t steps = dataset.steps(), replicas = job.input.replicas, workers = job.input.workers;
  results << fmt::format("  {} in batches of {}, over {} of {}; {}\n",
                         job.rows < 0 ? "rows without end" : counted(job.rows, "row"), job.global_batch,
                         counted(replicas, "replica"), counted(workers, "worker"),
                         steps < 0 ? "an epoch has no last step" : counted(steps, "step") + " in an epoch");
  results << "  policy: " << policy_text(dataset, job.input.policy, batches.files() != nullptr) << "\n";
  results << "  rule: " << rule_text(dataset.rebatch()) << "\n";
  if (const data::Files* files = batches.files(); files != nullptr && !files->names.empty())
    print_files(dataset, *files, workers, results);
  const std::vector<Column> columns = columns_of(dataset, workers);
  const auto all = static_cast<std::size_t>(replicas);
  results << print_table(table_of(columns, all, static_cast<std::size_t>(replicas / workers)), "rrl", "  ");
  if (const std::int64_t most = most_steps(dataset, workers); steps > most)
    results << fmt::format("  the last step is shown of epochs of up to {} steps\n", most);
  if (all > most_replicas)
    results << fmt::format("  and {} more\n",
                           counted(replicas - static_cast<std::int64_t>(most_replicas), "replica"));
  for (const Column& column : columns)
    if (const std::string without = replicas_without_rows(column); !without.empty())
      results << fmt::format("  {}: {} without rows\n", column.title, without);
}

}  // namespace wt::cli
