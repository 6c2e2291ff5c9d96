#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "base/power.h"
#include "base/suggest.h"

namespace wt {
namespace {

// A unit is 10^decimal * 2^binary * times the base unit. A bit is 2^-3 bytes. Only times have units with
// another factor, and none of those is printed.
struct Unit {
  std::string_view name{};
  int decimal{0};
  int binary{0};
  double times{1};
};

// The units of each kind of quantity. Messages list the units in `known`. The units in `aliases` are also
// accepted, but not listed and not printed.
template <class Kind>
struct Units;

template <>
struct Units<Bytes> {
  static constexpr std::string_view what = "bytes", example = "16 GiB";
  static constexpr std::array<Unit, 11> known{{{"B", 0, 0},
                                               {"KB", 3, 0},
                                               {"MB", 6, 0},
                                               {"GB", 9, 0},
                                               {"TB", 12, 0},
                                               {"PB", 15, 0},
                                               {"KiB", 0, 10},
                                               {"MiB", 0, 20},
                                               {"GiB", 0, 30},
                                               {"TiB", 0, 40},
                                               {"PiB", 0, 50}}};
  static constexpr std::array<Unit, 1> aliases{{{"kB", 3, 0}}};
};

template <>
struct Units<Seconds> {
  static constexpr std::string_view what = "times", example = "2 us", base = "s";
  static constexpr std::array<Unit, 5> known{{{"ps", -12}, {"ns", -9}, {"us", -6}, {"ms", -3}, {"s"}}};
  // A year has 365 days.
  static constexpr std::array<Unit, 8> aliases{{{"\u00B5s", -6},
                                                {"\u03BCs", -6},
                                                {"min", 0, 0, 60},
                                                {"h", 0, 0, 3600},
                                                {"day", 0, 0, 86'400},
                                                {"days", 0, 0, 86'400},
                                                {"year", 0, 0, 31'536'000},
                                                {"years", 0, 0, 31'536'000}}};
};

template <>
struct Units<Flops> {
  static constexpr std::string_view what = "counts of operations", example = "5 GFLOP", base = "FLOP";
  static constexpr std::array<Unit, 7> known{
      {{"FLOP"}, {"KFLOP", 3}, {"MFLOP", 6}, {"GFLOP", 9}, {"TFLOP", 12}, {"PFLOP", 15}, {"EFLOP", 18}}};
  static constexpr std::array<Unit, 0> aliases{};
};

template <>
struct Units<BytesPerSecond> {
  static constexpr std::string_view what = "data rates", example = "25 GB/s", base = "B/s";
  static constexpr std::array<Unit, 14> known{{{"B/s"},
                                               {"KB/s", 3},
                                               {"MB/s", 6},
                                               {"GB/s", 9},
                                               {"TB/s", 12},
                                               {"KiB/s", 0, 10},
                                               {"MiB/s", 0, 20},
                                               {"GiB/s", 0, 30},
                                               {"TiB/s", 0, 40},
                                               {"b/s", 0, -3},
                                               {"Kb/s", 3, -3},
                                               {"Mb/s", 6, -3},
                                               {"Gb/s", 9, -3},
                                               {"Tb/s", 12, -3}}};
  static constexpr std::array<Unit, 10> aliases{{{"kB/s", 3},
                                                 {"MBps", 6},
                                                 {"GBps", 9},
                                                 {"TBps", 12},
                                                 {"kb/s", 3, -3},
                                                 {"bps", 0, -3},
                                                 {"Kbps", 3, -3},
                                                 {"Mbps", 6, -3},
                                                 {"Gbps", 9, -3},
                                                 {"Tbps", 12, -3}}};
};

template <>
struct Units<FlopsPerSecond> {
  static constexpr std::string_view what = "rates of operations", example = "312 TFLOP/s", base = "FLOP/s";
  static constexpr std::array<Unit, 7> known{{{"FLOP/s"},
                                              {"KFLOP/s", 3},
                                              {"MFLOP/s", 6},
                                              {"GFLOP/s", 9},
                                              {"TFLOP/s", 12},
                                              {"PFLOP/s", 15},
                                              {"EFLOP/s", 18}}};
  static constexpr std::array<Unit, 4> aliases{
      {{"GFLOPS", 9}, {"TFLOPS", 12}, {"PFLOPS", 15}, {"EFLOPS", 18}}};
};

template <>
struct Units<Watts> {
  static constexpr std::string_view what = "powers", example = "700 W", base = "W";
  static constexpr std::array<Unit, 4> known{{{"mW", -3}, {"W"}, {"kW", 3}, {"MW", 6}}};
  static constexpr std::array<Unit, 0> aliases{};
};

template <class Kind>
std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const Unit& unit : Units<Kind>::known) names.push_back(unit.name);
  return names;
}

template <class Kind>
const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : Units<Kind>::known) {
    if (unit.name == name) return &unit;
  }
  for (const Unit& unit : Units<Kind>::aliases) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// The number digits * 10^exponent. The digits have no leading and no trailing zeros, so zero has no digits at
// all.
struct Decimal {
  std::string digits{};
  long exponent{0};
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Parses a decimal number without a sign at the beginning of `text` and removes it from there. Returns
// nothing if there is no number.
std::optional<Decimal> take_number(std::string_view& text) {
  Decimal number;
  std::size_t at = 0;
  std::size_t seen = 0;
  for (; at < text.size() && is_digit(text[at]); ++at, ++seen) number.digits += text[at];
  if (seen > 0 && at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    for (++at; at < text.size() && is_digit(text[at]); ++at, --number.exponent) number.digits += text[at];
  }
  if (seen == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t power = at + 1;
    if (power < text.size() && text[power] == '+') ++power;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + power, text.data() + text.size(), value);
    // With a larger exponent, every double is zero or infinite.
    constexpr int limit = 100'000;
    if (error == std::errc::result_out_of_range) value = text[power] == '-' ? -limit : limit;
    if (error != std::errc::invalid_argument) {
      number.exponent += std::clamp(value, -limit, limit);
      at = static_cast<std::size_t>(end - text.data());
    }
  }
  text.remove_prefix(at);
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  return number;
}

enum class Fault { none, too_large, not_whole };

// The result is correctly rounded if the unit has no factor `times`: there is one conversion from decimal, and
// the multiplication by a power of two is exact.
Fault convert(const Decimal& number, const Unit& unit, double& result) {
  if (number.digits.empty()) return Fault::none;
  const std::string text = fmt::format("{}e{}", number.digits, number.exponent + unit.decimal);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
  const bool is_tiny = static_cast<long>(number.digits.size()) + number.exponent + unit.decimal < 0;
  if (parsed.ec != std::errc{}) result = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  result = std::ldexp(result, unit.binary) * unit.times;
  return std::isinf(result) ? Fault::too_large : Fault::none;
}

// The result is exact. A text that is not a whole number of bytes, such as "0.3 B", is an error.
Fault convert(const Decimal& number, const Unit& unit, std::int64_t& result) {
  if (number.digits.empty()) return Fault::none;
  long power = number.exponent + unit.decimal;
  std::int64_t value = 0;
  const auto parsed =
      std::from_chars(number.digits.data(), number.digits.data() + number.digits.size(), value);
  if (parsed.ec != std::errc{}) return power < 0 ? Fault::not_whole : Fault::too_large;
  int twos = unit.binary;
  for (; power < 0; ++power, --twos) {
    if (value % 5 != 0) return Fault::not_whole;
    value /= 5;
  }
  for (; twos < 0; ++twos) {
    if (value % 2 != 0) return Fault::not_whole;
    value /= 2;
  }
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(value, 10, &value)) return Fault::too_large;
  }
  for (; twos > 0; --twos) {
    if (__builtin_mul_overflow(value, 2, &value)) return Fault::too_large;
  }
  result = value;
  return Fault::none;
}

