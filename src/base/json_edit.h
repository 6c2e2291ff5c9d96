#pragma once
// Replaces values in the text of a JSON file, and keeps everything else as it is written: the order of keys, lines and
// spaces.

#include <string>
#include <vector>

#include "base/json.h"

namespace wt::json {

class TextEdits {
 public:
  // `file` is the name of the text in messages. Throws InputError if it is no JSON.
  TextEdits(std::string text, std::string file);

  const Value& root() const { return root_; }
  // Requires: `value` is root() or a part of it, and no part of a value that is replaced, too.
  void replace(const Value& value, std::string text);
  std::string text() const;  // with all replacements

 private:
  struct Edit {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::string text{};
  };

  std::string before_;
  Value root_;
  std::vector<Edit> edits_{};
};

}  // namespace wt::json
