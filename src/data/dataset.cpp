#include "data/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/tensorflow_error.h"
#include "data/node.h"

namespace wt::data {
namespace {

class RowStream final : public Stream {
 public:
  explicit RowStream(std::int64_t count) : count_(count) {}
  bool next(Item& item) override {
    if (next_ >= count_) return false;
    item.row = next_++;
    return true;
  }

 private:
  std::int64_t count_;
  std::int64_t next_ = 0;
};

class GeneratedStream final : public Stream {
 public:
  GeneratedStream(Generator generator, const std::vector<ComponentSpec>& specs)
      : generator_(std::move(generator)), specs_(specs) {}
  bool next(Item& item) override {
    std::optional<Element> element = generator_();
    if (!element) return false;
    check_element(*element, specs_, "the generator");
    item.tensors = std::move(*element);
    return true;
  }

 private:
  Generator generator_;
  const std::vector<ComponentSpec>& specs_;
};

std::optional<std::int64_t> common_first_extent(const std::vector<ComponentSpec>& specs) {
  const auto first = [](const ComponentSpec& spec) {
    return spec.extents.empty() ? unknown_extent : spec.extents[0];
  };
  const std::int64_t extent = first(specs.front());
  const bool agree = std::ranges::all_of(specs, [&](const auto& spec) { return first(spec) == extent; });
  return agree && extent != unknown_extent ? std::optional(extent) : std::nullopt;
}

}  // namespace

bool ComponentSpec::describes(const TensorSpec& tensor) const {
  if (tensor.type != type || static_cast<std::size_t>(tensor.shape.rank()) != extents.size()) return false;
  return std::equal(extents.begin(), extents.end(), tensor.shape.begin(),
                    [](auto wanted, auto given) { return wanted == unknown_extent || wanted == given; });
}

TensorSpec ComponentSpec::row() const {
  WT_EXPECT(!extents.empty(), "a scalar has no rows");
  return {type, Shape(std::span(extents).subspan(1))};
}

ComponentSpec exactly(const TensorSpec& spec) {
  return {spec.type, std::vector<std::int64_t>(spec.shape.begin(), spec.shape.end())};
}

std::string print(const ComponentSpec& spec) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : spec.extents)
    extents.push_back(extent == unknown_extent ? "?" : std::to_string(extent));
  return fmt::format("{}[{}]", name(spec.type), fmt::join(extents, ","));
}

std::string tensor_spec(const ComponentSpec& spec) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : spec.extents)
    extents.push_back(extent == unknown_extent ? "None" : std::to_string(extent));
  const std::string comma = extents.size() == 1 ? "," : "";  // of Python's tuples of one
  return fmt::format("TensorSpec(shape=({}{}), dtype=tf.{}, name=None)", fmt::join(extents, ", "), comma,
                     name(spec.type));
}

std::string element_spec(const std::vector<ComponentSpec>& specs, std::int64_t replicas,
                         const std::vector<std::string>& names) {
  std::vector<std::string> components;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::vector<std::string> each(static_cast<std::size_t>(replicas), tensor_spec(specs[i]));
    const std::string all =
        replicas == 1 ? each.front() : fmt::format("PerReplicaSpec({})", fmt::join(each, ", "));
    components.push_back(names.empty() ? all : fmt::format("'{}': {}", names.at(i), all));
  }
  if (!names.empty()) return fmt::format("{{{}}}", fmt::join(components, ", "));
  return components.size() == 1 ? components.front() : fmt::format("({})", fmt::join(components, ", "));
}

Seed shuffle_seed(std::int64_t seed, std::int64_t global) {
  // TensorFlow's Python code truncates both seeds (random_seed.py) with the sign of Python's remainder.
  const auto truncated = [](std::int64_t whole) {
    constexpr std::int64_t most = 0x7fffffff;
    return (whole % most + most) % most;
  };
  seed = truncated(seed), global = truncated(global);
  // TensorFlow's kernels interpret two zeros as "draw a random seed". Its Python code therefore replaces them
  // by this pair.
  if (seed == 0 && global == 0) return {0, 0x7fffffff};
  return {global, seed};
}

Element tensors_of(Item item, const Rows* rows) {
  if (rows == nullptr) return std::move(item.tensors);
  Element element = rows->gather(std::array{item.row});
  for (Tensor& tensor : element) tensor = tensor.reshaped(tensor.shape().without(0));
  return element;
}

Element without_rows(const std::vector<ComponentSpec>& specs) {
  Element element;
  for (const ComponentSpec& spec : specs) {
    Shape shape;
    for (std::size_t axis = 0; axis < spec.extents.size(); ++axis)
      shape.append(axis == 0 || spec.extents[axis] == unknown_extent ? 0 : spec.extents[axis]);
    element.push_back(Tensor::zeros({spec.type, shape}));
  }
  return element;
}

void refuse(std::string fact) {
  Problem problem;
  problem.fact = std::move(fact);
  throw InputError(std::move(problem));
}

