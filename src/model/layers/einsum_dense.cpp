#include "model/layers/einsum_dense.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/activation.h"

namespace wt::model {

namespace {

// The letters of an equation's three tensors. Axes behind "..." get digits.
struct Equation {
  std::string x{};
  std::string kernel{};
  std::string result{};
};

using Extents = std::map<char, std::int64_t>;

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

// The letters of `from` for which the condition holds, in their order.
template <class Condition>
std::string letters_where(const std::string& from, Condition condition) {
  std::string found;
  std::ranges::copy_if(from, std::back_inserter(found), condition);
  return found;
}

Shape extents_of(const std::string& letters, const Extents& extents) {
  Shape shape;
  for (const char letter : letters) shape.append(extents.at(letter));
  return shape;
}

Symbol ordered(Symbol x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  Shape order;
  for (const char letter : to) order.append(static_cast<std::int64_t>(from.find(letter)));
  return transpose(x, order);
}

// The sum over the letters that the result lacks of the products of x and the kernel, as one product of matrices for
// each element of the letters that all three have.
Symbol product(Symbol x, Symbol kernel, const Equation& e, const Extents& extents) {
  const std::string batch = letters_where(e.x, [&](char l) { return has(e.kernel, l) && has(e.result, l); });
  const std::string summed =
      letters_where(e.x, [&](char l) { return has(e.kernel, l) && !has(e.result, l); });
  const std::string own = letters_where(e.x, [&](char l) { return !has(e.kernel, l); });
  const std::string added = letters_where(e.kernel, [&](char l) { return !has(e.x, l); });
  const auto size = [&](const std::string& letters) { return extents_of(letters, extents).elements(); };
  const auto matrices = [&](Symbol value, std::int64_t rows, std::int64_t columns) {
    return batch.empty() ? reshape(value, {rows, columns}) : reshape(value, {size(batch), rows, columns});
  };
  const Symbol left = matrices(ordered(x, e.x, batch + own + summed), size(own), size(summed));
  const Symbol right = matrices(ordered(kernel, e.kernel, batch + summed + added), size(summed), size(added));
  const std::string computed = batch + own + added;
  return ordered(reshape(matmul(left, right), extents_of(computed, extents)), computed, e.result);
}

class EinsumDense final : public Layer {
 public:
  explicit EinsumDense(EinsumDenseConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    const std::size_t comma = config_.equation.find(','), arrow = config_.equation.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma)
      refuse(fmt::format("the equation is \"{}\"", config_.equation),
             "write two tensors and a result, as in ab,bc->ac");
    const auto plain = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    written_ = {plain(config_.equation.substr(0, comma)),
                plain(config_.equation.substr(comma + 1, arrow - comma - 1)),
                plain(config_.equation.substr(arrow + 2))};
    check_letters();
  }
  std::string_view class_name() const override { return "EinsumDense"; }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    const Equation e = complete(x);
    const Extents extents = extents_in(x, e);
    const Type type = x.spec().type;
    const Symbol kernel =
        building.weight(name() + "/kernel", {type, extents_of(e.kernel, extents)}, config_.kernel);
    Symbol y = product(x, kernel, e, extents);
    if (!config_.bias_axes.empty())
      y = y + building.weight(name() + "/bias", {type, bias_shape(e, extents)}, config_.bias);
    return {activate(y, config_.activation, building.semantics())};
  }

 private:
  static constexpr std::string_view ellipsis = "...";

  void check_letters() const {
    const auto without = [](std::string text) {
      if (const std::size_t at = text.find(ellipsis); at != std::string::npos)
        text.erase(at, ellipsis.size());
      return text;
    };
    const std::string x = without(written_.x), kernel = without(written_.kernel),
                      result = without(written_.result);
    const bool are_letters = std::ranges::all_of(
        x + kernel + result, [](char l) { return (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z'); });
    const auto is_from = [&](char l) { return has(x, l) || has(kernel, l); };
    const bool is_kernel_used =
        std::ranges::all_of(kernel, [&](char l) { return has(x, l) || has(result, l); });
    const bool are_inputs_used =
        std::ranges::all_of(x, [&](char l) { return has(kernel, l) || has(result, l); });
    if (!are_letters || kernel != written_.kernel || !std::ranges::all_of(result, is_from) ||
        !is_kernel_used || !are_inputs_used)
      refuse(fmt::format("the equation \"{}\" is not offered", config_.equation),
             "each letter must be of two of the three tensors, and ... of x and the result");
  }

  // Replaces "..." by digits, one for each axis that it stands for.
  Equation complete(Symbol x) const {
    const auto with = [](std::string text, const std::string& digits) {
      if (const std::size_t at = text.find(ellipsis); at != std::string::npos)
        text.replace(at, ellipsis.size(), digits);
      return text;
    };
    const bool is_open = written_.x.find(ellipsis) != std::string::npos;
    const auto letters = static_cast<int>(written_.x.size() - (is_open ? ellipsis.size() : 0));
    if (x.shape().rank() < letters || (!is_open && x.shape().rank() != letters))
      refuse(fmt::format("the equation \"{}\" does not fit {}", config_.equation, print(x.spec())));
    std::string digits;
    for (int i = letters; i < x.shape().rank(); ++i) digits += static_cast<char>('0' + i);
    return {with(written_.x, digits), written_.kernel, with(written_.result, digits)};
  }

  Extents extents_in(Symbol x, const Equation& e) const {
    Extents extents;
    for (std::size_t i = 0; i < e.x.size(); ++i) extents[e.x[i]] = x.shape()[static_cast<int>(i)];
    const std::size_t given = std::min(config_.output_shape.size(), e.result.size());
    for (std::size_t i = 0; i < given; ++i) {
      const char letter = e.result[e.result.size() - given + i];
      const std::int64_t extent = config_.output_shape[config_.output_shape.size() - given + i];
      if (extent != 0 && extents.emplace(letter, extent).first->second != extent)
        refuse(
            fmt::format("output_shape states {} for \"{}\", and x has {}", extent, letter, extents[letter]));
    }
    for (const char letter : e.kernel)
      if (!extents.contains(letter))
        refuse(fmt::format("the extent of \"{}\" is not stated", letter), "add it to output_shape");
    return extents;
  }

  Shape bias_shape(const Equation& e, const Extents& extents) const {
    Shape shape;
    for (const char letter : e.result)
      if (has(config_.bias_axes, letter))
        shape.append(extents.at(letter));
      else if (shape.rank() > 0)
        shape.append(1);
    if (shape.rank() == 0)
      refuse(fmt::format("bias_axes \"{}\" names no axis of the result", config_.bias_axes));
    return shape;
  }

  EinsumDenseConfig config_;
  Equation written_{};
};

}  // namespace

LayerPtr einsum_dense(EinsumDenseConfig config) { return std::make_shared<EinsumDense>(std::move(config)); }

}  // namespace wt::model
