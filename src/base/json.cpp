#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/narrow.h"
#include "base/utf8.h"

namespace wt::json {

namespace {

constexpr std::size_t bytes_per_mark = 1024;

std::string without_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

// Each byte that doesn't continue a character begins one. Bytes that are not UTF-8 are refused elsewhere.
std::size_t begun_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

Source::Source(std::string file, std::string text)
    : file_(std::move(file)),
      text_(std::make_shared<const std::string>(without_mark(std::move(text)))),
      line_starts_{0} {
  const std::string_view all = *text_;
  if (all.size() > largest_text) {
    throw InputError(Problem{{.file = file_},
                             fmt::format("the file has {} bytes", all.size()),
                             fmt::format("at most {} bytes are read", largest_text)});
  }
  std::size_t characters = 0;
  for (std::size_t i = 0; i < all.size(); i += bytes_per_mark) {
    characters_before_.push_back(characters);
    characters += begun_in(all.substr(i, bytes_per_mark));
  }
  characters_before_.push_back(characters);
  for (std::size_t i = all.find('\n'); i != std::string_view::npos; i = all.find('\n', i + 1)) {
    line_starts_.push_back(i + 1);
  }
}

std::size_t Source::characters_before(std::size_t offset) const {
  const std::size_t mark = offset / bytes_per_mark;
  return characters_before_[mark] + begun_in(text().substr(mark * bytes_per_mark, offset % bytes_per_mark));
}

Place Source::place(std::size_t offset, std::size_t length) const {
  const std::string_view all = *text_;
  offset = std::min(offset, all.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *std::prev(next);
  std::size_t end = next == line_starts_.end() ? all.size() : *next - 1;
  if (end > start && all[end - 1] == '\r') --end;
  offset = std::min(offset, end);
  const std::size_t characters =
      characters_before(offset + std::min(length, end - offset)) - characters_before(offset);
  return {.file = file_,
          .line = narrow<int>(next - line_starts_.begin()),
          .column = narrow<int>(characters_before(offset) - characters_before(start)) + 1,
          .source_line = SourceLine(text_, start, end, offset),
          .length = std::max(narrow<int>(characters), 1)};
}

std::string_view describe(Kind kind) {
  constexpr std::array<std::string_view, 7> names{"null",     "true or false", "a whole number", "a number",
                                                  "a string", "a list",        "an object"};
  return names[static_cast<std::size_t>(kind)];
}

Value::Value(std::shared_ptr<const Source> source, Extent extent, Content content)
    : source_(std::move(source)), extent_(extent), content_(std::move(content)) {}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

namespace {

// The number of an entry, as a path names it; empty if the list has no such entry.
std::optional<std::size_t> index_in(const Value::Elements& elements, const std::string& step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool is_number = error == std::errc{} && end == step.data() + step.size();
  return is_number && index < elements.size() ? std::optional(index) : std::nullopt;
}

}  // namespace

Value replaced(const Value& tree, std::span<const std::string> path, const Value& value) {
  if (path.empty()) return value;
  const std::string& step = path.front();
  Value changed = tree;
  if (auto* members = std::get_if<Value::Members>(&changed.content_)) {
    const auto is_it = [&](const Member& member) { return member.key == step; };
    auto found = std::find_if(members->begin(), members->end(), is_it);
    if (found == members->end()) {
      const Value none(value.source_, value.extent_, Value::Members{});
      found = members->insert(found, Member{step, value.extent_, value.source_, none});
    }
    // The value of a new key is an empty object, so the recursion creates the rest of the path.
    found->value = replaced(found->value, path.subspan(1), value);
    return changed;
  }
  auto* elements = std::get_if<Value::Elements>(&changed.content_);
  const auto index = elements == nullptr ? std::nullopt : index_in(*elements, step);
  if (!index) {
    const std::string what = elements == nullptr ? std::string(describe(tree.kind()))
                                                 : fmt::format("a list of {}", elements->size());
    throw InputError(
        Problem{value.place(), fmt::format("there is no \"{}\" in {}", printable(step), what),
                elements == nullptr ? "replace the whole value" : "entries of lists are counted from 0"});
  }
  (*elements)[*index] = replaced((*elements)[*index], path.subspan(1), value);
  return changed;
}

Value removed(const Value& tree, std::span<const std::string> path, const Place& named_at) {
  Value changed = tree;
  const bool is_last = path.size() == 1;
  if (auto* members = std::get_if<Value::Members>(&changed.content_)) {
    const auto found = std::ranges::find(*members, path.front(), &Member::key);
    if (found != members->end() && is_last) members->erase(found);
    if (found != members->end() && !is_last) found->value = removed(found->value, path.subspan(1), named_at);
  } else if (auto* elements = std::get_if<Value::Elements>(&changed.content_)) {
    const std::optional<std::size_t> index = index_in(*elements, path.front());
    if (index && is_last)
      throw InputError(Problem{named_at, "an entry of a list cannot be unset", "replace the whole list"});
    if (index) (*elements)[*index] = removed((*elements)[*index], path.subspan(1), named_at);
  }
  return changed;
}

Value object_of(std::string key, const Value& value) {
  Member member{std::move(key), value.extent_, value.source_, value};
  return {value.source_, value.extent_, Value::Members{std::move(member)}};
}

Value text_at(const Value& value, std::string_view text) {
  return {value.source_, value.extent_, std::string(text)};
}

Value parse_file(const std::filesystem::path& path, const Place& named_at) {
  return parse(read_text(path, named_at, largest_text), path.string());
}

}  // namespace wt::json
