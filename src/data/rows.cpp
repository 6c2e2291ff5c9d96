#include "data/rows.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wt::data {
namespace {

bool are_consecutive(std::span<const std::int64_t> numbers) {
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] != numbers[i - 1] + 1) return false;
  return true;
}

Tensor gather_from(const Tensor& tensor, const TensorSpec& row, std::span<const std::int64_t> numbers) {
  const TensorSpec spec = stacked(row, static_cast<std::int64_t>(numbers.size()));
  if (!tensor.has_numbers()) return Tensor::shape_only(spec);
  if (!numbers.empty() && are_consecutive(numbers)) return tensor.rows(numbers.front(), numbers.back() + 1);
  Tensor gathered = Tensor::zeros(spec);
  const auto row_bytes = static_cast<std::size_t>(row.bytes().count());
  std::byte* target = gathered.view().data;
  for (const std::int64_t number : numbers) {
    std::memcpy(target, tensor.view().data + static_cast<std::size_t>(number) * row_bytes, row_bytes);
    target += row_bytes;
  }
  return gathered;
}

class TensorRows final : public Rows {
 public:
  explicit TensorRows(Element tensors) : tensors_(std::move(tensors)) {
    WT_EXPECT(!tensors_.empty(), "a dataset needs at least one tensor");
    for (const Tensor& tensor : tensors_) {
      WT_EXPECT(tensor.shape().rank() > 0, "a scalar has no rows");
      WT_EXPECT(tensor.shape()[0] == count(), "{} and {} have different numbers of rows",
                print(tensors_[0].spec()), print(tensor.spec()));
      specs_.push_back({tensor.type(), tensor.shape().without(0)});
    }
  }
  std::int64_t count() const override { return tensors_[0].shape()[0]; }
  const std::vector<TensorSpec>& specs() const override { return specs_; }
  Element gather(std::span<const std::int64_t> numbers) const override {
    Element element;
    element.reserve(tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      element.push_back(gather_from(tensors_[i], specs_[i], numbers));
    return element;
  }

 private:
  Element tensors_;
  std::vector<TensorSpec> specs_{};
};

class JoinedRows final : public Rows {
 public:
  explicit JoinedRows(std::vector<std::shared_ptr<const Rows>> parts) : parts_(std::move(parts)) {
    WT_EXPECT(!parts_.empty(), "no parts are joined");
    for (const auto& part : parts_) {
      WT_EXPECT(part->specs() == specs(), "parts with unlike rows are joined");
      ends_.push_back(count() + part->count());
    }
  }
  std::int64_t count() const override { return ends_.empty() ? 0 : ends_.back(); }
  const std::vector<TensorSpec>& specs() const override { return parts_.front()->specs(); }

  Element gather(std::span<const std::int64_t> numbers) const override {
    if (numbers.empty()) return parts_.front()->gather(numbers);
    std::vector<std::vector<std::int64_t>> own(parts_.size()), positions(parts_.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t part = part_of(numbers[i]);
      own[part].push_back(numbers[i] - (part == 0 ? 0 : ends_[part - 1]));
      positions[part].push_back(static_cast<std::int64_t>(i));
    }
    if (const std::size_t first = part_of(numbers.front()); own[first].size() == numbers.size())
      return parts_[first]->gather(own[first]);
    Element gathered;
    for (const TensorSpec& row : specs())
      gathered.push_back(Tensor::zeros(stacked(row, std::ssize(numbers))));
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!own[part].empty()) scatter(parts_[part]->gather(own[part]), positions[part], gathered);
    return gathered;
  }

 private:
  std::size_t part_of(std::int64_t number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
  }

  static void scatter(const Element& rows, const std::vector<std::int64_t>& positions, const Element& into) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t bytes = rows[i].bytes().size() / positions.size();
      for (std::size_t row = 0; row < positions.size(); ++row)
        std::memcpy(into[i].view().data + static_cast<std::size_t>(positions[row]) * bytes,
                    rows[i].view().data + row * bytes, bytes);
    }
  }

  std::vector<std::shared_ptr<const Rows>> parts_;
  std::vector<std::int64_t> ends_{};  // of each part, the number behind its last row
};

