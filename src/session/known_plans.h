#pragma once
// Plans of steps that were lowered before. Points of a sweep that differ in the speed of a link have the same plan,
// unless the communication library makes another choice.

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "communication/known_times.h"
#include "plan/memory_report.h"
#include "plan/plan.h"
#include "strategy/library.h"

namespace wt::session {

// A choice of the library that a lowering asked for.
struct Asked {
  std::string algorithm{};  // that was wanted; empty: whatever the library takes
  Bytes bytes{};
  strategy::LibraryChoice choice{};
};

class KnownPlans {
 public:
  struct Known {
    std::shared_ptr<const plan::Plan> plan{};
    std::optional<plan::MemoryReport> memory{};  // set when it was asked for
  };
  using Choose = std::function<strategy::LibraryChoice(const std::string& algorithm, Bytes bytes)>;

  // The plan that was kept under `what`, if `choose` gives what its lowering was given. `what` says all else that
  // the plan depends on. Null: none.
  std::shared_ptr<Known> find(const std::string& what, const Choose& choose);
  std::size_t size() const { return kept_.size(); }
  std::shared_ptr<Known> keep(const std::string& what, std::vector<Asked> asked,
                              std::shared_ptr<const plan::Plan> plan);

 private:
  struct Kept {
    std::string what{};
    std::vector<Asked> asked{};
    std::shared_ptr<Known> known{};
  };

  std::list<Kept> kept_{};  // that which was used last comes first
  std::size_t nodes_ = 0;   // of all plans, which take most of the memory
};

// What the trainings of one process know from each other.
struct Shared {
  communication::KnownTimes times{};
  KnownPlans plans{};
};

}  // namespace wt::session
