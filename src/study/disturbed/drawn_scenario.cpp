#include "study/disturbed/drawn_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/random.h"

namespace wt::disturbed {

namespace {

class Dice {
 public:
  explicit Dice(std::int64_t seed) : stream_(stream_of({seed, 26})) {}

  // From 0 to below `count`.
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(word()) % count; }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool one_in(std::int64_t count) { return below(count) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(std::ssize(all)))];
  }

 private:
  std::uint32_t word() {
    if (at_ % 4 == 0) block_ = stream_.block(at_ / 4);
    return block_[at_++ % 4];
  }

  PhiloxStream stream_;
  PhiloxCounter block_{};
  std::uint64_t at_ = 0;
};

// A machine with its strategy, and the tasks that a failure may name.
struct Site {
  std::string keys{};  // "platform", "cluster", "devices" and "strategy"
  std::vector<std::string> tasks{};
  bool has_network = false;
  bool has_queue = false;  // workers take closures from it
};

std::vector<std::string> numbered(std::string_view job, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(fmt::format("{}:{}", job, i));
  return names;
}

Site on_devices(std::string_view strategy, std::int64_t devices) {
  return {.keys = fmt::format(R"("platform": {{"virtual": {{"devices": {}}}}}, "strategy": {{"type": "{}"}})",
                              devices, strategy),
          .tasks = {"chief"}};
}

Site one_device(Dice&, std::string_view strategy) { return on_devices(strategy, 1); }
Site several_devices(Dice& dice, std::string_view strategy) {
  return on_devices(strategy, dice.of<std::int64_t>({2, 3, 8}));
}

Site cores(Dice&, std::string_view strategy) {
  return {.keys = fmt::format(R"("platform": "tpu_v3", "strategy": {{"type": "{}"}})", strategy),
          .tasks = {"worker:0"}};
}

Site workers(Dice& dice, std::string_view strategy) {
  const std::int64_t count = dice.of<std::int64_t>({2, 3, 4, 8}), devices = count * dice.between(1, 2);
  const bool has_chief = dice.one_in(3);
  std::string cluster;
  if (has_chief) cluster = fmt::format(R"("cluster": {{"chief": 1, "worker": {}}}, )", count - 1);
  Site site{
      .keys = fmt::format(R"("platform": {{"virtual": {{"devices": {}, "workers": {}}}}}, {}"strategy": )"
                          R"({{"type": "{}", "communication_options": {{"implementation": "{}"}}}})",
                          devices, count, cluster, strategy, dice.one_in(2) ? "ring" : "auto"),
      .tasks = numbered("worker", has_chief ? count - 1 : count),
      .has_network = true};
  if (has_chief) site.tasks.emplace_back("chief");
  return site;
}

Site servers_of(Dice& dice, std::string_view strategy, std::string_view coordinator) {
  const std::int64_t count = dice.of<std::int64_t>({1, 2, 3, 8}), servers = dice.between(1, 3);
  Site site{
      .keys = fmt::format(
          R"("platform": {{"machines": [{{"file": "dgx1_p100", "count": {0}}}, {{"file": "cpu_server", "count": {1}}}], )"
          R"("network": {{"type": "switch", "bandwidth": "12.5 GB/s", "latency": "1 us"}}}}, )"
          R"("cluster": {{"worker": {0}, "ps": {2}{3}}}, "devices": {{"visible": ["GPU:0"]}}, "strategy": {{"type": "{4}"}})",
          count, servers + 1, servers, coordinator, strategy),
      .tasks = numbered("worker", count),
      .has_network = true,
      .has_queue = true};
  for (std::string& server : numbered("ps", servers)) site.tasks.push_back(std::move(server));
  if (!coordinator.empty()) site.tasks.emplace_back("chief");
  return site;
}

Site servers(Dice& dice, std::string_view strategy) { return servers_of(dice, strategy, R"(, "chief": 1)"); }
Site servers_alone(Dice& dice, std::string_view strategy) { return servers_of(dice, strategy, ""); }

// A strategy, where it is drawn, and whether Keras 2's BackupAndRestore supports it.
struct Row {
  std::string_view strategy{};
  Site (*site)(Dice&, std::string_view strategy) = nullptr;
  bool may_back_up = true;
};
constexpr Row rows[] = {{"default", one_device},
                        {"one_device", one_device, false},
                        {"mirrored", several_devices},
                        {"central_storage", several_devices, false},
                        {"multi_worker_mirrored", workers},
                        {"tpu", cores},
                        {"parameter_server", servers},
                        {"parameter_server_v1", servers_alone}};

