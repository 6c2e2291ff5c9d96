#include "study/drawn/trained.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "scenario/build.h"
#include "session/training.h"

namespace wt::drawn {

Trained train(const scenario::Scenario& scenario, const std::filesystem::path& path, int threads) {
  OutputFolder folder(path);
  folder.begin("trial");
  const bool computes = scenario.numerics != scenario::Numerics::none;
  session::Training training(scenario, scenario::build(scenario), {.threads = threads, .computes = computes});
  Trained trained{.results = training.run(folder)};
  folder.commit();
  const std::filesystem::path weights = path / "weights.safetensors";
  if (std::filesystem::exists(weights)) trained.weights = read_text(weights);
  return trained;
}

}  // namespace wt::drawn
