// Dataset::interleave and flat_map (interleave_dataset_op.cc).

#include <optional>

#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

using Function = std::function<Dataset(Element)>;

class InterleavedStream final : public Stream {
 public:
  InterleavedStream(Input input, const Function& function, Interleaving interleaving, const Rows* rows,
                    const std::vector<ComponentSpec>& specs, std::uint64_t iteration)
      : input_(std::move(input)),
        function_(function),
        block_length_(interleaving.block_length),
        rows_(rows),
        specs_(specs),
        iteration_(iteration),
        cycle_(static_cast<std::size_t>(interleaving.cycle_length)) {}

  // A dataset that ends leaves its turn to the next one. At its next turn another dataset takes its place.
  bool next(Item& item) override {
    while (input_ != nullptr || open_ > 0) {
      std::optional<Iterator>& own = cycle_[turn_];
      if (!own && !open(own)) {
        advance();
        continue;
      }
      if (std::optional<Element> element = own->next()) {
        if (++given_ == block_length_) advance();
        check_element(*element, specs_, "a dataset that was interleaved");
        item.tensors = std::move(*element);
        return true;
      }
      own.reset();
      --open_;
      advance();
    }
    return false;
  }

 private:
  bool open(std::optional<Iterator>& own) {
    Item item;
    if (input_ == nullptr || !input_->next(item)) {
      input_.reset();
      return false;
    }
    own.emplace(function_(tensors_of(std::move(item), rows_)).iterate(iteration_));
    ++open_;
    return true;
  }

  void advance() {
    turn_ = (turn_ + 1) % cycle_.size();
    given_ = 0;
  }

  Input input_;
  const Function& function_;
  std::int64_t block_length_;
  const Rows* rows_;
  const std::vector<ComponentSpec>& specs_;
  std::uint64_t iteration_;
  std::vector<std::optional<Iterator>> cycle_;
  std::size_t turn_ = 0;
  std::int64_t given_ = 0;  // elements of the dataset whose turn it is
  std::size_t open_ = 0;
};

}  // namespace

Dataset Dataset::interleave(std::vector<ComponentSpec> specs, Function function,
                            Interleaving interleaving) const {
  if (interleaving.cycle_length <= 0) throw InvalidArgumentError("`cycle_length` must be > 0");
  if (interleaving.block_length <= 0) throw InvalidArgumentError("`block_length` must be > 0");
  WT_EXPECT(!specs.empty(), "a dataset needs at least one component");
  Node node;
  node.specs = std::move(specs);
  node.cardinality = unknown_cardinality;
  const auto of_some = [specs = node.specs, function, interleaving](const Dataset& some) {
    return some.interleave(specs, function, interleaving);
  };
  node.open = [input = node_, specs = node.specs, function = std::move(function),
               interleaving](std::uint64_t iteration) {
    return std::make_unique<InterleavedStream>(input->open(iteration), function, interleaving,
                                               input->rows.get(), specs, iteration);
  };
  return made_of(std::move(node), *node_, of_some);
}

Dataset Dataset::flat_map(std::vector<ComponentSpec> specs, Function function) const {
  return interleave(std::move(specs), std::move(function), {});
}

}  // namespace wt::data
