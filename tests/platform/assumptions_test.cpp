// Claim: a platform of the user's own says what is assumed where it states nothing, and the shipped ones don't.
#include "platform/assumptions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/load.h"

namespace wt::platform {
namespace {

using Facts = std::vector<std::string>;

Facts assumed(const std::string& text) {
  Facts facts;
  for (const Problem& note : from_json(json::parse(text, "mine.json")).assumptions)
    facts.push_back(fmt::format("{}: {}", note.place.line, note.fact));
  return facts;
}

TEST(Assumptions, NameWiresWithoutLatency) {
  EXPECT_EQ(assumed(R"({"machine": {
    "devices": {"type": "rtx4090", "count": 2},
    "hosts": {"type": "desktop_cpu"},
    "pcie": {"bandwidth": "26 GB/s"}}})"),
            Facts{"4: \"pcie\" has no latency: a crossing is assumed to take no time beside what software "
                  "adds"});
  EXPECT_EQ(assumed(R"({"machine": {
    "devices": {"type": "rtx4090", "count": 2},
    "hosts": {"type": "desktop_cpu"},
    "pcie": {"bandwidth": "26 GB/s", "latency": "500 ns"}}})"),
            Facts{});
}

TEST(Assumptions, NameNicsWithoutASwitch) {
  const auto with = [](const std::string& pcie, const std::string& nics) {
    return assumed(fmt::format(R"({{"machines": 2, "machine": {{
    "devices": {{"type": "rtx4090", "count": 2}},
    "hosts": {{"type": "desktop_cpu"}},
    "pcie": {{"bandwidth": "26 GB/s", "latency": "500 ns"{}}},
    "nics": {{"bandwidth": "12 GB/s", "latency": "1 us"{}}}}},
    "network": {{"type": "switch"}}}})",
                               pcie, nics));
  };
  const Facts first{
      "5: NIC 0 is below no PCIe switch: it is assumed to be attached to a CPU socket, through which devices "
      "reach it"};
  EXPECT_EQ(with("", ""), first);
  EXPECT_EQ(with(R"(, "switches": [{"devices": [0, 1]}])", ""), first);
  EXPECT_EQ(with(R"(, "switches": 1)", ""), Facts{});
  EXPECT_EQ(with(R"(, "switches": [{"devices": [0, 1], "nics": [0]}])", ""), Facts{});
  EXPECT_EQ(with("", R"(, "attached": "hosts")"), Facts{});
}

TEST(Assumptions, OfShippedPlatformsAreStatedInTheirFiles) {
  for (const KnownPlatform& known : known_platforms())
    EXPECT_TRUE(load(known.id).assumptions.empty()) << known.id;
}

}  // namespace
}  // namespace wt::platform
