#pragma once
// An axis of a sweep: the values that one key of the scenario takes, or several keys together.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wt::sweep {

// A value of one key. `text` is what tables show: `dgx_a100`, `64`, `{"type":"mirrored"}`.
struct Setting {
  std::string text{};
  json::Value value;
};

struct Axis {
  std::vector<std::string> keys{};               // as the user wrote them: "machines", "training.epochs"
  std::vector<std::vector<Setting>> settings{};  // of each key; all have the same length
  std::size_t size() const { return settings.front().size(); }
};

// The most values of an axis, and the most points of a sweep.
inline constexpr std::size_t most_values = 100'000;
inline constexpr std::int64_t most_points = 10'000'000;

// The settings that a value in a file, or a text on the command line, stands for:
//
//   "1..64x2"   1, 2, 4, ..., 64        [32, 64, "128..512x2"]   lists, which may contain ranges
//   "1..7+2"    1, 3, 5, 7              null                     removes the key
//   "1..4"      1, 2, 3, 4
//
// A range ends with the last value that does not exceed its end. Adds a problem, and returns what is right, for
// a range without values or with too many.
std::vector<Setting> settings_of(const json::Value& value, Problems& problems);

// An axis as the command line has it: "machines=1..64x2", "platform=dgx_a100,aws_p5", and keys that vary
// together "batch=64,128 and training.precision=float32,tf32". Commas inside of brackets and quotation marks
// belong to a value.
Axis axis_of(const std::string& text, Problems& problems);

// Reports keys that vary together and have different numbers of values, and keys without values.
void check(const Axis& axis, const Place& place, Problems& problems);

}  // namespace wt::sweep
