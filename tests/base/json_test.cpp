#include "base/json.h"

#include <gtest/gtest.h>

#include <random>

namespace wt::json {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse(text, "x.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Json, KnowsLineColumnAndLengthOfEveryValueAndKey) {
  const Value tree = parse(
      "{\n  \"\u00fc\": true, // note: {\n  \"list\": [ -1.5e3 , /* , */ \"a\\\"]\", null, {} ]\r\n}", "x");
  auto spot = [](const Place& place) {
    return fmt::format("{}:{}+{}", place.line, place.column, place.length);
  };
  EXPECT_EQ(spot(tree.place()), "1:1+1");
  EXPECT_EQ(spot(tree.members()[0].key_place()), "2:3+3");
  EXPECT_EQ(spot(tree.members()[0].value.place()), "2:8+4");
  EXPECT_EQ(spot(tree.members()[1].key_place()), "3:3+6");
  const Value::Elements& list = tree.find("list")->elements();
  EXPECT_EQ(spot(tree.find("list")->place()), "3:11+1");
  EXPECT_EQ(spot(list[0].place()), "3:13+6");
  EXPECT_EQ(list[0].text(), "-1.5e3");
  EXPECT_EQ(spot(list[1].place()), "3:30+6");
  EXPECT_EQ(list[1].string(), "a\"]");
  EXPECT_EQ(spot(list[2].place()), "3:38+4");
  EXPECT_EQ(spot(list[3].place()), "3:44+1");
  EXPECT_EQ(list[3].place().source_line, "  \"list\": [ -1.5e3 , /* , */ \"a\\\"]\", null, {} ]");
}

TEST(Json, ReadsEveryKindOfValue) {
  const Value tree =
      parse(R"([null, true, 9223372036854775807, -9223372036854775808, 0.5, "x", [], {}])", "x");
  const Value::Elements& values = tree.elements();
  EXPECT_EQ(values[0].kind(), Kind::null);
  EXPECT_TRUE(values[1].boolean());
  EXPECT_EQ(values[2].integer(), INT64_MAX);
  EXPECT_EQ(values[3].integer(), INT64_MIN);
  EXPECT_EQ(values[4].real(), 0.5);
  EXPECT_EQ(values[5].string(), "x");
  EXPECT_TRUE(values[6].elements().empty());
  EXPECT_TRUE(values[7].members().empty());
  EXPECT_EQ(values[7].find("a"), nullptr);
  EXPECT_THROW(values[7].string(), InternalError);
}

TEST(Json, PlacesOfALongLineShareIt) {
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i) text += "\"\u00fc\", ";
  text += "7]";
  const Value tree = parse(text, "x");
  std::vector<Place> places;
  for (const Value& value : tree.elements()) places.push_back(value.place());
  const Place& last = places.back();
  EXPECT_EQ(fmt::format("{}:{}+{}", last.line, last.column, last.length), "1:1000002+1");
  EXPECT_EQ(last.source_line.view().data(), places.front().source_line.view().data());
  const std::string shown = print(Problem{last, "fact", ""});
  EXPECT_TRUE(shown.starts_with("x:1:1000002: fact\n  1 | ...")) << shown;
  EXPECT_TRUE(shown.ends_with("7]\n    | " + std::string(62, ' ') + "^")) << shown;
}

TEST(Json, AcceptsAByteOrderMark) {
  const Value tree = parse("\xEF\xBB\xBF{\"a\": 1}", "x");
  EXPECT_EQ(tree.members()[0].key_place().column, 2);
}

TEST(Json, NamesThePlaceOfSyntaxErrors) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"),
            "x.json:3:1: there is a comma before \"}\"\n  3 | }\n    | ^\n"
            "remove it: JSON allows no comma after the last entry");
  EXPECT_EQ(error_of("{'a': 1}"),
            "x.json:1:2: JSON strings are written in double quotes\n  1 | {'a': 1}\n    |  ^\n"
            "write \"...\" instead of '...'");
  EXPECT_EQ(error_of("[1 2]"),
            "x.json:1:4: not valid JSON: unexpected number literal; expected ']'\n  1 | [1 2]\n    |    ^");
  EXPECT_EQ(error_of("[1,,2]"),
            "x.json:1:4: not valid JSON: unexpected ','; expected '[', '{', or a literal\n  1 | [1,,2]\n    "
            "|    ^");
  EXPECT_EQ(error_of("{} x"), "x.json:1:4: not valid JSON: invalid literal\n  1 | {} x\n    |    ^");
  EXPECT_EQ(error_of("{\"a\": tru}"),
            "x.json:1:7: not valid JSON: invalid literal\n  1 | {\"a\": tru}\n    |       ^~~~");
  EXPECT_EQ(error_of("[\"a\\q\"]"),
            "x.json:1:2: not valid JSON: invalid string: forbidden character after backslash\n"
            "  1 | [\"a\\q\"]\n    |  ^~~~");
  EXPECT_EQ(error_of("[-]"),
            "x.json:1:2: not valid JSON: invalid number; expected digit after '-'\n  1 | [-]\n    |  ^~");
  EXPECT_EQ(
      error_of("[1 /* ]"),
      "x.json:1:4: not valid JSON: invalid comment; missing closing '*/'\n  1 | [1 /* ]\n    |    ^~~~");
}

