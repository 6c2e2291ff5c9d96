// Recordings of MultiWorkerMirroredStrategy with one to three processes that are programs (programs.tar.gz, packed by tests/recordings/pack.py).
// Each has a counterpart written against this program's headers, which reads what every process saw. A key that a test
// neither compares nor lists fails.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "recordings/packed_recordings.h"
#include "study/recordings/workers.h"

namespace wt::test {

using recordings::Comparison;
using recordings::RecordedWorkers;
using recordings::Recording;
using recordings::Verdict;

inline const recordings::PackedRecordings& all_workers() {
  static const recordings::PackedRecordings all({"../workers/programs.tar.gz"});
  return all;
}

// One recorded program in one version. What is compared is said by the end of its life.
class RecordedProgram {
 public:
  explicit RecordedProgram(const Recording& recording, const std::string& communication = "RING")
      : workers(recording, comparison, communication), recording_(recording) {
    comparison.starts_to_compute();
  }
  RecordedProgram(const RecordedProgram&) = delete;
  ~RecordedProgram() {
    workers.require_compared(listed_);
    const recordings::Judgement judgement = comparison.judgement();
    EXPECT_EQ(judgement.verdict, is_applicable_ ? Verdict::passed : Verdict::empty)
        << recording_.version << " " << recording_.id << ": " << judgement.why;
  }

  bool is_keras3() const { return recording_.version == "keras3"; }

  // What isn't compared, with the reason.
  void list(std::initializer_list<const char*> keys, const char* /*reason*/) {
    listed_.insert(keys.begin(), keys.end());
  }

  // Nothing of this recording can be compared, for the reason that its keys are listed with.
  void is_not_applicable() { is_applicable_ = false; }

  // Calls for each worker. `same` compares JSON without white space, `near` numbers, `outcome` what a call did.
  void same(std::size_t worker, std::string_view key, const std::string& json) const {
    workers.compare_text(worker, key, json);
  }
  void text(std::size_t worker, std::string_view key, const std::string& text) const {
    same(worker, key, json::quote(text));
  }
  void texts(std::size_t worker, std::string_view key, const std::vector<std::string>& texts) const {
    std::string list;
    for (const std::string& each : texts) list += (list.empty() ? "" : ",") + json::quote(each);
    same(worker, key, "[" + list + "]");
  }
  void near(std::size_t worker, std::string_view key, const train::EagerTensor& ours) {
    const Tensor numbers = train::cast(ours, Type::float32).numbers;
    comparison.near(workers.named(worker, key), numbers, recordings::tensor_of(workers.value(worker, key)),
                    recordings::loss_limit);
  }
  template <class Call>
  void outcome(std::size_t worker, std::string_view key, const Call& call) {
    compare_outcome(comparison, workers.named(worker, key), recordings::outcome_of(call),
                    workers.value(worker, key));
  }

  Comparison comparison{};
  RecordedWorkers workers;

 private:
  const Recording& recording_;
  std::set<std::string> listed_{};
  bool is_applicable_ = true;
};

// Runs the counterpart of a program in both versions.
inline void repeat(const std::string& id, const std::function<void(RecordedProgram& program)>& body) {
  std::size_t found = 0;
  for (const Recording& recording : all_workers().all())
    if (recording.id == "workers_" + id) {
      RecordedProgram program(recording);
      body(program);
      ++found;
    }
  EXPECT_EQ(found, 2u) << id;
}

}  // namespace wt::test
