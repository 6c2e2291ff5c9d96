#include "base/error.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <tuple>

#include "base/utf8.h"

namespace wt {
namespace {

// Lines of generated files can be very long. Of a longer line than this, only the part around the place is
// shown.
constexpr std::size_t widest_line = 160;
constexpr std::size_t shown_before = 59;

// A generated file can contain a million errors. The first ones are printed, and the rest is counted.
constexpr std::size_t most_printed = 50;

std::size_t bytes_of_characters(std::string_view text, std::size_t characters) {
  std::size_t position = 0;
  for (; characters > 0 && position < text.size(); --characters) {
    position += std::max<std::size_t>(1, utf8_length(text, position));
  }
  return position;
}

// The part of a line that a message shows, and the place in it.
struct Excerpt {
  std::string_view text{};
  std::size_t marked{0};  // the byte at which the place begins
  bool has_before{false};
  bool has_after{false};
};

// The whole line, or the part around the place if the line is long. Only that part is looked at, since a line
// may have many megabytes.
Excerpt excerpt(const Place& place) {
  constexpr std::size_t bytes_per_character = 4;  // at most
  const std::string_view line = place.source_line.view();
  const std::size_t marked = place.source_line.marked(place.column);
  std::size_t begin = marked - std::min(marked, shown_before * bytes_per_character);
  while (begin < marked && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) ++begin;
  const std::string_view near = line.substr(begin, (marked - begin) + widest_line * bytes_per_character);
  if (near.size() == line.size() && count_characters(line) <= widest_line)
    return {line, marked, false, false};

  const std::size_t before = count_characters(line.substr(begin, marked - begin));
  begin += before > shown_before ? bytes_of_characters(near, before - shown_before) : 0;
  const std::size_t size = bytes_of_characters(line.substr(begin), widest_line);
  return {line.substr(begin, size), marked - begin, begin > 0, begin + size < line.size()};
}

// The source line, and a second line with a caret under `column`. Tabs are repeated in the second line, so
// that the caret stands at the right place for every tab width.
std::string print_source(const Place& place) {
  const Excerpt shown = excerpt(place);
  const std::string line = fmt::format("{}{}{}", shown.has_before ? "..." : "", printable(shown.text),
                                       shown.has_after ? "..." : "");
  std::string below(shown.has_before ? 3 : 0, ' ');
  for (char letter : shown.text.substr(0, shown.marked)) {
    const bool continues = (static_cast<unsigned char>(letter) & 0xC0) == 0x80;
    if (!continues) below += letter == '\t' ? '\t' : ' ';
  }
  const std::size_t characters = count_characters(line);
  const std::size_t room = std::max<std::size_t>(1, characters - std::min(characters, below.size()));
  const auto marked = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(place.length, 1)), 1, room);
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

SourceLine::SourceLine(std::string line)
    : text_(std::make_shared<const std::string>(std::move(line))), end_(text_->size()) {}

SourceLine::SourceLine(std::string_view line) : SourceLine(std::string(line)) {}

SourceLine::SourceLine(std::shared_ptr<const std::string> text, std::size_t begin, std::size_t end,
                       std::size_t marked)
    : text_(std::move(text)), begin_(begin), end_(end), marked_(marked) {}

std::string_view SourceLine::view() const {
  return text_ == nullptr ? std::string_view() : std::string_view(*text_).substr(begin_, end_ - begin_);
}

std::size_t SourceLine::marked(int column) const {
  const std::string_view line = view();
  if (marked_ != std::string_view::npos) return std::min(marked_ - begin_, line.size());
  return bytes_of_characters(line, static_cast<std::size_t>(std::max(column, 1)) - 1);
}

std::ostream& operator<<(std::ostream& out, const SourceLine& line) { return out << line.view(); }

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