const Row& row_of(std::int64_t seed) { return rows[static_cast<std::size_t>(seed % std::ssize(rows))]; }

// How the state is saved, in "training".
std::string saving(Dice& dice, bool is_fit, bool may_back_up, bool has_queue) {
  if (is_fit && may_back_up && dice.one_in(2))
    return fmt::format(R"("callbacks": [{{"type": "BackupAndRestore", "backup_dir": "backup"{}}}], )",
                       dice.one_in(2) ? R"(, "save_freq": 2)" : "");
  if (dice.one_in(6)) return "";
  const std::string how = !has_queue && dice.one_in(2)
                              ? fmt::format(R"("every_steps": {})", dice.between(1, 5))
                              : R"("every": 1)";
  std::string more = dice.one_in(3) ? R"(, "keep": 1)" : "";
  if (dice.one_in(3)) more += R"(, "asynchronous": true)";
  if (!has_queue && dice.one_in(3)) {
    more += R"(, "before_preemption": true)";
    if (dice.one_in(2)) more += fmt::format(R"(, "grace_period": "{} s")", dice.between(1, 12));
  }
  return fmt::format(R"("checkpointing": {{{}{}}}, )", how, more);
}

std::string fault(Dice& dice, const Site& site, std::int64_t steps) {
  const std::string when = dice.one_in(2) ? fmt::format(R"("step": {})", dice.below(steps))
                                          : fmt::format(R"("at": "{} ms")", dice.below(steps * 1500));
  const std::string& task = dice.of(site.tasks);
  switch (dice.below(site.has_network ? 4 : 3)) {
    case 0:
      return fmt::format(R"({{"kill": "{}", {}, "back_after": "{} s"}})", task, when, dice.between(1, 20));
    case 1:
      return fmt::format(R"({{"preempt": "{}", {}, "grace": "{} s"}})", task, when, dice.between(1, 10));
    case 2:
      return fmt::format(R"({{"random": "{}", "mean_time": "{} s", "back_after": "2 s"}})",
                         dice.one_in(2) ? "device" : "machine",
                         dice.between(10, 300) * std::ssize(site.tasks));
    default:
      return fmt::format(R"({{"cut": "{}", {}, "back_after": "{} s"}})", task, when, dice.between(1, 20));
  }
}

}  // namespace

const std::vector<std::string_view>& strategies() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    for (const Row& row : rows) names.push_back(row.strategy);
    return names;
  }();
  return all;
}

std::string_view strategy_of(std::int64_t seed) { return row_of(seed).strategy; }

DrawnScenario draw_scenario(std::int64_t seed) {
  Dice dice(seed);
  const Row& row = row_of(seed);
  const Site site = row.site(dice, row.strategy);
  // fit under a coordinator is Keras 2's alone.
  const bool is_fit = !site.has_queue && dice.one_in(2);
  const std::int64_t epochs = dice.between(1, 3), each = 2 * dice.between(2, 4), steps = epochs * each;
  constexpr std::int64_t batch = 16;
  std::vector<std::string> faults;
  for (std::int64_t i = dice.between(1, 3); i > 0; --i) faults.push_back(fault(dice, site, steps));
  // The rows of workers that take closures have no end.
  const std::string length = fmt::format(
      R"("epochs": {}{})", epochs, site.has_queue ? fmt::format(R"(, "steps_per_epoch": {})", each) : "");
  return {
      .text = fmt::format(
          R"({{"name": "trial {}", {}, "model": "linear", "dataset": {{"type": "synthetic", "rows": {}{}}}, )"
          R"("training": {{"loop": "{}", "loss": "mse", "optimizer": "{}", "{}": {}, {}{}, "save_weights": "weights.safetensors"}}, )"
          R"("job": {{"step": "1 s", "partial_step": "1 s", "checkpoint": "2 s", "restart": "5 s", "restarts": {}}}, )"
          R"("faults": [{}], "semantics": "keras2", "numerics": "cpu", "seed": {}}})",
          seed, site.keys, each * batch,
          site.has_queue ? R"(, "repeat": -1)" : (dice.one_in(2) ? R"(, "shuffle": {})" : ""),
          is_fit ? "fit" : "custom", dice.one_in(2) ? "sgd" : "adam",
          site.has_queue ? "per_replica_batch" : "global_batch", batch,
          saving(dice, is_fit, row.may_back_up, site.has_queue), length,
          dice.one_in(5) ? 0 : dice.between(1, 40), fmt::join(faults, ", "), seed),
      .strategy = std::string(row.strategy)};
}

}  // namespace wt::disturbed
