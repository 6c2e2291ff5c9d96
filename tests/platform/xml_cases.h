#pragma once
// XML for tests: the platform or the error of a text, and texts with seeded random damage.

#include <random>
#include <string>
#include <vector>

#include "platform/platforms.h"
#include "support/folder.h"

namespace wt::platform {

inline std::string data(const std::string& name) {
  return std::string(WT_TEST_DATA) + "/platform/data/" + name;
}

inline std::string refused(const std::string& text, const Parameters& set = {}) {
  try {
    from_xml("x.xml", text, set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was accepted";
}

inline std::string all_of(const std::vector<Problem>& warnings) {
  std::string text;
  for (const Problem& warning : warnings) text += print(warning) + "\n";
  return text;
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

// The next value of an attribute after a position, without its quotes; empty if there is none.
inline std::string value_after(const std::string& text, std::size_t at) {
  const std::size_t begin = text.find("=\"", at);
  if (begin == std::string::npos) return "";
  return text.substr(begin + 2, text.find('"', begin + 2) - begin - 2);
}

// The text with one random damage: it is truncated, a byte is changed, a part is removed or repeated, or the
// value of an attribute is replaced, possibly by the value of another attribute.
inline std::string damaged(std::string text, std::mt19937& random) {
  static const std::vector<std::string> values{"",    "-1",   "0",     "1e300",       "99999999999",
                                               "nan", "&#0;", "&lol;", "0-999999999", "x"};
  const auto any = [&](std::size_t below) { return random() % std::max<std::size_t>(below, 1); };
  for (std::size_t rounds = 1 + any(3); rounds > 0; --rounds) {
    const std::size_t at = any(text.size());
    const std::size_t length = std::min<std::size_t>(any(80), text.size() - at);
    const std::size_t quote = text.find("=\"", at);
    const std::string value = any(2) == 0 ? values[any(values.size())] : value_after(text, any(text.size()));
    switch (any(8)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        if (!text.empty()) text[at % text.size()] = static_cast<char>(any(256));
        break;
      default:
        if (quote == std::string::npos) break;
        text.replace(quote + 2, text.find('"', quote + 2) - quote - 2, value);
    }
  }
  return text;
}

// Expects that each damaged text becomes a platform or an InputError with places. Returns the number of
// platforms.
inline int survive(const std::string& file, unsigned seed, int count) {
  std::mt19937 random(seed);
  const std::string whole = test::bytes_of(data(file));
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = damaged(whole, random);
    try {
      const Loaded loaded = from_xml("x.xml", text);
      EXPECT_GT(loaded.platform.devices(), 0);
      ++accepted;
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) EXPECT_GT(problem.place.line, 0) << problem.fact;
    }
  }
  return accepted;
}

}  // namespace wt::platform
