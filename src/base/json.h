#pragma once
// JSON as an immutable tree in which every value and every key keeps its place in the file, so that an error
// that is found much later can still point at it. Comments (`//` and `/* */`) are accepted.
//
//   const Value tree = parse_file("scenario.json");
//   if (const Value* epochs = tree.find("epochs")) problems.add(epochs->place(), "...");
//
// Most code reads objects through json_reader.h, which checks types, ranges and unknown keys. json_writer.h
// writes JSON.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace wt::json {

// The parser rejects lists and objects that are nested deeper than this. Functions that walk a tree may
// therefore be recursive without a risk for the stack.
inline constexpr int deepest_nesting = 200;

// A larger text is refused. Its tree takes about twenty times as much memory, and lines and columns are ints.
inline constexpr std::size_t largest_text = 256'000'000;

// The text of a file, and the offsets at which its lines begin. All values of a tree share one Source.
class Source {
 public:
  // Removes a UTF-8 byte order mark from the beginning of the text. Throws InputError if the text is larger
  // than `largest_text`.
  Source(std::string file, std::string text);
  const std::string& file() const { return file_; }
  std::string_view text() const { return *text_; }
  // The place of the bytes [offset, offset + length). A place lies on one line, so the part behind that line
  // is left out.
  Place place(std::size_t offset, std::size_t length) const;

 private:
  std::size_t characters_before(std::size_t offset) const;

  std::string file_;
  std::shared_ptr<const std::string> text_;  // shared with the places in it
  std::vector<std::size_t> line_starts_;
  // The characters before every 1024th byte, because generated files have one line of many megabytes.
  std::vector<std::size_t> characters_before_;
};

// A range of bytes in the source. The extent of an array or an object covers its opening bracket only.
struct Extent {
  std::size_t offset{0};
  std::size_t length{0};
};

enum class Kind { null, boolean, integer, real, string, array, object };

std::string_view describe(Kind kind);  // for messages: "a list", "true or false"

struct Member;

// A JSON value. It is immutable. Copying an array or an object copies everything that it contains.
class Value {
 public:
  using Elements = std::vector<Value>;
  using Members = std::vector<Member>;

  Kind kind() const { return static_cast<Kind>(content_.index()); }
  Place place() const { return source_->place(extent_.offset, extent_.length); }
  // The text of the value as it is written in the file. For arrays and objects it is the opening bracket.
  std::string_view text() const { return source_->text().substr(extent_.offset, extent_.length); }

  // Requires: the value is of the kind that the name of the function states.
  bool boolean() const { return get<bool>(); }
  std::int64_t integer() const { return get<std::int64_t>(); }
  double real() const { return get<double>(); }
  const std::string& string() const { return get<std::string>(); }
  const Elements& elements() const { return get<Elements>(); }
  const Members& members() const { return get<Members>(); }  // in the order of the file; keys are unique

  const Value* find(std::string_view key) const;  // nullptr if the object has no such key

 private:
  friend class TreeBuilder;
  friend Value replaced(const Value& tree, std::span<const std::string> path, const Value& value);
  friend Value removed(const Value& tree, std::span<const std::string> path, const Place& named_at);
  friend Value object_of(std::string key, const Value& value);
  friend Value text_at(const Value& value, std::string_view text);
  using Content = std::variant<std::monostate, bool, std::int64_t, double, std::string, Elements, Members>;

  Value(std::shared_ptr<const Source> source, Extent extent, Content content);
  template <class T>
  const T& get() const {
    const T* found = std::get_if<T>(&content_);
    WT_EXPECT(found != nullptr, "the value is {}", describe(kind()));
    return *found;
  }

  std::shared_ptr<const Source> source_;
  Extent extent_;
  Content content_;
};

// A key of an object, its place and its value.
struct Member {
  std::string key{};
  Place key_place() const { return source->place(extent.offset, extent.length); }

  Extent extent{};
  std::shared_ptr<const Source> source{};
  Value value;
};

// Parses the text from byte `begin` on. The bytes before `begin` are not parsed, but they appear in error
// messages, like "seed=" in `--set seed=3`. Throws InputError with all problems: duplicate keys and numbers
// that are too large are collected, and the first syntax error ends the search.
Value parse(std::string text, std::string file, std::size_t begin = 0);
Value parse_file(const std::filesystem::path& path, const Place& named_at = {});

// Values that stand for another one, at its place: an object with the value as its only member, and a text.
Value object_of(std::string key, const Value& value);
Value text_at(const Value& value, std::string_view text);

// A copy of the tree with another value at `path`, for example {"model", "layers", "0"}. A step of the path
// is the key of an object or the index of a list entry. Objects that are missing along the path are created,
// and get the place of `value`. Throws InputError at the place of `value` if the path leads into a list that
// is too short or into a value that is neither a list nor an object.
Value replaced(const Value& tree, std::span<const std::string> path, const Value& value);

// A copy of the tree without the key at `path`. A key that is absent is no error. Throws InputError at
// `named_at` for an entry of a list, since that would renumber the others.
Value removed(const Value& tree, std::span<const std::string> path, const Place& named_at);

}  // namespace wt::json
