#include "data/one_hot.h"

#include <algorithm>

namespace wt::data {
namespace {

class OneHotRows final : public Rows {
 public:
  OneHotRows(std::shared_ptr<const Rows> rows, std::vector<std::int64_t> classes)
      : rows_(std::move(rows)), classes_(std::move(classes)) {
    WT_EXPECT(classes_.size() == rows_->specs().size(), classes_.size(), rows_->specs().size());
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      specs_.push_back(rows_->specs()[i]);
      if (classes_[i] == 0) continue;
      WT_EXPECT(specs_[i].type == Type::int32, "{} are no classes", print(specs_[i]));
      specs_[i].type = Type::float32;
      specs_[i].shape.append(classes_[i]);
    }
  }
  std::int64_t count() const override { return rows_->count(); }
  const std::vector<TensorSpec>& specs() const override { return specs_; }

  Element gather(std::span<const std::int64_t> numbers) const override {
    Element element = rows_->gather(numbers);
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (classes_[i] > 0) element[i] = one_hot(element[i], classes_[i]);
    return element;
  }

 private:
  static Tensor one_hot(const Tensor& classes, std::int64_t count) {
    Shape shape = classes.shape();
    shape.append(count);
    Tensor tensor = Tensor::zeros({Type::float32, shape});
    float* row = tensor.values<float>().data();
    for (const std::int32_t number : classes.values<std::int32_t>()) {
      row[number] = 1;
      row += count;
    }
    return tensor;
  }

  std::shared_ptr<const Rows> rows_;
  std::vector<std::int64_t> classes_;
  std::vector<TensorSpec> specs_{};
};

}  // namespace

std::shared_ptr<const Rows> one_hot_rows(std::shared_ptr<const Rows> rows,
                                         std::vector<std::int64_t> classes) {
  if (std::ranges::count(classes, 0) == std::ssize(classes)) return rows;
  return std::make_shared<OneHotRows>(std::move(rows), std::move(classes));
}

}  // namespace wt::data
