#pragma once
// base/ holds what every other folder uses: errors that point at a place in the user's file, quantities with
// units, JSON that keeps positions, seeded random numbers, files, tables and log messages. It depends on no
// other folder and contains nothing about tensors, devices or time.
//
// An error is data first and text second. A Problem is a place, a fact and a remedy, and `print` renders it:
//
//   scenarios/x.json:14:17: unknown strategy "mirored"       <- place: fact
//     14 |     "strategy": "mirored",
//        |                 ^~~~~~~~~
//   did you mean "mirrored"? known: ...                      <- remedy
//
// There are three kinds of errors. InputError: the user's input is wrong, and the user can correct it (the
// program ends with exit code 2). MachineError: the computer that runs this program fails, for example
// because its disk is full (exit code 3). InternalError: this program is wrong (exit code 3). It is thrown by
// `WT_EXPECT`. A failure inside the simulated cluster, such as a device that runs out of memory, is a result
// and not an exception.
//
// Read next: quantity.h (units), then json.h and json_reader.h (input files).

#include <fmt/core.h>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wt {

// A line of the user's input. The lines of a file share its text and hold offsets into it, because generated
// files have a single line of many megabytes and a place for each of thousands of entries.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(std::string line);  // a line that shares nothing with another one
  SourceLine(std::string_view line);
  SourceLine(const char* line) : SourceLine(std::string_view(line)) {}
  // The bytes [begin, end) of `text`. `marked` is the offset in `text` at which the place begins.
  SourceLine(std::shared_ptr<const std::string> text, std::size_t begin, std::size_t end, std::size_t marked);

  std::string_view view() const;
  std::size_t marked(int column) const;  // the byte of the line at which the place in `column` begins
  friend bool operator==(const SourceLine& line, std::string_view text) { return line.view() == text; }
  friend std::ostream& operator<<(std::ostream& out, const SourceLine& line);

 private:
  std::shared_ptr<const std::string> text_{};
  std::size_t begin_{0};
  std::size_t end_{0};
  std::size_t marked_{std::string_view::npos};
};

// A position in the user's input, and the line that an error message shows. Line 0 means the file as a whole.
// An empty `file` means that the input is not a file, for example an argument of a function call. Lines and
// columns count from 1. `column` and `length` count characters, not bytes.
struct Place {
  std::string file{};
  int line{0};
  int column{0};
  SourceLine source_line{};
  int length{1};
};

// What is wrong, and how the user can correct it. `fact` is a statement without a full stop. `remedy` is an
// instruction or a list of legal values, and may be empty.
struct Problem {
  Place place{};
  std::string fact{};
  std::string remedy{};
};

// The text that is shown above, without a final line break. Parts that the problem doesn't have are left out.
std::string print(const Problem& problem);

// The user's input is wrong. The error carries all problems that were found, and what() prints them sorted by
// place.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem);
  explicit InputError(std::string fact, std::string remedy = {});  // for input that has no place in a file
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// Collects problems while a file is read, so that the user sees all of them at once and not one per attempt.
class Problems {
 public:
  void add(Problem problem) { found_.push_back(std::move(problem)); }
  void add(Place place, std::string fact, std::string remedy = {});
  bool any() const { return !found_.empty(); }
  const std::vector<Problem>& found() const { return found_; }
  void throw_if_any() const;  // throws one InputError with all problems

 private:
  std::vector<Problem> found_{};
};

// The computer that runs this program fails: the disk is full, a permission is missing, a GPU reports an
// error. `operation` is what the program was doing, and is printed in brackets:
//   [write] out/x.json: No space left on device; free some space or choose another folder
class MachineError : public std::runtime_error {
 public:
  MachineError(std::string_view operation, std::string_view text);
};

// This program is wrong: no input should cause this error. Use WT_EXPECT to throw it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_expectation(const char* file, int line, const char* condition,
                                   const std::string& details);

// The two forms of WT_EXPECT: a format string with values, `WT_EXPECT(left == right, "row {} of {}", row,
// table)`, and values alone, `WT_EXPECT(left == right, left, right)`. The second form prints the expressions
// before their values.
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

// Throws InternalError if the condition is false. It is active in release builds, too. It is a macro because
// only a macro can print the condition as it was written. The message and its values are evaluated only if
// the condition is false.
#define WT_EXPECT(condition, ...)                                       \
  ((condition) ? static_cast<void>(0)                                   \
               : ::wt::fail_expectation(__FILE__, __LINE__, #condition, \
                                        ::wt::describe_values(#__VA_ARGS__, __VA_ARGS__)))
