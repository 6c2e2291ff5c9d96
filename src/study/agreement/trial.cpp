#include "study/agreement/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "study/agreement/difference.h"
#include "study/agreement/drawn_scenario.h"
#include "study/drawn/site.h"

namespace wt::agreement {

namespace {

namespace fs = std::filesystem;

using drawn::Trained;

// One scenario, and where its trainings write.
struct Tried {
  std::string text{};
  fs::path folder{};

  scenario::Scenario with(const std::vector<std::string>& overrides) const {
    return scenario::parse(text, folder / "trial.json", overrides);
  }
  // The replicas' own moving means of a batch normalization are saved as their mean, as TensorFlow does, so after a
  // checkpoint all begin with the same. Training doesn't read them.
  bool keeps_means() const { return text.find("BatchNormalization") != std::string::npos; }
  Trained train(const std::vector<std::string>& overrides, const std::string& name, int threads = 1) const {
    return drawn::train(with(overrides), folder / name, threads);
  }
};

// How a scenario is carried out a second time, and what must then be as the first time. Throws InputError if this
// scenario can't be.
struct Way {
  std::string_view name{};
  std::optional<Trained> (*train)(const Tried& tried) = nullptr;  // unset: there is nothing to compare
  Compared compared{};
};

std::optional<Trained> again(const Tried& tried) { return tried.train({}, "again"); }
std::optional<Trained> on_four_threads(const Tried& tried) { return tried.train({}, "threads", 4); }

std::optional<Trained> resolved(const Tried& tried) {
  const fs::path folder = tried.folder / "resolved";
  return drawn::train(
      scenario::parse(scenario::resolved(tried.with({}), tried.folder), tried.folder / "trial.json"), folder);
}

std::optional<Trained> expanded(const Tried& tried) {
  return tried.train({"time.collectives=expanded"}, "expanded");
}
std::optional<Trained> without_numbers(const Tried& tried) {
  return tried.train({"numerics=none", "training.save_weights=null"}, "none");
}

// One task for all, where the scenario insists. Where replicas get ready at different times, by jitter or because one is
// slow, or end a collective at different times, because their pieces are unequal, each collective begins with the last of
// them and ends for all at once. That is an approximation, and the results say so.
std::optional<Trained> folded(const Tried& tried) {
  try {
    return tried.train({"numerics=none", "training.save_weights=null", "time.collectives=folded"}, "folded");
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find("can't be folded") != std::string_view::npos) return {};
    throw;
  }
}

// The first epoch, and then the others from its checkpoint. Workers that take closures in the order in which they are
// free begin together again, so their order is another one. A job that fails has no checkpoint.
std::optional<Trained> continued(const Tried& tried) {
  const scenario::Scenario whole = tried.with({});
  const bool can_fail =
      std::ranges::any_of(whole.faults, [](const scenario::Fault& fault) { return !fault.slow; });
  const bool has_queue = tried.text.find("parameter_server") != std::string::npos;
  if (can_fail || !whole.training.checkpointing || has_queue) return {};
  const Trained first = tried.train({"training.epochs=1", "training.save_weights=null"}, "first");
  if (first.results.last_step()) return {};
  return tried.train(
      {fmt::format("training.checkpointing.restore={}", (tried.folder / "first/checkpoints").string())},
      "continued");
}

constexpr double nearly = 1e-9;

constexpr std::array ways{
    Way{"again", again},
    Way{"four threads", on_four_threads},
    Way{"resolved", resolved},
    Way{"expanded", expanded, {.tolerance = nearly}},
    Way{"without numbers", without_numbers, {.numbers = false, .tolerance = nearly}},
    Way{"folded", folded, {.numbers = false, .times = false, .is_bound = true, .tolerance = nearly}},
    Way{"continued", continued, {.times = false, .first = 1}},
};

void compare(const Way& way, const Tried& tried, const Trained& first, Trial& trial) {
  Counts& counts = trial.ways[std::string(way.name)];
  try {
    const std::optional<Trained> other = way.train(tried);
    if (!other) return;
    Compared compared = way.compared;
    if (tried.keeps_means() && way.name == "continued") compared.weights = false;
    const std::string found = difference(*other, first, compared);
    if (!found.empty()) trial.wrong = fmt::format("{}: {}", way.name, found);
    counts.agree += found.empty() ? 1 : 0;
  } catch (const InputError& error) {
    ++counts.refused;
    trial.wrong = fmt::format("{} is refused: {}", way.name, error.what());
  }
}

}  // namespace

Trial try_out(std::int64_t seed) {
  const TemporaryFolder folder;
  const Tried tried{.text = draw_scenario(seed), .folder = folder.path()};
  Trial trial{.seed = seed};
  try {
    const Trained first = tried.train({}, "first_time");
    trial.strategy = first.results.strategy;
    for (const Way& way : ways)
      if (trial.wrong.empty()) compare(way, tried, first, trial);
  } catch (const std::exception& error) {
    trial.wrong = error.what();
  }
  return trial;
}

}  // namespace wt::agreement
