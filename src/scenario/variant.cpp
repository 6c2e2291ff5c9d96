#include "scenario/variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/rough.h"
#include "cluster/cluster.h"
#include "platform/load.h"
#include "strategy/automatic.h"

namespace wt::scenario {

namespace {

// The override of a key of the platform file, in whatever form the scenario names the platform.
std::string platform_override(const json::Value& written, std::string_view key, const std::string& value) {
  const bool is_named = written.kind() == json::Kind::string || written.find("file") != nullptr;
  return fmt::format("platform.{}{}={}", is_named ? "set." : "", key, value);
}

class ScenarioResizing final : public strategy::Resizing {
 public:
  ScenarioResizing(const Scenario& scenario, const cluster::Machine& machine, int replicas)
      : scenario_(scenario), machine_(machine), replicas_(replicas) {}

  const cluster::Machine& machine() const override { return machine_; }
  int wanted() const override { return replicas_; }
  bool is_given(std::string_view key) const override { return scenario_.places.contains(key); }
  bool cuts_devices() const override { return !scenario_.devices.logical.empty(); }
  bool is_virtual() const override {
    const auto& written = scenario_.platform.written;
    return written && written->kind() == json::Kind::object && written->find("virtual") != nullptr;
  }
  std::optional<platform::Ici> ici() const override {
    return platform::from_json(*scenario_.platform.written, scenario_.platform.folder).ici;
  }

  std::string set_platform(std::string_view key, const std::string& value) const override {
    const platform::Platform& platform = *machine_.platform;
    if (platform.group_of(platform.machines() - 1) > 0)
      refuse("platform", "the platform's machines are unlike, and it is open which of them there are more of",
             R"(describe equal machines: "machines": 4)");
    return platform_override(*scenario_.platform.written, key, value);
  }

  Problem refusal(std::string_view key, std::string fact, std::string remedy) const override {
    return {scenario_.place(key), fmt::format("{}: {}", counted(replicas_, "replica"), fact),
            std::move(remedy)};
  }

 private:
  const Scenario& scenario_;
  const cluster::Machine& machine_;
  const int replicas_;
};

// ---- One more task

// The job with one more task, in the form in which the scenario writes it: a number, or addresses.
std::string with_one_more(const json::Value& written, const cluster::Job& job) {
  if (written.kind() == json::Kind::integer) return std::to_string(written.integer() + 1);
  const int next = job.tasks.rbegin()->first + 1;
  json::Writer out;
  if (cluster::is_dense(job)) {
    out.begin_array(json::Layout::compact);
    for (const auto& [index, address] : job.tasks) out.value(address);
    out.value(fmt::format("{}{}:2222", job.name, next)).end_array();
  } else {
    out.begin_object(json::Layout::compact);
    for (const auto& [index, address] : job.tasks) out.member(std::to_string(index), address);
    out.member(std::to_string(next), fmt::format("{}{}:2222", job.name, next)).end_object();
  }
  return out.text();
}

// Whether the tasks find machines of their kinds if one more is inserted before task `at`.
bool has_spare_machine(const platform::Platform& platform, std::int32_t tasks, std::int32_t at) {
  if (tasks >= platform.machines()) return false;
  for (std::int32_t task = at; task <= tasks; ++task)
    if (platform.group_of(task) != platform.group_of(task - 1)) return false;
  return true;
}

// One more machine like the machine `like`.
std::string with_one_more_machine(const json::Value& written, const platform::Platform& platform,
                                  std::int32_t like) {
  const int group = platform.group_of(like);
  std::int32_t count = 0;
  for (std::int32_t machine = 0; machine < platform.machines(); ++machine)
    count += platform.group_of(machine) == group ? 1 : 0;
  const json::Value* machines = written.kind() == json::Kind::object ? written.find("machines") : nullptr;
  const bool is_list = (machines != nullptr && machines->kind() == json::Kind::array) ||
                       platform.group_of(platform.machines() - 1) > 0;
  return platform_override(written, is_list ? fmt::format("machines.{}.count", group) : "machines",
                           std::to_string(count + 1));
}

}  // namespace

Overrides with_another_task(const Scenario& scenario, const cluster::Machine& machine, std::string_view job) {
  const json::Value& written = *scenario.cluster.written;
  const json::Value* inner = written.find("cluster");
  const json::Value* tasks = (inner != nullptr ? *inner : written).find(job);
  const cluster::Job* named = scenario.cluster.config.cluster.find(job);
  WT_EXPECT(tasks != nullptr && named != nullptr, "a cluster without a job {}", job);
  Overrides overrides{
      fmt::format("cluster.{}{}={}", inner != nullptr ? "cluster." : "", job, with_one_more(*tasks, *named))};
  const std::vector<cluster::Task>& all = machine.cluster->tasks;
  const std::int32_t last = cluster::tasks_of(*machine.cluster, job).back()->machine;
  if (!has_spare_machine(*machine.platform, narrow<std::int32_t>(all.size()), last + 1))
    overrides.push_back(with_one_more_machine(*scenario.platform.written, *machine.platform, last));
  return overrides;
}

Overrides with_replicas(const Scenario& scenario, const cluster::Machine& machine, int replicas) {
  WT_EXPECT(replicas > 0, "{} replicas", replicas);
  WT_EXPECT(machine.platform.has_value(), "replicas of a scenario without platform");
  const ScenarioResizing resizing(scenario, machine, replicas);
  return scenario.strategy_rule ? strategy::resized_by_rule(*scenario.strategy, resizing)
                                : scenario.strategy->resized(resizing);
}

}  // namespace wt::scenario
