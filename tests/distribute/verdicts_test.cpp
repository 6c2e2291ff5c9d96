// Writes a table, recording -> tests -> verdict, to the file that WINDTUNNEL_VERDICTS names:
//
//   WINDTUNNEL_VERDICTS=verdicts.md build/release/bin/test_distribute

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "distribute/recorded.h"

namespace wt::test {
namespace {

// Why nothing of a recording is compared.
const std::map<std::string, std::string> reasons{
    {"checkpoint_deferred", "no objects that are restored before they are made"},
    {"construct_base_class", "Python's base class without an extended"},
    {"construct_default_twice", "the default strategy has no constructor here"},
    {"construct_one_list", "a list for a device isn't compiled"},
    {"construct_one_none", "None for a device isn't compiled"},
    {"keras_scope_metric_other", "metrics are plain data here, and belong to no scope"},
    {"keras_scope_model_other", "optimizers and metrics are plain data here, and belong to no scope"},
    {"keras_scope_only_model", "metrics are plain data here, and belong to no scope"},
    {"print_datasets", "element_spec and Python's texts of datasets aren't offered"},
    {"scope_crossed_creator", "no variable creator scopes, and blocks can't cross"},
};

std::string reason_of(const Recording& recording) {
  for (const auto& [id, reason] : reasons)
    if (recording.id.starts_with("distribute_" + id)) return reason;
  return "";
}

std::size_t keys_of(const Recording& recording) {
  std::size_t count = 0;
  for (const std::string_view section : {"values", "errors"})
    for (const json::Member& member : recording.content.find(section)->members())
      if (member.key != "config") ++count;
  return count;
}

class Verdicts : public testing::Environment {
  void TearDown() override {
    const char* file = std::getenv("WINDTUNNEL_VERDICTS");
    if (file == nullptr) return;
    const std::string passed = testing::UnitTest::GetInstance()->Passed() ? "passed" : "see the failures";
    std::string table = "| recording | tests | verdict |\n|---|---|---|\n";
    std::size_t touched = 0;
    for (const Recording& recording : recorded().all()) {
      const auto found = compared().find(&recording);
      const bool is_compared = found != compared().end();
      if (is_compared) ++touched;
      const std::string verdict = is_compared ? fmt::format("{}, {} of {} keys", passed,
                                                            found->second.keys.size(), keys_of(recording))
                                              : fmt::format("not compared: {}", reason_of(recording));
      table +=
          fmt::format("| {} {} | {} | {} |\n", recording.version, recording.id,
                      is_compared ? fmt::format("{}", fmt::join(found->second.tests, ", ")) : "", verdict);
    }
    write_text(file,
               fmt::format("{} of {} recordings are compared; of the keys, those that C++ can write.\n\n{}",
                           touched, recorded().all().size(), table));
  }
};

const testing::Environment* const verdicts = testing::AddGlobalTestEnvironment(new Verdicts);

}  // namespace

// A recording that nothing compares has a reason.
TEST(Verdicts, EveryRecordingIsComparedOrItIsSaidWhyNot) {
  for (const auto& [id, reason] : reasons) EXPECT_FALSE(family(id).empty()) << id;
}

}  // namespace wt::test
