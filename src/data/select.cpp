// Transformations that look at each element: filter, take_while, unique, enumerate, scan.

#include <cstring>
#include <set>

#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

// The elements for which the predicate holds; with `ends`, those before the first for which it doesn't.
class SelectedStream final : public Stream {
 public:
  SelectedStream(Input input, const Predicate& predicate, bool ends, const Rows* rows)
      : input_(std::move(input)), predicate_(predicate), ends_(ends), rows_(rows) {}
  bool next(Item& item) override {
    while (input_->next(item)) {
      if (predicate_(tensors_of(item, rows_))) return true;
      if (ends_) return false;
    }
    return false;
  }

 private:
  Input input_;
  const Predicate& predicate_;
  bool ends_;
  const Rows* rows_;
};

Node selecting(const std::shared_ptr<const Node>& input, Predicate predicate, bool ends) {
  Node node = like(*input);
  node.cardinality = unknown_cardinality;
  if (node.batched_rows) node.batched_rows = unknown_cardinality;
  node.open = [=, predicate = std::move(predicate)](std::uint64_t iteration) {
    return std::make_unique<SelectedStream>(input->open(iteration), predicate, ends, input->rows.get());
  };
  return node;
}

class UniqueStream final : public Stream {
 public:
  UniqueStream(Input input, const Rows* rows) : input_(std::move(input)), rows_(rows) {}
  bool next(Item& item) override {
    while (input_->next(item))
      if (seen_.insert(bytes_of(tensors_of(item, rows_))).second) return true;
    return false;
  }

 private:
  static std::string bytes_of(const Element& element) {
    std::string all;
    for (const Tensor& tensor : element) {
      const std::span<const std::byte> bytes = tensor.bytes();
      all.append(print(tensor.spec())).append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return all;
  }

  Input input_;
  const Rows* rows_;
  std::set<std::string> seen_{};
};

using Scan = std::function<std::pair<Element, Element>(Element state, Element element)>;

class ScannedStream final : public Stream {
 public:
  ScannedStream(Input input, Element state, const Scan& function, const Rows* rows,
                const std::vector<ComponentSpec>& specs)
      : input_(std::move(input)), state_(std::move(state)), function_(function), rows_(rows), specs_(specs) {}
  bool next(Item& item) override {
    if (!input_->next(item)) return false;
    auto [state, element] = function_(std::move(state_), tensors_of(std::move(item), rows_));
    check_element(element, specs_, "the scanning function");
    state_ = std::move(state);
    item = {.tensors = std::move(element)};
    return true;
  }

 private:
  Input input_;
  Element state_;
  const Scan& function_;
  const Rows* rows_;
  const std::vector<ComponentSpec>& specs_;
};

}  // namespace

Dataset Dataset::filter(Predicate predicate) const {
  const auto of_some = [predicate](const Dataset& some) { return some.filter(predicate); };
  return made_of(selecting(node_, std::move(predicate), false), *node_, of_some);
}

Dataset Dataset::take_while(Predicate predicate) const {
  const auto of_some = [predicate](const Dataset& some) { return some.take_while(predicate); };
  return made_of(selecting(node_, std::move(predicate), true), *node_, of_some);
}

Dataset Dataset::unique() const {
  Node node = selecting(node_, {}, false);
  node.open = [input = node_](std::uint64_t iteration) {
    return std::make_unique<UniqueStream>(input->open(iteration), input->rows.get());
  };
  return made_of(std::move(node), *node_, [](const Dataset& some) { return some.unique(); });
}

Dataset Dataset::scan(Element state, std::vector<ComponentSpec> specs, Scan function) const {
  Node node;
  node.specs = std::move(specs);
  node.cardinality = node_->cardinality;
  const auto of_some = [state, specs = node.specs, function](const Dataset& some) {
    return some.scan(state, specs, function);
  };
  node.open = [input = node_, state = std::move(state), specs = node.specs,
               function = std::move(function)](std::uint64_t iteration) {
    return std::make_unique<ScannedStream>(input->open(iteration), state, function, input->rows.get(), specs);
  };
  return made_of(std::move(node), *node_, of_some);
}

Dataset Dataset::enumerate(std::int64_t start) const {
  std::vector<ComponentSpec> specs{{Type::int64, {}}};
  specs.insert(specs.end(), node_->specs.begin(), node_->specs.end());
  const auto number = [](const Element& state, Element element) {
    const std::int64_t count = state[0].values<std::int64_t>()[0];
    element.insert(element.begin(), state[0]);
    return std::pair(Element{Tensor::of<std::int64_t>({}, {count + 1})}, std::move(element));
  };
  return scan({Tensor::of<std::int64_t>({}, {start})}, std::move(specs), number);
}

}  // namespace wt::data
