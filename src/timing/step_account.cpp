#include "timing/step_account.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "timing/spans.h"
#include "timing/step_clock.h"

namespace wt::timing {

namespace {

plan::Parts operator+(const plan::Parts& one, const plan::Parts& other) {
  return {one.arithmetic + other.arithmetic, one.memory + other.memory, one.gap + other.gap};
}

// Divides the cost of a node in the proportions of the roofline. The sum is the cost itself, which a
// measurement may have changed.
plan::Parts shared_out(Seconds cost, const plan::Parts& parts) {
  if (parts.sum() == Seconds(0)) return {};
  const double scale = cost / parts.sum();
  return {parts.arithmetic * scale, parts.memory * scale, parts.gap * scale};
}

std::string kernel_of(const plan::Action& action) {
  if (const auto* run = std::get_if<plan::Run>(&action)) return std::string(run->kernel->name);
  return std::holds_alternative<plan::Sum>(action) ? "sum" : "copy";
}

void add_kernels(const plan::Plan& plan, const cluster::Machine& machine, const Simulation& simulation,
                 StepAccount& account) {
  const std::vector<const device::DeviceType*> types =
      types_of(*machine.platform, endpoints_of(plan, machine));
  const std::vector<plan::Parts> parts = plan::roofline_parts(plan, types, simulation.roofline);
  std::map<std::string, KernelAccount> kernels;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const plan::Node& node = plan.nodes[i];
    if (part_of(plan, node) != StepPart::compute) continue;
    const plan::Parts time = shared_out(simulation.costs.nodes[i].seconds, parts[i]);
    const std::string name = kernel_of(node.action);
    KernelAccount& all = kernels[name];
    all = {name, all.runs + 1, all.time + time};
    account.runs.push_back({name, node.scope, time});
    account.compute = account.compute + time;
  }
  for (auto& [name, kernel] : kernels) account.kernels.push_back(std::move(kernel));
  const auto is_longer = [](const auto& one, const auto& other) { return one.time.sum() > other.time.sum(); };
  std::ranges::stable_sort(account.kernels, is_longer);
  std::ranges::stable_sort(account.runs, is_longer);
}

void add_collectives(const plan::Plan& plan, const plan::Timeline& timeline, StepAccount& account) {
  Spans compute;
  std::map<std::string, Spans> collectives;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const StepPart part = part_of(plan, plan.nodes[i]);
    if (part == StepPart::compute) compute.push_back(timeline.nodes[i]);
    if (part != StepPart::communication) continue;
    collectives[name(plan.nodes[i].role)].push_back(timeline.nodes[i]);
  }
  compute = merged(std::move(compute));
  for (auto& [name, content] : collectives) {
    const Spans spans = merged(std::move(content));
    const Seconds exposed = length(together(compute, spans)) - length(compute);
    account.collectives.push_back({name, length(spans), exposed});
  }
  std::ranges::stable_sort(account.collectives, [](const auto& one, const auto& other) {
    return std::tie(one.exposed, one.time) > std::tie(other.exposed, other.time);
  });
}

// Compares loads to a relative 0.001, since the chunks of a vector may differ by an element.
bool is_used_alike(const plan::LinkUse& one, const plan::LinkUse& other) {
  const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-3 * std::max(a, b); };
  return one.bandwidth == other.bandwidth &&
         is_near(static_cast<double>(one.carried.count()), static_cast<double>(other.carried.count())) &&
         is_near(one.busy.count(), other.busy.count());
}

void add_links(const plan::Timeline& timeline, StepAccount& account) {
  for (const plan::LinkUse& link : timeline.links) {
    const auto alike = std::ranges::find_if(
        account.links, [&](const LinkAccount& each) { return is_used_alike(each.link, link); });
    if (alike != account.links.end())
      ++alike->count;
    else
      account.links.push_back({link, 1});
  }
  std::ranges::stable_sort(account.links, [](const LinkAccount& one, const LinkAccount& other) {
    return one.link.busy > other.link.busy;
  });
}

}  // namespace

StepAccount account_of(const plan::Plan& plan, const cluster::Machine& machine,
                       const Simulation& simulation) {
  StepAccount account;
  add_kernels(plan, machine, simulation, account);
  add_collectives(plan, simulation.timeline, account);
  add_links(simulation.timeline, account);
  return account;
}

}  // namespace wt::timing
