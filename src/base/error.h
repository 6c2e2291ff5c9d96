#pragma once
// base/ is what every other folder stands on: errors that know their place, quantities with units, JSON with
// positions, seeded randomness, files, messages. It refuses to know tensors, devices, clusters or time.
// Read next: quantity.h, then json.h.
//
// Three kinds of trouble, never mixed: the user's input is wrong (InputError, exit 2), we are wrong
// (`WT_EXPECT`, InternalError, exit 3), the machine at hand fails (MachineError). What goes wrong in the
// simulated world is a result and no exception.

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wt {

// Where something stands in the user's input. line 0: the file as a whole. file "": no file at all, a command
// line. Columns and length count characters, not bytes.
struct Place {
  std::string file{};
  int line{0};
  int column{0};
  std::string source_line{};
  int length{1};
};

// What is wrong and what would mend it. The fact is a sentence without full stop; the remedy may be empty.
struct Problem {
  Place place{};
  std::string fact{};
  std::string remedy{};
};

//   scenarios/x.json:14:17: "mirored" is not a strategy
//     14 |     "strategy": "mirored",
//        |                 ^~~~~~~~~
//   did you mean "mirrored"? known: ...
std::string print(const Problem& problem);

// The user's input is wrong. Carries all problems that were found, sorted by place; what() prints them.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem);
  explicit InputError(std::string fact, std::string remedy = {});  // of a call, which has no place in a file
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// Collects problems, so that a user sees all of them at once.
class Problems {
 public:
  void add(Problem problem) { found_.push_back(std::move(problem)); }
  void add(Place place, std::string fact, std::string remedy = {});
  bool any() const { return !found_.empty(); }
  const std::vector<Problem>& found() const { return found_; }
  void throw_if_any() const;

 private:
  std::vector<Problem> found_{};
};

// The machine's own trouble: disk full, no permission, no device.
//   [write] out/x.json: No space left on device; free some or choose another folder with --out
class MachineError : public std::runtime_error {
 public:
  MachineError(std::string_view operation, std::string_view text);
};

// We are wrong: no input should lead here.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_expectation(const char* file, int line, const char* condition,
                                   const std::string& details);

// `WT_EXPECT(left == right, "row {} of {}", row, table)` or `WT_EXPECT(left == right, left, right)`.
template <class... Values>
std::string describe_values(const char*, fmt::format_string<const Values&...> text, const Values&... values) {
  return fmt::format(text, values...);
}

template <class First, class... Rest>
requires(!std::is_convertible_v<const First&, std::string_view>) std::string
    describe_values(const char* names, const First& first, const Rest&... rest) {
  std::string text = fmt::format("{} = {}", names, first);
  (text.append(fmt::format(", {}", rest)), ...);
  return text;
}

}  // namespace wt

// On in release builds too. A macro, because only a macro can show the condition as it was written; the
// message and its values are evaluated only when the condition is false.
#define WT_EXPECT(condition, ...)                                       \
  ((condition) ? static_cast<void>(0)                                   \
               : ::wt::fail_expectation(__FILE__, __LINE__, #condition, \
                                        ::wt::describe_values(#__VA_ARGS__, __VA_ARGS__)))