template <class Kind>
void refuse_unit(std::string_view text, std::string_view unit, Parsed<Kind>& parsed) {
  const std::vector<std::string_view> names = unit_names<Kind>();
  if (std::is_same_v<Kind, Bytes> && find_unit<BytesPerSecond>(std::string(unit) + "/s") != nullptr) {
    parsed.fact = fmt::format("\"{}\" is a number of bits, and bytes are expected", text);
    parsed.remedy = fmt::format("8 bits are a byte: 8 Gb = 1 GB; {}", list_known(names));
    return;
  }
  std::vector<std::string_view> same_letters;
  for (std::string_view name : names) {
    if (edit_distance(name, unit) == 0) same_letters.push_back(name);
  }
  parsed.fact = fmt::format("unknown unit \"{}\" for {}", unit, Units<Kind>::what);
  // "gb/s" could mean bits or bytes, so both are suggested.
  parsed.remedy = same_letters.size() == 2 ? fmt::format("did you mean \"{}\" or \"{}\"? {}", same_letters[0],
                                                         same_letters[1], list_known(names))
                                           : did_you_mean(unit, names);
}

// Prints a value in the unit in which its number lies in [1, 1000). The digits are those of the shortest
// decimal that parses back to the same double. The point is moved in the text, so that no further rounding
// happens.
template <class Kind>
std::string print_double(double value) {
  WT_EXPECT(std::isfinite(value), value);
  if (value == 0) return fmt::format("0 {}", Units<Kind>::base);
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const Decimal number = *take_number(text);
  const long leading = static_cast<long>(number.digits.size()) + number.exponent - 1;
  const Unit* best = nullptr;
  for (const Unit& unit : Units<Kind>::known) {
    if (unit.binary == 0 && (best == nullptr || unit.decimal <= leading)) best = &unit;
  }
  const long before = leading - best->decimal + 1;  // digits before the point
  const auto size = static_cast<long>(number.digits.size());
  std::string shown = number.digits;
  if (before > 21 || before < -6) {
    shown = fmt::format("{}e{}", number.digits, number.exponent - best->decimal);
  } else if (before <= 0) {
    shown = "0." + std::string(static_cast<std::size_t>(-before), '0') + shown;
  } else if (before >= size) {
    shown += std::string(static_cast<std::size_t>(before - size), '0');
  } else {
    shown.insert(static_cast<std::size_t>(before), 1, '.');
  }
  return fmt::format("{}{} {}", value < 0 ? "-" : "", shown, best->name);
}

