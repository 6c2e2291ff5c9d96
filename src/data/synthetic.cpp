#include "data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <span>

#include "base/free_memory.h"
#include "base/narrow.h"
#include "data/draws.h"

namespace wt::data {
namespace {

constexpr std::size_t bytes_per_block = 16;
constexpr std::int64_t fields_per_side = 7;

// The base of the datasets with two components x and y.
class Synthetic : public Rows {
 public:
  Synthetic(std::int64_t count, std::vector<TensorSpec> specs) : count_(count), specs_(std::move(specs)) {
    WT_EXPECT(count >= 0, "{} rows", count);
  }
  std::int64_t count() const final { return count_; }
  const std::vector<TensorSpec>& specs() const final { return specs_; }
  Element gather(std::span<const std::int64_t> numbers) const final {
    Element element;
    for (const TensorSpec& spec : specs_)
      element.push_back(Tensor::zeros(stacked(spec, static_cast<std::int64_t>(numbers.size()))));
    write(numbers, element[0], element[1]);
    return element;
  }

 private:
  virtual void write(std::span<const std::int64_t> numbers, Tensor& x, Tensor& y) const = 0;

  std::int64_t count_;
  std::vector<TensorSpec> specs_;
};

// Hidden numbers from which all rows are made. They are drawn when the first row is read: a scenario without
// numbers never reads one, and its model may have so many classes that no memory holds their pictures.
class Hidden {
 public:
  Hidden(const Shape& shape, PhiloxStream stream, float low, float high)
      : shape_(shape), stream_(stream), low_(low), high_(high) {}

  const float* values() const {
    std::call_once(once_, [this] {
      const std::int64_t count = shape_.elements();
      require_memory(Bytes(sizeof(float)) * count, "what synthetic rows are made from",
                     "take a model with fewer classes, or rows of a file");
      values_.resize(static_cast<std::size_t>(count));
      fill_uniform(values_, stream_, low_, high_);
    });
    return values_.data();
  }

 private:
  Shape shape_;
  PhiloxStream stream_;
  float low_;
  float high_;
  mutable std::once_flag once_{};
  mutable std::vector<float> values_{};
};

// For each element of a row, the number of the area of the picture in which it lies. In shapes other than
// images, every element is an area of its own. The numbers are found when the first row is read.
class Fields {
 public:
  explicit Fields(const Shape& shape) : shape_(shape) {}

  std::int64_t count() const { return is_image() ? down() * across() * shape_[2] : shape_.elements(); }

  const std::vector<std::int32_t>& values() const {
    std::call_once(once_, [this] { find(); });
    return values_;
  }

 private:
  bool is_image() const { return shape_.rank() == 3 && shape_.elements() > 0; }
  std::int64_t down() const { return std::min(fields_per_side, shape_[0]); }
  std::int64_t across() const { return std::min(fields_per_side, shape_[1]); }

  void find() const {
    const std::int64_t elements = shape_.elements();
    require_memory(Bytes(sizeof(std::int32_t)) * elements, "a synthetic row",
                   "take a model with a smaller input");
    values_.reserve(static_cast<std::size_t>(elements));
    for (std::int64_t i = 0; i < elements; ++i) values_.push_back(narrow<std::int32_t>(field_of(i)));
  }

  std::int64_t field_of(std::int64_t i) const {
    if (!is_image()) return i;
    const std::int64_t channels = shape_[2];
    const std::int64_t row = i / (shape_[1] * channels) * down() / shape_[0];
    const std::int64_t column = i / channels % shape_[1] * across() / shape_[1];
    return (row * across() + column) * channels + i % channels;
  }

  Shape shape_;
  mutable std::once_flag once_{};
  mutable std::vector<std::int32_t> values_{};
};

class ClassifiedRows final : public Synthetic {
 public:
  explicit ClassifiedRows(const Classification& wanted)
      : Synthetic(wanted.rows, {{Type::float32, wanted.shape}, {Type::int32, {}}}),
        classes_(wanted.classes),
        noise_(static_cast<float>(wanted.noise)),
        labels_(stream_for(wanted.seed, Purpose::label)),
        noises_(stream_for(wanted.seed, Purpose::noise)),
        fields_(wanted.shape),
        per_picture_(fields_.count()),
        pictures_({classes_, per_picture_}, stream_for(wanted.seed, Purpose::hidden), 0, 1 - noise_) {
    WT_EXPECT(wanted.classes > 0 && wanted.noise >= 0 && wanted.noise <= 1, wanted.classes, wanted.noise);
  }

