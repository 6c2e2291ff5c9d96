#pragma once
// The parts of UTF-8 that error messages need: counting characters, and detecting bytes that are not UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace wt {

// The number of bytes of the character that starts at text[position], 1 to 4. It is 0 if the bytes are not
// valid UTF-8 by RFC 3629, which excludes overlong forms, surrogates and code points above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t position);

// The position of the first byte that is not part of a valid character, or npos if the whole text is valid.
std::size_t first_invalid_utf8(std::string_view text);

// The number of characters. Each invalid byte counts as one character.
std::size_t count_characters(std::string_view text);

// The code point of a character whose bytes utf8_length has found valid.
char32_t code_point(std::string_view character);

// Whether a character would change what is around it on a terminal: the control characters C0 (tabs are among
// them) and C1, the separators of lines and paragraphs, and the marks that change the direction of writing.
bool is_control(char32_t character);

// A copy of one line that is safe to print: control characters and invalid bytes become "?", and tabs stay.
// The number of characters doesn't change.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // of several lines, whose breaks stay

}  // namespace wt
