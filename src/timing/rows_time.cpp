#include "timing/rows_time.h"

#include <algorithm>
#include <utility>

namespace wt::timing {

namespace {

Seconds reading(const InputPipeline& pipeline, std::int64_t rows) {
  return pipeline.storage ? pipeline.stored_row * rows / *pipeline.storage : Seconds(0);
}

Seconds decoding(const InputPipeline& pipeline, std::int64_t rows) {
  if (!pipeline.decoding) return {};
  const auto* rate = std::get_if<BytesPerSecond>(&*pipeline.decoding);
  return rate != nullptr ? pipeline.stored_row * rows / *rate
                         : Seconds(static_cast<double>(rows) / std::get<double>(*pipeline.decoding));
}

std::string_view limit(const InputPipeline& pipeline, std::int64_t rows) {
  if (pipeline.storage && reading(pipeline, rows) >= decoding(pipeline, rows)) return "storage";
  return pipeline.decoding ? "decoding" : "nothing";
}

std::vector<std::int64_t> rows_by_task(const InputPipeline& pipeline, const cluster::Machine& machine,
                                       std::span<const std::int64_t> replica_rows) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(machine.tasks));
  for (std::size_t i = 0; i < replica_rows.size(); ++i)
    for (std::size_t task = 0; task < rows.size(); ++task)
      if (pipeline.reads_all_rows || std::cmp_equal(machine.replicas[i].task, task))
        rows[task] += replica_rows[i];
  return rows;
}

}  // namespace

Seconds reading_time(const InputPipeline& pipeline, std::int64_t rows) {
  return std::max(reading(pipeline, rows), decoding(pipeline, rows));
}

RowsTime rows_time(const InputPipeline& pipeline, const cluster::Machine& machine,
                   std::span<const std::int64_t> replica_rows) {
  const std::vector<std::int64_t> rows = rows_by_task(pipeline, machine, replica_rows);
  const std::int64_t most = *std::ranges::max_element(rows);
  RowsTime result{.slowest = {.rows = most,
                              .batch = reading_time(pipeline, most),
                              .limit = std::string(limit(pipeline, most)),
                              .decoders = pipeline.decoders,
                              .prefetch = pipeline.prefetch}};
  for (const std::int64_t own : rows) result.by_task.push_back(reading_time(pipeline, own));
  return result;
}

}  // namespace wt::timing
