// Claims: an override value from the command line is parsed as JSON if it is valid JSON, and is a string
// otherwise. A value that only begins like JSON gives an error at the place where it is wrong.

#include "base/json_override.h"

#include <gtest/gtest.h>

namespace wt::json {
namespace {

Value value_of(const std::string& text) { return override_value(text, text.find('=') + 1); }

TEST(Override, IsJson) {
  EXPECT_EQ(value_of("training.epochs=3").integer(), 3);
  EXPECT_EQ(value_of("noise=0.25").real(), 0.25);
  EXPECT_TRUE(value_of("faithful=true").boolean());
  EXPECT_EQ(value_of(R"(name="3")").string(), "3");
  EXPECT_EQ(value_of(R"(devices=["GPU:0", "GPU:1"])").elements().size(), 2u);
  EXPECT_EQ(value_of(R"(model={"zoo": "mlp"})").find("zoo")->string(), "mlp");
}

TEST(Override, IsTextWhereItIsNoJson) {
  for (const std::string text : {"adam", "4x4x8", "/gpu:2", "3 ms", "a\"b", "tru", ""}) {
    const Value value = value_of("key=" + text);
    ASSERT_EQ(value.kind(), Kind::string) << text;
    EXPECT_EQ(value.string(), text);
    EXPECT_EQ(value.place().file, "--set");
    EXPECT_EQ(value.place().column, 5) << text;
  }
}

TEST(Override, IsRefusedWhereItOnlyBeginsAsJson) {
  for (const std::string text : {R"({"zoo": )", "[1, 2", R"("mlp)", "[1] 2"}) {
    try {
      value_of("model=" + text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.problems().at(0).place.file, "--set") << text;
      EXPECT_GT(error.problems().at(0).place.column, 6) << text;
    }
  }
}

TEST(Override, IsRefusedWhereItIsNotUtf8) {
  try {
    value_of("name=caf\xe9");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().at(0).fact, "byte 0xE9 is not UTF-8");
    EXPECT_EQ(error.problems().at(0).place.column, 9);
  }
}

TEST(Override, HasAPathOfSteps) {
  EXPECT_EQ(dotted("training.epochs"), (std::vector<std::string>{"training", "epochs"}));
  EXPECT_EQ(dotted("seed"), std::vector<std::string>{"seed"});
  EXPECT_EQ(dotted("a..b."), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(dotted(""), std::vector<std::string>{""});
  EXPECT_EQ(dotted(R"(cost.prices."p5.48xlarge".date)"),
            (std::vector<std::string>{"cost", "prices", "p5.48xlarge", "date"}));
  EXPECT_EQ(dotted(R"("a.b")"), std::vector<std::string>{"a.b"});
  EXPECT_EQ(dotted(R"("a.b)"), (std::vector<std::string>{"\"a", "b"}));
  EXPECT_EQ(dotted(R"("a"b.c)"), (std::vector<std::string>{"\"a\"b", "c"}));
}

}  // namespace
}  // namespace wt::json
