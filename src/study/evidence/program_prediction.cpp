#include "study/evidence/program_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "scenario/parse.h"
#include "session/training.h"

namespace wt::evidence {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> programs_in(const std::string& folder) {
  std::vector<fs::path> files;
  const fs::path programs = fs::path(folder) / "programs";
  if (!fs::is_directory(programs)) return files;
  for (const fs::directory_entry& file : fs::directory_iterator(programs))
    if (file.path().extension() == ".json") files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<ProgramPrediction> predict_programs(const std::string& folder,
                                                const std::vector<Measurement>& rows) {
  std::vector<ProgramPrediction> made;
  for (const fs::path& file : programs_in(folder)) {
    const scenario::Scenario scenario = scenario::parse_file(file.string());
    session::Training training(scenario, scenario::build(scenario), {});
    const timing::Simulated& step = training.clock().step().summary;
    const auto devices = static_cast<std::int64_t>(training.machine().all_replicas());
    const auto row = std::ranges::find_if(rows, [&](const Measurement& each) {
      return each.model.starts_with(scenario.name + " (") && each.devices == devices &&
             each.metric == "throughput";
    });
    if (row == rows.end())
      throw InputError(fmt::format("{}: no row of the measurements is of {} on {} devices", file.string(),
                                   scenario.name, devices),
                       "name the scenario as the column model_or_op begins");
    made.push_back({&*row, scenario.name, step.samples_per_second, step.software / step.step});
  }
  return made;
}

}  // namespace wt::evidence
