#include "study/drawn/site.h"

#include <fmt/format.h>

namespace wt::drawn {

namespace {

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

std::string strategy_with(Dice& dice, std::string_view strategy, std::string_view implementation) {
  return fmt::format(R"("strategy": {{"type": "{}", "communication_options": {{"implementation": "{}"{}}}}})",
                     strategy, implementation, dice.one_in(4) ? R"(, "bytes_per_pack": "64 B")" : "");
}

// All GPUs of two described machines, whose rings go over several network cards, or each host's first.
Site machines(Dice& dice, std::string_view strategy) {
  const std::string_view machine = dice.of<std::string_view>({"dgx2", "dgx1_v100", "dgx_a100", "gce_n1_k80"});
  const bool has_all = dice.one_in(2);
  const std::int64_t count = has_all ? 2 : dice.between(2, 4);
  const std::string way = strategy_with(dice, strategy, dice.of<std::string_view>({"nccl", "nccl", "ring"}));
  return {.keys = fmt::format(R"("platform": {{"file": "{}", "set": {{"machines": {}}}}}, {}{})", machine,
                              count, has_all ? "" : R"("devices": {"visible": ["GPU:0"]}, )", way),
          .tasks = numbered("worker", count),
          .has_network = true};
}

Site workers(Dice& dice, std::string_view strategy) {
  if (dice.one_in(5)) return machines(dice, strategy);
  const std::int64_t count = dice.of<std::int64_t>({2, 3, 4, 8}), devices = count * dice.between(1, 2);
  const bool has_chief = dice.one_in(3);
  std::string cluster;
  if (has_chief) cluster = fmt::format(R"("cluster": {{"chief": 1, "worker": {}}}, )", count - 1);
  Site site{
      .keys = fmt::format(R"("platform": {{"virtual": {{"devices": {}, "workers": {}}}}}, {}{})", devices,
                          count, cluster, strategy_with(dice, strategy, dice.one_in(2) ? "ring" : "auto")),
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

Site draw_site(std::int64_t seed, Dice& dice) {
  const Row& row = row_of(seed);
  Site site = row.site(dice, row.strategy);
  site.strategy = row.strategy;
  site.may_back_up = row.may_back_up;
  return site;
}

}  // namespace wt::drawn
