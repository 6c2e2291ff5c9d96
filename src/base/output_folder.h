#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/output/leftovers.h"
#include "base/output/lock.h"
#include "base/output/record.h"

namespace wt {

// The member "format" of results.json, by which an earlier run's folder is recognised.
inline constexpr std::string_view results_format = "windtunnel results";

// The names that every run may write into its folder. The user gives them to nothing else.
inline constexpr std::array<std::string_view, 5> files_of_a_run{"results.json", "scenario.resolved.json",
                                                                "steps.csv", "trace.json", "profile.json"};

// The folder of a run's results. It is replaced whole or not at all. Everything is written beside it first, into
// a folder `<name>.unfinished-<number>`, with a manifest of all files (base/output/manifest.h). commit()
// exchanges the two names and removes what the manifest of the replaced folder names. A file that no manifest
// names is not this program's, and a folder with such a file is refused and not replaced.
//
//   OutputFolder folder("out/x");
//   folder.begin(scenario_text);        // before the work: refuses a place that cannot be written
//   write_safetensors(folder.inside("weights.safetensors"), ...);
//   folder.write("results.json", text);
//   folder.commit();                    // without it, the destructor removes the unfinished folder
//
// One run at a time writes a folder: begin() takes a lock, which the operating system releases when the process
// ends. begin() also removes what killed runs left, unless it holds checkpoints; left() returns those.
//
// The other two ways to write: base/output/addition.h adds a file to a folder that is complete, and
// base/output/journal.h appends to one and continues after a kill. tests/faults kills all three at every step.
class OutputFolder {
 public:
  explicit OutputFolder(const std::filesystem::path& wanted);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }              // where it will be
  const std::filesystem::path& unfinished() const { return unfinished_; }  // where it is until then

  // Locks the folder and makes the unfinished one. `run` is a text that is equal for runs that write the same
  // bytes. Throws InputError if another run writes the folder, if the folder contains what this program did not
  // write, or if it cannot be written. The first call counts.
  void begin(std::string_view run = {});

  // Whether commit() replaces an earlier run's results.
  bool replaces() const { return is_replacing_; }

  // Useful folders of runs that were killed. commit() removes those of the same run, whose bytes it has.
  const std::vector<output::Leftover>& left() const { return left_; }

  // Where to write a file or folder that the user has named, made up to its own folder. As
  // check_output_name.
  std::filesystem::path inside(const std::filesystem::path& name, const Place& named_at = {});

  // Throws InputError at `named_at` unless a folder or a file of this name can be written. A run calls these
  // functions before its work.
  void require_folder(const std::filesystem::path& name, const Place& named_at);
  void require_file(const std::filesystem::path& name, const Place& named_at);

  void write(const std::string& name, std::string_view text);

  // From now on the unfinished folder stays if there is no commit, and if the process is killed: it holds
  // checkpoints in its folder `kept`.
  void keep(const std::filesystem::path& kept);
  bool is_kept() const { return is_kept_; }
  bool has_checkpoints() const { return !record_.kept.empty(); }

  // Puts the folder in place. If the place was taken by something else since begin(), throws InputError and
  // leaves the unfinished folder, which is complete.
  void commit();

  // As commit(), for a run that did not come to its end: what killed runs left may be more, and stays.
  void commit_incomplete();

  // In place of commit(): completes the unfinished folder and leaves it where it is.
  void leave();

 private:
  void refuse_changes() const;
  void put_in_place();

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  std::optional<output::Lock> lock_{};
  output::Record record_{};
  std::vector<output::Leftover> left_{};
  std::optional<std::pair<std::uint64_t, std::uint64_t>> replaced_{};  // device and number of what lay there
  bool is_replacing_ = false;
  bool is_made_ = false;
  bool is_kept_ = false;
};

// Throws InputError at `named_at` for a name that leads out of the folder of the results, or is one of our own
// files there.
void check_output_name(const std::filesystem::path& name, const Place& named_at);

}  // namespace wt
