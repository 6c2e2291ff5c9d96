// Transformations of several datasets: zip, concatenate, choose_from_datasets.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

using Nodes = std::vector<std::shared_ptr<const Node>>;

Nodes nodes_of(const std::vector<Dataset>& datasets) {
  WT_EXPECT(!datasets.empty(), "no datasets are combined");
  Nodes nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return nodes;
}

// The batch size, if all have the same.
std::optional<std::int64_t> common_batch_size(const Nodes& nodes) {
  const std::optional<std::int64_t> first = nodes.front()->batch_size;
  const bool agree = std::ranges::all_of(nodes, [&](const auto& node) { return node->batch_size == first; });
  return agree ? first : std::nullopt;
}

// A stream over each of several nodes, whose items are read as tensors.
class Streams {
 public:
  Streams(const Nodes& nodes, std::uint64_t iteration) {
    for (const auto& node : nodes) streams_.emplace_back(node->open(iteration), node->rows.get());
  }
  std::size_t size() const { return streams_.size(); }
  bool next(std::size_t number, Element& element) {
    auto& [stream, rows] = streams_[number];
    Item item;
    if (stream == nullptr || !stream->next(item)) {
      stream.reset();
      return false;
    }
    element = tensors_of(std::move(item), rows);
    return true;
  }

 private:
  std::vector<std::pair<Input, const Rows*>> streams_{};
};

class ZippedStream final : public Stream {
 public:
  explicit ZippedStream(Streams streams) : streams_(std::move(streams)) {}
  bool next(Item& item) override {
    Element all;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Element element;
      if (!streams_.next(i, element)) return false;
      std::ranges::move(element, std::back_inserter(all));
    }
    item.tensors = std::move(all);
    return true;
  }

 private:
  Streams streams_;
};

class ConcatenatedStream final : public Stream {
 public:
  explicit ConcatenatedStream(Streams streams) : streams_(std::move(streams)) {}
  bool next(Item& item) override {
    for (; number_ < streams_.size(); ++number_)
      if (streams_.next(number_, item.tensors)) return true;
    return false;
  }

 private:
  Streams streams_;
  std::size_t number_ = 0;
};

class ChosenStream final : public Stream {
 public:
  ChosenStream(Streams choices, Streams streams)
      : choices_(std::move(choices)), streams_(std::move(streams)) {}
  bool next(Item& item) override {
    Element choice;
    if (!choices_.next(0, choice)) return false;
    const std::int64_t number = choice[0].values<std::int64_t>()[0];
    if (number < 0 || number >= static_cast<std::int64_t>(streams_.size()))
      throw InvalidArgumentError(
          fmt::format("Selector index out of range: {} >= {}", number, streams_.size()));
    return streams_.next(static_cast<std::size_t>(number), item.tensors);
  }

 private:
  Streams choices_, streams_;
};

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  if (a == infinite_cardinality || b == infinite_cardinality) return infinite_cardinality;
  if (a == unknown_cardinality || b == unknown_cardinality) return unknown_cardinality;
  return a + b;
}

// An endless dataset is longer than one that may end.
std::int64_t shorter_of(std::int64_t a, std::int64_t b) {
  if (a == infinite_cardinality) return b;
  if (b == infinite_cardinality) return a;
  return a == unknown_cardinality || b == unknown_cardinality ? unknown_cardinality : std::min(a, b);
}

ComponentSpec common(const ComponentSpec& a, const ComponentSpec& b) {
  if (a.type != b.type || a.extents.size() != b.extents.size())
    throw InputError(
        fmt::format("Incompatible dataset elements:\n  {} vs.   {}", tensor_spec(a), tensor_spec(b)),
        "map one of the datasets to the type and the rank of the other");
  ComponentSpec both = a;
  for (std::size_t axis = 0; axis < a.extents.size(); ++axis)
    if (a.extents[axis] != b.extents[axis]) both.extents[axis] = unknown_extent;
  return both;
}

std::vector<ComponentSpec> common(const std::vector<ComponentSpec>& a, const std::vector<ComponentSpec>& b) {
  if (a.size() != b.size())
    throw InputError(fmt::format("the elements of one dataset have {} components, and those of another {}",
                                 a.size(), b.size()),
                     "map one of them to the components of the other");
  std::vector<ComponentSpec> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.push_back(common(a[i], b[i]));
  return both;
}

}  // namespace

// Where the rows come from files, TensorFlow deals out the files of each dataset. Here the elements are dealt out.
Dataset Dataset::zip(std::vector<Dataset> datasets) {
  const Nodes nodes = nodes_of(std::exchange(datasets, {}));
  Node node;
  node.cardinality = infinite_cardinality;
  for (const auto& one : nodes) {
    node.specs.insert(node.specs.end(), one->specs.begin(), one->specs.end());
    node.cardinality = shorter_of(node.cardinality, one->cardinality);
  }
  node.batch_size = common_batch_size(nodes);
  node.open = [nodes](std::uint64_t iteration) {
    return std::make_unique<ZippedStream>(Streams(nodes, iteration));
  };
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Dataset Dataset::concatenate(const Dataset& other) const {
  const Nodes nodes{node_, other.node_};
  Node node;
  node.specs = common(node_->specs, other.node_->specs);
  node.cardinality = sum_of(node_->cardinality, other.node_->cardinality);
  node.batch_size = common_batch_size(nodes);
  node.open = [nodes](std::uint64_t iteration) {
    return std::make_unique<ConcatenatedStream>(Streams(nodes, iteration));
  };
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Dataset Dataset::choose_from_datasets(std::vector<Dataset> datasets, const Dataset& choices) {
  const Nodes nodes = nodes_of(std::exchange(datasets, {}));
  Node node;
  node.specs = nodes.front()->specs;
  for (const auto& one : nodes) node.specs = common(node.specs, one->specs);
  node.cardinality = unknown_cardinality;
  node.open = [nodes, choices = Nodes{choices.node()}](std::uint64_t iteration) {
    return std::make_unique<ChosenStream>(Streams(choices, iteration), Streams(nodes, iteration));
  };
  return Dataset(std::make_shared<Node>(std::move(node)));
}

}  // namespace wt::data
