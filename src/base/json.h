#pragma once
// JSON whose every value and key knows its place, so that errors can point at it. // and /* */ comments are
// accepted. Read objects with json_reader.h, write text with json_writer.h.

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

// Deeper nesting is refused: no honest input has it, and everything that walks a tree may recurse.
inline constexpr int deepest_nesting = 200;

// The text of a file, and where its lines begin.
class Source {
 public:
  // A byte order mark is dropped.
  Source(std::string file, std::string text);
  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  // Bytes [offset, offset + length); a place is on one line, so the length is cut at its end.
  Place place(std::size_t offset, std::size_t length) const;

 private:
  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

// A stretch of the source, in bytes. Of arrays and objects only the opening bracket.
struct Extent {
  std::size_t offset{0};
  std::size_t length{0};
};

enum class Kind { null, boolean, integer, real, string, array, object };

std::string_view describe(Kind kind);  // "a list", "true or false"

struct Member;

// Immutable. Copies of an array or object copy the whole tree.
class Value {
 public:
  using Elements = std::vector<Value>;
  using Members = std::vector<Member>;

  Kind kind() const { return static_cast<Kind>(content_.index()); }
  Place place() const { return source_->place(extent_.offset, extent_.length); }
  std::string_view text() const {
    return source_->text().substr(extent_.offset, extent_.length);
  }  // as written

  // Requires: the value is of that kind.
  bool boolean() const { return get<bool>(); }
  std::int64_t integer() const { return get<std::int64_t>(); }
  double real() const { return get<double>(); }
  const std::string& string() const { return get<std::string>(); }
  const Elements& elements() const { return get<Elements>(); }
  const Members& members() const { return get<Members>(); }  // in the order of the file, keys unique

  const Value* find(std::string_view key) const;  // nullptr when the object has no such key

 private:
  friend class TreeBuilder;
  friend Value replaced(const Value& tree, std::span<const std::string> path, const Value& value);
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

struct Member {
  std::string key{};
  Place key_place() const { return source->place(extent.offset, extent.length); }

  Extent extent{};
  std::shared_ptr<const Source> source{};
  Value value;
};

// Throws InputError with every problem that could be found: a syntax error ends the search, duplicate keys
// and numbers out of range don't. The JSON begins at byte `begin`: what stands before is shown with places
// only, as in the "seed=" of `--set seed=3`.
Value parse(std::string text, std::string file, std::size_t begin = 0);
Value parse_file(const std::filesystem::path& path, const Place& named_at = {});

// The tree with another value at {"model", "layers", "0"}: keys of objects, numbers in lists. Objects that
// are missing on the way are made, and stand where `value` stands. Throws InputError at `value` where there
// is no way: a list that is too short, a number that should be an object.
Value replaced(const Value& tree, std::span<const std::string> path, const Value& value);

}  // namespace wt::json