// `amount` as a decimal multiple of `unit` with at most three digits behind the point. Empty if such a number
// would not be exact, or if it is not in [1, 1024).
std::string in_unit(std::int64_t amount, std::int64_t unit) {
  if (amount < unit || amount / unit >= 1024) return "";
  const std::int64_t rest = amount % unit;
  std::int64_t thousandths = 0;
  if (__builtin_mul_overflow(rest, 1000, &thousandths) || thousandths % unit != 0) return "";
  std::string text = std::to_string(amount / unit);
  if (rest == 0) return text;
  std::string fraction = fmt::format(".{:03}", thousandths / unit);
  while (fraction.back() == '0') fraction.pop_back();
  return text + fraction;
}

}  // namespace

template <class Kind>
std::string unit_remedy() {
  const std::vector<std::string_view> names = unit_names<Kind>();
  return fmt::format("{} are written with a unit, as in \"{}\"; {}", Units<Kind>::what, Units<Kind>::example,
                     list_known(names));
}

template <class Kind>
Parsed<Kind> try_parse(std::string_view text) {
  Parsed<Kind> parsed;
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  const std::optional<Decimal> number = take_number(rest);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!number) {
    parsed.fact = fmt::format("\"{}\" is not a number with a unit", text);
    parsed.remedy = unit_remedy<Kind>();
    return parsed;
  }
  if (rest.empty()) {
    parsed.fact = fmt::format("\"{}\" has no unit", text);
    parsed.remedy = unit_remedy<Kind>();
    return parsed;
  }
  const Unit* unit = find_unit<Kind>(rest);
  if (unit == nullptr) {
    refuse_unit(text, rest, parsed);
    return parsed;
  }
  if (is_negative) {
    parsed.fact = fmt::format("\"{}\" is negative", text);
    parsed.remedy = "remove the sign";
    return parsed;
  }
  decltype(Kind{}.count()) value{};
  switch (convert(*number, *unit, value)) {
    case Fault::none:
      parsed.value = Kind(value);
      break;
    case Fault::too_large:
      parsed.fact = fmt::format("\"{}\" is too large", text);
      break;
    case Fault::not_whole:
      parsed.fact = fmt::format("\"{}\" is not a whole number of bytes", text);
      break;
  }
  return parsed;
}

std::string print(Bytes quantity) {
  const std::int64_t amount = quantity.count();
  const std::string plain = fmt::format("{} B", amount);
  if (amount < 0) return amount == std::numeric_limits<std::int64_t>::min() ? plain : "-" + print(-quantity);
  std::string best;
  for (const Unit& unit : Units<Bytes>::known) {
    std::int64_t size = std::int64_t{1} << unit.binary;
    for (int i = 0; i < unit.decimal; ++i) size *= 10;
    const std::string number = in_unit(amount, size);
    // Among texts of equal length the last unit of the table is chosen, which prefers binary and large units.
    const std::string text = fmt::format("{} {}", number, unit.name);
    if (!number.empty() && (best.empty() || text.size() <= best.size())) best = text;
  }
  return best.empty() ? plain : best;
}

std::string print(Seconds quantity) { return print_double<Seconds>(quantity.count()); }
std::string print(Flops quantity) { return print_double<Flops>(quantity.count()); }
std::string print(BytesPerSecond quantity) { return print_double<BytesPerSecond>(quantity.count()); }
std::string print(FlopsPerSecond quantity) { return print_double<FlopsPerSecond>(quantity.count()); }
std::string print(Watts quantity) { return print_double<Watts>(quantity.count()); }

template <class Kind, class Number>
std::ostream& operator<<(std::ostream& out, Quantity<Kind, Number> quantity) {
  return out << print(quantity);
}

#define WT_INSTANTIATE(Kind)                               \
  template std::string unit_remedy<Kind>();                \
  template Parsed<Kind> try_parse<Kind>(std::string_view); \
  template std::ostream& operator<<(std::ostream&, Kind);
WT_INSTANTIATE(Bytes)
WT_INSTANTIATE(Seconds)
WT_INSTANTIATE(Flops)
WT_INSTANTIATE(BytesPerSecond)
WT_INSTANTIATE(FlopsPerSecond)
WT_INSTANTIATE(Watts)
#undef WT_INSTANTIATE

}  // namespace wt