class NumberedRows final : public Rows {
 public:
  NumberedRows(std::int64_t count, std::int64_t first, std::int64_t step)
      : count_(count), first_(first), step_(step) {}
  std::int64_t count() const override { return count_; }
  const std::vector<TensorSpec>& specs() const override { return specs_; }
  Element gather(std::span<const std::int64_t> numbers) const override {
    Tensor gathered = Tensor::zeros({Type::int64, {std::ssize(numbers)}});
    std::ranges::transform(numbers, gathered.values<std::int64_t>().begin(),
                           [&](std::int64_t number) { return first_ + number * step_; });
    return {std::move(gathered)};
  }

 private:
  std::int64_t count_, first_, step_;
  std::vector<TensorSpec> specs_{{Type::int64, {}}};
};

template <class T>
void fill(Tensor& tensor, double value) {
  std::ranges::fill(tensor.values<T>(), static_cast<T>(value));
}

Tensor filled(const TensorSpec& spec, double value) {
  Tensor tensor = Tensor::zeros(spec);
  switch (spec.type) {
    case Type::float32:
      fill<float>(tensor, value);
      break;
    case Type::float64:
      fill<double>(tensor, value);
      break;
    case Type::int32:
      fill<std::int32_t>(tensor, value);
      break;
    case Type::int64:
      fill<std::int64_t>(tensor, value);
      break;
    case Type::uint8:
      fill<std::uint8_t>(tensor, value);
      break;
    case Type::boolean:
      std::ranges::fill(tensor.values<bool>(), value != 0);
      break;
    case Type::float16:
      std::ranges::fill(tensor.values<Float16>(), rounded<Float16>(static_cast<float>(value)));
      break;
    case Type::bfloat16:
      std::ranges::fill(tensor.values<BFloat16>(), rounded<BFloat16>(static_cast<float>(value)));
      break;
  }
  return tensor;
}

class ConstantRows final : public Rows {
 public:
  ConstantRows(std::int64_t count, std::vector<TensorSpec> specs, double value)
      : count_(count), specs_(std::move(specs)), value_(value) {
    WT_EXPECT(!specs_.empty() && count_ >= 0, "{} rows of {} tensors", count_, specs_.size());
  }
  std::int64_t count() const override { return count_; }
  const std::vector<TensorSpec>& specs() const override { return specs_; }
  Element gather(std::span<const std::int64_t> numbers) const override {
    Element element;
    for (const TensorSpec& spec : specs_)
      element.push_back(filled(stacked(spec, static_cast<std::int64_t>(numbers.size())), value_));
    return element;
  }

 private:
  std::int64_t count_;
  std::vector<TensorSpec> specs_;
  double value_;
};

}  // namespace

TensorSpec stacked(const TensorSpec& row, std::int64_t count) {
  TensorSpec spec{row.type, {count}};
  for (const std::int64_t extent : row.shape) spec.shape.append(extent);
  return spec;
}

std::shared_ptr<const Rows> rows_of(Element tensors) {
  return std::make_shared<TensorRows>(std::move(tensors));
}

std::shared_ptr<const Rows> joined_rows(std::vector<std::shared_ptr<const Rows>> parts) {
  if (parts.size() == 1) return parts.front();
  return std::make_shared<JoinedRows>(std::move(parts));
}

std::shared_ptr<const Rows> numbered_rows(std::int64_t count, std::int64_t first, std::int64_t step) {
  return std::make_shared<NumberedRows>(count, first, step);
}

std::shared_ptr<const Rows> constant_rows(std::int64_t count, std::vector<TensorSpec> specs, double value) {
  return std::make_shared<ConstantRows>(count, std::move(specs), value);
}

}  // namespace wt::data