TEST(Json, SaysWhatATruncatedTextLeftOpen) {
  EXPECT_EQ(error_of(""), "x.json:1:1: expected a JSON value, found the end of the text\n  1 | \n    | ^");
  EXPECT_EQ(error_of("{\"a\": [1,\n"),
            "x.json:2:1: the text ends inside a list\n  2 | \n    | ^\nit was opened at 1:7");
  EXPECT_EQ(error_of("{\"a\""),
            "x.json:1:5: the text ends inside an object\n  1 | {\"a\"\n    |     ^\nit was opened at 1:1");
  EXPECT_EQ(error_of("[\"abc"),
            "x.json:1:2: not valid JSON: invalid string: missing closing quote\n  1 | [\"abc\n    |  ^~~~");
}

TEST(Json, ReportsDuplicateKeysAndHugeIntegersTogether) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 9223372036854775808,\n \"b\": -99999999999999999999}"),
            "x.json:2:2: \"a\" appears twice in this object\n  2 |  \"a\": 9223372036854775808,\n    |  ^~~\n"
            "the first is at 1:2\n\n"
            "x.json:2:7: this whole number does not fit into 64 bits\n  2 |  \"a\": 9223372036854775808,\n"
            "    |       ^~~~~~~~~~~~~~~~~~~\nthe largest is 9223372036854775807\n\n"
            "x.json:3:7: this whole number does not fit into 64 bits\n  3 |  \"b\": -99999999999999999999}\n"
            "    |       ^~~~~~~~~~~~~~~~~~~~~\nthe largest is 9223372036854775807");
}

TEST(Json, RefusesNumbersBeyondDoubles) {
  EXPECT_EQ(
      error_of("[1e999]"),
      "x.json:1:2: this number is too large\n  1 | [1e999]\n    |  ^~~~~\nthe largest is about 1.8e308");
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_EQ(error_of(std::string(200, '[') + std::string(200, ']')), "no error");
  const std::string text = error_of(std::string(1'000'000, '['));
  EXPECT_EQ(text.substr(0, text.find('\n')), "x.json:1:201: lists and objects are nested deeper than 200");
  const std::string objects = error_of([] {
    std::string nested;
    for (int i = 0; i < 100'000; ++i) nested += "{\"a\":";
    return nested;
  }());
  EXPECT_EQ(objects.substr(0, objects.find('\n')),
            "x.json:1:1001: lists and objects are nested deeper than 200");
}

TEST(Json, RefusesBytesThatAreNoText) {
  EXPECT_EQ(
      error_of("{\"a\": \"\xff\"}"),
      "x.json:1:8: byte 0xFF is not UTF-8\n  1 | {\"a\": \"?\"}\n    |        ^\nsave the file as UTF-8");
  EXPECT_EQ(error_of("\"\xed\xa0\x80\"").substr(0, 34), "x.json:1:2: byte 0xED is not UTF-8");
  EXPECT_EQ(error_of(std::string("{}\0garbage", 10)),
            "x.json:1:3: the file contains a NUL byte\n  1 | {}?garbage\n    |   ^");
}

TEST(Json, NamesAFileThatIsNotThere) {
  EXPECT_THROW(
      {
        try {
          parse_file("no/such.json");
        } catch (const InputError& error) {
          EXPECT_STREQ(error.what(), "cannot read \"no/such.json\": No such file or directory");
          throw;
        }
      },
      InputError);
}

void visit(const Value& value) {
  // Every place must be inside the file, and the text of every value must begin like a value of its kind.
  const Place place = value.place();
  ASSERT_GE(place.line, 1);
  ASSERT_GE(place.column, 1);
  const char first = value.text()[0];
  switch (value.kind()) {
    case Kind::array:
      ASSERT_EQ(first, '[');
      for (const Value& element : value.elements()) visit(element);
      break;
    case Kind::object:
      ASSERT_EQ(first, '{');
      for (const Member& member : value.members()) visit(member.value);
      break;
    case Kind::string:
      ASSERT_EQ(first, '"');
      break;
    case Kind::boolean:
      ASSERT_TRUE(first == 't' || first == 'f');
      break;
    case Kind::null:
      ASSERT_EQ(value.text(), "null");
      break;
    case Kind::integer:
    case Kind::real:
      ASSERT_TRUE(first == '-' || (first >= '0' && first <= '9'));
      break;
  }
}

TEST(Json, AnswersATreeOrAnInputErrorForAnyBytes) {
  const std::string good =
      "{\"a\": [1, -2.5e3, true, false, null, \"x\\n\\u00fc\"], // c\n \"b\": {\"c\": {}, \"d\": []}, /* e "
      "*/ \"f\": \"\u00fc\"}";
  constexpr std::string_view alphabet = "{}[]:,\"\\/*-+.eE0129tfnu \n\r\t\xC3\xBC\xFFx'";
  std::mt19937_64 random(3);
  int trees = 0;
  for (int i = 0; i < 30'000; ++i) {
    std::string text = good;
    for (std::uint64_t change = 1 + random() % 3; change > 0; --change) {
      const std::size_t at = random() % text.size();
      const char letter = random() % 50 == 0 ? '\0' : alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        case 2:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
      }
      if (text.empty()) text = "[";
    }
    try {
      visit(parse(text, "fuzz"));
      ++trees;
    } catch (const InputError& error) {
      ASSERT_FALSE(error.problems().empty());
      ASSERT_GE(error.problems()[0].place.line, 1) << text;
    }
  }
  EXPECT_GT(trees, 1000);
}

TEST(Json, AnswersATreeOrAnInputErrorForEveryPrefix) {
  const std::string good = R"({"a": [1, -2.5e3, true, "x\n"], /* c */ "b": {"c": null}})";
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(error_of(good.substr(0, length)), "no error") << length;
  }
  EXPECT_EQ(error_of(good), "no error");
}

}  // namespace
}  // namespace wt::json
