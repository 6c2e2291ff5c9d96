#pragma once
// Workers and servers of a pool for tests, whose times and numbers a pencil can follow.

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/id.h"
#include "platform/load.h"
#include "simulate/simulate.h"
#include "strategy/look_ups.h"
#include "strategy/several_replicas.h"
#include "strategy/shards.h"
#include "strategy/variable_servers.h"
#include "support/folder.h"
#include "timing/pool.h"

namespace wt::test {

using plan::Purpose;
using platform::Platform;

// Each closure moves each variable towards its input: w = w - (w - x) / 4. With whole inputs all numbers are
// exact.
inline Step towards(int variables) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("argument 0", floats({8}));
    std::vector<Symbol> all, gradients;
    for (int i = 0; i < variables; ++i) all.push_back(trace.variable(fmt::format("w{}", i), floats({8})));
    for (const Symbol& variable : all) gradients.push_back(variable - x);
    trace.in_scope("optimizer", [&] {
      for (Symbol& gradient : gradients) gradient = all_reduce(gradient, Reduction::sum);
      apply_sgd(all, {}, gradients, fill(*all[0].trace, floats({}), 0.25), {});
    });
    trace.result("result 0", reduce_sum(all.back()));
  });
}

// Workers and servers on machines of their own, behind links of 1 GB/s without latency.
struct Cluster {
  int workers = 1, servers = 1;
  Platform platform =
      platform::load("ideal_switch", {platform::parse_parameter(fmt::format("ranks={}", workers + servers))})
          .platform;
  Step step = towards(3);
  plan::Plan one = lower();
  plan::Pooled pooled = plan::pooled(one, devices_of_workers(), 1);

  static constexpr double link = 100e9, bytes_of_variable = 8 * sizeof(float);

  Cluster(int workers_, int servers_) : workers(workers_), servers(servers_) {}
  Cluster(int workers_, int servers_, Step step_)
      : workers(workers_), servers(servers_), step(std::move(step_)) {}

  plan::Plan lower() const {
    const strategy::Place first{.device = {.name = "worker:0"}, .kind = device::Kind::cpu};
    strategy::VariableServers storage{.strategy = "test",
                                      .server_of = strategy::in_turn(step, static_cast<std::size_t>(servers)),
                                      .adds_on_host = true,
                                      .look_ups = strategy::LookUps::at_tables};
    for (int i = 0; i < servers; ++i) storage.servers.push_back({.name = fmt::format("ps:{}", i)});
    const Step* const steps[] = {&step};
    return strategy::lower_with_servers(steps, {&first, 1}, storage);
  }
  std::vector<std::vector<plan::Device>> devices_of_workers() const {
    std::vector<std::vector<plan::Device>> all;
    for (int i = 0; i < workers; ++i) all.push_back({plan::Device{.name = fmt::format("worker:{}", i)}});
    return all;
  }

  // Workers first, then servers. Worker w computes for compute[w] seconds, before its pushes; a pull and an
  // update take what is given.
  struct Times {
    std::vector<double> compute{};
    double pull = 0, update = 0;
    double push = 0;  // of a variable, alone on a link of 100 GB/s
  };
  plan::PoolTimeline play(const Times& times, std::int64_t closures, double dispatch = 0,
                          std::int64_t at_once = 1, std::int64_t join_every = 0) const {
    return play(
        times,
        {.closures = closures, .dispatch = Seconds(dispatch), .at_once = at_once, .join_every = join_every});
  }
  plan::PoolTimeline play(const Times& times, const plan::Pool& pool) const {
    std::vector<platform::Endpoint> where;
    for (const plan::Device& device : pooled.plan.devices) {
      const bool is_worker = device.name.starts_with("worker:");
      const int number = std::stoi(device.name.substr(device.name.find(':') + 1));
      where.push_back(platform.device(is_worker ? number : workers + number));
    }
    plan::Costs costs{.nodes = std::vector<plan::Cost>(pooled.plan.nodes.size())};
    for (std::size_t worker = 0; worker < pooled.tasks.size(); ++worker) {
      bool has_computed = false;
      for (std::size_t id = index(pooled.tasks[worker].first); id < index(pooled.tasks[worker].end); ++id) {
        const plan::Node& node = pooled.plan.nodes[id];
        plan::Cost& cost = costs.nodes[id];
        cost.wire = 0;
        if (node.role.purpose == Purpose::pull) cost.seconds = Seconds(times.pull);
        if (node.role.purpose == Purpose::update) cost.seconds = Seconds(times.update);
        if (node.role.purpose == Purpose::push) cost.wire = times.push * link / bytes_of_variable;
        const auto* run = std::get_if<plan::Run>(&node.action);
        if (run == nullptr || node.role.purpose != Purpose::forward || has_computed) continue;
        if (!pooled.plan.devices[index(run->device)].name.starts_with("worker:")) continue;
        cost.seconds = Seconds(times.compute[worker]);
        has_computed = true;
      }
    }
    return simulate::simulate(pooled, pool, costs, platform, where);
  }

  timing::PlayedPool played(const Times& times, std::int64_t closures, double dispatch = 0,
                            std::int64_t at_once = 1, std::int64_t join_every = 0) const {
    return {.pooled = pooled, .timeline = play(times, closures, dispatch, at_once, join_every)};
  }
};

// The replay knows only which closure read or updated which variable when, and computes with plain floats.
class Replay {
 public:
  Replay(const Cluster& cluster, const timing::PlayedPool& played,
         const std::vector<std::vector<float>>& inputs)
      : plan_(cluster.pooled.plan), weights_(3, std::vector<float>(8)) {
    for (const plan::Occurrence& each : played.timeline.occurrences) {
      const plan::Node& node = plan_.node(each.node);
      const auto closure = static_cast<std::size_t>(each.closure);
      if (node.role.purpose == Purpose::pull)
        read_[{closure, variable(std::get<plan::Move>(node.action).source)}] =
            weights_[variable(std::get<plan::Move>(node.action).source)];
      if (node.role.purpose == Purpose::update && std::holds_alternative<plan::Run>(node.action))
        update(closure, variable(std::get<plan::Run>(node.action).outputs.front()), inputs);
    }
  }
  const std::vector<float>& weights(std::size_t variable) const { return weights_[variable]; }

 private:
  std::size_t variable(const plan::Operand& operand) const {
    return static_cast<std::size_t>(plan_.buffer(operand.buffer).name.back() - '0');
  }
  void update(std::size_t closure, std::size_t variable, const std::vector<std::vector<float>>& inputs) {
    const std::vector<float>& old = read_.at({closure, variable});
    for (std::size_t i = 0; i < 8; ++i) weights_[variable][i] -= 0.25F * (old[i] - inputs[closure][i]);
  }

  const plan::Plan& plan_;
  std::vector<std::vector<float>> weights_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> read_{};
};

}  // namespace wt::test
