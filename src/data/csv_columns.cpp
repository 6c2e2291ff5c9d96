#include "data/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/suggest.h"
#include "base/utf8.h"
#include "data/number_text.h"

namespace wt::data {
namespace {

// The names of one file's columns.
class Names {
 public:
  Names(const std::vector<std::string>& names, bool has_header, const std::string& file, Problems& problems)
      : names_(names), has_header_(has_header), file_(file), problems_(problems) {}

  std::optional<std::size_t> find(const std::string& column, const Place& named_at) const {
    const auto found = std::ranges::find(names_, column);
    if (found == names_.end()) {
      problems_.add(named_at, fmt::format("\"{}\" has no column \"{}\"", file_, printable(column)),
                    remedy(column));
      return std::nullopt;
    }
    if (std::find(found + 1, names_.end(), column) != names_.end()) {
      problems_.add(named_at, fmt::format("\"{}\" has several columns \"{}\"", file_, printable(column)),
                    "give each column a name of its own");
      return std::nullopt;
    }
    return static_cast<std::size_t>(found - names_.begin());
  }

  std::vector<std::string> without(const std::set<std::string>& taken) const {
    std::vector<std::string> others;
    std::ranges::copy_if(names_, std::back_inserter(others),
                         [&](const std::string& name) { return !taken.contains(name); });
    return others;
  }

 private:
  // A first row of numbers is most likely no header.
  std::string remedy(const std::string& column) const {
    const auto is_number = [](const std::string& name) { return to_number<double>(name).value.has_value(); };
    if (has_header_ && std::ranges::all_of(names_, is_number))
      return R"(the first row has numbers: if the file has no row of names, list them in "names")";
    std::vector<std::string> shown;
    for (const std::string& name : names_) shown.push_back(printable(name));
    return did_you_mean(column, std::vector<std::string_view>(shown.begin(), shown.end()));
  }

  const std::vector<std::string>& names_;
  bool has_header_;
  const std::string& file_;
  Problems& problems_;
};

// Whether the only column is a class, of which the tensor wants a distribution.
bool is_one_hot(const CsvTensor& tensor, std::int64_t count) {
  return tensor.row.one_hot && count == 1 && tensor.row.shape &&
         tensor.row.shape->elements() == tensor.row.below;
}

// The row of a tensor that `count` columns fill. Without a model that knows its shape, one label is a scalar.
Shape shape_of(const CsvTensor& tensor, std::int64_t count, const std::string& file, Problems& problems) {
  const std::optional<Shape>& wanted = tensor.row.shape;
  if (!wanted) return tensor.is_label && count == 1 ? Shape{} : Shape{count};
  const std::int64_t expected = wanted->elements();
  if (count != expected && !is_one_hot(tensor, count))
    problems.add(tensor.named_at,
                 fmt::format("{} of shape {} {} {} columns of \"{}\", and {} are named",
                             tensor.is_label ? "labels" : "an input", print(*wanted),
                             tensor.is_label ? "need" : "needs", expected, file, count),
                 R"(a list of columns is one tensor; a list of lists has one for each: [["a", "b"], ["c"]])");
  return *wanted;
}

}  // namespace

Columns choose_columns(const CsvRows& wanted, const std::vector<std::string>& names, bool has_header,
                       const std::string& file, Problems& problems) {
  const Names known(names, has_header, file, problems);
  for (const auto& [column, classes] : wanted.classes) known.find(column, wanted.classes_named_at);
  std::set<std::string> taken;
  for (const CsvTensor& tensor : wanted.tensors) taken.insert(tensor.columns.begin(), tensor.columns.end());
  Columns chosen;
  for (const CsvTensor& tensor : wanted.tensors) {
    const std::vector<std::string> own = tensor.columns.empty() ? known.without(taken) : tensor.columns;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto field = known.find(own[i], tensor.named_at);
      const auto classes = wanted.classes.find(own[i]);
      if (!field) continue;
      const bool one_hot = is_one_hot(tensor, std::ssize(own));
      chosen.columns.push_back({.name = own[i],
                                .field = *field,
                                .classes = classes == wanted.classes.end() ? nullptr : &classes->second,
                                .tensor = chosen.rows.size(),
                                .position = static_cast<std::int64_t>(i),
                                .below = tensor.row.one_hot && !one_hot ? 0 : tensor.row.below,
                                .one_hot = one_hot});
    }
    chosen.rows.push_back({tensor.row.type, shape_of(tensor, std::ssize(own), file, problems)});
  }
  return chosen;
}

}  // namespace wt::data
