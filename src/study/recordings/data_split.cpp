// Recordings `data_split_`: batches of some rows, distributed over a strategy.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "study/recordings/datasets.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

// "9/4/False": the rows, the rows of a batch, and whether a short last batch is left out.
struct Case {
  std::int64_t rows = 0, batch = 0;
  bool drop_remainder = false;
};

Case case_of(const std::string& tag) {
  Case wanted;
  const char* end = tag.data() + tag.size();
  const auto [after_rows, rows_error] = std::from_chars(tag.data(), end, wanted.rows);
  const auto [after_batch, batch_error] = std::from_chars(after_rows + 1, end, wanted.batch);
  if (rows_error != std::errc() || batch_error != std::errc())
    throw InputError(fmt::format("\"{}\" is not rows/batch/drop_remainder", tag));
  wanted.drop_remainder = tag.ends_with("True");
  return wanted;
}

std::set<std::string> tags_of(const Recording& recording) {
  std::set<std::string> tags;
  for (const std::string& key : keys_of(recording)) tags.insert(key.substr(0, key.rfind('/')));
  return tags;
}

data::Dataset slices(std::int64_t rows) {
  std::vector<float> x;
  std::vector<std::int64_t> y;
  for (std::int64_t i = 0; i < rows; ++i) {
    x.insert(x.end(), {static_cast<float>(2 * i), static_cast<float>(2 * i + 1)});
    y.push_back(i);
  }
  return data::Dataset::from_tensor_slices(
      {Tensor::of<float>({rows, 2}, x), Tensor::of<std::int64_t>({rows}, y)});
}

data::Dataset generated(std::int64_t rows) {
  return data::Dataset::from_generator({{Type::int64, {}}}, [rows] {
    return [rows, next = std::int64_t{0}]() mutable -> std::optional<data::Element> {
      if (next == rows) return std::nullopt;
      return data::Element{Tensor::of<std::int64_t>({}, {next++})};
    };
  });
}

data::Dataset source_named(const std::string& source, std::int64_t rows) {
  if (source == "range" || source == "off") return data::Dataset::range(rows);
  if (source == "slices") return slices(rows);
  if (source == "generator") return generated(rows);
  if (source != "file") throw InputError(fmt::format("the source \"{}\" is unknown", source));
  TextFiles files;
  files.add(0, rows);
  return files.lines();
}

}  // namespace

void compare_split(const Recording& recording, Comparison& comparison) {
  const std::string source = recording.config("source")->string();
  data::Distribution distribution = distribution_named(recording.config("strategy")->string());
  if (source == "off") distribution.policy = data::AutoShardPolicy::off;
  const ComponentNames names = source == "slices" ? ComponentNames{"x", "y"} : ComponentNames{};
  for (const std::string& tag : tags_of(recording)) {
    const Case wanted = case_of(tag);
    const data::Dataset batches =
        source_named(source, wanted.rows).batch(wanted.batch, wanted.drop_remainder);
    comparison.starts_to_compute();
    compare_distributed(recording, comparison, tag, {batches, distribution}, names);
  }
}

}  // namespace wt::recordings