void check_element(const Element& element, const std::vector<ComponentSpec>& specs, const char* source) {
  if (element.size() != specs.size())
    refuse(
        fmt::format("{} returned {} components, and {} are expected", source, element.size(), specs.size()));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].describes(element[i].spec())) continue;
    refuse(fmt::format("{} returned {} as component {}, and {} is expected", source, print(element[i].spec()),
                       i, print(specs[i])));
  }
}

Iterator::Iterator(std::shared_ptr<const Node> node, std::uint64_t epoch)
    : node_(std::move(node)), stream_(node_->open(epoch)) {}
Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;
Iterator::~Iterator() = default;

std::optional<Element> Iterator::next() {
  Item item;
  if (stream_ == nullptr || !stream_->next(item)) {
    stream_.reset();
    return std::nullopt;
  }
  return tensors_of(std::move(item), node_->rows.get());
}

Dataset::Dataset(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

Dataset Dataset::from_rows(std::shared_ptr<const Rows> rows) {
  Node node;
  for (const TensorSpec& spec : rows->specs()) node.specs.push_back(exactly(spec));
  node.cardinality = rows->count();
  node.open = [count = rows->count()](std::uint64_t) { return std::make_unique<RowStream>(count); };
  node.rows = std::move(rows);
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Dataset Dataset::from_tensors(const Element& element) {
  Element one_row;
  for (const Tensor& tensor : element) one_row.push_back(tensor.reshaped(stacked(tensor.spec(), 1).shape));
  return from_rows(rows_of(std::move(one_row)));
}

Dataset Dataset::from_tensor_slices(const Element& tensors) {
  for (const Tensor& tensor : tensors) {
    if (tensor.shape().rank() == 0) throw ValueError("Unbatching a tensor is only supported for rank >= 1");
    const std::int64_t first = tensors.front().shape()[0];
    if (tensor.shape()[0] != first)
      throw ValueError(fmt::format("Dimensions {} and {} are not compatible", first, tensor.shape()[0]));
  }
  return from_rows(rows_of(tensors));
}

Dataset Dataset::from_generator(std::vector<ComponentSpec> specs, std::function<Generator()> begin) {
  WT_EXPECT(!specs.empty(), "a dataset needs at least one component");
  auto node = std::make_shared<Node>();
  node->specs = std::move(specs);
  node->cardinality = unknown_cardinality;
  node->open = [begin = std::move(begin), of = node.get()](std::uint64_t) {
    return std::make_unique<GeneratedStream>(begin(), of->specs);
  };
  return Dataset(std::move(node));
}

Dataset Dataset::range(std::int64_t stop) { return range(0, stop); }

Dataset Dataset::range(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step == 0) throw InvalidArgumentError("step must be a non-zero integer.");
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t each = std::abs(step);
  return from_rows(numbered_rows(std::max<std::int64_t>((distance + each - 1) / each, 0), start, step));
}

namespace {

std::vector<std::shared_ptr<const Rows>> some_of(const std::vector<std::shared_ptr<const Rows>>& files,
                                                 std::span<const std::int64_t> numbers) {
  std::vector<std::shared_ptr<const Rows>> own;
  for (const std::int64_t number : numbers) own.push_back(files[static_cast<std::size_t>(number)]);
  return own;
}

}  // namespace

Dataset Dataset::from_files(std::vector<std::shared_ptr<const Rows>> files, std::vector<std::string> names) {
  Node node = *from_rows(joined_rows(files)).node_;
  const std::int64_t count = std::ssize(files);
  auto read = [files = std::move(files)](std::span<const std::int64_t> numbers) {
    return from_rows(joined_rows(some_of(files, numbers)));
  };
  node.files = std::make_shared<Files>(Files{count, std::move(read), std::move(names)});
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Dataset Dataset::from_files(std::vector<std::shared_ptr<const Rows>> files, std::vector<std::string> names,
                            Interleaving interleaving) {
  const std::vector<ComponentSpec> specs = from_rows(files.front()).specs();
  const auto rows_of_file = [files](const Element& number) {
    return from_rows(files[static_cast<std::size_t>(number[0].values<std::int64_t>()[0])]);
  };
  Node node = *range(std::ssize(files)).interleave(specs, rows_of_file, interleaving).node_;
  const auto read = [files, interleaving](std::span<const std::int64_t> numbers) {
    return from_files(some_of(files, numbers), {}, interleaving);
  };
  node.files = std::make_shared<Files>(Files{std::ssize(files), read, std::move(names)});
  return Dataset(std::make_shared<Node>(std::move(node)));
}

const Files* Dataset::files() const { return node_->files.get(); }

const std::vector<ComponentSpec>& Dataset::specs() const { return node_->specs; }

std::int64_t Dataset::cardinality() const { return node_->cardinality; }

std::int64_t Dataset::rows() const { return node_->batched_rows.value_or(node_->cardinality); }

std::optional<std::int64_t> Dataset::batch_size() const {
  const std::optional<std::int64_t> common = common_first_extent(node_->specs);
  return common ? common : node_->batch_size;
}

Iterator Dataset::iterate(std::uint64_t epoch) const { return Iterator(node_, epoch); }

}  // namespace wt::data
