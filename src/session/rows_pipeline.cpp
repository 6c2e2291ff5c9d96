#include "session/rows_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "scenario/input_files.h"
#include "timing/software.h"

namespace wt::session {

namespace {

Bytes bytes_of_tensors(const scenario::Job& job) {
  Bytes row{};
  for (const TensorSpec& spec : job.inputs) row += spec.bytes();
  return row;
}

// With the sharding policy DATA each host reads all rows and keeps its own ones. With AUTO, rows that are
// read from storage are sharded by FILE, so each host reads only its own files (tf_distribute.md, 2.6.2).
timing::InputPipeline described(const scenario::Scenario& scenario, const scenario::Job& job) {
  const scenario::Input input = scenario.input.value_or(scenario::Input{});
  timing::InputPipeline pipeline{.stored_row = input.sample.value_or(bytes_of_tensors(job)),
                                 .storage = input.storage,
                                 .prefetch = input.prefetch,
                                 .reads_all_rows = scenario.dataset.autoshard == data::AutoShardPolicy::data};
  if (input.decode) pipeline.decoding = input.decode->rate;
  if (scenario.job && scenario.job->holds_rows) {
    const BytesPerSecond own = *scenario.job->storage / static_cast<double>(job.machine.tasks);
    pipeline.storage = std::min(pipeline.storage.value_or(own), own);
  }
  return pipeline;
}

// The cores of the machine that feeds the first replica; 0 if its catalogue entry doesn't say.
int cores(const cluster::Machine& machine) {
  const platform::Platform& platform = *machine.platform;
  const std::int32_t host = platform.machine_of(machine.endpoint(print(machine.device().name)));
  int sum = 0;
  for (const platform::Endpoint socket : platform.hosts_of(host)) sum += platform.type(socket).processors;
  return sum;
}

// The bytes of a row in the files.
Bytes stored_row(const scenario::Scenario& scenario, const scenario::Job& job) {
  if (scenario.input && scenario.input->sample) return *scenario.input->sample;
  const std::optional<Bytes> files = scenario::bytes_of_files(scenario.dataset);
  return files && job.rows_of_pass > 0 ? *files / job.rows_of_pass : bytes_of_tensors(job);
}

void add_decoding(timing::InputPipeline& pipeline, const scenario::Scenario& scenario,
                  const scenario::Job& job, int cores) {
  const bool is_text = std::holds_alternative<scenario::CsvData>(scenario.dataset.source);
  const timing::RowDecoder& decoder =
      timing::software_constants().decoders.find(is_text ? "csv" : "tfrecord")->second;
  pipeline.stored_row = stored_row(scenario, job);
  pipeline.decoding = cores / decoder.of(pipeline.stored_row).count();
  pipeline.decoders = fmt::format("{} of each worker's host, each {} a row", counted(cores, "core"),
                                  rough(decoder.of(pipeline.stored_row)));
}

}  // namespace

std::optional<timing::InputPipeline> rows_pipeline(const scenario::Scenario& scenario,
                                                   const scenario::Job& job) {
  const bool is_described = (scenario.input && scenario.input->takes_time()) ||
                            (scenario.job && scenario.job->holds_rows && !job.machine.pool);
  const bool may_decode = scenario.dataset.is_encoded() && scenario.time.software && !job.machine.pool &&
                          !(scenario.input && (scenario.input->decode || scenario.input->on_device));
  const int decoding = may_decode ? cores(job.machine) : 0;
  if (!is_described && decoding == 0) return std::nullopt;
  timing::InputPipeline pipeline = described(scenario, job);
  if (decoding > 0) add_decoding(pipeline, scenario, job, decoding);
  return pipeline;
}

}  // namespace wt::session
