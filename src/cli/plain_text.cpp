#include "cli/plain_text.h"

#include <unistd.h>

#include <iostream>
#include <string_view>

#include "base/utf8.h"

namespace wt::cli {

PlainText::~PlainText() { pass_line(); }

PlainText::int_type PlainText::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  const char one = traits_type::to_char_type(letter);
  return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize PlainText::xsputn(const char* text, std::streamsize size) {
  std::string_view rest(text, static_cast<std::size_t>(size));
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    line_ += rest.substr(0, end);
    pass_line();
    to_ << '\n';
    rest.remove_prefix(end + 1);
  }
  line_ += rest;
  return to_ ? size : 0;
}

int PlainText::sync() {
  pass_line();
  to_.flush();
  return to_ ? 0 : -1;
}

void PlainText::pass_line() {
  to_ << printable(line_);
  line_.clear();
}

std::ostream* terminal_below(std::ostream& messages) {
  auto* const plain = dynamic_cast<PlainText*>(messages.rdbuf());
  std::ostream& below = plain == nullptr ? messages : plain->to();
  return &below == &std::cerr && ::isatty(STDERR_FILENO) == 1 ? &below : nullptr;
}

}  // namespace wt::cli
