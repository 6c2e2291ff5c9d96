#include "session/saved_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/keras_file.h"
#include "train/callbacks/file_name.h"

namespace wt::session {

namespace {

// That the newest checkpoint in this folder was saved after; -1: there is none.
std::int64_t steps_in(const std::filesystem::path& folder) {
  const auto newest = train::latest_checkpoint(folder);
  if (!newest) return -1;
  train::State state(0);
  return train::Checkpoint(state).restore(*newest).steps;
}

}  // namespace

train::Progress SavedState::restore(const std::function<void(const std::string&)>& note) {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (!checkpointing || !checkpointing->restore) return {};
  const auto newest = train::latest_checkpoint(checkpointing->restore->path);
  if (!newest)
    throw InputError(Problem{scenario_.place("training.checkpointing.restore"),
                             fmt::format("there is no checkpoint in \"{}\"", checkpointing->restore->path),
                             "name a folder with an index called \"checkpoint\", or leave it out"});
  train::State& state = plans_.state();
  const train::Progress done = read(*newest);
  if (scenario_.training.is_inference()) return done;  // the optimizer's variables stay unused, as expected
  require_something_left(done);
  plans_.model().create_variables(plans_.batch_of(job_.global_batch));
  const std::vector<std::string> unused = state.waiting();
  if (note && !unused.empty())
    note(fmt::format("the checkpoint has variables that this training doesn't use: {}",
                     fmt::join(unused, ", ")));
  return done;
}

train::Progress SavedState::read(const std::filesystem::path& checkpoint) {
  plans_.state().add(job_.weights);
  return train::Checkpoint(plans_.state()).restore(checkpoint);
}

std::int64_t SavedState::restored_steps() const {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (!checkpointing || !checkpointing->restore) return 0;
  return std::max<std::int64_t>(0, steps_in(checkpointing->restore->path));
}

train::Progress SavedState::restore_own(OutputFolder& folder,
                                        const std::function<void(const std::string&)>& note) {
  if (const auto& checkpointing = scenario_.training.checkpointing) {
    const auto newest = train::latest_checkpoint(folder.inside(checkpointing->folder.path));
    if (newest) {
      const train::Progress done = read(*newest);
      plans_.model().create_variables(plans_.batch_of(job_.global_batch));
      saved_steps_ = done.steps;
      return done;
    }
  }
  return restore(note);
}

void SavedState::require_something_left(const train::Progress& done) const {
  const bool in_steps = scenario_.training.steps.has_value();
  const std::int64_t come = in_steps ? done.steps : done.epochs;
  const std::int64_t wanted = in_steps ? *scenario_.training.steps : scenario::epochs_of(scenario_);
  if (come < wanted) return;
  const std::string_view unit = in_steps ? "steps" : "epochs";
  throw InputError(Problem{
      scenario_.place("training.checkpointing.restore"),
      fmt::format("the checkpoint was saved after {} {}, and the training has {} in all", come, unit, wanted),
      fmt::format("raise \"{}\"", unit)});
}

void SavedState::save(const train::Progress& done, OutputFolder& folder) {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (checkpointing && scenario::saves_after(*checkpointing, done.epochs, scenario::epochs_of(scenario_)))
    save_last(done, folder);
}

void SavedState::save_after_step(const train::Progress& done, OutputFolder& folder) {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (checkpointing && checkpointing->every_steps && done.steps % *checkpointing->every_steps == 0)
    write(done, folder);
}

void SavedState::save_last(const train::Progress& done, OutputFolder& folder) {
  if (scenario_.training.checkpointing && saved_steps_ != done.steps) write(done, folder);
}

void SavedState::write(const train::Progress& done, OutputFolder& folder) {
  const auto& checkpointing = scenario_.training.checkpointing;
  saved_steps_ = done.steps;
  const std::filesystem::path prefix = folder.inside(checkpointing->folder.path) / "ckpt";
  folder.keep(checkpointing->folder.path);
  train::Checkpoint checkpoint(plans_.state(), checkpointing->keep);
  // The length of a training may be given in steps. Its checkpoint counts only steps then.
  checkpoint.save(prefix, scenario_.training.steps ? train::Progress{.steps = done.steps} : done);
}

void SavedState::restore_newest(train::State& fresh, OutputFolder& folder) {
  const std::filesystem::path inside = folder.inside(scenario_.training.checkpointing->folder.path);
  const auto newest = train::latest_checkpoint(inside);
  WT_EXPECT(newest.has_value(), "the last epoch saves a checkpoint: {}", inside.string());
  plans_.state().take_back();
  fresh.add(job_.weights);
  train::Checkpoint(fresh).restore(*newest);
}

void SavedState::save_weights(OutputFolder& folder) {
  const auto& wanted = scenario_.training.save_weights;
  if (!wanted) return;
  const Place place = scenario_.place("training.save_weights");
  const std::filesystem::path path = folder.inside(wanted->path, place);
  if (model::saved_as(wanted->path) != model::SavedAs::keras) return plans_.model().save_weights(path);
  model::write_keras(path, *job_.model, job_.weights, plans_.model().weights(), *job_.architecture,
                     scenario_.semantics);
}

namespace {

// A run that was interrupted, and replaced nothing, lies in the place of its results.
bool was_interrupted(const std::filesystem::path& results) {
  std::error_code error;
  if (!std::filesystem::exists(results / "results.json", error)) return false;
  const json::Value written = json::parse_file(results / "results.json");
  const json::Value* outcome = written.kind() == json::Kind::object ? written.find("outcome") : nullptr;
  return outcome != nullptr && outcome->kind() == json::Kind::string && outcome->string() == "interrupted";
}

}  // namespace

std::optional<std::filesystem::path> backup_of_interrupted(const OutputFolder& folder,
                                                           const std::string& name) {
  std::vector<std::filesystem::path> places;
  for (const output::Leftover& left : folder.left()) places.push_back(left.folder / name);
  if (was_interrupted(folder.path())) places.push_back(folder.path() / name);
  std::optional<std::filesystem::path> newest;
  std::int64_t most = -1;
  for (const std::filesystem::path& place : places) {
    const std::int64_t steps = steps_in(place / "chief");
    if (steps <= most) continue;
    most = steps;
    newest = place;
  }
  return newest;
}

namespace {

struct NamedOutput {
  std::string name{};
  std::string key{};  // of the scenario
};

// The files that callbacks write, as they are named after the first epoch of a training.
std::vector<NamedOutput> files_of_callbacks(const scenario::Scenario& scenario) {
  std::vector<NamedOutput> files;
  for (std::size_t i = 0; i < scenario.training.callbacks.size(); ++i) {
    const std::string key = fmt::format("training.callbacks.{}", i);
    const train::Callback& callback = scenario.training.callbacks[i];
    if (const auto* checkpoint = std::get_if<train::ModelCheckpoint>(&callback))
      files.push_back({train::example_of_name(checkpoint->filepath), key + ".filepath"});
    if (const auto* backup = std::get_if<train::BackupAndRestore>(&callback))
      files.push_back({backup->backup_dir + "/chief/ckpt-1.safetensors", key + ".backup_dir"});
    if (const auto* log = std::get_if<train::CSVLogger>(&callback))
      files.push_back({log->filename, key + ".filename"});
    if (const auto* board = std::get_if<train::TensorBoard>(&callback))
      for (const std::string_view part :
           {train::TensorBoard::train_folder, train::TensorBoard::validation_folder})
        files.push_back({board->file_in(part), key + ".log_dir"});
  }
  return files;
}

}  // namespace

void check_output_names(const scenario::Scenario& scenario) {
  Problems problems;
  const auto check = [&](const scenario::OutputPath& name, std::string_view key) {
    try {
      check_output_name(name.path, scenario.place(key));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  };
  if (const auto& checkpointing = scenario.training.checkpointing)
    check(checkpointing->folder, "training.checkpointing.folder");
  if (const auto& weights = scenario.training.save_weights) check(*weights, "training.save_weights");
  for (const NamedOutput& file : files_of_callbacks(scenario)) check({file.name}, file.key);
  problems.throw_if_any();
}

void require_output_places(const scenario::Scenario& scenario, OutputFolder& folder) {
  if (const auto& checkpointing = scenario.training.checkpointing)
    folder.require_folder(checkpointing->folder.path, scenario.place("training.checkpointing.folder"));
  if (const auto& weights = scenario.training.save_weights)
    folder.require_file(weights->path, scenario.place("training.save_weights"));
  for (const NamedOutput& file : files_of_callbacks(scenario))
    folder.require_file(file.name, scenario.place(file.key));
}

}  // namespace wt::session
