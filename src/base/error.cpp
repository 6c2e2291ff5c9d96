#include "base/error.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "base/utf8.h"

namespace wt {
namespace {

// Lines of generated files can be very long. Of a longer line than this, only the part around the place is
// shown.
constexpr std::size_t widest_line = 160;
constexpr std::size_t shown_before = 60;

// A generated file can contain a million errors. The first ones are printed, and the rest is counted.
constexpr std::size_t most_printed = 50;

std::size_t bytes_of_characters(std::string_view text, std::size_t characters) {
  std::size_t position = 0;
  for (; characters > 0 && position < text.size(); --characters) {
    position += std::max<std::size_t>(1, utf8_length(text, position));
  }
  return position;
}

// The source line, and a second line with a caret under `column`. Tabs are repeated in the second line, so
// that the caret stands at the right place for every tab width.
std::string print_source(const Place& place) {
  std::string line = printable(place.source_line);
  auto column = static_cast<std::size_t>(std::max(place.column, 1));
  std::size_t characters = count_characters(line);
  if (characters > widest_line) {
    const std::size_t skipped = column > shown_before ? column - shown_before : 0;
    const std::size_t start = bytes_of_characters(line, skipped);
    const std::size_t length = bytes_of_characters(std::string_view(line).substr(start), widest_line);
    const bool reaches_end = start + length >= line.size();
    line = (skipped > 0 ? "..." : "") + line.substr(start, length) + (reaches_end ? "" : "...");
    column -= skipped;
    column += skipped > 0 ? 3 : 0;
    characters = count_characters(line);
  }
  std::string below;
  for (char letter : line.substr(0, bytes_of_characters(line, column - 1))) {
    const bool continues = (static_cast<unsigned char>(letter) & 0xC0) == 0x80;
    if (!continues) below += letter == '\t' ? '\t' : ' ';
  }
  const std::size_t room = characters >= column ? characters - column + 1 : 1;
  const std::size_t marked =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(place.length, 1)), 1, room);
  below += '^' + std::string(marked - 1, '~');
  const std::string number = std::to_string(place.line);
  return fmt::format("  {} | {}\n  {} | {}\n", number, line, std::string(number.size(), ' '), below);
}

std::string print_all(const std::vector<Problem>& problems) {
  std::string text;
  for (std::size_t i = 0; i < problems.size() && i < most_printed; ++i) {
    text += (i > 0 ? "\n\n" : "") + print(problems[i]);
  }
  if (problems.size() > most_printed) {
    text += fmt::format("\n\n... and {} more problems", problems.size() - most_printed);
  }
  return text;
}

std::vector<Problem> sorted_by_place(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& left, const Problem& right) {
    return std::tie(left.place.file, left.place.line, left.place.column) <
           std::tie(right.place.file, right.place.line, right.place.column);
  });
  return problems;
}

}  // namespace

std::string print(const Problem& problem) {
  const Place& place = problem.place;
  std::string text = printable(place.file);
  if (place.line > 0) text += fmt::format("{}{}:{}", text.empty() ? "" : ":", place.line, place.column);
  text += fmt::format("{}{}\n", text.empty() ? "" : ": ", problem.fact);
  if (place.line > 0) text += print_source(place);
  text += problem.remedy;
  if (text.back() == '\n') text.pop_back();
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(print_all(sorted_by_place(problems))),
      problems_(sorted_by_place(std::move(problems))) {}

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::string fact, std::string remedy)
    : InputError(Problem{{}, std::move(fact), std::move(remedy)}) {}

void Problems::add(Place place, std::string fact, std::string remedy) {
  add(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

void Problems::throw_if_any() const {
  if (any()) throw InputError(found_);
}

MachineError::MachineError(std::string_view operation, std::string_view text)
    : std::runtime_error(fmt::format("[{}] {}", operation, text)) {}

void fail_expectation(const char* file, int line, const char* condition, const std::string& details) {
  throw InternalError(
      fmt::format("{}:{}: expected {}{}{}", file, line, condition, details.empty() ? "" : ": ", details));
}

}  // namespace wt
