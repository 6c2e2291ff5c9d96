#include "cluster/tf_config.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/json_reader.h"
#include "cluster/roles.h"

namespace wt::cluster {

namespace {

constexpr int most_tasks = 1 << 20;  // of one job
constexpr int usual_port = 2222;

// TensorFlow converts an index by Python's int(), so "1" is legal, too.
std::optional<int> index_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// Who reads: a strategy applies TensorFlow's rules (roles.h), a resolver doesn't, and a scenario also takes numbers of
// tasks.
enum class For : std::uint8_t { strategy, resolver, scenario };

// Reads a TF_CONFIG, or only the jobs of one, and then applies TensorFlow's rules. Jobs with
// problems of their own are not checked by the rules, so that no fault is reported twice.
class ConfigReader {
 public:
  ConfigReader(Problems& problems, For reader)
      : problems_(problems), takes_counts_(reader == For::scenario), has_rules_(reader != For::resolver) {}

  TfConfig config(const json::Value& value) {
    json::Reader reader(value, problems_);
    if (const json::Value* cluster = reader.value("cluster")) read_jobs(*cluster);
    if (std::optional<json::Reader> task = reader.optional_object("task")) read_task(*task);
    config_.rpc_layer = reader.maybe<std::string>("rpc_layer");
    config_.session_master = reader.maybe<std::string>("session_master");
    config_.environment = reader.maybe<std::string>("environment");
    // Keys of the Estimator and of training services have no effect.
    for (const char* ignored : {"service", "model_dir", "eval_session_master", "job"}) reader.value(ignored);
    reader.finish();
    return checked();
  }

  TfConfig jobs(const json::Value& value) {
    read_jobs(value);
    return checked();
  }

 private:
  void read_jobs(const json::Value& value) {
    if (value.kind() != json::Kind::object) {
      problems_.add(
          value.place(),
          "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
          "or a `ClusterDef` protocol buffer",
          R"(write {"worker": ["host1:2222", "host2:2222"]})");
      return;
    }
    std::vector<Job> jobs;
    for (const json::Member& member : value.members()) {
      key_places_.emplace(member.key, member.key_place());
      jobs.push_back(read_job(member.key, member.value));
    }
    config_.cluster = ClusterSpec(std::move(jobs));
  }

  // A list of addresses, a dictionary from index to address, or, in a scenario, a number of tasks.
  Job read_job(const std::string& name, const json::Value& value) {
    switch (value.kind()) {
      case json::Kind::array:
        return read_list(name, value);
      case json::Kind::object:
        return read_dictionary(name, value);
      case json::Kind::integer:
        if (takes_counts_) return read_count(name, value);
        break;
      default:
        break;
    }
    broken_.insert(name);
    problems_.add(value.place(),
                  fmt::format("The tasks for job {} must be a list or a dictionary from integers to strings.",
                              python_repr(name)),
                  takes_counts_ ? "write a list of addresses or the number of its tasks"
                                : R"(write ["host1:2222", "host2:2222"])");
    return {.name = name};
  }

  Job read_list(const std::string& name, const json::Value& value) {
    std::vector<std::string> addresses;
    for (const json::Value& element : value.elements()) addresses.push_back(read_address(element));
    return job_of(name, addresses);
  }

  Job read_dictionary(const std::string& name, const json::Value& value) {
    Job job{.name = name};
    for (const json::Member& member : value.members()) {
      const std::optional<int> index = index_in(member.key);
      std::string address = read_address(member.value);
      if (index && *index >= 0 && *index < most_tasks && job.tasks.emplace(*index, std::move(address)).second)
        continue;
      broken_.insert(name);
      problems_.add(member.key_place(), fmt::format("{} is not a task index", json_text(member.key)),
                    fmt::format("write different indices from 0 to {}", most_tasks - 1));
    }
    return job;
  }

  // Makes addresses such as "worker0:2222".
  Job read_count(const std::string& name, const json::Value& value) {
    const std::optional<int> count =
        json::convert<int>(value, problems_, {.at_least = 0, .at_most = most_tasks});
    if (!count) broken_.insert(name);
    std::vector<std::string> addresses;
    for (int index = 0; index < count.value_or(0); ++index)
      addresses.push_back(fmt::format("{}{}:{}", name, index, usual_port));
    return job_of(name, addresses);
  }

