#include "tensorflow/python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "base/json_writer.h"

namespace wt::tensorflow {

namespace {

constexpr std::size_t columns = 100;

// Names that a variable of the program must not hide.
constexpr std::array reserved = {
    "False",    "None",   "True",  "and",  "as",     "assert",   "async",   "await", "break", "class",
    "continue", "def",    "del",   "elif", "else",   "except",   "finally", "for",   "from",  "global",
    "if",       "import", "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",  "raise",
    "return",   "try",    "while", "with", "yield",  "layers",   "model",   "np",    "os",    "tf"};

}  // namespace

// ---- Expressions

Expression Expression::brackets(std::string open, std::string close, std::vector<Expression> content,
                                bool is_tuple) {
  Expression expression(std::move(open));
  expression.close_ = std::move(close);
  expression.content_ = std::move(content);
  expression.is_tuple_ = is_tuple;
  return expression;
}

Expression& Expression::with(Expression value) & {
  WT_EXPECT(!close_.empty(), "{} takes no argument", open_);
  content_.push_back(std::move(value));
  return *this;
}

Expression& Expression::with(std::string_view keyword, const Expression& value) & {
  return with(value.after(fmt::format("{}=", keyword)));
}

Expression Expression::after(std::string_view text) const {
  Expression longer = *this;
  longer.open_.insert(0, text);
  return longer;
}

Expression Expression::followed_by(std::string_view text) const {
  Expression longer = *this;
  (longer.close_.empty() ? longer.open_ : longer.close_) += text;
  return longer;
}

std::string Expression::on_one_line() const {
  std::string text = open_;
  for (std::size_t i = 0; i < content_.size(); ++i) text += (i > 0 ? ", " : "") + content_[i].on_one_line();
  if (is_tuple_ && content_.size() == 1) text += ',';
  return text + close_;
}

std::string Expression::print(std::size_t indent, std::string_view before, std::string_view after) const {
  const std::string line =
      std::string(indent, ' ') + std::string(before) + on_one_line() + std::string(after);
  if (line.size() <= columns || content_.empty()) return line;
  std::string text = std::string(indent, ' ') + std::string(before) + open_ + "\n";
  for (const Expression& entry : content_) text += entry.print(indent + 4, "", ",") + "\n";
  return text + std::string(indent, ' ') + close_ + std::string(after);
}

Expression call(std::string_view function) { return Expression::brackets(std::string(function) + "(", ")"); }
Expression list(std::vector<Expression> entries) {
  return Expression::brackets("[", "]", std::move(entries));
}
Expression tuple(std::vector<Expression> entries) {
  return Expression::brackets("(", ")", std::move(entries), true);
}

// ---- Literals

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string literal(double number) { return json::print_number(number); }
std::string literal(std::int64_t number) { return std::to_string(number); }
std::string literal(bool flag) { return flag ? "True" : "False"; }

Expression literal(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return "None";
    case json::Kind::boolean:
      return literal(value.boolean());
    case json::Kind::integer:
      return literal(value.integer());
    case json::Kind::real:
      return literal(value.real());
    case json::Kind::string:
      return literal(value.string());
    case json::Kind::array: {
      Expression entries = list({});
      for (const json::Value& entry : value.elements()) entries.with(literal(entry));
      return entries;
    }
    case json::Kind::object:
      break;
  }
  Expression entries = Expression::brackets("{", "}");
  for (const json::Member& member : value.members())
    entries.with(literal(member.value).after(literal(member.key) + ": "));
  return entries;
}

Expression extents_of(const Shape& shape) {
  Expression extents = tuple({});
  for (const std::int64_t extent : shape) extents.with(extent > 0 ? literal(extent) : std::string("None"));
  return extents;
}

std::string variable_name(std::string_view wish, std::vector<std::string>& taken) {
  std::string name;
  for (const char c : wish) {
    const bool is_legal = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    name += is_legal ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
  if (std::ranges::find(reserved, name) != reserved.end()) name += '_';
  std::string unique = name;
  for (int number = 2; std::ranges::find(taken, unique) != taken.end(); ++number)
    unique = fmt::format("{}_{}", name, number);
  taken.push_back(unique);
  return unique;
}

// ---- Lines

Lines& Lines::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (!line.empty()) text_ += std::string(indent_, ' ') + std::string(line);
    text_ += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return *this;
}

Lines& Lines::assign(std::string_view name, const Expression& value) {
  return state(value, fmt::format("{} = ", name));
}

Lines& Lines::state(const Expression& expression, std::string_view before, std::string_view after) {
  text_ += expression.print(indent_, before, after) + "\n";
  return *this;
}

Lines& Lines::comment(std::string_view sentence) {
  text_ += wrapped(sentence, std::string(indent_, ' ') + "# ", columns);
  return *this;
}

Lines& Lines::blank() {
  text_ += '\n';
  return *this;
}

Lines& Lines::append(const Lines& other) { return add(other.text_); }

std::string wrapped(std::string_view text, std::string_view prefix, std::size_t width) {
  std::string lines, line;
  const auto end_line = [&] {
    if (!line.empty()) lines += std::string(prefix) + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && prefix.size() + line.size() + 1 + word.size() > width) end_line();
    line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  end_line();
  return lines;
}

}  // namespace wt::tensorflow
