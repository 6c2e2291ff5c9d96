#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"

namespace wt::json {

Source::Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Place Source::place(std::size_t offset, std::size_t length) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *std::prev(next);
  std::size_t end = next == line_starts_.end() ? text_.size() : *next - 1;
  if (end > start && text_[end - 1] == '\r') --end;
  offset = std::min(offset, end);
  const std::string_view all = text_;
  Place place;
  place.file = file_;
  place.line = static_cast<int>(next - line_starts_.begin());
  place.column = static_cast<int>(count_characters(all.substr(start, offset - start))) + 1;
  place.source_line = all.substr(start, end - start);
  place.length = static_cast<int>(count_characters(all.substr(offset, std::min(length, end - offset))));
  place.length = std::max(place.length, 1);
  return place;
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
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool is_number = error == std::errc{} && end == step.data() + step.size();
  if (elements == nullptr || !is_number || index >= elements->size()) {
    const std::string what = elements == nullptr ? std::string(describe(tree.kind()))
                                                 : fmt::format("a list of {}", elements->size());
    throw InputError(
        Problem{value.place(), fmt::format("there is no \"{}\" in {}", printable(step), what),
                elements == nullptr ? "replace the whole value" : "entries of lists are counted from 0"});
  }
  (*elements)[index] = replaced((*elements)[index], path.subspan(1), value);
  return changed;
}

Value parse_file(const std::filesystem::path& path, const Place& named_at) {
  return parse(read_text(path, named_at), path.string());
}

}  // namespace wt::json
