// Writes a table, recording -> tests -> verdict, to the file that WINDTUNNEL_VERDICTS names:
//
//   WINDTUNNEL_VERDICTS=verdicts.md build/release/bin/test_seeds

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "seeds/seeds_recorded.h"

namespace wt::test::seeds {

const std::vector<NotCompared>& not_compared() {
  static const std::vector<NotCompared> rows{
      {"loop_", "texts: program", "the recorded program's own text"},
      {"loop_", "texts: recipe", "the recipe of the data, which images.h follows"},
      {"loop_", "log", "our program doesn't log each of its collectives"},
      {"fit_", "texts: linear", "the recorded program's own text"},
      {"fit_", "texts: model.json", "one dense layer, whose weights are compared"},
      {"fit_", "log", "Python's warning about input_shape"},
      {"cross_device_", "printed fit", "our program doesn't log each of its collectives"},
      {"cross_device_", "log", "Python's warning about input_shape"},
      {"guide_", "log", "Python's warning about input_shape"},
      {"workers_", "printed fit", "the log of the runtime's own parts"},
      {"workers_", "log", "Python's warning about input_shape"},
      {"contexts", "texts: strategy", "Python's name and address of an object"},
      {"contexts", "texts: ids", "the text of a PerReplica, whose values are compared"},
      {"contexts", "texts: ids in a function", "the text of a PerReplica, whose values are compared"},
      {"contexts", "log", "Python's deprecations, and advice on functions"},
      {"mean_pitfall", "texts: per replica print", "the text of a PerReplica, whose values are compared"},
      {"accelerator_guide", "printed mirrored over the list of GPUs", "operations that Keras' layers make"},
      {"accelerator_guide", "texts: model.json", "one dense layer in a functional model"},
      {"accelerator_guide", "stdout", "operations that Keras' layers make"},
      {"accelerator_guide", "log", "operations that Keras' layers make, and each collective"},
      {"literal_clusters", "server strategy", "a process that TensorFlow 2.15 aborts"},
      {"server_constructors", "no arguments", "a missing argument isn't compiled"},
      {"server_constructors", "coordinator of mirrored", "a coordinator of another strategy isn't compiled"},
      {"tf_config", "no task: accelerators",
       "our resolver is given the devices of its host, and asks no runtime"},
  };
  return rows;
}

namespace {

// Reasons of keys that were left out, each once.
std::string reasons_of(const Recording& recording) {
  std::string reasons;
  for (const std::string& key : keys_of(recording)) {
    const NotCompared* row = left_out(recording, key);
    if (row != nullptr && !compared()[&recording].keys.contains(key))
      reasons += fmt::format("; not compared: {} ({})", key, row->reason);
  }
  return reasons;
}

class Verdicts : public testing::Environment {
  void TearDown() override {
    const char* file = std::getenv("WINDTUNNEL_VERDICTS");
    if (file == nullptr) return;
    const std::string passed = testing::UnitTest::GetInstance()->Passed() ? "passed" : "see the failures";
    std::string table = "| recording | tests | verdict |\n|---|---|---|\n";
    for (const Recording& recording : recorded().all()) {
      const Compared& own = compared()[&recording];
      table += fmt::format("| {} {} | {} | {}, {} of {} keys{} |\n", recording.version, recording.id,
                           fmt::join(own.tests, ", "), own.keys.empty() ? "empty" : passed, own.keys.size(),
                           keys_of(recording).size(), reasons_of(recording));
    }
    write_text(file, table);
  }
};

const testing::Environment* const verdicts = testing::AddGlobalTestEnvironment(new Verdicts);

}  // namespace

// Reasons are for keys that are there, and that nothing compares.
TEST(Verdicts, EveryReasonBelongsToAKeyOfARecording) {
  for (const NotCompared& row : not_compared()) {
    bool is_there = false;
    for (const Recording& recording : recorded().all())
      is_there = is_there || (recording.id.starts_with("programs_" + row.recording) &&
                              keys_of(recording).contains(row.key));
    EXPECT_TRUE(is_there) << row.recording << " " << row.key;
  }
}

}  // namespace wt::test::seeds
