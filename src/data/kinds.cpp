#include <algorithm>

#include "base/error.h"
#include "data/draws.h"
#include "data/synthetic.h"

namespace wt::data {
namespace {

// One component of all rows: the hidden values of each kind, and the noise of the rows.
class KindsOf {
 public:
  KindsOf(const Component& component, std::int64_t kinds, double noise, std::int64_t seed, std::size_t number)
      : component_(component),
        elements_(static_cast<std::size_t>(component.row.elements())),
        noise_(static_cast<float>(noise)),
        noises_(stream_for(seed, Purpose::noise, number)),
        hidden_(elements_ * static_cast<std::size_t>(kinds)) {
    WT_EXPECT(
        component.row.type == Type::float32 || (component.row.type == Type::int32 && component.below > 0),
        "synthetic rows of {}, below {}", print(component.row), component.below);
    fill_words(hidden_, stream_for(seed, Purpose::hidden, number));
  }

  void write(std::span<const std::int64_t> rows, std::span<const std::int32_t> kinds, Tensor& into) const {
    constexpr std::size_t words_per_element = 2;  // one decides whether noise applies, the other is the noise
    std::vector<std::uint32_t> words(words_per_element * elements_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fill_row_words(words, noises_, rows[i]);
      const std::uint32_t* hidden = hidden_.data() + static_cast<std::size_t>(kinds[i]) * elements_;
      for (std::size_t j = 0; j < elements_; ++j) {
        const std::uint32_t chance = words[2 * j], other = words[2 * j + 1];
        if (component_.row.type == Type::int32)
          into.values<std::int32_t>()[i * elements_ + j] = drawn(unit(chance) < noise_ ? other : hidden[j]);
        else
          into.values<float>()[i * elements_ + j] = unit(hidden[j]) * (1 - noise_) + unit(other) * noise_;
      }
    }
  }

 private:
  std::int32_t drawn(std::uint32_t word) const {
    if (component_.popularity.is_even()) return below(word, component_.below);
    return static_cast<std::int32_t>(component_.popularity.id(word * 0x1p-32, component_.below));
  }

  Component component_;
  std::size_t elements_;
  float noise_;
  PhiloxStream noises_;
  std::vector<std::uint32_t> hidden_;
};

class RowsOfKinds final : public Rows {
 public:
  explicit RowsOfKinds(const Kinds& wanted)
      : count_(wanted.rows), kinds_(wanted.kinds), drawn_(stream_for(wanted.seed, Purpose::label)) {
    WT_EXPECT(wanted.rows >= 0 && wanted.kinds > 0 && wanted.noise >= 0 && wanted.noise <= 1, wanted.kinds,
              wanted.noise);
    for (const Component& input : wanted.inputs) add(input, wanted, wanted.noise);
    for (const Component& label : wanted.labels) add(label, wanted, 0);
  }
  std::int64_t count() const override { return count_; }
  const std::vector<TensorSpec>& specs() const override { return specs_; }

  Element gather(std::span<const std::int64_t> numbers) const override {
    std::vector<std::int32_t> kinds;
    for (const std::int64_t row : numbers)
      kinds.push_back(below(drawn_.block(static_cast<std::uint64_t>(row))[0], kinds_));
    Element element;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      element.push_back(Tensor::zeros(stacked(specs_[i], static_cast<std::int64_t>(numbers.size()))));
      components_[i].write(numbers, kinds, element.back());
    }
    return element;
  }

 private:
  void add(const Component& component, const Kinds& wanted, double noise) {
    components_.emplace_back(component, wanted.kinds, noise, wanted.seed, components_.size());
    specs_.push_back(component.row);
  }

  std::int64_t count_;
  std::int64_t kinds_;
  PhiloxStream drawn_;
  std::vector<TensorSpec> specs_{};
  std::vector<KindsOf> components_{};
};

}  // namespace

std::shared_ptr<const Rows> synthetic_rows(const Kinds& wanted) {
  return std::make_shared<RowsOfKinds>(wanted);
}

}  // namespace wt::data
