#include "study/evidence/oracle.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/parse.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"

namespace wt::evidence {

namespace fs = std::filesystem;

Oracle read_oracle(const fs::path& folder, std::vector<std::string> overrides) {
  Oracle oracle{.name = folder.filename().string()};
  overrides.emplace_back("training.loss_scale=global_rows");
  oracle.scenario = scenario::parse_file(folder / "scenario.json", overrides);
  oracle.job = scenario::build(oracle.scenario);
  const json::Value reference = json::parse_file(folder / "case.json");
  const json::Value* losses = reference.find("loss_per_step");
  if (losses == nullptr)
    throw InputError(fmt::format("{} has no \"loss_per_step\"", (folder / "case.json").string()), "");
  for (const json::Value& loss : losses->elements()) oracle.losses.push_back(loss.real());
  oracle.weights = read_safetensors((folder / "final.safetensors").string()).tensors;
  return oracle;
}

std::vector<Oracle> read_oracles(const fs::path& folder, const std::vector<std::string>& overrides) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{} is not a folder", folder.string()), "name tests/oracle");
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "case.json")) cases.push_back(entry.path());
  if (cases.empty())
    throw InputError(fmt::format("{} contains no reference runs", folder.string()), "name tests/oracle");
  std::ranges::sort(cases);
  std::vector<Oracle> oracles;
  for (const fs::path& each : cases) oracles.push_back(read_oracle(each, overrides));
  return oracles;
}

Deviation deviation(const session::Rehearsal& run, std::span<const double> losses,
                    const std::map<std::string, Tensor>& weights) {
  Deviation worst;
  WT_EXPECT(run.steps.size() == losses.size(), "{} steps of {}", run.steps.size(), losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    worst.loss = std::max(worst.loss, relative_difference(run.steps[i].loss, losses[i]));
  for (const auto& [name, tensor] : weights) {
    const double weight = relative_difference(run.weights.at(name), tensor);
    if (weight <= worst.weight) continue;
    worst.weight = weight;
    worst.tensor = name;
  }
  return worst;
}

}  // namespace wt::evidence