  // Returns an empty address after a problem, so that the following tasks keep their indices.
  std::string read_address(const json::Value& value) {
    if (value.kind() == json::Kind::string && !value.string().empty()) return value.string();
    problems_.add(value.place(), fmt::format("Task address {} must be bytes or unicode", shown(value)),
                  "write \"host:port\"");
    return "";
  }

  void read_task(json::Reader& task) {
    config_.task_type = task.maybe<std::string>("type");
    type_place_ = task.place("type");
    if (const json::Value* index = task.value("index")) read_index(*index);
    for (const char* ignored : {"trial", "cloud"}) task.value(ignored);  // keys of training services
    task.finish();
  }

  void read_index(const json::Value& value) {
    index_place_ = value.place();
    config_.task_index =
        value.kind() == json::Kind::string ? index_in(value.string()) : json::convert<int>(value, problems_);
    if (value.kind() == json::Kind::string && !config_.task_index) {
      problems_.add(value.place(), fmt::format("{} is not a task index", shown(value)),
                    "write an index from 0 on");
    } else if (has_rules_ && config_.task_index.value_or(0) < 0) {
      problems_.add(value.place(), "Task index must be non-negative number.", "write an index from 0 on");
    }
  }

  // Adds the faults of the cluster and its task, each at the place that would have to change.
  TfConfig checked() {
    // TensorFlow does not check the task of a process without a cluster.
    if (config_.cluster.is_empty() || !has_rules_) return config_;
    for (Fault& fault : faults(config_.cluster, config_.task_type, config_.task_index)) {
      if (broken_.contains(fault.job)) continue;  // a problem of its own was reported already
      problems_.add(place_of(fault), std::move(fault.text), std::move(fault.remedy));
    }
    return config_;
  }

  Place place_of(const Fault& fault) const {
    switch (fault.about) {
      case Fault::About::job:
        return key_places_.at(fault.job);
      case Fault::About::task_type:
        return type_place_;
      case Fault::About::task_index:
        return index_place_;
    }
    return {};
  }

  static std::string json_text(std::string_view text) { return fmt::format("\"{}\"", text); }
  static std::string shown(const json::Value& value) {
    const bool is_long = value.kind() == json::Kind::array || value.kind() == json::Kind::object;
    return std::string(is_long ? describe(value.kind()) : value.text());
  }

  Problems& problems_;
  bool takes_counts_;
  bool has_rules_;
  TfConfig config_{};
  std::set<std::string> broken_{};  // the jobs whose tasks could not be read
  std::map<std::string, Place> key_places_{};
  Place type_place_{};
  Place index_place_{};
};

}  // namespace

TfConfig read_tf_config(const json::Value& value, Problems& problems) {
  return ConfigReader(problems, For::strategy).config(value);
}

namespace {

TfConfig parse(std::string text, const std::string& named, For reader) {
  const json::Value value = json::parse(std::move(text), named);
  Problems problems;
  TfConfig config = ConfigReader(problems, reader).config(value);
  problems.throw_if_any();
  return config;
}

}  // namespace

TfConfig parse_tf_config(std::string text, const std::string& named) {
  return parse(std::move(text), named, For::strategy);
}

TfConfig parse_tf_config_for_resolver(std::string text, const std::string& named) {
  return parse(std::move(text), named, For::resolver);
}

TfConfig tf_config_of(const std::map<std::string, std::string>& environment) {
  const auto found = environment.find("TF_CONFIG");
  return found == environment.end() ? TfConfig{} : parse_tf_config(found->second);
}

TfConfig read_cluster(const json::Value& value, Problems& problems) {
  const bool is_whole = value.kind() == json::Kind::object &&
                        (value.find("cluster") != nullptr || value.find("task") != nullptr);
  ConfigReader reader(problems, For::scenario);
  return is_whole ? reader.config(value) : reader.jobs(value);
}

}  // namespace wt::cluster
