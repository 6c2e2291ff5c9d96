// Parses JSON text into a tree of values with positions. The parser of nlohmann/json, which is included in
// this file only, checks the grammar and decodes strings and numbers. Version 3.11 of it reports events
// without positions. Cursor therefore follows the events through the text: between two events there are only
// white space, comments, commas and colons.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "base/free_memory.h"
#include "base/json.h"
#include "base/narrow.h"
#include "base/utf8.h"

namespace wt::json {

// Walks through the text in step with the parser's events.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  // Moves past the next token that is neither a comma nor a colon, and returns its extent. Requires: the text
  // is valid up to the end of that token.
  Extent next() {
    skip(text_.size());
    const std::size_t start = at_;
    at_ = token_end(start);
    return {start, at_ - start};
  }

  // The extent of the token that ends at `limit`, where the parser stopped with an error.
  Extent offending(std::size_t limit) {
    skip(limit);
    return {at_, std::max<std::size_t>(1, limit > at_ ? limit - at_ : 1)};
  }

  // The last character before `offset` that is not white space; '\0' if there is none.
  char before(std::size_t offset) const {
    while (offset > 0 && is_space(text_[offset - 1])) --offset;
    return offset > 0 ? text_[offset - 1] : '\0';
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip(std::size_t limit) {
    while (at_ < limit) {
      const char c = text_[at_];
      const bool is_separator = (c == ',' || c == ':') && at_ + 1 < limit;
      if (is_space(c) || is_separator) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find_first_of("\r\n", at_), limit);
      } else if (text_.substr(at_, 2) == "/*" && text_.find("*/", at_ + 2) < limit) {
        at_ = text_.find("*/", at_ + 2) + 2;
      } else {
        return;
      }
    }
  }

  std::size_t token_end(std::size_t at) const {
    if (at >= text_.size()) return at;
    if (text_[at] == '"') {
      for (++at; at < text_.size() && text_[at] != '"'; ++at) {
        if (text_[at] == '\\') ++at;
      }
      return std::min(at + 1, text_.size());
    }
    if (std::string_view("{}[],:").find(text_[at]) != std::string_view::npos) return at + 1;
    return std::min(text_.find_first_of(" \t\r\n,:]}/", at), text_.size());
  }

  std::string_view text_;
  std::size_t at_;
};

// Receives the events of nlohmann's parser and builds the tree. The names of the public functions are
// prescribed by its SAX interface.
class TreeBuilder {
 public:
  TreeBuilder(std::shared_ptr<const Source> source, std::size_t begin, Problems& problems)
      : source_(std::move(source)), begin_(begin), cursor_(source_->text(), begin), problems_(problems) {}

  Value take() {
    WT_EXPECT(root_.size() == 1, root_.size());
    return std::move(root_.front());
  }

