#include "collective/deletion.h"

#include <fmt/format.h>

#include "base/narrow.h"
#include "collective/verify.h"

namespace wt::collective {

Expanded without_move(Expanded schedule, int move) {
  schedule.steps.erase(schedule.steps.begin() + move);
  for (Step& step : schedule.steps) {
    for (std::vector<Dependency>* list : {&step.start, &step.apply}) {
      std::erase_if(*list, [&](const Dependency& each) { return each.move == move; });
      for (Dependency& each : *list) each.move -= each.move > move;
    }
  }
  return schedule;
}

Deletions try_deletions(const Expanded& schedule) {
  Deletions result;
  Expanded broken = schedule;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const int id = narrow<int>(i);
    ++result.tried;
    if (verify(without_move(schedule, id)).empty()) result.unnoticed.push_back(fmt::format("move {}", id));
    for (auto list : {&Step::start, &Step::apply}) {
      const std::vector<Dependency>& whole = schedule.steps[i].*list;
      for (std::size_t k = 0; k < whole.size(); ++k) {
        std::vector<Dependency>& dependencies = broken.steps[i].*list;
        dependencies.erase(dependencies.begin() + static_cast<std::ptrdiff_t>(k));
        ++result.tried;
        if (verify(broken).empty())
          result.unnoticed.push_back(fmt::format("that move {} waits for move {}", id, whole[k].move));
        dependencies = whole;
      }
    }
  }
  return result;
}

}  // namespace wt::collective
