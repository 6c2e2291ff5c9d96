// Dataset::padded_batch (padded_batch_dataset_op.cc).

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

// The extents of the padded elements of a component: those wanted, and where none is, the longest.
Shape padded_shape(const std::vector<Element>& elements, std::size_t component,
                   const std::vector<std::int64_t>& wanted) {
  Shape shape;
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    std::int64_t longest = 0;
    for (const Element& element : elements)
      longest = std::max(longest, element[component].shape()[static_cast<int>(axis)]);
    if (wanted[axis] != unknown_extent && longest > wanted[axis])
      throw DataLossError("Attempted to pad to a smaller size than the input element.");
    shape.append(wanted[axis] == unknown_extent ? longest : wanted[axis]);
  }
  return shape;
}

// Copies the rows of a tensor to the beginning of each axis of a larger one.
void place(const Tensor& tensor, const Shape& padded, std::byte* into, std::size_t element_bytes) {
  const int rank = tensor.shape().rank();
  const std::int64_t run = rank == 0 ? 1 : tensor.shape().last();
  const std::int64_t runs = run == 0 ? 0 : tensor.shape().elements() / run;
  for (std::int64_t number = 0; number < runs; ++number) {
    std::int64_t rest = number, offset = 0, stride = rank == 0 ? 1 : padded.last();
    for (int axis = rank - 2; axis >= 0; --axis) {
      offset += rest % tensor.shape()[axis] * stride;
      rest /= tensor.shape()[axis];
      stride *= padded[axis];
    }
    const std::size_t bytes = static_cast<std::size_t>(run) * element_bytes;
    std::memcpy(into + static_cast<std::size_t>(offset) * element_bytes,
                tensor.view().data + static_cast<std::size_t>(number) * bytes, bytes);
  }
}

Tensor filled(const TensorSpec& spec, const Tensor* value) {
  Tensor tensor = Tensor::zeros(spec);
  if (value == nullptr) return tensor;
  const std::size_t bytes = value->bytes().size();
  for (std::size_t at = 0; at < tensor.bytes().size(); at += bytes)
    std::memcpy(tensor.bytes().data() + at, value->bytes().data(), bytes);
  return tensor;
}

Element stacked_with_padding(const std::vector<Element>& elements, const Padding& padding) {
  Element batch;
  for (std::size_t component = 0; component < elements.front().size(); ++component) {
    const Type type = elements.front()[component].type();
    const Shape shape = padded_shape(elements, component, padding.shapes[component]);
    Tensor all = filled(stacked({type, shape}, std::ssize(elements)),
                        padding.values.empty() ? nullptr : &padding.values[component]);
    const auto element_bytes = static_cast<std::size_t>(bytes_per_element(type));
    const std::size_t row_bytes = static_cast<std::size_t>(shape.elements()) * element_bytes;
    for (std::size_t row = 0; row < elements.size(); ++row)
      place(elements[row][component], shape, all.bytes().data() + row * row_bytes, element_bytes);
    batch.push_back(std::move(all));
  }
  return batch;
}

class PaddedStream final : public Stream {
 public:
  PaddedStream(Input input, std::int64_t rows, const Padding& padding, const Rows* source)
      : input_(std::move(input)),
        wanted_(static_cast<std::size_t>(rows)),
        padding_(padding),
        source_(source) {}

  bool next(Item& item) override {
    std::vector<Element> elements;
    for (Item one; elements.size() < wanted_ && input_->next(one);)
      elements.push_back(tensors_of(std::move(one), source_));
    if (elements.empty() || (padding_.drop_remainder && elements.size() < wanted_)) return false;
    if (elements.size() < wanted_) wanted_ = 0;  // the input has ended
    item.tensors = stacked_with_padding(elements, padding_);
    return true;
  }

 private:
  Input input_;
  std::size_t wanted_;
  const Padding& padding_;
  const Rows* source_;
};

void check(const Padding& padding, const std::vector<ComponentSpec>& specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (padding.shapes[i].size() != specs[i].extents.size())
      throw ValueError(fmt::format("The padded shape of component {} has {} axes, and the component has {}.",
                                   i, padding.shapes[i].size(), specs[i].extents.size()));
    if (padding.values.empty()) continue;
    if (padding.values[i].type() != specs[i].type)
      throw InputError(
          fmt::format("Invalid `padding_values`. `padding_values` values type {} does not match type {} of "
                      "the corresponding input component.",
                      name(padding.values[i].type()), name(specs[i].type)));
  }
}

}  // namespace

Dataset Dataset::padded_batch(std::int64_t rows, const Padding& wanted) const {
  if (rows <= 0) throw InvalidArgumentError("Batch size must be greater than zero.");
  Padding padding = wanted;
  if (padding.shapes.empty())
    for (const ComponentSpec& spec : node_->specs) padding.shapes.push_back(spec.extents);
  const std::size_t components = node_->specs.size();
  if (padding.shapes.size() != components || (!padding.values.empty() && padding.values.size() != components))
    throw InputError(
        fmt::format("a padded batch of {} components needs as many shapes and values", components));
  check(padding, node_->specs);
  Node node = *batch(rows, padding.drop_remainder).node();
  for (std::size_t i = 0; i < components; ++i)
    std::ranges::copy(padding.shapes[i], node.specs[i].extents.begin() + 1);
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<PaddedStream>(input->open(iteration), rows, padding, input->rows.get());
  };
  return made_of(std::move(node), *node_,
                 [=](const Dataset& some) { return some.padded_batch(rows, padding); });
}

}  // namespace wt::data
