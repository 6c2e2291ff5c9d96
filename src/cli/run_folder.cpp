#include "cli/run_folder.h"

#include <fmt/format.h>

#include <ostream>

#include "report/ending.h"
#include "scenario/resolved.h"

namespace wt::cli {

namespace {

// Whether the path lies in the folder of results, or in an unfinished folder beside it.
bool is_of(const OutputFolder& folder, const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, ignored);
  const std::string text = whole.string(), own = folder.path().string();
  return text == own || text.starts_with(own + "/") || text.starts_with(own + ".unfinished-");
}

bool has_backup(const scenario::Scenario& scenario) {
  return scenario::backup_of(scenario.training) != nullptr;
}

}  // namespace

std::filesystem::path place_of(const OutputFolder& folder, const session::Results& results) {
  return results.interrupted && folder.replaces() ? folder.unfinished() : folder.path();
}

void explain_interruption(const session::Results& results, const scenario::Scenario& scenario,
                          const OutputFolder& folder, std::ostream& messages) {
  const std::filesystem::path place = place_of(folder, results);
  messages << fmt::format("the run was {}; its results are incomplete, and lie in {}\n",
                          report::interrupted_text(results), place.string());
  if (folder.replaces())
    messages << fmt::format("{} has the results of an earlier run, as before\n", folder.path().string());
  if (has_backup(scenario) && folder.has_checkpoints())
    messages << "the same command continues from the backup of BackupAndRestore\n";
  if (folder.has_checkpoints() && scenario.training.checkpointing)
    messages << fmt::format(
        "its checkpoints are in {0}; --set training.checkpointing.restore={0} continues from the newest\n",
        (place / scenario.training.checkpointing->folder.path).string());
  else if (!folder.has_checkpoints())
    messages << "it had not saved a checkpoint\n";
}

std::string identity_of(const scenario::Scenario& scenario, const OutputFolder& folder) {
  scenario::Scenario same = scenario;
  if (auto& checkpointing = same.training.checkpointing)
    if (checkpointing->restore && is_of(folder, checkpointing->restore->path)) checkpointing->restore.reset();
  return scenario::resolved(same, folder.path());
}

void note_leftovers(const OutputFolder& folder, const std::string& identity,
                    const scenario::Scenario& scenario, std::ostream& messages) {
  const bool continues = has_backup(scenario) && !scenario.training.checkpointing;
  for (const output::Leftover& left : folder.left()) {
    const bool is_checkpoints = left.kept != left.folder;
    messages << fmt::format("a run into {} did not end: its {} in {}\n", folder.path().string(),
                            is_checkpoints ? "checkpoints are" : "files are", left.kept.string());
    if (is_checkpoints && !continues)
      messages << fmt::format("  --set training.checkpointing.restore={} continues from the newest\n",
                              left.kept.string());
    messages << (left.has_ended && left.run == identity
                     ? "  this run is a repetition of it, and removes them when it has its own results\n"
                     : "  remove the folder if nothing of it is needed\n");
  }
}

}  // namespace wt::cli
