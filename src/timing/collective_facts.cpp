#include "timing/collective_facts.h"

#include <algorithm>
#include <map>

#include "collective/catalog.h"
#include "communication/bound.h"
#include "timing/step_split.h"

namespace wt::timing {

namespace {

class FactsFinder {
 public:
  FactsFinder(const plan::Plan& plan, const cluster::Machine& machine)
      : plan_(plan), group_{*machine.platform, {}} {
    for (const cluster::Replica& replica : machine.replicas)
      group_.ranks.push_back(machine.endpoint(print(replica.device.name)));
    if (machine.platform->slice() != nullptr) std::ranges::sort(group_.ranks);
  }

  std::vector<CollectiveFacts> find() {
    for (const plan::Node& node : plan_.nodes)
      if (part_of(plan_, node) == StepPart::communication) add(node);
    std::vector<CollectiveFacts> all;
    for (auto& [name, facts] : facts_) all.push_back(std::move(facts));
    return all;
  }

 private:
  void add(const plan::Node& node) {
    const std::string name = plan::name(node.role);
    const auto [found, is_new] = facts_.try_emplace(name, CollectiveFacts{.name = name});
    CollectiveFacts& facts = found->second;
    const auto call = plan_.calls.find(node.role.number);
    if (is_new && node.role.purpose == plan::Purpose::reduction && call != plan_.calls.end() &&
        call->second.algorithm != nullptr)
      describe(facts, *call->second.algorithm, call->second.request, call->second.protocol);
    if (!facts.algorithm.empty()) return;
    if (const auto* whole = std::get_if<plan::Collective>(&node.action))
      describe(facts, collective::algorithm_named(whole->operation, whole->algorithm), *whole->request, "");
    else if (const auto* move = std::get_if<plan::Move>(&node.action))
      facts.bytes += plan::payload(*move);
  }

  void describe(CollectiveFacts& facts, const collective::Algorithm& algorithm,
                const collective::Request& request, std::string_view protocol) {
    facts.algorithm = algorithm.name;
    facts.protocol = protocol;
    facts.ranks = request.ranks;
    facts.bytes = Bytes(request.elements * request.element_bytes);
    if (request.ranks != group_.size() || request.ranks < 2) return;
    try {
      const collective::Contract contract = collective::make_schedule(algorithm, request).contract;
      facts.bound =
          bounds().of(contract, communication::endpoints(group_, &algorithm, contract), facts.bytes);
    } catch (const InputError&) {
      // The machine has no place for the schedule's helpers, such as switches that add: no bound is known.
    }
  }

  communication::Bounds& bounds() {
    if (!bounds_) bounds_.emplace(group_);
    return *bounds_;
  }

  const plan::Plan& plan_;
  communication::Group group_;
  std::optional<communication::Bounds> bounds_{};
  std::map<std::string, CollectiveFacts> facts_{};
};

}  // namespace

std::vector<CollectiveFacts> collective_facts(const plan::Plan& plan, const cluster::Machine& machine) {
  return FactsFinder(plan, machine).find();
}

}  // namespace wt::timing
