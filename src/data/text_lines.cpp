#include "data/text_lines.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/file_kind.h"
#include "base/tensorflow_error.h"
#include "data/empty_rows.h"

namespace wt::data {
namespace {

using Lines = std::vector<std::string>;

// TensorFlow leaves out every '\r', and what stands behind the last '\n' is a line, too.
Lines lines_of(const std::string& text) {
  Lines lines;
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      lines.push_back(std::exchange(line, {}));
    else if (c != '\r')
      line += c;
  }
  if (!text.empty() && text.back() != '\n') lines.push_back(line);
  return lines;
}

std::int64_t longest_of(std::span<const std::string> texts, std::int64_t least = 1) {
  for (const std::string& text : texts) least = std::max(least, std::ssize(text));
  return least;
}

Tensor tensor_of(std::span<const std::string> texts, std::int64_t width, const std::string& source) {
  const Tensor tensor = empty_rows({{Type::uint8, {width}}}, std::ssize(texts), source).front();
  std::byte* row = texts.empty() ? nullptr : tensor.view().data;
  for (const std::string& text : texts) {
    std::memcpy(row, text.data(), text.size());
    row += width;
  }
  return tensor;
}

}  // namespace

std::vector<std::shared_ptr<const Rows>> read_text_lines(std::span<const std::string> files) {
  if (files.empty()) throw InputError("no text files are named", "name at least one");
  std::vector<Lines> all;
  std::int64_t width = 1;
  for (const std::string& file : files) {
    if (!is_there(file)) throw NotFoundError(file + "; No such file or directory");
    all.push_back(lines_of(read_text(file, {}, largest_file)));
    width = longest_of(all.back(), width);
  }
  std::vector<std::shared_ptr<const Rows>> rows;
  for (std::size_t i = 0; i < all.size(); ++i) rows.push_back(rows_of({tensor_of(all[i], width, files[i])}));
  return rows;
}

Tensor text_tensor(std::span<const std::string> texts) {
  return tensor_of(texts, longest_of(texts), "a list of texts");
}

std::vector<std::string> texts_of(const Tensor& texts) {
  WT_EXPECT(texts.type() == Type::uint8 && texts.shape().rank() >= 1, "{} is no list of texts",
            print(texts.spec()));
  const std::int64_t width = texts.shape().last();
  std::vector<std::string> all;
  const std::int64_t count = width == 0 ? 0 : texts.shape().elements() / width;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* row = reinterpret_cast<const char*>(texts.bytes().data()) + i * width;
    all.emplace_back(row, strnlen(row, static_cast<std::size_t>(width)));
  }
  return all;
}

}  // namespace wt::data
