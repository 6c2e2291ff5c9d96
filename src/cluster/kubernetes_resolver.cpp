#include "cluster/kubernetes_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "device/error.h"

namespace wt::cluster {

namespace {

using device::RuntimeError;
using device::ValueError;
using Labels = std::map<std::string, std::string>;

// One requirement of a selector: the label has one of the values, or it has none of them.
struct Requirement {
  std::string label{};
  bool is_negated = false;
  std::optional<std::vector<std::string>> values{};  // unset: any value
};

bool is_met(const Requirement& requirement, const Labels& labels) {
  const auto found = labels.find(requirement.label);
  const bool has_it = found != labels.end() &&
                      (!requirement.values ||
                       std::count(requirement.values->begin(), requirement.values->end(), found->second));
  return has_it != requirement.is_negated;
}

// The forms of a requirement. The label is the first group of each; the values are the second, if there is one.
struct Form {
  std::regex pattern;
  bool is_negated = false;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {std::regex(R"(\s*([\w./-]+)\s*==?\s*([\w.-]*)\s*)")},
      {std::regex(R"(\s*([\w./-]+)\s*!=\s*([\w.-]*)\s*)"), true},
      {std::regex(R"(\s*([\w./-]+)\s+in\s*\(([\w., -]*)\)\s*)")},
      {std::regex(R"(\s*([\w./-]+)\s+notin\s*\(([\w., -]*)\)\s*)"), true},
      {std::regex(R"(\s*([\w./-]+)\s*)")},
      {std::regex(R"(\s*!\s*([\w./-]+)\s*)"), true},
  };
  return all;
}

// The parts between commas that are not inside of parentheses.
std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    c == ',' && depth == 0 ? void(parts.emplace_back()) : parts.back().push_back(c);
  }
  return parts;
}

std::vector<std::string> values_in(const std::string& text) {
  std::vector<std::string> values = split_at_commas(text);
  for (std::string& value : values) std::erase(value, ' ');
  return values;
}

Requirement requirement_of(const std::string& text, std::string_view selector) {
  for (const Form& form : forms()) {
    std::smatch found;
    if (!std::regex_match(text, found, form.pattern)) continue;
    Requirement requirement{.label = found[1], .is_negated = form.is_negated};
    if (found.size() > 2) requirement.values = values_in(found[2]);
    return requirement;
  }
  throw ValueError(fmt::format("Invalid label selector \"{}\": {}", selector, text));
}

}  // namespace

bool matches_selector(const Labels& labels, std::string_view selector) {
  if (selector.empty()) return true;  // it requires nothing
  const std::vector<std::string> texts = split_at_commas(selector);
  return std::all_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return is_met(requirement_of(text, selector), labels); });
}

KubernetesClusterResolver::KubernetesClusterResolver(std::vector<Pod> pods)
    : KubernetesClusterResolver(std::move(pods), Arguments{}) {}

KubernetesClusterResolver::KubernetesClusterResolver(std::vector<Pod> pods, Arguments arguments)
    : pods_(std::move(pods)), arguments_(std::move(arguments)) {
  std::stable_sort(pods_.begin(), pods_.end(), [](const Pod& a, const Pod& b) { return a.name < b.name; });
  if (arguments_.job_to_label_mapping.empty())
    arguments_.job_to_label_mapping = {{"worker", {"job-name=tensorflow"}}};
}

ClusterSpec KubernetesClusterResolver::cluster_spec() const {
  std::vector<Job> jobs;
  for (const auto& [job, selectors] : arguments_.job_to_label_mapping) {
    std::vector<std::string> addresses;
    for (const std::string& selector : selectors) {
      for (const Pod& pod : pods_) {
        if (!matches_selector(pod.labels, selector)) continue;
        if (pod.phase != "Running")
          throw RuntimeError(fmt::format("Pod \"{}\" is not running; phase: \"{}\"", pod.name, pod.phase));
        addresses.push_back(fmt::format("{}:{}", pod.host_ip, arguments_.tf_server_port));
      }
    }
    jobs.push_back(job_of(job, addresses));
  }
  return ClusterSpec(std::move(jobs));
}

std::string KubernetesClusterResolver::master(const TaskArguments& task) const {
  const auto type = task.task_type ? task.task_type : arguments_.task_type;
  const auto id = task.task_id ? task.task_id : arguments_.task_id;
  if (!type || !id) return "";
  const bool has_layer = task.rpc_layer && !task.rpc_layer->empty();
  return format_master_url(cluster_spec().task_address(*type, *id),
                           has_layer ? task.rpc_layer : arguments_.rpc_layer);
}

}  // namespace wt::cluster
