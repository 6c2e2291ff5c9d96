#include "train/closures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"

namespace wt::train {

namespace {

std::string numbered(std::string_view kind, std::size_t i) { return fmt::format("{} {}", kind, i); }

// The returns of lost workers, each of which is reported once.
class Returns {
 public:
  Returns(const plan::PoolTimeline& timeline, const ClosureExecution::Back& back) : back_(back) {
    for (const plan::Absence& absence : timeline.absences)
      if (!absence.is_stall && absence.until && *absence.until <= timeline.end)
        returns_.push_back({absence.worker, *absence.until});
    std::ranges::stable_sort(returns_, {}, &Return::at);
  }

  void report(std::int32_t worker, Seconds before) {
    report_if([&](const Return& each) { return each.worker == worker && each.at <= before; });
  }
  void report_all() {
    report_if([](const Return&) { return true; });
  }

 private:
  struct Return {
    std::int32_t worker = 0;
    Seconds at{};
  };

  void report_if(auto is_reported) {
    for (const Return& each : returns_)
      if (back_ && is_reported(each)) back_(each.worker);
    std::erase_if(returns_, is_reported);
  }

  const ClosureExecution::Back& back_;
  std::vector<Return> returns_{};
};

bool has_result(const plan::Plan& plan, const std::string& name) {
  return std::ranges::any_of(plan.results, [&](const plan::Port& port) { return port.name == name; });
}

}  // namespace

ClosureExecution::ClosureExecution(ClosureOrder order, std::size_t replicas, State& state,
                                   const execute::Queues& queues)
    : order_(order), replicas_(replicas), state_(state), execution_(order.pooled->plan, queues) {
  state_.lend_to(execution_, order_.pooled->plan);
}

ClosureExecution::~ClosureExecution() { state_.take_back_from(execution_); }

void ClosureExecution::run(const Arguments& arguments, const Done& done, const Back& back) {
  const plan::PoolTimeline& timeline = *order_.timeline;
  std::vector<std::size_t> left(timeline.closures.size());
  std::vector<bool> has_begun(timeline.closures.size());
  Returns returns(timeline, back);
  for (const plan::Occurrence& each : timeline.occurrences) {
    const auto closure = static_cast<std::size_t>(each.closure);
    const auto& [worker, number, taken, end, lost] = timeline.closures[closure];
    if (!has_begun[closure]) {
      const plan::Task& task = order_.pooled->tasks[static_cast<std::size_t>(worker)];
      left[closure] = index(task.end) - index(task.first);
      has_begun[closure] = true;
      returns.report(worker, taken);
      write(worker, arguments(worker));
    }
    execution_.enqueue_after(each.node);
    if (--left[closure] == 0 && !lost && !done(each.closure, read(worker))) return;
  }
  returns.report_all();
}

void ClosureExecution::write(std::int32_t worker, const PerReplica& arguments) {
  const std::size_t first = static_cast<std::size_t>(worker) * replicas_;
  for (std::size_t replica = 0; replica < arguments.size(); ++replica)
    for (std::size_t i = 0; i < arguments[replica].size(); ++i)
      execution_.write(strategy::port_name(numbered("argument", i), first + replica), arguments[replica][i]);
}

PerReplica ClosureExecution::read(std::int32_t worker) const {
  const std::size_t first = static_cast<std::size_t>(worker) * replicas_;
  PerReplica results(replicas_);
  for (std::size_t replica = 0; replica < replicas_; ++replica)
    for (std::size_t i = 0;; ++i) {
      const std::string name = strategy::port_name(numbered("result", i), first + replica);
      if (!has_result(order_.pooled->plan, name)) break;
      results[replica].push_back(execution_.read(name));
    }
  return results;
}

}  // namespace wt::train
