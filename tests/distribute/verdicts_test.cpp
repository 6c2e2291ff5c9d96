// Writes which keys of which recordings this program has compared, as a table, to the file that WINDTUNNEL_VERDICTS names:
//
//   WINDTUNNEL_VERDICTS=tests/distribute/verdicts.md build/release/bin/test_distribute

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "distribute/recorded.h"

namespace wt::test {
namespace {

// What was recorded beside the configuration. Copies, and what a replica saw, count as what they belong to.
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
    std::string table = "| recording | keys compared, of those recorded |\n|---|---|\n";
    std::size_t whole = 0, touched = 0;
    for (const Recording& recording : recorded().all()) {
      const std::size_t of = keys_of(recording);
      const auto found = compared().find(&recording);
      const std::size_t keys = found == compared().end() ? 0 : std::min(of, found->second.size());
      table += fmt::format("| {} {} | {} of {} |\n", recording.version, recording.id, keys, of);
      if (keys > 0) ++touched;
      if (keys == of) ++whole;
    }
    const std::size_t all = recorded().all().size();
    write_text(file, fmt::format("{} of {} recordings are compared, {} of them in every key.\n\n{}", touched,
                                 all, whole, table));
  }
};

const testing::Environment* const verdicts = testing::AddGlobalTestEnvironment(new Verdicts);

}  // namespace
}  // namespace wt::test
