#include "base/json_reader.h"

#include <gtest/gtest.h>

#include <array>

#include "base/quantity_literals.h"

namespace wt::json {
namespace {

enum class Strategy { none, mirrored, one_device };
constexpr std::array<Named<Strategy>, 2> strategies{
    {{"mirrored", Strategy::mirrored}, {"one_device", Strategy::one_device}}};

TEST(JsonReader, ReadsEveryType) {
  const Value tree =
      parse(R"({"$schema": "s", "description": "d", "flag": true, "steps": 3, "many": 1e6, "rate": 1,
      "name": "n", "memory": "16 GiB", "link": "25 GB/s", "delay": "2 us", "work": "5 GFLOP", "peak": "3 TFLOP/s",
      "sizes": [1, 2], "limits": ["1 KiB"], "strategy": "mirrored", "inner": {"x": 1}, "list": [{"y": 2}]})",
            "x.json");
  Problems problems;
  Reader reader(tree, problems);
  EXPECT_TRUE(reader.required<bool>("flag"));
  EXPECT_EQ(reader.required<int>("steps"), 3);
  EXPECT_EQ(reader.required<std::int64_t>("many"), 1'000'000);
  EXPECT_EQ(reader.required<double>("rate"), 1.0);
  EXPECT_EQ(reader.required<std::string>("name"), "n");
  EXPECT_EQ(reader.required<Bytes>("memory"), 16_GiB);
  EXPECT_EQ(reader.required<BytesPerSecond>("link"), 25_GBps);
  EXPECT_EQ(reader.required<Seconds>("delay"), 2_us);
  EXPECT_EQ(reader.required<Flops>("work"), 5_GFlop);
  EXPECT_EQ(reader.required<FlopsPerSecond>("peak"), 3_TFlop_per_s);
  EXPECT_EQ(reader.required<std::vector<std::int64_t>>("sizes"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(reader.optional<std::vector<Bytes>>("limits", {}), (std::vector<Bytes>{1_KiB}));
  EXPECT_EQ(reader.one_of("strategy", strategies), Strategy::mirrored);
  EXPECT_EQ(reader.object("inner").required<int>("x"), 1);
  EXPECT_EQ(reader.objects("list").at(0).required<int>("y"), 2);
  EXPECT_EQ(reader.optional<int>("absent", 7), 7);
  EXPECT_EQ(reader.maybe<int>("absent"), std::nullopt);
  EXPECT_EQ(reader.one_of("other", strategies, Strategy::one_device), Strategy::one_device);
  EXPECT_FALSE(reader.optional_object("no_object"));
  reader.finish();
  EXPECT_NO_THROW(problems.throw_if_any());
}

// The problems that `read` finds in `text`, one line each: place, fact and remedy.
template <class Read>
std::string problems_of(const std::string& text, Read read) {
  const Value tree = parse(text, "x");
  Problems problems;
  Reader reader(tree, problems);
  read(reader);
  std::string lines;
  for (const Problem& problem : problems.found()) {
    lines += fmt::format("{}:{}+{} {} | {}\n", problem.place.line, problem.place.column, problem.place.length,
                         problem.fact, problem.remedy);
  }
  return lines;
}

TEST(JsonReader, ReportsAllProblemsOfAFileAtOnceSortedByPlace) {
  const Value tree =
      parse("{\n  \"stepps\": 3,\n  \"memory\": 16,\n  \"strategy\": \"mirored\"\n}", "x.json");
  Problems problems;
  Reader reader(tree, problems);
  reader.one_of("strategy", strategies);
  reader.required<Bytes>("memory");
  reader.required<int>("steps");
  reader.finish();
  try {
    problems.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "x.json:1:1: this object has no \"steps\"\n  1 | {\n    | ^\nadd \"steps\": it has no default\n\n"
        "x.json:2:3: unknown key \"stepps\"\n  2 |   \"stepps\": 3,\n    |   ^~~~~~~~\n"
        "did you mean \"steps\"? known: memory, steps, strategy\n\n"
        "x.json:3:13: 16 has no unit\n  3 |   \"memory\": 16,\n    |             ^~\n"
        "bytes are written with a unit, as in \"16 GiB\"; known: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, "
        "PiB\n\n"
        "x.json:4:15: unknown strategy \"mirored\"\n  4 |   \"strategy\": \"mirored\"\n"
        "    |               ^~~~~~~~~\ndid you mean \"mirrored\"? known: mirrored, one_device");
  }
}

TEST(JsonReader, SaysWhatWasWantedAndWhatWasFound) {
  EXPECT_EQ(
      problems_of(R"({"a": "1", "b": 1.5, "c": [], "d": 1, "e": {}, "f": null, "g": [1, "x"], "h": true})",
                  [](Reader& reader) {
                    EXPECT_EQ(reader.required<int>("a"), 0);
                    EXPECT_EQ(reader.required<std::int64_t>("b"), 0);
                    EXPECT_FALSE(reader.required<bool>("c"));
                    EXPECT_EQ(reader.required<std::string>("d"), "");
                    EXPECT_EQ(reader.required<Bytes>("e"), 0_B);
                    EXPECT_EQ(reader.optional<double>("f", 0.25), 0.25);
                    EXPECT_TRUE(reader.required<std::vector<int>>("g").empty());
                    EXPECT_TRUE(reader.required<std::vector<int>>("h").empty());
                  }),
      "1:7+3 expected a whole number, found a string | \n"
      "1:17+3 expected a whole number, found 1.5 | \n"
      "1:27+1 expected true or false, found a list | \n"
      "1:36+1 expected a string, found a whole number | \n"
      "1:44+1 expected a quantity with a unit, found an object | bytes are written with a unit, as in \"16 "
      "GiB\"; "
      "known: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB\n"
      "1:53+4 expected a number, found null | \n"
      "1:68+3 expected a whole number, found a string | \n"
      "1:79+4 expected a list, found true or false | \n");
}

TEST(JsonReader, ChecksRanges) {
  EXPECT_EQ(problems_of(R"({"steps": 0, "rate": 0, "size": "2 MiB", "list": [1, -1], "big": 3000000000})",
                        [](Reader& reader) {
                          reader.required<std::int64_t>("steps", {.at_least = 1});
                          reader.required<double>("rate", {.above = 0});
                          reader.required<Bytes>("size", {.at_most = 1_MiB});
                          reader.required<std::vector<int>>("list", {.at_least = 0});
                          reader.required<int>("big");
                        }),
            "1:11+1 0 is out of range | it must be at least 1\n"
            "1:22+1 0 is out of range | it must be above 0\n"
            "1:33+7 2 MiB is out of range | it must be at most 1 MiB\n"
            "1:54+2 -1 is out of range | it must be at least 0\n"
            "1:66+10 3000000000 is out of range | it must be at most 2147483647 in size\n");
}

TEST(JsonReader, KeepsSilentInsideAMissingObject) {
  EXPECT_EQ(problems_of("{}",
                        [](Reader& reader) {
                          Reader inner = reader.object("training");
                          EXPECT_EQ(inner.required<int>("steps"), 0);
                          EXPECT_TRUE(inner.objects("list").empty());
                          inner.problem("steps", "must not appear");
                          inner.finish();
                        }),
            "1:1+1 this object has no \"training\" | add \"training\": it has no default\n");
}

TEST(JsonReader, RefusesOtherThingsThanObjectsAndLists) {
  EXPECT_EQ(problems_of(R"({"a": [], "b": {}, "c": [1], "optimizer": 1, "optimiser": "x"})",
                        [](Reader& reader) {
                          reader.object("a");
                          reader.array("b");
                          reader.objects("c");
                          reader.one_of("optimizer", strategies);
                          reader.one_of("optimiser", strategies);
                        }),
            "1:7+1 expected an object, found a list | \n"
            "1:16+1 expected a list, found an object | \n"
            "1:26+1 expected an object, found a whole number | \n"
            "1:43+1 expected a string, found a whole number | known: mirrored, one_device\n"
            "1:59+3 unknown optimiser \"x\" | known: mirrored, one_device\n");
  EXPECT_EQ(problems_of("[]", [](Reader& reader) { reader.finish(); }),
            "1:1+1 expected an object, found a list | \n");
}

TEST(JsonReader, PointsFurtherProblemsAtTheValue) {
  EXPECT_EQ(problems_of(R"({"global_batch": 100})",
                        [](Reader& reader) {
                          reader.required<int>("global_batch");
                          reader.problem("global_batch", "global_batch 100 does not divide among 8 replicas",
                                         "nearest that do: 96, 104");
                        }),
            "1:18+3 global_batch 100 does not divide among 8 replicas | nearest that do: 96, 104\n");
}

}  // namespace
}  // namespace wt::json
