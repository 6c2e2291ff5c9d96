#pragma once
// Writes JSON in the order of the calls. The same calls always give the same bytes, so results can be
// compared as files.
//
//   Writer writer;
//   writer.begin_object().member("steps", 3).key("losses").begin_array(Layout::one_line);
//   writer.value(0.5).value(0.25).end_array().end_object();
//   write_text("results.json", writer.text());
//
// Requires: brackets are nested correctly, doubles are finite, and text is UTF-8. InternalError otherwise.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wt::json {

// lines: one entry per line, indented by two spaces. one_line: `{"a": 1, "b": 2}`. compact: no white space at
// all.
enum class Layout { lines, one_line, compact };

std::string quote(std::string_view text);  // a JSON string, with the quotation marks
// The shortest text that parses back to the same double. It has a point or an exponent, so that it doesn't
// look like an integer.
std::string print_number(double value);

// Every call appends to the text. Calls return the writer, so that they can be chained.
class Writer {
 public:
  explicit Writer(Layout layout = Layout::lines) : layout_(layout) {}

  // The layout of what is inside the brackets. Inside brackets of layout one_line or compact, that layout
  // stays.
  Writer& begin_object(Layout layout = Layout::lines) { return begin('{', layout); }
  Writer& end_object() { return end('{', '}'); }
  Writer& begin_array(Layout layout = Layout::lines) { return begin('[', layout); }
  Writer& end_array() { return end('[', ']'); }

  Writer& key(std::string_view name);
  Writer& value(std::string_view text) { return raw(quote(text)); }
  Writer& value(const char* text) { return raw(quote(text)); }
  Writer& value(double number) { return raw(print_number(number)); }
  Writer& value(std::same_as<bool> auto flag) { return raw(flag ? "true" : "false"); }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Writer& value(Integer number) { return raw(std::to_string(number)); }
  Writer& null() { return raw("null"); }

  // A key and its value.
  template <class T>
  Writer& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // The whole text, with a final line break unless the layout is compact. Requires: all brackets are closed.
  std::string text() const;

 private:
  struct Open {
    char bracket{};
    Layout layout{};
    bool has_entries{false};
  };

  Writer& begin(char bracket, Layout layout);
  Writer& end(char bracket, char closing);
  Writer& raw(std::string_view text);
  void separate();
  void before_value();
  void break_line(std::size_t depth);

  Layout layout_;
  std::string text_{};
  std::vector<Open> open_{};
  bool has_key_ = false;
};

// Writes a value as it was parsed.
class Value;
void write_value(Writer& out, const Value& value);
std::string compact(const Value& value);  // on one line, without white space

}  // namespace wt::json
