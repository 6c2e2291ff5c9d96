#include "cli/input_pipeline.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace wt {

namespace {

// A host's, where it reads and decodes at once: the slower of the two.
class Pipeline {
 public:
  Pipeline(const scenario::Input& input, const std::vector<TensorSpec>& row)
      : input_(input), stored_row_(stored_row(input, row)) {}

  Seconds time(std::int64_t rows) const { return std::max(reading(rows), decoding(rows)); }
  std::string_view limit(std::int64_t rows) const {
    if (input_.storage && reading(rows) >= decoding(rows)) return "storage";
    return input_.decode ? "decoding" : "nothing";
  }

 private:
  // What the model reads of it, where the scenario doesn't say.
  static Bytes stored_row(const scenario::Input& input, const std::vector<TensorSpec>& row) {
    Bytes bytes{};
    for (const TensorSpec& spec : row) bytes += spec.bytes();
    return input.sample.value_or(bytes);
  }

  Seconds reading(std::int64_t rows) const {
    return input_.storage ? stored_row_ * rows / *input_.storage : Seconds(0);
  }

  Seconds decoding(std::int64_t rows) const {
    if (!input_.decode) return {};
    const auto* rate = std::get_if<BytesPerSecond>(&input_.decode->rate);
    return rate != nullptr ? stored_row_ * rows / *rate
                           : Seconds(static_cast<double>(rows) / std::get<double>(input_.decode->rate));
  }

  const scenario::Input& input_;
  Bytes stored_row_;
};

// Sharded by DATA, each of them reads all rows and keeps its own (2.6.2); what is read from storage would be
// sharded by FILE, so that is AUTO here.
std::vector<std::int64_t> rows_by_task(const scenario::Scenario& scenario, const scenario::Machine& machine,
                                       std::span<const std::int64_t> replica_rows) {
  const bool reads_all = scenario.dataset.autoshard == data::AutoShardPolicy::data;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(machine.tasks));
  for (std::size_t i = 0; i < replica_rows.size(); ++i)
    for (std::size_t task = 0; task < rows.size(); ++task)
      if (reads_all || std::cmp_equal(machine.replicas[i].task, task)) rows[task] += replica_rows[i];
  return rows;
}

}  // namespace

std::optional<RowsTime> rows_time(const scenario::Scenario& scenario, const scenario::Job& job,
                                  std::span<const std::int64_t> replica_rows) {
  if (!scenario.input) return std::nullopt;
  const Pipeline pipeline(*scenario.input, job.inputs);
  const std::vector<std::int64_t> rows = rows_by_task(scenario, job.machine, replica_rows);
  const std::int64_t most = *std::ranges::max_element(rows);
  RowsTime time{.slowest = {.rows = most,
                            .batch = pipeline.time(most),
                            .limit = std::string(pipeline.limit(most)),
                            .prefetch = scenario.input->prefetch}};
  for (const std::int64_t own : rows) time.by_task.push_back(pipeline.time(own));
  return time;
}

}  // namespace wt