 private:
  void write(std::span<const std::int64_t> numbers, Tensor& x, Tensor& y) const override {
    const std::vector<std::int32_t>& fields = fields_.values();
    // One random byte per element is sufficient as noise, and four times cheaper than a word.
    std::vector<std::uint32_t> words((fields.size() + bytes_per_block - 1) / bytes_per_block *
                                     words_per_block);
    std::vector<std::uint8_t> noise(words.size() * sizeof(std::uint32_t));
    float* target = x.values<float>().data();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int32_t label = below(labels_.block(static_cast<std::uint64_t>(numbers[i]))[0], classes_);
      y.values<std::int32_t>()[i] = label;
      fill_row_words(words, noises_, numbers[i]);
      std::memcpy(noise.data(), words.data(), noise.size());
      const float* picture = pictures_.values() + label * per_picture_;
      for (std::size_t j = 0; j < fields.size(); ++j)
        target[j] = picture[fields[j]] + static_cast<float>(noise[j]) * (noise_ / 256);
      target += fields.size();
    }
  }

  std::int64_t classes_;
  float noise_;
  PhiloxStream labels_;
  PhiloxStream noises_;
  Fields fields_;
  std::int64_t per_picture_;
  Hidden pictures_;
};

class LinearRows final : public Synthetic {
 public:
  explicit LinearRows(const Regression& wanted)
      : Synthetic(wanted.rows, {{Type::float32, {wanted.features}}, {Type::float32, {wanted.targets}}}),
        features_(static_cast<std::size_t>(wanted.features)),
        targets_(static_cast<std::size_t>(wanted.targets)),
        noise_(static_cast<float>(wanted.noise)),
        draws_(stream_for(wanted.seed, Purpose::noise)),
        hidden_({wanted.targets, wanted.features + 1}, stream_for(wanted.seed, Purpose::hidden), -1, 1) {}

 private:
  void write(std::span<const std::int64_t> numbers, Tensor& x, Tensor& y) const override {
    std::vector<std::uint32_t> words(features_ + targets_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      fill_row_words(words, draws_, numbers[i]);
      const std::span<float> features = x.values<float>().subspan(i * features_, features_);
      for (std::size_t j = 0; j < features_; ++j) features[j] = 2 * unit(words[j]) - 1;
      for (std::size_t t = 0; t < targets_; ++t) {
        const float* weights = hidden_.values() + t * (features_ + 1);
        const float exact = std::inner_product(features.begin(), features.end(), weights, weights[features_]);
        y.values<float>()[i * targets_ + t] = exact + noise_ * (2 * unit(words[features_ + t]) - 1);
      }
    }
  }

  std::size_t features_;
  std::size_t targets_;
  float noise_;
  PhiloxStream draws_;
  Hidden hidden_;  // for each target its weights and then its bias
};

class TokenRows final : public Synthetic {
 public:
  explicit TokenRows(const TokenSequences& wanted)
      : Synthetic(wanted.rows, {{Type::int32, {wanted.length}}, {Type::int32, {wanted.length}}}),
        length_(static_cast<std::size_t>(wanted.length)),
        vocabulary_(wanted.vocabulary),
        noise_(static_cast<float>(wanted.noise)),
        draws_(stream_for(wanted.seed, Purpose::noise)),
        successors_(static_cast<std::size_t>(wanted.vocabulary)) {
    WT_EXPECT(wanted.vocabulary > 0 && wanted.vocabulary <= INT32_MAX, wanted.vocabulary);
    std::iota(successors_.begin(), successors_.end(), 0);
    std::vector<std::uint32_t> words(successors_.size());
    fill_words(words, stream_for(wanted.seed, Purpose::hidden));
    // A random cycle through all tokens (Sattolo, 1986), so that sequences don't stay among a few tokens.
    for (std::size_t i = successors_.size(); i-- > 1;)
      std::swap(successors_[i],
                successors_[static_cast<std::size_t>(below(words[i], static_cast<std::int64_t>(i)))]);
  }

 private:
  void write(std::span<const std::int64_t> numbers, Tensor& x, Tensor& y) const override {
    std::vector<std::uint32_t> words(2 * length_ + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      fill_row_words(words, draws_, numbers[i]);
      std::int32_t token = below(words[2 * length_], vocabulary_);
      for (std::size_t t = 0; t < length_; ++t) {
        x.values<std::int32_t>()[i * length_ + t] = token;
        const bool follows = unit(words[2 * t]) >= noise_;
        token = follows ? successors_[static_cast<std::size_t>(token)] : below(words[2 * t + 1], vocabulary_);
        y.values<std::int32_t>()[i * length_ + t] = token;
      }
    }
  }

  std::size_t length_;
  std::int64_t vocabulary_;
  float noise_;
  PhiloxStream draws_;
  std::vector<std::int32_t> successors_;
};

}  // namespace

std::shared_ptr<const Rows> synthetic_rows(const Classification& wanted) {
  return std::make_shared<ClassifiedRows>(wanted);
}

std::shared_ptr<const Rows> synthetic_rows(const Regression& wanted) {
  return std::make_shared<LinearRows>(wanted);
}

std::shared_ptr<const Rows> synthetic_rows(const TokenSequences& wanted) {
  return std::make_shared<TokenRows>(wanted);
}

}  // namespace wt::data
