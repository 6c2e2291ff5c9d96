#include "fuzz/value.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace wt::fuzz {

namespace {

using namespace std::string_view_literals;

constexpr std::array numbers{"0"sv,
                             "1"sv,
                             "2"sv,
                             "3"sv,
                             "8"sv,
                             "-1"sv,
                             "-0.0"sv,
                             "0.5"sv,
                             "1e-308"sv,
                             "5e-324"sv,
                             "1e308"sv,
                             "-1e308"sv,
                             "1e-9"sv,
                             "1e18"sv,
                             "255"sv,
                             "65536"sv,
                             "16777217"sv,
                             "2147483647"sv,
                             "2147483648"sv,
                             "-2147483649"sv,
                             "4294967296"sv,
                             "9007199254740993"sv,
                             "4611686018427387904"sv,
                             "9223372036854775807"sv,
                             "-9223372036854775808"sv,
                             "9223372036854775808"sv,
                             "1000000000000000000000000000000"sv};

constexpr std::array units{"B"sv,       "GiB"sv,   "GB/s"sv, "Gb/s"sv,    "us"sv, "s"sv, "h"sv,
                           "TFLOP/s"sv, "USD/h"sv, "USD"sv,  "USD/kWh"sv, "%"sv,  "W"sv, ""sv};

constexpr std::array texts{""sv,          " "sv,         "nan"sv,          "inf"sv,
                           "-inf s"sv,    "nan GB/s"sv,  "0x10"sv,         "../../x"sv,
                           "/dev/null"sv, "base.json"sv, "1..100000000"sv, "1..9223372036854775807x2"sv,
                           "4x4x4"sv,     "v4-8"sv,      "GPU:0"sv,        "worker:0"sv,
                           "chief"sv,     "\x1b[2J"sv,   "\xff\xfe"sv,     "\xe2\x80\xae turned"sv,
                           "a\0b"sv,      "{}"sv,        "%s%n"sv,         "</script><script>"sv};

}  // namespace

std::string any_number(Random& random) { return std::string(any_of(numbers, random)); }

std::string any_text(Random& random) {
  switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      return fmt::format("{} {}", any_of(numbers, random), any_of(units, random));
    case 3:
      return std::string(1 << random() % 12, 'x');
    default:
      return std::string(any_of(texts, random));
  }
}

std::string quoted(const std::string& text) {
  return first_invalid_utf8(text) == std::string::npos ? json::quote(text) : '"' + text + '"';
}

std::string any_value(Random& random) {
  constexpr std::array others{"null"sv, "true"sv, "false"sv, "[]"sv, "{}"sv, "[[]]"sv, "[0]"sv};
  switch (random() % 4) {
    case 0:
      return quoted(any_text(random));
    case 1:
      return std::string(any_of(others, random));
    default:
      return any_number(random);
  }
}

std::string near(const std::string& number, Random& random) {
  const double value = std::strtod(number.c_str(), nullptr);
  constexpr std::array<double, 6> sums{1, -1, 1, -1, 0.5, 0}, factors{1, 1, 2, 0.5, 1, -1};
  const std::size_t which = random() % sums.size();
  return fmt::format("{}", value * factors[which] + sums[which]);
}

}  // namespace wt::fuzz
