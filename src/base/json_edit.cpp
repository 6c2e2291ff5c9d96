#include "base/json_edit.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace wt::json {

TextEdits::TextEdits(std::string text, std::string file)
    : before_(std::move(text)), root_(parse(before_, std::move(file))) {}

void TextEdits::replace(const Value& value, std::string text) {
  // The texts of values are views of one copy of the file's text, in which white space may come before the root.
  const std::size_t root = before_.find_first_not_of(" \t\r\n");
  const auto offset = static_cast<std::size_t>(value.text().data() - root_.text().data());
  edits_.push_back({root + offset, value.text().size(), std::move(text)});
}

std::string TextEdits::text() const {
  std::vector<Edit> backwards = edits_;
  std::ranges::sort(backwards, std::greater(), &Edit::offset);
  std::string made = before_;
  for (const Edit& edit : backwards) made.replace(edit.offset, edit.length, edit.text);
  return made;
}

}  // namespace wt::json
