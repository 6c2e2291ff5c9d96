#include "data/row_numbers.h"

#include <fmt/format.h>

#include <array>

namespace wt::data {

Dataset numbered(const Dataset& source) {
  WT_EXPECT(source.cardinality() >= 0, "the rows of a source are not counted");
  const Files* files = source.files();
  if (files == nullptr) return Dataset::range(source.cardinality());
  std::vector<std::shared_ptr<const Rows>> parts;
  std::int64_t first = 0;
  for (std::int64_t file = 0; file < files->count; ++file) {
    const std::int64_t count = files->read(std::array{file}).cardinality();
    parts.push_back(numbered_rows(count, first));
    first += count;
  }
  return Dataset::from_files(std::move(parts), files->names);
}

std::string print_runs(std::span<const std::int64_t> numbers, std::size_t most_runs) {
  if (numbers.empty()) return "none";
  std::string text;
  std::size_t runs = 0;
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    if (++runs > most_runs) return fmt::format("{}, ... ({} rows)", text, numbers.size());
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    text += text.empty() ? "" : ", ";
    text += end - begin == 1 ? fmt::format("{}", numbers[begin])
                             : fmt::format("{}-{}", numbers[begin], numbers[end - 1]);
  }
  return text;
}

}  // namespace wt::data
