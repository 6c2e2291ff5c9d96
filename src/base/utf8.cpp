#include "base/utf8.h"

namespace wt {

std::size_t utf8_length(std::string_view text, std::size_t position) {
  auto byte = [&](std::size_t offset) -> unsigned {
    return position + offset < text.size() ? static_cast<unsigned char>(text[position + offset]) : 0U;
  };
  auto follows = [&](std::size_t offset, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(offset) >= low && byte(offset) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = utf8_length(text, position);
    if (length == 0) return position;
    position += length;
  }
  return std::string_view::npos;
}

std::size_t count_characters(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t position = 0; position < text.size(); ++characters) {
    const std::size_t length = utf8_length(text, position);
    position += length == 0 ? 1 : length;
  }
  return characters;
}

char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7FU >> character.size());
  for (const char next : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  return code;
}

bool is_control(char32_t character) {
  struct Range {
    char32_t first, last;
  };
  // Unicode's general categories Cc, Zl and Zp, and its Bidi_Control characters.
  constexpr Range ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
                              {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
  for (const Range& range : ranges)
    if (character >= range.first && character <= range.last) return true;
  return false;
}

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = utf8_length(text, position);
    const std::string_view character = text.substr(position, length);
    if (length == 0 || (is_control(code_point(character)) && character != "\t")) {
      safe += '?';
    } else {
      safe += character;
    }
    position += length == 0 ? 1 : length;
  }
  return safe;
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  for (;;) {
    const std::size_t end = text.find('\n');
    safe += printable(text.substr(0, end));
    if (end == std::string_view::npos) return safe;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace wt
