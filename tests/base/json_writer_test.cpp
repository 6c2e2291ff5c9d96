#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/json.h"

namespace wt::json {
namespace {

std::string example(Layout layout) {
  Writer writer(layout);
  writer.begin_object().member("name", "a \"b\"\n\u00fc").member("on", true).key("none").null();
  writer.key("rows").begin_array();
  writer.begin_object(Layout::one_line).member("bytes", 1024).member("time_us", 2.0).end_object();
  writer.end_array().key("sizes").begin_array(Layout::one_line).value(1).value(2).end_array();
  return writer.key("empty").begin_object().end_object().end_object().text();
}

TEST(JsonWriter, PrintsReadableLinesInTheOrderOfTheCalls) {
  EXPECT_EQ(example(Layout::lines),
            "{\n"
            "  \"name\": \"a \\\"b\\\"\\n\u00fc\",\n"
            "  \"on\": true,\n"
            "  \"none\": null,\n"
            "  \"rows\": [\n"
            "    {\"bytes\": 1024, \"time_us\": 2.0}\n"
            "  ],\n"
            "  \"sizes\": [1, 2],\n"
            "  \"empty\": {}\n"
            "}\n");
}

TEST(JsonWriter, PrintsCompactTextWithoutSpaces) {
  EXPECT_EQ(example(Layout::compact),
            "{\"name\":\"a "
            "\\\"b\\\"\\n\u00fc\",\"on\":true,\"none\":null,\"rows\":[{\"bytes\":1024,\"time_us\":2.0}],"
            "\"sizes\":[1,2],\"empty\":{}}");
}

// A terminal obeys them, and results may be printed.
TEST(JsonWriter, EscapesEveryControlCharacter) {
  EXPECT_EQ(quote("\u0085\u009b\x7f\u202e\u00fc"), "\"\\u0085\\u009b\\u007f\\u202e\u00fc\"");
  EXPECT_EQ(parse(quote("a\u009b\u202e"), "x").string(), "a\u009b\u202e");
}

TEST(JsonWriter, EscapesWhatJsonCannotHold) { EXPECT_EQ(quote("\\\b\f\r\t\x01"), R"("\\\b\f\r\t\u0001")"); }

TEST(JsonWriter, PrintsDoublesThatReadBackToTheSameBits) {
  EXPECT_EQ(print_number(1), "1.0");
  EXPECT_EQ(print_number(0.1), "0.1");
  EXPECT_EQ(print_number(1e300), "1e+300");
  EXPECT_EQ(print_number(-0.0), "-0.0");
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const Value read = parse(print_number(value), "x");
    ASSERT_EQ(read.kind(), Kind::real);
    ASSERT_EQ(read.real(), value);
  }
}

TEST(JsonWriter, RefusesWhatIsNoJson) {
  EXPECT_THROW(print_number(NAN), InternalError);
  EXPECT_THROW(print_number(INFINITY), InternalError);
  EXPECT_THROW(quote("\xff"), InternalError);
  EXPECT_THROW(Writer().begin_object().value(1), InternalError);
  EXPECT_THROW(Writer().begin_array().key("a"), InternalError);
  EXPECT_THROW(Writer().begin_array().end_object(), InternalError);
  EXPECT_THROW(Writer().begin_object().key("a").end_object(), InternalError);
  EXPECT_THROW(Writer().value(1).value(2), InternalError);
  EXPECT_THROW(static_cast<void>(Writer().begin_array().text()), InternalError);
}

}  // namespace
}  // namespace wt::json