  bool null() { return add(cursor_.next(), std::monostate{}); }
  bool boolean(bool value) { return add(cursor_.next(), value); }
  bool number_integer(std::int64_t value) { return add(cursor_.next(), value); }
  bool number_unsigned(std::uint64_t value) {
    const Extent extent = cursor_.next();
    if (!std::in_range<std::int64_t>(value)) refuse_integer(extent);
    return add(extent, std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : 0);
  }
  bool number_float(double value, const std::string& text) {
    const Extent extent = cursor_.next();
    // The parser reports integers that don't fit into 64 bits as floating-point numbers.
    if (text.find_first_of(".eE") == std::string::npos) refuse_integer(extent);
    return add(extent, value);
  }
  bool string(std::string& value) { return add(cursor_.next(), std::move(value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Value::Members{}); }
  bool start_array(std::size_t) { return open(Value::Elements{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    frame.key_extent = cursor_.next();
    const auto [found, is_new] = frame.seen.try_emplace(name, frame.key_extent);
    if (!is_new) {
      const Place first = source_->place(found->second.offset, found->second.length);
      problems_.add(source_->place(frame.key_extent.offset, frame.key_extent.length),
                    fmt::format("\"{}\" appears twice in this object", printable(name)),
                    fmt::format("the first is at {}:{}", first.line, first.column));
    }
    frame.key = std::move(name);
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    const std::string_view text = source_->text();
    const Extent extent = cursor_.offending(std::min(begin_ + position, text.size()));
    Problem problem;
    problem.place = source_->place(extent.offset, extent.length);
    explain(error.what(), extent, problem);
    problems_.add(std::move(problem));
    return false;
  }

 private:
  struct Frame {
    Value container;
    std::string key{};
    Extent key_extent{};
    // Only looked up and never iterated, so that its order has no effect.
    std::unordered_map<std::string, Extent> seen{};
  };

  bool add(Extent extent, Value::Content content) {
    append(Value(source_, extent, std::move(content)));
    return true;
  }

  void append(Value value) {
    if (frames_.empty()) {
      root_.push_back(std::move(value));
      return;
    }
    Frame& frame = frames_.back();
    if (auto* elements = std::get_if<Value::Elements>(&frame.container.content_)) {
      elements->push_back(std::move(value));
    } else {
      auto& members = std::get<Value::Members>(frame.container.content_);
      members.push_back(Member{std::move(frame.key), frame.key_extent, source_, std::move(value)});
    }
  }

  bool open(Value::Content empty) {
    const Extent extent = cursor_.next();
    if (narrow<int>(frames_.size()) == deepest_nesting) {
      problems_.add(source_->place(extent.offset, 1),
                    fmt::format("lists and objects are nested deeper than {}", deepest_nesting));
      return false;
    }
    frames_.push_back(Frame{Value(source_, extent, std::move(empty))});
    return true;
  }

  bool close() {
    cursor_.next();
    Value closed = std::move(frames_.back().container);
    frames_.pop_back();
    append(std::move(closed));
    return true;
  }

  void refuse_integer(Extent extent) {
    problems_.add(source_->place(extent.offset, extent.length), "this whole number does not fit into 64 bits",
                  "the largest is 9223372036854775807");
  }

  // Frequent mistakes get a fact and a remedy of their own. For others, the fact is the last sentence of
  // nlohmann's text.
  void explain(std::string_view what, Extent extent, Problem& problem) const {
    const std::string_view text = source_->text();
    const char found = extent.offset < text.size() ? text[extent.offset] : '\0';
    const bool is_overflow = what.find("number overflow") != std::string_view::npos;
    if (is_overflow) {
      problem.fact = "this number is too large";
      problem.remedy = "the largest is about 1.8e308";
    } else if (extent.offset >= text.size()) {
      explain_end(problem);
    } else if ((found == '}' || found == ']') && cursor_.before(extent.offset) == ',') {
      problem.fact = fmt::format("there is a comma before \"{}\"", found);
      problem.remedy = "remove it: JSON allows no comma after the last entry";
    } else if (found == '\'') {
      problem.fact = "JSON strings are written in double quotes";
      problem.remedy = "write \"...\" instead of '...'";
    } else {
      const std::size_t dash = what.find(" - ");
      what = dash == std::string_view::npos ? what : what.substr(dash + 3);
      problem.fact = fmt::format("not valid JSON: {}", printable(what.substr(0, what.find("; last read"))));
    }
  }

  void explain_end(Problem& problem) const {
    if (frames_.empty()) {
      problem.fact = "expected a JSON value, found the end of the text";
      return;
    }
    const Value& open = frames_.back().container;
    const Place begin = open.place();
    problem.fact = fmt::format("the text ends inside {}", describe(open.kind()));
    problem.remedy = fmt::format("it was opened at {}:{}", begin.line, begin.column);
  }

  std::shared_ptr<const Source> source_;
  std::size_t begin_;
  Cursor cursor_;
  Problems& problems_;
  std::vector<Frame> frames_{};
  std::vector<Value> root_{};
};

namespace {

// Rejects NUL bytes, at which nlohmann's parser would stop without an error, and invalid UTF-8, which it
// would report late and, in comments, not at all.
void refuse_strange_bytes(const Source& source) {
  const std::size_t invalid = first_invalid_utf8(source.text());
  const std::size_t zero = source.text().find('\0');
  const std::size_t first = std::min(invalid, zero);
  if (first == std::string_view::npos) return;
  const auto byte = static_cast<unsigned char>(source.text()[first]);
  throw InputError(
      Problem{source.place(first, 1),
              byte == 0 ? "the file contains a NUL byte" : fmt::format("byte 0x{:02X} is not UTF-8", byte),
              byte == 0 ? "" : "save the file as UTF-8"});
}

// What a tree takes for each byte of its text, where the text is mostly short numbers and keys.
constexpr std::int64_t bytes_per_byte = 20;

}  // namespace

Value parse(std::string text, std::string file, std::size_t begin) {
  const auto source = std::make_shared<const Source>(std::move(file), std::move(text));
  require_memory(Bytes(source->text().size()) * bytes_per_byte,
                 fmt::format("reading \"{}\"", printable(source->file())), "name a smaller file");
  refuse_strange_bytes(*source);
  Problems problems;
  TreeBuilder builder(source, begin, problems);
  const std::string_view all = source->text().substr(begin);
  const bool is_read = nlohmann::json::sax_parse(all.data(), all.data() + all.size(), &builder,
                                                 nlohmann::json::input_format_t::json, true, true);
  problems.throw_if_any();
  WT_EXPECT(is_read, "{} was not read, without a reason", source->file());
  return builder.take();
}

}  // namespace wt::json
