// Claims: rows that recorded programs draw by NumPy are drawn again to the last digit of a float; a number that was changed
// in what one worker saw doesn't pass, and neither does a worker's row, its log or an error.

#include <gtest/gtest.h>

#include "recordings/packed_recordings.h"
#include "study/recordings/judge.h"
#include "study/recordings/numpy_draws.h"
#include "study/recordings/workers.h"

namespace wt::recordings {
namespace {

const PackedRecordings& workers() {
  static const PackedRecordings all({"workers.tar.gz"});
  return all;
}

TEST(NumpyDraws, AreThoseOfNumpy) {
  for (const char* version : {"keras2", "keras3"}) {
    const json::Value::Elements& each =
        workers().named(version, "workers_options").value("workers")->elements();
    for (std::uint32_t worker = 0; worker < each.size(); ++worker) {
      const Tensor recorded = tensor_of(*each[worker].find("x"));
      NumpyDraws draws(1 + worker);
      std::vector<float> ours;
      for (const double number : draws.normal(recorded.shape().elements()))
        ours.push_back(static_cast<float>(number));
      const auto theirs = recorded.values<float>();
      EXPECT_EQ(ours, std::vector<float>(theirs.begin(), theirs.end()));
    }
  }
}

// A recording with another value under a key.
Recording changed(const std::string& id, const std::vector<std::string>& path, const std::string& json) {
  Recording recording = workers().named("keras2", id);
  recording.content = json::replaced(recording.content, path, json::parse(json, "changed"));
  return recording;
}

TEST(AVerdict, IsFailedIfOneWorkerSawSomethingElse) {
  const auto why = [](const Recording& recording) {
    const Judgement judgement = judge(recording);
    EXPECT_EQ(judgement.verdict, Verdict::failed) << recording.id;
    return judgement.why;
  };
  const auto begins = [](const std::string& text, const std::string& beginning) {
    EXPECT_TRUE(text.starts_with(beginning)) << text;
  };
  begins(why(changed("workers_loop_2_sgd", {"values", "workers", "1", "losses", "2"}, "0.5")),
         "losses of worker 1 [2] is ");
  begins(why(changed("workers_loop_2_sgd", {"values", "workers", "1", "rows", "0"}, "[[0,1,2,3]]")),
         "rows of worker 1 is ");
  begins(why(changed("workers_fit_3_data", {"values", "workers", "2", "history", "loss", "0"}, "2.5")),
         "loss of worker 2 of epoch 1 is ");
  begins(
      why(changed("workers_shard_data_2_files0", {"values", "workers", "0", "steps", "returned"}, "\"4\"")),
      "steps of worker 0 is ");
  begins(why(changed("workers_options", {"texts", "log/1"}, "\"nothing\"")), "worker 1 did not log ");
  begins(why(changed("workers_config_two_chiefs", {"values", "workers", "0", "strategy", "sentence"},
                     "\"another sentence\"")),
         "strategy is ");
}

}  // namespace
}  // namespace wt::recordings
