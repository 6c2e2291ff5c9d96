#pragma once
// Python's text: expressions that are broken into lines where they are long, and lines with their indentation.
//
//   Expression adam = call("tf.keras.optimizers.Adam").with("learning_rate", literal(0.001));
//   Lines lines;
//   lines.assign("optimizer", adam);  // optimizer = tf.keras.optimizers.Adam(learning_rate=0.001)

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tensor/shape.h"

namespace wt::tensorflow {

// An expression of Python: a text, or brackets around further expressions.
class Expression {
 public:
  Expression(std::string text) : open_(std::move(text)) {}
  Expression(const char* text) : open_(text) {}
  // Brackets with their content. Python writes a comma behind the only entry of a tuple.
  static Expression brackets(std::string open, std::string close, std::vector<Expression> content = {},
                             bool is_tuple = false);

  // Adds an argument to a call, or an entry to a list. Requires: the expression has brackets.
  Expression& with(Expression value) &;
  Expression& with(std::string_view keyword, const Expression& value) &;
  Expression with(Expression value) && { return std::move(with(std::move(value))); }
  Expression with(std::string_view keyword, const Expression& value) && {
    return std::move(with(keyword, value));
  }
  Expression after(std::string_view text) const;  // with a text before the expression
  // With a text behind the expression: `[0]`.
  Expression followed_by(std::string_view text) const;

  bool has_content() const { return !content_.empty(); }

  // The text, on one line if it fits behind so many columns, with `before` in front of it. Otherwise each entry of the
  // brackets has a line of its own, indented by four spaces more than `indent`.
  std::string print(std::size_t indent, std::string_view before = {}, std::string_view after = {}) const;

 private:
  std::string on_one_line() const;

  std::string open_{};
  std::string close_{};
  std::vector<Expression> content_{};
  bool is_tuple_ = false;
};

Expression call(std::string_view function);  // function()
Expression list(std::vector<Expression> entries);
Expression tuple(std::vector<Expression> entries);

std::string literal(std::string_view text);  // 'text'
inline std::string literal(const std::string& text) { return literal(std::string_view(text)); }
inline std::string literal(const char* text) { return literal(std::string_view(text)); }
std::string literal(double number);
std::string literal(std::int64_t number);
std::string literal(bool flag);
Expression literal(const json::Value& value);  // None, a list, a dictionary
Expression extents_of(const Shape& shape);     // (28, 28, 1), with None where an extent is open

// A name for a variable of the program that nothing else in it has. `taken` grows by the name.
std::string variable_name(std::string_view wish, std::vector<std::string>& taken);

// The lines of a program.
class Lines {
 public:
  // Adds a line, or several, at the current indentation.
  Lines& add(std::string_view lines);
  Lines& assign(std::string_view name, const Expression& value);
  Lines& state(const Expression& expression, std::string_view before = {}, std::string_view after = {});
  Lines& comment(std::string_view sentence);  // broken into lines of comments
  Lines& blank();
  Lines& append(const Lines& other);  // at the current indentation

  // What `write` adds is indented by four spaces more.
  template <class Write>
  Lines& indented(Write write) {
    indent_ += 4;
    write();
    indent_ -= 4;
    return *this;
  }

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_{};
  std::size_t indent_ = 0;
};

// The text in lines of at most so many columns, each with `prefix` before it.
std::string wrapped(std::string_view text, std::string_view prefix, std::size_t columns);

}  // namespace wt::tensorflow
