#pragma once
// tf.distribute.cluster_resolver (tensorflow/python/distribute/cluster_resolver/): the source from which a
// strategy gets its cluster. TensorFlow's resolvers may query a service at every call. A described cluster
// never changes, so the resolvers here get all facts when they are constructed. User-defined resolvers derive
// from ClusterResolver. tpu_resolver.h has the resolver for TPUs.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/tf_config.h"
#include "device/name.h"

namespace wt::cluster {

using Accelerators = std::map<device::Kind, int>;  // the numbers of one worker, {GPU: 8}

// TensorFlow's optional arguments of master() and of constructors. Absent ones are taken from the
// resolver.
struct TaskArguments {
  std::optional<std::string> task_type{};
  std::optional<int> task_id{};
  std::optional<std::string> rpc_layer{};
};

class ClusterResolver {
 public:
  ClusterResolver() = default;
  ClusterResolver(const ClusterResolver&) = delete;
  ClusterResolver& operator=(const ClusterResolver&) = delete;
  virtual ~ClusterResolver() = default;

  virtual ClusterSpec cluster_spec() const = 0;
  // The address of the task's session, "grpc://host1:2222"; "" means this process.
  virtual std::string master(const TaskArguments& task = {}) const = 0;
  virtual Accelerators num_accelerators() const = 0;
  virtual std::optional<std::string> task_type() const = 0;
  virtual std::optional<int> task_id() const = 0;
  virtual std::optional<std::string> rpc_layer() const = 0;
  virtual std::string environment() const { return ""; }
};

// A resolver that returns the arguments of its constructor.
class SimpleClusterResolver : public ClusterResolver {
 public:
  struct Arguments {
    std::string master{};
    std::optional<std::string> task_type{};
    std::optional<int> task_id{};
    std::string environment{};
    Accelerators num_accelerators{};
    std::optional<std::string> rpc_layer{};
  };
  explicit SimpleClusterResolver(ClusterSpec spec, Arguments arguments);
  explicit SimpleClusterResolver(ClusterSpec spec);

  ClusterSpec cluster_spec() const override { return spec_; }
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override { return arguments_.num_accelerators; }
  std::optional<std::string> task_type() const override { return arguments_.task_type; }
  std::optional<int> task_id() const override { return arguments_.task_id; }
  std::optional<std::string> rpc_layer() const override { return arguments_.rpc_layer; }
  std::string environment() const override { return arguments_.environment; }

 private:
  ClusterSpec spec_;
  Arguments arguments_;
};

// The cluster of a TF_CONFIG. The caller passes the accelerators of the task's machine (`accelerators`,
// cluster.h). Overrides replace the task of the TF_CONFIG.
class TFConfigClusterResolver : public ClusterResolver {
 public:
  explicit TFConfigClusterResolver(TfConfig config, Accelerators accelerators = {},
                                   TaskArguments overrides = {});

  ClusterSpec cluster_spec() const override { return config_.cluster; }
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override { return accelerators_; }
  std::optional<std::string> task_type() const override { return config_.task_type; }
  std::optional<int> task_id() const override { return config_.task_index; }
  std::optional<std::string> rpc_layer() const override { return config_.rpc_layer; }
  std::string environment() const override { return config_.environment.value_or(""); }

 private:
  TfConfig config_;
  Accelerators accelerators_;
};

// tf.distribute.cluster_resolver.UnionResolver: the jobs of all resolvers together. Everything else is that
// of the first resolver.
class UnionResolver : public ClusterResolver {
 public:
  // Throws ValueError if there are no resolvers.
  explicit UnionResolver(std::vector<std::shared_ptr<const ClusterResolver>> resolvers,
                         TaskArguments overrides = {});

  // If a job is a list in all resolvers that have it, the lists are concatenated. Otherwise the dictionaries
  // from index to address are merged. Throws KeyError if two dictionaries have the same index.
  ClusterSpec cluster_spec() const override;
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override { return first().num_accelerators(); }
  std::optional<std::string> task_type() const override;
  std::optional<int> task_id() const override;
  std::optional<std::string> rpc_layer() const override;
  std::string environment() const override { return first().environment(); }

 private:
  const ClusterResolver& first() const { return *resolvers_.front(); }

  std::vector<std::shared_ptr<const ClusterResolver>> resolvers_;
  TaskArguments overrides_;
};

// "host1:2222" with "grpc" becomes "grpc://host1:2222". Without a layer the address stays as it is.
std::string format_master_url(const std::string& master, const std::optional<std::string>& rpc_layer);

}  // namespace wt::cluster
