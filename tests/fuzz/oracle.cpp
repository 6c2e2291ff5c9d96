#include "fuzz/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace wt::fuzz {

namespace {

// "nan" is part of words such as "finance". A figure stands between characters of other kinds.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

// What the input has may be printed again, and a message shows a part of a long line, which may begin within a word.
std::string fault_in_figures(std::string_view printed, std::string_view input) {
  constexpr std::array<std::string_view, 4> words{"nan", "NaN", "inf", "Infinity"};
  const auto found = std::ranges::find_if(words, [&](std::string_view word) {
    return has_word(printed, word) && input.find(word) == std::string_view::npos;
  });
  return found == words.end() ? "" : fmt::format("\"{}\" is printed: {}", *found, printed);
}

}  // namespace

std::string fault_of(const Target& target, const std::string& bytes) {
  try {
    return fault_in_figures(target.take(Input(bytes)), bytes);
  } catch (const InputError&) {
    return {};
  } catch (const std::exception& error) {
    return fmt::format("an exception that is no InputError: {}", error.what());
  }
}

}  // namespace wt::fuzz
