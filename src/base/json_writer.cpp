#include "base/json_writer.h"

#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace wt::json {

std::string quote(std::string_view text) {
  WT_EXPECT(first_invalid_utf8(text) == std::string_view::npos, "\"{}\" is not UTF-8", printable(text));
  std::string quoted = "\"";
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view character = text.substr(position, utf8_length(text, position));
    position += character.size();
    switch (character[0]) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default: {
        const char32_t code = code_point(character);
        quoted +=
            is_control(code) ? fmt::format("\\u{:04x}", static_cast<unsigned>(code)) : std::string(character);
      }
    }
  }
  return quoted + '"';
}

std::string print_number(double value) {
  WT_EXPECT(std::isfinite(value), value);
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void Writer::break_line(std::size_t depth) {
  text_ += '\n';
  text_.append(2 * depth, ' ');
}

// Writes the comma and the white space before an entry.
void Writer::separate() {
  Open& open = open_.back();
  if (open.has_entries) text_ += ',';
  if (open.layout == Layout::lines) break_line(open_.size());
  if (open.layout == Layout::one_line && open.has_entries) text_ += ' ';
  open.has_entries = true;
}

void Writer::before_value() {
  if (open_.empty()) {
    WT_EXPECT(text_.empty(), "a second value after {}", text_);
  } else if (open_.back().bracket == '{') {
    WT_EXPECT(has_key_, "a value without key after {}", text_);
    has_key_ = false;
  } else {
    separate();
  }
}

Writer& Writer::key(std::string_view name) {
  WT_EXPECT(!open_.empty() && open_.back().bracket == '{' && !has_key_, "key {} outside an object", name);
  separate();
  text_ += quote(name);
  text_ += open_.back().layout == Layout::compact ? ":" : ": ";
  has_key_ = true;
  return *this;
}

Writer& Writer::raw(std::string_view text) {
  before_value();
  text_ += text;
  return *this;
}

Writer& Writer::begin(char bracket, Layout layout) {
  before_value();
  const Layout outer = open_.empty() ? layout_ : open_.back().layout;
  open_.push_back({bracket, outer == Layout::lines ? layout : outer});
  text_ += bracket;
  return *this;
}

Writer& Writer::end(char bracket, char closing) {
  WT_EXPECT(!open_.empty() && open_.back().bracket == bracket && !has_key_, "{} closes nothing", closing);
  const Open last = open_.back();
  open_.pop_back();
  if (last.has_entries && last.layout == Layout::lines) break_line(open_.size());
  text_ += closing;
  return *this;
}

std::string Writer::text() const {
  WT_EXPECT(open_.empty() && !text_.empty(), "unfinished: {}", text_);
  return layout_ == Layout::compact ? text_ : text_ + '\n';
}

void write_value(Writer& out, const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      out.null();
      return;
    case Kind::boolean:
      out.value(value.boolean());
      return;
    case Kind::integer:
      out.value(value.integer());
      return;
    case Kind::real:
      out.value(value.real());
      return;
    case Kind::string:
      out.value(value.string());
      return;
    case Kind::array:
      out.begin_array(Layout::one_line);
      for (const Value& element : value.elements()) write_value(out, element);
      out.end_array();
      return;
    case Kind::object:
      out.begin_object();
      for (const Member& member : value.members()) write_value(out.key(member.key), member.value);
      out.end_object();
      return;
  }
}

std::string compact(const Value& value) {
  Writer out(Layout::compact);
  write_value(out, value);
  return out.text();
}

}  // namespace wt::json
