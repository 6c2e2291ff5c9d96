#include "session/known_plans.h"

#include <algorithm>

namespace wt::session {

namespace {

// About 200 MB: a node takes some 600 bytes with its dependencies.
constexpr std::size_t most_nodes = 300'000;

bool are_equal(const strategy::LibraryChoice& one, const strategy::LibraryChoice& other) {
  return one.algorithm == other.algorithm && one.options == other.options && one.orders == other.orders &&
         one.call == other.call &&
         std::ranges::equal(one.helpers, other.helpers, {}, &plan::Device::name, &plan::Device::name);
}

}  // namespace

std::shared_ptr<KnownPlans::Known> KnownPlans::find(const std::string& what, const Choose& choose) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.what == what && std::ranges::all_of(kept.asked, [&](const Asked& asked) {
             return are_equal(asked.choice, choose(asked.algorithm, asked.bytes));
           });
  });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->known;
}

std::shared_ptr<KnownPlans::Known> KnownPlans::keep(const std::string& what, std::vector<Asked> asked,
                                                    std::shared_ptr<const plan::Plan> plan) {
  nodes_ += plan->nodes.size();
  const auto known = std::make_shared<Known>(Known{std::move(plan), {}});
  kept_.push_front({what, std::move(asked), known});
  while (nodes_ > most_nodes && kept_.size() > 1) {
    nodes_ -= kept_.back().known->plan->nodes.size();
    kept_.pop_back();
  }
  return known;
}

}  // namespace wt::session
